#!/usr/bin/env python3
"""damaged.py [--slow] PROGRAM [CASE...] - state files that somebody emptied:
told in words, put aside, and stet goes on.
"""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "system"))
# pylint: disable=wrong-import-position
from roots import Person
from talk import check, run


def change(p, text):
    path = p.put("f", "old\n")
    return p.stet("call", "write_text_file", "--path", path, "--content", text,
                  "--history", "on", "--log", "error")


def an_emptied_history_is_told(options, work):
    """X14: history.db of 0 bytes is put aside with its log, which keeps what
    was in there; one that was deleted is made anew without a word."""
    p = Person(options, work)
    state = p.home / ".local/state/stet"
    got = change(p, "one\n")
    check(got[0] == 0, got)
    log = (state / "history.db-wal").read_bytes()
    check(log, "there is a log to lose")
    (state / "history.db").write_bytes(b"")
    status, _, said = change(p, "two\n")
    check(status == 0 and "the history was damaged" in said, said)
    aside = [f for f in state.glob("history.db.corrupt-*")
             if f.name.endswith("-wal")]
    check(len(aside) == 1 and aside[0].read_bytes()[:32] == log[:32], aside)
    # the harmless twins
    status, _, said = change(p, "three\n")
    check(status == 0 and "damaged" not in said, said)
    for file in state.glob("history.db*"):
        file.unlink()
    status, _, said = change(p, "four\n")
    check(status == 0 and "damaged" not in said, said)


if __name__ == "__main__":
    sys.exit(run([
        an_emptied_history_is_told,
    ]))
