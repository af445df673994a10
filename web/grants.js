// grants.js - standing grants: their client, scope, origin and time, and revoking
// them. A part of the settings.
import { button, byId, count, el, fill, keep, name, toast, when } from './dom.js';
import { get, on, post } from './server.js';
import { ends, sentence } from './reach.js';

let grants = [];
let asked = 0; // number of the latest request: older replies are ignored

async function revoke(list) {
  try {
    await post('/api/grants/revoke', { ids: list.map((grant) => grant.id) });
    toast(list.length === 1 ? `Revoked: ${sentence(list[0])}`
      : `Revoked: ${count(list.length, 'grant')} of ${list[0].who}`);
  } catch (fault) {
    toast(fault.message, true);
  }
  const gone = new Set(list.map((grant) => grant.id));
  grants = grants.filter((grant) => !gone.has(grant.id));
  draw();
  byId('h-grants').focus();
  await refresh();
}

// ---- one grant

function fact(title, ...words) {
  return el('div', {}, el('dt', {}, title), el('dd', {}, words));
}

const passed = (ms) => (ms ? el('span', { 'data-ago': ms, title: when(ms) }, when(ms))
  : 'never');

function row(grant) {
  const words = sentence(grant);
  const node = el('li', { class: 'grant item', tabindex: '-1', id: `grant-${grant.id}` },
    el('p', { class: 'files' }, grant.files),
    grant.except && el('p', { class: 'note' }, grant.except),
    el('dl', { class: 'facts' },
      fact('Holds', ends(grant)),
      fact('Given', passed(grant.time), grant.given && ` ${grant.given}`),
      fact('Last used', passed(grant.used))),
    button('Revoke', () => revoke([grant]), { 'data-revoke': grant.id,
      'aria-label': `Revoke: ${words}` }));
  node.state = JSON.stringify(grant);
  return node;
}

// ---- the grants of one client

const key = (grant) => JSON.stringify([grant.client, grant.declared]);

function group([, list], old) {
  const who = list[0].who;
  const node = old ?? el('section', { class: 'grants-of' },
    el('header', {}, el('h3', {}, name(who))), el('ul', { class: 'plain' }));
  const [head, rows] = node.children;
  head.querySelector('button')?.remove();
  if (list.length > 1) {
    head.append(button(`Revoke all ${list.length}`, () => revoke(list),
      { class: 'quiet', 'aria-label': `Revoke all ${list.length} of ${who}` }));
  }
  keep(rows, list, (grant) => grant.id,
    (grant, was) => (was?.state === JSON.stringify(grant) ? was : row(grant)));
  return node;
}

function draw() {
  const by = new Map();
  for (const grant of grants) {
    by.set(key(grant), [...by.get(key(grant)) ?? [], grant]);
  }
  keep(byId('grants-list'), [...by], ([id]) => id, group);
  fill(byId('grants-lead'), grants.length
    ? 'These calls run without asking you. Deny rules still hold. Revoking works '
      + 'at once.'
    : 'There are no grants. When you answer a question with '
      + 'more than “Allow once”, it is listed here, and can be revoked.');
  document.dispatchEvent(new Event('stet-tick'));
}

// Scroll to the grant that the URL names, "#settings?grant=ID", once it is drawn.
let wanted = '';

export function routed(words) {
  wanted = words.get('grant') ?? '';
  if (wanted) refresh().catch(() => {});
}

function reveal() {
  const node = wanted && byId(`grant-${wanted}`);
  if (!node) return;
  wanted = '';
  node.scrollIntoView({ block: 'center' });
  node.focus();
}

export async function refresh() {
  const mine = ++asked;
  const now = await get('/api/grants');
  if (mine !== asked) return;
  grants = now.grants;
  draw();
  requestAnimationFrame(reveal); // after the view has taken the focus
}

// ---- as a part of the settings

export function part() {
  return el('section', { id: 'grants', 'aria-labelledby': 'h-grants' },
    el('h2', { id: 'h-grants', tabindex: '-1' }, 'Grants'),
    el('p', { class: 'note', id: 'grants-lead' }),
    el('div', { id: 'grants-list' }));
}

export function start() {
  const again = () => refresh().catch(() => {});
  on('grants', again);
  on('refetch', again);
}
