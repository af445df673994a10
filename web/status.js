// status.js - what this server serves, by which rules, to whom.
import { button, byId, bytes, code, count, duration, el, fill, knowRoots, name,
  roughly, toast } from './dom.js';
import { on } from './live.js';

const COUNTERS = [
  ['calls', 'Calls'], ['failed', 'of them failed'],
  ['created', 'Files created'], ['updated', 'Files changed'],
  ['removed', 'Files removed'],
  ['lines_added', 'Lines added'], ['lines_removed', 'Lines removed'],
  ['bytes_in', 'Received', bytes], ['bytes_out', 'Sent', bytes],
  ['requests', 'HTTP requests'], ['connections', 'Connections'],
  ['refused', 'Refused'], ['timeouts', 'Timed out'],
];
const MODES = {
  default: 'reads and changes run; changes of sensitive files, and reads of secrets, are asked for',
  plan: 'nothing is changed; reads of secrets are asked for',
  acceptEdits: 'changes run without asking; changes of sensitive files, and reads of secrets, are asked for',
  bypassPermissions: 'nothing is asked; deny rules hold',
  yolo: 'nothing is asked and no rule holds',
};

function part(title, ...content) {
  return el('section', {}, el('h2', {}, title), content);
}

function rootsPart(now) {
  return part('Roots', el('p', { class: 'note' },
    'Agents reach what is beneath these directories, and nothing else.'),
  el('ul', { class: 'plain roots' },
    now.roots.map((root) => el('li', {}, code(root)))),
  el('p', {}, 'Confined by the kernel: ', now.confined, '.'),
  historyNote(now));
}

function historyNote(now) {
  if (now.history?.problem) {
    return el('p', { class: 'error' }, 'History: ', now.history.problem);
  }
  return el('p', { class: 'note' }, now.history?.on === false
    ? 'The history is off: changes cannot be taken back.'
    : 'The history is kept: each change can be taken back.');
}

function rulesPart(now) {
  const rules = Array.isArray(now.rules) ? now.rules : now.rules?.rules ?? [];
  return part('Rules',
    el('p', {}, 'Mode ', code(now.mode), ': ', MODES[now.mode] ?? '', '.'),
    rules.length > 0 && el('div', { class: 'scroll', tabindex: '0', role: 'region',
      'aria-label': 'Rules' },
    el('table', { class: 'rules' },
      el('thead', {}, el('tr', {}, ['What', 'Which', 'From'].map(
        (title) => el('th', { scope: 'col' }, title)))),
      el('tbody', {}, rules.map((rule) => el('tr', { class: rule.verdict },
        el('td', {}, el('span', { class: 'verdict' }, rule.verdict)),
        el('td', {}, code(rule.rule)),
        el('td', { class: 'origin' }, rule.origin)))))));
}

function clientsPart(now) {
  const list = now.clients ?? [];
  if (!list.length) {
    return part('Clients', el('p', { class: 'note' }, 'None is connected.'));
  }
  return part('Clients', el('div', { class: 'scroll', tabindex: '0', role: 'region',
    'aria-label': 'Clients' },
  el('table', {},
    el('thead', {}, el('tr', {}, ['Client', 'Token', 'Protocol', 'Here for',
      'Last heard', 'Calls', 'Now'].map((t) => el('th', { scope: 'col' }, t)))),
    el('tbody', {}, list.map((one) => el('tr', {},
      el('td', {}, name(one.client || 'unnamed')),
      el('td', {}, name(one.name)),
      el('td', {}, one.version ?? ''),
      el('td', {}, roughly(Date.now() - one.since_ms)),
      el('td', {}, el('span', { 'data-ago': one.last_ms })),
      el('td', { class: 'num' }, String(one.calls ?? 0)),
      el('td', {}, states(one))))))));
}

function states(one) {
  const words = [[one.running, 'running'], [one.waiting, 'waiting'],
    [one.asking, 'asking'], [one.streams, 'listening']]
    .filter(([n]) => n).map(([n, word]) => `${n} ${word}`);
  return words.join(', ') || 'quiet';
}

function countersPart(now) {
  return part('Since the start',
    el('dl', { class: 'counters' }, COUNTERS.map(([key, label, form]) => el('div', {},
      el('dt', {}, label),
      el('dd', {}, form ? form(now.counters[key] ?? 0)
        : (now.counters[key] ?? 0).toLocaleString('en'))))),
    el('p', { class: 'note' }, 'The same numbers for Prometheus: ',
      el('a', { href: '/metrics' }, '/metrics'), '.'));
}

// ---- how to connect

function endpoint(now) {
  const base = (now.url || location.origin).replace(/\/$/, '');
  return base.endsWith('/mcp') ? base : `${base}/mcp`;
}

const WAYS = [
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

function snippet(title, text) {
  return el('div', { class: 'snippet' },
    el('h3', {}, title),
    el('pre', { translate: 'no', dir: 'ltr' }, text),
    button('Copy', () => copy(text), { class: 'quiet', 'aria-label': `Copy: ${title}` }));
}

function connectPart(now) {
  const url = endpoint(now);
  return part('Connect a client',
    el('p', {}, 'Each client has a token of its own. Make one with ',
      code('stet token add NAME'), '; it is shown once. It takes the place of ',
      code('TOKEN'), '.'),
    snippet('Address', url),
    WAYS.map(([title, text]) => snippet(title, text(url))));
}

// ---- all of it

// Each part is drawn again when what it shows is another, but not while
// somebody's hands are in it.
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
