// The history in a real browser: lines, filters, labels, previews, versions.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, test } from 'node:test';
import { everywhere } from './looks.mjs';
import { launch, open, place } from './place.mjs';

let browser;
let where;
let last;

before(async () => {
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
  await page.selectOption('#filter-kind', 'update,append');
  await rows(page, 3);
  await page.goBack();
  await rows(page, 1);
  assert.equal(await page.inputValue('#filter-kind'), 'create');
  await page.click('#filter-clear');
  await rows(page, 4);
  await page.fill('#filter-path', 'src/tax.c');
  await rows(page, 3);
  await page.waitForFunction(() => document.querySelector('#chart-desc')
    .textContent.startsWith('3 changes '));
  await page.click('#filter-clear');
  await rows(page, 4);
  const session = page.locator(`#filter-session option[value="${last[1].session}"]`);
  assert.ok((await session.innerText()).startsWith(`${last[1].session.slice(-8)} (`));
  assert.match(where.command('log'), new RegExp(`session ${last[1].session.slice(-8)}`));
  await page.selectOption('#filter-session', last[1].session);
  await rows(page, last.filter((o) => o.session === last[1].session).length);
  await page.click('#filter-clear');
  await page.selectOption('#filter-time', 'hour');
  await page.locator('#filter-span', { hasText: 'since' }).waitFor();
  assert.match(page.url(), /since=\d+/);
  await page.evaluate((client) => {
    location.hash = `#history?${new URLSearchParams({ client })}`;
  }, last[0].client);
  await rows(page, 1);
  assert.equal(await page.locator('#filter-client option:checked').textContent(),
    last[0].client);
  await everywhere(page, 'history-filtered');
});

onPage('where nothing is, the page says what to do', async (page) => {
  await page.goto(`${new URL(page.url()).origin}/#history?q=nowhere`);
  await page.getByText('Show all changes').waitFor();
  await everywhere(page, 'history-none');
  await page.click('text=Show all changes');
  await rows(page, 4);
  await page.evaluate((full) => {
    location.hash = `#file?${new URLSearchParams({ path: full })}`;
  }, where.file('data.bin'));
  await page.getByText('No changes of this file are recorded').waitFor();
  await everywhere(page, 'file-none');
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
  await everywhere(page, 'file');
});

onPage('restoring shows first what changes, and needs the file to be so', async (page) => {
  await page.click('a[href="#history"]');
  await op(page, 'tax.c').nth(1).locator('.op-head').click();
  await op(page, 'tax.c').nth(1).locator('[data-action=restore]').click();
  await page.locator('#sure .tally', { hasText: '+1 −1' }).waitFor();
  await everywhere(page, 'restore');
  where.write('src/tax.c', 'a\nB\nBB\nc\nd\nE\nsomebody else\n');
  await page.click('#sure .primary');
  await page.locator('.toast.bad').waitFor();
  assert.match(where.read('src/tax.c'), /somebody else/);
  where.write('src/tax.c', 'a\nB\nBB\nc\nd\nE\n');
}, [/409|Conflict/]);

onPage('a session is undone as its preview says', async (page) => {
  where.write('src/old.c', 'one\nTWO!\nthree\n');
  await page.click('a[href="#history"]');
  await page.selectOption('#filter-client', last[1].who);
  await rows(page, 3);
  await page.click('#undo-all');
  const tax = page.locator('.undo-file', { hasText: 'tax.c' });
  await tax.waitFor();
  await page.locator('.undo-file.stuck', { hasText: 'old.c' }).getByText('in conflict').waitFor();
  assert.match(await page.textContent('.undo-sum'), /in conflict/);
  await tax.locator('summary').click();
  await tax.locator('.diff').waitFor();
  await everywhere(page, 'undo-many');
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
  await page.locator('.undo-file', { hasText: 'will be removed' }).waitFor();
  where.write('src/late.c', 'x\nand more\n');
  await page.click('#sure .primary');
  await page.locator('.toast.bad', { hasText: 'since the preview' }).waitFor();
  assert.equal(where.read('src/late.c'), 'x\nand more\n');
  await page.locator('#sure[open]').waitFor();
}, [/409|Conflict/]);

onPage('undone, undo of and redo of are words on the rows', async (page) => {
  const file = where.file('src/label.c');
  await where.agent('label')('write_text_file', { path: file, content: 'x\n' });
  await page.goto(`${new URL(page.url()).origin}/#history?q=label.c`);
  await rows(page, 1);
  await page.locator('#history-lead', { hasText: '1 change; it can be undone.' }).waitFor();
  await op(page, 'label.c').locator('[data-action=undo]').click();
  await page.locator('#sure').getByText('This removes the file').waitFor();
  await page.locator('#sure .undo-file', { hasText: 'will be removed' }).locator('.diff').waitFor();
  await everywhere(page, 'undo-creation');
  await page.click('#sure .primary');
  await rows(page, 2);
  await page.locator('#history-lead',
    { hasText: '2 changes: 1 can be undone, 1 is undone.' }).waitFor();
  await page.locator('.op', { hasText: 'undo of the change at' }).waitFor();
  await page.locator('.op', { hasText: 'created' }).getByText('undone', { exact: true }).waitFor();
  await op(page, 'label.c').last().locator('[data-action=redo]').click();
  await page.click('#sure .primary');
  await rows(page, 3);
  await page.locator('.op', { hasText: 'redo of the change at' }).waitFor();
  assert.equal(where.read('src/label.c'), 'x\n');
  await everywhere(page, 'history-labels');
});

onPage('everything since a time is undone as its preview says', async (page) => {
  const write = (name, content) => where.agent('since')('write_text_file',
    { path: where.file(name), content });
  await write('src/before.c', 'x\n');
  await write('src/first.c', 'x\n');
  await write('src/second.c', 'x\n');
  where.write('src/second.c', 'y\n');
  await page.goto(`${new URL(page.url()).origin}/#history?q=first.c`);
  await rows(page, 1);
  await page.click('.op-head');
  await page.click('text=Undo everything since');
  await page.locator('.undo-file', { hasText: 'first.c' }).getByText('will be removed').waitFor();
  const stays = page.locator('.undo-file.stuck', { hasText: 'second.c' });
  await stays.getByText('stays as it is').waitFor();
  assert.equal(await page.locator('.undo-file', { hasText: 'before.c' }).count(), 0);
  assert.match(await page.textContent('.undo-sum'), /1 change stays as it is/);
  await everywhere(page, 'undo-since');
  await page.click('#sure .primary');
  await page.locator('.toast', { hasText: '1 change undone, 1 left' }).waitFor();
  assert.equal(fs.existsSync(where.file('src/first.c')), false);
  assert.equal(where.read('src/before.c'), 'x\n');
  assert.equal(where.read('src/second.c'), 'y\n');
});

onPage('a file that appears after the preview is not overwritten', async (page) => {
  const file = where.file('src/back.c');
  await where.agent('back')('write_text_file', { path: file, content: 'x\n' });
  fs.rmSync(where.file('src/back.c'));
  await page.goto(`${new URL(page.url()).origin}/#history?q=back.c`);
  await rows(page, 1);
  await page.click('.op-head');
  await page.click('[data-action=restore]');
  await page.locator('#sure').getByText('will be restored').waitFor();
  where.write('src/back.c', 'of somebody else\n');
  await page.click('#sure .primary');
  await page.locator('.toast.bad').waitFor();
  assert.equal(where.read('src/back.c'), 'of somebody else\n');
}, [/409|Conflict/]);

// ---- a confirmation is bound to the preview

onPage('an undo whose preview is not true any more does nothing, and says so', async (page) => {
  const file = 'src/bound.c';
  await where.agent('codex')('write_text_file', { path: where.file(file), content: '1\n2\n3\n4\n5\n6\n' });
  await where.agent('codex')('edit_text_file', { path: where.file(file), old_string: '1\n', new_string: 'one\n' });
  await page.click('a[href="#history"]');
  const first = op(page, 'bound.c').first();
  const dialog = page.locator('#sure[open]');
  await first.getByRole('button', { name: 'Undo', exact: true }).click();
  const go = dialog.getByRole('button', { name: 'Undo', exact: true });
  await dialog.locator('.diff tr.add').first().waitFor();
  where.write(file, 'one\n2\n3\n4\n5\nsix\n');
  await go.click();
  await page.locator('#toast-text', { hasText: 'has changed since this preview, and nothing was done' }).waitFor();
  assert.equal(where.read(file), 'one\n2\n3\n4\n5\nsix\n');
  await dialog.locator('.diff tr.add').first().waitFor(); // the new preview
  await go.click();
  await page.locator('#toast-text', { hasText: 'Undone' }).waitFor();
  assert.equal(where.read(file), '1\n2\n3\n4\n5\nsix\n');
  // redo is bound in the same way
  const undone = page.locator('.op.undone', { hasText: 'bound.c' });
  await undone.getByRole('button', { name: 'Redo' }).click();
  await dialog.locator('.diff tr.add').first().waitFor();
  where.write(file, '1\n2\n3\n4\nfive\nsix\n');
  await dialog.getByRole('button', { name: 'Redo' }).click();
  await page.locator('#toast-text', { hasText: 'has changed since this preview, and nothing was done' }).waitFor();
  assert.equal(where.read(file), '1\n2\n3\n4\nfive\nsix\n');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
}, [/status of 409/]);
