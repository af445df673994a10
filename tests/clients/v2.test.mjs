// The official SDK, version 2, in each mode of version negotiation: initialize,
// automatic, and only 2026-07-28.
// X02 X04 X05 X06 X23
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client, ProtocolError } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { contract, names, others, sequence } from './calls.mjs';
import { outcome, run, runSequence, scratch, stet } from './table.mjs';

const modes = [
  ['legacy', 'legacy', 'legacy'],
  ['auto', 'auto', 'modern'],
  ['pinned', { pin: '2026-07-28' }, 'modern'],
];

for (const [label, mode, era] of modes) {
  const root = scratch();
  const client = new Client({ name: 'v2', version: '1' },
    { versionNegotiation: { mode } });

  before(() => client.connect(new StdioClientTransport({
    command: stet, args: ['serve', root], stderr: 'inherit',
  })));
  after(() => client.close());

  const call = async (name, args) => {
    try {
      return outcome(await client.callTool({ name, arguments: args }));
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      return { error: { code: error.code, message: error.message },
        protocol: true };
    }
  };

  test(`v2 ${label}: the era is ${era}, and the tools are listed`, async () => {
    assert.equal(client.getProtocolEra(), era);
    assert.equal(client.getServerVersion().name, 'stet');
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name).sort(), names);
  });

  test(`v2 ${label}: Read, Write and Edit know what was read`, () =>
    runSequence(sequence, root,
      (name, args) => client.callTool({ name, arguments: args })));

  for (const row of [...contract, ...others]) {
    test(`v2 ${label}: ${row.name}`, () => run(row, root, call));
  }
}
