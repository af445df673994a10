// diff.js - hunks in one column or side by side, with changed words marked.
import { button, code, count, el, fill, path, remember, remembered, shown, toast,
  vh } from './dom.js';
import { compare, pair } from './words.js';

export const FIRST_LINES = 400; // lines of a hunk that are shown at first
const MORE_LINES = 5000;
const FIRST_HUNKS = 40;
const MORE_HUNKS = 400;
const wide = matchMedia('(min-width: 52rem)');
let style = remembered('diff', 'unified');

export const sideBySide = () => style === 'split' && wide.matches;

function redraw() {
  for (const box of document.querySelectorAll('.hunks')) box.redraw();
  for (const one of document.querySelectorAll('[data-diff-style]')) {
    one.setAttribute('aria-pressed', String(one.dataset.diffStyle === style));
  }
}
wide.addEventListener('change', redraw);

export function setStyle(next) {
  style = next;
  remember('diff', next);
  redraw();
}
export const otherStyle = () => setStyle(style === 'split' ? 'unified' : 'split');

// The two buttons that choose the layout; all pairs of them are in sync.
export function styleSwitch() {
  const one = (value, words) => button(words, () => setStyle(value), {
    'data-diff-style': value, 'aria-pressed': String(style === value),
  });
  return el('div', { class: 'switch', role: 'group', 'aria-label': 'Diff' },
    one('unified', 'Unified'), one('split', 'Side by side'));
}

// ---- parse the text of a diff, when there are no hunks

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

// Lines that the hunk still lacks; only its own lines are taken for that.
const lacks = (at, kind) => kind === '\\'
  || ((kind !== '+' || at.left[1] > 0) && (kind !== '-' || at.left[0] > 0)
    && (kind !== ' ' || (at.left[0] > 0 && at.left[1] > 0)));

export function parse(text) {
  const hunks = [];
  const files = new Set();
  let at;
  let file;
  for (const line of String(text ?? '').split('\n')) {
    const kind = line[0] ?? 'x';
    const found = HEADER.exec(line);
    if (at && ' -+\\'.includes(kind) && lacks(at, kind)) {
      at.lines.push({
        kind, text: line.slice(1),
        old: ' -'.includes(kind) ? at.next[0]++ : undefined,
        new: ' +'.includes(kind) ? at.next[1]++ : undefined,
      });
      if (' -'.includes(kind)) at.left[0]--;
      if (' +'.includes(kind)) at.left[1]--;
    } else if (found) {
      const [, old, oldLines = '1', fresh, newLines = '1'] = found;
      at = {
        number: hunks.length + 1, header: line, lines: [], file,
        old_start: Number(old), old_lines: Number(oldLines),
        new_start: Number(fresh), new_lines: Number(newLines),
        next: [Number(old), Number(fresh)],
        left: [Number(oldLines), Number(newLines)],
      };
      hunks.push(at);
    } else if (line.startsWith('--- ')) {
      at = undefined;
      file = line.slice(4);
      files.add(file);
    }
  }
  if (files.size < 2) for (const hunk of hunks) delete hunk.file;
  return hunks;
}

// ---- lines

// A file whose lines all end in CRLF, except for an unterminated last one, is
// shown without a mark on each line.
export function ends(hunks) {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return lines.length > 0 && lines.every((line, i) => line.kind === '\\'
    || line.text.endsWith('\r') || lines[i + 1]?.kind === '\\');
}

// A generator of blocks: removed and added lines that belong together, with their
// words compared, and the lines between them.
function* blocks(lines) {
  for (let i = 0; i < lines.length;) {
    if (lines[i].kind === ' ' || lines[i].kind === '\\') {
      yield { same: lines[i++] };
      continue;
    }
    const removed = [];
    const added = [];
    while (i < lines.length && '-\\'.includes(lines[i].kind)) removed.push(lines[i++]);
    while (i < lines.length && '+\\'.includes(lines[i].kind)) added.push(lines[i++]);
    yield compared(removed, added);
  }
}

function compared(removed, added) {
  const pairs = pair(removed.map((l) => l.text), added.map((l) => l.text));
  for (const [i, k] of pairs) {
    [removed[i].runs, added[k].runs] = compare(removed[i].text, added[k].text);
  }
  return { removed, added, pairs };
}

function words(line) {
  if (!line.runs) return shown(line.text);
  const tag = line.kind === '-' ? 'del' : 'ins';
  return line.runs.map(([text, changed]) => (changed
    ? el(tag, {}, text) : shown(text)));
}

const SIGNS = {
  ' ': ['', ''], '-': ['\u2212', 'removed'], '+': ['+', 'added'],
  '\\': ['', 'note'],
};
const CLASSES = { ' ': 'same', '-': 'del', '+': 'add', '\\': 'note' };

const number = (n) => el('td', { class: 'n', 'data-n': n ?? '' });
const text = (line, attributes) => el('td', { class: 't', ...attributes },
  code(words(line)));

function sign(line) {
  const [mark, word] = SIGNS[line.kind];
  return el('td', { class: 's' },
    mark && el('span', { 'aria-hidden': 'true' }, mark), word && vh(word));
}

function unifiedRow(line) {
  return el('tr', { class: CLASSES[line.kind] },
    number(line.old), number(line.new), sign(line), text(line));
}

function half(line, which) {
  if (!line) {
    return [el('td', { class: 'n void' }), el('td', { class: 's void' }),
      el('td', { class: 't void' })];
  }
  const cells = [number(line[which]), sign(line), text(line)];
  for (const cell of cells) cell.classList.add(CLASSES[line.kind]);
  return cells;
}

const splitRow = (left, right) => el('tr', {}, half(left, 'old'), half(right, 'new'));

// Paired lines are beside each other.
function splitRows({ removed, added, pairs }) {
  const rows = [];
  let i = 0;
  let k = 0;
  const flush = (toI, toK) => {
    while (i < toI || k < toK) {
      rows.push(splitRow(i < toI ? removed[i++] : null,
        k < toK ? added[k++] : null));
    }
  };
  for (const [left, right] of pairs) {
    flush(left, right);
    rows.push(splitRow(removed[i++], added[k++]));
  }
  flush(removed.length, added.length);
  return rows;
}

function* rows(hunk) {
  const split = sideBySide();
  for (const block of blocks(hunk.lines)) {
    if (block.same) {
      yield split ? splitRow(block.same, block.same) : unifiedRow(block.same);
    } else if (split) yield* splitRows(block);
    else yield* [...block.removed, ...block.added].map(unifiedRow);
  }
}

// Put the first @n of @list into @box, and a button for @more at a time, whose
// label has the number of the remaining ones.
function some(box, list, { n, more, words }) {
  const all = list[Symbol.iterator]();
  let next = all.next();
  let there = 0;
  const add = (most) => {
    for (let i = 0; i < most && !next.done; i++, there++, next = all.next()) box.append(next.value);
  };
  add(n);
  if (next.done) return null;
  const rest = button(words(there), () => {
    add(more);
    if (next.done) rest.remove();
    else fill(rest, words(there));
    document.dispatchEvent(new Event('stet-shown'));
  }, { class: 'rest' });
  return rest;
}

function head() {
  const titles = sideBySide()
    ? ['Old line', 'Change', 'Old text', 'New line', 'Change', 'New text']
    : ['Old line', 'New line', 'Change', 'Text'];
  return el('thead', { class: 'vh' }, el('tr', {},
    titles.map((title) => el('th', { scope: 'col' }, title))));
}

function columns() {
  const half = ['number', 'sign', 'text'];
  const list = sideBySide() ? [...half, ...half] : ['number', 'number', 'sign', 'text'];
  return el('colgroup', {}, list.map((kind) => el('col', { class: `c-${kind}` })));
}

// False while the end of @hunk is not loaded yet.
function isWhole(hunk) {
  const of = (kinds) => hunk.lines.filter((line) => kinds.includes(line.kind)).length;
  return of(' -') >= hunk.old_lines && of(' +') >= hunk.new_lines;
}

function table(hunk) {
  const kind = sideBySide() ? 'split' : 'unified';
  const body = el('tbody');
  const all = hunk.lines.length;
  const whole = isWhole(hunk);
  const rest = some(body, rows(hunk), {
    n: FIRST_LINES, more: MORE_LINES,
    words: (there) => (whole
      ? `Show ${all - there > MORE_LINES ? 'more' : 'the rest'} of this hunk `
        + `(${there.toLocaleString('en')} of ${count(all, 'line')} are shown)`
      : `Show more of this hunk (${count(there, 'line')} are shown)`),
  });
  return [el('table', { class: `diff ${kind}` }, columns(), head(), body), rest];
}

function place(hunk) {
  if (!hunk.old_lines && hunk.old_start <= 1) return 'all new';
  const first = hunk.new_lines ? hunk.new_start : hunk.old_start;
  const n = hunk.new_lines || hunk.old_lines;
  return n > 1 ? `lines ${first}\u2013${first + n - 1}` : `line ${first}`;
}

// ---- the diff

// @choice, when parts can be chosen: {chosen: Set of numbers, changed()}.
function hunkSection(hunk, all, choice) {
  const title = `Hunk ${hunk.number} of ${all}`;
  const where = el('span', { class: 'where', title: hunk.header }, place(hunk));
  let label = all > 1 ? el('span', {}, title) : null;
  if (choice && all > 1) {
    const box = el('input', {
      type: 'checkbox', checked: choice.chosen.has(hunk.number),
      'data-hunk': hunk.number,
      onchange: () => {
        if (box.checked) choice.chosen.add(hunk.number);
        else choice.chosen.delete(hunk.number);
        section.classList.toggle('left-out', !box.checked);
        choice.changed();
      },
    });
    label = el('label', { class: 'check' }, box, title);
  }
  const section = el('div', {
    role: 'group',
    class: choice && !choice.chosen.has(hunk.number) ? 'hunk left-out' : 'hunk',
    'aria-label': `${title}, ${place(hunk)}`,
  }, el('div', { class: 'hunk-head' }, label, where), table(hunk));
  return section;
}

function bare(hunks) {
  if (!ends(hunks)) return hunks;
  return hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((line) => ({ ...line, text: line.text.replace(/\r$/, '') })),
  }));
}

// The part that is not in the list is loaded on request, to the end.
function loader(change, box) {
  const words = `Show the rest of the change (${count(
    change.lines_added, 'line')} added, ${change.lines_removed.toLocaleString('en')} removed)`;
  const rest = button(words, async () => {
    rest.disabled = true;
    try {
      change.hunks = parse(await change.load((done) => fill(rest, `Reading … ${done}`)));
      change.cut = false;
      box.redraw();
    } catch (fault) {
      rest.disabled = false;
      fill(rest, words);
      toast(fault.message, true);
    }
  }, { class: 'rest load' });
  return rest;
}

function ending(change, hunks, box) {
  if (!hunks.length && change.diff) {
    return el('pre', { class: 'raw', dir: 'ltr' }, change.diff);
  }
  if (!hunks.length && !change.does?.length) {
    return el('p', { class: 'note' }, 'No lines differ.');
  }
  if (!change.cut) return null;
  return change.load ? loader(change, box) : el('p', { class: 'note' },
    'The change is longer than what is shown here: ', tally(change.lines_added,
      change.lines_removed), ' lines in all. ', code('stet diff'), ' prints all of it.');
}

// The diff of @change ({diff, hunks, cut, does, lines_added, lines_removed}) as
// one element, which follows the choice of layout while it is in the page.
// change.load() loads the omitted part.
export function view(change, choice) {
  const box = el('div', { class: 'hunks' });
  box.redraw = () => {
    const hunks = bare(change.hunks?.length ? change.hunks : parse(change.diff));
    const all = Math.max(hunks.length, change.parts ?? 0);
    const list = el('div');
    function* sections() {
      let file;
      for (const hunk of hunks) {
        if (hunk.file !== file) {
          file = hunk.file;
          yield el('h3', { class: 'hunk-file' }, path(file));
        }
        yield hunkSection({ ...hunk, lines: hunk.lines.map((line) => ({ ...line })) },
          all, choice);
      }
    }
    const rest = some(list, sections(), {
      n: FIRST_HUNKS, more: MORE_HUNKS,
      words: (there) => `Show more (${there} of ${count(all, 'hunk')} are shown)`,
    });
    fill(box, list, rest, ending(change, hunks, box));
    document.dispatchEvent(new Event('stet-shown'));
  };
  box.redraw();
  return box;
}

export function tally(added, removed) {
  return el('span', { class: 'tally' },
    el('span', { class: 'plus' }, `+${added.toLocaleString('en')}`), ' ',
    el('span', { class: 'minus' }, `\u2212${removed.toLocaleString('en')}`),
    vh(` (${count(added, 'line')} added, ${removed.toLocaleString('en')} removed)`));
}
