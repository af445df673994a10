// 14.7: a denial is only reported when a person was asked. If the client declines
// by itself, the question goes to the page; of two answers the first counts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { check, picture } from './looks.mjs';
import { launch, open, place } from './place.mjs';

const VERSION = '2026-07-28';
let browser;
let where;
let codex;
before(async () => {
  browser = await launch();
  where = await place({ '.env': 'KEY=old\n' }, '--approval-wait', '0');
  codex = where.client('codex');
});
after(async () => {
  await browser?.close();
  await where?.end();
});

// A call of a client with elicitation; @more continues an earlier call.
async function write(text, more = {}) {
  const response = await fetch(`${where.url()}/mcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json', Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${codex.token()}`, 'MCP-Protocol-Version': VERSION,
      'Mcp-Method': 'tools/call', 'Mcp-Name': 'write_text_file',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call',
      params: {
        name: 'write_text_file', arguments: { path: where.file('.env'), content: text },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': VERSION,
          'io.modelcontextprotocol/clientInfo': { name: 'exec', version: '1.0' },
          'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
        },
        ...more,
      } }),
  });
  return response.json();
}

// The client answers its form without a person.
async function declines(text) {
  const { result } = await write(text);
  assert.equal(result.resultType, 'input_required', JSON.stringify(result));
  return write(text, { requestState: result.requestState,
    inputResponses: { approval: { action: 'decline' } } });
}

test('14.7: what a client declines by itself waits on the page', async () => {
  const { page, context, wrong } = await open(browser, where);
  await page.getByText('Nothing is waiting').first().waitFor();
  const done = JSON.stringify(await declines('KEY=new\n'));
  assert.match(done, /Approval required/);
  assert.match(done, /declined without asking/);
  assert.doesNotMatch(done, /[Dd]enied/, 'nobody has denied anything');
  const slip = page.locator('.slip[data-armed]', { hasText: '.env' });
  await slip.waitFor();
  assert.match(await slip.innerText(), /codex/);
  await check(page, 'declined by the client');
  await picture(page, 'askby-declined');
  await slip.getByRole('button', { name: 'Allow once' }).click();
  await page.locator('#toast-text', { hasText: 'Allowed once' }).waitFor();
  const { result } = await write('KEY=new\n');
  assert.ok(result && !result.isError && result.resultType !== 'input_required',
    JSON.stringify(result));
  assert.equal(where.read('.env'), 'KEY=new\n');
  assert.deepEqual(wrong, []);
  await context.close();
});

test('14.7: a no on the page is a no of the person', async () => {
  const { page, context } = await open(browser, where);
  await declines('KEY=other\n');
  const slip = page.locator('.slip[data-armed]', { hasText: '.env' });
  await slip.waitFor();
  await slip.getByRole('button', { name: /^Deny/ }).first().click();
  await page.keyboard.press('Enter');
  await slip.waitFor({ state: 'detached' });
  const done = JSON.stringify(await write('KEY=other\n'));
  assert.match(done, /Denied by user/);
  assert.equal(where.read('.env'), 'KEY=new\n');
  await context.close();
});
