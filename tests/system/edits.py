#!/usr/bin/env python3
"""edits.py [--slow] PROGRAM [CASE...] - the tools that change one file, with
rules, history and the record of what was read.
"""
import random
import sys

from talk import Talk, check, run


def place(work):
    root = work / "root"
    root.mkdir()
    return root


def ids(server):
    """The operations of the history, newest first."""
    got, error = server.call("file_history")
    check(not error, error)
    return [op["id"] for op in got["operations"]]


def a_dry_run_asks_nobody(options, work):
    """V111: edit_file with dryRun asks nobody, writes nothing and is no
    operation; the same call without it asks."""
    root = place(work)
    (root / "f").write_text("one\ntwo\n")
    server = Talk(options, root, "--ask", "write(**)", "--tools=all")
    edits = [{"oldText": "two", "newText": "2"}]
    dry, error = server.call("edit_file", path=f"{root}/f", edits=edits,
                             dryRun=True)
    check(not error and "-two\n+2\n" in dry["content"], error)
    check(ids(server) == [] and (root / "f").read_text() == "one\ntwo\n")
    _, error = server.call("edit_file", path=f"{root}/f", edits=edits)
    check(error["code"] == -32007, error)
    server.close()
    server.kill()


def coded(server, tool, **arguments):
    """The errorCode or the code of a failed call; None if it succeeded."""
    reply = server.ask(server.request(tool, **arguments))
    if "error" in reply:
        return reply["error"]["code"]
    result = reply["result"]
    got = result["structuredContent"]
    if not result.get("isError"):
        return None
    return got["errorCode"] if "errorCode" in got else got["error"]["code"]


def replaced(lines, start, end, new):
    """What replace_lines makes of @lines, each with its line ending."""
    first = start - 1
    above = [line for line in lines[:first] if line.endswith("\n")]
    crlf = (lines[first] if end >= start and lines[first].endswith("\n")
            else above[-1] if above else
            lines[first] if first < len(lines) else "\n").endswith("\r\n")
    eol = "\r\n" if crlf else "\n"
    open_end = bool(lines) and not lines[-1].endswith("\n") and end == len(lines)
    new = [line.rstrip("\n") + eol for line in new.splitlines(keepends=True)
           ] if new.endswith("\n") or not new or not open_end else [
        *[line[:-1] + eol for line in new.splitlines(keepends=True)[:-1]],
        new.splitlines()[-1]]
    before = lines[:first]
    if new and before and not before[-1].endswith("\n"):
        before[-1] += eol
    return before + new + lines[end:]


def lines_are_replaced(options, work):
    """V97: 1,000 random ranges are replaced, filled and deleted, at the first
    and the last line, without a final newline, in LF, CRLF and mixed files;
    the model is a list of lines"""
    root, rng = place(work), random.Random(97)
    server = Talk(options, root, "--history=off", "--durability=process")
    path = root / "f"
    for _ in range(100 if options.slow else 1000):
        eols = rng.choice([["\n"], ["\r\n"], ["\n", "\r\n"]])
        lines = [f"{n} ä{'x' * rng.randrange(9)}" + rng.choice(eols)
                 for n in range(rng.choice([0, 1, 2, 5, 40]))]
        if lines and rng.random() < 0.4:
            lines[-1] = lines[-1].rstrip("\r\n")
        start = rng.choice([1, len(lines) + 1, rng.randint(1, len(lines) + 1)])
        end = rng.choice([start - 1, len(lines),
                          rng.randint(start - 1, len(lines))])
        new = "\n".join(f"new {n}" for n in range(rng.choice([0, 1, 1, 3])))
        new += rng.choice(["", "\n"]) if new else ""
        path.write_bytes("".join(lines).encode())
        server.call("Read", file_path=str(path))
        got, error = server.call("replace_lines", path=str(path),
                                 start_line=start, end_line=end, content=new)
        want = replaced(lines, start, end, new)
        check(not error, (lines, start, end, new, error))
        check(path.read_bytes().decode() == "".join(want),
              (lines, start, end, new, path.read_bytes()))
        span = got["line_range"]
        count = len(new.splitlines())
        check(span == {"start": start, "end": start + count - 1}, (span, new))
        check([line.rstrip("\r\n") for line in
               want[span["start"] - 1:span["end"]]] == new.splitlines(), span)
    server.close()
    server.kill()


def made_file(rng, name):
    eol = rng.choice(["\n", "\r\n"])
    lines = [f"{name}{n} ä{'x' * rng.randrange(9)}"
             for n in range(rng.choice([0, 1, 2, 5, 30]))]
    text = "".join(line + eol for line in lines)
    if text and rng.random() < 0.3:
        text = text[:-len(eol)]
    return lines, eol, text


def lines_are_moved(options, work):
    """V91 V93: 1,000 moves and copies, up, down and between files: every line
    is there with its characters, and ends as its file's lines do"""
    root, rng = place(work), random.Random(91)
    server = Talk(options, root, "--history=off", "--durability=process")
    a, b = root / "a", root / "b"
    for _ in range(100 if options.slow else 1000):
        old, eol, text = made_file(rng, "a")
        if not old:
            continue
        a.write_bytes(text.encode())
        within, copy = rng.random() < 0.5, rng.random() < 0.3
        to, to_eol, to_text = (old, eol, text) if within else made_file(rng, "b")
        b.write_bytes(to_text.encode())
        for path in (a, b):
            server.call("Read", file_path=str(path))
        start = rng.randint(1, len(old))
        end = rng.randint(start, len(old))
        line = rng.randint(1, len(to) + 1)
        if within and start < line <= end:
            continue
        where = {} if line == len(to) + 1 and rng.random() < 0.5 else \
            {"line": line}
        got, error = server.call(
            "move_lines", source=str(a), start_line=start, end_line=end,
            destination=str(a if within else b), copy=copy, **where)
        check(not error, error)
        part = old[start - 1:end]
        kept = old if copy else old[:start - 1] + old[end:]
        at = line - 1 - (len(part) if within and not copy and line > end else 0)
        base = kept if within else to
        want = base[:at] + part + base[at:]
        check(got["destination"] == {"start": at + 1, "end": at + len(part)} and
              got["source"] == {"start": start, "end": end}, got)
        texts = a.read_bytes().decode(), b.read_bytes().decode()
        check(texts[0].splitlines() == (want if within else kept),
              (text, start, end, line, texts[0]))
        made = texts[0] if within else texts[1]
        check(made.splitlines() == want, (to_text, start, end, line, made))
        # a file without a line ending takes those of the lines, or LF
        if to_text.count("\n"):
            check(made.count("\n") == made.count(to_eol) and
                  made.count("\r\n") in (0, made.count("\n")), made)
        if not within:
            check(copy == (texts[0] == text) or texts[0] == "".join(
                text.splitlines(keepends=True)[:start - 1] +
                text.splitlines(keepends=True)[end:]), texts[0])
    server.close()
    server.kill()


def a_move_is_told_in_few_words(options, work):
    """V95: at most 600 bytes for 10,000 lines"""
    root = place(work)
    (root / "a").write_text("".join(f"{n} {'x' * 200}\n"
                                    for n in range(10000)))
    (root / "b").write_text("1\n")
    server = Talk(options, root)
    for name in "ab":
        server.call("read_text_file", path=str(root / name))
    got, error = server.call("move_lines", source=f"{root}/a", start_line=1,
                             end_line=10000, destination=f"{root}/b")
    check(not error and len(got["content"].encode()) <= 600 and
          "\n2: 0 xxx" in got["content"], (error, got))
    check((root / "a").read_bytes() == b"" and
          (root / "b").read_text().count("\n") == 10001)
    server.close()
    server.kill()


def a_move_changes_both_or_none(options, work):
    """V92 V93 V94 V96: a file that was not read, has changed, cannot encode
    the lines or may not be written: neither is changed; a move is one group,
    undone as one"""
    root = place(work)
    a, b, s = root / "a", root / "b", root / "sjis"
    server = Talk(options, root, "--encoding", "sjis=shift_jis", "--deny",
                  "write(**/denied)")

    def move(to, **more):
        before = {p.name: p.read_bytes() for p in root.iterdir()}
        code = coded(server, "move_lines", **{
            "source": str(a), "start_line": 1, "end_line": 2,
            "destination": str(to), **more})
        same = before == {p.name: p.read_bytes() for p in root.iterdir()}
        check(same == (code is not None), (code, to, more))
        return code

    a.write_text("ß1\n2\n3\n")
    b.write_text("b\n")
    s.write_bytes("日本\n".encode("shift_jis"))
    (root / "denied").write_text("d\n")
    check(move(b) == 2, "neither was read")
    server.call("Read", file_path=str(a))
    check(move(b) == 2, "b was not read")
    for path in (b, s, root / "denied"):
        server.call("Read", file_path=str(path))
    b.write_text("theirs\n")
    check(move(b) == 3, "b has changed")
    read, _ = server.call("read_text_file", path=str(b))
    check(move(s) == -32602, "ß is not in Shift_JIS")
    check(move(root / "denied") == -32002, "it may not be written")
    for more in ({"end_line": 4}, {"start_line": 3}, {"start_line": 0},
                 {"line": 3}, {"line": -1}):
        check(move(b, **more) == -32600, more)
    check(move(a, line=2) == -32600, "into itself")
    check(move(b, if_destination_version="0" * 32) == 3)
    check(move(b, if_destination_version=read["_meta"]["version"]) is None)
    check((a.read_text(), b.read_text()) == ("3\n", "theirs\nß1\n2\n"))
    listed, _ = server.call("file_history")
    ops = listed["operations"]
    check(len(ops) == 2, ops)
    for op in ops: # undoing one of them may have undone the group
        _, error = server.call("undo_file_change", operation=op["id"])
        check(not error or op is ops[1], error)
    check((a.read_text(), b.read_text()) == ("ß1\n2\n3\n", "theirs\n"),
          (a.read_text(), b.read_text()))
    server.close()
    server.kill()


def a_line_number_is_of_a_version(options, work):
    """V92: unread is errorCode 2, changed since 3 with what changed; an
    if_version replaces that. V98: without being listed."""
    root = place(work)
    path = root / "f"
    path.write_text("1\n2\n3\n")
    server = Talk(options, root)

    def replace(start, end, **more):
        return coded(server, "replace_lines", path=str(path), start_line=start,
                     end_line=end, content="new\n", **more)
    listed = server.ask({"jsonrpc": "2.0", "id": 0, "method": "tools/list"})
    names = {tool["name"] for tool in listed["result"]["tools"]}
    check("replace_lines" not in names and "Edit" in names, names)
    check(replace(2, 2) == 2, "it was not read")
    read, _ = server.call("read_text_file", path=str(path))
    with open(path, "a") as out:
        out.write("4\n")
    reply = server.ask(server.request("replace_lines", path=str(path),
                                      start_line=2, end_line=2, content="n"))
    check(reply["result"]["structuredContent"]["errorCode"] == 3 and
          "+4" in reply["result"]["content"][1]["text"], reply)
    check(replace(2, 2, if_version=read["_meta"]["version"]) == 3, "its old")
    now, _ = server.call("get_file_info", path=str(path))
    read, _ = server.call("Read", file_path=str(path))
    check(replace(2, 2) is None, now)
    check(path.read_text() == "1\nnew\n3\n4\n", path.read_text())
    check(replace(2, 2) is None, "its own change is known")
    server.close()
    server.kill()


def lines_are_written_as_the_file_is(options, work):
    """V93: new lines have the encoding and line ending of their place; a
    character that the encoding lacks is refused."""
    root = place(work)
    server = Talk(options, root, "--encoding", "sjis=shift_jis",
                  "--encoding", "latin=latin1")
    for name, codec, old, want in (
            ("utf16", "utf-16-le", "\ufeffä\r\nb", "\ufeffä\r\nß\r\nc"),
            ("utf8", "utf-8", "\ufeffä\nb\n", "\ufeffä\nß\nc\n"),
            ("latin", "latin-1", "ä\r\nb\r\n", "ä\r\nß\r\nc\r\n")):
        path = root / name
        path.write_bytes(old.encode(codec))
        server.call("Read", file_path=str(path))
        _, error = server.call("replace_lines", path=str(path), start_line=2,
                               end_line=2, content="ß\nc")
        check(not error and path.read_bytes() == want.encode(codec),
              (name, error, path.read_bytes()))
    path = root / "sjis"
    path.write_bytes("日本\n".encode("shift_jis"))
    server.call("Read", file_path=str(path))
    check(coded(server, "replace_lines", path=str(path), start_line=1,
                end_line=1, content="ß\n") == -32602)
    check(path.read_bytes() == "日本\n".encode("shift_jis"), "it was changed")
    server.close()
    server.kill()


def a_range_lies_in_the_file(options, work):
    """V94: outside, reversed, from 0: -32600, and nothing is changed."""
    root = place(work)
    path = root / "f"
    path.write_text("1\n2\n3\n")
    server = Talk(options, root)
    server.call("Read", file_path=str(path))
    for start, end in ((0, 1), (-1, 1), (1, 4), (5, 4), (5, 5), (3, 1),
                       (1, -1), (4, 4), (2 ** 40, 2 ** 40)):
        code = coded(server, "replace_lines", path=str(path), start_line=start,
                     end_line=end, content="new\n")
        check(code == -32600, (start, end, code))
    check(path.read_text() == "1\n2\n3\n", "it was changed")
    check(coded(server, "replace_lines", path=str(path), start_line=4,
                end_line=3, content="4") is None)
    check(path.read_text() == "1\n2\n3\n4\n", path.read_text())
    server.close()
    server.kill()


CASES = [
    lines_are_moved,
    a_move_is_told_in_few_words,
    a_move_changes_both_or_none,
    lines_are_replaced,
    lines_are_written_as_the_file_is,
    a_line_number_is_of_a_version,
    a_range_lies_in_the_file,
    a_dry_run_asks_nobody,
]

if __name__ == "__main__":
    sys.exit(run(CASES))
