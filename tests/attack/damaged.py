#!/usr/bin/env python3
"""damaged.py [--slow] PROGRAM [CASE...] - emptied state files: reported,
quarantined, and replaced.
"""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "system"))
# pylint: disable=wrong-import-position
from roots import Person
from port import OWNER, Http, Port
from talk import Talk, check, run


def change(p, text):
    path = p.put("f", "old\n")
    return p.stet("call", "write_text_file", "--path", path, "--content", text,
                  "--history", "on")


def an_emptied_history_is_told(options, work):
    """X14: a history.db of 0 bytes is quarantined with its log, which still
    has the content; a deleted one is created without a message."""
    p = Person(options, work)
    state = p.home / ".local/state/stet"
    got = change(p, "one\n")
    check(got[0] == 0, got)
    log = (state / "history.db-wal").read_bytes()
    check(log, "there is a log to lose")
    (state / "history.db").write_bytes(b"")
    # a reader reports it, and loses nothing
    status, _, said = p.stet("log")
    check(status and "truncated it to 0 bytes" in said, said)
    status, said, _ = p.stet("doctor")
    check(status == 0 and "damaged: " in said, said)
    status, _, said = change(p, "two\n")
    check(status == 0 and "the history was damaged" in said, said)
    aside = [f for f in state.glob("history.db.corrupt-*")
             if f.name.endswith("-wal")]
    check(len(aside) == 1 and aside[0].read_bytes()[:32] == log[:32], aside)
    status, said, _ = p.stet("doctor")
    check(f"quarantined: {aside[0]}" in said and "damaged: " not in said, said)
    # the harmless counterparts
    status, _, said = change(p, "three\n")
    check(status == 0 and "damaged" not in said, said)
    for file in state.glob("history.db*"):
        file.unlink()
    status, _, said = change(p, "four\n")
    check(status == 0 and "damaged" not in said, said)
    status, said, _ = p.stet("doctor")
    check("quarantined" not in said and "damaged" not in said, said)


def a_history_that_was_never_finished_is_no_damage(options, work):
    """X14: a process was killed right after it created history.db: a reader
    neither reports damage nor causes it."""
    p = Person(options, work)
    state = p.home / ".local/state/stet"
    state.mkdir(parents=True, mode=0o700)
    (state / "history.db").touch(0o600)
    for _ in range(2):
        status, _, said = p.stet("log")
        check(status == 0 and "emptied" not in said, (status, said))
    status, _, said = change(p, "one\n")
    check(status == 0 and "damaged" not in said, said)
    check(not list(state.glob("*.corrupt-*")), list(state.iterdir()))
    status, said, _ = p.stet("log")
    check(status == 0 and "write_text_file" in said, (status, said))


def undo_tells_of_a_damaged_history(options, work):
    """X14: the process that detects it reports it on stderr, without --log."""
    p = Person(options, work)
    check(change(p, "one\n")[0] == 0)
    (p.home / ".local/state/stet/history.db").write_bytes(b"")
    said = p.stet("undo")[2]
    check("the history was damaged and was moved to " in said, said)
    said = p.stet("undo")[2]
    check("damaged" not in said, said)


def status_of(port):
    """The status of the page, and the stderr of the server at its end."""
    http = Http(port)
    got = http.request("GET", "/api/status",
                       authorization=f"Bearer {OWNER}").json()
    http.close()
    return got, port.end().decode()


def the_page_tells_of_a_damaged_history(options, work):
    """X14: in its status, and the server on stderr."""
    state = work / "state"
    state.mkdir(mode=0o700)
    (work / "root").mkdir()
    words = ["--state-dir", str(state), "--history=on"]
    talk = Talk(options, work / "root", *words)
    check(talk.call("write_text_file", path=str(work / "root/f"),
                    content="one\n")[0])
    talk.close()
    talk.kill()
    (state / "history.db").write_bytes(b"")
    for damaged in (True, False):
        got, said = status_of(Port(options, work, *words))
        check(("it was damaged and was moved to " in got["history"]["problem"])
              == damaged, got["history"])
        check(("the history was damaged" in said) == damaged, said)


def a_damaged_list_of_tokens_opens_nothing(options, work):
    """X14: no token of it is accepted, which the server reports; a new list is
    begun beside it, with a message."""
    p = Person(options, work)
    state = p.home / ".local/state/stet"
    check(p.stet("token", "add", "one")[0] == 0)
    (state / "tokens").write_text("garbage\n")
    said = p.stet("doctor")[1]
    check("damaged: " in said and "tokens" in said, said)
    said = status_of(Port(options, work, "--state-dir", str(state)))[1]
    check("only the owner is admitted" in said, said)
    status, _, said = p.stet("token", "add", "two")
    check(status == 0 and "was damaged and was moved to tokens.damaged-" in said,
          said)
    aside, = state.glob("tokens.damaged-*")
    check(aside.read_text() == "garbage\n", aside)
    said = p.stet("doctor")[1]
    check(f"quarantined: {aside}" in said and "damaged: " not in said, said)
    status, said, _ = p.stet("token", "list")
    check(status == 0 and "two" in said and "one" not in said, said)
    # the harmless counterpart
    status, _, said = p.stet("token", "add", "three")
    check(status == 0 and "damaged" not in said, said)
    check(len(list(state.glob("tokens.damaged-*"))) == 1)


if __name__ == "__main__":
    sys.exit(run([
        an_emptied_history_is_told,
        a_history_that_was_never_finished_is_no_damage,
        undo_tells_of_a_damaged_history,
        the_page_tells_of_a_damaged_history,
        a_damaged_list_of_tokens_opens_nothing,
    ]))
