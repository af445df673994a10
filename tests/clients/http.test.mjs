// The official SDKs and the Inspector over HTTP, in every mode, each with its
// token: the calls of calls.mjs, questions, dropped connections, shutdown.
// X02 X04 X05 X06 X23 A52 C60
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Client as V1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import { Client as V2, ProtocolError, StreamableHTTPClientTransport as V2Http } from '@modelcontextprotocol/client';
import { contract, names, others, sequence } from './calls.mjs';
import { outcome, run, runSequence, scratch, stet } from './table.mjs';

const info = { name: 'http', version: '1' };
const v2 = (mode, era) => ({
  make: (capabilities) => new V2(info,
    { capabilities, versionNegotiation: { mode } }),
  Transport: V2Http,
  Failure: ProtocolError,
  handle: (client, on) => client.setRequestHandler('elicitation/create', on),
  era,
});
const clients = {
  v1: {
    make: (capabilities) => new V1(info, { capabilities }),
    Transport: V1Http,
    Failure: McpError,
    handle: (client, on) => client.setRequestHandler(ElicitRequestSchema, on),
    era: 'legacy',
  },
  'v2 legacy': v2('legacy', 'legacy'),
  'v2 auto': v2('auto', 'modern'),
  'v2 pinned': v2({ pin: '2026-07-28' }, 'modern'),
};

// A server with its own files; stopped after the tests.
async function serve(...flags) {
  const home = scratch(async () => { // the server writes there until it exits
    child.kill();
    if (child.exitCode === null && !child.signalCode)
      await new Promise((end) => child.on('exit', end));
  });
  const root = path.join(home, 'root');
  const env = { PATH: process.env.PATH, HOME: home };
  fs.mkdirSync(root);
  const { token } = JSON.parse(
    execFileSync(stet, ['token', 'add', 'tests', '--json'], { env }));
  const child = spawn(stet, ['serve', '--http', '127.0.0.1:0', ...flags, root],
    { env, stdio: ['ignore', 'inherit', 'pipe'] });
  const url = await new Promise((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
      const found = /http:\/\/\S+\/mcp/.exec(said);
      if (found) resolve(new URL(found[0]));
    });
    child.on('exit', () => reject(new Error(said)));
  });
  return { root, url, token, child };
}

const auth = (token) => ({ requestInit: {
  headers: { Authorization: `Bearer ${token}` } } });

async function connect(kind, server, { answer, url = server.url } = {}) {
  const asked = [];
  const client = kind.make(answer ? { elicitation: {} } : {});
  const transport = new kind.Transport(url, auth(server.token));
  if (answer) {
    kind.handle(client, async (request, extra) => {
      asked.push(request.params);
      return answer(request.params, extra);
    });
  }
  await client.connect(transport);
  after(() => client.close());
  return { client, transport, asked };
}

const once = () => ({ action: 'accept', content: { decision: 'allow once' } });
const secret = (server) => {
  const file = path.join(server.root, '.env');
  fs.writeFileSync(file, 'old\n');
  return { file, text: () => fs.readFileSync(file, 'utf8'),
    request: { name: 'write_text_file',
      arguments: { path: file, content: 'new\n' } } };
};

// A proxy between client and server; cut() drops its connections and waits for
// a new one.
async function between(server) {
  const open = new Set();
  let back = () => {};
  const proxy = net.createServer((near) => {
    back();
    const far = net.connect(Number(server.url.port), '127.0.0.1');
    near.pipe(far).pipe(near);
    for (const [one, other] of [[near, far], [far, near]]) {
      open.add(one);
      one.on('error', () => {});
      one.on('close', () => { open.delete(one); other.destroy(); });
    }
  });
  await new Promise((resolve) => { proxy.listen(0, '127.0.0.1', resolve); });
  after(() => proxy.close());
  return { url: new URL(`http://127.0.0.1:${proxy.address().port}/mcp`),
    cut: () => new Promise((resolve) => {
      for (const one of open) one.destroy();
      back = resolve;
    }) };
}

for (const [label, kind] of Object.entries(clients)) {
  const server = await serve('--approval-wait', '0');
  const { client, transport } = await connect(kind, server);

  const call = async (name, args) => {
    try {
      return outcome(await client.callTool({ name, arguments: args }));
    } catch (error) {
      if (!(error instanceof kind.Failure)) throw error;
      const message = error.message.replace(/^MCP error -?\d+: /, '');
      return { error: { code: error.code, message }, protocol: true };
    }
  };

  test(`http ${label}: it is known, and the tools are listed`, async () => {
    if (kind.Transport === V2Http) assert.equal(client.getProtocolEra(), kind.era);
    assert.equal(client.getServerVersion().name, 'stet');
    assert.equal(Boolean(transport.sessionId), kind.era === 'legacy');
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name).sort(), names);
  });

  test(`http ${label}: Read, Write and Edit know what was read`, () =>
    runSequence(sequence, server.root,
      (name, args) => client.callTool({ name, arguments: args })));

  for (const row of [...contract, ...others]) {
    test(`http ${label}: ${row.name}`, () => run(row, server.root, call));
  }

  test(`http ${label}: many calls at a time, each with its own reply`, async () => {
    const files = Array.from({ length: 40 },
      (_, i) => path.join(server.root, `many-${i}`));
    await Promise.all(files.map((file) => client.callTool({
      name: 'write_text_file', arguments: { path: file, content: file } })));
    const read = await Promise.all(files.map((file) => client.callTool({
      name: 'read_text_file', arguments: { path: file } })));
    assert.deepEqual(read.map((r) => r.structuredContent.content), files);
  });

  test(`http ${label}: without its token nobody comes in`, async () => {
    await assert.rejects(connect(kind, { ...server, token: 'stet_nobody' }),
      (error) => /401|[Uu]nauthorized|token/.test(`${error} ${error.code}`));
  });

  test(`http ${label}: a question, and its answer`, async () => {
    const own = await serve();
    const { file, text, request } = secret(own);
    const yes = await connect(kind, own, { answer: once });
    assert.ok(!(await yes.client.callTool(request)).isError);
    assert.equal(text(), 'new\n');
    assert.equal(yes.asked.length, 1);
    assert.ok(yes.asked[0].message.includes(file));
    const no = await connect(kind, own, { answer: () => ({ action: 'decline' }) });
    fs.writeFileSync(file, 'old\n');
    const got = await no.client.callTool(request).catch((error) => error);
    assert.ok(got.isError || got.code === -32007, JSON.stringify(got));
    assert.equal(text(), 'old\n');
  });

  test(`http ${label}: a call that is taken back is not made`, async () => {
    const own = await serve();
    const { text, request } = secret(own);
    const abort = new AbortController();
    let asked;
    const question = new Promise((resolve) => { asked = resolve; });
    const { client: one } = await connect(kind, own, {
      answer: () => new Promise((resolve) => {
        asked();
        abort.signal.addEventListener('abort', () => resolve(once()));
      }) });
    const calling = kind.Transport === V1Http
      ? one.callTool(request, undefined, { signal: abort.signal })
      : one.callTool(request, { signal: abort.signal });
    await question;
    abort.abort();
    await assert.rejects(calling);
    assert.equal(text(), 'old\n');
    const { tools } = await one.listTools();
    assert.equal(tools.length, names.length);
    assert.equal(text(), 'old\n');
  });

  test(`http ${label}: the server ends, and the client is told`, async () => {
    const own = await serve();
    const { client: one } = await connect(kind, own);
    const hello = () => one.callTool({ name: 'hello', arguments: {} });
    await hello();
    const ended = new Promise((resolve) => { own.child.on('exit', resolve); });
    own.child.kill('SIGTERM');
    assert.equal(await ended, 0);
    await assert.rejects(hello());
  });

  if (kind.era !== 'legacy') continue;

  test(`http ${label}: a dropped connection is taken up again`, async () => {
    const own = await serve();
    const { text, request } = secret(own);
    const proxy = await between(own);
    const { client: one, asked } = await connect(kind, own, {
      url: proxy.url,
      answer: async () => { await proxy.cut(); return once(); } });
    const got = await one.callTool(request);
    assert.ok(!got.isError, JSON.stringify(got));
    assert.equal(text(), 'new\n');
    assert.equal(asked.length, 1);
  });

  test(`http ${label}: a session that is ended is over`, async () => {
    const own = await serve();
    const { client: one, transport: way } = await connect(kind, own);
    const id = way.sessionId;
    await way.terminateSession();
    const got = await fetch(own.url, { method: 'POST', headers: {
      ...auth(own.token).requestInit.headers, 'Mcp-Session-Id': id,
      'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }) });
    assert.equal(got.status, 404);
    await assert.rejects(one.listTools());
  });
}

// Without an SDK: results are valid for the schemas of tools/list.
const ajv = new Ajv2020({ strict: true, strictRequired: false,
  formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ } });
const VERSION = 'io.modelcontextprotocol/protocolVersion';
const plain = await serve('--tool-errors=result', '--approval-wait', '0');
const schemas = new Map();
let last = 0;

async function post(method, params) {
  const message = { jsonrpc: '2.0', id: ++last, method, params: { ...params,
    _meta: { [VERSION]: '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': info } } };
  const got = await fetch(plain.url, { method: 'POST', headers: {
    ...auth(plain.token).requestInit.headers,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method,
    ...(params.name ? { 'Mcp-Name': params.name } : {}) },
  body: JSON.stringify(message) });
  const reply = await got.json();
  assert.equal(reply.id, message.id);
  return reply;
}

for (const tool of (await post('tools/list', {})).result.tools) {
  schemas.set(tool.name, ajv.compile(tool.outputSchema));
}

for (const row of [...contract, ...others].filter((r) => !r.protocol)) {
  test(`http schema: ${row.name}`, () => run(row, plain.root,
    async (name, args) => {
      const { result } = await post('tools/call', { name, arguments: args });
      const fits = schemas.get(name);
      assert.ok(fits(result.structuredContent), JSON.stringify(fits.errors));
      assert.equal(result.resultType, 'complete');
      return result.isError ? { error: result.structuredContent.error }
        : { payload: result.structuredContent };
    }));
}

const inspector = fileURLToPath(new URL(
  './node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
  import.meta.url));

function inspect(era, server, home, ...args) {
  return new Promise((resolve) => {
    execFile(process.execPath, [inspector, '--cli', '--server-url',
      server.url.href, '--transport', 'http', '--header',
      `Authorization: Bearer ${server.token}`, '--protocol-era', era,
      '--format', 'json', '-q', ...args],
    { env: { PATH: process.env.PATH, HOME: home }, maxBuffer: 1 << 26 },
    (error, stdout, stderr) =>
      resolve({ status: error ? error.code : 0, stdout, stderr }));
  });
}

for (const era of ['legacy', 'modern']) {
  test(`http inspector ${era}: list, call, error`, async () => {
    const home = scratch();
    const file = path.join(plain.root, `inspected-${era}`);
    fs.writeFileSync(file, 'seen\n');
    const read = (name) => inspect(era, plain, home, '--method', 'tools/call',
      '--tool-name', 'read_text_file', '--tool-arg', `path=${name}`);
    const list = await inspect(era, plain, home, '--method', 'tools/list',
      '--strict');
    assert.equal(list.status, 0, list.stderr);
    assert.deepEqual(JSON.parse(list.stdout).result.tools
      .map((tool) => tool.name).sort(), names);
    const got = await read(file);
    assert.equal(got.status, 0, got.stderr);
    assert.equal(JSON.parse(got.stdout).result.structuredContent.content,
      'seen\n');
    assert.equal((await read(`${file}-not`)).status, 5);
    const stranger = await inspect(era, { ...plain, token: 'x' }, home,
      '--method', 'tools/list');
    assert.notEqual(stranger.status, 0);
  });
}
