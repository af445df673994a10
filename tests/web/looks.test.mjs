// Appearance: axe-core finds nothing in any view, nothing is wider than the
// screen, and screenshots are in the build directory.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { check, picture } from './looks.mjs';
import { launch, open, place } from './place.mjs';

const SIZES = [[1280, 800], [390, 844]];
const CART = `#include "cart.h"

static int total(const struct cart *c)
{
	int sum = 0;

	for (int i = 0; i < c->count; i++)
		sum += c->items[i].price * c->items[i].amount;
	return sum;
}

void cart_free(struct cart *c)
{
	if (!c)
		return;
	free(c->items);
	free(c);
}

/* Orders above this are checked by a person. */
#define LIMIT 1000

bool cart_is_large(const struct cart *c)
{
	return total(c) > LIMIT;
}
`;

let browser;
let where;
const waiting = [];

async function fillHistory() {
  const agent = where.agent('codex');
  const file = where.file('src/checkout/tax.c');
  await agent('write_text_file', { path: file, content: 'int tax = 19;\n' });
  await agent('edit_text_file', { path: file, old_string: '19', new_string: '21' });
  await agent('edit_text_file', { path: file, old_string: 'gone', new_string: 'x' });
  await agent('edit_text_file', { path: where.file('src/checkout/cart.c'),
    old_string: 'LIMIT 1000', new_string: 'LIMIT 2500' });
  await agent('read_text_file', { path: where.file('README.md') });
}

function ask() {
  waiting.push(...[where.agent('codex')('multi_edit_text_file', {
    path: where.file('src/asked/cart.c'),
    edits: [{ old_string: 'int sum = 0', new_string: 'int64_t sum = 0' },
      { old_string: 'int i = 0', new_string: 'size_t i = 0' },
      { old_string: 'LIMIT 1000', new_string: 'LIMIT 2500' }],
  }), where.agent('claude-code')('edit_text_file', {
    path: where.file('services/payments/config/environments/staging/.env.local'),
    old_string: 'localhost', new_string: 'db.internal:5433',
  })].map((call) => call.catch(() => {}))); // these calls end with the server
}

before(async () => {
  browser = await launch();
  where = await place({
    'src/checkout/cart.c': CART, 'src/asked/cart.c': CART, 'README.md': '# Shop\n',
    'services/payments/config/environments/staging/.env.local':
      '# local\nDATABASE_URL=postgres://shop@localhost/shop\nPORT=8080\n',
  }, '--ask', 'write(src/asked/**)', '--approval-wait', '600');
  await fillHistory();
  ask();
});
after(async () => {
  await browser?.close();
  await where?.end();
  await Promise.all(waiting);
});

// Wait until the view is complete, before the screenshot.
const VIEWS = {
  approvals: async (page) => {
    await page.locator('.slip[data-armed]').nth(1).waitFor();
    await page.locator('[data-hunk="2"]').first().uncheck();
  },
  activity: (page) => page.locator('.call.failed').first().waitFor(),
  history: async (page) => {
    await page.locator('.op-head').first().click();
    await page.locator('.op-body .diff').first().waitFor();
    await page.click('#chart summary');
  },
  status: (page) => page.locator('.snippet').first().waitFor(),
  settings: (page) => page.getByText('There are no grants').waitFor(),
  help: async (page) => {
    await page.keyboard.press('?');
    await page.locator('#help[open]').waitFor();
  },
  sure: async (page) => {
    await page.keyboard.press('3');
    await page.locator('.op [data-action=undo]').first().click();
    await page.locator('#sure[open]').waitFor();
  },
};

for (const colorScheme of ['light', 'dark']) {
  test(`looks: signin-390-${colorScheme}`, async () => {
    const page = await browser.newPage({
      viewport: { width: 390, height: 844 }, colorScheme, bypassCSP: true,
    });
    await page.goto(where.url());
    await page.locator('#signin').waitFor();
    await picture(page, `signin-390-${colorScheme}`);
    await check(page, 'signin');
    await page.close();
  });
}

// A view is opened once, and checked in each size and colour scheme.
for (const [view, ready] of Object.entries(VIEWS)) {
  test(`looks: ${view}`, async () => {
    const { page, context, wrong } = await open(browser, where, { bypassCSP: true });
    try {
      await page.evaluate((hash) => { location.hash = hash; }, view);
      await ready(page);
      for (const [width, height] of SIZES) {
        await page.setViewportSize({ width, height });
        for (const colorScheme of ['light', 'dark']) {
          await page.emulateMedia({ colorScheme });
          await picture(page, `${view}-${width}-${colorScheme}`);
          await check(page, `${view}-${width}-${colorScheme}`);
        }
      }
      assert.deepEqual(wrong, []);
    } finally {
      await context.close();
    }
  });
}
