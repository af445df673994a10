#!/usr/bin/env python3
"""settings.py [--slow] PROGRAM [CASE...] - the settings view of the page: only
the person can use it, a secret is shown once, and an edit of the settings file
changes only the rule.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
# pylint: disable=wrong-import-position
from port import OWNER, Http, Port, until
from terminal import at_terminal, from_program
from talk import check, run
from server import environment # talk.py extends sys.path

SETTINGS = ".config/stet/config.json"
PATHS = (("GET", "/api/settings", None),
         ("GET", "/api/rules/check?path=a", None),
         ("GET", "/api/tokens", None),
         ("POST", "/api/rules", {"verdict": "allow", "rule": "*"}),
         ("POST", "/api/rules/remove", {"verdict": "deny", "rule": "*(b)"}),
         ("POST", "/api/tokens", {"name": "thief"}),
         ("POST", "/api/tokens/revoke", {"name": "codex"}),
         ("POST", "/api/link", {}))


def ask(port, method, path, body=None, **headers):
    http = Http(port)
    got = http.request(method, path,
                       b"" if body is None else json.dumps(body).encode(),
                       **headers)
    http.close()
    return got


def by_owner(port, method, path, body=None):
    got = ask(port, method, path, body, authorization=f"Bearer {OWNER}")
    check(got.status == 200, (path, got.status, got.body))
    return got.json()


def settings_of(work, text='{"deny": ["*(b)"]}\n'):
    file = work / SETTINGS
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def nobody_else_reaches_the_settings(options, work):
    """settings: a client's token, no token, another origin: all refused."""
    file = settings_of(work)
    before = file.read_text()
    with Port(options, work, clients=["codex"]) as port:
        own = f"http://127.0.0.1:{port.port}"
        mine = {"authorization": f"Bearer {OWNER}"}
        for method, path, body in PATHS:
            for status, headers in (
                    (403, {"authorization": f"Bearer {port.tokens['codex']}"}),
                    (401, {}),
                    (401, {"authorization": "Bearer stet_nobody-at-all-1234"}),
                    (401, {"cookie": f"stet={OWNER}"}),
                    (403, {**mine, "origin": "http://evil.example"}),
                    (403, {**mine, "origin": own, "host": "evil.example"}),
                    (403, {**mine, "sec-fetch-site": "cross-site"}),
                    (403, {**mine, "sec-fetch-site": "same-site"})):
                got = ask(port, method, path, body, **headers)
                check(got.status == status, (path, headers, got.status))
                check(b"stet_" not in got.body, got.body)
        check(file.read_text() == before, "the settings are as they were")
        names = [t["name"] for t in by_owner(port, "GET", "/api/tokens")["tokens"]]
        check(names == ["owner", "codex"], names)
        # The harmless counterpart: the owner can do all of it.
        for method, path, body in PATHS:
            by_owner(port, method, path, body)
        check("*(b)" not in file.read_text(), file.read_text())


def a_secret_is_shown_once(options, work):
    """settings: a new token is in one response, works, and is stored nowhere
    in plain text."""
    with Port(options, work) as port:
        check(len(by_owner(port, "GET", "/api/tokens")["tokens"]) == 1,
              "the owner's alone, and that is no failure")
        made = by_owner(port, "POST", "/api/tokens", {"name": "phone"})
        secret = made["token"]
        for path in ("/api/tokens", "/api/settings", "/api/status",
                     "/api/activity"):
            got = ask(port, "GET", path, authorization=f"Bearer {OWNER}")
            check(secret.encode() not in got.body, path)
        for file in (work / ".local/state/stet").rglob("*"):
            if file.is_file():
                check(secret.encode() not in file.read_bytes(), file)
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        use = {"authorization": f"Bearer {secret}",
               "accept": "application/json, text/event-stream",
               "content-type": "application/json"}
        got = ask(port, "POST", "/mcp", ping, **use)
        check(got.status not in (401, 403), got.status)
        for name in ("phone", "owner", "a b", "", "x" * 65, "../x"):
            got = ask(port, "POST", "/api/tokens", {"name": name},
                      authorization=f"Bearer {OWNER}")
            check(got.status == 400, (name, got.status))
        by_owner(port, "POST", "/api/tokens/revoke", {"name": "phone"})
        check(ask(port, "POST", "/mcp", ping, **use).status == 401, "revoked")
        got = ask(port, "POST", "/api/tokens/revoke", {"name": "owner"},
                  authorization=f"Bearer {OWNER}")
        check(got.status == 400, "the owner cannot lock themselves out")


KEPT = """{
    "mode":   "default",
    "deny": [
        "*(private)",
        "write(vendor)"
    ],

    "hooks": {"after_edit": []}, "ask": ["write(a)"]
}
"""


def rule(port, path):
    return [c["decision"]["verdict"] for c in by_owner(
        port, "GET", f"/api/rules/check?path={path}")["checks"]]


def a_rule_changes_nothing_but_itself(options, work):
    """settings: order, whitespace and other keys stay; the rule counts at
    once."""
    file = settings_of(work, KEPT)
    os.chmod(file, 0o640)
    with Port(options, work) as port:
        check(rule(port, "x.log") == ["allow", "allow"], rule(port, "x.log"))
        by_owner(port, "POST", "/api/rules", {"verdict": "deny",
                                              "rule": "write(*.log)"})
        check(rule(port, "x.log") == ["allow", "deny"], rule(port, "x.log"))
        check(file.read_text() == KEPT.replace(
            '"write(vendor)"', '"write(vendor)",\n        "write(*.log)"'),
              file.read_text())
        check(file.stat().st_mode & 0o777 == 0o640, oct(file.stat().st_mode))
        by_owner(port, "POST", "/api/rules/remove",
                 {"verdict": "deny", "rule": "*(private)"})
        by_owner(port, "POST", "/api/rules/remove",
                 {"verdict": "deny", "rule": "write(*.log)"})
        check(rule(port, "private/x") == ["allow", "allow"], "it is gone")
        check(file.read_text() == KEPT.replace(
            '"*(private)",\n        ', ''), file.read_text())
        before = file.read_text()
        for bad in ({"verdict": "deny", "rule": "nothing("},
                    {"verdict": "deny", "rule": ""},
                    {"verdict": "deny", "rule": "write(vendor)"},
                    {"verdict": "hooks", "rule": "write"},
                    {"verdict": "deny", "rule": "x" * 5000},
                    {"verdict": "deny", "rule": 'a"], "mode": "yolo'}):
            got = ask(port, "POST", "/api/rules", bad,
                      authorization=f"Bearer {OWNER}")
            check(got.status == 400, (bad, got.status, got.body))
        check(file.read_text() == before, file.read_text())


def a_link_stays_a_link(options, work):
    """settings: a symlinked settings file is changed at its target."""
    kept = work / "dotfiles"
    kept.mkdir()
    (kept / "stet.json").write_text("{}")
    (work / ".config/stet").mkdir(parents=True)
    (work / SETTINGS).symlink_to(kept / "stet.json")
    with Port(options, work) as port:
        by_owner(port, "POST", "/api/rules", {"verdict": "ask",
                                              "rule": "write(a)"})
    check((work / SETTINGS).is_symlink(), "a link")
    check(json.loads((kept / "stet.json").read_text()) == {
        "ask": ["write(a)"]}, "changed there")


def state_of(port):
    return by_owner(port, "GET", "/api/settings")["file"]


def a_running_server_notices_its_settings(options, work):
    """settings: an edit counts without a restart; with a mistake, or without
    the file, the previous rules stay."""
    with Port(options, work) as port:
        file = settings_of(work, '{"deny": ["*(b)"]}')
        until(lambda: rule(port, "b") == ["deny", "deny"], port.timeout)
        file.write_text('{"deny": ["*(c)"]')
        until(lambda: state_of(port)["state"] == "mistake", port.timeout)
        check(":1:" in state_of(port)["note"], state_of(port))
        check(rule(port, "b") == ["deny", "deny"], "the old ones hold")
        file.unlink()
        until(lambda: state_of(port)["state"] == "gone", port.timeout)
        check(rule(port, "b") == ["deny", "deny"], "and still")
        settings_of(work, '{"deny": ["*(c)"]}')
        until(lambda: state_of(port)["state"] == "current", port.timeout)
        check(rule(port, "b") == ["allow", "allow"], "the new ones")
        check(rule(port, "c") == ["deny", "deny"], "the new ones")
        settings_of(work, '{"hooks": {"after_edit": [{"command": "true"}]}}')
        until(lambda: state_of(port)["state"] == "restart", port.timeout)


def a_program_changes_no_rules(options, work):
    """settings: 'stet rules add' needs a person at a terminal, as approvals
    do."""
    env = environment(work)
    for words in (["add", "allow", "*"], ["remove", "deny", "*(b)"]):
        file = settings_of(work)
        before = file.read_text()
        done = from_program([options.program, "rules", *words], env)
        check(done.returncode != 0, done)
        check(file.read_text() == before, done)
        done = at_terminal([options.program, "rules", *words], env)
        check(done.returncode == 0, done)
        check(file.read_text() != before, done)
        again = at_terminal([options.program, "rules", *words], env)
        check(again.returncode == 2 and "Try 'stet" not in again.stderr, again)
    wrong = at_terminal([options.program, "rules", "add", "allow"], env)
    check("Try 'stet rules --help'" in wrong.stderr, wrong)


def the_writer_can_do_little(options, work):
    """settings: the process that writes settings is confined, has only the
    socket to its server, and ends with it."""
    if options.slow:
        return # a sanitizer's build is not confined
    with Port(options, work) as port:
        mine = subprocess.run(
            ["ps", "-o", "pid=,comm=", "--ppid", str(port.process.pid)],
            capture_output=True, text=True, check=False).stdout
        found = re.search(r"(\d+) stet-settings", mine)
        check(found, mine)
        status = pathlib.Path(f"/proc/{found[1]}/status").read_text()
        check(re.search(r"NoNewPrivs:\s*1", status), status)
        check(re.search(r"Seccomp:\s*2", status), status)
        until(lambda: len(os.listdir(f"/proc/{found[1]}/fd")) <= 4
              if os.geteuid() == 0 else True, port.timeout)
    until(lambda: not os.path.exists(f"/proc/{found[1]}"), 20)


if __name__ == "__main__":
    sys.exit(run([nobody_else_reaches_the_settings,
                  a_secret_is_shown_once,
                  a_rule_changes_nothing_but_itself,
                  a_link_stays_a_link,
                  a_running_server_notices_its_settings,
                  a_program_changes_no_rules,
                  the_writer_can_do_little]))
