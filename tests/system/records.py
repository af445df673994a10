#!/usr/bin/env python3
"""records.py [--slow] PROGRAM [CASE...] - the audit log (--audit) and local
events (--events).
"""
import json
import os
import subprocess
import sys
import threading

from talk import Talk, check, run
from server import difference, environment
from terminal import at_terminal

SECRET = "pa55word of nobody"


def lines(path):
    """The parsed lines; each is JSON, and the last one is complete."""
    text = path.read_text()
    check(text.endswith("\n") or not text, text[-200:])
    return [json.loads(line) for line in text.splitlines()]


def place(work):
    root = work / "root"
    root.mkdir()
    (root / "f").write_text(f"one\n{SECRET}\n")
    return root, root / "f", work / "log"


def every_call_has_one_line(options, work):
    """T61: time, tool, argument names, path and result; no content."""
    root, file, log = place(work)
    talk = Talk(options, root, "--audit", str(log))
    calls = [
        ("read_text_file", {"path": str(file)}, 0, "OK"),
        ("edit_text_file", {"path": str(file), "old_string": "one",
                            "new_string": SECRET}, 0, "OK"),
        ("edit_text_file", {"path": str(file), "old_string": "gone " + SECRET,
                            "new_string": "x"}, -32010, "NO_MATCH"),
        ("write_text_file", {"path": str(root / "new"), "content": SECRET},
         0, "OK"),
        ("write_text_file", {"path": "/etc/stet-no", "content": SECRET},
         -32002, "DENIED"),
        ("write_text_file", {"path": str(file), "content": "x",
                             "if_version": "0" * 32}, -32013, "CHANGED"),
        ("read_text_file", {"path": "relative"}, -32600, "NOT_ABSOLUTE"),
        ("read_text_file", {"path": str(file), SECRET: 1}, -32602,
         "BAD_ARGS"),
        ("hello", {}, 0, "OK"),
    ]
    for tool, arguments, code, _ in calls:
        fault = talk.call(tool, **arguments)[1]
        check((fault["code"] if fault else 0) == code, (tool, fault))
    # A request for an unknown tool is not a call.
    check(talk.call("no_such_tool", content=SECRET)[1], "no such tool")
    talk.close()
    talk.kill()
    got = lines(log)
    check(len(got) == len(calls), got)
    for line, (tool, arguments, code, result) in zip(got, calls):
        want = {"time": "@rfc3339@", "tool": tool,
                "parameters": [name if name != SECRET else "?"
                               for name in arguments],
                "code": code, "result": result, "user_approved": False,
                "client": "test 1", "who": "test 1 · only declared",
                "session": "@any@", "id": "@string@",
                "duration_ms": "@int@"}
        if "path" in arguments:
            want["path"] = arguments["path"]
        found = difference(want, line)
        check(not found, found)
    check(SECRET not in log.read_text(), "content is in it")
    check(os.stat(log).st_mode & 0o777 == 0o600, "others may read it")


def what_the_person_said_is_in_the_line(options, work):
    """T61: user_approved is recorded, and no hook runs before the approval."""
    root, _, log = place(work)
    env, path = environment(work), root / ".env"
    path.write_text("old\n")
    talk = Talk(options, root, "--audit", str(log), "--before-edit",
                f"echo run >>{work}/hooked", env=env)
    change = {"path": str(path), "content": "new\n"}
    fault = talk.call("write_text_file", **change)[1]
    check(fault and fault["code"] == -32007, fault)
    check(not (work / "hooked").exists(), "a hook ran before the answer")
    done = at_terminal([options.program, "approvals", "allow",
                        fault["data"]["approval"]], env)
    check(done.returncode == 0, done)
    check(not talk.call("write_text_file", **change)[1], "allowed")
    check((work / "hooked").read_text() == "run\n", "it ran once")
    talk.close()
    talk.kill()
    check([(line["result"], line["user_approved"]) for line in lines(log)]
          == [("APPROVAL", False), ("OK", True)], log.read_text())


def several_servers_share_one_file(options, work):
    """T61: lines of four servers; none is torn or lost."""
    root, file, log = place(work)
    each = 50

    def work_on():
        talk = Talk(options, root, "--audit", str(log), modern=True)
        for _ in range(each):
            talk.call("read_text_file", path=str(file))
        talk.close()
        talk.kill()

    threads = [threading.Thread(target=work_on) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(len(lines(log)) == 4 * each, len(lines(log)))


def a_full_disk_fails_no_call(options, work):
    """T61: writing to /dev/full fails, and the calls succeed."""
    root, file, _ = place(work)
    talk = Talk(options, root, "--audit", "/dev/full", "--events",
                "/dev/full")
    got, fault = talk.call("edit_text_file", path=str(file), old_string="one",
                           new_string="two")
    check(got and not fault, fault)
    check(file.read_text().startswith("two\n"), "not written")
    talk.close()
    talk.kill()


def what_cannot_be_opened_is_said_at_the_start(options, work):
    """T61 C89: the error is on stderr; stdout is only for the protocol."""
    root = place(work)[0]
    for flag in ("--audit", "--events"):
        for path, why in (("/no/such/dir/log", "No such file"),
                          (str(root), "Is a directory"),
                          ("/dev/stdout", "it is stdout")):
            done = subprocess.run(
                [str(options.program), "serve", flag, path, str(root)],
                stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=60)
            check(done.returncode == 2 and why in done.stderr, done)
            check(done.stdout == "", done)


def events_are_local_numbers(options, work):
    """C36 C89: line counts of a patch, counters at the end, no text of a
    file."""
    root, file, log = place(work)
    talk = Talk(options, root, "--events", str(log), "--audit",
                str(work / "audit"))
    check(not talk.call("edit_text_file", path=str(file), old_string="one",
                        new_string=f"1\n{SECRET}\n2")[1])
    check(not talk.call("write_text_file", path=str(root / "new"),
                        content=f"{SECRET}\n")[1])
    check(not talk.call("read_text_file", path=str(file))[1])
    check(talk.call("read_text_file", path=str(root / "none"))[1])
    talk.close()
    talk.kill()
    want = [
        {"time": "@rfc3339@", "event": "track_patch",
         "tool": "edit_text_file", "path": str(file), "kind": "update",
         "added": 3, "removed": 1, "bytes": len(file.read_bytes()),
         "hunks": [{"old_start": 1, "old_lines": 1, "new_start": 1,
                    "new_lines": 3}]},
        {"time": "@rfc3339@", "event": "track_patch",
         "tool": "write_text_file", "path": str(root / "new"),
         "kind": "create", "added": 1, "removed": 0,
         "bytes": len(SECRET) + 1, "hunks": []},
        {"time": "@rfc3339@", "event": "counters", "calls": 4, "failed": 1,
         "created": 1, "updated": 1, "removed": 0, "lines_added": 4,
         "lines_removed": 1}]
    found = difference(want, lines(log))
    check(not found, found)
    check(SECRET not in log.read_text(), "content is in it")
    check(len(lines(work / "audit")) == 4, "both are told")


def a_written_claude_md_has_its_event(options, work):
    """C32 C36 C89: only for Write, by the end of the path."""
    root, _, log = place(work)
    talk = Talk(options, root, "--events", str(log))
    (root / "docs").mkdir()
    for tool, key, name in (("Write", "file_path", "CLAUDE.md"),
                            ("Write", "file_path", "docs/CLAUDE.md"),
                            ("Write", "file_path", "MYCLAUDE.md"),
                            ("write_text_file", "path", "docs/b/CLAUDE.md")):
        (root / name).parent.mkdir(exist_ok=True)
        fault = talk.call(tool, **{key: str(root / name),
                                   "content": SECRET})[1]
        check(not fault, fault)
    talk.close()
    talk.kill()
    got = [(line["tool"], line["path"]) for line in lines(log)
           if line["event"] == "tengu_write_claudemd"]
    check(got == [("Write", str(root / "CLAUDE.md")),
                  ("Write", str(root / "docs/CLAUDE.md"))], got)
    patches = [line for line in lines(log) if line["event"] == "track_patch"]
    check(len(patches) == 4 and not any(p["hunks"] for p in patches), patches)
    check(SECRET not in log.read_text(), "content is in it")


def nothing_is_written_unless_asked(options, work):
    """C89: without the options no file is created, in the root or
    elsewhere."""
    root, file, _ = place(work)
    home = work / "home"
    home.mkdir()
    names = ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME",
             "XDG_DATA_HOME")
    env = {**os.environ, **{name: str(home) for name in names}}
    talk = Talk(options, root, env=env)
    check(not talk.call("edit_text_file", path=str(file), old_string="one",
                        new_string="two")[1])
    talk.close()
    talk.kill()
    check(os.listdir(root) == ["f"], os.listdir(root))
    for found in home.rglob("*"):
        check(found.is_dir() or b"track_patch" not in found.read_bytes(),
              found)


def a_server_has_no_socket(options, work):
    """C89: a server on stdio neither listens nor connects."""
    root, file, log = place(work)
    talk = Talk(options, root, "--events", str(log), "--audit", str(log),
                "--confine=off")
    for tool, more in (("read_text_file", {}),
                       ("edit_text_file", {"old_string": "one",
                                           "new_string": "two"})):
        check(not talk.call(tool, path=str(file), **more)[1], tool)
        links = [os.readlink(entry.path) for entry in
                 os.scandir(f"/proc/{talk.process.pid}/fd")]
        check(len(links) > 3, links)
        check(not [link for link in links if "socket" in link], links)
    talk.close()
    talk.kill()


if __name__ == "__main__":
    sys.exit(run([
        every_call_has_one_line,
        what_the_person_said_is_in_the_line,
        several_servers_share_one_file,
        a_full_disk_fails_no_call,
        what_cannot_be_opened_is_said_at_the_start,
        events_are_local_numbers,
        a_written_claude_md_has_its_event,
        nothing_is_written_unless_asked,
        a_server_has_no_socket,
    ]))
