// place.mjs - a real server, a browser, and an agent.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';

export const stet = path.resolve(process.argv[2] ?? 'build/stet');
const FLAGS = ['--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];
// The headless shell opens no windows, which saves a third of the CPU time; but it
// denies all notifications.
const SHELLS = ['chromium-headless-shell'];
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome'];
const VERSION = '2026-07-28';

function browserPath(names) {
  const found = names.flatMap((name) => process.env.PATH.split(':')
    .map((dir) => path.join(dir, name))).find((file) => fs.existsSync(file));
  if (!found) throw new Error(`none of ${names.join(', ')} is here: dev/setup check`);
  return found;
}

// A browser for all cases of one file: the headless shell, or with @notifications
// the full browser.
export function launch({ notifications = false } = {}) {
  const args = process.getuid() === 0 ? [...FLAGS, '--no-sandbox'] : FLAGS;
  const names = notifications ? BROWSERS : [...SHELLS, ...BROWSERS];
  return chromium.launch({ executablePath: browserPath(names), args });
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

// A project with @files, and a server for it with its own home directory.
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
  // A program runs `stet open` here, which the settings permit.
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
    // A new token with that name.
    token: tokenOf,
    // An agent with its own token; its declared name may differ.
    client: (token, name = token) => agent(() => url, tokenOf(token), name),
    // The output of a command, with this state directory.
    command: (...words) => execFileSync(stet, [...words, '--state-dir', state],
      { env, cwd: root }).toString(),
    // A GET of the API with the owner's token.
    owner: async (api) => (await fetch(url + api, { headers: {
      Authorization: `Bearer ${fs.readFileSync(path.join(state, 'token'), 'utf8').trim()}`,
    } })).json(),
    // A POST of the API with the owner's token.
    post: (api, body) => fetch(url + api, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${fs.readFileSync(path.join(state, 'token'), 'utf8').trim()}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(body),
    }),
    // A call over stdio, with a server of its own.
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

// ---- the agent: a minimal MCP client of 2026-07-28

const metaOf = (name) => ({
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name, version: '1.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
});

function agent(url, token, name) {
  let id = 0;
  const meta = metaOf(name);
  // The result of the tool, {structuredContent, isError}, or {error}.
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

// A page with its own browser profile, signed in. Errors, and requests to other
// origins, are in `wrong`.
export async function open(browser, where, options) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options,
  });
  // On a busy machine a step can take long; none of them is measured.
  context.setDefaultTimeout(120_000);
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
