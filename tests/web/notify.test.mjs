// 14: permission for notifications is requested by a click, never on load; they
// have client and file only. The title has the number of questions; sound is off.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { check, picture } from './looks.mjs';
import { launch, open, place } from './place.mjs';

let browser;
let where;
let codex;
before(async () => {
  browser = await launch({ notifications: true });
  where = await place({ '.env': 'KEY=old\n', 'src/one.c': '1\n' },
    '--ask', 'write(*.c)', '--approval-wait', '0');
  codex = where.client('codex');
});
after(async () => {
  await browser?.close();
  await where?.end();
});

// Records the use of notifications and sound; the permission itself is the
// browser's.
function listen() {
  globalThis.seen = { asked: 0, shown: [], closed: [], tones: 0 };
  const Real = globalThis.Notification;
  globalThis.Notification = class {
    constructor(title, options) {
      this.title = title;
      this.tag = options.tag;
      globalThis.seen.shown.push({ title, ...options });
      globalThis.seen.last = this;
    }
    close() { globalThis.seen.closed.push(this.tag); }
    static get permission() { return Real.permission; }
    static requestPermission() {
      globalThis.seen.asked++;
      return Real.requestPermission();
    }
  };
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function count(...when) {
    globalThis.seen.tones++;
    return start.apply(this, when);
  };
}

function onPage(name, then, { permissions = [], looked = false, ...options } = {}) {
  test(name, async () => {
    const { page, context, wrong } = await open(browser, where, options);
    try {
      const { origin } = new URL(page.url());
      await context.grantPermissions(permissions, { origin });
      await page.addInitScript(listen);
      if (!looked) await page.addInitScript(() => { document.hasFocus = () => false; });
      await page.reload();
      await page.waitForSelector('#link[data-state=live]');
      await then(page);
      assert.deepEqual(wrong, []);
    } finally {
      await context.close();
      for (const { id } of (await where.owner('/api/approvals')).approvals) {
        where.command('approvals', 'deny', id);
      }
    }
  });
}

let writes = 0;
const asks = (name) => codex('write_text_file',
  { path: where.file(name), content: `SECRET_CONTENT ${++writes}\n` });
const seen = (page) => page.evaluate(() => {
  const { asked, shown, closed, tones } = globalThis.seen;
  return { asked, shown, closed, tones };
});
const slip = (page, file) => page.locator('.slip', { hasText: file });
const turnOn = async (page) => {
  await page.click('#notify-state');
  await page.check('#notify-on');
  await page.locator('#notify-state', { hasText: 'on' }).waitFor();
};

onPage('nothing is asked for on load, and nothing shown unasked', async (page) => {
  assert.equal((await seen(page)).asked, 0);
  for (const view of ['activity', 'history', 'files', 'status', 'settings', 'approvals']) {
    await page.evaluate((hash) => { location.hash = hash; }, view);
  }
  await asks('src/one.c');
  await slip(page, 'one.c').waitFor();
  assert.deepEqual(await seen(page), { asked: 0, shown: [], closed: [], tones: 0 });
  assert.equal(await page.isChecked('#notify-on'), false);
  assert.equal(await page.isChecked('#sound-on'), false);
}, { permissions: ['notifications'] });

onPage('a question is told with client and file alone, and leads to itself', async (page) => {
  await turnOn(page);
  await page.evaluate(() => { location.hash = 'history'; });
  await asks('src/one.c');
  await asks('.env');
  await page.waitForFunction(() => globalThis.seen.shown.length === 2);
  const { shown, tones } = await seen(page);
  const { approvals } = await where.owner('/api/approvals');
  assert.deepEqual(shown.map(({ body }) => body), ['src/one.c', '.env']);
  assert.deepEqual(shown.map(({ tag }) => tag), approvals.map(({ id }) => id));
  for (const one of shown) assert.match(one.title, /^codex.* asks$/);
  assert.ok(!JSON.stringify(shown).includes('SECRET_CONTENT'));
  assert.equal(tones, 0);
  assert.match(await page.title(), /^\(2\) /);
  await page.evaluate(() => globalThis.seen.last.onclick());
  await page.locator('.slip:focus', { hasText: '.env' }).waitFor();
  where.command('approvals', 'deny', approvals[0].id);
  await slip(page, 'one.c').waitFor({ state: 'detached' });
  assert.ok((await seen(page)).closed.includes(approvals[0].id));
  assert.match(await page.title(), /^\(1\) /);
}, { permissions: ['notifications'] });

onPage('who looks at the page is not told twice', async (page) => {
  await turnOn(page);
  await asks('src/one.c');
  await slip(page, 'one.c').waitFor();
  assert.deepEqual((await seen(page)).shown, []);
}, { permissions: ['notifications'], looked: true });

onPage('a browser that says no is believed, in words', async (page) => {
  await page.click('#notify-state');
  const box = page.locator('#notify-on');
  if (await box.isEnabled()) await box.click();
  await page.locator('#notify-words', { hasText: 'blocks notifications' }).waitFor();
  assert.equal(await box.isChecked(), false);
  await asks('src/one.c');
  await slip(page, 'one.c').waitFor();
  assert.deepEqual((await seen(page)).shown, []);
});

onPage('the sound is off until it is turned on, and stays so', async (page) => {
  await page.click('#notify-state');
  await page.check('#sound-on');
  await page.locator('#notify-state', { hasText: 'with sound' }).waitFor();
  assert.equal((await seen(page)).tones, 1);
  await asks('src/one.c');
  await page.waitForFunction(() => globalThis.seen.tones === 2);
  await page.reload();
  await page.waitForSelector('#link[data-state=live]');
  assert.equal(await page.isChecked('#sound-on'), true);
  await page.click('#notify-state');
  await page.uncheck('#sound-on');
  await asks('.env');
  await slip(page, '.env').waitFor();
  assert.equal((await seen(page)).tones, 0);
});

for (const width of [320, 1280]) {
  onPage(`looks: notify-${width}`, async (page) => {
    await page.click('#notify-state');
    await picture(page, `notify-${width}-light`);
    await check(page, 'notify');
  }, { viewport: { width, height: 800 }, bypassCSP: true });
}
