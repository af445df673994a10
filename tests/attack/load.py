#!/usr/bin/env python3
"""load.py [--slow] [--seconds N] PROGRAM [CASE...] - one server under all
kinds of load at once: HTTP and stdio clients, the page, approvals, cancelled
calls, short sessions, revoked tokens. Under a thread sanitizer a data race
ends the server.
"""
import json
import pathlib
import random
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
# pylint: disable=wrong-import-position
from port import Client, Http, Port, outcome, token
from page_client import SignedIn
from talk import check, run
from server import Broken # talk.py extends sys.path

COMPLAINTS = (b"ThreadSanitizer", b"AddressSanitizer", b"runtime error",
              b"LeakSanitizer", b"ERROR")


class Load:
    """Threads that work until the time is up; the first error counts."""

    def __init__(self, options, port):
        self.options, self.port = options, port
        self.end = time.monotonic() + (max(options.seconds, 10)
                                       if options.slow else options.seconds)
        self.threads, self.faults, self.turns = [], [], {}

    def add(self, work, *args):
        thread = threading.Thread(target=self.keep, args=(work, args))
        self.threads.append(thread)

    def keep(self, work, args):
        chance = random.Random(f"{work.__name__} {args}")
        name, turns = f"{work.__name__}{args}", 0
        try:
            while time.monotonic() < self.end and not self.faults:
                work(self, chance, *args)
                turns += 1
        except Exception as error: # raised again by the waiting thread
            self.faults.append(f"{name}: {error!r}")
        self.turns[name] = turns

    def go(self):
        for thread in self.threads:
            thread.start()
        for thread in self.threads:
            thread.join()
        check(not self.faults, (self.faults, self.port.process.poll()))
        check(all(self.turns.values()), self.turns)


def change_and_read(load, chance, who):
    """A session with its own files: acknowledged changes are in them."""
    client = Client(load.port, who)
    path = load.port.root / f"{who}.txt"
    for n in range(chance.randrange(2, 6)):
        text = f"{who} {chance.random()}\n" * chance.randrange(1, 2000)
        done, error = client.call("write_text_file", path=str(path),
                                  content=text)
        check(not error, error)
        check(path.read_text() == text, "it is not what was written")
        got, error = client.call("read_text_file", path=str(path))
        check(not error and got["_meta"]["version"]
              == done["_meta"]["version"], error)
        _, error = client.call("edit_text_file", old_string=f"{who} ",
                               path=str(load.port.root / "shared.txt"),
                               new_string=f"{who} ")
        client.call("file_history", path=str(path))
    if chance.random() < 0.5:
        check(client.leave().status in (200, 204), "DELETE")


def modern_calls(load, chance, who):
    """Calls without a session; takes_back() undoes some of them."""
    client = Client(load.port, who, modern=True)
    path = str(load.port.root / "taken-back.txt")
    _, error = client.call("write_text_file", path=path,
                           content=f"{chance.random()}\n")
    if error: # the page has undone it meanwhile
        check(error["code"] == -32013, error)
        client.call("read_text_file", path=path)


def asks_and_cancels(load, chance, who):
    """Calls that wait for approval; some are cancelled, some disconnect."""
    client = Client(load.port, who)
    path = load.port.root / f"{who}{chance.randrange(3)}.ask"
    message = client.tool("write_text_file", path=str(path),
                          content=f"{chance.random()}\n")
    waiting = client.open(message)
    end = chance.choice(["cancel", "close", "wait", "leave"])
    if end == "cancel":
        answer = client.post({
            "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": message["id"]}})
        check(answer.status == 202, answer)
    if end == "leave":
        client.leave()
    if end == "wait":
        answer = waiting.answer()
        reply = (answer.json() if answer.type == "application/json"
                 else waiting.message())
        error = outcome(reply)[1]
        check(not error or error["code"] in (-32007, -32013), error)
    waiting.close()


def listens(load, chance, who):
    client = Client(load.port, who)
    stream, answer = client.listen()
    check(answer.status == 200, answer)
    client.call("read_text_file", path=str(load.port.root / "shared.txt"))
    stream.close()
    if chance.random() < 0.5:
        client.leave()


class Stdio:
    """The client on the server's own stdin and stdout."""

    def __init__(self, port):
        self.process, self.last = port.process, 0
        self.lock = threading.Lock()
        self.ask("initialize", protocolVersion="2025-11-25", capabilities={},
                 clientInfo={"name": "pipe", "version": "1"})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, *messages):
        self.process.stdin.write(b"".join(
            json.dumps(m).encode() + b"\n" for m in messages))
        self.process.stdin.flush()

    def message(self, method, **params):
        self.last += 1
        return {"jsonrpc": "2.0", "id": self.last, "method": method,
                "params": params}

    def reply(self, wanted):
        while line := self.process.stdout.readline():
            message = json.loads(line)
            if message.get("id") == wanted:
                return message
        raise Broken("the server closed its output")

    def ask(self, method, **params):
        message = self.message(method, **params)
        self.send(message)
        return self.reply(message["id"])


def pipelines(load, chance, stdio):
    """Many calls in one write; the last but one is cancelled."""
    path = str(load.port.root / "pipe.txt")
    calls = [stdio.message("tools/call", name="write_text_file", arguments={
        "path": path, "content": f"{n} {chance.random()}\n"})
             for n in range(8)]
    calls += [stdio.message("tools/call", name="read_text_file", arguments={
        "path": path}) for n in range(8)]
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled",
              "params": {"requestId": calls[-2]["id"]}}
    stdio.send(*calls, cancel)
    last = outcome(stdio.reply(calls[-1]["id"]))
    check(not last[1] and last[0]["content"]
          == calls[7]["params"]["arguments"]["content"], last)


class LivePage(SignedIn):
    """The page, with its event stream."""

    def live(self):
        http = Http(self.port)
        http.ask("GET", "/api/live", authorization=f"Bearer {self.bearer}")
        return http


def looks(load, chance, page):
    for path in ("status", "activity", "history", "chart", "approvals"):
        answer = page.ask("GET", f"/api/{path}")
        check(answer.status in (200, 400), answer)
    stream = page.live()
    check(stream.answer().status == 200, "live")
    stream.close()


def answers(load, chance, page):
    for one in page.ask("GET", "/api/approvals").json()["approvals"]:
        answer = page.ask("POST", f"/api/approvals/{one['id']}", {
            "answer": chance.choice(["once", "deny", "file"])})
        # Its call may have ended, or it may be answered already.
        check(answer.status in (200, 404, 409), answer)


def takes_back(load, chance, page):
    ops = [op for op in page.ask("GET", "/api/history").json()["operations"]
           if op["path"].endswith("taken-back.txt")]
    if not ops:
        return
    answer = page.ask("POST", f"/api/history/{chance.choice(ops)['id']}/undo",
                      {})
    check(answer.status < 500, answer)


def revokes(load, chance, work):
    """A revoked token is refused by the next request."""
    program, name = load.options.program, "brief"
    load.port.tokens[name] = token(program, work, "add", name)
    client = Client(load.port, name)
    done, error = client.call("write_text_file", content="x\n",
                              path=str(load.port.root / "brief.txt"))
    check(not error, error)
    ping = client.message("ping")
    token(program, work, "revoke", name)
    answer = client.post(ping)
    check(answer.status == 401, answer)
    answer = client.post(client.tool("read_text_file",
                                     path=str(load.port.root / "shared.txt")))
    check(answer.status == 401, answer)


def everything_at_once(options, work):
    """X03 C60: every acknowledged write is in its file, and the server keeps
    running."""
    who = ("alice", "bob", "carol")
    port = Port(options, work, "--stdio", "--durability=process", "--ask",
                "write(*.ask)", "--approval-wait", "1", clients=who)
    try:
        (port.root / "shared.txt").write_text(
            "".join(f"{name} here\n" for name in who))
        page, load = LivePage(options, work, port), Load(options, port)
        for name in who:
            load.add(change_and_read, name)
            load.add(asks_and_cancels, name)
        load.add(modern_calls, "alice")
        load.add(listens, "bob")
        load.add(pipelines, Stdio(port))
        load.add(looks, page)
        load.add(answers, page)
        load.add(takes_back, page)
        load.add(revokes, work)
        load.go()
        port.alive()
        port.end(never=COMPLAINTS)
    except (Broken, AssertionError, OSError, ValueError, KeyError) as error:
        port.process.terminate()
        port.process.wait(port.timeout)
        said = port.process.stderr.read()[-6000:].decode(errors="replace")
        raise Broken(f"{error!r}\n{said}") from error
    finally:
        port.close()


if __name__ == "__main__":
    sys.exit(run([everything_at_once]))
