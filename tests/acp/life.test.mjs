// The end of turns, of Codex and of the editor. (53)
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { alive, codex, end, offspring, own, startEditor, until } from './editor.mjs';

const forever = (params, read, signal) => new Promise((resolve, reject) => {
  signal.addEventListener('abort', () => reject(new Error('taken back')));
});
const isCodex = (pid) => fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('app-server');

test('a cancel in the middle of a command', async (t) => {
  const e = await startEditor(t, { script: [[{ call: 'exec_command', args: { cmd: 'sleep 60' } }], [end]] });
  const prompt = e.prompt('wait');
  await until(() => e.calls().length, 'the command');
  await e.cancel();
  assert.deepEqual(await prompt, { stopReason: 'cancelled' });
  assert.equal(e.calls()[0].status, 'failed');
  assert.deepEqual(await e.prompt('go on'), { stopReason: 'end_turn' });
});

test('a cancel in the middle of a call of ours', async (t) => {
  const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, read: forever,
    script: (root) => [[own('read_text_file', { path: `${root}/a.txt` }, 'r')], [end]] });
  const prompt = e.prompt('read');
  await until(() => e.reads.length, 'the read');
  await e.cancel();
  assert.deepEqual(await prompt, { stopReason: 'cancelled' });
  const told = e.updates.filter((update) => update.toolCallId === 'r');
  assert.deepEqual(told.map((one) => one.sessionUpdate), ['tool_call', 'tool_call_update']);
  assert.equal(told[1].status, 'failed');
});

test('Codex is killed in the middle of a call, and comes back', async (t) => {
  const e = await startEditor(t, { script: [
    [{ say: 'I remember.' }], [{ call: 'exec_command', args: { cmd: 'sleep 60' } }], [{ say: 'Here again.' }]] });
  await e.prompt('the word is plum');
  const prompt = e.prompt('wait');
  prompt.catch(() => {});
  await until(() => e.calls().length, 'the command');
  process.kill(offspring(e.child.pid).find(isCodex), 'SIGKILL');
  await assert.rejects(prompt, (error) => error.code === -32603 && /signal 9/.test(error.message));
  assert.equal(e.calls()[0].status, 'failed');

  assert.deepEqual(await e.prompt('still there?'), { stopReason: 'end_turn' });
  assert.match(e.text(), /Here again/);
  assert.match(JSON.stringify(e.model.requests.at(-1).input), /the word is plum/);
});

for (const [how, stop] of Object.entries({
  'the editor is gone': (e) => e.child.stdin.end(),
  'a signal': (e) => e.child.kill('SIGTERM'),
})) {
  test(`${how}: nothing is left running`, async (t) => {
    const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, read: forever, script: (root) => [
      [own('read_text_file', { path: `${root}/a.txt` })], [end]] });
    const prompt = e.prompt('read');
    await until(() => e.reads.length, 'the read');
    const all = offspring(e.child.pid);
    assert.ok(all.some(isCodex));
    const began = Date.now();
    stop(e);
    assert.deepEqual(await e.exited, { code: 0, signal: null });
    await until(() => !all.some(alive), 'all have ended');
    t.diagnostic(`${Date.now() - began} ms`);
    assert.deepEqual(await prompt, { stopReason: 'cancelled' });
    assert.equal(e.calls()[0].status, 'failed');
  });
}

test('stet is killed: Codex ends by itself', async (t) => {
  const e = await startEditor(t);
  const all = offspring(e.child.pid);
  e.child.kill('SIGKILL');
  await e.exited;
  await until(() => !all.some(alive), 'all have ended');
});

const lines = (e, words) => (error) => {
  assert.equal(error.code, -32603);
  assert.match(error.message, words);
  return true;
};

test('no Codex: said where it was looked for', async (t) => {
  const e = await startEditor(t, { opens: false, codex: '/no/such/codex' });
  const open = () => e.ask('session/new', { cwd: e.root, mcpServers: [] });
  await assert.rejects(open(), lines(e, /cannot run \/no\/such\/codex/));
  await assert.rejects(open(), lines(e, /cannot run \/no\/such\/codex/));
});

test('a Codex that ends at once: its own words', async (t) => {
  const e = await startEditor(t, { opens: false, config: 'approval_policy = "untrusted"' });
  await assert.rejects(e.ask('session/new', { cwd: e.root, mcpServers: [] }), lines(e, /untrusted/));
});

// The real Codex behind a proxy; its function returns true to drop a message.
function between(t, sees) {
  const fake = path.join(fs.mkdtempSync('/tmp/stet-fake-'), 'codex');
  t.after(() => fs.rmSync(path.dirname(fake), { recursive: true }));
  fs.writeFileSync(fake, `#!${process.execPath}
    const { spawn } = require('node:child_process');
    const real = spawn(${JSON.stringify(codex)}, ['app-server'], { stdio: ['pipe', 'inherit', 'inherit'] });
    const state = {}, reply = (m) => process.stdout.write(JSON.stringify(m) + '\\n');
    const sees = ${sees};
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      if (!sees(JSON.parse(line), state, reply)) real.stdin.write(line + '\\n');
    }).on('close', () => real.stdin.end());
    real.on('exit', (code) => process.exit(code ?? 1));
  `, { mode: 0o755 });
  return fake;
}

test('an overloaded Codex is asked again', async (t) => {
  const e = await startEditor(t, { codex: between(t, (m, state, reply) => {
    state.refused ??= 0;
    if (m.method !== 'thread/start' || state.refused++ >= 2) return false;
    reply({ id: m.id, error: { code: -32001, message: 'overloaded' } });
    return true;
  }) });
  assert.deepEqual(await e.prompt('hello'), { stopReason: 'end_turn' });
});

test('a Codex that does not hear a cancel is not waited for', async (t) => {
  const e = await startEditor(t, { script: [[{ call: 'exec_command', args: { cmd: 'sleep 60' } }], [end]],
    codex: between(t, (m) => m.method === 'turn/interrupt') });
  const prompt = e.prompt('wait');
  await until(() => e.calls().length, 'the command');
  await e.cancel();
  assert.deepEqual(await prompt, { stopReason: 'cancelled' });
  assert.equal(e.calls()[0].status, 'failed');
});

test('a cancel in the words of the contracts', async (t) => {
  const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, read: forever, args: ['--acp-events=contract'],
    script: (root) => [[own('read_text_file', { path: `${root}/a.txt` }, 'r')], [end]] });
  const prompt = e.prompt('read');
  await until(() => e.reads.length, 'the read');
  await e.cancel();
  assert.deepEqual(await prompt, { stopReason: 'cancelled' });
  e.watch.problems.length = 0; // this dialect differs from the protocol
  const told = e.updates.filter((update) => update.id === 'r');
  assert.deepEqual(told.map((one) => [one.type, one.status ?? one.fields.status]),
    [['toolCall', 'pending'], ['toolCallUpdate', 'failed']]);
});

test('Codex is killed in the middle of a call of ours', async (t) => {
  const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, read: forever,
    script: (root) => [[own('read_text_file', { path: `${root}/a.txt` }, 'r')], [{ say: 'Here again.' }]] });
  const prompt = e.prompt('read');
  prompt.catch(() => {});
  await until(() => e.reads.length, 'the read');
  process.kill(offspring(e.child.pid).find(isCodex), 'SIGKILL');
  await assert.rejects(prompt, lines(e, /signal 9/));
  const told = e.updates.filter((update) => update.toolCallId === 'r');
  assert.deepEqual(told.map((one) => one.status), ['pending', 'failed']);
  assert.deepEqual(await e.prompt('still there?'), { stopReason: 'end_turn' });
});

test('two sessions at once do not mix', async (t) => {
  const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, script: Array(2).fill((request) => [
    { say: /plum/.test(JSON.stringify(request.input)) ? 'for the first' : 'for the second' }]) });
  const second = await e.ask('session/new', { cwd: e.root, mcpServers: [] });
  const ask = (sessionId, text) => e.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  await Promise.all([ask(e.session, 'the plum'), ask(second.sessionId, 'the other')]);
  const text = (id) => e.watch.lines.filter((line) => line.params?.sessionId === id &&
    line.params.update?.sessionUpdate === 'agent_message_chunk').map((line) => line.params.update.content.text).join('');
  assert.equal(text(e.session), 'for the first');
  assert.equal(text(second.sessionId), 'for the second');
});

test('--trace keeps what was said, for its owner alone', async (t) => {
  const e = await startEditor(t, { args: ['--trace', '/dev/null'], opens: false });
  await e.close();
  // A directory of its own: a Codex that ended early may have left its database
  // in the middle of a migration, and the next one would wait for that.
  const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'stet-acp-')));
  const file = path.join(base, 'trace');
  const again = await startEditor(t, { base, args: ['--trace', file] });
  await again.close();
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  const ways = new Set(fs.readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line).way));
  assert.deepEqual([...ways].sort(), ['codex<', 'codex>', 'editor<', 'editor>']);
});
