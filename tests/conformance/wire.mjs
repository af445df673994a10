// wire.mjs PYTHON STET - validate every message that stet sends in the
// transcripts of tests/wire against the JSON Schema of its protocol version; as
// TAP, one case per version and kind of message.
// X05 X06: the conformance suites do the same, but over HTTP only.
//
// The schemas are extracted from the source of the newer suite. It has none for
// 2024-11-05, whose messages are all valid in 2025-03-26.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const [python, stet] = process.argv.slice(2);
const modern = '2026-07-28';
const key = 'io.modelcontextprotocol/protocolVersion';

// The offset after the last brace of the object that begins at @at.
function endOfObject(text, at) {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const c = text[i];
    if (c === '`' || c === '"' || c === "'") {
      for (i++; text[i] !== c; i++) if (text[i] === '\\') i++;
    } else if (c === '{') {
      depth++;
    } else if (c === '}' && --depth === 0) {
      return i + 1;
    }
  }
  throw new Error('the schema does not end');
}

// {"2025-03-26":a,...}: the names of the schemas; then each is `a={...}`.
function readSchemas() {
  const text = readFileSync(
    join(here, 'node_modules/conformance/dist/index.js'), 'utf8');
  const map = /\{"2025-03-26":(\w+),"2025-06-18":(\w+),"2025-11-25":(\w+),\[\w+\]:(\w+)\}/
    .exec(text);
  if (!map) throw new Error('the suite has its schemas elsewhere now');
  const versions = ['2025-03-26', '2025-06-18', '2025-11-25', modern];
  return new Map(versions.map((version, i) => {
    const at = new RegExp(`[ ,;]${map[i + 1].replaceAll('$', '\\$')}=\\{`)
      .exec(text);
    const begin = at.index + at[0].length - 1;
    const source = text.slice(begin, endOfObject(text, begin));
    return [version, runInNewContext(`(${source})`)];
  }));
}

// The schema of one protocol version; validates messages against definitions.
class Schema {
  constructor(schema) {
    this.definitions = schema.$defs ? '$defs' : 'definitions';
    this.names = new Set(Object.keys(schema[this.definitions]));
    const Kind = schema.$defs ? Ajv2020 : Ajv;
    this.ajv = new Kind({ strict: false, validateFormats: false,
      allErrors: true });
    this.ajv.addSchema(JSON.parse(JSON.stringify(schema)), 'mcp');
  }

  // Validate @value against the first of @names that is defined: the errors, or
  // "" if it is valid.
  faults(value, ...names) {
    const name = names.find((n) => this.names.has(n));
    if (!name) return `there is no ${names}`;
    const check = this.ajv.getSchema(`mcp#/${this.definitions}/${name}`);
    return check(value) ? '' : `${name}: ${this.ajv.errorsText(check.errors)}`;
  }
}

const results = {
  initialize: 'InitializeResult',
  ping: 'EmptyResult',
  'server/discover': 'DiscoverResult',
  'tools/call': 'CallToolResult',
  'tools/list': 'ListToolsResult',
};

const schemas = new Map([...readSchemas()].map(
  ([version, schema]) => [version, new Schema(schema)]));
const counts = new Map(); // "version kind" => [messages, faults]

function count(version, kind, fault, message) {
  const name = `${version} ${kind}`;
  const row = counts.get(name) ?? { messages: 0, faults: [] };
  row.messages++;
  if (fault) row.faults.push(`${fault} in ${message.slice(0, 2000)}`);
  counts.set(name, row);
}

// A response is validated in two parts. Its id is a copy of the request's id; a
// response to an unreadable request has no id, because clients refuse null.
function responseFaults(schema, response, method) {
  const message = { ...response, id: 0 };
  if (message.error) {
    return schema.faults(message, 'JSONRPCErrorResponse', 'JSONRPCError');
  }
  const asks = message.result.resultType === 'input_required';
  return schema.faults(message, 'JSONRPCResultResponse', 'JSONRPCResponse') ||
    schema.faults(message.result,
      asks ? 'InputRequiredResult' : results[method] ?? `Result of ${method}`);
}

// One conversation: its protocol version, and the requests without a reply.
class Talk {
  constructor() {
    this.version = '2025-11-25'; // until initialize negotiates another
    this.asked = new Map(); // id, as JSON => { method, modern }
  }

  client(text) {
    let messages;
    try {
      messages = [JSON.parse(text)].flat();
    } catch {
      return; // transcripts also send text that is not a message, on purpose
    }
    for (const m of messages) {
      if (typeof m?.method !== 'string' || m.id === undefined) continue;
      const claim = m.params?._meta?.[key] !== undefined &&
        (m.method !== 'initialize' || m.params._meta[key] === modern);
      this.asked.set(JSON.stringify(m.id), { method: m.method, modern: claim });
    }
  }

  server(text) {
    for (const message of [JSON.parse(text)].flat()) this.judge(message, text);
  }

  judge(message, text) {
    const asked = message.method ? undefined
      : this.asked.get(JSON.stringify(message.id));
    const settled = message.result?.protocolVersion;
    if (asked?.method === 'initialize' && settled) this.version = settled;
    const version = asked?.modern ? modern : this.version;
    const schema = schemas.get(version === '2024-11-05' ? '2025-03-26'
      : version);
    if (message.method) {
      const kind = message.id === undefined ? 'Notification' : 'Request';
      count(version, message.method,
        schema.faults(message, `JSONRPC${kind}`) ||
        schema.faults(message, `Server${kind}`), text);
    } else {
      count(version, message.error ? 'errors' : asked?.method,
        responseFaults(schema, message, asked?.method), text);
    }
  }
}

const dir = mkdtempSync(join(tmpdir(), 'stet-wire-schema-'));
const wrap = [process.execPath, join(here, 'tee.mjs'), dir].join(' ');
const said = spawnSync(python,
  [join(here, '../wire/run.py'), '--slow', '--wrap', wrap, stet],
  { encoding: 'utf8', maxBuffer: 1 << 26 });
for (const name of readdirSync(dir)) {
  const talk = new Talk();
  for (const line of readFileSync(join(dir, name), 'utf8').split('\n')) {
    if (!line) continue;
    const { from, text } = JSON.parse(line);
    talk[from](text);
  }
}
rmSync(dir, { recursive: true });

let cases = 0;
let failed = 0;
function tell(name, faults) {
  cases++;
  if (faults.length) failed++;
  for (const fault of faults) console.log(`# ${fault}`);
  console.log(`${faults.length ? 'not ok' : 'ok'} ${cases} - ${name}`);
}
tell('the transcripts are spoken', said.status === 0 ? []
  : said.stdout.split('\n').filter((line) => !line.startsWith('ok ')));
for (const [name, row] of [...counts].sort()) {
  tell(`${name} (${row.messages})`, row.faults);
}
for (const version of schemas.keys()) {
  tell(`${version} is spoken`, [...counts.keys()].some(
    (name) => name.startsWith(`${version} tools/`)) ? [] : ['it is not']);
}
console.log(`1..${cases}`);
process.exitCode = failed ? 1 : 0;
