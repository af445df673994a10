#!/usr/bin/env python3
"""claude.py [--slow] PROGRAM [CASE...] - Read, Write and Edit with hooks,
concurrent calls, long files, and the command line.
"""
import json
import os
import subprocess
import sys

from talk import Talk, check, run

SURPRISED = ("File has been unexpectedly modified. Read it again before "
             "attempting to write it.")


def place(work):
    root = work / "root"
    root.mkdir()
    (root / "f").write_text("one\n")
    return root, root / "f"


def ask(talk, tool, **arguments):
    """The raw result, failed or not."""
    return talk.ask(talk.request(tool, **arguments))["result"]


def a_hook_that_changes_the_file_ends_a_write(options, work):
    """C105 C24 C23: the write fails with the message alone, without a code;
    the hook's content stays."""
    root, file = place(work)
    talk = Talk(options, root, "--before-edit",
                'echo theirs >>"$STET_PATH"')
    ask(talk, "Read", file_path=str(file))
    result = ask(talk, "Write", file_path=str(file), content="mine\n")
    check(result["isError"] is True, result)
    check(result["content"][0]["text"] == SURPRISED, result)
    failed = result["structuredContent"]
    check(failed["result"] is False and failed["message"] == SURPRISED, failed)
    check("errorCode" not in failed, failed)
    check("+theirs" in failed["data"]["changed"], failed)
    check(file.read_text() == "one\ntheirs\n", file.read_text())
    talk.close()
    talk.kill()


def a_validation_that_fails_fires_no_hook(options, work):
    """C21 C23 C88: an invalid call runs no hook; a valid one runs it with the
    path."""
    root, file = place(work)
    log = work / "log"
    talk = Talk(options, root, "--before-edit", f'echo "$STET_PATH" >>{log}')
    result = ask(talk, "Write", file_path=str(file), content="x\n")
    check(result["structuredContent"]["errorCode"] == 2, result)
    check(not log.exists(), "the hook has run")
    ask(talk, "Read", file_path=str(file))
    result = ask(talk, "Write", file_path=f"{root}//./f", content="x\n")
    check(not result.get("isError"), result)
    check(log.read_text().splitlines()[-1] == str(file), log.read_text())
    talk.close()
    talk.kill()


def a_formatters_work_is_shown_and_seen(options, work):
    """C31 C64: patch, text and read state are of the file on disk after the
    hook."""
    root, file = place(work)
    talk = Talk(options, root, "--after-edit",
                'tr a-z A-Z <"$STET_PATH" >/tmp/x.$$; '
                'cat /tmp/x.$$ >"$STET_PATH"; rm /tmp/x.$$')
    ask(talk, "Read", file_path=str(file))
    result = ask(talk, "Write", file_path=str(file), content="two\n")
    got = result["structuredContent"]
    check(got["content"] == "two\n", got)
    check(got["structuredPatch"][0]["lines"] == ["-one", "+TWO"], got)
    check(result["content"][0]["text"].endswith("     1\tTWO"), result)
    result = ask(talk, "Edit", file_path=str(file), old_string="TWO",
                 new_string="three")
    got = result["structuredContent"]
    check(got["structuredPatch"][0]["lines"] == ["-TWO", "+THREE"], got)
    result = ask(talk, "Write", file_path=str(file), content="four\n")
    check(not result.get("isError"), result)
    check(file.read_text() == "FOUR\n", file.read_text())
    talk.close()
    talk.kill()


def calls_take_effect_one_after_the_other(options, work):
    """C03: of calls sent at once, each sees the result of the one before."""
    root, file = place(work)
    talk, n = Talk(options, root), 20
    talk.post(talk.request("Read", file_path=str(file)),
              *(talk.request("Write", file_path=str(file), content=f"{i}\n")
                for i in range(n)),
              talk.request("Read", file_path=str(file)))
    got = {}
    for _ in range(n + 2):
        reply = talk.reply()
        got[reply["id"]] = reply["result"]
    before = "one"
    for i, number in enumerate(sorted(got)[1:-1]):
        patch = got[number]["structuredContent"]["structuredPatch"]
        check(patch[0]["lines"] == [f"-{before}", f"+{i}"], patch)
        before = str(i)
    last = got[max(got)]["structuredContent"]["file"]["content"]
    check(last == f"{n - 1}\n", last)
    talk.close()
    talk.kill()


def long_work_tells_how_far_it_is_and_then_the_result(options, work):
    """C35 C87: progress, if any, and then exactly one result."""
    root, _ = place(work)
    with open(root / "long", "wb") as out:
        for _ in range(8):
            out.write((b"x" * 63 + b"\n") * 262144)
    talk = Talk(options, root)
    for tool, more in (("Read", {"offset": 9, "limit": 1}),
                       ("Write", {"content": "short\n"})):
        request = talk.request(tool, {"progressToken": 7},
                               file_path=str(root / "long"), **more)
        talk.post(request)
        while "method" in (reply := talk.reply()):
            check(reply["method"] == "notifications/progress", reply)
            check(reply["params"]["progressToken"] == 7, reply)
        check(reply["id"] == request["id"], reply)
        check(not reply["result"].get("isError"), str(reply)[:300])
    got = reply["result"]["structuredContent"]
    check(got["type"] == "update" and got["_meta"]["diff_cut"] is True,
          str(got)[:300])
    check((root / "long").read_text() == "short\n", "not written")
    talk.close()
    talk.kill()


def a_block_for_a_model(options, work):
    """C39 C37: tool_use_id, type, content; `stet call` has no read state."""
    root, file = place(work)

    def call(*arguments):
        done = subprocess.run(
            [options.program, "call", *arguments, "--root", root,
             "--tool-use-id", "toolu_1"], capture_output=True, text=True,
            check=False, env=dict(os.environ))
        return json.loads(done.stdout), done.returncode

    got, status = call("Write", "--file_path", str(root / "new"), "--content",
                       "x\n")
    check(got == {"tool_use_id": "toolu_1", "type": "tool_result", "content":
                  f"File created successfully at: {root}/new"}, got)
    check(status == 0, status)
    got, status = call("Write", "--file_path", str(file), "--content", "x\n")
    check(got == {"tool_use_id": "toolu_1", "type": "tool_result",
                  "content": "File has not been read yet. Read it first "
                             "before writing to it.", "is_error": True}, got)
    check(status == 10 and file.read_text() == "one\n", status)
    got, status = call("read_text_file", "--path", str(file))
    check(json.loads(got["content"])["content"] == "one\n", got)


if __name__ == "__main__":
    sys.exit(run([
        a_hook_that_changes_the_file_ends_a_write,
        a_validation_that_fails_fires_no_hook,
        a_formatters_work_is_shown_and_seen,
        calls_take_effect_one_after_the_other,
        long_work_tells_how_far_it_is_and_then_the_result,
        a_block_for_a_model,
    ]))
