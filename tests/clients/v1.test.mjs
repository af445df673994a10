// The official SDK, version 1: what most clients are built on. It checks every
// result against the tool's outputSchema.
// X02 X04 X05 X06 X23 W20 W54 R51 M53
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { EmptyResultSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import { contract, names, others, sequence } from './calls.mjs';
import { outcome, run, runSequence, scratch, stet } from './table.mjs';

const root = scratch();
const client = new Client({ name: 'v1', version: '1' });

before(() => client.connect(new StdioClientTransport({
  command: stet, args: ['serve', root], stderr: 'inherit',
})));
after(() => client.close());

async function call(name, args) {
  try {
    return outcome(await client.callTool({ name, arguments: args }));
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    const message = error.message.replace(/^MCP error -?\d+: /, '');
    return { error: { code: error.code, message }, protocol: true };
  }
}

test('v1: the server names itself and lists its tools', async () => {
  assert.equal(client.getServerVersion().name, 'stet');
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).sort(), names);
  for (const tool of tools) assert.ok(tool.outputSchema, tool.name);
});

test('v1: ping', async () => { await client.ping(); });

test('v1: an unknown method', async () => {
  await assert.rejects(
    client.request({ method: 'no/such' }, EmptyResultSchema),
    (error) => error.code === -32601);
});

test('v1: Read, Write and Edit know what was read', () => runSequence(sequence, root,
  (name, args) => client.callTool({ name, arguments: args })));

for (const row of [...contract, ...others]) {
  test(`v1: ${row.name}`, () => run(row, root, call));
}
