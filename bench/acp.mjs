// acp.mjs WHO STET CODEX DIR STAMPS SESSIONS CALLS COMMAND...
//
// One round of the bench with one server, started by COMMAND: "codex" (its
// app-server, bare), or an ACP agent with the real Codex; and a scripted model in
// this process, so that one clock measures sending and receiving. Files go into
// DIR. Prints the results as one line of JSON: times in ns, memory in KiB. See
// acp.py for their meaning.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { configure, offspring, pss, words } from
	"../tests/acp/codex.mjs";
import { startModel } from "../tests/acp/model.mjs";

const EVERY_MS = 5; // between two text chunks
const WARM = 10; // warm-up chunks and calls
const LONGEST_MS = 60000; // for a reply

const [who, stet, codex, dir] = process.argv.slice(2);
const [stamps, sessions, calls] = process.argv.slice(6).map(Number);
const command = process.argv.slice(9);
const home = path.join(dir, "codex"), root = path.join(dir, "project");
const file = path.join(root, "small.txt");

const ns = (ms) => Math.round(ms * 1e6);
const middle = (values) => {
	const sorted = values.toSorted((a, b) => a - b);
	return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
};

// A JSON-RPC connection to a child process; `on` has handlers for its requests.
class Talk {
	constructor([program, ...args], env, on = {}) {
		this.last = 0;
		this.waiting = new Map();
		this.on = on;
		this.child = spawn(program, args,
			{ env, cwd: root, stdio: ["pipe", "pipe", "inherit"] });
		this.exited = once(this.child, "exit");
		let rest = "";
		this.child.stdout.setEncoding("utf8").on("data", (piece) => {
			const now = performance.now();
			const lines = (rest + piece).split("\n");
			rest = lines.pop();
			for (const line of lines) this.take(JSON.parse(line), now);
		});
	}

	take(message, now) {
		if (message.method) {
			const result = this.on[message.method]?.(message.params, now);
			if (message.id !== undefined) this.send({ id: message.id, result });
			return;
		}
		const { resolve, reject } = this.waiting.get(message.id);
		this.waiting.delete(message.id);
		if (message.error) reject(new Error(message.error.message));
		else resolve({ result: message.result, now });
	}

	send(message) {
		this.child.stdin.write(
			`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
	}

	// {result, now: when it came, took: ms}
	async ask(method, params) {
		const id = ++this.last, asked = performance.now();
		let late;
		const reply = new Promise((resolve, reject) => {
			this.waiting.set(id, { resolve, reject });
			late = setTimeout(() => reject(new Error(
				`${who}: no reply to ${method}`)), LONGEST_MS);
		});
		this.send({ id, method, params });
		const { result, now } = await reply;
		clearTimeout(late);
		return { result, now, took: now - asked };
	}

	async close() {
		this.child.stdin.end();
		const late = setTimeout(() => this.child.kill("SIGKILL"), 5000);
		await this.exited;
		clearTimeout(late);
	}
}

// ---- common to all: open a session, run a turn ----

const arrived = []; // latency of each chunk in ms
function text(words, now) {
	for (const stamp of words.trim().split(" ")) {
		if (/^\d+\.?\d*$/.test(stamp)) arrived.push(now - Number(stamp));
	}
}

const about = { name: "bench", title: "Bench", version: "1" };

function bare(env) {
	let over;
	const talk = new Talk(command, env, {
		"item/agentMessage/delta": ({ delta }, now) => text(delta, now),
		"turn/completed": () => over(),
	});
	return {
		talk,
		hello: async () => {
			const hello = await talk.ask("initialize", { clientInfo: about });
			talk.send({ method: "initialized" });
			return hello;
		},
		open: async () => {
			const { result, took } = await talk.ask("thread/start",
				{ cwd: root });
			return { id: result.thread.id, took };
		},
		turn: async (threadId) => {
			const done = new Promise((resolve) => { over = resolve; });
			await talk.ask("turn/start", { threadId, input: [
				{ type: "text", text: "go", text_elements: [] }] });
			await done;
		},
	};
}

function agent(env) {
	const talk = new Talk(command, env, {
		"session/update": ({ update }, now) => {
			if (update.sessionUpdate === "agent_message_chunk") {
				text(update.content.text, now);
			}
		},
		"fs/read_text_file": () => ({ content: small }),
	});
	return {
		talk,
		hello: () => talk.ask("initialize", { protocolVersion: 1,
			clientInfo: about, clientCapabilities: {
				fs: { readTextFile: true, writeTextFile: true } } }),
		open: async () => {
			const { result, took } = await talk.ask("session/new",
				{ cwd: root, mcpServers: [] });
			return { id: result.sessionId, took };
		},
		turn: (sessionId) => talk.ask("session/prompt",
			{ sessionId, prompt: [{ type: "text", text: "go" }] }),
	};
}

// A process that has ended since the listing counts as 0.
function weight(pid) {
	try {
		return pss(pid);
	} catch (error) {
		if (error.code === "ENOENT" || error.code === "ESRCH") return 0;
		throw error;
	}
}

// Memory of all child processes without Codex.
function memory(talk) {
	const all = [talk.child.pid, ...offspring(talk.child.pid)];
	return all.filter((pid) => words(pid).length && words(pid)[0] !== codex)
		.map(weight).reduce((sum, one) => sum + one, 0);
}

// ---- a call of a tool of stet's: over stdio, and through the editor ----

const small = "value_000001 = 1;\n".repeat(57);

async function reads(args, env) {
	const talk = new Talk([stet, "serve", ...args], env), took = [];
	await talk.ask("initialize", { protocolVersion: "2025-06-18",
		capabilities: {}, clientInfo: about });
	talk.send({ method: "notifications/initialized" });
	for (let i = 0; i < WARM + calls; i++) {
		const reply = await talk.ask("tools/call", { name: "read_text_file",
			arguments: { path: file } });
		if (reply.result.isError) {
			throw new Error(JSON.stringify(reply.result.content));
		}
		if (i >= WARM) took.push(reply.took);
	}
	await talk.close();
	return ns(middle(took));
}

// Start the bridge as Codex does, with the environment that Codex was given.
async function callReads(talk, env) {
	const bridge = offspring(talk.child.pid).find((pid) => words(pid).includes("--bridge"));
	const given = fs.readFileSync(`/proc/${bridge}/environ`, "utf8")
		.split("\0").filter((entry) => entry.startsWith("STET_BRIDGE"))
		.map((entry) => entry.split("="));
	return {
		stdio: await reads(["--results=text", root], env),
		bridge: await reads(["--bridge"],
			{ ...env, ...Object.fromEntries(given) }),
	};
}

// ---- the round ----

async function round(env) {
	const { talk, hello, open, turn } = (who === "codex" ? bare : agent)(env);
	await hello();
	const found = { idle: memory(talk) };
	const first = await open();
	await turn(first.id);
	found.delta = ns(middle(arrived.slice(WARM)));
	if (arrived.length !== WARM + stamps) {
		throw new Error(`${arrived.length} pieces of text came`);
	}
	found.turned = memory(talk);
	const more = [];
	for (let i = 0; i < sessions; i++) more.push(await open());
	found.open = ns(middle(more.map((one) => one.took)));
	for (const one of more) await turn(one.id);
	found.session = (memory(talk) - found.turned) / sessions;
	if (who === "stet") Object.assign(found, await callReads(talk, env));
	await talk.close();
	return found;
}

for (const made of [home, root]) fs.mkdirSync(made, { recursive: true });
fs.writeFileSync(file, small);
const model = await startModel([[{ stamps: WARM + stamps, every: EVERY_MS }]]);
configure(home, model.url);
const found = await round({ PATH: process.env.PATH, HOME: dir,
	XDG_RUNTIME_DIR: dir, CODEX_HOME: home, SCRIPT_KEY: "none" });
model.close();
console.log(JSON.stringify(found));
