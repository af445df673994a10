#!/usr/bin/env python3
"""hooks.py [--slow] PROGRAM [CASE...] - hooks: real scripts, run by real
servers.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

from talk import Talk, check, run

HOOKED = "Refused by hook: "


def script(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return str(path)


def place(work):
    """A root with a file, and a directory beside it for scripts and their
    logs."""
    root = work / "root"
    root.mkdir()
    (root / "f").write_text("one\n")
    return root, root / "f"


def edit(talk, path, old="one", new="two"):
    return talk.call("edit_text_file", path=str(path), old_string=old,
                     new_string=new)


def refused(fault, words):
    check(fault and fault["code"] == -32002, fault)
    check(fault["message"] == HOOKED + words, fault["message"][:300])
    check(fault["data"] == {"reason": "hook"}, fault)


def alive(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return state.rsplit(")", 1)[1].split()[0] not in "ZX"


def gone(pid):
    """Fail unless the process ends; the kernel may need a moment for it."""
    for _ in range(1000):
        if not alive(pid):
            return True
        time.sleep(0.01)
    return False


def number_in(path):
    """Wait until a script has written a number there; returns it."""
    for _ in range(2000):
        if path.exists() and path.read_text().endswith("\n"):
            return int(path.read_text())
        time.sleep(0.01)
    raise AssertionError(f"{path} was not written")


def every_tool_that_writes_is_hooked(options, work):
    """C23 C88: before and after the change, with the facts on stdin, in this
    order."""
    for durability in ("power", "process"):
        (work / durability).mkdir()
        hooked_by(options, work / durability, durability)


def hooked_by(options, work, durability):
    root, file = place(work)
    log = work / "log"
    hook = script(work / "hook", f"cat >>{log}; echo $STET_PATH >>{log}")
    talk = Talk(options, root, "--durability", durability,
                "--before-edit", hook, "--after-edit", hook)
    (root / "link").symlink_to("f")
    (root / "rooms").mkdir()
    (root / "door").symlink_to("rooms")
    calls = [
        ("edit_text_file", root / "link", "update",
         {"old_string": "one", "new_string": "two"}),
        ("multi_edit_text_file", file, "update",
         {"edits": [{"old_string": "two", "new_string": "three"}]}),
        ("write_text_file", file, "update", {"content": "four\n"}),
        ("write_text_file", root / "new", "create", {"content": "new\n"}),
        ("write_text_file", root / "door/new", "create", {"content": "x\n"}),
    ]
    for tool, path, kind, more in calls:
        log.write_text("")
        got, fault = talk.call(tool, path=str(path), **more)
        check(not fault, fault)
        check("hook" not in got.get("_meta", {}), got)
        lines = log.read_text().splitlines()
        check(len(lines) == 4, lines)
        for event, i in (("before_edit", 0), ("after_edit", 2)):
            facts = json.loads(lines[i])
            want = {"event": event, "tool": tool, "kind": kind,
                    "path": str(path.resolve())}
            check({key: facts[key] for key in want} == want, facts)
            check(set(facts) == {*want, "client", "session", "operation"},
                  facts)
            check(lines[i + 1] == str(path.resolve()), lines)
    log.write_text("")
    check(not talk.call("read_text_file", path=str(file))[1], "read")
    check(edit(talk, file, "not there")[1]["code"] == -32010, "no match")
    check(talk.call("write_text_file", path="/etc/stet-hook-test",
                    content="x")[1]["code"] == -32002, "outside")
    check(log.read_text() == "", "run for a call that changes nothing")
    talk.close()
    talk.kill()


def a_hook_refuses_with_its_words(options, work):
    """C23 C88: exit 3, death by a signal, no output, 10 MB of output; nothing
    is written."""
    root, file = place(work)
    most = 2000
    for text, words in (
            ("echo 'generated file; edit its source' >&2; exit 3",
             "generated file; edit its source"),
            ("exit 3", "exit status 3"),
            ("kill -KILL $$", "Killed"),  # reported by the shell
            (None, "ended by signal 9"),  # the shell is killed
            ("head -c 10000000 /dev/zero | tr '\\0' w >&2; exit 1",
             "w" * most),
            ("exec /no/such/formatter 2>/dev/null; exit 5",
             "exit status 127")):
        talk = Talk(options, root, "--before-edit",
                    script(work / "hook", text) if text else "kill -9 $$")
        refused(edit(talk, file)[1], words)
        refused(talk.call("write_text_file", path=str(root / "new"),
                          content="x")[1], words)
        check(file.read_text() == "one\n", "written")
        check(sorted(os.listdir(root)) == ["f"], os.listdir(root))
        talk.close()
        talk.kill()


def ten_megabytes_that_nobody_reads_do_not_block(options, work):
    """C23: neither 10 MB of output nor a hook that does not read its stdin
    blocks the server."""
    root, file = place(work)
    hook = script(work / "hook", "head -c 10000000 /dev/zero\n"
                  "head -c 10000000 /dev/zero >&2\nexec <&-\nexit 0")
    talk = Talk(options, root, "--before-edit", hook, "--after-edit", hook)
    check(not edit(talk, file)[1], "refused")
    check(file.read_text() == "two\n", "not written")
    talk.close()
    talk.kill()


def a_slow_hook_is_ended_at_its_deadline(options, work):
    """C23: with its child processes, even if it ignores SIGTERM; the change is
    refused."""
    root, file = place(work)
    pid = work / "pid"
    hook = script(work / "hook", "trap '' TERM\nsleep 600 &\n"
                  f"echo $! >{pid}\nwait")
    talk = Talk(options, root, "--before-edit", hook, "--hook-timeout=400")
    refused(edit(talk, file)[1], "timeout after 400 ms")
    check(gone(number_in(pid)), "an orphan")
    check(file.read_text() == "one\n", "written")
    talk.close()
    talk.kill()


def a_background_child_is_neither_waited_for_nor_left(options, work):
    """C23: a child process that keeps the hook's stdout open is killed."""
    root, file = place(work)
    pid = work / "pid"
    hook = script(work / "hook", f"sleep 600 &\necho $! >{pid}\nexit 0")
    talk = Talk(options, root, "--before-edit", hook)
    check(not edit(talk, file)[1], "refused")
    check(gone(number_in(pid)), "an orphan")
    talk.close()
    talk.kill()


def a_cancelled_call_ends_its_hook(options, work):
    """C23: a cancel and the end of the client kill the hook; the file is
    unchanged."""
    root, file = place(work)
    for how in ("cancel", "leave"):
        pid = work / how
        hook = script(work / "hook", f"echo $$ >{pid}\nexec sleep 600")
        talk = Talk(options, root, "--before-edit", hook,
                    "--hook-timeout=600000", "--stop-timeout=100")
        talk.post(talk.request("edit_text_file", path=str(file),
                               old_string="one", new_string="two"))
        number = number_in(pid)
        if how == "cancel":
            talk.post({"jsonrpc": "2.0", "method": "notifications/cancelled",
                       "params": {"requestId": talk.last}})
            check(not talk.call("read_text_file", path=str(file))[1], "read")
        else: # the client is gone and cannot read the reply
            talk.process.stdin.close()
            talk.process.stdout.close()
            talk.process.wait(talk.timeout)
            talk.process.stdout = open(os.devnull, "rb")
        talk.close()
        talk.kill()
        check(gone(number), f"{how}: an orphan")
        check(file.read_text() == "one\n", "written")


def what_happens_after_stands(options, work):
    """C23 C88: a failed after_edit hook is reported in _meta.hook; the change
    stays."""
    root, file = place(work)
    talk = Talk(options, root, "--after-edit",
                "echo 'does not parse' >&2; exit 1")
    got, fault = edit(talk, file)
    check(not fault, fault)
    check(got["_meta"]["hook"] == "does not parse", got)
    check(file.read_text() == "two\n", "not written")
    got, fault = talk.call("write_text_file", path=str(file), content="x\n")
    check(not fault and got["_meta"]["hook"] == "does not parse", got)
    talk.close()
    talk.kill()


def a_formatter_is_followed(options, work):
    """C23 C31 C88: reply, read state and history have the content after the
    hook."""
    root, file = place(work)
    talk = Talk(options, root, "--after-edit",
                "sed -i 's/^ *\\(.*\\)$/    \\1/' \"$STET_PATH\"")
    check(not talk.call("Read", file_path=str(file))[1])
    seen, calls = "one\n", (
        ("edit_text_file", {"path": str(file), "old_string": "one",
                            "new_string": "two"}, "    two\n"),
        ("Edit", {"file_path": str(file), "old_string": "two",
                  "new_string": "three\n"}, "    three\n    \n"),
        ("Write", {"file_path": str(file), "content": "four\n"},
         "    four\n"),
        ("multi_edit_text_file", {"path": str(file), "edits": [
            {"old_string": "four", "new_string": "five"}]}, "    five\n"),
        ("write_text_file", {"path": str(file), "content": "six\n"},
         "    six\n"))
    for tool, arguments, after in calls:
        got, fault = talk.call(tool, **arguments)
        check(not fault and file.read_text() == after, (tool, fault))
        told = talk.call("read_text_file", path=str(file))[0]
        check(got["_meta"]["version"] == told["_meta"]["version"], got)
        if "diff" in got:
            check("+" + after in got["diff"], got["diff"])
        if "structuredPatch" in got:
            lines = got["structuredPatch"][0]["lines"]
            check("+" + after.split("\n")[0] in lines, lines)
        check(not talk.call("undo_file_change", operation=got["_meta"][
            "operation"])[1], "not undone")
        # The formatter also runs after an undo.
        check(file.read_text() == "    " + seen.lstrip(), file.read_text())
        file.write_text(after)
        check(not talk.call("Read", file_path=str(file))[1])
        seen = after
    talk.close()
    talk.kill()


def a_hook_that_changes_the_file_is_told(options, work):
    """C105: a before_edit hook changes the file: ERR_CHANGED, and its content
    stays."""
    root, file = place(work)
    log = work / "log"
    talk = Talk(options, root, "--before-edit",
                f"echo theirs >>\"$STET_PATH\"; echo run >>{log}")
    fault = edit(talk, file)[1]
    check(fault and fault["code"] == -32013, fault)
    check(file.read_text() == "one\ntheirs\n", file.read_text())
    check(log.read_text() == "run\n", "run again for one call")
    check("+theirs" in fault["data"]["changed"], fault)
    fault = talk.call("write_text_file", path=str(root / "new"),
                      content="ours\n")[1]
    check(fault and fault["code"] == -32013, fault)
    check((root / "new").read_text() == "theirs\n", "overwritten")
    talk.close()
    talk.kill()


def write_is_surprised_by_a_hook(options, work):
    """C23 C24 C105: Write detects that a hook has changed the file, and keeps
    that content."""
    root, file = place(work)
    talk = Talk(options, root, "--before-edit",
                'echo theirs >>"$STET_PATH"')
    check(not talk.call("Read", file_path=str(file))[1], "read")
    for path, left in ((file, "one\ntheirs\n"), (root / "new", "theirs\n")):
        # The hook runs before the check of existence: its new file stays.
        got = talk.ask(talk.request("Write", file_path=str(path),
                                    content="ours\n"))["result"]
        check(got["isError"], got)
        check(got["content"][0]["text"].startswith(
            "File has been unexpectedly modified. Read it again before "
            "attempting to write it."), got)
        check("errorCode" not in got["structuredContent"], got)
        check(path.read_text() == left, path.read_text())
    talk.close()
    talk.kill()


def nothing_of_a_call_becomes_part_of_the_command(options, work):
    """C23: file names with shell syntax are not executed; the environment is
    minimal."""
    root, _ = place(work)
    log = work / "log"
    names = ["$(touch pwned)", "`touch pwned`", "a; touch pwned", "a\nb",
             "' && touch pwned '", "-rf", "*"]
    env = {**os.environ, "A_SECRET": "x", "STET_PATH": "/wrong"}
    talk = Talk(options, root, "--before-edit",
                f"printf '%s\\n' \"$STET_PATH\" >{log}; env >{log}.env",
                env=env, cwd=root)
    for name in names:
        got = talk.call("write_text_file", path=str(root / name),
                        content="x")
        check(not got[1], got)
        check(log.read_text() == f"{root / name}\n", log.read_text())
    check("A_SECRET" not in (work / "log.env").read_text(), "its secrets")
    check(set(os.listdir(root)) == {"f", *names}, os.listdir(root))
    talk.close()
    talk.kill()


def what_lies_in_a_root_runs_nothing(options, work):
    """C23: hooks in a project's settings are not run unless the person trusts
    them."""
    root, file = place(work)
    run_it = f"touch {work}/pwned"
    hooks = {"hooks": {"before_edit": [{"command": run_it}],
                       "after_edit": [{"command": run_it}]}}
    for name in (".stet/config.json", ".stet.json", ".claude/settings.json"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(json.dumps(hooks))
    (root / ".git/hooks").mkdir(parents=True)
    for name in (".git/hooks/pre-commit", ".stet/before_edit"):
        script(root / name, run_it)
    (root / ".editorconfig").write_text(f"[*]\ncharset = $({run_it})\n")
    talk = Talk(options, root, cwd=root)
    check(not edit(talk, file)[1], "refused")
    talk.process.stdin.close()
    check(talk.process.wait(talk.timeout) == 0, "it failed")
    said = talk.process.stderr.read().decode()
    talk.kill()
    check("ignored until" in said and "hooks" in said, said)
    check(not (work / "pwned").exists(), "a project runs commands")


def a_hook_has_three_descriptors_and_all_signals(options, work):
    """C23: descriptors and ignored signals of the parent are not inherited."""
    root, file = place(work)
    log = work / "log"
    spare = os.open(file, os.O_RDONLY)
    os.set_inheritable(spare, True)

    def ignore():
        for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)

    talk = Talk(options, root, "--before-edit",
                f"ls /proc/self/fd >{log}; kill -TERM $$",
                pass_fds=(spare,), preexec_fn=ignore)
    refused(edit(talk, file)[1], "ended by signal 15")
    # ls has the directory open
    check(log.read_text().split() == ["0", "1", "2", "3"], log.read_text())
    os.close(spare)
    talk.close()
    talk.kill()


def the_command_line_has_hooks_too(options, work):
    """C23: `stet call` runs hooks; its exit status is that of a refusal."""
    root, file = place(work)

    def call(*flags):
        return subprocess.run(
            [str(options.program), "call", "edit_text_file", "--root",
             str(root), "--path", str(file), "--old_string", "one",
             "--new_string", "two", *flags],
            capture_output=True, text=True, timeout=60)

    done = call("--before-edit", "echo no; exit 1")
    check(done.returncode == 4, done)
    check(json.loads(done.stdout)["error"]["message"] == HOOKED + "no", done)
    done = call("--before-edit", "true", "--before-edit", "echo b; exit 1")
    check(done.returncode == 4 and HOOKED + "b" in done.stdout, done)
    done = call("--after-edit", "exit 1")
    check(done.returncode == 0, done)
    check(json.loads(done.stdout)["_meta"]["hook"] == "exit status 1", done)
    check(file.read_text() == "two\n", "not written")


if __name__ == "__main__":
    sys.exit(run([
        every_tool_that_writes_is_hooked,
        a_hook_refuses_with_its_words,
        ten_megabytes_that_nobody_reads_do_not_block,
        a_slow_hook_is_ended_at_its_deadline,
        a_background_child_is_neither_waited_for_nor_left,
        a_cancelled_call_ends_its_hook,
        what_happens_after_stands,
        a_formatter_is_followed,
        a_hook_that_changes_the_file_is_told,
        write_is_surprised_by_a_hook,
        nothing_of_a_call_becomes_part_of_the_command,
        what_lies_in_a_root_runs_nothing,
        a_hook_has_three_descriptors_and_all_signals,
        the_command_line_has_hooks_too,
    ]))
