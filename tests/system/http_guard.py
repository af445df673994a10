#!/usr/bin/env python3
"""http_guard.py [--slow] PROGRAM [CASE...] - unauthenticated and malformed
requests: they are refused or the connection is closed.
"""
import json
import random
import resource
import sys

from port import OWNER, PING, Client, Http, Port, good, statuses, token
from talk import check, run
from server import Broken # talk.py extends sys.path

def refused(port, data, allowed=range(400, 500)):
    """Exactly one response with this status, then the connection is closed."""
    http = Http(port)
    try:
        http.send(data)
    except (BrokenPipeError, ConnectionResetError):
        pass
    got = http.closed()
    http.close()
    found = statuses(got)
    check(len(found) == 1 and found[0] in allowed,
          f"{data[:400]!r} was answered by {got[:600]!r}")
    check(b"connection: close" in got.lower(), got[:400])
    return got


def only_our_names_and_pages(options, work):
    """port: DNS rebinding and cross-site requests are refused; a missing
    Origin is accepted."""
    with Port(options, work, "--allow-host", "files.example",
              "--allow-origin", "https://app.example") as port:
        ask = lambda **more: Http(port).request(
            "POST", "/mcp", PING, authorization=f"Bearer {OWNER}",
            content_type="application/json", **more)
        own = f"127.0.0.1:{port.port}"
        for host in ("evil.example", f"evil.example:{port.port}", "", "127.0.0.1.evil.example",
                     "127.0.0.1@evil.example", "localhost.evil.example",
                     "[::1", "127.0.0.1:99999", "127.0.0.1:", "127.1", "0.0.0.0",
                     "evil.example, 127.0.0.1", "2130706433", "files.example.", "[::ffff:127.0.0.1]"):
            for path in ("/mcp", "/healthz", "/", "/api/signin"):
                got = Http(port).request("GET", path, host=host,
                                         authorization=f"Bearer {OWNER}")
                check(got.status in (400, 403), (host, path, got))
        for origin in ("https://evil.example", "null", "", f"http://{own}.evil.example",
                       f"https://{own}", "http://127.0.0.1:1", "file://", f"http://{own}/",
                       f"http://{own}@evil.example", "https://app.example:8443",
                       "http://app.example", "https://app.example.evil.example"):
            got = ask(origin=origin)
            check(got.status == 403, (origin, got))
            check("access-control-allow-origin" not in got.headers, got)
            got = Http(port).request("OPTIONS", "/mcp", origin=origin,
                                     access_control_request_method="POST")
            check(got.status == 403, (origin, got))
        for more in ({}, {"host": "localhost"}, {"host": "LOCALHOST:1"},
                     {"host": "files.example"}, {"host": "[::1]:80"},
                     {"origin": f"http://{own}"},
                     {"origin": "https://app.example"}):
            got = ask(**more)
            check(got.status == 400 and b"Mcp-Session-Id" in got.body, (more, got))
            check(got.headers.get("access-control-allow-origin")
                  == more.get("origin"), got)
        got = Http(port).request("OPTIONS", "/mcp", origin="https://app.example",
                                 access_control_request_method="POST")
        check(got.status == 204 and "POST" in
              got.headers["access-control-allow-methods"], got)


def only_with_a_token(options, work):
    """port: missing, wrong and revoked tokens; /healthz needs none."""
    with Port(options, work, clients=["ann"]) as port:
        bad = [None, "", "Bearer", "Bearer ", "Bearer x", f"Basic {OWNER}",
               f"Bearer {OWNER}x", f"Bearer {OWNER[:-1]}", f"Bearer {OWNER} {OWNER}",
               f"Bearer  {OWNER}x", f"Bearer {OWNER.upper()}", f"{OWNER}",
               "Bearer " + "x" * 20000, f"Bearer {OWNER},{OWNER}"]
        for value in bad:
            for method in ("POST", "GET", "DELETE", "PUT"):
                for path in ("/mcp", "/mcp?token=" + OWNER):
                    got = Http(port).request(method, path, authorization=value)
                    check(got.status in (401, 429), (value, method, got))
                    check(b"Mcp-Session-Id" not in got.body, got)
        got = Http(port).request("POST", "/mcp", PING, cookie=f"stet={OWNER}; token={OWNER}")
        check(got.status == 401 and "Bearer" in got.headers["www-authenticate"], got)
        twice = good(port, f"Authorization: Bearer x\r\nContent-Length: {len(PING)}\r\n")
        check(b" 400 " in refused(port, twice), "twice")
        check(Http(port).request("GET", "/healthz").status == 200, "health")
        client = Client(port, "ann")
        stream, head = client.listen()
        check(head.status == 200, head)
        token(options.program, work, "revoke", "ann")
        for _ in range(2):
            got = client.post(client.message("ping"))
            check(got.status in (401, 429), got)
        stream.sock.settimeout(12)  # less than the keep-alive interval
        check(stream.message() is None, "who is revoked hears no more")
        stream.close()
        port.tokens["ann"] = token(options.program, work, "add", "ann")
        check(port.tokens["ann"] != client.token, "another token")
        got = client.post(client.message("ping"))
        check(got.status in (401, 429), got)
        check(Client(port, "ann").call("hello")[0], "the new one is good")


def nobody_comes_in_by_another_session(options, work):
    """port: session ids are random and only valid with their own token."""
    with Port(options, work, clients=["ann", "bob"]) as port:
        ann, bob = Client(port, "ann"), Client(port, "bob")
        ids = {Client(port, "ann").session for _ in range(20)}
        check(len(ids) == 20 and all(len(i) == 32 for i in ids), ids)
        real = ann.session
        near = f"{real[:-1]}{'0' if real[-1] != '0' else '1'}"
        for guess in (real, near, real.upper() + "0", real[:31], real + " x", "",
                      "0" * 32, "*", "%", "../" + real[:29], real + "0"):
            bob.session = guess
            message = bob.message("ping")
            for got in (bob.post(message), bob.listen()[1], bob.leave()):
                check(got.status in (400, 404, 405), (guess, got))
        check(ann.post(ann.message("ping")).status == 200, "ann is there")
        twice = Http(port)
        body = json.dumps(ann.message("ping")).encode()
        twice.send(good(port, f"Content-Length: {len(body)}\r\n"
                        f"Mcp-Session-Id: {real}\r\nMcp-Session-Id: {near}\r\n",
                        body).replace(OWNER.encode(), ann.token.encode()))
        check(twice.answer().status == 400, "two sessions at once")


def what_is_compressed_or_too_much_is_refused(options, work):
    """X19: gzip bodies, and limits for body, head and headers."""
    with Port(options, work, "--max-message", "1m") as port:
        client = Client(port)
        before = port.peak()
        for coding in ("gzip", "br", "deflate, gzip", "zstd"):
            got = client.post(client.message("ping"), content_encoding=coding)
            check(got.status == 415, got)
        for size in (1 << 20 | 1, 1 << 40):
            check(b" 413 " in refused(port, good(port, f"Content-Length: {size}\r\n")), size)
        chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        check(b" 413 " in refused(port, good(
            port, "Transfer-Encoding: chunked\r\n", chunk * 17)), "actual")
        for head in ("A: " + "a" * 40000 + "\r\n", "A: 1\r\n" * 101,
                     "A" * 40000 + ": 1\r\n", "A:" + " " * 40000 + "\r\n"):
            check(b" 431 " in refused(port, good(port, head)), head[:20])
        check(b" 431 " in refused(port, good(port, line="GET /" + "a" * 40000)), "a long path")
        # Without a token the body is not read.
        for path in ("/healthz", "/page.js"):
            http = Http(port)
            got = http.request("POST", path, content_length="1000000")
            check(got.status in (404, 405, 413), got)
            http.close()
        if not options.slow:
            check(port.peak() - before < 32, (before, port.peak()))
        got = client.post(client.message("ping"))
        check(got.status == 200, got)


def only_its_methods_and_paths(options, work):
    """port: wrong methods, and paths with ".."."""
    (work / "root").mkdir()
    (work / "root" / "secret").write_text("very secret")
    with Port(options, work) as port:
        client = Client(port)
        for method in ("PUT", "PATCH", "HEAD", "OPTIONS", "PROPFIND", "LOCK", "LINK", "TRACE"):
            http = Http(port)
            got = http.request(method, "/mcp", **client.headers({}))
            check(got.status == 405 and "POST" in got.headers["allow"], (method, got))
            check(b"result" not in http.unread, http.unread)
            http.close()
        for more in ("X-HTTP-Method-Override", "X-Method-Override"):
            got = Http(port).request("GET", "/mcp", **{
                **client.headers(), "accept": "application/json", more: "POST"})
            check(got.status == 406, got)
        for path in ("/../secret", "/src/../../secret", "/%2e%2e/secret", "/..%2fsecret",
                     "//secret", "/./secret", "/mcp/../secret", "/mcp/", "/mcp/x", "//mcp",
                     "/%6dcp", "/MCP", "/mcp;x", "/healthz/", "/secret", "/page/../../secret",
                     "/..\\secret", "/%00", "/mcp%00", "/?/../secret", "/" + "../" * 50 + "etc/passwd"):
            for method in ("GET", "POST"):
                http = Http(port)
                got = http.request(method, path, **client.headers({}))
                check(b"very secret" not in got.body and b"root:" not in got.body, got)
                check(b"jsonrpc\":\"2.0\",\"result" not in got.body, (path, got))
                check(got.status in (200, 400, 401, 403, 404, 405), (path, got))
                http.close()


def the_slow_are_hung_up_on(options, work):
    """X19: heads and bodies that arrive byte by byte, and silent
    connections."""
    with Port(options, work) as port:
        start = good(port, f"Content-Length: {len(PING)}\r\n", b"")
        # One byte at a time without end: of a head, or empty lines.
        drips = {b"head": (start[:20], b"a"), b"lines": (b"", b"\r\n"),
                 b"value": (start[:-2] + b"X-A: ", b" ")}
        open_ = {name: Http(port) for name in drips}
        silent = Http(port)
        for name, http in open_.items():
            http.send(drips[name][0])
        for turn in range(120):
            for name, http in list(open_.items()):
                http.sock.settimeout(0.1)
                try:
                    http.send(drips[name][1])
                    if not http.sock.recv(1000):
                        del open_[name]
                except TimeoutError:
                    pass
                except OSError:
                    del open_[name]
            if not open_:
                break
            silent.sock.settimeout(0.2)
            try:
                silent.sock.recv(1)
            except TimeoutError:
                pass
        check(not open_, f"still there: {list(open_)}")
        silent.sock.settimeout(60)
        check(silent.closed() == b"", "the silent one")
        port.alive()


def who_does_not_read_takes_little(options, work):
    """X19: 1,000 pipelined requests and half-closed sockets take bounded
    memory."""
    with Port(options, work) as port:
        big = port.root / "big"
        big.write_text(("x" * 63 + "\n") * 8192)
        client = Client(port)
        body = json.dumps(client.tool("read_text_file", path=str(big))).encode()
        lines = "".join(f"{k}: {v}\r\n" for k, v in client.headers({}).items())
        one = (f"POST /mcp HTTP/1.1\r\nHost: localhost\r\n{lines}"
               f"Content-Length: {len(body)}\r\n\r\n").encode() + body
        before = port.peak()
        deaf = [Http(port) for _ in range(4)]
        for http in deaf:
            http.sock.settimeout(0.5)
            try:
                http.send(one * 1000)
            except TimeoutError:
                pass
        port.alive()
        if not options.slow:
            check(port.peak() - before < 64, (before, port.peak()))
        for http in deaf[:2]: # all requests are answered, in order
            http.sock.settimeout(port.timeout)
            for _ in range(20):
                check(http.answer().status == 200, "an answer")
            http.close()
        small = Http(port)
        ping = json.dumps(client.message("ping")).encode()
        one = (f"POST /mcp HTTP/1.1\r\nHost: localhost\r\n{lines}"
               f"Content-Length: {len(ping)}\r\n\r\n").encode() + ping
        small.send(one * 1000)
        for _ in range(1000):
            check(small.answer().status == 200, "of a thousand")
        for http in deaf[2:]:
            http.close()
        port.alive()


def thousands_knock(options, work):
    """X19: silent connections do not keep other clients out."""
    with Port(options, work) as port:
        client = Client(port)
        crowd = []
        try:
            for _ in range(2000):
                crowd.append(port.dial())
            check(client.post(client.message("ping")).status == 200, "among them")
        finally:
            for sock in crowd:
                sock.close()
        if not options.slow:
            check(port.peak() < 128, port.peak())
        check(client.post(client.message("ping")).status == 200, "after them")


def strangers_leave_descriptors_for_files(options, work):
    """X19: with a low descriptor limit, authenticated clients can still
    work."""
    few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128))
    with Port(options, work, preexec_fn=few) as port:
        client = Client(port)
        path = port.root / "a.txt"
        http = Http(port)
        def works(text):
            message = client.tool("write_text_file", path=str(path),
                                  content=text)
            http.ask("POST", "/mcp", json.dumps(message).encode(),
                     **client.headers(message))
            check("error" not in http.answer().json()
                  and path.read_text() == text, text)
        works("before\n")
        crowd = [port.dial() for _ in range(300)]
        works("among them\n")
        for sock in crowd:
            sock.close()
        works("after\n")


PIECES = [b"\r\n", b"\n", b"\r", b"\0", b" ", b"\t", b":", b"Content-Length: 5\r\n", b"0",
          b"Transfer-Encoding: chunked\r\n", b"\xff", b"%", b"HTTP/1.1", b"GET ", b"-1",
          b"Host: evil.example\r\n", b"Expect: 100-continue\r\n", b"Connection: close\r\n",
          b"Connection: upgrade\r\nUpgrade: x\r\n", b"{", b"}", b"\"", b"[" * 200, b"ffffffffffffffff",
          b"Mcp-Session-Id: x\r\n", b"Last-Event-ID: 1-1\r\n", b"Last-Event-ID: 99999999999-0\r\n",
          b"MCP-Protocol-Version: 2026-07-28\r\n", b"Mcp-Name: =?base64?x?=\r\n"]


def mutated(chance, data):
    data = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data) + 1)
        kind = chance.randrange(6)
        if kind == 0:
            data[at:at] = chance.choice(PIECES)
        elif kind == 1:
            del data[at:at + chance.randint(1, 40)]
        elif kind == 2 and data:
            data[at % len(data)] = chance.randrange(256)
        elif kind == 3:
            to = chance.randrange(len(data) + 1)
            data[at:at] = data[to:to + chance.randint(1, 80)]
        elif kind == 4:
            del data[at:]
        else:
            data[at:at + 1] = chance.choice(PIECES)
    return bytes(data)


def seeds(port, legacy, modern):
    def whole(method, message, client):
        body = json.dumps(message).encode() if message is not None else b""
        lines = "".join(f"{k}: {v}\r\n" for k, v in client.headers(message).items())
        return (f"{method} /mcp HTTP/1.1\r\nHost: localhost\r\n{lines}"
                f"Content-Length: {len(body)}\r\n\r\n").encode() + body
    path = str(port.root / "a.txt")
    for client in (legacy, modern):
        yield whole("POST", client.message("tools/list"), client)
        yield whole("POST", client.tool("read_text_file", path=path), client)
        yield whole("POST", client.tool("write_text_file", path=path, content="x\n"), client)
        yield whole("POST", [client.message("ping"), client.message("ping")],
                    client)
    yield whole("POST", modern.message("subscriptions/listen", notifications={}), modern)
    yield whole("GET", None, legacy)
    yield whole("POST", {"jsonrpc": "2.0", "method": "notifications/cancelled",
                         "params": {"requestId": 1}}, legacy)
    chunked = good(port, "Transfer-Encoding: chunked\r\n",
                   b"%x;x=y\r\n%s\r\n0\r\nX: y\r\n\r\n" % (len(PING), PING))
    yield chunked
    yield chunked + whole("POST", legacy.message("ping"), legacy)


def a_thousand_malformed_requests(options, work):
    """X26: with fixed seeds; each is answered or closed, and the server keeps
    running."""
    with Port(options, work) as port:
        (port.root / "a.txt").write_text("a\n")
        legacy, modern = Client(port), Client(port, modern=True)
        rows = list(seeds(port, legacy, modern))
        peaks = []
        for batch in range(20):
            chance = random.Random(f"stet {batch}")
            open_ = []
            for _ in range(50):
                http = Http(port)
                try:
                    http.send(mutated(chance, chance.choice(rows)))
                    http.sock.shutdown(1) # end of the request
                except OSError:
                    pass
                open_.append(http)
            for http in open_: # until the server closes the connection
                http.closed()
                http.close()
            port.alive()

            got = Client(port, modern=True).call("read_text_file",
                                                  path=str(port.root / "a.txt"))
            check(got[0], got)
            peaks.append(port.peak())
        if not options.slow:
            check(peaks[-1] - peaks[4] < 16, peaks)


CASES = [only_our_names_and_pages, only_with_a_token,
         nobody_comes_in_by_another_session,
         what_is_compressed_or_too_much_is_refused,
         only_its_methods_and_paths, the_slow_are_hung_up_on,
         who_does_not_read_takes_little, thousands_knock,
         strangers_leave_descriptors_for_files,
         a_thousand_malformed_requests]

if __name__ == "__main__":
    sys.exit(run(CASES))
