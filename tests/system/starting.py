#!/usr/bin/env python3
"""starting.py [--slow] PROGRAM [CASE...] - what a person sees when a server is
started: mistakes end it at once, and it can be ended as soon as it says so.
"""
import os
import signal
import subprocess
import sys

from talk import Talk, check, run


def stet(options, *words, cwd=None):
    return subprocess.run([str(options.program), *map(str, words)],
                          check=False, input="", capture_output=True,
                          text=True, timeout=120, cwd=cwd)


def a_root_that_is_not_there_ends_the_start(options, work):
    """X07: one of several is enough; no file is a root, and ~ is no home."""
    (work / "file").write_text("x")
    for words in (["serve"], ["call", "hello", "--name=x"], ["rules"]):
        flags = [] if words == ["serve"] else ["--root"]
        done = stet(options, *words, *flags, work)
        check(done.returncode == 0, (words, done))
        for root, why in ((work / "none", "No such file or directory"),
                          (work / "file", "Not a directory"),
                          ("~/p", "No such file or directory (stet does not "
                           "expand ~: give the whole path)")):
            done = stet(options, *words, *flags, root, *flags, work)
            check(done.returncode == 2 and not done.stdout, (root, done))
            check(f"cannot serve {root}: {why}\n" in done.stderr, done)


def it_ends_as_soon_as_it_is_there(options, work):
    """X07: SIGTERM right after the line that names the port is no accident."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP) * 5:
        with subprocess.Popen(
                [str(options.program), "serve", "--http=127.0.0.1:0",
                 str(work)], stderr=subprocess.PIPE, env=os.environ) as server:
            line = server.stderr.readline()
            check(b"MCP at" in line, line)
            server.send_signal(number)
            check(server.wait(120) == 0, (number, server.returncode))


def a_line_that_is_too_long_is_told_in_true_numbers(options, work):
    """line too long: what counts is its size in the reply, and the message says so."""
    file = work / "f"
    file.write_text("\x01" * 100000)
    talk = Talk(options, work, "--max-reply=200000")
    fault = talk.call("read_text_file", path=str(file))[1]
    check(fault and "has 100000 bytes, and as JSON more than the "
          in fault["message"], fault)
    file.write_text("a" * 50000)
    check(not talk.call("read_text_file", path=str(file))[1])
    talk.close()
    talk.kill()


if __name__ == "__main__":
    sys.exit(run([
        a_root_that_is_not_there_ends_the_start,
        it_ends_as_soon_as_it_is_there,
        a_line_that_is_too_long_is_told_in_true_numbers,
    ]))
