#!/usr/bin/env python3
"""waiting.py [--slow] PROGRAM [CASE...] - calls that take long or are
cancelled.
"""
import fcntl
import os
import pathlib
import signal
import sys
import time

from talk import Talk, check, left, lines_of, result_of, run


def hold_locks():
    """Hold every lock of this user, as another process of theirs might."""
    place = pathlib.Path(os.environ["HOME"], ".local/state/stet/locks")
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = open(place / "locks", "a+b")
    os.chmod(place / "locks", 0o1600)
    fcntl.lockf(lock, fcntl.LOCK_EX)
    return lock


def cancelled(request):
    return {"jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": request["id"]}}


def a_cancelled_call_has_no_effect_and_no_reply(options, work):
    """X03: a running and a waiting call are cancelled; a third one is
    answered."""
    lines_of(work / "large", 200)
    for modern in (False, True):
        server = Talk(options, work, modern=modern)
        runs = server.request("read_text_file", path=str(work / "large"),
                              line=2, limit=1)
        waits = server.request("write_text_file", path=str(work / "new"),
                               content="x")
        last = server.request("hello")
        server.post(runs, waits, cancelled(waits), cancelled(runs),
                    cancelled({"id": "nobody's"}), last)
        reply = server.reply()
        if reply["id"] == runs["id"]: # the change was made before the cancel
            reply = server.reply()
        check(reply["id"] == last["id"], reply)
        check(not (work / "new").exists(), "it was written")
        server.close()
        server.kill()


def nobody_waits_long_for_a_lock(options, work):
    """X03 X07: a cancel and the end of stdin end the wait for a lock."""
    lock = hold_locks()
    for cancels in (True, False):
        server = Talk(options, work, "--stop-timeout=50")
        waits = server.request("write_text_file", path=str(work / "f"),
                               content="x")
        server.post(waits)
        time.sleep(0.1)
        if cancels:
            server.post(cancelled(waits))
            check(not server.call("hello")[1])
            server.close()
            server.kill()
            continue
        # within --stop-timeout; the lock timeout is 10 s
        server.process.send_signal(signal.SIGTERM)
        check(server.line() is None, "it waited")
        left(server)
    lock.close()
    check(os.listdir(work) == [], os.listdir(work))


def who_waits_for_a_lock_keeps_nobody(options, work):
    """The loop thread does not block on a lock, even for small changes: a ping
    is answered."""
    (work / "f").write_text("before")
    server = Talk(options, work, "--durability=process")
    check(not server.call("write_text_file", path=str(work / "f"),
                          content="at once")[1])
    lock = hold_locks()
    waits = server.request("write_text_file", path=str(work / "f"),
                           content="after")
    ping = {"jsonrpc": "2.0", "id": "ping", "method": "ping"}
    server.post(waits, ping)
    reply = server.reply()
    check(reply["id"] == "ping", reply)
    check((work / "f").read_text() == "at once", "it did not wait")
    lock.close()
    reply = server.reply()
    check(reply["id"] == waits["id"] and not result_of(reply)[1], reply)
    check((work / "f").read_text() == "after", "it was not written")
    server.close()
    server.kill()


def long_work_tells_how_far_it_is(options, work):
    """X03: progress is increasing, with the client's token, then a reply."""
    with open(work / "long", "wb") as out:
        for _ in range(20):
            out.write((b"x" * 63 + b"\n") * 262144)
    for modern in (False, True):
        server, token = Talk(options, work, modern=modern), 'to"ken'
        last, count = -1, 0
        request = server.request("read_text_file", {"progressToken": token},
                                 path=str(work / "long"), line=9, limit=1)
        server.post(request)
        while "method" in (reply := server.reply()):
            check(reply["method"] == "notifications/progress", reply)
            check(reply["params"]["progressToken"] == token, reply)
            check(last < reply["params"]["progress"]
                  <= reply["params"]["total"], reply)
            last, count = reply["params"]["progress"], count + 1
        check(reply["id"] == request["id"] and not result_of(reply)[1], reply)
        server.close()
        server.kill()


if __name__ == "__main__":
    sys.exit(run([
        a_cancelled_call_has_no_effect_and_no_reply,
        nobody_waits_long_for_a_lock,
        who_waits_for_a_lock_keeps_nobody,
        long_work_tells_how_far_it_is,
    ]))
