// A hostile server on another port of this machine, opened in a browser that is
// signed in to stet: it replays every header it receives at stet's port, and can
// neither read nor answer anything.
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { launch, open, place } from './place.mjs';

const NAMES = ['127.0.0.1', 'localhost'];
// Hosts of stet: its address, and the random host name of the page.
const bases = (page) => [where.url(), new URL(page.url()).origin];
const pairs = (page) => NAMES.flatMap((name) => bases(page).map((base) => [name, base]));
const ANSWER = JSON.stringify({ answer: 'once' });

let browser;
let where;
let hostile;
before(async () => {
  browser = await launch();
  where = await place({ 'src/asked.c': 'old\n' },
    '--ask', 'write(src/asked*)', '--approval-wait', '120');
  hostile = await hostileServer();
});
after(async () => {
  await browser?.close();
  hostile?.server.close();
  await where?.end();
});

// ---- the hostile server: records the head of every request, serves `pages`

async function hostileServer() {
  const heads = [];
  const pages = new Map();
  const server = http.createServer((request, response) => {
    heads.push(request.headers);
    const { status = 200, headers = {}, body = 'hello' } = pages.get(
      new URL(request.url, 'http://x').pathname) ?? {};
    response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end(body);
  });
  await new Promise((ready) => { server.listen(0, '127.0.0.1', ready); });
  const { port } = server.address();
  return { server, heads, pages, at: (name, path = '/') => `http://${name}:${port}${path}` };
}

// A request with headers of the attacker's choice, sent without a browser.
function send(method, path, headers, body = '') {
  const { hostname, port, host, origin } = new URL(where.url());
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, path, method, headers: {
      host, origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json',
      'content-length': Buffer.byteLength(body), ...headers,
    } }, (response) => {
      let text = '';
      response.on('data', (chunk) => { text += chunk; });
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

// With each recorded head: try to read the API and to answer the question.
async function replay(id) {
  const seen = [];
  for (const head of [{}, ...hostile.heads]) {
    const { cookie, authorization } = head;
    const own = { ...(cookie && { cookie }), ...(authorization && { authorization }) };
    const status = await send('GET', '/api/status', own);
    seen.push(status.status);
    const csrf = status.status === 200 ? JSON.parse(status.text).csrf : undefined;
    seen.push((await send('GET', '/api/approvals', own)).status);
    seen.push((await send('POST', `/api/approvals/${id}`,
      { ...own, ...(csrf && { 'x-stet-csrf': csrf }) }, ANSWER)).status);
  }
  return seen;
}

// ---- an open question, and a signed-in browser

function attack(name, then) {
  test(name, async () => {
    const { page, context } = await open(browser, where);
    hostile.heads.length = 0;
    hostile.pages.clear();
    const call = where.agent('suspect')('write_text_file',
      { path: where.file('src/asked.c'), content: 'new\n' });
    const slip = page.locator('.slip[data-armed]', { hasText: 'asked.c' });
    await slip.waitFor();
    const { approvals: [question] } = await where.owner('/api/approvals');
    try {
      await then(context, question.id, page);
      assert.deepEqual([...new Set(await replay(question.id))], [401]);
      const { approvals } = await where.owner('/api/approvals');
      assert.deepEqual(approvals.map((one) => one.id), [question.id], 'it still waits');
      assert.equal(where.read('src/asked.c'), 'old\n');
      // The harmless counterpart: the person's own page can answer.
      await page.bringToFront();
      await slip.waitFor();
      await slip.getByRole('button', { name: 'Deny' }).click();
      assert.match(JSON.stringify(await call), /-32007/);
    } finally {
      await context.close();
    }
  });
}

attack('a visit gives it nothing', async (context) => {
  for (const name of NAMES) {
    const tab = await context.newPage();
    await tab.goto(hostile.at(name));
    await tab.close();
  }
  assert.ok(hostile.heads.length >= NAMES.length, 'it was visited');
});

attack('a redirect to our port does nothing', async (context, id, page) => {
  const to = (path) => `${bases(page)[1]}${path}`;
  const posts = (status) => `<form method=post action=/${status} enctype=text/plain>
    <input name='{"answer":"once","x":"' value='"}'></form>
    <script>document.forms[0].submit()</script>`;
  for (const status of [302, 303, 307, 308]) {
    hostile.pages.set(`/${status}`, { status,
      headers: { Location: to(`/api/approvals/${id}`) } });
    hostile.pages.set(`/read${status}`, { status, headers: { Location: to('/api/status') } });
    hostile.pages.set(`/form${status}`, { body: posts(status) });
  }
  const tab = await context.newPage();
  for (const path of hostile.pages.keys()) {
    await tab.goto(hostile.at('127.0.0.1', path));
    if (path.startsWith('/form')) await tab.waitForURL(to('/**'));
    assert.doesNotMatch(await tab.content(), /csrf|uptime_ms|"roots"/, path);
  }
  await tab.close();
});

// Runs in the hostile page: every way in which a script can reach another origin.
async function everyWay({ stet, id, answer }) {
  const got = [];
  const url = `${stet}/api/approvals/${id}`;
  for (const mode of ['cors', 'no-cors', 'same-origin']) {
    for (const [path, method, headers] of [[`${stet}/api/status`, 'GET', {}],
      [url, 'POST', { 'Content-Type': 'text/plain' }],
      [url, 'POST', { 'Content-Type': 'application/json', Authorization: 'Bearer x' }],
      [`${stet}/api/live`, 'GET', { Accept: 'text/event-stream' }]]) {
      try {
        const response = await fetch(path, { method, mode, headers, credentials: 'include',
          body: method === 'POST' ? answer : undefined });
        got.push(await response.text());
      } catch { /* refused by the browser */ }
    }
  }
  const loaded = (element) => new Promise((done) => {
    element.onload = element.onerror = done;
    document.body.append(element);
  });
  for (const tag of ['img', 'script', 'iframe']) {
    for (const src of [`${stet}/`, `${stet}/server.js`, url]) {
      const element = Object.assign(document.createElement(tag), { src });
      await loaded(element);
      try {
        got.push(element.contentDocument?.body.textContent ?? '');
      } catch { /* another origin */ }
    }
  }
  navigator.sendBeacon(url, answer);
  const frame = Object.assign(document.createElement('iframe'), { name: 'into' });
  document.body.append(frame);
  const form = Object.assign(document.createElement('form'), { method: 'post',
    action: url, target: 'into', enctype: 'text/plain' });
  form.append(Object.assign(document.createElement('input'),
    { name: '{"answer":"once","x":"', value: '"}' }));
  document.body.append(form);
  const posted = new Promise((done) => { frame.onload = done; });
  form.submit();
  await posted;
  return got.filter((text) => text);
}

attack('a script of its page reaches nothing', async (context, id, page) => {
  for (const [name, stet] of pairs(page)) {
    const tab = await context.newPage();
    await tab.goto(hostile.at(name));
    const got = await tab.evaluate(everyWay, { stet, id, answer: ANSWER });
    assert.deepEqual(got, [], name);
    await tab.close();
  }
});

attack('a window that it opens is closed to it', async (context, _id, page) => {
  for (const [name, base] of pairs(page)) {
    const tab = await context.newPage();
    await tab.goto(hostile.at(name));
    const opened = context.waitForEvent('page');
    await tab.evaluate((stet) => { globalThis.other = globalThis.open(stet); }, base);
    const window = await opened;
    await window.waitForLoadState();
    const got = await tab.evaluate(({ answer, stet }) => {
      const read = (then) => { try { return then() ?? null; } catch { return null; } };
      read(() => globalThis.other.postMessage({ type: 'session', answer }, stet));
      return [read(() => globalThis.other.document?.body.textContent),
        read(() => globalThis.other.sessionStorage?.length),
        read(() => globalThis.other.localStorage?.length)];
    }, { stet: base, answer: ANSWER });
    assert.deepEqual(got, [null, null, null], name);
    assert.equal(await window.evaluate(() => globalThis.opener), null, 'COOP parts them');
    await window.close();
    await tab.close();
  }
});

// ---- the sign-in link

test('no server is sent the key of a link', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const link = where.link();
  const [, key] = link.split('key=');
  const sent = [];
  page.on('request', (request) => sent.push(`${request.url()} ${request.headers().referer}`));
  await page.goto(link);
  await page.waitForSelector('#link[data-state=live]');
  assert.deepEqual(sent.filter((text) => text.includes(key)), []);
  assert.ok(!page.url().includes('key='), 'the address does not keep it');
  assert.deepEqual(await context.cookies(), [], 'there is no cookie');
  await page.goto(hostile.at('127.0.0.1'));
  await page.goBack();
  await page.waitForSelector('#link[data-state=live]');
  assert.ok(!page.url().includes('key='), 'nor does the history');
  await context.close();
});

// Service workers and caches belong to an origin, port included, and persist:
// here those of a server that had the port before stet.
test('who had the port before has no part in the page', async () => {
  const { port } = new URL(where.url());
  const evil = '<title>evil</title><body>evil';
  const worker = `oninstall = () => skipWaiting();
    onactivate = (event) => event.waitUntil(clients.claim());
    onfetch = (event) => event.respondWith(new Response(${JSON.stringify(evil)},
      { headers: { 'Content-Type': 'text/html' } }));`;
  await where.stop();
  const before_ = http.createServer((request, response) => {
    const script = request.url === '/worker.js';
    response.writeHead(200, { 'Content-Type': script ? 'text/javascript' : 'text/html',
      'Cache-Control': 'max-age=31536000, immutable' }).end(script ? worker : evil);
  });
  await new Promise((ready) => { before_.listen(port, '127.0.0.1', ready); });
  const context = await browser.newContext();
  const page = await context.newPage();
  for (const name of NAMES) {
    await page.goto(`http://${name}:${port}/`);
    await page.evaluate(async () => {
      await navigator.serviceWorker.register('/worker.js');
      await navigator.serviceWorker.ready;
    });
  }
  before_.closeAllConnections();
  await new Promise((done) => { before_.close(done); });
  await where.startAgain();
  await page.goto(where.link());
  assert.notEqual(await page.title(), 'evil');
  await page.waitForSelector('#link[data-state=live]');
  await context.close();
});
