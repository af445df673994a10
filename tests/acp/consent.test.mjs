// Questions to the user: one permission request each, and the effect of the
// answer.
// X12 X13 X14
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { end, own, startEditor, stet, until } from './editor.mjs';

const said = (e, n) => JSON.stringify(e.model.output(e.model.requests[n]).output);
const kinds = (params) => params.options.map((option) => option.kind);

const run = (cmd) => ({ call: 'exec_command',
  args: { cmd, sandbox_permissions: 'require_escalated', justification: 'to see' } });

for (const [choice, ran] of Object.entries({ allow: true, always: true, reject: false })) {
  test(`a command outside of the sandbox: ${choice}`, async (t) => {
    const e = await startEditor(t, { permit: () => choice, script: (root) => [
      [run(`touch ${root}/made`)], [end]] });
    assert.deepEqual(await e.prompt('run'), { stopReason: 'end_turn' });
    assert.equal(e.asked.length, 1);
    assert.deepEqual([kinds(e.asked[0])[0], kinds(e.asked[0]).at(-1)], ['allow_once', 'reject_once']);
    assert.match(e.asked[0].toolCall.title, /touch/);
    assert.equal(fs.existsSync(`${e.root}/made`), ran);
  });
}

test('a command that is always allowed is not asked for again', async (t) => {
  const e = await startEditor(t, { permit: () => 'always', script: (root) => [
    [run(`touch ${root}/made`)], [run(`touch ${root}/made`)], [end]] });
  await e.prompt('run');
  assert.equal(e.asked.length, 1);
});

test('a question that is cancelled ends the turn', async (t) => {
  const e = await startEditor(t, { permit: () => null, script: (root) => [[run(`touch ${root}/made`)], [end]] });
  assert.deepEqual(await e.prompt('run'), { stopReason: 'cancelled' });
  assert.equal(fs.existsSync(`${e.root}/made`), false);
});

test('a patch in read-only mode is shown before it is made', async (t) => {
  const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, script: [[{ patch:
    '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n' }], [end]] });
  await e.ask('session/set_mode', { sessionId: e.session, modeId: 'read-only' });
  await e.prompt('patch');
  assert.equal(e.asked.length, 1);
  const { toolCall } = e.asked[0];
  assert.equal(toolCall.kind, 'edit');
  assert.deepEqual(toolCall.locations, [{ path: `${e.root}/a.txt`, line: 1 }]);
  assert.deepEqual(toolCall.content, [{ type: 'diff', path: `${e.root}/a.txt`, oldText: 'one\n', newText: 'two\n' }]);
  assert.equal(fs.readFileSync(`${e.root}/a.txt`, 'utf8'), 'two\n');
});

const write = (root) => [[own('write_text_file', { path: `${root}/a.txt`, content: 'two\n' }, 'w')], [end]];

for (const [choice, text] of Object.entries({ allow: 'two\n', reject: 'one\n' })) {
  test(`a rule of the person's that asks: ${choice}`, async (t) => {
    const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, permit: () => choice,
      args: ['--ask', 'write_text_file'], script: write });
    assert.deepEqual(await e.prompt('write'), { stopReason: 'end_turn' });
    assert.equal(e.asked.length, 1);
    assert.equal(e.asked[0].toolCall.toolCallId, 'w');
    const [shown] = e.asked[0].toolCall.content.filter((part) => part.type === 'diff');
    assert.deepEqual([shown.oldText, shown.newText], ['one\n', 'two\n']);
    assert.equal(fs.readFileSync(`${e.root}/a.txt`, 'utf8'), text);
  });
}

// 14.9: the question is sent to the editor before any content of the file.
for (const [choice, told] of Object.entries({ allow: true, reject: false })) {
  test(`14.9: reading a secret: ${choice}`, async (t) => {
    const e = await startEditor(t, { files: { '.env': 'KEY=hunter2\n', 'a.txt': 'one\n' }, permit: () => choice,
      script: (root) => [[own('read_text_file', { path: `${root}/a.txt` })],
        [own('read_text_file', { path: `${root}/.env` }, 'r')], [end]] });
    assert.deepEqual(await e.prompt('read'), { stopReason: 'end_turn' });
    assert.equal(e.asked.length, 1);
    assert.equal(e.asked[0].toolCall.toolCallId, 'r');
    assert.match(e.asked[0].toolCall.title, /wants to read .*\.env$/);
    const shown = JSON.stringify(e.asked[0]);
    assert.match(shown, /sends the file's content \(12 bytes\) to the client/);
    assert.doesNotMatch(shown, /hunter2/);
    assert.equal(/hunter2/.test(said(e, 2)), told);
  });
}

test('what is asked is what is written, with nothing in it that hides', async (t) => {
  const content = ': \x1b$B;id>pwned;#a\x1b(B\n\u202e\u3164\u2800\x9b\n\tkept 漢字\n';
  const e = await startEditor(t, { permit: () => 'reject', args: ['--ask', 'write_text_file'],
    script: (root) => [[own('write_text_file', { path: `${root}/a\u202e\nb.sh`, content })], [end]] });
  await e.prompt('write');
  const { title, content: parts } = e.asked[0].toolCall;
  assert.ok(title.endsWith('/a\\u{202e}\\x0ab.sh'), title);
  const [shown] = parts.filter((part) => part.type === 'diff');
  assert.equal(shown.newText, ': \\x1b$B;id>pwned;#a\\x1b(B\n'
    + '\\u{202e}\\u{3164}\\u{2800}\\u{9b}\n\tkept 漢字\n');
});

test('a rule that asks: always holds for the session', async (t) => {
  const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, permit: () => 'always',
    args: ['--ask', 'write_text_file'], script: (root) => [
      [own('write_text_file', { path: `${root}/a.txt`, content: 'two\n' })],
      [own('write_text_file', { path: `${root}/a.txt`, content: 'three\n' })], [end]] });
  await e.prompt('write');
  // the first time twice: a grant for the root is confirmed with its scope
  assert.equal(e.asked.length, 2);
  assert.match(e.asked[1].toolCall.title, /^From now on, without asking: use write_text_file on every file in .*\/ · .* \(declared name\) · while its session lasts, 24 h at most · but no sensitive file$/);
  assert.equal(fs.readFileSync(`${e.root}/a.txt`, 'utf8'), 'three\n');
});

test('modes hold for the tools of stet, too', async (t) => {
  const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, script: (root) => [...write(root), ...write(root)] });
  await e.ask('session/set_mode', { sessionId: e.session, modeId: 'read-only' });
  await e.prompt('write');
  assert.match(said(e, 1), /plan/);
  assert.equal(fs.readFileSync(`${e.root}/a.txt`, 'utf8'), 'one\n');
  await e.ask('session/set_mode', { sessionId: e.session, modeId: 'auto' });
  await e.prompt('write');
  assert.equal(fs.readFileSync(`${e.root}/a.txt`, 'utf8'), 'two\n');
});

test('a cancel takes an open question back', async (t) => {
  let gone = false;
  const e = await startEditor(t, { script: (root) => [[run(`touch ${root}/made`)], [end]],
    permit: (params, signal) => new Promise((resolve) => {
      signal.addEventListener('abort', () => { gone = true; resolve(null); });
    }) });
  const prompt = e.prompt('run');
  await until(() => e.asked.length, 'the question');
  await e.cancel();
  assert.deepEqual(await prompt, { stopReason: 'cancelled' });
  await until(() => gone, 'the question is taken back');
});

const other = (root, ...more) => [{ name: 'other', command: stet, args: ['serve', ...more, root], env: [] }];
const elsewhere = (root) => [[{ call: 'write_text_file', in: 'mcp__other',
  args: { path: `${root}/a.txt`, content: 'two\n' } }], [end]];

for (const [choice, text] of Object.entries({ allow: 'two\n', reject: 'one\n' })) {
  test(`a tool of another server that changes things: ${choice}`, async (t) => {
    const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, permit: () => choice, script: elsewhere,
      config: (root) => `[mcp_servers.other]\ncommand = "${stet}"\nargs = ["serve", "${root}"]\ndefault_tools_approval_mode = "prompt"` });
    assert.deepEqual(await e.prompt('write'), { stopReason: 'end_turn' });
    assert.equal(e.asked.length, 1);
    assert.deepEqual(kinds(e.asked[0]), ['allow_once', 'allow_always', 'reject_once']);
    assert.equal(e.asked[0].toolCall.toolCallId, e.calls()[0].toolCallId);
    assert.equal(e.asked[0].toolCall.rawInput.content, 'two\n');
    assert.equal(fs.readFileSync(`${e.root}/a.txt`, 'utf8'), text);
  });
}

for (const [what, forms] of Object.entries({ 'is shown': true, 'is declined where there are none': false })) {
  test(`a form of another server ${what}`, async (t) => {
    const shown = [];
    const e = await startEditor(t, { files: { 'a.txt': 'one\n' }, script: elsewhere,
      servers: (root) => other(root, '--ask', 'write_text_file'),
      can: forms ? { elicitation: { form: {} } } : {},
      form: (params) => {
        shown.push(params);
        const [[name, property]] = Object.entries(params.requestedSchema.properties);
        const first = property.enum?.[0] ?? property.oneOf?.[0].const ?? true;
        return { action: 'accept', content: { [name]: first } };
      } });
    await e.prompt('write');
    assert.equal(shown.length, forms ? 1 : 0);
    assert.equal(fs.readFileSync(`${e.root}/a.txt`, 'utf8'), forms ? 'two\n' : 'one\n');
  });
}
