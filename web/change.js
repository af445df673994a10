// change.js - the body of a question: the whole change, and whether its end has
// been on screen.
import { button, bytes, code, count, el, fill, path, shown, toast } from './dom.js';
import { FIRST_LINES, tally, view as diffView } from './diff.js';
import { get } from './server.js';

const linesOf = (a) => Math.max(a.lines_added, a.lines_removed);

// Is there more than what is shown at first?
const isLong = (a) => a.cut || a.kept !== 'whole' || linesOf(a) > FIRST_LINES;

export const allowWords = (a) => (isLong(a) && linesOf(a)
  ? `Allow all ${count(linesOf(a), 'line')}` : 'Allow once');

// ---- texts that are stored with the question

const piece = (a, of, at) => get(`/api/approvals/${encodeURIComponent(a.id)}/text`,
  { of, at: at || undefined });

async function whole(a, of, progress) {
  const texts = [];
  let done = 0;
  for (let at = 0, first = true; first || at; first = false) {
    const { text, next } = await piece(a, of, at);
    texts.push(text);
    done += text.length;
    progress(bytes(done));
    at = next;
  }
  return texts.join('');
}

// One side of the change as a whole file, loaded in chunks.
function reader(a, of, words) {
  const box = el('div', { class: 'reader' });
  const text = el('pre', {
    class: 'raw', dir: 'ltr', tabindex: '0', 'aria-label': words, hidden: true,
  });
  let at = 0;
  const more = button(`Open ${words}`, async () => {
    more.disabled = true;
    try {
      const part = await piece(a, of, at);
      text.hidden = false;
      text.append(el('code', {}, part.text));
      at = part.next;
      if (at) fill(more, `Show more of ${words}`);
      else more.remove();
    } catch (fault) {
      toast(fault.message, true);
    }
    more.disabled = false;
    document.dispatchEvent(new Event('stet-shown'));
  }, { class: 'rest', 'data-open': of });
  box.append(text, more);
  return box;
}

function tooLarge(a) {
  return el('div', { class: 'too-large' },
    el('p', { class: 'beware' },
      `Too large to show: ${count(linesOf(a), 'line')}. Your approval covers all of them.`),
    a.kept === 'sides'
      ? [reader(a, 'before', 'the file as it is'),
        reader(a, 'after', 'the file as it would be')]
      : el('p', { class: 'note' },
        'The file is also too large to be stored for display.'));
}

// ---- changes that no line shows

export const badges = (a) => (a.badges ?? []).map((words) => el('span',
  { class: 'badge-text' }, words));

export const does = (a) => a.does?.length > 0 && el('ul', { class: 'does plain' },
  a.does.map((words) => el('li', {}, words)));

// Every file of a change of several, never shortened.
const LETTERS = { A: 'added', M: 'modified', D: 'deleted', R: 'renamed' };
export const files = (a) => a.files?.length > 0 && el('ul', { class: 'group plain' },
  a.files.map((file) => el('li', { 'data-letter': file.letter },
    el('abbr', { title: LETTERS[file.letter] }, file.letter), ' ',
    file.from && [path(file.from), ' \u2192 '], path(file.path), ' ',
    tally(file.lines_added, file.lines_removed),
    file.notes && el('span', { class: 'notes' }, ' ', shown(file.notes)))));

// What the question is about: a file, or how many.
export function subject(a) {
  if (a.files?.length) return count(a.files.length, 'file');
  return a.path ? path(a.path, undefined, a.lookalikes) : code(a.tool);
}

export function lookalikes(a) {
  if (!a.lookalikes?.length) return null;
  const one = ({ char, like, name }) => `\u201c${char}\u201d is U+${char.codePointAt(0)
    .toString(16).toUpperCase().padStart(4, '0')}${name ? `, ${name}` : ''}, and not \u201c${like}\u201d`;
  return el('p', { class: 'beware' }, 'This path has characters that look like others: ',
    a.lookalikes.map(one).join('; '), '.');
}

export const numbers = (a) => (a.lines_added || a.lines_removed)
  ? tally(a.lines_added, a.lines_removed) : null;

// ---- the body

// Body of the question @a; @choice as in diff.js. Its last element is .end.
export function body(a, choice) {
  const change = { ...a, load: (progress) => whole(a, 'diff', progress) };
  return el('div', { class: 'change', 'data-kept': a.kept }, lookalikes(a), does(a), files(a),
    a.kept === 'whole' ? diffView(change, choice) : tooLarge(a),
    el('div', { class: 'end' }));
}

// All new content is loaded, and its end is on screen above @bar, which covers the
// content below it.
function endIsOnScreen(node, bar) {
  if (!node.isConnected || node.dataset.kept === 'none'
    || node.querySelector('.rest:not([data-open=before])')) return false;
  const end = node.querySelector('.end').getBoundingClientRect();
  return end.width > 0 && end.bottom > 0
    && end.bottom <= Math.min(innerHeight, bar.getBoundingClientRect().top) + 1;
}

const watched = new Set();

// Call @then once, when the end of @node has been on screen. The returned function
// tells whether it has.
export function watchEnd(node, bar, then) {
  const one = { seen: false };
  one.look = () => {
    if (!one.seen && endIsOnScreen(node, bar)) {
      one.seen = true;
      watched.delete(one);
      then();
    }
    return one.seen;
  };
  one.node = node;
  watched.add(one);
  return one.look;
}

function lookAtAll() {
  for (const one of watched) {
    if (one.node.isConnected) one.connected = true;
    else if (one.connected) watched.delete(one);
    one.look();
  }
}

let asked;
function soon() {
  asked ??= requestAnimationFrame(() => {
    asked = undefined;
    lookAtAll();
  });
}
for (const event of ['scroll', 'resize', 'hashchange']) {
  addEventListener(event, soon, { passive: true, capture: true });
}
for (const event of ['stet-shown', 'stet-pending']) document.addEventListener(event, soon);
