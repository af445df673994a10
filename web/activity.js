// activity.js - what every client is doing now, as it happens.
import { byId, bytes, clock, code, count, duration, el, fill, keep, path,
  time } from './dom.js';
import { client } from './client.js';
import { bus, get, on } from './live.js';

const MOST = 200;
const calls = new Map(); // id → call
let clients = [];
let hidden = true;

const STATES = {
  running: 'running', asking: 'waits for you', ok: 'done', failed: 'failed',
};
const isOpen = (call) => call.state === 'running' || call.state === 'asking';

// ---- calls

function sizes(call) {
  const parts = [];
  if (call.bytes_in) parts.push(`${bytes(call.bytes_in)} in`);
  if (call.bytes_out) parts.push(`${bytes(call.bytes_out)} out`);
  return parts.join(', ');
}

function row(call, old) {
  const state = JSON.stringify(call);
  if (old?.state === state) return old;
  const node = el('li', { class: `call item ${call.state}`, tabindex: '-1' },
    el('span', { class: 'at' }, time(call.began, clock(call.began))),
    el('span', { class: 'state' },
      el('span', { class: 'dot', 'aria-hidden': 'true' }),
      STATES[call.state] ?? call.state),
    el('span', { class: 'what' }, code(call.tool), ' ',
      call.path && path(call.path, undefined, call.lookalikes)),
    el('span', { class: 'by' }, client(call)),
    el('span', { class: 'size' }, sizes(call)),
    isOpen(call)
      ? el('span', { class: 'took', 'data-lasts': call.began },
        duration(Date.now() - call.began))
      : el('span', { class: 'took' }, duration(call.ms ?? 0)),
    call.error && el('p', { class: 'error' },
      call.error.message, ' ', code(String(call.error.code))));
  node.state = state;
  return node;
}

function ordered() {
  return [...calls.values()].sort((a, b) => isOpen(b) - isOpen(a)
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
  return ['quiet', 'quiet'];
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

// ---- all of it

function empty() {
  const node = el('li', { class: 'empty' },
    el('p', {}, 'No call yet. Each call of a client appears here when it '
      + 'begins, with how long it takes, how much it moves and what came of '
      + 'it. The page “Status” tells how to connect a client.'));
  return node;
}

function draw() {
  if (hidden) return;
  const open = [...calls.values()].filter(isOpen).length;
  fill(byId('activity-lead'), [
    clients.length ? count(clients.length, 'client is', 'clients are')
      : 'No client is', ' connected; ',
    open ? `${count(open, 'call')} under way.` : 'all is quiet.']);
  byId('activity-clients').replaceChildren(...clients.map(member));
  const list = byId('activity-calls');
  if (!calls.size) list.replaceChildren(empty());
  else keep(list, ordered(), (call) => call.id, row);
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

// What was told while the list was on its way is newer than the list.
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
  on('refetch', () => refresh().catch(() => {}));
  on('call', (call) => { know(call); soon(); });
  on('status', (now) => { clients = now.clients ?? []; soon(); });
}

export function visible(yes) {
  hidden = !yes;
  draw();
}

export const keys = {};
