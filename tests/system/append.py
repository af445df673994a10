#!/usr/bin/env python3
"""append.py [--slow] [--large] PROGRAM [CASE...] - append_file: what is added,
how it is encoded, undone, and that nothing is lost between many writers.
"""
import sys
import threading

from talk import Talk, check, result_of, run


def place(work):
    root = work / "root"
    root.mkdir()
    return root


def append(server, path, content, **more):
    return server.call("append_file", path=str(path), content=content, **more)


def processes_lose_nothing(options, work):
    """V86: 16 processes append to one file, which none of them made: every
    line of every process is there once, whole and in order."""
    root, writers = place(work), 16
    lines = 500 if options.large else 50 if options.slow else 150
    servers = [Talk(options, root, "--history=off", "--durability=process")
               for _ in range(writers)]
    faults = []

    def write(number):
        server = servers[number]
        for first in range(0, lines, 25):
            numbers = range(first, min(first + 25, lines))
            server.post(*(server.request(
                "append_file", path=f"{root}/log",
                content=f"{number} {n} {'x' * (37 * n % 300)}\n")
                for n in numbers))
            faults.extend(filter(None, (result_of(server.reply())[1]
                                        for _ in numbers)))

    threads = [threading.Thread(target=write, args=(n,))
               for n in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for server in servers:
        server.close()
        server.kill()
    check(not faults, faults[:3])
    seen = {n: [] for n in range(writers)}
    for line in (root / "log").read_text().splitlines():
        number, n, pad = line.split(" ")
        check(pad == "x" * (37 * int(n) % 300), line)
        seen[int(number)].append(int(n))
    check(all(got == list(range(lines)) for got in seen.values()), "lost")


ENCODED = [
    # Python's codec, mark, old text, new text, the file afterwards
    ("utf-16-le", b"\xff\xfe", "äö\r\nb\r\n", "ü\nx\n", "äö\r\nb\r\nü\r\nx\r\n"),
    ("utf-16-be", b"\xfe\xff", "äö\nb", "ü\n", "äö\nb\nü\n"),
    ("utf-16-le", b"\xff\xfe", "äö\r\nb", "ü\n", "äö\r\nb\r\nü\r\n"),
    ("utf-32-le", b"\xff\xfe\0\0", "a\nb", "ü\n", "a\nb\nü\n"),
    ("utf-8", b"\xef\xbb\xbf", "ä\n", "ü\n", "ä\nü\n"),
    ("utf-8", b"", "a\r\nb", "ü\n", "a\r\nb\r\nü\r\n"),
    ("utf-8", b"", "a\r\nb\nc\n", "ü\n", "a\r\nb\nc\nü\n"),
    ("shift_jis", b"", "これは日本語の文章です。\n漢字とかな\n", "表示\n",
     "これは日本語の文章です。\n漢字とかな\n表示\n"),
]


def text_is_encoded_as_the_file_is(options, work):
    """V87: in UTF-16, UTF-32, Shift_JIS, with CRLF and marks; a character that
    the encoding lacks is refused, and nothing is written."""
    root = place(work)
    server = Talk(options, root, "--encoding", "sjis*=shift_jis")
    for number, (codec, mark, old, new, want) in enumerate(ENCODED):
        kind = "sjis" if codec == "shift_jis" else "f"
        path = root / f"{kind}{number}"
        path.write_bytes(mark + old.encode(codec))
        got, error = append(server, path, new)
        check(not error, (number, error))
        check(path.read_bytes() == mark + want.encode(codec),
              (number, path.read_bytes()))
        meta = got["_meta"]
        check(bool(meta.get("repaired")) == (old[-1] != "\n"), got)
        check(meta["at"] == len(mark + old.encode(codec)), got)
        added = len(want.encode(codec)) - len(old.encode(codec))
        check(got["content"] ==
              f"Successfully appended {added} bytes to {path}", got)
    path = root / "sjis7"
    before = path.read_bytes()
    for text in ("emoji 😀\n", "한국어\n"):
        _, error = append(server, path, text)
        check(error["code"] == -32602, error)
        check(path.read_bytes() == before, "something was written")
    server.close()
    server.kill()


def a_mark_is_there_once(options, work):
    """V87: a new file in a configured encoding begins with its mark, and
    what is appended has none."""
    root = place(work)
    server = Talk(options, root, "--encoding", "*=utf-16le")
    for _ in range(3):
        _, error = append(server, root / "f", "ä\n")
        check(not error, error)
    check((root / "f").read_bytes() ==
          b"\xff\xfe" + "ä\n".encode("utf-16-le") * 3)
    server.close()
    server.kill()


def an_addition_is_undone_where_it_was_put(options, work):
    """V88: though others have appended since, and with the line ending that
    completed the last line; a second addition stays."""
    root = place(work)
    server = Talk(options, root)
    for codec, eol in (("utf-8", "\n"), ("utf-8", "\r\n"),
                       ("utf-16", "\n"), ("utf-16", "\r\n")):
        path = root / f"{codec}{len(eol)}"
        start = f"ä{eol}b".encode(codec)
        path.write_bytes(start)
        first, error = append(server, path, "first\n")
        check(not error and first["_meta"]["repaired"], error)
        whole = path.read_bytes()
        append(server, path, "second\n")
        tail = path.read_bytes()[len(whole):]
        with open(path, "ab") as out:
            out.write(tail)
        _, error = server.call("undo_file_change",
                               operation=first["_meta"]["operation"])
        check(not error, error)
        check(path.read_bytes() == start + tail * 2, path.read_bytes())
    new, _ = append(server, root / "new", "1\n")
    append(server, root / "new", "2\n")
    server.call("undo_file_change", operation=new["_meta"]["operation"])
    check((root / "new").read_bytes() == b"2\n", (root / "new").read_bytes())
    only, _ = append(server, root / "only", "1\n")
    server.call("undo_file_change", operation=only["_meta"]["operation"])
    check(not (root / "only").exists(), "it was created by the append")
    server.close()
    server.kill()


def what_was_appended_is_made_again(options, work):
    """V88: redo adds the same bytes, completed line included."""
    root = place(work)
    server = Talk(options, root)
    path = root / "f"
    path.write_bytes(b"a\r\nb")
    done, _ = append(server, path, "c\n")
    check(path.read_bytes() == b"a\r\nb\r\nc\r\n", path.read_bytes())
    back, error = server.call("undo_file_change",
                              operation=done["_meta"]["operation"])
    check(not error and path.read_bytes() == b"a\r\nb", (back, error))
    again, error = server.call("undo_file_change",
                               operation=back["operation"])
    check(not error and path.read_bytes() == b"a\r\nb\r\nc\r\n",
          (again, error))
    server.close()
    server.kill()


def a_read_is_kept_up_to_date(options, work):
    """V90: no read is needed; who has read the file before the addition may
    edit it after, unless somebody else has changed it."""
    root = place(work)
    server = Talk(options, root)
    path = root / "f"
    path.write_bytes(b"a\n")

    def stale(old, new):
        reply = server.ask(server.request("Edit", file_path=str(path),
                                          old_string=old, new_string=new))
        return reply["result"].get("structuredContent", {}).get("errorCode")

    append(server, path, "b\n")
    check(stale("a", "A") == 2, "it was never read")
    server.call("Read", file_path=str(path))
    append(server, path, "c\n")
    check(stale("a", "A") is None, "its own addition")
    check(path.read_bytes() == b"A\nb\nc\n", path.read_bytes())
    with open(path, "ab") as out:
        out.write(b"theirs\n")
    append(server, path, "d\n")
    check(stale("A", "a") == 3, "somebody else's is not known")
    got, error = append(server, path, "e\n", if_version="0" * 32)
    check(error["code"] == -32013, error)
    got, _ = append(server, path, "e\n")
    got, error = append(server, path, "f\n",
                        if_version=got["_meta"]["version"])
    check(not error and path.read_bytes().endswith(b"d\ne\nf\n"), error)
    server.close()
    server.kill()


CASES = [
    processes_lose_nothing,
    text_is_encoded_as_the_file_is,
    a_mark_is_there_once,
    an_addition_is_undone_where_it_was_put,
    what_was_appended_is_made_again,
    a_read_is_kept_up_to_date,
]

if __name__ == "__main__":
    sys.exit(run(CASES))
