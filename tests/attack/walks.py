#!/usr/bin/env python3
"""walks.py [--slow] [--seconds N] PROGRAM [CASE...] - directories are swapped for
links, moved and removed while searches walk through them: nothing outside the
roots is ever named, and the server goes on.
"""
import contextlib
import os
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "system"))
# pylint: disable=wrong-import-position
from places import rounds, swapping
from talk import Talk, check, run

CHURN = """
import os, sys
top = sys.argv[1]
i = 0
while True:
    i += 1
    at = os.path.join(top, f"d{i % 16}")
    try:
        os.makedirs(os.path.join(at, "x", "y"), exist_ok=True)
        open(os.path.join(at, "x", "y", "f.txt"), "w").close()
        os.rename(os.path.join(at, "x"), os.path.join(top, f"m{i % 8}"))
    except OSError:
        pass
    try:
        os.unlink(os.path.join(top, f"m{i % 8}", "y", "f.txt"))
        os.rmdir(os.path.join(top, f"m{i % 8}", "y"))
        os.rmdir(os.path.join(top, f"m{i % 8}"))
        os.mkfifo(os.path.join(top, f"m{i % 8}"))
        os.unlink(os.path.join(top, f"m{i % 8}"))
    except OSError:
        pass
"""


def plant(work):
    """Two directories of the same shape, in the root and outside, with a link
    to the outer one beside the inner one at several depths."""
    root, out = work / "root", work / "out"
    pairs = []
    for at in (root / "swap", root / "a/swap", root / "a/b/c/swap"):
        for top, mark in ((at, "inside"), (out, "OUTSIDE")):
            for sub in ("", "deep", "deep/er"):
                (top / sub).mkdir(parents=True, exist_ok=True)
                for i in range(8):
                    (top / sub / f"{mark}{i}.txt").write_text(mark)
            (top / ".gitignore").write_text("")
        other = at.parent / "other"
        other.symlink_to(out)
        pairs.append((at, other))
    return root, pairs


def found(server, **arguments):
    """The names that Glob finds; a failure must be one of a missing place."""
    got, error = server.call("Glob", **arguments)
    if error:
        check(error["code"] in (-32001, -32002, -32003), error)
        return []
    return got["filenames"]


def a_directory_becomes_a_link(options, work):
    """F12: a directory swapped for a link in the middle of a walk: no escape"""
    root, pairs = plant(work)
    server = Talk(options, root, cwd=root)
    seen = {"names": 0}
    with contextlib.ExitStack() as stack:
        for one, two in pairs:
            stack.enter_context(swapping(one, two))
        for i in rounds(options, lambda: seen["names"] > 1000):
            for arguments in ({"pattern": "**"}, {"pattern": "*.txt"},
                              {"pattern": "**/*", "path": "a"},
                              {"pattern": "*", "path": "swap"},
                              {"pattern": "a/b/c/swap/**"},
                              {"pattern": "**/deep/**/*.txt"},
                              {"pattern": f"{root}/a/swap/deep/*"}):
                names = found(server, **arguments)
                seen["names"] += len(names)
                bad = [name for name in names if "OUTSIDE" in name]
                check(not bad, (i, arguments, bad))
            for tool, arguments in (
                    ("Grep", {"pattern": "OUT", "output_mode": "content"}),
                    ("Grep", {"pattern": "OUT", "path": "a/swap"}),
                    ("list_directory", {"path": str(root / "swap")}),
                    ("directory_tree", {"path": str(root)}),
                    ("search_files", {"path": str(root), "pattern": "**"})):
                reply = server.ask(server.request(tool, **arguments))
                check("OUTSIDE" not in str(reply), (i, tool, arguments, reply))
    check(seen["names"] > 1000, f"hardly anything was found: {seen}")
    server.close()


def a_tree_in_motion(options, work):
    """F12: directories that move, vanish and change their kind: every
    search answers"""
    root = work / "root"
    for i in range(16):
        (root / f"d{i}").mkdir(parents=True)
        (root / f"d{i}/still.txt").write_text("")
    server = Talk(options, root, cwd=root)
    churner = subprocess.Popen([sys.executable, "-c", CHURN, root])
    try:
        for i in rounds(options):
            got, error = server.call("Glob", pattern="**/still.txt")
            check(not error and got["totalMatches"] == 16, (i, got, error))
            got, error = server.call("Glob", pattern="**")
            check(not error and got["totalMatches"] >= 16, (i, got, error))
    finally:
        churner.kill()
        churner.wait()
    server.close()


def a_deep_tree(options, work):
    """F21: deeper than 256 directories is left out, and told"""
    root = work / "root"
    root.mkdir()
    at = os.open(root, os.O_RDONLY)
    for i in range(300):
        os.mkdir("d", dir_fd=at)
        below = os.open("d", os.O_RDONLY, dir_fd=at)
        if i in (10, 298):
            os.close(os.open("f.txt", os.O_CREAT | os.O_WRONLY, dir_fd=below))
        os.close(at)
        at = below
    os.close(at)
    server = Talk(options, root, cwd=root)
    got, error = server.call("Glob", pattern="f*")
    check(not error and got["totalMatches"] == 1 and
          got["_meta"]["skipped"] == {"special": 1}, (got, error))
    server.close()
    subprocess.run(["rm", "-rf", root], check=True) # too deep for shutil


def many_in_one_directory(options, work):
    """F32: a directory of very many entries is listed whole"""
    root = work / "root"
    root.mkdir()
    count = 20000 if not options.large else 1000000
    for i in range(count):
        os.close(os.open(root / f"{i}.txt", os.O_CREAT | os.O_WRONLY))
    server = Talk(options, root, cwd=root)
    got, error = server.call("Glob", pattern="*")
    check(not error and (got["totalMatches"] == count or got["timedOut"]),
          (got, error))
    server.close()


if __name__ == "__main__":
    sys.exit(run([a_directory_becomes_a_link, a_tree_in_motion, a_deep_tree,
                  many_in_one_directory]))
