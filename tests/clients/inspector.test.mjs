// The Inspector's command line, in both eras; one process for each call.
// It shows the message of a JSON-RPC error, but not its code.
// X02 X04 X05 X06 X23
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { contract, names, others } from './calls.mjs';
import { outcome, run, scratch, stet } from './table.mjs';

const inspector = fileURLToPath(new URL(
  './node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
  import.meta.url));
const home = scratch(); // directory of its settings

// One process per CPU at a time: each takes a second to start.
let free = os.availableParallelism();
const waiting = [];
async function inTurn(work) {
  if (free > 0) free -= 1;
  else await new Promise((resolve) => { waiting.push(resolve); });
  try {
    return await work();
  } finally {
    if (waiting.length) waiting.shift()();
    else free += 1;
  }
}

function inspect(era, root, args) {
  return new Promise((resolve) => {
    execFile(process.execPath, [inspector, '--cli', stet, 'serve', root,
      '--protocol-era', era, '--format', 'json', '-q', ...args],
    { env: { PATH: process.env.PATH, HOME: home }, maxBuffer: 1 << 26 },
    (error, stdout, stderr) =>
      resolve({ status: error ? error.code : 0, stdout, stderr }));
  });
}

async function call(era, root, tool, args) {
  const got = await inspect(era, root, ['--method', 'tools/call',
    '--tool-name', tool, '--tool-args-json', JSON.stringify(args)]);
  if (got.stdout.trim()) {
    const { result } = JSON.parse(got.stdout);
    assert.equal(got.status, result.isError ? 5 : 0, got.stderr);
    return outcome(result);
  }
  assert.equal(got.status, 1, got.stderr);
  return { error: { message: JSON.parse(got.stderr).error.message },
    protocol: true };
}

// The Inspector checks names and converts types itself, and the arguments must fit
// into those of a process.
const rows = [...contract, ...others]
  .filter((row) => !row.large && !row.typed && row.call[0] !== 'no_such_tool');

for (const era of ['legacy', 'modern']) {
  const root = scratch();
  const listed = inTurn(() => inspect(era, root, ['--method', 'tools/list']));
  const strict = inTurn(() => inspect(era, root,
    ['--method', 'tools/list', '--strict']));
  const results = rows.map((row) => inTurn(() => run(row, root,
    (tool, args) => call(era, root, tool, args))));
  for (const result of results) result.catch(() => {}); // reported by the tests

  test(`inspector ${era}: tools/list`, async () => {
    const { status, stdout, stderr } = await listed;
    assert.equal(status, 0, stderr);
    const { tools } = JSON.parse(stdout).result;
    assert.deepEqual(tools.map((tool) => tool.name).sort(), names);
  });
  test(`inspector ${era}: the schemas are fit for every client`, async () => {
    const { status, stdout, stderr } = await strict;
    assert.equal(status, 0, stdout.slice(0, 2000) + stderr);
  });
  rows.forEach((row, i) => {
    test(`inspector ${era}: ${row.name}`, () => results[i]);
  });
}
