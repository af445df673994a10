#!/usr/bin/env python3
"""flood.py [--slow] PROGRAM [CASE...] - clients without a token take all
connections or all memory for them: requests with a token, and sign-ins, are
still served.
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
from server import Broken # talk.py extends sys.path

LIMIT = 128 # connections: half of the server's descriptor limit
HALF = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: "


def few():
    resource.setrlimit(resource.RLIMIT_NOFILE, (2 * LIMIT, 2 * LIMIT))


def crowd(port, count, says=b""):
    """Open @count connections that send @says and stay open."""
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
    """Two threads that open connections as fast as they can, and keep the last
    few hundred of them open."""
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
    """A request of the owner on its own connection: the status, or None."""
    try:
        http = Http(port)
        http.send(good(port, f"Content-Length: {len(PING)}\r\n"))
        status = http.answer().status
        http.close()
        return status
    except (Broken, OSError):
        return None


def strangers_cannot_lock_out_the_owner(options, work):
    """flood: the connection table is full of silent ones, partial heads, and
    unauthenticated requests."""
    nobody = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with Port(options, work, preexec_fn=few) as port:
        served = ping(port)
        for says in (b"", HALF, nobody, b"GET / HTTP/1.1\r\n"):
            strangers = crowd(port, 3 * LIMIT, says)
            answers = {ping(port) for _ in range(20)}
            leave(strangers)
            check(answers == {served}, (says, answers))


def who_is_known_stays(options, work):
    """flood: an idle connection with a token, a client's stream and the page's
    stream stay open."""
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
        # Both streams work: the page's stream reports a call of the client.
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
    """flood: connections as fast as two threads can open them."""
    with Port(options, work, preexec_fn=few) as port:
        client = Client(port)
        idle = Http(port)
        body = json.dumps(client.message("ping")).encode()
        ask = lambda: idle.request("POST", "/mcp", body, **client.headers({}))
        check(ask().status == 200, "before")
        for says in (b"", HALF):
            with flood(port, says):
                for _ in range(40):
                    # A request that is slow after connecting may lose
                    # its connection, but not every time.
                    check(any(ping(port) for _ in range(10)), "a new one")
                    got = ask()
                    check(got.status == 200, got)


def who_guesses_waits_and_nobody_else(options, work):
    """flood: hundreds of wrong tokens a second are delayed; the right one is
    served."""
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
    """Connections that send @says as often as they can, and do not read."""
    made = []
    for _ in range(count):
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        sock.settimeout(port.timeout)
        sock.connect(("127.0.0.1", port.port))
        sock.setblocking(False)
        made.append(sock)
        with contextlib.suppress(OSError):
            for _ in range(20):
                sock.send(100 * says)
    return made


def answers_that_nobody_reads_lock_nobody_out(options, work):
    """flood: 200 connections without a token send requests endlessly and do
    not read."""
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
        # Memory stays far below the requested 4 MB per connection.
        check(options.slow or port.peak() < 100, port.peak())
        # The page's stream is still open.
        client = Client(port)
        check(client.call("write_text_file", path=str(port.root / "a.txt"),
                          content="x\n")[0], "a call")
        while live.event()["event"] != "call":
            pass
        leave(hoarders)


def pipelined_requests_are_answered_in_order(options, work):
    """The harmless counterpart: 500 at once without a token, read late."""
    with Port(options, work, "--max-memory", "16M") as port:
        http = Http(port)
        ask = threading.Thread(target=http.send, args=(500 * STYLE,))
        ask.start()
        bodies = {http.answer().body for _ in range(500)}
        ask.join()
        check(len(bodies) == 1 and len(bodies.pop()) > 1000, "another body")


def one_client_does_not_push_out_the_page(options, work):
    """flood: one token uses all connections that authenticated clients may
    have."""
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
