// Activity, status, sign-in links and the keys of a question, in a browser.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { everywhere } from './looks.mjs';
import { launch, open, place } from './place.mjs';

let browser;
let where;

before(async () => {
  browser = await launch();
  where = await place({ 'src/a.c': 'a\n', 'secret.txt': 'x\n', 'asked.c': 'one\n' },
    '--deny', 'write(secret.txt)', '--ask', 'write(asked.c)', '--approval-wait', '60');
  await where.agent('codex')('edit_text_file',
    { path: where.file('src/a.c'), old_string: 'a', new_string: 'b' });
  await where.agent('codex')('write_text_file', { path: where.file('secret.txt'), content: 'y\n' });
  await where.agent('claude')('edit_text_file',
    { path: where.file('src/a.c'), old_string: 'none', new_string: 'b' });
});
after(async () => {
  await browser?.close();
  await where?.end();
});

function onPage(name, then) {
  test(name, async () => {
    const { page, context, wrong } = await open(browser, where, { bypassCSP: true });
    try {
      await then(page);
      assert.deepEqual(wrong, []);
    } finally {
      await context.close();
    }
  });
}

onPage('a denied call is no failure, and says so without colour', async (page) => {
  await page.click('a[href="#activity"]');
  const denied = page.locator('.call.denied', { hasText: 'secret.txt' });
  await denied.waitFor();
  assert.match(await denied.locator('.state').textContent(), /⊘denied/);
  assert.equal(await page.locator('.call.failed').count(), 1);
  const { counters } = await where.owner('/api/status');
  assert.deepEqual([counters.calls, counters.failed, counters.denied], [3, 1, 1]);
  await everywhere(page, 'activity-denied');
});

onPage('calls are filtered, in the address', async (page) => {
  await page.click('a[href="#activity"]');
  await page.selectOption('#calls-state', 'denied');
  await page.waitForFunction(() => document.querySelectorAll('.call').length === 1);
  assert.match(page.url(), /#activity\?state=denied$/);
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll('.call').length === 1);
  await page.fill('#calls-path', 'nowhere');
  await page.click('text=Show all calls');
  await page.waitForFunction(() => document.querySelectorAll('.call').length === 3);
});

onPage('a call leads to what it changed', async (page) => {
  await page.click('a[href="#activity"]');
  await page.locator('.call.ok', { hasText: 'a.c' }).getByText('What it changed').click();
  await page.locator('.op', { hasText: 'a.c' }).waitFor();
  assert.equal(await page.locator('.op').count(), 1);
});

onPage('status has own rules first, and the built-in ones folded', async (page) => {
  await page.click('a[href="#status"]');
  await page.locator('.rules tr.deny', { hasText: 'secret.txt' }).waitFor();
  const folded = page.locator('details', { hasText: 'built-in rule' });
  assert.ok(!(await folded.locator('tr').first().isVisible()));
  await folded.locator('summary').click();
  await folded.locator('tr.ask').first().waitFor();
  await everywhere(page, 'status-rules');
});

onPage('14.6: status names the token of a client first', async (page) => {
  await where.client('ci', 'codex')('read_text_file', { path: where.file('src/a.c') });
  await page.click('a[href="#status"]');
  await page.locator('td', { hasText: /^ci · calls itself codex 1\.0$/ }).waitFor();
});

onPage('a call that still asks is not counted as ended', async (page) => {
  const call = where.agent()('edit_text_file',
    { path: where.file('asked.c'), old_string: 'one', new_string: '1' });
  await page.locator('.slip[data-armed]').waitFor();
  await page.click('a[href="#status"]');
  await page.locator('td', { hasText: '1 asking' }).waitFor();
  const row = page.locator('.counters div', { hasText: 'of them ended unanswered' });
  assert.equal(await row.locator('dd').innerText(), '0');
  const [{ id }] = (await where.owner('/api/approvals')).approvals;
  await where.post(`/api/approvals/${id}`, { answer: 'deny' });
  await call;
});

onPage('the keys are for the first question, which is marked', async (page) => {
  const call = where.agent()('edit_text_file',
    { path: where.file('asked.c'), old_string: 'one', new_string: 'two' });
  const slip = page.locator('.slip[data-armed]');
  await slip.waitFor();
  await page.evaluate(() => document.activeElement.blur());
  assert.equal(await slip.evaluate((node) => getComputedStyle(node).borderLeftWidth), '4px');
  await everywhere(page, 'approvals-first');
  await page.keyboard.press('a');
  assert.ok(!(await call).isError);
  assert.equal(where.read('asked.c'), 'two\n');
});

test('a bad link says what is wrong with it, and what to do', async () => {
  const context = await browser.newContext({ bypassCSP: true });
  const page = await context.newPage();
  const link = where.link();
  const origin = new URL(link).origin;
  await page.goto(link);
  await page.waitForSelector('#link[data-state=live]');
  const second = await (await browser.newContext()).newPage();
  await second.goto(link);
  await second.getByText('was already used: each works once').waitFor();
  await second.goto(`${origin}/#key=${'A'.repeat(60)}`);
  await second.getByText('not valid here').waitFor();
  assert.match(await second.textContent('#signin-why'), /stet open/);
  await context.close();
});
