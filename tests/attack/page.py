#!/usr/bin/env python3
"""page.py [--slow] PROGRAM [CASE...] - attacks on the sign-in of the page
without a browser. Those that need one: tests/web/hostile.
"""
import concurrent.futures
import http.client as http_client
import json
import pathlib
import re
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
# pylint: disable=wrong-import-position
from port import OWNER, Client, Http, Port
from page_client import SignedIn
from terminal import at_terminal
from talk import check, run
from server import environment # talk.py extends sys.path


def ask(port, method, path, body=b"", **headers):
    http = Http(port)
    got = http.request(method, path, body, **headers)
    http.close()
    return got


def link_of(options, work, *which):
    """`stet open --print` of the only server, or of --port."""
    done = at_terminal([options.program, "open", "--print", *which],
                       {**environment(work), "STET_TOKEN": OWNER})
    check(done.returncode == 0, done)
    return done.stdout.strip()


def key_of_link(options, work, *which):
    return re.search(r"key=([\w-]+)", link_of(options, work, *which))[1]


def sign_in(port, key):
    return ask(port, "POST", "/api/signin", json.dumps({"key": key}).encode())


def a_link_works_once_over_all_servers(options, work):
    """page: one link used many times at once at two servers of one person: one
    session."""
    with Port(options, work) as first, Port(options, work) as last:
        for turn in range(5):
            key = key_of_link(options, work, "--port", last.port)
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                answers = list(pool.map(lambda port: sign_in(port, key),
                                        [first, last] * 4))
            taken = [got for got in answers if got.status == 200]
            check(len(taken) == 1, (turn, answers))
            check({got.status for got in answers} == {200, 403}, answers)
        # The harmless counterpart: the session is valid at its server.
        bearer = f"Bearer {taken[0].json()['session']}"
        got = ask(last, "GET", "/api/status", authorization=bearer)
        check(got.status == 200, got)
        got = ask(first, "GET", "/api/status", authorization=bearer)
        check(got.status == 401, got)


def what_a_browser_adds_by_itself_is_not_enough(options, work):
    """page: the session as a cookie, in the URL, as Basic; only an Origin."""
    with Port(options, work) as port:
        session = sign_in(port, key_of_link(options, work)).json()["session"]
        own = {"origin": f"http://127.0.0.1:{port.port}",
               "sec-fetch-site": "same-origin"}
        for path, more in (("", {}), ("", {"cookie": f"stet={session}"}),
                           ("", {"cookie": f"stet.session={session}"}),
                           (f"?session={session}&access_token={session}", {}),
                           ("", {"authorization": f"Basic {session}"}),
                           ("", {"x-stet-csrf": session}),
                           ("", {"referer": f"{own['origin']}/#{session}"})):
            for method, target in (("GET", "/api/approvals"),
                                   ("GET", "/api/live"),
                                   ("POST", "/api/restore")):
                got = ask(port, method, target + path, **own, **more)
                check(got.status == 401, (target, more, got))
        got = ask(port, "GET", "/api/approvals", **own,
                  authorization=f"Bearer {session}")
        check(got.status == 200, got)


def a_session_ends_with_its_server(options, work):
    """page: a session is not valid for the next server at the port."""
    with Port(options, work) as port:
        session = sign_in(port, key_of_link(options, work)).json()["session"]
        late = key_of_link(options, work)
        at = port.port
    with Port(options, work, "--http", f"127.0.0.1:{at}") as port:
        check(port.port == at, port.port)
        got = ask(port, "GET", "/api/status", authorization=f"Bearer {session}")
        check(got.status == 401, got)
        check(sign_in(port, late).status == 403, "a link to the old one")
        got = sign_in(port, key_of_link(options, work))
        check(got.status == 200, got)


def listen_on(address, port):
    """Another program's listener; None if the address is taken or missing."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        sock = socket.socket(family, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((address, port))
        sock.listen()
        return sock
    except OSError:
        return None


def nobody_else_answers_to_the_pages_name(options, work):
    """page: *.localhost resolves to ::1 first: stet listens there, or the link
    has the address."""
    names = set()
    for _ in range(3):
        with Port(options, work) as port:
            name = re.match(rf"http://([0-9a-f]{{32}})\.localhost:{port.port}/#",
                            link_of(options, work))
            taken = listen_on("::1", port.port)
            check(not name or not taken, "somebody else can have the name")
            if taken:
                taken.close()
            if name:
                names.add(name[1])
                host = {"host": f"{name[1]}.localhost:{port.port}"}
                check(ask(port, "GET", "/", **host).status == 200, host)
            for other in ("localhost.", "x.localhost", f"{'0' * 32}.localhost"):
                got = ask(port, "GET", "/", host=f"{other}:{port.port}")
                check(got.status == 403, (other, got))
            at = port.port
    check(len(names) != 1, "a new one each time")
    hostile = listen_on("::1", at)
    if not hostile: # no IPv6, or the port is in use
        return
    with Port(options, work, "--http", f"127.0.0.1:{at}") as port:
        link = link_of(options, work)
        check(link.startswith(f"http://127.0.0.1:{at}/#key="), link)
        check(sign_in(port, re.search(r"key=([\w-]+)", link)[1]).status == 200,
              "the harmless twin")
    hostile.close()


def a_port_that_is_not_loopback(options, work):
    """page: a warning; only loopback host names, and nothing without a
    token."""
    with Port(options, work, "--http", "0.0.0.0:0") as port:
        check(b"unencrypted" in port.said, port.said)
        link = link_of(options, work)
        check(link.startswith(f"http://127.0.0.1:{port.port}/#key="), link)
        far = socket.create_connection(("127.0.0.2", port.port), port.timeout)
        far.close()
        for host in ("0.0.0.0", "127.0.0.2", "[::]", "192.0.2.7", "x.localhost"):
            for path in ("/", "/api/status", "/mcp", "/healthz"):
                got = ask(port, "GET", path, host=f"{host}:{port.port}",
                          authorization=f"Bearer {OWNER}")
                check(got.status == 403, (host, path, got))
        for path in ("/api/status", "/mcp", "/metrics"):
            check(ask(port, "GET", path).status == 401, path)
        got = ask(port, "GET", "/api/status", authorization=f"Bearer {OWNER}")
        check(got.status == 200, got)


def an_address_is_a_name_of_ours(options, work):
    """page: the link to a server at another address works there."""
    (work / "root").mkdir()
    server = subprocess.Popen(
        [str(options.program), "serve", "--http", "127.0.0.2:0",
         str(work / "root")], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env={**environment(work), "STET_TOKEN": OWNER})
    try:
        said = server.stderr.readline().decode()
        at = re.search(r"http://(127\.0\.0\.2:(\d+))/mcp", said)
        check(at, said)
        link = link_of(options, work)
        check(link.startswith(f"http://{at[1]}/#key="), link)
        key = json.dumps({"key": link.split("key=")[1]})
        for host, status in (("evil.example", 403), ("127.0.0.3", 403),
                             (at[1], 200)):
            http = http_client.HTTPConnection("127.0.0.2", int(at[2]))
            http.request("POST", "/api/signin", key, {
                "Host": host, "Origin": f"http://{host}",
                "Content-Type": "application/json"})
            got = http.getresponse().status
            http.close()
            check(got == status, (host, got))
    finally:
        server.terminate()
        server.wait(60)
        server.stderr.close()


def every_request_ends(options, work):
    """page: an invalid path is an error, not an endless search."""
    with Port(options, work) as port:
        person = SignedIn(options, work, port)
        for path in ("", "x", "./x", "x/y"):
            got = person.ask("GET", f"/api/compare?path={path}&from=now&to=now")
            check(got.status == 400, (path, got))
        check(person.ask("GET", "/api/status").status == 200, "it is stuck")


def a_preview_has_its_limit(options, work):
    """page: many changes of a large file are undone in several steps; a
    preview has no more than fits into its memory limit."""
    with Port(options, work, "--durability=process",
              clients=("codex",)) as port:
        path, client = port.root / "large.txt", Client(port, "codex")
        for n in range(12):
            _, fault = client.call(
                "write_text_file", path=str(path),
                content=str(n) * (4 << 20))
            check(not fault, fault)
        person = SignedIn(options, work, port)
        got = person.ask("GET", "/api/undo?client=codex").json()
        check(got["more"] and 1 < len(got["operations"]) < 12, got["more"])
        small = port.root / "small.txt"
        client.call("write_text_file", path=str(small), content="1\n")
        got = person.ask("GET", f"/api/undo?path={small}").json()
        check(not got["more"] and len(got["operations"]) == 1, got)


if __name__ == "__main__":
    sys.exit(run([a_link_works_once_over_all_servers,
                  what_a_browser_adds_by_itself_is_not_enough,
                  a_session_ends_with_its_server,
                  nobody_else_answers_to_the_pages_name,
                  a_port_that_is_not_loopback,
                  an_address_is_a_name_of_ours,
                  every_request_ends,
                  a_preview_has_its_limit]))
