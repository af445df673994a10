#!/usr/bin/env python3
"""endings.py [--slow] PROGRAM [CASE...] - clients that are slow, cancel or
disconnect.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

from talk import Server, Talk, check, left, lines_of, result_of, run


def a_client_that_does_not_read_costs_little(options, work):
    """X01 X19: unread replies are buffered up to a limit, and none is lost."""
    lines_of(work / "large", 6)
    server, n = Talk(options, work), 40
    ping = b'{"jsonrpc":"2.0","id":"p","method":"ping"}\n'
    reads = b"".join(json.dumps(server.request(
        "read_text_file", path=str(work / "large"))).encode() + b"\n"
        for _ in range(n))
    os.set_blocking(server.process.stdin.fileno(), True)
    writer = threading.Thread(target=lambda: [
        server.process.stdin.write(part) for part in
        (reads, *[ping * 1000] * 10)])
    writer.start()
    time.sleep(2) # the client does not read
    got = [json.loads(server.line())["id"] for _ in range(n + 10000)]
    writer.join()
    check(sorted(i for i in got if i != "p") == list(range(1, n + 1)), got)
    check(options.slow or server.peak() < 400, f"{server.peak()} MiB")
    os.set_blocking(server.process.stdin.fileno(), False)
    server.close()
    server.kill()


def long_replies_are_whole_in_every_form(options, work):
    """X01 R01: streamed replies are complete and in order."""
    text = "".join(f'\t{n} "字" \\ \x01\n' for n in range(30000))
    (work / "long").write_text(text)
    (work / "short").write_text("short\n")
    for results in ("text", "structured", "both"):
        server = Talk(options, work, f"--results={results}")
        asked = [server.request("read_text_file", path=str(work / name))
                 for _ in range(4) for name in ("long", "short", "long")]
        server.post(*asked)
        time.sleep(0.2) # the client does not read: the pipe is full
        for n, request in enumerate(asked):
            reply = server.reply()
            want = "short\n" if n % 3 == 1 else text
            got = reply["result"]
            check(reply["id"] == request["id"], reply["id"])
            if results == "text":
                check(got["content"][0]["text"] == want)
                continue
            check(got["structuredContent"]["content"] == want)
            check(results == "structured" or json.loads(
                got["content"][0]["text"]) == got["structuredContent"])
        server.close()
        server.kill()


def no_reply_is_longer_than_it_may_be(options, work):
    """X19: --max-reply also limits streamed replies."""
    (work / "f").write_text("".join(f"line {n} of some\n" for n in range(999)))
    for results in ("text", "structured", "both"):
        for most in (300, 400, 600, 900, 40000):
            server = Talk(options, work, f"--results={results}",
                          f"--max-reply={most}")
            server.post(server.request("read_text_file",
                                       path=str(work / "f")))
            line = server.line()
            check(json.loads(line)["id"] and len(line) <= most,
                  (results, most, len(line)))
            server.close()
            server.kill()


def a_client_may_write_all_before_it_reads(options, work):
    """X01: no deadlock when both pipes are full."""
    (work / "f").write_text("hello\n" * 2000)
    server, n = Talk(options, work), 40
    requests = [server.request("read_text_file", path=str(work / "f"))
                for _ in range(n)]
    requests += [server.request("write_text_file", path=str(work / "no/f"),
                                content="z" * 100000) for _ in range(n)]
    os.set_blocking(server.process.stdin.fileno(), True)
    data = b"".join(json.dumps(m).encode() + b"\n" for m in requests)
    writer = threading.Thread(target=server.process.stdin.write, args=(data,),
                              daemon=True)
    writer.start()
    writer.join(server.timeout)
    check(not writer.is_alive(), "it stopped reading")
    for _ in range(2 * n):
        server.reply()
    os.set_blocking(server.process.stdin.fileno(), False)
    server.close()
    server.kill()


def what_is_under_way_at_the_end_is_done(options, work):
    """X07: stdin ends after 20 writes; all are made and answered."""
    server = Talk(options, work)
    server.post(*(server.request("write_text_file", path=str(work / f"{i}"),
                                 content="x" * 100000) for i in range(20)))
    server.process.stdin.close()
    for _ in range(20):
        check(not result_of(server.reply())[1])
    check(server.line() is None)
    check(len(os.listdir(work)) == 20, os.listdir(work))
    left(server)


def slow_work_at_the_end_is_done(options, work):
    """X07: a call that takes longer than --stop-timeout after the end of stdin
    is still answered; after SIGTERM it is not."""
    for end in ("input", "signal"):
        gate = work / f"gate-{end}"
        os.mkfifo(gate)
        server = Talk(options, work, "--stop-timeout=20",
                      "--hook-timeout=100000",
                      "--before-edit", f"cat '{gate}' >/dev/null")
        server.post(server.request("write_text_file",
                                   path=str(work / f"new-{end}"),
                                   content="late\n"))
        hold = os.open(gate, os.O_WRONLY) # waits for the hook
        if end == "input":
            server.process.stdin.close()
            for _ in range(10): # well past the timeout
                check(server.process.poll() is None, "it did not wait")
                time.sleep(0.02)
        else:
            server.process.send_signal(signal.SIGTERM)
            check(server.line() is None) # with the hook still running
        os.close(hold)
        if end == "input":
            check(not result_of(server.reply())[1])
            check(server.line() is None)
            check((work / "new-input").read_text() == "late\n")
        left(server)


def what_nobody_reads_does_not_keep_it(options, work):
    """X07: unread replies delay the exit after the end of stdin by at most
    --stop-timeout."""
    lines_of(work / "large", 6)
    server = Talk(options, work, "--stop-timeout=20")
    server.post(*(server.request("read_text_file", path=str(work / "large"))
                  for _ in range(8)))
    server.process.stdin.close()
    status = server.process.wait(server.timeout) # the client has read nothing
    check(status == 0, status)
    server.kill()


def signals_end_it(options, work):
    """X07: after SIGTERM, SIGINT or SIGHUP running calls are finished, and the
    exit status is 0."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        server = Talk(options, work)
        check(not server.call("hello")[1])
        server.process.send_signal(number)
        check(server.line() is None)
        left(server)


def the_end_of_the_reader_ends_it(options, work):
    """X07 X01: stdout is closed by the client (EPIPE)."""
    lines_of(work / "large", 3)
    server = Talk(options, work)
    server.post(*(server.request("read_text_file", path=str(work / "large"))
                  for _ in range(5)))
    server.process.stdout.close()
    left_at = time.monotonic() + server.timeout
    while server.process.poll() is None:
        check(time.monotonic() < left_at, "it stays")
        time.sleep(0.01)
    check(server.process.returncode == 0, server.process.returncode)
    server.process.stdout = open(os.devnull, "rb")
    server.kill()


PARENT = """
import subprocess, sys, time
child = subprocess.Popen(sys.argv[1:], stdin=0, stdout=1)
print(child.pid, file=sys.stderr, flush=True)
time.sleep(1000)
"""


def the_death_of_the_parent_ends_it(options, work):
    """X07: even if another process still has its stdin open."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(options.program), "serve",
         str(work)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    child = int(parent.stderr.readline())
    parent.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    parent.stdin.flush()
    check(b"result" in parent.stdout.readline())
    parent.kill()
    parent.wait()
    check(parent.stdout.read() == b"", "it says something") # EOF: it exited
    check(not pathlib.Path(f"/proc/{child}/fd/1").exists(), "it is there")
    for pipe in (parent.stdin, parent.stdout, parent.stderr):
        pipe.close()


def logs_hold_no_content(options, work):
    """X20: with --log=debug there is no file content, and of the arguments
    only paths."""
    secret = "tell-nobody-8c1f"
    (work / "f").write_text(f"key={secret}-in-file\n")
    server = Talk(options, work, "--log=debug")
    path = str(work / "f")
    server.call("read_text_file", path=path)
    server.call("edit_text_file", path=path, old_string=secret + "-absent",
                new_string=secret)
    server.call("edit_text_file", path=path, old_string=secret,
                new_string=secret + "-new")
    server.call("multi_edit_text_file", path=path, edits=[
        {"old_string": secret + "-new", "new_string": secret}])
    server.call("write_text_file", path=path, content=secret)
    server.call("write_text_file", path=str(work), content=secret)
    server.call("hello", name=secret)
    server.ask({"jsonrpc": "2.0", "id": 1, "method": secret})
    server.send(f'{{"{secret}\n'.encode())
    server.reply()
    server.process.stdin.close()
    check(server.process.wait(server.timeout) == 0)
    said = server.process.stderr.read().decode()
    server.kill()
    check(said, "it logs nothing")
    check(secret not in said, said)


def ask_roots(options, work, answer, refused):
    """The roots that are served in the end, found by which reads are
    refused."""
    server = Server([str(options.program), "serve"], options.slow, cwd=work)
    server.ask({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {"roots": {}},
        "clientInfo": {"name": "test", "version": "1"}}})
    server.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
                b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{'
                b'"name":"read_text_file","arguments":{"path":"/x"}}}\n')
    asked = json.loads(server.line())
    check(asked["method"] == "roots/list", asked)
    if answer is None:
        server.process.stdin.close()
    else:
        server.send(json.dumps({"jsonrpc": "2.0", "id": asked["id"],
                                **answer}).encode() + b"\n")
    reply = json.loads(server.line())
    if answer is None:
        left(server)
    elif refused:
        server.process.stdin.close()
        check(server.process.wait(server.timeout) == 0)
        said = server.process.stderr.read().decode()
        check(said == "".join(f"stet: The root {r}.\n" for r in refused), said)
        hint = reply["error"]["data"]["hint"]
        check(all(f"The root {r}." in hint for r in refused), hint)
        server.kill()
    else:
        server.close()
        server.kill()
    return reply["error"]["data"]["roots"]


def the_clients_roots_are_served(options, work):
    """X07 X15: valid roots are served, invalid ones are not; without any it is
    the current directory."""
    here, other = str(work), work / "other dir"
    other.mkdir()
    uri = "file://" + str(other).replace(" ", "%20")
    cases = (
        ({"result": {"roots": [{"uri": uri}]}}, [str(other)]),
        ({"result": {"roots": [{"uri": uri + "/"}, {"uri": uri}]}}, None),
        ({"result": {"roots": [
            {"uri": "http://x/"}, {"uri": "file:///not-there"}, {}, 5,
            {"uri": "file:///tmp/%00"}, {"uri": uri}]}}, [str(other)]),
        ({"result": {"roots": []}}, [here]),
        ({"result": {"roots": "none"}}, [here]),
        ({"result": {"roots": [{"uri": "file:///"}]}}, [here]),
        ({"error": {"code": -32601, "message": "no"}}, [here]),
        (None, [here]), # closes stdin instead of answering
    )
    foreign = "was ignored: it is not a file:// URI of this machine"
    strange = [f'"http://x/" {foreign}',
               "/not-there was ignored: there is no such directory",
               f"(without a URI) {foreign}", f"(without a URI) {foreign}",
               f'"file:///tmp/%00" {foreign}']
    for answer, want in cases:
        refused = (strange if "not-there" in str(answer) else
                   ["/ was ignored: it is the whole disk"]
                   if "'file:///'" in str(answer) else [])
        got = ask_roots(options, work, answer, refused)
        check(want is None and set(got) == {str(other)} or got == want,
              (answer, got))


if __name__ == "__main__":
    sys.exit(run([
        a_client_that_does_not_read_costs_little,
        long_replies_are_whole_in_every_form,
        no_reply_is_longer_than_it_may_be,
        a_client_may_write_all_before_it_reads,
        what_is_under_way_at_the_end_is_done,
        slow_work_at_the_end_is_done,
        what_nobody_reads_does_not_keep_it,
        signals_end_it,
        the_end_of_the_reader_ends_it,
        the_death_of_the_parent_ends_it,
        logs_hold_no_content,
        the_clients_roots_are_served,
    ]))
