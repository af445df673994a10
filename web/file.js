// file.js - the view of one file: all versions, and any two of them compared.
import { button, byId, count, el, fill, fromRoot, path, time, toast, tool,
  when } from './dom.js';
import { client } from './client.js';
import { tally, view as diffView } from './diff.js';
import { get, on } from './server.js';
import { takeBack } from './undo_one.js';

const MOST = 200;
const KINDS = { create: 'created', update: 'changed', append: 'appended to',
  delete: 'removed', mode: 'permissions changed', move: 'moved here',
  copy: 'copied', mkdir: 'created', rmdir: 'removed', link: 'link' };
let file = '';
let versions = [];
let pair = ['', ''];
let shownNow = false;

export const address = (full) => `#file?${new URLSearchParams({ path: full })}`;

// ---- versions: after each change, before the first, and now

function known(operations) {
  const list = operations.filter((o) => o.path === file)
    .map((o) => ({ id: o.id, operation: o, words: KINDS[o.kind] ?? o.kind }));
  const first = list.at(-1)?.operation;
  if (first?.version_before) {
    list.push({ id: `before:${first.id}`, words: 'before the first recorded change' });
  }
  return [{ id: 'now', words: 'as it is now' }, ...list];
}

function choice(one, i, side) {
  return el('td', { 'data-title': i ? 'To' : 'From' }, el('input', {
    type: 'radio', name: `version-${side}`, value: one.id, checked: pair[i] === one.id,
    'aria-label': `${i ? 'To' : 'From'}: ${one.words}`
      + `${one.operation ? `, ${when(one.operation.time)}` : ''}`,
    onchange: () => { pair[i] = one.id; compare(); },
  }));
}

function row(one) {
  const o = one.operation;
  return el('tr', {}, choice(one, 0, 'from'), choice(one, 1, 'to'),
    el('td', {}, o ? time(o.time, when(o.time)) : ''),
    el('td', {}, one.words, o?.role && ` (${o.role})`, o && !o.active && ' (undone)'),
    el('td', {}, o && [client(o), ' ', tool(o.tool)]),
    el('td', { class: 'num' }, o?.lines_added !== undefined
      && tally(o.lines_added, o.lines_removed)),
    el('td', {}, o && button('Restore', async () => {
      if (await takeBack('restore', o)) refresh();
    }, { class: 'quiet', 'aria-label': `Restore the file to ${when(o.time)}` })));
}

function table() {
  return el('div', { class: 'scroll versions', tabindex: '0', role: 'region',
    'aria-label': 'Versions' },
  el('table', { class: 'cards' },
    el('thead', {}, el('tr', {}, ['From', 'To', 'When', 'What', 'Who', 'Lines', 'Restore'].map(
      (title) => el('th', { scope: 'col' }, title)))),
    el('tbody', {}, versions.map(row))));
}

let round = 0;
async function compare() {
  const mine = ++round;
  const box = byId('file-diff');
  try {
    const result = await get('/api/compare', { path: file, from: pair[0], to: pair[1] });
    if (mine !== round) return;
    fill(box, el('p', {}, result.same ? 'Both versions are identical.'
      : result.lines_added !== undefined && tally(result.lines_added, result.lines_removed)),
    !result.same && diffView(result));
  } catch (fault) {
    if (mine === round) fill(box, el('p', { class: 'error' }, fault.message));
  }
}

function draw() {
  const box = byId('file-body');
  if (!file || versions.length < 2) {
    fill(box, el('div', { class: 'empty' },
      el('p', {}, file ? 'No changes of this file are recorded. Once an agent changes it '
        + 'through stet, each version is listed here.'
        : 'Choose a file in the history to see its versions.'),
      el('p', {}, el('a', { href: '#history' }, 'To the history'))));
    return;
  }
  fill(box, table(), el('section', { id: 'file-diff', 'aria-label': 'Comparison',
    'aria-live': 'polite' }));
  compare();
}

async function refresh() {
  if (!shownNow) return;
  fill(byId('file-path'), file ? path(file) : '');
  fill(byId('file-lead'), file ? 'All recorded versions; choose two to compare.' : '');
  if (file) {
    const page = await get('/api/history', { path: file, limit: MOST });
    versions = known(page.operations);
    const ids = new Set(versions.map((one) => one.id));
    if (!ids.has(pair[0]) || !ids.has(pair[1])) {
      pair = [versions[2]?.id ?? versions[1]?.id ?? 'now', versions[1]?.id ?? 'now'];
    }
    if (page.more) {
      fill(byId('file-lead'), `The latest ${count(MOST, 'version')}; choose two to compare.`);
    }
  }
  draw();
}
const soon = () => refresh().catch((fault) => toast(fault.message, true));

// ---- the view

export function start() {
  byId('main').append(el('section', { id: 'view-file', 'aria-labelledby': 'h-file',
    hidden: true },
  el('header', { class: 'view-head' },
    el('div', {},
      el('h1', { id: 'h-file', tabindex: '-1' }, 'File'),
      el('p', { id: 'file-path' }),
      el('p', { class: 'lead', id: 'file-lead' }))),
  el('div', { id: 'file-body' })));
  on('operation', (o) => { if (o.path === file) soon(); });
}

export function routed(words) {
  const next = words.get('path') ?? '';
  if (next !== file) pair = ['', ''];
  file = next;
  if (shownNow) soon();
}

export const title = () => (file ? fromRoot(file) : 'File');

export function visible(yes) {
  shownNow = yes;
  if (yes) soon();
}

export const keys = {};
