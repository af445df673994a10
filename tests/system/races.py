#!/usr/bin/env python3
"""races.py [--slow] PROGRAM [CASE...] - other processes change files
while a server works on them."""
import os
import shutil
import subprocess
import sys
import threading
import time

from talk import Talk, check, confine, result_of, run

SWAP = """
import ctypes, sys
libc, one, two = ctypes.CDLL(None), *(p.encode() for p in sys.argv[1:])
while True:
    libc.renameat2(-100, one, -100, two, 2)
"""


def swapping(one, two):
    return subprocess.Popen([sys.executable, "-c", SWAP, str(one), str(two)])


def a_swapped_directory_is_no_way_out(options, work):
    """X15: a directory is replaced by a symlink to the outside during
    calls."""
    root, out = work / "root", work / "out"
    for folder in (root / "sub", out):
        folder.mkdir(parents=True)
        (folder / "f").write_text(folder.name)
    os.symlink(out, root / "link")
    server, swapper = Talk(options, root), swapping(root / "sub",
                                                    root / "link")
    inside = outside = 0
    end = time.monotonic() + 5
    try:
        while time.monotonic() < end:
            path = str(root / "sub/f")
            got, fault = server.call("read_text_file", path=path)
            check(fault or "out" not in got["content"], "read an outside file")
            inside, outside = inside + bool(got), outside + bool(fault)
            server.call("write_text_file", path=path, content="sub 1")
            server.call("edit_text_file", path=path, old_string="sub",
                        new_string="sub sub")
            server.call("write_text_file", path=str(root / "sub/new"),
                        content="x")
            check((out / "f").read_text() == "out", "wrote an outside file")
            check(os.listdir(out) == ["f"], "made an outside file")
    finally:
        swapper.kill()
        swapper.wait()
    check(inside and outside, f"no race: {inside} inside, {outside} outside")
    server.close()
    server.kill()


def pipelined_edits_all_take_effect(options, work):
    """X17 M54: 60 edits of one file, sent at once, in both eras."""
    file = work / "f"
    for modern in (False, True):
        file.write_text("".join(f"<old {i}>\n" for i in range(60)))
        server = Talk(options, work, modern=modern)
        server.post(*(server.request(
            "edit_text_file", path=str(file), old_string=f"<old {i}>",
            new_string=f"<new {i}>") for i in range(60)))
        for i in range(60):
            check(not result_of(server.reply())[1], "an edit failed")
        check(file.read_text() == "".join(
            f"<new {i}>\n" for i in range(60)), file.read_text())
        server.close()
        server.kill()


def edit_all(options, work, name, mine, lines, faults):
    server = Talk(options, work)
    for i in range(mine, lines, 2):
        fault = server.call("edit_text_file", path=str(work / name),
                            old_string=f"<old {i}>",
                            new_string=f"<new {i}>")[1]
        if fault:
            faults.append(fault)
    server.close()
    server.kill()


def two_edit(options, work, names):
    lines, faults, torn = 120, [], []
    first = work / names[0]
    first.write_text("".join(f"<old {i}>\n" for i in range(lines)))
    for other in names[1:]:
        os.link(first, work / other)
    threads = [threading.Thread(
        target=edit_all, args=(options, work, names[k % len(names)], k, lines,
                               faults)) for k in range(2)]
    reader = Talk(options, work)
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        text = reader.call("read_text_file", path=str(first))[0]["content"]
        if text.count(">\n") != lines or len(text.split("\n")) != lines + 1:
            torn.append(text)
    for thread in threads:
        thread.join()
    reader.close()
    reader.kill()
    check(not faults, faults)
    check(not torn, torn[:1])
    check(first.read_text() == "".join(f"<new {i}>\n" for i in range(lines)),
          first.read_text())
    check(sorted(os.listdir(work)) == sorted(names), os.listdir(work))


def two_processes_lose_no_edit(options, work):
    """X17 W60 M54: each edit takes effect, none is refused, no read is torn."""
    two_edit(options, work, ["f"])


def two_processes_lose_no_edit_of_a_linked_file(options, work):
    """X17 W59 W60: the same for a file with two hard links."""
    two_edit(options, work, ["f", "g"])


def write_often(options, work, mine, faults):
    server = Talk(options, work, "--overwrite=always")
    for i in range(60):
        fault = server.call("write_text_file", path=str(work / "f"),
                            content=f"{mine} {i}\n" * 100)[1]
        if fault:
            faults.append(fault)
    server.close()
    server.kill()


def two_writers_do_not_refuse_each_other(options, work):
    """X17 W33: with --overwrite=always writes need no prior read, and are not
    mixed."""
    faults = []
    threads = [threading.Thread(target=write_often,
                                args=(options, work, k, faults))
               for k in range(2)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        if (work / "f").exists():
            text = (work / "f").read_text()
            check(text == (text.split("\n")[0] + "\n") * 100, text)
    check(not faults, faults)
    check(os.listdir(work) == ["f"], os.listdir(work))


def what_was_said_is_on_disk(options, work):
    """A69 A71 W33: reported size and version equal those seen by stat and by
    another server."""
    file = work / "f"
    edit = {"old_string": "<1>", "new_string": "<1> and more"}
    for linked in (False, True):
        for size in (0, 1, 4096, 70000, 3 << 20):
            writer, reader = (Talk(options, work, "--durability=process")
                              for _ in range(2))
            text = "<1>\n" + "x" * size
            for tool, more in (("write_text_file", {"content": text}),
                               ("edit_text_file", edit),
                               ("multi_edit_text_file", {"edits": [edit]})):
                said, fault = writer.call(tool, path=str(file), **more)
                check(not fault, fault)
                if tool == "write_text_file":
                    check(said["bytes_written"] == file.stat().st_size, said)
                else:
                    text = text.replace("<1>", "<1> and more")
                check(file.read_text() == text, "other bytes")
                seen = reader.call("read_text_file", path=str(file),
                                   limit=1)[0]
                check(seen["_meta"]["version"] == said["_meta"]["version"],
                      (tool, size, seen, said["_meta"]))
            for talk in (writer, reader):
                talk.close()
                talk.kill()
        file.write_text("")
        if not linked:
            os.link(file, work / "g")


def a_root_that_is_made_anew_is_served(options, work):
    """X15: a root is deleted or moved and created again while an unconfined
    server runs (attack/confine.py has a confined one)."""
    root = work / "project"
    git = ["git", "-c", "init.defaultBranch=main", "-c", "user.name=t",
           "-c", "user.email=t@t", "-C", str(work / "origin")]
    (work / "origin").mkdir()
    (work / "origin/a").write_text("from git\n")
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run(git + command, check=True)
    root.mkdir()
    (root / "a").write_text("before\n")
    talk = Talk(options, root, confine(options, "syscalls"))
    for away in (lambda: shutil.rmtree(root),
                 lambda: root.rename(work / "moved")):
        check(talk.call("read_text_file", path=str(root / "a"))[0])
        away()
        subprocess.run(["git", "clone", "-q", str(work / "origin"),
                        str(root)], check=True)
        got, fault = talk.call("read_text_file", path=str(root / "a"))
        check(got and got["content"] == "from git\n", fault or got)
        fault = talk.call("edit_text_file", path=str(root / "a"),
                          old_string="git", new_string="stet")[1]
        check(not fault, fault)
        check((root / "a").read_text() == "from stet\n", "elsewhere")
    check((work / "moved/a").read_text() == "from stet\n", "moved")
    talk.close()
    talk.kill()


if __name__ == "__main__":
    sys.exit(run([
        a_swapped_directory_is_no_way_out,
        pipelined_edits_all_take_effect,
        two_processes_lose_no_edit,
        two_processes_lose_no_edit_of_a_linked_file,
        two_writers_do_not_refuse_each_other,
        what_was_said_is_on_disk,
        a_root_that_is_made_anew_is_served,
    ]))
