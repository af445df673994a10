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
    crlf = (lines[first] if end >= start and lines[first].endswith("\n")
            else lines[first - 1] if first else
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
    lines_are_replaced,
    lines_are_written_as_the_file_is,
    a_line_number_is_of_a_version,
    a_range_lies_in_the_file,
    a_dry_run_asks_nobody,
]

if __name__ == "__main__":
    sys.exit(run(CASES))
