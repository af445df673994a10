// Files: the editor first, the disk second; each call is reported once, with its
// end.
// W24 W25 W26 W41 W53 R26 R27 R28 R42 R50 R61 R62 M25 M34 A12 A15 A16 A17 A34 X10 X11
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { end, own, startEditor, stet } from './editor.mjs';

const output = (e, n) => JSON.stringify(e.model.output(e.model.requests[n]).output);
const events = (e, id) => e.updates.filter((update) => (update.toolCallId ?? update.id) === id);
const reading = (root, more) => [[own('read_text_file', { path: `${root}/a.txt`, ...more }, 'r')], [end]];
const editing = (root) => [[own('edit_text_file',
  { path: `${root}/a.txt`, old_string: 'one', new_string: 'two' }, 'w')], [end]];

test('a read shows what is not saved', async (t) => {
  const e = await startEditor(t, { files: { 'a.txt': 'saved\n' }, buffers: { 'a.txt': 'not saved\n' },
    script: (root) => reading(root) });
  await e.prompt('read');
  assert.match(output(e, 1), /not saved/);
  assert.deepEqual(e.reads, [{ sessionId: e.session, path: `${e.root}/a.txt` }]);
  const [begun, ended, ...more] = events(e, 'r');
  assert.equal(more.length, 0);
  assert.equal(begun.sessionUpdate, 'tool_call');
  assert.equal(begun.kind, 'read');
  assert.deepEqual(begun.locations, [{ path: `${e.root}/a.txt` }]);
  assert.equal(ended.status, 'completed');
  assert.equal(ended.rawOutput._meta.source, 'editor');
});

test('the model is told to use these tools, and sees them', async (t) => {
  const e = await startEditor(t);
  await e.prompt('hello');
  const [request] = e.model.requests;
  assert.match(JSON.stringify(request.input), /mcp__stet/);
  const space = request.tools.find((tool) => tool.name === 'mcp__stet');
  assert.ok(space.tools.some((tool) => tool.name === 'edit_text_file'), JSON.stringify(space).slice(0, 300));
});

test('a write goes through the editor, and tells the difference', async (t) => {
  const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, script: editing });
  await e.prompt('edit');
  assert.deepEqual(e.writes, [{ sessionId: e.session, path: `${e.root}/a.txt`, content: 'two\n' }]);
  const ended = events(e, 'w').at(-1);
  assert.equal(ended.status, 'completed');
  assert.deepEqual(ended.content.map(({ type, oldText, newText }) => [type, oldText, newText]), [['diff', 'one\n', 'two\n']]);
  assert.equal(ended.locations[0].line, 1);
});

test('an editor that formats when it saves: what is there then is told', async (t) => {
  const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, script: editing,
    write: (params) => { params.content = `${params.content}// formatted\n`; } });
  await e.prompt('edit');
  assert.equal(fs.readFileSync(`${e.root}/a.txt`, 'utf8'), 'two\n// formatted\n');
  assert.match(events(e, 'w').at(-1).content[0].newText, /formatted/);
});

test('a person who types meanwhile keeps what they typed', async (t) => {
  let asked = 0;
  const e = await startEditor(t, { files: { 'a.txt': 'one\n' },
    script: (root) => [[own('read_text_file', { path: `${root}/a.txt` })],
      [own('write_text_file', { path: `${root}/a.txt`, content: 'mine\n' }, 'w')], [end]],
    read: (params, read) => (asked++ ? 'one, and more\n' : read(params.path)) });
  await e.prompt('write');
  assert.deepEqual(e.writes, []);
  assert.equal(events(e, 'w').at(-1).status, 'failed');
  assert.equal(fs.readFileSync(`${e.root}/a.txt`, 'utf8'), 'one\n');
});

for (const [what, options] of Object.entries({
  'no capability': { can: {} },
  'an error': { read: () => { throw new Error('no'); }, write: () => { throw new Error('no'); } },
})) {
  test(`${what}: the disk serves`, async (t) => {
    const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, script: (root) => [
      ...reading(root).slice(0, 1), ...editing(root)], ...options });
    await e.prompt('both');
    assert.match(output(e, 1), /one/);
    assert.equal(events(e, 'r').at(-1).rawOutput._meta.source ?? 'disk', 'disk');
    assert.equal(events(e, 'w').at(-1).status, 'completed');
    assert.equal(fs.readFileSync(`${e.root}/a.txt`, 'utf8'), 'two\n');
    if (options.can) assert.deepEqual(e.reads, []);
  });
}

test('an editor that does not answer: the disk serves', async (t) => {
  const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, script: (root) => reading(root),
    read: (params, read, signal) => new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('taken back')));
    }) });
  await e.prompt('read');
  assert.match(output(e, 1), /one/);
  assert.equal(events(e, 'r').at(-1).status, 'completed');
});

test('outside of the project: refused, whoever would serve it', async (t) => {
  const other = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'stet-other-')));
  t.after(() => fs.rmSync(other, { recursive: true }));
  fs.writeFileSync(`${other}/x`, 'theirs\n');
  const e = await startEditor(t, { script: [[own('read_text_file', { path: `${other}/x` }, 'r')], [end]] });
  await e.prompt('read');
  assert.doesNotMatch(output(e, 1), /theirs/);
  assert.equal(events(e, 'r').at(-1).status, 'failed');
  assert.deepEqual(e.reads, []);
});

test('a long file comes in pages that say how to go on', async (t) => {
  const lines = Array.from({ length: 5000 }, (_, i) => `line ${i + 1} of many`);
  let seen = '', next = 1;
  const page = (request) => {
    const text = [request.input.findLast((item) => item.type.endsWith('_output')).output].flat()
      .map((part) => part.text ?? part).join('');
    assert.ok(text.length < 40000, `${text.length}`);
    seen += text;
    next = Number(/line[=": ]+(\d+)/.exec(text.slice(-300))?.[1] ?? 0);
    return next ? [own('read_text_file', { path: '@', line: next })] : [end];
  };
  const e = await startEditor(t, { files: { 'a.txt': `${lines.join('\n')}\n` }, script: (root) => {
    const turn = (request) => page(request).map((act) => (act.args ? { ...act, args: { ...act.args, path: `${root}/a.txt` } } : act));
    return [...reading(root).slice(0, 1), ...Array(8).fill(turn)];
  } });
  await e.prompt('read it all');
  for (const i of [1, 2500, 5000]) assert.match(seen, new RegExp(`line ${i} of many`));
});

test('10 MB through the editor', async (t) => {
  const big = `${'x'.repeat(99)}\n`.repeat(100000);
  const e = await startEditor(t, { files: { 'a.txt': 'small\n' }, buffers: { 'a.txt': `${big}the end\n` },
    script: (root) => reading(root, { line: 100001 }) });
  await e.prompt('read');
  assert.match(output(e, 1), /the end/);
});

test('200 calls in one turn, each begun and ended once', async (t) => {
  const ids = Array.from({ length: 200 }, (_, i) => `c${i}`);
  const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, script: (root) => [
    ids.map((id) => own('read_text_file', { path: `${root}/a.txt` }, id)), [end]] });
  assert.deepEqual(await e.prompt('a lot'), { stopReason: 'end_turn' });
  for (const id of ids) {
    assert.deepEqual(events(e, id).map((one) => one.sessionUpdate), ['tool_call', 'tool_call_update'], id);
    assert.equal(events(e, id)[1].status, 'completed');
  }
});

test('--acp-events=contract: to the letter', async (t) => {
  const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, script: editing, args: ['--acp-events=contract'] });
  await e.prompt('edit');
  e.watch.problems.length = 0; // this dialect differs from the protocol
  const [begun, ended] = events(e, 'w');
  assert.equal(begun.type, 'toolCall');
  assert.equal(begun.status, 'pending');
  assert.equal(ended.type, 'toolCallUpdate');
  assert.equal(ended.fields.status, 'completed');
});

test('apply_patch: told with places and differences', async (t) => {
  const e = await startEditor(t, { files: { 'a.txt': 'one\ntwo\nthree\n' }, script: [[{ id: 'p', patch:
    '*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n three\n*** Add File: b.txt\n+new\n*** End Patch\n' }], [end]] });
  await e.prompt('patch');
  const [call] = e.calls();
  assert.equal(call.kind, 'edit');
  assert.equal(call.status, 'completed');
  assert.deepEqual(call.locations, [{ path: `${e.root}/a.txt`, line: 1 }, { path: `${e.root}/b.txt` }]);
  assert.deepEqual(call.content, [
    { type: 'diff', path: `${e.root}/a.txt`, oldText: 'one\ntwo\nthree\n', newText: 'one\n2\nthree\n' },
    { type: 'diff', path: `${e.root}/b.txt`, oldText: null, newText: 'new\n' }]);
});

test('commands: what they do, what they say, how they end', async (t) => {
  const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, script: [
    [{ call: 'exec_command', args: { cmd: 'cat a.txt' }, id: 'r' }],
    [{ call: 'exec_command', args: { cmd: 'echo out; exit 3' }, id: 'x' }], [end]] });
  await e.prompt('run');
  const [read, ran] = e.calls();
  assert.equal(read.kind, 'read');
  assert.deepEqual(read.locations, [{ path: `${e.root}/a.txt` }]);
  assert.equal(ran.kind, 'execute');
  assert.equal(ran.status, 'failed');
  assert.deepEqual(ran.rawOutput, { exitCode: 3, output: 'out\n' });
});

test('a model that writes code to call its tools sees them as they are', async (t) => {
  const e = await startEditor(t, { model: 'gpt-6-sol', files: { 'a.txt': 'saved\n' }, buffers: { 'a.txt': 'not saved\n' },
    script: (root) => reading(root) });
  await e.prompt('read');
  assert.match(JSON.stringify(e.model.requests[0]), /"name":"multi_edit_text_file"/);
  assert.match(output(e, 1), /not saved/);
  assert.equal(e.calls().length, 1);
});

// The confined agent cannot start programs: its spawner is started before, with
// the hooks of all projects that are trusted at that time.
test('a hook of a trusted project runs', async (t) => {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'stet-acp-')));
  const root = path.join(base, 'project');
  fs.mkdirSync(path.join(root, '.stet'), { recursive: true });
  fs.mkdirSync(path.join(base, '.config/stet'), { recursive: true });
  fs.writeFileSync(path.join(root, '.stet/config.json'), JSON.stringify(
    { hooks: { after_edit: [{ command: `echo $STET_TOOL >>'${base}/ran'` }] } }));
  // A program runs `stet trust` here, which the settings permit.
  fs.writeFileSync(path.join(base, '.config/stet/config.json'),
    '{"approvals": {"yes_i_am_the_person": true}}');
  execFileSync(stet, ['trust', '--yes', root], { env: { PATH: process.env.PATH, HOME: base } });
  const e = await startEditor(t, { base, files: { 'a.txt': 'one\n' }, script: editing });
  await e.prompt('edit');
  assert.equal(fs.readFileSync(path.join(root, 'a.txt'), 'utf8'), 'two\n', output(e, 1));
  assert.equal(fs.readFileSync(path.join(base, 'ran'), 'utf8'), 'edit_text_file\n', output(e, 1));
});
