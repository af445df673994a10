#!/usr/bin/env python3
"""moves.py [--slow] PROGRAM [CASE...] - attempts to get around the rules, or an
answer, by moving what they are about, beside moves that must keep working.
"""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "system"))
# pylint: disable=wrong-import-position
from answers import Agent, allow
from talk import check, run


def project(work):
    root = work / "root"
    for name in ("private/a", "private/b", "d/one.x", "d/two", "plain/f"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name + "\n")
    return root


def move(root, source, destination):
    return dict(tool="move_file", source=str(root / source),
                destination=str(root / destination))


def what_may_not_be_read_unasked_is_not_moved_away(options, work):
    """V67 V69: a rule that asks before a file is read asks before it gets
    another name, under which it could be read: a file, and a directory."""
    root = project(work)
    with Agent(options, root, "--ask", "read(private)", "--tools=all",
               home=work) as agent:
        agent.asked("read_text_file", path=str(root / "private" / "a"))
        asked = agent.asked(**move(root, "private/a", "a"))
        agent.asked(**move(root, "private", "public"))
        check((root / "private" / "a").exists())
        agent.done(**move(root, "plain/f", "g"))
        agent.done(**move(root, "plain", "plain2"))
        allow(options, work, asked)
        agent.done(**move(root, "private/a", "a"))


def an_answer_is_for_these_files(options, work):
    """V68: the approval of a directory's move is void when another file is
    in it, also if there are as many as before."""
    root = project(work)
    with Agent(options, root, "--ask", "write(*.x)", "--tools=all",
               home=work) as agent:
        allow(options, work, agent.asked(**move(root, "d", "e")))
        (root / "d" / "two").rename(root / "d" / "two.key")
        check((root / "d").exists())
        allow(options, work, agent.asked(**move(root, "d", "e")))
        agent.done(**move(root, "d", "e"))


def a_grant_moves_no_secret(options, work):
    """V68: a grant for moves covers no directory with a sensitive file."""
    root = project(work)
    with Agent(options, root, "--ask", "move_file", "--tools=all",
               home=work) as agent:
        allow(options, work, agent.asked(**move(root, "d", "e")), "--always")
        agent.done(**move(root, "d", "e"))
        (root / "e" / "in").mkdir()
        (root / "e" / "in" / ".env").write_text("KEY=1\n")
        agent.asked(**move(root, "e", "d"))
        (root / "e" / "in" / ".env").unlink()
        agent.done(**move(root, "e", "d"))


def a_denied_directory_stays_though_it_is_empty(options, work):
    """V67: also beneath a directory that is moved."""
    root = project(work)
    (root / "d" / "vendor").mkdir()
    with Agent(options, root, "--deny", "write(vendor)", "--tools=all",
               home=work) as agent:
        _, error = agent.outcome(**move(root, "d", "e"))
        check(error and error["code"] == -32002, error)
        (root / "d" / "vendor").rmdir()
        agent.done(**move(root, "d", "e"))


def the_question_names_what_is_copied(options, work):
    """V76: the file that needs the approval, not only where it goes."""
    root = project(work)
    (root / ".env").write_text("KEY=1\n")
    with Agent(options, root, "--tools=all", home=work) as agent:
        said = agent.asked("copy_file", source=str(root / ".env"),
                           destination=str(root / "x"))["message"]
        check(f"wants to copy {root}/.env to {root}/x" in said, said)


if __name__ == "__main__":
    sys.exit(run([
        what_may_not_be_read_unasked_is_not_moved_away,
        an_answer_is_for_these_files,
        a_grant_moves_no_secret,
        a_denied_directory_stays_though_it_is_empty,
        the_question_names_what_is_copied,
    ]))
