// activity.js - the view Activity: calls of all clients, live.
import { button, byId, bytes, clock, code, count, duration, el, fill, keep, path,
  time } from './dom.js';
import { brief, client, words } from './client.js';
import { bus, get, on } from './server.js';

const MOST = 200;
const calls = new Map(); // id → call
let clients = [];
let hidden = true;

const STATES = {
  running: 'running', asking: 'waits for you', ok: 'done', failed: 'failed',
  denied: 'denied', asked: 'asked you',
};
// A symbol for each state, so that colour is not the only difference.
const MARKS = { running: '\u2026', asking: '?', ok: '\u2713', failed: '\u2715', denied: '\u2298',
  asked: '?' };
const isOpen = (call) => call.state === 'running' || call.state === 'asking';

// ---- calls

function sizes(call) {
  const parts = [];
  if (call.bytes_in) parts.push(`${bytes(call.bytes_in)} in`);
  if (call.bytes_out) parts.push(`${bytes(call.bytes_out)} out`);
  return parts.join(', ');
}

// Call ids of a client are unique in a session only: the time distinguishes them.
function changesOf(call) {
  return new URLSearchParams({ call: call.change, session: call.session ?? '',
    since: call.began, until: call.began + (call.ms ?? 0) + 1000 });
}

function row(call, old) {
  const state = JSON.stringify(call);
  if (old?.state === state) return old;
  const node = el('li', { class: `call item ${call.state}`, tabindex: '-1' },
    el('span', { class: 'at' }, time(call.began, clock(call.began))),
    el('span', { class: 'state' },
      el('span', { class: 'sign', 'aria-hidden': 'true' }, MARKS[call.state]),
      STATES[call.state] ?? call.state),
    el('span', { class: 'what' }, code(call.tool), ' ',
      call.path && path(call.path, undefined, call.lookalikes),
      call.files > 1 && ` ${count(call.files, 'file')}`),
    el('span', { class: 'by' }, brief(call)),
    el('span', { class: 'size' }, sizes(call)),
    isOpen(call)
      ? el('span', { class: 'took', 'data-lasts': call.began },
        duration(Date.now() - call.began))
      : el('span', { class: 'took' }, duration(call.ms ?? 0)),
    call.change && el('p', { class: 'made' }, el('a', {
      href: `#history?${changesOf(call)}`,
    }, 'What it changed')),
    call.error && el('p', { class: ['denied', 'asked'].includes(call.state) ? 'note' : 'error' },
      call.error.message, ' ', code(String(call.error.code))));
  node.state = state;
  return node;
}

// ---- filters: by client, state and path, stored in the URL

const filter = { client: '', state: '', path: '' };
const fits = (call) => (!filter.client || words(call) === filter.client)
  && (!filter.state || call.state === filter.state)
  && (!filter.path || (call.path ?? '').includes(filter.path));

// As in filters.js: typing adds no entry to the browser history.
function set(values, typing = false) {
  Object.assign(filter, values);
  const query = new URLSearchParams(
    Object.entries(filter).filter(([, value]) => value)).toString();
  const address = query ? `#activity?${query}` : '#activity';
  if (typing) history.replaceState(null, '', address);
  else if (location.hash !== address) history.pushState(null, '', address);
  draw();
}

function form() {
  const pick = (key, label, any, rows) => el('div', {},
    el('label', { for: `calls-${key}` }, label),
    el('select', { id: `calls-${key}`, onchange: (event) => set({ [key]: event.target.value }) },
      el('option', { value: '' }, any),
      rows.map(([value, words]) => el('option', { value }, words))));
  return el('form', { class: 'filters', role: 'search', 'aria-label': 'Calls',
    autocomplete: 'off', onsubmit: (event) => event.preventDefault() },
  pick('client', 'Client', 'any client', []),
  pick('state', 'State', 'any state', Object.entries(STATES)),
  el('div', {}, el('label', { for: 'calls-path' }, 'File'),
    el('input', { id: 'calls-path', type: 'search', placeholder: 'part of a path',
      spellcheck: 'false', oninput: (event) => set({ path: event.target.value.trim() }, true) })));
}

function drawFilters(all) {
  const select = byId('calls-client');
  const have = new Set([...select.options].map((one) => one.value));
  const met = new Set([...calls.values()].map(words));
  for (const who of [...met, filter.client]) {
    if (who && !have.has(who)) select.append(el('option', { value: who }, who));
    have.add(who);
  }
  for (const key of Object.keys(filter)) {
    const field = byId(`calls-${key}`);
    if (all || field !== document.activeElement) field.value = filter[key];
  }
}

export function routed(words) {
  for (const key of Object.keys(filter)) filter[key] = words.get(key) ?? '';
  if (!hidden) drawFilters(/* all= */ true);
  draw();
}

function ordered() {
  return [...calls.values()].filter(fits).sort((a, b) => isOpen(b) - isOpen(a)
    || b.began - a.began);
}

// ---- clients

function doing(one) {
  const mine = [...calls.values()].filter((call) => isOpen(call)
    && call.session === one.session);
  if (one.asking || mine.some((call) => call.state === 'asking')) {
    return ['asking', 'waits for your answer'];
  }
  if (mine.length) return ['running', mine.map((call) => call.tool).join(', ')];
  if (one.running) return ['running', 'at work'];
  return ['idle', 'idle'];
}

function member(one) {
  const [state, words] = doing(one);
  return el('li', { class: state },
    el('p', { class: 'who' }, client({ ...one, token: one.name }),
      one.version && el('span', { class: 'version' }, ` MCP ${one.version}`)),
    el('p', { class: 'state' }, el('span', { class: 'dot', 'aria-hidden': 'true' }),
      words),
    el('p', { class: 'aged' }, count(one.calls ?? 0, 'call'), ', last ',
      el('span', { 'data-ago': one.last_ms })));
}

// ---- the view

function empty() {
  if (calls.size) {
    return el('li', { class: 'empty' }, el('p', {}, 'No matching calls. '),
      el('p', {}, button('Show all calls', () => set({ client: '', state: '', path: '' }))));
  }
  const node = el('li', { class: 'empty' },
    el('p', {}, 'No calls yet. Each call of a client appears here when it '
      + 'starts, with its duration, size and result. The page '
      + '“Status” shows how to connect a client.'));
  return node;
}

function draw() {
  if (hidden) return;
  const open = [...calls.values()].filter(isOpen).length;
  fill(byId('activity-lead'), [
    clients.length ? count(clients.length, 'client is', 'clients are')
      : 'No client is', ' connected; ',
    open ? `${count(open, 'call')} under way.` : 'no call is running.']);
  byId('activity-clients').replaceChildren(...clients.map(member));
  const list = byId('activity-calls');
  drawFilters();
  const fitting = ordered();
  if (!fitting.length) list.replaceChildren(empty());
  else {
    list.querySelector('.empty')?.remove();
    keep(list, fitting, (call) => call.id, row);
  }
  document.dispatchEvent(new Event('stet-tick'));
}

let drawing;
function soon() {
  drawing ??= requestAnimationFrame(() => {
    drawing = undefined;
    draw();
  });
}

function know(call) {
  calls.set(call.id, call);
  if (calls.size > MOST) {
    for (const [id, old] of calls) {
      if (calls.size <= MOST) break;
      if (!isOpen(old)) calls.delete(id);
    }
  }
}

// Events that arrived during the request are newer than the list.
async function refresh() {
  const news = [];
  const hear = (event) => news.push(event.detail);
  bus.addEventListener('call', hear);
  try {
    const { calls: list } = await get('/api/activity');
    calls.clear();
    [...list, ...news].forEach(know);
  } finally {
    bus.removeEventListener('call', hear);
  }
  soon();
}

export function start() {
  byId('activity-calls').before(form());
  on('refetch', () => refresh().catch(() => {}));
  on('call', (call) => { know(call); soon(); });
  on('status', (now) => { clients = now.clients ?? []; soon(); });
}

export function visible(yes) {
  hidden = !yes;
  draw();
}

export const keys = {};
