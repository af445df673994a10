// The real `codex exec` with stet as its MCP server and default options: what is
// sent to the model, as recorded by the scripted model.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { codexIn, configure } from './codex.mjs';
import { startModel } from './model.mjs';

const stet = path.resolve(process.argv[2] ?? 'build/stet');
const codex = codexIn(path.join(import.meta.dirname, 'node_modules'));

// One run; `steps` are functions of the root that return a tool and its
// arguments; `between` is called before each. Returns what was sent to the model
// for each call, without Codex's line about the duration.
async function exec(t, { files, flags = [], steps, between = () => {} }) {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'stet-exec-')));
  const home = path.join(base, 'codex'), root = path.join(base, 'project');
  fs.mkdirSync(home);
  fs.mkdirSync(root);
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(root, name), text);
  const model = await startModel(steps.map((step, i) => () => {
    between(i, { base, root });
    const [call, args] = step(root);
    return [{ call, args, in: 'mcp__stet' }];
  }));
  t.after(() => { model.close(); fs.rmSync(base, { recursive: true, force: true }); });
  configure(home, model.url, `
approval_policy = "never"
sandbox_mode = "danger-full-access"
[mcp_servers.stet]
command = ${JSON.stringify(stet)}
args = ${JSON.stringify(['serve', ...flags, root])}
env = { HOME = ${JSON.stringify(base)} }`);
  const child = spawn(codex, ['exec', '--skip-git-repo-check', '-C', root, 'hello'], { stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: base, CODEX_HOME: home, SCRIPT_KEY: 'none' } });
  let said = '';
  for (const pipe of [child.stdout, child.stderr]) pipe.on('data', (piece) => { said += piece; });
  assert.equal(await new Promise((resolve) => { child.once('close', resolve); }), 0, said);
  assert.equal(model.requests.length, steps.length + 1, said);
  const sent = model.requests.slice(1).map((request) => {
    const { output } = model.output(request);
    const text = typeof output === 'string' ? output : output.map((item) => item.text).join('\n');
    return text.replace(/^Wall time: .*\nOutput:\n/, '');
  });
  return { root, base, sent };
}

const NOISE = /Mcp error|tool call error|Caused by|-32\d{3}|structuredContent|\{"/;

test('the model is sent the text of a file as it is', async (t) => {
  const text = 'one "x"\n\ttwo \\ \u00e9\n\nthree\n';
  const { sent, root } = await exec(t, { files: { 'a.txt': text }, steps: [
    (dir) => ['read_text_file', { path: `${dir}/a.txt` }],
    (dir) => ['read_text_file', { path: `${dir}/a.txt`, line: 1, limit: 2 }],
    (dir) => ['edit_text_file', { path: `${dir}/a.txt`, old_string: 'three', new_string: '3' }],
    (dir) => ['write_text_file', { path: `${dir}/b.txt`, content: 'new\n' }],
  ] });
  assert.equal(sent[0], text);
  assert.equal(sent[1], `${text.split('\n').slice(0, 2).join('\n')}\n[lines 1-2 of 4; go on with line 3]`);
  assert.match(sent[2], /^--- a.txt\n\+\+\+ a.txt\n@@ .*\n.*-three\n\+3\n$/s);
  assert.equal(sent[3], `Created, wrote 4 bytes to ${root}/b.txt`);
});

test('the model is sent a sentence and what helps it, and no more', async (t) => {
  const { sent, root } = await exec(t, { files: { 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'x x\n' }, steps: [
    (dir) => ['edit_text_file', { path: `${dir}/a.txt`, old_string: 'tvo', new_string: '2' }],
    (dir) => ['edit_text_file', { path: `${dir}/b.txt`, old_string: 'x', new_string: 'y' }],
    () => ['read_text_file', { path: '/etc/passwd' }],
    () => ['edit_text_file', { old_string: 'x', new_string: 'y' }],
  ] });
  for (const text of sent) assert.doesNotMatch(text, NOISE);
  assert.match(sent[0], /^String not found in file: tvo\nLine 2 .*\n {2}two$/);
  assert.match(sent[1], /^String appears 2 times \(must be unique\): x\nLine 1: /);
  assert.equal(sent[2], `Permission denied: /etc/passwd\nThe roots are ${root}`);
  assert.match(sent[3], /^Missing required argument: path/);
});

// `codex exec` declines every form by itself.
test('what nobody was asked is not denied by the user, and can be allowed', async (t) => {
  const write = (dir) => ['write_text_file', { path: `${dir}/.env`, content: 'KEY=new\n' }];
  const person = (base, ...words) => JSON.parse(execFileSync(stet, ['approvals', ...words, '--json'],
    { env: { PATH: process.env.PATH, HOME: base } }).toString());
  const { sent, root, base } = await exec(t, { files: { '.env': 'KEY=old\n' }, steps: [write, write, write],
    between: (i, at) => {
      if (i !== 2) return;
      fs.mkdirSync(path.join(at.base, '.config/stet'), { recursive: true });
      fs.writeFileSync(path.join(at.base, '.config/stet/config.json'), '{"approvals": {"yes_i_am_the_person": true}}');
      const { approvals } = person(at.base, 'list');
      assert.equal(approvals.length, 1, 'the same call is one question');
      person(at.base, 'allow', approvals[0].id);
    } });
  for (const text of sent.slice(0, 2)) {
    assert.doesNotMatch(text, NOISE);
    assert.doesNotMatch(text, /denied/i);
    assert.ok(text.startsWith(`Approval required: write_text_file wants to change ${root}/.env\n`
      + 'The client declined without asking anybody'), text);
  }
  assert.equal(sent[2], `Wrote 8 bytes to ${root}/.env`);
  assert.equal(fs.readFileSync(`${root}/.env`, 'utf8'), 'KEY=new\n');
  assert.deepEqual(person(base, 'list').approvals, []);
});

test('--ask-by client: the words say that it was the client', async (t) => {
  const { sent, root } = await exec(t, { files: { '.env': 'KEY=old\n' }, flags: ['--ask-by=client'], steps: [
    (dir) => ['write_text_file', { path: `${dir}/.env`, content: 'KEY=new\n' }]] });
  assert.ok(sent[0].startsWith('Declined by the client without asking the user: write_text_file wants to change '), sent[0]);
  assert.equal(fs.readFileSync(`${root}/.env`, 'utf8'), 'KEY=old\n');
});
