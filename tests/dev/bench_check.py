#!/usr/bin/env python3
"""bench/check and what dev/summary makes of it, as TAP: it can fail.

usage: bench_check.py STET
"""
import functools
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests"))

from server import Tap

STET = sys.argv[1]
OPERATION = "1 KiB read"
ELSEWHERE = "another compiler"
cases = []


def case(claim):
    return lambda test: cases.append((claim, test)) or test


class Place:
    """A directory of its own, with the counts that a case puts there."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.values = self.directory / "values.json"

    def store(self, values):
        self.values.write_text(json.dumps(values))

    def stored(self):
        return json.loads(self.values.read_text())

    def check(self, *flags, stet=STET):
        done = subprocess.run(
            [str(ROOT / "bench" / "check"), "--only", OPERATION, "--stet",
             str(stet), "--values", str(self.values), *flags],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            timeout=300)
        return done.returncode, done.stdout

    @functools.cache
    def learn(self):
        """What this toolchain is called, and what it counts."""
        status, out = self.check("--update")
        assert status == 0, out
        (key, counts), = self.stored().items()
        self.values.unlink()
        return key, counts[OPERATION]

    def summary(self, tap):
        (self.directory / "bench.tap").write_text(tap)
        done = subprocess.run(
            [str(ROOT / "dev" / "summary"), str(self.directory), "bench"],
            capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout


@case("an operation that has become dearer than the margin fails")
def _(place):
    key, now = place.learn()
    stored = now * 100 // 115
    place.store({key: {OPERATION: stored}})
    status, out = place.check()
    assert status == 1, out
    line = next(l for l in out.splitlines() if l.startswith("not ok 1 - "))
    assert OPERATION in line and f"{stored:,} stored" in line, line
    assert "(+15." in line or "(+14." in line, line
    assert "make bench-check UPDATE=1" in out, out
    assert place.stored() == {key: {OPERATION: stored}}


@case("one that costs about what it did passes")
def _(place):
    key, now = place.learn()
    for stored in (now * 100 // 105, now, now * 100 // 95):
        place.store({key: {OPERATION: stored}})
        status, out = place.check()
        assert status == 0 and f"\nok 1 - {OPERATION}" in out, out
        assert "UPDATE" not in out, out


@case("one that has become far cheaper passes, and asks to be kept")
def _(place):
    key, now = place.learn()
    place.store({key: {OPERATION: now * 2}})
    status, out = place.check()
    assert status == 0 and "(-50." in out, out
    assert "make bench-check UPDATE=1" in out, out


@case("another toolchain is reported, and passes")
def _(place):
    place.store({ELSEWHERE: {OPERATION: 1}})
    status, out = place.check()
    assert status == 0, out
    assert "\nok 1 - " in out and "no count of this toolchain" in out, out
    assert place.stored() == {ELSEWHERE: {OPERATION: 1}}


@case("an update keeps the counts of other toolchains and operations")
def _(place):
    key, now = place.learn()
    place.store({ELSEWHERE: {OPERATION: 1}, key: {OPERATION: 1, "other": 2}})
    status, out = place.check("--update")
    assert status == 0, out
    stored = place.stored()
    assert stored[ELSEWHERE] == {OPERATION: 1}, stored
    assert stored[key]["other"] == 2, stored
    assert abs(stored[key][OPERATION] - now) < now // 20, (stored, now)


@case("a program that does not answer fails, whatever is stored")
def _(place):
    place.store({})
    status, out = place.check(stet="/bin/false")
    assert status == 1 and f"not ok 1 - {OPERATION}" in out, out


@case("the summary fails when an operation is missing, or dearer")
def _(place):
    names = ["1 KiB read", "1 MiB read", "1 KiB write", "100 edits in 1 MiB",
             "page at the end of 10 MB", "hello over HTTP"]
    lines = [f"ok {n} - {name}: 7 instructions"
             for n, name in enumerate(names, 1)]
    assert place.summary("\n".join([*lines, "1..6"]))[0] == 0
    for gone in range(6):
        left = lines[:gone] + lines[gone + 1:]
        status, out = place.summary("\n".join([*left, "1..5"]))
        assert status == 1 and "it did not run" in out, out
    status, out = place.summary("\n".join(["not " + lines[0], *lines[1:],
                                           "1..6"]))
    assert status == 1 and "5 passed, 1 failed" in out, out


def main():
    tap = Tap(len(cases))
    with tempfile.TemporaryDirectory() as directory:
        place = Place(directory)
        for claim, test in cases:
            fault = None
            try:
                test(place)
            except Exception as error:  # a case that breaks is one that fails
                fault = f"{type(error).__name__}: {error}"
            tap.case(claim, fault)
    return tap.status()


if __name__ == "__main__":
    sys.exit(main())
