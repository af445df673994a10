#!/usr/bin/env python3
"""locks.py [--slow] [--seconds N] PROGRAM [CASE...] - another user locks files
and directories that they can only read.

As root the attacker is the user nobody; otherwise another process of the same
user, which holds the same kind of lock.
"""
import fcntl
import os
import pathlib
import subprocess
import sys
import threading
import time

# Appended: tests/system/encodings.py must not shadow Python's module.
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "system"))
# pylint: disable=wrong-import-position
from talk import Talk, check, run

NOBODY = 65534

HOLD = """
import fcntl, os, sys
if os.getuid() == 0:
    os.setgroups([]); os.setgid(%d); os.setuid(%d)
held = []
for path in sys.argv[1:]:
    fd = os.open(path, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    held.append(fd)
print("held", flush=True)
sys.stdin.read()
""" % (NOBODY, NOBODY)


class Holder:
    """A process that holds flock on all these paths until the end of the
    block."""

    def __init__(self, *paths):
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLD, *map(str, paths)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self):
        check(self.process.stdout.readline() == b"held\n", "not held")
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def lock_file():
    return pathlib.Path(os.environ["HOME"], ".local/state/stet/locks/locks")


def open_to_all(work):
    """Permissions as in most projects: readable by everybody, writable by the
    owner."""
    os.chmod(work, 0o755)
    (work / "f").write_text("one\ntwo\n")
    (work / "linked").write_text("one\n")
    os.link(work / "linked", work / "other")
    for name in ("f", "linked"):
        os.chmod(work / name, 0o644)


def another_user_cannot_stop_a_change(options, work):
    """X17: the directory, the file and a file with two hard links are
    locked."""
    open_to_all(work)
    with Holder(work, work / "f", work / "linked"):
        server = Talk(options, work, "--approve=write_memory_entry")
        calls = [
            ("write_text_file", dict(path=str(work / "new"), content="n")),
            ("write_text_file", dict(path=str(work / "f"), content="one\n")),
            ("edit_text_file", dict(path=str(work / "f"), old_string="one",
                                    new_string="1")),
            ("edit_text_file", dict(path=str(work / "linked"),
                                    old_string="one", new_string="1")),
            ("write_text_file", dict(path=str(work / "other"),
                                     content="both names\n")),
            ("read_text_file", dict(path=str(work / "linked"))),
        ]
        for tool, arguments in calls:
            error = server.call(tool, **arguments)[1]
            check(not error, f"{tool} {arguments}: {error}")
        check((work / "f").read_text() == "1\n")
        check((work / "linked").read_text() == "both names\n")
        server.close()
        server.kill()
    check(not [n for n in os.listdir(work) if n.startswith(".stet-")],
          os.listdir(work))


def another_user_cannot_enter_where_the_locks_are(options, work):
    """X17: the directory of locks and its file are private."""
    (work / "f").write_text("one\n")
    server = Talk(options, work)
    check(not server.call("write_text_file", path=str(work / "f"),
                          content="two")[1])
    server.close()
    server.kill()
    for path, mode in ((lock_file().parent, 0o700), (lock_file(), 0o600)):
        st = path.stat()
        check(st.st_uid == os.getuid() and st.st_mode & 0o777 == mode,
              f"{path}: {st}")
    # one empty file for any number of directories
    check(os.listdir(lock_file().parent) == [lock_file().name])
    check(lock_file().stat().st_size == 0)


def processes_of_one_user_wait_for_each_other(options, work):
    """X17: the harmless counterpart: a private lock is waited for, and other
    calls are answered meanwhile."""
    for durability in ("power", "process"):
        (work / "f").write_text("before")
        server = Talk(options, work, f"--durability={durability}")
        check(not server.call("write_text_file", path=str(work / "f"),
                              content="at once")[1])
        with open(lock_file(), "r+b") as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX)
            waits = server.request("write_text_file", path=str(work / "f"),
                                   content="after")
            ping = {"jsonrpc": "2.0", "id": "ping", "method": "ping"}
            server.post(waits, ping)
            reply = server.reply()
            check(reply["id"] == "ping", reply)
            check((work / "f").read_text() == "at once", "it did not wait")
        check(server.reply()["id"] == waits["id"])
        check((work / "f").read_text() == "after", "it was not written")
        server.close()
        server.kill()


def count_up(server, path, until, done, refused, faults):
    """Increment the number in the file repeatedly."""
    while time.monotonic() < until:
        text = server.call("read_text_file", path=str(path))[0]["content"]
        error = server.call("edit_text_file", path=str(path),
                            old_string=text.strip(),
                            new_string=str(int(text) + 1))[1]
        if not error:
            done.append(1)
        elif error["code"] in (-32013, -32010):
            refused.append(1)
        else:
            faults.append(error)
            return


def strangers(options, work, flags, homes):
    """Servers without a common state directory increment the number in one
    file. Acknowledged increments are in it. A server that loses a race
    restores the other's content; a number read at that instant may be counted
    twice, so the result may exceed the acknowledged number, but not the
    attempts."""
    path, done, refused, faults = work / "n", [], [], []
    path.write_text("1000")
    servers = []
    for home in homes:
        servers.append(Talk(options, work, *flags,
                            env={**os.environ, "HOME": str(home)}))
    until = time.monotonic() + options.seconds
    threads = [threading.Thread(target=count_up,
                                args=(s, path, until, done, refused,
                                      faults))
               for s in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for server in servers:
        server.close()
        server.kill()
    check(not faults, faults)
    check(done, "nobody got anything done")
    made = int(path.read_text()) - 1000
    check(len(done) <= made <= len(done) + len(refused),
          f"{made} after {len(done)} edits, {len(refused)} refused")
    litter = [n for n in os.listdir(work) if n != "n"]
    check(not litter, litter)


def strangers_lose_no_edit_of_each_other(options, work):
    """X17: two containers or users, each with its own state directory:
    acknowledged changes are in the file, also while another process holds the
    flock."""
    homes = [work.parent / (work.name + f"-home{i}") for i in range(2)]
    os.chmod(work, 0o755)
    try:
        for home in homes:
            home.mkdir(mode=0o700)
        flags = ("--durability=process", "--history=off")
        strangers(options, work, flags, homes)
        with Holder(work):
            strangers(options, work, flags, homes)
    finally:
        for home in homes:
            subprocess.run(["rm", "-rf", str(home)], check=False)


def a_state_directory_that_cannot_be_used_stops_no_write(options, work):
    """X17: a lock file of another owner, or a full disk."""
    (work / "f").write_text("one\n")
    locks = lock_file().parent
    locks.parent.mkdir(parents=True, mode=0o700)
    for make in (lambda: locks.mkdir(mode=0o755),
                 lambda: locks.write_text("in the way"),
                 lambda: locks.symlink_to(work)):
        make()
        if locks.is_dir() and not locks.is_symlink():
            os.chmod(locks, 0o755)
        server = Talk(options, work, "--history=off")
        error = server.call("write_text_file", path=str(work / "f"),
                            content=str(make))[1]
        check(not error, error)
        server.close()
        server.kill()
        check(os.listdir(work) == ["f"], os.listdir(work))
        if locks.is_dir() and not locks.is_symlink():
            check(os.listdir(locks) == [], "it was used")
            locks.rmdir()
        else:
            locks.unlink()


if __name__ == "__main__":
    sys.exit(run([
        another_user_cannot_stop_a_change,
        another_user_cannot_enter_where_the_locks_are,
        processes_of_one_user_wait_for_each_other,
        strangers_lose_no_edit_of_each_other,
        a_state_directory_that_cannot_be_used_stops_no_write,
    ]))
