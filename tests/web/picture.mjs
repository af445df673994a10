// picture.mjs STET [DIRECTORY] - makes docs/page.png, a screenshot of the page:
// a question with two hunks, one of them chosen. With a directory, also every
// view at 320 and 1440 pixels, for review.
//
//	cd tests/web && node picture.mjs ../../build/stet /tmp/pictures
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, open, place } from './place.mjs';

const PICTURE = fileURLToPath(new URL('../../docs/page.png', import.meta.url));
const VIEWS = ['approvals', 'activity', 'history', 'files', 'status', 'settings'];
const OLD = `#include "tax.h"

/* Prices are in cents. */
static const int rate = 19;

int tax(int net)
{
\treturn net * rate / 100;
}

int gross(int net)
{
\treturn net + tax(net);
}

int discount(int net, int percent)
{
\treturn net - net * percent / 100;
}
`;
const NEW = OLD.replace('rate = 19', 'rate = 7')
  .replace('net * percent / 100', '(net * percent + 50) / 100');

const browser = await launch();
const where = await place({ 'src/tax.c': OLD, 'src/tax.h': 'int tax(int net);\n',
  '.env': 'KEY=1\n', 'README.md': '# Shop\n' },
'--ask', 'write(src)', '--approval-wait', '60');
try {
  const codex = where.client('codex', 'codex');
  const claude = where.client('claude', 'claude-code');
  await claude('write_text_file', { path: where.file('README.md'),
    content: '# Shop\n\nPrices are in cents.\n' });
  await claude('write_text_file', { path: where.file('docs/prices.md'), content: '# Prices\n' });
  const call = codex('write_text_file', { path: where.file('src/tax.c'), content: NEW });
  call.catch(() => {});
  const { page } = await open(browser, where, { colorScheme: 'light' });
  const slip = page.locator('.slip[data-armed]').first();
  await slip.waitFor();
  await page.setViewportSize({ width: 1280, height: 900 }); // shows the end of the change
  await slip.locator('.unseen').waitFor({ state: 'detached' });
  await slip.locator('.hunk input[type=checkbox]').last().uncheck();
  await page.screenshot({ path: PICTURE });
  const directory = process.argv[3];
  if (directory) {
    fs.mkdirSync(directory, { recursive: true });
    for (const view of VIEWS) {
      for (const width of [320, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        await page.evaluate((name) => { location.hash = name; }, view);
        await page.locator(`#view-${view}`).waitFor();
        await page.waitForTimeout(700);
        await page.screenshot({ path: path.join(directory, `${view}-${width}.png`), fullPage: true });
      }
    }
  }
} finally {
  await browser.close();
  await where.end();
}
