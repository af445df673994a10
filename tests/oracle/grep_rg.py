"""F35 F36 F39 F43 F46: Grep and ripgrep find the same on one tree.

Usage: grep_rg.py [--slow] path/of/stet [globs [seed]]

500 globs (F43), and 200 searches with context (F36).
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
# pylint: disable=wrong-import-position
from server import Server, handshake

NAMES = ["a.c", "b.c", "a.h", "main.py", "x.test.js", "x.js", "README", "a b.c",
         "c.{x}", "lib.rs", "[y].c", "A.C", "é.c"]
DIRS = ["", "src", "src/lib", "src/lib/deep", "doc", "test/src", "a.c.d"]
PARTS = ["*.c", "*.h", "*.{c,h}", "src/**", "src/*.c", "/src/*.c", "**/lib/**",
         "!*.test.js", "*.js", "a.*", "!a.*", "src/lib", "doc/", "?.c",
         "[ab].c", "[!a].c", "*", "**", "!src/**", "README", "**/*.py",
         "{src,doc}/*.c", "!doc", "src/**/*.c", "*.{rs,py}", "nothing"]
LINES = ["foo", "bar", "foo bar", "", "baz", "FOO", "été", "Été", "x"]


def grow(root, rng):
    for folder in DIRS:
        for name in rng.sample(NAMES, 6):
            path = root / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(rng.choice(LINES) + "\n"
                                    for _ in range(rng.randrange(40))),
                            encoding="utf-8")


class Grep:
    def __init__(self, program, slow, root):
        self.server = Server([program, "serve", "--results=plain",
                              "--find-chars=1000000", str(root)], slow,
                             cwd=root)
        handshake(self.server)
        self.count = 0

    def __call__(self, **arguments):
        self.count += 1
        reply = self.server.ask({
            "jsonrpc": "2.0", "id": self.count, "method": "tools/call",
            "params": {"name": "Grep", "arguments": arguments}})
        return reply["result"]["content"][0]["text"]


def ripgrep(root, *words):
    done = subprocess.run(
        ["rg", "--no-config", "--hidden", "--glob", "!.git", "--sort", "path",
         "--color=never", *words], cwd=root, capture_output=True, check=False,
        timeout=60)
    return done.stdout.decode().rstrip("\n")


def same(want, got, what):
    if want != got:
        print(f"{what}\nrg:\n{want}\nus:\n{got}")
        sys.exit(1)


def compare_globs(grep, root, rng, n):
    for _ in range(n):
        parts = [rng.choice(PARTS) for _ in range(rng.randint(1, 3))]
        glob = rng.choice([" ", ",", ", "]).join(parts)
        words = [w for part in parts for w in ("--glob", part)]
        want = ripgrep(root, "-c", "", *words)
        got = grep(pattern="", output_mode="count", glob=glob, head_limit=0)
        got = got.split("\n\nFound ")[0]
        same(want or "No matches found", got, glob)


def compare_context(grep, root, rng, n):
    for _ in range(n):
        what = rng.choice(["foo", "ba.", "^$", "é", "x$", "f\\w+", "[a-c]a"])
        before, after = rng.randrange(4), rng.randrange(4)
        words = [f"-B{before}", f"-A{after}", "-n", "-e", what]
        more = {"-B": before, "-A": after}
        if rng.random() < 0.3:
            words.append("-i")
            more["-i"] = True
        if rng.random() < 0.3:
            words.append("-o")
            more["-o"] = True
            if what == "^$":
                continue
        if rng.random() < 0.2:
            words += ["-U", "--multiline-dotall"]
            more["multiline"] = True
        want = ripgrep(root, *words)
        got = grep(pattern=what, output_mode="content", head_limit=0, **more)
        same(want or "No matches found", got, json.dumps(words))


def main():
    slow = "--slow" in sys.argv
    words = [w for w in sys.argv[1:] if w != "--slow"]
    globs = int(words[1]) if len(words) > 1 else 500
    rng = random.Random(int(words[2]) if len(words) > 2 else 43)
    with tempfile.TemporaryDirectory(prefix="stet-oracle-") as home:
        os.environ["HOME"] = home
        root = pathlib.Path(home).resolve() / "tree"
        grow(root, rng)
        grep = Grep(os.path.abspath(words[0]), slow, root)
        compare_globs(grep, root, rng, globs)
        compare_context(grep, root, rng, 200)
        grep.server.close()
    print(f"{globs} globs, 200 searches with context")
    return 0


if __name__ == "__main__":
    sys.exit(main())
