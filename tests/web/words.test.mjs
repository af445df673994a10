// Pure functions of the page: changed words, escaped text, numbers and paths. No
// browser is needed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare, likeness, pair, tokens } from '../../web/words.js';
import fs from 'node:fs';
import { HIDDEN_RANGES, bytes, duration, fromRoot, knowRoots, roughly, spelled } from '../../web/dom.js';
import { ceiling } from '../../web/chart.js';

const marked = (runs) => runs.map(([text, changed]) => (changed ? `[${text}]` : text)).join('');

const lines = [
  // before, after, before marked, after marked
  ['int sum = 0;', 'long sum = 0;', '[int] sum = 0;', '[long] sum = 0;'],
  ['a b c', 'a b c', 'a b c', 'a b c'],
  ['', 'x', '', '[x]'],
  ['f(a)', 'f(a, b)', 'f(a)', 'f(a[, b])'],
  ['one two', 'three four', '[one two]', '[three four]'],
  ['\tif (c) free(c);', '\tfree(c);', '\t[if (c) ]free(c);', '\tfree(c);'],
  ['naïve café', 'naïve thé', 'naïve [café]', 'naïve [thé]'],
  ['x  y', 'x y', 'x[  ]y', 'x[ ]y'],
];
for (const [before, after, left, right] of lines) {
  test(`words of ${JSON.stringify(before)} and ${JSON.stringify(after)}`, () => {
    assert.deepEqual(compare(before, after).map(marked), [left, right]);
  });
}

test('the runs of a line are the line, whatever is in it', () => {
  let seed = 7;
  const next = (n) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % n;
  };
  const letters = ['a', 'b', ' ', '\t', '(', '_', 'é', '\u202e', '😀', '\ud800', ''];
  const line = () => Array.from({ length: next(30) },
    () => letters[next(letters.length)]).join('');
  for (let i = 0; i < 2000; i++) {
    const [a, b] = [line(), line()];
    const [left, right] = compare(a, b);
    assert.equal(left.map(([text]) => text).join(''), a);
    assert.equal(right.map(([text]) => text).join(''), b);
    assert.equal(tokens(a).join(''), a);
    assert.ok(likeness(a, b) >= 0 && likeness(a, b) <= 1);
  }
});

test('lines that are alike are paired, in order', () => {
  assert.deepEqual(pair(['int a = 1;', 'return a;'],
    ['/* new */', 'int a = 2;', 'return a;']), [[0, 1], [1, 2]]);
  assert.deepEqual(pair(['alpha beta'], ['gamma delta']), []);
  assert.deepEqual(pair([], ['x']), []);
});

test('a line of a hundred thousand words is compared', () => {
  const long = 'word '.repeat(100000);
  const [left, right] = compare(`${long}a`, `${long}b`);
  assert.equal(left.at(-1)[0], 'a');
  assert.equal(right.at(-1)[0], 'b');
});

test('what cannot be seen is spelled out', () => {
  const rows = [['a\x1b[2Jb', 'a\\x1b[2Jb'], ['\u202eevil', '\\u{202e}evil'],
    ['\u200b', '\\u{200b}'], ['tab\there\n', 'tab\\x09here\\x0a'], ['\ud800x', '\\u{d800}x'],
    ['😀', '😀'], ['\u{e0041}', '\\u{e0041}'], ['\r', '\\x0d']];
  for (const [text, shown] of rows) assert.equal(spelled(text), shown);
});

// In src/text/display/hidden.def, which the program uses.
const source = fs.readFileSync(new URL('../../src/text/display/hidden.def', import.meta.url), 'utf8');
const program = [...source.matchAll(/^HIDDEN\((\w+), (\w+)\)$/gm)]
  .map(([, from, to]) => [Number(from), Number(to)]);

test('the page and the program hide the same characters', () => {
  assert.ok(program.length > 20);
  assert.deepEqual(HIDDEN_RANGES, program);
});

// JavaScript has no name for this Unicode property.
const PREPENDED = new Set([0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6dd, 0x70f,
  0x890, 0x891, 0x8e2, 0x110bd, 0x110cd]);
const BLANKS = new Set([0x2800, 0x16fe4, 0x1d159]);

test('what is hidden is what Unicode says cannot be seen', () => {
  const property = /[\p{Cc}\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
  const ignorable = /\p{Default_Ignorable_Code_Point}/u;
  const inRanges = (code) => program.some(([from, to]) => code >= from && code <= to);
  let seen = 0;
  for (let code = 0; code < 0x110000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const char = String.fromCodePoint(code);
    const want = BLANKS.has(code) || (property.test(char)
      && !'\t\n '.includes(char) && !PREPENDED.has(code));
    assert.equal(inRanges(code), want, `U+${code.toString(16)}`);
    if (ignorable.test(char)) assert.ok(inRanges(code));
    seen += want;
  }
  assert.ok(seen > 4000);
});

test('numbers and times are short', () => {
  assert.deepEqual([0, 999, 1000, 18400, 19.4e6].map(bytes),
    ['0 B', '999 B', '1.0 kB', '18 kB', '19 MB']);
  assert.deepEqual([0, 3, 1500, 61e3, 3.7e6].map(duration),
    ['< 1 ms', '3 ms', '1.5 s', '1 min 1 s', '1 h 1 min']);
  assert.deepEqual([10, 5000, 86400e3].map(roughly), ['a moment', '5 s', '1 day']);
  assert.deepEqual([1, 2, 3, 7, 11, 60, 100].map(ceiling), [1, 2, 5, 10, 20, 100, 100]);
});

test('a path is shown from its root on', () => {
  knowRoots(['/srv/shop']);
  assert.equal(fromRoot('/srv/shop/src/a.c'), 'src/a.c');
  assert.equal(fromRoot('/srv/shopping/a.c'), '/srv/shopping/a.c');
  knowRoots(['/srv/shop', '/srv/tools']);
  assert.equal(fromRoot('/srv/tools/a.c'), 'tools/a.c');
});
