#!/usr/bin/env python3
"""time.py [--slow] [--seconds N] PROGRAM [CASE...] - patterns with exponential
matching time, and calls of clients that are gone.

No case measures time: too much work is refused by a budget that the error
names; otherwise the case would not end.
"""
import json
import os
import pathlib
import socket
import sys

# Appended: tests/system/encodings.py must not shadow Python's module.
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "system"))
# pylint: disable=wrong-import-position
from talk import Talk, check, run

MIB = 1 << 20
HARD = "*a*a*a*a*a*a*a*a*b\n"


def said(error):
    """Message and data of a refusal, as one text."""
    return error["message"] + str(error.get("data"))


def change(server, path):
    return server.call("write_text_file", path=str(path), content="x")[1]


def refused(server, path, *words):
    error = change(server, path)
    check(error and error["code"] == -32002, f"{path}: {error}")
    check(error["data"]["reason"] == "ignored", error)
    for word in words:
        check(word in said(error), f"{word!r} is not in {error}")


def many_patterns_are_refused_in_words(options, work):
    """C16: an ignore file over its budget makes the files below read-only, and
    the error names the file and the limit."""
    rows = [
        ("bytes", b"#" * (MIB + 1), "too large", "1048576"),
        ("patterns", b"a\n" * 65537, "too many patterns", "65536"),
        ("length", b"*" * 4097, "too long", "4096"),
        ("steps", HARD.encode() * 50000, "takes too long", "steps"),
    ]
    for name, content, *words in rows:
        (work / name).mkdir()
        (work / name / ".stetignore").write_bytes(content)
    # sparse: of any size, and not read
    (work / "sparse").mkdir()
    with open(work / "sparse/.stetignore", "wb") as file:
        file.truncate(1 << 40)
    rows.append(("sparse", b"", "too large", "1048576"))
    server = Talk(options, work)
    for name, _, *words in rows:
        refused(server, work / name / ("a" * 200),
                str(work / name / ".stetignore"), *words)
        check(not (work / name / ("a" * 200)).exists(), name)
    # the harmless counterpart: files beside it can be changed, reading works,
    # and with a valid file everything works again
    check(not change(server, work / "f"))
    for name, *_ in rows:
        (work / name / "f").write_text("read me")
        check(server.call("read_text_file",
                          path=str(work / name / "f"))[0], name)
        (work / name / ".stetignore").write_text("*.o\n")
        check(not change(server, work / name / "f"), name)
        refused(server, work / name / "f.o", ".stetignore:1")
    server.close()
    server.kill()


def eleven_megabytes_on_the_way_down_are_refused(options, work):
    """C16: each file is within its limit, their sum is not; also with
    .gitignore, and through a link."""
    where = work
    for _ in range(11):
        (where / ".stetignore").write_bytes(HARD.encode() * (MIB // 19))
        (where / ".gitignore").write_bytes(HARD.encode() * (MIB // 19))
        where = where / ("a" * 100)
        where.mkdir()
    (work / "short").symlink_to(where)
    (work / ".stet").mkdir()
    (work / ".stet/config.json").write_text('{"gitignore": true}')
    server = Talk(options, work)
    for path in (where / "a", work / "short/a", where / "new"):
        refused(server, path, "limit", "ignore")
    server.close()
    server.kill()


def deep_directories_are_refused_in_words(options, work):
    """C16: more directory levels than are searched for ignore files."""
    deep = work / "/".join(["d"] * 63)
    deep.mkdir(parents=True)
    (deep / "deeper").mkdir()
    server = Talk(options, work)
    check(not change(server, deep / "deeper/f")) # no ignore files at all
    (work / ".stetignore").write_text("*.o\n")
    refused(server, deep / "deeper/f", "too deep", "64 levels")
    check(not change(server, deep / "f"))
    refused(server, deep / "f.o", ".stetignore:1")
    server.close()
    server.kill()


def an_ignore_file_of_any_kind_holds_nobody_up(options, work):
    """C16: a FIFO, socket, device, directory or link does not block; what is
    not a regular file makes the files below read-only."""
    secret = pathlib.Path(os.environ["HOME"], "outside")
    secret.write_text("nothing\n")
    made = []

    def make(name, how):
        (work / name).mkdir()
        how(work / name / ".stetignore")
        made.append(name)

    make("fifo", os.mkfifo)
    make("dir", os.mkdir)
    make("out", lambda p: p.symlink_to(secret))
    make("loop", lambda p: p.symlink_to(p))
    make("null", lambda p: p.symlink_to("/dev/zero"))
    with socket.socket(socket.AF_UNIX) as listens:
        make("socket", lambda p: listens.bind(str(p)))
        server = Talk(options, work)
        for name in made:
            refused(server, work / name / "f",
                    f"the ignore file {work / name}/.stetignore ")
        (work / "in").mkdir()
        (work / "in/patterns").write_text("*.o\n")
        (work / "in/.stetignore").symlink_to("patterns")
        refused(server, work / "in/f", "in/.stetignore is a link")
        # the harmless counterpart: a symlinked directory
        (work / "in/.stetignore").unlink()
        (work / "in/.stetignore").write_text("*.o\n")
        (work / "way").symlink_to("in")
        check(not change(server, work / "way/f"))
        refused(server, work / "way/f.o", ".stetignore:1")
        server.close()
        server.kill()


def a_change_of_an_ignore_file_counts_at_once(options, work):
    """C16: even with the same size and timestamps, within the timestamp
    granularity; repeatedly."""
    path = work / ".stetignore"
    names = ("one", "two", "six")
    server = Talk(options, work)
    stamp = None
    for i in range(60):
        path.write_text(names[i % 3] + "\n")
        if stamp:
            os.utime(path, ns=stamp)
        stamp = (path.stat().st_atime_ns, path.stat().st_mtime_ns)
        for name in names:
            if name == names[i % 3]:
                refused(server, work / name, ".stetignore:1")
            else:
                check(not change(server, work / name), f"{i} {name}")
    path.unlink()
    check(not change(server, work / "one"))
    server.close()
    server.kill()


def settings_files_over_their_budget_do_not_count(options, work):
    """C16: an .editorconfig or .gitattributes over its budget is ignored, with
    a message."""
    text = "Größe\n".encode("latin-1") * 20
    rule = "[*]\ncharset = latin1\n"
    cases = {
        "none": (b"", None),
        "honest": (rule.encode(), None),
        "large": (rule.encode() + b"#" * MIB, "too large"),
        "hard": (rule.encode() + (f"[{HARD.strip()}]\n").encode() * 49000,
                 "takes too long"),
    }
    for name, (content, _) in cases.items():
        (work / name).mkdir()
        (work / name / ".editorconfig").write_bytes(content)
        (work / name / ("a" * 200)).write_bytes(text)
    server = Talk(options, work)
    for name, (_, word) in cases.items():
        reply = server.ask(server.request(
            "read_text_file", path=str(work / name / ("a" * 200))))
        result = reply["result"]
        check("Größe" in result["structuredContent"]["content"], result)
        notes = [item["text"] for item in result["content"][1:]]
        if not word:
            check(not notes, f"{name}: {notes}")
            continue
        check(len(notes) == 1 and word in notes[0] and
              f"{work / name}/.editorconfig" in notes[0] and
              "it is ignored" in notes[0], f"{name}: {notes}")
    server.close()
    server.kill()


def a_link_tells_nothing_of_a_denied_file(options, work):
    """C16 C59: an ignore file, .editorconfig or .gitattributes that links to a
    denied file has the same effect for any content."""
    (work / "hid").write_text("pw=hunter2\n* working-tree-encoding=latin1\n")
    (work / ".gitattributes").symlink_to("hid")
    (work / "text").write_bytes("Größe\n".encode("latin-1") * 20)
    server = Talk(options, work, "--deny", "*(hid)")
    reply = server.ask(server.request("read_text_file",
                                      path=str(work / "text")))
    check(".gitattributes is a link: it is ignored" in str(reply), reply)
    (work / ".stetignore").symlink_to("hid")
    for name in ("pw=hunter1", "pw=hunter2"):
        refused(server, work / name, ".stetignore is a link")
    # the harmless counterpart
    (work / ".stetignore").unlink()
    (work / ".stetignore").write_text("pw=hunter2\n")
    check(not change(server, work / "pw=hunter1"))
    refused(server, work / "pw=hunter2", ".stetignore:1")
    server.close()
    server.kill()


def rules_of_a_project_hold_nobody_up(options, work):
    """C16: expensive patterns in .stet/config.json: a match that exceeds the
    budget is a denial with that reason; encodings do not count."""
    hard = "**/*a*/" * 12 + "b"
    deep = work.joinpath("rules", *["aaaaaaaa"] * 400)
    deep.mkdir(parents=True)
    (deep / "x").write_text("hi\n")
    (work / "rules/.stet").mkdir()
    config = work / "rules/.stet/config.json"
    (work / "rules/plain").write_text("hi\n")
    for kind in ("deny", "ask", "ignore"):
        rules = [f"{hard}{i}" for i in range(600)]
        config.write_text(json.dumps({kind: rules if kind == "ignore" else
                                      [f"*({r})" for r in rules]}))
        server = Talk(options, work / "rules")
        error = change(server, deep / "x")
        check(error and (kind == "ask" or "too long" in said(error) or
                         kind == "ignore"), (kind, error))
        # the harmless counterpart: a file that is not deep
        check(not change(server, work / "rules/plain"), kind)
        server.close()
        server.kill()
    config.write_text(json.dumps({"encoding": {
        "{a,aa}" * 30 + f"b{i}": "windows-1252" for i in range(300)}}))
    deep = work.joinpath("rules", *["a" * 200] * 10)
    deep.mkdir(parents=True)
    (deep / "x.txt").write_bytes("Größe\n".encode("latin-1") * 20)
    server = Talk(options, work / "rules")
    reply = server.ask(server.request("read_text_file",
                                      path=str(deep / "x.txt")))
    check("takes too long to match: it is ignored" in str(reply), reply)
    server.close()
    server.kill()


if __name__ == "__main__":
    sys.exit(run([
        many_patterns_are_refused_in_words,
        eleven_megabytes_on_the_way_down_are_refused,
        deep_directories_are_refused_in_words,
        an_ignore_file_of_any_kind_holds_nobody_up,
        a_change_of_an_ignore_file_counts_at_once,
        settings_files_over_their_budget_do_not_count,
        a_link_tells_nothing_of_a_denied_file,
        rules_of_a_project_hold_nobody_up,
    ]))
