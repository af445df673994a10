#!/usr/bin/env python3
"""eol_git.py [--slow] PROGRAM - edits of files with any line endings, as TAP.

M66 A70 A43 A10: a model of lines says which file must come out, to the byte;
git diff must see exactly the lines that were meant, as many as it sees when
all line endings are the same; and no CR is doubled or left alone.

Every file has lines that occur once, so there is one right answer.
"""
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

CASES = 480
LF, CRLF, NONE = "\n", "\r\n", ""
STYLES = {
    "lf": lambda rng, i: LF,
    "crlf": lambda rng, i: CRLF,
    "mixed": lambda rng, i: rng.choice([LF, CRLF]),
    "by turns": lambda rng, i: LF if i % 2 else CRLF,
    "one lf": lambda rng, i: LF if i == 2 else CRLF,
    "one crlf": lambda rng, i: CRLF if i == 2 else LF,
}
NAMES = {LF: "lf", CRLF: "crlf"}


def joined(lines):
    return "".join(text + end for text, end in lines)


def folded(text):
    return text.replace(CRLF, LF)


class File:
    """Lines as [text, ending], and the number of lines that an edit should
    change."""

    def __init__(self, rng, number):
        self.rng, self.number, self.made = rng, number, 0
        self.style = rng.choice(list(STYLES))
        count = rng.choice([1, 2, 3, 5, 8, 13, 40])
        self.lone = rng.random() < 0.2
        self.lines = [[self.text(), STYLES[self.style](rng, i)]
                      for i in range(count)]
        self.open = rng.random() < 0.3
        if self.open:
            self.lines[-1][1] = NONE
        self.before = joined(self.lines)
        self.added = self.deleted = 0
        self.given = set()
        self.did = []

    def text(self):
        """A unique line; in some files with a CR inside."""
        self.made += 1
        middle = "\r" if self.lone and self.rng.random() < 0.5 else " "
        return f"line{middle}{self.number}.{self.made}."

    def above(self, i):
        """The line ending of a new line before line @i."""
        if i:
            return self.lines[i - 1][1]
        return self.lines[0][1] or LF

    def give(self, sent, lines):
        """@lines were put in for a string with the endings @sent."""
        for asked, (_, got) in zip(sent, lines):
            if asked != got:
                self.given.add(NAMES[got])

    # Each of these returns (old_string, new_string) and does the same to the
    # model; None when the place does not allow it.

    def insert_after(self, i):
        old, end = self.lines[i]
        fresh = [self.text() for _ in range(self.rng.choice([1, 1, 2]))]
        new = LF.join([old, *fresh])
        inner = end or self.above(i)
        put = [[text, inner] for text in [old, *fresh]]
        put[-1][1] = end
        self.give([LF] * len(fresh), put)
        self.lines[i:i + 1] = put
        # git counts a last line that gets an end as changed
        self.added += len(fresh) + (not end)
        self.deleted += not end
        return old, new

    def insert_before(self, i):
        put = [[self.text(), self.above(i)]]
        old = self.lines[i][0]
        self.give([LF], put)
        self.lines[i:i] = put
        self.added += 1
        return old, put[0][0] + LF + old

    def insert_between(self, i):
        if not i:
            return None
        a, b = self.lines[i - 1][0], self.lines[i][0]
        put = [self.text(), self.lines[i - 1][1]]
        self.give([LF, LF], [self.lines[i - 1], put])
        self.lines[i:i] = [put]
        self.added += 1
        return a + LF + b, LF.join([a, put[0], b])

    def delete(self, i):
        text, end = self.lines[i]
        if not end:
            return None
        del self.lines[i]
        self.deleted += 1
        return text + LF, ""

    def delete_with_break_before(self, i):
        """Only if both line breaks are equal it is defined which one is
        deleted."""
        if not i or self.lines[i][1] != self.lines[i - 1][1]:
            return None
        text = self.lines.pop(i)[0]
        self.deleted += 1
        return LF + text, ""

    def replace(self, i):
        old, end = self.lines[i]
        self.lines[i] = [self.text(), end]
        self.added += 1
        self.deleted += 1
        return old, self.lines[i][0]

    def join(self, i):
        """This line and the next become one, with the end of the second."""
        if i + 1 >= len(self.lines):
            return None
        (a, _), (b, end) = self.lines[i:i + 2]
        self.lines[i:i + 2] = [[a + b, end]]
        self.added += 1
        self.deleted += 2
        return a[-3:] + LF + b[:-1], a[-3:] + b[:-1]

    def block(self, i):
        """Whole lines from @i on: some stay, some change, come and go."""
        lines, n = self.lines[i:i + self.rng.randint(2, 9)], 0
        lines = [line for line in lines if line[1]]
        if len(lines) < 2:
            return None
        put, last = [], self.above(i) if i else lines[0][1]
        while n < len(lines):
            put.append(lines[n])
            last = lines[n][1]
            olds = min(self.rng.choice([0, 0, 1, 1, 2]), len(lines) - n - 1)
            news = self.rng.choice([0, 1, 1, 2, 3])
            for k in range(news):
                last = lines[n + 1 + k][1] if k < olds else last
                put.append([self.text(), last])
            self.added += news
            self.deleted += olds
            n += 1 + olds
        self.give([LF] * len(put), put)
        self.lines[i:i + len(lines)] = put
        return ("".join(t + LF for t, _ in lines),
                "".join(t + LF for t, _ in put))

    KINDS = (insert_after, insert_before, insert_between, delete,
             delete_with_break_before, replace, join, block)

    def edit(self):
        """One edit, at the start, at the end or anywhere."""
        while True:
            last = len(self.lines) - 1
            kind = self.rng.choice(self.KINDS)
            if last < 0:
                return None
            i = self.rng.choice([0, last, self.rng.randint(0, last)])
            found = kind(self, i)
            if found:
                self.did.append(f"{kind.__name__} {i}")
                return {"old_string": found[0], "new_string": found[1]}


class Case(File):
    """A file, its edits, and how they are sent."""

    def __init__(self, rng, number):
        super().__init__(rng, number)
        # More than one edit of a line would count it more than once.
        edit = self.edit()
        self.tool, self.arguments = "edit_text_file", edit
        self.sent_as = "lf"
        if rng.random() < 0.2 and LF in edit["old_string"]:
            self.send_crlf(edit)
        if rng.random() < 0.3:
            self.tool, self.arguments = "multi_edit_text_file", \
                {"edits": [edit, *self.more()]}
        self.after = joined(self.lines)

    def send_crlf(self, edit):
        """In a file without CRLF this changes nothing but the strings sent."""
        if CRLF in self.before:
            return
        self.sent_as = "crlf"
        for key in edit:
            edit[key] = edit[key].replace(LF, CRLF)
        if CRLF in edit["new_string"]:
            self.given.add("lf")

    def more(self):
        """Further edits that cancel each other out, so the counts stay."""
        for text, _ in self.lines[:2]:
            other = f"other {self.number}"
            yield {"old_string": text, "new_string": other}
            yield {"old_string": other, "new_string": text}

    def name(self):
        ends = "no end" if self.open else "ended"
        lone = ", lone CR" if self.lone else ""
        return (f"{self.style}, {ends}{lone}, sent as {self.sent_as}: "
                f"{self.tool} {' '.join(self.did)}")

    def meta_eol(self):
        if len(self.given) > 1:
            return "mixed"
        return next(iter(self.given), None)


def changed(diff):
    lines = diff.split("\n")[2:]
    return (sum(l.startswith("+") for l in lines),
            sum(l.startswith("-") for l in lines))


def run(server, case, root):
    """A description of the failure, or None."""
    path = root / f"{case.number}.txt"
    path.write_bytes(case.before.encode())
    reply = server.ask({"jsonrpc": "2.0", "id": case.number,
                        "method": "tools/call", "params": {
                            "name": case.tool, "arguments": {
                                "path": str(path), **case.arguments}}})
    result = reply.get("result", {}).get("structuredContent", {})
    if not result.get("success"):
        return f"{short(reply)}\n{case.before!r}\n{case.arguments!r}"
    got = path.read_bytes().decode()
    seen = f"{case.before!r}\n{case.arguments!r}\nwant {case.after!r}\n" \
        f"got  {got!r}"
    if got != case.after:
        return seen
    if CRLF.join(["\r", ""]) in got or (
            not case.lone and "\r" in folded(got)):
        return f"a CR too many\n{seen}"
    if result["_meta"].get("eol") != case.meta_eol():
        return f"_meta.eol is {result['_meta'].get('eol')!r}, " \
            f"want {case.meta_eol()!r}\n{seen}"
    if changed(result["diff"]) != (case.added, case.deleted):
        return f"the diff says\n{result['diff']!r}\n{seen}"
    return None


def numstat(work, cases, form):
    """{number: (added, deleted)} of the files before and after, by git."""
    for side in ("before", "after"):
        (work / side).mkdir()
        for case in cases:
            (work / side / f"{case.number}.txt").write_bytes(
                form(getattr(case, side)).encode())
    env = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null",
               GIT_CONFIG_NOSYSTEM="1", GIT_CEILING_DIRECTORIES="/")
    ran = subprocess.run(
        ["git", "-c", "core.autocrlf=false", "diff", "--no-index", "--numstat",
         "--text", "--no-renames", "--minimal", "before", "after"], cwd=work,
        env=env, stdout=subprocess.PIPE, text=True, check=False)
    if ran.returncode not in (0, 1):
        raise Broken("git diff failed")
    found = {}
    for line in ran.stdout.splitlines():
        added, deleted, name = line.split("\t")
        number = int(name.split("/")[-1].split(".")[0])
        found[number] = (int(added), int(deleted))
    return found


def main():
    options = [a for a in sys.argv[1:] if a == "--slow"]
    program = pathlib.Path(sys.argv[-1]).resolve()
    rng = random.Random(20251115)
    cases = [Case(rng, i) for i in range(CASES)]
    tap = Tap(CASES + 1)
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name).resolve()
        for folder in ("root", "home", "git", "plain"):
            (work / folder).mkdir()
        server = Server([str(program), "serve", str(work / "root")],
                        slow=bool(options), env=environment(work / "home"))
        try:
            handshake(server)
            faults = [run(server, case, work / "root") for case in cases]
            server.close()
        finally:
            server.kill()
        by_git = numstat(work / "git", cases, lambda text: text)
        plain = numstat(work / "plain", cases, folded)
    for case, fault in zip(cases, faults):
        want = (case.added, case.deleted)
        for found in (by_git, plain):
            got = found.get(case.number, (0, 0))
            if not fault and got != want:
                fault = f"git sees {got}, meant were {want}\n" \
                    f"{case.before!r}\n{case.after!r}"
        tap.case(case.name(), fault)
    kinds = {did.split()[0] for case in cases for did in case.did}
    few = [k.__name__ for k in File.KINDS if k.__name__ not in kinds]
    styles = set(STYLES) - {case.style for case in cases}
    tap.case("every kind of edit and of file was there",
             f"not {few} {styles}" if few or styles else None)
    return tap.status()


if __name__ == "__main__":
    sys.exit(main())
