#!/usr/bin/env python3
"""trust.py [--slow] PROGRAM [CASE...] - a trusted hook cannot be removed by
changing the settings file that declares it.
"""
import json
import pathlib
import shutil
import sys

# Appended: tests/system/encodings.py must not shadow Python's module.
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "system"))
# pylint: disable=wrong-import-position
from rules import Person
from talk import Talk, check, run

HOOK = {"command": "echo no secrets >&2; exit 1", "match": "*.c"}
SETTINGS = {"hooks": {"before_edit": [HOOK]}}


def trusted(options, work):
    p = Person(options, work)
    p.projects(SETTINGS)
    (p.project / "sub").mkdir()
    status, out, said = p.trust("--yes", p.project)
    check(status == 0, (out, said))
    return p


def fault_of(p, name, root=None):
    """The error message of a write of the file, or None."""
    talk = Talk(p.options, root or p.project, env=p.env)
    fault = talk.call("write_text_file", path=str(p.project / name),
                      content="x\n")[1]
    talk.process.stdin.close() # stderr has warnings
    check(talk.process.wait(talk.timeout) == 0)
    talk.kill()
    return fault["message"] if fault else None


def lost(p, name, root=None):
    said = fault_of(p, name, root)
    check(said and "Refused by hook" in said, (name, said))
    check(f"{p.project}/.stet/config.json has changed" in said, said)
    check(f"stet trust {p.project}" in said, said)
    check(not (p.project / name).exists(), "written")
    return said


def a_trusted_hook_is_not_lost_with_its_file(options, work):
    """C23 C99: a changed settings file, one without the hook, or none: changes
    that the hook would have checked are refused, others are not."""
    p = trusted(options, work)
    check(fault_of(p, "a.c") == "Refused by hook: no secrets")
    check(fault_of(p, "a.txt") is None)
    for change in ({**SETTINGS, "ignore": ["x"]}, {"ignore": ["x"]}, {},
                   {"hooks": {"before_edit": [{**HOOK, "command": "true"}]}},
                   None):
        shutil.rmtree(p.project / ".stet")
        if change is not None:
            p.projects(change)
        said = lost(p, "a.c")
        check(HOOK["command"] in said, said)
        check(fault_of(p, "b.txt") is None, "more than it judged")
        _, _, said = p.stet("rules")
        check("changed since you trusted it" in said, said)
    p.projects(SETTINGS)
    check(fault_of(p, "a.c") == "Refused by hook: no secrets")


def a_mode_does_not_bring_it_back(options, work):
    """C23 C99: hooks, also lost ones, count in every mode; no approval is
    requested for a change that is refused anyway."""
    p = trusted(options, work)
    p.projects({"mode": "yolo"})
    for mode in ("yolo", "bypassPermissions", "default"):
        status, out, _ = p.stet("call", "write_text_file", "--path",
                                p.project / "a.c", "--content", "x", "--mode",
                                mode, "--ask", "write(*.c)")
        check(status == 4 and "Refused by hook" in out, (mode, status, out))


def no_root_is_a_way_around(options, work):
    """C23 C59: the hook is run, or missed, also from a root within the
    project."""
    p = trusted(options, work)
    sub = p.project / "sub"
    check(fault_of(p, "sub/a.c", sub) == "Refused by hook: no secrets")
    check(fault_of(p, "sub/a.txt", sub) is None)
    p.projects({})
    lost(p, "sub/a.c", sub)
    shutil.rmtree(p.project / ".stet")
    lost(p, "sub/a.c", sub)
    check(fault_of(p, "sub/b.txt", sub) is None)


def no_root_above_is_a_way_around(options, work):
    """C23 C59: from the parent directory as root, the rules of the project
    that the server was started in, and the hooks of a trusted one, still
    hold."""
    p = trusted(options, work)
    above = p.project.parent
    check(fault_of(p, "sub/a.c", above) == "Refused by hook: no secrets")
    check(fault_of(p, "sub/a.txt", above) is None)
    p.projects({"deny": ["write(sub)"]})
    lost(p, "b.c", above)
    check("Permission denied" in fault_of(p, "sub/b.txt", above))
    check(fault_of(p, "b.txt", above) is None)


def the_person_decides(options, work):
    """C99: trusted again the hook runs; without it only after an approval; a
    project that was never trusted refuses nothing."""
    p = trusted(options, work)
    p.projects({**SETTINGS, "ignore": ["x"]})
    lost(p, "a.c")
    check(p.trust("--yes", ".")[0] == 0)
    check(fault_of(p, "a.c") == "Refused by hook: no secrets")
    p.projects({})
    status, out, _ = p.trust(".", says="n\n")
    check(status == 11 and HOOK["command"] in out, (status, out))
    lost(p, "a.c")
    check(p.trust(".", says="y\n")[0] == 0)
    check(fault_of(p, "a.c") is None)
    p.projects(SETTINGS) # not trusted any more
    check(fault_of(p, "b.c") is None)


def an_older_list_is_on_the_safe_side(options, work):
    """C99: earlier versions did not store hooks: any file might have been
    checked by one."""
    p = trusted(options, work)
    file = p.config.parent / "trusted.json"
    rows = json.loads(file.read_text())
    file.write_text(json.dumps({k: v["digest"] for k, v in rows.items()}))
    check(fault_of(p, "a.c") == "Refused by hook: no secrets")
    check(fault_of(p, "a.txt") is None)
    p.projects({})
    lost(p, "b.c")
    lost(p, "b.txt")
    check(p.trust("--remove", ".")[0] == 0)
    check(fault_of(p, "b.txt") is None)


def no_program_takes_the_trust_back(options, work):
    """C23 C99: --remove would lift the refusal of a lost hook: it needs a
    person at a terminal, or a script that the person's settings permit to
    answer."""
    p = trusted(options, work)
    p.projects({})
    for words in ((".",), ("--yes", ".")):
        status, _, said = p.stet("trust", "--remove", *words[::-1])
        check(status == 11 and "by a person at a terminal" in said,
              (status, said))
        lost(p, "a.c")
    check(p.trust("--remove", ".")[0] == 0)
    check(fault_of(p, "a.c") is None)
    p.projects(SETTINGS)
    check(p.trust("--yes", ".")[0] == 0)
    p.mine({"approvals": {"yes_i_am_the_person": True}})
    check(p.stet("trust", "--remove", ".")[0] == 0)


if __name__ == "__main__":
    sys.exit(run([
        a_trusted_hook_is_not_lost_with_its_file,
        a_mode_does_not_bring_it_back,
        no_root_is_a_way_around,
        no_root_above_is_a_way_around,
        the_person_decides,
        an_older_list_is_on_the_safe_side,
        no_program_takes_the_trust_back,
    ]))
