#!/usr/bin/env python3
"""http_page.py [--slow] PROGRAM [CASE...] - access to the page: not for MCP
clients, other sites, or used sign-in links.
"""
import json
import re
import sys

from port import OWNER, Client, Http, Port
from terminal import at_terminal
from talk import check, run
from server import environment # talk.py extends sys.path

READS = ("/api/status", "/api/approvals", "/api/activity", "/api/history",
         "/api/chart", "/metrics")
MOVES = ("/api/approvals/00000000-0000-0000-0000-000000000000",
         "/api/history/00000000-0000-0000-0000-000000000000/undo",
         "/api/restore")


def link(options, work, port):
    """The key of a new sign-in link (`stet open --print`)."""
    done = at_terminal([options.program, "open", "--print"],
                       {**environment(work), "STET_TOKEN": OWNER})
    check(done.returncode == 0, done)
    found = re.search(rf"http://[\w.]+:{port.port}/#key=(\S+)",
                      done.stdout)
    check(found, done)
    return found[1]


def show(port, key, **headers):
    """Exchange the key of a link for a session, as the page does."""
    http = Http(port)
    got = http.request("POST", "/api/signin", json.dumps({"key": key}).encode(),
                       **headers)
    http.close()
    check("set-cookie" not in got.headers, got)
    return got


def ask(port, method, path, **headers):
    http = Http(port)
    body = b"{}" if method == "POST" else b""
    got = http.request(method, path, body, **headers)
    http.close()
    return got


def bearer(token):
    return {"authorization": f"Bearer {token}"}


def signed_in(options, work, port):
    """A session of the page."""
    got = show(port, link(options, work, port))
    check(got.status == 200 and got.headers["cache-control"] == "no-store", got)
    session = got.json()["session"]
    status = ask(port, "GET", "/api/status", **bearer(session))
    check(status.status == 200, status)
    return session


def only_the_owner_comes_in(options, work):
    """port: no credentials, a client's token and a cookie are refused; the
    owner's token is accepted."""
    with Port(options, work, clients=["ann"]) as port:
        session = signed_in(options, work, port)
        for path in READS + MOVES:
            method = "GET" if path in READS else "POST"
            for more, status in (({}, 401), (bearer("x" * 20), 401),
                                 (bearer(port.tokens["ann"]), 403),
                                 (bearer(session[:-1]), 401),
                                 ({"cookie": f"stet={session}"}, 401),
                                 ({"x-stet-csrf": session}, 401)):
                got = ask(port, method, path, **more)
                check(got.status in (status, 429), (path, more, got))
            got = ask(port, method, path, **bearer(OWNER))
            check(got.status not in (401, 403), (path, got))
        got = ask(port, "GET", "/")
        check(str(work).encode() not in got.body, got)
        check(b"stet open" in got.body, got)


def a_link_is_good_once(options, work):
    """port: a used, altered or truncated link gives no session."""
    with Port(options, work) as port:
        good = link(options, work, port)
        for bad in (good[:-1], good + "0", "0" + good, "", 1, None, [good]):
            check(show(port, bad).status == 403, bad)
        for path in (f"/signin?key={good}", f"/api/signin?key={good}",
                     f"/?key={good}"):
            got = ask(port, "GET", path)
            check(good.encode() not in got.body and b"session\"" not in got.body,
                  got)
        for more in ({"host": "evil.example"}, {"origin": "null"},
                     {"origin": "https://evil.example"},
                     {"sec-fetch-site": "same-site"},
                     {"sec-fetch-site": "cross-site"}):
            check(show(port, good, **more).status == 403, more)
        check(show(port, good).status == 200, "the first time")
        check(show(port, good).status == 403, "the second time")
        got = ask(port, "POST", "/api/signin", content_length=str(1 << 20))
        check(got.status == 413, got)


def a_session_is_for_the_page_alone(options, work):
    """port: each sign-in has its own session, valid only with our Origin and
    host name, and not at /mcp."""
    with Port(options, work) as port:
        session = signed_in(options, work, port)
        check(signed_in(options, work, port) != session, "each its own")
        own = f"http://127.0.0.1:{port.port}"
        for path in READS + MOVES:
            method = "GET" if path in READS else "POST"
            for more in ({"origin": "null"}, {"origin": "https://evil.example"},
                         {"host": "evil.example"}, {"sec-fetch-site": "none"},
                         {"sec-fetch-site": "same-site"},
                         {"sec-fetch-site": "cross-site"}):
                got = ask(port, method, path, **bearer(session), **more)
                check(got.status == 403, (path, more, got))
                check("access-control-allow-origin" not in got.headers, got)
            got = ask(port, method, path, origin=own, **bearer(session),
                      **{"sec-fetch-site": "same-origin"})
            check(got.status not in (401, 403), (path, got))
        got = ask(port, "POST", "/mcp", content_type="application/json",
                  **bearer(session))
        check(got.status == 401, got)


def the_page_asks_nobody_else(options, work):
    """port: a strict Content-Security-Policy, no external resources, and only
    the listed paths."""
    with Port(options, work) as port:
        session = bearer(signed_in(options, work, port))
        got = ask(port, "GET", "/")
        check(got.status == 200 and got.type == "text/html", got)
        policy = got.headers["content-security-policy"]
        check("default-src 'none'" in policy or "default-src 'self'" in policy,
              policy)
        check("unsafe-inline" not in policy and "unsafe-eval" not in policy
              and "*" not in policy, policy)
        check("frame-ancestors 'none'" in policy, policy)
        for path in re.findall(rb'(?:src|href)="([^"#][^"]*)"', got.body):
            path = path.decode()
            check(not path.startswith(("http:", "https:", "//")), path)
        for path in ("/../web/page.js", "/%2e%2e/etc/passwd", "/page.js/..",
                     "/api/../mcp", "/api/history/../status", "/api/",
                     "/api/history/%00", "/api/history/" + "x" * 2000,
                     "/page.js%00.html", "/.git/config"):
            got = ask(port, "GET", path, **session)
            check(got.status in (400, 404), (path, got))
        for method in ("PUT", "DELETE", "PATCH", "TRACE", "OPTIONS"):
            got = ask(port, method, "/api/status", **session)
            check(got.status in (403, 404, 405), (method, got))


def a_body_for_the_page_is_short(options, work):
    """X19: request bodies of the page have a small limit."""
    with Port(options, work) as port:
        session = bearer(signed_in(options, work, port))
        for body in (b"", b"{", b"[]", b"null", b"\xff", b'{"answer":1}',
                     b'{"answer":"' + b"x" * 100000 + b'"}',
                     b"[" * 10000, json.dumps({"hunks": [-1, 1 << 40]}).encode()):
            for path in MOVES:
                http = Http(port)
                got = http.request("POST", path, body, **session)
                check(400 <= got.status < 500, (body[:40], path, got))
                http.close()
        http = Http(port)
        got = http.request("POST", MOVES[0], content_length=str(100 << 20),
                           **session)
        check(got.status == 413, got)
        check(Client(port).call("hello")[0], "it serves on")


CASES = [only_the_owner_comes_in, a_link_is_good_once,
         a_session_is_for_the_page_alone, the_page_asks_nobody_else,
         a_body_for_the_page_is_short]

if __name__ == "__main__":
    sys.exit(run(CASES))
