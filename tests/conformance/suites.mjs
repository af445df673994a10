// suites.mjs FIXTURE - run the official MCP conformance suites against the
// fixture server, as TAP: one case per scenario, which fails if any check in it
// is not a success. X05 X06: both eras of the protocol.
//
// Scenarios of the tasks extension are not counted: stet does not offer it, and
// the suites do not include these scenarios in the score of any server.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const packages = fileURLToPath(new URL('node_modules/', import.meta.url));
const extension = /^(tasks|sep-2640)-/;
const fixture = process.argv[2];

// The scenarios that each run must contain, by the names that the suite gives.
const runs = [
  { name: '0.1.16', from: 'conformance-old', args: ['--suite', 'all'],
    wants: (list) => list },
  { name: '0.2.0 2025-11-25', from: 'conformance',
    args: ['--requirements', '2025-11-25'],
    wants: () => required('2025-11-25') },
  { name: '0.2.0 2026-07-28', from: 'conformance',
    args: ['--requirements', '2026-07-28'],
    wants: () => [...required('2026-07-28'), 'http-header-validation',
      'http-custom-header-server-validation'] },
];

function required(version) {
  const text = readFileSync(
    join(packages, 'conformance/requirements', `${version}.yaml`), 'utf8');
  const list = /^server:\n((?: {2}.*\n)+)/m.exec(text)[1];
  return [...list.matchAll(/^ {2}- (\S+)/gm)].map((m) => m[1]);
}

async function run(from, args) {
  const child = spawn(process.execPath,
    [join(packages, from, 'dist/index.js'), ...args],
    { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stdout.on('data', (data) => { said += data; });
  child.stderr.on('data', (data) => { said += data; });
  const [code] = await once(child, 'close');
  return { code, said };
}

async function scenarios(from) {
  const { said } = await run(from, ['list', '--server']);
  return [...said.matchAll(/^ +- (\S+)/gm)].map((m) => m[1]);
}

// Each scenario has a directory with its checks: server-NAME-TIME/checks.json.
function results(dir) {
  const found = new Map();
  for (const entry of readdirSync(dir)) {
    const name = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(entry);
    if (!name) continue;
    found.set(name[1],
      JSON.parse(readFileSync(join(dir, entry, 'checks.json'), 'utf8')));
  }
  return found;
}

let cases = 0;
let failed = 0;

function tell(name, ok, words = []) {
  cases++;
  if (!ok) failed++;
  for (const word of words) console.log(`# ${word.replaceAll('\n', ' ')}`);
  console.log(`${ok ? 'ok' : 'not ok'} ${cases} - ${name}`);
}

function judge(suite, name, checks) {
  const counted = checks.filter((c) => c.status !== 'INFO');
  const wrong = counted.filter((c) => c.status !== 'SUCCESS');
  tell(`${suite}: ${name} (${counted.length} checks)`,
    counted.length > 0 && !wrong.length,
    wrong.map((c) => `${c.status} ${c.id}: ${c.errorMessage ?? ''} ${
      JSON.stringify(c.details ?? {}).slice(0, 1000)}`));
}

async function runSuite({ name, from, args, wants }, url) {
  const dir = mkdtempSync(join(tmpdir(), 'stet-conformance-'));
  try {
    const { code, said } =
      await run(from, ['server', '--url', url, ...args, '-o', dir]);
    const found = results(dir);
    for (const [scenario, checks] of found) {
      if (!extension.test(scenario)) judge(name, scenario, checks);
    }
    const missing = wants(await scenarios(from))
      .filter((scenario) => !found.has(scenario));
    tell(`${name}: all of it has run`, code === 0 && !missing.length,
      code === 0 ? missing : [...missing, ...said.split('\n').slice(-40)]);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const server = spawn(fixture, ['--http', '127.0.0.1:0'],
  { stdio: ['ignore', 'inherit', 'pipe'] });
const exit = once(server, 'exit');
const lines = createInterface(server.stderr)[Symbol.asyncIterator]();
const first = (await lines.next()).value ?? '';
const url = /http:\S+\/mcp/.exec(first)?.[0];
if (!url) throw new Error(`the fixture says: ${first}`);
for (const suite of runs) await runSuite(suite, url);
server.kill('SIGTERM');
const [code] = await exit;
const rest = [];
for await (const line of lines) rest.push(line);
tell('the fixture leaves in peace', code === 0 && !rest.length, rest);
console.log(`1..${cases}`);
process.exitCode = failed ? 1 : 0;
