#!/usr/bin/env python3
"""export.py [--slow] PROGRAM [CASE...] - export and import of the history."""
import hashlib
import json
import os
import resource
import signal
import stat
import subprocess
import sys
import time
import uuid

from talk import Talk, check, run


class Place:
    """A project, and several state directories."""

    def __init__(self, options, work):
        self.options, self.work, self.root = options, work, work / "project"
        self.root.mkdir()
        self.file = work / "exported"

    def stet(self, *words, state="one", **more):
        more.setdefault("cwd", self.root)
        return subprocess.run(
            [str(self.options.program), *map(str, words), "--state-dir",
             str(self.work / state)], check=False,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=240, **more)

    def good(self, *words, **more):
        done = self.stet(*words, **more)
        check(done.returncode == 0, done)
        return done.stdout

    def fill(self):
        """Operations of every kind."""
        talk = Talk(self.options, self.root, "--state-dir",
                    str(self.work / "one"))

        def call(tool, **arguments):
            got, fault = talk.call(tool, **arguments)
            check(not fault, fault)
            return got

        for n in range(3):
            path = str(self.root / f"f{n}")
            call("write_text_file", path=path, content=f"one \u00e9 {n}\n")
            call("edit_text_file", path=path, old_string="one",
                 new_string="two")
        (self.root / "latin").write_bytes(b"caf\xe9 au lait\n" * 20 + b"one\n")
        call("edit_text_file", path=str(self.root / "latin"),
             old_string="one", new_string="two")
        big = self.root / "big"
        big.write_bytes(b"some line of text\n" * 200000)
        big.write_bytes(b"here\n" + big.read_bytes())
        call("edit_text_file", path=str(big), old_string="here",
             new_string="there")
        done = call("edit_text_file", path=str(self.root / "f1"),
                    old_string="two", new_string="three")
        call("undo_file_change", operation=done["_meta"]["operation"])
        talk.close()
        talk.kill()

    def log(self, state):
        return json.loads(self.good("log", "--all", "--json", "--limit=0",
                                    state=state))["operations"]

    def take(self, *flags, state="two"):
        return self.stet("import", *flags, self.file, state=state)


def it_comes_back_as_it_was(options, work):
    """export: log, diffs and undo are the same after an import; operations
    that exist already are skipped, and counted."""
    p = Place(options, work)
    p.fill()
    before = {f.name: f.read_bytes() for f in p.root.iterdir()}
    p.good("export", "--output", p.file)
    check(stat.S_IMODE(p.file.stat().st_mode) == 0o600)
    check(p.good("export").split(b"\n")[1:]
          == p.file.read_bytes().split(b"\n")[1:], "stdout differs")
    check(json.loads(p.take("--dry-run", "--json").stdout)["operations"]
          == len(p.log("one")))
    check(not p.log("two"), "a dry run")
    done = p.take()
    check(done.returncode == 11 and b"will be added" in done.stderr, done)
    check(not p.log("two"), "nobody agreed")
    check(p.take("--yes").returncode == 0)
    check(p.log("one") == p.log("two"), "another log")
    for op in p.log("one"):
        check(p.good("diff", op["id"]) == p.good("diff", op["id"],
                                                 state="two"), op)
    got = json.loads(p.take("--yes", "--json").stdout)
    check(got == {"operations": 0, "contents": 0,
                  "present": len(p.log("one"))}, got)
    check(before == {f.name: f.read_bytes() for f in p.root.iterdir()},
          "files were touched")
    p.good("undo", "--recreated", p.root / "f0", state="two")
    check((p.root / "f0").read_text() == "one \u00e9 0\n", "not undone")
    p.good("undo", "--recreated", p.root / "big", state="two")
    check((p.root / "big").read_bytes() == before["big"].replace(
        b"there", b"here", 1))


def what_was_imported_is_undone_on_purpose(options, work):
    """export: an import cannot prove which directory it belongs to, so undoing
    an imported operation needs an explicit option."""
    p = Place(options, work)
    p.fill()
    p.good("export", "--output", p.file)
    check(p.take("--yes").returncode == 0)
    done = p.stet("undo", p.root / "f0", state="two")
    check(done.returncode == 4 and b"was imported" in done.stderr
          and b"--recreated" in done.stderr, done)
    check((p.root / "f0").read_text() == "two \u00e9 0\n", "written")


def forged(options, work, **members):
    """A history with one operation: the deletion of a file with content."""
    p = Place(options, work)
    p.fill()
    p.good("export", p.root / "f0", "--output", p.file)
    lines = p.file.read_text().splitlines()
    op = json.loads(lines[-1])["operation"]
    op.update(id=str(uuid.UUID(int=7 << 76 | 2 << 62 | 5)), kind="delete",
              existed=True, exists=False, before=op["after"],
              content_before=op["content_after"],
              bytes_before=op["bytes_after"], after="0" * 32, bytes_after=0,
              content_after="", mode_after=0, **members)
    lines[-1] = json.dumps({"operation": op})
    p.file.write_text("".join(line + "\n" for line in lines))
    return p


def a_forged_history_writes_nothing(options, work):
    """export: without a root, with another root, or with / and its inode
    number and a time before boot: an undo creates no file."""
    target = str(work / "project/.git/hooks/pre-commit")
    number = str(os.stat("/").st_ino)
    for n, members in enumerate((
            {"root": ""}, {"root": "/nonexistent/zz"}, {"root": "/"},
            {"root": "/", "root_inode": number, "time": 1})):
        here = work / str(n)
        here.mkdir()
        p = forged(options, here, path=target, mode_before=0o6755, **members)
        if p.take("--yes").returncode == 0:
            done = p.stet("undo", target, state="two")
            check(done.returncode == 4, (members, done))
        check(not os.path.exists(target), members)
        (work / "project/.git").mkdir(parents=True, exist_ok=True)
    p.good("undo", "--recreated", target, state="two")
    check(stat.S_IMODE(os.stat(target).st_mode) == 0o755, "set-user-ID")


def what_cannot_be_is_not_taken(options, work):
    """export: an operation that undoes itself, is in the future, or whose
    versions do not match its contents is rejected."""
    for n, members in enumerate((
            {"undoes": str(uuid.UUID(int=7 << 76 | 2 << 62 | 5))},
            {"undone": str(uuid.UUID(int=7 << 76 | 2 << 62 | 5))},
            {"time": 2 ** 53 - 1}, {"before": "1" * 32},
            {"bytes_before": 5}, {"path": "/"})):
        here = work / str(n)
        here.mkdir()
        p = forged(options, here)
        text = p.file.read_text().splitlines()
        op = json.loads(text[-1])["operation"]
        op.update(members)
        text[-1] = json.dumps({"operation": op})
        p.file.write_text("\n".join(text) + "\n")
        done = p.take("--yes")
        check(done.returncode == 2 and b"nothing was imported" in done.stderr,
              (members, done))


def filters_are_those_of_the_log(options, work):
    """export: by path, client and time; an existing file is not
    overwritten."""
    p = Place(options, work)
    p.fill()
    for flags, count in (([p.root / "f0"], 2), (["--client=nobody"], 0),
                         (["--until=2001-01-01"], 0), (["--since=1h"], 10)):
        lines = p.good("export", *flags).decode().splitlines()
        got = [line for line in lines if line.startswith('{"operation"')]
        check(len(got) == count, (flags, len(got)))
    p.file.write_text("mine")
    check(p.stet("export", "--output", p.file).returncode != 0)
    check(p.file.read_text() == "mine", "overwritten")
    said = p.stet("export", "--output", p.file).stderr.decode()
    check(str(p.file) in said and "--force" in said, said)
    p.good("export", "--force", "--output", p.file)
    check(p.file.read_text().startswith('{"format":"stet-history"'))
    check(sorted(os.listdir(work)) == ["exported", "one", "project"],
          os.listdir(work))


def history_that_is_older_goes_before(options, work):
    """export: imported operations are ordered by time; the newest stays the
    newest."""
    p = Place(options, work)
    p.fill()
    p.good("export", "--output", p.file)
    path = p.root / "f0"
    p.good("call", "write_text_file", "--root", p.root, "--path", path,
           "--content", "newest", state="two")
    check(p.take("--yes").returncode == 0)
    times = [op["time"] for op in p.log("two")]
    check(times == sorted(times, reverse=True), times)
    p.good("undo", path, state="two")
    check(path.read_text() == "two \u00e9 0\n", path.read_text())


def nothing_wrong_is_taken(options, work):
    """export: each kind of mistake is reported with its line, and nothing is
    imported."""
    p = Place(options, work)
    p.fill()
    p.good("export", "--output", p.file)
    lines = p.file.read_text().splitlines()
    last = json.loads(lines[-1])["operation"]
    here = next(i for i, line in enumerate(lines) if '"content":' in line)
    content = json.loads(lines[here])

    def op(**members):
        return lines[:-1] + [json.dumps({"operation": {**last, **members}})]

    def blob(**members):
        return (lines[:here] + [json.dumps({**content, **members})]
                + lines[here + 1:])

    head = json.loads(lines[0])
    wrong = [
        [], [""], ["{}"], ["[1]"], ["null"] + lines[1:], lines[1:],
        [json.dumps({**head, "version": 3})] + lines[1:],
        [json.dumps({**head, "version": 1})] + lines[1:],
        [json.dumps({**head, "format": "x"})] + lines[1:],
        lines + ["{"], lines + [""], lines + ["{}"], lines + ["[]"],
        lines[:2] + ["x"] + lines[2:], lines[:here] + lines[here + 1:],
        blob(bytes="forged"), blob(encoding="utf-7"), blob(bytes=5),
        blob(content="00"), blob(more=1), blob(encoding="base64"),
        op(id=""), op(id="x"), op(id=5), op(kind="explode"), op(state="intent"),
        op(state="x"), op(path="f"), op(path="/a/../b"), op(path="/a\0b"),
        op(path="/" + "x" * 5000), op(path={"base64": "!"}), op(root="x"),
        op(time=-1), op(time="1"), op(time=1.5), op(bytes_after=-1),
        op(root_device="-1"), op(root_inode="9" * 21), op(root_inode=1),
        op(undoes="x"), op(undone=None), op(group="x"), op(group=None),
        op(**{"from": "x"}), op(**{"from": "/a/.."}), op(**{"from": 1}), op(existed=1), op(exists="true"),
        op(before="zz"), op(after=""), op(mode_before=0o10000),
        op(mode_after=-1), op(content_before="00" * 31),
        op(content_after="00" * 32), op(client="x" * 100000), op(more=1),
        op(path=["/a"]), lines[:-1] + ['{"operation":' + "[" * 50 + "]" * 50
                                       + "}"]]
    for lines in wrong:
        p.file.write_text("".join(line + "\n" for line in lines))
        done = p.take("--yes")
        check(done.returncode == 2 and b"line " in done.stderr
              and b"nothing was imported" in done.stderr,
              (lines[-1:], done.stderr[-300:], done.returncode))
    p.file.write_text("\n".join(lines))
    check(p.take("--yes").returncode == 2)
    check(not p.log("two"), "something was taken")


def many(p, count, size):
    """An export file of a long history."""
    talk = Talk(p.options, p.root, "--state-dir", str(p.work / "one"),
                "--durability=process")
    for n in range(count):
        _, fault = talk.call("write_text_file", path=str(p.root / str(n)),
                             content=f"{n} " * (size // (len(str(n)) + 1)))
        check(not fault, fault)
    talk.close()
    talk.kill()
    p.good("export", "--output", p.file)


def little_memory_is_enough(options, work):
    """export: 2,000 operations, 80 MB, are imported within 64 MiB of
    memory."""
    p = Place(options, work)
    many(p, 2000, 41000)

    def limit():
        if not options.slow:
            resource.setrlimit(resource.RLIMIT_DATA, (64 << 20, 64 << 20))

    p.good("import", "--yes", p.file, state="two", preexec_fn=limit)
    other = work / "again"
    p.good("export", "--output", other, state="two", preexec_fn=limit)
    with open(p.file, "rb") as a, open(other, "rb") as b:
        check(sum(1 for _ in a) == sum(1 for _ in b), "lines are missing")
    check(other.stat().st_size > 80000000, other.stat().st_size)


def a_path_may_lead_upwards(options, work):
    """export: '..' of --output is resolved, not dropped."""
    p = Place(options, work)
    many(p, 1, 10)
    below = p.root / "below"
    below.mkdir()
    done = p.stet("export", "--output", "../above.jsonl", cwd=below)
    check(done.returncode == 0, done)
    check((p.root / "above.jsonl").exists() and not os.listdir(below),
          os.listdir(below))


def ended_in_the_middle_it_leaves_nothing(options, work):
    """export: killed or out of disk space, it leaves neither a file nor an
    operation."""
    p = Place(options, work)
    many(p, 500, 32000)
    for wait in (0.02, 0.1, 0.2):
        with subprocess.Popen(
                [str(options.program), "import", "--yes", str(p.file),
                 "--state-dir", str(work / "two")], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as killed:
            try:
                killed.wait(wait)
            except subprocess.TimeoutExpired:
                killed.send_signal(signal.SIGKILL)
        check(len(p.log("two")) in (0, 500), len(p.log("two")))
    p.good("import", "--yes", p.file, state="two")
    check(len(p.log("two")) == 500)
    out = work / "out"
    out.mkdir()

    def little():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, 4 << 20))

    done = p.stet("export", "--output", out / "x", state="two",
                  preexec_fn=little)
    check(done.returncode != 0 and not os.listdir(out), (done, out))
    with subprocess.Popen(
            [str(options.program), "export", "--output", str(out / "x"),
             "--state-dir", str(work / "two")],
            stderr=subprocess.DEVNULL) as killed:
        killed.send_signal(signal.SIGKILL)
    check(os.listdir(out) in ([], ["x"]), os.listdir(out))


if __name__ == "__main__":
    sys.exit(run([
        it_comes_back_as_it_was,
        what_was_imported_is_undone_on_purpose,
        a_forged_history_writes_nothing,
        what_cannot_be_is_not_taken,
        filters_are_those_of_the_log,
        history_that_is_older_goes_before,
        nothing_wrong_is_taken,
        little_memory_is_enough,
        a_path_may_lead_upwards,
        ended_in_the_middle_it_leaves_nothing,
    ]))
