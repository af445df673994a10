#!/usr/bin/env python3
"""mounts.py [--slow] PROGRAM [CASE...] - mounts made while stet runs."""
import os
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "system"))
# pylint: disable=wrong-import-position
from roots import Client, Person, in_namespace, other_program
from talk import check, run


def later(options, work, *pairs):
    """A program that makes the bind mounts @pairs on request while stet runs,
    and a function for the request."""
    go, done = work / "go", work / "done"
    os.mkfifo(go)
    os.mkfifo(done)
    script = "".join(f"mount --bind '{a}' '{b}' && " for a, b in pairs)
    wrapper = in_namespace(
        work, f"(read x <'{go}'; {script}echo ok >'{done}') >/dev/null 2>&1 "
        f"</dev/null &\nexec '{options.program}' \"$@\"")

    def mount():
        go.write_text("x\n")
        check(done.read_text() == "ok\n", "it was not mounted")

    return other_program(wrapper, options), mount


def a_mount_that_comes_later_is_no_way_in(options, work):
    """X14: stet's own files and directories, their parents and children,
    mounted in a root that is in use; any other directory is served."""
    p = Person(options, work)
    p.put(p.config, "{}")
    state = p.home / ".local/state/stet"
    p.put(state / "sub/kept", "secret\n")
    for folder in (state, state / "sub"):
        folder.chmod(0o700)
    (state / "sub/kept").chmod(0o600)
    p.put("plain/f", "old\n")
    for name in ("above", "dir/a b", "inside", "other"):
        (p.project / name).mkdir(parents=True)
        p.put(f"{name}/before", "open\n")
    p.put("file", "open\n")
    os.symlink("above", p.project / "link")
    program, mount = later(
        options, work, (p.home / ".config", p.project / "above"),
        (p.home / ".config/stet", p.project / "dir/a b"),
        (state / "sub", p.project / "inside"),
        (p.config, p.project / "file"),
        (p.project / "plain", p.project / "other"))
    c = Client(program, ["--mode=yolo", "--history=off", p.project],
               env=p.env, cwd=str(p.home))
    for name in ("above", "dir/a b", "inside", "other"):
        check(c.read(p.project / name / "before") is None, name)
    check(c.read(p.project / "file") is None)
    mount()
    for name in ("above/stet/config.json", "above/stet/new",
                 "dir/a b/config.json", "dir/a b/new", "inside/kept",
                 "inside/new", "file", "link/stet/config.json",
                 "link/stet/new"):
        if not name.endswith("new"):
            check(c.read(p.project / name) == "config", name)
        why = c.why("write_text_file", p.project / name)
        check(why == "config", (name, why))
    for name in ("other/f", "plain/f"):
        check(c.read(p.project / name) is None, name)
        check(c.why("write_text_file", p.project / name) is None, name)
    check(c.why("write_text_file", p.project / "other/new") is None)
    c.said()
    check(p.config.read_text() == "{}")
    check(os.listdir(state / "sub") == ["kept"])
    check((p.project / "plain/new").exists())


if __name__ == "__main__":
    sys.exit(run([
        a_mount_that_comes_later_is_no_way_in,
    ]))
