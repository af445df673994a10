#!/usr/bin/env python3
"""check_symbols.py PROGRAM - dev/check-symbols and banned.h can fail.

The layers of the build pass; archives of a few lines, each with one call that
its layer must not make, do not. A banned function does not compile.
"""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
# pylint: disable=wrong-import-position
from server import Tap

LAYERS = "base text files store tools rpc io acp web".split()
DEFINES = {"base": "json_get", "store": "history_begin"}
# layer, the call that it must not make
CALLS = [("text", "clock_gettime"), ("text", "open64"), ("io", "json_get"),
         ("files", "history_begin"), ("files", "json_get"), ("rpc", "fork"),
         ("tools", "socket"), ("web", "uv_run"), ("base", None)]


def checked(build):
    return subprocess.run([str(ROOT / "dev/check-symbols"), str(build)],
                          capture_output=True, text=True, check=False)


def make_archives(build, caller, called):
    for layer in LAYERS:
        where = build / "src" / layer
        where.mkdir(parents=True, exist_ok=True)
        text = f"void {DEFINES.get(layer, layer + '_own')}(void) {{}}\n"
        if layer == caller and called:
            text += f"void {called}(void);\nvoid caller(void)" \
                    f" {{ {called}(); }}\n"
        (where / "x.c").write_text(text)
        subprocess.run(["cc", "-w", "-c", "-fno-builtin", "x.c"], cwd=where,
                       check=True)
        (where / f"lib{layer}.a").unlink(missing_ok=True)
        subprocess.run(["ar", "cr", f"lib{layer}.a", "x.o"], cwd=where,
                       check=True)


def fault_of(caller, called):
    with tempfile.TemporaryDirectory() as build:
        make_archives(pathlib.Path(build), caller, called)
        run = checked(build)
    told = f"src/{caller}: calls {called}," in run.stdout
    if (run.returncode, told) == ((1, True) if called else (0, False)):
        return None
    return f"{run.returncode}: {run.stdout}{run.stderr}"


def compiles(body):
    """Does a function of that body, with banned.h before its file?"""
    text = f"#include <stdlib.h>\n#include <string.h>\n{body}\n"
    return not subprocess.run(
        ["cc", "-D_GNU_SOURCE", "-include", str(ROOT / "src/base/banned.h"),
         "-fsyntax-only", "-x", "c", "-"], input=text, text=True,
        capture_output=True, check=False).returncode


def main():
    tap = Tap(len(CALLS) + 2)
    run = checked(pathlib.Path(sys.argv[1]).parent)
    tap.case("the layers of the build pass", run.stdout + run.stderr)
    for caller, called in CALLS:
        tap.case(f"src/{caller} calls {called or 'nothing'}",
                 fault_of(caller, called))
    bad = ["int f(char *s) { return atoi(s); }",
           "char *f(char *s) { return strcpy(s, s); }"]
    tap.case("a banned function does not compile",
             [b for b in bad if compiles(b)] or
             not compiles("char *f(char *s) { return strchr(s, 'x'); }"))
    return tap.status()


if __name__ == "__main__":
    sys.exit(main())
