#!/usr/bin/env python3
"""encodings.py [--slow] PROGRAM [CASE...] - stet encoding, convert, doctor."""
import os
import subprocess
import sys

from talk import check, run


def stet(options, *words):
    done = subprocess.run([str(options.program), *words], check=False,
                          capture_output=True, timeout=120)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def put(work, name, data):
    path = os.path.join(work, name)
    with open(path, "wb") as out:
        out.write(data)
    return path


def get(path):
    with open(path, "rb") as data:
        return data.read()


JAPANESE = "日本語のテキストです。これはシフトジスで書かれています。\n" * 4


def files_are_told_apart(options, work):
    """R59: the encoding and the line ends of each are told."""
    for name, data, want in [
        ("plain", b"a\n", "utf-8, lf"),
        ("windows", b"a\r\nb\r\n", "utf-8, crlf"),
        ("mark", b"\xef\xbb\xbfa\n", "utf-8-bom, lf"),
        ("wide", "é\n".encode("utf-16"), "utf-16le, lf"),
        ("mixed", b"a\r\nb\n", "utf-8, mixed"),
    ]:
        status, said, _ = stet(options, "encoding", put(work, name, data))
        check(status == 0 and said.strip().endswith(": " + want),
              f"{name}: {said!r}")
    path = put(work, "japanese", JAPANESE.encode("cp932"))
    _, said, _ = stet(options, "encoding", path)
    check("shift_jis" in said or "cp932" in said, said)


def what_is_no_text_is_told(options, work):
    """A14: and what is none, is told as such."""
    path = put(work, "image", b"\x89PNG\r\n\x1a\n\0\0\0")
    status, _, said = stet(options, "encoding", path)
    check(status == 1 and "binary" in said, said)
    status, _, said = stet(options, "encoding", os.path.join(work, "none"))
    check(status == 1 and "No such file" in said, said)


def a_file_is_converted_and_back(options, work):
    """A48: in one step, mode kept, and back to the same bytes."""
    path = put(work, "text", JAPANESE.encode("cp932"))
    os.chmod(path, 0o640)
    status, said, wrong = stet(options, "convert", "--to", "utf-8", path)
    check(status == 0, wrong)
    check(get(path) == JAPANESE.encode(), "not UTF-8")
    check(os.stat(path).st_mode & 0o777 == 0o640, "the mode is lost")
    stet(options, "convert", "--to", "utf-16le", path)
    check(get(path) == b"\xff\xfe" + JAPANESE.encode("utf-16le"), "UTF-16")
    status, _, _ = stet(options, "convert", "--to", "shift_jis", path)
    check(status == 0 and get(path) == JAPANESE.encode("cp932"), "not back")


def what_cannot_be_held_is_left_alone(options, work):
    """A48: the character and its line are named, nothing is written."""
    path = put(work, "arrow", "one\ntwo → three\n".encode())
    status, _, said = stet(options, "convert", "--to", "windows-1252", path)
    check(status == 1 and "line 2" in said and "→" in said, said)
    check(get(path) == "one\ntwo → three\n".encode(), "it changed")


def the_doctor_finds_what_is_doubtful(options, work):
    """A14: doubtful files are listed, others are not."""
    project = os.path.join(work, "project")
    os.makedirs(os.path.join(project, ".git"))
    put(project, "fine.c", b"int main;\n")
    put(project, "mixed.txt", b"a\r\nb\n")
    put(project, ".git/mixed", b"a\r\nb\n")
    status, said, _ = stet(options, "doctor", project)
    check(status == 0, said)
    check("mixed.txt: line ends are mixed" in said, said)
    check(".git" not in said and "fine.c" not in said, said)
    check("2 files, 2 of them text, 1 to look at" in said, said)


if __name__ == "__main__":
    sys.exit(run([
        files_are_told_apart, what_is_no_text_is_told,
        a_file_is_converted_and_back, what_cannot_be_held_is_left_alone,
        the_doctor_finds_what_is_doubtful]))
