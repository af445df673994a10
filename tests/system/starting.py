#!/usr/bin/env python3
"""starting.py [--slow] PROGRAM [CASE...] - the start of a server:
configuration errors end it at once, and SIGTERM works as soon as it is ready.
"""
import fcntl
import itertools
import os
import signal
import subprocess
import sys

from port import until
from talk import Talk, check, run
from server import environment # talk says where it is


def stet(options, *words, cwd=None):
    return subprocess.run([str(options.program), *map(str, words)],
                          check=False, input="", capture_output=True,
                          text=True, timeout=120, cwd=cwd)


def a_root_that_is_not_there_ends_the_start(options, work):
    """X07: one missing root is enough; a file is not a root, and ~ is not
    expanded."""
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
    """X07: SIGTERM right after the ready line is an orderly exit."""
    for number, flags in itertools.product(
            (signal.SIGTERM, signal.SIGINT, signal.SIGHUP),
            ([], ["--stdio"]) * 4):
        with subprocess.Popen(
                [str(options.program), "serve", "--http=127.0.0.1:0", *flags,
                 str(work)], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                env=os.environ) as server:
            line = server.stderr.readline()
            check(b"MCP at" in line, line)
            server.send_signal(number)
            check(server.wait(120) == 0, (number, flags, server.returncode))


def it_can_be_ended_while_it_says_so(options, work):
    """X07: it is found in the list of servers, and its line is not read yet:
    the pipe is full. With stdio beside the port as well."""
    listed = work / ".local/state/stet/server.json"
    for flags in ([], ["--stdio"]):
        reader, writer = os.pipe()
        os.write(writer, b"\n" * fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096))
        with subprocess.Popen(
                [str(options.program), "serve", "--http=127.0.0.1:0", *flags,
                 str(work)], stdin=subprocess.PIPE, stderr=writer,
                env=environment(work)) as server:
            os.close(writer)
            until(lambda: listed.exists() and
                  f'"pid":{server.pid}' in listed.read_text(), 120)
            server.send_signal(signal.SIGTERM)
            said = b""
            while more := os.read(reader, 4096):
                said += more
            os.close(reader)
            check(server.wait(120) == 0, (flags, server.returncode))
        check(b"MCP at" in said, said)
        check(not listed.exists() or str(server.pid) not in
              listed.read_text(), listed)


def a_line_that_is_too_long_is_told_in_true_numbers(options, work):
    """line too long: the limit is for the line as encoded in the reply, and
    the message says so."""
    file = work / "f"
    file.write_text("\x01" * 100000)
    talk = Talk(options, work, "--max-reply=200000")
    fault = talk.call("read_text_file", path=str(file))[1]
    check(fault and "has 100000 bytes, which as JSON exceed the "
          in fault["message"], fault)
    file.write_text("a" * 50000)
    check(not talk.call("read_text_file", path=str(file))[1])
    talk.close()
    talk.kill()


if __name__ == "__main__":
    sys.exit(run([
        a_root_that_is_not_there_ends_the_start,
        it_ends_as_soon_as_it_is_there,
        it_can_be_ended_while_it_says_so,
        a_line_that_is_too_long_is_told_in_true_numbers,
    ]))
