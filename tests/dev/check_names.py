#!/usr/bin/env python3
"""check_names.py - the checks of names, layers and the tree can fail.

Each case plants one violation in a copy of the sources and expects the check
to report it; without one, every check passes.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
# pylint: disable=wrong-import-position
from server import Tap

HEAD = "/*\n * planted.c - a violation.\n */\n"
FUNCTION = "static int {}(void)\n{{\n\treturn 0;\n}}\n"
# name of the case: (check, {file: its text}, a part of the report)
CASES = {
    "a tag that is defined twice": ("check-names", {
        "src/io/planted.c": "struct job {\n\tint a;\n};\n"},
        "the tag 'job' is defined 2 times"),
    "a static function in four files": ("check-names", {
        f"src/{layer}/planted.c": FUNCTION.format("planted_find")
        for layer in ("acp", "app", "tools", "web")},
        "static planted_find() is in 4 files"),
    "a static function without its object's prefix": ("check-names", {
        "src/store/planted.c": FUNCTION.format("find")},
        "static find() lacks its object's prefix"),
    "a module that ARCHITECTURE.md does not name": ("check-tree", {
        "src/web/planted.c": HEAD}, "src/web/planted is not in the tree"),
    "a module that is not there": ("check-tree", {
        "ARCHITECTURE.md": "\n## The tree\n\n```\nsrc/web/  planted\n```\n"},
        "src/web has no 'planted'"),
    "a source file without a head": ("check-tree", {
        "src/web/page.c": "int planted;\n"},
        'src/web/page.c: does not open with "page.c - ..."'),
    "a test without a head": ("check-tree", {
        "tests/planted.c": "int planted;\n"},
        'tests/planted.c: does not open with "planted.c - ..."'),
    "a library that a layer must not know": ("check-layers", {
        "src/store/planted.c": "#include <libpq-fe.h>\n"},
        "store must not include libpq-fe.h"),
    "a layer above": ("check-layers", {
        "src/text/planted.c": '#include "tools/call/tool.h"\n'},
        "text must not include tools/call/tool.h"),
}


def run(copy, check):
    return subprocess.run([str(copy / "dev" / check)], capture_output=True,
                          text=True, check=False)


def copied(into):
    """The sources and the checks, as a repository of their own."""
    copy = pathlib.Path(into) / "copy"
    for part in ("src", "dev"):
        shutil.copytree(ROOT / part, copy / part,
                        ignore=shutil.ignore_patterns("node_modules"))
    for part in ("tests", "bench"):
        (copy / part).mkdir()
    shutil.copy(ROOT / "ARCHITECTURE.md", copy)
    return copy


def fault_of(copy, check, files, report):
    old = {name: (copy / name).read_text() if (copy / name).exists() else None
           for name in files}
    for name, text in files.items():
        (copy / name).write_text(text)
    done = run(copy, check)
    for name, text in old.items():
        if text is None:
            (copy / name).unlink()
        else:
            (copy / name).write_text(text)
    if done.returncode == 1 and report in done.stdout:
        return None
    return f"{done.returncode}: {done.stdout}{done.stderr}"


def main():
    checks = sorted({check for check, _, _ in CASES.values()})
    tap = Tap(len(checks) + len(CASES))
    with tempfile.TemporaryDirectory() as into:
        copy = copied(into)
        for name, case in CASES.items():
            tap.case(f"dev/{case[0]} finds {name}", fault_of(copy, *case))
        for check in checks:
            done = run(copy, check)
            tap.case(f"dev/{check} passes", done.stdout + done.stderr)
    return tap.status()


if __name__ == "__main__":
    sys.exit(main())
