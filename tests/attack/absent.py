#!/usr/bin/env python3
"""absent.py PROGRAM [CASE...] - similar names in the error for a missing file:
helpful ones, but none that the caller may not know.
"""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "system"))
# pylint: disable=wrong-import-position
from talk import Talk, check, run


def missing(server, path, tool="read_text_file"):
    """The error of reading a missing file."""
    _, error = server.call(tool, path=str(path))
    check(error["code"] == -32001
          and error["message"] == f"File not found: {path}", error)
    return error.get("data", {}).get("hint", "")


def the_nearest_names_are_told(options, work):
    """The message is as specified; the hint has similar names, the most
    similar first."""
    for name in ("server.c", "sever.c", "server.h", "other.txt",
                 "config.toml", "README.md"):
        (work / name).write_text("x\n")
    (work / "servers").mkdir()
    server = Talk(options, work)
    hint = missing(server, work / "servr.c")
    check(hint.startswith(f"Did you mean {work}/server.c, ")
          and f"{work}/server.h" in hint and "other" not in hint, hint)
    check(missing(server, work / "readme.md")
          == f"Did you mean {work}/README.md?", "without case")
    check(missing(server, work / "config") ==
          f"Did you mean {work}/config.toml?", "without its end")
    check(missing(server, work / "nothing-like-it") == "", "nothing is near")
    check(missing(server, work / "no" / "server.c") == "", "no directory")
    server.close()
    server.kill()


def a_directory_of_the_path_may_be_misspelled(options, work):
    """The file is named, if it is there; a directory alone never is."""
    for name in ("src/main.c", "src/deep/x.c", "private/plan.txt"):
        (work / name).parent.mkdir(exist_ok=True)
        (work / name).write_text("x\n")
    server = Talk(options, work, "--deny", "read(private)")
    for wrong, right in (("srx/main.c", "src/main.c"),
                         ("SRC/main.c", "src/main.c"),
                         ("srx/deep/x.c", "src/deep/x.c"),
                         ("src/dep/x.c", "src/deep/x.c")):
        check(missing(server, work / wrong) == f"Did you mean {work / right}?",
              missing(server, work / wrong))
    for wrong in ("srx/dep/x.c", "srx/other.c", "privat/plan.txt", "srx"):
        check(missing(server, work / wrong) == "", wrong)
    server.close()
    server.kill()


def no_hidden_name_is_told(options, work):
    """Denied, ask-read, ignored and sensitive files and stet's own are not
    named."""
    root = work / "root"
    root.mkdir()
    for name in ("plan1.txt", "plan2.txt", "plan3.txt", ".env", "id_rsa",
                 "plan4.txt"):
        (root / name).write_text("x\n")
    (root / ".gitignore").write_text("plan3.txt\n")
    (root / "plan5.txt").symlink_to("/etc/passwd")
    server = Talk(options, root, "--deny", "read(plan1.txt)",
                  "--ask", "read(plan2.txt)", "--ignore", "plan3.txt")
    check(missing(server, root / "plan.txt")
          == f"Did you mean {root}/plan4.txt?", missing(server,
                                                        root / "plan.txt"))
    for name in (".en", ".envv", "id_rs", "id_rsaa"):
        check(missing(server, root / name) == "", name)
    for path in ("/etc/passwdd", root / ".." / "roo"):
        _, error = server.call("read_text_file", path=str(path))
        check("Did you mean" not in str(error), error)
    server.close()
    server.kill()


if __name__ == "__main__":
    sys.exit(run([the_nearest_names_are_told,
                  a_directory_of_the_path_may_be_misspelled,
                  no_hidden_name_is_told]))
