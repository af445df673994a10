"""reference_server.py - stet and the reference filesystem server on one tree, for
the tests that compare them; and a loop over cases as TAP.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
# pylint: disable=wrong-import-position
from server import Broken, Server, Tap, environment, short

REFERENCE = (HERE.parent / "reference/node_modules/@modelcontextprotocol"
             / "server-filesystem/dist/index.js")
VERSION = "2025-11-25"
SEED = 20261118


class Peer(Server):
    """A server and its calls. The stderr of the reference server is ignored."""

    def __init__(self, command, slow, env, roots=None):
        super().__init__(command, slow, env=env)
        self.last, self.roots = 0, roots
        self.timeout = max(self.timeout, 60)
        reply = self.ask({
            "jsonrpc": "2.0", "id": "hello", "method": "initialize",
            "params": {"protocolVersion": VERSION, "capabilities":
                       {} if roots is None else {"roots": {}},
                       "clientInfo": {"name": "test", "version": "1"}}})
        check("result" in reply, reply)
        self.note("notifications/initialized")

    def note(self, method):
        self.send(json.dumps({"jsonrpc": "2.0",
                              "method": method}).encode() + b"\n")

    def post(self, tool, arguments):
        self.last += 1
        self.send(json.dumps({
            "jsonrpc": "2.0", "id": self.last, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}}).encode() + b"\n")
        return self.last

    def reply(self):
        """The next reply; a request for our roots is answered meanwhile."""
        while True:
            line = self.line()
            if line is None:
                raise Broken("the server ended")
            message = json.loads(line)
            if message.get("method") == "roots/list":
                self.send(json.dumps({
                    "jsonrpc": "2.0", "id": message["id"], "result": {
                        "roots": [{"uri": f"file://{root}"}
                                  for root in self.roots]}}).encode() + b"\n")
            elif "id" in message:
                self.size = len(line)
                return message

    def call(self, tool, **arguments):
        number = self.post(tool, arguments)
        message = self.reply()
        check(message["id"] == number, message)
        return message

    def result(self, tool, **arguments):
        """The parts to compare: content and structuredContent, or "failed"."""
        message = self.call(tool, **arguments)
        result = message.get("result", {"isError": True})
        if result.get("isError"):
            return "failed"
        return {key: result[key] for key in ("content", "structuredContent")
                if key in result}

    def text(self, tool, **arguments):
        """The text of a result; None for a failure."""
        result = self.call(tool, **arguments).get("result", {"isError": True})
        return None if result.get("isError") else result["content"][0]["text"]


class Place:
    """A tree, and both servers on it."""

    def __init__(self, options, work):
        self.options, self.work = options, work
        self.root, self.home = work / "root", work / "home"
        self.root.mkdir()
        self.home.mkdir(mode=0o700)
        self.peers = []

    def env(self, **more):
        return {**environment(self.home), "TZ": "UTC", "LANG": "C.UTF-8", **more}

    def stet(self, *flags, roots=None, dirs=None, **more):
        return self.start([str(self.options.program), "serve",
                           "--tools=filesystem", *flags], roots, dirs, more)

    def ref(self, roots=None, dirs=None, **more):
        return self.start([self.options.node, str(REFERENCE)], roots, dirs,
                          more)

    def start(self, command, roots, dirs, more):
        dirs = [str(d) for d in (dirs or [self.root])]
        peer = Peer(command + dirs, self.options.slow, self.env(**more), roots)
        self.peers.append(peer)
        return peer

    def end(self):
        for peer in self.peers:
            peer.kill()


def check(claim, why=""):
    if not claim:
        raise Broken(str(why)[:3000])


def same(peers, tool, **arguments):
    """Check that both give the same result, and return it."""
    stet, ref = (peer.result(tool, **arguments) for peer in peers)
    check(stet == ref, f"{tool} {short(arguments)}:\nstet {short(stet, 2000)}\n"
          f"ref  {short(ref, 2000)}")
    return ref


def both(place):
    return place.stet(), place.ref()


def put(root, name, content=b""):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def run_case(case, options):
    """None, or what was wrong."""
    work = pathlib.Path(tempfile.mkdtemp(prefix="stet-reference-")).resolve()
    place = Place(options, work)
    try:
        case(place)
        return None
    except (Broken, OSError, ValueError, KeyError, TypeError, AttributeError,
            subprocess.SubprocessError) as error:
        return f"{error!r}\n{traceback.format_exc()}"
    finally:
        place.end()
        shutil.rmtree(work, ignore_errors=True)


def run(cases):
    parser = argparse.ArgumentParser()
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--node", required=True)
    parser.add_argument("program", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("case", nargs="*")
    options = parser.parse_args()
    cases = [c for c in cases
             if not options.case or c.__name__ in options.case]
    tap = Tap(len(cases))
    for case in cases:
        name = " ".join((case.__doc__ or case.__name__).split())
        tap.case(name, run_case(case, options))
    return tap.status()
