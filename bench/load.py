"""HTTP under load: stet beside a bare echo server and a peer, by wrk; many
sessions.

A load is one small call, repeated by wrk on a number of connections. In each
round every server gets its turn with that number, one right after the other,
and ratios are computed within a round, because wrk and other processes share
the cores with the server. The floor is http_echo.c, which reads the same
requests and responds with as many bytes. Beside the rate there is the server's
CPU time per call, which is less affected by noise.

The sessions are clients of the official SDK, see http_clients.mjs.
"""
import collections
import contextlib
import dataclasses
import http.client
import json
import os
import pathlib
import re
import resource
import select
import socket
import statistics
import subprocess
import time
import typing

from peers import MODULES, NODE, STET

HERE = pathlib.Path(__file__).resolve().parent
TOKEN = "bench-0123456789-0123456789"
LEGACY, MODERN = "2025-11-25", "2026-07-28"
FILES_BESIDE = 200  # descriptors of a process beside its connections
TICK = os.sysconf("SC_CLK_TCK")
WAIT = 120  # seconds for a response
CLIENTS_WAIT = 300  # seconds for a thousand clients to connect


class Failed(Exception):
    pass


@dataclasses.dataclass(frozen=True)
class Sizes:
    rounds: int
    seconds: int  # seconds of one turn of wrk
    curve: tuple  # numbers of connections in the curve
    sessions: int
    lasting: int  # seconds of calls
    loads: int = 3  # number of LOADS that are run


CONNECTIONS = (1, 64, 1000)
FULL = Sizes(rounds=5, seconds=2, curve=(1, 10, 100, 1000, 10_000),
             sessions=1000, lasting=120)
QUICK = Sizes(rounds=1, seconds=1, curve=CONNECTIONS, sessions=100,
              lasting=3, loads=1)


# ---- the servers ----

def stet(root):
    return ([str(STET), "serve", "--http", "127.0.0.1:0", root],
            {"STET_TOKEN": TOKEN}, r"MCP at http://127\.0\.0\.1:(\d+)/")


def everything(root):
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    index = MODULES / "@modelcontextprotocol" / "server-everything" / "dist"
    return ([NODE, str(index / "index.js"), "streamableHttp"],
            {"PORT": str(port)}, r"listening on port (\d+)")


class Server:
    """A process that listens, until close()."""

    def __init__(self, command, environment, announces, log):
        self.log = log
        with open(log, "wb") as said:
            self.process = subprocess.Popen(
                command, env=environment,
                stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        until = time.monotonic() + WAIT
        while not (found := re.search(announces, log.read_text())):
            if self.process.poll() is not None or time.monotonic() > until:
                self.close()
                raise Failed("did not start: " + log.read_text()[-200:])
            time.sleep(0.02)
        self.port = int(found[1])

    def cpu(self):
        """CPU seconds of all its threads."""
        text = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text()
        fields = text.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def pss(self):
        path = pathlib.Path(f"/proc/{self.process.pid}/smaps_rollup")
        return int(re.search(r"^Pss:\s+(\d+)", path.read_text(), re.M)[1])

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


# ---- the calls ----

@dataclasses.dataclass(frozen=True)
class Load:
    name: str
    calls: dict  # the call of each server, a function of the file
    expect: str  # text in the reply
    era: str = LEGACY


def hello(path):
    return {"name": "hello", "arguments": {"name": "bench"}}


LOADS = [
    Load("hello", {
        "stet": hello,
        "everything": lambda path: {
            "name": "echo", "arguments": {"message": "bench"}},
    }, "bench"),
    Load("hello, 2026-07-28", {"stet": hello}, "bench", MODERN),
    Load("1 KiB read", {
        "stet": lambda path: {
            "name": "read_text_file", "arguments": {"path": path}},
    }, "value_000010"),
]


def message(method, params, number=1):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method,
                       "params": params}, separators=(",", ":"))


def headers_of(load, call):
    out = {"Content-Type": "application/json",
           "Accept": "application/json, text/event-stream",
           "Authorization": f"Bearer {TOKEN}",
           "MCP-Protocol-Version": load.era}
    if load.era == MODERN:
        out |= {"Mcp-Method": "tools/call", "Mcp-Name": call["name"]}
    return out


def post(port, headers, body):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT)
    with contextlib.closing(connection):
        connection.request("POST", "/mcp", body, headers)
        response = connection.getresponse()
        text = response.read()
        if response.status >= 300:
            raise Failed(f"{response.status}: {text[:120]!r}")
        return response, text


def prepare(load, port, call):
    """Headers and body of the call, in a session if needed."""
    headers, client = headers_of(load, call), {"name": "bench", "version": "1"}
    if load.era == MODERN:
        prefix = "io.modelcontextprotocol/"
        meta = {prefix + "protocolVersion": MODERN,
                prefix + "clientInfo": client,
                prefix + "clientCapabilities": {}}
        return headers, message("tools/call", {**call, "_meta": meta})
    response, _ = post(port, headers, message("initialize", {
        "protocolVersion": load.era, "capabilities": {},
        "clientInfo": client}))
    headers["Mcp-Session-Id"] = response.getheader("Mcp-Session-Id")
    post(port, headers, '{"jsonrpc":"2.0",'
                        '"method":"notifications/initialized"}')
    return headers, message("tools/call", call)


@dataclasses.dataclass
class Target:
    """A server, and the request for wrk."""
    server: Server
    headers: dict
    body: str


class Bench:
    """@root: a directory of the run, @path: the file of 1 KiB in @tree."""

    def __init__(self, root, tree, path, sizes, environment, built):
        self.root, self.tree, self.path = root, str(tree), path
        self.sizes, self.environment = sizes, environment
        self.echo = built / "http_echo"
        self.turns = collections.defaultdict(list)
        self.memory, self.failures, self.skipped = {}, {}, []
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        self.most = most - FILES_BESIDE

    def start(self, name):
        starts = {"stet": stet, "everything": everything}[name]
        command, environment, announces = starts(self.tree)
        return Server(command, {**self.environment, **environment}, announces,
                      self.root / f"{name}.log")

    def target(self, stack, load, name):
        server = self.start(name)
        stack.callback(server.close)
        headers, body = prepare(load, server.port, load.calls[name](self.path))
        _, reply = post(server.port, headers, body)
        if load.expect.encode() not in reply:
            raise Failed(f"wrong reply: {reply[:120]!r}")
        return Target(server, headers, body), len(reply)

    def targets(self, stack, load):
        """{name: Target}; stet first, because the floor imitates its
        replies."""
        ours, size = self.target(stack, load, "stet")
        echo = Server([str(self.echo), str(size)], self.environment,
                      r"(\d+)\n", self.root / "echo.log")
        stack.callback(echo.close)
        found = {"floor": dataclasses.replace(ours, server=echo),
                 "stet": ours}
        for name in load.calls:
            if name != "stet":
                found[name], _ = self.target(stack, load, name)
        return found

    def wrk(self, target, connections):
        """One turn: the results of wrk, and the CPU time per call; or None."""
        body = self.root / "body"
        body.write_text(target.body)
        # Ten thousand connections take a while to open.
        seconds = self.sizes.seconds * (3 if connections >= 10_000 else 1)
        before = target.server.cpu()
        done = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s",
             "--timeout", "30s", "-s", str(HERE / "wrk.lua"),
             f"http://127.0.0.1:{target.server.port}/mcp", "--", str(body),
             *(f"{key}: {value}" for key, value in target.headers.items())],
            capture_output=True, text=True, timeout=WAIT, check=False)
        spent = target.server.cpu() - before
        if done.returncode:
            raise Failed(done.stderr.strip() or done.stdout.strip())
        got = json.loads(done.stdout.splitlines()[-1])
        if not got["requests"]:
            return None
        if got["refused"] or got["broken"]:
            raise Failed(f"of {got['requests']} calls {got['refused']} were "
                         f"refused and {got['broken']} broken")
        return {"rate": got["requests"] / got["us"] * 1e6,
                "p50": got["p50"] * 1000, "p99": got["p99"] * 1000,
                "cpu": spent / got["requests"] * 1e9}

    def load(self, load, say):
        curve = self.sizes.curve if load is LOADS[0] else ()
        with contextlib.ExitStack() as stack:
            targets = self.targets(stack, load)
            for target in targets.values():
                self.wrk(target, 1)  # warm-up
            for turn in range(self.sizes.rounds):
                for n in sorted({*CONNECTIONS, *curve}):
                    say(turn, f"http {load.name}, {n} connections")
                    self.turn(load, targets, n, n not in CONNECTIONS)

    def turn(self, load, targets, connections, curve_only):
        if connections > self.most:
            self.skip(f"{connections:,} connections: this machine allows "
                      f"{self.most:,}")
            return
        for name, target in targets.items():
            if curve_only and name not in ("floor", "stet"):
                continue
            if (load.name, connections, name) in self.failures:
                continue
            try:
                got = self.wrk(target, connections)
            except Failed as error:
                self.failures[load.name, connections, name] = str(error)
                continue
            self.turns[load.name, connections, name].append(got)
            if not got:
                self.skip(f"a round of {load.name}, {connections:,} "
                          f"connections: no reply of {name} in time")

    def skip(self, note):
        if note not in self.skipped:
            self.skipped.append(note)

    def sessions(self, name, lasting, say):
        """Memory with that number of idle streams, and while all of them
        call."""
        say(0, f"http {self.sizes.sessions} sessions of {name}")
        tool = {"stet": ["hello", "name", self.path],
                "everything": ["echo", "message", "-"]}[name]
        with contextlib.ExitStack() as stack:
            server = self.start(name)
            stack.callback(server.close)
            clients = stack.enter_context(subprocess.Popen(
                [NODE, str(HERE / "http_clients.mjs"),
                 f"http://127.0.0.1:{server.port}/mcp",
                 str(self.sizes.sessions), str(lasting), *tool, TOKEN],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                cwd=HERE))
            stack.callback(clients.kill)
            ready = self.said(clients)
            if ready["streams"] < self.sizes.sessions:
                raise Failed(f"only {ready['streams']} streams are open")
            time.sleep(1)
            idle = server.pss()
            if not lasting:
                return {"idle": idle}
            clients.stdin.write("go\n")
            clients.stdin.flush()
            self.said(clients)  # after the first calls of each
            samples = self.sample(server, clients)
            quarter = max(1, len(samples) // 4)
            return {"idle": idle, **self.said(clients),
                    "first": statistics.median(samples[:quarter]),
                    "last": statistics.median(samples[-quarter:]),
                    "samples": samples}

    def said(self, clients):
        ready, _, _ = select.select([clients.stdout], [], [], CLIENTS_WAIT)
        line = clients.stdout.readline() if ready else ""
        if not line:
            raise Failed("the clients say nothing")
        return json.loads(line)

    def sample(self, server, clients):
        samples, until = [], time.monotonic() + self.sizes.lasting + WAIT
        while time.monotonic() < until:
            ready, _, _ = select.select([clients.stdout], [], [], 0.5)
            if ready:
                break
            samples.append(server.pss())
        return samples

    def run(self, only, say):
        for load in LOADS[:self.sizes.loads]:
            if only in f"http {load.name}":
                try:
                    self.load(load, say)
                except Failed as error:
                    self.failures[load.name, "any", "start"] = str(error)
        for name in ("stet", "everything"):
            if only not in "http sessions":
                return
            try:
                self.memory[name] = self.sessions(
                    name, self.sizes.lasting if name == "stet" else 0, say)
            except Failed as error:
                self.failures["sessions", self.sizes.sessions, name] = str(
                    error)


# ---- the rows ----

@dataclasses.dataclass(frozen=True)
class Aim:
    words: str
    met: typing.Callable  # true if the aim is met


AIMS = {
    (64, "rate"): Aim(">= 70 % of the echo", lambda r: r["of floor"] >= 0.7),
    (64, "p99"): Aim("< 5 ms", lambda r: r["stet"] < 5_000_000),
    (64, "cpu"): Aim("<= 1.4 times the echo", lambda r: r["of floor"] <= 1.4),
}
UNITS = {"rate": "/s", "p99": "ns", "cpu": "ns"}
TITLES = {"rate": "http {load}, {n:,} connections", "p99": "  p99",
          "cpu": "  CPU time of a call"}


def middle(values):
    return statistics.median(values) if values else None


class Rows:
    """The results as rows: for report.py, and for the record."""

    def __init__(self, bench):
        self.bench = bench
        self.rows = [self.row(load, n, pick) for load in LOADS
                     for n in CONNECTIONS
                     for pick in (UNITS if n == 64 else ("rate",))
                     if (load.name, n, "stet") in bench.turns]
        self.rows += self.memory()

    def picks(self, load, n, name, pick):
        """The value of each round; None where there was no reply."""
        return [turn and turn[pick] for turn in
                self.bench.turns.get((load.name, n, name), [])]

    def row(self, load, n, pick):
        values = {name: self.picks(load, n, name, pick)
                  for name in ("floor", "stet", "everything")}
        # Within a turn: other processes affected both.
        ratios = [ours / floor for ours, floor in
                  zip(values["stet"], values["floor"]) if ours and floor]
        out = {"title": TITLES[pick].format(load=load.name, n=n),
               "unit": UNITS[pick], "of floor": middle(ratios),
               "of floor rounds": ratios}
        for name, found in values.items():
            rounds = [value for value in found if value is not None]
            out[name] = middle(rounds)
            out[name + " rounds"] = rounds
        return self.judged(out, AIMS.get((n, pick)), pick == "rate")

    @staticmethod
    def judged(row, aim, more_is_better):
        best = max if more_is_better else min
        row |= {"aim": aim.words if aim else "", "met": None}
        if not aim or row["stet"] is None:
            return row
        at_best = {"stet": best(row["stet rounds"]),
                   "of floor": best(row["of floor rounds"], default=None)}
        try:
            row["met"] = ("met" if aim.met(row) else "met in the best round"
                          if aim.met(at_best) else "MISSED")
        except TypeError:  # there is no floor to compare with
            row["met"] = "unknown"
        return row

    def fact(self, title, key, unit, aim):
        values = {name: found.get(key)
                  for name, found in self.bench.memory.items()}
        row = {"title": title, "unit": unit, "floor": None, "of floor": None,
               "of floor rounds": [], "everything": values.get("everything"),
               "stet": values.get("stet"),
               "stet rounds": [values["stet"]] if "stet" in values else []}
        return self.judged(row, aim, False)

    def memory(self):
        found = self.bench.memory.get("stet")
        if not found:
            return []
        flat = Aim("flat: at most 1 MiB more than in the first quarter",
                   lambda r: r["stet"] <= found["first"] + 1024)
        none = Aim("none", lambda r: r["stet"] == 0)
        sessions = f"{self.bench.sizes.sessions:,}"
        found["not right"] = found["lost"] + found["wrong"]
        return [
            self.fact(f"http {sessions} idle streams (PSS)", "idle", "KiB",
                      Aim("< 40 MB", lambda r: r["stet"] < 40_000 / 1.024)),
            self.fact(f"  they call for {self.bench.sizes.lasting} s, first "
                      "quarter", "first", "KiB", None),
            self.fact("  last quarter", "last", "KiB", flat),
            self.fact("  calls", "calls", "", None),
            self.fact("  replies lost or wrong", "not right", "", none),
        ]

    def curve(self):
        """[(connections, stet's and the floor's rate, ratio, CPU ratio)]"""
        load, out = LOADS[0], []
        for n in self.bench.sizes.curve:
            turns = [self.row(load, n, pick) for pick in ("rate", "cpu")]
            if turns[0]["stet"]:
                out.append({"connections": n, "stet": turns[0]["stet"],
                            "floor": turns[0]["floor"],
                            "of floor": turns[0]["of floor"],
                            "cpu": turns[1]["stet"],
                            "cpu of floor": turns[1]["of floor"]})
        return out
