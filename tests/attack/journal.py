#!/usr/bin/env python3
"""journal.py [--slow] PROGRAM [CASE...] - left-overs of a killed process in
the state directory (the journal of a write in place, the write-ahead log of
the history) are damaged, exchanged, or point elsewhere: nothing outside is
changed, and nothing is lost.

Needs leave_journal beside it: the program in $STET_LEAVE_JOURNAL.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
# pylint: disable=wrong-import-position
from talk import Talk, check, run
from server import environment # talk.py extends sys.path

OLD = b"".join(b"old line %d\n" % n for n in range(4))
QUIET = ("ERROR", "runtime error") # beside the quarantined files
NEW = b"".join(b"NEW line %d\n" % n for n in range(6))


class Place:
    """A root with a file of two hard links, which is written in place."""

    def __init__(self, options, work, name="root"):
        self.options, self.home = options, work
        self.root = work / name
        self.root.mkdir()
        self.file = self.root / "f"
        self.file.write_bytes(OLD)
        os.link(self.file, self.root / "g")
        self.journals = work / ".local/state/stet/journal"
        self.env = {**environment(work), "ASAN_OPTIONS": "detect_leaks=0"}

    def die(self):
        """Kill a write when its journal is complete; returns the path of the
        journal."""
        subprocess.run([os.environ["STET_LEAVE_JOURNAL"], str(self.journals),
                        str(self.file), NEW], check=True, timeout=120,
                       env=self.env)
        check(self.file.read_bytes() == OLD, "it was written")
        left = [one for one in self.journals.iterdir() if not one.suffix]
        check(len(left) == 1, left)
        return left[0]

    def talk(self, *flags):
        return Talk(self.options, self.root, "--durability=process", *flags,
                    env=self.env)


def reads(talk, path):
    got, error = talk.call("read_text_file", path=str(path))
    check(not error, error)
    return got["content"].encode()


def torn():
    """A torn file, as after a kill during the write."""
    return NEW[:20] + OLD[20:]


def a_death_is_put_right(options, work):
    """A66 W60: the harmless counterpart: an intact journal and a torn file."""
    place = Place(options, work)
    for now, want in ((OLD, OLD), (NEW, NEW), (torn(), OLD),
                      (NEW[:60], OLD)):
        place.file.write_bytes(OLD)
        journal = place.die()
        place.file.write_bytes(now)
        talk = place.talk()
        check(reads(talk, place.root / "g") == want, (now, want))
        check(not journal.exists() and place.file.read_bytes() == want, now)
        talk.close()


def damages(whole):
    """(name, bytes): truncated, extended, a changed byte, other lengths."""
    body = 8192
    places = [*range(0, 90), 4096, body - 1, *range(body, len(whole))]
    for at in places:
        yield f"cut at {at}", whole[:at]
    path = whole.index(b"/")
    for at in [n for n in places if n < path or n >= body]:
        yield f"byte {at}", whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:]
    yield "longer", whole + b"x"
    yield "twice", whole + whole
    yield "zeros", bytes(len(whole))
    start, _, rest = whole.partition(b"\n")
    numbers, _, rest = rest.partition(b"\n")
    for lengths in (b"18446744073709551615 66", b"66 -1", b"0 110",
                    b"110 0", b"9223372036854775808 9223372036854775808"):
        line = b" ".join([lengths, *numbers.split(b" ")[2:]])
        changed = b"\n".join([start, line, rest])
        yield f"lengths {lengths}", (changed + bytes(64))[:len(whole)]


def a_damaged_journal_changes_nothing(options, work):
    """A66: neither a torn nor an empty file is changed; both can be read and
    written."""
    place = Place(options, work)
    journal = place.die()
    whole = journal.read_bytes()
    talk = place.talk()
    for now in (torn(), b"", OLD, NEW[:5]):
        for what, bytes_ in damages(whole):
            journal.write_bytes(bytes_)
            with open(place.file, "r+b") as file:
                file.write(now)
                file.truncate(len(now))
            check(reads(talk, place.file) == now, (what, now))
            check(place.file.read_bytes() == now, (what, now))
            check(not journal.exists(), (what, "it is in the way"))
    aside = journal.with_suffix(".damaged")
    check(aside.exists(), "what could not be used is gone")
    _, error = talk.call("write_text_file", path=str(place.file),
                         content="after\n")
    check(not error and (place.root / "g").read_text() == "after\n", error)
    talk.close(never=QUIET)


def a_directory_in_the_place_of_a_journal_is_put_aside(options, work):
    """A66: reported on stderr once and by doctor; the file can be read and
    written."""
    place = Place(options, work)
    journal = place.die()
    journal.unlink()
    (journal / "sub").mkdir(parents=True)
    place.file.write_bytes(OLD)
    talk = place.talk()
    check(reads(talk, place.file) == OLD)
    _, error = talk.call("write_text_file", path=str(place.file),
                         content="after\n")
    check(not error, error)
    aside = journal.with_suffix(".damaged")
    check((aside / "sub").is_dir() and not journal.exists(), aside)
    talk.process.stdin.close()
    talk.process.wait(talk.timeout)
    said = talk.process.stderr.read().decode()
    check(said.count("a damaged journal was quarantined as ") == 1
          and str(aside) in said, said)
    talk.kill()
    done = subprocess.run([str(options.program), "doctor"], cwd=place.root,
                          env=place.env, capture_output=True, text=True,
                          check=False, timeout=60)
    check(f"quarantined: {aside}" in done.stdout, done)


def what_somebody_wrote_since_stays(options, work):
    """A66: a file that was truncated or replaced after the kill."""
    place = Place(options, work)
    journal = place.die()
    whole, talk = journal.read_bytes(), place.talk()
    for now in (b"", OLD[:7], NEW[:7], b"mine\n", NEW + b"more\n"):
        journal.write_bytes(whole)
        place.file.write_bytes(now)
        check(reads(talk, place.file) == now, now)
        check(place.file.read_bytes() == now, now)
    talk.close()


def journals_of_two_files_are_exchanged(options, work):
    """A66: no content gets into another root or another file."""
    one, two = Place(options, work, "one"), Place(options, work, "two")
    first = one.die()
    first_bytes = first.read_bytes()
    first.unlink() # one at a time: die() finds any journal
    second = two.die()
    second_bytes = second.read_bytes()
    check(first != second, "they have one name")
    for now in (b"", torn(), OLD):
        first.write_bytes(second_bytes)
        second.write_bytes(first_bytes)
        for place in (one, two):
            place.file.write_bytes(now)
            talk = place.talk()
            check(reads(talk, place.file) == now, now)
            check(place.file.read_bytes() == now, now)
            talk.close(never=QUIET)
    # A reused inode number: the birth time shows that it is another file.
    os.unlink(one.root / "g")
    os.unlink(one.file)
    fresh = []
    for n in range(64):
        path = one.root / f"fresh{n}"
        path.write_bytes(torn())
        fresh.append(path)
    first.write_bytes(first_bytes)
    talk = one.talk()
    for path in fresh:
        check(reads(talk, path) == torn(), path)
    talk.close(never=QUIET)


def a_journal_names_no_other_file(options, work):
    """A66: the path in a journal is not followed, nor are links and pipes in
    its place."""
    place = Place(options, work)
    outside = work / "outside"
    outside.write_bytes(torn())
    journal = place.die()
    whole = journal.read_bytes()
    head, body = whole[:8192], whole[8192:]
    path = str(place.file).encode()
    check(path in head, head[:200])
    for other in (str(outside).encode(), b"../outside", b"/etc/passwd"):
        journal.write_bytes(head.replace(path, other)[:8192].ljust(
            8192, b"\0") + body)
        place.file.write_bytes(torn())
        talk = place.talk()
        check(reads(talk, place.file) == OLD, "it is its own journal still")
        talk.close(never=QUIET)
        check(outside.read_bytes() == torn(), "outside was written")
    for make in (lambda: journal.symlink_to(outside),
                 lambda: os.link(outside, journal),
                 lambda: os.mkfifo(journal)):
        shutil.rmtree(place.journals)
        place.journals.mkdir(mode=0o700)
        make()
        draft = journal.with_suffix(".new")
        os.link(outside, draft)
        place.file.write_bytes(torn())
        talk = place.talk()
        check(reads(talk, place.file) == torn(), "it was believed")
        _, error = talk.call("write_text_file", path=str(place.file),
                             content="after\n")
        check(not error and place.file.read_text() == "after\n", error)
        talk.close(never=QUIET)
        check(outside.read_bytes() == torn(), "outside was written")


def the_log_of_the_history_is_damaged(options, work):
    """C27 C101: truncated, exchanged, or with another path: intact records are
    replayed, no file is changed, and undo restores the old content."""
    place = Place(options, work)
    outside = work / "outside"
    outside.write_bytes(NEW)
    logs = work / ".local/state/stet/daybook"
    contents = {OLD, NEW, *(b"%d\n" % n for n in range(40))}
    talk = place.talk()
    for n in range(40):
        _, error = talk.call("write_text_file", path=str(place.file),
                             content=NEW.decode() if n % 2 else f"{n}\n")
        check(not error, error)
    talk.kill()
    found = [one for one in logs.iterdir() if one.stat().st_size]
    check(found, "no log was left")
    sound = work / "sound"
    shutil.copytree(work / ".local", sound)
    name, whole = found[0].name, found[0].read_bytes()
    used = len(whole.rstrip(b"\0"))
    path, other = str(place.file).encode(), str(outside).encode()
    other = other.rjust(len(path), b"/")[:len(path)]
    changes = [whole[:at] for at in range(0, used + 1, used // 8 + 1)]
    changes += [whole.replace(path, other),
                whole[:4096] + whole[4096:][::-1],
                whole[:4096] + whole[4096 + (512 << 10):]
                + whole[4096:4096 + (512 << 10)],
                bytes(4096) + whole[4096:], whole[4096:] + whole[:4096]]
    for n, bytes_ in enumerate([whole, *changes]):
        shutil.rmtree(work / ".local")
        shutil.copytree(sound, work / ".local")
        (logs / name).write_bytes(bytes_)
        place.file.write_bytes(NEW)
        done = subprocess.run([str(options.program), "log", "--all", "--json"],
                              env=place.env, capture_output=True, check=False,
                              timeout=120)
        check(done.returncode == 0, (n, done))
        ops = json.loads(done.stdout)["operations"]
        check(len(ops) <= 40 and all(op["path"] == str(place.file)
                                    for op in ops), (n, ops))
        check(n or len(ops) == 40, "the whole log was not taken in")
        for op in ops[:1]:
            subprocess.run([str(options.program), "undo", op["id"]],
                           env=place.env, capture_output=True, check=False,
                           timeout=120)
            check(place.file.read_bytes() in contents, n)
        check(outside.read_bytes() == NEW, "outside was written")


if __name__ == "__main__":
    sys.exit(run([
        a_death_is_put_right,
        a_damaged_journal_changes_nothing,
        a_directory_in_the_place_of_a_journal_is_put_aside,
        what_somebody_wrote_since_stays,
        journals_of_two_files_are_exchanged,
        a_journal_names_no_other_file,
        the_log_of_the_history_is_damaged,
    ]))
