"""talk.py - shared by the system tests: servers with calls, and a runner that
prints TAP. A case is a function that raises Broken (or fails an assertion),
and whose docstring says what it proves; or Skipped, where the machine does not
allow it.
"""
import argparse
import json
import os
import pathlib
import shutil
import sys
import tempfile
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
# pylint: disable=wrong-import-position
from server import Broken, Server, Tap, handshake

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {}}


class Skipped(Exception):
    """This case cannot be run by this user: "it takes root ...", and
    dev/summary counts it as skipped. Any other reason is a failure there."""


class Talk(Server):
    """A server with methods for calls."""

    def __init__(self, options, root, *flags, modern=False, **more):
        super().__init__([str(options.program), "serve", *flags, str(root)],
                         options.slow, **more)
        self.modern, self.last = modern, 0
        if not modern:
            handshake(self)

    def request(self, tool, meta=None, **arguments):
        self.last += 1
        meta = {**(META if self.modern else {}), **(meta or {})}
        params = {"name": tool, "arguments": arguments}
        if meta:
            params["_meta"] = meta
        return {"jsonrpc": "2.0", "id": self.last, "method": "tools/call",
                "params": params}

    def call(self, tool, **arguments):
        return result_of(self.ask(self.request(tool, **arguments)))

    def post(self, *messages):
        self.send(b"".join(json.dumps(m).encode() + b"\n" for m in messages))

    def reply(self):
        line = self.line()
        if line is None:
            raise Broken("the server ended")
        return json.loads(line)

    def peak(self):
        """Peak memory of the process, in MiB."""
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith("VmHWM"):
                return int(line.split()[1]) // 1024
        raise Broken("no VmHWM")


def confine(options, how):
    """--confine=HOW; but LeakSanitizer needs ptrace, which a confined process
    may not use."""
    return "--confine=off" if options.slow else f"--confine={how}"


def result_of(reply):
    """(payload, None) or (None, error)."""
    if "error" in reply:
        return None, reply["error"]
    result = reply["result"]
    if result.get("isError"):
        return None, result["structuredContent"]["error"]
    return result["structuredContent"], None


def check(claim, why=""):
    if not claim:
        raise Broken(str(why)[:2000])


def lines_of(path, megabytes):
    with open(path, "wb") as out:
        for _ in range(megabytes):
            out.write((b"x" * 63 + b"\n") * 16384)


def left(server):
    """Fail unless the server exits with 0 and an empty stderr."""
    status = server.process.wait(server.timeout)
    said = server.process.stderr.read()
    server.kill()
    check(status == 0 and not said, f"status {status}, {said[-2000:]!r}")


def move_home():
    """Give servers a state directory that only this test uses."""
    home = pathlib.Path(tempfile.mkdtemp(prefix="stet-home-")).resolve()
    for name in [n for n in os.environ if n.startswith("XDG_")]:
        del os.environ[name]
    os.environ["HOME"] = str(home)
    return home


def run(cases):
    parser = argparse.ArgumentParser()
    parser.add_argument("--slow", action="store_true",
                        help="a sanitizer: memory and times say nothing")
    parser.add_argument("--large", action="store_true",
                        help="as much as one could want: takes minutes")
    parser.add_argument("--seconds", type=float, default=2, metavar="N",
                        help="the length of each race, 2 by default")
    parser.add_argument("program", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("case", nargs="*")
    options = parser.parse_args()
    cases = [c for c in cases
             if not options.case or c.__name__ in options.case]
    tap = Tap(len(cases))
    for case in cases:
        home = move_home()
        work = pathlib.Path(tempfile.mkdtemp(prefix="stet-system-")).resolve()
        fault = skipped = None
        try:
            case(options, work)
        except Skipped as why:
            skipped = why
        except (Broken, AssertionError, OSError, ValueError,
                KeyError) as error:
            fault = f"{error!r}\n{traceback.format_exc()}"
        finally:
            shutil.rmtree(work, ignore_errors=True)
            shutil.rmtree(home, ignore_errors=True)
        ids = " ".join(case.__doc__.split(":")[0].split())
        name = f"{case.__name__} ({ids})"
        if skipped:
            tap.skip(name, skipped)
        else:
            tap.case(name, fault)
    return tap.status()
