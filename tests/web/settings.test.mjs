// Settings: tokens with their secret shown once, adding and removing the person's
// rules, the decision for a path, and a QR code for a phone. In a real browser
// with the real server.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { check, picture } from './looks.mjs';
import { launch, open, place } from './place.mjs';

let browser;
let where;
let config;
const PERSON = '"approvals": {"yes_i_am_the_person": true}';
before(async () => {
  browser = await launch();
  where = await place({ '.env': 'KEY=1\n', 'src/a.c': '1\n', '.stetignore': 'dist/\n',
    'dist/x.js': 'x\n' }, '--deny', 'write(vendor)', '--after-edit', 'true');
  config = path.join(path.dirname(where.root), '.config/stet/config.json');
});
after(async () => {
  await browser?.close();
  await where?.end();
});

// The browser logs each 400, which some tests are about.
const refused = /Failed to load resource: the server responded with a status of 4/;

function onPage(name, then, options) {
  test(name, async () => {
    const { page, context, wrong } = await open(browser, where, options);
    try {
      await page.click('a[href="#settings"]');
      await page.locator('#tokens-list li').first().waitFor();
      await page.locator('#rules-mode code').waitFor();
      await then(page);
      assert.deepEqual(wrong.filter((one) => !refused.test(one)), []);
    } finally {
      await context.close();
    }
  });
}

const words = async (locator) => (await locator.innerText()).replace(/\s+/g, ' ');
const has = (locator, text) => locator.filter({ hasText: text }).first().waitFor();

onPage('a token is shown once, works, and can be revoked', async (page) => {
  await has(page.locator('#tokens-lead'), 'No client has a token yet');
  await page.fill('#token-name', 'codex');
  await page.click('#token-form button');
  await page.locator('.secret').waitFor();
  const secret = await page.locator('.secret pre').first().innerText();
  assert.match(secret, /^stet_[\w-]{20,}$/);
  await page.locator('.secret summary').click();
  await has(page.locator('.secret pre'), `export STET_CLIENT_TOKEN=${secret}`);
  await has(page.locator('.secret pre'), `Bearer ${secret}`);
  const ask = () => fetch(`${where.url()}/mcp`, { method: 'POST',
    headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream' },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
  assert.notEqual((await ask()).status, 401);
  await page.getByRole('button', { name: 'Hide it' }).click();
  assert.ok(!(await page.content()).includes(secret), 'nothing of it is left on the page');
  await page.fill('#token-name', 'other');
  await page.click('#token-form button');
  await page.locator('#h-token-new').waitFor();
  await page.click('a[href="#status"]');
  await page.click('a[href="#settings"]');
  assert.equal(await page.locator('#h-token-new').count(), 0, 'leaving the view hides it');
  await page.locator('[data-token=other]').getByRole('button').click();
  await page.click('#sure[open] [data-agree]');
  await page.locator('[data-token=other]').waitFor({ state: 'detached' });
  await page.reload();
  const mine = page.locator('[data-token=codex]');
  await has(mine, /Token last used\s*(now|\d+ s ago)/);
  assert.ok(!(await page.content()).includes(secret));
  await mine.getByRole('button').click();
  await page.locator('#sure[open]').getByRole('button', { name: 'Cancel' }).click();
  assert.equal((await where.owner('/api/tokens')).tokens.length, 2);
  await mine.getByRole('button').click();
  await page.click('#sure[open] [data-agree]');
  await has(page.locator('#toast-text'), 'Revoked: codex');
  await mine.waitFor({ state: 'detached' });
  assert.equal((await ask()).status, 401);
});

onPage('what decides for a path', async (page) => {
  const decides = async (name) => {
    await page.fill('#check-path', name);
    await page.click('#check-form button');
    await has(page.locator('#check-result'), name);
    return words(page.locator('#check-result'));
  };
  assert.match(await decides('.env'),
    /Reading .*\.env asks you\..*Changing .*\.env asks you\. .*ask \*\(\.env\*\) from built in/);
  assert.match(await decides('vendor/x'),
    /Changing .* is refused\. Because: deny write\(vendor\) from --deny/);
  assert.match(await decides('dist/x.js'), /is refused\. .*ignore file or pattern: .*\.stetignore/);
  assert.match(await decides('src/a.c'), /Changing .* is allowed\. .*no rule matches, and mode default/);
  assert.match(await decides('/etc/passwd'), /is refused\. Because: [^_]*outside the roots/);
});

onPage('a rule is added and removed in the file, which stays as it is', async (page) => {
  const text = `{\n  ${PERSON},\n\n  "ask":   ["write(a)"]\n}\n`;
  fs.writeFileSync(config, text);
  await has(page.locator('.rule'), 'write(a)');
  await page.selectOption('#rule-verdict', 'deny');
  await page.fill('#rule-text', 'write(*.log');
  await page.click('#rule-form button');
  await page.locator('#rule-error', { hasText: /\S/ }).waitFor();
  await page.fill('#rule-text', 'write(*.log)');
  await page.click('#rule-form button');
  await has(page.locator('#toast-text'), 'Rule added: deny write(*.log)');
  await has(page.locator('.rule'), 'write(*.log)');
  assert.equal(fs.readFileSync(config, 'utf8'), text.replace('["write(a)"]\n',
    '["write(a)"],\n  "deny": ["write(*.log)"]\n'));
  const agent = where.agent();
  const write = () => agent('write_text_file', { path: where.file('x.log'), content: 'x\n' });
  const done = await write();
  assert.ok(done.error || done.isError, 'it counts at once');
  // a rule of the command line is not removed here
  assert.equal(await page.locator('.rule', { hasText: 'vendor' }).getByRole('button').count(), 0);
  await page.locator('.rule', { hasText: '*.log' }).getByRole('button').click();
  await page.click('#sure[open] [data-agree]');
  await page.locator('.rule', { hasText: '*.log' }).waitFor({ state: 'detached' });
  assert.equal(fs.readFileSync(config, 'utf8'), text.replace('["write(a)"]\n',
    '["write(a)"],\n  "deny": []\n'));
  const again = await write();
  assert.ok(!again.error && !again.isError, JSON.stringify(again));
});

onPage('an allow rule for a whole root or for all tools is asked for twice', async (page) => {
  const had = fs.readFileSync(config, 'utf8');
  await page.selectOption('#rule-verdict', 'allow');
  for (const [rule, reach] of [
    ['write', `every tool may change every file in ${where.root}/ without asking`],
    ['read(**)', `every tool may read every file in ${where.root}/`],
    ['*(src)', 'every tool may read and change every file that matches src']]) {
    await page.fill('#rule-text', rule);
    await page.click('#rule-form button');
    const dialog = page.locator('#sure[open]');
    await dialog.getByText(reach).first().waitFor();
    await dialog.getByText('sensitive files included').first().waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Cancel');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.equal(fs.readFileSync(config, 'utf8'), had, 'nothing was added');
  }
  await page.click('#rule-form button');
  await page.click('#sure[open] [data-agree]');
  await has(page.locator('#toast-text'), 'Rule added: allow *(src)');
  // a narrow rule is added at once
  await page.fill('#rule-text', 'write(src/a.c)');
  await page.click('#rule-form button');
  await has(page.locator('#toast-text'), 'Rule added: allow write(src/a.c)');
  // only the full text of the scope confirms it
  const sent = await where.post('/api/rules', { verdict: 'allow', rule: 'write', reach: 'yes' });
  assert.match((await sent.json()).confirm, /^every tool may change every file in /);
  fs.writeFileSync(config, had);
});

onPage('what happens to the file elsewhere is told', async (page) => {
  fs.writeFileSync(config, `{${PERSON}, "deny": [`);
  await has(page.locator('#rules-state'), /contain an error: .*config\.json:1:/);
  fs.writeFileSync(config, `{${PERSON}, "deny": ["*(c)"]}`);
  await has(page.locator('.rule'), '*(c)');
  assert.equal(await words(page.locator('#rules-state')), '');
  fs.writeFileSync(config, `{${PERSON}}`);
  await page.locator('.rule', { hasText: '*(c)' }).waitFor({ state: 'detached' });
});

onPage('a server of this machine alone has no code', async (page) => {
  await has(page.locator('#phone-body'), 'A phone cannot reach this server');
  assert.equal(await page.locator('#phone-show').count(), 0);
});

test('a code signs in another device, once', async () => {
  const far = await place({}, '--http', '0.0.0.0:0', '--allow-host', 'files.example');
  try {
    const { page, context } = await open(browser, far);
    await page.click('a[href="#settings"]');
    await page.click('#phone-show');
    await page.locator('svg.qr').waitFor();
    const link = await page.locator('#phone-code pre').innerText();
    const port = new URL(far.url()).port;
    assert.ok(link.startsWith(`http://files.example:${port}/#key=`), link);
    await picture(page, 'settings-phone');
    const signIn = () => fetch(`${far.url()}/api/signin`, { method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ key: link.split('key=')[1] }) });
    assert.equal((await signIn()).status, 200);
    assert.equal((await signIn()).status, 403);
    await context.close();
  } finally {
    await far.end();
  }
});

// ---- appearance

async function looksRight(page, name) {
  await page.screenshot({ path: path.join(path.dirname(process.argv[2] ?? 'build/stet'),
    'screenshots', `${name}.png`), fullPage: true });
  await check(page, name);
}

for (const colorScheme of ['light', 'dark']) {
  for (const [width, height] of [[1280, 800], [320, 720]]) {
    const size = `${width}-${colorScheme}`;
    onPage(`settings look right: ${size}`, async (page) => {
      await looksRight(page, `settings-none-${size}`);
      await page.fill('#token-name', `codex-${size}`);
      await page.click('#token-form button');
      await page.locator('.secret summary').click();
      await page.fill('#check-path', '.env');
      await page.click('#check-form button');
      await page.locator('.outcome').first().waitFor();
      await page.fill('#rule-text', 'nothing(');
      await page.click('#rule-form button');
      await page.locator('#rule-error', { hasText: /\S/ }).waitFor();
      await looksRight(page, `settings-all-${size}`);
      await page.locator(`[data-token="codex-${size}"]`).getByRole('button').click();
      await page.locator('#sure[open]').waitFor();
      await looksRight(page, `settings-sure-${size}`);
      await page.click('#sure[open] [data-agree]');
      await has(page.locator('#toast-text'), 'Revoked');
    }, { viewport: { width, height }, colorScheme, bypassCSP: true });
  }
}
