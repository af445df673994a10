// The schemas of tools/list, checked by an independent validator: they are valid
// JSON Schema 2020-12, strict, and match the results.
// X04 X05 T04
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { contract, names, others } from './calls.mjs';
import { run, scratch, stet } from './table.mjs';

const root = scratch();
const client = new Client({ name: 'schema', version: '1' });
const ajv = new Ajv2020({ strict: true, strictRequired: false,
  formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ } });
const schemas = new Map();

before(async () => {
  await client.connect(new StdioClientTransport({
    command: stet, args: ['serve', '--tool-errors=result', root],
    stderr: 'inherit',
  }));
  for (const tool of (await client.listTools()).tools) {
    schemas.set(tool.name, {
      input: ajv.compile(tool.inputSchema),
      output: ajv.compile(tool.outputSchema),
    });
  }
});
after(() => client.close());

// Not callTool(), which validates by itself.
async function call(name, args) {
  const { input, output } = schemas.get(name);
  const result = await client.request(
    { method: 'tools/call', params: { name, arguments: args } },
    CallToolResultSchema);
  assert.ok(output(result.structuredContent), JSON.stringify(output.errors));
  if (result.isError) return { error: result.structuredContent.error };
  assert.ok(input(args), JSON.stringify(input.errors));
  return { payload: result.structuredContent };
}

test('schema: every tool has both, and they compile', () => {
  assert.deepEqual([...schemas.keys()].sort(), names);
});

test('schema: neither success nor error is no result', () => {
  for (const [name, { output }] of schemas) assert.ok(!output({}), name);
});

for (const row of [...contract, ...others].filter((r) => !r.protocol)) {
  test(`schema: ${row.name}`, () => run(row, root, call));
}
