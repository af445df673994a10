#!/usr/bin/env python3
"""undo.py [--slow] PROGRAM [CASE...] - undo on the command line: preview,
result, and the command that reverts it."""
import json
import os
import pty
import re
import subprocess
import sys

from history import Place
from talk import check, run
from terminal import at_terminal


def ids_are_shown_by_what_tells_them_apart(options, work):
    """The random part of the id is shown, not the time; any unique part is
    accepted."""
    p = Place(options, work)
    ops = [p.write(f"f{i}", "x\n") for i in range(6)]
    shown = [line.split()[0] for line in p.fine("log").splitlines()]
    check(shown == [op[-8:] for op in reversed(ops)], (shown, ops))
    whole = ops[2].replace("-", "")
    for part in (ops[2], ops[2].upper(), ops[2][-8:], ops[2][15:],
                 whole[14:30], ops[2][-12:-3]):
        got = p.json("show", part)["operation"]["id"]
        check(got == ops[2], (part, got))
    got, _, said = p.run("show", ops[2][:6])
    check(got == 2 and "More than one" in said and "stet log" in said, said)
    for part in ("abc", "0" * 33, "ffffffffffffffff"):
        got, _, said = p.run("show", part)
        check(got == 3 and ("at least 4 digits" in said) == (part == "abc"),
              said)
    p.fine("undo", ops[3][-8:])
    check(p.read("f3") is None and p.read("f2") == "x\n")


def a_session_of_the_log_can_be_undone(options, work):
    """--session takes the id that stet log prints; --client a part of a
    name."""
    p = Place(options, work)
    server = p.serve()
    for name in ("a", "b"):
        server.call("write_text_file", path=str(p.root / name), content="1\n")
    server.close()
    server.kill()
    p.write("c", "1\n")
    line = p.fine("log").splitlines()[-1]
    session = re.search(r"session (\S+)", line)[1]
    check(len(p.log("--session", session)) == 2, line)
    client = p.log()[-1]["client"]
    check([op["path"] for op in p.log("--client", client[:4].upper())
           if op["path"].endswith("a")], client)
    check(p.log("--client", "no such client") == [])
    out = p.fine("undo", "--session", session, "--dry-run")
    check("would undo" in out and "Nothing was changed" in out and
          p.read("a") == "1\n" and len(p.log()) == 3, out)
    out = p.fine("undo", "--session", session)
    check(p.read("a") is None and p.read("b") is None and p.read("c") == "1\n")
    back = re.search(r"To revert this: stet (redo .*)", out)[1]
    p.fine(*back.split())
    check(p.read("a") == "1\n" and p.read("b") == "1\n", back)
    check(p.run("undo", "--client", client, "--until", "1970-01-02")[0] == 3)
    p.fine("undo", "--client", client, "--until", "2199-01-01")
    check(p.read("a") is None and p.read("c") == "1\n")


def undo_shows_the_diff_and_the_way_back(options, work):
    """The dry run shows what is then done, also for several changes to one
    file; the printed command reverts it."""
    p = Place(options, work)
    (p.root / "f").write_text("0\n")
    for i in range(1, 4):
        p.write("f", f"{i}\n")
    p.write("g", "new\n")
    before = p.log()

    def without_words(out):
        return [line for line in out.splitlines() if line[:1] in "-+@ "]

    dry = p.fine("undo", "--since", "1h", "--dry-run")
    check(p.read("f") == "3\n" and p.read("g") == "new\n" and
          p.log() == before, dry)
    check(p.json("undo", "--since", "1h", "--dry-run")["dry_run"] is True)
    check("4 would be done, 0 conflicts, 0 failed" in dry, dry)
    done = p.fine("undo", "--since", "1h")
    check(p.read("f") == "0\n" and p.read("g") is None)
    check(without_words(dry) == without_words(done) and "-new" in done, done)
    back = re.search(r"To revert this: stet (redo --state-dir .*)", done)[1]
    out = p.fine(*back.split()[:1], *back.split()[3:])
    check(p.read("f") == "3\n" and p.read("g") == "new\n", out)
    again = re.search(r"To revert this: stet (undo .*)", out)[1].split()
    p.fine("undo", *again[3:])
    check(p.read("f") == "0\n" and p.read("g") is None, again)
    out = p.fine("redo")
    one = re.search(r"To revert this: stet undo .* ([0-9a-f]{8})$", out,
                    re.M)[1]
    p.fine("undo", one)
    for words in (["--until", "1h"], ["abcdef12", "--client", "x"]):
        got, _, said = p.run("undo", *words)
        check(got == 2, (words, said))


def a_dry_run_does_not_say_that_it_undoes(options, work):
    """Not even in the progress bar on a terminal."""
    p = Place(options, work)
    for i in range(3):
        p.write("f", f"{i}\n")
    for words, says in ((["--dry-run"], b"looking at ["), ([], b"undoing [")):
        ours, theirs = pty.openpty()
        with subprocess.Popen([str(options.program), "undo", "--since", "1h",
                               *words, "--state-dir", str(p.state)],
                              cwd=p.root, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=theirs) as one:
            check(one.wait(60) == 0, words)
        said = os.read(ours, 65536)
        os.close(ours)
        os.close(theirs)
        check(says in said and (b"undoing" in said) == (not words), said)


def markers_are_told(options, work):
    """--conflicts markers: the output says that markers are in the file."""
    p = Place(options, work)
    (p.root / "f").write_text("0\n")
    op = p.write("f", "1\n")
    (p.root / "f").write_text("2\n")
    got, _, said = p.run("undo", op)
    check(got == 10 and p.read("f") == "2\n", said)
    out = p.fine("undo", op, "--conflicts", "markers", "--dry-run")
    check("1 conflict: both versions would be in the file" in out and
          p.read("f") == "2\n", out)
    out = p.fine("undo", op, "--conflicts", "markers")
    check("1 conflict: both versions are in the file" in out and
          "<<<<<<<" in out and "<<<<<<<" in p.read("f"), out)
    out = p.fine("redo")
    check(p.read("f") == "2\n", out)
    out = p.fine("undo", op, "--conflicts", "ours")
    check("markers" not in out, out)


def nothing_to_undo_says_where_it_looked(options, work):
    """A word that is no id is a path; without one it is the directory."""
    p = Place(options, work)
    p.write("f", "x\n")
    for word in ("no-such-file", "abc"):
        got, _, said = p.run("undo", word)
        check(got == 3 and f"no change of '{word}'" in said and
              "at least 4 digits" in said and "--all" not in said, said)
    p.fine("undo")
    got, _, said = p.run("undo")
    check(got == 3 and "Only the current directory" in said, said)


def directories_made_for_a_file_go_with_it(options, work):
    """The undo of a creation removes directories that were created for the
    file and are empty."""
    p = Place(options, work)
    (p.root / "old").mkdir()
    os.utime(p.root / "old")
    server = p.serve()

    def write(name):
        got, fault = server.call("Write", file_path=str(p.root / name),
                                 content="x\n")
        check(got, fault)

    # mtimes have the granularity of the kernel's clock tick
    base = (p.root / "old").stat().st_ctime_ns
    while os.stat(p.root).st_ctime_ns < base + 50_000_000:
        (p.root / "tick").touch()
        (p.root / "tick").unlink()
    for name in ("new/deep/er/f", "old/f", "old/sub/f", "both/f"):
        write(name)
    (p.root / "both/mine").write_text("mine\n")
    for _ in range(4):
        p.fine("undo")
    left = sorted(str(path.relative_to(p.root)) for path in
                  p.root.rglob("*"))
    check(left == ["both", "both/mine", "old"], left)
    for _ in range(4):
        p.fine("redo")
    check(p.read("new/deep/er/f") == "x\n" and p.read("old/sub/f") == "x\n")
    server.close()
    server.kill()


def gc_says_what_will_go_and_asks(options, work):
    """It asks on a terminal, needs --yes without one; --dry-run only lists."""
    p = Place(options, work)
    for i in range(3):
        p.write("f", f"{i}\n")
    env = {name: os.environ[name] for name in ("PATH", "HOME")}
    words = [options.program, "gc", "--older", "0s", "--state-dir", p.state]
    got, out, said = p.run("gc", "--older", "0s")
    check(got == 11 and "3 operations" in said and "--yes" in said and
          not out, (got, out, said))
    got = p.json("gc", "--older", "0s", status=11)
    check("--yes" in got["error"]["message"], got)
    out = p.fine("gc", "--older", "0s", "--dry-run")
    check(re.match(r"3 operations would be deleted, [1-9]\d* bytes", out),
          out)
    some = p.json("gc", "--older", "90d", "--dry-run")
    check(some["operations"] == 0 and some["bytes"] == 0, some)
    least = p.json("gc", "--older", "90d", "--max-size", "1", "--dry-run")
    check(least["operations"] >= 1 and 0 < least["bytes"] < 1000, least)
    for says in ("", "n\n", "\n"):
        done = at_terminal(words, env, says)
        check(done.returncode == 11 and "3 operations" in done.stderr and
              "[y/N]" in done.stderr and not done.stdout, done)
    check(len(p.log()) == 3)
    done = at_terminal(words, env, "y\n")
    check(done.returncode == 0 and "3 operations deleted" in done.stdout,
          done)
    check(p.log() == [])
    check("0 operations deleted" in p.fine("gc"), "nothing to ask about")


def replay_explains_itself(options, work):
    """It says what it does, what it did, and how to revert that."""
    p = Place(options, work)
    (p.root / "a").write_text("one\ntwo\nthree\n")
    (p.root / "b").write_text("one\ntwo\nthree\nfour\n")
    op = p.edit("a", "two", "2")
    check("The files of the operations stay" in
          " ".join(p.fine("replay", "--help").split()))
    got, _, said = p.run("replay", op)
    check(got == 2 and "--onto PATH" in said, said)
    out = p.fine("replay", op, "--onto", "b")
    check("replay 1 operation onto b" in out and "-two\n+2\n" in out and
          p.read("b") == "one\n2\nthree\nfour\n", out)
    back = re.search(r"To revert this: stet undo .* ([0-9a-f]{8})$", out,
                     re.M)[1]
    p.fine("undo", back)
    check(p.read("b") == "one\ntwo\nthree\nfour\n")
    (p.root / "b").write_text("one\nTWO\nthree\n")
    got, _, said = p.run("replay", op, "--onto", "b")
    check(got == 10 and "--conflicts=markers" in said, said)
    out = p.fine("restore", "a", "--at", "1970-01-02")
    check("-2\n+two\n" in out and "To revert this: stet undo" in out, out)
    check(json.loads(p.fine("restore", "a", "--at", "1970-01-02", "--json"))
          ["result"] == "already")


if __name__ == "__main__":
    sys.exit(run([
        ids_are_shown_by_what_tells_them_apart,
        a_session_of_the_log_can_be_undone,
        undo_shows_the_diff_and_the_way_back,
        a_dry_run_does_not_say_that_it_undoes,
        markers_are_told,
        nothing_to_undo_says_where_it_looked,
        directories_made_for_a_file_go_with_it,
        gc_says_what_will_go_and_asks,
        replay_explains_itself,
    ]))
