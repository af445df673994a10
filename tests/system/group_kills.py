#!/usr/bin/env python3
"""group_kills.py [--slow] [--large] PROGRAM [CASE...] - a server that is killed
while it changes many files leaves all of them old, or all of them new.

Needs kill_at beside it: the program in $STET_KILL_AT.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

from history import HELLO, Place
from talk import Talk, check, run

EACH = 10 # files that are added, updated, deleted and moved
OLD, NEW = "first {}\nold\nlast\n", "first {}\nnew\nlast\n"


def patch_text():
    parts = ["*** Begin Patch"]
    hunk = " first {}\n-old\n+new\n last"
    for i in range(EACH):
        parts += [
            f"*** Add File: made/{i % 3}/{i}", f"+added {i}",
            f"*** Update File: updated/{i}", hunk.format(i),
            f"*** Delete File: deleted/{i}",
            f"*** Update File: moved/{i}", f"*** Move to: there/{i}",
            hunk.format(i)]
    return "\n".join([*parts, "*** End Patch", ""])


def tool(name, **arguments):
    return json.dumps({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": name, "arguments": arguments}}).encode() + b"\n"


def patch_request():
    return tool("apply_patch", input=patch_text())


def journal():
    """Shared by all servers of the user, whatever their --state-dir."""
    return pathlib.Path.home() / ".local/state/stet/journal"


def look(root):
    """Every name with its mode and content."""
    return {str(path.relative_to(root)):
            (path.stat().st_mode, path.is_file() and path.read_text())
            for path in root.rglob("*")}


class Patched:
    """A directory whose files one call changes, in a server that is killed."""

    def __init__(self, options, work, *flags):
        self.p = Place(options, work, "root" + "".join(flags))
        self.flags, self.seen = flags, set()
        for name in ("updated", "deleted", "moved"):
            (self.p.root / name).mkdir()
            for i in range(EACH):
                file = self.p.root / name / str(i)
                file.write_text(OLD.format(i))
                file.chmod((0o644, 0o600, 0o755)[i % 3])
        self.saved = work / (self.p.root.name + "-saved")
        shutil.copytree(self.p.root, self.saved)
        self.old = look(self.saved)
        check(self.at(0) and look(self.p.root) != self.old, "not patched")
        self.new = look(self.p.root)
        files = [text for _, text in self.new.values() if text]
        check(len(files) == 3 * EACH and not any("old" in f for f in files),
              self.new)

    def at(self, n):
        """Kill it before system call @n, 0 = never; did it reply?"""
        shutil.rmtree(self.p.root)
        shutil.rmtree(self.p.state, ignore_errors=True)
        shutil.copytree(self.saved, self.p.root)
        return self.serve([os.environ["STET_KILL_AT"], str(n)], patch_request())

    def serve(self, before, *requests):
        with subprocess.Popen(
                [*before, str(self.p.options.program), "serve",
                 str(self.p.root), "--state-dir", str(self.p.state),
                 *self.flags], bufsize=0, cwd=self.p.root,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                # LeakSanitizer does not work under ptrace
                env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}) as it:
            said = b""
            try:
                for request in (HELLO, *requests):
                    it.stdin.write(request)
                    said = it.stdout.readline()
                it.stdin.close()
            except BrokenPipeError:
                said = b"" # the server was killed
            check(it.wait(120) < 2, "cannot trace")
        check(b'"isError":true' not in said and b'"error":' not in said, said)
        return said.endswith(b"\n")

    def is_touched(self, n):
        """Had it begun to change anything when it was killed?"""
        self.settle(n)
        return self.was != self.old

    def settle(self, n):
        """Kill it, start another one, and compare."""
        replied = self.at(n)
        self.was = look(self.p.root)
        check(self.serve([], tool("list_directory", path=str(self.p.root))),
              "it does not start")
        now = look(self.p.root)
        state = "new" if now == self.new else "old"
        check(state == "new" or now == self.old,
              (n, {name for name in {*now, *self.old, *self.new}
                   if now.get(name) != self.old.get(name)}))
        check(state == "new" or not replied, (n, "replied, and it is old"))
        check(journal().is_dir() and not [path for path in journal().rglob("*")
                                          if path.is_file()], (n, "a journal"))
        self.check_log(n, state)
        self.seen.add((state, self.was not in (self.old, self.new)))
        return replied

    def check_log(self, n, state):
        if "--history=off" in self.flags:
            return
        ops = self.p.log()
        done = [op for op in ops if op["state"] == "done"]
        # A file that is moved has two operations.
        check(len(done) == (5 * EACH if state == "new" else 0),
              (n, state, len(ops), len(done)))
        check(len({op["group"] for op in done}) < 2, (n, "several groups"))
        check(all(op["state"] in ("done", "failed") for op in ops), (n, ops))

    def first(self, low, high, claim):
        """The smallest number of a system call of which this is true."""
        while low < high:
            middle = (low + high) // 2
            if claim(middle):
                high = middle
            else:
                low = middle + 1
        return low

    def sample(self, times):
        """Calls from the first that changes a name to the reply."""
        begin = self.first(1, 8192, self.is_touched)
        end = self.first(begin, 8192, self.settle)
        check(end - begin > 4 * EACH, (begin, end))
        for i in range(times):
            self.settle(begin - 4 + (end - begin + 8) * i // times)
        check({state for state, _ in self.seen} == {"old", "new"}
              and any(half for _, half in self.seen), self.seen)


def killed_anywhere_all_files_are_old_or_new(options, work):
    """V01: files, names, directories and the history agree after the next
    start, and nothing else is left."""
    patched = Patched(options, work, "--durability=process")
    patched.sample(400 if options.large else 24)
    patched.at(0)
    patched.p.fine("undo")
    check(look(patched.p.root) == patched.old, look(patched.p.root))


def killed_anywhere_without_a_history(options, work):
    """V11 V01: with --history=off as well; here synced."""
    patched = Patched(options, work, "--history=off")
    patched.sample(400 if options.large else 16)


def without_a_place_for_records(options, work):
    """V10: the files are changed, and the result says what is missing; with
    --history=required none is. Nothing is left beside them either way."""
    for flags in (), ("--history=off",), ("--history=required",):
        p = Place(options, work, "unkept" + "".join(flags))
        for name in "ab":
            (p.root / name).write_text("old\n")
        talk = Talk(options, p.root, *flags, cwd=p.root)
        # Only now: another place is taken when this one cannot be used.
        if journal().is_dir():
            shutil.rmtree(journal())
        journal().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        journal().touch()
        got, fault = talk.call(
            "apply_patch", input="*** Begin Patch\n*** Update File: a\n-old\n"
            "+new\n*** Delete File: b\n*** Add File: c\n+c\n*** End Patch\n")
        talk.close()
        talk.kill()
        journal().unlink()
        now = {name: text for name, (_, text) in look(p.root).items()}
        if "--history=required" in flags:
            check(fault and now == {"a": "old\n", "b": "old\n"}, (fault, now))
        else:
            check(not fault and now == {"a": "new\n", "c": "c\n"},
                  (fault, now))
            why = got["_meta"].get("history", "")
            check("journal' cannot be written: " in why, (flags, got))


if __name__ == "__main__":
    sys.exit(run([
        killed_anywhere_all_files_are_old_or_new,
        killed_anywhere_without_a_history,
        without_a_place_for_records,
    ]))
