#!/usr/bin/env python3
"""places.py [--slow] [--seconds N] PROGRAM [CASE...] - links, directories and
roots are swapped during calls: the file that was judged is read and written,
or none.
"""
import contextlib
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "system"))
# pylint: disable=wrong-import-position
from port import OWNER, Http, Port
from talk import Talk, check, run

SWAP = """
import ctypes, sys
libc, one, two = ctypes.CDLL(None), *(p.encode() for p in sys.argv[1:])
while True:
    libc.renameat2(-100, one, -100, two, 2)
"""
ASKED, DENIED = -32007, -32002


def exchange(one, two):
    libc = ctypes.CDLL(None, use_errno=True)
    check(not libc.renameat2(-100, os.fsencode(one), -100, os.fsencode(two),
                             2), os.strerror(ctypes.get_errno()))


@contextlib.contextmanager
def swapping(one, two):
    """Swap the two names continuously; at the end @one is as before."""
    was = one.lstat().st_ino
    swapper = subprocess.Popen([sys.executable, "-c", SWAP, one, two])
    try:
        yield
    finally:
        swapper.kill()
        swapper.wait()
        if one.lstat().st_ino != was:
            exchange(one, two)


RACE_TIMEOUT = 40 # extra seconds for races with slow attempts


def rounds(options, enough=lambda: True):
    """At least one, for the duration of a race; longer until @enough."""
    end, i = time.monotonic() + options.seconds, 0
    while not i or time.monotonic() < end or \
            (not enough() and time.monotonic() < end + RACE_TIMEOUT):
        yield i
        i += 1


def met(**counts):
    """A race that one side never won proves nothing."""
    check(all(counts.values()), f"no race: {counts}")


def tree(folder):
    """{path: content} of a directory."""
    return {str(p.relative_to(folder)): p.read_bytes() if p.is_file() else None
            for p in sorted(folder.rglob("*"))}


def repository(work):
    """A project with a hook, a directory, and a link to the directory of
    hooks."""
    root = work / "root"
    for folder in (root / ".git/hooks", root / "dir"):
        folder.mkdir(parents=True)
        (folder / "f").write_text("old\n")
    os.symlink(".git/hooks", root / "link")
    return root, root / ".git/hooks"


def ended(talk):
    talk.close()
    talk.kill()


def faulted(talk, tool, **arguments):
    """The code of the error; 0 = success."""
    reply = talk.ask(talk.request(tool, **arguments))
    if "error" in reply:
        return reply["error"]["code"]
    if not reply["result"].get("isError"):
        return 0
    said = reply["result"].get("structuredContent", {})
    return said.get("error", {}).get("code") or said.get("errorCode") or 1


WRITES = {
    "write_text_file": lambda path, i: {"path": path, "content": f"{i}\n"},
    "edit_text_file": lambda path, i: {"path": path, "old_string": "\n",
                                       "new_string": f" {i}\n"},
    "Write": lambda path, i: {"file_path": path, "content": f"{i}\n"},
    "Edit": lambda path, i: {"file_path": path, "old_string": "\n",
                             "new_string": f" {i}\n"},
}


def no_write_lands_where_it_was_not_judged(options, work):
    """X15 A52: a directory and a link to .git/hooks are swapped: nothing is
    written there without approval, by any tool, for new and existing files."""
    root, hooks = repository(work)
    before = tree(hooks)
    for tool, arguments in WRITES.items():
        done = asked = 0
        talk = Talk(options, root, "--overwrite=always")
        with swapping(root / "dir", root / "link"):
            for i in rounds(options):
                name = "f" if "dit" in tool or i % 2 else f"new{i}"
                path = str(root / "dir" / name)
                if tool in ("Write", "Edit"):
                    faulted(talk, "Read", file_path=path)
                fault = faulted(talk, tool, **arguments(path, i))
                done, asked = done + (not fault), asked + (fault == ASKED)
                check(tree(hooks) == before, (tool, fault))
        met(tool=tool, done=done, asked=asked)
        ended(talk)


def no_denied_file_is_read(options, work):
    """X15 A52: no tool reads a denied file or reveals anything about it."""
    root = work / "root"
    for name, text in (("public", "fine\n"), ("private", "sesame\n")):
        (root / name).mkdir(parents=True)
        (root / name / "f").write_text(text)
    os.symlink("private", root / "link")
    for tool, key, path in (
            ("read_text_file", "path", str(root / "public/f")),
            ("Read", "file_path", str(root / "public/f")),
            ("read_repo_file", "path", "public/f")):
        talk = Talk(options, root, "--deny", "read(/private)")
        served = refused = 0
        with swapping(root / "public", root / "link"):
            for _ in rounds(options):
                got, fault = talk.call(tool, **{key: path})
                check("sesame" not in json.dumps([got, fault]), (tool, got))
                served, refused = served + bool(got), refused + bool(fault)
        met(tool=tool, served=served, refused=refused)
        ended(talk)


def no_failure_tells_of_a_denied_file(options, work):
    """A52: errors do not reveal existence, size or type of a denied file."""
    root = work / "root"
    (root / "private").mkdir(parents=True)
    (root / "private/large").write_bytes(b"x" * (3 << 20))
    (root / "private/binary").write_bytes(b"\0\1\2" * 100)
    (root / "private/folder").mkdir()
    os.symlink("private", root / "link")
    os.symlink("private/none", root / "dangling")
    talk = Talk(options, root, "--deny", "read(/private)",
                "--max-file=1M")
    for name in ("link/large", "link/binary", "link/folder", "link/none",
                 "dangling"):
        for tool, arguments in (
                ("read_text_file", {"path": str(root / name)}),
                ("edit_text_file", {"path": str(root / name),
                                    "old_string": "x", "new_string": "y"}),
                ("read_repo_file", {"path": name})):
            fault = talk.call(tool, **arguments)[1]
            check(fault and fault["code"] == DENIED, (tool, name, fault))
    (root / "f").write_bytes(b"x" * (3 << 20))
    fault = talk.call("edit_text_file", path=str(root / "f"), old_string="x",
                      new_string="y")[1]
    check(fault["code"] == -32006, fault)
    fault = talk.call("read_text_file", path=str(root / "none"))[1]
    check(fault["code"] == -32001, fault)
    ended(talk)


def no_way_back_tells_of_a_denied_directory(options, work):
    """A52: HIDDEN/NAME/../../f does not reveal whether NAME exists and what it
    is, directly or through a link to HIDDEN or NAME. The harmless counterparts
    go through a visible directory."""
    root = work / "root"
    for folder in ("hid/folder/sub", "src/folder/sub"):
        (root / folder).mkdir(parents=True)
        (root / folder / "../../file").resolve().write_text("x\n")
        os.symlink("../open", (root / folder).parents[1] / "link")
    (root / "open").write_text("old\n")
    for name, to in (("way", "hid"), ("there", "hid/folder"),
                     ("dangling", "hid/none"), ("seen", "src")):
        os.symlink(to, root / name)
    back = {"folder": "../..", "file": "../..", "none": "../..",
            "link": "../..", "folder/sub": "../../..", "folder/.": "../..",
            "none/none": "../../..", "folder/../none": "../.."}
    ways = [f"{hid}/{name}/{up}" for name, up in back.items()
            for hid in ("hid", "way", "src/../hid", "seen/../way")]
    ways += ["there/..", "dangling/..", "there/sub/../.."]
    for rule in ("read(/hid)", "read(/hid/**)"):
        talk = Talk(options, root, "--deny", rule, "--history=on")
        for tool, key, more in (
                ("read_text_file", "path", {}), ("Read", "file_path", {}),
                ("write_text_file", "path", {"content": "old\n"}),
                ("edit_text_file", "path", {"old_string": "zz",
                                            "new_string": "y"}),
                ("file_history", "path", {})):
            said = set()
            for way in ways:
                path = f"{root}/{way}/open"
                fault = talk.call(tool, **{key: path}, **more)[1]
                said.add(json.dumps(fault).replace(path, "PATH"))
            check(len(said) == 1 and str(DENIED) in str(said),
                  (rule, tool, said))
        for way in ("src/folder/../..", "seen/folder/../..", "src/..",
                    "src/folder/sub/../../.."):
            got, fault = talk.call("read_text_file",
                                   path=f"{root}/{way}/open")
            check(got and got["content"] == "old\n", (way, fault))
        fault = talk.call("read_text_file",
                          path=f"{root}/src/none/../../open")[1]
        check(fault["code"] == -32001, fault)
        ended(talk)


def no_entry_lands_elsewhere(options, work):
    """A52: the directory of the memory file and a link to the hooks are
    swapped."""
    root, hooks = repository(work)
    memory = root / ".claude/memory"
    memory.mkdir(parents=True)
    os.symlink("../.git/hooks", root / ".claude/link")
    before, done, refused = tree(hooks), 0, 0
    talk = Talk(options, root, "--approve=write_memory_entry")
    with swapping(memory, root / ".claude/link"):
        for i in rounds(options):
            fault = talk.call("write_memory_entry", file="best_practices.md",
                              entry=f"entry {i}")[1]
            done, refused = done + (not fault), refused + bool(fault)
            check(tree(hooks) == before, fault)
    met(done=done, refused=refused)
    lines = (memory / "best_practices.md").read_text().splitlines()
    check(len(lines) == done, (len(lines), done))
    ended(talk)


def no_undo_lands_elsewhere(options, work):
    """C101: undo_file_change, alternating with a write."""
    root, hooks = repository(work)
    done = refused = 0
    talk = Talk(options, root, "--overwrite=always")
    path = str(root / "dir/f")
    check(not talk.call("write_text_file", path=path, content="new\n")[1])
    (hooks / "f").write_text("new\n")
    before = tree(hooks)
    with swapping(root / "dir", root / "link"):
        for _ in rounds(options):
            fault = talk.call("undo_file_change", path=path)[1]
            done, refused = done + (not fault), refused + bool(fault)
            check(tree(hooks) == before, fault)
            talk.call("write_text_file", path=path, content="new\n")
            check(tree(hooks) == before)
    met(done=done, refused=refused)
    ended(talk)


class Person:
    """A project, a directory outside of it, and a history."""

    def __init__(self, options, work):
        self.program, self.work = str(options.program), work
        self.root, self.out = work / "root", work / "out"
        for folder in (self.root / "dir", self.out):
            folder.mkdir(parents=True)
            (folder / "f").write_text("old\n")
        os.symlink(self.out, self.root / "link")
        self.file = self.root / "dir/f"
        talk = Talk(options, self.root)
        got, fault = talk.call("write_text_file", path=str(self.file),
                               content="new\n")
        check(not fault, fault)
        self.op = got["_meta"]["operation"]
        ended(talk)
        (self.out / "f").write_text("new\n")
        self.before = tree(self.out)

    def stet(self, *words):
        done = subprocess.run([self.program, *map(str, words)], cwd=self.work,
                              capture_output=True, text=True, timeout=120,
                              check=False)
        check(tree(self.out) == self.before, (words, done))
        return done


def no_command_writes_through_a_link(options, work):
    """C101 C102 C103: stet undo, redo and restore, where a directory is
    replaced by a link to the outside, before or during the command."""
    p = Person(options, work)
    exchange(p.root / "dir", p.root / "link")
    for words in (["undo", p.op], ["restore", p.file, "--at", p.op]):
        done = p.stet(*words)
        check(done.returncode, done)
    done = p.stet("undo", p.op)
    check("symlink" in done.stderr, done)
    exchange(p.root / "dir", p.root / "link")
    for words in (["undo", p.file], ["redo", p.file],
                  ["restore", p.file, "--at", p.op]):
        ends = []
        with swapping(p.root / "dir", p.root / "link"):
            for _ in rounds(options, lambda ends=ends: len(set(ends)) > 1):
                ends.append(p.stet(*words).returncode == 0)
                p.stet("redo" if words[0] == "undo" else "undo", p.file)
        met(words=words[0], done=ends.count(True),
            refused=ends.count(False))
    # the harmless counterpart: without a swap
    p.file.write_text("other\n")
    done = p.stet("restore", p.file, "--at", p.op)
    check(not done.returncode and p.file.read_text() == "new\n", done)
    done = p.stet("undo", p.file)
    check(not done.returncode and p.file.read_text() == "other\n", done)


def replaced(root):
    """Replace a directory by a copy."""
    old = root.with_name("before")
    root.rename(old)
    (root / "dir").mkdir(parents=True)
    (root / "dir/f").write_text("new\n")
    return old


def a_root_that_was_replaced_needs_a_word(options, work):
    """C101 C103: the history belongs to the old directory; --recreated
    confirms the new one. A root that became a link is always refused."""
    p = Person(options, work)
    old = replaced(p.root)
    for words in (["undo", p.op], ["restore", p.file, "--at", p.op]):
        done = p.stet(*words)
        check(done.returncode == 4 and "is not the same" in done.stderr and
              "--recreated" in done.stderr, done)
        check((p.file.read_text(), (old / "dir/f").read_text()) ==
              ("new\n", "new\n"), done)
    talk = Talk(options, p.root)
    fault = talk.call("undo_file_change", operation=p.op)[1]
    check(fault and fault["code"] == DENIED, fault)
    ended(talk)
    done = p.stet("undo", p.op, "--recreated")
    check(not done.returncode and p.file.read_text() == "old\n", done)
    check((old / "dir/f").read_text() == "new\n", done)
    p.root.rename(work / "again")
    done = p.stet("redo", p.op)
    check(done.returncode == 4 and "does not exist any more" in done.stderr, done)
    os.symlink(old, p.root)
    for more in ([], ["--recreated"]):
        done = p.stet("redo", p.op, *more)
        check(done.returncode == 4 and "symlink" in done.stderr, done)
        check((old / "dir/f").read_text() == "new\n", done)
    # the harmless counterpart: moved away and back
    p.root.unlink()
    (work / "again").rename(p.root)
    done = p.stet("redo", p.op)
    check(not done.returncode and p.file.read_text() == "new\n", done)


def post(port, path, body):
    http = Http(port)
    got = http.request("POST", path, json.dumps(body).encode(),
                       authorization=f"Bearer {OWNER}")
    http.close()
    return got


def the_page_writes_through_no_link(options, work):
    """port: the same for undo and restore on the page."""
    os.environ["HOME"] = str(work) # as the server of the page stores it
    p = Person(options, work)
    with Port(options, work) as port:
        undo = f"/api/history/{p.op}/undo"
        calls = ((undo, {}), ("/api/restore", {"path": str(p.file),
                                               "at": p.op}))
        exchange(p.root / "dir", p.root / "link")
        for path, body in calls:
            got = post(port, path, body)
            check(got.status >= 400 and b"symlink" in got.body, got)
            check(tree(p.out) == p.before, got)
        exchange(p.root / "dir", p.root / "link")
        done = refused = 0
        with swapping(p.root / "dir", p.root / "link"):
            for i in rounds(options):
                path, body = calls[i % 2]
                status = post(port, path, body).status
                done, refused = done + (status < 400), refused + (status > 399)
                check(tree(p.out) == p.before, (path, status))
        met(done=done, refused=refused)


def a_root_that_became_a_link_is_not_written(options, work):
    """X15: the root itself and a link to the outside are swapped."""
    root, out = work / "root", work / "out"
    for folder in (root, out):
        folder.mkdir()
        (folder / "f").write_text("old\n")
    os.symlink("out", work / "link")
    before, done, refused = tree(out), 0, 0
    talk = Talk(options, root, "--overwrite=always")
    with swapping(root, work / "link"):
        for i in rounds(options):
            fault = talk.call("write_text_file", path=str(root / "f"),
                              content=f"{i}\n")[1]
            done, refused = done + (not fault), refused + bool(fault)
            check(tree(out) == before, fault)
    met(done=done, refused=refused)
    ended(talk)


def links_that_stay_work_as_ever(options, work):
    """The harmless counterpart: links within the root to a file and to a
    directory are read, written, edited, undone, and stay links."""
    root = work / "root"
    (root / "dir").mkdir(parents=True)
    (root / "dir/f").write_text("old\n")
    os.symlink("dir", root / "folder")
    os.symlink("dir/f", root / "file")
    os.symlink("dir/new", root / "dangling")
    talk = Talk(options, root, "--overwrite=always")
    for name in ("folder/f", "file"):
        path = str(root / name)
        (root / "dir/f").write_text("old\n")
        check(talk.call("read_text_file", path=path)[0]["content"] == "old\n")
        check(talk.call("read_repo_file", path=name)[0]["content"] == "old\n")
        for tool, arguments in WRITES.items():
            if tool in ("Write", "Edit"):
                check(not talk.call("Read", file_path=path)[1])
            fault = talk.call(tool, **arguments(path, tool))[1]
            check(not fault, (tool, fault))
            check(tool in (root / "dir/f").read_text(), tool)
        check(talk.call("file_history", path=path)[0]["operations"])
        fault = talk.call("undo_file_change", path=path)[1]
        check(not fault, fault)
        check("Edit" not in (root / "dir/f").read_text(), name)
        done = subprocess.run([options.program, "undo", path], check=False,
                              capture_output=True)
        check(not done.returncode, done)
        check("Write" not in (root / "dir/f").read_text(), name)
    fault = talk.call("write_text_file", path=str(root / "dangling"),
                      content="made\n")[1]
    check(not fault and (root / "dir/new").read_text() == "made\n", fault)
    for name, to in (("folder", "dir"), ("file", "dir/f"),
                     ("dangling", "dir/new")):
        check(os.readlink(root / name) == to, name)
    ended(talk)


if __name__ == "__main__":
    sys.exit(run([
        no_write_lands_where_it_was_not_judged,
        no_denied_file_is_read,
        no_failure_tells_of_a_denied_file,
        no_way_back_tells_of_a_denied_directory,
        no_entry_lands_elsewhere,
        no_undo_lands_elsewhere,
        no_command_writes_through_a_link,
        a_root_that_was_replaced_needs_a_word,
        the_page_writes_through_no_link,
        a_root_that_became_a_link_is_not_written,
        links_that_stay_work_as_ever,
    ]))
