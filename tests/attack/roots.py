#!/usr/bin/env python3
"""roots.py [--slow] PROGRAM [CASE...] - roots chosen to bypass the rules, and
stet's own files by every name they have. Each attack is tested beside a
harmless call that must keep working.
"""
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

# Appended: tests/system/encodings.py must not shadow Python's module.
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "system"))
# pylint: disable=wrong-import-position
from terminal import at_terminal
from talk import Server, Skipped, Talk, check, confine, run

ASKED = -32007
FRESH = itertools.count()


class Person:
    """A home directory, a project in it, and the program."""

    def __init__(self, options, work):
        self.options, self.home = options, work / "people/me"
        self.project = self.home / "src/proj"
        self.project.mkdir(parents=True)
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith("XDG_")}
        self.env["HOME"] = str(self.home)
        self.config = self.home / ".config/stet/config.json"

    def put(self, path, text):
        path = self.project / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if isinstance(text, str) else json.dumps(text))
        return path

    def stet(self, *words, cwd=None):
        done = subprocess.run(
            [str(self.options.program), *map(str, words)], check=False,
            cwd=cwd or self.project, env=self.env, input=b"",
            capture_output=True, timeout=120)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def serve(self, *roots, flags=()):
        return Client(self.options, [*flags, *roots], env=self.env,
                      cwd=str(self.home))

    def client(self, *uris, flags=(), cwd=None):
        """A client that declares these roots, as paths or URIs."""
        c = Client(self.options, flags, env=self.env,
                   cwd=str(cwd or self.home), roots=True)
        asked = c.reply()
        check(asked.get("method") == "roots/list", asked)
        c.post({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [
            {"uri": str(u) if str(u).startswith("file:") else f"file://{u}"}
            for u in uris]}})
        return c


class Client(Talk):
    """A client with or without the capability roots."""

    def __init__(self, options, words, roots=False, **more):
        # pylint: disable=super-init-not-called,non-parent-init-called
        Server.__init__(self, [str(options.program), "serve",
                               *map(str, words)], options.slow, **more)
        self.modern, self.last = False, 0
        self.ask({"jsonrpc": "2.0", "id": 0, "method": "initialize",
                  "params": {"protocolVersion": "2025-11-25",
                             "clientInfo": {"name": "test", "version": "1"},
                             "capabilities": {"roots": {}} if roots else {}}})
        self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def why(self, tool, path, **more):
        """None on success; "asked", or the reason of the refusal."""
        if tool == "write_text_file":
            more.setdefault("content", f"new {next(FRESH)}\n")
        _, fault = self.call(tool, path=str(path), **more)
        if not fault:
            return None
        if fault["code"] == ASKED:
            return "asked"
        return fault.get("data", {}).get("reason") or fault["message"]

    def write(self, path):
        before = content(path)
        why = self.why("write_text_file", path)
        check((content(path) == before) == bool(why), (path, why))
        return why

    def read(self, path):
        return self.why("read_text_file", path)

    def said(self):
        """The stderr of the server, after its end."""
        self.process.stdin.close()
        self.process.wait(self.timeout)
        said = self.process.stderr.read().decode()
        self.kill()
        return said


def content(path):
    try:
        return pathlib.Path(path).read_bytes()
    except OSError:
        return None


def all_are(want, got):
    check(all(w == want for w in got.values()), f"want {want}: {got}")


# Roots chosen to bypass the rules


def an_inner_root_hides_nothing_sensitive(options, work):
    """C100: hooks, CI files and keys need approval, whatever root they are
    in."""
    p = Person(options, work)
    places = (".git/hooks/pre-commit", ".github/workflows/ci.yml",
              ".ssh/authorized_keys", "sub/.git/config", "sub/.env",
              "config/secrets/db.yml")
    for place in places:
        p.put(place, "old\n")
    p.put("sub/plain.c", "old\n")
    inner = (".git", ".git/hooks", ".github", ".github/workflows", ".ssh",
             "sub", "sub/.git", "config/secrets")
    # named by the person, and declared by a client
    for c in (p.serve(p.project, *(p.project / i for i in inner)),
              p.client(p.project, *(p.project / i for i in inner))):
        all_are("asked", {n: c.write(p.project / n) for n in places})
        all_are(None, {n: c.write(p.project / n) for n in (
            "sub/plain.c", "new.c", "sub/new.c", "Makefile")})
        c.said()
    # as the only root: the person may name it, and is asked
    for root, file in ((".git", "hooks/post-merge"), (".ssh", "config"),
                       (".github/workflows", "x.yml")):
        c = p.serve(p.project / root)
        check(c.write(p.project / root / file) == "asked", root)
        c.said()


def a_word_above_the_root_does_no_harm(options, work):
    """C100: files of a project below "secret-project" or ".cursor/worktrees"
    are not sensitive."""
    p = Person(options, work)
    for name in ("secret-project/app", "credentials/app", "my.key/app",
                 ".cursor/worktrees/app", ".envs/app"):
        root = p.home / name
        root.mkdir(parents=True)
        c = p.serve(root)
        check(c.write(root / "main.c") is None, name)
        check(c.write(root / "my-secret.txt") == "asked", name)
        c.said()
        (root / "secrets").mkdir()
        c = p.client(root, cwd=root)
        check(c.write(root / "other.c") is None, name)
        check(c.write(root / "secrets/x") == "asked", name)
        c.said()
    # declaring the directory of the secrets does not help a client
    p.put("config/secrets/db.yml", "old\n")
    c = p.client(p.project / "config/secrets")
    check(c.write(p.project / "config/secrets/db.yml") == "asked")
    c.said()


def rules_of_every_enclosing_root_hold(options, work):
    """A52 C59: deny, ask and ignore rules of the outer project hold in an
    inner root."""
    p = Person(options, work)
    p.put(".stet/config.json", {"deny": ["write(fixed)", "*(/sub/hidden)"],
                                "ask": ["write(sub/asked)"],
                                "ignore": ["/sub/left"]})
    p.put(".stetignore", "/sub/generated\n")
    p.put("sub/.claudeignore", "inner.txt\n")
    for name in ("fixed/a", "sub/hidden", "sub/asked", "sub/left",
                 "sub/generated", "sub/inner.txt", "sub/plain"):
        p.put(name, "old\n")
    inner = [p.project / d for d in ("fixed", "sub")]
    for c in (p.serve(p.project, *inner), p.serve(*inner, p.project),
              p.client(p.project, *inner)):
        for name, want in (("fixed/a", "rule"), ("sub/hidden", "rule"),
                           ("sub/asked", "asked"), ("sub/left", "ignored"),
                           ("sub/generated", "ignored"),
                           ("sub/inner.txt", "ignored"),
                           ("sub/plain", None), ("sub/new", None)):
            got = c.write(p.project / name)
            check(got == want, (name, got, want))
        check(c.read(p.project / "sub/hidden") == "rule")
        check(c.read(p.project / "fixed/a") is None)
        c.said()
    # the person's rules are matched from each root
    c = p.serve(p.project, *inner, flags=("--deny", "write(/plain)",
                                          "--deny", "write(/sub/new)"))
    check(c.write(p.project / "sub/plain") == "rule")
    check(c.write(p.project / "sub/new") == "rule")
    check(c.write(p.project / "sub/newer") is None)
    c.said()


def a_root_in_a_denied_directory_is_no_way_in(options, work):
    """A52 C59: the person's rules also match above a client's root, wherever
    stet was started."""
    p = Person(options, work)
    for name in ("private/k", "config/prod", "config/a/prod", "gen/out/x",
                 "src/x"):
        p.put(name, "old\n")
    flags = ("--deny", "*(private)", "--deny", "*(config/prod)",
             "--ignore", "gen/out")
    for cwd in (p.project, p.home, p.project / "src", "/"):
        for roots in (["private", "config", "gen/out", "src"], ["."]):
            c = p.client(*(p.project / r for r in roots), flags=flags,
                         cwd=cwd)
            check(c.read(p.project / "private/k") == "rule", (cwd, roots))
            check(c.read(p.project / "config/prod") == "rule", (cwd, roots))
            check(c.write(p.project / "gen/out/x") == "ignored", (cwd, roots))
            # the harmless counterparts
            check(c.read(p.project / "config/a/prod") is None, (cwd, roots))
            check(c.write(p.project / "src/x") is None, (cwd, roots))
            c.said()


def settings_behind_a_link_are_not_read(options, work):
    """C58 C59: .stet or config.json as a symlink or hard link: the target's
    content is not revealed, and the project is read-only."""
    p = Person(options, work)
    outside = p.home / "creds.json"
    outside.write_text('{"s3cr3t-token": 1}')
    inside = p.put("conf/config.json", {"deny": ["*(hidden)"]})
    p.put("hidden", "old\n")
    settings = p.project / ".stet"

    def file_link(target):
        settings.mkdir()
        (settings / "config.json").symlink_to(target)

    def hard_link():
        settings.mkdir()
        os.link(inside, settings / "config.json")

    symlink = "it is a symlink"
    for make, why in ((lambda: file_link(outside), symlink),
                      (lambda: file_link(inside), symlink),
                      (lambda: settings.symlink_to("conf"), symlink),
                      (hard_link, "it has several hard links")):
        make()
        c = p.client(p.project)
        check(c.write(p.project / "a") == "rule")
        check(c.write(inside) == "rule")
        said = c.said()
        check(why in said and "s3cr3t" not in said, said)
        for words in (("serve", p.project), ("trust", p.project)):
            status, _, said = p.stet(*words)
            check(status == 78 and why in said and
                  "s3cr3t" not in said, (words, status, said))
        shutil.rmtree(settings) if not settings.is_symlink() else \
            settings.unlink()
    # the harmless counterpart
    p.put(".stet/config.json", {"deny": ["*(hidden)"]})
    c = p.client(p.project)
    check(c.write(p.project / "a") is None)
    check(c.read(p.project / "hidden") == "rule")
    c.said()


def another_root_does_not_widen(options, work):
    """C99: an allow rule must match from every root that contains the file."""
    p = Person(options, work)
    p.put("vendor/docs/.env", "old\n")
    p.put("docs/.env", "old\n")
    flags = ("--allow", "write(/docs)")
    c = p.serve(p.project, flags=flags)
    check(c.write(p.project / "docs/.env") is None)
    check(c.write(p.project / "vendor/docs/.env") == "asked")
    c.said()
    c = p.serve(p.project, p.project / "vendor", flags=flags)
    check(c.write(p.project / "vendor/docs/.env") == "asked")
    c.said()


def a_client_may_not_declare_everything(options, work):
    """X15: neither / nor home, in any spelling; other roots are used."""
    p = Person(options, work)
    os.symlink("/", p.home / "src/slash")
    os.symlink(p.home, p.home / "src/house")
    os.symlink(p.home.parent, p.home / "src/street")
    hidden = p.home / "notes.txt"
    hidden.write_text("mine\n")
    top = [f"/{d.name}" for d in os.scandir("/") if d.is_dir()]
    ways = ["/", "//", "/.", "/../", "/proc/self/root", "/proc/self/root/",
            "file:///%2e", "file:///%2E%2e/", "file://localhost/",
            *top, p.home, f"{p.home}/", f"{p.home}/.", f"{p.project}/../..",
            f"//{p.home}", f"/proc/self/root{p.home}",
            f"/proc/self/cwd/../me", p.home.parent,
            p.home / "src/slash", p.home / "src/house", p.home / "src/street",
            p.home / "src/slash" / str(p.home)[1:],
            "file://" + "".join(f"%{b:02x}" if chr(b) != "/" else "/"
                                for b in str(p.home).encode())]
    for way in ways:
        c = p.client(way, p.project)
        got, fault = c.call("read_text_file", path=str(hidden))
        check(fault and fault["data"]["reason"] == "outside_roots",
              (way, got, fault))
        check("was ignored" in fault["data"].get("hint", ""), (way, fault))
        check(c.read("/etc/passwd") == "outside_roots", way)
        check(c.write(p.project / f"f{ways.index(way)}") is None, way)
        said = c.said()
        check("was ignored" in said, (way, said))
    # all at once, more than the limit
    c = p.client(*top, *ways)
    check(c.read("/etc/passwd") == "outside_roots")
    check(c.read(hidden) == "outside_roots")
    c.said()


def a_client_may_not_declare_what_is_sensitive_or_ours(options, work):
    """X14 X15: sensitive directories and stet's own, their children and
    parents."""
    p = Person(options, work)
    ours = [p.home / d for d in (".config/stet", ".config", ".local/state",
                                 ".local/state/stet", ".local",
                                 ".local/state/stet/journal")]
    guarded = [p.home / d for d in (".ssh", ".gnupg", ".aws")]
    guarded += [p.project / d for d in (".git", ".git/hooks", ".stet",
                                        ".github/workflows", ".stet/deep")]
    for directory in ours + guarded:
        directory.mkdir(parents=True, exist_ok=True)
    os.symlink(p.home / ".ssh", p.project / "innocent")
    for root in [*ours, *guarded, p.project / "innocent"]:
        c = p.client(root, p.project / "..")
        victim = root.resolve() / "f"
        why = c.write(victim)
        check(why in ("asked", "config", "outside_roots"), (root, why))
        check(not victim.exists(), root)
        check("was ignored" in c.said(), root)
    c = p.client(p.home / "src")
    check(c.write(p.project / "f") is None)
    check(c.said() == "")


def a_client_may_not_declare_the_kernel_or_the_system(options, work):
    """X15: /proc, /sys, /usr and the like. The project is served, and roots
    named by the person."""
    p = Person(options, work)
    kernel = ["/proc/self", f"/proc/{os.getpid()}", "/proc/sys/kernel",
              "/proc/sys/vm", "/sys/kernel", "/sys/fs/cgroup", "/dev/pts"]
    system = ["/usr/local/bin", "/usr/lib", "/etc/apt/apt.conf.d", "/etc/ssl",
              "/etc/cron.daily", "/run/lock", "/var/spool", "/dev/shm",
              "/bin/../lib"]
    for root in filter(os.path.isdir, kernel + system):
        c = p.client(root, p.project)
        check(c.read(f"{root}/stet-none") == "outside_roots", root)
        check(c.write(f"{root}/stet-none") == "outside_roots", root)
        check(c.write(p.project / "f") is None, root)
        said = c.said()
        check("was ignored" in said, (root, said))
    for root in filter(os.path.isdir, kernel):
        c = Client(options, [], env=p.env, cwd=root)
        check(c.read(f"{root}/stet-none") == "outside_roots", root)
        c.said()
    c = p.serve("/proc/sys/kernel", flags=["--history=off"])
    check(c.read("/proc/sys/kernel/ostype") is None, "named by the person")
    c.said()


def what_a_git_link_leads_to_is_sensitive(options, work):
    """X15: the target of a .git symlink or of a "gitdir:" file at a root; its
    siblings are not."""
    p = Person(options, work)
    for kind in ("link", "relative", "absolute"):
        root = p.home / "src" / kind
        (root / "gitdata/hooks").mkdir(parents=True)
        if kind == "link":
            (root / ".git").symlink_to("gitdata")
        else:
            to = "gitdata" if kind == "relative" else root / "gitdata"
            (root / ".git").write_text(f"gitdir: {to}\n")
        for c in (p.serve(root), p.client(root)):
            for name in ("gitdata/hooks/pre-commit", "gitdata/config"):
                check(c.write(root / name) == "asked", (kind, name))
                check(not (root / name).exists(), (kind, name))
            check(c.write(root / "gitdata2") is None, kind)
            c.said()


def a_client_declares_64_roots_at_most(options, work):
    """X15: further roots are reported and not served."""
    p = Person(options, work)
    roots = [p.home / f"src/r{i}" for i in range(70)]
    for root in roots:
        root.mkdir()
    c = p.client(*roots)
    check(c.write(roots[0] / "f") is None)
    check(c.write(roots[63] / "f") is None)
    check(c.write(roots[64] / "f") == "outside_roots")
    said = c.said()
    check("64" in said and "was ignored" in said, said)


def settings_of_a_project_are_for_people(options, work):
    """X14: .stet at any depth, in any root, in upper or lower case."""
    p = Person(options, work)
    p.put(".stet/config.json", {})
    p.put("sub/.stet/config.json", {})
    for roots in ([p.project], [p.project / ".stet"],
                  [p.project, p.project / ".stet"],
                  [p.project / "sub/.stet", p.project]):
        c = p.serve(*roots, flags=["--mode=yolo"])
        for name in (".stet/config.json", ".STET/config.json", ".stet/new",
                     ".stet/deep/new", "sub/.stet/config.json",
                     "sub/new/.Stet/config.json", ".st\u200bet/config.json",
                     ".\ufb06et/config.json", ".\u017ftet/config.json"):
            if any(str(p.project / name).startswith(f"{r}/") for r in roots):
                check(c.write(p.project / name) == "config", (roots, name))
        c.said()
    (p.project / "stet").mkdir()
    c = p.serve(p.project)
    check(c.read(p.project / ".stet/config.json") is None)
    check(c.write(p.project / "stet/config.json") is None)
    check(c.write(p.project / ".stettin") is None)
    c.said()


# stet's own files


MODES = ("default", "acceptEdits", "bypassPermissions", "yolo")


def closed(c, *paths):
    """Fail if any tool reads, changes or creates one of them."""
    for path in paths:
        there = content(path)
        calls = [("read_text_file", {"path": path}),
                 ("write_text_file", {"path": path, "content": "x"}),
                 ("edit_text_file", {"path": path, "old_string": "o",
                                     "new_string": "x"}),
                 ("Read", {"file_path": path}),
                 ("Write", {"file_path": path, "content": "x"}),
                 ("file_history", {"path": path})]
        for tool, arguments in calls:
            got, fault = c.call(tool, **{k: str(v)
                                         for k, v in arguments.items()})
            check(fault or not got.get("operations", True),
                  (str(path), tool, got))
            check(not fault or fault["code"] != ASKED, (path, tool, fault))
        # logs grow with every call, without the written content
        check(content(path) == there or b"read_text_file" in content(path),
              path)


def nobody_touches_our_files_in_home(options, work):
    """X14: settings and state, in every mode, with home as the root."""
    p = Person(options, work)
    mine = p.put(p.config, "{}")
    trusted = p.put(p.config.parent / "trusted.json", "{}")
    p.put(p.home / ".local/state/stet/history.db", "old")
    (p.home / ".local/state/stet").chmod(0o700)
    for mode in MODES:
        c = p.serve(p.home, flags=["--mode", mode, "--history=off"])
        closed(c, mine, trusted, p.config.parent / "new",
               p.home / ".local/state/stet/history.db",
               p.home / ".local/state/stet/tokens.json",
               p.home / ".local/state/stet/journal/x",
               p.home / ".CONFIG/Stet/config.json",
               p.home / ".con\ufb01g/stet/config.json",
               p.home / ".local/state/st\u200cet/x")
        check(c.write(p.home / ".config/other.json") is None)
        check(c.write(p.home / ".local/state/stetson") is None)
        check(c.read(p.home / ".config/other.json") is None)
        (p.home / ".config/other.json").unlink()
        (p.home / ".local/state/stetson").unlink()
        c.said()


def nobody_makes_them_before_they_are_there(options, work):
    """X14: tools cannot create stet's own files before stet does."""
    p = Person(options, work)
    for mode in MODES:
        c = p.serve(p.home, flags=["--mode", mode, "--history=off"])
        closed(c, p.config, p.home / ".local/state/stet/tokens.json")
        check(not (p.home / ".config").exists(), mode)
        got, fault = c.call("Write", content="x", file_path=str(
            p.home / ".config2/stet/config.json"))
        check(got, fault)
        shutil.rmtree(p.home / ".config2")
        c.said()


def home_may_lie_behind_a_link(options, work):
    """X14: home, and each directory on the path to stet's own files, may be a
    symlink."""
    p = Person(options, work)
    alias = work / "alias"
    os.symlink(p.home, alias)
    p.env["HOME"] = str(alias)
    p.put(p.config, "{}")
    for root in (p.home, alias):
        c = p.serve(root, flags=["--mode=yolo", "--history=off"])
        closed(c, root / ".config/stet/config.json",
               p.config, root / ".local/state/stet/new")
        check(c.write(root / "plain") is None)
        (p.home / "plain").unlink()
        c.said()
    # a rule with "~" matches both names of home
    p.put(p.home / "private/f", "old\n")
    p.put(p.home / "public/f", "old\n")
    for root in (p.home, alias):
        c = p.serve(root, flags=["--deny", "*(~/private)", "--history=off"])
        check(c.read(root / "private/f") == "rule", root)
        check(c.write(p.home / "private/f") == "rule", root)
        check(c.read(root / "public/f") is None, root)
        c.said()
    # settings that are symlinks, as dotfile managers make them
    shutil.rmtree(p.home / ".config")
    kept = p.home / "dotfiles"
    p.put(kept / "stet/config.json", "{}")
    (p.home / ".config").mkdir()
    os.symlink(kept / "stet", p.home / ".config/stet")
    c = p.serve(p.home, flags=["--mode=yolo", "--history=off"])
    closed(c, kept / "stet/config.json", kept / "stet/new", p.config)
    check(c.write(kept / "vimrc") is None)
    c.said()
    (p.home / ".config/stet").unlink()
    (p.home / ".config/stet").mkdir()
    os.symlink(kept / "stet/config.json", p.config)
    c = p.serve(kept, flags=["--mode=yolo", "--history=off"])
    closed(c, kept / "stet/config.json")
    check(c.write(kept / "stet/other") is None)
    c.said()
    # a dangling link
    p.config.unlink()
    os.symlink(kept / "later.json", p.config)
    c = p.serve(kept, flags=["--mode=yolo", "--history=off", "--no-config"])
    closed(c, kept / "later.json")
    c.said()


def another_name_of_the_same_file_is_no_way_in(options, work):
    """X14: hard links and symlinks in the project."""
    p = Person(options, work)
    p.put(p.config, "{}")
    token = p.put(p.home / "keys/token", "owner-token-0123456789abcdef\n")
    token.chmod(0o600)
    state = p.put(p.home / ".local/state/stet/tokens.json", "{}")
    state.chmod(0o600)
    state.parent.chmod(0o700)
    audit = p.home / "audit.jsonl"
    flags = ["--mode=yolo", "--history=off", f"--audit={audit}"]
    p.serve(p.project, flags=flags).said()
    names = []
    for i, file in enumerate((p.config, state, audit)):
        os.link(file, p.project / f"hard{i}")
        os.symlink(file, p.project / f"soft{i}")
        names += [p.project / f"hard{i}", p.project / f"soft{i}"]
    p.put("one", "old\n")
    os.link(p.project / "one", p.project / "two")
    c = p.serve(p.project, flags=flags)
    closed(c, *names)
    check(c.write(p.project / "two") is None)
    check(c.read(p.project / "one") is None)
    c.said()


def state_that_is_not_in_use_has_no_other_name_either(options, work):
    """X14 K1: a hard link to a file of the default state directory, or of the
    settings, when a confined server uses others; also if these were created
    later. A harmless file has two hard links as well."""
    p = Person(options, work)
    p.put("one", "old\n").chmod(0o600)
    os.link(p.project / "one", p.project / "two")
    for when, flags, env in (
            ("before", [f"--state-dir={work}/state"], {}),
            ("before", [], {"XDG_STATE_HOME": str(work / "xdg")}),
            ("before", [], {"XDG_CONFIG_HOME": str(work / "xdg")}),
            ("after", [f"--state-dir={work}/state"],
             {"XDG_CONFIG_HOME": str(work / "xdg")})):
        for tree in (".local", ".config"):
            shutil.rmtree(p.home / tree, ignore_errors=True)
        (work / "xdg").mkdir(exist_ok=True)
        client = None
        if when == "after":
            client = Client(options, ["--mode=yolo", *flags, p.project],
                            env={**p.env, **env}, cwd=str(p.home))
            check(client.write(p.project / "two") is None)
        names = []
        for file in (".local/state/stet/deep/tokens", ".config/stet/other"):
            file = p.put(p.home / file, "secret\n")
            file.chmod(0o600)
            file.parent.chmod(0o700)
            names.append(p.project / f"hard{next(FRESH)}")
            os.link(file, names[-1])
        (p.home / ".local/state/stet").chmod(0o700)
        client = client or Client(
            options, ["--mode=yolo", *flags, p.project],
            env={**p.env, **env}, cwd=str(p.home))
        closed(client, *names)
        if when == "before":
            check(client.write(p.project / "two") is None, env)
            check(client.read(p.project / "one") is None, env)
        client.said()


def in_namespace(work, script):
    """A program that runs @script in its own mount namespace."""
    words = ["unshare", "-rm" if os.geteuid() else "-m", "sh"]
    able = subprocess.run([*words, "-c", "mount -t tmpfs none /mnt"],
                          check=False, capture_output=True)
    if able.returncode:
        check(os.geteuid(), able.stderr)
        raise Skipped("it takes root, or a system where users may mount in a "
                      "namespace (unshare -rm)")
    inner = work / "inner"
    inner.write_text(script)
    wrapper = work / "mounted"
    wrapper.write_text(f"#!/bin/sh\nexec {' '.join(words)} '{inner}' \"$@\"\n")
    wrapper.chmod(0o755)
    return wrapper


def a_mount_is_no_way_in(options, work):
    """X14: a directory of stet's own files mounted again in a root, above or
    below it, or as a root."""
    p = Person(options, work)
    p.put(p.config, "{}")
    p.put("plain/f", "old\n")
    for name in ("mnt", "deep/a b", "other"):
        (p.project / name).mkdir(parents=True)
    mounts = ((p.home / ".config", p.project / "mnt"),
              (p.home / ".config/stet", p.project / "deep/a b"),
              (p.project / "plain", p.project / "other"))
    script = "".join(f"mount --bind '{a}' '{b}' && " for a, b in mounts)
    wrapper = in_namespace(work, script + f"exec '{options.program}' \"$@\"")
    for root in (p.project, p.project / "mnt", p.project / "deep/a b"):
        c = Client(other_program(wrapper, options),
                   ["--mode=yolo", "--history=off", root], env=p.env,
                   cwd=str(p.home))
        for name in ("mnt/stet/config.json", "mnt/stet/new",
                     "deep/a b/config.json", "deep/a b/new"):
            if str(p.project / name).startswith(f"{root}/"):
                check(c.read(p.project / name), (root, name))
                check(c.why("write_text_file", p.project / name)
                      in ("config", "outside_roots"), (root, name))
        if root == p.project:
            check(c.read(p.project / "other/f") is None)
            check(c.why("write_text_file", p.project / "other/f") is None)
        c.said()
    check(p.config.read_text() == "{}")
    check((p.project / "plain/f").read_text() != "old\n")


def files_that_are_named_on_the_command_line_are_ours(options, work):
    """X14: --config, --audit, --events, --state-dir, the program itself; not
    their siblings."""
    p = Person(options, work)
    mine = p.put("tools/settings.json", "{}")
    program = p.project / "bin/stet"
    program.parent.mkdir()
    shutil.copy2(options.program, program)
    state = p.project / "state"
    flags = ["--mode=yolo", "--config=tools/settings.json",
             "--audit=audit.jsonl", f"--events={p.project}/events.jsonl",
             f"--state-dir={state}"]
    for root in (p.project, p.home):
        c = Client(other_program(program, options), [*flags, root],
                   env=p.env, cwd=str(p.project))
        closed(c, mine, program, p.project / "audit.jsonl",
               p.project / "events.jsonl", state / "history.db",
               state / "new", p.project / "AUDIT.jsonl")
        check(c.write(p.project / "tools/other.json") is None)
        check(c.write(p.project / "bin/other") is None)
        c.said()


def other_program(program, options):
    class Options:
        """The same options for another copy of the program."""
    Options.program, Options.slow = program, options.slow
    return Options


def a_token_file_is_never_shown(options, work):
    """X14: over HTTP and on stdio."""
    p = Person(options, work)
    token = p.put("token", "owner-token-0123456789abcdef0123456789\n")
    token.chmod(0o600)
    c = p.serve(p.project, flags=["--http=127.0.0.1:0", "--stdio",
                                  f"--token-file={token}", "--mode=yolo"])
    closed(c, token)
    check(c.write(p.project / "token.txt") is None)
    c.process.terminate()
    c.process.wait(c.timeout)
    c.kill()


def a_hook_is_not_rewritten(options, work):
    """X14 C23: neither the command of a hook nor its script can be written."""
    p = Person(options, work)
    for name in ("check.sh", "tools/lint.py", "fmt", "quoted dir/x.sh",
                 "second.sh"):
        p.put(name, "#!/bin/sh\nexit 0\n").chmod(0o755)
    p.put("tools/other.py", "")
    p.put(p.config, {"hooks": {
        "before_edit": [{"command": "./check.sh", "match": "*.none"}],
        "after_edit": [
            {"command": "A=b sh -e tools/lint.py $STET_PATH",
             "match": "*.none"},
            {"command": "true && './quoted dir/x.sh'; ./second.sh",
             "match": "*.none"}]}})
    p.put(".stet/config.json", {"hooks": {"after_edit": [
        {"command": "exec ./fmt", "match": "*.none"}]}})
    check(at_terminal([options.program, "trust", "--yes", "."], p.env,
                      cwd=p.project).returncode == 0)
    c = Client(options, ["--mode=yolo", p.project], env=p.env,
               cwd=str(p.project))
    closed(c, *(p.project / n for n in (
        "check.sh", "tools/lint.py", "fmt", "quoted dir/x.sh", "second.sh")))
    check(c.write(p.project / "tools/other.py") is None)
    check(c.write(p.project / "fmt2") is None)
    c.said()


HOOK_FORMS = (
    "if sh tools/s; then exit 0; fi", "! sh tools/s", "{ sh tools/s; }",
    "timeout 5 sh tools/s", "echo | xargs sh tools/s", "flock f sh tools/s",
    ">/dev/null sh tools/s", "cat tools/s | sh", "sh -c 'tools/s arg'",
    "bash -c 'cd tools && ./s'", "eval 'sh tools/s'", "sh < tools/s",
    "test \"$(sh tools/s)\" = ok", "\"$PWD/tools/s\"", "${PWD}/tools/s",
    "(cd sub && true); tools/s", "cd tools; cd ..; sh tools/s",
    "r=$(git rev-parse --show-toplevel); $r/tools/s", "out=`sh tools/s`",
    "for i in 1; do tools/s || exit 1; done", "$'tools/s'", "cd tools; sh s")


def a_hook_is_not_rewritten_however_it_is_called(options, work):
    """X14 C23: every file that the command names is protected; other files,
    directories and $STET_PATH are not."""
    p = Person(options, work)
    p.put("tools/s", "#!/bin/sh\nexit 0\n").chmod(0o755)
    p.put("sub/f", "")
    p.put("STET_PATH", "")
    for form in HOOK_FORMS:
        c = Client(options, ["--mode=yolo", "--history=off", "--after-edit",
                             form + ' "$STET_PATH" || true', p.project],
                   env=p.env, cwd=str(p.project))
        check(c.write(p.project / "tools/s") == "config", form)
        for twin in ("tools/other", "sub/f", "STET_PATH"):
            check(c.write(p.project / twin) is None, (form, twin))
        c.said()


def a_root_inside_our_files_is_refused(options, work):
    """X14: also if the person names it, with an error."""
    p = Person(options, work)
    state = p.home / ".local/state/stet/objects"
    state.mkdir(parents=True)
    p.put(p.config, "{}")
    for root in (state, state.parent, p.config.parent):
        c = p.serve(root, p.project, flags=["--mode=yolo", "--history=off"])
        check(c.write(root / "f") in ("outside_roots", "config"), root)
        check(c.write(p.project / "f") is None)
        check("belongs to stet" in c.said(), root)


def a_directory_that_comes_later_is_known(options, work):
    """X14: a root that is replaced by another directory of the same name."""
    p = Person(options, work)
    # with Landlock this needs a restart: see confine.py
    c = p.serve(p.home / "src", flags=["--mode=yolo", "--history=off",
                                       confine(options, "syscalls"),
                                       f"--audit={p.home}/src/audit.jsonl"])
    check(c.write(p.home / "src/a") is None)
    closed(c, p.home / "src/audit.jsonl")
    os.rename(p.home / "src", p.home / "gone")
    (p.home / "src").mkdir()
    check(c.write(p.home / "src/a") is None)
    closed(c, p.home / "src/audit.jsonl")
    c.said()


if __name__ == "__main__":
    sys.exit(run([
        an_inner_root_hides_nothing_sensitive,
        a_word_above_the_root_does_no_harm,
        rules_of_every_enclosing_root_hold,
        a_root_in_a_denied_directory_is_no_way_in,
        settings_behind_a_link_are_not_read,
        another_root_does_not_widen,
        a_client_may_not_declare_everything,
        a_client_may_not_declare_what_is_sensitive_or_ours,
        a_client_may_not_declare_the_kernel_or_the_system,
        what_a_git_link_leads_to_is_sensitive,
        a_client_declares_64_roots_at_most,
        settings_of_a_project_are_for_people,
        nobody_touches_our_files_in_home,
        nobody_makes_them_before_they_are_there,
        home_may_lie_behind_a_link,
        another_name_of_the_same_file_is_no_way_in,
        state_that_is_not_in_use_has_no_other_name_either,
        a_mount_is_no_way_in,
        files_that_are_named_on_the_command_line_are_ours,
        a_token_file_is_never_shown,
        a_hook_is_not_rewritten,
        a_hook_is_not_rewritten_however_it_is_called,
        a_root_inside_our_files_is_refused,
        a_directory_that_comes_later_is_known,
    ]))
