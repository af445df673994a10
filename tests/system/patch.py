#!/usr/bin/env python3
"""patch.py [--slow] PROGRAM [CASE...] - apply_patch."""
import os
import sys

from grep import ENCODINGS, LETTERS, NAMED, encodes, put, stet_name
from talk import Talk, check, run


class Patcher(Talk):
    """A server whose files are in @work, and a client that reads the text."""

    def __init__(self, options, work, *flags):
        super().__init__(options, work, "--results=text", *flags, cwd=work)

    def patch(self, body, **more):
        """(text, second text or '', failed) of one patch."""
        result = self.ask(self.request(
            "apply_patch", input=f"*** Begin Patch\n{body}*** End Patch\n",
            **more))["result"]
        texts = [item["text"] for item in result["content"]] + [""]
        return texts[0], texts[1], result.get("isError", False)


def get(work, name):
    return (work / name).read_bytes()


def every_encoding_is_patched(options, work):
    """V45 V43: with LF and CRLF, and bytes outside the hunk as they were."""
    want, patch, flags = {}, "", []
    for name, mark in ENCODINGS.items():
        for eol in ("\n", "\r\n"):
            file = f"{name}{len(eol)}"
            text = eol.join(["first line", "old ö", "third 日本", ""])
            put(work, file, (mark or b"") + text.encode(name))
            want[file] = (mark or b"") + text.replace(
                "old ö", f"new ü{eol}more").encode(name)
            patch += (f"*** Update File: {file}\n first line\n-old ö\n+new ü\n"
                      "+more\n")
    for name in NAMED:
        letters = "".join(c for c in LETTERS if encodes(c, name))[:4]
        file = f"named-{name}"
        text = f"first {letters}\nold\nthird {letters}\n"
        put(work, file, text.encode(name))
        want[file] = text.replace("old", f"new {letters}").encode(name)
        patch += f"*** Update File: {file}\n-old\n+new {letters}\n"
        flags.append(f"--encoding={file}={stet_name(name)}")
    s = Patcher(options, work, *flags)
    said = s.patch(patch)
    check(not said[2], said)
    for file, data in want.items():
        check(get(work, file) == data, f"{file}: {get(work, file)!r}")
    s.close()


def limits_come_before_files(options, work):
    """V51: 201 files, and a byte more than 4 MiB; none of the files exists."""
    s = Patcher(options, work)
    body = "".join(f"*** Delete File: f{i}\n" for i in range(201))
    text, _, failed = s.patch(body)
    check(failed and "201 files (max 200)" in text, text)
    text, _, failed = s.patch(body[:body.index("*** Delete File: f200\n")])
    check(failed and text.startswith("File not found: "), text)
    frame = len("*** Begin Patch\n*** Delete File: \n*** End Patch\n")
    for extra in (0, 1):
        name = "x" * ((4 << 20) - frame + extra)
        text, _, failed = s.patch(f"*** Delete File: {name}\n")
        check(failed and text.startswith("Patch too large: 4194305 bytes") ==
              bool(extra), text[:200])
    s.close()


def a_failure_is_short(options, work):
    """V42 V34: at most 400 tokens, and the patch is not repeated."""
    lines = [f"\tvalue_{i} = compute(input_{i});" for i in range(400)]
    put(work, "f", "\n".join(lines).encode() + b"\n")
    put(work, "g", b"one\n\tsame();\n" * 300)
    s = Patcher(options, work)
    body = "".join(f"-{line.replace('compute', 'comptue')}\n"
                   for line in lines[100:200])
    text, _, failed = s.patch("*** Update File: f\n" + body)
    check(failed and len(text) <= 2000 and "comptue" not in text, text)
    check("Line 101 is " in text, text)
    text, _, failed = s.patch("*** Update File: g\n-\tsame();\n+x\n")
    check(failed and len(text) <= 2000 and "300 places" in text, text)
    s.close()


def a_rung_is_told_and_must_be_unique(options, work):
    """V41: in the second text; two places of one rung are refused."""
    put(work, "tabs", b"\tif (x)\n\t\tf();\n")
    put(work, "two", b"a \nb\na  \n")
    s = Patcher(options, work)
    text, second, _ = s.patch(
        "*** Update File: tabs\n     if (x)\n-        f();\n+        g();\n")
    check(text.endswith("M tabs\n") and "indentation" in second, second)
    check(get(work, "tabs") == b"\tif (x)\n\t\tg();\n", "tabs are lost")
    text, _, failed = s.patch("*** Update File: two\n-a\n+x\n")
    check(failed and "fit 2 places" in text, text)
    s.close()


def each_file_is_one_operation(options, work):
    """V46: however many sections name it; a file that comes and goes is none."""
    put(work, "a", b"1\n")
    s = Talk(options, work, cwd=work)
    body = ("*** Update File: a\n-1\n+2\n*** Update File: a\n-2\n+3\n"
            "*** Update File: ./a\n-3\n+4\n*** Add File: t\n+t\n"
            "*** Delete File: t\n")
    result, error = s.call(
        "apply_patch", input=f"*** Begin Patch\n{body}*** End Patch\n")
    check(not error and len(result["files"]) == 1, (result, error))
    check(get(work, "a") == b"4\n" and not (work / "t").exists(), "wrong")
    history, _ = s.call("file_history", path=str(work / "a"))
    check(len(history["operations"]) == 1, history)
    s.close()


def a_moved_file_keeps_what_it_is(options, work):
    """V47 V48: mode, owner and attributes, into directories that are made."""
    put(work, "run.sh", b"echo 1\n")
    os.chmod(work / "run.sh", 0o750)
    try:
        os.setxattr(work / "run.sh", "user.note", b"kept")
        marked = True
    except OSError:
        marked = False
    s = Patcher(options, work)
    text, _, failed = s.patch("*** Update File: run.sh\n*** Move to: "
                              "bin/new/run.sh\n-echo 1\n+echo 2\n")
    check(not failed and text.endswith("M bin/new/run.sh\n"), text)
    to = work / "bin/new/run.sh"
    check(to.read_bytes() == b"echo 2\n" and not (work / "run.sh").exists(),
          "not moved")
    check(to.stat().st_mode & 0o7777 == 0o750, oct(to.stat().st_mode))
    check(not marked or os.getxattr(to, "user.note") == b"kept", "no note")
    s.close()


if __name__ == "__main__":
    sys.exit(run([
        every_encoding_is_patched,
        limits_come_before_files,
        a_failure_is_short,
        a_rung_is_told_and_must_be_unique,
        each_file_is_one_operation,
        a_moved_file_keeps_what_it_is,
    ]))
