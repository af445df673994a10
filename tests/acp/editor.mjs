// editor.mjs - an editor with the official ACP client, which starts stet acp with
// the real Codex and a scripted model. Every message of stet is validated against
// the protocol's JSON Schema.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { client, ndJsonStream, RequestError } from '@agentclientprotocol/sdk';
import Ajv from 'ajv/dist/2020.js';
import { codexIn, configure } from './codex.mjs';
import { startModel } from './model.mjs';

export { offspring, pss, words } from './codex.mjs';

const require = createRequire(import.meta.url);
const schema = require('@agentclientprotocol/sdk/schema/v1/schema.json');

export const stet = path.resolve(process.argv[2] ?? 'build/stet');
export const codex = codexIn(path.join(import.meta.dirname, 'node_modules'));

// Validate the messages of stet.

const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema({ ...schema, $id: 'acp' });
const checks = {};
for (const [name, def] of Object.entries(schema.$defs)) {
  const what = /(Request|Response|Notification)$/.exec(name)?.[1];
  if (what && def['x-method']) checks[`${def['x-method']} ${what}`] = `acp#/$defs/${name}`;
}

function check(method, what, value) {
  const ref = checks[`${method} ${what}`];
  assert.ok(ref, `the protocol has no ${what} of ${method}`);
  const valid = ajv.getSchema(ref);
  assert.ok(valid(value), `${method} ${what}: ${ajv.errorsText(valid.errors)}\n${JSON.stringify(value)}`);
}

// Record both directions of the pipe.
class Watch {
  constructor() { this.asked = new Map(); this.problems = []; this.lines = []; }

  sent(message) { if (message.id !== undefined && message.method) this.asked.set(message.id, message.method); }

  came(message) {
    this.lines.push(message);
    try {
      assert.equal(message.jsonrpc, '2.0');
      if (message.method) check(message.method, message.id === undefined ? 'Notification' : 'Request', message.params);
      else if (message.result !== undefined) check(this.asked.get(message.id), 'Response', message.result);
      else assert.equal(typeof message.error.message, 'string');
    } catch (error) { this.problems.push(error); }
  }
}

function watched(stream, see) {
  let rest = '';
  const decoder = new TextDecoder();
  return new TransformStream({
    transform(chunk, controller) {
      rest += decoder.decode(chunk, { stream: true });
      const lines = rest.split('\n');
      rest = lines.pop();
      for (const line of lines) if (line) see(JSON.parse(line));
      controller.enqueue(chunk);
    },
  });
}

export const alive = (pid) => {
  try { process.kill(pid, 0); } catch { return false; }
  return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
};

export const wait = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

// Wait until it is true, at most 20 s.
export async function until(holds, what) {
  for (let i = 0; i < 1000; i++) {
    if (holds()) return;
    await wait(20);
  }
  assert.fail(`it never came to pass: ${what}`);
}

/*
 * options: script    of the model        can       clientCapabilities
 *          buffers   path: unsaved text  read, write, permit, form   handlers
 *          args, env of stet             config    more of Codex's config
 *          files     of the project      base      of an earlier one
 *          model     its name            servers   of the editor
 */
export async function startEditor(t, options = {}) {
  const base = options.base ??
    fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'stet-acp-')));
  const home = path.join(base, 'codex'), root = path.join(base, 'project');
  fs.mkdirSync(home, { recursive: true });
  fs.mkdirSync(root, { recursive: true });
  for (const [name, text] of Object.entries(options.files ?? {})) {
    fs.writeFileSync(path.join(root, name), text);
  }
  const script = options.script ?? [];
  const model = await startModel(typeof script === 'function' ? script(root) : script);
  configure(home, model.url, typeof options.config === 'function' ? options.config(root) : options.config, options.model);

  const env = { PATH: process.env.PATH, HOME: base, XDG_RUNTIME_DIR: base, CODEX_HOME: home, SCRIPT_KEY: 'none', ...options.env };
  const child = spawn(options.command ?? stet,
    ['acp', '--codex', options.codex ?? codex, ...(options.args ?? [])],
    { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => { child.once('exit', (code, signal) => resolve({ code, signal })); });
  const watch = new Watch(), e = { root, base, model, child, exited, watch, understood: 0, asked: [], reads: [], writes: [] };

  e.buffers = new Map(Object.entries(options.buffers ?? {}).map(([name, text]) => [path.join(root, name), text]));
  const readFile = (file) => {
    if (!file.startsWith(`${root}/`)) throw new RequestError(-32002, `Resource not found: ${file}`);
    if (e.buffers.has(file)) return e.buffers.get(file);
    try { return fs.readFileSync(file, 'utf8'); } catch { throw new RequestError(-32002, `Resource not found: ${file}`); }
  };
  const app = client({ name: 'editor' })
    .onRequest('fs/read_text_file', async ({ params, signal }) => {
      e.reads.push(params);
      return { content: options.read ? await options.read(params, readFile, signal) : readFile(params.path) };
    })
    .onRequest('fs/write_text_file', async ({ params, signal }) => {
      e.writes.push(params);
      if (options.write) await options.write(params, signal);
      e.buffers.delete(params.path);
      fs.writeFileSync(params.path, params.content);
      return {};
    })
    .onRequest('session/request_permission', async ({ params, signal }) => {
      e.asked.push(params);
      const choice = options.permit ? await options.permit(params, signal) : 'allow';
      return { outcome: choice ? { outcome: 'selected', optionId: choice } : { outcome: 'cancelled' } };
    })
    .onRequest('elicitation/create', ({ params }) => options.form(params))
    .onNotification('session/update', () => { e.understood++; });

  const output = watched(null, (message) => watch.sent(message));
  output.readable.pipeTo(Writable.toWeb(child.stdin)).catch(() => {});
  const input = Readable.toWeb(child.stdout).pipeThrough(watched(null, (message) => watch.came(message)));
  const connection = app.connect(ndJsonStream(output.writable, input));
  e.agent = connection.agent;
  e.ask = (method, params) => e.agent.request(method, params);
  // In the order of arrival, which the SDK does not keep between updates and
  // replies.
  Object.defineProperty(e, 'updates', { get: () => watch.lines
    .filter((line) => line.method === 'session/update').map((line) => line.params.update) });
  e.kinds = (kind) => e.updates.filter((update) => update.sessionUpdate === kind);
  e.text = (kind = 'agent_message_chunk') => e.kinds(kind).map((update) => update.content.text).join('');
  e.calls = () => {
    const calls = new Map();
    for (const update of e.updates) {
      if (!/^tool_call/.test(update.sessionUpdate)) continue;
      calls.set(update.toolCallId, { ...calls.get(update.toolCallId), ...update });
    }
    return [...calls.values()];
  };
  e.prompt = (text) => e.ask('session/prompt', { sessionId: e.session,
    prompt: typeof text === 'string' ? [{ type: 'text', text }] : text });
  e.cancel = () => e.agent.notify('session/cancel', { sessionId: e.session });
  e.close = async () => {
    child.stdin.end();
    const how = await exited;
    model.close();
    return how;
  };
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      assert.deepEqual(await e.close(), { code: 0, signal: null });
    }
    model.close();
    if (!options.keep) fs.rmSync(base, { recursive: true, force: true });
    for (const problem of watch.problems) throw problem;
    if (options.args?.includes('--acp-events=contract')) return;
    // The SDK drops unknown messages: there must be none.
    await until(() => e.understood === e.updates.length, 'all that was told is understood');
    for (const call of e.calls()) {
      assert.match(call.status, /^(completed|failed)$/, `a call stays ${call.status}: ${JSON.stringify(call)}`);
    }
  });
  e.hello = await e.ask('initialize', { protocolVersion: options.version ?? 1,
    clientCapabilities: options.can ?? { fs: { readTextFile: true, writeTextFile: true },
      session: { notices: {} }, elicitation: { form: {}, url: {} } } });
  if (options.opens !== false) {
    e.opened = await e.ask('session/new', { cwd: root, mcpServers: typeof options.servers === 'function' ? options.servers(root) : options.servers ?? [] });
    e.session = e.opened.sessionId;
  }
  return e;
}

export const own = (call, args, id) => ({ call, args, in: 'mcp__stet', id });
export const end = { say: 'Done.' };
