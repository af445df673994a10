#!/usr/bin/env python3
"""kept.py [--slow] PROGRAM [CASE...] - what the history records of a change,
and what happens when it cannot.
"""
import os
import pathlib
import sqlite3
import subprocess
import sys

from port import until
from server import Server, handshake
from talk import Skipped, Talk, check, confine, run


def database():
    return pathlib.Path(os.environ["HOME"]) / ".local/state/stet/history.db"


def rows(sql):
    with sqlite3.connect(f"file:{database()}?mode=ro", uri=True) as db:
        return db.execute(sql).fetchall()


def client(options, root, name, *flags):
    """A server whose client declares that name."""
    server = Talk(options, root, *flags, modern=True)
    info = {"io.modelcontextprotocol/clientInfo":
            {"name": name, "version": "7.1"}}
    server.named = lambda tool, **arguments: server.ask(
        server.request(tool, info, **arguments))["result"]
    return server


def every_change_is_written_down(options, work):
    """C27 C65 C66 C67 C68 C102: path, UUID, time and old content; one row per
    change, none for a call without effect."""
    file = work / "a.txt"
    server = Talk(options, work)
    got, error = server.call("write_text_file", path=str(file), content="one\n")
    check(not error, error)
    name = got["_meta"]["operation"]
    check(name[14] == "7" and len(name) == 36, name)
    server.call("edit_text_file", path=str(file), old_string="one",
                new_string="two")
    server.call("multi_edit_text_file", path=str(file), edits=[
        {"old_string": "two", "new_string": "three"}])
    server.call("write_text_file", path=str(file), content="three\n")
    check(server.call("edit_text_file", path=str(file), old_string="nothing",
                      new_string="x")[1])
    server.close()
    server.kill()
    found = rows("SELECT lower(hex(id)), path, tool, state, existed, time,"
                 " lower(hex(before)) FROM op ORDER BY n")
    check([(f[1], f[2], f[3], f[4]) for f in found] == [
        (str(file), "write_text_file", 1, 0),
        (str(file), "edit_text_file", 1, 1),
        (str(file), "multi_edit_text_file", 1, 1)], found)
    check(found[0][0] == name.replace("-", ""), found)
    check(all(f[5] > 1700000000000 for f in found), found)
    check(found[1][6] == got["_meta"]["version"], (found, got))


def who_changed_it_and_when(options, work):
    """A69 M70: the error names the client, the tool and the time of the
    change."""
    file = work / "a.txt"
    file.write_text("one\n")
    mine, theirs = client(options, work, "mine"), client(options, work, "theirs")
    seen = mine.named("read_text_file", path=str(file))
    version = seen["structuredContent"]["_meta"]["version"]
    theirs.named("edit_text_file", path=str(file), old_string="one",
                 new_string="two")
    reply = mine.named("edit_text_file", path=str(file), old_string="one",
                       new_string="three", if_version=version)
    check(reply.get("isError"), reply)
    error = reply["structuredContent"]["error"]
    check(error["code"] == -32013, error)
    by = error["data"]["by"]
    check(by["client"] == "theirs 7.1" and by["tool"] == "edit_text_file", by)
    check(by["time"].endswith("Z") and len(by["operation"]) == 36, by)
    check("theirs 7.1" in error["data"]["hint"], error)
    # A change by another program is attributed to no client.
    file.write_text("by hand\n")
    error = mine.named("write_text_file", path=str(file), content="x",
                       if_version=version)["structuredContent"]["error"]
    check(error["code"] == -32013 and "by" not in error["data"], error)
    for server in (mine, theirs):
        server.close()
        server.kill()


def spoil(kind):
    """Make the state directory unusable."""
    state = database().parent
    if kind == "file":
        state.parent.mkdir(parents=True)
        state.write_text("in the way")
    elif kind == "foreign":
        state.mkdir(parents=True)
        database().write_bytes(b"")
        os.chmod(state, 0o777)


def without_history_the_work_goes_on(options, work):
    """C27 C103: a change that cannot be recorded is made, and the result says
    so; with --history=required it is refused; with off nothing is said."""
    for kind in ("file", "foreign"):
        os.system(f"rm -rf '{os.environ['HOME']}/.local'")
        spoil(kind)
        for flag, made in (("on", True), ("required", False), ("off", True)):
            file = work / f"{kind}-{flag}"
            file.write_text("old\n")
            server = Talk(options, work, "--history", flag)
            got, error = server.call("write_text_file", path=str(file),
                                     content="new\n")
            server.close()
            server.kill()
            check(file.read_text() == ("new\n" if made else "old\n"), flag)
            check(bool(error) != made, error)
            if flag == "on":
                check("history" in got["_meta"], got)
                check("operation" not in got["_meta"], got)
            if flag == "required":
                check("history cannot be used" in error["message"], error)
            if flag == "off":
                check("history" not in got["_meta"], got)
        check(not list(work.glob(".stet-*")), list(work.iterdir()))


class Elsewhere(Talk):
    """A server in a pid namespace of its own."""

    def __init__(self, options, root):
        # pylint: disable=super-init-not-called,non-parent-init-called
        Server.__init__(self, [*ELSEWHERE, str(options.program), "serve",
                               str(root)], options.slow)
        self.modern, self.last = False, 0
        handshake(self)


ELSEWHERE = ["unshare", "-rpf", "--kill-child"]


def in_the_middle(options, work):
    """A server that has changed the file "mine" and waits in its hook before
    the operation ends, while the file "at" exists."""
    hook = work / "hook"
    hook.write_text(f"#!/bin/sh\n: >{work}/at\n"
                    f"while [ -e {work}/at ]; do sleep 0.02; done\n")
    hook.chmod(0o755)
    server = Talk(options, work / "root", "--after-edit", str(hook),
                  "--hook-timeout", "600000")
    (work / "root/mine").write_text("one\n")
    server.post(server.request("edit_text_file", path=str(work / "root/mine"),
                               old_string="one", new_string="two"))
    until((work / "at").exists, server.timeout)
    return server


def has_looked(server, work):
    """Make the first call of a server, which runs recovery."""
    fault = server.call("write_text_file", path=str(work / "root/other"),
                        content=f"{os.urandom(4).hex()}\n")[1]
    check(not fault, fault)
    server.close()
    server.kill()


def states():
    """The states of the operations on "mine"."""
    return [row[0] for row in rows(
        "SELECT state FROM op WHERE path LIKE '%/mine' ORDER BY n")]


def whoever_is_at_work_is_left_alone(options, work):
    """C83: recovery completes an operation only if the process that began it
    is dead, in whatever PID namespace."""
    (work / "root").mkdir()
    server = in_the_middle(options, work)
    has_looked(Talk(options, work / "root"), work)
    check(states() == [0], states())
    (work / "at").unlink()
    check("result" in server.reply())
    server.close()
    server.kill()
    check(states() == [1], states())

    server = in_the_middle(options, work)
    server.process.kill()
    server.process.wait()
    check(states() == [1, 0], states())
    has_looked(Talk(options, work / "root"), work)
    check(states() == [1, 1], states())


def a_process_of_another_namespace_is_left_alone(options, work):
    """C83: its PID means nothing in this namespace."""
    if subprocess.run([*ELSEWHERE, "true"], check=False,
                      capture_output=True).returncode:
        check(os.geteuid(), "root may make namespaces")
        raise Skipped("it takes root, or a system where users may make "
                      "namespaces")
    (work / "root").mkdir()
    server = in_the_middle(options, work)
    has_looked(Elsewhere(options, work / "root"), work)
    check(states() == [0], "seen from another pid namespace")
    (work / "at").unlink()
    check("result" in server.reply())
    server.close()
    server.kill()


def who_only_reads_leaves_no_trace(options, work):
    """C103 X01: a server that only reads creates no history; with Landlock an
    empty state directory, which its rules need."""
    (work / "a").write_text("x\n")
    home = os.environ["HOME"]
    for flag in ("off", "syscalls", "on"):
        server = Talk(options, work, confine(options, flag))
        check(not server.call("read_text_file", path=str(work / "a"))[1])
        server.close()
        server.kill()
        if flag != "on":
            check(os.listdir(home) == [], os.listdir(home))
    left = [os.path.relpath(os.path.join(at, name), home)
            for at, dirs, files in os.walk(home) for name in dirs + files]
    check(left in ([], [".local", ".local/state", ".local/state/stet"]), left)


if __name__ == "__main__":
    sys.exit(run([every_change_is_written_down, who_changed_it_and_when,
                  without_history_the_work_goes_on,
                  whoever_is_at_work_is_left_alone,
                  a_process_of_another_namespace_is_left_alone,
                  who_only_reads_leaves_no_trace]))
