// 14: the files view: roots as agents see them, read-only, with the reason for
// each mark; and the 404 page. In a real browser.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, test } from 'node:test';
import { check, picture } from './looks.mjs';
import { launch, open, place } from './place.mjs';

const SECRET = 'nobody-sees-this';
const MARKED = [['hidden', 'hidden', 'Tools cannot see it: deny read(hidden) (--deny).'],
  ['fixed.txt', 'denied', 'It may not be changed: deny write(fixed.txt) (--deny).'],
  ['asked.txt', 'asks', 'You are asked before it is changed: ask write(asked.txt) (--ask).'],
  ['.env', 'sensitive', '.env*: environment files hold passwords and keys'],
  ['out', 'outside', 'Agents cannot follow this link: the symlink leads out of the roots.']];

let browser;
let where;
before(async () => {
  browser = await launch();
  where = await place({
    'src/main.c': 'int main(void)\n{\n\treturn 0;\n}\n', 'hidden/a.txt': SECRET,
    'fixed.txt': 'fixed\n', 'asked.txt': 'asked\n', '.env': SECRET,
    'ignored.log': 'log\n', '.stetignore': '# logs\n*.log\n', 'empty/none': '',
    'crlf.txt': 'one\r\ntwo\r\n', 'odd.txt': 'a\u202eb\u200bc\n',
    'long.txt': Array.from({ length: 4500 }, (_, i) => `line ${i + 1}\n`).join(''),
    'p\u0430y.txt': 'look-alike\n',
  }, '--deny', 'read(hidden)', '--deny', 'write(fixed.txt)', '--ask', 'write(asked.txt)');
  fs.rmSync(where.file('empty/none'));
  fs.writeFileSync(where.file('data.bin'), Buffer.from([0, 1, 2, 255, 0, 9]));
  fs.symlinkSync('/etc', where.file('out'));
  fs.mkdirSync(where.file('many'));
  for (let i = 0; i < 450; i++) where.write(`many/f${String(i).padStart(3, '0')}`, '');
});
after(async () => {
  await browser?.close();
  await where?.end();
});

function onPage(name, then, options, mayBeWrong = /^$/) {
  test(name, async () => {
    const { page, context, wrong } = await open(browser, where, options);
    try {
      await then(page);
      assert.deepEqual(wrong.filter((one) => !mayBeWrong.test(one)), []);
    } finally {
      await context.close();
    }
  });
}

const address = (name) => `#files?${new URLSearchParams({ path: where.file(name) })}`;
async function go(page, name) {
  await page.evaluate((hash) => { location.hash = hash; },
    name === undefined ? '#files' : address(name));
  await page.locator('#view-files:not([hidden])').waitFor();
}
const entry = (page, name) => page.locator(`.entries tr[data-name="${name}"]`);
const words = async (locator) => (await locator.innerText()).replace(/\s+/g, ' ').trim();

onPage('from the roots down to a file, and back by the path', async (page) => {
  await page.getByRole('link', { name: 'Files', exact: true }).click();
  await page.locator(`.entries a[href]`, { hasText: where.root }).first().click();
  await entry(page, 'src').getByRole('link').click();
  await entry(page, 'main.c').getByRole('link').click();
  await page.locator('.content').waitFor();
  assert.deepEqual(await page.locator('.content .t').allInnerTexts(),
    ['int main(void)', '{', '\treturn 0;', '}']);
  assert.match(await page.title(), /src\/main\.c – stet/);
  assert.equal(await page.locator('#files-body').locator('input, textarea').count(), 0);
  await page.locator('#files-crumbs').getByRole('link', { name: 'src' }).click();
  await entry(page, 'main.c').waitFor();
  await page.goBack();
  await page.locator('.content').waitFor();
});

onPage('each mark says which rule, file or row it comes from', async (page) => {
  await go(page, '');
  for (const [name, mark, why] of MARKED) {
    const row = entry(page, name);
    await row.locator(`summary .mark-${mark}`).first().waitFor();
    await row.locator('summary').click();
    assert.ok((await words(row)).includes(why), `${name}: ${await words(row)}`);
  }
  assert.match(await words(entry(page, 'fixed.txt').locator('summary')), /no changes/);
  await entry(page, 'ignored.log').locator('summary').click();
  assert.ok((await words(entry(page, 'ignored.log')))
    .includes(`It may not be changed: ignored by ${where.file('.stetignore')}:2.`));
  assert.equal(await entry(page, 'src').locator('summary').count(), 0);
  assert.equal(await entry(page, 'out').locator('a').count(), 0);
});

onPage('what is kept from agents is not shown here either', async (page) => {
  for (const name of ['.env', 'hidden/a.txt']) {
    await go(page, name);
    await page.locator('.untold').waitFor();
    assert.ok(!(await page.content()).includes(SECRET));
    assert.match(await words(page.locator('#files-body .reasons')), /sensitive|hidden/);
    await go(page);
    await page.locator('.entries').waitFor();
  }
});

// Chromium logs each 403 to its console.
onPage('what is outside the roots is refused in words', async (page) => {
  await page.evaluate((path) => { location.hash = `#files?${new URLSearchParams({ path })}`; },
    '/etc/passwd');
  await page.locator('#files-body', { hasText: 'It is outside the roots' }).waitFor();
  await page.getByRole('link', { name: 'To the roots' }).click();
  await page.locator('.entries').waitFor();
}, undefined, /status of 403/);

onPage('encodings, line endings, hidden characters, binaries', async (page) => {
  await go(page, 'crlf.txt');
  await page.locator('.badge-text', { hasText: 'CRLF' }).waitFor();
  assert.deepEqual(await page.locator('.content .t').allInnerTexts(), ['one', 'two']);
  await go(page, 'odd.txt');
  await page.locator('.content .hidden-char').first().waitFor();
  assert.deepEqual(await page.locator('.content .hidden-char').allInnerTexts(),
    ['\\u{202e}', '\\u{200b}']);
  await go(page, 'data.bin');
  await page.getByText('This is a binary file of 6 bytes').waitFor();
  await go(page, 'p\u0430y.txt');
  await page.locator('.content', { hasText: 'look-alike' }).waitFor();
  await go(page, 'empty');
  await page.getByText('This directory is empty.').waitFor();
});

onPage('what is long comes in parts, to its end', async (page) => {
  await go(page, 'many');
  await page.locator('.entries tbody tr').nth(199).waitFor();
  assert.equal(await page.locator('.entries tbody tr').count(), 200);
  await page.locator('#files-more', { hasText: '250 left' }).click();
  await page.locator('#files-more', { hasText: '50 left' }).click();
  await page.locator('.entries tbody tr').nth(449).waitFor();
  assert.equal(await page.locator('#files-more').count(), 0);
  await go(page, 'long.txt');
  await page.locator('#files-more', { hasText: 'line 2,001' }).click();
  await page.locator('#files-more', { hasText: 'line 4,001' }).click();
  await page.locator('.content tr').nth(4499).waitFor();
  assert.equal(await page.locator('.content .t').last().innerText(), 'line 4500');
  assert.equal(await page.locator('#files-more').count(), 0);
});

onPage('each file leads to its history', async (page) => {
  await go(page, 'src/main.c');
  const link = page.getByRole('link', { name: 'History of this file' });
  assert.equal(await link.getAttribute('href'),
    `#history?${new URLSearchParams({ path: where.file('src/main.c') })}`);
  await link.click();
  await page.locator('#view-history:not([hidden])').waitFor();
});

test('an address that leads nowhere is a page with a way back', async () => {
  const page = await browser.newPage({ viewport: { width: 320, height: 640 }, bypassCSP: true });
  const response = await page.goto(`${where.url()}/no/such/thing`);
  assert.equal(response.status(), 404);
  assert.match(await page.title(), /Not found/);
  assert.notEqual(await page.evaluate(
    () => getComputedStyle(document.querySelector('.wordmark')).fontStyle), 'normal');
  await picture(page, 'lost-320-light');
  await check(page, 'lost');
  await page.getByRole('link', { name: 'Go to the start' }).click();
  await page.locator('#signin').waitFor();
  await page.close();
});

for (const [width, colorScheme] of [[320, 'light'], [1280, 'dark'], [2560, 'light']]) {
  onPage(`looks: files-${width}-${colorScheme}`, async (page) => {
    await go(page, '');
    await entry(page, '.env').locator('summary').click();
    await picture(page, `files-${width}-${colorScheme}`);
    await check(page, 'files');
    await go(page, 'odd.txt');
    await page.locator('.content').waitFor();
    await picture(page, `file-${width}-${colorScheme}`);
    await check(page, 'file');
  }, { viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
}
