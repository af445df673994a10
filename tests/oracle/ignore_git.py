"""A49 C16 C85: our ignore rules decide as `git check-ignore` does, and name
the same rule, over 100,000 random paths.

Usage: ignore_git.py path/of/ignore_check [projects [seed]]

Many projects side by side in one repository, so that one git answers for all
of them; each has ignore files in several directories.
"""
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

PATHS = 250  # of each project

# Few letters, so that many patterns match; and all wildcards of git.
NAMES = [b"a", b"b", b"ab", b"ba", b"A", b"a.b", b".a", b"b.", b"aa", b"aab",
         b"x1", b"\xc3\xa9", b"a b", b"a ", b" ", b"#a", b"!a", b"[a]", b"*",
         b"?", b"a*b", b"\\", b"a\\", b"-", b"]", b"a-b", b"\xff", b"a\tb"]
GLOBS = [b"*", b"*", b"*", b"**", b"**", b"***", b"?", b"[ab]", b"[!a]",
         b"[^b]", b"[a-b]", b"[]a]", b"[a", b"[[:alpha:]]", b"[[:nope:]]",
         b"[[:punct:]-]", b"[\\]a]", b"[a-\\b]", b"[--b]", b"[a-]", b"[[:a]",
         b"[![:upper:]b]", b"[[:space:]]", b"[/]", b"[", b"]", b"{a,b}",
         b"\\", b"\\a", b"\\*", b"\\\\", b"\\ ", b"\\/", b"[a/b]", b"[!/]"]
WHOLE = [b"", b" ", b"#", b"# a", b"!", b"/", b"//", b"!/", b"\\", b"**", b"*",
         b"!*", b"*/", b"/*", b"!*/", b"**/", b"/**", b"a/**", b"**/a",
         b"a/**/b", b"\\#a", b"\\!a", b"!!a", b"a\\ ", b"a\\  ", b"a \\", b"\r",
         b"a\r", b" a", b"a ", b"a/ ", b"!a ", b"a**/b", b"a**b", b"**a/b",
         b"a/***/b", b"/a**", b"***", b"**/**", b"*/**/*", b"a/*/b", b"a\0b"]


def name(rng):
    parts = rng.choice([1, 1, 1, 2])
    return b"".join(rng.choice(NAMES) for _ in range(parts))


def part(rng):
    """One component of a pattern: a name, perhaps with a wildcard."""
    text = rng.choice(NAMES) if rng.random() < 0.8 else b""
    while rng.random() < 0.4:
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(GLOBS) + text[at:]
    return text


def pattern(rng, paths):
    if rng.random() < 0.15:
        return rng.choice(WHOLE)
    if rng.random() < 0.4:  # near one of the paths
        parts = rng.choice(paths).split(b"/")
        if rng.random() < 0.5:
            parts = parts[rng.randrange(len(parts)):]
        for i in range(len(parts)):
            if rng.random() < 0.3:
                parts[i] = rng.choice([b"*", b"**", b"?", part(rng)])
        text = b"/".join(parts[:rng.randint(1, len(parts))])
    else:
        text = b"/".join(part(rng) for _ in range(rng.choice([1, 1, 2, 3])))
    text = rng.choice([b"", b"", b"", b"/"]) + text
    text += rng.choice([b"", b"", b"/", b" ", b"/*", b"/**"])
    return rng.choice([b"", b"", b"!"]) + text


def ignore_file(rng, paths):
    lines = [pattern(rng, paths).replace(b"\n", b"")
             for _ in range(rng.choice([1, 2, 3, 5, 8]))]
    eol = rng.choice([b"\n", b"\n", b"\r\n"])
    text = rng.choice([b"", b"", b"", b"\xef\xbb\xbf"]) + eol.join(lines)
    return text + rng.choice([b"", eol])


class Project:
    """A tree of directories, paths in it, and ignore files."""

    def __init__(self, rng):
        self.dirs = {b""}
        for _ in range(14):
            above = rng.choice(sorted(self.dirs))
            if above.count(b"/") < 4:
                self.dirs.add(self.below(above, name(rng)))
        self.paths = sorted(self.dirs - {b""})
        while len(self.paths) < PATHS:
            path = self.below(rng.choice(sorted(self.dirs)), name(rng))
            if rng.random() < 0.2:
                path += b"/" + name(rng)
            self.paths.append(path)
        where = [b""] if rng.random() < 0.9 else []
        where += rng.sample(sorted(self.dirs), min(len(self.dirs), 3))
        self.files = {}
        for at in sorted(set(where), key=lambda d: (d.count(b"/"), len(d))):
            inside = [p[len(at):].lstrip(b"/") for p in self.paths
                      if p.startswith(at)]
            self.files[at] = ignore_file(rng, inside or [b"a"])

    @staticmethod
    def below(above, child):
        return above + b"/" + child if above else child

    def plant(self, root):
        for path in sorted(self.dirs):
            os.makedirs(os.path.join(root, path), exist_ok=True)
        for at, text in self.files.items():
            with open(os.path.join(root, at, b".gitignore"), "wb") as file:
                file.write(text)

    def records(self):
        yield b"N", b""
        for at, text in self.files.items():
            yield b"I", at + b"\0" + text
        for path in self.paths:
            yield b"D" if path in self.dirs else b"F", path


def ask_git(top, names):
    env = {"PATH": os.environ["PATH"], "HOME": top, "LC_ALL": "C",
           "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "-q", top], env=env, check=True)
    done = subprocess.run(
        ["git", "-C", top, "-c", "core.excludesFile=/dev/null",
         "check-ignore", "--stdin", "-z", "--no-index", "-v", "-n"],
        env=env, input=b"".join(n + b"\0" for n in names),
        capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    fields = done.stdout.split(b"\0")[:-1]
    assert fields[3::4] == names, "git answered about something else"
    for source, line, text, _ in zip(*(iter(fields),) * 4):
        if not source:
            yield b"-"
            continue
        at = os.path.dirname(source).partition(b"/")[2]
        yield b"%s:%s:%d" % (at, line, not text.startswith(b"!"))


def ask_us(program, projects):
    sent = b"".join(kind + struct.pack("<I", len(what)) + what
                    for project in projects
                    for kind, what in project.records())
    done = subprocess.run([program], input=sent, stdout=subprocess.PIPE,
                          check=True)
    return done.stdout.split(b"\n")[:-1]


def main():
    program = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 400
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    projects = [Project(rng) for _ in range(count)]
    names, owners = [], []
    with tempfile.TemporaryDirectory(prefix="stet-ignore-") as top:
        for i, project in enumerate(projects):
            project.plant(pathlib.Path(top, f"p{i}").as_posix().encode())
            names += [b"p%d/%s" % (i, path) for path in project.paths]
            owners += [project] * len(project.paths)
        theirs = list(ask_git(top, names))
    ours = ask_us(program, projects)
    assert len(ours) == len(theirs) == len(names)
    wrong = 0
    for path, project, us, git in zip(names, owners, ours, theirs):
        if us == git:
            continue
        wrong += 1
        if wrong <= 10:
            inner = path.partition(b"/")[2]
            print(f"{inner!r} {'dir' if inner in project.dirs else 'file'}: "
                  f"we say {us!r}, git {git!r}; {project.files}")
    ignored = sum(answer.endswith(b":1") for answer in theirs)
    back = sum(answer.endswith(b":0") for answer in theirs)
    print(f"{len(names)} paths, {ignored} left out, {back} taken back, "
          f"{wrong} disagreements")
    # The test proves nothing if hardly any pattern matches.
    return 1 if wrong or ignored < len(names) // 5 or not back else 0


if __name__ == "__main__":
    sys.exit(main())
