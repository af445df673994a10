// files.js - the view Files: the roots as agents see them, read-only, each name
// with its access marks.
import { button, byId, bytes, code, count, el, fill, fromRoot, knownRoots, path as pathOf,
  time, when } from './dom.js';
import { get, on } from './server.js';

// Each mark: its label, and the sentence that its reason completes.
const MARKS = {
  own: ['stet’s own', 'Tools cannot see it'],
  hidden: ['hidden', 'Tools cannot see it'],
  'asks-read': ['asks to read', 'You are asked before it is read'],
  denied: ['no changes', 'It may not be changed'],
  ignored: ['ignored', 'It may not be changed: ignored by'],
  asks: ['asks', 'You are asked before it is changed'],
  sensitive: ['sensitive', 'On the list of sensitive paths'],
  outside: ['outside', 'Agents cannot follow this link'],
  broken: ['broken link', 'Agents cannot follow this link'],
  unnamed: ['no name', 'Agents cannot access it'],
};
const KINDS = { directory: 'directory', file: 'file', link: 'link', other: 'special file' };
const EOLS = { crlf: 'CRLF', mixed: 'mixed line endings' };

let at = ''; // the path in the URL; '' = the roots
let shownNow = false;
let round = 0; // number of the latest request: older replies are ignored

export const address = (full) => (full
  ? `#files?${new URLSearchParams({ path: full })}` : '#files');
const historyOf = (full) => `#history?${new URLSearchParams({ path: full })}`;
const versionsOf = (full) => `#file?${new URLSearchParams({ path: full })}`;

// ---- marks

const sentence = (mark) => `${MARKS[mark.mark]?.[1] ?? mark.mark}: ${mark.why}.`
  .replace('by: ', 'by ');

function badges(marks) {
  return marks.map((mark) => el('span', { class: `mark-${mark.mark} badge-text`,
    title: sentence(mark) }, MARKS[mark.mark]?.[0] ?? mark.mark));
}

function reasons(marks) {
  return marks.length > 0 && el('ul', { class: 'plain reasons' }, marks.map((mark) => el('li', {},
    el('span', { class: `mark-${mark.mark} badge-text` }, MARKS[mark.mark]?.[0] ?? mark.mark),
    ' ', sentence(mark))));
}

// ---- breadcrumbs

function crumbs(full) {
  const root = knownRoots().filter((one) => full === one || full.startsWith(`${one}/`))
    .sort((a, b) => b.length - a.length)[0];
  const steps = [['Roots', '']];
  if (root !== undefined) {
    steps.push([root, root]);
    let so = root;
    for (const part of full.slice(root.length).split('/').filter(Boolean)) {
      so += `/${part}`;
      steps.push([part, so]);
    }
  } else if (full) steps.push([full, full]);
  return el('ol', { class: 'plain crumbs' }, steps.map(([words, to], i) => el('li', {},
    i === steps.length - 1
      ? el('span', { 'aria-current': 'location' }, el('bdi', { translate: 'no' }, words))
      : el('a', { href: address(to) }, el('bdi', { translate: 'no' }, words)))));
}

// A link to the view of its versions, where this page has one.
function links(full, file) {
  return el('p', { class: 'files-links' },
    file && byId('view-file') && [el('a', { href: versionsOf(full) }, 'Versions of this file'), ' '],
    el('a', { href: historyOf(full) }, file ? 'History of this file' : 'History of this directory'));
}

// ---- a directory

function nameOf(entry) {
  const shown = at ? entry.name : entry.path;
  const words = pathOf(entry.path ?? entry.name, shown, entry.lookalikes);
  const closed = !entry.path || ['own', 'outside', 'broken'].some(
    (mark) => entry.marks.some((one) => one.mark === mark)) || entry.kind === 'other';
  return closed ? words : el('a', { href: address(entry.path) }, words);
}

function row(entry) {
  return el('tr', { class: 'item', tabindex: '-1', 'data-name': entry.name },
    el('td', { class: 'sort' }, KINDS[entry.kind] ?? entry.kind),
    el('th', { scope: 'row' }, nameOf(entry), entry.kind === 'directory' && '/',
      entry.target && el('span', { class: 'target' }, ' → ', fromRoot(entry.target)),
      entry.marks.length > 0 && el('details', { class: 'why' },
        el('summary', {}, badges(entry.marks), el('span', { class: 'vh' }, ' why?')),
        reasons(entry.marks))),
    el('td', { class: 'num' }, entry.kind === 'file' ? bytes(entry.size) : ''),
    el('td', { class: 'when' }, entry.time ? time(entry.time, when(entry.time)) : ''));
}

function moreEntries(next, total, body) {
  const more = button(`Show more (${(total - next).toLocaleString('en')} left)`, async () => {
    more.disabled = true;
    try {
      const part = await get('/api/files', { path: at, skip: next });
      body.append(...part.entries.map(row));
      more.replaceWith(part.next ? moreEntries(part.next, part.total, body) : '');
      body.rows[Math.min(next, body.rows.length - 1)]?.focus();
    } catch (fault) {
      more.disabled = false;
      fill(byId('files-note'), fault.message);
    }
  }, { class: 'rest', id: 'files-more' });
  return more;
}

function nothing() {
  return el('div', { class: 'empty' }, el('p', {}, at
    ? 'This directory is empty.'
    : 'No directory is served. Start stet with one: '), !at && code('stet serve DIR'));
}

function directory(answer) {
  if (!answer.entries.length) return nothing();
  const body = el('tbody', {}, answer.entries.map(row));
  return [el('table', { class: 'entries' },
    el('thead', {}, el('tr', {}, ['Kind', 'Name', 'Size', 'Changed'].map(
      (title) => el('th', { scope: 'col' }, title)))), body),
  answer.next && moreEntries(answer.next, answer.total, body),
  answer.unread && el('p', { class: 'note' },
    `Only the first ${count(answer.total, 'entry', 'entries')} are listed.`)];
}

// ---- a file

function lines(answer) {
  const text = answer.text.endsWith('\n') ? answer.text.slice(0, -1) : answer.text;
  return text.split('\n').map((line, i) => el('tr', {},
    el('td', { class: 'n', 'data-n': answer.line + i }),
    el('td', { class: 't' }, code(line.endsWith('\r') ? line.slice(0, -1) : line))));
}

function moreLines(next, body) {
  const more = button(`Show from line ${next.toLocaleString('en')} on`, async () => {
    more.disabled = true;
    try {
      const part = await get('/api/files', { path: at, line: next });
      if (part.text !== undefined) body.append(...lines(part));
      else fill(byId('files-note'), part.untold);
      more.replaceWith(part.next_line ? moreLines(part.next_line, body) : '');
    } catch (fault) {
      more.disabled = false;
      fill(byId('files-note'), fault.message);
    }
  }, { class: 'rest', id: 'files-more' });
  return more;
}

function text(answer) {
  if (answer.text === '') return el('p', { class: 'note' }, 'The file is empty.');
  const body = el('tbody', {}, lines(answer));
  return [el('table', { class: 'diff content' },
    el('colgroup', {}, el('col', { class: 'c-number' }), el('col')), body),
  answer.next_line && moreLines(answer.next_line, body)];
}

function facts(answer) {
  const words = [bytes(answer.size), `mode ${answer.mode.toString(8)}`];
  if (answer.total_lines !== undefined) words.push(count(answer.total_lines, 'line'));
  return el('p', { class: 'op-facts' }, words.join(', '),
    answer.encoding && el('span', { class: 'badge-text' }, answer.encoding,
      answer.confidence && ` (${answer.confidence})`),
    EOLS[answer.eol] && el('span', { class: 'badge-text' }, EOLS[answer.eol]),
    answer.undecodable > 0 && el('span', { class: 'badge-text' },
      count(answer.undecodable, 'undecodable byte')),
    answer.binary && el('span', { class: 'badge-text' }, 'binary'),
    el('span', {}, 'changed ', time(answer.time, when(answer.time))));
}

function untold(answer) {
  return [el('p', { class: 'untold' }, answer.binary
    ? `This is a binary file of ${count(answer.size, 'byte')}: agents cannot read it as text.`
    : `Not shown: ${answer.untold}.`),
  answer.next_line && el('p', { class: 'note' }, 'A line is too long to be shown.')];
}

function file(answer) {
  return [facts(answer), answer.text === undefined ? untold(answer) : text(answer)];
}

// ---- the view

const LEADS = {
  roots: 'What agents can access, as they see it. This view is read-only.',
  directory: 'As agents see it. Marks show what is hidden, read-only, ignored, sensitive or needs your approval.',
  file: 'As an agent would read it.',
};

function draw(answer) {
  const full = answer.path ?? '';
  fill(byId('files-lead'), LEADS[answer.kind]);
  fill(byId('files-crumbs'), crumbs(full));
  fill(byId('files-note'));
  fill(byId('files-body'), reasons(answer.marks ?? []), full && links(full, answer.kind === 'file'),
    answer.kind === 'file' ? file(answer) : directory(answer));
}

function drawFault(fault) {
  const { reason, hint } = fault.data;
  const outside = reason === 'outside_roots';
  fill(byId('files-crumbs'), crumbs(at));
  fill(byId('files-lead'), LEADS.roots);
  fill(byId('files-body'), el('div', { class: 'empty' },
    el('p', { class: 'error' }, fault.message),
    (hint || outside) && el('p', {}, outside ? 'It is outside the roots, or a symlink that leads there.' : `${hint}.`),
    el('p', {}, el('a', { href: '#files' }, 'To the roots'))));
}

async function refresh() {
  if (!shownNow) return;
  const mine = ++round;
  try {
    const answer = await get('/api/files', { path: at });
    if (mine === round) draw(answer);
  } catch (fault) {
    if (mine === round) drawFault(fault);
  }
}

export function start() {
  byId('main').append(el('section', { id: 'view-files', 'aria-labelledby': 'h-files',
    hidden: true },
  el('header', { class: 'view-head' },
    el('h1', { id: 'h-files', tabindex: '-1' }, 'Files'),
    el('p', { class: 'lead', id: 'files-lead' }),
    el('div', { class: 'tools' }, button('Refresh', refresh, { class: 'quiet' }))),
  el('nav', { 'aria-label': 'Path', id: 'files-crumbs', class: 'trail' }),
  el('p', { class: 'error', id: 'files-note', role: 'status' }),
  el('div', { id: 'files-body' })));
  on('refetch', refresh);
}

export function routed(words) {
  at = words.get('path') ?? '';
  refresh();
}

export const title = () => (at ? fromRoot(at) : 'Files');

export function visible(yes) {
  shownNow = yes;
  if (yes) refresh();
}

export const keys = {
  o: (item) => item.querySelector('a')?.click(),
};
