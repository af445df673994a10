// Conversations: initialize, prompts, modes, commands, loaded sessions.
// X12 X14
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { end, own, startEditor, until } from './editor.mjs';

const refused = (code, words) => (error) => {
  assert.equal(error.code, code, error.message);
  assert.match(error.message, words);
  return true;
};

test('initialize: version 1 whatever is asked for, and what it can', async (t) => {
  const e = await startEditor(t, { opens: false, version: 7 });
  assert.equal(e.hello.protocolVersion, 1);
  assert.equal(e.hello.agentInfo.name, 'stet');
  assert.deepEqual(e.hello.agentCapabilities.promptCapabilities,
    { image: true, audio: false, embeddedContext: true });
  assert.deepEqual(e.hello.agentCapabilities.mcpCapabilities, { http: true, sse: false });
  assert.deepEqual(Object.keys(e.hello.agentCapabilities.sessionCapabilities).sort(),
    ['additionalDirectories', 'close', 'list', 'resume']);
  assert.deepEqual(e.hello.authMethods.map((method) => method.id), ['api-key', 'chatgpt']);
  await assert.rejects(e.ask('no/such', {}), refused(-32601, /no\/such/));
});

test('a prompt is answered in pieces, with thoughts and usage', async (t) => {
  const e = await startEditor(t, { script: [[{ think: 'What could they want?' }, { say: 'Hello, you there.' }]] });
  await until(() => e.kinds('available_commands_update').length, 'commands');
  const lines = e.watch.lines;
  const reply = lines.findIndex((line) => line.result?.sessionId);
  const told = lines.findIndex((line) => line.params?.update?.sessionUpdate === 'available_commands_update');
  assert.ok(reply >= 0 && told > reply, 'the session is answered before it is talked of');

  assert.deepEqual(await e.prompt('Hello?'), { stopReason: 'end_turn' });
  assert.equal(e.text(), 'Hello, you there.');
  assert.ok(e.kinds('agent_message_chunk').length > 1);
  assert.equal(new Set(e.kinds('agent_message_chunk').map((piece) => piece.messageId)).size, 1);
  assert.equal(e.text('agent_thought_chunk'), 'What could they want?');
  assert.ok(e.kinds('usage_update').at(-1).size > 0);
});

test('text, images, resources and links reach the model', async (t) => {
  const e = await startEditor(t);
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  await e.prompt([
    { type: 'text', text: 'words of mine' },
    { type: 'image', mimeType: 'image/png', data: pixel },
    { type: 'resource_link', uri: 'file:///some%20where/x.c', name: 'x.c' },
    { type: 'resource', resource: { uri: 'file:///y.c', mimeType: 'text/plain', text: 'int y;' } },
  ]);
  const sent = JSON.stringify(e.model.requests[0].input);
  for (const part of ['words of mine', pixel, '/some where/x.c', '/y.c', 'int y;']) {
    assert.ok(sent.includes(part), part);
  }
  await assert.rejects(e.prompt([{ type: 'audio', mimeType: 'audio/wav', data: 'AA==' }]),
    refused(-32602, /audio/));
  await assert.rejects(e.prompt([]), refused(-32602, /empty/));
});

test('a second prompt has to wait for the first', async (t) => {
  const e = await startEditor(t, { script: [[{ hang: true }]] });
  const first = e.prompt('one');
  await until(() => e.model.requests.length, 'the first');
  await assert.rejects(e.prompt('two'), refused(-32600, /still running/));
  await e.cancel();
  assert.deepEqual(await first, { stopReason: 'cancelled' });
});

test('a model that refuses the key: log in', async (t) => {
  const e = await startEditor(t, { script: [[{ status: 401 }]] });
  await assert.rejects(e.prompt('hello'), refused(-32000, /./));
});

test('a model that fails: its words', async (t) => {
  const e = await startEditor(t, { script: [[{ status: 400, message: 'the moon is wrong' }]] });
  await assert.rejects(e.prompt('hello'), refused(-32603, /the moon is wrong/));
  assert.deepEqual(await e.prompt('again'), { stopReason: 'end_turn' });
});

test('without a key Codex wants a login first', async (t) => {
  const e = await startEditor(t, { opens: false });
  fs.writeFileSync(path.join(e.base, 'codex/config.toml'),
    'check_for_update_on_startup = false\n[features]\nplugins = false\napps = false\n[analytics]\nenabled = false\n');
  await assert.rejects(e.ask('session/new', { cwd: e.root, mcpServers: [] }), refused(-32000, /logged in/));
  await assert.rejects(e.ask('authenticate', { methodId: 'api-key' }), refused(-32000, /OPENAI_API_KEY/));
  await assert.rejects(e.ask('authenticate', { methodId: 'magic' }), refused(-32602, /Unknown authentication method/));
});

test('modes and options', async (t) => {
  const e = await startEditor(t);
  assert.equal(e.opened.modes.currentModeId, 'auto');
  const option = (id, from = e.opened) => from.configOptions.find((one) => one.id === id);
  assert.equal(option('model').currentValue, 'gpt-5.5');
  assert.equal(option('effort').category, 'thought_level');
  assert.equal(option('mode').category, 'mode');

  await e.ask('session/set_mode', { sessionId: e.session, modeId: 'full-access' });
  const changed = await e.ask('session/set_config_option',
    { sessionId: e.session, configId: 'effort', value: option('effort').options.at(-1).value });
  assert.equal(option('effort', changed).currentValue, option('effort').options.at(-1).value);
  assert.equal(option('mode', changed).currentValue, 'full-access');
  await assert.rejects(e.ask('session/set_mode', { sessionId: e.session, modeId: 'chaos' }), refused(-32602, /mode/));
  await assert.rejects(e.ask('session/set_config_option',
    { sessionId: e.session, configId: 'model', value: 'none' }), refused(-32602, /./));
  await e.prompt('hello');
  assert.equal(e.model.requests[0].reasoning.effort, option('effort').options.at(-1).value);
});

test('commands: status, mcp, approvals, and those that need more', async (t) => {
  const e = await startEditor(t);
  await e.prompt('/status');
  assert.match(e.text(), /Model: gpt-5\.5[^]*Mode: Auto[^]*through the editor/);
  await e.prompt('/mcp');
  assert.match(e.text(), /stet.*read_text_file/);
  await e.prompt('/approvals read-only');
  assert.match(e.text(), /\*\*now\*\* `read-only`/);
  await e.prompt('/review-commit');
  assert.match(e.text(), /needs its hash/);
  assert.equal(e.model.requests.length, 0);
  await e.prompt('/usr/bin is a directory');
  assert.equal(e.model.requests.length, 1);
});

test('compact: the conversation is made shorter', async (t) => {
  const e = await startEditor(t, { script: [[{ say: 'Hello.' }], [{ say: 'A summary.' }]] });
  await e.prompt('hello');
  assert.deepEqual(await e.prompt('/compact'), { stopReason: 'end_turn' });
  assert.equal(e.model.requests.length, 2);
  assert.match(JSON.stringify(e.kinds('notice')), /compacted/);
});

test('undo: the latest change of the session, through the editor', async (t) => {
  const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, script: (root) => [
    [own('edit_text_file', { path: `${root}/a.txt`, old_string: 'one', new_string: 'two' })], [end]] });
  await e.prompt('change it');
  assert.equal(fs.readFileSync(`${e.root}/a.txt`, 'utf8'), 'two\n');
  assert.deepEqual(await e.prompt('/undo'), { stopReason: 'end_turn' });
  assert.equal(fs.readFileSync(`${e.root}/a.txt`, 'utf8'), 'one\n');
  assert.equal(e.writes.length, 2);
  assert.match(e.text(), /Undone/);
  await e.prompt('/undo');
  assert.match(e.text(), /Nothing was undone/);
});

test('sessions: listed, closed, resumed, and loaded with all that was said', async (t) => {
  const first = await startEditor(t, { keep: true, files: { 'a.txt': 'one\n' }, script: (root) => [
    [{ think: 'Hm.' }, own('read_text_file', { path: `${root}/a.txt` })],
    [{ call: 'exec_command', args: { cmd: 'echo shell' } }], [{ say: 'It says one.' }]] });
  await first.prompt('read it');
  const listed = await first.ask('session/list', { cwd: first.root });
  assert.deepEqual(listed.sessions.map((one) => one.sessionId), [first.session]);
  assert.equal(listed.sessions[0].title, 'read it');
  await first.ask('session/close', { sessionId: first.session });
  await assert.rejects(first.prompt('more'), refused(-32002, /Unknown session/));
  await first.close();

  const second = await startEditor(t, { base: first.base, opens: false, keep: true });
  second.session = first.session;
  const loaded = await second.ask('session/load', { sessionId: first.session, cwd: first.root, mcpServers: [] });
  assert.equal(loaded.modes.currentModeId, 'auto');
  const told = second.watch.lines.findIndex((line) => line.result?.modes);
  const said = second.watch.lines.slice(0, told).map((line) => line.params?.update).filter(Boolean);
  const words = (kind) => said.filter((one) => one.sessionUpdate === kind).map((one) => one.content.text).join('');
  assert.match(words('user_message_chunk'), /read it/);
  assert.equal(words('agent_message_chunk'), 'It says one.');
  const calls = said.filter((one) => one.sessionUpdate === 'tool_call');
  assert.deepEqual(calls.map((one) => [one.kind, one.status]), [['read', 'completed'], ['execute', 'completed']]);
  assert.deepEqual(calls[0].locations, [{ path: `${first.root}/a.txt` }]);
  assert.deepEqual(await second.prompt('go on'), { stopReason: 'end_turn' });
  await second.close();

  const third = await startEditor(t, { base: first.base, opens: false });
  third.session = first.session;
  await third.ask('session/resume', { sessionId: first.session, cwd: first.root, mcpServers: [] });
  assert.deepEqual(third.updates.filter((one) => /chunk|tool_call/.test(one.sessionUpdate)), []);
  assert.deepEqual(await third.prompt('and on'), { stopReason: 'end_turn' });
  await assert.rejects(third.ask('session/load',
    { sessionId: '00000000-0000-7000-8000-000000000000', cwd: first.root, mcpServers: [] }), refused(-32002, /./));
});

test('servers of the editor are given to Codex', async (t) => {
  const e = await startEditor(t, { servers: [
    { name: 'more files', command: process.argv[2], args: ['serve', '/usr/share'], env: [{ name: 'A', value: 'b' }] },
    { type: 'sse', name: 'old', url: 'http://127.0.0.1:1/', headers: [] }] });
  await until(() => /old/.test(JSON.stringify(e.kinds('notice'))), 'the notice');
  await e.prompt('/mcp');
  assert.match(e.text(), /more_files.*tools/);
});

test('a prompt that is taken back is cancelled', async (t) => {
  const e = await startEditor(t, { script: [[{ hang: true }]] });
  const prompt = e.prompt('one');
  await until(() => e.model.requests.length, 'the prompt');
  const [id] = [...e.watch.asked].find(([, method]) => method === 'session/prompt');
  await e.agent.notify('$/cancel_request', { requestId: id });
  assert.deepEqual(await prompt, { stopReason: 'cancelled' });
});

test('a session that is open may be loaded again', async (t) => {
  const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, script: (root) => [[{ say: 'First.' }],
    [own('read_text_file', { path: `${root}/a.txt` })], [end]] });
  await e.prompt('hello');
  await e.ask('session/load', { sessionId: e.session, cwd: e.root, mcpServers: [] });
  assert.deepEqual(await e.prompt('read'), { stopReason: 'end_turn' });
  assert.equal(e.calls().at(-1).status, 'completed');
  assert.equal(e.reads.length, 1);
});

test('reviews are turns, and what they found is said', async (t) => {
  const e = await startEditor(t, { script: [[{ say: JSON.stringify({ findings: [],
    overall_correctness: 'patch is correct', overall_explanation: 'All is well.', overall_confidence_score: 1 }) }]] });
  assert.deepEqual(await e.prompt('/review the plums'), { stopReason: 'end_turn' });
  assert.match(JSON.stringify(e.model.requests[0].input), /the plums/);
  assert.match(e.text(), /All is well/);
});

test('what a session cannot be opened with', async (t) => {
  const e = await startEditor(t);
  const open = (params) => e.ask('session/new', { cwd: e.root, mcpServers: [], ...params });
  await assert.rejects(open({ cwd: 'here' }), refused(-32602, /absolute/));
  await assert.rejects(open({ cwd: `${e.root}/none` }), refused(-32602, /No such directory/));
  await assert.rejects(open({ additionalDirectories: ['there'] }), refused(-32602, /absolute/));
  fs.mkdirSync(`${e.root}/.stet`);
  fs.writeFileSync(`${e.root}/.stet/config.json`, '{"mode": 7}');
  await assert.rejects(open({}), refused(-32603, /config\.json/));
  assert.deepEqual(await e.prompt('and this one lives'), { stopReason: 'end_turn' });
});
