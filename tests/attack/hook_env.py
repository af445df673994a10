#!/usr/bin/env python3
"""hook_env.py [--slow] PROGRAM [CASE...] - attacks on a hook through its
environment.
"""
import os
import pathlib
import sys

# Appended: tests/system/encodings.py must not shadow Python's module.
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "system"))
# pylint: disable=wrong-import-position
from talk import Talk, check, run

# Of the loader's variables only those that do not affect stet itself.
HOSTILE = {
    "LD_LIBRARY_PATH": ".", "LD_DEBUG_OUTPUT": "evil", "LD_ORIGIN_PATH": ".",
    "IFS": "/", "ENV": "./evil.sh", "BASH_ENV": "./evil.sh",
    "SHELLOPTS": "xtrace", "PS4": "$(touch stolen)", "CDPATH": ".",
    "BASH_FUNC_cat%%": "() { touch stolen; }", "PYTHONPATH": ".",
    "PERL5OPT": "-Mevil", "NODE_OPTIONS": "--require ./evil.js",
    "GIT_DIR": ".", "GIT_EXEC_PATH": ".", "LOCPATH": ".", "GCONV_PATH": ".",
    "LANG": "./evil", "LC_ALL": "../evil", "TMPDIR": "tmp", "HOME": "home",
    "SHELL": "sh", "STET_TOKEN": "secret", "XDG_CONFIG_HOME": "config",
}
KEPT = {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL",
        "LC_CTYPE", "TZ", "TMPDIR", "STET_PATH", "STET_TOOL"}


def environment_of_a_hook(options, work, env, cwd, **more):
    """The environment that a hook gets, as a dictionary; @more is for the
    call."""
    told = work.parent / (work.name + "-told")
    # "env" is found through PATH
    server = Talk(options, work, "--before-edit",
                  f"env -0 > '{told}'", env=env, cwd=cwd)
    path = more.get("path", work / "f")
    error = server.call("write_text_file", path=str(path), content="x")[1]
    check(not error, error)
    server.close()
    server.kill()
    got = dict(v.split("=", 1)
               for v in os.fsdecode(told.read_bytes()).split("\0") if v)
    told.unlink()
    for name in ("PWD", "OLDPWD", "SHLVL", "_"): # set by the shell
        got.pop(name, None)
    return got


def nothing_hostile_reaches_a_hook(options, work):
    """C23: neither variables that make a shell or a loader run other code, nor
    a PATH into the project."""
    trap = work / "env"
    trap.write_text("#!/bin/sh\ntouch '%s'\n" % (work / "stolen"))
    trap.chmod(0o755)
    home = os.environ["HOME"]
    env = {**os.environ, **HOSTILE, "XDG_STATE_HOME": home,
           "PATH": f".::{work.name}:./bin:" + os.environ["PATH"] + ":"}
    got = environment_of_a_hook(options, work, env, cwd=work)
    check(not (work / "stolen").exists(), "the project's program was run")
    check(set(got) <= KEPT, set(got) - KEPT)
    for name in ("LANG", "LC_ALL", "TMPDIR", "HOME", "SHELL"):
        check(name not in got, f"{name}={got.get(name)}")
    check(all(p.startswith("/") for p in got["PATH"].split(":")), got["PATH"])
    # without PATH, or with an unusable one
    for path in (None, "", ".", "bin:."):
        env = {k: v for k, v in os.environ.items() if k != "PATH"}
        if path is not None:
            env["PATH"] = path
        got = environment_of_a_hook(options, work, env, cwd=work)
        check(got["PATH"] == "/usr/local/bin:/usr/bin:/bin", got)
    check(not (work / "stolen").exists(), "the project's program was run")


def what_a_hook_needs_it_gets(options, work):
    """C23: the harmless counterpart, and a PATH with unusual characters."""
    env = {**os.environ, "LANG": "de_DE.UTF-8@euro", "LC_CTYPE": "C.UTF-8",
           "TZ": ":Europe/Vienna", "TMPDIR": "/var/tmp", "USER": "me"}
    path = work / "a b;$(touch stolen)\n'\"x"
    got = environment_of_a_hook(options, work, env, cwd=work, path=path)
    for name in ("LANG", "LC_CTYPE", "TZ", "TMPDIR", "USER", "PATH", "HOME"):
        check(got[name] == env[name], f"{name}={got.get(name)}")
    check(got["STET_PATH"] == str(path) and
          got["STET_TOOL"] == "write_text_file", got)
    check(sorted(os.listdir(work)) == [path.name], os.listdir(work))


if __name__ == "__main__":
    sys.exit(run([
        nothing_hostile_reaches_a_hook,
        what_a_hook_needs_it_gets,
    ]))
