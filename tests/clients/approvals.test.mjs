// Approvals through the official SDKs, both versions and both eras, with
// elicitation and without.
// A52 A53 C60 T32 T58 T59
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client as V1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as V1Stdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client as V2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as V2Stdio } from '@modelcontextprotocol/client/stdio';
import { scratch, stet } from './table.mjs';

const info = { name: 'approvals', version: '1' };
const v2 = (mode) => ({
  make: (capabilities) => new V2(info,
    { capabilities, versionNegotiation: { mode } }),
  Transport: V2Stdio,
  handle: (client, on) => client.setRequestHandler('elicitation/create', on),
});
const clients = {
  v1: {
    make: (capabilities) => new V1(info, { capabilities }),
    Transport: V1Stdio,
    handle: (client, on) => client.setRequestHandler(ElicitRequestSchema, on),
  },
  'v2 legacy': v2('legacy'),
  'v2 auto': v2('auto'),
  'v2 pinned': v2({ pin: '2026-07-28' }),
};

// A directory with a file that needs approval, and a home directory of its own.
function place() {
  const home = scratch();
  const root = path.join(home, 'root');
  fs.mkdirSync(root);
  const file = path.join(root, '.env');
  fs.writeFileSync(file, 'KEY=old\nLAST=1\n');
  const env = { PATH: process.env.PATH, HOME: home };
  // A program answers in place of a person, which the settings permit.
  fs.mkdirSync(path.join(home, '.config/stet'), { recursive: true });
  fs.writeFileSync(path.join(home, '.config/stet/config.json'),
    '{"approvals": {"yes_i_am_the_person": true}}');
  const person = (...words) => JSON.parse(
    execFileSync(stet, ['approvals', ...words, '--json'], { env }).toString());
  return { root, file, env, person, text: () => fs.readFileSync(file, 'utf8') };
}

// A client whose form is answered with `answer`; records the questions.
async function connect(kind, where, answer) {
  const asked = [];
  const client = kind.make(answer ? { elicitation: {} } : {});
  if (answer) {
    kind.handle(client, async (request) => {
      asked.push(request.params);
      return answer(request.params);
    });
  }
  await client.connect(new kind.Transport({
    command: stet, args: ['serve', where.root], env: where.env,
    stderr: 'inherit',
  }));
  return { client, asked };
}

const edits = (file) => ({
  name: 'multi_edit_text_file',
  arguments: { path: file, edits: [
    { old_string: 'KEY=old', new_string: 'KEY=new' },
    { old_string: 'LAST=1', new_string: 'LAST=2' }] },
});
const edited = 'KEY=new\nLAST=2\n';

// {ok}, or {code, message, data}, whatever the form of errors in this era.
async function call(client, request) {
  try {
    const result = await client.callTool(request);
    if (!result.isError) return { ok: true };
    return result.structuredContent.error;
  } catch (error) {
    if (error.code === undefined) throw error;
    return { code: error.code, message: error.message, data: error.data };
  }
}

const accept = (decision) => () => ({ action: 'accept', content: { decision } });
// A person needs time to read; a faster answer counts as the client's own
// (docs/approvals.md).
const reading = 2000;
const dismiss = (action) => async () => {
  await sleep(reading);
  return { action };
};
const noes = {
  deny: accept('deny'),
  decline: dismiss('decline'),
  cancel: dismiss('cancel'),
};

for (const [label, kind] of Object.entries(clients)) {
  test(`${label}: one question for all edits, with the diff`, async () => {
    const where = place();
    const { client, asked } = await connect(kind, where, accept('allow once'));
    assert.deepEqual(await call(client, edits(where.file)), { ok: true });
    assert.equal(where.text(), edited);
    assert.equal(asked.length, 1);
    const [{ message, requestedSchema }] = asked;
    assert.ok(message.includes(where.file), message);
    for (const line of ['-KEY=old', '+KEY=new', '-LAST=1', '+LAST=2']) {
      assert.ok(message.includes(`\n${line}\n`), message);
    }
    assert.deepEqual(requestedSchema.required, ['decision']);
    assert.deepEqual(requestedSchema.properties.decision.enum, ['allow once',
      'allow for this file', 'allow for this directory',
      'allow for this session', 'deny']);
    await client.close();
  });

  for (const [word, answer] of Object.entries(noes)) {
    test(`${label}: ${word} is a no`, async () => {
      const where = place();
      const { client, asked } = await connect(kind, where, answer);
      const got = await call(client, edits(where.file));
      assert.equal(got.code, -32007);
      assert.match(got.message, /Denied by user: /);
      assert.equal(where.text(), 'KEY=old\nLAST=1\n');
      assert.equal(asked.length, 1);
      await client.close();
    });
  }

  test(`${label}: a wide answer is asked for once, and kept`, async () => {
    const where = place();
    const { client, asked } = await connect(
      kind, where, accept('allow for this file'));
    for (const content of ['1\n', '2\n', '3\n']) {
      const request = { name: 'write_text_file',
        arguments: { path: where.file, content } };
      assert.deepEqual(await call(client, request), { ok: true });
      assert.equal(where.text(), content);
    }
    assert.equal(asked.length, 1);
    const { grants } = where.person('grants');
    assert.equal(grants.length, 1);
    assert.equal(grants[0].reach, 'file');
    assert.equal(grants[0].path, where.file);
    assert.equal(grants[0].client, 'approvals');
    assert.equal(grants[0].declared, true);
    assert.ok(grants[0].session, 'it ends with the session');
    assert.ok(grants[0].until, 'and after a day');
    await client.close();
  });

  test(`${label}: calls side by side are asked about one by one`, async () => {
    const where = place();
    const files = ['a', 'b', 'c'].map((n) => path.join(where.root, `.env.${n}`));
    const { client, asked } = await connect(kind, where, accept('allow once'));
    const all = await Promise.all(files.map((file) => call(client, {
      name: 'write_text_file', arguments: { path: file, content: file } })));
    assert.deepEqual(all, [{ ok: true }, { ok: true }, { ok: true }]);
    assert.equal(asked.length, 3);
    for (const file of files) assert.equal(fs.readFileSync(file, 'utf8'), file);
    await client.close();
  });

  test(`${label}: a memory entry is shown as it will be written`, async () => {
    const where = place();
    const memory = path.join(where.root, '.claude/memory/best_practices.md');
    const entry = `- ${'Ask first. '.repeat(900)}\n`; // almost the maximum size
    const request = { name: 'write_memory_entry',
      arguments: { file: 'best_practices.md', entry } };
    const no = await connect(kind, where, noes.decline);
    assert.equal((await call(no.client, request)).code, -32007);
    assert.ok(!fs.existsSync(path.join(where.root, '.claude')));
    await no.client.close();
    const yes = await connect(kind, where, accept('allow once'));
    assert.deepEqual(await call(yes.client, request), { ok: true });
    assert.equal(fs.readFileSync(memory, 'utf8'), entry);
    assert.equal(yes.asked.length, 1);
    assert.ok(yes.asked[0].message.includes(memory), 'the target');
    assert.ok(yes.asked[0].message.includes(entry), 'the exact content');
    await yes.client.close();
  });

  test(`${label}: without elicitation, the queue`, async () => {
    const where = place();
    const { client } = await connect(kind, where, null);
    const got = await call(client, edits(where.file));
    assert.equal(got.code, -32007);
    assert.match(got.message, /Approval required: /);
    assert.equal(where.text(), 'KEY=old\nLAST=1\n');
    assert.match(got.data.hint, /has been asked/);
    assert.doesNotMatch(JSON.stringify(got), /stet approvals|approvals allow/);
    const { approvals } = where.person('list');
    assert.deepEqual(approvals.map((a) => a.id), [got.data.approval]);
    assert.equal(approvals[0].client, 'approvals 1');
    where.person('allow', got.data.approval);
    assert.deepEqual(await call(client, edits(where.file)), { ok: true });
    assert.equal(where.text(), edited);
    fs.writeFileSync(where.file, 'KEY=old\nLAST=1\n');
    assert.equal((await call(client, edits(where.file))).code, -32007);
    await client.close();
  });
}
