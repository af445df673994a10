#!/usr/bin/env python3
"""find.py [--slow] PROGRAM [CASE...] - where searches look, what they see, what
they leave out and what they say of it."""
import ctypes
import json
import os
import pathlib
import re
import socket
import stat
import struct
import subprocess
import sys

from talk import Skipped, Talk, check, run

OUTSIDE = (-32002, "outside_roots")


class Opens:
    """Which of some files and directories are opened: inotify's IN_OPEN."""

    IN_OPEN = 0x20

    def __init__(self, *paths):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.fd = self.libc.inotify_init1(os.O_NONBLOCK)
        self.paths = {}
        for path in paths:
            watch = self.libc.inotify_add_watch(self.fd, os.fsencode(path),
                                                self.IN_OPEN)
            check(watch > 0, f"{path}: {os.strerror(ctypes.get_errno())}")
            self.paths[watch] = path

    def seen(self):
        """The paths that were opened since the last time."""
        found = set()
        while True:
            try:
                data = os.read(self.fd, 1 << 16)
            except BlockingIOError:
                return found
            at = 0
            while at < len(data):
                watch, _, _, length = struct.unpack_from("iIII", data, at)
                name = data[at + 16:at + 16 + length].rstrip(b"\0").decode()
                found.add(self.paths[watch] / name if name
                          else self.paths[watch])
                at += 16 + length


class Searcher(Talk):
    """A server started in its root, and its Glob."""

    def __init__(self, options, root, *flags, cwd=None, **more):
        super().__init__(options, root, *flags, cwd=cwd or root, **more)

    def answer(self, pattern, **arguments):
        """(first text, second text or None) of Glob."""
        reply = self.ask(self.request("Glob", pattern=pattern, **arguments))
        texts = [item["text"] for item in reply["result"]["content"]]
        return texts[0], texts[1] if len(texts) > 1 else None

    def names(self, pattern, **arguments):
        got, error = self.call("Glob", pattern=pattern, **arguments)
        check(not error, error)
        return sorted(got["filenames"])

    def error(self, pattern, **arguments):
        _, error = self.call("Glob", pattern=pattern, **arguments)
        check(error, f"{pattern} {arguments} succeeded")
        return error


def plant(top, *paths, repository=False):
    """Empty files, each a second newer than the one before."""
    top.mkdir(parents=True, exist_ok=True)
    if repository:
        (top / ".git").mkdir(exist_ok=True)
    for i, path in enumerate(paths):
        file = top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"")
        os.utime(file, (1700000000 + i, 1700000000 + i))
    return top


def reason(error):
    return error["code"], error.get("data", {}).get("reason")


def relative_paths(options, work):
    """F11: relative paths begin in the directory stet was started in, if a
    root contains it, else in the first root; ~/ is the home directory"""
    root = plant(work / "root", "src/a.c", "src/deep/b.c", "top.c")
    server = Searcher(options, root, cwd=root / "src")
    check(server.names("*.c", path="deep") == ["deep/b.c"])
    check(server.names("*.c") == [str(root / "top.c"), "a.c", "deep/b.c"],
          server.names("*.c"))
    server.close()
    server = Searcher(options, root, cwd=work)
    check(server.names("*.c", path="src") == ["src/a.c", "src/deep/b.c"])
    server.close()
    home = plant(work / "home", "mine/x.c")
    server = Searcher(options, home, env={**os.environ, "HOME": str(home)})
    check(server.names("*.c", path="~/mine") == ["mine/x.c"])
    check(server.names("~/mine/*.c") == ["mine/x.c"])
    error = server.error("*", path="C:\\x")
    check(error["message"] == "Path not allowed: C:\\x", error)
    server.close()


def names_of_results(options, work):
    """F13 F74: relative to the base directory with one root, absolute with
    several, sorted together"""
    one = plant(work / "one", "a.c", "b.c")
    two = plant(work / "two", "x/c.c")
    os.utime(one / "b.c", (1800000000, 1800000000))
    server = Searcher(options, one, str(two), cwd=one)
    got, _ = server.call("Glob", pattern="*.c")
    check(got["filenames"] == [str(two / "x/c.c"), str(one / "a.c"),
                               str(one / "b.c")] or
          got["filenames"] == [str(one / "a.c"), str(two / "x/c.c"),
                               str(one / "b.c")], got)
    check(server.names("x/*.c") == [str(two / "x/c.c")], "from each root")
    server.close()
    (one / "link").symlink_to(two)
    (one / "inner").symlink_to(".")
    server = Searcher(options, one)
    check(server.names("a.c", path=str(one)) == ["a.c"])
    check(server.names("a.c", path="inner") == ["inner/a.c"])
    check(reason(server.error("*", path="link")) == OUTSIDE)
    server.close()


def nothing_outside(options, work):
    """F12: outside the roots, for every tool that finds or reads: by ..,
    absolutely, by a link"""
    root = plant(work / "root", "a.c", "sub/b.c")
    plant(work / "out", "b.c")
    (root / "link").symlink_to(work / "out")
    (root / "file").symlink_to(work / "out/b.c")
    server = Searcher(options, root)
    for path in ("..", "../out", str(work / "out"), "link", "link/", "/",
                 "sub/../../out", "file"):
        check(reason(server.error("*", path=path)) == OUTSIDE, path)
    for tool, more in (("Grep", {"pattern": "x"}), ("list_directory", {}),
                       ("list_directory_with_sizes", {}),
                       ("directory_tree", {}), ("get_file_info", {}),
                       ("search_files", {"pattern": "**"})):
        for path in (work / "out", root / "link", root / "sub/../../out"):
            _, error = server.call(tool, path=str(path), **more)
            check(error and reason(error) == OUTSIDE, (tool, path, error))
    for tool in ("read_file", "read_text_file", "read_media_file", "Read"):
        for path in (work / "out/b.c", root / "file", root / "../out/b.c"):
            name = "file_path" if tool == "Read" else "path"
            _, error = server.call(tool, **{name: str(path)})
            check(error and error["code"] == -32002, (tool, path, error))
    got, _ = server.call("read_multiple_files",
                         paths=[str(work / "out/b.c"), "file", "../out/b.c"])
    check(got["content"].count(": Error - Permission denied: ") == 3, got)
    for pattern in (f"{work}/out/*", "/etc/*", f"{root}/../out/*"):
        check(reason(server.error(pattern)) == OUTSIDE, pattern)
    check(server.names("link/*") == [], "a pattern does not follow")
    for pattern in ("../out/*", "sub/../a.c", "{a,../out/b}.c", "!../*"):
        error = server.error(pattern)
        check(error["code"] == -32602 and error["message"].endswith(
            ": .. matches nothing: use path"), (pattern, error))
    check(server.names("..*") == [] and server.names("a..c") == [],
          "dots in names")
    check(server.names("**") == ["a.c", "sub/b.c"])
    server.close()


def a_hint_for_relative_paths(options, work):
    """F14: Read refuses a relative path with the absolute one as a hint, if the
    file exists and may be known of"""
    root = plant(work / "root", "src/a.c", "hidden.txt")
    server = Searcher(options, root, "--deny", "read(hidden.txt)")
    for path, hint in (("src/a.c", str(root / "src/a.c")),
                       ("./src/a.c", str(root / "src/a.c")),
                       ("src/none.c", None), ("hidden.txt", None),
                       ("../root/src/a.c", None)):
        _, error = server.call("Read", file_path=path)
        check(error.get("data", {}).get("hint") == hint, (path, error))
    server.close()


def names_cannot_pretend(options, work):
    """F15: a name cannot make a second line, or send escape sequences"""
    root = plant(work / "root", "a\nb.c", "\x1b[2J.c", "\u0085.c", "tab\t.c")
    os.close(os.open(os.fsencode(root) + b"/\xff.c", os.O_CREAT, 0o644))
    server = Searcher(options, root)
    text, _ = server.answer("*.c")
    check(sorted(text.split("\n")) == [
        "\\x1b[2J.c", "\\xc2\\x85.c", "\\xff.c", "a\\x0ab.c",
        "tab\\x09.c"], text)
    names = sorted(text.split("\n"))
    for path in os.listdir(os.fsencode(root)):
        with open(os.path.join(os.fsencode(root), path), "w",
                  encoding="ascii") as out:
            out.write("x\n")
    for mode, end in (("files_with_matches", ""), ("content", ":1:x"),
                      ("count", ":1")):
        reply = server.ask(server.request("Grep", pattern="x",
                                          output_mode=mode))
        text = reply["result"]["content"][0]["text"].split("\n\n")[0]
        lines = [line for line in text.split("\n")
                 if not line.startswith("Found ")]
        check(sorted(lines) == [name + end for name in names], (mode, text))
    server.close()


def hidden_is_as_if_absent(options, work):
    """F16: results, counts and notes with a hidden file are those of a tree
    without it, also when a glob names it"""
    names = ("a.c", "sub/b.c", "sub/c.log", "deep/er/d.c")
    secret = ("no.c", "sub/no.c", "no/x.c", "deep/no.log", "sub/NO.C")
    rules = ("--deny", "read(no.*)", "--deny", "read(no)")
    with_ = plant(work / "with", *names, *secret, repository=True)
    without = plant(work / "without", *names, repository=True)
    (with_ / "link").symlink_to("no.c")
    (without / "link").symlink_to("no.c")
    os.mkfifo(with_ / "sub/no.pipe")
    for root in (with_, without):
        (root / ".gitignore").write_text("*.log\n")
    one, two = (Searcher(options, root, *rules) for root in (with_, without))
    for pattern in ("**", "*", "*.c", "no.c", "no/**", "sub/no.c", "**/no.*",
                    "{no,sub}/*.c", "deep/*.log"):
        check(one.answer(pattern) == two.answer(pattern),
              (pattern, one.answer(pattern), two.answer(pattern)))
    for tool, arguments in (
            ("Grep", {"pattern": ""}),
            ("Grep", {"pattern": "", "glob": "no.*", "output_mode": "count"}),
            ("list_directory", {"path": "."}),
            ("list_directory", {"path": "sub"}),
            ("list_directory_with_sizes", {"path": "."}),
            ("directory_tree", {"path": "."}),
            ("search_files", {"path": ".", "pattern": "**"}),
            ("search_files", {"path": ".", "pattern": "**/no*"})):
        texts = [str(server.ask(server.request(tool, **arguments))["result"]
                     ["content"]).replace(str(root), "ROOT")
                 for server, root in ((one, with_), (two, without))]
        check(texts[0] == texts[1], (tool, arguments, texts))
    check(one.error("*", path="no")["code"] == -32002)
    check(two.error("*", path="no")["code"] == -32002)
    one.close()
    two.close()


def hidden_directories_stay_shut(options, work):
    """F17: a hidden directory is not opened"""
    root = plant(work / "root", "a/x.c", "secret/y.c", "b/vault/z.c", "c/w.c")
    opens = Opens(root / "secret", root / "b/vault", root / "c")
    server = Searcher(options, root, "--deny", "read(secret)", "--deny",
                      "read(vault/)")
    check(server.names("**") == ["a/x.c", "c/w.c"])
    check(opens.seen() == {root / "c"})
    server.close()


def asked_files_are_named(options, work):
    """F18: a file that reads are asked for is named by Glob and
    list_directory, counted and not opened by Grep"""
    root = plant(work / "root", "a.c", ".env", "keys/id.pem", "ask/b.c")
    server = Searcher(options, root, "--ask", "read(ask)")
    check(server.names("**") == [".env", "a.c", "ask/b.c", "keys/id.pem"])
    check(server.answer("**")[1] is None, "Glob does not open them")
    listed, _ = server.call("list_directory", path=".")
    check("[FILE] .env" in str(listed), listed)
    opens = Opens(root / ".env", root / "ask/b.c", root / "a.c")
    got, error = server.call("Grep", pattern="x")
    check(not error and got["_meta"]["skipped"] == {"need_approval": 3},
          (got, error))
    check(opens.seen() == {root / "a.c"})
    _, error = server.call("Grep", pattern="x", path=".env")
    check(error and error["code"] == -32007, error)
    server.close()


def own_files_are_unseen(options, work):
    """F19: the state directory, temporary files, and a hard link to a file of
    the state directory, are in no result"""
    root = plant(work / "root", "a.c", ".stet-0123456789abcdef.tmp",
                 ".stet-0123456789abcdef.tmpx", "sub/.stet-zz.tmp")
    state = root / "state"
    server = Searcher(options, root, "--state-dir", str(state))
    (root / "b.txt").write_text("x")
    got, error = server.call("write_text_file", path=str(root / "b.txt"),
                             content="y")
    check(not error, error)
    check(any(state.iterdir()), "there is a state directory")
    linked = [p for p in state.rglob("*") if p.is_file()][0]
    os.link(linked, root / "linked")
    check(server.names("**") == [".stet-0123456789abcdef.tmpx", "a.c", "b.txt",
                                 "sub/.stet-zz.tmp"], server.names("**"))
    for pattern in ("state/**", "**/state/*", "linked"):
        check(server.names(pattern) == [], pattern)
    check(server.error("*", path="state")["code"] == -32002)
    for tool, more in (("Grep", {"pattern": ""}), ("list_directory", {}),
                       ("list_directory_with_sizes", {}),
                       ("directory_tree", {}),
                       ("search_files", {"pattern": "**"})):
        reply = server.ask(server.request(tool, path=str(root), **more))
        text = reply["result"]["content"][0]["text"].replace(str(root), "")
        check("b.txt" in text and "state" not in text and
              "linked" not in text and
              not re.search(r"abcdef\.tmp(?!x)", text), (tool, text))
    server.close()


def the_deadline_ends_each(options, work):
    """F75: with what there is and no failure, also within one directory; here
    every name takes many steps to match"""
    root = plant(work / "root", "-first",
                 *(f"{i:03}{'a' * 240}" for i in range(1000)))
    costly = "*" + "{a,?}" * 9 + "a" * 110 + "[bc]"
    server = Searcher(options, root, "--find-timeout=1", "--results=both")
    for tool, more in (("Glob", {"pattern": f"{{-first,{costly}}}"}),
                       ("search_files", {"pattern": f"{{-first,{costly}}}"}),
                       ("directory_tree", {"excludePatterns": [costly]})):
        reply = server.ask(server.request(tool, path=str(root), **more))
        result = reply["result"]
        first, second = (item["text"] for item in result["content"])
        check(not result.get("isError") and "-first" in first, (tool, reply))
        check(second.startswith("Partial: the time limit "), (tool, second))
        check(tool != "Glob" or (result["structuredContent"]["timedOut"] and
              not result["structuredContent"]["countIsComplete"]), reply)
    server.close()


def links_and_loops(options, work):
    """F21 F72: links met on the way are not followed and not listed; the one
    that path names is followed"""
    root = plant(work / "root", "real/a.c", "real/in/b.c")
    (root / "dir").symlink_to("real")
    (root / "real/loop").symlink_to("..")
    (root / "a").symlink_to("real/a.c")
    (root / "dangling").symlink_to("none")
    server = Searcher(options, root)
    check(server.names("**") == ["real/a.c", "real/in/b.c"])
    check(server.names("*.c", path="dir") == ["dir/a.c", "dir/in/b.c"])
    check(server.names("dir/*.c") == [], "a pattern does not follow")
    check(server.error("*", path="a")["message"].endswith("not a directory"))
    server.close()


def mounted(options, work):
    """F21 F22: a loop of bind mounts ends, a mount is entered, proc is not
    opened"""
    if os.geteuid():
        raise Skipped("it takes root to mount")
    root = plant(work / "root", "a/b/x.c", "proc/hidden.c", "other/y.c",
                 "loop/gone.c")
    script = (
        'set -e; cd "$1"; mount -t tmpfs none other; touch other/z.c; '
        'mount --bind . loop; mount -t proc none proc; shift; '
        'exec "$@"')
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", root, options.program,
         "call", "Glob", "--pattern", "**"], cwd=root, capture_output=True,
        check=False, timeout=60)
    got = json.loads(done.stdout)
    check(sorted(got["filenames"]) == ["a/b/x.c", "other/z.c"], got)
    check(got["_meta"]["skipped"] == {"special": 2}, got)


def special_files_are_not_opened(options, work):
    """F22: FIFOs, sockets and devices are not opened and do not hold up a
    search"""
    root = plant(work / "root", "a.c")
    pipes = [root / f"pipe{i}.c" for i in range(20)]
    for pipe in pipes:
        os.mkfifo(pipe)
    with socket.socket(socket.AF_UNIX) as place:
        os.chdir(root) # the name of a socket must be short
        place.bind("socket.c")
        os.chdir("/")
        special = 21
        if not os.geteuid():
            os.mknod(root / "zero.c", stat.S_IFCHR | 0o644, os.makedev(1, 5))
            pipes.append(root / "zero.c")
            special = 22
        opens = Opens(*pipes)
        server = Searcher(options, root)
        # To open a FIFO would be to wait for a writer.
        check(server.answer("*.c") ==
              ("a.c", f"Not searched: {special} special."))
        for mode in ("files_with_matches", "content", "count"):
            got, error = server.call("Grep", pattern="", output_mode=mode)
            check(not error and
                  got["_meta"]["skipped"] == {"special": special},
                  (mode, got, error))
        check(opens.seen() == set())
        for path in pipes[-1:] + [root / "socket.c"]:
            _, error = server.call("Grep", pattern="x", path=str(path))
            check(error["code"] == -32003, error)
        server.close()


def only_in_a_repository(options, work):
    """F24: .gitignore counts inside a repository only, .ignore and .rgignore
    anywhere, and later kinds win"""
    root = plant(work / "root", "a.log", "b.tmp", "c.bak", "in/a.log")
    (root / ".gitignore").write_text("*.log\n!b.tmp\n!c.bak\n")
    (root / ".ignore").write_text("*.tmp\n*.bak\n")
    (root / ".rgignore").write_text("!c.bak\n")
    # Nothing above the home directory is looked at: /tmp may have a .git.
    server = Searcher(options, root, env={**os.environ, "HOME": str(work)})
    check(server.names("[a-z]*") == ["a.log", "c.bak", "in/a.log"],
          server.names("[a-z]*"))
    (root / ".git").mkdir()
    check(server.names("[a-z]*") == ["c.bak"])
    server.close()


def above_the_root(options, work):
    """F25: .gitignore above the root, up to the top of the repository, and its
    info/exclude count; what is above the top does not"""
    top = plant(work / "outer/top", "mid/root/a.c", "mid/root/b.log",
                "mid/root/c.tmp", "mid/root/d.bak", "mid/root/e.old",
                repository=True)
    (work / "outer/.gitignore").write_text("*.old\n")
    (top / ".gitignore").write_text("*.log\n/mid/root/d.bak\n")
    (top / "mid/.gitignore").write_text("*.c\n!*.c\n")
    (top / ".git/info").mkdir()
    (top / ".git/info/exclude").write_text("*.tmp\n")
    server = Searcher(options, top / "mid/root")
    check(server.names("**") == ["a.c", "e.old"], server.names("**"))
    server.close()


def a_clone_decides_nothing(options, work):
    """F26: core.excludesFile of the repository itself is not read"""
    root = plant(work / "root", "a.c", "all", repository=True)
    (root / "all").write_text("*\n")
    (root / ".git/config").write_text(
        f"[core]\n\texcludesFile = {root}/all\n")
    server = Searcher(options, root)
    check(server.names("*") == ["a.c", "all"])
    server.close()


def own_ignore_files(options, work):
    """F27: .stetignore and its kin, and settings, leave out; no ! elsewhere
    takes that back"""
    names = ("a.1", "a.2", "a.3", "a.4", "a.5", "a.6")
    root = plant(work / "root", *names, repository=True)
    for i, name in enumerate((".stetignore", ".claudeignore", ".cursorignore",
                              ".aiexclude"), 1):
        (root / name).write_text(f"*.{i}\n")
    (root / ".rgignore").write_text("!*\n")
    (root / ".ignore").write_text("!a.1\n")
    server = Searcher(options, root, "--ignore", "*.5")
    text, note = server.answer("?[.][0-9]")
    check(text == "a.6" and note == "Not searched: 5 ignored files.",
          (text, note))
    server.close()
    server = Searcher(options, root, "--ignore", "*.5", "--find-ignored")
    check(server.names("?[.][0-9]") == ["a.6"], "--find-ignored is for git's")
    (root / ".git/a.6").write_text("x\n")
    for name in names:
        (root / name).write_text("x\n")
    found, _ = server.call("Grep", pattern="x", glob="?[.][0-9]")
    check(found["filenames"] == ["a.6"],
          f"Grep --find-ignored enters no .git and obeys stet's own: {found}")
    server.close()


def a_path_is_searched(options, work):
    """F28: an ignored directory that path names is searched, by the other
    rules"""
    root = plant(work / "root", "build/a.c", "build/x.o", "build/sub/b.c",
                 "build/sub/dist/c.c", "all/x.c", "all/sub/y.c",
                 repository=True)
    (root / ".gitignore").write_text("build/\n*.o\ndist\n/all\n")
    server = Searcher(options, root)
    check(server.names("**") == [".gitignore"])
    check(server.names("**", path="build") == ["build/a.c", "build/sub/b.c"])
    check(server.names("**", path="build/sub") == ["build/sub/b.c"])
    check(server.names("**", path="build/sub/dist") == [
        "build/sub/dist/c.c"])
    (root / ".gitignore").write_text("*\n")
    check(server.names("**", path="all") == ["all/sub/y.c", "all/x.c"],
          "the rule that leaves out the path does not count")
    (root / ".gitignore").write_text("build/\n*.o\n")
    for name in ("build/a.c", "build/x.o", "build/sub/b.c"):
        (root / name).write_text("needle\n")
    for path, want in ((None, []), ("build", ["build/a.c", "build/sub/b.c"]),
                       ("build/x.o", ["build/x.o"]),
                       ("build/sub/b.c", ["build/sub/b.c"])):
        got, _ = server.call("Grep", pattern="needle",
                             **({"path": path} if path else {}))
        check(sorted(got["filenames"]) == want, (path, got))
    server.close()


def a_literal_names(options, work):
    """F29 F30 F31: literal components of a pattern are entered, files that a
    literal last component fits are found; src/** and * find nothing ignored"""
    root = plant(work / "root", "node_modules/p/i.js", "node_modules/p/t.d.ts",
                 "src/a.js", "src/b.log", "src/node_modules/q/j.js", ".x/y.js",
                 ".git/HEAD", ".git/hooks/h.js", ".hg/store/k.js")
    (root / ".gitignore").write_text("node_modules\n*.log\n")
    server = Searcher(options, root)
    for pattern, want in (
            ("node_modules/**/*.js", ["node_modules/p/i.js"]),
            ("**/node_modules/**/*.js", ["node_modules/p/i.js",
                                         "src/node_modules/q/j.js"]),
            ("*.js", [".x/y.js", "src/a.js"]),
            ("*.log", ["src/b.log"]),
            ("src/**", ["src/a.js"]),
            ("*", [".gitignore", ".x/y.js", "src/a.js"]),
            ("**/.git/HEAD", [".git/HEAD"]),
            (".git/**/*.js", [".git/hooks/h.js"]),
            (".hg/**", [".hg/store/k.js"])):
        check(server.names(pattern) == want, (pattern, server.names(pattern)))
    check(server.names("*.js", path=".git") == [".git/hooks/h.js"])
    for path in root.rglob("*"):
        if path.is_file() and path.name != ".gitignore":
            path.write_text("needle\n")
    for glob, want in (
            ("node_modules/**/*.js", ["node_modules/p/i.js"]),
            ("*.log", ["src/b.log"]), ("src/**", ["src/a.js"]),
            ("*", [".x/y.js", "src/a.js"]), ("!*.js", []),
            ("!node_modules", [".x/y.js", "src/a.js"]),
            (".git/HEAD", [".git/HEAD"]), ("none/*.zig", [])):
        got, _ = server.call("Grep", pattern="needle", glob=glob)
        check(sorted(got["filenames"]) == want, ("Grep", glob, got))
    server.close()


def the_note(options, work):
    """F32: what was skipped is told in a second text, and only then"""
    root = plant(work / "root", "a.c", "b.o", "c.o", "out/x.c", "shut/y.c",
                 repository=True)
    server = Searcher(options, root)
    check(server.answer("*.c")[1] is None)
    (root / ".gitignore").write_text("*.o\nout/\n")
    check(server.answer("[a-c]*")[1] ==
          "Not searched: 2 ignored files, 1 ignored directory.")
    check(server.answer("*.c")[1] == "Not searched: 1 ignored directory.",
          "what the pattern does not fit is not missed")
    (root / ".ignore").mkdir()
    check(server.answer("a*")[1] ==
          "Not searched: 1 ignored directory, 1 unreadable.")
    (root / ".ignore").rmdir()
    server.close()
    server = Searcher(options, root, "--find-ignored")
    check(server.names("*") == [".gitignore", "a.c", "b.o", "c.o", "out/x.c",
                                "shut/y.c"])
    check(server.answer("*")[1] is None)
    server.close()
    config = pathlib.Path(os.environ["HOME"], ".config/stet/config.json")
    config.parent.mkdir(parents=True)
    config.write_text('{"find_ignored": true}')
    server = Searcher(options, root)
    check(server.names("out/*") == ["out/x.c"] and
          len(server.names("*")) == 6, "also in the settings")
    server.close()


def without_override(options, root):
    """A server that permissions hold for, even if it is started by root."""
    drop, libc = 24, ctypes.CDLL(None) # PR_CAPBSET_DROP

    def lose():
        for capability in (1, 2): # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
            libc.prctl(drop, capability, 0, 0, 0)

    return Searcher(options, root, preexec_fn=lose)


def unreadable_places(options, work):
    """F32: directories and files that may not be read are counted, and the
    rest is found"""
    root = plant(work / "root", "a.c", "shut/b.c", "deep/er/c.c", "d.c")
    for path in (root / "a.c", root / "d.c", root / "deep/er/c.c"):
        path.write_text("needle\n")
    (root / "shut").chmod(0)
    (root / "d.c").chmod(0)
    server = without_override(options, root)
    try:
        text, note = server.answer("*.c")
        check(sorted(text.split("\n")) == ["a.c", "d.c", "deep/er/c.c"] and
              note == "Not searched: 1 unreadable.", (text, note))
        got, error = server.call("Grep", pattern="needle")
        check(not error and sorted(got["filenames"]) ==
              ["a.c", "deep/er/c.c"] and
              got["_meta"]["skipped"] == {"unreadable": 2}, (got, error))
        for tool, more in (("Glob", {"pattern": "*"}),
                           ("Grep", {"pattern": "x"}),
                           ("list_directory", {}), ("directory_tree", {})):
            reply = server.ask(server.request(tool, path="shut", **more))
            check("result" in reply and "b.c" not in str(reply), reply)
        check(server.names("a.c") == ["a.c"], "it goes on")
    finally:
        (root / "shut").chmod(0o755)
    server.close()


def the_whole_disk(options, work):
    """F11 F22: / as a root: the search begins where path says, kernel
    filesystems are not opened"""
    root = plant(work / "root", "a.c", "sub/b.c")
    (root / "a.c").write_text("needle\n")
    server = Searcher(options, "/", cwd=root)
    check(server.names("*.c", path=".") == ["a.c", "sub/b.c"])
    check(server.names("*.c", path=str(work)) == ["a.c", "sub/b.c"])
    check(server.names(f"{root}/**/b.c") == ["sub/b.c"])
    got, error = server.call("Grep", pattern="needle", path=str(root))
    check(not error and got["filenames"] == ["a.c"], (got, error))
    for path in ("/proc", "/sys"):
        if os.path.ismount(path):
            got, error = server.call("Grep", pattern="", path=path)
            check(not error and not got["filenames"] and
                  got["_meta"]["skipped"] == {"special": 1}, (got, error))
    listed, error = server.call("list_directory", path="/")
    check(not error and "[DIR] proc" in str(listed), (listed, error))
    server.close()


def many_patterns(options, work):
    """F23: an ignore file over the limits is told and ignores nothing"""
    root = plant(work / "root", "a.c", repository=True)
    (root / ".gitignore").write_text("*.c\n" * 100000)
    server = Searcher(options, root)
    check(server.answer("a?c") == ("a.c", "Not searched: 1 unreadable."),
          server.answer("a?c"))
    server.close()


def texts_of_glob(options, work):
    """F67: one path a line, oldest first, equal times by path; No files found"""
    root = plant(work / "root", "new.c", "old.c", "b/same.c", "a/same.c")
    os.utime(root / "new.c", (2000000000, 2000000000))
    for name in ("b/same.c", "a/same.c"):
        os.utime(root / name, (1900000000, 1900000000))
    server = Searcher(options, root)
    check(server.answer("*.c") == (
        "old.c\na/same.c\nb/same.c\nnew.c", None), server.answer("*.c"))
    check(server.answer("*.h") == ("No files found", None))
    check(server.answer("") == server.answer("**"), "an empty one: everything")
    server.close()


def more_than_a_hundred(options, work):
    """F68: of more than 100 the newest 100, oldest of them first, and how many
    there are"""
    root = plant(work / "root", *(f"{i % 7}/{i:03}.c" for i in range(357)))
    server = Searcher(options, root)
    text, _ = server.answer("*.c")
    lines = text.split("\n")
    check(lines[:-1] == [f"{i % 7}/{i:03}.c" for i in range(257, 357)], text)
    check(lines[-1] == "(The newest 100 of 357 matching files; narrow pattern "
          "or path to see others.)", lines[-1])
    got, _ = server.call("Glob", pattern="*.c")
    check((got["numFiles"], got["totalMatches"], got["truncated"],
           got["countIsComplete"], got["timedOut"]) ==
          (100, 357, True, True, False), got)
    server.close()


def spellings_of_a_pattern(options, work):
    """F70: ./ and absolute patterns; a path that is missing or a file"""
    root = plant(work / "root", "src/a.c", "src/b.h", "src/in/c.c", "d.c")
    server = Searcher(options, root)
    for pattern, path, want in (
            ("./src/*.c", None, ["src/a.c"]),
            (f"{root}/src/*.c", None, ["src/a.c"]),
            (f"{root}/**/*.c", None, ["d.c", "src/a.c", "src/in/c.c"]),
            (f"{root}/src/a.c", None, ["src/a.c"]),
            (f"{root}/none/*.c", None, []),
            ("in/*.c", "src", ["src/in/c.c"]),
            ("src/in/*.c", "src", ["src/in/c.c"]),
            ("none/*.c", None, []), ("src/a.c/*", None, [])):
        more = {"path": path} if path else {}
        check(server.names(pattern, **more) == want,
              (pattern, path, server.names(pattern, **more)))
    error = server.error("*", path="none")
    check((error["code"], error["message"]) ==
          (-32001, f"Directory not found: {root}/none"), error)
    error = server.error("*", path="d.c")
    check((error["code"], error["message"]) ==
          (-32003, f"{root}/d.c is not a directory"), error)
    for pattern, why in (("{a", "{a: unclosed {"),
                         ("[a", "[a: unclosed [")):
        check(server.error(pattern)["message"] == f"Bad glob: {why}")
    server.close()


def the_literal_prefix(options, work):
    """F71: the walk begins at the literal prefix: no other directory is opened"""
    root = plant(work / "root", "src/lib/a.c", "src/lib/in/b.c", "src/o/c.c",
                 "other/d.c")
    opens = Opens(root, root / "src", root / "src/lib", root / "src/lib/in",
                  root / "src/o", root / "other")
    server = Searcher(options, root)
    server.names("none/*.c") # resolves the root
    opens.seen()
    check(server.names("src/lib/**/*.c") == ["src/lib/a.c",
                                             "src/lib/in/b.c"])
    dirs = {path for path in opens.seen() if path.is_dir()}
    check(dirs <= {root / "src", root / "src/lib", root / "src/lib/in"}, dirs)
    server.close()


if __name__ == "__main__":
    sys.exit(run([relative_paths, names_of_results, nothing_outside,
                  a_hint_for_relative_paths, names_cannot_pretend,
                  hidden_is_as_if_absent, hidden_directories_stay_shut,
                  asked_files_are_named, own_files_are_unseen,
                  the_deadline_ends_each,
                  links_and_loops, mounted, special_files_are_not_opened,
                  only_in_a_repository, above_the_root,
                  a_clone_decides_nothing, own_ignore_files,
                  a_path_is_searched, a_literal_names, the_note,
                  unreadable_places, the_whole_disk,
                  many_patterns, texts_of_glob, more_than_a_hundred,
                  spellings_of_a_pattern, the_literal_prefix]))
