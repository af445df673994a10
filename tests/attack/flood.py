#!/usr/bin/env python3
"""flood.py [--slow] PROGRAM [CASE...] - somebody without a token takes all the
connections that there are, or all the memory for them: whoever has a token, and
whoever comes to sign in, is served all the same.
"""
import contextlib
import json
import pathlib
import resource
import socket
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
# pylint: disable=wrong-import-position
from port import OWNER, PING, Client, Http, Port, good
from talk import check, run
from server import Broken # talk says where it is

LIMIT = 128 # connections: half of the descriptors that the server is given
HALF = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: "


def few():
    resource.setrlimit(resource.RLIMIT_NOFILE, (2 * LIMIT, 2 * LIMIT))


def crowd(port, count, says=b""):
    """So many connections, each of which says that and waits."""
    made = []
    for _ in range(count):
        with contextlib.suppress(OSError):
            sock = socket.create_connection(("127.0.0.1", port.port), 5)
            made.append(sock)
            sock.sendall(says)
    return made


def leave(socks):
    for sock in socks:
        sock.close()


@contextlib.contextmanager
def flood(port, says=b""):
    """Two threads that open connections as fast as they can, and keep the
    last few hundred of them."""
    stop = threading.Event()
    def open_more():
        mine = []
        while not stop.is_set():
            mine += crowd(port, 16, says)
            while len(mine) > 2 * LIMIT:
                mine.pop(0).close()
        leave(mine)
    threads = [threading.Thread(target=open_more) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def ping(port):
    """Of the owner, on a connection of its own: the status, or None."""
    try:
        http = Http(port)
        http.send(good(port, f"Content-Length: {len(PING)}\r\n"))
        status = http.answer().status
        http.close()
        return status
    except (Broken, OSError):
        return None


def strangers_cannot_lock_out_the_owner(options, work):
    """flood: the table is full of silence, half heads, requests of nobody."""
    nobody = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with Port(options, work, preexec_fn=few) as port:
        served = ping(port)
        for says in (b"", HALF, nobody, b"GET / HTTP/1.1\r\n"):
            strangers = crowd(port, 3 * LIMIT, says)
            answers = {ping(port) for _ in range(20)}
            leave(strangers)
            check(answers == {served}, (says, answers))


def who_is_known_stays(options, work):
    """flood: idle with a token, a stream of a client, one of the page."""
    with Port(options, work, preexec_fn=few) as port:
        client = Client(port)
        idle = Http(port)
        body = json.dumps(client.message("ping")).encode()
        check(idle.request("POST", "/mcp", body, **client.headers({})).status
              == 200, "before")
        stream, got = client.listen()
        check(got.status == 200, got)
        live = Http(port)
        got = live.request("GET", "/api/live",
                           authorization=f"Bearer {OWNER}")
        check(got.status == 200 and live.event()["event"] == "hello", got)
        for says in (b"", HALF):
            strangers = crowd(port, 4 * LIMIT, says)
            leave(strangers)
        got = idle.request("POST", "/mcp", body, **client.headers({}))
        check(got.status == 200, got)
        # Both streams are there: the page's tells of a call of the client's.
        path = port.root / "a.txt"
        check(client.call("write_text_file", path=str(path), content="x\n")[0],
              "a call")
        while live.event()["event"] != "call":
            pass
        stream.sock.settimeout(0.2)
        try:
            check(stream.sock.recv(1000) != b"", "the client's stream ended")
        except TimeoutError:
            pass


def a_flood_that_goes_on_keeps_nobody_out(options, work):
    """flood: connections as fast as two threads open them."""
    with Port(options, work, preexec_fn=few) as port:
        client = Client(port)
        idle = Http(port)
        body = json.dumps(client.message("ping")).encode()
        ask = lambda: idle.request("POST", "/mcp", body, **client.headers({}))
        check(ask().status == 200, "before")
        for says in (b"", HALF):
            with flood(port, says):
                for _ in range(40):
                    # One who is slow between connecting and asking may lose
                    # the race of those few connections, but not every time.
                    check(any(ping(port) for _ in range(10)), "a new one")
                    got = ask()
                    check(got.status == 200, got)


def who_guesses_waits_and_nobody_else(options, work):
    """flood: hundreds of wrong tokens a second; the right one is served."""
    with Port(options, work, clients=["ann"]) as port:
        stop, seen = threading.Event(), set()
        def guess():
            http = Http(port)
            while not stop.is_set():
                got = http.request("POST", "/mcp", PING,
                                   authorization="Bearer " + "x" * 43)
                seen.add(got.status)
                http.close()
                http = Http(port)
            http.close()
        threads = [threading.Thread(target=guess) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(200):
                check(ping(port) in (200, 400), "the owner")
            ann = Client(port, "ann")
            for _ in range(50):
                check(ann.post(ann.message("ping")).status == 200, "a client")
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        check(429 in seen, seen)


STYLE = b"GET /views.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def hoard(port, count, says):
    """Connections that say that as often as they can, and read nothing."""
    made = []
    for _ in range(count):
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        sock.settimeout(port.patience)
        sock.connect(("127.0.0.1", port.port))
        sock.setblocking(False)
        made.append(sock)
        with contextlib.suppress(OSError):
            for _ in range(20):
                sock.send(100 * says)
    return made


def answers_that_nobody_reads_lock_nobody_out(options, work):
    """flood: 200 connections without a token ask for ever and do not read."""
    with Port(options, work, "--max-memory", "16M") as port:
        paths = (("/", None), ("/views.css", None), ("/healthz", None),
                 ("/api/status", OWNER), ("/api/approvals", OWNER),
                 ("/api/signin", None))
        def statuses_now():
            got = {}
            for path, token in paths:
                http = Http(port)
                headers = {"authorization": f"Bearer {token}"} if token else {}
                method, body = (("POST", b'{"key":"x"}')
                                if path == "/api/signin" else ("GET", b""))
                got[path] = http.request(method, path, body, **headers).status
                http.close()
            return got
        before = statuses_now()
        check(before == {**dict.fromkeys(before, 200), "/api/signin": 403},
              before)
        live = Http(port)
        got = live.request("GET", "/api/live", authorization=f"Bearer {OWNER}")
        check(got.status == 200 and live.event()["event"] == "hello", got)
        hoarders = hoard(port, 200, STYLE)
        for _ in range(5):
            now = statuses_now()
            check(now == before, now)
            hoarders += hoard(port, 10, STYLE)
        check(ping(port) == 400, "a client")
        # Memory is not what they asked for: 4 MB of answers each.
        check(options.slow or port.peak() < 100, port.peak())
        # The page's stream has stayed.
        client = Client(port)
        check(client.call("write_text_file", path=str(port.root / "a.txt"),
                          content="x\n")[0], "a call")
        while live.event()["event"] != "call":
            pass
        leave(hoarders)


def pipelined_requests_are_answered_in_order(options, work):
    """The harmless twin: 500 at once without a token, read late."""
    with Port(options, work, "--max-memory", "16M") as port:
        http = Http(port)
        ask = threading.Thread(target=http.send, args=(500 * STYLE,))
        ask.start()
        bodies = {http.answer().body for _ in range(500)}
        ask.join()
        check(len(bodies) == 1 and len(bodies.pop()) > 1000, "another body")


def one_client_does_not_push_out_the_page(options, work):
    """flood: a token holds all connections that known clients may have."""
    with Port(options, work, clients=["ann"], preexec_fn=few) as port:
        ann = Client(port, "ann")
        body = json.dumps(ann.message("ping")).encode()
        held = [Http(port) for _ in range(LIMIT - 10)]
        for http in held:
            check(http.request("POST", "/mcp", body, **ann.headers({})).status
                  == 200, "before")
        live = Http(port)
        got = live.request("GET", "/api/live", authorization=f"Bearer {OWNER}")
        check(got.status == 200 and live.event()["event"] == "hello", got)
        leave(crowd(port, 2 * LIMIT))
        check(ann.post(ann.message("ping")).status == 200, "ann")
        check(ann.call("write_text_file", path=str(port.root / "a.txt"),
                       content="x\n")[0], "a call")
        while (event := live.event())["event"] != "call":
            check(event, "the page's stream ended")


if __name__ == "__main__":
    sys.exit(run([strangers_cannot_lock_out_the_owner, who_is_known_stays,
                  answers_that_nobody_reads_lock_nobody_out,
                  pipelined_requests_are_answered_in_order,
                  one_client_does_not_push_out_the_page,
                  a_flood_that_goes_on_keeps_nobody_out,
                  who_guesses_waits_and_nobody_else]))
