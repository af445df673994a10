#!/usr/bin/env python3
"""groups.py [--slow] PROGRAM [CASE...] - what one call changed in several files,
in the log and when it is undone."""
import re
import sqlite3
import sys

from history import Place
from server import environment
from talk import Talk, check, run


def grouped(p, names=("a", "b", "sub/c")):
    """Files that one call has changed, as the history has it; their ids."""
    (p.root / "sub").mkdir(exist_ok=True)
    for name in names:
        (p.root / name).write_text("1\n2\n3\n")
    ops = [p.edit(name, "2", "two") for name in names]
    with sqlite3.connect(p.state / "history.db") as db:
        for op in ops:
            db.execute("UPDATE op SET group_id = ? WHERE id = ?",
                       [bytes.fromhex(o.replace("-", "")) for o in (ops[0], op)])
    db.close()
    return ops


def contents(p):
    return [p.read(name) for name in ("a", "b", "sub/c")]


NEW, OLD = "1\ntwo\n3\n", "1\n2\n3\n"


def the_log_has_one_line_for_a_call(options, work):
    """V13: one line for a group, and with --files each file; the ids and the
    size are in the JSON and in file_history."""
    p = Place(options, work)
    alone = p.write("alone", "x\n")
    ops = grouped(p)
    lines = p.fine("log").splitlines()
    check(len(lines) == 2 and lines[0].startswith(ops[0][-8:])
          and re.search("  update  3 files  edit_text_file", lines[0])
          and lines[1].startswith(alone[-8:]), lines)
    lines = p.fine("log", "--files").splitlines()
    check(len(lines) == 5 and lines[3].split() == [ops[2][-8:], "update",
                                                   "sub/c"], lines)
    lines = p.fine("log", "sub").splitlines()
    check(len(lines) == 1 and "3 files" in lines[0], lines)
    for op in p.log():
        if op["id"] == alone:
            check("group" not in op and "group_size" not in op, op)
        else:
            check(op["group"] == ops[0] and op["group_size"] == 3, op)
    check("group     " + ops[0] + ", 3 operations" in p.fine("show", ops[1]))
    talk = p.serve()
    got, fault = talk.call("file_history", path=str(p.root / "b"))
    check(not fault and got["operations"][0]["group"] == ops[0]
          and got["operations"][0]["group_size"] == 3, got)
    talk.close()
    talk.kill()


def any_operation_undoes_all(options, work):
    """V14: undo by any operation of a group, by the path of any file, of the
    session or the latest; redo by any, too."""
    p = Place(options, work)
    ops = grouped(p)
    for words in ([ops[1]], ["sub"], [], ["--since", "1h"], ops):
        out = p.fine("undo", *words)
        check(contents(p) == [OLD] * 3, (words, out))
        back = re.search(r"To revert this: stet redo (.*)", out)[1].split()
        line = p.fine("log").splitlines()[0]
        check("3 files" in line and "undoes" in line, line)
        check("(undone)" in p.fine("log").splitlines()[-1])
        p.fine("redo", *back[2:])
        check(contents(p) == [NEW] * 3, words)
    out = p.fine("undo", ops[2], "--dry-run")
    check(contents(p) == [NEW] * 3 and out.count("would undo") == 3, out)
    p.fine("undo")
    p.fine("redo", ops[1])
    check(contents(p) == [NEW] * 3)


def one_conflict_stops_all(options, work):
    """V15: nothing is changed, every conflict is listed, and the status is 10;
    as a tool -32013. Changes elsewhere in the files are kept."""
    p = Place(options, work)
    ops = grouped(p)
    (p.root / "b").write_text("1\nmine\n3\n")
    (p.root / "sub/c").write_text("1\nmine\n3\n")
    before = contents(p)
    status, out, said = p.run("undo", ops[0])
    check(status == 10 and contents(p) == before, (status, out, said))
    check(f"{p.root}/b:" in said and f"{p.root}/sub/c:" in said
          and f"{p.root}/a:" not in said and "All files" in said, said)
    got = p.json("undo", ops[0], status=10)
    check(got["conflicts"] == 1 and got["undone"] == 0, got)
    talk = p.serve()
    _, fault = talk.call("undo_file_change", operation=ops[2])
    check(fault["code"] == -32013 and contents(p) == before, fault)
    check([c["path"] for c in fault["data"]["conflicts"]]
          == [f"{p.root}/b", f"{p.root}/sub/c"], fault)
    check(all(c["conflicts"][0]["ours"] for c in fault["data"]["conflicts"]),
          fault)
    talk.close()
    talk.kill()
    p.fine("undo", ops[0], "--conflicts=theirs")
    check(contents(p) == [OLD] * 3)


def only_one_file(options, work):
    """V16: --only, and operation with path, take one file; the rest is told,
    and stays in effect."""
    p = Place(options, work)
    ops = grouped(p)
    out = p.fine("undo", ops[0], "--only", "b")
    check(contents(p) == [NEW, OLD, NEW], out)
    check("2 other files of the same change are not undone" in out, out)
    check("(partly undone)" in p.fine("log").splitlines()[-1])
    p.fine("redo", ops[0], "--only", "b")
    check(contents(p) == [NEW] * 3)
    status, _, said = p.run("undo", ops[0], "--only", "other")
    check(status == 3 and "did not change" in said, (status, said))
    check(p.run("undo", "--only", "b")[0] == 2)
    talk = p.serve()
    got, fault = talk.call("undo_file_change", operation=ops[0],
                           path=str(p.root / "sub/c"))
    check(not fault and got["undone"] == ops[2] and got["rest"] == 2
          and "files" not in got, got)
    check(contents(p) == [NEW, NEW, OLD])
    got, fault = talk.call("undo_file_change", operation=ops[0])
    check(not fault and [f["path"] for f in got["files"]]
          == [f"{p.root}/a", f"{p.root}/b"] and "rest" not in got, got)
    check(contents(p) == [OLD] * 3)
    got, fault = talk.call("undo_file_change",
                           operation=got["files"][1]["operation"])
    check(not fault and contents(p) == [NEW, NEW, OLD], got)
    _, fault = talk.call("undo_file_change", operation=ops[0],
                         path=str(p.root / "alone"))
    check(fault["code"] == -32602, fault)
    talk.close()
    talk.kill()


PATCH = """*** Begin Patch
*** Update File: a
@@
-2
+two
*** Update File: b
*** Move to: made/for/b2
@@
-2
+two
*** Delete File: sub/c
*** Add File: new/d
+4
*** End Patch
"""


def look(p):
    """Every name with its mode and content."""
    return {str(path.relative_to(p.root)):
            (path.stat().st_mode, path.is_file() and path.read_bytes())
            for path in sorted(p.root.rglob("*"))}


def a_patch_is_undone_with_names_and_directories(options, work):
    """V13 V14: contents, modes, names and directories are as before; redo
    makes all of it again. The old name of a moved file is no file of its
    own."""
    p = Place(options, work)
    (p.root / "sub").mkdir()
    for name, mode in (("a", 0o640), ("b", 0o755), ("sub/c", 0o600)):
        (p.root / name).write_text(OLD)
        (p.root / name).chmod(mode)
    old = look(p)
    p.fine("call", "apply_patch", "--root", p.root, "--input", PATCH)
    new = look(p)
    check(new["made/for/b2"] == (old["b"][0], NEW.encode()), new)
    check("patch   4 files  apply_patch" in p.fine("log"), p.fine("log"))
    ops = p.log()
    check(len(ops) == 5 and len({op["group"] for op in ops}) == 1
          and [op.get("from") for op in ops if op["kind"] == "move"]
          == [str(p.root / "b")], ops)
    for op in ops:
        p.fine("undo", op["id"])
        check(look(p) == old, (op, look(p), old))
        p.fine("redo", op["id"])
        check(look(p) == new, (op, look(p), new))


def what_one_may_not_write_stops_all(options, work):
    """V14: a client that may not change one of the files undoes none."""
    p = Place(options, work)
    ops = grouped(p)
    for rule in ("--deny=write(b)", "--deny=read(b)"):
        talk = p.serve(rule)
        _, fault = talk.call("undo_file_change", operation=ops[0])
        check(fault and contents(p) == [NEW] * 3, (rule, fault))
        check("b'" not in fault["message"], fault)
        talk.close()
        talk.kill()


def what_cannot_be_kept_is_told_or_refused(options, work):
    """V10: without a private directory for its record a group is made and the result
    has the reason; with --history=required it is refused."""
    p = Place(options, work)
    home = work / "home"
    private = home / ".local" / "state" / "stet"
    private.mkdir(parents=True)
    (private / "journal").mkdir()
    (private / "journal").chmod(0o755) # others may read it: it is not used
    patch = "\n".join(["*** Begin Patch", "*** Add File: {0}/a", "+a",
                       "*** Add File: {0}/b", "+b", "*** End Patch", ""])
    for flags in (["--history=required"], []):
        talk = Talk(options, p.root, "--state-dir", str(p.state), *flags,
                    env=environment(home))
        got, fault = talk.call("apply_patch", input=patch.format(p.root))
        talk.close()
        talk.kill()
        if flags:
            check(fault and fault["code"] == -32603
                  and str(private) in fault["message"], (got, fault))
            check(not list(p.root.iterdir()))
        else:
            check(not fault and str(private) in got["_meta"]["history"], got)
            check(p.read("a") == "a\n" and p.read("b") == "b\n")


if __name__ == "__main__":
    sys.exit(run([
        what_cannot_be_kept_is_told_or_refused,
        the_log_has_one_line_for_a_call,
        any_operation_undoes_all,
        one_conflict_stops_all,
        only_one_file,
        a_patch_is_undone_with_names_and_directories,
        what_one_may_not_write_stops_all,
    ]))
