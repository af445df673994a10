// settings_tokens.js - the tokens of clients: last use, a new token with the
// configuration for its client, and revoking.
import { button, byId, count, el, fill, keep, name, toast, when } from './dom.js';
import { get, on, post } from './server.js';
import { snippet, WAYS } from './status.js';
import { sure } from './confirm.js';

let tokens = [];
let asked = 0; // number of the latest request: older replies are ignored

// ---- a new token

// The secret is only in this element, and is removed with it.
function shown({ name: who, token, url }) {
  const hide = button('Hide it', () => {
    fill(byId('token-new'));
    byId('token-name').focus();
  });
  return el('div', { class: 'secret', role: 'group', 'aria-labelledby': 'h-token-new' },
    el('h3', { id: 'h-token-new', tabindex: '-1' }, 'The token for ', name(who),
      ', shown only this once'),
    el('p', { class: 'note' }, 'stet stores only its hash and cannot show it again. '
      + 'Copy it, or one of the settings below, into the client.'),
    snippet('Token', token),
    el('details', {},
      el('summary', {}, 'Settings for a client'),
      snippet('Environment, for Codex CLI', `export STET_CLIENT_TOKEN=${token}`),
      WAYS.map(([title, text]) => snippet(title,
        text(url).replaceAll('Bearer TOKEN', `Bearer ${token}`)))),
    hide);
}

async function add(event) {
  event.preventDefault();
  const input = byId('token-name');
  const why = byId('token-error');
  fill(why);
  try {
    const made = await post('/api/tokens', { name: input.value.trim() });
    input.value = '';
    fill(byId('token-new'), shown(made));
    byId('h-token-new').focus();
    await refresh();
  } catch (fault) {
    fill(why, fault.message);
    input.focus();
  }
}

function form() {
  return el('form', { class: 'one-line', id: 'token-form', onsubmit: add,
    autocomplete: 'off' },
  el('label', { for: 'token-name' }, 'Name of a client'),
  el('input', { id: 'token-name', required: true, maxlength: 64, placeholder: 'codex',
    spellcheck: 'false', autocapitalize: 'off', 'aria-describedby': 'token-error' }),
  el('button', { class: 'primary' }, 'Add a token'),
  el('p', { class: 'error', id: 'token-error', role: 'alert' }));
}

// ---- existing tokens

async function revoke(token) {
  const yes = await sure('Revoke this token?', [
    el('p', {}, name(token.name), ' will be refused at its next request, and what you '
      + 'have granted to it is revoked as well. This cannot be undone.')],
  `Revoke the token of ${token.name}`);
  if (!yes) return;
  try {
    const { grants } = await post('/api/tokens/revoke', { name: token.name });
    toast(`Revoked: ${token.name}${grants ? `, and its ${count(grants, 'grant')}` : ''}`);
  } catch (fault) {
    toast(fault.message, true);
  }
  byId('h-tokens').focus();
  await refresh();
}

const passed = (ms) => (ms ? el('span', { 'data-ago': ms, title: when(ms) }, when(ms))
  : 'never');

function row(token) {
  const node = el('li', { class: 'entry item', tabindex: '-1', 'data-token': token.name },
    el('p', { class: 'files' }, name(token.name), token.owner && ' (you)'),
    el('dl', { class: 'facts' },
      el('div', {}, el('dt', {}, 'Token last used'), el('dd', {}, passed(token.seen))),
      el('div', {}, el('dt', {}, 'Made'), el('dd', {}, passed(token.made)))),
    !token.owner && button('Revoke', () => revoke(token),
      { 'aria-label': `Revoke the token of ${token.name}` }));
  node.state = JSON.stringify(token);
  return node;
}

function draw() {
  keep(byId('tokens-list'), tokens, (token) => token.name,
    (token, was) => (was?.state === JSON.stringify(token) ? was : row(token)));
  fill(byId('tokens-lead'), tokens.length > 1
    ? 'Each client over HTTP authenticates with a token of its own. Grants and history belong to the token.'
    : 'No client has a token yet. Add one for each client that connects over HTTP; a client '
      + 'that starts stet itself needs none.');
  document.dispatchEvent(new Event('stet-tick'));
}

export async function refresh() {
  const mine = ++asked;
  const now = await get('/api/tokens');
  if (mine !== asked) return;
  tokens = now.tokens;
  draw();
}

// ---- as a part of the settings

export function part() {
  return el('section', { id: 'tokens', 'aria-labelledby': 'h-tokens' },
    el('h2', { id: 'h-tokens', tabindex: '-1' }, 'Clients and tokens'),
    el('p', { class: 'note', id: 'tokens-lead' }),
    form(),
    el('div', { id: 'token-new' }),
    el('ul', { class: 'plain', id: 'tokens-list' }));
}

// Remove the secret when the view is left.
export const leave = () => fill(byId('token-new'));

export function start() {
  const again = () => refresh().catch(() => {});
  on('settings', again);
  on('client', again);
  on('refetch', again);
}
