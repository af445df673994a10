#!/usr/bin/env python3
"""refusals.py [--slow] PROGRAM [CASE...] - a denial has a reason, without
revealing what the client may not know.
"""
import json
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "system"))
# pylint: disable=wrong-import-position
from rules import Person
from talk import Talk, check, run


def ended(server):
    server.process.stdin.close() # stderr may have warnings
    check(server.process.wait(server.timeout) == 0)
    server.kill()


def project_of(options, work):
    """A project with several reasons for denied writes: {path: reason}."""
    p = Person(options, work)
    p.mine({"deny": ["write(mine)"]})
    p.projects({"deny": ["write(fixed)"]})
    for name in ("docs", "mine", "fixed", "gone"):
        (p.project / name).write_text("old\n")
    (p.project / ".stetignore").write_text("# left alone\n\ngone\n")
    return p, {
        "docs": "denied by the rule deny write(docs) (--deny)",
        "mine": "denied by the rule deny write(mine) (the user's settings)",
        "fixed": "denied by the rule deny write(fixed) "
                 f"({p.project}/.stet/config.json:1:11)",
        "gone": f"ignored by {p.project}/.stetignore:3",
        ".stet/config.json": "one of stet's own files: "}


def a_denial_says_why(options, work):
    """C59 C98: the message is as specified; the hint distinguishes a rule, an
    ignore file and stet's own files, and is part of the text for models."""
    p, want = project_of(options, work)
    server = Talk(options, p.project, "--deny", "write(docs)", env=p.env)
    for name, why in want.items():
        path = str(p.project / name)
        _, fault = server.call("write_text_file", path=path, content="new\n")
        check(fault["message"] == f"Permission denied: {path}", fault)
        check(fault["data"]["hint"].startswith(why), (why, fault))
        check(str(p.home) not in json.dumps(fault), fault)
    ended(server)
    server = Talk(options, p.project, "--deny", "write(docs)",
                  "--tool-errors=result", env=p.env)
    for name, why in want.items():
        path = str(p.project / name)
        got = server.ask(server.request("write_text_file", path=path,
                                        content="new\n"))["result"]
        check(got["content"][0]["text"].startswith(
            f"Permission denied: {path}\n{why}"), got)
    ended(server)


def stets_own_files_are_told_as_such(options, work):
    """C99: the settings of the person, within the root."""
    p = Person(options, work)
    p.mine({})
    server = Talk(options, p.home, env=p.env)
    for name, tool, more in (
            ("config.json", "read_text_file", {}),
            ("config.json", "write_text_file", {"content": "{}"}),
            ("trusted.json", "write_text_file", {"content": "{}"})):
        _, fault = server.call(tool, path=str(p.config.parent / name), **more)
        check(fault.get("data") == {"reason": "config",
                                    "hint": "one of stet's own files"}, fault)
    check(not (p.config.parent / "trusted.json").exists())
    ended(server)


def stets_own_files_have_one_answer(options, work):
    """14: the error is the same whether one of stet's own files exists, is a
    directory, or is impossible."""
    p = Person(options, work)
    p.mine({})
    own = p.config.parent
    (own / "directory").mkdir()
    server = Talk(options, p.home, env=p.env)
    answers = set()
    for name in ("config.json", "trusted.json", "none", "directory",
                 "none/deep/x", "config.json/x", "directory/x"):
        path = str(own / name)
        for tool, more in (
                ("read_text_file", {}),
                ("write_text_file", {"content": "{}"}),
                ("edit_text_file", {"old_string": "a", "new_string": "b"})):
            _, fault = server.call(tool, path=path, **more)
            check(fault, (tool, path))
            answers.add(json.dumps(fault, sort_keys=True)
                        .replace(path, "PATH"))
    check(len(answers) == 1, answers)
    # the harmless counterpart: a missing file beside them is reported
    _, fault = server.call("read_text_file", path=str(own.parent / "none"))
    check(fault["message"].startswith("File not found"), fault)
    ended(server)


def a_hidden_path_has_one_answer(options, work):
    """C59: the error is the same for a file, a directory, a link to another
    hidden file, or nothing; a link does not reveal the rule of its target."""
    root = work / "root"
    (root / "secret").mkdir(parents=True)
    (root / "secret/key").write_text("text\n")
    server = Talk(options, root, "--deny", "*(secret)", "--deny", "read(hid)")
    path = root / "hid/x"
    answers = set()
    for make in (lambda: None, path.parent.mkdir,
                 lambda: path.write_text("text\n"), path.unlink, path.mkdir,
                 path.rmdir, lambda: path.symlink_to(root / "secret/key"),
                 path.unlink, lambda: path.symlink_to("/nowhere"),
                 path.unlink, path.parent.rmdir,
                 lambda: path.parent.symlink_to(root / "secret")):
        make()
        for tool, more in (("read_text_file", {}),
                           ("write_text_file", {"content": "x"})):
            _, fault = server.call(tool, path=str(path), **more)
            answers.add(json.dumps(fault, sort_keys=True))
    check(len(answers) == 1, answers)
    check("denied by the rule deny read(hid) (--deny)" in answers.pop())
    (root / "link").symlink_to("secret/key")
    _, fault = server.call("read_text_file", path=str(root / "link"))
    check(fault["data"] == {"reason": "rule", "hint": "denied by a rule"},
          fault)
    # the harmless counterpart: visible files, present and missing
    (root / "free").write_text("text\n")
    check(server.call("read_text_file", path=str(root / "free"))[1] is None)
    _, fault = server.call("read_text_file", path=str(root / "absent"))
    check(fault["message"] == f"File not found: {root}/absent", fault)
    ended(server)


if __name__ == "__main__":
    sys.exit(run([
        a_denial_says_why,
        stets_own_files_are_told_as_such,
        stets_own_files_have_one_answer,
        a_hidden_path_has_one_answer,
    ]))
