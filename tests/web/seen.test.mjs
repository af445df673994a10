// What the person is shown before a yes: the whole change, whole paths, and
// what is not text. Issue 14: 2, 4 and 5. Pictures are in the build directory.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { check, picture } from './looks.mjs';
import { launch, open, place, stet } from './place.mjs';

const rewrite = (n, words) => Array.from({ length: n },
  (_, i) => `${words} ${i + 1}: ${'x'.repeat(40)}\n`).join('');
const BINARY = Buffer.from(Array.from({ length: 2000 }, (_, i) => (i * 7) % 256));
const DEEP = 'services/payments/internal/configuration/environments/staging/europe-west/'
  + 'generated/very_long_name_of_a_file_that_fits_on_no_small_screen_at_all.ts';

let browser;
let where;
before(async () => {
  browser = await launch();
  where = await place({
    'asked/five.txt': rewrite(5000, 'old line'), 'asked/huge.txt': rewrite(45000, 'old line'),
    'asked/logo.bin': BINARY, [`asked/${DEEP}`]: 'one\n', 'asked/p\u0430yments.txt': 'one\n',
    'asked/dos.txt': 'one\r\ntwo\r\n',
    'asked/wide.txt': Buffer.from('\ufeffone\ntwo\n', 'utf16le'),
    'asked/hunks.txt': rewrite(3000, 'line'),
    'asked/short.txt': Array.from({ length: 5000 }, (_, i) => `o${i}\n`).join(''),
  }, '--ask', 'write(asked/**)', '--approval-wait', '600');
});
after(async () => {
  await browser?.close();
  await where?.end();
});

const slipOf = (page, name) => page.locator('.slip[data-armed]', { hasText: name });

// Two colour schemes at two widths: a screenshot of each, no finding of axe-core,
// and nothing wider than the screen.
async function looks(name, ready) {
  const { page, context, wrong } = await open(browser, where, { bypassCSP: true });
  await ready(page);
  for (const [width, colorScheme] of [
    [1280, 'light'], [1280, 'dark'], [320, 'dark'], [320, 'light']]) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await picture(page, `seen-${name}-${width}-${colorScheme}`);
    if ((width === 320) === (colorScheme === 'light')) {
      await check(page, `${name} ${width} ${colorScheme}`);
    }
  }
  assert.deepEqual(wrong, []);
  await context.close();
}

// Ask, check the appearance, then call @then() on its own page; it must answer.
async function asked(tool, args, { name, shown, then }) {
  const call = where.agent('codex')(tool, { ...args, path: where.file(args.path) });
  const { page, context, wrong } = await open(browser, where);
  try {
    const slip = slipOf(page, shown);
    await slip.waitFor();
    if (name) await looks(name, (other) => slipOf(other, shown).waitFor());
    await then(page, slip);
    assert.deepEqual(wrong, []);
  } finally {
    for (const { id } of (await where.owner('/api/approvals')).approvals) {
      execFileSync(stet, ['approvals', 'deny', id, '--state-dir', where.state]);
    }
    await context.close();
  }
  return call;
}

const deny = (slip) => slip.getByRole('button', { name: 'Deny' }).click();
const isPrimary = (one) => one.evaluate((node) => node.classList.contains('primary'));
const all = async (slip) => {
  while (await slip.locator('.rest:not([data-open=before]):enabled').count()) {
    await slip.locator('.rest:not([data-open=before]):enabled').first().click();
    await slip.locator('.rest:disabled').waitFor({ state: 'detached' });
  }
};

test('14.2: a 5,000-line rewrite is counted, shown to its end, and then the default', async () => {
  const fresh = rewrite(5000, 'new text');
  const result = await asked('write_text_file', { path: 'asked/five.txt', content: fresh }, {
    name: 'five', shown: 'five.txt', then: async (page, slip) => {
      assert.match(await slip.locator('.tally').first().innerText(), /\+5,000 \u22125,000/);
      const once = slip.getByRole('button', { name: 'Allow all 5,000 lines' });
      assert.equal(await isPrimary(once), false, 'not the default at first');
      await slip.focus();
      await page.keyboard.press('a');
      await page.locator('#toast', { hasText: 'was not on screen' }).waitFor();
      assert.equal(where.read('asked/five.txt'), rewrite(5000, 'old line'), 'nothing is written');
      await all(slip);
      assert.equal(await slip.locator('.diff tr.del').count(), 5000);
      assert.equal(await slip.locator('.diff tr.add').count(), 5000);
      await page.evaluate(() => scrollTo(0, 0));
      assert.equal(await isPrimary(once), false, 'loaded is not seen');
      await slip.locator('.diff tr.add', { hasText: 'new text 5000:' }).scrollIntoViewIfNeeded();
      await slip.locator('.once.primary').waitFor();
      await slip.focus();
      await page.keyboard.press('a');
      await slip.waitFor({ state: 'detached' });
    },
  });
  assert.ok(!result.isError && !result.error, JSON.stringify(result));
  assert.equal(where.read('asked/five.txt'), fresh);
});

test('14.2: a hunk whose end is not loaded is not counted', async () => {
  const fresh = Array.from({ length: 5000 }, (_, i) => `n${i}\n`).join('');
  await asked('write_text_file', { path: 'asked/short.txt', content: fresh }, {
    shown: 'short.txt', then: async (page, slip) => {
      const rest = slip.locator('.rest').first();
      assert.equal(await rest.innerText(), 'Show more of this hunk (400 lines are shown)');
      await slip.locator('.rest.load').click();
      await rest.filter({ hasText: '(400 of 10,000 lines are shown)' }).waitFor();
      await deny(slip);
    },
  });
});

test('14.2: hunks beyond the first kilobytes are loaded, and can be left out', async () => {
  const edits = Array.from({ length: 60 }, (_, i) => ({
    old_string: `line ${i * 50 + 1}: x`, new_string: `LINE ${i * 50 + 1}: x` }));
  await asked('multi_edit_text_file', { path: 'asked/hunks.txt', edits }, {
    shown: 'hunks.txt', then: async (page, slip) => {
      await all(slip);
      assert.equal(await slip.locator('.hunk').count(), 60);
      await slip.locator('[data-hunk="60"]').uncheck();
      await slip.getByRole('button', { name: 'Allow 59 of 60 hunks' }).click();
      await slip.waitFor({ state: 'detached' });
    },
  });
  assert.match(where.read('asked/hunks.txt'), /LINE 2901: x/);
  assert.match(where.read('asked/hunks.txt'), /line 2951: x/);
});

test('14.2: past the limit it says so, and both files can be opened', async () => {
  await asked('write_text_file',
    { path: 'asked/huge.txt', content: rewrite(45000, 'new text') }, {
      name: 'huge', shown: 'huge.txt', then: async (page, slip) => {
        await slip.getByText('Too large to show: 45,000 lines').waitFor();
        assert.match(await slip.locator('.tally').first().innerText(), /\+45,000 \u221245,000/);
        assert.equal(await slip.locator('.hunk').count(), 0);
        const once = slip.getByRole('button', { name: 'Allow all 45,000 lines' });
        await slip.locator('[data-open=before]').click();
        await slip.locator('pre', { hasText: 'old line 1:' }).waitFor();
        await slip.locator('[data-open=after]').click();
        await slip.locator('pre', { hasText: 'new text 1:' }).waitFor();
        assert.equal(await isPrimary(once), false);
        const [{ id }] = (await where.owner('/api/approvals')).approvals;
        let whole = '';
        let next = 0;
        do {
          const piece = await where.owner(`/api/approvals/${id}/text?of=after&at=${next}`);
          assert.ok(piece.text.length <= 65536, 'a piece is small');
          whole += piece.text;
          next = piece.next;
        } while (next);
        assert.equal(whole, rewrite(45000, 'new text'), 'the pieces are all of it');
        await deny(slip);
      },
    });
});

test('14.2: the terminal shows all of it, with the numbers', async () => {
  const call = where.agent('codex')('write_text_file',
    { path: where.file('asked/five.txt'), content: rewrite(5000, 'third') });
  const { page, context } = await open(browser, where);
  const slip = slipOf(page, 'five.txt');
  await slip.waitFor();
  const [{ id }] = (await where.owner('/api/approvals')).approvals;
  const said = execFileSync(stet, ['approvals', 'show', id, '--state-dir', where.state],
    { maxBuffer: 1 << 24 }).toString();
  assert.match(said, /lines +\+5,000 -5,000 lines/);
  assert.match(said, /^\+third 5000: x+$/m);
  await deny(slip);
  await call;
  await context.close();
});

test('14.4: a path wraps and is whole on a narrow screen', async () => {
  await asked('edit_text_file',
    { path: `asked/${DEEP}`, old_string: 'one', new_string: 'two' }, {
      name: 'path', shown: 'very_long_name', then: async (page, slip) => {
        await page.setViewportSize({ width: 320, height: 800 });
        const cut = await slip.locator('.path').first().evaluate((node) => {
          const parts = [node, ...node.querySelectorAll('.dir, .base')];
          return parts.filter((one) => getComputedStyle(one).textOverflow === 'ellipsis'
            || one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflow === 'hidden')
            .map((one) => one.className);
        });
        assert.deepEqual(cut, [], 'nothing is elided');
        const box = await slip.locator('.path .base').first().boundingBox();
        assert.ok(box.x >= 0 && box.x + box.width <= 320, JSON.stringify(box));
        assert.equal(await slip.locator('.path').first().evaluate((node) => [
          ...node.querySelectorAll('.dir, .base')].map((one) => one.textContent).join('')),
        `asked/${DEEP}`);
        assert.ok(Number(await slip.locator('.path .base').first().evaluate(
          (node) => getComputedStyle(node).fontWeight)) >= 700);
        await deny(slip);
      },
    });
});

test('14.4: a look-alike character of a path is marked', async () => {
  await asked('edit_text_file',
    { path: 'asked/p\u0430yments.txt', old_string: 'one', new_string: 'two' }, {
      name: 'alike', shown: 'yments.txt', then: async (page, slip) => {
        assert.equal(await slip.locator('.path .alike-char').first().innerText(), '\u0430');
        await slip.getByText('U+0430, cyrillic small letter a, and not').waitFor();
        await deny(slip);
      },
    });
});

test('14.4: roots of the same name are told apart by what differs', async () => {
  const { page, context } = await open(browser, where);
  const shown = await page.evaluate(async () => {
    const { fromRoot, knowRoots } = await import('/dom.js');
    knowRoots(['/srv/a/shop', '/srv/b/shop', '/srv/c/shop/part', '/shop']);
    return ['/srv/a/shop/x', '/srv/b/shop/x', '/srv/c/shop/part/x', '/shop/x', '/etc/x'].map(
      (one) => fromRoot(one));
  });
  assert.deepEqual(shown, ['a/shop/x', 'b/shop/x', 'part/x', '/shop/x', '/etc/x']);
  await context.close();
});

test('14.5: a binary file is named, in the question and in the history', async () => {
  const result = await asked('write_text_file',
    { path: 'asked/logo.bin', content: 'text now\n' }, {
      name: 'binary', shown: 'logo.bin', then: async (page, slip) => {
        await slip.getByText('replaces a binary file of 2,000 bytes by a file of 1 line').waitFor();
        assert.equal(await slip.locator('.diff tr.del').count(), 0, 'no placeholder in the diff');
        assert.equal(await slip.locator('.diff tr.add').count(), 1);
        await slip.getByRole('button', { name: 'Allow once' }).click();
        await slip.waitFor({ state: 'detached' });
      },
    });
  assert.ok(!result.isError && !result.error, JSON.stringify(result));
  await looks('history', async (page) => {
    await page.evaluate(() => { location.hash = 'history'; });
    const op = page.locator('.op', { hasText: 'logo.bin' }).first();
    await op.locator('.op-head').click();
    await op.getByText('replaces a binary file of 2,000 bytes by a file of 1 line').waitFor();
  });
});

test('14.5: encoding and line endings are badges', async () => {
  for (const [file, badge] of [['dos.txt', 'CRLF'], ['wide.txt', 'utf-16le']]) {
    await asked('edit_text_file',
      { path: `asked/${file}`, old_string: 'two', new_string: 'three' }, {
        name: file.split('.')[0], shown: file, then: async (page, slip) => {
          await slip.locator('.badge-text', { hasText: badge }).waitFor();
          await deny(slip);
        },
      });
  }
});

test('14.5: a creation is said to be one', async () => {
  await asked('write_text_file', { path: 'asked/new.txt', content: 'one\ntwo\n' }, {
    name: 'create', shown: 'new.txt', then: async (page, slip) => {
      await slip.getByText('creates a file of 2 lines').waitFor();
      await deny(slip);
    },
  });
});
