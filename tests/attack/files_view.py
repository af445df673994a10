#!/usr/bin/env python3
"""files_view.py [--slow] PROGRAM [CASE...] - attacks on the page's view of
files: by other clients, and by content of the roots.
"""
import os
import pathlib
import sys
import threading
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
# pylint: disable=wrong-import-position
from port import OWNER, Http, Port
from talk import check, run

SECRET = "nobody-sees-this"


def ask(port, path, token=OWNER, query="", **headers):
    if token:
        headers["authorization"] = f"Bearer {token}"
    if isinstance(path, str):
        path = path.encode()
    http = Http(port)
    got = http.request("GET", "/api/files?path=" + urllib.parse.quote(path)
                       + query, **headers)
    http.close()
    return got


def marks(port, directory):
    """{entry: its access marks}."""
    got = ask(port, str(directory))
    check(got.status == 200, got)
    return {entry["name"]: {mark["mark"] for mark in entry["marks"]}
            for entry in got.json()["entries"]}


def nobody_else_can_look(options, work):
    """files_view: no sign-in, a client's token, another Origin or site."""
    with Port(options, work, clients=["codex"]) as port:
        (port.root / "a.txt").write_text("text\n")
        file = str(port.root / "a.txt")
        for path in ("", str(port.root), file, "/etc/passwd"):
            check(ask(port, path, token="").status == 401, path)
            got = ask(port, path, token=port.tokens["codex"])
            check(got.status == 403, (path, got))
            got = ask(port, path, token="x" * 43)
            check(got.status in (401, 429), (path, got))
            for more in ({"origin": "http://evil.example"},
                         {"origin": f"http://127.0.0.1:{port.port + 1}"},
                         {"host": f"evil.example:{port.port}"},
                         {"sec-fetch-site": "same-site"},
                         {"sec-fetch-site": "cross-site"}):
                got = ask(port, path, **more)
                check(got.status == 403, (path, more, got))
        # The harmless counterpart.
        got = ask(port, file)
        check(got.status == 200 and got.json()["text"] == "text\n", got)


def no_path_leads_out(options, work):
    """files_view: "..", absolute paths, links to the outside, NUL, names that
    are not UTF-8."""
    (work / "outside").mkdir()
    (work / "outside/secret.txt").write_text(SECRET)
    with Port(options, work) as port:
        root = port.root
        (root / "in").mkdir()
        (root / "in/a.txt").write_text("text\n")
        (root / "out").symlink_to("../outside")
        (root / "out.txt").symlink_to(work / "outside/secret.txt")
        (root / "near").symlink_to("in")
        (root / "proc").symlink_to("/proc/self/root/etc")
        os.mkfifo(root / "fifo")
        odd = os.fsencode(root) + b"/b\xffd"
        with open(odd, "wb") as file:
            file.write(b"x")
        for path, status in ((f"{root}/..", 403), (f"{root}/../outside", 403),
                             (f"{root}/in/../../outside/secret.txt", 403),
                             (f"{work}/outside/secret.txt", 403), ("/", 403),
                             ("/etc/passwd", 403), ("/proc/self/environ", 403),
                             (f"{root}/out", 403), (f"{root}/out.txt", 403),
                             (f"{root}/out/secret.txt", 403),
                             ("in", 400), ("../outside", 400), (".", 400),
                             (f"{root}/in\0/a.txt", 400), ("\0", 400),
                             (odd, 400), (f"{root}/none", 404),
                             (f"{root}/none/at/all", 404)):
            got = ask(port, path)
            check(got.status == status, (path, got))
            check(SECRET.encode() not in got.body, got)
        check(ask(port, f"{root}/proc").status >= 400, "a link of /proc")
        check(ask(port, f"{root}/fifo").status == 409, "a FIFO is not opened")
        seen = marks(port, root)
        check(seen["out"] == seen["out.txt"] == {"outside"}, seen)
        check("unnamed" in seen["b\\xffd"], seen)
        # The harmless counterparts.
        for path in (f"{root}/in/a.txt", f"{root}/near/a.txt",
                     f"{root}/in/../in/./a.txt"):
            got = ask(port, path)
            check(got.status == 200 and got.json()["text"] == "text\n", got)
            check(got.json()["path"] == f"{root}/in/a.txt", got)


def what_is_kept_from_agents_is_not_shown(options, work):
    """files_view: stet's own, denied, ask-read and sensitive files have name
    and reason, no content."""
    flags = ("--deny", "read(hidden)", "--ask", "read(asked.txt)",
             "--deny", "write(fixed.txt)", "--state-dir",
             str(work / "root/state"))
    with Port(options, work, *flags) as port:
        root = port.root
        (root / "hidden").mkdir()
        for name in ("hidden/a.txt", "asked.txt", ".env", "id_rsa",
                     "ignored.txt", "fixed.txt", "plain.txt"):
            (root / name).write_text(SECRET + "\n")
        (root / "link.txt").symlink_to(".env")
        os.link(next(file for file in (root / "state").iterdir()
                     if file.is_file()), root / "other-name")
        (root / ".stetignore").write_text("# none\nignored.txt\n")
        seen = marks(port, root)
        for name, mark in (("hidden", "hidden"), ("asked.txt", "asks-read"),
                           (".env", "sensitive"), ("id_rsa", "sensitive"),
                           ("link.txt", "sensitive"), ("state", "own"),
                           ("other-name", "own"), ("ignored.txt", "ignored"),
                           ("fixed.txt", "denied")):
            check(mark in seen[name], (name, seen))
        check(not seen["plain.txt"], seen)
        for name in ("hidden/a.txt", "asked.txt", ".env", "id_rsa", "link.txt"):
            got = ask(port, f"{root}/{name}")
            check(got.status == 200 and "text" not in got.json(), (name, got))
            check(got.json()["untold"] and got.json()["marks"], (name, got))
            check(SECRET.encode() not in got.body, (name, got))
        for name in ("state", "state/token", "other-name"):
            check(ask(port, f"{root}/{name}").status == 403, name)
        reasons = {mark["mark"]: mark["why"] for entry in
                   ask(port, str(root)).json()["entries"]
                   for mark in entry["marks"]}
        for mark, words in (("hidden", "deny read(hidden) (--deny)"),
                            ("ignored", f"{root}/.stetignore:2"),
                            ("denied", "deny write(fixed.txt) (--deny)")):
            check(reasons[mark] == words, reasons)
        # The harmless counterparts: readable by agents and by the person.
        for name in ("ignored.txt", "fixed.txt", "plain.txt"):
            got = ask(port, f"{root}/{name}")
            check(got.json()["text"] == SECRET + "\n", (name, got))


def a_link_that_is_exchanged_shows_nothing_else(options, work):
    """files_view: a link alternates between an ordinary and a sensitive
    file."""
    with Port(options, work) as port:
        root = port.root
        (root / "plain.txt").write_text("text\n")
        (root / ".env").write_text(SECRET)
        (root / "link").symlink_to("plain.txt")
        stop = threading.Event()

        def exchange():
            turn = 0
            while not stop.is_set():
                turn += 1
                (root / "new").symlink_to(("plain.txt", ".env")[turn % 2])
                os.replace(root / "new", root / "link")

        thread = threading.Thread(target=exchange)
        thread.start()
        told = untold = 0
        try:
            while told < 20 or untold < 20:
                got = ask(port, f"{root}/link")
                check(SECRET.encode() not in got.body, got)
                told += b'"text"' in got.body
                untold += b'"untold"' in got.body
        finally:
            stop.set()
            thread.join()


def a_huge_directory_takes_little(options, work):
    """files_view: 30,000 entries come in pages, sorted, each exactly once."""
    with Port(options, work) as port:
        many = port.root / "many"
        many.mkdir()
        for i in range(30000):
            os.close(os.open(many / f"f{i:05}", os.O_CREAT | os.O_WRONLY))
        before = port.peak()
        got = ask(port, str(many)).json()
        check(got["total"] == 30000 and len(got["entries"]) <= 200, got["total"])
        names = [entry["name"] for entry in got["entries"]]
        last = ask(port, str(many), query="&skip=29900").json()
        check("next" not in last, last.get("next"))
        check([e["name"] for e in last["entries"]]
              == [f"f{i:05}" for i in range(29900, 30000)], "the last ones")
        second = ask(port, str(many), query=f"&skip={got['next']}").json()
        names += [entry["name"] for entry in second["entries"]]
        check(names == [f"f{i:05}" for i in range(len(names))], names[:5])
        check(port.peak() - before < 64 or options.slow, port.peak() - before)
        for skip in ("-1", "x", "99999999999"):
            check(ask(port, str(many), query=f"&skip={skip}").status == 400, skip)


def a_lost_browser_gets_a_page(options, work):
    """files_view: 404 has an HTML body for a browser only."""
    with Port(options, work, clients=["codex"]) as port:
        def get(path, method="GET", **headers):
            http = Http(port)
            got = http.request(method, path, **headers)
            http.close()
            return got
        html = {"accept": "text/html,application/xhtml+xml"}
        for path in ("/nothing", "/a/b/c", "/index.htm", "/404.html",
                     "/%3Cscript%3E", "/mcp/x"):
            got = get(path, **html)
            check(got.status == 404 and got.type == "text/html", (path, got))
            check("default-src 'none'" in got.headers["content-security-policy"],
                  got)
            check(b"<script" not in got.body and b"<style" not in got.body, got)
            check(b"nothing at this address" in got.body, got)
            check(get(path, host="evil.example", **html).status == 403, path)
        for path in ("/nothing", "/a/b"):
            check(get(path).status == 401, path)
            check(get(path, "POST", **html).status == 401, path)
        for path in ("/api/nothing", "/api/files", "/metrics", "/api/status"):
            got = get(path, **html)
            check(got.status == 401 and got.type != "text/html", (path, got))
        got = get("/api/nothing", authorization=f"Bearer {OWNER}", **html)
        check(got.status == 404 and got.type == "text/plain", got)
        check(get("/", **html).status == 200, "the harmless twin")


if __name__ == "__main__":
    sys.exit(run([nobody_else_can_look,
                  no_path_leads_out,
                  what_is_kept_from_agents_is_not_shown,
                  a_link_that_is_exchanged_shows_nothing_else,
                  a_huge_directory_takes_little,
                  a_lost_browser_gets_a_page]))
