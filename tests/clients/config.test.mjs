// The settings of docs/permissions.md are valid for the shipped schema and for
// the program, and both reject the same mistakes. C58 C59
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { scratch, stet } from './table.mjs';

const docs = path.resolve(import.meta.dirname, '../../docs');
const root = scratch();
const schema = JSON.parse(fs.readFileSync(path.join(docs, 'config.schema.json')));
const fits = new Ajv2020({ strict: true }).compile(schema);
const examples = [...fs.readFileSync(path.join(docs, 'permissions.md'), 'utf8')
  .matchAll(/```json\n([^]*?)```/g)].map((match) => JSON.parse(match[1]));

function taken(settings) {
  const file = path.join(root, 'config.json');
  fs.writeFileSync(file, JSON.stringify(settings));
  const done = spawnSync(stet, ['rules', '--config', file], { cwd: root });
  return { status: done.status, said: done.stderr.toString() };
}

test('config: every example fits the schema and is taken', () => {
  assert.ok(examples.length >= 2);
  for (const example of examples) {
    assert.ok(fits(example), JSON.stringify(fits.errors));
    assert.deepEqual(taken(example), { status: 0, said: '' });
  }
});

test('config: the examples have every key there is', () => {
  const used = new Set(examples.flatMap((example) => Object.keys(example)));
  const known = Object.keys(schema.properties).filter((key) => key !== '$schema');
  assert.deepEqual([...used].sort(), known.sort());
});

for (const wrong of [
  { denny: [] },
  { mode: 'safe' },
  { deny: '*' },
  { deny: ['write(x'] },
  { deny: ['write lines>4'] },
  { ignore: [1] },
  { gitignore: 'yes' },
  { hooks: { before_edit: [{}] } },
  { hooks: { before_save: [] } },
  { encoding: { a: 1 } },
  { history: { max_bytes: 0 } },
  [],
]) {
  test(`config: ${JSON.stringify(wrong)} is refused by both`, () => {
    assert.ok(!fits(wrong));
    assert.equal(taken(wrong).status, 78);
  });
}
