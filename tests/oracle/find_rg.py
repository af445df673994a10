#!/usr/bin/env python3
"""find_rg.py [--slow] PROGRAM [SEED] - compare Glob with ripgrep, as TAP: on
random trees with all kinds of ignore files, links and FIFOs, and with random
globs.

All files have the same modification time, so Glob shows them by path, and the
order of the walk is compared as well.
"""
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
# pylint: disable=wrong-import-position
from server import Broken, Server, Tap, environment, handshake, short

TREES, GLOBS, FILES = 1000, 1000, 16
DIRS = ["a", "b", "ab", "src", "build", ".dot", "x y", "a-b", "a.b", "é"]
NAMES = ["a", "b", "ab", "a.c", "b.c", "x.log", ".hidden", "a b", "a-", "a.b",
         "build", "Z", "é.c", "keep.log", "x.h"]
RG = ["rg", "--no-config", "--hidden", "--files", "-0"]


def pattern(rng):
    """A line of an ignore file that git and ripgrep read alike."""
    part = rng.choice(NAMES + DIRS + ["*.log", "*.c", "?", "a*", "[ab]", "*b"])
    text = rng.choice([part, part, "/" + part, part + "/",
                       f"{rng.choice(DIRS)}/{part}", f"**/{part}",
                       f"{rng.choice(DIRS)}/**/{part}",
                       f"{rng.choice(DIRS)}/**", f"/{rng.choice(DIRS)}/*"])
    return rng.choice(["", "", "", "!"]) + text


def plant(rng, top):
    """A tree below @top."""
    dirs = [top]
    for _ in range(rng.randrange(1, 9)):
        at = rng.choice(dirs) / rng.choice(DIRS)
        if len(at.relative_to(top).parts) < 5 and not at.exists():
            at.mkdir(parents=True)
            dirs.append(at)
    for at in [top] * (rng.random() < 0.7) + rng.sample(dirs, 1):
        if rng.random() < 0.8:
            (at / ".git/info").mkdir(parents=True, exist_ok=True)
            (at / ".git/HEAD").write_text("ref: refs/heads/main\n")
            if rng.random() < 0.4:
                (at / ".git/info/exclude").write_text(pattern(rng) + "\n")
    for _ in range(FILES):
        path = rng.choice(dirs) / rng.choice(NAMES)
        if path.is_dir() or path.is_symlink():
            continue
        link = pathlib.Path(f"{path}.link")
        if rng.random() < 0.05 and not link.is_symlink():
            link.symlink_to(rng.choice(["a", "..", "/etc", "src"]))
        elif rng.random() < 0.02 and not path.exists():
            os.mkfifo(path)
        elif not path.exists():
            path.write_bytes(b"")
    for name in (".gitignore", ".ignore", ".rgignore"):
        for at in rng.sample(dirs, min(len(dirs), rng.choice([0, 0, 1, 2]))):
            (at / name).write_text("".join(
                pattern(rng) + "\n" for _ in range(rng.randint(1, 4))))


def same_time(top):
    for at, _, names in os.walk(top):
        for name in names:
            os.utime(os.path.join(at, name), ns=(10**18, 10**18),
                     follow_symlinks=False)


class Searcher(Server):
    """A server in @top, and its Glob."""

    def __init__(self, program, slow, top, home, *flags):
        super().__init__([program, "serve", *flags, str(top)], slow, cwd=top,
                         env=environment(home))
        self.last = 0
        handshake(self)

    def glob(self, pattern_, **more):
        self.last += 1
        reply = self.ask({"jsonrpc": "2.0", "id": self.last,
                          "method": "tools/call",
                          "params": {"name": "Glob", "arguments": {
                              "pattern": pattern_, **more}}})
        if "result" not in reply or reply["result"].get("isError"):
            raise Broken(short(reply))
        return reply["result"]["structuredContent"]


def rg(top, home, *words):
    """The files that ripgrep lists; its exit status 1 means none."""
    done = subprocess.run([*RG, *words, "--glob", "!.git"], cwd=top, env=environment(home),
                          capture_output=True, check=False)
    if done.returncode > 1:
        raise Broken(f"rg {words}: {done.stderr.decode()}")
    return [name.removeprefix("./")
            for name in done.stdout.decode().split("\0")[:-1]]


def by_tree(names):
    found = {}
    for name in names:
        found.setdefault(name.partition("/")[0], []).append(name)
    return found


class Trees:
    """Many trees side by side: one ripgrep lists them all."""

    def __init__(self, program, slow, seed, work):
        self.top, self.home = work / "trees", work / "home"
        rng = random.Random(seed)
        (self.home / ".config/git").mkdir(parents=True)
        (self.home / ".config/git/ignore").write_text("a-b\n*.h\n")
        for i in range(TREES):
            (self.top / f"t{i}").mkdir(parents=True)
            plant(rng, self.top / f"t{i}")
        same_time(self.top)
        self.args = (program, slow, self.top, self.home)
        self.server = Searcher(*self.args)

    def compare(self, server, pattern_, *words):
        """The first tree on which they differ, or None."""
        theirs = by_tree(rg(self.top, self.home, "--sort", "path", *words))
        if sum(map(len, theirs.values())) < 50:
            return "ripgrep finds next to nothing: the test is void"
        for i in range(TREES):
            want = theirs.get(f"t{i}", [])
            got = server.glob(pattern_, path=f"t{i}")
            if got["totalMatches"] <= 100 and got["filenames"] != want:
                return f"t{i} {pattern_}: {got['filenames']}\nrg: {want}"
        return None

    def lists(self):
        """F20 F21 F23 F24 F25 F31 F72 F73: ignore files, order, kinds"""
        return self.compare(self.server, "**")

    def ignored(self):
        """F32: --find-ignored finds what rg --no-ignore finds, and the counts
        are the difference"""
        free = Searcher(*self.args, "--find-ignored")
        found = self.compare(free, "**", "--no-ignore")
        for i in range(TREES):
            with_, without = (s.glob("*", path=f"t{i}")
                              for s in (self.server, free))
            skipped = with_["_meta"]["skipped"]
            more = without["totalMatches"] - with_["totalMatches"]
            files = skipped.get("ignored_files", 0)
            whole = skipped.get("ignored_directories", 0)
            if files > more or (not whole and files != more):
                found = found or f"t{i}: {skipped}, {more} files more"
        free.close()
        return found

    def named(self):
        """F30: a glob with a literal in its last component finds ignored
        files; in ignored directories it does not"""
        for glob in ("*.log", "*.c", "x.[l]og", "?.h"):
            found = self.compare(self.server, glob, "--glob", glob)
            if found:
                return found
        return None


def glob_of(rng):
    part = rng.choice(["*", "*.c", "a*", "?", "[ab]", "[!a]*", "[a-b].c",
                       "{a,b}.c", "*.{c,h,log}", "x{.log,.h}", "**", "a.b",
                       "x y", "*b", "{src,build}", "[é]*", "a?c"] + NAMES)
    start = rng.choice(["", "", "", "**/", "*/", "a/", "src/**/",
                        "{a,src}/", "**/b/", "a*/", ".dot/", "?b/**/"])
    return start + part + rng.choice(["", "", "", "", "/**", "/*"])


def globs(program, slow, seed, work):
    """F69: random globs against rg --files --glob"""
    rng = random.Random(seed)
    top, home = work / "globs", work / "home"
    top.mkdir()
    for _ in range(8):
        plant(rng, top)
    for path in list(top.rglob(".*ignore")) + list(top.rglob("exclude")):
        path.unlink()
    same_time(top)
    server = Searcher(program, slow, top, home, "--find-ignored")
    tried = [glob_of(rng) for _ in range(GLOBS)]
    hits = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        theirs = pool.map(lambda glob: sorted(
            rg(top, home, "--no-ignore", "--glob", glob)), tried)
        for glob, want in zip(tried, theirs):
            got = server.glob(glob)
            hits += bool(want)
            if got["totalMatches"] != len(want) or (
                    len(want) <= 100 and sorted(got["filenames"]) != want):
                return f"{glob}: {got['filenames']}\nrg: {want}"
    server.close()
    return None if hits > GLOBS // 4 else f"only {hits} globs found something"


def main():
    words = sys.argv[1:]
    slow = "--slow" in words
    words = [word for word in words if word != "--slow"]
    words[0] = os.path.abspath(words[0])
    seed = int(words[1]) if len(words) > 1 else 1
    tap = Tap(4)
    # Thousands of files: in memory if possible.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="stet-find-",
                                     dir=memory) as place:
        work = pathlib.Path(place)
        trees = Trees(words[0], slow, seed, work)
        for case in (trees.lists, trees.ignored, trees.named):
            tap.case(f"{case.__name__}: {' '.join(case.__doc__.split())}",
                     case())
        trees.server.close()
        tap.case(f"globs: {globs.__doc__}",
                 globs(words[0], slow, seed, work))
    return tap.status()


if __name__ == "__main__":
    sys.exit(main())
