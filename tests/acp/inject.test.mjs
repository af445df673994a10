// How Codex is configured with stet as a server, by stet acp and by hand, and the
// cost of another session. X08 X09 X21
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { codex, end, offspring, own, pss, startEditor, stet, until, words } from './editor.mjs';

const ours = (e) => offspring(e.child.pid).filter((pid) => words(pid).includes('--bridge'));
const told = (file, method) => fs.readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line))
  .filter((entry) => entry.way === 'codex<').map((entry) => JSON.parse(entry.line))
  .filter((message) => message.method === method);

function traceFile(t) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'stet-trace-'));
  t.after(() => fs.rmSync(dir, { recursive: true }));
  return path.join(dir, 'trace');
}

test('X08, X09: the server that stet acp gives to Codex', async (t) => {
  const trace = traceFile(t);
  const e = await startEditor(t, { args: ['--trace', trace] });
  const [started] = told(trace, 'thread/start');
  const { config } = started.params;
  const { command, args, env, ...rest } = config.mcp_servers.stet;
  assert.equal(fs.realpathSync(command), fs.realpathSync(stet));
  assert.deepEqual(args.slice(0, 2), ['serve', '--bridge']);
  assert.deepEqual(Object.keys(env).sort(), ['STET_BRIDGE', 'STET_BRIDGE_PID', 'STET_BRIDGE_WORD']);
  assert.ok(fs.statSync(env.STET_BRIDGE).isSocket());
  assert.equal(fs.statSync(env.STET_BRIDGE).mode & 0o777, 0o600);
  assert.equal(env.STET_BRIDGE_PID, String(e.child.pid));
  assert.match(env.STET_BRIDGE_WORD, /^[0-9a-f]{64}$/);
  assert.equal(rest.default_tools_approval_mode, 'approve');
  assert.deepEqual(config['features.code_mode.direct_only_tool_namespaces'], ['mcp__stet']);

  await until(() => ours(e).length, 'Codex has started it');
  const [pid] = ours(e);
  assert.deepEqual(words(pid).slice(1), args);
});

// The command of docs/acp.md, as typed into a shell.
const page = fs.readFileSync(path.join(import.meta.dirname, '../../docs/acp.md'), 'utf8');
const byHand = /## Without an editor\n[^]*?```sh\n([^]*?)```/.exec(page)?.[1];

// The editor only creates the model and its configuration.
async function exec(t, words) {
  const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, opens: false, script: (root) => [
    [own('write_text_file', { path: `${root}/a.txt`, content: 'two\n' })], [end]] });
  const child = spawn('sh', ['-c', words], { cwd: e.root, stdio: ['ignore', 'pipe', 'pipe'], env: {
    PATH: `${path.dirname(stet)}:${path.dirname(codex)}:${process.env.PATH}`,
    HOME: e.base, CODEX_HOME: path.join(e.base, 'codex'), SCRIPT_KEY: 'none' } });
  let said = '';
  for (const pipe of [child.stdout, child.stderr]) pipe.on('data', (piece) => { said += piece; });
  const code = await new Promise((resolve) => { child.once('close', resolve); });
  assert.equal(code, 0, said);
  return { text: fs.readFileSync(`${e.root}/a.txt`, 'utf8'), said,
    output: JSON.stringify(e.model.output(e.model.requests[1])), tools: e.model.requests[0].tools };
}

test('X08, X09: by hand, as the manual says: the model sees the tools, and a write is made', async (t) => {
  assert.ok(byHand, 'docs/acp.md says how');
  const got = await exec(t, byHand);
  assert.ok(got.tools.some((tool) => JSON.stringify(tool).includes('write_text_file')), JSON.stringify(got.tools));
  assert.equal(got.text, 'two\n', got.output);
});

test('X09: nobody to ask, and to be asked for: Codex refuses the write', async (t) => {
  const other = byHand.replace('approval_mode="approve"', 'approval_mode="prompt"');
  assert.notEqual(other, byHand);
  const got = await exec(t, other);
  assert.match(got.output, /approv/);
  assert.equal(got.text, 'one\n');
});

test('X09: a mode that asks nothing: the write is made', async (t) => {
  const trace = traceFile(t);
  const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, args: ['--trace', trace], script: (root) => [
    [own('write_text_file', { path: `${root}/a.txt`, content: 'two\n' })], [end]] });
  await e.ask('session/set_mode', { sessionId: e.session, modeId: 'full-access' });
  assert.deepEqual(await e.prompt('write'), { stopReason: 'end_turn' });
  assert.equal(told(trace, 'turn/start')[0].params.approvalPolicy, 'never');
  assert.equal(fs.readFileSync(`${e.root}/a.txt`, 'utf8'), 'two\n');
  assert.deepEqual(e.asked, []);
});

const all = (e) => [e.child.pid, ...ours(e)].map(pss).reduce((sum, one) => sum + one, 0);

test('X21: a session more takes less than 10 MB, its bridge with it', async (t) => {
  const more = 5;
  const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, script: (root) => Array(2 * more + 2).fill(0)
    .map((_, i) => i % 2 ? [end] : [own('read_text_file', { path: `${root}/a.txt` })]) });
  await e.prompt('read');
  const before = all(e), bridges = ours(e).length;
  assert.equal(bridges, 1);
  for (let i = 0; i < more; i++) {
    e.session = (await e.ask('session/new', { cwd: e.root, mcpServers: [] })).sessionId;
    await e.prompt('read');
  }
  assert.equal(ours(e).length, bridges + more);
  assert.equal(e.reads.length, 1 + more);
  const each = (all(e) - before) / more;
  t.diagnostic(`${before} KiB, and ${Math.round(each)} KiB for each session more`);
  assert.ok(each * 1024 < 10_000_000, `${each} KiB`);
});
