"""Reads of one client while two others search, over HTTP.

In each round the reads are measured twice: alone, which is the floor, and
while two clients search the tree again and again, for a pattern without a
literal. The clients share the cores with the server, so the figures include
what they cost.
"""
import contextlib
import dataclasses
import http.client
import threading
import time

import jobs
import load
from rows import centile

SEARCHERS = 2
TITLE = "http 1 KiB read beside {n} searches, p99"
AIM = load.Aim("< 5 ms, <= 3 x without", lambda row:
               row["stet"] < 5_000_000 and row["of floor"] <= 3)


@dataclasses.dataclass(frozen=True)
class Sizes:
    rounds: int
    reads: int


FULL = Sizes(rounds=5, reads=5000)
QUICK = Sizes(rounds=1, reads=1000)


class Client:
    """A session with a connection of its own, which makes one call."""

    def __init__(self, port, call, expect):
        found = load.Load("", {}, expect)
        self.headers, self.body = load.prepare(found, port, call)
        self.expect = expect.encode()
        self.connection = http.client.HTTPConnection("127.0.0.1", port,
                                                     timeout=load.WAIT)

    def call(self):
        self.connection.request("POST", "/mcp", self.body, self.headers)
        reply = self.connection.getresponse().read()
        if self.expect not in reply:
            raise load.Failed(f"wrong reply: {reply[:120]!r}")

    def close(self):
        self.connection.close()

    def timed(self, count):
        """The nanoseconds of each call."""
        each = []
        for _ in range(count):
            began = time.perf_counter_ns()
            self.call()
            each.append(time.perf_counter_ns() - began)
        return each


class Searching:
    """While it is entered, each client makes its call again and again."""

    def __init__(self, clients):
        self.clients, self.done = clients, threading.Event()
        self.first = threading.Barrier(len(clients) + 1)
        self.faults = []
        self.threads = [threading.Thread(target=self.repeat, args=(client,))
                        for client in clients]

    def repeat(self, client):
        self.first.wait()
        try:
            client.call()
            while not self.done.is_set():
                client.call()
        except (OSError, load.Failed) as error:
            self.faults.append(str(error))

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        self.first.wait()

    def __exit__(self, *error):
        self.done.set()
        for thread in self.threads:
            thread.join()
        if self.faults:
            raise load.Failed(f"a search: {self.faults[0]}")


class Bench:
    """@files: of the run, as in session.py."""

    def __init__(self, root, files, sizes, environment):
        self.root, self.files, self.sizes = root, files, sizes
        self.environment = environment
        self.alone, self.beside, self.failure = [], [], ""

    def clients(self, stack):
        command, environment, announces = load.stet(str(self.files.root))
        server = load.Server(command, {**self.environment, **environment},
                             announces, self.root / "search.log")
        stack.callback(server.close)
        tree = self.files.repository
        pattern, _ = jobs.KINDS["no literal"]
        calls = [("read_text_file", {"path": self.files.small.path},
                  "value_000010")]
        calls += [("Grep", {"path": tree.path, "pattern": pattern},
                   tree.rare()[0])] * SEARCHERS
        made = [Client(server.port, {"name": name, "arguments": arguments},
                       expect) for name, arguments, expect in calls]
        for client in made:
            stack.callback(client.close)
            client.call()  # warm-up
        return made

    def run(self, only, say):
        if only not in "http search":
            return
        try:
            with contextlib.ExitStack() as stack:
                reader, *searchers = self.clients(stack)
                for turn in range(self.sizes.rounds):
                    say(turn, "http search")
                    self.alone.append(self.p99(reader))
                    with Searching(searchers):
                        self.beside.append(self.p99(reader))
        except (OSError, load.Failed) as error:
            self.failure = str(error)

    def p99(self, reader):
        return centile(reader.timed(self.sizes.reads), 99)

    def rows(self):
        """A row as those of load.Rows; none if it was not measured."""
        if not self.beside:
            return []
        ratios = [ours / floor
                  for ours, floor in zip(self.beside, self.alone)]
        return [load.Rows.judged({
            "title": TITLE.format(n=SEARCHERS), "unit": "ns",
            "floor": load.middle(self.alone), "floor rounds": self.alone,
            "stet": load.middle(self.beside), "stet rounds": self.beside,
            "everything": None, "everything rounds": [],
            "of floor": load.middle(ratios), "of floor rounds": ratios,
        }, AIM, False)]

    def failures(self):
        return [["search", self.failure]] if self.failure else []
