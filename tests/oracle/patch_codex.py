"""V27 V38 V53 V54: patches that fit exactly once give the trees that Codex makes.

Usage: patch_codex.py [--slow] path/of/stet node_modules/of/codex [files [seed]]

2,000 files with random changes, in patches of 40 sections: update, move, add and
delete. Codex's own apply_patch is run on one copy of the tree, stet on another.
The diff of the result makes the new tree of the old one with patch(1) (V53).
Then 1,000 unified diffs with one line of context, whose line numbers decide
where they go, are written as patches (V38).
"""
import difflib
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "system"))
# pylint: disable=wrong-import-position
from talk import Talk

SECTIONS = 40
WORDS = ["", "}", "\treturn 0;", "a", "b", "    pass", "x = 1", "été", "end"]


class Options:
    def __init__(self, program, slow):
        self.program, self.slow = program, slow


def lines_of(rng):
    """Few words, so that many hunks fit several places until context is added;
    some lines are unlike all others."""
    return [rng.choice(WORDS) if rng.random() < 0.6 else
            f"line {rng.randrange(10 ** 9)}" for _ in range(rng.randrange(1, 40))]


def places(lines, old, start):
    return [i for i in range(start, len(lines) - len(old) + 1)
            if lines[i:i + len(old)] == old]


def hunk(rng, lines, start):
    """(text, index behind it) of one change at or behind @start that fits one
    place, or None."""
    first = rng.randrange(start, len(lines))
    size = rng.randrange(0, 3)
    new = [f"new {rng.randrange(1000)}" for _ in range(rng.randrange(0, 3))]
    if not size and not new:
        return None
    for context in range(1, 12):
        begin = max(start, first - context)
        change_end = min(len(lines), first + size)
        end = min(len(lines), change_end + context)
        old = lines[begin:end]
        if old and len(places(lines, old, start)) == 1:
            text = "".join(f" {l}\n" for l in lines[begin:first])
            text += "".join(f"-{l}\n" for l in lines[first:change_end])
            text += "".join(f"+{l}\n" for l in new)
            text += "".join(f" {l}\n" for l in lines[change_end:end])
            return text, end
    return None


def update(rng, lines):
    """Hunks for @lines, or ''."""
    out, start = "", 0
    for _ in range(rng.randrange(1, 4)):
        made = hunk(rng, lines, start) if start < len(lines) else None
        if not made:
            break
        out += "@@\n" + made[0]
        start = made[1]
    return out


def section(rng, root, name):
    """A section, for a file that is made if the section needs one."""
    kind = rng.choice(["update"] * 6 + ["move", "add", "delete"])
    if kind == "add":
        return f"*** Add File: {name}\n" + "".join(
            f"+{line}\n" for line in lines_of(rng))
    lines = lines_of(rng)
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(line + "\n" for line in lines).encode())
    if kind == "delete":
        return f"*** Delete File: {name}\n"
    hunks = update(rng, lines)
    if not hunks:
        return ""
    moved = f"*** Move to: moved/{name}\n" if kind == "move" else ""
    return f"*** Update File: {name}\n{moved}{hunks}"


def tree(root):
    return {str(path.relative_to(root)): path.read_bytes()
            for path in root.rglob("*") if path.is_file()}


def by_codex(codex, root, patch):
    done = subprocess.run(["apply_patch", patch], executable=codex, cwd=root,
                          capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, (done.stderr, patch)
    return done.stdout.decode()


def by_patch(root, diff):
    done = subprocess.run(["patch", "-p1", "-s", "-f"], cwd=root,
                          input=diff.encode(), capture_output=True, check=False)
    assert done.returncode == 0, (done.stdout, diff)


def ask(options, root, work, patch):
    """The result of apply_patch."""
    home = work / "home"
    home.mkdir(exist_ok=True)
    talk = Talk(options, root, "--history=off", cwd=root,
                env={**os.environ, "HOME": str(home)})
    try:
        reply = talk.ask(talk.request("apply_patch", input=patch))["result"]
    finally:
        talk.close()
    assert not reply.get("isError"), (reply, patch)
    return reply


def compare(options, codex, rng, work):
    """One patch; returns the number of its sections."""
    roots = [work / name for name in ("ours", "theirs", "patched")]
    for root in roots:
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir()
    ours, theirs, patched = roots
    made = [section(rng, ours, f"{rng.choice(['', 'd/', 'd/e/'])}f{i}.txt")
            for i in range(SECTIONS)]
    patch = f"*** Begin Patch\n{''.join(made)}*** End Patch\n"
    for root in (theirs, patched):
        shutil.copytree(ours, root, dirs_exist_ok=True)
    said = by_codex(codex, theirs, patch)
    reply = ask(options, ours, work, patch)
    assert tree(ours) == tree(theirs), patch
    assert reply["content"][0]["text"] == said, (reply["content"], said)
    by_patch(patched, reply["structuredContent"]["diff"])
    assert tree(ours) == tree(patched), reply["structuredContent"]["diff"]
    return SECTIONS


def numbered(old, new):
    """The hunks of a unified diff as those of a patch."""
    diff = difflib.unified_diff(old, new, n=1, lineterm="")
    return "".join(f"{line}\n" for line in list(diff)[2:])


def compare_numbered(options, rng, work):
    """Unified diffs in one patch; returns their number."""
    root = work / "numbered"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    patch, want = "", {}
    for i in range(SECTIONS):
        old = lines_of(rng)
        new = [line for line in old if rng.random() > 0.1]
        for _ in range(3):
            new.insert(rng.randrange(len(new) + 1), rng.choice(WORDS))
        name, hunks = f"f{i}", numbered(old, new)
        (root / name).write_bytes("".join(f"{l}\n" for l in old).encode())
        want[name] = "".join(f"{l}\n" for l in new).encode()
        if hunks:
            patch += f"*** Update File: {name}\n{hunks}"
    ask(options, root, work, f"*** Begin Patch\n{patch}*** End Patch\n")
    assert tree(root) == want, patch
    return SECTIONS


def main():
    words = [w for w in sys.argv[1:] if w != "--slow"]
    options = Options(pathlib.Path(words[0]).resolve(), "--slow" in sys.argv)
    found = list(pathlib.Path(words[1]).glob(
        "@openai/codex-linux-*/vendor/*/bin/codex"))
    assert found, f"no Codex in {words[1]}: run dev/setup"
    codex = found[0]
    most = int(words[2]) if len(words) > 2 else 2000
    seed = words[3] if len(words) > 3 else "patches"
    rng, done = random.Random(seed), 0
    with tempfile.TemporaryDirectory() as work:
        while done < most:
            done += compare(options, codex, rng, pathlib.Path(work).resolve())
        while done < most + most // 2:
            done += compare_numbered(options, rng, pathlib.Path(work).resolve())
    print(f"{done} files are the same")
    return 0


if __name__ == "__main__":
    sys.exit(main())
