#!/usr/bin/env python3
"""http_shapes.py [--slow] PROGRAM [CASE...] - HTTP syntax: valid requests are
served, invalid ones refused, and no part of a request is taken for another
one.
"""
import sys

from port import OWNER, PING, Http, Port, good, statuses
from talk import check, run
from server import Broken # talk.py extends sys.path


def shapes(port):
    """Requests with a second one hidden inside: (name, bytes)."""
    inner = good(port, f"Content-Length: {len(PING)}\r\n")
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(PING), PING)
    size = f"Content-Length: {len(PING)}\r\n"
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
            ("TE identity", "Transfer-Encoding: identity\r\n" + size, PING),
            ("TE other", "Transfer-Encoding: xchunked\r\n" + size, PING),
            ("TE parameter", "Transfer-Encoding: chunked;q=1\r\n", chunks),
            ("TE space", "Transfer-Encoding : chunked\r\n", chunks),
            ("TE tab", "Transfer-Encoding\t: chunked\r\n", chunks),
            ("TE vertical tab", "Transfer-Encoding: \x0bchunked\r\n" + size, PING),
            ("TE folded", "Transfer-Encoding:\r\n chunked\r\n", chunks),
            ("TE quoted", 'Transfer-Encoding: "chunked"\r\n' + size, PING),
            ("TE empty", "Transfer-Encoding:\r\n" + size, PING),
            ("CL twice", size + size, PING),
            ("CL twice, different", size + "Content-Length: 0\r\n", PING),
            ("CL list", f"Content-Length: {len(PING)}, {len(PING)}\r\n", PING),
            ("CL plus", f"Content-Length: +{len(PING)}\r\n", PING),
            ("CL minus", "Content-Length: -1\r\n", PING),
            ("CL hex", f"Content-Length: {len(PING):#x}\r\n", PING),
            ("CL space inside", "Content-Length: 4 0\r\n", PING),
            ("CL empty", "Content-Length: \r\n", PING),
            ("CL huge", "Content-Length: 99999999999999999999\r\n", PING),
            ("CL wraps", f"Content-Length: {2**64 + len(PING)}\r\n", PING),
            ("CL folded", f"Content-Length:\r\n {len(PING)}\r\n", PING),
            ("CL name space", f"Content-Length : {len(PING)}\r\n", PING),
            ("fold", f"X-A: 1\r\n  b\r\n{size}", PING),
            ("bare LF", f"X-A: 1\n{size}", PING),
            ("bare LF end", f"{size}X-A: 1\n", b"\n" + PING),
            ("bare CR", f"X-A: 1\r{size}", PING),
            ("bare CR value", f"X-A: 1\rX-B: 2\r\n{size}", PING),
            ("NUL in value", f"X-A: 1\0\r\n{size}", PING),
            ("NUL in name", f"X\0A: 1\r\n{size}", PING),
            ("control", f"X-A: \x01\r\n{size}", PING),
            ("no colon", f"XA\r\n{size}", PING),
            ("no name", f": 1\r\n{size}", PING),
            ("space in name", f"X A: 1\r\n{size}", PING),
            ("space before colon", f"X-A : 1\r\n{size}", PING),
            ("paren in name", f"X(A): 1\r\n{size}", PING),
            ("host twice", host + size, PING),
            ("size negative", te, b"-1\r\n" + PING),
            ("size plus", te, b"+%x\r\n%s\r\n0\r\n\r\n" % (len(PING), PING)),
            ("size 0x", te, b"0x%x\r\n%s\r\n0\r\n\r\n" % (len(PING), PING)),
            ("size space", te, b" %x\r\n%s\r\n0\r\n\r\n" % (len(PING), PING)),
            ("size space after", te, b"%x \r\n%s\r\n0\r\n\r\n" % (len(PING), PING)),
            ("size empty", te, b"\r\n" + PING),
            ("size huge", te, b"fffffffffffffffff\r\n" + PING),
            ("size wraps", te, b"1%016x\r\n%s\r\n0\r\n\r\n" % (len(PING), PING)),
            ("size no hex", te, b"g\r\n" + PING),
            ("size LF", te, b"%x\n%s\r\n0\r\n\r\n" % (len(PING), PING)),
            ("size CR", te, b"%x\r%s\r\n0\r\n\r\n" % (len(PING), PING)),
            ("chunk too long", te, b"%x\r\n%sxx\r\n0\r\n\r\n" % (len(PING), PING)),
            ("chunk without CRLF", te, b"%x\r\n%s0\r\n\r\n" % (len(PING), PING)),
            ("chunk then LF", te, b"%x\r\n%s\n0\r\n\r\n" % (len(PING), PING)),
            ("extension NUL", te, b"%x;\0\r\n%s\r\n0\r\n\r\n" % (len(PING), PING)),
            ("extension LF", te, b"%x;a\nb\r\n%s\r\n0\r\n\r\n" % (len(PING), PING)),
            ("trailer fold", te, b"%x\r\n%s\r\n0\r\nX-A: 1\r\n b\r\n\r\n" % (len(PING), PING)),
            ("trailer LF", te, b"%x\r\n%s\r\n0\r\nX-A: 1\n\r\n" % (len(PING), PING)),
            ("trailer CL", te, b"%x\r\n%s\r\n0\r\nContent-Length: 5\r\n\r\n" % (len(PING), PING)),
            ("trailer", te, b"%x\r\n%s\r\n0\r\nX-A: 1\r\n\r\n" % (len(PING), PING)),
            ("last LF", te, b"%x\r\n%s\r\n0\r\n\n" % (len(PING), PING)),
            ("last size LF", te, b"%x\r\n%s\r\n0\n\r\n" % (len(PING), PING)),
            ("last CR", te, b"%x\r\n%s\r\n0\r\n\rx" % (len(PING), PING)),
            ("extension CR", te, b"%x;a\rb\r\n%s\r\n0\r\n\r\n" % (len(PING), PING)),
            ("extension quoted", te, b"%x;a=\"\r\n%s\r\n0\r\n\r\n" % (len(PING), PING)),
            ("upgrade CONNECT", size, PING)):
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
    """port: request smuggling: one 4xx, then closed; the inner request is not
    served."""
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
    """port: chunked bodies, chunk extensions, trailers, 100-continue,
    HTTP/1.0."""
    with Port(options, work) as port:
        te = "Transfer-Encoding: chunked\r\n"
        size = f"Content-Length: {len(PING)}\r\n"
        half = len(PING) // 2
        for more, body in (
                (size, PING), ("\u0054ransfer-encoding: Chunked\r\n",
                               b"%x\r\n%s\r\n0\r\n\r\n" % (len(PING), PING)),
                (te, b"%x;a=b\r\n%s\r\n%X\r\n%s\r\n00\r\n\r\n" % (
                    half, PING[:half], len(PING) - half, PING[half:])),
                (te, b"".join(b"1\r\n%c\r\n" % c for c in PING) + b"0\r\n\r\n"),
                (size + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                 "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n", PING)):
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
        http.send(PING)
        check(b"Mcp-Session-Id" in http.answer().body, "and then")
        http.send(good(port, size + "Expect: 100-continue\r\n", b"").replace(OWNER.encode(), b"x"))
        check(http.answer().status == 401, "not invited")
        http.close()
        http = Http(port)
        http.send(good(port, size, version="1.0"))
        got = http.answer()
        check(b"Mcp-Session-Id" in got.body and http.closed() == b"", got)


CASES = [no_request_hides_in_another, what_is_fine_is_served]

if __name__ == "__main__":
    sys.exit(run(CASES))
