// history.js - what was done to files: by day, searched, looked into, and
// taken back.
import { brief, button, byId, bytes, clock, code, count, day, el, fill, keep,
  knownRoots, minute, path, time, toast } from './dom.js';
import { client, words } from './client.js';
import { chart } from './chart.js';
import { badges, does, lookalikes, numbers } from './change.js';
import { styleSwitch, view as diffView } from './diff.js';
import { get, on } from './live.js';
import { takeBack } from './takeback.js';
import { usedYes } from './waiting.js';

const PAGE = 50;
const KINDS = {
  create: ['\u2038', 'created'], update: ['\u223c', 'changed'],
  append: ['\u2038', 'appended to'], delete: ['\u20b0', 'removed'],
  mode: ['\u204e', 'permissions of'],
};
const filter = { q: '', path: '', client: '', session: '', since: '', until: '' };
const named = new Map(); // the words for a client → {client, token}
const seen = { client: new Map(), session: new Map() };
let operations = [];
let more = false;
let loaded = false;
let shownNow = false;
let picture;

// ---- one operation

const size = (o) => (o.kind === 'create' ? bytes(o.bytes_after)
  : o.kind === 'delete' ? bytes(o.bytes_before)
    : o.bytes_before === o.bytes_after ? bytes(o.bytes_after)
      : `${bytes(o.bytes_before)} → ${bytes(o.bytes_after)}`);

async function act(kind, operation) {
  if (await takeBack(kind, operation)) await refresh();
  byId(`op-${operation.id}`)?.focus();
}

function deeds(o) {
  return [
    o.active && button('Undo', () => act('undo', o), {
      'data-deed': 'undo', title: 'Key: u', 'aria-keyshortcuts': 'u',
    }),
    !o.active && button('Redo', () => act('redo', o), {
      'data-deed': 'redo', title: 'Key: r', 'aria-keyshortcuts': 'r',
    }),
  ];
}

async function open(node, o) {
  const head = node.querySelector('.op-head');
  const body = node.querySelector('.op-body');
  const yes = head.getAttribute('aria-expanded') !== 'true';
  head.setAttribute('aria-expanded', String(yes));
  body.hidden = !yes;
  if (!yes || body.childElementCount) return;
  body.append(el('p', { class: 'note' }, 'Reading …'));
  try {
    const whole = await get(`/api/history/${encodeURIComponent(o.id)}`);
    fill(body, details(whole.operation ?? o), whole.kept === false
      ? el('p', { class: 'note' }, 'What it changed is not kept any more.')
      : [lookalikes(whole.operation ?? o), facts(whole), diffView(whole)]);
  } catch (fault) {
    body.replaceChildren();
    head.setAttribute('aria-expanded', 'false');
    body.hidden = true;
    toast(fault.message, true);
  }
}

// What no line shows, and how many lines there are.
function facts(whole) {
  return el('div', { class: 'op-facts' }, does(whole), badges(whole), numbers(whole));
}

function details(o) {
  const only = (key, value, words) => value && button(words, () => {
    setFilter(key, value);
  }, { class: 'quiet' });
  return el('div', { class: 'op-tools' },
    el('span', { class: 'op-id', title: o.id }, code(brief(o.id))),
    only('path', o.path, 'Only this file'),
    only('client', words(o), 'Only this client'),
    only('session', o.session, 'Only this session'),
    button('Restore the file to here', () => act('restore', o),
      { 'data-deed': 'restore' }));
}

// Undone: the dots beneath say "let it stand", as in the margin of a proof.
function standing(o) {
  if (o.undoes) return el('span', { class: 'stet' }, 'took back');
  return !o.active && el('span', { class: 'stet' }, 'stet');
}

function row(o, old) {
  const state = JSON.stringify(o);
  if (old?.state === state) return old;
  const [mark, word] = KINDS[o.kind] ?? ['\u223c', o.kind];
  const node = el('li', {
    class: `op item ${o.kind}${o.active ? '' : ' undone'}`, tabindex: '-1',
    id: `op-${o.id}`,
  });
  const head = el('button', {
    type: 'button', class: 'op-head', 'aria-expanded': 'false',
    onclick: () => open(node, o),
  },
  el('span', { class: 'kind' },
    el('span', { class: 'mark', 'aria-hidden': 'true' }, mark),
    el('span', { class: 'word' }, word)),
  path(o.path, o.shown, o.lookalikes), standing(o));
  node.append(
    el('span', { class: 'at' }, time(o.time, minute(o.time))),
    el('div', { class: 'op-line' }, el('h3', {}, head),
      el('p', { class: 'by' }, client(o), ' ', code(o.tool), ' ',
        el('span', { class: 'size' }, size(o)), usedYes(o))),
    el('div', { class: 'op-deeds' }, deeds(o)),
    el('div', { class: 'op-body', hidden: true }));
  node.state = state;
  if (old && !old.querySelector('.op-body').hidden) open(node, o);
  return node;
}

// ---- the list

function days() {
  const list = [];
  for (const o of operations) {
    const title = day(o.time);
    if (list.at(-1)?.title !== title) list.push({ title, operations: [] });
    list.at(-1).operations.push(o);
  }
  return list;
}

function dayView(one, old) {
  const node = old ?? el('section', { class: 'day', 'aria-label': one.title },
    el('h2', {}, one.title), el('ol', { class: 'plain' }));
  keep(node.lastElementChild, one.operations, (o) => o.id, row);
  return node;
}

function empty() {
  const filtered = Object.values(filter).some(Boolean);
  return el('div', { class: 'empty' },
    el('p', { class: 'say', 'aria-hidden': 'true' },
      filtered ? 'Nothing fits.' : 'A clean sheet.'),
    el('p', {}, filtered ? 'No change is like that. '
      : 'Each change that an agent makes to a file is kept here, with what was '
        + 'there before, and can be taken back.'),
    filtered && el('p', {}, button('Show all changes', clear)));
}

function draw() {
  const list = byId('timeline');
  if (operations.length) {
    list.querySelector('.empty')?.remove();
    keep(list, days(), (one) => one.title, dayView);
  } else if (loaded) list.replaceChildren(empty());
  byId('older').hidden = !more;
  fill(byId('history-lead'), operations.length
    ? `${more ? 'The latest ' : ''}${count(operations.length, 'change')}; each can be taken back.`
    : 'No change is kept.');
  meet();
}

// A page of older ones goes to the end. Newer ones go to the front, and what
// was loaded beyond them stays.
function merge(page, skip) {
  const have = new Set((skip ? operations : page.operations).map((o) => o.id));
  if (skip) {
    operations = [...operations, ...page.operations.filter((o) => !have.has(o.id))];
    more = page.more;
    return;
  }
  const last = page.operations.at(-1);
  const tail = page.more ? operations.filter((o) => !have.has(o.id)
    && o.time <= last.time) : [];
  operations = [...page.operations, ...tail];
  more = tail.length ? more : page.more;
}

let round = 0;
async function load(skip) {
  const mine = ++round;
  const page = await get('/api/history', {
    ...filter, ...named.get(filter.client), skip: skip || undefined,
    limit: skip ? PAGE : Math.min(200, Math.max(PAGE, operations.length)),
  });
  if (mine !== round) return;
  merge(page, skip);
  loaded = true;
  draw();
}

async function refresh() {
  if (!shownNow) {
    loaded = false;
    return;
  }
  picture.refresh();
  await load(0).catch((fault) => toast(fault.message, true));
}

let later;
function soon() {
  clearTimeout(later);
  later = setTimeout(refresh, 250);
}

// ---- filters

const FIELDS = [
  ['q', 'Search', 'search', 'file, tool or client'],
  ['path', 'File', 'text', 'src/main.c'],
];
const CHOICES = [['client', 'Client', 'any client'],
  ['session', 'Session', 'any session']];

function setFilter(key, value) {
  filter[key] = value;
  const field = byId(`filter-${key}`);
  if (field) {
    if (field.tagName === 'SELECT') offer(key);
    field.value = value;
  }
  changed();
}

function clear() {
  for (const key of Object.keys(filter)) {
    filter[key] = '';
    const field = byId(`filter-${key}`);
    if (field) field.value = '';
  }
  changed();
}

function changed() {
  const span = filter.since
    ? `${clock(Number(filter.since))} – ${clock(Number(filter.until))}` : '';
  const chip = byId('filter-span');
  chip.hidden = !span;
  fill(chip, `${span} `, el('span', { 'aria-hidden': 'true' }, '×'));
  chip.setAttribute('aria-label', `Only ${span}: show any time`);
  byId('filter-clear').disabled = !Object.values(filter).some(Boolean);
  operations = [];
  load(0).catch((fault) => toast(fault.message, true));
}

// A path is typed as it is shown: from the root on.
function typed(key, value) {
  const roots = knownRoots();
  if (key !== 'path' || !value || value.startsWith('/') || roots.length !== 1) {
    return value;
  }
  return `${roots[0].replace(/\/$/, '')}/${value}`;
}

function fields() {
  let wait;
  return FIELDS.map(([key, label, type, placeholder]) => el('div', { class: key },
    el('label', { for: `filter-${key}` }, label),
    el('input', {
      id: `filter-${key}`, type, placeholder, spellcheck: 'false',
      autocapitalize: 'off',
      oninput: (event) => {
        clearTimeout(wait);
        const value = event.target.value.trim();
        wait = setTimeout(() => {
          filter[key] = typed(key, value);
          changed();
        }, 250);
      },
    })));
}

function selects() {
  return CHOICES.map(([key, label, any]) => el('div', { class: key },
    el('label', { for: `filter-${key}` }, label),
    el('select', {
      id: `filter-${key}`,
      onchange: (event) => { filter[key] = event.target.value; changed(); },
    }, el('option', { value: '' }, any))));
}

// The clients and sessions that have come by are those one can choose.
function offer(key) {
  const select = byId(`filter-${key}`);
  const have = new Set([...select.options].map((one) => one.value));
  for (const [value, words] of seen[key]) {
    if (!have.has(value)) select.append(el('option', { value }, words));
  }
}

function meet() {
  for (const o of operations) {
    seen.client.set(words(o), words(o));
    named.set(words(o), { client: o.client, token: o.token });
    if (o.session) {
      seen.session.set(o.session,
        `${brief(o.session)} (${words(o)})`);
    }
  }
  offer('client');
  offer('session');
}

export function start() {
  const form = byId('filters');
  form.append(...fields(), ...selects(),
    button('', () => { filter.since = filter.until = ''; changed(); },
      { id: 'filter-span', class: 'chip', hidden: true }),
    button('Clear', clear, { id: 'filter-clear', class: 'quiet', disabled: true }));
  form.addEventListener('submit', (event) => event.preventDefault());
  byId('history-tools').append(styleSwitch());
  byId('older').addEventListener('click', () => load(operations.length)
    .catch((fault) => toast(fault.message, true)));
  picture = chart(byId('chart'), (since, until) => {
    Object.assign(filter, { since: String(since), until: String(until) });
    changed();
  });
  on('refetch', soon);
  on('operation', soon);
}

export function visible(yes) {
  shownNow = yes;
  if (yes) refresh();
}

// ---- keys

const press = (selector) => (item) => item.querySelector(selector)?.click();
export const keys = {
  u: press('[data-deed=undo]'),
  r: press('[data-deed=redo]'),
  o: press('.op-head'),
};
