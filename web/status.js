// status.js - the view Status: roots, rules, clients and counters of the server.
import { button, byId, bytes, code, count, duration, el, fill, knowRoots,
  toast } from './dom.js';
import { client } from './client.js';
import { on } from './server.js';

const COUNTERS = [
  ['calls', 'Tool calls'], ['failed', 'of them failed'], ['denied', 'of them denied'],
  ['asked', 'of them ended unanswered'],
  ['created', 'Files created'], ['updated', 'Files changed'],
  ['removed', 'Files removed'],
  ['lines_added', 'Lines added'], ['lines_removed', 'Lines removed'],
  ['bytes_in', 'Received', bytes], ['bytes_out', 'Sent', bytes],
  ['requests', 'HTTP requests'], ['connections', 'Connections'],
  ['refused', 'Refused'], ['timeouts', 'Timed out'],
];
export const MODES = {
  default: 'reads and changes run; changes of sensitive files and reads of secrets need approval',
  plan: 'changes are refused; reads of secrets need approval',
  acceptEdits: 'changes run without asking; changes of sensitive files and reads of secrets need approval',
  bypassPermissions: 'never asks; deny rules apply',
  yolo: 'never asks, and no rule applies',
};

const settingsLink = (words) => el('a', { href: '#settings' }, `Settings → ${words}`);

function part(title, ...content) {
  return el('section', {}, el('h2', {}, title), content);
}

function rootsPart(now) {
  return part('Roots', el('p', { class: 'note' },
    'Agents can access files beneath these directories, and nothing else.'),
  el('ul', { class: 'plain roots' },
    now.roots.map((root) => el('li', {}, code(root)))),
  el('p', {}, 'Confinement by the kernel: ', now.confined, '.'),
  historyNote(now));
}

function historyNote(now) {
  if (now.history?.problem) {
    return el('p', { class: 'error' }, 'History: ', now.history.problem);
  }
  return el('p', { class: 'note' }, now.history?.on === false
    ? 'The history is off: changes cannot be undone.'
    : 'The history is on: each change can be undone.');
}

function rulesPart(now) {
  const rules = Array.isArray(now.rules) ? now.rules : now.rules?.rules ?? [];
  const builtIn = (rule) => /built.in/i.test(rule.origin ?? '');
  const own = rules.filter((rule) => !builtIn(rule));
  const given = rules.filter(builtIn);
  return part('Rules',
    el('p', {}, 'Mode ', code(now.mode), ': ', MODES[now.mode] ?? '', '.'),
    own.length ? rulesTable(own, 'Rules')
      : el('p', { class: 'note' }, 'You have no rules of your own. Add them under ',
        settingsLink('Add a rule'), ', in ',
        code('~/.config/stet/config.json'), ', or start stet with ',
        code('--deny'), ', ', code('--ask'), ' or ', code('--allow'), '.'),
    given.length > 0 && el('details', {},
      el('summary', {}, count(given.length, 'built-in rule')),
      rulesTable(given, 'Built-in rules')));
}

function rulesTable(rules, label) {
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label },
    el('table', { class: 'rules' },
      el('thead', {}, el('tr', {}, ['What', 'Which', 'From'].map(
        (title) => el('th', { scope: 'col' }, title)))),
      el('tbody', {}, rules.map((rule) => el('tr', { class: rule.verdict },
        el('td', {}, el('span', { class: 'verdict' }, rule.verdict)),
        el('td', {}, code(rule.rule)),
        el('td', { class: 'origin' }, rule.origin))))));
}

const CLIENT_COLUMNS = ['Client', 'Protocol', 'Connected', 'Last request', 'Requests', 'Now'];

function clientsPart(now) {
  const list = now.clients ?? [];
  if (!list.length) {
    return part('Clients', el('p', { class: 'note' },
      'No clients are connected. “Connect a client”, below, has settings to paste into yours.'));
  }
  return part('Clients', el('div', { class: 'scroll', tabindex: '0', role: 'region',
    'aria-label': 'Clients' },
  el('table', { class: 'cards' },
    el('thead', {}, el('tr', {}, CLIENT_COLUMNS.map((t) => el('th', { scope: 'col' }, t)))),
    el('tbody', {}, list.map((one) => el('tr', {}, [
      client({ ...one, token: one.name }), one.version ?? '',
      el('span', { 'data-for': one.since_ms }), el('span', { 'data-ago': one.last_ms }),
      String(one.calls ?? 0), states(one),
    ].map((cell, i) => el('td', { 'data-title': CLIENT_COLUMNS[i] }, cell))))))));
}

function states(one) {
  const words = [[one.running, 'running'], [one.waiting, 'waiting'],
    [one.asking, 'asking'], [one.streams, 'listening']]
    .filter(([n]) => n).map(([n, word]) => `${n} ${word}`);
  return words.join(', ') || 'idle';
}

function countersPart(now) {
  return part('Since the start',
    el('dl', { class: 'counters' }, COUNTERS.map(([key, label, form]) => el('div', {},
      el('dt', {}, label),
      el('dd', {}, form ? form(now.counters[key] ?? 0)
        : (now.counters[key] ?? 0).toLocaleString('en'))))),
    el('p', { class: 'note' }, 'The same numbers for Prometheus, with the owner’s token: ',
      code('curl -H "Authorization: Bearer TOKEN" '
        + `${endpoint(now).replace(/\/mcp$/, '')}/metrics`), '.'));
}

// ---- how to connect

function endpoint(now) {
  const base = (now.url || location.origin).replace(/\/$/, '');
  return base.endsWith('/mcp') ? base : `${base}/mcp`;
}

export const WAYS = [
  ['Claude Code', (url) => 'claude mcp add --transport http stet '
    + `${url} --header "Authorization: Bearer TOKEN"`],
  ['Codex CLI: ~/.codex/config.toml', (url) => '[mcp_servers.stet]\n'
    + `url = "${url}"\nbearer_token_env_var = "STET_CLIENT_TOKEN"`],
  ['VS Code: .vscode/mcp.json', (url) => JSON.stringify({
    servers: { stet: { type: 'http', url,
      headers: { Authorization: 'Bearer TOKEN' } } },
  }, null, 2)],
];

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast('Copied');
  } catch {
    toast('This browser does not let the page copy: select the text', true);
  }
}

export function snippet(title, text) {
  return el('div', { class: 'snippet' },
    el('h3', {}, title),
    el('pre', { translate: 'no', dir: 'ltr' }, text),
    button('Copy', () => copy(text), { class: 'quiet', 'aria-label': `Copy: ${title}` }));
}

function connectPart(now) {
  const url = endpoint(now);
  return part('Connect a client',
    el('p', {}, 'Each client has a token of its own. Make one under ',
      settingsLink('Add a token'), ', or with ',
      code('stet token add NAME'), '; it is shown once. It takes the place of ',
      code('TOKEN'), '.'),
    snippet('Address', url),
    WAYS.map(([title, text]) => snippet(title, text(url))));
}

// ---- the view

// Each part is redrawn when its data has changed, but not while it has the
// focus.
const PARTS = [
  [rootsPart, (now) => [now.roots, now.history, now.confined]],
  [rulesPart, (now) => [now.mode, now.rules]],
  [clientsPart, (now) => now.clients],
  [countersPart, (now) => now.counters],
  [connectPart, (now) => now.url],
];

function draw(now) {
  fill(byId('status-lead'), `stet ${now.version}, up for ${duration(now.uptime_ms)}, `,
    `${count(now.clients?.length ?? 0, 'client')} connected.`);
  const box = byId('status-body');
  PARTS.forEach(([make, of], i) => {
    const state = JSON.stringify(of(now));
    const old = box.children[i];
    if (old?.state === state || old?.contains(document.activeElement)) return;
    const node = make(now);
    node.state = state;
    if (old) old.replaceWith(node);
    else box.append(node);
  });
}

export function start() {
  on('status', (now) => {
    knowRoots(now.roots ?? []);
    draw(now);
    document.dispatchEvent(new Event('stet-tick'));
  });
}

export const keys = {};
