// looks.mjs - visual checks of every view: no finding of axe-core, nothing wider
// than the screen, and a screenshot in the build directory.
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
  if (!await page.evaluate(() => 'axe' in globalThis)) await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run(
    document, { resultTypes: ['violations'] }));
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

// The current view in both colour schemes, on a phone, a desktop and a very wide
// screen: a screenshot of each, and the findings of check() in two of them.
export async function everywhere(page, name) {
  for (const [colorScheme, checked] of [['light', 320], ['dark', 1280]]) {
    await page.emulateMedia({ colorScheme });
    for (const width of [2560, 320, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await picture(page, `${name}-${width}-${colorScheme}`);
      if (width === checked) await check(page, `${name} ${width} ${colorScheme}`);
    }
  }
}
