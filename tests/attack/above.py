#!/usr/bin/env python3
"""above.py [--slow] PROGRAM [CASE...] - settings and ignore files of the
project around a root that a client declared.
"""
import os
import pathlib
import sys

# Appended: tests/system/encodings.py must not shadow Python's module.
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "system"))
# pylint: disable=wrong-import-position
from roots import Person
from talk import Skipped, check, run

SETTINGS = {"deny": ["*(/sub/hidden)", "write(vendor)"],
            "ask": ["write(sub/asked)"],
            "ignore": ["/sub/left"],
            "allow": ["write(.env)"],
            "hooks": {"after_edit": [{"command": "touch ran"}]}}
WANT = (("sub/hidden", "rule"), ("sub/vendor/x", "rule"),
        ("sub/asked", "asked"), ("sub/left", "ignored"),
        ("sub/generated", "ignored"), ("sub/deep/generated", "ignored"),
        ("sub/kept", None), ("sub/plain", None), ("sub/new", None))


def project(p):
    p.put(".stet/config.json", SETTINGS)
    p.put(".stetignore", "generated\nkept\n")
    p.put("sub/.stetignore", "!kept\n")
    for name, _ in WANT[:-1]:
        p.put(name, "old\n")


def the_project_around_a_root_forbids(options, work):
    """C59: deny, ask and ignore rules of the enclosing project hold for a
    client that declares a part of it; allow rules do not."""
    p = Person(options, work)
    project(p)
    p.put("sub/.env", "old\n")
    for c in (p.client(p.project / "sub"), p.serve(p.project / "sub"),
              p.client(p.project / "sub", cwd=p.project),
              p.client(p.project / "sub/deep", p.project / "sub")):
        for name, want in WANT:
            got = c.write(p.project / name)
            check(got == want, (name, got, want))
        check(c.read(p.project / "sub/hidden") == "rule")
        check(c.read(p.project / "sub/plain") is None)
        check(c.write(p.project / "sub/.env") == "asked")
        c.said()
    check(not list(p.home.rglob("ran")), "a hook ran")


def a_repository_within_is_no_way_out(options, work):
    """C59: a .git between the root and the project's settings does not end the
    search; settings above home do not count."""
    p = Person(options, work)
    project(p)
    (p.project / "sub/.git").mkdir()
    (p.home.parent / ".stet").mkdir()
    (p.home.parent / ".stet/config.json").write_text('{"deny": ["*"]}')
    c = p.client(p.project / "sub")
    check(c.write(p.project / "sub/hidden") == "rule")
    check(c.write(p.project / "sub/plain") is None)
    c.said()


def roots_that_change_keep_them(options, work):
    """C59: the same when a confined server gets another root later."""
    p = Person(options, work)
    project(p)
    c = p.client(p.project / "sub")
    check(c.write(p.project / "sub/hidden") == "rule")
    for part in ("sub/deep", "sub"):
        c.post({"jsonrpc": "2.0",
                "method": "notifications/roots/list_changed"})
        asked = c.reply()
        check(asked.get("method") == "roots/list", asked)
        c.post({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [
            {"uri": f"file://{p.project / part}"}]}})
        check(c.write(p.project / "sub/deep/generated") == "ignored", part)
        check(c.write(p.project / "sub/deep/plain") is None, part)
    check(c.write(p.project / "sub/hidden") == "rule")
    check(c.write(p.project / "sub/plain") is None)
    c.said()


def mistakes_above_the_root_forbid(options, work):
    """C59: settings around the root that cannot be parsed, and ignore files
    that cannot be read completely, forbid changes."""
    p = Person(options, work)
    p.put("sub/plain", "old\n")
    p.put(".stet/config.json", "{ deny: }")
    c = p.client(p.project / "sub")
    check(c.write(p.project / "sub/plain") == "rule")
    check(c.read(p.project / "sub/plain") is None)
    check(str(p.project / ".stet/config.json") in c.said())
    p.put(".stet/config.json", {})
    (p.project / ".stetignore").symlink_to("elsewhere")
    c = p.client(p.project / "sub")
    check(c.write(p.project / "sub/plain") == "ignored")
    c.said()
    (p.project / ".stetignore").unlink()
    c = p.client(p.project / "sub")
    check(c.write(p.project / "sub/plain") is None)
    c.said()


def what_another_user_puts_above_does_not_count(options, work):
    """C59: only files owned by the person or by root count above a root."""
    if os.geteuid():
        raise Skipped("it takes root to give files away")
    p = Person(options, work)
    project(p)
    for name in (".stet/config.json", ".stetignore"):
        os.chown(p.project / name, 12345, 12345)
    c = p.client(p.project / "sub")
    check(c.write(p.project / "sub/hidden") is None)
    check(c.write(p.project / "sub/generated") is None)
    c.said()


if __name__ == "__main__":
    sys.exit(run([
        the_project_around_a_root_forbids,
        a_repository_within_is_no_way_out,
        roots_that_change_keep_them,
        mistakes_above_the_root_forbid,
        what_another_user_puts_above_does_not_count,
    ]))
