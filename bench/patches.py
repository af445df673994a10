"""Changes of several files by one call, beside Codex's own apply_patch.

In each round every row is measured once for each of these, on the same files,
each time there and back:

    stet      apply_patch, or move_file, in one call
    singles   edit_text_file, one call for each file
    codex     the program `apply_patch` from Codex: no server, so that the time
              includes its start; it syncs nothing
    floor     what any program must do: write and rename each file, and with
              fsync one sync of each and of the directory; or a bare rename
"""
import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import time

import acp
import files
from peers import STET

HERE = pathlib.Path(__file__).resolve().parent
CODEX = acp.CODEX or next((HERE.parent / "tests" / "acp" / "node_modules").glob(
    "@openai/codex-linux-*/vendor/*/bin/codex"), None)
WHO = ("stet", "singles", "codex")
DURABLE = (("with fsync", "power"), ("--durability=process", "process"))
LIMIT = 1.5  # the aim, with fsync


class Failed(Exception):
    """Who failed, at what."""


@dataclasses.dataclass(frozen=True)
class Sizes:
    rounds: int
    counts: tuple  # numbers of files in a patch
    hunks: int  # in a file of 1 MiB
    moved: int  # files in a directory that is moved


FULL = Sizes(rounds=2, counts=(1, 10, 40, 200), hunks=40, moved=10_000)
QUICK = Sizes(rounds=1, counts=(1, 10, 40), hunks=40, moved=1000)


class Server:
    """stet on stdin and stdout, whose calls are timed one by one."""

    def __init__(self, root, durability, environment):
        self.process = subprocess.Popen(
            [str(STET), "serve", "--tools=all", "--overwrite=always",
             f"--durability={durability}", str(root)], cwd=root,
            env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        self.ask("initialize", {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"}})

    def ask(self, method, params):
        """The nanoseconds to the reply."""
        text = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method,
                           "params": params}).encode() + b"\n"
        began = time.perf_counter_ns()
        self.process.stdin.write(text)
        self.process.stdin.flush()
        reply = self.process.stdout.readline()
        took = time.perf_counter_ns() - began
        if b'"result"' not in reply or b'"isError":true' in reply:
            raise Failed(f"stet: {reply[:200]!r}")
        return took

    def call(self, name, **arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


class Patch:
    """@count files with a line each to change, or one with @count such."""

    def __init__(self, root, count, one=False):
        self.root, self.count = root, 1 if one else count
        self.names = [f"file-{n:03}.txt" for n in range(self.count)]
        text = files.source(files.MIB if one else files.KIB, "one")
        lines = [line for line in text.splitlines() if '"one"' in line]
        step = len(lines) // count if one else len(lines)
        self.lines = lines[5::step][:count]
        self.contents = [text, text]
        for line in self.lines:
            self.contents[1] = self.contents[1].replace(line, self.other(line))
        root.mkdir()
        for name in self.names:
            (root / name).write_text(text, encoding="utf-8")

    def other(self, line):
        return line.replace('"one"', '"two"')

    def pairs(self, turn):
        pairs = [(line, self.other(line)) for line in self.lines]
        return [pair[::-1] for pair in pairs] if turn % 2 else pairs

    def text(self, turn):
        hunks = "".join(f"@@\n-{old}\n+{new}\n"
                        for old, new in self.pairs(turn))
        return "*** Begin Patch\n" + "".join(
            f"*** Update File: {name}\n{hunks}" for name in self.names) + \
            "*** End Patch\n"

    def stet(self, server, turn):
        return server.call("apply_patch", input=self.text(turn))

    def singles(self, server, turn):
        return sum(server.call(
            "edit_text_file", path=str(self.root / name), old_string=old,
            new_string=new) for name in self.names
            for old, new in self.pairs(turn))

    def codex(self, server, turn):
        """A patch of it ends with a newline that it does not want."""
        began = time.perf_counter_ns()
        done = subprocess.run(["apply_patch", self.text(turn).rstrip("\n")],
                              executable=CODEX, cwd=self.root, check=False,
                              capture_output=True)
        took = time.perf_counter_ns() - began
        if done.returncode:
            raise Failed(f"codex: {done.stderr[-200:]!r}")
        return took

    def floor(self, turn, durable):
        data = self.contents[(turn + 1) % 2].encode()
        began = time.perf_counter_ns()
        place = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY)
        made = []
        for name in self.names:
            fd = os.open(name + ".new", os.O_WRONLY | os.O_CREAT, 0o644,
                         dir_fd=place)
            os.write(fd, data)
            made.append(fd)
        for fd in made:
            if durable:
                os.fsync(fd)
            os.close(fd)
        for name in self.names:
            os.rename(name + ".new", name, src_dir_fd=place, dst_dir_fd=place)
        if durable:
            os.fsync(place)
        os.close(place)
        return time.perf_counter_ns() - began

    def back(self, turn):
        """In place: a file system is slow to make files after many ended."""
        for name in self.names:
            (self.root / name).write_text(self.contents[turn % 2],
                                          encoding="utf-8")

    def check(self, who, turn):
        want = self.contents[(turn + 1) % 2]
        for name in self.names:
            if (self.root / name).read_text(encoding="utf-8") != want:
                raise Failed(f"{who}: {name} is not what it was to be")


class Move:
    """A directory of @count files, in directories of a hundred."""

    def __init__(self, root, count):
        self.places = [root / "here", root / "there"]
        self.count = count
        for n in range(count):
            if n % 100 == 0:
                (self.places[0] / str(n // 100)).mkdir(parents=True)
            (self.places[0] / str(n // 100) / f"{n}.txt").write_text("x\n")

    def stet(self, server, turn):
        one, other = self.places[::-1] if turn % 2 else self.places
        return server.call("move_file", source=str(one),
                           destination=str(other))

    singles = codex = None

    def floor(self, turn, durable):
        one, other = self.places[::-1] if turn % 2 else self.places
        began = time.perf_counter_ns()
        os.rename(one, other)
        return time.perf_counter_ns() - began

    def back(self, turn):
        self.floor(turn + 1, False)

    def check(self, who, turn):
        found = sum(len(names) for _, _, names in
                    os.walk(self.places[(turn + 1) % 2]))
        if found != self.count or self.places[turn % 2].exists():
            raise Failed(f"{who}: {found} files were moved")


class Bench:
    def __init__(self, root, sizes, environment):
        self.root, self.sizes = root / "patches", sizes
        self.environment = environment
        self.times = {}  # {(title, who): [ns]}
        self.failures = []  # [(title, why)]

    def works(self):
        """[(title, durability, work)]"""
        out, sizes = [], self.sizes
        for words, durability in DURABLE:
            place = self.root / durability
            place.mkdir(parents=True)
            for count in sizes.counts:
                out.append((f"patch of {count} files, {words}", durability,
                            Patch(place / str(count), count)))
            out.append((f"patch of {sizes.hunks} hunks in 1 MiB, {words}",
                        durability, Patch(place / "hunks", sizes.hunks, True)))
        moved = self.root / "moved"
        moved.mkdir()
        return [*out, (f"move of a directory of {sizes.moved:,} files",
                       "power", Move(moved, sizes.moved))]

    def measure(self, title, durability, work):
        """Everybody in turn, there and back."""
        with contextlib.ExitStack() as stack:
            where = work.root if hasattr(work, "root") else self.root
            server = Server(where, durability, self.environment)
            stack.callback(server.close)
            runs = {who: getattr(work, who) for who in WHO}
            if not CODEX:
                runs["codex"] = None
            for turn in range(2 + 2 * self.sizes.rounds):
                for who, run in runs.items():
                    if run:
                        took = run(server, turn)
                        work.check(who, turn)
                        self.keep(title, who, turn, took)
                        work.back(turn)
                took = work.floor(turn, durability == "power")
                work.check("floor", turn)
                self.keep(title, "floor", turn, took)

    def keep(self, title, who, turn, took):
        if turn > 1:  # the first two warm up
            self.times.setdefault((title, who), []).append(took)

    def run(self, only, say):
        if only not in "patch move":
            return
        try:
            for title, durability, work in self.works():
                say(0, title)
                try:
                    self.measure(title, durability, work)
                except (OSError, Failed) as error:
                    self.failures.append([title, str(error)])
        finally:
            shutil.rmtree(self.root, ignore_errors=True)

    def rows(self):
        titles = dict.fromkeys(title for title, _ in self.times)
        return [self.row(title) for title in titles]

    def row(self, title):
        found = {who: statistics.median(self.times[title, who])
                 for who in ("floor", *WHO) if (title, who) in self.times}
        ratio = found["stet"] / found["floor"]
        aimed = title.startswith("patch") and title.endswith("with fsync") \
            and "hunks" not in title
        return {"title": title, **{who: found.get(who)
                                   for who in ("floor", *WHO)},
                "of floor": ratio,
                "aim": f"<= {LIMIT} x floor" if aimed else "",
                "met": ("met" if ratio <= LIMIT else "MISSED") if aimed else ""}
