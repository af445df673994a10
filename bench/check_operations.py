"""What bench/check counts: six operations, and the instructions of each.

A fresh server runs an operation under callgrind, once with a few calls and
once with more. The difference, divided by the number of additional calls, is
the cost of one call: start, end and the first call are in both runs.

The count must not depend on the machine, given the same toolchain: the
environment is empty, paths have one length, and nothing depends on time.
"""
import contextlib
import dataclasses
import http.client
import json
import pathlib
import re
import select
import shutil
import subprocess
import tempfile
import time
import typing

from files import MIB, source, write_numbered

WAIT = 120  # seconds for a reply, under valgrind on a busy machine
TOKEN = "a-token-for-bench-check-only"
VERSION = "2025-11-25"
LONG = 10_000_000


class Failed(Exception):
    pass


# ---- the calls ----

def tool(name, /, **arguments):
    return {"name": name, "arguments": arguments}


def make_small(root):
    (root / "small.txt").write_text(source(1024, "one"))


def make_medium(root):
    (root / "medium.txt").write_text(source(MIB, "one"))


def make_long(root):
    """One file for each call, because the index of a file is made by its first
    page."""
    write_numbered(root / "long-0.txt", LONG)
    for n in range(1, 3):
        shutil.copyfile(root / "long-0.txt", root / f"long-{n}.txt")


def read_small(root, n):
    return tool("read_text_file", path=f"{root}/small.txt")


def read_medium(root, n):
    return tool("read_text_file", path=f"{root}/medium.txt")


def write_small(root, n):
    return tool("write_text_file", path=f"{root}/small.txt",
                content=source(1024, ("two", "one")[n % 2]))


def edit_medium(root, n):
    old, new = (("one", "two"), ("two", "one"))[n % 2]
    lines = source(MIB, old).splitlines()[::2]
    chosen = lines[5:-5:len(lines) // 100][:100]
    return tool("multi_edit_text_file", path=f"{root}/medium.txt", edits=[
        {"old_string": line, "new_string": line.replace(old, new)}
        for line in chosen])


def page_of_long(root, n):
    return tool("read_text_file", path=f"{root}/long-{n}.txt",
                line=LONG // 64 - 100, limit=100)


def hello(root, n):
    return tool("hello", name="bench")


@dataclasses.dataclass(frozen=True)
class Operation:
    name: str
    few: int  # calls of the two runs
    many: int
    call: typing.Callable  # function of the root and the number of the call
    expect: str  # text that every reply contains
    make: typing.Callable = lambda root: None  # creates the files
    flags: tuple = ()
    over_http: bool = False


OPERATIONS = [
    Operation("1 KiB read", 20, 120, read_small, "value_000010", make_small),
    Operation("1 MiB read", 2, 6, read_medium, "value_000010", make_medium),
    Operation("1 KiB write", 20, 220, write_small, "bytes_written", make_small,
              ("--durability=process", "--overwrite=always")),
    # Without history, which compresses large contents in idle time: how
    # many by the end differs from run to run.
    Operation("100 edits in 1 MiB", 2, 6, edit_medium, "diff", make_medium,
              ("--durability=process", "--history=off")),
    Operation("page at the end of 10 MB, first time", 1, 3, page_of_long,
              "of block", make_long),
    Operation("hello over HTTP", 20, 220, hello, "bench", over_http=True),
]


# ---- the server ----

def request(method, params, number):
    """A request; ids have a fixed length, so that all messages are equally
    long."""
    return json.dumps({"jsonrpc": "2.0", "id": 1000 + number, "method": method,
                       "params": params}, separators=(",", ":")).encode()


def introduction():
    return request("initialize", {
        "protocolVersion": VERSION, "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"}}, 0)


READY = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'


class Stdio:
    """A client on the server's stdin and stdout."""

    flags = ()

    def __init__(self, process):
        self.process, self.unread = process, b""
        self.ask(introduction())
        self.send(READY)

    def send(self, body):
        self.process.stdin.write(body + b"\n")
        self.process.stdin.flush()

    def ask(self, body):
        self.send(body)
        end, parts = time.monotonic() + WAIT, []
        while not parts or not parts[-1].endswith(b"\n"):
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [],
                                              left)[0]:
                raise Failed("no answer")
            parts.append(self.process.stdout.read1(MIB))
            if not parts[-1]:
                raise Failed("the server ended")
        return b"".join(parts)

    def close(self):
        self.process.stdin.close()


class Gathered(http.client.HTTPConnection):
    """Sends head and body together: separately, the server might read them in
    one or two pieces."""

    held = b""

    def send(self, data):
        self.held += data

    def getresponse(self):
        super().send(self.held)
        self.held = b""
        return super().getresponse()


class Http:
    """A client on one connection to the server's port."""

    flags = ("--http", "127.0.0.1:0")

    def __init__(self, process):
        self.process = process
        said = b""
        while not (found := re.search(rb"http://127\.0\.0\.1:(\d+)/mcp",
                                      said)):
            if not select.select([process.stderr], [], [], WAIT)[0]:
                raise Failed("it does not say where it is")
            line = process.stderr.readline()
            if not line:
                raise Failed(f"it ended: {said[-300:]!r}")
            said += line
        self.connection = Gathered("127.0.0.1", int(found[1]), timeout=WAIT)
        self.headers = {"Content-Type": "application/json",
                        "Accept": "application/json, text/event-stream",
                        "Authorization": f"Bearer {TOKEN}",
                        "MCP-Protocol-Version": VERSION}
        response, _ = self.post(introduction())
        self.headers["Mcp-Session-Id"] = response.getheader("Mcp-Session-Id")
        self.post(READY)

    def post(self, body):
        # A fixed Host header: that of the port would vary in length.
        self.connection.request("POST", "/mcp", body,
                                {"Host": "127.0.0.1", **self.headers})
        response = self.connection.getresponse()
        text = response.read()
        if response.status >= 300:
            raise Failed(f"{response.status}: {text[:120]!r}")
        return response, text

    def ask(self, body):
        return self.post(body)[1]

    def close(self):
        self.connection.close()
        self.process.terminate()


def total(profile):
    """The instructions of all threads, from callgrind's output."""
    found = re.search(r"^totals: (\d+)", profile.read_text(), re.M)
    if not found:
        raise Failed("callgrind counted nothing")
    return int(found[1])


def session(stet, operation, calls, place):
    """The instructions of a server for @calls calls."""
    root, home, profile = (place / name for name in ("root", "home", "profile"))
    root.mkdir()
    home.mkdir()
    operation.make(root)
    client = Http if operation.over_http else Stdio
    process = subprocess.Popen(
        [shutil.which("valgrind"), "-q", "--tool=callgrind",
         f"--callgrind-out-file={profile}",
         f"--log-file={place}/words", str(stet), "serve", "--no-config",
         *client.flags, *operation.flags, str(root)],
        env={"HOME": str(home), "STET_TOKEN": TOKEN},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with contextlib.ExitStack() as stack:
        stack.enter_context(process)
        stack.callback(process.kill)
        peer = client(process)
        for n in range(calls):
            reply = peer.ask(request("tools/call", operation.call(root, n),
                                     n + 1))
            if (operation.expect.encode() not in reply or
                    b'"isError":true' in reply or b'"error":{' in reply):
                raise Failed(f"wrong reply: {reply[:300]!r}")
        peer.close()
        process.wait(WAIT)
    if process.returncode:
        raise Failed(f"exit status {process.returncode}")
    return total(profile)


def count(stet, operation):
    """The instructions of one call."""
    took = []
    for calls in (operation.few, operation.many):
        # Not in TMPDIR, whose length differs between machines.
        with tempfile.TemporaryDirectory(prefix="stet-bench-",
                                         dir="/tmp") as place:
            took.append(session(stet, operation, calls, pathlib.Path(place)))
    return round((took[1] - took[0]) / (operation.many - operation.few))
