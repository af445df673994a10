#!/usr/bin/env python3
"""names.py [--slow] [--seconds N] PROGRAM [CASE...] - create_directory,
move_file, copy_file and delete_file with history, rules, questions, read state
and other programs.

Needs kill_at beside it: the program in $STET_KILL_AT.
"""
import errno
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from history import Place
from talk import check, run


def move(server, p, source, destination):
    return server.call("move_file", source=f"{p.root}/{source}",
                       destination=f"{p.root}/{destination}")


def done(got):
    """The operation of a call that has to succeed."""
    value, fault = got
    check(not fault, fault)
    return value["_meta"]["operation"]


def refused(got, code, reason=None):
    _, fault = got
    check(fault and fault["code"] == code, got)
    check(not reason or fault["data"]["reason"] == reason, fault)
    return fault["message"]


def tree(root):
    """Everything beneath a directory: names, kinds, contents, inodes."""
    found = {}
    for at, dirs, files in os.walk(root):
        for name in dirs + files:
            path = os.path.join(at, name)
            st = os.lstat(path)
            what = os.readlink(path) if os.path.islink(path) else None
            if what is None and name in files:
                with open(path, "rb") as f:
                    what = f.read()
            found[os.path.relpath(path, root)] = (st.st_mode, st.st_ino, what)
    return found


def fill(p):
    (p.root / "d" / "in").mkdir(parents=True)
    (p.root / "d" / "in" / "x").write_text("1\n2\n")
    (p.root / "d" / "y").write_text("y\n")
    (p.root / "f").write_text("f\n")
    (p.root / "l").symlink_to("f")
    (p.root / "to").mkdir()


def what_is_moved_is_kept_and_can_be_undone(options, work):
    """V58 V62 V66 V70: a file, a link and a directory, each with its inode;
    undo moves back, with what was changed in a directory since."""
    p = Place(options, work)
    fill(p)
    before = tree(p.root)
    server = p.serve()
    ops = [done(move(server, p, "f", "to/f")), done(move(server, p, "l", "m")),
           done(move(server, p, "d", "to/e"))]
    now = tree(p.root)
    for old, new in (("f", "to/f"), ("l", "m"), ("d", "to/e"),
                     ("d/in/x", "to/e/in/x"), ("d/y", "to/e/y")):
        check(now[new] == before[old] and old not in now, (old, now))
    (p.root / "to/e/y").write_text("changed\n")
    for op in ops:
        _, fault = server.call("undo_file_change", operation=op)
        check(not fault, fault)
    check((p.root / "d/y").read_text() == "changed\n")
    (p.root / "d/y").write_text("y\n")
    check(tree(p.root) == before, tree(p.root))
    p.fine("redo", ops[2])
    check((p.root / "to/e/in/x").exists() and not (p.root / "d").exists())
    (p.root / "d").mkdir()
    code, _, said = p.run("undo", ops[2])
    check(code and "Already exists" in said, (code, said))
    check((p.root / "to/e/in/x").exists())
    server.kill()


def directories_made_are_operations(options, work):
    """V57: one for each; undo removes those that are empty still."""
    p = Place(options, work)
    server = p.serve()

    def make(path):
        return server.call("create_directory", path=f"{p.root}/{path}")

    op = done(make("a/b/c"))
    check([(o["kind"], os.path.relpath(o["path"], p.root)) for o in p.log()]
          == [("mkdir", "a/b/c"), ("mkdir", "a/b"), ("mkdir", "a")], p.log())
    check("operation" not in make("a/b")[0]["_meta"])
    (p.root / "a/x").write_text("x\n")
    _, fault = server.call("undo_file_change", operation=op)
    check(not fault, fault)
    check(sorted(os.listdir(p.root)) == ["a"]
          and os.listdir(p.root / "a") == ["x"], tree(p.root))
    server.kill()


def what_was_read_stays_read(options, work):
    """V69: Edit of a file that was read before it was moved, alone or with its
    directory, and not by its old name."""
    p = Place(options, work)
    fill(p)
    server = p.serve()
    for name in ("f", "d/in/x"):
        server.call("Read", file_path=f"{p.root}/{name}")
    done(move(server, p, "f", "g"))
    done(move(server, p, "d", "to/d"))
    for name, old in (("g", "f"), ("to/d/in/x", "1")):
        _, fault = server.call("Edit", file_path=f"{p.root}/{name}",
                               old_string=old, new_string="new")
        check(not fault, fault)
    (p.root / "f").write_text("another\n")
    reply = server.ask(server.request("Edit", file_path=f"{p.root}/f",
                                      old_string="another", new_string="n"))
    check("has not been read" in str(reply), reply)
    server.kill()


def rules_hold_for_both_names_and_beneath(options, work):
    """V21 V25 V67 V76: denied, hidden and ignored files, as source, as
    destination, and in a directory, which alone is named; plan mode."""
    p = Place(options, work)
    fill(p)
    (p.root / "secret").mkdir()
    (p.root / "d" / "in" / "key").write_text("k\n")
    (p.root / "ign").write_text("i\n")
    (p.root / ".stetignore").write_text("ign\nto/ign2\n")
    (p.root / ".stet").mkdir()
    before = tree(p.root)
    server = p.serve("--deny", "Edit(key)", "--deny",
                   "read(secret)", "--deny", "write(to/no)")
    for source, destination in (("secret", "x"), ("f", "secret/f"),
                                ("f", "to/no"), ("ign", "x"),
                                ("f", "to/ign2"), (".stet", "x"),
                                ("f", ".stet/f")):
        refused(move(server, p, source, destination), -32002)
    said = refused(move(server, p, "d", "to/d"), -32002)
    check(said == f"Path not allowed: {p.root}/to/d", said)
    for path in ("secret", "ign", "d/in/key", ".stet"):
        refused(server.call("delete_file", path=f"{p.root}/{path}"), -32002)
    for path in ("secret/x", "to/no", "to/ign2", ".stet/x", "to/no/x"):
        refused(server.call("create_directory", path=f"{p.root}/{path}"),
                -32002)
    server.kill()
    server = p.serve("--mode", "plan")
    refused(move(server, p, "f", "g"), -32002, "plan_mode")
    refused(server.call("create_directory", path=f"{p.root}/x"), -32002,
            "plan_mode")
    check(tree(p.root) == before)
    server.kill()


def a_repository_asks_and_an_answer_is_used(options, work):
    """V23 V68: a directory with .git in it asks; what would fail is not asked
    about; the answer is for this move only."""
    p = Place(options, work)
    fill(p)
    (p.root / "d" / ".git").mkdir()
    (p.root / "d" / ".git" / "HEAD").write_text("x\n")
    server = p.serve("--approval-wait", "0")
    refused(move(server, p, "d", "to"), -32014)
    refused(move(server, p, "d", "to/d"), -32007)
    check((p.root / "d").exists())
    queue = p.fine("approvals")
    check(f"move_file wants to move {p.root}/d to {p.root}/to/d" in queue
          and len(queue.splitlines()) < 12, queue)
    question = p.fine("approvals", "show", queue.split()[0])
    check("moves a directory with 3 files" in question, question)
    server.kill()


def what_is_deleted_comes_back(options, work):
    """V77 V83: a file with its bytes and mode, a link with its text, a
    directory; not a file that has changed since the caller read it."""
    p = Place(options, work)
    fill(p)
    (p.root / "f").write_bytes(b"\x00\xff\r\n")
    (p.root / "f").chmod(0o640)
    before = {name: (mode, what) for name, (mode, _, what)
              in tree(p.root).items()}
    server = p.serve()
    ops = [done(server.call("delete_file", path=f"{p.root}/{name}"))
           for name in ("f", "l", "to")]
    check(sorted(os.listdir(p.root)) == ["d"])
    kinds = [op["kind"] for op in p.log()]
    check(kinds == ["rmdir", "link", "delete"], kinds)
    for op in ops:
        _, fault = server.call("undo_file_change", operation=op)
        check(not fault, fault)
    after = {name: (mode, what) for name, (mode, _, what)
             in tree(p.root).items()}
    check(after == before, (after, before))
    p.fine("redo", ops[1])
    check(not os.path.lexists(p.root / "l"))
    server.call("Read", file_path=f"{p.root}/d/y")
    (p.root / "d" / "y").write_text("theirs\n")
    refused(server.call("delete_file", path=f"{p.root}/d/y"), -32013)
    server.call("Read", file_path=f"{p.root}/d/y")
    done(server.call("delete_file", path=f"{p.root}/d/y"))
    server.kill()


def a_copy_is_a_file_of_its_own(options, work):
    """V71 V75 V76: bytes, mode and attributes; undo removes it unless it was
    changed since; a hidden file is no source; it is read only if the source
    was."""
    p = Place(options, work)
    fill(p)
    (p.root / "f").chmod(0o640)
    try:
        os.setxattr(p.root / "f", "user.note", b"kept")
    except OSError as e: # a filesystem without them
        check(e.errno == errno.ENOTSUP, e)
    server = p.serve("--deny", "read(d/y)")

    def copy(source, destination):
        return server.call("copy_file", source=f"{p.root}/{source}",
                           destination=f"{p.root}/{destination}")

    first, second = done(copy("f", "g")), done(copy("f", "h"))
    check((p.root / "g").read_text() == "f\n"
          and (p.root / "g").stat().st_mode & 0o7777 == 0o640
          and os.listxattr(p.root / "g") == os.listxattr(p.root / "f")
          and (p.root / "g").stat().st_ino != (p.root / "f").stat().st_ino)
    ops = [op for op in p.log() if op["id"] == first]
    check(ops[0]["kind"] == "copy", ops)
    reply = server.ask(server.request("Edit", file_path=f"{p.root}/g",
                                      old_string="f", new_string="n"))
    check("has not been read" in str(reply), reply)
    (p.root / "h").write_text("changed\n")
    for op in (first, second):
        server.call("undo_file_change", operation=op)
    check(not (p.root / "g").exists()
          and (p.root / "h").read_text() == "changed\n")
    server.call("Read", file_path=f"{p.root}/f")
    done(copy("f", "g"))
    _, fault = server.call("Edit", file_path=f"{p.root}/g", old_string="f",
                           new_string="n")
    check(not fault, fault)
    refused(copy("d/y", "y"), -32002)
    check(not (p.root / "y").exists())
    server.kill()


def what_cannot_be_kept_is_not_deleted(options, work):
    """V81: a file above --max-file; the option is named."""
    p = Place(options, work)
    (p.root / "big").write_bytes(b"x" * 5000)
    server = p.serve("--max-file", "4096")
    _, fault = server.call("delete_file", path=f"{p.root}/big")
    check(fault and fault["code"] == -32006
          and "--max-file" in fault["data"]["hint"], fault)
    check((p.root / "big").stat().st_size == 5000)
    server.kill()


NAMES = [ # tool, arguments, the state before, the state after
    ("move_file", ["--source", "d", "--destination", "to/d"],
     {"d/x": "x\n", "to": None}, {"to/d/x": "x\n"}),
    ("create_directory", ["--path", "a/b"], {}, {"a/b": None}),
    ("delete_file", ["--path", "f"], {"f": "x\n"}, {}),
    ("delete_file", ["--path", "l"], {"l": ("x",)}, {}),
    ("copy_file", ["--source", "f", "--destination", "g"], {"f": "x\n"},
     {"f": "x\n", "g": "x\n"}),
]


def put(root, state):
    shutil.rmtree(root)
    root.mkdir()
    for name, what in state.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        if what is None:
            (root / name).mkdir()
        elif isinstance(what, tuple):
            (root / name).symlink_to(*what)
        else:
            (root / name).write_text(what)


def look(root):
    """Names and contents, without temporary files: a later change of the same
    name removes those."""
    return {name: what for name, (_, _, what) in tree(root).items()
            if ".stet-" not in name}


def killed_anywhere_names_and_history_agree(options, work):
    """V57 V58 V77: kill -9 before a system call: what was to be moved or deleted
    is there once or gone, and the log knows."""
    for tool, words, before, after in NAMES:
        p = Place(options, work, f"killed-{tool}-{words[1][0]}")
        states, want = set(), []
        for state in (after, before):
            put(p.root, state)
            want.append(look(p.root))
        n, step, ended = 1, 64, False
        while not ended:
            put(p.root, before)
            shutil.rmtree(p.state, ignore_errors=True)
            ended = subprocess.run(
                [os.environ["STET_KILL_AT"], str(n), str(options.program),
                 "call", tool, *words, "--state-dir", str(p.state),
                 "--durability", "process"], cwd=p.root, check=False,
                timeout=120, stdout=subprocess.DEVNULL,
                # LeakSanitizer does not work under ptrace
                env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
            ).returncode
            check(ended < 2, "cannot trace")
            log = p.log() # settles what was interrupted
            got = look(p.root)
            if tool == "create_directory" and set(got) == {"a"}:
                check(log, "a directory nobody knows of")
            else:
                check(got in want, (n, got))
                for op in log:
                    check(op["state"] == ("done" if got == want[0]
                                          else "failed"), (n, got, op))
            states.add(got == want[0])
            if log and step > 5: # it is near: look closely
                n, step, ended = max(n - step, 1), 5, False
            n += step
        check(states == {True, False}, (tool, states))


def nothing_that_appears_is_replaced(options, work):
    """V60: other programs create the destination all the time; what they wrote
    is never lost, and neither is what was to be moved."""
    p = Place(options, work)
    server = p.serve("--history=off")
    until, stop = time.monotonic() + options.seconds, threading.Event()
    made = []

    def create():
        n = 0
        while not stop.is_set():
            try:
                fd = os.open(p.root / f"to{n % 7}",
                             os.O_CREAT | os.O_EXCL | os.O_WRONLY)
                os.write(fd, b"theirs")
                os.close(fd)
                made.append(n)
            except FileExistsError:
                pass
            n += 1

    other = threading.Thread(target=create)
    other.start()
    moved = lost = 0
    try:
        while time.monotonic() < until or not moved:
            (p.root / "from").write_text("mine")
            _, fault = move(server, p, "from", "to3")
            if fault:
                check(fault["code"] == -32014, fault)
                check((p.root / "from").read_text() == "mine")
            else:
                check((p.root / "to3").read_text() == "mine")
                moved += 1
            for n in range(7):
                try:
                    os.unlink(p.root / f"to{n}")
                    lost += 1
                except FileNotFoundError:
                    pass
    finally:
        stop.set()
        other.join()
    left = sum(os.path.exists(p.root / f"to{n}") for n in range(7))
    check(lost + left == len(made) + moved, (lost, left, len(made), moved))
    server.kill()


def a_directory_stays_on_its_filesystem(options, work):
    """V65: to another filesystem it is refused, a file too, and nothing has
    moved."""
    p = Place(options, work)
    fill(p)
    here = os.stat(p.root).st_dev
    [other, *_] = [d for d in ("/dev/shm", "/tmp", "/var/tmp",
                               os.path.dirname(__file__))
                   if os.access(d, os.W_OK) and os.stat(d).st_dev != here]
    with tempfile.TemporaryDirectory(dir=other) as there:
        server = p.serve(there)
        before = tree(p.root)
        for name in ("d", "f"):
            said = refused(server.call("move_file", source=f"{p.root}/{name}",
                                       destination=f"{there}/{name}"), -32603)
            check(said == f"{there}/{name} is on another filesystem", said)
        check(tree(p.root) == before and not os.listdir(there))
        server.kill()


if __name__ == "__main__":
    sys.exit(run([what_is_moved_is_kept_and_can_be_undone,
                  directories_made_are_operations,
                  what_was_read_stays_read,
                  rules_hold_for_both_names_and_beneath,
                  a_repository_asks_and_an_answer_is_used,
                  what_is_deleted_comes_back,
                  a_copy_is_a_file_of_its_own,
                  what_cannot_be_kept_is_not_deleted,
                  killed_anywhere_names_and_history_agree,
                  nothing_that_appears_is_replaced,
                  a_directory_stays_on_its_filesystem]))
