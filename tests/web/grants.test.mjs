// 14.1: a grant never reaches further than its words, and can be taken back.
// In a real browser, with the server as it is.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { check, picture } from './looks.mjs';
import { launch, open, place } from './place.mjs';

const ASKED = -32007;

let browser;
let where;
let codex;
before(async () => {
  browser = await launch();
  where = await place({
    '.env': 'KEY=old\n', '.git/config': '[core]\n', 'src/one.c': '1\n',
    'src/two.c': '2\n', 'src/deep/three.c': '3\n', 'docs/four.c': '4\n',
  }, '--ask', 'write(*.c)', '--approval-wait', '0');
  codex = where.client('codex');
});
after(async () => {
  await browser?.close();
  await where?.end();
});

// Another content each time: the same call again would get an older answer.
let writes = 0;
const write = (name, content = `new ${++writes}\n`) => ['write_text_file',
  { path: where.file(name), content }];
const isAsked = (done) => done.error?.code === ASKED
  || (done.isError && /Approval required/.test(JSON.stringify(done)));

async function asks(agent, name, content) {
  const done = await agent(...write(name, content));
  assert.ok(isAsked(done), `${name} is asked for: ${JSON.stringify(done)}`);
}
async function runs(agent, name, content) {
  const done = await agent(...write(name, content));
  assert.ok(!done.error && !done.isError, `${name} runs: ${JSON.stringify(done)}`);
}

// A test with a page of its own; whatever it granted or asked is gone after.
function onPage(name, then, options) {
  test(name, async () => {
    const { page, context, wrong } = await open(browser, where, options);
    try {
      await then(page);
      assert.deepEqual(wrong, []);
    } finally {
      await context.close();
      where.command('grants', 'revoke', '--all');
      for (const { id } of (await where.owner('/api/approvals')).approvals) {
        where.command('approvals', 'deny', id);
      }
    }
  });
}

const slip = (page, file) => page.locator('.slip[data-armed]', { hasText: file });
const offer = (page, file, how) => slip(page, file).locator(`[data-answer=${how}]`);
const toast = (page) => page.locator('#toast-text');
const sure = (page) => page.locator('#sure[open]');

async function widen(page, file, how) {
  await slip(page, file).locator('.wider summary').click();
  await offer(page, file, how).click();
}
async function says(locator, words) {
  await locator.getByText(words, { exact: false }).first().waitFor();
}
const words = async (locator) => (await locator.innerText()).replace(/\s+/g, ' ');

// ---- the words are what happens

onPage('always on .env is not for .git/config', async (page) => {
  await asks(codex, '.env');
  await widen(page, '.env', 'always');
  const all = 'use write_text_file on every file in shop/ · codex · '
    + 'until you revoke it · of sensitive files only .env';
  // one click is not enough, and the second names all of it
  assert.match(await words(sure(page)), /Allow all of this without asking\?/);
  assert.equal(await words(sure(page).locator('[data-agree]')), `Allow: ${all}`);
  await asks(codex, '.env');
  await sure(page).locator('[data-agree]').click();
  await says(toast(page), `Allowed: ${all}`);
  await runs(codex, '.env');
  await asks(codex, '.git/config', '[core]\n\tsshCommand = evil\n');
  assert.equal(where.read('.git/config'), '[core]\n');
});

onPage('a directory is that directory, for that client', async (page) => {
  const other = where.client(`other-${Date.now()}`, 'codex');
  await asks(codex, 'src/one.c');
  const all = 'change every file in src/ · codex · until you revoke it · '
    + 'but no sensitive file';
  await slip(page, 'one.c').locator('.wider summary').click();
  assert.equal(await words(offer(page, 'one.c', 'directory')), `This directory ${all}`);
  await offer(page, 'one.c', 'directory').click();
  await says(toast(page), `Allowed: ${all}`);
  assert.ok(await sure(page).isHidden(), 'it is not one of the widest');
  await runs(codex, 'src/two.c');
  await runs(codex, 'src/deep/three.c');
  await asks(codex, 'src/.env');
  await asks(codex, 'docs/four.c');
  await asks(other, 'src/two.c');
});

onPage('the directory of the root itself is asked for again', async (page) => {
  await asks(codex, '.env');
  await widen(page, '.env', 'directory');
  await says(sure(page), 'change every file in shop/');
  await sure(page).getByRole('button', { name: 'Cancel' }).click();
  assert.deepEqual((await where.owner('/api/grants')).grants, []);
  await slip(page, '.env').waitFor(); // and the question waits on
});

onPage('a name that is only declared is marked', async (page) => {
  // over a pipe there is no token: what a client calls itself is all
  const list = JSON.parse(where.command('approvals', '--json')).approvals;
  assert.deepEqual(list, []);
  await where.pipe('shady', ...write('src/one.c'));
  await slip(page, 'one.c').locator('.wider summary').click();
  assert.match(await words(offer(page, 'one.c', 'file')),
    /change src\/one\.c · shady \(as it calls itself\) · until you revoke it/);
});

onPage('an answer can be for a time', async (page) => {
  await asks(codex, 'src/one.c');
  await slip(page, 'one.c').locator('.wider summary').click();
  await slip(page, 'one.c').getByLabel('1 hour').check();
  assert.match(await words(offer(page, 'one.c', 'file')),
    /change src\/one\.c · codex · for 1 hour/);
  await slip(page, 'one.c').getByLabel('today').check();
  assert.match(await words(offer(page, 'one.c', 'file')),
    /change src\/one\.c · codex · until midnight/);
  const midnight = await page.evaluate(() => new Date().setHours(24, 0, 0, 0));
  await offer(page, 'one.c', 'file').click();
  await says(toast(page), 'Allowed: change src/one.c · codex · until midnight');
  const [grant] = (await where.owner('/api/grants')).grants;
  assert.ok(Math.abs(grant.until - midnight) < 5000, `${grant.until} ${midnight}`);
  await runs(codex, 'src/one.c');
});

// ---- the server does not take a wide answer that was not spelled out

onPage('a reach that was not shown is not granted', async (page) => {
  await asks(codex, 'src/one.c');
  const [{ id, offers }] = (await where.owner('/api/approvals')).approvals;
  const reach = Object.fromEntries(offers.map((one) => [one.answer, one.reach]));
  for (const body of [{ answer: 'always' }, { answer: 'session' },
    { answer: 'always', reach: reach.file }, { answer: 'file', reach: reach.always },
    { answer: 'always', reach: reach.always, for_ms: -1 }]) {
    const { status } = await where.post(`/api/approvals/${id}`, body);
    assert.equal(status, 400, JSON.stringify(body));
  }
  assert.deepEqual((await where.owner('/api/grants')).grants, []);
  await asks(codex, 'src/one.c');
  assert.equal((await where.post(`/api/approvals/${id}`,
    { answer: 'always', reach: reach.always })).status, 200);
  await runs(codex, 'src/one.c');
});

test('grants are not for those with a token of their own', async () => {
  for (const [method, api] of [['GET', '/api/grants'], ['POST', '/api/grants/revoke']]) {
    const response = await fetch(where.url() + api, { method,
      headers: { Authorization: `Bearer ${codex.token()}` } });
    assert.equal(response.status, 403, api);
  }
});

// ---- the list

async function grant(file, answer) {
  await asks(codex, file);
  const { id, offers } = (await where.owner('/api/approvals')).approvals.at(-1);
  const { reach } = offers.find((one) => one.answer === answer);
  const done = await where.post(`/api/approvals/${id}`, { answer, reach });
  assert.equal(done.status, 200);
  return (await done.json()).grant;
}

onPage('the list says what, whose, since when and from where; revoke ends it',
  async (page) => {
    await page.click('a[href="#settings"]');
    await page.getByText('Nothing is allowed beyond one call').waitFor();
    await grant('src/one.c', 'file');
    await grant('docs/four.c', 'directory');
    const row = page.locator('.grant', { hasText: 'change src/one.c' });
    await row.waitFor(); // without a reload
    await says(page.locator('.grants-of h3'), 'codex');
    assert.match(await words(row), /Holds until you revoke it Given .* on the page Last used never/);
    await runs(codex, 'src/one.c');
    await page.click('a[href="#approvals"]');
    await page.click('a[href="#settings"]');
    await row.getByText(/Last used.*(now|ago)/).waitFor();
    await row.getByRole('button', { name: 'Revoke' }).click();
    await says(toast(page), 'Revoked: change src/one.c · codex · until you revoke it');
    await row.waitFor({ state: 'detached' });
    await asks(codex, 'src/one.c');
    await runs(codex, 'docs/four.c');
    // one that is taken back elsewhere goes here, too
    where.command('grants', 'revoke', '--all');
    await page.locator('.grant').waitFor({ state: 'detached' });
    await asks(codex, 'docs/four.c');
  });

onPage('all of a client can be revoked at once', async (page) => {
  await grant('src/one.c', 'file');
  await grant('src/two.c', 'file');
  await page.click('a[href="#settings"]');
  await page.getByRole('button', { name: 'Revoke all 2 of codex' }).click();
  await says(toast(page), 'Revoked: 2 grants of codex');
  await page.getByText('Nothing is allowed beyond one call').waitFor();
  assert.deepEqual((await where.owner('/api/grants')).grants, []);
});

// ---- how it looks

async function looksRight(page, name) {
  await picture(page, name);
  await check(page, name);
}

for (const colorScheme of ['light', 'dark']) {
  for (const [width, height] of [[1280, 800], [320, 720]]) {
    const size = `${width}-${colorScheme}`;
    onPage(`grants look right: ${size}`, async (page) => {
      await page.click('a[href="#settings"]');
      await page.getByText('Nothing is allowed beyond one call').waitFor();
      await looksRight(page, `grants-none-${size}`);
      await grant('src/one.c', 'file');
      await grant('src/two.c', 'always');
      await page.locator('.grant').nth(1).waitFor();
      await looksRight(page, `grants-list-${size}`);
      await page.click('a[href="#approvals"]');
      await asks(codex, '.env');
      await slip(page, '.env').locator('.wider summary').click();
      await offer(page, '.env', 'always').scrollIntoViewIfNeeded();
      await looksRight(page, `grants-offers-${size}`);
      await offer(page, '.env', 'always').click();
      await sure(page).waitFor();
      await looksRight(page, `grants-sure-${size}`);
      await sure(page).locator('[data-agree]').click();
      await says(toast(page), 'Allowed: use write_text_file');
      await looksRight(page, `grants-toast-${size}`);
    }, { viewport: { width, height }, colorScheme, bypassCSP: true });
  }
}
