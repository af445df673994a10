#!/usr/bin/env python3
"""http_page.py [--slow] PROGRAM [CASE...] - the person's page is the person's:
no client, no page of another site, and no link that was used gets in.
"""
import json
import re
import subprocess
import sys

from port import OWNER, Client, Http, Port
from talk import check, run
from server import environment # talk says where it is

READS = ("/api/status", "/api/approvals", "/api/activity", "/api/history",
         "/api/chart", "/metrics")
MOVES = ("/api/approvals/00000000-0000-0000-0000-000000000000",
         "/api/history/00000000-0000-0000-0000-000000000000/undo",
         "/api/restore")


def link(options, work, port):
    """What `stet open` would open."""
    done = subprocess.run([str(options.program), "open", "--print"],
                          env={**environment(work), "STET_TOKEN": OWNER},
                          capture_output=True, text=True, timeout=60)
    check(done.returncode == 0, done)
    found = re.search(rf"http://127\.0\.0\.1:{port.port}(/\S+)", done.stdout)
    check(found, done)
    return found[1]


def ask(port, method, path, **headers):
    http = Http(port)
    body = b"{}" if method == "POST" else b""
    got = http.request(method, path, body, **headers)
    http.close()
    return got


def signed_in(options, work, port):
    """The cookie, and what goes with it."""
    got = ask(port, "GET", link(options, work, port))
    check(got.status == 303, got)
    cookie = got.headers["set-cookie"]
    check("HttpOnly" in cookie and "SameSite=Strict" in cookie, cookie)
    cookie = cookie.split(";")[0]
    status = ask(port, "GET", "/api/status", cookie=cookie)
    check(status.status == 200, status)
    return cookie, status.json()["csrf"]


def only_the_owner_comes_in(options, work):
    """port: nobody, a client, a wrong cookie; the owner's token."""
    with Port(options, work, clients=["ann"]) as port:
        bearer = lambda token: {"authorization": f"Bearer {token}"}
        for path in READS + MOVES:
            method = "GET" if path in READS else "POST"
            for more, status in (({}, 401), (bearer("x" * 20), 401),
                                 (bearer(port.tokens["ann"]), 403),
                                 ({"cookie": "stet=x"}, 401),
                                 ({"cookie": "a=b; c"}, 401)):
                got = ask(port, method, path, **more)
                check(got.status in (status, 429), (path, more, got))
                check(b"csrf" not in got.body, got)
            got = ask(port, method, path, **bearer(OWNER))
            check(got.status not in (401, 403), (path, got))
        got = ask(port, "GET", "/")
        check(str(work).encode() not in got.body, got)
        check(b"stet open" in got.body, got)


def a_link_is_good_once(options, work):
    """port: the second time, altered, or without its end: no cookie."""
    with Port(options, work) as port:
        good = link(options, work, port)
        for bad in (good[:-1], good + "0", good.replace("=", "=0", 1),
                    "/signin", "/signin?", "/signin?x=y"):
            got = ask(port, "GET", bad)
            check("set-cookie" not in got.headers, (bad, got))
        got = ask(port, "GET", good, host="evil.example")
        check(got.status == 403 and "set-cookie" not in got.headers, got)
        check("set-cookie" in ask(port, "GET", good).headers, "the first time")
        got = ask(port, "GET", good)
        check("set-cookie" not in got.headers, ("the second time", got))


def a_cookie_alone_moves_nothing(options, work):
    """port: CSRF: no token, another's, none of our pages; never at /mcp."""
    with Port(options, work) as port:
        cookie, csrf = signed_in(options, work, port)
        other = signed_in(options, work, port)
        own = f"http://127.0.0.1:{port.port}"
        check(other[0] != cookie and other[1] != csrf, "each its own")
        for path in MOVES:
            for more in ({}, {"x-stet-csrf": ""}, {"x-stet-csrf": "x"},
                         {"x-stet-csrf": other[1]},
                         {"x-stet-csrf": csrf[:-1]},
                         {"x-stet-csrf": csrf, "origin": "null"},
                         {"x-stet-csrf": csrf,
                          "origin": "https://evil.example"},
                         {"x-stet-csrf": csrf, "host": "evil.example"}):
                got = ask(port, "POST", path, cookie=cookie, **more)
                check(got.status == 403, (path, more, got))
            got = ask(port, "POST", path, cookie=cookie, origin=own,
                      **{"x-stet-csrf": csrf})
            check(got.status not in (401, 403), (path, got))
        got = ask(port, "GET", "/api/status", cookie=cookie,
                  origin="https://evil.example")
        check(got.status == 403, got)
        check("access-control-allow-origin" not in got.headers, got)
        got = ask(port, "POST", "/mcp", cookie=cookie,
                  content_type="application/json", **{"x-stet-csrf": csrf})
        check(got.status == 401, got)


def the_page_asks_nobody_else(options, work):
    """port: a strict policy on all it serves, and no script from a path."""
    with Port(options, work) as port:
        cookie, _ = signed_in(options, work, port)
        got = ask(port, "GET", "/", cookie=cookie)
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
            got = ask(port, "GET", path, cookie=cookie)
            check(got.status in (400, 404), (path, got))
        for method in ("PUT", "DELETE", "PATCH", "TRACE", "OPTIONS"):
            got = ask(port, method, "/api/status", cookie=cookie)
            check(got.status in (403, 404, 405), (method, got))


def a_body_for_the_page_is_short(options, work):
    """X19: what moves something is a few words."""
    with Port(options, work) as port:
        cookie, csrf = signed_in(options, work, port)
        for body in (b"", b"{", b"[]", b"null", b"\xff", b'{"answer":1}',
                     b'{"answer":"' + b"x" * 100000 + b'"}',
                     b"[" * 10000, json.dumps({"hunks": [-1, 1 << 40]}).encode()):
            for path in MOVES:
                http = Http(port)
                got = http.request("POST", path, body, cookie=cookie,
                                   **{"x-stet-csrf": csrf})
                check(400 <= got.status < 500, (body[:40], path, got))
                http.close()
        http = Http(port)
        got = http.request("POST", MOVES[0], cookie=cookie,
                           content_length=str(100 << 20),
                           **{"x-stet-csrf": csrf})
        check(got.status == 413, got)
        check(Client(port).call("hello")[0], "it serves on")


CASES = [only_the_owner_comes_in, a_link_is_good_once,
         a_cookie_alone_moves_nothing, the_page_asks_nobody_else,
         a_body_for_the_page_is_short]

if __name__ == "__main__":
    sys.exit(run(CASES))
