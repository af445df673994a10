// The family filesystem with the official SDKs: the list, a call of each tool,
// and failures, as their validators accept them.
// V114 F94 F86
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Client as V1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as V1Stdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { Client as V2, ProtocolError } from '@modelcontextprotocol/client';
import { StdioClientTransport as V2Stdio } from '@modelcontextprotocol/client/stdio';
import { scratch, stet } from './table.mjs';

const names = ['create_directory', 'directory_tree', 'edit_file',
  'get_file_info', 'list_allowed_directories', 'list_directory',
  'list_directory_with_sizes', 'move_file', 'read_file', 'read_media_file',
  'read_multiple_files', 'read_text_file', 'search_files', 'write_file'];

const info = { name: 'filesystem', version: '1' };
const v2 = (mode) => [(options) => new V2(info, options), V2Stdio,
  ProtocolError, { versionNegotiation: { mode } }];
const clients = {
  v1: [(options) => new V1(info, options), V1Stdio, McpError, {}],
  'v2 legacy': v2('legacy'),
  'v2 pinned': v2({ pin: '2026-07-28' }),
};

// The first text of the result.
const calls = [
  ['write_file', { path: 'a.txt', content: 'one\ntwo\n' },
    'Successfully wrote to a.txt'],
  ['read_text_file', { path: 'a.txt' }, 'one\ntwo\n'],
  ['read_file', { path: 'a.txt', head: 1 }, 'one\n'],
  ['edit_file', { path: 'a.txt', edits: [{ oldText: 'two', newText: '2' }] },
    /^```diff\nIndex: .*a\.txt\n[^]*\n-two\n\+2\n/],
  ['create_directory', { path: 'd/e' }, 'Successfully created directory d/e'],
  ['move_file', { source: 'a.txt', destination: 'd/e/b.txt' },
    'Successfully moved a.txt to d/e/b.txt'],
  ['read_multiple_files', { paths: ['d/e/b.txt', 'none'] },
    /^d\/e\/b\.txt:\none\n2\n\n\n---\nnone: Error - /],
  ['list_directory', { path: '.' }, '[DIR] d\n[FILE] p.png'],
  ['list_directory_with_sizes', { path: 'd/e' }, /^\[FILE\] b\.txt .*6 B\n/],
  ['directory_tree', { path: 'd' },
    /^\[\s+\{\s+"name": "e",\s+"type": "directory",\s+"children": \[/],
  ['search_files', { path: '.', pattern: '**/*.txt' }, /\/d\/e\/b\.txt$/],
  ['get_file_info', { path: 'd/e/b.txt' }, /^size: 6\n/],
  ['list_allowed_directories', {}, /^Allowed directories:\n\//],
];

const failures = [
  ['read_file', { path: 'none' }, -32001],
  ['write_file', { path: 'none/a', content: '' }, -32001],
  ['list_directory', { path: 'p.png' }, -32003],
  ['read_text_file', { path: 'p.png' }, -32004],
  ['get_file_info', { path: '/etc/passwd' }, -32002],
  ['edit_file', { path: 'd/e/b.txt', edits: [{ oldText: 'x', newText: '' }] },
    -32010],
  ['move_file', { source: 'd/e/b.txt', destination: 'p.png' }, -32014],
];

for (const [label, [make, Transport, Failure, options]] of
  Object.entries(clients)) {
  const root = scratch();
  const client = make(options);
  const call = (name, args) => client.callTool({ name, arguments: args });

  before(() => {
    fs.writeFileSync(path.join(root, 'p.png'), '\x89PNG\0');
    return client.connect(new Transport({ command: stet,
      args: ['serve', '--tools=filesystem', root], stderr: 'inherit',
      cwd: root }));
  });
  after(() => client.close());

  test(`${label}: V114: the tools are listed`, async () => {
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name).sort(), names);
    for (const tool of tools) {
      assert.ok(tool.outputSchema || tool.name === 'read_media_file', tool.name);
    }
  });

  test(`${label}: V114: each tool has the text of its result`, async () => {
    for (const [name, args, text] of calls) {
      const result = await call(name, args);
      assert.ok(!result.isError, `${name}: ${result.content[0].text}`);
      if (text instanceof RegExp) assert.match(result.content[0].text, text);
      else assert.equal(result.content[0].text, text, name);
      assert.equal(result.structuredContent.content, result.content[0].text);
    }
    const { content } = await call('read_media_file', { path: 'p.png' });
    assert.deepEqual([content[0].type, content[0].mimeType],
      ['image', 'image/png']);
  });

  test(`${label}: V114: failures are results with their code`, async () => {
    for (const [name, args, code] of failures) {
      const result = await call(name, args);
      assert.ok(result.isError, name);
      const { error } = result.structuredContent;
      assert.equal(error.code, code, JSON.stringify(error));
      assert.ok(result.content[0].text.startsWith(error.message));
    }
  });

  test(`${label}: V114: arguments that do not fit are refused`, async () => {
    for (const [name, args] of [['read_file', {}], ['read_file', { pth: 'x' }],
      ['edit_file', { path: 'a', edits: 'x' }], ['no_such_tool', {}],
      ['Read', { file_path: path.join(root, 'p.png') }]]) {
      await assert.rejects(() => call(name, args),
        (error) => error instanceof Failure && error.code === -32602, name);
    }
  });
}
