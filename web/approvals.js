// approvals.js - questions that wait for the person, and their answers.
import { button, byId, clock, code, count, el, fill, fromRoot, keep, name, path,
  say, time, toast, tool, vh, when } from './dom.js';
import { styleSwitch, tally, view as diffView } from './diff.js';
import { get, on, post } from './live.js';

// What was pressed for one question never answers the one that takes its
// place: each has to stand still for a moment before it can be answered.
const ARMING = 500;
const MOST_ANSWERED = 8;

const waiting = new Map(); // id → {approval, node, choice}
const over = new Set(); // ids that do not come back
const answered = [];

// How far an answer reaches; always for this client, and in this root.
const WIDER = [
  ['file', 'This file', 'this client, any tool'],
  ['directory', 'This directory', 'this client, any tool'],
  ['session', 'This session', 'this client and tool'],
  ['always', 'Always', 'this client and tool'],
];

// A client without a name could not be told from others.
const cannot = (a, how) => (how === 'session' ? !a.session : !a.owner);
const SAID = {
  once: 'Allowed once', file: 'Allowed for the file',
  directory: 'Allowed for the directory', session: 'Allowed for the session',
  always: 'Allowed always', deny: 'Denied', denied: 'Denied',
  allowed: 'Allowed', void: 'Expired', expired: 'Expired',
  used: 'Allowed', cancelled: 'Taken back by the client',
};

export const pending = () => waiting.size;

// ---- answering

const isBusy = (entry) => entry.node.ariaBusy === 'true';

function settle(id, how, elsewhere) {
  const entry = waiting.get(id);
  over.add(id);
  if (!entry) return;
  waiting.delete(id);
  const held = entry.node.contains(document.activeElement);
  const next = entry.node.nextElementSibling ?? entry.node.previousElementSibling;
  entry.node.remove();
  answered.unshift({ approval: entry.approval, how, elsewhere, at: Date.now() });
  answered.length = Math.min(answered.length, MOST_ANSWERED);
  draw();
  arm();
  if (held) (next?.matches('.slip') ? next : byId('h-approvals')).focus();
}

async function answer(entry, how) {
  const { approval, node, choice, note } = entry;
  if (isBusy(entry)) return;
  if (node.dataset.armed === undefined) {
    toast('The questions have just moved: look again, then press again');
    return;
  }
  const body = { answer: how };
  if (how === 'deny' && note.value.trim()) body.note = note.value.trim();
  if (how === 'once' && choice && choice.chosen.size < approval.hunks.length) {
    if (!choice.chosen.size) {
      toast('No hunk is chosen: choose one, or deny all of it', true);
      return;
    }
    body.hunks = [...choice.chosen].sort((a, b) => a - b);
  }
  node.ariaBusy = 'true';
  try {
    await post(`/api/approvals/${encodeURIComponent(approval.id)}`, body);
    const part = body.hunks
      ? ` (${body.hunks.length} of ${approval.hunks.length} hunks)` : '';
    settle(approval.id, SAID[how] + part);
    toast(`${SAID[how]}${part}: ${fromRoot(approval.path)}`);
  } catch (fault) {
    node.ariaBusy = 'false';
    if (entry.gone || fault.status === 409 || fault.status === 404) {
      settle(approval.id, 'Answered before', true);
    }
    toast(fault.message, true);
  }
}

// ---- one question

function scopes(entry) {
  return WIDER.map(([how, words, reach]) => button([
    el('span', { class: 'what' }, words), el('span', { class: 'reach' }, reach),
  ], () => answer(entry, how), {
    'data-answer': how, disabled: cannot(entry.approval, how),
  }));
}

function actions(entry) {
  const id = entry.approval.id;
  entry.note = el('input', {
    id: `note-${id}`, maxlength: 500, placeholder: 'A word to the agent',
    onkeydown: (event) => {
      if (event.key === 'Enter') answer(entry, 'deny');
      if (event.key === 'Escape') entry.node.focus();
    },
  });
  entry.once = button('Allow once', () => answer(entry, 'once'),
    {
      class: 'primary', 'data-answer': 'once', title: 'Key: a',
      'aria-keyshortcuts': 'a',
    });
  entry.wider = scopes(entry);
  return el('div', { class: 'actions' },
    entry.once,
    el('div', { class: 'wider', role: 'group', 'aria-label': 'Allow from now on' },
      el('span', { class: 'or', 'aria-hidden': 'true' }, 'or for'), entry.wider),
    el('div', { class: 'no' },
      el('label', { class: 'vh', for: `note-${id}` },
        'A word to the agent, if you deny it'),
      entry.note,
      button('Deny', () => answer(entry, 'deny'),
        { class: 'danger', 'data-answer': 'deny' })));
}

// Part of a change can only be allowed once.
function chosen(entry) {
  const all = entry.approval.hunks.length;
  const n = entry.choice.chosen.size;
  fill(entry.once, n === all ? 'Allow once' : `Allow ${n} of ${all} hunks`);
  entry.once.disabled = n === 0;
  for (const one of entry.wider) {
    one.disabled = n < all || cannot(entry.approval, one.dataset.answer);
  }
}

function margin(a) {
  return el('div', { class: 'margin' },
    el('p', { class: 'who' }, name(a.client || 'somebody')),
    el('p', {}, tool(a.tool)),
    el('p', { class: 'aged' }, time(a.time, vh(clock(a.time))),
      el('span', { 'data-ago': a.time, title: when(a.time) })),
    a.until && el('p', { class: 'aged', 'data-until': a.until }));
}

// "edit_text_file wants to change /srv/.env", without what stands beside it.
function wish(a) {
  for (const file of [a.path, fromRoot(a.path)]) {
    if (!a.summary.startsWith(`${a.tool} `) || !a.summary.endsWith(` ${file}`)) continue;
    return a.summary.slice(a.tool.length, -file.length).trim();
  }
  return a.summary;
}

// A rule, or a sentence.
function reason(text) {
  return /^\w+(\(.*\))?$/.test(text)
    ? [el('i', {}, 'asked for by the rule '), code(text)]
    : [el('i', {}, 'asked because '), text];
}

function slip(a) {
  const entry = { approval: a };
  if (a.partial && a.hunks.length > 1) {
    entry.choice = {
      chosen: new Set(a.hunks.map((hunk) => hunk.number)),
      changed: () => chosen(entry),
    };
  }
  const title = `h-${a.id}`;
  entry.node = el('article', {
    class: 'slip item', tabindex: '-1', 'aria-labelledby': title,
  },
  margin(a),
  el('div', { class: 'proof' },
    el('p', { class: 'summary' }, wish(a)),
    el('header', {},
      el('h2', { id: title, class: 'file' }, a.path ? path(a.path) : tool(a.tool)),
      // of a part the numbers would be too small
      !a.cut && tally(a.lines_added, a.lines_removed)),
    a.reason && el('p', { class: 'reason' }, reason(a.reason)),
    diffView(a, entry.choice),
    actions(entry)));
  entry.node.addEventListener('stet-answer',
    (event) => answer(entry, event.detail));
  return entry;
}

// ---- the list

function lead() {
  const n = waiting.size;
  fill(byId('approvals-lead'), n === 0 ? 'Nothing waits for you.'
    : `${count(n, 'question waits', 'questions wait')} for your answer. `
      + 'Nothing is written before.');
}

function empty() {
  return el('div', { class: 'empty' },
    el('p', { class: 'say', 'aria-hidden': 'true' }, 'Let it stand.'),
    el('p', {}, 'When an agent wants to change a file that your rules ask '
      + 'about, its question appears here with the diff: who asks, for which '
      + 'file, and why. Until you answer, the file stays as it is.'));
}

function answeredRow(row) {
  return el('li', {}, time(row.at), ' ',
    el('span', { class: 'verdict' }, row.how, row.elsewhere ? ' elsewhere' : ''),
    ' ', path(row.approval.path), ' ', tool(row.approval.tool));
}

function arm() {
  for (const { node } of waiting.values()) {
    delete node.dataset.armed;
    clearTimeout(node.arming);
    node.arming = setTimeout(() => { node.dataset.armed = ''; }, ARMING);
  }
}

function draw() {
  const list = byId('approvals-list');
  lead();
  if (waiting.size) {
    list.querySelector('.empty')?.remove();
    keep(list, [...waiting.values()], (entry) => entry.approval.id,
      (entry) => entry.node);
  } else if (!list.querySelector('.empty')) {
    list.replaceChildren(empty());
  }
  byId('answered').hidden = !answered.length;
  byId('answered-list').replaceChildren(...answered.map(answeredRow));
  document.dispatchEvent(new Event('stet-pending'));
}

function come(a, aloud) {
  if (waiting.has(a.id) || over.has(a.id)) return;
  const entry = slip(a);
  waiting.set(a.id, entry);
  draw();
  entry.node.arming = setTimeout(() => { entry.node.dataset.armed = ''; }, ARMING);
  if (aloud) say(`${a.client || 'An agent'} asks: ${a.tool}, ${a.path}`);
}

// What was told while the list was on its way is newer than the list.
async function refresh() {
  const before = [...waiting.keys()];
  const { approvals } = await get('/api/approvals');
  const now = new Set(approvals.map((a) => a.id));
  for (const id of before) if (!now.has(id)) gone({ id });
  for (const a of approvals) come(a, false);
  draw();
}

// The news of our own answer may come before the reply to it.
function gone({ id, state }) {
  const entry = waiting.get(id);
  if (entry && isBusy(entry)) entry.gone = true;
  else settle(id, SAID[state] ?? 'Answered', true);
}

export function start() {
  byId('approvals-tools').append(styleSwitch());
  on('refetch', () => refresh().catch(() => {}));
  on('approval', (a) => come(a, true));
  on('approval_gone', gone);
}

// ---- keys: without a choice they are for the first question, which is marked

export const first = () => byId('approvals-list').querySelector('.slip');

const tell = (item, how) => item.dispatchEvent(
  new CustomEvent('stet-answer', { detail: how }));

export const keys = {
  a: (item) => tell(item, 'once'),
  d: (item) => item.querySelector('.no input').focus(),
};
