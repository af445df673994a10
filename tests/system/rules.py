#!/usr/bin/env python3
"""rules.py [--slow] PROGRAM [CASE...] - permission rules: which rule decides,
and where it comes from."""
import json
import os
import stat
import subprocess
import sys

from terminal import at_terminal
from talk import Server, Talk, check, confine, run


class Person:
    """A home directory, a project, and the program."""

    def __init__(self, options, work):
        self.options, self.home = options, work / "home"
        self.project = work / "project"
        self.home.mkdir()
        self.project.mkdir()
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith("XDG_")}
        self.env["HOME"] = str(self.home)
        self.config = self.home / ".config/stet/config.json"

    def mine(self, text):
        self.config.parent.mkdir(parents=True, exist_ok=True)
        self.config.write_text(text if isinstance(text, str)
                               else json.dumps(text))

    def projects(self, text):
        (self.project / ".stet").mkdir(exist_ok=True)
        (self.project / ".stet/config.json").write_text(
            text if isinstance(text, str) else json.dumps(text))

    def stet(self, *words, says="", cwd=None):
        done = subprocess.run(
            [str(self.options.program), *map(str, words)], check=False,
            cwd=cwd or self.project, env=self.env, input=says.encode(),
            capture_output=True, timeout=120)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def trust(self, *words, says=""):
        """Run `stet trust` at a terminal."""
        done = at_terminal([self.options.program, "trust", *words], self.env,
                           says, cwd=self.project)
        return done.returncode, done.stdout, done.stderr

    def verdict(self, tool, path, *flags):
        """(verdict, reason, origin of the rule or None)."""
        status, out, said = self.stet("rules", "check", tool, path, "--json",
                                      *flags)
        check(status == 0, (status, out, said))
        got = json.loads(out)
        return (got["verdict"], got["reason"],
                got.get("rule", {}).get("origin"))


def a_path_may_lead_upwards(options, work):
    """rules check: '..' is resolved, not dropped."""
    p = Person(options, work)
    below = p.project / "below"
    below.mkdir()
    for path, verdict in (("../in.txt", "allow"), ("../../out.txt", "deny")):
        status, out, said = p.stet("rules", "check", "write", path, "--root",
                                   p.project, "--json", cwd=below)
        check(status == 0 and json.loads(out)["verdict"] == verdict,
              (path, status, out, said))


def a_mistake_ends_the_start(options, work):
    """C58 C59: a settings error has file, line and column; exit status 78."""
    p = Person(options, work)
    for put, file in ((p.mine, p.config),
                      (p.projects, p.project / ".stet/config.json")):
        put('{\n  "deny": ["write(x)"],\n  "aks": []\n}')
        for words in (["serve", "."], ["serve"], ["rules"],
                      ["call", "hello", "--name", "x"],
                      ["rules", "check", "edit_text_file", "a"]):
            status, out, said = p.stet(*words)
            check(status == 78 and not out, (words, status, out))
            check(f'{file}:3:3: unknown key "aks" (did you mean "ask"?)'
                  in said, said)
        put("{")
        status, _, said = p.stet("rules")
        check(status == 78 and f"{file}:1:2: invalid JSON" in said, said)
        status, _, said = p.stet("rules", "--no-config")
        check(status == 0 and not said, said)
        put("{}")
    for words, told in ((["--mode", "x"], "--mode takes default"),
                        (["--deny", "wriet"], "did you mean write?"),
                        (["--ignore", ""], "--ignore takes a pattern")):
        status, _, said = p.stet("rules", *words)
        check(status == 2 and told in said, (words, status, said))
    status, _, said = p.stet("rules", "--config", p.project / "none")
    check(status == 78 and "the file does not exist" in said, said)


def rules_come_from_three_places(options, work):
    """A52 C59 C99 X14: flags, the person's settings and the project's; deny
    wins, and the deciding rule is named with its line."""
    p = Person(options, work)
    p.mine({"allow": ["write(.env.sample)"], "ask": ["write(docs)"]})
    mine = f"{p.config}:1:12"
    p.projects('{\n"deny": ["write(vendor)"]}')
    theirs = f"{p.project}/.stet/config.json:2:10"
    e = "edit_text_file"
    check(p.verdict(e, "a.c") == ("allow", "mode", None))
    check(p.verdict(e, ".env") == ("ask", "sensitive", "built in"))
    check(p.verdict(e, ".env.sample") == ("allow", "rule", mine),
          p.verdict(e, ".env.sample"))
    check(p.verdict(e, "docs/a")[:2] == ("ask", "rule"))
    check(p.verdict(e, "docs/a", "--mode=accept-edits")[:2]
          == ("allow", "mode"))
    check(p.verdict(e, "docs/a", "--deny", "write(docs)")
          == ("deny", "rule", "--deny"))
    check(p.verdict(e, "vendor/a") == ("deny", "rule", theirs))
    check(p.verdict(e, "vendor/a", "--allow", "write(vendor)")[0] == "deny")
    check(p.verdict("read_text_file", "vendor/a")[0] == "allow")
    check(p.verdict(e, "a.c", "--mode", "plan")
          == ("deny", "plan_mode", None))
    check(p.verdict(e, "/etc/passwd")[:2] == ("deny", "outside_roots"))
    check(p.verdict(e, "a", "--ask", "write lines_removed>4",
                    "--lines-removed", "4")[0] == "allow")
    check(p.verdict(e, "a", "--ask", "write lines_removed>4",
                    "--lines-removed", "5")[0] == "ask")
    # the same as text
    status, out, _ = p.stet("rules", "check", e, "vendor/a")
    check(status == 0 and out.startswith("deny: ") and theirs in out, out)
    status, out, _ = p.stet("rules", "--mode=yolo")
    lines = out.splitlines()
    check(lines[0] == "mode yolo", out)
    check(lines[1] == f"deny write(vendor) ({theirs})", out)
    check(any(l.startswith("ask *(.env*) (built in)") for l in lines), out)


def both_names_of_a_file_count(options, work):
    """C59 C100: a symlink does not bypass a rule."""
    p = Person(options, work)
    (p.project / "vendor").mkdir()
    (p.project / "vendor/real").write_text("x")
    (p.project / "plain").write_text("x")
    os.symlink("vendor/real", p.project / "link")
    os.symlink("plain", p.project / ".env")
    for name in ("link", "vendor/real", "VENDOR/real"):
        got = p.verdict("read_text_file", name, "--deny", "*(vendor)")
        check(got == ("deny", "rule", "--deny"), (name, got))
    check(p.verdict("edit_text_file", ".env")[:2] == ("ask", "sensitive"))


def nobody_changes_our_settings(options, work):
    """X14: tools cannot change stet's settings, in any mode, by any rule or
    path."""
    p = Person(options, work)
    p.mine({"allow": ["*", "write(.stet)", "write(**)"]})
    p.projects({})
    state = p.home / ".local/state/stet"
    state.mkdir(parents=True)
    (state / "history.db").write_text("x")
    os.symlink(p.config, p.project / "innocent")
    for mode in ("default", "acceptEdits", "bypassPermissions", "yolo"):
        for path in (p.project / ".stet/config.json",
                     p.project / "deep/.stet/new", p.config,
                     p.config.parent / "trusted.json",
                     p.project / "innocent", state / "history.db"):
            got = p.verdict("write_text_file", path, "--mode", mode,
                            "--root", work)
            check(got[:2] == ("deny", "config"), (mode, path, got))
    check(p.verdict("read_text_file", p.config, "--root", work)[:2]
          == ("deny", "config"))
    check(p.verdict("read_text_file", p.project / ".stet/config.json")[0]
          == "allow")
    check(p.verdict("read_text_file", state / "history.db", "--root", work)
          [:2] == ("deny", "config"))


def ignored_is_ignored(options, work):
    """A49 C16 C85: by flags, settings and ignore files; by .gitignore if
    configured."""
    p = Person(options, work)
    p.mine({"ignore": ["*.min.js"]})
    p.projects('{"ignore": [\n"dist/"]}')
    (p.project / ".claudeignore").write_text("# x\ngenerated\n")
    (p.project / "src").mkdir()
    (p.project / "src/.stetignore").write_text("*.out\n!keep.out\n")
    (p.project / ".gitignore").write_text("local\n")
    (p.project / "dist").mkdir()

    def why(path, *flags):
        _, out, _ = p.stet("rules", "check", "write_text_file", path,
                           "--json", *flags)
        got = json.loads(out)
        return got["why"] if got["reason"] == "ignored" else None

    root = p.project
    check(why("a.js") is None)
    check(why("a.min.js") == f"{p.config}:1", why("a.min.js"))
    check(why("dist/new/a.js") == f"{root}/.stet/config.json:2")
    check(why("x/generated/a") == f"{root}/.claudeignore:2")
    check(why("src/a.out") == f"{root}/src/.stetignore:1")
    check(why("src/keep.out") is None and why("a.out") is None)
    check(why("tmp/x", "--ignore", "tmp/") == "--ignore")
    check(why("local") is None)
    p.mine({"gitignore": True})
    check(why("local") == f"{root}/.gitignore:1")
    # the tools behave accordingly
    status, out, _ = p.stet("call", "write_text_file", "--path",
                            root / "dist/a", "--content", "x")
    check(status == 4 and not (root / "dist/a").exists(), (status, out))


def a_cloned_project_gets_nothing(options, work):
    """C99 P7: allow rules, hooks and mode of an untrusted project are not
    used, with a warning; deny and ask rules are."""
    p = Person(options, work)
    p.projects({"mode": "yolo", "allow": ["write(.env)"],
                "deny": ["write(fixed)"],
                "hooks": {"after_edit": [{"command": "touch pwned"}]}})
    check(p.verdict("edit_text_file", ".env")[:2] == ("ask", "sensitive"))
    check(p.verdict("edit_text_file", "fixed")[0] == "deny")
    for words in (["rules"], ["call", "hello", "--name", "x"],
                  ["rules", "check", "edit_text_file", "a"]):
        status, out, said = p.stet(*words)
        check(status == 0 and "mode yolo" not in out, out)
        check(f"ignored until you run 'stet trust {p.project}': "
              "mode, allow, hooks" in said, said)
    status, _, _ = p.stet("call", "write_text_file", "--path",
                          p.project / "a", "--content", "x")
    check(status == 0 and not (p.project / "pwned").exists())


def reading_and_writing_are_asked_about_plainly(options, work):
    """C58: read and write stand for all tools of the kind; the strictest
    answer is reported, with its tools if others differ."""
    p = Person(options, work)
    for what, path, flags, want in (
            ("read", "a", (), ("allow", "mode")),
            ("write", "a", (), ("allow", "mode")),
            ("write", ".env", (), ("ask", "sensitive")),
            ("read", "a", ("--deny", "Write(a)"), ("allow", "mode")),
            ("write", "a", ("--deny", "Write(a)"), ("deny", "rule")),
            ("edit_text_file", "a", ("--deny", "Write(a)"),
             ("deny", "rule")),
            ("edit_text_file", "a", ("--deny", "write_text_file(a)"),
             ("allow", "mode")),
            ("write", "a", ("--ask", "write bytes>9", "--bytes", "9"),
             ("allow", "mode")),
            ("write", "a", ("--ask", "write bytes>9", "--bytes", "10"),
             ("ask", "rule")),
            ("read", "a", ("--deny", "Read(a)"), ("deny", "rule"))):
        check(p.verdict(what, path, *flags)[:2] == want, (what, flags))
    _, out, _ = p.stet("rules", "check", "write", "a", "--deny",
                       "write_text_file(a)")
    check(out.startswith(f"deny: write {p.project}/a\n"
                         "  tools:   write_text_file\n"),
          out)
    _, out, _ = p.stet("rules", "check", "write", "a", "--deny", "write(a)")
    check("tools:" not in out, out)
    _, out, _ = p.stet("rules", "check", "write", "a")
    check("  because: no rule matches; the mode default allows it\n" in out,
          out)
    status, _, said = p.stet("rules", "check", "wriet", "a")
    check(status == 2 and "there is no tool 'wriet'" in said, said)


def trust_is_for_a_file_as_it_is(options, work):
    """C99: trust shows the file, asks, is stored outside the project, and ends
    when the file changes."""
    p = Person(options, work)
    wanted = {"allow": ["write(.env)"],
              "hooks": {"before_edit": [{"command": "lint \x1b[2J it"}]}}
    p.projects(wanted)
    ask, let = ("ask", "sensitive"), ("allow", "rule")
    for says in ("", "n\n", "\n"):
        status, out, said = p.trust(p.project, says=says)
        check(status == 11 and "Denied by user" in said, (status, said))
        check("allow        write(.env)" in out and "before_edit" in out, out)
        check("lint \\x1b[2J it" in out and "\x1b" not in out, repr(out))
        check(p.verdict("edit_text_file", ".env")[:2] == ask)
    status, out, _ = p.trust(".", says="y\n")
    check(status == 0 and "Trusted." in out, out)
    check(p.verdict("edit_text_file", ".env")[:2] == let)
    status, out, said = p.stet("rules")
    check(not said and "allow write(.env)" in out, (out, said))
    file = p.config.parent / "trusted.json"
    check(stat.S_IMODE(file.stat().st_mode) == 0o600)
    check(list(json.loads(file.read_text())) == [str(p.project)])
    status, out, _ = p.stet("trust", "--list")
    check(out == f"{p.project}\n", out)
    p.projects({**wanted, "mode": "yolo"})
    check(p.verdict("edit_text_file", ".env")[:2] == ask)
    status, out, _ = p.stet("trust", "--list")
    check("changed since" in out, out)
    p.projects(wanted)
    check(p.verdict("edit_text_file", ".env")[:2] == let)
    check(p.trust("--remove", ".")[0] == 0)
    check(p.verdict("edit_text_file", ".env")[:2] == ask)
    check(p.stet("trust", "--remove", ".")[0] == 2)
    check(json.loads(file.read_text()) == {})
    # a mode holds for all roots: only the project of a single root sets it
    p.projects({"mode": "yolo"})
    check(p.trust("--yes", ".")[0] == 0)
    check(p.stet("rules")[1].startswith("mode yolo\n"))
    check(p.stet("rules", "--root", p.project, "--root", p.home)[1]
          .startswith("mode default\n"))
    p.mine({"mode": "plan"})
    check(p.stet("rules")[1].startswith("mode plan\n"))
    check(p.trust("--remove", ".")[0] == 0)
    p.projects({"deny": ["*(x)"]})
    status, out, _ = p.trust("--yes", ".")
    check(status == 0 and "nothing needs to be trusted" in out, out)
    check(json.loads(file.read_text()) == {})


def settings_name_encodings(options, work):
    """R59: encodings in a project's settings hold for its own files."""
    p = Person(options, work)
    other = work / "other"
    other.mkdir()
    p.projects({"encoding": {"*.txt": "iso-8859-2"}})
    for directory in (p.project, other):
        (directory / "a.txt").write_bytes(b"\xb1\xe6\n")
    server = Talk(options, p.project, "--results=structured", str(other),
                  env=p.env)
    got, fault = server.call("read_text_file", path=str(p.project / "a.txt"))
    check(not fault and got["content"] == "\u0105\u0107\n", (got, fault))
    got, _ = server.call("read_text_file", path=str(other / "a.txt"))
    check(got["content"] != "\u0105\u0107\n", got)
    server.close()
    server.kill()


def settings_speak_of_the_history(options, work):
    """C103: history settings: off, overridden by the command line; the limit
    for gc."""
    p = Person(options, work)
    write = ("call", "write_text_file", "--path", p.project / "f",
             "--content")
    p.mine({"history": {"off": True}})
    status, out, _ = p.stet(*write, "one")
    check(status == 0 and "operation" not in out, out)
    status, out, _ = p.stet(*write, "two", "--history", "required")
    check(status == 0 and "operation" in out, out)
    p.mine({"history": {"max_age_days": 1, "max_bytes": 1}})
    status, out, said = p.stet("gc", "--max-size", "1g", "--json")
    check(json.loads(out)["operations"] == 0, (out, said))
    status, out, said = p.stet("gc", "--json", "--yes")
    check(json.loads(out)["operations"] == 1, (out, said))
    p.mine({"history": {"max_bytes": "much"}})
    status, out, said = p.stet("gc")
    check(status == 78 and "config.json:1:" in said, (status, said))


def the_server_keeps_to_the_rules(options, work):
    """C59 C98: calls of a client are judged by the same rules."""
    p = Person(options, work)
    p.projects({"deny": ["*(hidden)", "write(fixed)"], "ignore": ["gone"]})
    for name in ("hidden", "fixed", "gone", "free"):
        (p.project / name).write_text("text\n")
    server = Talk(options, p.project, env=p.env)
    for name, write in (("hidden", "rule"), ("fixed", "rule"), ("gone", "ignored"),
                        ("free", None), (".stet/config.json", "config")):
        path = str(p.project / name)
        _, fault = server.call("read_text_file", path=path)
        check(bool(fault) == (name == "hidden"), (name, fault))
        check("text" not in json.dumps(fault), fault)
        _, fault = server.call("write_text_file", path=path, content="new\n")
        check((fault or {}).get("data", {}).get("reason") == write,
              (name, fault))
        check(not fault or fault["code"] == -32002, fault)
        check(((p.project / name).read_text() == "new\n") == (not write), name)
    server.close()
    server.kill()


class Declares(Talk):
    """A client that answers roots/list."""

    def __init__(self, options, **more):
        # pylint: disable=super-init-not-called,non-parent-init-called
        # Not confined: Landlock would limit it to its first roots; see
        # attack/confine.py.
        Server.__init__(self, [str(options.program), "serve",
                               confine(options, "syscalls")],
                        options.slow, **more)
        self.modern, self.last = False, 0
        self.ask({"jsonrpc": "2.0", "id": 0, "method": "initialize",
                  "params": {"protocolVersion": "2025-11-25",
                             "clientInfo": {"name": "test", "version": "1"},
                             "capabilities": {"roots": {"listChanged": True}}
                             }})
        self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def declare(self, *roots):
        asked = self.reply()
        check(asked.get("method") == "roots/list", asked)
        self.post({"jsonrpc": "2.0", "id": asked["id"], "result": {
            "roots": [{"uri": f"file://{root}"} for root in roots]}})


def hooks_of_the_settings_run(options, work):
    """C23: the person's hooks always run, a project's own if it is trusted,
    and only for its files."""
    p = Person(options, work)
    other = work / "other"
    other.mkdir()
    p.mine({"hooks": {"after_edit": [
        {"command": "echo mine >>$HOME/ran", "match": "*.js"}]}})
    p.projects({"hooks": {"after_edit": [
        {"command": "echo theirs >>$HOME/ran"}]}})

    def ran(path):
        (p.home / "ran").write_text("")
        status, out, _ = p.stet("call", "write_text_file", "--root", p.project,
                                "--root", other, "--path", path, "--content",
                                os.urandom(4).hex())
        check(status == 0, out)
        return (p.home / "ran").read_text().split()

    check(ran(p.project / "a.js") == ["mine"])
    check(ran(p.project / "a.c") == [])
    check(p.trust("--yes", ".")[0] == 0)
    check(ran(p.project / "a.js") == ["mine", "theirs"])
    check(ran(p.project / "deep.c") == ["theirs"])
    check(ran(other / "a.c") == [])


def roots_that_come_later_bring_their_rules(options, work):
    """A52 C59: rules of roots that are declared later count; a root with a
    settings error is read-only."""
    p = Person(options, work)
    p.projects({"deny": ["write(fixed)"], "allow": ["write(.env)"]})
    broken = work / "broken"
    (broken / ".stet").mkdir(parents=True)
    (broken / ".stet/config.json").write_text('{"deni": []}')
    (broken / "f").write_text("text\n")
    server = Declares(options, env=p.env, cwd=str(p.home))

    def reason(path, tool="write_text_file", **more):
        if tool == "write_text_file":
            more = {"content": "new\n"}
        _, fault = server.call(tool, path=str(path), **more)
        return fault and fault["data"]["reason"]

    server.declare(p.project)
    check(reason(p.project / "fixed") == "rule")
    check(reason(p.project / "free") is None)
    check(reason(broken / "f") == "outside_roots")
    server.post({"jsonrpc": "2.0",
                 "method": "notifications/roots/list_changed"})
    server.declare(broken, p.project)
    check(reason(broken / "f") == "rule")
    check(reason(broken / "f", "read_text_file") is None)
    check((broken / "f").read_text() == "text\n")
    check(reason(p.project / "fixed") == "rule")
    server.process.stdin.close()
    server.process.wait(server.timeout)
    said = server.process.stderr.read().decode()
    check(f"stet trust {p.project}': allow" in said, said)
    check(f'{broken}/.stet/config.json:1:2: unknown key "deni"' in said, said)
    server.kill()


if __name__ == "__main__":
    sys.exit(run([
        a_mistake_ends_the_start,
        a_path_may_lead_upwards,
        rules_come_from_three_places,
        both_names_of_a_file_count,
        nobody_changes_our_settings,
        ignored_is_ignored,
        a_cloned_project_gets_nothing,
        reading_and_writing_are_asked_about_plainly,
        trust_is_for_a_file_as_it_is,
        settings_name_encodings,
        settings_speak_of_the_history,
        the_server_keeps_to_the_rules,
        hooks_of_the_settings_run,
        roots_that_come_later_bring_their_rules,
    ]))
