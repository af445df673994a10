// 14.9: a question about a read says that the content would be revealed, and its
// size, and shows none of it. In a real browser with the real server.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { check, picture } from './looks.mjs';
import { launch, open, place } from './place.mjs';

const TEXT = 'alpha=1\nmiddle=hunter2\n';

let browser;
let where;
let codex;
before(async () => {
  browser = await launch();
  where = await place({ '.env': TEXT, '.env.example': 'KEY=\n', 'plain.txt': TEXT },
    '--approval-wait', '0');
  codex = where.client('codex');
});
after(async () => {
  await browser?.close();
  await where?.end();
});

const read = (name) => codex('read_text_file', { path: where.file(name) });
const isAsked = (done) => /Approval required: read_text_file wants to read/
  .test(JSON.stringify(done)) && !/hunter2/.test(JSON.stringify(done));
const words = async (locator) => (await locator.innerText()).replace(/\s+/g, ' ');

test('14.9: a read question tells what a yes would tell, and shows no content', async () => {
  const { page, context, wrong } = await open(browser, where);
  for (const name of ['.env.example', 'plain.txt']) {
    const done = await read(name);
    assert.ok(!done.isError && !done.error, JSON.stringify(done));
  }
  assert.ok(isAsked(await read('.env')));
  const slip = page.locator('.slip[data-armed]', { hasText: '.env' });
  await slip.waitFor();
  assert.equal(await page.locator('.slip').count(), 1, 'nothing else is asked for');
  assert.equal(await words(slip.locator('.summary')), 'wants to read');
  assert.deepEqual(await slip.locator('.does li').allInnerTexts(),
    [`sends the file's content (${TEXT.length} bytes) to the client`]);
  assert.equal(await words(slip.locator('.reason')), 'matches the rule *(.env*)');
  assert.equal(await slip.locator('table, .hunk, .tally').count(), 0, 'it has no diff');
  assert.doesNotMatch(await page.locator('body').innerText(), /hunter2/);
  await check(page, 'a secret would be read');
  await picture(page, 'secret-read');
  await slip.locator('[data-answer=once]').click();
  await page.locator('#toast-text', { hasText: 'Allowed once: .env' }).waitFor();
  assert.match(JSON.stringify(await read('.env')), /hunter2/);
  await page.setViewportSize({ width: 320, height: 160 });
  assert.ok(isAsked(await read('.env')), 'once is once');
  assert.equal(await page.locator('.slip .unseen').innerText(),
    'You have not seen the end of this question yet.');
  await page.setViewportSize({ width: 320, height: 640 });
  await page.locator('.slip[data-armed]', { hasText: '.env' }).waitFor();
  await check(page, 'on a narrow screen');
  await picture(page, 'secret-read-narrow');
  assert.deepEqual(wrong, []);
  await context.close();
});
