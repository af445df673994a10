#!/usr/bin/env python3
"""http_guard.py [--slow] PROGRAM [CASE...] - what strangers and broken clients
do to the port: it answers or closes, serves nobody it does not know, and
never takes a part of one request for another.
"""
import json
import random
import re
import sys

from port import OWNER, Client, Http, Port, token
from talk import check, run
from server import Broken # talk says where it is

LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()


def good(port, more="", body=LIST, version="1.1", line="POST /mcp"):
    """A request that would be served, but for @more."""
    return (f"{line} HTTP/{version}\r\nHost: 127.0.0.1:{port.port}\r\n"
            f"Authorization: Bearer {OWNER}\r\n"
            f"Content-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\n"
            f"{more}\r\n").encode() + body


def statuses(data):
    """Of all responses in @data; bodies here have no such line."""
    return [int(n) for n in re.findall(rb"HTTP/1\.1 (\d{3}) ", data)]


def refused(port, data, allowed=range(400, 500)):
    """One answer, of that kind, and the connection is closed."""
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
    """port: DNS rebinding and pages of other sites; absent Origin passes."""
    with Port(options, work, "--allow-host", "files.example",
              "--allow-origin", "https://app.example") as port:
        ask = lambda **more: Http(port).request(
            "POST", "/mcp", LIST, authorization=f"Bearer {OWNER}",
            content_type="application/json", **more)
        own = f"127.0.0.1:{port.port}"
        for host in ("evil.example", f"evil.example:{port.port}", "", "127.0.0.1.evil.example",
                     "127.0.0.1@evil.example", "localhost.evil.example",
                     "[::1", "127.0.0.1:99999", "127.0.0.1:", "127.1", "0.0.0.0",
                     "evil.example, 127.0.0.1", "2130706433", "files.example.", "[::ffff:127.0.0.1]"):
            for path in ("/mcp", "/healthz", "/", "/signin"):
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
        got = Http(port).request("POST", "/mcp", LIST, cookie=f"stet={OWNER}; token={OWNER}")
        check(got.status == 401 and "Bearer" in got.headers["www-authenticate"], got)
        twice = good(port, f"Authorization: Bearer x\r\nContent-Length: {len(LIST)}\r\n")
        check(b" 400 " in refused(port, twice), "twice")
        check(Http(port).request("GET", "/healthz").status == 200, "health")
        client = Client(port, "ann")
        stream, head = client.listen()
        check(head.status == 200, head)
        token(options.program, work, "revoke", "ann")
        for _ in range(2):
            got = client.post(client.message("ping"))
            check(got.status in (401, 429), got)
        port.tokens["ann"] = token(options.program, work, "add", "ann")
        check(port.tokens["ann"] != client.token, "another token")
        got = client.post(client.message("ping"))
        check(got.status in (401, 429), got)
        check(Client(port, "ann").call("hello")[0], "the new one is good")
        stream.close()


def nobody_comes_in_by_another_session(options, work):
    """port: ids are long and random, and good with their own token only."""
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


def shapes(port):
    """Requests with a second one hidden inside; what each is called."""
    inner = good(port, f"Content-Length: {len(LIST)}\r\n")
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(LIST), LIST)
    size = f"Content-Length: {len(LIST)}\r\n"
    te = "Transfer-Encoding: chunked\r\n"
    host = f"Host: 127.0.0.1:{port.port}\r\n"
    plain = good(port, size)
    for name, head, body in (
            ("CL.TE", size + te, chunks), ("TE.CL", te + size, chunks),
            ("CL.0.TE", "Content-Length: 0\r\n" + te, b"0\r\n\r\n"),
            ("TE.TE", te + te, chunks),
            ("TE list", "Transfer-Encoding: chunked, chunked\r\n", chunks),
            ("TE gzip", "Transfer-Encoding: gzip, chunked\r\n", chunks),
            ("TE last", "Transfer-Encoding: chunked, identity\r\n", chunks),
            ("TE identity", "Transfer-Encoding: identity\r\n" + size, LIST),
            ("TE other", "Transfer-Encoding: xchunked\r\n" + size, LIST),
            ("TE parameter", "Transfer-Encoding: chunked;q=1\r\n", chunks),
            ("TE space", "Transfer-Encoding : chunked\r\n", chunks),
            ("TE tab", "Transfer-Encoding\t: chunked\r\n", chunks),
            ("TE vertical tab", "Transfer-Encoding: \x0bchunked\r\n" + size, LIST),
            ("TE folded", "Transfer-Encoding:\r\n chunked\r\n", chunks),
            ("TE quoted", 'Transfer-Encoding: "chunked"\r\n' + size, LIST),
            ("TE empty", "Transfer-Encoding:\r\n" + size, LIST),
            ("CL twice", size + size, LIST),
            ("CL twice, different", size + "Content-Length: 0\r\n", LIST),
            ("CL list", f"Content-Length: {len(LIST)}, {len(LIST)}\r\n", LIST),
            ("CL plus", f"Content-Length: +{len(LIST)}\r\n", LIST),
            ("CL minus", "Content-Length: -1\r\n", LIST),
            ("CL hex", f"Content-Length: {len(LIST):#x}\r\n", LIST),
            ("CL space inside", "Content-Length: 4 0\r\n", LIST),
            ("CL empty", "Content-Length: \r\n", LIST),
            ("CL huge", "Content-Length: 99999999999999999999\r\n", LIST),
            ("CL wraps", f"Content-Length: {2**64 + len(LIST)}\r\n", LIST),
            ("CL folded", f"Content-Length:\r\n {len(LIST)}\r\n", LIST),
            ("CL name space", f"Content-Length : {len(LIST)}\r\n", LIST),
            ("fold", f"X-A: 1\r\n  b\r\n{size}", LIST),
            ("bare LF", f"X-A: 1\n{size}", LIST),
            ("bare LF end", f"{size}X-A: 1\n", b"\n" + LIST),
            ("bare CR", f"X-A: 1\r{size}", LIST),
            ("bare CR value", f"X-A: 1\rX-B: 2\r\n{size}", LIST),
            ("NUL in value", f"X-A: 1\0\r\n{size}", LIST),
            ("NUL in name", f"X\0A: 1\r\n{size}", LIST),
            ("control", f"X-A: \x01\r\n{size}", LIST),
            ("no colon", f"XA\r\n{size}", LIST),
            ("no name", f": 1\r\n{size}", LIST),
            ("space in name", f"X A: 1\r\n{size}", LIST),
            ("space before colon", f"X-A : 1\r\n{size}", LIST),
            ("paren in name", f"X(A): 1\r\n{size}", LIST),
            ("host twice", host + size, LIST),
            ("size negative", te, b"-1\r\n" + LIST),
            ("size plus", te, b"+%x\r\n%s\r\n0\r\n\r\n" % (len(LIST), LIST)),
            ("size 0x", te, b"0x%x\r\n%s\r\n0\r\n\r\n" % (len(LIST), LIST)),
            ("size space", te, b" %x\r\n%s\r\n0\r\n\r\n" % (len(LIST), LIST)),
            ("size space after", te, b"%x \r\n%s\r\n0\r\n\r\n" % (len(LIST), LIST)),
            ("size empty", te, b"\r\n" + LIST),
            ("size huge", te, b"fffffffffffffffff\r\n" + LIST),
            ("size wraps", te, b"1%016x\r\n%s\r\n0\r\n\r\n" % (len(LIST), LIST)),
            ("size no hex", te, b"g\r\n" + LIST),
            ("size LF", te, b"%x\n%s\r\n0\r\n\r\n" % (len(LIST), LIST)),
            ("size CR", te, b"%x\r%s\r\n0\r\n\r\n" % (len(LIST), LIST)),
            ("chunk too long", te, b"%x\r\n%sxx\r\n0\r\n\r\n" % (len(LIST), LIST)),
            ("chunk without CRLF", te, b"%x\r\n%s0\r\n\r\n" % (len(LIST), LIST)),
            ("chunk then LF", te, b"%x\r\n%s\n0\r\n\r\n" % (len(LIST), LIST)),
            ("extension NUL", te, b"%x;\0\r\n%s\r\n0\r\n\r\n" % (len(LIST), LIST)),
            ("extension LF", te, b"%x;a\nb\r\n%s\r\n0\r\n\r\n" % (len(LIST), LIST)),
            ("trailer fold", te, b"%x\r\n%s\r\n0\r\nX-A: 1\r\n b\r\n\r\n" % (len(LIST), LIST)),
            ("trailer LF", te, b"%x\r\n%s\r\n0\r\nX-A: 1\n\r\n" % (len(LIST), LIST)),
            ("trailer CL", te, b"%x\r\n%s\r\n0\r\nContent-Length: 5\r\n\r\n" % (len(LIST), LIST)),
            ("trailer", te, b"%x\r\n%s\r\n0\r\nX-A: 1\r\n\r\n" % (len(LIST), LIST)),
            ("last LF", te, b"%x\r\n%s\r\n0\r\n\n" % (len(LIST), LIST)),
            ("last size LF", te, b"%x\r\n%s\r\n0\n\r\n" % (len(LIST), LIST)),
            ("last CR", te, b"%x\r\n%s\r\n0\r\n\rx" % (len(LIST), LIST)),
            ("extension CR", te, b"%x;a\rb\r\n%s\r\n0\r\n\r\n" % (len(LIST), LIST)),
            ("extension quoted", te, b"%x;a=\"\r\n%s\r\n0\r\n\r\n" % (len(LIST), LIST)),
            ("upgrade CONNECT", size, LIST)):
        first = good(port, head, body)
        if name == "upgrade CONNECT":
            first = good(port, "", b"", line="CONNECT 127.0.0.1:80")
        yield name, first + inner
    line = lambda text: plain.replace(b"POST /mcp HTTP/1.1", text) + inner
    for text in (b"POST http://127.0.0.1/mcp HTTP/1.1", b"POST http://evil.example/mcp HTTP/1.1",
                 b"POST 127.0.0.1:80 HTTP/1.1", b"POST mcp HTTP/1.1",
                 b"POST * HTTP/1.1", b"POST  /mcp HTTP/1.1", b"POST /mcp  HTTP/1.1",
                 b"POST /mcp HTTP/1.1 ", b" POST /mcp HTTP/1.1", b"POST\t/mcp\tHTTP/1.1",
                 b"POST /mcp HTTP/0.9", b"POST /mcp HTTP/2.0", b"POST /mcp HTTP/3.0",
                 b"POST /mcp HTTP/1.2", b"POST /mcp HTTP/11.1", b"POST /mcp http/1.1",
                 b"POST /mcp HTTP/1.1\n", b"POST /mcp\r\nHTTP/1.1", b"POST /mcp",
                 b"POST /mcp ICE/1.0", b"POST /mcp RTSP/1.0", b"POST /\0mcp HTTP/1.1",
                 b"POST /m\x01cp HTTP/1.1", b"POST /m\xffcp HTTP/1.1", b"POST /mcp#x HTTP/1.1",
                 b"post /mcp HTTP/1.1", b"P0ST /mcp HTTP/1.1",
                 b"PRI * HTTP/2.0", b"CONNECT /mcp HTTP/1.1"):
        yield text, line(text)
    yield "no host", plain.replace(host.encode(), b"") + inner
    yield "no host 1.0", good(port, size, version="1.0").replace(host.encode(), b"") + inner
    yield "chunked in 1.0", good(port, te, chunks, version="1.0") + inner
    yield "HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + inner
    yield "TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + inner
    yield "noise", b"\xff\xfe\0\x01" + inner


def no_request_hides_in_another(options, work):
    """port: smuggling shapes: one 4xx and closed, the inner one not served."""
    wrong = []
    with Port(options, work) as port:
        for name, data in shapes(port):
            http = Http(port)
            try:
                http.send(data)
            except OSError:
                pass
            try:
                got = http.closed()
            except Broken:
                got = http.unread
            http.close()
            found = statuses(got)
            if (len(found) != 1 or found[0] not in range(400, 500)
                    or b"Mcp-Session-Id" in got
                    or b"connection: close" not in got.lower()):
                wrong.append((name, found, got[-120:]))
        check(not wrong, "\n".join(map(str, wrong)))
        port.alive()


def what_is_fine_is_served(options, work):
    """port: chunks, their extensions, trailers, 100-continue, HTTP/1.0."""
    with Port(options, work) as port:
        te = "Transfer-Encoding: chunked\r\n"
        size = f"Content-Length: {len(LIST)}\r\n"
        half = len(LIST) // 2
        for more, body in (
                (size, LIST), ("\u0054ransfer-encoding: Chunked\r\n",
                               b"%x\r\n%s\r\n0\r\n\r\n" % (len(LIST), LIST)),
                (te, b"%x;a=b\r\n%s\r\n%X\r\n%s\r\n00\r\n\r\n" % (
                    half, LIST[:half], len(LIST) - half, LIST[half:])),
                (te, b"".join(b"1\r\n%c\r\n" % c for c in LIST) + b"0\r\n\r\n"),
                (size + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                 "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n", LIST)):
            http = Http(port)
            for _ in range(3):
                http.send(good(port, more, body))
                got = http.answer()
                check(got.status == 400 and b"Mcp-Session-Id" in got.body,
                      (more, got))
            http.close()
        http = Http(port)
        http.send(b"\r\n" + good(port, size))
        check(b"Mcp-Session-Id" in http.answer().body, "an empty line before")
        http.close()
        http = Http(port)
        http.send(good(port, size + "Expect: 100-continue\r\n", b""))
        check(http.head().status == 100, "go on")
        http.send(LIST)
        check(b"Mcp-Session-Id" in http.answer().body, "and then")
        http.send(good(port, size + "Expect: 100-continue\r\n", b"").replace(OWNER.encode(), b"x"))
        check(http.answer().status == 401, "not invited")
        http.close()
        http = Http(port)
        http.send(good(port, size, version="1.0"))
        got = http.answer()
        check(b"Mcp-Session-Id" in got.body and http.closed() == b"", got)


def what_is_compressed_or_too_much_is_refused(options, work):
    """X19: gzip, declared and actual size, head and header floods."""
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
        for path in ("/healthz", "/signin"): # who is not known cannot fill it
            http = Http(port)
            got = http.request("POST", path, content_length="1000000")
            check(got.status in (404, 405, 413), got)
            http.close()
        if not options.slow:
            check(port.peak() - before < 32, (before, port.peak()))
        got = client.post(client.message("ping"))
        check(got.status == 200, got)


def only_its_methods_and_paths(options, work):
    """port: method confusion, and paths that climb."""
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
    """X19: heads and bodies that dribble, and sockets that say nothing."""
    with Port(options, work) as port:
        start = good(port, f"Content-Length: {len(LIST)}\r\n", b"")
        # Who has a byte to say now and then, for ever: head, empty lines.
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
    """X19: 1,000 requests in a row, and half-open sockets: bounded."""
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
        for http in deaf[:2]: # all that was sent is answered, in order
            http.sock.settimeout(port.patience)
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
    """X19: connections that never say a word keep nobody out."""
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
                   b"%x;x=y\r\n%s\r\n0\r\nX: y\r\n\r\n" % (len(LIST), LIST))
    yield chunked
    yield chunked + whole("POST", legacy.message("ping"), legacy)


def a_thousand_malformed_requests(options, work):
    """X26: fixed seeds; each is answered or closed, and it serves on."""
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
                    http.sock.shutdown(1) # no more will come
                except OSError:
                    pass
                open_.append(http)
            for http in open_: # to the end: it closes each
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
         nobody_comes_in_by_another_session, no_request_hides_in_another,
         what_is_fine_is_served, what_is_compressed_or_too_much_is_refused,
         only_its_methods_and_paths, the_slow_are_hung_up_on,
         who_does_not_read_takes_little, thousands_knock,
         a_thousand_malformed_requests]

if __name__ == "__main__":
    sys.exit(run(CASES))
