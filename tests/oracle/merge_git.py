"""Three-way merges against git merge-file.

Usage: merge_git.py <merge_print>

Random bases with two sets of changes each. Their lines differ enough for both
programs to agree which line is which. If both merge, the bytes are the same. If
git reports a conflict, so do we; we may report one where git does not.
"""

import os
import random
import subprocess
import sys
import tempfile

TRIPLES = 1500


def text(rng, lines, eol, last):
    out = b"".join(line + eol for line in lines)
    return out if last or not out else out[: -len(eol)]


def word(rng, alphabet):
    if alphabet <= 26:
        return bytes([97 + rng.randrange(alphabet)])
    return b"line %d of it" % rng.randrange(alphabet)


def changed(rng, lines, alphabet):
    lines = list(lines)
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
        at = rng.randrange(len(lines) + 1)
        size = rng.choice([1, 1, 2, 4])
        kind = rng.randrange(3)
        new = [word(rng, alphabet) for _ in range(size)]
        if kind == 0:
            lines[at:at] = new
        elif kind == 1:
            del lines[at : at + size]
        else:
            lines[at : at + size] = new
    return lines


def triple(rng):
    alphabet = rng.choice([8, 26, 26, 10**9, 10**9, 10**9])
    base = [word(rng, alphabet) for _ in range(rng.randrange(30))]
    ours = changed(rng, base, alphabet)
    theirs = changed(rng, base, alphabet)
    if rng.random() < 0.1:
        theirs = list(ours)
    if rng.random() < 0.15:  # the same change in one place, others elsewhere
        ours, theirs = changed(rng, ours, alphabet), changed(rng, ours, alphabet)
    eol = rng.choice([b"\n", b"\n", b"\r\n"])
    last = rng.random() < 0.8
    sides = [text(rng, side, eol, last) for side in (base, ours, theirs)]
    if rng.random() < 0.1:  # one side gains or loses the last line ending
        i = rng.randrange(3)
        sides[i] = sides[i].rstrip(b"\r\n") + (b"" if last else eol)
    return sides


def run_ours(program, triples):
    stream = b"".join(
        b"%d %d %d\n" % tuple(map(len, t)) + b"".join(t) for t in triples
    )
    out = subprocess.run(
        [program], input=stream, stdout=subprocess.PIPE, check=True
    ).stdout
    at, results = 0, []
    for _ in triples:
        end = out.index(b"\n", at)
        count, size = map(int, out[at:end].split())
        at = end + 1
        results.append((count, out[at : at + size]))
        at += size
    assert at == len(out), "more than was asked"
    return results


def run_git(folder, sides, env):
    paths = [os.path.join(folder, n) for n in ("ours", "base", "theirs")]
    for path, side in zip(paths, (sides[1], sides[0], sides[2])):
        with open(path, "wb") as f:
            f.write(side)
    done = subprocess.run(
        ["git", "merge-file", "-p", "-q", *paths],
        stdout=subprocess.PIPE, env=env, check=False,
    )  # fmt: skip
    assert 0 <= done.returncode < 128, done.returncode
    return done.returncode, done.stdout


def main():
    rng = random.Random(20260117)
    triples = [triple(rng) for _ in range(TRIPLES)]
    env = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", LC_ALL="C")
    env.update(GIT_CONFIG_NOSYSTEM="1", GIT_CEILING_DIRECTORIES="/")
    both = conflicts = stricter = 0
    with tempfile.TemporaryDirectory() as folder:
        for sides, (count, got) in zip(triples, run_ours(sys.argv[1], triples)):
            theirs, want = run_git(folder, sides, env)
            if theirs:
                assert count, ("git sees a conflict", sides, got, want)
                conflicts += 1
            elif count:
                stricter += 1
            else:
                assert got == want, ("not what git makes", sides, got, want)
                both += 1
    print("%d merged alike, %d conflicts, %d only ours" %
          (both, conflicts, stricter))
    assert both > TRIPLES / 3 and stricter < TRIPLES / 10


main()
