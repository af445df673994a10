// Who asks, and whether that client still waits for the answer: on the page, on
// the command line and in the audit log.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { check, picture } from './looks.mjs';
import { launch, open, place } from './place.mjs';

const EVIL = 'evil · calls itself agent-x 1.0';
const GOOD = 'good · calls itself agent-x 1.0';
const audit = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'stet-who-')), 'audit');

let browser;
let where;
let evil;
let good;
before(async () => {
  browser = await launch();
  where = await place({ 'src/a.c': 'one\n', 'src/b.c': 'one\n' },
    '--ask', 'write(src/asked*)', '--approval-wait', '60', '--audit', audit);
  evil = where.agent('agent-x', where.token('evil'));
  good = where.agent('agent-x', where.token('good'));
});
after(async () => {
  await browser?.close();
  await where?.end();
  fs.rmSync(path.dirname(audit), { recursive: true, force: true });
});

function onPage(name, then, options) {
  test(name, async () => {
    const { page, context, wrong } = await open(browser, where, options);
    try {
      await then(page);
      assert.deepEqual(wrong, []);
      const waits = await where.owner('/api/approvals');
      assert.deepEqual(waits.approvals, [], 'no question is left over');
    } finally {
      await context.close();
    }
  });
}

const armed = (page, file) => page.locator('.slip[data-armed]', { hasText: file });
const ask = (agent, name) => {
  where.write(`src/${name}`, 'one\n');
  return agent('edit_text_file',
    { path: where.file(`src/${name}`), old_string: 'one', new_string: 'two' });
};

// ---- who asks (14.6)

onPage('14.6: two tokens that call themselves alike are told apart', async (page) => {
  const calls = [ask(evil, 'asked1.c'), ask(good, 'asked2.c')];
  await armed(page, 'asked1.c').waitFor();
  await armed(page, 'asked2.c').waitFor();
  assert.equal(await armed(page, 'asked1.c').locator('.who').innerText(), EVIL);
  assert.equal(await armed(page, 'asked2.c').locator('.who').innerText(), GOOD);
  const list = where.command('approvals');
  assert.match(list, new RegExp(`asked1.c .*${EVIL}`));
  assert.match(list, new RegExp(`asked2.c .*${GOOD}`));
  const { approvals } = JSON.parse(where.command('approvals', '--json'));
  assert.deepEqual(approvals.map((a) => [a.token, a.who]),
    [['evil', EVIL], ['good', GOOD]].sort((a) => (approvals[0].token === a[0] ? -1 : 1)));
  const one = approvals.find((a) => a.token === 'evil');
  assert.match(where.command('approvals', 'show', one.id), new RegExp(`client +${EVIL}`));
  for (const file of ['asked1.c', 'asked2.c']) {
    await armed(page, file).getByRole('button', { name: 'Deny' }).click();
    // An answer moves the other question, which is disabled for a moment then.
    await page.locator('#answered', { hasText: file }).waitFor();
  }
  await Promise.all(calls);
});

onPage('14.6: activity, history, log and audit name the token first', async (page) => {
  await page.click('a[href="#activity"]');
  await evil('write_text_file', { path: where.file('src/e.c'), content: 'e\n' });
  await good('write_text_file', { path: where.file('src/g.c'), content: 'g\n' });
  for (const [file, words] of [['e.c', EVIL], ['g.c', GOOD]]) {
    await page.locator('.call.ok', { hasText: file }).waitFor();
    const by = page.locator('.call.ok', { hasText: file }).locator('.by');
    assert.equal(await by.innerText(), words.split(' ')[0]);
    assert.equal(await by.locator('.client').getAttribute('title'), words);
  }
  await page.click('a[href="#history"]');
  for (const [file, words] of [['e.c', EVIL], ['g.c', GOOD]]) {
    const row = page.locator('.op', { hasText: `/${file}` });
    await row.waitFor();
    assert.ok((await row.locator('.by').innerText()).startsWith(words.split(' ')[0]));
    assert.equal(await row.locator('.by .client').getAttribute('title'), words);
    await row.locator('.op-head').click();
    await row.locator('.op-client', { hasText: words }).waitFor();
  }
  // Only one of the two clients, which declare the same name.
  await page.selectOption('#filter-client', EVIL);
  await page.locator('.op', { hasText: '/g.c' }).waitFor({ state: 'detached' });
  assert.equal(await page.locator('.op', { hasText: '/e.c' }).count(), 1);
  const log = where.command('log');
  assert.match(log, new RegExp(`e\\.c.*${EVIL}`));
  assert.match(log, new RegExp(`g\\.c.*${GOOD}`));
  const { clients } = await where.owner('/api/status');
  assert.deepEqual(clients.filter((one) => one.token === 'evil').map((one) => one.who), [EVIL]);
  const lines = fs.readFileSync(audit, 'utf8').trim().split('\n').map((l) => JSON.parse(l));
  const told = (file) => lines.find((l) => l.path.endsWith(file));
  assert.deepEqual([told('/e.c').token, told('/e.c').who], ['evil', EVIL]);
  assert.deepEqual([told('/g.c').token, told('/g.c').who], ['good', GOOD]);
});

// ---- an approval after the client stopped waiting (14.3)

// Check the card: axe-core, its width, screenshots.
async function looks(page, name) {
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [1280, 320]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 720 });
      await check(page, `${name} ${colorScheme} ${width}`);
      await picture(page, `${name}-${colorScheme}-${width}`);
    }
  }
  await page.setViewportSize({ width: 1280, height: 720 });
}

onPage('14.3: the card tells who waits, and an answer in time says so', async (page) => {
  const call = ask(evil, 'asked3.c');
  const slip = armed(page, 'asked3.c');
  await slip.waitFor();
  assert.match(await slip.locator('.waits').innerText(), /^evil is waiting, \d+ s left$/);
  await slip.getByRole('button', { name: 'Allow once' }).click();
  await page.locator('#toast', { hasText: 'evil goes on now' }).waitFor();
  assert.ok(!(await call).isError);
  await page.click('a[href="#history"]');
  await page.locator('.op', { hasText: 'asked3.c' })
    .getByText('used your approval of the question of').waitFor();
});

onPage('14.3: a yes to a client that has left is told as such', async (page) => {
  const gone = new AbortController();
  where.write('src/asked4.c', 'one\n');
  const change = { path: where.file('src/asked4.c'), old_string: 'one', new_string: 'two' };
  const call = good('edit_text_file', change, gone.signal).catch(() => {});
  const slip = armed(page, 'asked4.c');
  await slip.waitFor();
  await slip.getByText('good is waiting').waitFor();
  await looks(page, 'waiting');
  gone.abort();
  await call;
  await slip.getByText(/good stopped waiting: your approval will be used if it asks for exactly this again within 23 h, and the file is still as it was/)
    .waitFor();
  await looks(page, 'stopped-waiting');
  await slip.getByRole('button', { name: 'Allow once' }).click();
  await page.locator('#toast', { hasText: 'good stopped waiting' }).waitFor();
  assert.equal(where.read('src/asked4.c'), 'one\n');
  assert.ok(!(await good('edit_text_file', change)).isError);
  assert.equal(where.read('src/asked4.c'), 'two\n');
  await page.click('a[href="#history"]');
  await page.locator('.op', { hasText: 'asked4.c' }).getByText('used your approval').waitFor();
});

onPage('14.3: the command line tells which of the two happened', async (page) => {
  const call = ask(evil, 'asked5.c');
  await armed(page, 'asked5.c').waitFor();
  const { approvals } = JSON.parse(where.command('approvals', '--json'));
  assert.match(where.command('approvals', 'show', approvals[0].id), /waiting +evil .* is waiting, \d+ s left/);
  assert.match(where.command('approvals', 'allow', approvals[0].id), /evil .* was waiting and goes on now/);
  assert.ok(!(await call).isError);
  assert.match(where.command('approvals', 'show', approvals[0].id), /used +\d+ s ago/);
});
