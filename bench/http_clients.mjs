// http_clients.mjs URL COUNT SECONDS TOOL ARGUMENT FILE [TOKEN]
//
// COUNT clients of the official SDK in one process, each with a session and
// the stream of its GET. Prints {"ready": COUNT} when all are connected. A line on
// stdin makes each of them call twice, as a warm-up, which is printed as well; then
// they call repeatedly for SECONDS: TOOL with a unique text as ARGUMENT, which must
// be in the reply; and, unless FILE is "-", read_text_file of it. Then prints the
// results of the calls. "lost" is one without a reply, "wrong" one with the reply of
// another.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from
	"@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const AT_ONCE = 20; // concurrent connects and first calls
const PAUSE_MS = 4000; // between two calls of a client, about

const [url, count, seconds, tool, argument, file, token] =
	process.argv.slice(2);
const counts = { calls: 0, lost: 0, wrong: 0, streams: 0, why: "" };

// The SDK has no event for an open stream: watch its requests.
async function watched(input, init) {
	const response = await fetch(input, init);

	if ((init?.method ?? "GET") === "GET" && response.ok)
		counts.streams++;
	return response;
}

async function connect() {
	const headers = token ? { Authorization: `Bearer ${token}` } : {};
	const client = new Client({ name: "bench", version: "1" });
	const transport = new StreamableHTTPClientTransport(new URL(url), {
		requestInit: { headers }, fetch: watched,
	});

	client.onerror = () => {};
	await client.connect(transport);
	return client;
}

// Call @f for 0 to n - 1, AT_ONCE at a time.
async function few(n, f) {
	let next = 0;

	await Promise.all(Array.from({ length: AT_ONCE }, async () => {
		while (next < n)
			await f(next++);
	}));
}

async function connectAll(n) {
	const clients = [];

	await few(n, async () => clients.push(await connect()));
	for (let i = 0; i < 300 && counts.streams < n; i++)
		await sleep(100);
	return clients;
}

async function call(client, text, turn) {
	const reads = file !== "-" && turn % 2;
	const params = reads
		? { name: "read_text_file", arguments: { path: file } }
		: { name: tool, arguments: { [argument]: text } };

	counts.calls++;
	try {
		const got = JSON.stringify(await client.callTool(params));

		if (!got.includes(reads ? "value_000010" : text)) {
			counts.wrong++;
			counts.why ||= got.slice(0, 200);
		}
	} catch (error) {
		counts.lost++;
		counts.why ||= String(error).slice(0, 200);
	}
}

async function begin(client, n) {
	for (const turn of [0, 1])
		await call(client, `client ${n} begins ${turn}.`, turn);
}

async function work(client, n, until) {
	await sleep(Math.random() * PAUSE_MS);
	for (let turn = 0; Date.now() < until; turn++) {
		await call(client, `client ${n} turn ${turn}.`, turn);
		await sleep((0.5 + Math.random()) * PAUSE_MS);
	}
}

const clients = await connectAll(Number(count));
console.log(JSON.stringify({ ready: clients.length,
	streams: counts.streams }));
for await (const _line of createInterface({ input: process.stdin })) {
	await few(clients.length, (n) => begin(clients[n], n));
	console.log(JSON.stringify({ begun: clients.length }));

	const until = Date.now() + Number(seconds) * 1000;

	await Promise.all(clients.map((c, n) => work(c, n, until)));
	console.log(JSON.stringify(counts));
	break;
}
process.exit(0);
