// many.js - an overview of all questions, and one answer to several of them.
//
// An answer to several questions is one request each, with the id of the
// question, which identifies what its card has shown; each succeeds or fails by
// itself. No answer here becomes a grant.
import { button, byId, count, el, fill, fromRoot, keep, path, say, toast,
  tool } from './dom.js';
import { client, words } from './client.js';
import { files, numbers, subject } from './change.js';

const MOST_GROUPS = 6; // groups of one kind
const chosen = new Set(); // ids

// ---- groups of questions

const directories = (a) => {
  const parts = fromRoot(a.path).split('/').slice(0, -1);
  return parts[0] === '' ? [] : parts.map((_, i) => `${parts.slice(0, i + 1).join('/')}/`);
};

const KINDS = [
  { words: (key) => `All of ${key}`, keys: (a) => [words(a)], least: 1 },
  { words: (key) => `All in ${key}`, keys: directories, least: 2 },
  { words: (key) => `All asked for by ${key}`, keys: (a) => (a.reason ? [a.reason] : []),
    least: 2 },
];

// Groups of several questions, but not of all; of equal groups the last.
function groups(list) {
  return KINDS.flatMap((kind) => {
    const sets = new Map();
    for (const { approval } of list) {
      for (const key of kind.keys(approval)) {
        sets.set(key, [...(sets.get(key) ?? []), approval.id]);
      }
    }
    const found = new Map();
    for (const [key, ids] of sets) {
      if (ids.length >= kind.least && ids.length < list.length) {
        found.set(ids.join(), { words: kind.words(key), ids });
      }
    }
    return [...found.values()].sort((a, b) => b.ids.length - a.ids.length)
      .slice(0, MOST_GROUPS);
  });
}

// ---- the summary of several questions

const sum = (list, key) => list.reduce((n, { approval }) => n + approval[key], 0);
const both = (list) => (list.length < 2 ? list.join('')
  : `${list.slice(0, -1).join(', ')} and ${list.at(-1)}`);

// "7 changes: 3 files, +120 −44, of codex and claude"
function spelled(list) {
  const changes = list.filter(({ approval }) => approval.changes).length;
  const files = new Set(list.map(({ approval }) => approval.path)).size;
  const what = both([changes && count(changes, 'change'),
    changes < list.length && count(list.length - changes, 'read')].filter(Boolean));
  const lines = changes
    ? `, +${sum(list, 'lines_added')} \u2212${sum(list, 'lines_removed')}` : '';
  const who = [...new Set(list.map(({ approval }) => approval.token || words(approval)))];
  return `${what}: ${count(files, 'file')}${lines}, of ${both(who)}`;
}

// Why a question cannot be allowed together with others: '' when it can.
function hindrance(entry) {
  if (!entry.endSeen()) return 'not seen to its end yet';
  if (entry.choice && entry.choice.chosen.size < entry.approval.parts) {
    return 'only some of its hunks are chosen';
  }
  return '';
}

// The absolute path: this is the last check before the answer.
const line = ({ approval: a }, verdict) => el('li', {},
  files(a) || path(a.path, a.path, a.lookalikes), ' ', numbers(a),
  el('span', { class: 'by' }, client(a), ' ', tool(a.tool)),
  verdict && el('span', { class: 'verdict' }, verdict));

// Ask for confirmation with all details: resolves to {note}, or nothing.
function confirmed(how, list) {
  const dialog = byId('sure');
  const verb = how === 'deny' ? 'Deny' : 'Allow';
  const note = how === 'deny' && el('input', { id: 'many-note', maxlength: 500 });
  let yes;
  const go = button(`${verb} these ${list.length}`, () => {
    yes = { note: note ? note.value.trim() : '' };
    dialog.close();
  }, { class: how === 'deny' ? 'danger' : 'primary', 'data-agree': '' });
  const back = button('Cancel', () => dialog.close());
  fill(dialog, el('h2', { id: 'sure-title' }, `${verb} ${spelled(list)}`),
    el('p', {}, how === 'deny' ? 'Each agent is told no.'
      : 'Each once, exactly as its card shows it. Nothing is allowed beyond that.'),
    el('ol', { class: 'plain spelled-out', tabindex: '0', 'aria-label': 'Questions' },
      list.map((entry) => line(entry))),
    note && el('p', {}, el('label', { for: 'many-note' }, 'Reason, sent to the agents'), note),
    el('div', { class: 'buttons' }, back, go));
  dialog.showModal();
  back.focus();
  return new Promise((resolve) => {
    // The close event of an earlier dialog may arrive when this one is open.
    const closed = () => {
      if (dialog.open) return;
      dialog.removeEventListener('close', closed);
      resolve(yes);
    };
    dialog.addEventListener('close', closed);
  });
}

// The reason why the server rejected an answer.
function reasonOf({ status, message }) {
  if (status === 404 || (status === 409 && /expired/.test(message))) {
    return 'it is no longer asked: it was withdrawn, or has changed since it was shown';
  }
  return status === 409 ? 'it was answered elsewhere before' : message;
}

function tellResults(how, results) {
  const dialog = byId('sure');
  const done = results.filter(({ fault }) => !fault).length;
  const title = `${how === 'deny' ? 'Denied' : 'Allowed'} ${done} of ${results.length}`;
  const close = button('Close', () => dialog.close(), { class: 'primary' });
  fill(dialog, el('h2', { id: 'sure-title' }, title),
    el('ol', { class: 'plain spelled-out', tabindex: '0', 'aria-label': 'What happened' },
      results.map(({ entry, said, fault }) => {
        const node = line(entry, fault ? `Not answered: ${reasonOf(fault)}` : said);
        node.className = fault ? 'failed' : 'done';
        return node;
      })),
    el('div', { class: 'buttons' }, close));
  dialog.showModal();
  dialog.addEventListener('close', () => byId('h-approvals').focus(), { once: true });
  close.focus();
  say(title);
}

// ---- the overview

// entries() returns the open questions; deliver(entry, sent) sends one answer
// and resolves to {said} or {fault}.
export function overview({ entries, deliver }) {
  const rows = el('ul', { class: 'plain rows' });
  const sets = el('div', { class: 'sets', role: 'group', 'aria-label': 'Choose several' });
  const told = el('p', { class: 'told', role: 'status' });
  const leave = button('Leave those out', () => {
    for (const entry of picked()) if (hindrance(entry)) chosen.delete(entry.approval.id);
    draw();
  }, { class: 'quiet' });
  const next = button('Show the first', () => {
    const entry = picked().find(hindrance);
    entry?.node.focus({ preventScroll: true });
    entry?.node.scrollIntoView({ block: 'start' });
  }, { class: 'quiet' });
  const allow = button('', () => together('once'), { class: 'primary',
    'data-many': 'once', 'aria-keyshortcuts': 'Shift+A' });
  const deny = button('', () => together('deny'), { class: 'danger',
    'data-many': 'deny', 'aria-keyshortcuts': 'Shift+D' });
  let busy = false;

  const picked = () => entries().filter(({ approval }) => chosen.has(approval.id));

  function toggle(ids, on = !ids.every((id) => chosen.has(id))) {
    for (const id of ids) {
      if (on) chosen.add(id);
      else chosen.delete(id);
    }
    draw();
  }

  function row(entry, was) {
    const { approval: a } = entry;
    const node = was ?? el('li', {},
      el('label', { class: 'check' },
        el('input', { type: 'checkbox', 'data-choose': a.id,
          onchange: (event) => toggle([a.id], event.target.checked) }),
        subject(a), numbers(a)),
      el('span', { class: 'by' }, client(a), ' ', tool(a.tool)),
      el('span', { class: 'hinder' }));
    node.querySelector('input').checked = chosen.has(a.id);
    const why = hindrance(entry);
    const place = node.querySelector('.hinder');
    if (place.textContent !== why) fill(place, why);
    entry.node.toggleAttribute('data-chosen', chosen.has(a.id));
    return node;
  }

  function drawSets(list) {
    const all = { words: `All ${list.length}`, ids: list.map(({ approval }) => approval.id) };
    keep(sets, [all, ...groups(list)], (one) => one.words, (one, was) => {
      const node = was ?? button(one.words, () => toggle(node.ids));
      node.ids = one.ids;
      node.setAttribute('aria-pressed', String(one.ids.every((id) => chosen.has(id))));
      return node;
    });
  }

  function drawActions() {
    const list = picked();
    const held = list.filter(hindrance).length;
    const lines = list.length ? `Chosen: ${spelled(list)}.` : 'None is chosen.';
    const words_ = held ? `${lines} ${held} of them cannot be allowed together: look at ${
      held === 1 ? 'it' : 'each'} to the end first.` : lines;
    if (told.textContent !== words_) fill(told, words_);
    leave.hidden = next.hidden = !held;
    fill(allow, `Allow ${list.length} once…`);
    fill(deny, `Deny ${list.length}…`);
    allow.disabled = busy || !list.length || held > 0;
    deny.disabled = busy || !list.length;
  }

  function draw() {
    const list = entries();
    const section = byId('overview');
    const ids = new Set(list.map(({ approval }) => approval.id));
    for (const id of chosen) if (!ids.has(id)) chosen.delete(id);
    section.hidden = list.length < 2;
    if (section.hidden) {
      chosen.clear();
      for (const { node } of list) node.removeAttribute('data-chosen');
      return;
    }
    drawSets(list);
    keep(rows, list, (entry) => entry.approval.id, row);
    drawActions();
  }

  // One request after the other.
  async function answerAll(how, list, note) {
    const results = [];
    for (const entry of list) {
      const sent = note ? { answer: how, note } : { answer: how };
      results.push({ entry, ...await deliver(entry, sent) });
    }
    return results;
  }

  async function together(how) {
    const list = picked();
    if (busy || !list.length || document.querySelector('dialog[open]')) return;
    if (how === 'once' && list.some(hindrance)) {
      toast('Some of the chosen were not seen to their end: look at them first', true);
      return;
    }
    const yes = await confirmed(how, list);
    if (!yes) return;
    busy = true;
    drawActions();
    const results = await answerAll(how, list, yes.note);
    busy = false;
    draw();
    tellResults(how, results);
  }

  byId('overview').append(el('h2', { id: 'h-overview' }, 'At a glance'), sets, rows,
    el('div', { class: 'together' }, told, next, leave, allow, deny));
  // Deferred: drawing may find out that the end of a change is on screen.
  for (const event of ['stet-seen', 'stet-chosen']) {
    document.addEventListener(event, () => queueMicrotask(draw));
  }
  return {
    draw, together,
    toggle: (id) => toggle([id]),
    toggleAll: () => toggle(entries().map(({ approval }) => approval.id)),
    isChosen: (id) => chosen.has(id),
  };
}
