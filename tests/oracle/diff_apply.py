"""M58: patch and git apply turn our unified diffs into the new file.

Usage: diff_apply.py <diff_print>

Random pairs of texts and all the special ones. A strict reader of unified
diffs applies every diff; patch and git apply the special ones and a sample.
The size of ordinary diffs is compared with that of GNU diff.
"""

import os
import random
import re
import subprocess
import sys
import tempfile

PAIRS = 3200
SAMPLE = 320
NO_NEWLINE = b"\\ No newline at end of file\n"
HEADER = re.compile(rb"@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n")


class Pair:
    def __init__(self, old, new, splices=(), context=3, real=False):
        self.old, self.new, self.splices = old, new, list(splices)
        self.context, self.real = context, real
        self.name, self.ordinary = b"", False
        self.diff = self.by_splices = b""


# ---- texts -----------------------------------------------------------------


def ending(rng, lines):
    """The text of these lines; now and then without the last newline."""
    eol = rng.choice([b"\n", b"\n", b"\n", b"\r\n"])
    text = b"".join(
        line + (eol if rng.random() < 0.97 else b"\n") for line in lines
    )
    if text and rng.random() < 0.3:
        text = text[:-1]
    return text


def word(rng, alphabet):
    if alphabet <= 26:
        return bytes([97 + rng.randrange(alphabet)]) * rng.randrange(2)
    return b"line %d of the text" % rng.randrange(alphabet)


def changed(rng, lines, alphabet, times):
    """Lines after some insertions, deletions, changes and moves."""
    lines = list(lines)
    for _ in range(times):
        at = rng.randrange(len(lines) + 1)
        size = rng.choice([1, 1, 1, 2, 5, 12])
        kind = rng.randrange(4)
        if kind == 0:
            lines[at:at] = [word(rng, alphabet) for _ in range(size)]
        elif kind == 1:
            del lines[at : at + size]
        elif kind == 2:
            lines[at : at + size] = [word(rng, alphabet) for _ in range(size)]
        else:
            block = lines[at : at + size]
            del lines[at : at + size]
            to = rng.randrange(len(lines) + 1)
            lines[to:to] = block
    return lines


def made_by_splices(rng, old):
    splices, parts, at = [], [], 0
    for _ in range(rng.randrange(1, 6)):
        if at > len(old):
            break
        start = at + rng.randrange(len(old) - at + 1)
        end = min(len(old), start + rng.choice([0, 1, 3, 20, 200]))
        put = b"".join(
            rng.choice([b"x", b"\n", b"y\n", b"\r\n", b"word "])
            for _ in range(rng.randrange(5))
        )
        parts += [old[at:start], put]
        splices.append((start, end, len(put)))
        at = end + 1
        parts.append(old[end : end + 1])
    parts.append(old[at:])
    return b"".join(parts), splices


def random_pair(rng, lines):
    alphabet = rng.choice([1, 2, 3, 8, 26, 1000, 10**9])
    old = [word(rng, alphabet) for _ in range(lines)]
    kind = rng.randrange(4)
    if kind == 0:
        text = ending(rng, old)
        new, splices = made_by_splices(rng, text)
        return Pair(text, new, splices)
    if kind == 1:
        new = [word(rng, alphabet) for _ in range(rng.randrange(lines + 1))]
    else:
        new = changed(rng, old, alphabet, rng.choice([1, 1, 2, 5, 20]))
    state = rng.getstate()
    text = ending(rng, old)
    if rng.random() < 0.7:
        rng.setstate(state)  # the same line endings on both sides
    pair = Pair(text, ending(rng, new))
    pair.ordinary = kind != 1 and alphabet >= 8
    return pair


def special_pairs():
    v3 = b'[server]\nhost = "localhost"\nport = 8080\n\n[app]\ndebug = false\n'
    v3_new = b'[server]\nhost = "0.0.0.0"\nport = 3000\n\n[app]\ndebug = true\n'
    texts = [
        b"", b"\n", b"a", b"a\n", b"a\nb", b"a\nb\n", b"b\n", b"\n\n", b"\r\n",
        b"a\r\n", b"a\r\nb", b"a\r", b"-\n", b"+\n", b"--- a\n", b"+++ b\n",
        b"@@ -1,1 +1,1 @@\n", b"\\ No newline at end of file\n", b" \n", b"\\",
        b"diff --git a/x b/x\n", b"Index: x\n", b"a\tb\n", b"\xff\xfe\n",
    ]  # fmt: skip
    for old in texts:
        for new in texts:
            if old != new:
                yield Pair(old, new, real=True)
    yield Pair(v3, v3_new, real=True)
    yield Pair(b"AAA", b"CCC", real=True)
    many = b"".join(b"%d\n" % i for i in range(5000))
    yield Pair(many, many.replace(b"77\n", b"x\n"), real=True)
    yield Pair(many, many[:-1], real=True)
    yield Pair(many[: len(many) // 2], many, real=True)
    yield Pair(many, b"", real=True)


def all_pairs(rng):
    pairs = list(special_pairs())
    for _ in range(PAIRS):
        pairs.append(random_pair(rng, rng.randrange(rng.choice([4, 20, 200]))))
    for _ in range(30):
        pairs.append(random_pair(rng, 5000))
    for pair in rng.sample(pairs, SAMPLE):
        pair.real = True
    for pair in pairs:
        if not pair.real:
            pair.context = rng.choice([3, 3, 3, 0, 1, 10])
    for i, pair in enumerate(pairs):
        pair.name = b"f%d.txt" % i
    return pairs


# ---- the engine and the strict reader --------------------------------------


def run_engine(program, pairs):
    stream = []
    for p in pairs:
        stream.append(
            b"%d %d %d %d %d\n"
            % (p.context, len(p.splices), len(p.old), len(p.new), len(p.name))
        )
        stream += [b"%d %d %d\n" % s for s in p.splices]
        stream += [p.name, p.old, p.new]
    out = subprocess.run(
        [program], input=b"".join(stream), stdout=subprocess.PIPE, check=True
    ).stdout
    at = 0
    for p in pairs:
        end = out.index(b"\n", at)
        whole, spliced = map(int, out[at:end].split())
        at = end + 1
        p.diff = out[at : at + whole]
        p.by_splices = out[at + whole : at + whole + spliced]
        at += whole + spliced
    assert at == len(out), "the engine said more than was asked"


def split(text):
    return [line for line in re.split(rb"(?<=\n)", text) if line]


def apply_hunk(lines, i, old, at, counts):
    """The new lines of one hunk; every number and line is checked."""
    olds = news = 0
    out = []
    while (olds, news) != counts:
        sign, body = lines[i][:1], lines[i][1:]
        i += 1
        if i < len(lines) and lines[i] == NO_NEWLINE:
            body = body[:-1]
            i += 1
        assert sign in (b" ", b"-", b"+"), "no sign: %r" % lines[i]
        if sign != b"+":
            assert old[at + olds] == body, "old line %d" % (at + olds)
            olds += 1
        if sign != b"-":
            out.append(body)
            news += 1
        assert olds <= counts[0] and news <= counts[1], "count"
    return i, out


def apply_strictly(diff, name, text):
    old, lines, out, at = split(text), split(diff), [], 0
    if not lines:
        return text
    assert lines[:2] == [b"--- " + name + b"\n", b"+++ " + name + b"\n"]
    i = 2
    assert len(lines) > 2, "a header without hunks"
    while i < len(lines):
        match = HEADER.fullmatch(lines[i])
        assert match, "header: %r" % lines[i]
        start, olds, new_start, news = map(int, match.groups())
        first = start - 1 if olds else start
        assert first >= at, "hunks overlap"
        out += old[at:first]
        assert len(out) == (new_start - 1 if news else new_start), "new start"
        i, added = apply_hunk(lines, i + 1, old, first, (olds, news))
        out += added
        at = first + olds
    return b"".join(out + old[at:])


def check_strictly(pairs):
    for p in pairs:
        for diff in [p.diff, p.by_splices] if p.splices else [p.diff]:
            assert bool(diff) == (p.old != p.new), p.name
            got = apply_strictly(diff, p.name, p.old)
            assert got == p.new, (p.name, p.old, p.new, diff)


# ---- patch, git and diff ----------------------------------------------------


def write(folder, pairs, text):
    for p in pairs:
        with open(os.path.join(folder, p.name.decode()), "wb") as f:
            f.write(text(p))


def read_back(folder, p):
    """The result of patch or git; an empty file may have been removed."""
    path = os.path.join(folder, p.name.decode())
    if not os.path.exists(path):
        return b""
    with open(path, "rb") as f:
        return f.read()


def check_tool(what, command, pairs, env):
    with tempfile.TemporaryDirectory() as folder:
        write(folder, pairs, lambda p: p.old)
        patch = b"".join(p.by_splices or p.diff for p in pairs)
        done = subprocess.run(
            command, cwd=folder, input=patch, env=env, capture_output=True
        )
        assert done.returncode == 0, (what, done.stdout, done.stderr)
        for p in pairs:
            got = read_back(folder, p)
            assert got == p.new, (what, p.name, p.old, p.new, got, p.diff)


def changed_lines(diff):
    lines = diff.split(b"\n")[2:]
    return sum(line[:1] in (b"-", b"+") for line in lines)


def gnu_diff(paths, *options):
    done = subprocess.run(
        ["diff", "-a", "-u", *options, *paths], stdout=subprocess.PIPE
    )
    assert done.returncode in (0, 1)
    return changed_lines(done.stdout)


def check_size(pairs):
    """Changed lines in all: ours, those of diff, and of diff -d."""
    sums = [0, 0, 0]
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("old", "new")]
        for p in pairs:
            for path, text in zip(paths, (p.old, p.new)):
                with open(path, "wb") as f:
                    f.write(text)
            sums[0] += changed_lines(p.diff)
            sums[1] += gnu_diff(paths)
            sums[2] += gnu_diff(paths, "-d")
    assert sums[0] <= 1.1 * min(sums[1:]), sums
    return sums


def main():
    rng = random.Random(20240917)
    pairs = all_pairs(rng)
    run_engine(sys.argv[1], pairs)
    check_strictly(pairs)

    env = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", LC_ALL="C")
    env.update(GIT_CONFIG_NOSYSTEM="1", GIT_CEILING_DIRECTORIES="/")
    real = [p for p in pairs if p.real and p.old != p.new]
    patch = ["patch", "-s", "-p0", "-F0", "--no-backup-if-mismatch"]
    git = ["git", "-c", "core.autocrlf=false", "apply", "-p0"]
    check_tool("patch", patch, real, env)
    check_tool("git", git + ["--whitespace=nowarn"], real, env)

    ordinary = [p for p in pairs if p.ordinary]
    sizes = check_size(rng.sample(ordinary, 150) + ordinary[-12:])
    print(
        "%d pairs, %d by patch and git, changed lines %d (diff %d, -d %d)"
        % (len(pairs), len(real), *sizes)
    )


main()
