// looks.mjs - what every view is looked at for: axe-core finds nothing, nothing
// is wider than the screen, and a picture of it is in the build directory.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { stet } from './place.mjs';

const AXE = fs.readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const PICTURES = path.join(path.dirname(stet), 'screenshots');

fs.mkdirSync(PICTURES, { recursive: true });

export const picture = (page, name) => page.screenshot(
  { path: path.join(PICTURES, `${name}.png`) });

export async function check(page, name) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document));
  assert.deepEqual(violations.flatMap((one) => one.nodes.map(
    (node) => `${one.id}: ${node.html.slice(0, 160)}: ${node.failureSummary}`)), [], name);
  const wide = await page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    return scrollWidth > clientWidth ? [`${scrollWidth} > ${clientWidth}`,
      ...[...document.querySelectorAll('main *')]
        .filter((one) => one.getBoundingClientRect().right > clientWidth)
        .map((one) => `${one.tagName}.${one.className}`)] : [];
  });
  assert.deepEqual(wide, [], `${name}: wider than the screen`);
}
