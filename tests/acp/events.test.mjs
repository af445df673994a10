// Events of tool calls for an editor, checked by the schema of the official SDK:
// every message is valid, without unknown members.
// A34 A35 A36 A38 W53 R50 M52
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { after, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';

const program = process.argv[2];
const schema = JSON.parse(readFileSync(new URL(
  'node_modules/@agentclientprotocol/sdk/schema/v1/schema.json',
  import.meta.url)));
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(schema, 'acp');
const valid = ajv.compile({ $ref: 'acp#/$defs/SessionNotification' });

const scratch = () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'stet-events-')));
  after(() => rmSync(dir, { recursive: true }));
  return dir;
};
const told = (dir, ...more) => execFileSync(program, [dir, ...more],
  { maxBuffer: 1 << 26 }).toString().trimEnd().split('\n').map(JSON.parse);
const root = scratch();
const messages = told(root);

test('events: each is a valid session/update of ACP v1', () => {
  assert.ok(messages.length > 30);
  for (const m of messages) {
    assert.equal(m.jsonrpc, '2.0');
    assert.equal(m.method, 'session/update');
    assert.ok(!('id' in m));
    assert.ok(valid(m.params),
      `${JSON.stringify(m)}: ${JSON.stringify(valid.errors)}`);
  }
});

test('events: the validator knows the contracts\' own shape from it', () => {
  for (const m of told(scratch(), 'contract')) assert.ok(!valid(m.params));
});

const kinds = schema.$defs.ToolKind.oneOf.map((k) => k.const);

test('events: kinds and statuses are those of the protocol', () => {
  for (const { params: { update } } of messages) {
    if ('kind' in update) assert.ok(kinds.includes(update.kind), update.kind);
    assert.ok(['pending', 'completed', 'failed'].includes(update.status));
  }
});

test('events: one begin and one end for each call, in order', () => {
  for (let i = 0; i < messages.length; i += 2) {
    const [begin, end] = [messages[i].params.update,
      messages[i + 1].params.update];
    assert.equal(begin.sessionUpdate, 'tool_call');
    assert.equal(begin.status, 'pending');
    assert.equal(end.sessionUpdate, 'tool_call_update');
    assert.equal(end.toolCallId, begin.toolCallId);
    assert.ok('rawInput' in begin && 'rawOutput' in end);
  }
});

test('events: places are absolute, and diffs have both sides', () => {
  let diffs = 0;
  for (const { params: { update } } of messages) {
    for (const at of update.locations ?? []) assert.ok(isAbsolute(at.path));
    for (const item of update.content ?? []) {
      assert.ok(['diff', 'content'].includes(item.type));
      if (item.type !== 'diff') continue;
      diffs++;
      assert.ok(isAbsolute(item.path));
      assert.ok('oldText' in item && typeof item.newText === 'string');
    }
  }
  assert.ok(diffs >= 4);
});

test('events: V115: a patch has a location and a diff for each file', () => {
  const at = messages.findIndex(({ params: { update } }) => update.name === 'apply_patch');
  const [begin, end] = [messages[at].params.update, messages[at + 1].params.update];
  const file = (name) => join(root, name);
  assert.equal(begin.kind, 'edit');
  assert.equal(end.title, `${begin.title} (3 files)`);
  assert.deepEqual(end.locations, [
    { path: file('a.txt'), line: 2 }, { path: file('c.txt'), line: 1 },
    { path: file('d.txt'), line: 1 }]);
  const diffs = end.content.filter(({ type }) => type === 'diff');
  assert.deepEqual(diffs.map(({ path, oldText }) => [path, oldText === null]), [
    [file('a.txt'), false], [file('c.txt'), true], [file('b.txt'), false],
    [file('d.txt'), true]]);
  assert.match(diffs[0].newText, /two/);
  assert.equal(diffs[2].newText, '');
});

// The kind, and the names of the locations and diffs of the result.
const results = {
  write_file: ['edit', ['e.txt:1'], ['e.txt']],
  edit_file: ['edit', ['e.txt:2'], ['e.txt']],
  append_file: ['edit', ['e.txt:4'], ['e.txt']],
  replace_lines: ['edit', ['e.txt:3'], ['e.txt']],
  move_lines: ['edit', ['e.txt:4', 'c.txt:2'], ['e.txt', 'c.txt']],
  create_directory: ['edit', ['dir'], []],
  move_file: ['move', ['e.txt', 'dir/m.txt'], []],
  delete_file: ['delete', ['dir/m.txt'], ['dir/m.txt']],
  NotebookEdit: ['edit', ['n.ipynb:1'], ['n.ipynb']],
  apply_patch: ['edit', ['a.txt:2'], ['a.txt']],
};

// The update at the begin and the end of the last call of a tool.
const last = (list, of) => {
  const at = list.findLastIndex(({ params: { update } }) => of(update));
  return [list[at].params.update, list[at + 1].params.update];
};

test('events: V115: each tool has its kind, its locations and diffs', () => {
  const name = (path) => path.slice(root.length + 1);
  for (const [tool, [kind, locations, diffs]] of Object.entries(results)) {
    const [begin, end] = tool === 'write_file'
      ? messages.filter(({ params: { update: { toolCallId } } }) =>
        toolCallId === 'call_12').map(({ params }) => params.update)
      : last(messages, (update) => update.name === tool);
    assert.equal(begin.kind, kind, tool);
    assert.equal(end.status, 'completed', tool);
    assert.deepEqual(end.locations.map(({ path, line }) =>
      name(path) + (line ? `:${line}` : '')), locations, tool);
    assert.deepEqual((end.content ?? []).filter(({ type }) => type === 'diff')
      .map(({ path }) => name(path)), diffs, tool);
  }
  for (const [tool, kind] of [['Grep', 'search'], ['list_directory', 'read']]) {
    const [begin, end] = last(messages, (update) => update.name === tool);
    assert.deepEqual([begin.kind, end.status], [kind, 'completed'], tool);
  }
});

test('events: V116: the contract\'s shape for the same calls', () => {
  const updates = told(scratch(), 'contract').map((m) => m.params.update);
  assert.equal(updates.length, messages.length);
  for (const tool of Object.keys(results)) {
    const at = updates.findLastIndex(({ title }) => title?.startsWith(tool));
    const [begin, end] = [updates[at], updates[at + 1]];
    assert.deepEqual(Object.keys(begin), ['type', 'id', 'kind', 'status',
      'title', 'locations', 'rawInput'], tool);
    assert.deepEqual([begin.type, begin.status, begin.kind],
      ['toolCall', 'pending', results[tool][0]], tool);
    assert.deepEqual([end.type, end.id, end.fields.status],
      ['toolCallUpdate', begin.id, 'completed'], tool);
    assert.ok('rawOutput' in end.fields, tool);
    for (const { type, text } of end.fields.content ?? []) {
      assert.equal(type, 'text');
      assert.match(text, tool === 'append_file' ? /^4\n$/ : /^--- .*\n\+\+\+ /m);
    }
  }
});
