// approvals.js - the view Approvals: open questions and their answers.
import { button, byId, clock, code, count, el, fill, fromRoot, keep,
  say, time, toast, tool, vh, when } from './dom.js';
import { client, words } from './client.js';
import { allowWords, badges, body, numbers, subject, watchEnd } from './change.js';
import { styleSwitch } from './diff.js';
import { get, on, post } from './server.js';
import { overview } from './many.js';
import { agreed, reachBody, sentence, widePanel } from './reach.js';
import * as unused from './unused.js';
import { outcome, waits } from './waiting.js';

// A click meant for one question must not answer another that moves into its
// place: a question can be answered only some time after it last moved.
const ARMING = 500;
const MOST_ANSWERED = 8;
const NOTE = 'Reason, sent to the agent if you deny';

const waiting = new Map(); // id → {approval, node, choice}
const over = new Set(); // ids of questions that are answered or gone
const answered = [];

const SAID = {
  once: 'Allowed once', deny: 'Denied', denied: 'Denied',
  allowed: 'Allowed', void: 'Expired', expired: 'Expired',
  used: 'Allowed', cancelled: 'Withdrawn by the client',
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

// Only a question that has not moved for a moment can be answered.
function isSteady(entry) {
  if (isBusy(entry)) return false;
  if (entry.node.dataset.armed !== undefined) return true;
  toast('The questions have just moved: check which one it is, then press again');
  return false;
}

// The grant of a wide answer, in the server's words.
async function answerWidely(entry, how, reach) {
  if (!isSteady(entry) || !await agreed(entry.approval, reach)) return;
  await send(entry, { answer: how, ...reachBody(reach) },
    ({ grant }) => [`Allowed: ${sentence(grant)}`, '']);
}

async function answer(entry, how) {
  const { approval, choice, note } = entry;
  if (!isSteady(entry)) return;
  const sent = { answer: how };
  if (how === 'deny' && note.value.trim()) sent.note = note.value.trim();
  if (how === 'once' && choice && choice.chosen.size < approval.parts) {
    if (!choice.chosen.size) {
      toast('No hunk is selected: select one, or deny the change', true);
      return;
    }
    sent.hunks = [...choice.chosen].sort((a, b) => a - b);
  }
  const part = sent.hunks
    ? ` (${sent.hunks.length} of ${approval.parts} hunks)` : '';
  await send(entry, sent, () => [SAID[how] + part, `: ${fromRoot(approval.path)}`]);
}

// Send one answer: resolves to {said}, a text, or {fault}. told(reply) returns
// what has happened, and to what.
async function deliver(entry, sent, told) {
  const { approval, node } = entry;
  node.ariaBusy = 'true';
  let reply;
  try {
    reply = await post(`/api/approvals/${encodeURIComponent(approval.id)}`, sent);
  } catch (fault) {
    node.ariaBusy = 'false';
    if (entry.gone || fault.status === 409 || fault.status === 404) {
      settle(approval.id, 'Answered before', true);
    }
    return { fault };
  }
  const [said, of] = told(reply);
  settle(approval.id, said);
  return { said: `${said}${of}. ${outcome(reply.approval, sent.answer)}` };
}

async function send(entry, sent, told) {
  if (isBusy(entry)) return;
  const { said, fault } = await deliver(entry, sent, told);
  toast(fault?.message ?? said, Boolean(fault));
}

const together = overview({
  entries: () => [...waiting.values()].filter((entry) => !isBusy(entry)),
  deliver: (entry, sent) => deliver(entry, sent, () => [SAID[sent.answer], '']),
});

// A key does not approve a change that was not on screen.
function byKey(entry, how) {
  if (how === 'once' && !entry.endSeen()) {
    toast('The end of this question was not on screen: go there, then press again', true);
    return;
  }
  answer(entry, how);
}

// ---- one question

function actions(entry) {
  const id = entry.approval.id;
  entry.note = el('input', {
    id: `note-${id}`, maxlength: 500, placeholder: NOTE,
    onkeydown: (event) => {
      if (event.key === 'Enter') answer(entry, 'deny');
      if (event.key === 'Escape') entry.node.focus();
    },
  });
  entry.once = button(allowWords(entry.approval), () => answer(entry, 'once'),
    {
      class: 'once', 'data-answer': 'once', title: 'Key: a',
      'aria-keyshortcuts': 'a',
    });
  entry.wider = widePanel(entry.approval,
    (how, reach) => answerWidely(entry, how, reach));
  entry.unseen = el('p', { class: 'unseen' },
    'You have not seen the end of this question yet.');
  return el('div', { class: 'actions' },
    entry.unseen, entry.once,
    entry.wider.node,
    el('div', { class: 'no' },
      el('label', { class: 'vh', for: `note-${id}` }, NOTE),
      entry.note,
      button('Deny', () => answer(entry, 'deny'),
        { class: 'danger', 'data-answer': 'deny' })));
}

// A part of a change can only be allowed once.
function chosen(entry) {
  const all = entry.approval.parts;
  const n = entry.choice.chosen.size;
  document.dispatchEvent(new Event('stet-chosen'));
  fill(entry.once, n === all ? allowWords(entry.approval) : `Allow ${n} of ${all} hunks`);
  entry.once.disabled = n === 0;
  entry.wider.enable(n === all);
}

function margin(a) {
  return el('div', { class: 'margin' },
    el('p', { class: 'who' }, client(a)),
    el('p', {}, tool(a.tool)),
    el('p', { class: 'aged' }, time(a.time, vh(clock(a.time))),
      el('span', { 'data-ago': a.time, title: when(a.time) })),
    waits(a));
}

// "edit_text_file wants to change /srv/.env" without the path, which is shown
// beside it.
function wish(a) {
  for (const file of [a.path, fromRoot(a.path)]) {
    if (!a.summary.startsWith(`${a.tool} `) || !a.summary.endsWith(` ${file}`)) continue;
    return a.summary.slice(a.tool.length, -file.length).trim();
  }
  return a.summary;
}

// The reason: a rule, or a sentence.
function reason(text) {
  return /^[\w*]+(\(.*\))?$/.test(text)
    ? [el('i', {}, 'matches the rule '), code(text)]
    : [el('i', {}, 'asked because '), text];
}

function slip(a) {
  const entry = { approval: a };
  if (a.parts > 1) {
    entry.choice = {
      chosen: new Set(Array.from({ length: a.parts }, (_, i) => i + 1)),
      changed: () => chosen(entry),
    };
  }
  const title = `h-${a.id}`;
  const change = body(a, entry.choice);
  entry.node = el('article', {
    class: 'slip item', tabindex: '-1', 'aria-labelledby': title,
  },
  margin(a),
  el('div', { class: 'proof' },
    el('p', { class: 'summary' }, wish(a)),
    el('header', {},
      el('h2', { id: title, class: 'file' }, subject(a)),
      badges(a), numbers(a)),
    a.reason && el('p', { class: 'reason' }, reason(a.reason)),
    el('div', {}, change, actions(entry)))); // the sticky buttons stay below the heading
  const bar = entry.node.querySelector('.actions');
  entry.endSeen = watchEnd(change, bar, () => {
    entry.once.classList.add('primary');
    entry.unseen.remove();
    document.dispatchEvent(new Event('stet-seen'));
  });
  entry.node.addEventListener('stet-answer', (event) => byKey(entry, event.detail));
  return entry;
}

// ---- the list

function lead() {
  const n = waiting.size;
  fill(byId('approvals-lead'), n === 0 ? 'Nothing is waiting for you.'
    : `${count(n, 'question waits', 'questions wait')} for your answer. `
      + 'Nothing is written or revealed until you answer.');
}

function empty() {
  return el('div', { class: 'empty' },
    el('p', { class: 'say', 'aria-hidden': 'true' }, 'Nothing to approve.'),
    el('p', {}, 'When an agent wants to change a file that your rules ask '
      + 'about, or to read a secret, its question appears here with the diff: '
      + 'who asks, for which file, and why. Until you answer, the file stays '
      + 'as it is, and the agent does not see its content.'));
}

function answeredRow(row) {
  return el('li', {}, time(row.at), ' ',
    el('span', { class: 'verdict' }, row.how, row.elsewhere ? ' elsewhere' : ''),
    ' ', subject(row.approval), ' ', tool(row.approval.tool));
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
  together.draw();
  byId('answered').hidden = !answered.length;
  byId('answered-list').replaceChildren(...answered.map(answeredRow));
  document.dispatchEvent(new Event('stet-pending'));
}

// A page scrolls by whole pixels: the margin below the overview takes the
// fraction.
function adjust(by) {
  const { style } = byId('overview');
  const had = parseFloat(style.getPropertyValue('--rest')) || 0;
  style.setProperty('--rest', `${had - by}px`);
}

// Keep the scroll position of the visible question when something appears above it.
// Call the returned function after the change.
function hold() {
  const { style } = document.documentElement;
  const top = (node) => node.getBoundingClientRect().top;
  const one = !byId('overview').contains(document.activeElement)
    && [...waiting.values()].map(({ node }) => node).find((node) => node.offsetParent
      && node.getBoundingClientRect().bottom > 0 && top(node) < innerHeight);
  if (!one) return () => {};
  const was = top(one);
  style.overflowAnchor = 'none'; // or the browser would adjust it, too
  return () => {
    scrollBy({ top: top(one) - was, behavior: 'instant' });
    const rest = top(one) - was;
    if (Math.abs(rest) > 1) arm(); // the page cannot scroll further
    else adjust(rest);
    requestAnimationFrame(() => { style.overflowAnchor = ''; });
  };
}

function come(a, aloud) {
  if (waiting.has(a.id) || over.has(a.id)) return;
  const entry = slip(a);
  const held = aloud && hold();
  waiting.set(a.id, entry);
  draw();
  if (held) held();
  entry.node.arming = setTimeout(() => { entry.node.dataset.armed = ''; }, ARMING);
  if (aloud) say(`${words(a)} asks: ${a.tool}, ${a.path}`);
}

// Events that arrived during the request are newer than the list.
async function refresh() {
  const before = [...waiting.keys()];
  const { approvals } = await get('/api/approvals');
  const now = new Set(approvals.map((a) => a.id));
  for (const id of before) if (!now.has(id)) gone({ id });
  for (const a of approvals) come(a, false);
  draw();
}

// The event of our own answer may arrive before the reply to it.
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
  unused.start();
}

// ---- keys: they act on the selected question, or on the first one

export const first = () => byId('approvals-list').querySelector('.slip');

const tell = (item, how) => item.dispatchEvent(
  new CustomEvent('stet-answer', { detail: how }));

export const keys = {
  a: (item) => tell(item, 'once'),
  d: (item) => item.querySelector('.no input').focus(),
  x: (item) => together.toggle(item.dataset.key),
};

// These keys need no selected question.
export const anywhere = {
  X: () => together.toggleAll(),
  A: () => together.together('once'),
  D: () => together.together('deny'),
};
