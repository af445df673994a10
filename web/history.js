// history.js - the view History: changes by day, filtered, with their diffs,
// and undo, redo and restore.
import { brief, button, byId, bytes, code, count, day, el, fill, fromRoot, keep, minute,
  path, time, toast, when } from './dom.js';
import { brief as briefClient, called, client, words } from './client.js';
import { chart } from './chart.js';
import { badges, does, lookalikes, numbers } from './change.js';
import { styleSwitch, tally, view as diffView } from './diff.js';
import { address } from './file.js';
import { clear, clientValue, filter, filtered, offer, read, set, span, start as startFilters }
  from './filters.js';
import { get, on } from './server.js';
import { takeBack } from './undo_one.js';
import { sentence } from './reach.js';
import { undoMany } from './undo_many.js';
import { usedYes } from './waiting.js';

const PAGE = 50;
const KINDS = {
  create: ['\u2038', 'created'], update: ['\u223c', 'changed'],
  append: ['\u2038', 'appended to'], delete: ['\u20b0', 'removed'],
  mode: ['\u204e', 'permissions of'], move: ['\u2192', 'moved here'],
  copy: ['\u2038', 'copied to'], link: ['\u204e', 'link'],
  mkdir: ['\u2038', 'created directory'], rmdir: ['\u20b0', 'removed directory'],
};
const seen = { client: new Map(), session: new Map() };
let operations = [];
let more = false;
let loaded = false;
let shownNow = false;
let picture;

// ---- one operation

// Line counts; for a binary or very large file, its size.
function size(o) {
  if (o.kind === 'mode') return `${o.mode_before ?? '?'} → ${o.mode_after ?? '?'}`;
  if (o.lines_added !== undefined) return tally(o.lines_added, o.lines_removed);
  const words = o.kind === 'create' ? bytes(o.bytes_after)
    : o.kind === 'delete' ? bytes(o.bytes_before)
      : `${bytes(o.bytes_before)} → ${bytes(o.bytes_after)}`;
  return o.binary ? `binary, ${words}` : words;
}

async function act(kind, operation) {
  if (await takeBack(kind, operation)) await refresh();
  byId(`op-${operation.id}`)?.focus();
}

function actions(o) {
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
      ? el('p', { class: 'note' }, 'The content of this change is no longer stored.')
      : [lookalikes(whole.operation ?? o), facts(whole), diffView(whole)]);
  } catch (fault) {
    body.replaceChildren();
    head.setAttribute('aria-expanded', 'false');
    body.hidden = true;
    toast(fault.message, true);
  }
}

// Changes that no line shows, and the line counts.
function facts(whole) {
  return el('div', { class: 'op-facts' }, does(whole), badges(whole), numbers(whole));
}

function details(o) {
  const only = (values, title) => button(title, () => set(values), { class: 'quiet' });
  return el('div', { class: 'op-tools' },
    el('span', { class: 'op-id', title: o.id }, code(brief(o.id))),
    el('span', { class: 'op-client' }, client(o)),
    o.grant && el('span', { class: 'note' }, `Grant: ${sentence(o.grant)}`),
    el('a', { href: address(o.path) }, 'All versions of this file'),
    only({ path: o.path }, 'Only this file'),
    only({ client: o.client ?? '', token: o.token ?? '' }, 'Only this client'),
    o.session && only({ session: o.session }, 'Only this session'),
    o.session && button('Undo this session …', () => undoAll({ session: o.session },
      `the whole session ${brief(o.session)} of ${words(o)}`),
    { class: 'quiet' }),
    button('Undo everything since …', () => undoAll({ since: o.time },
      `everything since ${when(o.time)}`), { class: 'quiet' }),
    button('Restore this version', () => act('restore', o),
      { 'data-deed': 'restore' }));
}

// The grant that allowed it without a question: a link while the grant is valid;
// its scope is in the details.
function granted(o) {
  if (!o.granted_by) return false;
  const over = !o.grant ? 'is no longer stored' : o.grant.revoked ? 'you have revoked since'
    : o.grant.over ? 'has expired since' : '';
  return el('span', { class: 'yes' }, over ? `allowed by a grant that ${over}`
    : el('a', { href: `#settings?grant=${o.granted_by}` }, 'allowed by a grant'));
}

// Labels: "undo of", "redo of", "undone"; in words, not by colour alone.
function standing(o) {
  const about = operations.find((one) => one.id === o.of);
  const of = about ? `the change at ${minute(about.time)}` : brief(o.of);
  return [o.role && el('span', { class: 'stet' }, `${o.role} of ${of}`),
    !o.active && el('span', { class: 'stet' }, 'undone')];
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
      el('p', { class: 'by' }, briefClient(o), ' ', code(o.tool), ' ',
        el('span', { class: 'size' }, size(o)), usedYes(o), granted(o))),
    el('div', { class: 'op-deeds' }, actions(o)),
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
  return el('div', { class: 'empty' },
    el('p', { class: 'say', 'aria-hidden': 'true' },
      filtered() ? 'No matches.' : 'No changes yet.'),
    el('p', {}, filtered() ? 'No change matches the filter. '
      : 'Each change that an agent makes to a file is recorded here, with the '
        + 'previous content, and can be undone.'),
    filtered() && el('p', {}, button('Show all changes', clear)));
}

// How many of the listed operations are undone, as text.
function standings() {
  const undone = operations.filter((o) => !o.active).length;
  if (!undone) return operations.length === 1 ? '; it can be undone' : '; each can be undone';
  return `: ${operations.length - undone} can be undone, `
    + `${undone} ${undone === 1 ? 'is' : 'are'} undone`;
}

function draw() {
  const list = byId('timeline');
  if (operations.length) {
    list.querySelector('.empty')?.remove();
    keep(list, days(), (one) => one.title, dayView);
  } else if (loaded) list.replaceChildren(empty());
  byId('older').hidden = !more;
  fill(byId('history-lead'), operations.length
    ? `${more ? 'The latest ' : ''}${count(operations.length, 'change')}${standings()}.`
    : 'No changes are recorded.');
  meet();
}

// Older operations are appended. Newer ones are put in front, and those loaded
// before stay.
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
    ...filter, skip: skip || undefined,
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

function changed() {
  operations = [];
  drawTools();
  picture.refresh();
  load(0).catch((fault) => toast(fault.message, true));
}

// A description of the filters.
function chosen() {
  const parts = [filter.session && `of the session ${brief(filter.session)}`,
    (filter.token || filter.client)
      && `by ${seen.client.get(clientValue(filter)) ?? called(filter)}`,
    filter.path && `in ${fromRoot(filter.path)}`,
    filter.q && `like “${filter.q}”`, span()].filter(Boolean);
  return `the changes ${parts.join(', ') || 'of all time'}`;
}

async function undoAll(which, words) {
  if (await undoMany(which, words)) await refresh();
}

function drawTools() {
  byId('undo-all').hidden = !filtered();
}

function meet() {
  for (const o of operations) {
    if (clientValue(o)) seen.client.set(clientValue(o), words(o));
    if (o.session) {
      seen.session.set(o.session,
        `${brief(o.session)} (${words(o)})`);
    }
  }
  offer('client', seen.client);
  offer('session', seen.session);
}

export function start() {
  startFilters(changed);
  byId('history-tools').append(button('Undo all of these …',
    () => undoAll({ ...filter }, chosen()), { id: 'undo-all', hidden: true }), styleSwitch());
  byId('older').addEventListener('click', () => load(operations.length)
    .catch((fault) => toast(fault.message, true)));
  picture = chart(byId('chart'), (since, until) => {
    set({ since: String(since), until: String(until - 1) });
  }, () => ({ ...filter, since: undefined, until: undefined }));
  on('refetch', soon);
  on('operation', soon);
}

// Called with the query of the URL: "#history?client=codex".
export function routed(words) {
  if (!read(words)) return;
  operations = [];
  drawTools();
  if (shownNow) changed();
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
