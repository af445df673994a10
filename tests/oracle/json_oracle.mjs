// Our JSON parser accepts and refuses the same texts as JSON.parse, with the
// same values. Usage: node json_oracle.mjs path/of/json_check [count [seed]]
import { spawnSync } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';

const [program, count = '25000', seed = '1'] = process.argv.slice(2);

let state = Number(seed) >>> 0;
function below(n) {
	state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
	return Math.floor((state / 2 ** 32) * n);
}
const pick = (list) => list[below(list.length)];
const many = (most, make) => Array.from({ length: below(most + 1) }, make);

const numbers = ['0', '-0', '1', '-1', '10', '0.5', '-0.0', '1e1', '1E+1',
	'1e-1', '12.34e5', '9007199254740992', '9007199254740993', '1e308',
	'1e309', '5e-324', '1e-400', '-1e999', '123456789012345678901234567890',
	'0.1e2', '00', '01', '-', '+1', '1.', '.5', '1e', '1e+', '0x1', '1_0',
	'--1', '1.2.3', '1e1.5', 'NaN', 'Infinity', '-Infinity', '1n'];
const pieces = ['a', 'key', ' ', '/', '\\/', '\\\\', '\\"', '\\n', '\\r', '\\t',
	'\\b', '\\f', '\\u0000', '\\u001F', '\\u0041', '\\u00e9', '\\u20AC',
	'\\uFFFF', '\\ud83d\\ude00', '\\uD83D\\uDE00', '\u00e9', '\u20ac',
	'\u{1f600}', '\u2028', '\u007f', '__proto__', 'x'.repeat(70)];
const odd = ['\\ud83d', '\\ude00', '\\uDBFF\\u0041', '\\ud83d\\\\ude00',
	'\\x41', '\\u12', '\\u12g4', '\\\'', '\\', '\n', '\t', '\u0000',
	'\u001f', '\\U0041', '\\u 123', '\\u+123', '"'];
const spaces = ['', '', '', '', ' ', '\n', '\r\n', '\t', '  '];
const bad_spaces = ['\u00a0', '\v', '\f', '\ufeff', '\u2028', '/**/', '//\n'];

const space = () => (below(300) ? pick(spaces) : pick(bad_spaces));
const string = () => '"' + many(6, () =>
	below(40) ? pick(pieces) : pick(odd)).join('') + '"';
const number = () => (below(3) ? String((below(2 ** 31) - 2 ** 30) /
	10 ** below(12)) : pick(numbers.slice(0, below(8) ? 20 : undefined)));

function value(depth) {
	const kind = below(depth > 0 ? 9 : 6);
	const member = () => space() + value(depth - 1) + space();

	if (kind < 3)
		return string();
	if (kind < 5)
		return number();
	if (kind < 6)
		return pick(['true', 'false', 'null']);
	if (kind < 7)
		return '[' + space() + many(4, member).join(',') + ']';
	return '{' + space() + many(4, () => space() + string() + space() +
		':' + member()).join(',') + '}';
}

const noise = ['"', '\\', '{', '}', '[', ']', ',', ':', '0', '-', '.', 'e',
	'E', '+', 'u', 'd', ' ', '\n', 'true', 'nul', '\0', '\x01', '\x7f',
	'\xc3', '\xa9', '\xff', '\xe2\x82', '\xed\xa0\x80', '\xef\xbb\xbf'];

// Bytes are handled as latin1, so that invalid UTF-8 is tested as well.
function mutate(bytes) {
	let s = bytes.toString('latin1');

	for (let n = 1 + below(3); n; n--) {
		const at = below(s.length + 1), to = at + below(4);

		s = pick([
			() => s.slice(0, at) + s.slice(to),
			() => s.slice(0, at) + pick(noise) + s.slice(at),
			() => s.slice(0, at) + pick(noise) + s.slice(at + 1),
			() => s.slice(0, to) + s.slice(at),
			() => s.slice(0, at),
			() => s.slice(at),
		])();
	}
	return Buffer.from(s, 'latin1');
}

function nested() {
	const depth = 1 + below(127), open = [];

	for (let i = 0; i < depth; i++)
		open.push(pick(['[', '{"k":', '[1,', ' [ ']));
	return open.join('') + value(0) + open.reverse().map((o) =>
		(o.includes('{') ? '}' : ']')).join('');
}

function text() {
	const make = below(30) ? () => value(5) : nested;
	const bytes = Buffer.from(space() + make() + space());

	return below(2) ? mutate(bytes) : bytes;
}

// undefined where the text is not JSON in UTF-8.
function judge(bytes) {
	try {
		const decoder = new TextDecoder('utf-8',
			{ fatal: true, ignoreBOM: true });
		return { value: JSON.parse(decoder.decode(bytes)) };
	} catch {
		return undefined;
	}
}

const same = (a, b) => isDeepStrictEqual(a, b) &&
	JSON.stringify(a) === JSON.stringify(b);

function complaint(want, got) {
	if (got.ok !== (want !== undefined))
		return got.ok ? 'taken by us only' : `refused by us only (${got.why})`;
	if (got.ok && !same(want.value, got.put))
		return 'json_put() gives another value';
	if (got.ok && !same(want.value, got.decoded))
		return 'json_text() gives another value';
	// which integers are accepted is tested with exact arithmetic: json_oracle.py
	if (got.int !== undefined && Number(got.int) !== want.value + 0)
		return 'json_int() gives another number';
	return undefined;
}

const texts = Array.from({ length: Number(count) }, text);
const input = Buffer.concat(texts.flatMap((t) => {
	const head = Buffer.alloc(4);
	head.writeUInt32LE(t.length);
	return [head, t];
}));
const run = spawnSync(program, { input, maxBuffer: 2 ** 30 });
if (run.error)
	throw run.error;
const lines = run.stdout.toString().split('\n').slice(0, -1);
let taken = 0, failed = 0;

if (run.status !== 0 || lines.length !== texts.length) {
	console.error(`${program}: status ${run.status}, ${lines.length} answers`);
	process.exit(1);
}
texts.forEach((t, i) => {
	const want = judge(t);
	const wrong = complaint(want, JSON.parse(lines[i]));

	taken += want !== undefined;
	if (wrong && ++failed <= 10)
		console.error(`${wrong}: ${JSON.stringify(t.toString('latin1'))}`);
});
console.log(`${texts.length} texts, ${taken} of them JSON, ${failed} disagreements`);
// the generator must produce both valid and invalid texts
if (failed || taken < texts.length / 4 || taken > texts.length * 3 / 4)
	process.exit(1);
