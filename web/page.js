// page.js - navigation between views, keyboard shortcuts, and the number of open
// questions.
import { byId, el, fill, remember, remembered, say, tick } from './dom.js';
import * as activity from './activity.js';
import * as approvals from './approvals.js';
import { otherStyle } from './diff.js';
import * as files from './files.js';
import * as file from './file.js';
import * as history from './history.js';
import { connect, on, status as askStatus, watch } from './server.js';
import * as notify from './notify.js';
import { hasKey, onSession, signedIn, signIn } from './session.js';
import * as settings from './settings.js';
import * as status from './status.js';

const VIEWS = { approvals, activity, history, files, status, settings, file };
// A view without its own link in the navigation belongs to another view.
const PART_OF = { file: 'history' };
const STATUS_EVERY = 5000;
let current = '';

// ---- views

// Close dialogs of the previous view.
function closeAll() {
  for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close();
  if (byId('notify')) byId('notify').open = false;
}

function show(name, focus) {
  const next = name in VIEWS ? name : 'approvals';
  if (next === current) return;
  VIEWS[current]?.visible?.(false);
  closeAll();
  current = next;
  for (const view of Object.keys(VIEWS)) {
    byId(`view-${view}`).hidden = view !== next;
  }
  for (const link of document.querySelectorAll('[data-view]')) {
    if (link.dataset.view === (PART_OF[next] ?? next)) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  VIEWS[next].visible?.(true);
  if (next !== 'approvals') askStatus().catch(() => {});
  title();
  scrollTo(0, 0);
  if (focus) byId(`h-${next}`).focus();
}

// "#history?client=codex": the view, and its parameters.
function route(focus) {
  const [view, words] = location.hash.slice(1).split(/\?(.*)/s);
  VIEWS[view]?.routed?.(new URLSearchParams(words ?? ''));
  show(view, focus);
  title();
}

// ---- the number of open questions

const WORDS = { approvals: 'Approvals', activity: 'Activity', history: 'History',
  files: 'Files', status: 'Status', settings: 'Settings' };

function title() {
  const n = approvals.pending();
  document.title = `${n ? `(${n}) ` : ''}${VIEWS[current].title?.() ?? WORDS[current]} – stet`;
}

// The favicon: a letter with dots, or the number of open questions.
function icon(n) {
  const dots = [8, 16, 24].map((x) => `<circle cx="${x}" cy="26" r="2.6"/>`).join('');
  const mark = n ? '<circle cx="16" cy="16" r="15" fill="#b3261e"/>'
    + '<text x="16" y="23" font-family="sans-serif" font-weight="700" font-size="19"'
    + ` text-anchor="middle" fill="#fff">${n > 9 ? '9+' : n}</text>`
    : '<rect width="32" height="32" rx="6" fill="#1d1f21"/><g fill="#f6f3ea">'
      + '<text x="16" y="20" font-family="Georgia,serif" font-style="italic"'
      + ` font-size="22" text-anchor="middle">s</text>${dots}</g>`;
  return 'data:image/svg+xml,' + encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${mark}</svg>`);
}

function waits() {
  const n = approvals.pending();
  const badge = byId('badge');
  badge.hidden = !n;
  fill(badge, String(n), el('span', { class: 'vh' }, ` ${n === 1 ? 'waits' : 'wait'}`));
  title();
  document.querySelector('link[rel=icon]').href = icon(n);
}

// ---- keys

const HELP = [
  ['j', 'k', 'next and previous item'],
  ['a', 'allow the question once, with the hunks that are chosen'],
  ['d', 'deny it: write a reason for the agent, Enter sends it, Escape cancels'],
  ['x', 'X', 'choose the question for an answer to several, or all of them'],
  ['A', 'D', 'allow or deny those that are chosen, after one more look'],
  ['o', 'open or close the diff of a change; open a file or directory'],
  ['u', 'undo the change'], ['r', 'redo the change'],
  ['s', 'diff in one column, or side by side'],
  ['/', 'search the history'],
  ['1', '2', '3', '4', '5', '6', 'Approvals, Activity, History, Files, Status, Settings'],
  ['?', 'this help'],
];

function items() {
  return [...byId(`view-${current}`).querySelectorAll('.item')]
    .filter((item) => item.offsetParent !== null);
}

function here() {
  return document.activeElement?.closest?.('.item');
}

function move(step) {
  const list = items();
  if (!list.length) return;
  const at = list.indexOf(here());
  const next = at < 0 ? (step > 0 ? 0 : list.length - 1) : at + step;
  const item = list[Math.max(0, Math.min(list.length - 1, next))];
  item.focus({ preventScroll: true });
  item.scrollIntoView({ block: item.offsetHeight > innerHeight ? 'start' : 'nearest' });
}

function go(view) { location.hash = view; }

function search() {
  go('history');
  show('history');
  byId('filter-q').focus();
}

const KEYS = {
  j: () => move(1), k: () => move(-1), s: otherStyle, '/': search,
  '?': () => byId('help').showModal(),
  1: () => go('approvals'), 2: () => go('activity'), 3: () => go('history'),
  4: () => go('files'), 5: () => go('status'), 6: () => go('settings'),
};

function typing(target) {
  return target.closest('input:not([type=checkbox],[type=radio]), select, textarea')
    || document.querySelector('dialog[open]');
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.key === 'Escape' && event.target.id?.startsWith('filter-')) {
    byId('h-history').focus();
    return;
  }
  if (!byId('keys-on').checked || typing(event.target)) return;
  const own = VIEWS[current].keys[event.key];
  const item = here() ?? VIEWS[current].first?.();
  if (own && !item) say('Choose an item first: j and k move');
  const then = own ? item && (() => own(item))
    : VIEWS[current].anywhere?.[event.key] ?? KEYS[event.key];
  if (!then) return;
  event.preventDefault();
  then();
}

function help() {
  byId('help-keys').append(...HELP.map((row) => el('tr', {},
    el('td', {}, row.slice(0, -1).map((key, i) => [i > 0 && ' ', el('kbd', {}, key)])),
    el('td', {}, row.at(-1)))));
  const box = byId('keys-on');
  box.checked = remembered('keys', 'on') === 'on';
  box.addEventListener('change', () => remember('keys', box.checked ? 'on' : 'off'));
  byId('help-open').addEventListener('click', () => byId('help').showModal());
}

// ---- start

function later(then, wait) {
  let timer;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      then();
    }, wait);
  };
}

function start() {
  help();
  for (const heading of document.querySelectorAll('h1')) heading.tabIndex = -1;
  for (const view of Object.values(VIEWS)) view.start();
  notify.start();
  document.addEventListener('stet-pending', waits);
  document.addEventListener('stet-tick', tick);
  document.addEventListener('keydown', pressed);
  document.querySelector('.skip').addEventListener('click', (event) => {
    event.preventDefault();
    byId('main').focus();
  });
  addEventListener('hashchange', () => {
    if (hasKey()) location.reload();
    else route(true);
  });
  const again = later(() => askStatus().catch(() => {}), 300);
  on('client', again);
  on('refetch', again);
  setInterval(() => { if (!document.hidden) tick(); },
    matchMedia('(prefers-reduced-motion: reduce)').matches ? 1000 : 200);
  setInterval(() => {
    if (!document.hidden && (current === 'status' || current === 'activity')) again();
  }, STATUS_EVERY);
  route(false);
  waits();
  watch();
  askStatus().then(connect, connect);
}

// Without a session the page only explains how to sign in.
function signedOut(words) {
  for (const part of document.querySelectorAll('.skip, .masthead, #main')) part.hidden = true;
  byId('signin').hidden = false;
  fill(byId('signin-why'), words);
  addEventListener('hashchange', () => { if (hasKey()) location.reload(); });
  onSession(() => location.reload());
}

async function begin() {
  let why = '';
  try {
    await signIn();
  } catch (fault) {
    why = fault.message;
  }
  if (signedIn()) start();
  else signedOut(why);
}

begin();
