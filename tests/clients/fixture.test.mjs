// The fixture through the official SDKs, over stdio and HTTP, in both eras: one
// handler for elicitation, progress and notifications in all of them.
// X02 X05
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';

const fixture = path.resolve(process.argv[2] ?? 'build/stet-fixture');
const capabilities = { elicitation: {}, sampling: {}, roots: {} };
const answers = {
  'elicitation/create': (asked) => ({ action: 'accept',
    content: Object.fromEntries(Object.keys(asked.requestedSchema.properties)
      .map((key) => [key, `my ${key}`])) }),
  'sampling/createMessage': () => ({ role: 'assistant', model: 'none',
    content: { type: 'text', text: 'Good day' } }),
  'roots/list': () => ({ roots: [{ uri: 'file:///tmp' }] }),
};
const news = ['notifications/message', 'notifications/resources/updated',
  'notifications/tools/list_changed'];

// The two versions of the SDK have different names for the same things.
const v1Requests = {
  'elicitation/create': types.ElicitRequestSchema,
  'sampling/createMessage': types.CreateMessageRequestSchema,
  'roots/list': types.ListRootsRequestSchema,
};
const v1News = {
  'notifications/message': types.LoggingMessageNotificationSchema,
  'notifications/resources/updated': types.ResourceUpdatedNotificationSchema,
  'notifications/tools/list_changed': types.ToolListChangedNotificationSchema,
};
const versions = [
  { name: 'v1', era: 'legacy', Client: Client1, Stdio: Stdio1, Http: Http1,
    request: (m) => v1Requests[m], notice: (m) => v1News[m] },
  ...[['legacy', 'legacy'], ['auto', 'modern']].map(([mode, era]) => ({
    name: `v2 ${mode}`, era, Client: Client2, Stdio: Stdio2, Http: Http2,
    options: { versionNegotiation: { mode } },
    request: (m) => m, notice: (m) => m,
  })),
];

const server = spawn(fixture, ['--http', '127.0.0.1:0'],
  { stdio: ['ignore', 'inherit', 'pipe'] });
const lines = createInterface(server.stderr);
const [said] = await once(lines, 'line');
const url = new URL(/http:\S+/.exec(said)[0]);
lines.on('line', (more) => console.error(more));
after(async () => {
  server.kill('SIGTERM');
  assert.deepEqual(await once(server, 'exit'), [0, null]);
});

const ways = {
  stdio: (v) => new v.Stdio({ command: fixture, args: [], stderr: 'inherit' }),
  http: (v) => new v.Http(url),
};

for (const version of versions) {
  for (const [way, transport] of Object.entries(ways)) {
    const name = (what) => `fixture ${version.name} ${way}: ${what}`;
    const client = new version.Client({ name: 'fixture', version: '1' },
      { capabilities, ...version.options });
    const asked = [];
    const told = [];
    let waiting = () => {};

    // Wait until all of these have arrived.
    const hears = (...methods) => new Promise((resolve) => {
      waiting = () => {
        if (methods.every((m) => told.some((n) => n.method === m))) resolve();
      };
      waiting();
    });
    const call = async (tool, args = {}, options = undefined) => {
      const result = await client.callTool({ name: tool, arguments: args },
        ...(version.name === 'v1' ? [undefined, options] : [options]));
      return result.content[0].text;
    };

    for (const [method, answer] of Object.entries(answers)) {
      client.setRequestHandler(version.request(method), (request) => {
        asked.push(method);
        return answer(request.params);
      });
    }
    for (const method of news) {
      client.setNotificationHandler(version.notice(method), (notice) => {
        told.push(notice);
        waiting();
      });
    }
    before(() => client.connect(transport(version)));
    after(() => client.close());

    test(name('a tool asks for three things at once'), async () => {
      asked.length = 0;
      assert.equal(await call('test_input_required_result_multiple_inputs'),
        'Good day, my name (1)');
      assert.deepEqual(asked.sort(), Object.keys(answers).sort());
    });

    test(name('a tool asks again when it has an answer'), async () => {
      asked.length = 0;
      assert.equal(await call('test_input_required_result_multi_round'),
        'my name likes my color');
      assert.equal(asked.length, 2);
    });

    test(name('a prompt asks, too'), async () => {
      const { messages } = await client.getPrompt(
        { name: 'test_input_required_result_prompt' });
      assert.equal(messages[0].content.text, 'The context is: my context');
    });

    test(name('questions of several calls do not mix'), async () => {
      const texts = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(
        (message) => call('test_elicitation', { message })));
      for (const text of texts) assert.match(text, /"email":"my email"/);
    });

    test(name('progress comes before the result'), async () => {
      // Recorded at the transport: the SDK drops notifications that it reads together
      // with the result, which on a busy machine may be all of them.
      const seen = [], { transport } = client, take = transport.onmessage;
      transport.onmessage = (message, ...rest) => {
        if (message.method === 'notifications/progress')
          seen.push(message.params.progress);
        else if ('result' in message) seen.push('result');
        take.call(transport, message, ...rest);
      };
      await call('test_tool_with_progress', {}, { onprogress: () => {} });
      transport.onmessage = take;
      assert.deepEqual(seen, [0, 50, 100, 'result']);
    });

    test(name('resources, templates, prompts and completion'), async () => {
      const { resources } = await client.listResources();
      assert.equal(resources.length, 3);
      const { resourceTemplates } = await client.listResourceTemplates();
      assert.equal(resourceTemplates.length, 1);
      const { contents } = await client.readResource(
        { uri: 'test://template/123/data' });
      assert.equal(JSON.parse(contents[0].text).id, '123');
      const { prompts } = await client.listPrompts();
      assert.equal(prompts.length, 5);
      const { completion } = await client.complete({
        ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
        argument: { name: 'arg1', value: 'par' } });
      assert.deepEqual(completion.values, ['paris', 'park', 'party']);
    });

    test(name('who listens is told'), async () => {
      const uri = 'test://watched-resource';
      let stream;
      told.length = 0;
      if (version.era === 'modern') {
        stream = await client.listen(
          { toolsListChanged: true, resourceSubscriptions: [uri] });
      } else {
        await client.subscribeResource({ uri });
      }
      await call('test_trigger_tool_change');
      await call('test_trigger_prompt_change');
      await call('test_trigger_resource_change');
      await hears('notifications/tools/list_changed',
        'notifications/resources/updated');
      if (stream) await stream.close();
      else await client.unsubscribeResource({ uri });
      told.length = 0;
      await call('test_trigger_resource_change');
      await client.listTools();
      assert.ok(!told.some((n) => n.method === news[1]));
    });

    if (version.era === 'legacy') {
      test(name('the log has what was asked for'), async () => {
        await client.setLoggingLevel('info');
        told.length = 0;
        await call('test_tool_with_logging');
        assert.deepEqual(told.map((n) => n.params.data),
          ['Tool execution started', 'Tool processing data',
            'Tool execution completed']);
        await client.setLoggingLevel('error');
        told.length = 0;
        await call('test_logging_tool');
        assert.deepEqual(told, []);
      });
    }
  }
}
