#!/usr/bin/env python3
"""run.py [--slow] [--wrap COMMAND] PROGRAM [NAME...] - the transcripts, as TAP.

A transcript <era>/<name>.txt is a conversation, one step per line:

  # W20 X05: the IDs it covers, and what it tests
  $ --flag ...     flags for `stet serve`; -- means that no root is given; cd:DIR
                   is the directory to start it in
  % command        a shell command, run in the root before the server starts
  > JSON           send this line, unchanged
  ! bytes\\x00\\n    send these bytes (Python's escapes), without adding a newline
  < JSON           receive this; see server.difference() for the wildcards.
                   Consecutive ones may arrive in any order, matched by their ids
  ~ text           the line received last contains exactly this text
  = init VERSION   the handshake of the older era
  = reply JSON     send this as the result of the request received last
  = same           the last two results are identical
  = never TEXT     the server may log, but not this text
  = eof            end the input; the steps after it are still checked

@ROOT@ stands for the root, @HOME@ for the home directory, @META@ for the _meta
of a 2026-07-28 request, @ASKS@ for that of a client that can ask its user,
@STATE@ for the latest requestState, and {{text*n}} for a long string. At the end
of the input, the server must exit with status 0, send nothing more and, without
= never, have logged nothing. No line may be longer than the official clients
accept.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
# pylint: disable=wrong-import-position
from server import (Broken, Server, Tap, difference, environment, handshake,
                    short)

LINE_MAX = 10485760
META = json.dumps({
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {}})
ASKS = META.replace('Capabilities": {}', 'Capabilities": {"elicitation": {}}')
LONG = re.compile(r"\{\{(.+?)\*(\d+)\}\}")


class Talk:
    """One run of a transcript."""

    def __init__(self, path, options):
        self.path, self.options = path, options
        self.name = str(path.relative_to(HERE).with_suffix(""))
        self.steps = [(n, line[0], line[2:]) for n, line in enumerate(
            path.read_text().splitlines(), 1) if line]
        self.about = " ".join(text for _, kind, text in self.steps
                              if kind == "#")
        self.came, self.never = [], None

    def run(self):
        work = pathlib.Path(tempfile.mkdtemp(prefix="stet-wire-")).resolve()
        try:
            (work / "root").mkdir()
            self.home, self.root = work, str(work / "root")
            for _, kind, text in self.steps:
                if kind == "%":
                    subprocess.run(["sh", "-euc", text], cwd=self.root,
                                   check=True)
            return self.speak()
        except (Broken, OSError, ValueError,
                subprocess.SubprocessError) as error:
            return f"{type(error).__name__}: {error}"
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def fill(self, text):
        text = text.replace("@ROOT@", self.root).replace("@META@", META)
        text = text.replace("@HOME@", str(self.home)).replace("@ASKS@", ASKS)
        if "@STATE@" in text:
            text = text.replace("@STATE@", next(
                state for line in reversed(self.came)
                if (state := json.loads(line).get("result", {})
                    .get("requestState"))))
        return LONG.sub(lambda m: m.group(1) * int(m.group(2)), text)

    def speak(self):
        flags = [flag for _, kind, text in self.steps if kind == "$"
                 for flag in shlex.split(self.fill(text))]
        where = [flag[3:] for flag in flags if flag.startswith("cd:")]
        named = [] if "--" in flags else [self.root]
        flags = [flag for flag in flags
                 if flag != "--" and not flag.startswith("cd:")]
        server = Server(
            [*shlex.split(self.options.wrap), str(self.options.program),
             "serve", *flags, *named],
            self.options.slow, cwd=(where or [self.root])[0],
            env=environment(self.home))
        try:
            steps = [step for step in self.steps if step[1] not in "#$%"]
            while steps:
                group = [steps.pop(0)]
                while group[0][1] == "<" and steps and steps[0][1] == "<":
                    group.append(steps.pop(0))
                fault = self.step(server, group)
                if fault:
                    return f"line {group[0][0]}: {fault}"
            server.close(self.never)
        finally:
            server.kill()
        return None

    def step(self, server, group):
        _, kind, text = group[0]
        if kind == ">":
            server.send(self.fill(text).encode() + b"\n")
        elif kind == "!":
            raw = self.fill(text).encode("latin-1")
            server.send(raw.decode("unicode_escape").encode("latin-1"))
        elif kind == "<":
            return self.answers(server, [self.fill(t) for _, _, t in group])
        elif kind == "~":
            text = self.fill(text)
            return None if text in self.came[-1] else \
                f"{text!r} is not in {self.came[-1][:500]!r}"
        elif text.startswith("init"):
            handshake(server, *text.split()[1:])
        elif text.startswith("reply "):
            asked = json.loads(self.came[-1])["id"]
            server.send(json.dumps({
                "jsonrpc": "2.0", "id": asked,
                "result": json.loads(self.fill(text[6:]))}).encode() + b"\n")
        elif text == "same":
            one, two = (json.dumps(json.loads(line)["result"])
                        for line in self.came[-2:])
            return None if one == two else f"{one} and then {two}"
        elif text.startswith("never "):
            self.never = [*(self.never or []), self.fill(text[6:])]
        elif text == "eof":
            server.process.stdin.close()
        else:
            return f"what is {kind} {text}"
        return None

    def answers(self, server, wanted):
        wanted, got = [json.loads(text) for text in wanted], []
        for _ in wanted:
            line = server.line()
            if line is None:
                return f"the server ended after {short(got)}"
            if len(line) > LINE_MAX:
                return f"a line of {len(line)} bytes"
            self.came.append(line.decode())
            got.append(json.loads(line))
        if len(wanted) == 1:
            return difference(wanted[0], got[0])
        return difference({"@set@": wanted}, got)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--wrap", default="", help="run the server under it")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("program", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("name", nargs="*")
    options = parser.parse_args()
    talks = [Talk(path, options) for path in sorted(HERE.glob("*/*.txt"))]
    talks = [talk for talk in talks
             if not options.name or talk.name in options.name]
    tap = Tap(len(talks))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for talk, fault in zip(talks, pool.map(Talk.run, talks)):
            ids = talk.about.split(":")[0]
            tap.case(f"{talk.name} ({ids})", fault)
    return tap.status()


if __name__ == "__main__":
    sys.exit(main())
