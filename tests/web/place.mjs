// place.mjs - a server of the program itself, a browser, and an agent.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';

export const stet = path.resolve(process.argv[2] ?? 'build/stet');
const FLAGS = ['--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome'];
const VERSION = '2026-07-28';

function browserPath() {
  const found = BROWSERS.flatMap((name) => process.env.PATH.split(':')
    .map((dir) => path.join(dir, name))).find((file) => fs.existsSync(file));
  if (!found) throw new Error(`none of ${BROWSERS.join(', ')} is here: dev/setup check`);
  return found;
}

export function launch() {
  const args = process.getuid() === 0 ? [...FLAGS, '--no-sandbox'] : FLAGS;
  return chromium.launch({ executablePath: browserPath(), args });
}

// ---- the server

function listening(child) {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
      if (found) resolve(found[0]);
    });
    child.on('exit', (code) => reject(new Error(`it ended with ${code}: ${said}`)));
  });
}

// A project with @files, and a server for it. Its home is its own.
export async function place(files, ...options) {
  const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'stet-web-')));
  const root = path.join(home, 'shop');
  const state = path.join(home, 'state');
  const env = { PATH: process.env.PATH, HOME: home };
  const file = (name) => path.join(root, name);
  const write = (name, text) => {
    fs.mkdirSync(path.dirname(file(name)), { recursive: true });
    fs.writeFileSync(file(name), text);
  };
  fs.mkdirSync(root);
  // `stet open` is for people, and this is a program that answers for one.
  fs.mkdirSync(path.join(home, '.config/stet'), { recursive: true });
  fs.writeFileSync(path.join(home, '.config/stet/config.json'),
    '{"approvals": {"yes_i_am_the_person": true}}');
  for (const [name, text] of Object.entries(files)) write(name, text);
  let child;
  let url;
  const start = async (port = 0) => {
    child = spawn(stet, ['serve', '--http', `127.0.0.1:${port}`, '--state-dir', state,
      ...options, root], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    url = await listening(child);
  };
  const stop = () => new Promise((resolve) => {
    child.once('exit', resolve);
    child.kill('SIGTERM');
  });
  const tokenOf = (name) => {
    const made = JSON.parse(execFileSync(stet,
      ['token', 'add', name, '--json', '--state-dir', state], { env }));
    return () => made.token;
  };
  await start();
  return {
    root, state, file, write, stop,
    url: () => url,
    startAgain: () => start(new URL(url).port),
    read: (name) => fs.readFileSync(file(name), 'utf8'),
    link: () => execFileSync(stet, ['open', '--print', '--state-dir', state], { env })
      .toString().trim(),
    agent: (name = 'tester', token) => agent(() => url,
      token ?? (() => fs.readFileSync(path.join(state, 'token'), 'utf8').trim()), name),
    // A token of its own for a client of that name.
    token: tokenOf,
    // An agent with a token of its own, which may call itself something else.
    client: (token, name = token) => agent(() => url, tokenOf(token), name),
    // What a command says, with this state.
    command: (...words) => execFileSync(stet, [...words, '--state-dir', state],
      { env, cwd: root }).toString(),
    // What the API answers to the owner's token.
    owner: async (api) => (await fetch(url + api, { headers: {
      Authorization: `Bearer ${fs.readFileSync(path.join(state, 'token'), 'utf8').trim()}`,
    } })).json(),
    // What it answers to a body of theirs.
    post: (api, body) => fetch(url + api, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${fs.readFileSync(path.join(state, 'token'), 'utf8').trim()}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(body),
    }),
    // A call of a client that starts a server of its own, over a pipe.
    pipe: (name, tool, args) => {
      const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call',
        params: { name: tool, arguments: args, _meta: metaOf(name) } });
      return JSON.parse(execFileSync(stet, ['serve', '--state-dir', state, ...options,
        root], { env, input: `${message}\n` }));
    },
    end: async () => {
      await stop();
      fs.rmSync(home, { recursive: true, force: true });
    },
  };
}

// ---- the agent: an MCP client in a few lines, of the stateless era

const metaOf = (name) => ({
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name, version: '1.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
});

function agent(url, token, name) {
  let id = 0;
  const meta = metaOf(name);
  // What the tool answers: {structuredContent, isError} or {error}.
  async function call(tool, args, signal) {
    const response = await fetch(`${url()}/mcp`, {
      method: 'POST',
      signal,
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        Authorization: `Bearer ${token()}`,
        'MCP-Protocol-Version': VERSION, 'Mcp-Method': 'tools/call', 'Mcp-Name': tool,
      },
      body: JSON.stringify({
        jsonrpc: '2.0', id: ++id, method: 'tools/call',
        params: { name: tool, arguments: args, _meta: meta },
      }),
    });
    return answerOf(await response.text());
  }
  call.token = token;
  return call;
}

function answerOf(text) {
  const data = text.split('\n').filter((line) => line.startsWith('data: '));
  const message = JSON.parse(data.length ? data.at(-1).slice(6) : text);
  return message.result ?? { error: message.error };
}

// ---- the page

// A page of its own browser profile, signed in. What goes wrong in it, or
// leaves the origin, is in `wrong`.
export async function open(browser, where, options) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options,
  });
  const page = await context.newPage();
  const wrong = [];
  const link = where.link();
  page.on('pageerror', (error) => wrong.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) wrong.push(message.text());
  });
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && origin !== new URL(link).origin) wrong.push(`request: ${request.url()}`);
  });
  await page.goto(link);
  await page.waitForSelector('#link[data-state=live]');
  return { page, context, wrong };
}
