// table.mjs - run the rows of calls.mjs through a client, each as a test.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after } from 'node:test';

export const stet = path.resolve(process.argv[2] ?? 'build/stet');
const CONTRACT_META = ['total_lines', 'returned_lines', 'has_more', 'next_line'];

// A directory that is deleted after the tests; @before is called first.
export function scratch(before = () => {}) {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'stet-')));
  after(async () => {
    await before();
    fs.rmSync(root, { recursive: true, force: true });
  });
  return root;
}

// The server's state is not written to the home directory of the user.
for (const name of Object.keys(process.env)) {
  if (name.startsWith('XDG_')) delete process.env[name];
}
process.env.HOME = scratch();

function filled(value, dir) {
  if (typeof value === 'string') {
    return value.replaceAll('@DIR@', dir).replaceAll('@ROW@', path.basename(dir));
  }
  if (value instanceof RegExp) {
    return new RegExp(value.source.replaceAll('@DIR@', dir.replaceAll('.', '\\.')));
  }
  if (Array.isArray(value)) return value.map((item) => filled(item, dir));
  if (value && typeof value === 'object' && !Buffer.isBuffer(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, filled(item, dir)]));
  }
  return value;
}

// The payload with only the specified keys of _meta.
function contractPart(payload) {
  const { _meta: meta, ...rest } = payload;
  const own = Object.entries(meta ?? {})
    .filter(([key]) => CONTRACT_META.includes(key));
  return own.length ? { ...rest, _meta: Object.fromEntries(own) } : rest;
}

function same(got, want, where) {
  if (want instanceof RegExp) assert.match(got, want, where);
  else assert.deepEqual(got, want, where);
}

function compare(got, want) {
  assert.deepEqual(Object.keys(got).sort(), Object.keys(want).sort());
  for (const key of Object.keys(want)) same(got[key], want[key], key);
}

// Run one row in its own directory. `call(tool, args)` returns {payload},
// {error: {code, message}} and, with an error, whether it was a protocol error.
export async function run(row, root, call) {
  const dir = fs.mkdtempSync(path.join(root, 'row-'));
  for (const [name, bytes] of Object.entries(row.before ?? {})) {
    fs.mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    fs.writeFileSync(path.join(dir, name), bytes);
  }
  const [tool, args] = filled(row.call, dir);
  const got = await call(tool, args);
  if (row.error) {
    assert.ok(got.error, `no error, but ${JSON.stringify(got).slice(0, 500)}`);
    const want = filled(row.error, dir);
    if (got.error.code !== undefined) assert.equal(got.error.code, want.code);
    same(got.error.message, want.message, 'message');
    if (got.protocol !== undefined && row.protocol) assert.ok(got.protocol);
  } else {
    assert.ok(got.payload, `no result, but ${JSON.stringify(got).slice(0, 500)}`);
    if (row.check) assert.ok(row.check(got.payload), 'as the row says');
    else compare(contractPart(got.payload), filled(row.result, dir));
  }
  for (const [name, text] of Object.entries(row.after ?? {})) {
    assert.equal(fs.readFileSync(path.join(dir, name), 'utf8'), text, name);
  }
}

// Run the steps of a sequence in order, on one file; `callTool(name, args)`
// returns the client's result.
export async function runSequence(steps, root, callTool) {
  const dir = fs.mkdtempSync(path.join(root, 'sequence-'));
  fs.writeFileSync(path.join(dir, 'f'), 'one\n');
  for (const step of steps) {
    const want = filled(step, dir);
    const result = await callTool(...want.call);
    assert.equal(result.isError ?? false, want.failed ?? false);
    assert.equal(result.content[0].text, want.text);
    const { _meta: _, data: __, ...content } = result.structuredContent;
    assert.deepEqual(content, want.content);
  }
  assert.equal(fs.readFileSync(path.join(dir, 'f'), 'utf8'), 'three\n');
}

// A result of tools/call as {payload} or {error}, in either era.
export function outcome(result) {
  const [first] = result.content;
  assert.equal(first.type, 'text');
  if (!result.isError) {
    assert.deepEqual(JSON.parse(first.text), result.structuredContent);
    return { payload: result.structuredContent };
  }
  const { error } = result.structuredContent;
  assert.ok(first.text.split('\n')[0] === error.message.split('\n')[0]
    || first.text.startsWith(error.message), first.text);
  return { error, protocol: false };
}
