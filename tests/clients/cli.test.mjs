// The same table through `stet call`, without a client. The output is JSON, and
// the exit status tells success from failure.
// X22 X23
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { contract, names, others } from './calls.mjs';
import { run, scratch, stet } from './table.mjs';

const root = scratch();

function flags(args) {
  return Object.entries(args).flatMap(([key, value]) => [
    `--${key}`, typeof value === 'string' ? value : JSON.stringify(value)]);
}

// A relative --path is resolved against the current directory (14); --json
// passes it to the tool unchanged.
function words(tool, args) {
  const literal = tool !== 'read_repo_file' && args.path && !args.path.startsWith('/');
  return literal ? ['--json', JSON.stringify(args)] : flags(args);
}

function call(tool, args) {
  const ran = spawnSync(stet, ['call', tool, ...words(tool, args)],
    { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  const said = JSON.parse(ran.stdout);
  if (ran.status === 0) return { payload: said };
  assert.ok(said.error, ran.stdout);
  return { error: said.error };
}

// A process argument has at most 128 KiB, and flags have no JSON types.
const rows = [...contract, ...others]
  .filter((row) => !row.large && !row.protocol);

for (const row of rows) {
  test(`call: ${row.name}`, () => run(row, root, call));
}

test('call: unknown tools and flags are refused', () => {
  for (const args of [['no_such_tool'], ['hello', '--nam', 'x']]) {
    const ran = spawnSync(stet, ['call', ...args], { cwd: root });
    assert.notEqual(ran.status, 0);
    assert.notEqual(ran.status, null);
  }
});

test('tools: each is described', () => {
  const all = execFileSync(stet, ['tools'], { encoding: 'utf8' });
  for (const name of names) {
    assert.ok(all.includes(name), name);
    const one = execFileSync(stet, ['tools', name], { encoding: 'utf8' });
    assert.ok(one.includes(name), name);
  }
});
