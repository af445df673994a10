// 14.8: an overview of many questions, several answered together, each answer
// bound to what was shown.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { check, picture } from './looks.mjs';
import { launch, open, place } from './place.mjs';

let browser;
let where;
let codex;
let claude;
before(async () => {
  browser = await launch();
  where = await place({}, '--ask', 'write(src/*)', '--ask', 'write(doc/*)',
    '--approval-wait', '600');
  codex = where.agent('codex', where.token('codex'));
  claude = where.agent('claude', where.token('claude'));
});
after(async () => {
  await browser?.close();
  await where?.end();
});

// Make a question for each of @files, [agent, name]; then(page, calls) must
// answer them all.
function many(name, files, then) {
  test(`14.8: ${name}`, async () => {
    for (const [, file] of files) where.write(file, 'one\n');
    const { page, context, wrong } = await open(browser, where);
    const calls = [];
    try {
      // One after the other: the page names clients in the order of their questions.
      for (const [agent, file] of files) {
        calls.push(ask(agent(), file));
        await card(page, file).waitFor();
      }
      await then(page, calls);
      await Promise.all(calls);
      const { approvals } = await where.owner('/api/approvals');
      assert.deepEqual(approvals, [], 'no question is left over');
      // The browser logs refused requests.
      assert.deepEqual(wrong.filter((one) => !/status of 40[49]/.test(one)), []);
    } finally {
      const { approvals } = await where.owner('/api/approvals');
      for (const { id } of approvals) where.command('approvals', 'deny', id);
      // Or the next case, which makes the same calls, is told these denials.
      await Promise.allSettled(calls);
      await context.close();
    }
  });
}

// The call; leave() disconnects the client.
function ask(agent, file) {
  const gone = new AbortController();
  const call = agent('edit_text_file',
    { path: where.file(file), old_string: 'one', new_string: 'two' }, gone.signal)
    .catch((fault) => { if (!gone.signal.aborted) throw fault; });
  call.leave = () => gone.abort();
  return call;
}

async function applied(call) {
  const result = await call;
  assert.ok(result && !result.isError && !result.error, JSON.stringify(result));
}

const A = () => codex;
const B = () => claude;
const card = (page, file) => page.locator('.slip[data-armed]', { hasText: file });
const row = (page, file) => page.locator('#overview .rows li', { hasText: file });
const box = (page, file) => row(page, file).getByRole('checkbox');
const set = (page, name) => page.locator('.sets').getByRole('button', { name });
const allow = (page) => page.locator('[data-many=once]');
const deny = (page) => page.locator('[data-many=deny]');
const dialog = (page) => page.locator('#sure');
const chosen = (page) => page.locator('#overview input:checked')
  .evaluateAll((all) => all.length);
const result = (page, file) => dialog(page).locator('li', { hasText: file });

async function seeAll(page) {
  for (const end of await page.locator('.slip .end').all()) {
    await end.evaluate((one) => one.scrollIntoView({ block: 'center' }));
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
  await page.waitForFunction(() => [...document.querySelectorAll('.hinder')]
    .every((one) => !one.textContent));
}

const FOUR = [[A, 'src/a.c'], [A, 'src/b.c'], [B, 'src/c.c'], [B, 'doc/d.md']];

many('what waits is seen at a glance, and chosen by what it has in common', FOUR,
  async (page, calls) => {
    assert.equal(await page.locator('#overview .rows li').count(), 4);
    assert.match(await row(page, 'a.c').innerText(),
      /src\/a\.c[^]*\+1\s*−1[^]*codex · calls itself codex 1\.0[^]*edit_text_file/);
    for (const [words, files] of [
      [/^All of codex/, ['a.c', 'b.c']], [/^All in src\//, ['a.c', 'b.c', 'c.c']],
      [/^All asked for by .*src/, ['a.c', 'b.c', 'c.c']], [/^All 4$/, ['a.c', 'd.md']]]) {
      await set(page, words).click();
      assert.equal(await set(page, words).getAttribute('aria-pressed'), 'true');
      for (const file of files) assert.ok(await box(page, file).isChecked(), `${words} ${file}`);
      await set(page, words).click();
      assert.equal(await chosen(page), 0);
    }
    await set(page, /^All of codex/).click();
    for (const [width, colorScheme] of [[768, 'dark'], [1280, 'light'], [2560, 'dark'],
      [320, 'light']]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      if (width === 2560 || width === 320) await check(page, `overview ${colorScheme} ${width}`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth
        <= document.documentElement.clientWidth), `${width}`);
      await picture(page, `overview-${colorScheme}-${width}`);
    }
    const small = await page.locator('#overview').locator('button:visible, .check')
      .evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().height < 44)
        .map((one) => one.textContent));
    assert.deepEqual(small, [], 'a finger can hit each');
    await set(page, /^All 4$/).click();
    await deny(page).click();
    await dialog(page).getByLabel('Reason, sent to the agents').fill('not today');
    await dialog(page).getByRole('button', { name: 'Deny these 4' }).click();
    await dialog(page).getByText('Denied 4 of 4').waitFor();
    assert.match(JSON.stringify(await calls[0]), /not today/);
    await dialog(page).getByRole('button', { name: 'Close' }).click();
  });

many('several are allowed after all of it was spelled out', FOUR, async (page, calls) => {
  await seeAll(page);
  await set(page, /^All in src\//).click();
  await page.evaluate(() => scrollTo(0, 0));
  await allow(page).click();
  await dialog(page).getByRole('heading',
    { name: 'Allow 3 changes: 3 files, +3 −3, of codex and claude' }).waitFor();
  const text = await dialog(page).locator('.spelled-out').innerText();
  for (const file of ['src/a.c', 'src/b.c', 'src/c.c']) {
    assert.ok(text.includes(where.file(file)), `${file} in full: ${text}`);
  }
  assert.ok(await dialog(page).getByRole('button', { name: 'Cancel' })
    .evaluate((one) => one === document.activeElement), 'Enter does not say yes');
  await check(page, 'confirming');
  await picture(page, 'overview-confirm');
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  assert.equal(where.read('src/a.c'), 'one\n');
  await allow(page).click();
  await dialog(page).getByRole('button', { name: 'Allow these 3' }).click();
  await dialog(page).getByText('Allowed 3 of 3').waitFor();
  assert.match(await result(page, 'a.c').innerText(), /Allowed once\. codex goes on now/);
  await dialog(page).getByRole('button', { name: 'Close' }).click();
  for (const call of calls.slice(0, 3)) await applied(call);
  assert.equal(where.read('src/c.c'), 'two\n');
  assert.equal(where.read('doc/d.md'), 'one\n');
  const { grants } = await where.owner('/api/grants');
  assert.deepEqual(grants, [], 'nothing is granted');
  await card(page, 'd.md').getByRole('button', { name: 'Deny' }).click();
});

many('one that changed, and one that was answered elsewhere, are not allowed', FOUR,
  async (page, calls) => {
    await seeAll(page);
    await set(page, /^All 4$/).click();
    await allow(page).click();
    await dialog(page).getByRole('heading', { name: /Allow 4 changes/ }).waitFor();
    // The file has changed, and the same call is made again.
    calls[1].leave();
    where.write('src/b.c', 'zero\none\n');
    calls.push(ask(codex, 'src/b.c'));
    const elsewhere = JSON.parse(where.command('approvals', '--json')).approvals
      .find((a) => a.path.endsWith('d.md'));
    where.command('approvals', 'deny', elsewhere.id);
    await page.locator('#overview .rows li', { hasText: 'd.md' }).waitFor({ state: 'detached' });
    await page.locator('.slip', { hasText: 'b.c' }).getByText('zero').waitFor();
    await dialog(page).getByRole('button', { name: 'Allow these 4' }).click();
    await dialog(page).getByText('Allowed 2 of 4').waitFor();
    assert.match(await result(page, 'a.c').innerText(), /Allowed once/);
    assert.match(await result(page, 'b.c').innerText(), /Not answered: it is no longer asked/);
    assert.match(await result(page, 'c.c').innerText(), /Allowed once/);
    assert.match(await result(page, 'd.md').innerText(), /Not answered: it was answered elsewhere/);
    await picture(page, 'overview-results');
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await applied(calls[0]);
    await applied(calls[2]);
    assert.equal(where.read('src/b.c'), 'zero\none\n');
    assert.equal(where.read('doc/d.md'), 'one\n');
    await card(page, 'b.c').getByRole('button', { name: 'Deny' }).click();
  });

many('what was not seen to its end is not allowed with others', FOUR.slice(0, 2),
  async (page, calls) => {
    const text = Array.from({ length: 3000 }, (_, i) => `line ${i}\n`).join('');
    calls.push(claude('write_text_file', { path: where.file('src/long.c'), content: text }));
    await card(page, 'long.c').waitFor();
    await page.keyboard.press('X');
    assert.equal(await chosen(page), 3);
    assert.match(await row(page, 'long.c').innerText(), /\+3,?000[^]*not seen to its end yet/);
    assert.ok(await allow(page).isDisabled());
    await page.keyboard.press('A');
    await page.locator('#toast', { hasText: 'not seen to their end' }).waitFor();
    assert.ok(!await dialog(page).isVisible());
    for (const file of ['a.c', 'b.c']) {
      await card(page, file).locator('.end').evaluate((one) => one.scrollIntoView({ block: 'center' }));
      await row(page, file).getByText('not seen').waitFor({ state: 'hidden' });
    }
    await page.getByRole('button', { name: 'Leave those out' }).click();
    assert.ok(!await box(page, 'long.c').isChecked());
    await page.keyboard.press('A');
    await dialog(page).getByRole('button', { name: 'Allow these 2' }).click();
    await dialog(page).getByText('Allowed 2 of 2').waitFor();
    await page.keyboard.press('Enter');
    await applied(calls[0]);
    await applied(calls[1]);
    await card(page, 'long.c').getByRole('button', { name: 'Deny' }).click();
  });

many('keys choose, and open the question whether all is meant', FOUR, async (page) => {
  await seeAll(page);
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  assert.equal(await chosen(page), 1);
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  assert.equal(await chosen(page), 2);
  assert.equal(await page.locator('.slip[data-chosen]').count(), 2);
  await page.keyboard.press('x');
  assert.equal(await chosen(page), 1);
  await page.keyboard.press('X');
  assert.equal(await chosen(page), 4);
  await page.keyboard.press('D');
  await dialog(page).getByRole('heading', { name: /^Deny 4 changes/ }).waitFor();
  await page.keyboard.press('Escape');
  assert.equal((await where.owner('/api/approvals')).approvals.length, 4);
  await page.keyboard.press('D');
  await dialog(page).getByRole('button', { name: 'Deny these 4' }).click();
  await dialog(page).getByText('Denied 4 of 4').waitFor();
});
