"""server.py - a stet process at the other end of a pipe, for the test runners.

Also what they share: the JSON comparison with its wildcards, and TAP.
"""
import errno
import json
import os
import re
import select
import subprocess
import sys
import time

WILD = {
    "@any@": lambda value: True,
    "@string@": lambda value: isinstance(value, str) and value != "",
    "@int@": lambda value: type(value) is int,
    "@object@": lambda value: isinstance(value, dict),
    "@rfc3339@": lambda value: isinstance(value, str) and bool(
        re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", value)),
    "@version@": lambda value: isinstance(value, str) and bool(
        re.fullmatch(r"[0-9a-f]{32}", value)),
}


def difference(want, got, where="$"):
    """None, or a description of the first difference between @got and @want.
    Types are compared, too (1 is neither true nor 1.0). Wildcards: those
    above, "@match:REGEX@", objects with a member "@more@" (which may have
    other members), and {"@set@": [...]}, an array in any order."""
    if isinstance(want, str) and want in WILD:
        return None if WILD[want](got) else f"{where}: {got!r} is not {want}"
    if isinstance(want, str) and want.startswith("@match:"):
        fits = isinstance(got, str) and re.search(want[7:-1], got)
        return None if fits else f"{where}: {got!r} is not {want}"
    if isinstance(want, dict) and list(want) == ["@set@"]:
        return set_difference(want["@set@"], got, where)
    if type(want) is not type(got):
        return f"{where}: want {short(want)}, got {short(got)}"
    if isinstance(want, dict):
        return object_difference(want, got, where)
    if isinstance(want, list):
        if len(want) != len(got):
            return f"{where}: want {len(want)} items, got {short(got)}"
        for i, (a, b) in enumerate(zip(want, got)):
            found = difference(a, b, f"{where}[{i}]")
            if found:
                return found
        return None
    if want != got:
        return f"{where}: want {short(want)}, got {short(got)}"
    return None


def object_difference(want, got, where):
    for key, value in want.items():
        if key == "@more@":
            continue
        if key not in got:
            return f"{where}: no member {key!r} in {short(got)}"
        found = difference(value, got[key], f"{where}.{key}")
        if found:
            return found
    extra = [] if "@more@" in want else [k for k in got if k not in want]
    return f"{where}: unexpected {extra} in {short(got)}" if extra else None


def set_difference(want, got, where):
    if not isinstance(got, list) or len(got) != len(want):
        return f"{where}: want {len(want)} items, got {short(got)}"
    left = list(got)
    for item in want:
        faults = [difference(item, other, where) for other in left]
        if None not in faults:
            return f"{where}: none is {short(item)}; {'; '.join(faults)}"
        left.pop(faults.index(None))
    return None


def short(value, limit=300):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= limit else f"{text[:limit]}... ({len(text)})"


class Broken(Exception):
    """The server behaved differently from what a case says."""


def start(command, options):
    """Start a program; retries ETXTBSY: a fresh copy may still be open in a
    forked sibling."""
    for turn in range(100):
        try:
            return subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, bufsize=0, **options)
        except OSError as error:
            if error.errno != errno.ETXTBSY or turn == 99:
                raise
            time.sleep(0.02)
    return None


class Server:
    """One process; writes and reads lines, each within the timeout."""

    def __init__(self, command, slow=False, **options):
        self.timeout = 120 if slow else 20
        self.process = start(command, options)
        os.set_blocking(self.process.stdin.fileno(), False)
        self.unread = bytearray()
        self.searched = 0 # of the unread bytes, searched for a newline
        self.ended = False

    def send(self, data):
        """Write @data and read meanwhile, to avoid a deadlock of full
        pipes."""
        out, inn = self.process.stdin.fileno(), self.process.stdout.fileno()
        view, end = memoryview(data), time.monotonic() + self.timeout
        while view:
            ready = select.select([] if self.ended else [inn], [out], [], 1)
            if ready[0]:
                self.take(inn)
            if ready[1]:
                try:
                    view = view[os.write(out, view[:1 << 16]):]
                except BrokenPipeError:
                    raise Broken("the server closed its input") from None
            if time.monotonic() > end:
                raise Broken("the server does not read")

    def take(self, inn):
        data = os.read(inn, 1 << 20)
        self.unread += data
        self.ended = not data

    def line(self, timeout=None):
        """The next line, without its newline; None at the end."""
        inn = self.process.stdout.fileno()
        end = time.monotonic() + (timeout or self.timeout)
        while (at := self.unread.find(b"\n", self.searched)) < 0:
            self.searched = len(self.unread)
            if self.ended:
                if self.unread:
                    raise Broken(f"half a line: {bytes(self.unread[:200])!r}")
                return None
            left = end - time.monotonic()
            if left <= 0:
                raise Broken("no answer")
            if select.select([inn], [], [], left)[0]:
                self.take(inn)
        line = bytes(self.unread[:at])
        del self.unread[:at + 1]
        self.searched = 0
        return line

    def ask(self, message):
        self.send(json.dumps(message).encode() + b"\n")
        line = self.line()
        if line is None:
            raise Broken("the server ended")
        return json.loads(line)

    def close(self, never=None):
        """Close its stdin; it must exit at once with status 0 and an empty
        stderr. With @never stderr may have text, but none of these."""
        self.process.stdin.close()
        try:
            status = self.process.wait(self.timeout)
        except subprocess.TimeoutExpired:
            raise Broken("still there after the end of its input") from None
        rest = bytes(self.unread) + self.process.stdout.read()
        said = self.process.stderr.read().decode(errors="replace")
        for text in never or ():
            if text in said:
                raise Broken(f"{text!r} is in what it said: {said[-3000:]!r}")
        if status or (said and never is None):
            raise Broken(f"exit status {status}, stderr: {said[-3000:]!r}")
        if rest:
            raise Broken(f"more than was asked for: {rest[:300]!r}")

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout,
                     self.process.stderr):
            pipe.close()


def environment(home):
    """Our environment, with the server's state in @home."""
    env = {key: value for key, value in os.environ.items()
           if not key.startswith("XDG_")}
    return {**env, "HOME": str(home)}


def handshake(server, version="2025-11-25"):
    reply = server.ask({"jsonrpc": "2.0", "id": "hello",
                        "method": "initialize", "params": {
                            "protocolVersion": version, "capabilities": {},
                            "clientInfo": {"name": "test", "version": "1"}}})
    if reply.get("result", {}).get("protocolVersion") != version:
        raise Broken(f"initialize: {short(reply)}")
    server.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')


class Tap:
    """Counts and prints cases; its exit status is that of the program."""

    def __init__(self, cases):
        self.n, self.failed = 0, 0
        sys.stdout.reconfigure(errors="backslashreplace")
        print(f"1..{cases}", flush=True)

    def skip(self, name, why):
        self.n += 1
        print(f"ok {self.n} - {name} # SKIP {why}", flush=True)

    def case(self, name, fault):
        self.n += 1
        if fault:
            self.failed += 1
            for line in str(fault).splitlines():
                print(f"# {line}")
        print(f"{'not ' if fault else ''}ok {self.n} - {name}", flush=True)

    def status(self):
        if self.failed:
            print(f"# {self.failed} failed", file=sys.stderr)
        return 1 if self.failed or not self.n else 0
