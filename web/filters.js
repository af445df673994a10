// filters.js - the filters of the history: in the form, in the URL, and in the
// request to the server.
import { called } from './client.js';
import { button, byId, clock, day, el, fill, knownRoots } from './dom.js';

export const filter = { q: '', path: '', client: '', token: '', session: '', kind: '', call: '',
  since: '', until: '' };
const FIELDS = [
  ['q', 'Search', 'search', 'file, tool or client'],
  ['path', 'File or directory', 'text', 'src/main.c'],
];
const KINDS = [['create', 'created'], ['update,append', 'changed'],
  ['delete', 'removed'], ['mode', 'permissions']];
const TIMES = [['hour', 'last hour', () => Date.now() - 3600e3],
  ['today', 'today', () => new Date().setHours(0, 0, 0, 0)],
  ['week', 'last 7 days', () => Date.now() - 7 * 86400e3]];
const CHOICES = [['client', 'Client', 'any client', []],
  ['session', 'Session', 'any session', []],
  ['kind', 'Kind', 'any kind', KINDS],
  ['time', 'Time', 'any time', TIMES]];

// A client is its token and its declared name: one value of the list.
export const clientValue = (one) => (one.client || one.token
  ? new URLSearchParams({ client: one.client ?? '', token: one.token ?? '' }).toString() : '');

export const filtered = () => Object.values(filter).some(Boolean);
let changed = () => {};

// ---- the URL: "#history?client=codex&kind=create"

function address() {
  const words = new URLSearchParams(
    Object.entries(filter).filter(([, value]) => value)).toString();
  return words ? `#history?${words}` : '#history';
}

// Read the filters from the URL; true when they differ from the shown ones.
export function read(words) {
  const before = JSON.stringify(filter);
  for (const key of Object.keys(filter)) filter[key] = words.get(key) ?? '';
  draw(/* all= */ true);
  return JSON.stringify(filter) !== before;
}

// ---- changing a filter

// The back button returns to the previous filter; typing adds no history entries.
export function set(values, typing = false) {
  Object.assign(filter, values);
  draw();
  if (typing) history.replaceState(null, '', address());
  else if (location.hash !== address()) history.pushState(null, '', address());
  changed();
}

export function clear() {
  set(Object.fromEntries(Object.keys(filter).map((key) => [key, ''])));
}

// A path is typed as shown, from the root on.
function typed(key, value) {
  const roots = knownRoots();
  if (key !== 'path' || !value || value.startsWith('/') || roots.length !== 1) {
    return value;
  }
  return `${roots[0].replace(/\/$/, '')}/${value}`;
}

function chosen(key, value) {
  if (key === 'client') {
    const both = new URLSearchParams(value);
    set({ client: both.get('client') ?? '', token: both.get('token') ?? '' });
  } else if (key !== 'time') set({ [key]: value });
  else {
    const row = TIMES.find(([name]) => name === value);
    set({ since: row ? String(row[2]()) : '', until: '' });
  }
}

// ---- the form

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
        wait = setTimeout(() => set({ [key]: typed(key, value) }, true), 250);
      },
    })));
}

function selects() {
  return CHOICES.map(([key, label, any, rows]) => el('div', { class: `of-${key}` },
    el('label', { for: `filter-${key}` }, label),
    el('select', {
      id: `filter-${key}`,
      onchange: (event) => chosen(key, event.target.value),
    }, el('option', { value: '' }, any),
    rows.map(([value, words]) => el('option', { value }, words)))));
}

// The clients and sessions seen so far are offered as choices.
export function offer(key, rows) {
  const select = byId(`filter-${key}`);
  const have = new Set([...select.options].map((one) => one.value));
  for (const [value, words] of rows) {
    if (!have.has(value)) select.append(el('option', { value }, words));
    else [...select.options].find((one) => one.value === value).textContent = words;
  }
}

export function span() {
  const at = (ms) => `${day(Number(ms))}, ${clock(Number(ms))}`;
  if (filter.since && filter.until) return `${at(filter.since)} – ${at(filter.until)}`;
  if (filter.since) return `since ${at(filter.since)}`;
  return filter.until ? `until ${at(filter.until)}` : '';
}

// The focused field keeps its text, unless @all.
function draw(all = false) {
  if (filter.session) offer('session', [[filter.session, filter.session]]);
  if (clientValue(filter)) {
    offer('client', [[clientValue(filter), called(filter)]]);
  }
  for (const key of Object.keys(filter)) {
    const field = byId(`filter-${key}`);
    if (field && (all || field !== document.activeElement)) {
      field.value = key === 'client' ? clientValue(filter) : filter[key];
    }
  }
  if (!filter.since) byId('filter-time').value = '';
  const chip = byId('filter-span');
  const words = [span(), filter.call && 'one call'].filter(Boolean).join(', ');
  chip.hidden = !words;
  fill(chip, `${words} `, el('span', { 'aria-hidden': 'true' }, '×'));
  chip.setAttribute('aria-label', `Only ${words}: show any time`);
  byId('filter-clear').disabled = !filtered();
}

export function start(then) {
  const form = byId('filters');
  changed = then;
  form.append(...fields(), ...selects(),
    button('', () => set({ since: '', until: '', call: '' }),
      { id: 'filter-span', class: 'chip', hidden: true }),
    button('Clear', clear, { id: 'filter-clear', class: 'quiet', disabled: true }));
  form.addEventListener('submit', (event) => event.preventDefault());
}
