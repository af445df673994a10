// V119: a call that changes several files is one card, which lists every file.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { check, picture } from './looks.mjs';
import { launch, open, place } from './place.mjs';

let browser;
let where;
let codex;
before(async () => {
  browser = await launch();
  where = await place({ 'src/a.txt': 'one\n-- dash\n', 'src/b.txt': 'old\n', 'c.txt': 'c\n' },
    '--ask', 'write(c.txt)', '--approval-wait', '600');
  codex = where.agent('codex', where.token('codex'));
});
after(async () => {
  await browser?.close();
  await where?.end();
});

const patch = () => `*** Begin Patch
*** Update File: ${where.file('src/a.txt')}
@@
 one
--- dash
+++ dash
*** Add File: ${where.file('src/new.txt')}
+n
*** Update File: ${where.file('src/b.txt')}
*** Move to: ${where.file('src/moved.txt')}
@@
 old
+more
*** Delete File: ${where.file('c.txt')}
*** End Patch
`;

test('V119: a group is one card with every file', async () => {
  const { page, context, wrong } = await open(browser, where);
  const call = codex('apply_patch', { input: patch() });
  const slip = page.locator('.slip[data-armed]');
  await slip.waitFor();
  assert.equal(await slip.count(), 1);
  assert.equal(await slip.getByRole('heading', { level: 2 }).innerText(), '4 files');
  const files = await slip.locator('.group li').allInnerTexts();
  assert.equal(files.length, 4);
  for (const [i, words] of [/^M.*a\.txt.*\+1/, /^A.*new\.txt.*\+1/,
    /^R.*b\.txt.*moved\.txt.*\+1/, /^D.*c\.txt/].entries()) {
    assert.match(files[i].replace(/\s+/g, ' '), words);
  }
  assert.deepEqual((await slip.locator('.hunk-file').allInnerTexts())
    .map((name) => /[^/]+$/.exec(name)[0]), ['a.txt', 'new.txt', 'moved.txt', 'c.txt']);
  assert.equal(await slip.locator('.hunk').count(), 4);
  assert.equal(await slip.locator('[data-hunk]').count(), 0, 'all or nothing');
  await check(page, 'a question about several files');
  await picture(page, 'group');
  await slip.getByRole('button', { name: 'Allow once' }).click();
  const result = await call;
  assert.ok(result && !result.isError && !result.error, JSON.stringify(result));
  assert.equal(where.read('src/a.txt'), 'one\n++ dash\n');
  assert.equal(where.read('src/moved.txt'), 'old\nmore\n');
  await page.click('a[href="#activity"]');
  await page.locator('.call', { hasText: '4 files' }).first().waitFor();
  await page.click('a[href="#history"]');
  const op = page.locator('.op', { hasText: 'moved.txt' }).first();
  await op.locator('[data-action=undo]').click();
  await page.locator('#sure .undo-file').nth(3).waitFor();
  await page.click('#sure .primary');
  await page.locator('.op', { hasText: 'undo of the change at' }).first().waitFor();
  assert.equal(where.read('src/a.txt'), 'one\n-- dash\n');
  assert.equal(where.read('src/b.txt'), 'old\n');
  assert.equal(where.read('c.txt'), 'c\n');
  assert.deepEqual(wrong, []);
  await context.close();
});
