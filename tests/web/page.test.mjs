// The page in a real browser, with the real server.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, open, place } from './place.mjs';

const LINES = Array.from({ length: 40 }, (_, i) => `line ${i + 1}`);
const text = (changes = {}) => `${LINES.map((line, i) => changes[i + 1] ?? line).join('\n')}\n`;
const edits = (path, ...pairs) => ({
  path, edits: pairs.map(([from, to]) => ({ old_string: from, new_string: to })),
});

let browser;
let where;
before(async () => {
  browser = await launch();
  where = await place({ 'src/plain.c': text(), 'src/asked.c': text(), '.env': 'KEY=old\n' },
    '--ask', 'write(src/asked*)', '--approval-wait', '60');
});
after(async () => {
  await browser?.close();
  await where?.end();
});

// A test with its own page, without errors other than @expected.
function onPage(name, then, { expected = [], options } = {}) {
  test(name, async () => {
    const { page, context, wrong } = await open(browser, where, options);
    try {
      await then(page);
      const surprises = wrong.filter((words) => !expected.some((one) => one.test(words)));
      assert.deepEqual(surprises, []);
      const waits = await where.owner('/api/approvals');
      assert.deepEqual(waits.approvals, [], 'no question is left over');
    } finally {
      await context.close();
    }
  });
}

const armed = (page, file) => page.locator('.slip[data-armed]', { hasText: file });
const operation = (page, file) => page.locator('.op', { hasText: file });
const titled = (page, words) => page.waitForFunction(
  (part) => document.title.includes(part), words);

// ---- signing in

test('without the link there is only how to get in', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(where.url());
  await page.getByRole('heading', { name: 'for the person who runs stet' }).waitFor();
  assert.match(await page.innerText('body'), /stet open/);
  assert.ok(await page.locator('nav').isHidden());
  assert.deepEqual(asked.filter((path) => path.startsWith('/api/')), []);
  for (const path of ['/api/status', '/api/approvals', '/metrics']) {
    assert.equal((await context.request.get(where.url() + path)).status(), 401, path);
  }
  await context.close();
});

test('a link works once, and its session is for the tab alone', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const link = where.link();
  await page.goto(link);
  await page.waitForSelector('#link[data-state=live]');
  assert.ok(!page.url().includes('#'), 'the address does not keep the link');
  assert.deepEqual(await context.cookies(), []);
  await page.reload();
  await page.waitForSelector('#link[data-state=live]');
  const stranger = await browser.newContext();
  for (const where_ of [context, stranger]) {
    const tab = await where_.newPage();
    await tab.goto(link);
    await tab.getByText('was already used').waitFor();
    await tab.close();
  }
  await stranger.close();
  await context.close();
});

test('a link that is pasted into an open tab signs that in', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(where.url());
  await page.getByText('stet open').waitFor();
  await page.goto(where.link());
  await page.waitForSelector('#link[data-state=live]');
  await page.goto(where.link());
  await page.waitForSelector('#link[data-state=live]');
  await context.close();
});

// ---- live

onPage('an edit arrives while one looks', async (page) => {
  await page.click('a[href="#activity"]');
  const path = where.file('src/live.c');
  const done = await where.agent('watched')('write_text_file',
    { path, content: 'int fresh = 1;\n' });
  assert.ok(!done.isError, JSON.stringify(done));
  await page.locator('.call.ok', { hasText: 'live.c' }).waitFor();
  await page.click('a[href="#history"]');
  await operation(page, 'live.c').waitFor();
  await where.agent('watched')('edit_text_file',
    { path, old_string: 'fresh', new_string: 'fresher' });
  await operation(page, 'live.c').nth(1).waitFor();
  await operation(page, 'live.c').first().locator('.op-head').click();
  await page.locator('.op-body ins', { hasText: 'fresher' }).waitFor();
});

onPage('a call that fails is shown with its words', async (page) => {
  await page.click('a[href="#activity"]');
  const path = where.file('src/plain.c');
  await where.agent()('edit_text_file',
    { path, old_string: 'not there', new_string: 'x' });
  await page.locator('.call.failed .error', { hasText: '-32010' }).waitFor();
});

// ---- answering

onPage('one hunk is allowed and the other is not', async (page) => {
  const path = where.file('src/asked.c');
  const call = where.agent()('multi_edit_text_file',
    edits(path, ['line 3\n', 'LINE three\n'], ['line 30\n', 'LINE thirty\n']));
  const slip = armed(page, 'asked.c');
  await slip.waitFor();
  await titled(page, '(1)');
  assert.equal(await page.textContent('#badge'), '1 waits');
  assert.match(await page.getAttribute('link[rel=icon]', 'href'), /^data:image.*%3E1%3C/);
  assert.equal(await slip.locator('.hunk').count(), 2);
  assert.equal(where.read('src/asked.c'), text(), 'nothing is written before');
  await slip.locator('[data-hunk="2"]').uncheck();
  assert.ok(await slip.locator('[data-answer=always]').isDisabled());
  await slip.getByRole('button', { name: 'Allow 1 of 2 hunks' }).click();
  const result = await call;
  assert.ok(!result.isError && !result.error, JSON.stringify(result));
  assert.equal(where.read('src/asked.c'), text({ 3: 'LINE three' }));
  await page.locator('#answered', { hasText: '1 of 2 hunks' }).waitFor();
  await titled(page, 'Approvals');
  assert.ok(await page.locator('#badge').isHidden());
});

onPage('a denial takes a word to the agent', async (page) => {
  const call = where.agent()('edit_text_file',
    { path: where.file('.env'), old_string: 'old', new_string: 'new' });
  const slip = armed(page, '.env');
  await slip.waitFor();
  await slip.getByLabel('Reason, sent to the agent if you deny').fill('use the vault');
  await slip.getByRole('button', { name: 'Deny' }).click();
  const result = JSON.stringify(await call);
  assert.match(result, /-32007/);
  assert.match(result, /use the vault/);
  assert.equal(where.read('.env'), 'KEY=old\n');
});

onPage('a question that is answered elsewhere goes', async (page) => {
  const second = await open(browser, where);
  where.write('src/asked2.c', 'one\n');
  const call = where.agent()('edit_text_file',
    { path: where.file('src/asked2.c'), old_string: 'one', new_string: 'two' });
  await armed(page, 'asked2.c').waitFor();
  await armed(second.page, 'asked2.c').getByRole('button', { name: 'Allow once' }).click();
  await call;
  await page.locator('#answered', { hasText: 'elsewhere' }).waitFor();
  assert.equal(await page.locator('.slip').count(), 0);
  await second.context.close();
});

// A list that was made before a question arrived must not remove the question.
onPage('a list that comes late takes no question away', async (page) => {
  where.write('src/asked7.c', 'one\n');
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  let fetched;
  const made = new Promise((resolve) => { fetched = resolve; });
  let delivered;
  const done = new Promise((resolve) => { delivered = resolve; });
  await page.route('**/api/approvals', async (route) => {
    const response = await route.fetch({ url: `${where.url()}/api/approvals` });
    fetched();
    await held;
    await route.fulfill({ response });
    delivered();
  });
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await made;
  const call = where.agent()('edit_text_file',
    { path: where.file('src/asked7.c'), old_string: 'one', new_string: 'two' });
  await armed(page, 'asked7.c').waitFor();
  release();
  await done;
  await page.unroute('**/api/approvals');
  await page.evaluate(() => fetch('/healthz'));
  assert.equal(await page.locator('#answered li').count(), 0);
  await armed(page, 'asked7.c').getByRole('button', { name: 'Deny' }).click();
  await call;
});

// The next question moves to the place of the last one, under the same pointer.
onPage('a click that was for one question does not answer the next', async (page) => {
  const names = ['src/asked3.c', 'src/asked4.c'];
  names.forEach((name) => where.write(name, 'one\n'));
  const calls = names.map((name) => where.agent(name)('edit_text_file',
    { path: where.file(name), old_string: 'one', new_string: 'two' }));
  await page.locator('.slip[data-armed]').nth(1).waitFor();
  await page.evaluate(() => {
    const list = document.querySelector('.slips');
    const allow = () => list.querySelector('[data-answer=once]').click();
    new MutationObserver((_, seen) => {
      if (list.children.length !== 1) return;
      seen.disconnect();
      allow();
    }).observe(list, { childList: true });
    allow();
  });
  await page.locator('#answered li').waitFor();
  await page.locator('.slip[data-armed]').waitFor();
  assert.equal(await page.locator('.slip').count(), 1);
  assert.equal(await page.locator('.slip[aria-busy=true]').count(), 0);
  await page.locator('.slip').getByRole('button', { name: 'Deny' }).click();
  const failed = (await Promise.all(calls)).filter((result) => result.isError);
  assert.equal(failed.length, 1);
});

onPage('what one reads stays where it is when another question comes', async (page) => {
  where.write('src/asked5.c', 'one\n');
  where.write('src/asked6.c', 'one\n');
  const ask = (name) => where.agent(name)('edit_text_file',
    { path: where.file(name), old_string: 'one', new_string: 'two' });
  const top = () => page.evaluate(() => [...document.querySelectorAll('.slip')]
    .find((slip) => slip.textContent.includes('asked5')).getBoundingClientRect().top);
  const calls = [ask('src/asked5.c')];
  await armed(page, 'asked5.c').waitFor();
  const was = await top();
  calls.push(ask('src/asked6.c'));
  await armed(page, 'asked6.c').waitFor();
  assert.equal(await top(), was);
  for (const name of ['asked5.c', 'asked6.c']) {
    await armed(page, name).getByRole('button', { name: 'Deny' }).click();
    await page.locator('#answered', { hasText: name }).waitFor();
  }
  await Promise.all(calls);
});

onPage('text of a file cannot be markup, nor turn itself around', async (page) => {
  const call = where.agent()('write_text_file', {
    path: where.file('src/asked <img src=x onerror=alert(1)>.c'),
    content: '<script>alert(1)</script>\n\u202eevil\u202c\n\x1b[2J\n'
      + 'f(\u3164, \u2800, \u115f, \u00a0, \u200d, \ufe0f);\n\tkept 漢字 😀\n',
  });
  const slip = armed(page, 'onerror');
  await slip.waitFor();
  assert.equal(await page.locator('main img, main script').count(), 0);
  const shown = await slip.textContent();
  assert.match(shown, /<script>alert\(1\)<\/script>/);
  assert.match(shown, /\\u\{202e\}evil/);
  assert.ok(shown.includes('f(\\u{3164}, \\u{2800}, \\u{115f}, \\u{a0}, \\u{200d}, \\u{fe0f});'));
  assert.ok(shown.includes('\tkept 漢字 😀'));
  // eslint-disable-next-line no-control-regex
  assert.doesNotMatch(shown, /\u202e|\x1b|\u3164|\u2800|\u115f|\u00a0|\u200d|\ufe0f/);
  await slip.getByRole('button', { name: 'Deny' }).click();
  await call;
});

onPage('what a shell would run is not shown as kanji, nor a name on two lines', async (page) => {
  const call = where.agent()('write_text_file', {
    path: where.file('src/asked\nDenied.c'),
    content: ': \x1b$B;id>pwned;#a\x1b(B\n',
  });
  const slip = armed(page, 'Denied.c');
  await slip.waitFor();
  const shown = await slip.textContent();
  assert.ok(shown.includes(': \\x1b$B;id>pwned;#a\\x1b(B'), shown);
  assert.ok(shown.includes('asked\\x0aDenied.c'), shown);
  assert.ok(!shown.includes('asked\n'), shown);
  await slip.getByRole('button', { name: 'Deny' }).click();
  await call;
});

// ---- undo

onPage('a change is undone from the timeline, and made again', async (page) => {
  where.write('src/back.c', 'before\n');
  await where.agent()('edit_text_file',
    { path: where.file('src/back.c'), old_string: 'before', new_string: 'after' });
  await page.click('a[href="#history"]');
  const first = operation(page, 'back.c').last();
  await first.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
  await page.locator('.op.undone', { hasText: 'back.c' }).waitFor();
  assert.equal(where.read('src/back.c'), 'before\n');
  await page.locator('.op.undone', { hasText: 'back.c' })
    .getByRole('button', { name: 'Redo' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Redo' }).click();
  await page.waitForFunction(() => !document.querySelector('dialog[open]'));
  await page.locator('.toast', { hasText: 'Redone' }).waitFor();
  assert.equal(where.read('src/back.c'), 'after\n');
});

onPage('a conflict is shown with its three sides, and settled', async (page) => {
  where.write('src/both.c', 'one\ntwo\nthree\n');
  await where.agent()('edit_text_file',
    { path: where.file('src/both.c'), old_string: 'two', new_string: 'agent' });
  where.write('src/both.c', 'one\nperson\nthree\n');
  await page.click('a[href="#history"]');
  await operation(page, 'both.c').getByRole('button', { name: 'Undo' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Undo' }).click();
  await dialog.locator('.conflict').waitFor();
  assert.match(await dialog.locator('.side.ours').textContent(), /person/);
  assert.match(await dialog.locator('.side.theirs').textContent(), /two/);
  assert.match(await dialog.locator('.side.base').textContent(), /agent/);
  assert.equal(where.read('src/both.c'), 'one\nperson\nthree\n');
  await dialog.getByRole('radio', { name: /with conflict markers/ }).check();
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await page.locator('.toast', { hasText: 'Undone' }).waitFor();
  assert.match(where.read('src/both.c'), /^<<<<<<< /m);
  assert.match(where.read('src/both.c'), /person\n/);
}, { expected: [/409/] });

onPage('a file is restored to what it was', async (page) => {
  where.write('src/then.c', 'zero\n');
  const path = where.file('src/then.c');
  const agent = where.agent();
  await agent('edit_text_file', { path, old_string: 'zero', new_string: 'one' });
  await agent('edit_text_file', { path, old_string: 'one', new_string: 'two' });
  await page.click('a[href="#history"]');
  const older = operation(page, 'then.c').nth(1);
  await older.locator('.op-head').click();
  await older.getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
  await page.locator('.toast', { hasText: 'Restored' }).waitFor();
  assert.equal(where.read('src/then.c'), 'one\n');
});

onPage('the history is searched, and filtered by file and client', async (page) => {
  await where.agent('needle')('write_text_file',
    { path: where.file('src/hay.c'), content: 'x\n' });
  await page.click('a[href="#history"]');
  const only = async (field, value, file) => {
    await page.fill(field, value);
    await page.waitForFunction((name) => {
      const rows = [...document.querySelectorAll('.op')];
      return rows.length > 0 && rows.every((row) => row.textContent.includes(name));
    }, file);
    await page.click('#filter-clear');
  };
  await only('#filter-q', 'needle', 'hay.c');
  await only('#filter-path', 'src/hay.c', 'hay.c');
  await operation(page, 'hay.c').waitFor();
  const client = await page.locator('#filter-client option', { hasText: 'needle' })
    .getAttribute('value');
  await page.selectOption('#filter-client', client);
  await page.waitForFunction(() => document.querySelectorAll('.op').length === 1);
  await page.fill('#filter-q', 'there is no such thing');
  await page.locator('#timeline .empty').waitFor();
});

onPage('the chart has a table with the same numbers', async (page) => {
  await page.click('a[href="#history"]');
  await page.locator('.canvas svg .bar').first().waitFor();
  await page.click('#chart summary');
  const cells = await page.locator('#chart tbody td:not(:last-child)').allTextContents();
  const desc = await page.textContent('#chart-desc');
  const sum = cells.reduce((all, n) => all + Number(n), 0);
  assert.match(desc, new RegExp(`^${sum.toLocaleString('en')} changes? from`));
  await page.locator('#chart tbody button').last().click();
  await page.locator('#filter-span').waitFor();
});

onPage('status tells roots, rules and how to connect', async (page) => {
  await page.click('a[href="#status"]');
  await page.locator('.roots', { hasText: where.root }).waitFor();
  await page.locator('.rules tr.ask', { hasText: 'write(src/asked*)' }).waitFor();
  await page.locator('.snippet pre', { hasText: `${where.url()}/mcp` }).first().waitFor();
});

// ---- with the keyboard alone

onPage('everything can be done without a mouse', async (page) => {
  const path = where.file('src/asked.c');
  const keys = async (...names) => {
    for (const name of names) await page.keyboard.press(name);
  };
  const call = where.agent()('edit_text_file',
    { path, old_string: 'line 10\n', new_string: 'by keys\n' });
  await armed(page, 'asked.c').waitFor();
  await keys('j', 'a');
  assert.ok(!(await call).isError);
  assert.match(where.read('src/asked.c'), /by keys/);

  const denied = where.agent()('edit_text_file',
    { path, old_string: 'line 11\n', new_string: 'no\n' });
  await armed(page, 'asked.c').waitFor();
  await keys('j', 'd');
  await page.keyboard.type('not now');
  await keys('Enter');
  assert.match(JSON.stringify(await denied), /not now/);
  // The call is answered before the page closes the form, in which a key is text.
  await page.waitForFunction(() => !document.activeElement.matches('input, textarea'));

  await keys('3');
  await operation(page, 'asked.c').first().waitFor();
  await keys('j', 'o');
  await page.locator('.op-body .diff').waitFor();
  await keys('u');
  await page.locator('dialog[open] .primary:focus').waitFor();
  await keys('Enter');
  await page.locator('.op.undone', { hasText: 'asked.c' }).first().waitFor();
  assert.doesNotMatch(where.read('src/asked.c'), /by keys/);

  await keys('/');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'filter-q');
  await keys('Escape', '?');
  await page.locator('#help[open]').waitFor();
  await keys('Escape', '5');
  await titled(page, 'Status');
});

onPage('what has the focus can be seen', async (page) => {
  for (const view of ['approvals', 'activity', 'history', 'status']) {
    await page.click(`a[href="#${view}"]`);
    // The next event shows the view and focuses its heading.
    await page.locator(`#view-${view}:not([hidden])`).waitFor();
    await page.evaluate(() => document.body.focus());
    for (let i = 0; i < 25; i++) {
      await page.keyboard.press('Tab');
      const [words, outline] = await page.evaluate(() => {
        const at = document.activeElement;
        return [at.outerHTML.slice(0, 80), at === document.body ? 'the window'
          : getComputedStyle(at).outlineStyle];
      });
      assert.notEqual(outline, 'none', words);
    }
  }
});

onPage('single keys can be turned off', async (page) => {
  await page.keyboard.press('?');
  await page.uncheck('#keys-on');
  await page.keyboard.press('Escape');
  await page.keyboard.press('3');
  await page.reload();
  await page.waitForSelector('#link[data-state=live]');
  await page.keyboard.press('3');
  assert.match(await page.title(), /Approvals/);
});

onPage('the number keys follow the order of the views', async (page) => {
  const views = await page.locator('[data-view]').evaluateAll(
    (links) => links.map((link) => link.dataset.view));
  assert.deepEqual(views, ['approvals', 'activity', 'history', 'files', 'status', 'settings']);
  for (const [i, view] of views.entries()) {
    await page.keyboard.press(String(i + 1));
    await page.locator(`#view-${view}`).waitFor();
  }
});

onPage('what is open in one view is not left over the next', async (page) => {
  await page.click('#notify-state');
  await page.keyboard.press('?');
  await page.locator('#help[open]').waitFor();
  await page.evaluate(() => { location.hash = 'status'; });
  await page.locator('#view-status').waitFor();
  assert.equal(await page.locator('dialog[open], #notify[open]').count(), 0);
});

onPage('a message covers no answer, and an answer no name', async (page) => {
  await page.setViewportSize({ width: 390, height: 700 });
  await page.click('a[href="#status"]');
  await page.locator('.snippet button').first().click();
  await page.locator('#toast').waitFor();
  const box = await page.locator('#toast').boundingBox();
  const head = await page.locator('.masthead').boundingBox();
  assert.ok(box.y >= Math.max(0, head.y + head.height), 'under the masthead');
  assert.ok(box.y + box.height < 350, 'not where answers are');
  await page.setViewportSize({ width: 1280, height: 700 });
  const lines = Array.from({ length: 80 }, (_, i) => `line ${i}`).join('\n');
  const call = where.agent()('write_text_file',
    { path: where.file('src/asked-tall.c'), content: `${lines}\n` });
  await page.click('a[href="#approvals"]');
  const slip = page.locator('.slip[data-armed]', { hasText: 'asked-tall.c' });
  await slip.waitFor();
  const top = await slip.locator('h2').boundingBox();
  await page.setViewportSize({ width: 1280, height: Math.ceil(top.y + top.height) + 20 });
  const name = await slip.locator('h2').boundingBox();
  const bar = await slip.locator('.actions').boundingBox();
  assert.ok(name.y + name.height <= bar.y, 'the bar stays below the name');
  await page.setViewportSize({ width: 1280, height: 700 });
  await slip.getByRole('button', { name: 'Deny' }).click();
  await call;
});

// ---- what is stored, and what is lost

onPage('the way a diff is shown is remembered', async (page) => {
  await page.click('a[href="#history"]');
  await page.click('#history-tools [data-diff-style=split]');
  await page.reload();
  await page.locator('.op-head').first().click();
  await page.locator('.op-body .diff.split').first().waitFor();
});

onPage('a lost connection is told, and found again', async (page) => {
  await page.context().setOffline(true);
  await page.click('a[href="#history"]');
  await page.locator('#banner', { hasText: 'lost' }).waitFor();
  await where.agent()('write_text_file',
    { path: where.file('src/while.c'), content: 'x\n' });
  await page.context().setOffline(false);
  await page.waitForSelector('#link[data-state=live]');
  assert.ok(await page.locator('#banner').isHidden());
  await operation(page, 'while.c').waitFor();
}, { expected: [/ERR_INTERNET_DISCONNECTED/] });

// A session is valid for one server, and so is the page's host name.
onPage('a server that starts anew wants a new link', async (page) => {
  await where.stop();
  await where.startAgain();
  await page.locator('#banner', { hasText: 'stet open' }).waitFor();
  const second = await page.context().newPage();
  await second.goto(where.link());
  await second.waitForSelector('#link[data-state=live]');
  assert.notEqual(new URL(second.url()).host, new URL(page.url()).host);
}, { expected: [/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE|ERR_EMPTY|403/] });

test('a tab that is signed out goes on with the session of a new one', async () => {
  const context = await browser.newContext();
  const link = where.link();
  const out = await context.newPage();
  await out.goto(new URL(link).origin);
  await out.getByText('stet open').waitFor();
  const page = await context.newPage();
  await page.goto(link);
  await out.waitForSelector('#link[data-state=live]');
  await context.close();
});
