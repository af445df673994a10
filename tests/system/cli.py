#!/usr/bin/env python3
"""cli.py [--slow] PROGRAM [CASE...] - the command line, as a person meets it."""
import json
import os
import resource
import subprocess
import sys

from talk import Talk, check, run


def stet(options, *words, cwd="/", **more):
    done = subprocess.run([str(options.program), *words], cwd=cwd, check=False,
                          capture_output=True, timeout=120, **more)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def call_tells_failures_apart(options, work):
    """X22: JSON comes out, and the exit status says which failure it is."""
    (work / "f").write_text("a a\n")
    (work / "binary").write_bytes(b"\0\1")
    f = str(work / "f")
    for status, words in (
            (0, ["read_text_file", "--path", f]),
            (0, ["read_text_file", "--json", json.dumps({"path": f})]),
            (0, ["multi_edit_text_file", "--path", f, "--edits",
                 '[{"old_string":"a a","new_string":"a a a"}]']),
            (0, ["write_text_file", "--path", f + "2", "--content=--x"]),
            (2, ["read_text_file", "--path", "f"]),
            (2, ["read_text_file", "--path", f, "--line", "0"]),
            (2, ["read_text_file", "--path", f, "--line", "x"]),
            (2, ["read_text_file"]),
            (2, ["no_such_tool"]),
            (3, ["read_text_file", "--path", f + "3"]),
            (3, ["write_text_file", "--path", f + "3/g", "--content", ""]),
            (4, ["read_text_file", "--path", "/etc/passwd"]),
            (5, ["read_text_file", "--path", str(work)]),
            (6, ["read_text_file", "--path", str(work / "binary")]),
            (8, ["edit_text_file", "--path", f, "--old_string", "a",
                 "--new_string", "b", "--max-file", "1"]),
            (9, ["edit_text_file", "--path", f, "--old_string", "a",
                 "--new_string", "b"]),
            (9, ["edit_text_file", "--path", f, "--old_string", "z",
                 "--new_string", "b"])):
        got, out, said = stet(options, "call", *words, cwd=work)
        check(got == status and not said, (words, got, out, said))
        check(("error" in json.loads(out)) == bool(status), out)


def mistakes_are_told_in_words(options, work):
    """X22: on stderr, with the nearest right word, status 2."""
    (work / "f").write_text("text\n")
    f = str(work / "f")
    for words, told in (
            (["sevre"], "did you mean 'serve'?"),
            (["--versio"], "did you mean '--version'?"),
            (["serve", "--tols", "x"], "did you mean --tools?"),
            (["serve", str(work), "--lgo=debug"], "did you mean --log?"),
            (["serve", "--tools", "nope"], "no tool or family"),
            (["serve", "--log=loud"], "takes off|error|info|debug"),
            (["tools", "helo"], "did you mean hello?"),
            (["call"], "which tool?"),
            (["call", "hello", "--nme=x"], "did you mean --name?"),
            (["call", "hello", "--name"], "--name needs VALUE"),
            (["call", "hello", "--name", b"\xff"], "--name is not UTF-8"),
            (["call", "hello", "--json", "{}", "--name", "x"],
             "either --json or the arguments one by one"),
            (["call", "read_text_file", f], "--name VALUE")):
        status, out, said = stet(options, *words)
        check(status == 2 and not out and told in said, (words, out, said))


def every_command_has_help(options, work):
    """X22: on stdout, no line longer than a terminal is wide."""
    for words in (["--help"], ["serve", "--help"], ["call", "--help"],
                  ["call", "read_text_file", "--help"], ["tools", "-h"],
                  ["demo", "--help"], ["open", "--help"], ["token", "--help"]):
        status, out, said = stet(options, *words)
        check(status == 0 and "Usage: stet" in out and not said, (words, out))
        check(max(map(len, out.splitlines())) < 80, out)


def tools_are_told_as_json(options, work):
    """X04 X22: all of them, or those that are named."""
    for names in ([], ["hello"], ["edit_text_file", "read_text_file"]):
        status, out, _ = stet(options, "tools", "--json", *names)
        got = sorted(tool["name"] for tool in json.loads(out))
        check(status == 0 and (got == names or not names and len(got) >= 5),
              got)


def a_root_goes_by_both_its_names(options, work):
    """X15: DIR may be a link, and options may stand behind it."""
    (work / "real").mkdir()
    (work / "real/f").write_text("text\n")
    os.symlink("real", work / "link")
    for root, cwd in ((work / "link", "/"), ("link", work), ("./link", work),
                      ("../" + work.name + "/link", work)):
        server = Talk(options, root, "--results=structured", cwd=cwd)
        for name in ("real", "link"):
            got, fault = server.call("read_text_file",
                                     path=str(work / name / "f"))
            if not str(root).startswith("..") or name == "real":
                check(not fault, (root, name, fault))
        server.close()
        server.kill()
    for words, told in (([str(work / "real/f")], "Not a directory"),
                        ([str(work / "none")], "No such file"),
                        ([str(work), "--log=debug"], "end of input")):
        status, out, said = stet(options, "serve", *words,
                                 stdin=subprocess.DEVNULL)
        check(status == 0 and not out and told in said, (words, out, said))


def it_lives_with_what_it_is_started_with(options, work):
    """X01 W60: closed descriptors, and a limit on the size of files."""
    program, file = str(options.program), work / "f"
    _, _, said = stet(options, "serve", str(work), "--log=info",
                      preexec_fn=lambda: os.close(0))
    check("end of input" in said, said)
    for closed in ((1,), (2,), (0, 1), (1, 2), (0, 1, 2)):
        subprocess.run([program, "call", "write_text_file", "--root", work,
                        "--root", "/none", "--path", file, "--content",
                        f"{closed}", "--log=debug"], check=False, timeout=120,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       preexec_fn=lambda: [os.close(fd) for fd in closed])
        check(file.read_text() == f"{closed}", file.read_text())
    size = resource.RLIMIT_FSIZE
    status, out, _ = stet(options, "call", "write_text_file", "--root",
                          str(work), "--path", str(file), "--content",
                          "x" * 5000, preexec_fn=lambda: resource.setrlimit(
                              size, (1000, 1000)))
    check(status == 74 and "error" in json.loads(out), (status, out))
    check(os.listdir(work) == ["f"] and file.read_text() == "(0, 1, 2)")


if __name__ == "__main__":
    sys.exit(run([
        call_tells_failures_apart,
        mistakes_are_told_in_words,
        every_command_has_help,
        tools_are_told_as_json,
        a_root_goes_by_both_its_names,
        it_lives_with_what_it_is_started_with,
    ]))
