// The history in a real browser: lines, filters, labels, previews, versions.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { launch, open, place, stet } from './place.mjs';

const AXE = fs.readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const PICTURES = path.join(path.dirname(stet), 'screenshots');
let browser;
let where;
let last;

before(async () => {
  fs.mkdirSync(PICTURES, { recursive: true });
  browser = await launch();
  where = await place({ 'src/old.c': 'one\ntwo\nthree\n', 'data.bin': 'a\0b' });
  const codex = where.agent('codex');
  const tax = where.file('src/tax.c');
  await codex('write_text_file', { path: tax, content: 'a\nb\nc\nd\ne\n' });
  await codex('edit_text_file', { path: tax, old_string: 'b\n', new_string: 'B\nBB\n' });
  await codex('edit_text_file', { path: where.file('src/old.c'), old_string: 'two', new_string: '2' });
  await where.agent('claude')('edit_text_file', { path: tax, old_string: 'e\n', new_string: 'E\n' });
  last = (await where.owner('/api/history')).operations;
});
after(async () => {
  await browser?.close();
  await where?.end();
});

async function violations(page) {
  await page.evaluate(AXE);
  const { violations: list } = await page.evaluate(() => globalThis.axe.run(document));
  return list.flatMap((one) => one.nodes.map(
    (node) => `${one.id}: ${node.html.slice(0, 120)}: ${node.failureSummary}`));
}

// What is on the screen now, at all widths and in both schemes: axe finds
// nothing, nothing is wider than the screen, and there is a picture of it.
async function looks(page, name) {
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [320, 1280, 2560]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await page.screenshot({ path: path.join(PICTURES, `${name}-${width}-${colorScheme}.png`) });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth
        - document.documentElement.clientWidth), 0, `${name} at ${width}`);
    }
    assert.deepEqual(await violations(page), [], `${name} ${colorScheme}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

function onPage(name, then, expected = []) {
  test(name, async () => {
    const { page, context, wrong } = await open(browser, where, { bypassCSP: true });
    try {
      await then(page);
      assert.deepEqual(wrong.filter((words) => !expected.some((one) => one.test(words))), []);
    } finally {
      await context.close();
    }
  });
}

const op = (page, text) => page.locator('.op', { hasText: text });
const rows = (page, n) => page.waitForFunction(
  (all) => document.querySelectorAll('.op').length === all, n);

onPage('lines are counted, not bytes', async (page) => {
  await page.click('a[href="#history"]');
  await rows(page, 4);
  const sizes = await page.locator('.op .tally').allTextContents();
  assert.deepEqual(sizes.map((words) => words.slice(0, 5)), ['+1 −1', '+1 −1', '+2 −1', '+5 −0']);
});

onPage('filters are in the address, and hold for list and chart', async (page) => {
  await page.click('a[href="#history"]');
  await rows(page, 4);
  await page.selectOption('#filter-kind', 'create');
  await rows(page, 1);
  assert.match(page.url(), /#history\?kind=create$/);
  await page.waitForFunction(() => document.querySelector('#chart-desc')
    .textContent.startsWith('1 change '));
  await page.reload();
  await page.waitForSelector('#link[data-state=live]');
  await rows(page, 1);
  assert.equal(await page.inputValue('#filter-kind'), 'create');
  await page.click('#filter-clear');
  await rows(page, 4);
  await page.selectOption('#filter-time', 'hour');
  await page.locator('#filter-span', { hasText: 'since' }).waitFor();
  assert.match(page.url(), /since=\d+/);
  await page.evaluate((client) => {
    location.hash = `#history?${new URLSearchParams({ client })}`;
  }, last[0].client);
  await rows(page, 1);
  assert.equal(await page.inputValue('#filter-client'), last[0].client);
  await looks(page, 'history-filtered');
});

onPage('every version of a file is listed, and any two compared', async (page) => {
  await page.click('a[href="#history"]');
  await op(page, 'tax.c').first().locator('.op-head').click();
  await page.click('text=All versions of this file');
  await page.locator('.versions tbody tr').nth(3).waitFor();
  assert.match(await page.title(), /src\/tax\.c/);
  await page.locator('#file-diff ins, #file-diff .add', { hasText: 'E' }).first().waitFor();
  const ids = last.filter((o) => o.path.endsWith('tax.c')).map((o) => o.id);
  await page.check(`input[name=version-from][value="${ids[2]}"]`);
  await page.check(`input[name=version-to][value="now"]`);
  await page.locator('#file-diff .tally', { hasText: '+3 −2' }).waitFor();
  await looks(page, 'file');
});

onPage('restoring shows first what changes, and needs the file to be so', async (page) => {
  await page.click('a[href="#history"]');
  await op(page, 'tax.c').nth(1).locator('.op-head').click();
  await op(page, 'tax.c').nth(1).locator('[data-deed=restore]').click();
  await page.locator('#sure .tally', { hasText: '+1 −1' }).waitFor();
  await looks(page, 'restore');
  where.write('src/tax.c', 'a\nB\nBB\nc\nd\nE\nsomebody else\n');
  await page.click('#sure .primary');
  await page.locator('.toast.bad').waitFor();
  assert.match(where.read('src/tax.c'), /somebody else/);
  where.write('src/tax.c', 'a\nB\nBB\nc\nd\nE\n');
}, [/409|Conflict/]);

onPage('a session is undone as its preview says', async (page) => {
  where.write('src/old.c', 'one\nTWO!\nthree\n');
  await page.click('a[href="#history"]');
  await page.selectOption('#filter-client', last[1].client);
  await rows(page, 3);
  await page.click('#undo-all');
  const tax = page.locator('.undo-file', { hasText: 'tax.c' });
  await tax.waitFor();
  await page.locator('.undo-file.stuck', { hasText: 'old.c' }).getByText('in conflict').waitFor();
  assert.match(await page.textContent('.undo-sum'), /in conflict/);
  await tax.locator('summary').click();
  await tax.locator('.diff').waitFor();
  await looks(page, 'undo-many');
  const before = where.read('src/old.c');
  await page.click('#sure .primary');
  await page.locator('.toast', { hasText: 'undone' }).waitFor();
  assert.equal(where.read('src/old.c'), before);
  await page.click('#filter-clear');
  await page.locator('.stet', { hasText: 'undone' }).first().waitFor();
  await page.locator('.stet', { hasText: 'undo of' }).first().waitFor();
});

onPage('what changes after the preview is not undone unseen', async (page) => {
  const file = where.file('src/late.c');
  await where.agent('late')('write_text_file', { path: file, content: 'x\n' });
  await page.goto(`${new URL(page.url()).origin}/#history?q=late`);
  await rows(page, 1);
  await page.click('#undo-all');
  await page.locator('.undo-file', { hasText: 'is removed' }).waitFor();
  where.write('src/late.c', 'x\nand more\n');
  await page.click('#sure .primary');
  await page.locator('.toast.bad', { hasText: 'since the preview' }).waitFor();
  assert.equal(where.read('src/late.c'), 'x\nand more\n');
  await page.locator('#sure[open]').waitFor();
}, [/409|Conflict/]);
