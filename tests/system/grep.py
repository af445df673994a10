#!/usr/bin/env python3
"""grep.py [--slow] PROGRAM [CASE...] - the tool Grep on whole servers."""
import json
import os
import pathlib
import random
import re
import select
import subprocess
import sys
import threading
import time

from port import Client, Port
from talk import Talk, check, run

FLAGS = ["--results=plain"]


def put(root, name, data, mtime=None):
    path = pathlib.Path(root) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    if mtime is not None:
        os.utime(path, (mtime, mtime))
    return path


class Searcher:
    """A server, and Grep on it."""

    def __init__(self, options, root, *flags, **more):
        self.talk = Talk(options, root, *FLAGS, *flags, **more)

    def raw(self, **arguments):
        arguments = {k.replace("__", "-"): v for k, v in arguments.items()}
        return self.talk.ask(self.talk.request("Grep", **arguments))

    def texts(self, **arguments):
        reply = self.raw(**arguments)
        check("result" in reply, f"an error: {reply}")
        return [item["text"] for item in reply["result"]["content"]]

    def text(self, **arguments):
        return self.texts(**arguments)[0]

    def close(self):
        self.talk.close()


def vectors(work):
    """The files of L14, in the order of their times."""
    put(work, "src/b.py", "foo\r\nx\r\n", 1000)
    put(work, "src/deep/c d.c", "a:b foo\n", 2000)
    put(work, "src/a.c", "foo one\nbar\nfoo two foo\n", 3000)


def the_texts_are_those_of_claude_code(options, work):
    """F33 F34 F35 F36 F37 F38 F40 F42 F46: recorded calls and their texts."""
    vectors(work)
    s = Searcher(options, work)
    page = "[Showing results with pagination = "
    for want, more in [
        ("Found 3 files\nsrc/a.c\nsrc/deep/c d.c\nsrc/b.py", {}),
        ("Found 1 file limit: 1\nsrc/a.c", {"head_limit": 1}),
        ("Found 2 files offset: 1\nsrc/deep/c d.c\nsrc/b.py",
         {"head_limit": 3, "offset": 1}),
        ("Found 2 files limit: 2\nsrc/a.c\nsrc/deep/c d.c",
         {"head_limit": 2, "offset": 0}),
        ("Found 2 files limit: 2\nsrc/a.c\nsrc/deep/c d.c",
         {"head_limit": "2", "-n": "true"}),
        ("Found 1 file limit: 1, offset: 1\nsrc/deep/c d.c",
         {"head_limit": 1, "offset": 1}),
        ("No files found", {"pattern": "nothing"}),
        (f"No entries at this offset. {page}offset: 9]", {"offset": 9}),
        ("src/a.c:1:foo one\nsrc/a.c:3:foo two foo\nsrc/b.py:1:foo\n"
         "src/deep/c d.c:1:a:b foo", {"output_mode": "content"}),
        ("1:foo one\n3:foo two foo",
         {"output_mode": "content", "path": "src/a.c"}),
        ("foo one\nfoo two foo",
         {"output_mode": "content", "path": "src/a.c", "-n": False}),
        (f"3:foo two foo\n\n{page}offset: 1]",
         {"output_mode": "content", "path": "src/a.c", "offset": 1}),
        (f"No entries at this offset\n\n{page}offset: 9]",
         {"output_mode": "content", "path": "src/a.c", "offset": 9}),
        (f"1:foo one\n\n{page}limit: 1]",
         {"output_mode": "content", "path": "src/a.c", "head_limit": 1}),
        ("No matches found", {"output_mode": "content", "pattern": "none"}),
        ("src/a.c-1-foo one\nsrc/a.c:2:bar\nsrc/a.c-3-foo two foo",
         {"output_mode": "content", "pattern": "bar", "-C": 1}),
        ("1:foo\n2-bar\n3:foo\n3:foo",
         {"output_mode": "content", "path": "src/a.c", "-o": True, "-C": 1}),
        ("src/a.c:1:foo one\nsrc/a.c:2:bar",
         {"output_mode": "content", "pattern": "one.bar",
          "multiline": True}),
        ("src/a.c:2\nsrc/b.py:1\nsrc/deep/c d.c:1\n\n"
         "Found 4 total occurrences across 3 files.",
         {"output_mode": "count"}),
        ("src/a.c:1\n\nFound 1 total occurrence across 1 file.",
         {"output_mode": "count", "pattern": "bar"}),
        ("src/b.py:1\n\nFound 4 total occurrences across 3 files. with "
         "pagination = limit: 1, offset: 1",
         {"output_mode": "count", "offset": 1, "head_limit": 1}),
        ("No matches found\n\nFound 0 total occurrences across 0 files.",
         {"output_mode": "count", "pattern": "none"}),
        ("No entries at this offset\n\nFound 4 total occurrences across 3 "
         "files. with pagination = offset: 9",
         {"output_mode": "count", "offset": 9}),
    ]:
        got = s.texts(**{"pattern": "foo", "path": "src", **more})
        check(got == [want], f"{more}: {got!r}")
    put(work, "ctx", "".join(
        "HIT\n" if i in (5, 15) else f"l{i}\n" for i in range(1, 21)))
    got = s.text(pattern="HIT", output_mode="content", context=1, glob="ctx",
                 __n=False)
    check(got == "ctx-l4\nctx:HIT\nctx-l6\n--\nctx-l14\nctx:HIT\nctx-l16", got)
    for more in ({"context": 3}, {"-A": 3, "-B": 0}, {"-A": 0, "-B": 3}):
        got = s.text(**{"pattern": "HIT", "output_mode": "content",
                        "glob": "ctx", "-C": 1, "-n": False, **more})
        check(got.count("\n") == 6 and got.startswith("ctx-l4\nctx:HIT"),
              f"-C wins over {more}: {got}")
    for wrong in [{"head_limit": -1}, {"nonsense": 1},
                  {"output_mode": "lines"}, {"include": "a", "glob": "b"}]:
        reply = s.raw(pattern="foo", **wrong)
        check(reply.get("error", {}).get("code") == -32602, str(reply))
    s.close()


ARGUMENTS = { # of Claude Code's Grep: type, default, choices
    "pattern": ("string", None, None),
    "path": ("string", None, None),
    "glob": ("string", None, None),
    "type": ("string", None, None),
    "output_mode": ("string", "files_with_matches",
                    {"content", "files_with_matches", "count"}),
    "-A": ("integer", None, None),
    "-B": ("integer", None, None),
    "-C": ("integer", None, None),
    "context": ("integer", None, None),
    "-n": ("boolean", True, None),
    "-i": ("boolean", False, None),
    "-o": ("boolean", False, None),
    "multiline": ("boolean", False, None),
    "head_limit": ("integer", None, None),
    "offset": ("integer", None, None),
}


def the_arguments_are_those_of_claude_code(options, work):
    """F33: names, types, defaults and choices in the list of tools."""
    s = Searcher(options, work)
    listed = s.talk.ask({"jsonrpc": "2.0", "id": "list",
                         "method": "tools/list"})["result"]["tools"]
    [tool] = [t for t in listed if t["name"] == "Grep"]
    schema = tool["inputSchema"]
    check(schema["required"] == ["pattern"], schema)
    got = {name: (p["type"], p.get("default"),
                  set(p["enum"]) if "enum" in p else None)
           for name, p in schema["properties"].items()}
    check(got == ARGUMENTS, str(got))
    s.close()


def a_page_has_250_entries(options, work):
    """F34 F40: unless head_limit says otherwise, 0 is no limit; files of the
    same time are sorted by path."""
    for i in range(260):
        put(work, f"d{i % 3}/{i:03}", "x\n", 1000)
    put(work, "lines", "y\n" * 260, 2000)
    s = Searcher(options, work)
    paths = sorted(f"d{i % 3}/{i:03}" for i in range(260))
    got = s.text(pattern="x").split("\n")
    check(got == ["Found 250 files limit: 250", *paths[:250]], str(got))
    got = s.text(pattern="x", head_limit=0).split("\n")
    check(got == ["Found 260 files", *paths], str(got))
    got = s.text(pattern="x", output_mode="count").split("\n")
    check(got[:250] == [f"{path}:1" for path in paths[:250]] and
          got[250:] == ["", "Found 260 total occurrences across 260 files. "
                        "with pagination = limit: 250"], str(got))
    for limit, lines, note in (({}, 250, "limit: 250"),
                               ({"head_limit": 0}, 260, None),
                               ({"head_limit": 260}, 260, None)):
        got = s.text(pattern="y", path="lines", output_mode="content",
                     **limit)
        page, _, end = got.partition("\n\n")
        check(page.count("\n") == lines - 1 and
              end == (f"[Showing results with pagination = {note}]"
                      if note else ""), f"{limit}: {got}")
    s.close()


def aliases_are_taken(options, work):
    """F10 F33: names that models slip in."""
    vectors(work)
    s = Searcher(options, work)
    check(s.text(regex="bar", dir_path="src", include="*.c") ==
          "Found 1 file\nsrc/a.c", "regex, dir_path, include")
    check(s.text(pattern="bar", path="src/a.c", output_mode="content",
                 before=1, after=0) == "1-foo one\n2:bar", "before, after")
    s.close()


def a_pattern_that_is_wrong_is_refused(options, work):
    """F45 F47 F53 F56 F57: as a result, with the place and the reason."""
    vectors(work)
    s = Searcher(options, work, "--results=both")
    for pattern, want in [
        ("foo(", "Bad pattern at 4: missing closing parenthesis"),
        ("a\\nb", "Bad pattern at 1: a newline matches only with "
                  "multiline: true"),
        ("a\\Cb", "Bad pattern at 3: using \\C is disabled by the "
                  "application"),
        ("[a&&b]", "Bad pattern at 2: && in a set"),
    ]:
        reply = s.raw(pattern=pattern)
        check(reply["result"].get("isError") and
              reply["result"]["content"][0]["text"].startswith(want) and
              code_of(reply) == -32602, str(reply))
    reply = s.raw(pattern="x", type="rusty")
    check(reply["result"].get("isError") and
          reply["result"]["content"][0]["text"] ==
          "Unknown file type: rusty\nNearest: rust, rst, ruby" and
          code_of(reply) == -32602, str(reply))
    s.close()


def code_of(reply):
    return reply["result"]["structuredContent"]["error"]["code"]


def paths_that_are_no_files_fail(options, work):
    """F49: missing, a FIFO, a binary file."""
    vectors(work)
    os.mkfifo(os.path.join(work, "fifo"))
    put(work, "bin", b"\x7fELF\0\0\0foo\nfoo foo\n")
    s = Searcher(options, work)
    for path, code in [("none", -32001), ("fifo", -32003)]:
        reply = s.raw(pattern="foo", path=path)
        check(reply["result"].get("isError") and
              str(code) in json.dumps(reply), str(reply))
    check(s.texts(pattern="foo", path="bin", output_mode="content") ==
          ["binary file matches (2)"], "content")
    check(s.texts(pattern="foo", path="bin") == ["Found 1 file\nbin"], "files")
    check(s.texts(pattern="foo", path="bin", output_mode="count") ==
          ["bin:2\n\nFound 2 total occurrences across 1 file."], "count")
    got = s.texts(pattern="foo two", output_mode="content")
    check(got == ["src/a.c:3:foo two foo", "Not searched: 1 binary, 1 special."],
          str(got))
    s.close()


def line_ends_are_no_part_of_a_line(options, work):
    """F48: ^ and $ at LF and CRLF; the CR is not shown."""
    put(work, "f", b"one\r\ntwo\nthree\r\n\r\nmid\rdle\n")
    s = Searcher(options, work)
    got = s.text(pattern="e$", path="f", output_mode="content")
    check(got == "1:one\n3:three\n5:mid\rdle", repr(got))
    check(s.text(pattern="^$", path="f", output_mode="content") == "4:", "^$")
    check(s.text(pattern="^t.*o$", path="f", output_mode="content") ==
          "2:two", "^t.*o$")
    s.close()


ENCODINGS = {
    "utf-8": None, "utf-8-sig": None, "utf-16-le": b"\xff\xfe",
    "utf-16-be": b"\xfe\xff", "utf-32-le": b"\xff\xfe\0\0",
    "utf-32-be": b"\0\0\xfe\xff",
}
NAMED = ["iso8859-1", "iso8859-2", "iso8859-3", "iso8859-4", "iso8859-5",
         "iso8859-6", "iso8859-7", "iso8859-8", "iso8859-9", "iso8859-10",
         "iso8859-13", "iso8859-15", "iso8859-16", "cp1250", "cp1251",
         "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258",
         "koi8-r", "koi8-u", "cp855", "cp866", "mac-cyrillic", "cp437",
         "cp850", "cp852", "mac-roman", "tis-620", "cp932", "euc_jp",
         "iso2022_jp", "gb18030", "gbk", "big5", "cp949"]
LETTERS = "中文字日本한글あいうéüñçßøåżščřėģčабвгдежзијћђїαβγδεшאבגدهوกขคงあいう中文字日本한글äöŠŽ€ý"
STET = {"iso2022_jp": "iso-2022-jp", "cp932": "shift_jis", "euc_jp": "euc-jp",
        "cp949": "euc-kr", "mac-roman": "macroman"}


def stet_name(name):
    if name in STET:
        return STET[name]
    if name.startswith("iso8859"):
        return name.replace("iso8859", "iso-8859")
    if name.startswith("cp"):
        return ("windows-" if name[2:4] == "12" else "ibm") + name[2:]
    return name


def text_is_found_in_every_encoding(options, work):
    """F58 F59 F60: by a pattern in UTF-8, with LF and CRLF and marks."""
    names = []
    for name, mark in ENCODINGS.items():
        for eol in ("\n", "\r\n"):
            text = eol.join(["first line of text", "needle naïve 日本",
                             "third", ""])
            file = f"uni/{name}{len(eol)}"
            put(work, file, (mark or b"") + text.encode(name))
            names.append(file)
    text = "a longer line of text in English\nneedle naïve\n" * 20
    for name in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        put(work, f"uni/nobom-{name}", text.encode(name))
    s = Searcher(options, work)
    got = s.texts(pattern="^needle na.ve", path="uni", output_mode="count")
    check(got[0].count(":1\n") == 12 and got[0].count(":20\n") == 4, got[0])
    check("Decoded: " in got[1] and "2 utf-16le" in got[1] and
          "1 utf-32be-nobom" in got[1], got[1])
    got = s.text(pattern="naïve 日本$", path="uni", output_mode="content")
    check(sorted(got.split("\n")) ==
          sorted(f"{n}:2:needle naïve 日本" for n in names), got)
    s.close()
    for name in NAMED:
        letters = "".join(c for c in LETTERS if encodes(c, name))[:4]
        check(letters, f"no letters in {name}")
        put(work, f"named/{name}",
            f"first\nneedle {letters} end\r\nlast\n".encode(name))
        s = Searcher(options, work, f"--encoding={name}={stet_name(name)}")
        got = s.text(pattern=f"needle {letters} end$", output_mode="content",
                     path=f"named/{name}")
        check(got == f"2:needle {letters} end", f"{name}: {got!r}")
        s.close()


def guesses_are_counted(options, work):
    """F60: files whose encoding could only be guessed, beside those with a
    mark and those that are UTF-8."""
    put(work, "guess", b"ca\xe9 needle\n")
    put(work, "marked", "needle\n".encode("utf-16"))
    put(work, "plain", "café needle\n")
    s = Searcher(options, work)
    got = s.texts(pattern="needle", output_mode="count")
    check(got[0].endswith("Found 3 total occurrences across 3 files."), got)
    check(re.fullmatch(r"Decoded: 1 utf-16le, 1 [a-z0-9-]+; 1 uncertain\.|"
                       r"Decoded: 1 [a-z0-9-]+, 1 utf-16le; 1 uncertain\.",
                       got[1]), got)
    check(len(s.texts(pattern="needle", path="plain")) == 1, "not decoded")
    s.close()


def valid_utf8_is_not_decoded(options, work):
    """F60: wherever the sample of 64 KiB, or a block, cuts a character, and
    with control characters; a file with invalid bytes counts."""
    for char in "éあ😀":
        data = char.encode()
        for end in (1 << 16, 1 << 17):
            for cut in range(1, len(data)):
                for name, front in (("", b""), ("mark", b"\xef\xbb\xbf"),
                                    ("control", b"\x01")):
                    line = front + b"needle\n"
                    put(work, f"valid/{name}{len(data)}{cut}-{end}",
                        line + b"x" * (end - cut - len(line)) + data + b"\n")
    put(work, "invalid", "ééé needle\n".encode() + b"\xff\n")
    put(work, "cut", "ééé needle".encode() + b"\xc3")
    s = Searcher(options, work)
    got = s.texts(pattern="needle", path="valid", output_mode="count")
    check(got[0].endswith("Found 36 total occurrences across 36 files.") and
          len(got) == 1, got)
    got = s.texts(pattern="needle", output_mode="count", glob="{invalid,cut}")
    check(got[1:] == ["Decoded: 2 utf-8."], got)
    s.close()


def encodes(char, name):
    try:
        return char.encode(name).decode(name) == char
    except UnicodeError:
        return False


def undecodable_bytes_match_nothing(options, work):
    """F61: but lines around them do."""
    put(work, "f", "héllo\nx".encode() + b"\xff" + "y\nwörld\n".encode())
    s = Searcher(options, work)
    check(s.text(pattern="x.y", path="f", output_mode="content") ==
          "No matches found", "x.y")
    check(s.text(pattern="x|w.rld", path="f", output_mode="content") ==
          "2:x\\xFFy\n3:wörld", "around")
    s.close()


def a_late_nul_makes_a_file_binary(options, work):
    """F62: in all three modes alike."""
    put(work, "f", b"needle\n" * 20000 + b"\0needle\n")
    put(work, "g", b"needle\n" * 100)
    s = Searcher(options, work)
    for mode, want in [("content", "g:1:needle"),
                       ("count", "g:100\n\nFound 100 total"),
                       ("files_with_matches", "Found 1 file\ng")]:
        got = s.texts(pattern="needle", output_mode=mode, head_limit=100)
        check(got[0].startswith(want) and
              got[1] == "Not searched: 1 binary.", f"{mode}: {got}")
    s.close()


def a_later_encoding_starts_again(options, work):
    """F58: bytes that are no UTF-8 far behind the sample."""
    put(work, "f", b"needle 1\n" * 30000 + "déjà vu, très élégant\n".encode(
        "latin-1") * 30 + b"needle 2\n")
    s = Searcher(options, work)
    got = s.texts(pattern="needle 2|déjà", path="f", output_mode="count")
    check(got[0].startswith("f:31\n") and "Decoded: 1 " in got[1], str(got))
    s.close()


def long_lines_are_cut(options, work):
    """F63 F64: around the first match, with what is left out on both sides;
    in a line of several parts the match is found once."""
    put(work, "f", "é" * 1000 + "needle" + "è" * 600 + "\n")
    for i, at in enumerate((10, (1 << 20) - 3, (1 << 20) + 60000, 3 << 20)):
        put(work, f"long{i}", b"x" * at + b"needle" + b"y" * (4 << 20) +
            b"\nneedle 2\n")
    s = Searcher(options, work)
    got = s.text(pattern="needle", path="f", output_mode="content")
    check(got == "1:[753 characters] " + "é" * 247 + "needle" + "è" * 247 +
          " [353 characters]", got)
    for i, at in enumerate((10, (1 << 20) - 3, (1 << 20) + 60000, 3 << 20)):
        got = s.text(pattern="needle", path=f"long{i}", output_mode="content")
        first, second = got.split("\n")
        check(second == "2:needle 2" and first.count("needle") == 1 and
              first.startswith("1:"), got)
        if i:
            before = int(first[2:].split()[0][1:])
            check(before + first.split("] ")[1].index("needle") == at, first)
        check(s.text(pattern="needle", path=f"long{i}", output_mode="count")
              .startswith(f"long{i}:2\n"), "count")
    s.close()


def costly_patterns_end(options, work):
    """F55: files given up are counted, others are searched, in bounded time."""
    for i in range(100):
        put(work, f"bad{i:03}", b"aab\n" + b"a" * 3000 + b"!\n")
    put(work, "good", b"aaa\n")
    s = Searcher(options, work)
    for pattern in ("^(a+)+$", "^(?:a|aa)+$"):
        got = s.texts(pattern=pattern)
        check(got[1] == "Partial: pattern too costly in 16 files.", str(got))
    got = s.texts(pattern="^(a+)+$", glob="{bad00[0-4],good}")
    check(got == ["Found 1 file\ngood",
                  "Partial: pattern too costly in 5 files."], str(got))
    s.close()


def look_around_works(options, work):
    """F54: what PCRE2 has and Rust's regex has not."""
    put(work, "f", "foobar\nfoobaz\nabccd\nx interface{} y\n")
    s = Searcher(options, work)
    for pattern, want in [("foo(?!bar)", "2:foobaz"), (r"(\w)\1d", "3:abccd"),
                          ("interface{}", "4:x interface{} y"),
                          ("(?<=foo)bar", "1:foobar")]:
        got = s.text(pattern=pattern, path="f", output_mode="content")
        check(got == want, f"{pattern}: {got!r}")
    s.close()


def tree(work, files, seed=1):
    rng = random.Random(seed)
    words = ["foo", "bar", "baz", "qux", "foo bar", "Foo", ""]
    for i in range(files):
        lines = [rng.choice(words) for _ in range(rng.randrange(1, 30))]
        put(work, f"d{i % 7}/s{i % 3}/f{i}", "\n".join(lines) + "\n", 5000)


def pages_joined_are_the_whole(options, work):
    """F41 F76: with growing offset, cut by the limit or by characters; also
    while another search runs."""
    tree(work, 120)
    s = Searcher(options, work, "--find-chars=1000000")
    small = Searcher(options, work, "--find-chars=700")
    stop = threading.Event()
    other = Searcher(options, work)

    def disturb():
        while not stop.is_set():
            other.text(pattern="a", output_mode="count")

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        for mode in ("content", "count", "files_with_matches"):
            arguments = {"pattern": "foo|qux", "output_mode": mode}
            if mode == "content":
                arguments["-C"] = 1
            whole = entries(s.text(head_limit=0, **arguments), mode)
            check(len(whole) > 50, f"{mode}: {len(whole)}")
            check(pages(s, arguments, head_limit=17) == whole[:len(whole)],
                  f"{mode}: pages")
            check(pages(small, arguments, head_limit=0) == whole,
                  f"{mode}: characters")
    finally:
        stop.set()
        thread.join()
    for each in (s, small, other):
        each.close()


def entries(text, mode):
    text = text.split("\n\n[Showing")[0].split("\n\nFound ")[0]
    lines = text.split("\n")
    return lines[1:] if mode == "files_with_matches" else lines


def pages(s, arguments, head_limit):
    found = []
    for _ in range(1000):
        got = s.texts(head_limit=head_limit, offset=len(found), **arguments)
        if "No entries at this offset" in got[0]:
            return found
        check(len(got[0]) < 25000, "a long text")
        found += entries(got[0], arguments["output_mode"])
        if "limit: " not in got[0]:
            return found
        if not head_limit:
            check(any(f"Next: offset={len(found)}." in t for t in got),
                  str(got[1:]))
    raise AssertionError("no end")


def every_run_gives_the_same_bytes(options, work):
    """F50: with 1 and with 8 threads, complete or cut."""
    tree(work, 600, seed=2)
    for i in range(40):
        put(work, f"d{i % 7}/bin{i}", b"\0\1\2")
    one = Searcher(options, work, "--find-threads=1")
    many = Searcher(options, work, "--find-threads=8")
    for arguments in [{"output_mode": "content", "-B": 1},
                      {"output_mode": "content", "head_limit": 0},
                      {"output_mode": "count"}, {}, {"head_limit": 5}]:
        want = one.texts(pattern="foo", **arguments)
        for _ in range(20):
            got = many.texts(pattern="foo", **arguments)
            check(got == want, f"{arguments}: {got} {want}")
    one.close()
    many.close()


def multiline_finds_across_lines(options, work):
    """F46 F65: every line of a match is shown; a huge file is too large."""
    put(work, "a", "one\ntwo\r\nthree\nfour\n")
    with open(os.path.join(work, "huge"), "wb") as out:
        out.truncate((64 << 20) + 1)
    s = Searcher(options, work)
    got = s.texts(pattern="one\\ntwo\\nth", output_mode="content",
                  multiline=True)
    check(got == ["a:1:one\na:2:two\na:3:three",
                  "Not searched: 1 too large."], str(got))
    got = s.texts(pattern="t.*?e|o", output_mode="count", multiline=True)
    check(got[0].startswith("a:3\n"), got[0])
    s.close()


def a_file_of_5_gb_needs_little_memory(options, work):
    """F65: 32 MiB above idle at most; all of it with --large."""
    path = os.path.join(work, "big")
    with open(path, "wb") as out:
        out.write(b"first needle\n")
        for i in range(1, 50 if options.large else 5):
            out.seek(i * 100 << 20)
            out.write(b"line\n" * 2000)
        out.write(b"last needle\n")
    put(work, "lines", b"some line of text\n" * 4000000 + b"needle\n")
    s = Searcher(options, work, "--find-timeout=600")
    idle = memory(s.talk)
    check(s.text(pattern="needle", path="lines", output_mode="content") ==
          "4000001:needle", "lines")
    # Holes are NUL bytes: the file is named, so it is searched as bytes.
    check(s.text(pattern="needle", path="big", output_mode="content") ==
          "binary file matches (2)", "big")
    most = memory(s.talk)
    check(options.slow or most - idle < 32 << 10, f"{most - idle} KiB")
    s.close()


def memory(talk):
    with open(f"/proc/{talk.process.pid}/status", encoding="ascii") as lines:
        return next(int(l.split()[1]) for l in lines if l.startswith("VmHWM"))


def files_that_change_give_one_of_their_states(options, work):
    """F66: grown, cut, replaced, removed and turned into directories and FIFOs
    while they are searched; no result mixes two files of one name."""
    stop = threading.Event()
    state = {0: b"one needle\n" * 3000, 1: b"two needle\n" * 9000}

    def change(i):
        rng = random.Random(i)
        path = os.path.join(work, f"f{i}")
        while not stop.is_set():
            data = state[rng.randrange(2)]
            with open(path + ".new", "wb") as out:
                out.write(data)
            os.rename(path + ".new", path)
            if rng.random() < 0.3:
                os.truncate(path, 11 * rng.randrange(2000))
            if rng.random() < 0.3:
                with open(path, "ab") as out:
                    out.write(b"more needle\n")
            if rng.random() < 0.2:
                os.unlink(path)
                make, undo = rng.choice([(os.mkdir, os.rmdir),
                                         (os.mkfifo, os.unlink)])
                make(path)
                undo(path)

    threads = [threading.Thread(target=change, args=(i,)) for i in range(6)]
    for each in threads:
        each.start()
    s = Searcher(options, work)
    try:
        for _ in range(40):
            got = s.text(pattern="needle", output_mode="content", glob="f?",
                         __n=False, head_limit=0)
            found = {}
            for line in entries(got, "content"):
                name, _, text = line.partition(":")
                found.setdefault(name, set()).add(text)
            for name, lines in found.items():
                check(name == "No matches found" or
                      lines <= {"one needle", "more needle"} or
                      lines <= {"two needle", "more needle"},
                      f"{name}: {lines}"[:300])
    finally:
        stop.set()
        for each in threads:
            each.join()
    s.close()


def the_deadline_ends_a_search(options, work):
    """F75: with what there is, and no failure."""
    line = b"a" * 17 + b"!\n"
    for i in range(400):
        put(work, f"f{i:03}", line * 2000)
    put(work, "f", b"needle\n")
    s = Searcher(options, work, "--find-timeout=1", "--find-threads=1",
                 "--results=both")
    reply = s.raw(pattern="(a|aa)+!?[bc](?<!x)|needle")
    result = reply["result"]
    check(not result.get("isError") and
          result["structuredContent"].get("timedOut") is True, str(reply))
    check(any("Partial: " in i["text"] for i in result["content"]), str(reply))
    check("f" in result["structuredContent"]["filenames"], str(reply))
    s.close()


def threads(talk):
    return len(os.listdir(f"/proc/{talk.process.pid}/task"))


def a_cancelled_search_ends(options, work):
    """F77: there is no reply, another search takes its turn, and its threads
    are gone. Uncancelled these searches take minutes."""
    for i in range(200):
        put(work, f"f{i:03}", (b"a" * 25 + b"!\n") * 2000)
    put(work, "small", b"needle\n")
    s = Searcher(options, work, "--find-timeout=600", "--find-threads=3")
    talk = s.talk
    slow = [talk.request("Grep", pattern="(a|aa)+!?[bc](?<!x)")
            for _ in range(2)]
    check(s.text(pattern="needle", path="small").endswith("small"), "before")
    idle = threads(talk)
    talk.post(slow[0])
    wait_for(talk, lambda: threads(talk) > idle)
    talk.post(slow[1]) # now no turn is free
    for each in slow:
        talk.post({"jsonrpc": "2.0", "method": "notifications/cancelled",
                   "params": {"requestId": each["id"]}})
    got = s.text(pattern="needle", path="small")
    check(got == "Found 1 file\nsmall", f"the first reply is {got}")
    wait_for(talk, lambda: threads(talk) <= idle + 1) # a second of the pool
    s.close()


def wait_for(talk, claim):
    end = time.monotonic() + talk.timeout
    while not claim():
        check(time.monotonic() < end, f"{threads(talk)} threads")
        time.sleep(0.01)


def progress_is_told(options, work):
    """F78: with a token, never falling; none without."""
    line = b"a" * 17 + b"!\n"
    for i in range(300):
        put(work, f"f{i:03}", line * 4000)
    s = Searcher(options, work, "--find-timeout=2", "--find-threads=1")
    talk = s.talk
    talk.post(talk.request("Grep", meta={"progressToken": "p"},
                           pattern="(a|aa)+!?[bc](?<!x)"))
    told, began = [], time.monotonic()
    while "id" not in (message := talk.reply()):
        check(message["method"] == "notifications/progress" and
              "total" not in message["params"], str(message))
        told.append(message["params"]["progress"])
    took = time.monotonic() - began
    check(told and told == sorted(told), str(told))
    check(len(told) <= 4 * took + 1, f"{len(told)} in {took} s")
    talk.post(talk.request("Grep", pattern="(a|aa)+!?[bc](?<!x)"))
    check("id" in talk.reply(), "progress without a token")
    s.close()


def a_third_search_waits_and_others_go_on(options, work):
    """F79 F80: a read is answered while two searches run and a third waits."""
    line = b"a" * 17 + b"!\n"
    for i in range(300):
        put(work, f"f{i:03}", line * 1000)
    put(work, "small", b"text\n")
    s = Searcher(options, work, "--find-timeout=2")
    talk = s.talk
    slow = [talk.request("Grep", pattern="(a|aa)+!?[bc](?<!x)") for _ in range(3)]
    read = talk.request("Read", file_path=os.path.join(work, "small"))
    talk.post(*slow, read)
    first = talk.reply()
    check(first["id"] == read["id"], f"{first['id']} came first")
    rest = sorted(talk.reply()["id"] for _ in range(3))
    check(rest == [m["id"] for m in slow], str(rest))
    s.close()


def no_client_takes_all_turns(options, work):
    """F80: one client has many searches waiting; those of two others are
    answered while most of its own still wait."""
    root = work / "root"
    for i in range(300):
        put(root, f"f{i:03}", (b"a" * 25 + b"!\n") * 1000)
    slow = {"pattern": "(a|aa)+!?[bc](?<!x)"} # takes until the deadline
    with Port(options, work, "--find-timeout=1", "--find-threads=1",
              clients=("greedy", "second", "third")) as port:
        waiting = {}
        clients = {who: Client(port, who)
                   for who in ("greedy", "second", "third")}
        for who in ["greedy"] * 30 + ["second", "third"]:
            http = clients[who].open(clients[who].tool("Grep", **slow))
            waiting[http.sock] = who, http
        seen = []
        while not {"second", "third"} <= set(seen):
            ready, _, _ = select.select(list(waiting), [], [], port.timeout)
            check(ready, f"no answer after {seen}")
            for sock in ready:
                who, http = waiting.pop(sock)
                check(http.answer().status == 200, who)
                http.close()
                seen.append(who)
        check(seen.count("greedy") <= 15, seen)
        for _, http in waiting.values():
            http.close()


def types_select_as_ripgrep_does(options, work):
    """F44: every type of its table."""
    listed = subprocess.run(["rg", "--no-config", "--type-list"], check=True,
                            capture_output=True, text=True).stdout
    types = dict(l.split(": ", 1) for l in listed.splitlines())
    names = set()
    for patterns in types.values():
        for one in patterns.split(", "):
            names |= spellings(one)
    for name in sorted(names):
        put(work, name, "x\n")
    s = Searcher(options, work)
    for name in types:
        want = subprocess.run(
            ["rg", "--no-config", "--hidden", "--sort", "path", "-l", "-t",
             name, "x"], cwd=work, capture_output=True, text=True,
            check=False).stdout.split("\n")[:-1]
        got = s.text(pattern="x", type=name, head_limit=0).split("\n")[1:]
        check(sorted(got) == sorted(want), f"{name}: {got} {want}")
    s.close()


def spellings(pattern):
    """Names that fit a pattern, and some that nearly do."""
    base = pattern.replace("*", "q")
    out = []
    while "[" in base:
        a, b = base.index("["), base.index("]")
        inner = base[a + 1:b]
        base = base[:a] + ("1" if inner == "0-9" else inner[-1]) + base[b + 1:]
    if "{" in base:
        a, b = base.index("{"), base.index("}")
        out = [base[:a] + x + base[b + 1:] for x in base[a + 1:b].split(",")]
    else:
        out = [base]
    return {n for o in out for n in (o, o + "x", o.upper())}


def machine_code_is_never_writable(options, work):
    """Patterns are compiled in a confined server, and no memory is
    writable and executable at once."""
    put(work, "f", "abc123\n")
    s = Searcher(options, work)
    check(s.text(pattern=r"[a-c]+\d+", path="f") == "Found 1 file\nf", "found")
    with open(f"/proc/{s.talk.process.pid}/maps", encoding="utf-8") as lines:
        maps = [l.split() for l in lines]
    check(not any("w" in m[1] and "x" in m[1] for m in maps), str(maps))
    check(options.slow or any("stet-code" in " ".join(m) for m in maps),
          "no machine code")
    s.close()


if __name__ == "__main__":
    sys.exit(run([
        the_texts_are_those_of_claude_code,
        the_arguments_are_those_of_claude_code,
        a_page_has_250_entries,
        aliases_are_taken,
        a_pattern_that_is_wrong_is_refused,
        paths_that_are_no_files_fail,
        line_ends_are_no_part_of_a_line,
        text_is_found_in_every_encoding,
        guesses_are_counted,
        valid_utf8_is_not_decoded,
        undecodable_bytes_match_nothing,
        a_late_nul_makes_a_file_binary,
        a_later_encoding_starts_again,
        long_lines_are_cut,
        costly_patterns_end,
        look_around_works,
        pages_joined_are_the_whole,
        every_run_gives_the_same_bytes,
        multiline_finds_across_lines,
        a_file_of_5_gb_needs_little_memory,
        files_that_change_give_one_of_their_states,
        the_deadline_ends_a_search,
        a_cancelled_search_ends,
        progress_is_told,
        a_third_search_waits_and_others_go_on,
        no_client_takes_all_turns,
        types_select_as_ripgrep_does,
        machine_code_is_never_writable,
    ]))
