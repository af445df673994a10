// dom.js - elements and escaped text.
//
// All output passes through here: text from files and clients becomes text
// nodes, never markup, and characters that move, hide or reverse other text are
// escaped as in src/text/display/visible.c.

// The ranges of src/text/display/hidden.def; a test compares them.
export const HIDDEN_RANGES = [
  [0x0, 0x8],
  [0xb, 0x1f],
  [0x7f, 0xa0],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x1680, 0x1680],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x2800, 0x2800],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x13430, 0x1343f],
  [0x16fe4, 0x16fe4],
  [0x1bca0, 0x1bca3],
  [0x1d159, 0x1d159],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

const escape = (code) => `\\u{${code.toString(16)}}`;
// Only unpaired surrogates match the last range.
const CLASS = `${HIDDEN_RANGES.map(
  ([from, to]) => `${escape(from)}-${escape(to)}`).join('')}\\ud800-\\udfff`;
const IN_LINES = new RegExp(`[${CLASS}]`, 'gu');
const IN_NAMES = new RegExp(`[${CLASS}\\n\\t]`, 'gu');

function spell(char) {
  const code = char.codePointAt(0);
  return code < 0x80 ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u{${code.toString(16)}}`;
}

// For attributes, which cannot contain elements: a name on one line.
export function spelled(text) {
  return String(text).replace(IN_NAMES, spell);
}

// For everything else: a list of nodes, of a name, or of lines with their line
// ends and tabs.
export function shown(text, lines = true) {
  const whole = String(text);
  const nodes = [];
  let from = 0;
  for (const found of whole.matchAll(lines ? IN_LINES : IN_NAMES)) {
    if (found.index > from) nodes.push(whole.slice(from, found.index));
    const mark = document.createElement('span');
    mark.className = 'hidden-char';
    mark.title = 'An invisible character';
    mark.textContent = spell(found[0]);
    nodes.push(mark);
    from = found.index + found[0].length;
  }
  if (from < whole.length || !nodes.length) nodes.push(whole.slice(from));
  return nodes;
}

// Here line ends and tabs are shown escaped; elsewhere they are whitespace, which
// could hide a part of a name.
const KEEPS_LINES = ['pre', 'code', 'del', 'ins'];

function add(parent, child) {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) child.forEach((one) => add(parent, one));
  else if (child instanceof Node) parent.append(child);
  else parent.append(...shown(child, KEEPS_LINES.includes(parent.localName)));
}

function set(node, name, value) {
  if (value === undefined || value === null || value === false) return;
  if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
  else if (name === 'class') node.setAttribute('class', value);
  else node.setAttribute(name, value === true ? '' : spelled(value));
}

export function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    set(node, name, value);
  }
  add(node, children);
  return node;
}

export function svg(tag, attributes, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    set(node, name, value);
  }
  add(node, children);
  return node;
}

export function fill(node, ...children) {
  node.replaceChildren();
  add(node, children);
  return node;
}

export const byId = (id) => document.getElementById(id);
export const vh = (text) => el('span', { class: 'vh' }, text);

export function button(words, onclick, attributes) {
  return el('button', { type: 'button', onclick, ...attributes }, words);
}

// Make @items the children of @parent, in that order, keeping the elements of
// items that stay, with their focus and open details. make(item, old) returns the
// element; @old itself if it is unchanged.
export function keep(parent, items, key, make) {
  const old = new Map();
  for (const child of parent.children) old.set(child.dataset.key, child);
  let at = parent.firstElementChild;
  for (const item of items) {
    const name = String(key(item));
    const was = old.get(name);
    const node = make(item, was);
    node.dataset.key = name;
    old.delete(name);
    if (was && was !== node) {
      if (at === was) at = node;
      was.replaceWith(node);
    }
    if (node === at) at = at.nextElementSibling;
    else parent.insertBefore(node, at);
  }
  for (const gone of old.values()) gone.remove();
}

// ---- words and numbers

export function count(n, one, many = `${one}s`) {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];
export function bytes(n) {
  if (n === undefined || n === null) return '';
  let unit = 0;
  let size = n;
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${unit && size < 10 ? size.toFixed(1) : Math.round(size)} ${UNITS[unit]}`;
}

export function duration(ms) {
  if (ms < 1) return '< 1 ms';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60e3) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 3600e3) {
    return `${Math.floor(ms / 60e3)} min ${Math.floor(ms / 1000) % 60} s`;
  }
  return `${Math.floor(ms / 3600e3)} h ${Math.floor(ms / 60e3) % 60} min`;
}

const LONG = [[86400e3, 'day', 'days'], [3600e3, 'h', 'h'],
  [60e3, 'min', 'min'], [1000, 's', 's']];
export function roughly(ms) {
  const row = LONG.find(([unit]) => ms >= unit);
  if (!row) return 'a moment';
  const n = Math.floor(ms / row[0]);
  return `${n} ${n === 1 ? row[1] : row[2]}`;
}

const CLOCK = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const MINUTE = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat('en-GB',
  { weekday: 'long', day: 'numeric', month: 'long' });
const WHEN = new Intl.DateTimeFormat('en-GB',
  { dateStyle: 'medium', timeStyle: 'medium' });
export const clock = (ms) => CLOCK.format(ms);
export const minute = (ms) => MINUTE.format(ms);
export const when = (ms) => WHEN.format(ms);

export function day(ms) {
  const midnight = new Date().setHours(0, 0, 0, 0);
  if (ms >= midnight) return `Today, ${DAY.format(ms)}`;
  if (ms >= midnight - 86400e3) return `Yesterday, ${DAY.format(ms)}`;
  return DAY.format(ms);
}

export function time(ms, words = clock(ms)) {
  return el('time', {
    datetime: new Date(ms).toISOString(), title: when(ms),
  }, words);
}

// ---- paths

let roots = [];
export function knowRoots(list) { roots = list; }
export const knownRoots = () => roots;

// The end of a root's path that is unique among the roots: the last component, or
// more where two roots have the same name.
function rootName(root) {
  const parts = root.split('/');
  const others = roots.filter((other) => other !== root);
  for (let n = 1; n < parts.length; n++) {
    const name = parts.slice(-n).join('/');
    if (!others.some((other) => other === name || other.endsWith(`/${name}`))) return name;
  }
  return root;
}

// The path from its root on; with several roots, with the unique end of the root.
export function fromRoot(path) {
  const bare = (root) => root.replace(/\/+$/, '');
  const root = roots.map(bare).filter((one) => path.startsWith(`${one}/`))
    .sort((a, b) => b.length - a.length)[0];
  if (root === undefined) return path;
  const rest = path.slice(root.length + 1);
  return roots.length === 1 ? rest : `${rootName(root)}/${rest}`;
}

// Confusable characters are marked, with their names.
function marked(text, lookalikes) {
  const what = new Map((lookalikes ?? []).map((one) => [one.char, one]));
  return [...text].map((char) => {
    const one = what.get(char);
    if (!one) return char;
    const code = char.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
    return el('span', {
      class: 'alike-char', title: `U+${code} ${one.name ?? ''} looks like ${one.like}`,
    }, char);
  }).reduce((list, part) => {
    if (typeof part === 'string' && typeof list.at(-1) === 'string') list[list.length - 1] += part;
    else list.push(part);
    return list;
  }, []);
}

// A path is never truncated: it wraps, preferably after a slash. The whole path is
// the tooltip and the text for screen readers.
export function path(full, short = fromRoot(full), lookalikes = []) {
  const cut = short.replace(/\/+$/, '').lastIndexOf('/') + 1;
  const dirs = short.slice(0, cut).split(/(?<=\/)/);
  return el('span', { class: 'path', title: full, translate: 'no' },
    cut > 0 && el('bdi', { class: 'dir', dir: 'ltr', 'aria-hidden': 'true' },
      dirs.map((dir) => [marked(dir, lookalikes), el('wbr')])),
    el('bdi', { class: 'base', dir: 'ltr', 'aria-hidden': 'true' },
      marked(short.slice(cut), lookalikes)),
    vh(full));
}

export const code = (text, attributes) => el('code',
  { translate: 'no', dir: 'ltr', ...attributes }, text);
// The name of a tool may wrap between words.
export const tool = (text) => code(String(text).split(/(?<=_)/)
  .map((word, i) => (i ? [el('wbr'), word] : word)));
export const name = (text) => el('bdi', { translate: 'no' }, text);
// The last digits, as 'stet log' prints them: the first ones are the time.
export const brief = (id) => String(id ?? '').slice(-8);

// ---- announcements and toasts

export function say(words) {
  fill(byId('say'), words);
}

let passing;
export function toast(words, bad = false) {
  const box = byId('toast');
  const head = document.querySelector('.masthead').getBoundingClientRect();
  fill(byId('toast-text'), words);
  box.classList.toggle('bad', bad);
  box.style.top = `${Math.max(0, head.bottom) + 8}px`;
  box.hidden = false;
  say(words);
  clearTimeout(passing);
  passing = setTimeout(() => { box.hidden = true; }, bad ? 9000 : 4500);
}

// ---- relative times: data-ago and data-lasts have the begin

export function tick() {
  const now = Date.now();
  for (const node of document.querySelectorAll('[data-ago]')) {
    const ms = now - Number(node.dataset.ago);
    put(node, ms < 1000 ? 'now' : `${roughly(ms)} ago`);
  }
  for (const node of document.querySelectorAll('[data-for]')) {
    put(node, roughly(now - Number(node.dataset.for)));
  }
  for (const node of document.querySelectorAll('[data-lasts]')) {
    put(node, duration(now - Number(node.dataset.lasts)));
  }
  for (const node of document.querySelectorAll('[data-until]')) {
    put(node, `${roughly(Math.max(0, Number(node.dataset.until) - now))} left`);
  }
}

function put(node, words) {
  if (node.textContent !== words) node.textContent = words;
}

// ---- local storage

export function remembered(key, otherwise) {
  try {
    return localStorage.getItem(`stet.${key}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function remember(key, value) {
  try {
    localStorage.setItem(`stet.${key}`, value);
  } catch {
    // Storage is disabled: the value is kept until the page is closed.
  }
}
