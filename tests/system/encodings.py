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
    """R59: `stet encoding` reports the encoding and the line endings of each
    file."""
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
    """A14: a binary file is reported as such."""
    path = put(work, "image", b"\x89PNG\r\n\x1a\n\0\0\0")
    status, _, said = stet(options, "encoding", path)
    check(status == 1 and "binary" in said, said)
    status, _, said = stet(options, "encoding", os.path.join(work, "none"))
    check(status == 1 and "No such file" in said, said)


def a_file_is_converted_and_back(options, work):
    """A48: atomically, with the mode preserved; converting back gives the same
    bytes."""
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
    """A48: a character that the target encoding lacks is named with its line;
    nothing is written."""
    path = put(work, "arrow", "one\ntwo → three\n".encode())
    status, _, said = stet(options, "convert", "--to", "windows-1252", path)
    check(status == 1 and "line 2" in said and "→" in said, said)
    check(get(path) == "one\ntwo → three\n".encode(), "it changed")


def ascii_is_no_other_name_of_utf8(options, work):
    """A48: text that ASCII lacks is refused, other text is written in it."""
    accents = put(work, "accents", "one\ncafé\n".encode())
    wide = put(work, "wide", "plain\n".encode("utf-16"))
    for name in ("ascii", "US-ASCII", "us_ascii"):
        status, said, wrong = stet(options, "convert", "--to", name, accents)
        check(status == 1 and not said and
              "ascii cannot represent 'é' (line 2)" in wrong, (said, wrong))
        check(get(accents) == "one\ncafé\n".encode(), get(accents))
    status, said, _ = stet(options, "convert", "--to", "ascii", wide)
    check(status == 0 and "ascii, was utf-16le" in said and
          get(wide) == b"plain\n", (said, get(wide)))


def the_doctor_finds_what_is_doubtful(options, work):
    """A14: only files of doubtful encoding are listed."""
    project = os.path.join(work, "project")
    os.makedirs(os.path.join(project, ".git"))
    put(project, "fine.c", b"int main;\n")
    put(project, "mixed.txt", b"a\r\nb\n")
    put(project, ".git/mixed", b"a\r\nb\n")
    status, said, _ = stet(options, "doctor", project)
    check(status == 0, said)
    check("mixed.txt: mixed line endings" in said, said)
    check(".git" not in said and "fine.c" not in said, said)
    check("2 files, 2 of them text, 1 to check" in said, said)
    check("(stdio) must be restarted by the client" in said, said)


def settings_above_the_root_do_not_count(options, work):
    """A14: .editorconfig and .gitattributes above the root are not read."""
    root = os.path.join(work, "root")
    os.makedirs(os.path.join(root, "inside"))
    for where, want in ((work, "é\n".encode()),
                        (root, "é\n".encode("latin-1"))):
        put(where, ".editorconfig", b"[*]\ncharset = latin1\n")
        path = os.path.join(root, "inside", os.path.basename(where))
        status, said, _ = stet(options, "call", "write_text_file", "--root",
                               root, "--path", path, "--content", "é\n")
        check(status == 0, said)
        check(get(path) == want, (where, get(path)))


def libraries():
    """Every path from which uchardet could be loaded."""
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True,
                            text=True, check=True, timeout=60).stdout
    return {os.path.realpath(line.split(" => ")[1])
            for line in listed.splitlines() if "libuchardet.so" in line}


def without_uchardet():
    """A command prefix that hides the library from the command."""
    hide = "".join(f"mount --bind /dev/null {path} && "
                   for path in libraries()) + 'exec "$@"'
    words = ["unshare", "-m" if os.geteuid() == 0 else "-Urm", "sh", "-c",
             hide, "sh"]
    load = "import ctypes; ctypes.CDLL('libuchardet.so.0')"
    done = subprocess.run([*words, sys.executable, "-c", load],
                          capture_output=True, text=True, check=False,
                          timeout=60)
    check(done.returncode == 1 and "OSError" in done.stderr,
          "the library cannot be hidden: needs root, or a system where users "
          f"may make namespaces (unshare -Urm). {done.stderr}")
    return words


GERMAN = "Die Straße über den großen Fluß wäre schön.\n" * 4 + "Für Gäste.\n"
RUSSIAN = "Это обычный русский текст, и слов в нем достаточно.\n" * 4


def without_the_library_legacy_text_is_a_low_guess(options, work):
    """A14 R59: certain encodings stay certain; a guessed one is read with low
    confidence, and not written if it matters."""
    hidden = without_uchardet()

    def told(*words):
        done = subprocess.run([*hidden, str(options.program), *words],
                              capture_output=True, text=True, check=False,
                              timeout=120)
        check(done.stderr == "", done)
        return done.returncode, done.stdout

    def edit(path, old, new, *more):
        return told("call", "edit_text_file", "--root", str(work), "--path",
                    path, "--old_string", old, "--new_string", new, *more)

    for name, data, want in [
        ("ascii", b"plain words\n", "utf-8, lf"),
        ("utf-8", "naïve ключ 日本\n".encode(), "utf-8, lf"),
        ("utf-16", "naïve\n".encode("utf-16"), "utf-16le, lf"),
        ("german", GERMAN.encode("cp1252"), "windows-1252 (low), lf"),
        ("russian", RUSSIAN.encode("cp1251"), "windows-1252 (low), lf"),
        ("korean", ("한국어로 쓰여진 문서입니다.\n" * 4).encode("euc-kr"),
         "windows-1252 (low), lf"),
    ]:
        path = put(work, name, data)
        status, said = told("encoding", path)
        check(status == 0 and said == f"{path}: {want}\n", (name, said))
    status, said = told("call", "read_text_file", "--root", str(work),
                        "--path", path)
    check(status == 0 and '"encoding_confidence":"low"' in said, said)
    # Text that depends on the guess is not written, unless the encoding
    # is configured.
    path = os.path.join(work, "german")
    status, said = edit(path, "Gäste.", "Leute.")
    check(status == 6 and "is too uncertain to change" in said, said)
    check(get(path) == GERMAN.encode("cp1252"), "it changed")
    path = put(work, "named", ("eins\n" + RUSSIAN).encode("cp1251"))
    status, said = edit(path, "eins", "один", "--encoding",
                        "named=windows-1251")
    check(status == 0, said)
    check(get(path) == ("один\n" + RUSSIAN).encode("cp1251"), "not spliced")


if __name__ == "__main__":
    sys.exit(run([
        files_are_told_apart, what_is_no_text_is_told,
        a_file_is_converted_and_back, what_cannot_be_held_is_left_alone,
        ascii_is_no_other_name_of_utf8,
        the_doctor_finds_what_is_doubtful,
        settings_above_the_root_do_not_count,
        without_the_library_legacy_text_is_a_low_guess]))
