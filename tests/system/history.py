#!/usr/bin/env python3
"""history.py [--slow] PROGRAM [CASE...] - the history: log, diff, undo, redo,
restore, replay and gc.

Needs kill_at beside it: the program in $STET_KILL_AT.
"""
import hashlib
import json
import os
import pty
import random
import re
import shutil
import sqlite3
import subprocess
import sys

from old_history import make_old
from talk import Talk, check, run
from server import environment

OURS = "The file is unchanged"


class Place:
    """A project, a state directory, and commands of stet for both."""

    def __init__(self, options, work, name="root"):
        self.options, self.root = options, work / name
        self.state = work / (name + "-state")
        self.root.mkdir()

    def run(self, *words, **more):
        done = subprocess.run([str(self.options.program), *map(str, words),
                               "--state-dir", str(self.state)], cwd=self.root,
                              check=False, capture_output=True, timeout=120,
                              **more)
        return (done.returncode, done.stdout.decode(errors="replace"),
                done.stderr.decode(errors="replace"))

    def fine(self, *words, **more):
        status, out, said = self.run(*words, **more)
        check(status == 0 and not said, (words, status, out, said))
        return out

    def json(self, *words, status=0):
        got, out, said = self.run(*words, "--json")
        check(got == status and not said, (words, got, out, said))
        return json.loads(out)

    def log(self, *words):
        return self.json("log", *words)["operations"]

    def serve(self, *flags):
        return Talk(self.options, self.root, "--state-dir", str(self.state),
                    "--durability=process", *flags)

    def write(self, name, content):
        """Write a file as an agent would; returns the id of the operation."""
        status, out, said = self.run(
            "call", "write_text_file", "--root", self.root, "--path",
            self.root / name, "--content", content)
        check(status == 0, (out, said))
        return json.loads(out)["_meta"]["operation"]

    def edit(self, name, old, new):
        out = self.fine("call", "edit_text_file", "--root", self.root,
                        "--path", self.root / name, "--old_string", old,
                        "--new_string", new)
        return json.loads(out)["_meta"]["operation"]

    def read(self, name):
        path = self.root / name
        return path.read_text() if path.exists() else None


def what_was_done_is_listed(options, work):
    """C65 C66 C67 C68 C101 C102: log, show and diff, for people and as
    JSON."""
    p = Place(options, work)
    check(p.run("log")[0] == 0 and "no operations" in p.run("log")[2])
    check("denied" in p.run("log")[2] and "--audit" in p.run("log")[2])
    check(p.log() == [] and not p.state.exists(), "a look makes nothing")
    (p.root / "f").write_text("one\ntwo\n")
    first = p.edit("f", "two", "2")
    (p.root / "d").mkdir()
    second = p.write("d/g", "new\n")
    ops = p.log()
    check([op["id"] for op in ops] == [second, first], ops)
    check([op["kind"] for op in ops] == ["create", "update"], ops)
    check(ops[1]["path"] == str(p.root / "f") and ops[1]["active"], ops)
    check(ops[1]["tool"] == "edit_text_file" and ops[1]["state"] == "done")
    check(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
                       ops[0]["time"]), ops[0])
    check(ops[1]["bytes_before"] == 8 and ops[1]["bytes_after"] == 6)
    check(all(re.fullmatch("[0-9a-f]{32}", ops[1][side])
              for side in ("before", "after")), ops[1])
    check([op["id"] for op in p.log("d")] == [second])
    check([op["id"] for op in p.log("f")] == [first])
    check([op["id"] for op in p.log("--limit", "1")] == [second])
    check(p.log("--since", "2099-01-01") == [])
    check(len(p.log("--since", "1h", "--until", "now")) == 2)
    lines = p.fine("log").splitlines()
    check(len(lines) == 2 and "just now" in lines[0] and "d/g" in lines[0],
          lines)
    short = lines[1].split()[0]
    check(first.endswith(short) and len(short) >= 8, short)
    shown = p.fine("show", short)
    check(first in shown and "-two\n+2\n" in shown and "edit_text_file" in
          shown and "\x1b" not in shown, shown)
    diff = p.fine("diff", first)
    check(diff.startswith("--- f\n+++ f\n@@ -1,2 +1,2 @@\n one\n-two"), diff)
    got = p.json("show", first)
    check(got["diff"] == diff and got["operation"]["id"] == first, got)
    for side, want in (("before", "one\ntwo\n"), ("after", "one\n2\n")):
        check(p.fine("show", first, "--content", side) == want, side)


def mistakes_are_told(options, work):
    """C101: unknown operations, nothing to undo, and invalid arguments."""
    p = Place(options, work)
    for status, words, told in (
            (3, ["undo"], "Nothing to undo"),
            (3, ["redo"], "Nothing to redo"),
            (3, ["undo", "--since", "1h"], "Nothing to undo"),
            (3, ["undo", "--session", "none"], "Nothing to undo"),
            (3, ["show", "0123abcd"], "No such operation: 0123abcd"),
            (3, ["undo", "0123abcd"], "'stet log' lists"),
            (3, ["restore", "f", "--at", "1h"], "the history has no version of"),
            (2, ["show"], "name an operation"),
            (2, ["restore", "f"], "--at TIME or --at OP is required"),
            (2, ["replay", "0123abcd"], "--onto PATH is required"),
            (2, ["log", "--since", "noon-ish"], "takes a time like"),
            (2, ["gc", "--older", "much"], "a duration like"),
            (2, ["undo", "--conflicts=none"], "takes abort|markers")):
        got, out, said = p.run(*words)
        check(got == status and told in said and not out, (words, got, said))
    error = p.json("undo", "0123abcd", status=3)["error"]
    check(error["code"] == -32001, error)
    p.write("a", "1")
    p.write("b", "1")
    got, _, said = p.run("undo", p.log()[0]["id"][:4])
    check(got == 2 and "More than one" in said and "more digits" in said)


def undo_and_redo(options, work):
    """C101 C102: alternately, newest first, and the undo of an undo."""
    p = Place(options, work)
    (p.root / "f").write_text("1\n")
    (p.root / "f").chmod(0o640)
    first, second = p.write("f", "2\n"), p.write("f", "3\n")
    p.write("g", "new\n")
    check("the file is removed" in p.fine("undo"))
    check(p.read("g") is None and p.read("f") == "3\n")
    out = p.fine("undo")
    check(second[-8:] in out and p.read("f") == "2\n", out)
    p.fine("undo", "f")
    check(p.read("f") == "1\n" and (p.root / "f").stat().st_mode & 0o777
          == 0o640)
    check(p.run("undo")[0] == 3, "nothing is left")
    check(not any(op["active"] for op in p.log() if "undoes" not in op))
    p.fine("redo")
    check(p.read("f") == "2\n")
    p.fine("redo", second)
    check(p.read("f") == "3\n")
    result = p.json("redo")
    check(result["undone"] == 1 and p.read("g") == "new\n", result)
    last = p.log()[0]
    check(last["kind"] == "create" and last["tool"] == "stet redo", last)
    p.fine("undo", last["id"])
    check(p.read("g") is None)
    got, _, said = p.run("undo", second, first)
    check(got == 0 and p.read("f") == "1\n", said)
    check("already" in p.run("undo", first)[2], "undone once is enough")
    p.write("h", "x")
    (p.root / "h").unlink()
    check("the file already has this content" in p.run("undo", "h")[1])


def an_undo_right_after_a_reply_is_of_that_change(options, work):
    """C101 C102: the undo is of the newest operation, even if its server has
    not stored the end yet."""
    for durability in ("process", "power"):
        p = Place(options, work, durability)
        server = p.serve(f"--durability={durability}")
        for i in range(12):
            for name in ("a", "b"):
                got, fault = server.call("write_text_file", content="x",
                                         path=str(p.root / f"{name}{i}"))
                check(got, fault)
            p.fine("undo")
            check(p.read(f"a{i}") == "x" and p.read(f"b{i}") is None,
                  sorted(os.listdir(p.root)))
        check(all(op["state"] == "done" for op in p.log()), p.log())
        server.close()
        server.kill()


def restore_and_replay(options, work):
    """C101: a file in an earlier state, and its changes applied to another
    file."""
    p = Place(options, work)
    (p.root / "f").write_text("0\n")
    ops = [p.write("f", f"{i}\n") for i in range(1, 4)]
    p.fine("restore", "f", "--at", ops[0])
    check(p.read("f") == "1\n")
    p.fine("restore", "f", "--at", "1970-01-02")
    check(p.read("f") == "0\n", "before everything")
    check(p.json("restore", "f", "--at", "1970-01-02")["result"] == "already")
    p.fine("undo")
    check(p.read("f") != "0\n", "and that can be undone")
    (p.root / "f").unlink()
    p.fine("restore", "f", "--at", ops[2])
    check(p.read("f") == "3\n")
    (p.root / "g").write_text("a\nb\nc\nb\nd\n")
    one, two = p.edit("g", "a", "A"), p.edit("g", "d", "D")
    (p.root / "h").write_text("a\nb\nsee\nb\nd\n")
    p.fine("replay", one, two, "--onto", "h")
    check(p.read("h") == "A\nb\nsee\nb\nD\n", p.read("h"))
    (p.root / "h").write_text("a\nx\n")
    got, _, said = p.run("replay", one, two, "--onto", "h")
    check(got == 10 and p.read("h") == "a\nx\n", (got, said))


def the_latest_goes_last(options, work):
    """C101: gc removes the oldest operations; the remaining ones can be
    undone."""
    p = Place(options, work)
    (p.root / "f").write_text("0\n")
    ops = [p.write("f", f"{i}\n") for i in range(1, 4)]
    check(p.json("gc") == {"operations": 0, "contents": 0, "bytes": 0})
    check(len(p.log()) == 3)
    got = p.json("gc", "--older", "0s", "--yes")
    check(got["operations"] == 3, got)
    check(p.log() == [] and p.run("undo")[0] == 3)
    check(p.run("undo", ops[0])[0] == 3 and p.read("f") == "3\n")


def tree(root):
    """The digest of every file in .git."""
    return {str(path.relative_to(root)): hashlib.sha256(
        path.read_bytes()).hexdigest()
            for path in sorted((root / ".git").rglob("*")) if path.is_file()}


def git(root, *words):
    return subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@t", *words],
        cwd=root, check=True, capture_output=True, timeout=60).stdout


def three_files(options, work, with_git):
    p = Place(options, work, "git" if with_git else "plain")
    text = "".join(f"line {i}\n" for i in range(20))
    for name in ("a", "b", "c", "d"):
        (p.root / name).write_text(text)
    if with_git:
        git(p.root, "init", "-q")
        git(p.root, "add", ".")
        git(p.root, "commit", "-qm", "x")
    talk = p.serve()
    for name in ("a", "b", "c", "d"):
        for old in ("line 3\n", "line 15\n"):
            fault = talk.call("edit_text_file", path=str(p.root / name),
                              old_string=old, new_string=old.upper())[1]
            check(not fault, fault)
    fault = talk.call("write_text_file", path=str(p.root / "new"),
                      content="x")[1]
    check(not fault, fault)
    talk.close()
    talk.kill()
    before = tree(p.root) if with_git else None
    # Edits of the user: elsewhere in c, at the same place in d.
    c = text.replace("line 3\n", "LINE 3\n").replace("line 15\n", "LINE 15\n")
    (p.root / "c").write_text(c.replace("line 9\n", "mine\n"))
    (p.root / "d").write_text(c.replace("LINE 15\n", "mine\n"))
    session = p.log()[0]["session"]
    check(session and all(op["session"] == session for op in p.log()))
    got = p.json("undo", "--session", session, status=10)
    check(got["undone"] == 8 and got["conflicts"] == 1, got)
    check([p.read(n) for n in ("a", "b", "new")] == [text, text, None])
    check(p.read("c") == text.replace("line 9\n", "mine\n"), p.read("c"))
    check(p.read("d") == text.replace("line 15\n", "mine\n"), p.read("d"))
    bad = [r for r in got["results"] if r["result"] == "conflict"]
    check("-mine\n+line 15\n" in bad[0]["error"]["data"]["changed"], bad)
    if with_git:
        check(tree(p.root) == before, "git's own files")
        status = git(p.root, "status", "--porcelain").decode()
        check(status == " M c\n M d\n", status)
    return p, bad[0]["operation"]


def a_session_is_undone_but_for_what_is_yours(options, work):
    """C101 C102: in a git repository and without: two files restored, one
    merged, one reported as a conflict."""
    three_files(options, work, with_git=True)
    p, op = three_files(options, work, with_git=False)
    status, _, said = p.run("undo", op)
    check(status == 10 and OURS in said and "-mine" in said, said)
    p.fine("undo", op, "--conflicts=ours")
    check("mine\n" in p.read("d"))
    p.fine("undo", op, "--conflicts=markers")
    check("<<<<<<< now\nmine\n=======\nline 15\n>>>>>>>" in p.read("d"),
          p.read("d"))
    p.fine("undo", p.log()[0]["id"])
    p.fine("undo", op, "--conflicts=theirs")
    check("mine\n" not in p.read("d") and "line 15\n" in p.read("d"))
    # With --since; operations that are undone already are skipped.
    check(p.run("undo", "--since", "1h")[0] == 3)


def an_agent_can_repair_itself(options, work):
    """C101 C102 C103: the tools file_history and undo_file_change, also with
    the history off."""
    p = Place(options, work)
    other = Place(options, work, "other")
    other.state = p.state
    other.write("hidden", "x\n")
    (p.root / "f").write_text("one\n")
    talk = p.serve()
    got, fault = talk.call("edit_text_file", path=str(p.root / "f"),
                           old_string="one", new_string="two")
    op = got["_meta"]["operation"]
    got, fault = talk.call("file_history")
    check([o["id"] for o in got["operations"]] == [op], got)
    check(not got["has_more"] and got["operations"][0]["client"])
    hidden = other.log()[0]["id"]
    got, fault = talk.call("undo_file_change", operation=hidden)
    check(fault["code"] == -32001 and "No such operation" in fault["message"],
          fault)
    check(other.read("hidden") == "x\n")
    got, fault = talk.call("file_history", path=str(other.root))
    check(fault["code"] == -32002, fault)
    got, fault = talk.call("undo_file_change")
    check(not fault and got["undone"] == op and got["how"] == "exact" and
          p.read("f") == "one\n", (got, fault))
    got, fault = talk.call("undo_file_change", operation=got["operation"])
    check(not fault and p.read("f") == "two\n", fault)
    (p.root / "f").write_text("three\n")
    got, fault = talk.call("undo_file_change", path=str(p.root / "f"))
    check(fault["code"] == -32013 and fault["data"]["reason"] == "conflict"
          and "-three\n+one\n" in fault["data"]["changed"], fault)
    check(p.read("f") == "three\n")
    # Undo of a sensitive file needs approval for tools, not for the CLI.
    p.fine("replay", op, "--onto", ".env", "--conflicts=theirs")
    got, fault = talk.call("undo_file_change", path=str(p.root / ".env"))
    check(fault["code"] == -32007 and p.read(".env") == "two\n", fault)
    p.fine("undo", ".env")
    check(p.read(".env") is None)
    got, fault = talk.call("file_history", path=str(p.root / "f"), limit=1)
    check(len(got["operations"]) == 1 and got["has_more"], got)
    talk.close()
    talk.kill()
    talk = p.serve("--history=off")
    n = len(p.log())
    fault = talk.call("write_text_file", path=str(p.root / "f"),
                      content="four\n")[1]
    check(not fault and p.read("f") == "four\n" and len(p.log()) == n)
    for tool in ("file_history", "undo_file_change"):
        fault = talk.call(tool)[1]
        check("turned off" in fault["message"], fault)
    talk.close()
    talk.kill()


def colours_and_a_pager_on_a_terminal(options, work):
    """C101: only on a terminal; control characters of a file are escaped."""
    p = Place(options, work)
    (p.root / "f").write_text("old\n")
    op = p.write("f", "\x1b]0;evil\x07new\n")
    p.write("na\x1b[2Jme", "x")
    for env, words, must, never in (
            ({"PAGER": "sed s/^/paged:/"}, ["log"], b"paged:\x1b[33m", b"\x1b[2J"),
            ({"PAGER": "cat"}, ["diff", op], b"\x1b[32m+\\x1b]0;evil\\x07new",
             b"\x1b]0"),
            ({"PAGER": "", "NO_COLOR": "1"}, ["diff", op], b"+\\x1b]0;evil\\x07new",
             b"\x1b"),
            ({"PAGER": "/none/such"}, ["diff", op], b"-old", b"\x1b]0")):
        here, there = pty.openpty()
        done = subprocess.run(
            [str(options.program), *words, "--state-dir", str(p.state)],
            cwd=p.root, check=False, stdin=there, stdout=there,
            stderr=subprocess.DEVNULL, timeout=60,
            env={**os.environ, "TERM": "xterm", **env})
        os.close(there)
        got = b""
        try:
            while chunk := os.read(here, 65536):
                got += chunk
        except OSError: # EIO: the command has exited
            pass
        os.close(here)
        check(done.returncode == 0 and must in got and never not in
              got.replace(b"\x1b[33m", b"") , (env, words, got))
    check(b"\x1b[3" not in p.fine("log").encode())


def a_state_directory_in_trouble(options, work):
    """C103 C101: read-only, damaged, of an older or newer version, and full:
    nothing is lost."""
    p = Place(options, work)
    (p.root / "f").write_text("old\n")
    p.write("f", "new\n")
    base = p.state / "history.db"
    # Of an older version: it is migrated, and nothing is lost.
    version = make_old(base)
    check(len(p.log()) == 1, "looked at as it is")
    p.write("g", "x")
    with sqlite3.connect(base) as db:
        check(db.execute("PRAGMA user_version").fetchone()[0] == version)
    db.close()
    check(len(p.log()) == 2)
    # Disk full: undo is refused, and the file is unchanged.
    status, out, said = p.run("undo", "f", preexec_fn=limit_size)
    check(status == 74 and "history cannot be used" in said and
          p.read("f") == "new\n", (status, out, said))
    # Of a newer version: not changed.
    with sqlite3.connect(base) as db:
        db.execute("PRAGMA user_version=99")
    db.close()
    status, _, said = p.run("undo")
    check(status == 74 and p.read("f") == "new\n", said)
    with sqlite3.connect(base) as db:
        db.execute(f"PRAGMA user_version={version}")
    db.close()
    # Damaged: moved aside, and a new history is begun.
    for name in ("history.db-wal", "history.db-shm"):
        if (p.state / name).exists():
            (p.state / name).unlink()
    base.write_bytes(b"SQLite format 3\0" + os.urandom(5000))
    p.write("f", "newer\n")
    check(len(p.log()) == 1 and p.read("f") == "newer\n")
    p.fine("undo", "f")
    check(p.read("f") == "new\n")
    aside = [n for n in os.listdir(p.state) if n.startswith("history.db.")
             or "damaged" in n or "corrupt" in n]
    check(aside, os.listdir(p.state))


def limit_size():
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def a_read_only_state_directory(options, work):
    """C101: it can be listed; undo is refused; results say that changes are
    not recorded."""
    p = Place(options, work)
    (p.root / "f").write_text("old\n")
    p.write("f", "new\n")
    work.chmod(0o755)
    for path in (p.root, p.state, *p.root.iterdir(), *p.state.iterdir()):
        os.chown(path, 65534, 65534)
    for path in p.state.iterdir():
        path.chmod(0o400)
    p.state.chmod(0o500)
    nobody = {"user": 65534, "group": 65534, "extra_groups": [],
              "env": environment(p.root)}
    got = p.fine("log", **nobody)
    check("update" in got, got)
    status, _, said = p.run("undo", **nobody)
    check(status == 74 and p.read("f") == "new\n", (status, said))
    out = p.fine("call", "write_text_file", "--root", p.root, "--path",
                 p.root / "f", "--content", "newer\n", **nobody)
    meta = json.loads(out)["_meta"]
    check("operation" not in meta and meta["history"], meta)
    status, out, _ = p.run("call", "write_text_file", "--root", p.root,
                           "--path", p.root / "f", "--content", "x",
                           "--history=required", **nobody)
    check(status == 74 and p.read("f") == "newer\n", out)


class Killed:
    """A write that is killed right before one of its system calls."""

    def __init__(self, options, work, before, after, durability):
        self.p = Place(options, work, durability + ("-old" if before else ""))
        self.file, self.before, self.after = self.p.root / "f", before, after
        self.durability = durability
        self.states = set()
        self.p.write("other", "x") # the history exists already
        self.clean = work / (self.p.root.name + "-clean")
        shutil.copytree(self.p.state, self.clean)

    def at(self, n):
        """Kill it before system call @n; returns the state of its operation,
        and whether the write succeeded."""
        # The same history for each run: a longer log needs more calls.
        shutil.rmtree(self.p.state)
        shutil.copytree(self.clean, self.p.state)
        if self.before is None:
            self.file.unlink(missing_ok=True)
        else:
            self.file.write_text(self.before)
        ended = subprocess.run(
            [os.environ["STET_KILL_AT"], str(n), str(self.p.options.program),
             "call", "write_text_file", "--root", str(self.p.root), "--path",
             str(self.file), "--content", self.after, "--state-dir",
             str(self.p.state), "--durability", self.durability], check=False,
            timeout=120, stdout=subprocess.DEVNULL,
            # LeakSanitizer does not work under ptrace
            env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}).returncode
        check(ended < 2, "cannot trace")
        got = self.p.read("f")
        new = self.p.log("f")
        check(got in (self.before, self.after) and len(new) <= 1, (got, new))
        state = new[0]["state"] if new else "none"
        check(state == "done" if got == self.after else state in
              ("none", "failed"), (n, got, state))
        if state == "done":
            kept = self.p.run("show", new[0]["id"], "--content=after")
            check(kept[:2] == (0, self.after), kept)
        self.states.add(state)
        return state, ended == 1


def killed_anywhere_history_and_file_agree(options, work):
    """C27 C101: kill -9 before every system call from the intent to the end of
    the operation."""
    for before, durability in (("old\n", "process"), (None, "process"),
                               ("old\n", "power")):
        killed = Killed(options, work, before, "new\n", durability)
        low, high = 1, 1024 # the first system call after the intent was stored
        while low < high:
            middle = (low + high) // 2
            if killed.at(middle)[0] == "none":
                low = middle + 1
            else:
                high = middle
        n, ended = max(low - 10, 1), False
        while not ended:
            ended = killed.at(n)[1]
            n += 1 # few calls between intent and rename: all are tried
        # The order of threads varies: the call may have been missed.
        for i in range(320):
            if "failed" not in killed.states:
                killed.at(max(low - 10, 1) + i % 32)
        check(n > low + 5 and killed.states == {"none", "failed", "done"},
              (low, n, killed.states))
        check(sorted(os.listdir(killed.p.root)) == ["f", "other"],
              os.listdir(killed.p.root))


HELLO = (b'{"jsonrpc":"2.0","id":"hello","method":"initialize","params":'
         b'{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":'
         b'{"name":"series","version":"1"}}}\n')


class Series:
    """A server that makes one change after the other until it is killed."""

    MOST = 24

    def __init__(self, options, work, durability):
        self.p = Place(options, work, "series-" + durability)
        self.durability = durability
        self.logs = 0 # deaths that leave a write-ahead log
        self.done = set()

    def ask(self, i):
        return json.dumps({
            "jsonrpc": "2.0", "id": i, "method": "tools/call", "params": {
                "name": "write_text_file", "arguments": {
                    "path": str(self.p.root / "f"),
                    "content": f"{i}\n"}}}).encode() + b"\n"

    def kill_at(self, n):
        """The number of replies before it was killed at system call @n."""
        shutil.rmtree(self.p.state, ignore_errors=True)
        (self.p.root / "f").write_text("-1\n")
        with subprocess.Popen(
                [os.environ["STET_KILL_AT"], str(n),
                 str(self.p.options.program), "serve",
                 str(self.p.root), "--state-dir", str(self.p.state),
                 "--durability", self.durability], bufsize=0,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}) as it:
            done = 0
            try:
                it.stdin.write(HELLO)
                it.stdout.readline()
                while done < self.MOST:
                    it.stdin.write(self.ask(done))
                    said = it.stdout.readline()
                    if not said:
                        break
                    check(b'"success":true' in said, said)
                    done += 1
                it.stdin.close()
            except BrokenPipeError:
                pass # the server was killed
            check(it.wait(120) < 2, "cannot trace")
        return done

    def check(self, n):
        done = self.kill_at(n)
        self.done.add(done)
        log = self.p.state / "daybook"
        self.logs += log.exists() and len(os.listdir(log)) > 0
        got = int(self.p.read("f"))
        ops = [op for op in self.p.log("f") if op["state"] == "done"]
        check(got + 1 >= done and len(ops) == got + 1, (n, done, got, ops))
        for i, op in enumerate(reversed(ops)):
            if i % 4 == 0 or i == got:
                kept = self.p.run("show", op["id"], "--content=before")
                check(kept[:2] == (0, f"{i - 1}\n"), (i, kept))
        (self.p.root / "other").unlink(missing_ok=True)
        self.p.write("other", "x") # this replays the log
        check(not log.exists() or not os.listdir(log), "a write-ahead log")


def killed_anywhere_a_server_forgets_nothing(options, work):
    """C27 C83: every acknowledged change is in the history, in the database or
    in a write-ahead log."""
    for durability in ("process", "power"):
        series, chance = Series(options, work, durability), random.Random(5)
        for _ in range(20 if options.slow else 40):
            series.check(chance.randrange(600, 3000 if options.slow else 2000))
        check(series.logs > 3 and len(series.done) > 3,
              (series.logs, series.done))


if __name__ == "__main__":
    sys.exit(run([
        what_was_done_is_listed,
        mistakes_are_told,
        undo_and_redo,
        an_undo_right_after_a_reply_is_of_that_change,
        restore_and_replay,
        the_latest_goes_last,
        a_session_is_undone_but_for_what_is_yours,
        an_agent_can_repair_itself,
        colours_and_a_pager_on_a_terminal,
        a_state_directory_in_trouble,
        a_read_only_state_directory,
        killed_anywhere_history_and_file_agree,
        killed_anywhere_a_server_forgets_nothing,
    ]))
