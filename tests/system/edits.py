#!/usr/bin/env python3
"""edits.py [--slow] PROGRAM [CASE...] - the tools that change one file, with
rules, history and the record of what was read.
"""
import sys

from talk import Talk, check, run


def place(work):
    root = work / "root"
    root.mkdir()
    return root


def ids(server):
    """The operations of the history, newest first."""
    got, error = server.call("file_history")
    check(not error, error)
    return [op["id"] for op in got["operations"]]


def a_dry_run_asks_nobody(options, work):
    """V111: edit_file with dryRun asks nobody, writes nothing and is no
    operation; the same call without it asks."""
    root = place(work)
    (root / "f").write_text("one\ntwo\n")
    server = Talk(options, root, "--ask", "write(**)", "--tools=all")
    edits = [{"oldText": "two", "newText": "2"}]
    dry, error = server.call("edit_file", path=f"{root}/f", edits=edits,
                             dryRun=True)
    check(not error and "-two\n+2\n" in dry["content"], error)
    check(ids(server) == [] and (root / "f").read_text() == "one\ntwo\n")
    _, error = server.call("edit_file", path=f"{root}/f", edits=edits)
    check(error["code"] == -32007, error)
    server.close()
    server.kill()


CASES = [
    a_dry_run_asks_nobody,
]

if __name__ == "__main__":
    sys.exit(run(CASES))
