// settings_rules.js - the rules with their origin, a test of which rule decides
// for a path, and adding and removing the person's own rules.
import { button, byId, code, count, el, fill, keep, path, toast } from './dom.js';
import { get, post } from './server.js';
import * as now from './settings_now.js';
import { sure } from './confirm.js';
import { MODES } from './status.js';

const ORDER = ['deny', 'ask', 'allow'];
const STATES = {
  current: () => '',
  mistake: (file) => `Your settings have changed, and contain an error: ${file.note} `
    + 'The previous rules are still in effect.',
  gone: () => 'Your settings file does not exist any more. The previous rules are in effect '
    + 'until the server is restarted.',
  restart: () => 'Your settings have changed. Rules, mode, ignored files and encodings '
    + 'are in effect; tools, hooks, history and approvals take effect after a restart.',
  off: () => 'This server was started without your settings (--no-config, or no home '
    + 'directory): rules cannot be added here.',
};

// ---- which rule decides for a path

const DOES = { read: 'Reading', write: 'Changing' };
const SAYS = { allow: 'is allowed', ask: 'asks you', deny: 'is refused' };
const REASONS = {
  rule: 'a rule', sensitive: 'a sensitive path, built in', ignored: 'an ignore file or pattern',
  mode: 'the mode', plan_mode: 'mode plan', config: 'one of stet’s own files',
};

function because({ reason, rule, why, mode }) {
  if (rule) return [code(`${rule.verdict} ${rule.rule}`), ' from ', rule.origin];
  if (reason === 'mode') return ['no rule matches, and mode ', code(mode), ' allows it'];
  if (why && !REASONS[reason]) return why;
  return [REASONS[reason] ?? reason, why && ': ', why];
}

function outcome({ does, decision }) {
  return el('li', { class: `outcome ${decision.verdict}` },
    el('p', {}, DOES[does], ' ', path(decision.path, decision.path), ' ',
      el('strong', { class: 'verdict' }, SAYS[decision.verdict]), '.'),
    decision.key !== decision.path && decision.key
      && el('p', { class: 'note' }, 'It is ', code(decision.key), '.'),
    el('p', { class: 'note' }, 'Because: ', because(decision), '.'),
    decision.hidden && el('p', { class: 'note' }, 'Tools cannot see this file.'));
}

async function decide(event) {
  event.preventDefault();
  const box = byId('check-result');
  try {
    const { checks } = await get('/api/rules/check', { path: byId('check-path').value });
    fill(box, checks.length ? el('ul', { class: 'plain' }, checks.map(outcome))
      : el('p', { class: 'note' }, 'No directory is served.'));
  } catch (fault) {
    fill(box, el('p', { class: 'error' }, fault.message));
  }
}

function checkForm() {
  return el('form', { class: 'one-line', id: 'check-form', onsubmit: decide,
    autocomplete: 'off' },
  el('label', { for: 'check-path' }, 'Test a path'),
  el('input', { id: 'check-path', class: 'mono', required: true, placeholder: 'src/.env',
    spellcheck: 'false', autocapitalize: 'off' }),
  el('button', {}, 'Check'),
  el('div', { id: 'check-result', 'aria-live': 'polite' }));
}

// ---- the person's own rules

// Only an allow rule for a whole root or for all tools needs a confirmation.
function agree(body, reach) {
  return sure('Allow all of this without asking?', [
    el('p', {}, code(`${body.verdict} ${body.rule}`), ' covers:'),
    el('ul', {}, reach.split(' · ').map((part) => el('li', {}, part)))],
  `Add the rule: ${reach}`);
}

// False = not confirmed.
async function addRule(body) {
  const { confirm: reach } = await post('/api/rules', body);
  if (!reach) return true;
  if (!await agree(body, reach)) return false;
  await post('/api/rules', { ...body, reach });
  return true;
}

async function changed(words) {
  toast(words);
  await now.refresh();
}

async function add(event) {
  event.preventDefault();
  const why = byId('rule-error');
  const body = { verdict: byId('rule-verdict').value, rule: byId('rule-text').value.trim() };
  fill(why);
  try {
    if (await addRule(body)) {
      await changed(`Rule added: ${body.verdict} ${body.rule}`);
      byId('rule-text').value = '';
    }
  } catch (fault) {
    fill(why, fault.message);
  }
  byId('rule-text').focus();
}

async function remove(rule) {
  const words = `${rule.verdict} ${rule.rule}`;
  const yes = await sure('Remove this rule?', [
    el('p', {}, code(words)),
    el('p', {}, rule.verdict === 'allow' ? 'Calls that it allows may need approval again.'
      : 'Calls that it denies or asks about may run without a question from now on.')],
  `Remove: ${words}`);
  if (!yes) return;
  try {
    await post('/api/rules/remove', { verdict: rule.verdict, rule: rule.rule });
    await changed(`Rule removed: ${words}`);
  } catch (fault) {
    toast(fault.message, true);
  }
  byId('h-rules').focus();
}

function addForm() {
  return el('form', { class: 'one-line', id: 'rule-form', onsubmit: add, autocomplete: 'off' },
    el('label', { for: 'rule-text' }, 'Add a rule'),
    el('select', { id: 'rule-verdict', 'aria-label': 'What it does' },
      ORDER.map((verdict) => el('option', { value: verdict }, verdict))),
    el('input', { id: 'rule-text', class: 'mono', required: true, placeholder: 'write(vendor)',
      spellcheck: 'false', autocapitalize: 'off', 'aria-describedby': 'rule-help rule-error' }),
    el('button', { class: 'primary' }, 'Add'),
    el('p', { class: 'note', id: 'rule-help' }, 'A tool, ', code('read'), ', ', code('write'),
      ' or ', code('*'), ', and in brackets a pattern as in .gitignore: ',
      code('*(.env)'), ', ', code('write(src)'), '.'),
    el('p', { class: 'error', id: 'rule-error', role: 'alert' }));
}

// ---- all rules

function row(rule) {
  const node = el('li', { class: `entry rule ${rule.verdict}` },
    el('p', { class: 'files' }, el('span', { class: 'verdict' }, rule.verdict), ' ',
      code(rule.rule)),
    el('p', { class: 'note origin' }, rule.origin, rule.root && ` (for ${rule.root})`),
    rule.own && button('Remove', () => remove(rule),
      { 'aria-label': `Remove: ${rule.verdict} ${rule.rule}` }));
  node.state = JSON.stringify(rule);
  return node;
}

function ignored(all) {
  const files = all.ignore_files.length
    ? [' Ignore files apply as well: ', all.ignore_files.join(', '), '.'] : '';
  if (!all.ignore.length) {
    return el('p', { class: 'note' }, 'No ignore patterns are set.', files);
  }
  return [el('p', { class: 'note' }, 'These files are not written.', files),
    el('ul', { class: 'plain' }, all.ignore.map((one) => el('li', { class: 'entry' },
      el('p', { class: 'files' }, code(one.pattern)),
      el('p', { class: 'note origin' }, one.origin))))];
}

function draw(all) {
  const rules = all.rules.map((rule, i) => ({ ...rule, at: i }))
    .sort((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict) || a.at - b.at)
    .map(({ at, ...rule }) => rule);
  const file = all.file ?? { state: 'off', path: '' };
  const words = STATES[file.state]?.(file) ?? '';
  fill(byId('rules-state'), words && el('p', { class: 'beware' }, words));
  byId('rule-form').hidden = !file.can_change;
  fill(byId('rules-mode'), 'Mode ', code(all.mode), ' (', all.mode_origin ?? 'built in', '): ',
    MODES[all.mode] ?? '', '.');
  fill(byId('rules-lead'), rules.length ? 'In the order in which they are evaluated. '
    : 'Neither you nor a project has set a rule. ',
  `${count(all.built_in, 'sensitive path')} are built in, and ask (see Status). `,
  file.path && ['Rules that you add go to ', code(file.path), '.']);
  keep(byId('rules-list'), rules, (rule) => JSON.stringify(rule),
    (rule, was) => (was?.state === JSON.stringify(rule) ? was : row(rule)));
  fill(byId('rules-ignored'), ignored(all));
}

// ---- as a part of the settings

export const refresh = now.refresh;

export function part() {
  return el('section', { id: 'rules', 'aria-labelledby': 'h-rules' },
    el('h2', { id: 'h-rules', tabindex: '-1' }, 'Rules'),
    el('div', { id: 'rules-state', role: 'status' }),
    el('p', { id: 'rules-mode' }),
    checkForm(),
    el('p', { class: 'note', id: 'rules-lead' }),
    el('ul', { class: 'plain', id: 'rules-list' }),
    addForm(),
    el('h3', {}, 'Ignored files'),
    el('div', { id: 'rules-ignored' }));
}

export function start() {
  now.onSettings(draw);
  now.start();
}
