#!/usr/bin/env python3
"""find_git.py [--slow] PROGRAM [PROJECTS [SEED]] - compare Glob with git, as TAP:
it lists the files that git does not ignore, and counts those that git ignores.

The projects are those of ignore_git.py: every wildcard of git, names with any
bytes, ignore files in several directories. They are created side by side in one
repository, with .git/info/exclude and an excludes file named by ~/.gitconfig.
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))
# pylint: disable=wrong-import-position
from find_rg import Searcher
from ignore_git import Project, ignore_file
from server import Tap, environment


def shown(name):
    """A name as Glob shows it: control characters and invalid UTF-8 as \\xNN."""
    text = name.decode("utf-8", errors="surrogateescape")
    return "".join(
        f"\\x{ord(c) - 0xdc00:02x}" if 0xdc80 <= ord(c) <= 0xdcff
        else "".join(f"\\x{b:02x}" for b in c.encode())
        if ord(c) < 32 or 127 <= ord(c) < 160 else c for c in text)


def plant(project, top):
    """Directories, ignore files, and a file for every other path."""
    project.plant(top)
    for path in project.paths:
        full = os.path.join(top, path)
        try:
            os.makedirs(os.path.dirname(full), exist_ok=True)
            if not os.path.lexists(full):
                with open(full, "wb"):
                    pass
        except (NotADirectoryError, FileExistsError):
            pass


def entries(top):
    """(path, is_dir) of every file and directory below @top."""
    found = []
    for at, dirs, files in os.walk(top):
        found += [(os.path.join(at, name), True) for name in dirs]
        found += [(os.path.join(at, name), False) for name in files]
    return found


def git(top, env, *words, **more):
    done = subprocess.run(["git", "-C", top, *words], env=env,
                          capture_output=True, check=False, **more)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.split(b"\0")[:-1]


class Repository:
    """Projects side by side, and whether git ignores each path."""

    def __init__(self, work, count, rng):
        self.top, self.home = work / "top", work / "home"
        self.home.mkdir()
        self.top.mkdir()
        (self.home / ".gitconfig").write_text(
            "[user]\n\tname = x\n[Core] ; of git\n"
            "\texcludesFile = \"~/mine\" # mine\n")
        self.env = {**environment(self.home), "LC_ALL": "C",
                    "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(["git", "init", "-q", self.top], env=self.env,
                       check=True)
        some = Project(rng).paths
        (self.home / "mine").write_bytes(ignore_file(rng, some))
        (self.top / ".git/info/exclude").write_bytes(ignore_file(rng, some))
        self.names = [f"p{i}" for i in range(count)]
        for name in self.names:
            plant(Project(rng), os.fsencode(self.top / name))
        self.listed = git(self.top, self.env, "ls-files", "-z", "--others",
                          "--exclude-standard")
        self.judge()

    def judge(self):
        """self.ignored: the topmost ignored entries; self.dirs: directories"""
        top = os.fsencode(self.top)
        found = [(path[len(top) + 1:], is_dir) for name in self.names
                 for path, is_dir in entries(os.path.join(
                     top, os.fsencode(name)))]
        self.dirs = {path for path, is_dir in found if is_dir}
        fields = git(self.top, self.env, "check-ignore", "--stdin", "-z", "-v",
                     "-n", "--no-index",
                     input=b"".join(path + b"\0" for path, _ in found))
        ignored = {path for source, _, rule, path
                   in zip(*(iter(fields),) * 4)
                   if source and not rule.startswith(b"!")}
        self.ignored = {path for path in ignored
                        if os.path.dirname(path) not in ignored}
        self.found = len(found)


def below(paths, name):
    return [path for path in paths if path.startswith(name.encode() + b"/")]


def compare(repository, server, name):
    """None, or where Glob and git disagree on the project @name."""
    want = sorted(shown(path) for path in below(repository.listed, name))
    top = below(repository.ignored, name)
    whole = sum(path in repository.dirs for path in top)
    counts = {"ignored_files": len(top) - whole, "ignored_directories": whole}
    if name.encode() in repository.ignored:
        return None # the project itself, which path exempts
    got = server.glob("**", path=name)
    names = sorted(got["filenames"])
    if got["totalMatches"] != len(want) or (
            len(want) <= 100 and names != want):
        return (f"{name}: {sorted(set(names) - set(want))} too many, "
                f"{sorted(set(want) - set(names))} are missing")
    told = {key: value for key, value in got["_meta"]["skipped"].items()
            if key.startswith("ignored")}
    counts = {key: value for key, value in counts.items() if value}
    return None if told == counts else f"{name}: {told}, git: {counts}"


def main():
    words = [word for word in sys.argv[1:] if word != "--slow"]
    count = int(words[1]) if len(words) > 1 else 120
    rng = random.Random(int(words[2]) if len(words) > 2 else 1)
    tap = Tap(1)
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="stet-find-",
                                     dir=memory) as place:
        repository = Repository(pathlib.Path(place), count, rng)
        server = Searcher(os.path.abspath(words[0]), "--slow" in sys.argv,
                          repository.top, repository.home)
        faults = [fault for name in repository.names
                  if (fault := compare(repository, server, name))]
        server.close()
    if repository.found < 80 * count or len(repository.ignored) < count:
        faults.append("hardly anything was compared")
    tap.case(f"F15 F23 F25 F26 F32: {repository.found} entries, lists and "
             f"counts as git has them", "\n".join(faults[:10]))
    return tap.status()


if __name__ == "__main__":
    sys.exit(main())
