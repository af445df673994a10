// 14.1: a grant covers what its text says, and can be revoked. In a real browser
// with the real server.
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

// New content each time: an equal call would use an earlier answer.
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

// A test with its own page; its grants and questions are removed afterwards.
function onPage(name, then, options) {
  test(`14.1: ${name}`, async () => {
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

// ---- history names the grant

onPage('history names the grant that allowed a change, and leads to it', async (page) => {
  await asks(codex, 'src/one.c');
  await widen(page, 'one.c', 'file');
  await says(toast(page), 'Allowed: change src/one.c');
  await runs(codex, 'src/one.c');
  const [{ granted_by: id, grant }] = (await where.owner('/api/history')).operations;
  assert.match(grant.files, /change src\/one\.c/);
  await page.click('a[href="#history"]');
  const op = page.locator('.op', { hasText: 'one.c' }).first();
  await op.locator('.op-head').click();
  await op.getByText('Grant: change src/one.c · codex · until you revoke it').waitFor();
  await op.getByRole('link', { name: 'allowed by a grant' }).click();
  await page.waitForFunction((name) => document.activeElement?.id === name, `grant-${id}`);
  // the same on the command line
  assert.match(where.command('log'), new RegExp(`one\\.c.*allowed by grant ${id.slice(-8)}`));
  const [{ id: change }] = (await where.owner('/api/history')).operations;
  assert.match(where.command('show', change),
    new RegExp(`grant +${id.slice(-8)}: change .*one\\.c · codex · until you revoke it`));
  const said = JSON.parse(where.command('log', '--json')).operations[0];
  assert.deepEqual([said.granted_by, said.grant.id], [id, id]);
  // also after the grant is revoked
  where.command('grants', 'revoke', id);
  await page.click('a[href="#history"]');
  await op.getByText('allowed by a grant that you have revoked since').waitFor();
  assert.match(where.command('show', change), /grant .*\(revoked since\): change/);
});

onPage('a change that was asked for names no grant', async (page) => {
  await codex(...write('README'));
  const [o] = (await where.owner('/api/history')).operations;
  assert.equal(o.granted_by, undefined);
  await page.click('a[href="#history"]');
  const op = page.locator('.op', { hasText: 'README' }).first();
  await op.waitFor();
  assert.equal(await op.getByText('allowed by a grant').count(), 0);
});

// ---- an approval after the client stopped waiting

onPage('a late yes that was not used can be withdrawn', async (page) => {
  await asks(codex, 'src/two.c', 'late\n');
  await slip(page, 'two.c').locator('[data-answer=once]').click();
  const unused = page.locator('#unused li', { hasText: 'two.c' });
  await unused.getByText('codex stopped waiting before your approval').waitFor();
  await page.reload(); // the list comes from the server
  await unused.waitFor();
  await unused.getByRole('button', { name: 'Withdraw' }).click();
  await says(toast(page), 'Withdrawn: src/two.c. codex is denied if it asks again');
  await unused.waitFor({ state: 'detached' });
  const done = await codex(...write('src/two.c', 'late\n'));
  assert.match(JSON.stringify(done), /[Dd]enied/);
  assert.notEqual(where.read('src/two.c'), 'late\n');
});

onPage('a late yes that is used leaves the list', async (page) => {
  await asks(codex, 'src/two.c', 'used\n');
  await slip(page, 'two.c').locator('[data-answer=once]').click();
  const unused = page.locator('#unused li', { hasText: 'two.c' });
  await unused.waitFor();
  await runs(codex, 'src/two.c', 'used\n');
  await unused.waitFor({ state: 'detached' });
});

// ---- a client name cannot imitate the surrounding text

onPage('what looks like the separator is spelled out in a name', async (page) => {
  // over stdio there is no token, only a declared name
  const pipe = () => where.pipe('good \ua78f until you revoke it \u2022 x', ...write('src/shady.c'));
  pipe();
  const safe = 'good \\u{a78f} until you revoke it \\u{2022} x';
  const card = slip(page, 'shady.c');
  await card.waitFor();
  assert.doesNotMatch(await card.innerText(), /[\ua78f\u2022]/u);
  assert.ok((await words(card.locator('.who'))).includes(safe));
  await widen(page, 'shady.c', 'file');
  await says(toast(page), safe);
  assert.ok(!pipe().error, 'the grant is for that very name');
  for (const said of [where.command('log'), where.command('grants')]) {
    assert.ok(said.includes(safe), said);
    assert.doesNotMatch(said, /[\ua78f\u2022]/u);
  }
});

// ---- a grant covers what its text says

onPage('always on .env is not for .git/config', async (page) => {
  await asks(codex, '.env');
  await widen(page, '.env', 'always');
  const all = 'use write_text_file on every file in shop/ · codex · '
    + 'until you revoke it · of sensitive files only .env';
  // a confirmation is needed, which has the whole scope
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
  await slip(page, '.env').waitFor(); // the question stays open
});

onPage('a name that is only declared is marked', async (page) => {
  // over stdio there is no token, only a declared name
  const list = JSON.parse(where.command('approvals', '--json')).approvals;
  assert.deepEqual(list, []);
  await where.pipe('shady', ...write('src/one.c'));
  await slip(page, 'one.c').locator('.wider summary').click();
  assert.match(await words(offer(page, 'one.c', 'file')),
    /change src\/one\.c · shady \(declared name\) · until you revoke it/);
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

// ---- the server rejects a wide answer without a confirmation

onPage('a reach that was not shown is not granted', async () => {
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

test('14.1: grants are not for those with a token of their own', async () => {
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
    await page.getByText('There are no grants').waitFor();
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
    // a grant that is revoked elsewhere disappears here
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
  await page.getByText('There are no grants').waitFor();
  assert.deepEqual((await where.owner('/api/grants')).grants, []);
});

// ---- appearance

async function looksRight(page, name) {
  await picture(page, name);
  await check(page, name);
}

for (const colorScheme of ['light', 'dark']) {
  for (const [width, height] of [[1280, 800], [320, 720]]) {
    const size = `${width}-${colorScheme}`;
    onPage(`grants look right: ${size}`, async (page) => {
      await page.click('a[href="#settings"]');
      await page.getByText('There are no grants').waitFor();
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
