// 14: every view without colours, without motion, and from 320 to 2,560 px.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { check, picture } from './looks.mjs';
import { launch, open, place } from './place.mjs';

const VIEWS = ['approvals', 'activity', 'history', 'files', 'status', 'settings'];

let browser;
let where;
const waiting = [];
before(async () => {
  browser = await launch();
  where = await place({ '.env': 'KEY=old\nPORT=1\n', 'src/one.c': 'int one;\n' },
    '--approval-wait', '600');
  const codex = where.client('codex');
  await codex('edit_text_file',
    { path: where.file('src/one.c'), old_string: 'one', new_string: 'two' });
  waiting.push(codex('edit_text_file', { path: where.file('.env'), old_string: 'old',
    new_string: 'new' }).catch(() => {})); // the call ends with the server
});
after(async () => {
  await browser?.close();
  await where?.end();
  await Promise.all(waiting);
});

async function show(page, view) {
  await page.evaluate((hash) => { location.hash = hash; }, view);
  await page.locator(`#view-${view}:not([hidden])`).waitFor();
  if (view === 'approvals') await page.locator('.slip[data-armed]').first().waitFor();
  if (view === 'files') await page.locator('.entries').waitFor();
  if (view === 'history') await page.locator('.op').first().waitFor();
}

async function each(options, name, then) {
  const { page, context, wrong } = await open(browser, where, { bypassCSP: true, ...options });
  try {
    for (const view of VIEWS) {
      await show(page, view);
      await picture(page, `${view}-${name}`);
      await check(page, `${view}-${name}`);
      await then?.(page, view);
    }
    assert.deepEqual(wrong, []);
  } finally {
    await context.close();
  }
}

test('without colours, where we are and what a change does can be told', async () => {
  await each({ forcedColors: 'active', reducedMotion: 'reduce' }, 'forced', async (page, view) => {
    // Only one of the links to views is underlined.
    const lines = await page.locator('.masthead nav a').evaluateAll((links) => {
      const paper = getComputedStyle(document.documentElement).backgroundColor;
      return links.filter((link) => getComputedStyle(link).borderBottomColor !== paper)
        .map((link) => link.dataset.view);
    });
    assert.deepEqual(lines, [view]);
    if (view !== 'approvals') return;
    assert.deepEqual(await page.locator('.diff .s').allInnerTexts()
      .then((signs) => [...new Set(signs.map((s) => s.trim()[0]).filter(Boolean))].sort()),
    ['+', '−'].sort());
    assert.match(await page.locator('.diff ins').first().evaluate(
      (one) => getComputedStyle(one).textDecorationLine), /underline/);
    assert.match(await page.locator('.diff del').first().evaluate(
      (one) => getComputedStyle(one).textDecorationLine), /line-through/);
  });
});

test('with reduced motion nothing moves', async () => {
  const { page, context } = await open(browser, where, { reducedMotion: 'reduce' });
  for (const view of VIEWS) {
    await show(page, view);
    assert.deepEqual(await page.evaluate(() => document.getAnimations().length), 0, view);
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('*')].filter((one) => {
      const style = getComputedStyle(one);
      return style.animationName !== 'none' || parseFloat(style.transitionDuration) > 0;
    }).map((one) => one.outerHTML.slice(0, 80))), [], view);
  }
  await context.close();
});

for (const [width, colorScheme] of [[320, 'dark'], [2560, 'light']]) {
  test(`every view fits ${width} px`, () => each(
    { viewport: { width, height: 900 }, colorScheme }, `fit-${width}-${colorScheme}`));
}
