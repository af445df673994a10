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

const root = realpathSync(mkdtempSync(join(tmpdir(), 'stet-events-')));
after(() => rmSync(root, { recursive: true }));
const told = (...more) => execFileSync(program, [root, ...more],
  { maxBuffer: 1 << 26 }).toString().trimEnd().split('\n').map(JSON.parse);
const messages = told();

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
  for (const m of told('contract')) assert.ok(!valid(m.params));
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
