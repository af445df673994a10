#!/usr/bin/env python3
"""cli.py [--slow] PROGRAM [CASE...] - the command line."""
import fcntl
import json
import os
import pathlib
import pty
import re
import resource
import stat
import struct
import subprocess
import sys
import termios

from talk import Talk, check, run
from terminal import at_terminal, from_program


def stet(options, *words, cwd="/", **more):
    done = subprocess.run([str(options.program), *words], cwd=cwd, check=False,
                          capture_output=True, timeout=120, **more)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def call_tells_failures_apart(options, work):
    """X22: the output is JSON, and each kind of failure has its exit
    status."""
    (work / "f").write_text("a a\n")
    (work / "binary").write_bytes(b"\0\1")
    f = str(work / "f")
    for status, words in (
            (0, ["read_text_file", "--path", f]),
            (0, ["read_text_file", "--json", json.dumps({"path": f})]),
            (0, ["multi_edit_text_file", "--path", f, "--edits",
                 '[{"old_string":"a a","new_string":"a a a"}]']),
            (0, ["write_text_file", "--path", f + "2", "--content=--x"]),
            (0, ["read_text_file", "--path", "f"]),
            (2, ["read_text_file", "--json", '{"path": "f"}']),
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


PATCH = "*** Begin Patch\n*** Update File: a\n@@\n-two\n+2\n*** End Patch\n"
NOTEBOOK = ('{"cells":[{"cell_type":"raw","metadata":{},"source":"a"}],'
            '"metadata":{},"nbformat":4,"nbformat_minor":0}')


def every_tool_that_changes_files_can_be_called(options, work):
    """V120: with the options of its row, and the exit status of its
    failures."""
    (work / "a").write_text("one\ntwo\nthree\n")
    (work / "n.ipynb").write_text(NOTEBOOK)
    (work / "full").mkdir()
    (work / "full" / "x").write_text("x\n")
    state = ["--state-dir", str(work / "state"), "--session", "me"]
    for status, words in (
            (0, ["Grep", "--pattern", "two", "--output_mode", "content", "-A",
                 "1", "-B", "1", "-n", "false", "-i", "true"]),
            (0, ["apply_patch", "--input", PATCH]),
            (9, ["apply_patch", "--input", PATCH]),
            (2, ["apply_patch", "--input", "*** Begin"]),
            (0, ["create_directory", "--path", "d/e"]),
            (5, ["create_directory", "--path", "a"]),
            (0, ["append_file", "--path", "a", "--content", "four\n"]),
            (3, ["append_file", "--path", "no/a", "--content", "x"]),
            (0, ["move_file", "--source", "a", "--destination", "d/a"]),
            (3, ["move_file", "--source", "a", "--destination", "d/b"]),
            (9, ["move_file", "--source", "d/a", "--destination", "n.ipynb"]),
            (2, ["move_file", "--source", "d", "--destination", "d/e/f"]),
            (4, ["delete_file", "--path", "."]),
            (9, ["delete_file", "--path", "full"]),
            (0, ["delete_file", "--path", "full/x"]),
            (0, ["delete_file", "--path", "full"]),
            (3, ["delete_file", "--path", "full"]),
            (10, ["replace_lines", "--path", "d/a", "--start_line", "1",
                  "--end_line", "1", "--content", "1\n"]),
            (0, ["read_file", "--path", "d/a", "--tail", "9"]),
            (0, ["replace_lines", "--path", "d/a", "--start_line", "1",
                 "--end_line", "1", "--content", "1\n"]),
            (2, ["replace_lines", "--path", "d/a", "--start_line", "9",
                 "--end_line", "9", "--content", ""]),
            (0, ["move_lines", "--source", "d/a", "--start_line", "1",
                 "--end_line", "1", "--destination", "d/a"]),
            (0, ["edit_file", "--path", "d/a", "--edits",
                 '[{"oldText":"three","newText":"3"}]', "--dryRun", "true"]),
            (0, ["write_file", "--path", "w", "--content", "w\n"]),
            (3, ["write_file", "--path", "no/w", "--content", "w\n"]),
            (10, ["NotebookEdit", "--notebook_path", "n.ipynb", "--cell_id",
                  "cell-0", "--new_source", "b"]),
            (0, ["Read", "--file_path", "n.ipynb"]),
            (3, ["NotebookEdit", "--notebook_path", "n.ipynb", "--cell_id",
                 "cell-7", "--new_source", "b"]),
            (0, ["NotebookEdit", "--notebook_path", "n.ipynb", "--cell_id",
                 "cell-0", "--new_source", "b"])):
        got, out, said = stet(options, "call", *words, *state, cwd=work)
        check(got == status and not said, (words, got, out, said))
    check((work / "d" / "a").read_text() == "2\nthree\nfour\n1\n")
    check((work / "n.ipynb").read_text() == NOTEBOOK.replace('"a"', '"b"'))


def mistakes_are_told_in_words(options, work):
    """X22: on stderr, with the most similar valid word, exit status 2."""
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
            (["call"], "the first word must be a tool"),
            (["call", "hello", "--nme=x"], "did you mean --name?"),
            (["call", "hello", "--name"], "--name needs TEXT"),
            (["call", "hello", "--name", b"\xff"], "--name is not UTF-8"),
            (["call", "hello", "--json", "{}", "--name", "x"],
             "--json cannot be combined with single arguments"),
            (["call", "Edit", "--session", "../x"], "--session takes a name"),
            (["call", "hello", "--json", "{}", "--if-version", "x"],
             "set if_version in the JSON"),
            (["call", "read_text_file", f], "--name VALUE")):
        status, out, said = stet(options, *words)
        check(status == 2 and not out and told in said, (words, out, said))


def surplus_arguments_are_refused_by_name(options, work):
    """X22: status 2, and the argument is named; nothing is done."""
    (work / "f").write_text("text\n")
    state = ["--state-dir", str(work / "state")]
    for words in (["acp"], ["demo"], ["gc", *state], ["open", *state],
                  ["log", "f", *state], ["show", "0123abcd", *state],
                  ["diff", "0123abcd", *state], ["undo", "f", *state],
                  ["redo", "f", *state], ["export", "f", *state],
                  ["import", "f", *state],
                  ["restore", "f", "--at", "1h", *state],
                  ["call", "hello"], ["rules", "list"], ["rules", "schema"],
                  ["rules", "check", "read", "f"],
                  ["rules", "add", "deny", "write(x)"],
                  ["trust", "f"], ["trust", "--list"],
                  ["trust", "--remove", "f"], ["grants", "list", *state],
                  ["approvals", "list", *state],
                  ["approvals", "show", "0123abcd", *state],
                  ["token", "list", *state], ["token", "add", "a", *state],
                  ["help", "log"], ["--version"]):
        status, out, said = stet(options, *words, "surplus", cwd=work,
                                 stdin=subprocess.DEVNULL)
        check(status == 2 and not out and
              "unexpected argument 'surplus'" in said, (words, status, said))
    check(stet(options, "token", "list", *state)[1].find("surplus") < 0)


def exit_statuses_are_listed(options, work):
    """X22: those of the table of errors, each with its meaning."""
    table = (pathlib.Path(__file__).parents[2] /
             "src/base/errors.def").read_text()
    used = set(map(int, re.findall(
        r"^ERROR\(\w+, \w+, \w+, -?\d+, (\d+),", table, re.M)))
    check({2, 11, 65, 78} <= used, used)
    _, out, _ = stet(options, "call", "--help")
    listed = re.findall(r"^  (\d+) +\S",
                        out.split("\nExit status:\n")[1].split("\n\n")[0],
                        re.M)
    check({0, 1} | used == set(map(int, listed)) and
          len(listed) == len(set(listed)), (used, listed))


def a_short_id_is_refused_with_the_reason(options, work):
    """At least 4 digits, which the help says as well."""
    state = ["--state-dir", str(work / "state")]
    for words in (["show"], ["diff"], ["approvals", "show"],
                  ["grants", "revoke"], ["undo"], ["redo"]):
        status, _, said = stet(options, *words, "0ab", *state, cwd=work)
        check(status == 3 and "at least 4 digits" in said, (words, said))
    for words in ("show", "diff", "undo", "redo", "log", "replay", "restore",
                  "approvals", "grants"):
        out = " ".join(stet(options, words, "--help")[1].split())
        check("at least 4 digits" in out, (words, out))


def call_that_needs_approval_says_what_to_do(options, work):
    """A53: there is no client that could have asked anybody."""
    state = ["--state-dir", str(work / "state")]
    words = ["call", "write_text_file", "--path", ".env", "--content", "x\n",
             *state]
    status, out, said = stet(options, *words, cwd=work)
    hint = json.loads(out)["error"]["data"]["hint"]
    check(status == 11 and not said and "has been asked" not in hint and
          "waits for approval" in hint and "run the same command again" in hint,
          (hint, said))
    done = at_terminal([options.program, *words], None, cwd=work)
    check(done.returncode == 11 and "'stet approvals'" in done.stderr, done)


def call_takes_paths_from_where_one_stands(options, work):
    """Relative paths are resolved against the current directory; those of
    --json are not."""
    (work / "sub").mkdir()
    (work / "f").write_text("top\n")
    (work / "sub/f").write_text("below\n")
    state = ("--state-dir", str(work / "state"))
    for cwd, path, want in ((work, "f", "top"), (work, "./sub/f", "below"),
                            (work / "sub", "f", "below"),
                            (work / "sub", "../f", "top"),
                            (work, "sub/../f", "top")):
        status, out, _ = stet(options, "call", "read_text_file", "--path", path,
                              "--root", str(work), *state, cwd=cwd)
        check(status == 0 and want in json.loads(out)["content"],
              (path, out))
    status, out, _ = stet(options, "call", "read_text_file", "--path", "../f",
                          *state, cwd=work / "sub")
    check(status == 4 and "outside the roots" in out, out)


def call_has_help_for_each_tool(options, work):
    """The tool's own arguments, their types, and which are required."""
    names = [tool["name"] for tool in
             json.loads(stet(options, "tools", "--json")[1])]
    for name in names:
        status, out, _ = stet(options, "call", name, "--help")
        head = out.split("\nOptions:\n", maxsplit=1)[0]
        check(status == 0 and f"Usage: stet call {name}" in out and
              "Arguments:" in head and "--if-version" in head and
              "--root" not in head, out)
        check(max(map(len, out.splitlines())) < 80, out)
    _, out, _ = stet(options, "call", "Edit", "--help")
    check("--file_path PATH --old_string TEXT --new_string TEXT" in out and
          "(required)" in out, out)


def call_says_who_it_is(options, work):
    """Log, approvals and JSON have a client name for `stet call`."""
    state = ["--state-dir", str(work / "state")]
    root = work / "root"
    root.mkdir()
    for name, more in (("f", []), ("g", ["--session", "me"])):
        status, out, _ = stet(options, "call", "write_text_file", "--path",
                              name, "--content", "x\n", *more, *state,
                              cwd=root)
        check(status == 0, out)
    _, out, _ = stet(options, "log", *state, cwd=root)
    check(out.count("write_text_file, stet call") == 2, out)
    _, out, _ = stet(options, "log", "--json", *state, cwd=root)
    check({op["client"] for op in json.loads(out)["operations"]} ==
          {"stet call"}, out)
    status, out, _ = stet(options, "call", "write_text_file", "--path", ".env",
                          "--content", "x\n", *state, cwd=root)
    check(status == 11, out)
    _, out, _ = stet(options, "approvals", *state, cwd=root)
    check("stet call" in out and not re.search(r"(^|\n) *stopped", out), out)


def call_says_why_a_directory_is_not_served(options, work):
    """The error has the reason and the option that sets another root."""
    home = work / "home"
    home.mkdir()
    env = {"HOME": str(home), "PATH": os.environ["PATH"]}
    for here, why in ((work, f"{work}, where stet was started, is not "
                       "served: your home directory is in it. "),
                      (home, "it is your home directory. "),
                      ("/", "it is the whole disk. ")):
        status, out, _ = stet(options, "call", "read_text_file", "--path", "f",
                              cwd=here, env=env)
        check(status == 4 and why in out and "--root DIR" in out and
              "stet serve" not in out, (here, out))


def call_names_an_unknown_tool_before_an_unknown_option(options, work):
    """The options depend on the tool, so the tool is checked first."""
    status, out, said = stet(options, "call", "Edti", "--file_pth", "x")
    check(status == 2 and "Unknown tool: Edti (did you mean Edit?)" in out and
          not said, (out, said))


def call_if_version_is_checked(options, work):
    """--if-version, with the version of an earlier read."""
    (work / "f").write_text("one\n")
    state = ("--state-dir", str(work / "state"))
    _, out, _ = stet(options, "call", "read_text_file", "--path", "f", *state,
                     cwd=work)
    version = json.loads(out)["_meta"]["version"]
    edit = ["call", "edit_text_file", "--path", "f", "--old_string", "one",
            "--new_string", "two", *state, "--if-version"]
    check(stet(options, *edit, "0" * 32, cwd=work)[0] == 10)
    check((work / "f").read_text() == "one\n")
    check(stet(options, *edit, version, cwd=work)[0] == 0)
    check((work / "f").read_text() == "two\n")
    check(stet(options, *edit, version, cwd=work)[0] == 10)


def call_reads_carry_over_in_a_session(options, work):
    """Edit works after a Read with the same --session, not with another one,
    and not when the file has changed since."""
    (work / "f").write_text("one\n")

    def call(tool, *words, session=("--session", "me")):
        return stet(options, "call", tool, "--file_path", "f", *words,
                    *session, "--state-dir", str(work / "state"), cwd=work)

    edit = ("--old_string", "one", "--new_string", "two")
    for session in (("--session", "me"), ()):
        status, out, _ = call("Edit", *edit, session=session)
        check(status and "read" in out.lower(), out)
    check(call("Read")[0] == 0)
    for session in (("--session", "you"), ("--session", "m"), ()):
        check(call("Edit", *edit, session=session)[0], session)
    status, out, said = call("Edit", *edit)
    check(status == 0 and not said and (work / "f").read_text() == "two\n",
          (out, said))
    status, out, _ = call("Edit", "--old_string", "two", "--new_string", "3")
    check(status == 0 and (work / "f").read_text() == "3\n", out)
    (work / "f").write_text("4\n")
    check(call("Edit", "--old_string", "4", "--new_string", "5")[0])
    check((work / "f").read_text() == "4\n")
    check(stat.S_IMODE((work / "state/call-sessions.json").stat().st_mode)
          == 0o600)
    status, out, _ = stet(options, "undo", "--session", "me", "--dry-run",
                          "--conflicts=theirs", "--state-dir",
                          str(work / "state"), cwd=work)
    check(status == 0 and "2 would be done" in out, out)


def every_command_has_help(options, work):
    """X22: on stdout, with no line wider than a terminal."""
    for words in (["--help"], ["serve", "--help"], ["call", "--help"],
                  ["call", "read_text_file", "--help"], ["tools", "-h"],
                  ["demo", "--help"], ["open", "--help"], ["token", "--help"]):
        status, out, said = stet(options, *words)
        check(status == 0 and "Usage: stet" in out and not said, (words, out))
        check(max(map(len, out.splitlines())) < 80, out)


def an_option_in_a_sentence_breaks_no_line(options, work):
    """Only '- ' begins an item of a list in the text of a command."""
    _, out, _ = stet(options, "call", "--help")
    check("'stet call TOOL --help' lists those" in " ".join(out.split())
          and "\nTOOL\n" not in out, out)


def help_is_in_groups_and_has_examples(options, work):
    """Each command is listed once, under a heading; 'help COMMAND' equals its
    --help."""
    status, out, said = stet(options, "--help")
    check(status == 0 and not said, said)
    for title in ("Serve files to agents", "Decide what they may do",
                  "See what they did, and undo it",
                  "Use the tools yourself", "Examples:"):
        check(f"\n{title}\n" in out, (title, out))
    names = re.findall(r"^  ([a-z]+)  ", out, re.M)
    check(len(names) == len(set(names)) and {"serve", "undo"} <= set(names),
          names)
    for name in names:
        status, out, _ = stet(options, "help", name)
        check(status == 0 and out == stet(options, name, "--help")[1], name)
    check(stet(options, "help", "nothing")[0] == 2)


def help_fits_the_terminal(options, work):
    """With 50 and with 80 columns no line is longer, and no text is cut."""
    for columns in (50, 80, 200):
        for words in (["--help"], ["undo", "--help"], ["serve", "--help"],
                      ["tools"], ["call", "Edit", "--help"]):
            ours, theirs = pty.openpty()
            fcntl.ioctl(theirs, termios.TIOCSWINSZ,
                        struct.pack("HHHH", 24, columns, 0, 0))
            with subprocess.Popen([str(options.program), *words],
                                  stdout=theirs, cwd="/") as command:
                os.close(theirs)
                out = b""
                while True:
                    try:
                        out += os.read(ours, 65536)
                    except OSError:
                        break
                check(command.wait(60) == 0)
            os.close(ours)
            lines = out.decode().replace("\r", "").splitlines()
            long = [line for line in lines if len(line) >= min(columns, 101)
                    and len(line.split()) > 2]
            check(not long, (columns, words, long))


def tools_are_listed_in_one_line_each(options, work):
    """Each line has the name and the first sentence."""
    names = [tool["name"] for tool in
             json.loads(stet(options, "tools", "--json")[1])]
    _, out, _ = stet(options, "tools")
    lines = out.split("\n\n")[0].splitlines()
    check([line.split()[0] for line in lines] == names, out)
    check(all(40 < len(line) < 80 or len(line.split()) > 2 for line in lines))


def suggestions_are_made_only_when_near(options, work):
    """A typo gets a suggestion; an unrelated word does not."""
    for words, near in ((["udno"], "undo"), (["og"], "log"),
                        (["tool"], "tools"), (["undo", "--sinse=1h"], "--since"),
                        (["call", "edit_txt_file"], "edit_text_file")):
        _, out, said = stet(options, *words)
        check(f"did you mean {near}" in (out + said).replace("'", ""),
              (words, said))
    for words in (["xx"], ["a"], ["commit"], ["delete"], ["push"], ["status"],
                  ["undo", "--force"], ["call", "bash"], ["call", "ls"],
                  ["tools", "sed"], ["serve", "--x"]):
        _, out, said = stet(options, *words)
        check("did you mean" not in out + said, (words, out, said))


def serve_at_a_terminal_says_what_it_is(options, work):
    """At a terminal `serve` explains itself and how to add it to a client;
    otherwise it prints nothing."""
    env = {"HOME": str(work), "PATH": os.environ["PATH"]}
    done = at_terminal([options.program, "serve", work], env)
    check(done.returncode == 0 and not done.stdout and
          "MCP server" in done.stderr and "claude mcp add" in done.stderr and
          "--http" in done.stderr and "Ctrl-D" in done.stderr, done)
    done = from_program([options.program, "serve", work], env)
    check(done.returncode == 0 and not done.stdout and not done.stderr, done)


def acp_without_an_editor_ends_with_a_message(options, work):
    """Neither a file nor a device can be watched for input."""
    (work / "messages").write_text("{}\n")
    for name in ("/dev/null", "/dev/zero", str(work / "messages")):
        with open(name, "rb") as stdin:
            status, out, said = stet(options, "acp", stdin=stdin)
        check(status == 2 and not out and "pipe or socket" in said and
              "docs/acp.md" in said, (name, status, said))


def tools_are_told_as_json(options, work):
    """X04 X22: all tools, or those that are named."""
    for names in ([], ["hello"], ["edit_text_file", "read_text_file"]):
        status, out, _ = stet(options, "tools", "--json", *names)
        got = sorted(tool["name"] for tool in json.loads(out))
        check(status == 0 and (got == names or not names and len(got) >= 5),
              got)


def a_root_goes_by_both_its_names(options, work):
    """X15: DIR may be a symlink, and options may follow it."""
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
    for words, want, told in (
            ([str(work / "real/f")], 2, "Not a directory"),
            ([str(work / "none")], 2, "No such file"),
            ([str(work), "--log=debug"], 0, "end of input")):
        status, out, said = stet(options, "serve", *words,
                                 stdin=subprocess.DEVNULL)
        check(status == want and not out and told in said, (words, said))


def it_lives_with_what_it_is_started_with(options, work):
    """X01 W60: started with closed descriptors, and with a file size limit."""
    program, file = str(options.program), work / "f"
    _, _, said = stet(options, "serve", str(work), "--log=info",
                      preexec_fn=lambda: os.close(0))
    check("end of input" in said, said)
    for closed in ((1,), (2,), (0, 1), (1, 2), (0, 1, 2)):
        subprocess.run([program, "call", "write_text_file", "--root", work,
                        "--path", file, "--content",
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
        every_tool_that_changes_files_can_be_called,
        mistakes_are_told_in_words,
        surplus_arguments_are_refused_by_name,
        exit_statuses_are_listed,
        a_short_id_is_refused_with_the_reason,
        call_that_needs_approval_says_what_to_do,
        call_takes_paths_from_where_one_stands,
        call_has_help_for_each_tool,
        call_says_who_it_is,
        call_says_why_a_directory_is_not_served,
        call_names_an_unknown_tool_before_an_unknown_option,
        call_if_version_is_checked,
        call_reads_carry_over_in_a_session,
        every_command_has_help,
        an_option_in_a_sentence_breaks_no_line,
        help_is_in_groups_and_has_examples,
        help_fits_the_terminal,
        tools_are_listed_in_one_line_each,
        suggestions_are_made_only_when_near,
        serve_at_a_terminal_says_what_it_is,
        acp_without_an_editor_ends_with_a_message,
        tools_are_told_as_json,
        a_root_goes_by_both_its_names,
        it_lives_with_what_it_is_started_with,
    ]))
