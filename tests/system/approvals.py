#!/usr/bin/env python3
"""approvals.py [--slow] PROGRAM [CASE...] - approvals: by elicitation, or by
`stet approvals` for clients without it; no call hangs.
"""
import fcntl
import json
import os
import subprocess
import sys

from talk import META, Talk, check, result_of, run
from server import environment # talk.py extends sys.path
from terminal import at_terminal

CAN = {"elicitation": {}}
ONCE = {"action": "accept", "content": {"decision": "allow once"}}


class Asker(Talk):
    """A client of either era, with or without elicitation."""

    def __init__(self, options, work, *flags, can=None, modern=False,
                 user=None):
        self.can = can or {}
        self.home = work
        (work / "root").mkdir(exist_ok=True)
        # pylint: disable=non-parent-init-called,super-init-not-called
        super().__init__(options, work / "root", *flags, modern=True,
                         env=environment(work), user=user)
        self.modern = modern
        if modern:
            self.meta = {**META, "io.modelcontextprotocol/clientCapabilities":
                         self.can}
            return
        self.ask({"jsonrpc": "2.0", "id": "hello", "method": "initialize",
                  "params": {"protocolVersion": "2025-11-25",
                             "capabilities": self.can,
                             "clientInfo": {"name": "test", "version": "1"}}})
        self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def request(self, tool, meta=None, **arguments):
        return super().request(tool, self.meta if self.modern else meta,
                               **arguments)


class Person:
    """The person at a terminal, beside the servers."""

    def __init__(self, options, work):
        self.program, self.env = str(options.program), environment(work)

    def says(self, *words):
        done = at_terminal([self.program, "approvals", *words, "--json"],
                           self.env)
        check(done.returncode == 0, (words, done))
        return json.loads(done.stdout) if done.stdout else None

    def lists(self):
        """The id of the only question, as the list for people prints it."""
        done = at_terminal([self.program, "approvals"], self.env)
        check(done.returncode == 0, done)
        row, = (row for row in done.stdout.splitlines() if "wants to" in row)
        return row.split()[0]

    def fails(self, *words):
        done = at_terminal([self.program, "approvals", *words], self.env)
        check(done.returncode and not done.stdout, (words, done))
        return done.stderr

    def pending(self):
        return self.says("list")["approvals"]


def secret(work, text="old\n"):
    """A file that needs approval in every mode: for changes, and without
    READABLE also for reads."""
    (work / "root").mkdir(exist_ok=True)
    path = work / "root" / ".env"
    path.write_text(text)
    return path


READABLE = ("--allow", "read(.env)")


def refused(server, request):
    """The call fails because it was not approved; returns the error."""
    _, error = result_of(server.ask(request))
    check(error and error["code"] == -32007, error)
    return error


def answered(server, question, result):
    server.post({"jsonrpc": "2.0", "id": question["id"], "result": result})


def question_of(message):
    check(message.get("method") == "elicitation/create", message)
    return message


def a_client_that_cannot_ask_is_told_at_once(options, work):
    """A52 A53 C60 T58: nothing is written; after an approval the call succeeds
    once."""
    path, person = secret(work), Person(options, work)
    for modern in (False, True):
        path.write_text("old\n")
        server = Asker(options, work, modern=modern)
        call = lambda: server.request("write_text_file", path=str(path),
                                      content="new\n")
        error = refused(server, call())
        check(error["message"].startswith("Approval required: "), error)
        one = error["data"]["approval"]
        check("asked" in error["data"]["hint"], error)
        check(refused(server, call())["data"]["approval"] == one, "twice")
        check([a["id"] for a in person.pending()] == [one], "one is asked")
        check(path.read_text() == "old\n", "it was written")
        listed = person.lists()
        check(listed == one[-8:], (listed, one)) # the first digits are a time
        person.says("allow", listed)
        check(not result_of(server.ask(call()))[1], "it was allowed")
        check(path.read_text() == "new\n", "it was not written")
        two = refused(server, call())["data"]["approval"]
        check(one != two, "once is once")
        person.says("deny", two)
        check(refused(server, call())["message"].startswith("Denied by user"),
              "it was denied")
        server.close()
        server.kill()


def the_person_sees_what_would_be_done(options, work):
    """T59 C60: the question has the file and the diff, with deceptive
    characters escaped."""
    path, person = secret(work, "a\nb\nc\n"), Person(options, work)
    server = Asker(options, work)
    one = refused(server, server.request(
        "multi_edit_text_file", path=str(path), edits=[
            {"old_string": "a", "new_string": "A\x1b[2J"},
            {"old_string": "c", "new_string": "C\u202e"}]))
    one = one["data"]["approval"]
    check(len(person.pending()) == 1, "one question for all edits")
    seen = person.says("show", one)
    check(seen["path"] == str(path) and seen["state"] == "pending", seen)
    check("-a" in seen["diff"] and "+A" in seen["diff"]
          and "-c" in seen["diff"], seen)
    shown = subprocess.run([person.program, "approvals", "show", one],
                           env=person.env, capture_output=True, text=True,
                           timeout=60).stdout
    check("+A\\x1b[2J" in shown and "+C\\u{202e}" in shown, shown)
    check("\x1b" not in shown and "\u202e" not in shown, shown)
    check(str(path) in shown and "test 1" in shown, shown)
    server.close()
    server.kill()


def a_yes_outlasts_a_wait_for_the_lock(options, work):
    """C60: an approval holds for the call, however often it is retried."""
    path, person = secret(work), Person(options, work)
    server = Asker(options, work, "--durability=process")
    call = lambda: server.request("write_text_file", path=str(path),
                                  content="new\n")
    person.says("allow", refused(server, call())["data"]["approval"])
    lock = os.open(path.parent, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    waits, ping = call(), {"jsonrpc": "2.0", "id": "ping", "method": "ping"}
    server.post(waits, ping)
    check(server.reply()["id"] == "ping", "it does not wait")
    os.close(lock)
    reply = server.reply()
    check(reply["id"] == waits["id"] and not result_of(reply)[1], reply)
    check(path.read_text() == "new\n", "it was not written")
    server.close()
    server.kill()


def a_denial_reaches_the_agent_with_its_note(options, work):
    """T58: a denial is -32007 with the person's note, once; wrong options of
    `stet approvals` are explained."""
    path, person = secret(work), Person(options, work)
    server = Asker(options, work)
    call = lambda: server.request("edit_text_file", path=str(path),
                                  old_string="old", new_string="new")
    one = refused(server, call())["data"]["approval"]
    person.says("deny", one, "--note", "use the vault")
    error = refused(server, call())
    check(error["message"].startswith("Denied by user: "), error)
    check("use the vault" in json.dumps(error), error)
    check("denied already" in person.fails("allow", one), "decided twice")
    check("No such approval" in person.fails("show", "ffff0000"), "no id")
    check("needs an ID" in person.fails("allow"), "no id at all")
    check("only one of" in person.fails("allow", one, "--file", "--always"),
          "two answers")
    check(path.read_text() == "old\n", "it was written")
    server.close()
    server.kill()


def a_wide_answer_is_kept_until_it_is_revoked(options, work):
    """C60: a grant for the directory holds in other processes and after a
    restart."""
    path, person = secret(work).parent / "notes.txt", Person(options, work)
    path.write_text("x\n")
    other = path.parent / "sub" / "more.txt"
    other.parent.mkdir()
    other.write_text("x\n")
    server = Asker(options, work, "--ask", "write(*.txt)")
    call = lambda name: server.request("write_text_file", path=str(name),
                                       content="new\n")
    one = refused(server, call(path))["data"]["approval"]
    grant = person.says("allow", one, "--directory", "--yes")["grant"]
    check(grant["path"] == str(path.parent), grant)
    for _ in range(2):
        check(not result_of(server.ask(call(path)))[1], "granted")
        check(not result_of(server.ask(call(other)))[1], "beneath it")
    refused(server, call(path.parent / ".env")) # sensitive: not covered
    server.close()
    server.kill()
    server = Asker(options, work, "--ask", "write(*.txt)")
    check(not result_of(server.ask(call(path)))[1], "still granted")
    check([g["id"] for g in person.says("grants")["grants"]]
          == [grant["id"]], "it is listed")
    person.says("revoke", grant["id"][-8:])
    refused(server, call(path))
    check("no grant has" in person.fails("revoke", grant["id"]), "twice")
    server.close()
    server.kill()


def patch_of(root):
    return (f"*** Begin Patch\n*** Update File: {root}/one.txt\n@@\n-x\n+y\n"
            f"*** Add File: {root}/new.txt\n+n\n"
            f"*** Delete File: {root}/two.txt\n*** End Patch\n")


def a_group_is_one_question(options, work):
    """V22: it lists every file; what changes in one of them voids the answer;
    an answer for the file becomes a grant for each."""
    root, person = secret(work).parent, Person(options, work)
    for name in ("one.txt", "two.txt"):
        (root / name).write_text("x\n")
    server = Asker(options, work, "--ask", "write(two.txt)")
    call = lambda: server.request("apply_patch", input=patch_of(root))
    error = refused(server, call())
    asked, = person.pending()
    check([(f["letter"], f["path"], f["lines_added"], f["lines_removed"])
           for f in asked["files"]]
          == [("M", f"{root}/one.txt", 1, 1), ("A", f"{root}/new.txt", 1, 0),
              ("D", f"{root}/two.txt", 0, 1)], asked)
    check(asked["parts"] == 0, "hunks cannot be chosen")
    shown = at_terminal([person.program, "approvals", "show", asked["id"]],
                        person.env).stdout
    for name in ("M {}/one.txt +1 -1", "A {}/new.txt +1 -0",
                 "D {}/two.txt +0 -1"):
        check(name.format(root) in shown, shown)
    person.says("allow", error["data"]["approval"])
    (root / "one.txt").write_text("before\nx\n")
    error = refused(server, call())
    check((root / "two.txt").exists(), "it was changed")
    answer = person.says("allow", error["data"]["approval"], "--file")
    check(answer["grant"], answer)
    check(not result_of(server.ask(call()))[1], "it was allowed")
    check((root / "one.txt").read_text() == "before\ny\n"
          and (root / "new.txt").read_text() == "n\n"
          and not (root / "two.txt").exists(), "all three")
    check(sorted(g["path"] for g in person.says("grants")["grants"])
          == sorted(f"{root}/{name}.txt" for name in ("one", "new", "two")),
          "a grant for each")
    server.close()
    server.kill()


def a_session_ends_with_its_client(options, work):
    """C60: a grant with --session holds for this connection only."""
    path, person = secret(work), Person(options, work)
    server = Asker(options, work)
    call = lambda: server.request("write_text_file", path=str(path),
                                  content="new\n")
    one = refused(server, call())["data"]["approval"]
    person.says("allow", one, "--session", "--yes")
    for _ in range(3):
        check(not result_of(server.ask(call()))[1], "granted")
    server.close()
    server.kill()
    server = Asker(options, work)
    refused(server, call())
    server.close()
    server.kill()


def a_call_can_wait_for_the_person(options, work):
    """A53 X03: other calls run meanwhile, and the waiting call ends at its
    deadline."""
    path, person = secret(work), Person(options, work)
    server = Asker(options, work, "--approval-wait", "60")
    waits = server.request("write_text_file", path=str(path), content="new\n")
    server.post(waits)
    check(not server.call("write_text_file", path=str(path.parent / "b"),
                          content="b")[1], "others go on")
    check(path.read_text() == "old\n", "nobody has said yes")
    person.says("allow", person.pending()[0]["id"])
    reply = server.reply()
    check(reply["id"] == waits["id"] and not result_of(reply)[1], reply)
    check(path.read_text() == "new\n", "it was allowed")
    server.close()
    server.kill()
    server = Asker(options, work, "--approval-wait", "1")
    refused(server, server.request("write_text_file", path=str(path),
                                   content="x"))
    server.close()
    server.kill()


def a_question_holds_up_no_other_call(options, work):
    """A52 X03: other calls run while one is parked; it can be cancelled or
    answered; equal calls share a question."""
    path = secret(work)
    server = Asker(options, work, can=CAN)
    call = lambda: server.request("write_text_file", path=str(path),
                                  content="new\n")
    one, two = call(), call()
    server.post(one, two)
    question = question_of(server.reply())
    check("-old\n+new\n" in question["params"]["message"], question)
    check(not server.call("write_text_file", path=str(path.parent / "b"),
                          content="b")[1], "others go on")
    cancel = lambda r: server.post({
        "jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": r["id"]}})
    cancel(one)
    check(not server.call("hello")[1], "no word of the one")
    cancel(two)
    message = server.reply()
    check(message["method"] == "notifications/cancelled"
          and message["params"]["requestId"] == question["id"], message)
    answered(server, question, ONCE) # too late
    check(not server.call("hello")[1], "no word of the other")
    check(path.read_text() == "old\n", "it was written")
    server.post(call())
    answered(server, question_of(server.reply()), ONCE)
    check(not result_of(server.reply())[1], "allowed")
    check(path.read_text() == "new\n", "allowed")
    server.close()
    server.kill()


def what_changed_meanwhile_is_asked_again(options, work):
    """C60: an approval holds for the change that was shown; another one is
    asked again."""
    path = secret(work)
    server = Asker(options, work, can=CAN)
    server.post(server.request("write_text_file", path=str(path),
                               content="new\n"))
    question = question_of(server.reply())
    path.write_text("mine\n")
    answered(server, question, ONCE)
    again = question_of(server.reply())
    check("-mine\n+new\n" in again["params"]["message"], again)
    check(path.read_text() == "mine\n", "it was written")
    answered(server, again, {"action": "decline"})
    _, error = result_of(server.reply())
    check(error["code"] == -32007, error)
    check(path.read_text() == "mine\n", "it was written")
    server.close()
    server.kill()


def what_changed_before_an_approval_is_asked_again(options, work):
    """C60: the same for an approval from the queue."""
    path, person = secret(work), Person(options, work)
    server = Asker(options, work)
    call = lambda: server.request("write_text_file", path=str(path),
                                  content="new\n")
    one = refused(server, call())["data"]["approval"]
    path.write_text("mine\n")
    person.says("allow", one)
    two = refused(server, call())["data"]["approval"]
    check(one != two and path.read_text() == "mine\n", "it was written")
    check("-mine\n+new\n" in person.says("show", two)["diff"], "not shown")
    person.says("allow", two)
    check(not result_of(server.ask(call()))[1], "it was allowed")
    check(path.read_text() == "new\n", "it was not written")
    server.close()
    server.kill()


def what_is_not_shown_is_compared_too(options, work):
    """C60: a difference in the part of a long diff that was not shown voids
    the approval."""
    path, person = secret(work), Person(options, work)
    old = [f"old line {n}\n" for n in range(4000)]
    path.write_text("".join(old))
    server = Asker(options, work)
    call = lambda: server.request("write_text_file", path=str(path),
                                  content="new\n")
    one = refused(server, call())["data"]["approval"]
    shown = person.says("show", one)
    check("-old line 3999\n" in shown["diff"], "it was cut")
    check((shown["lines_added"], shown["lines_removed"]) == (1, 4000), shown)
    old[-1] = "mine line 399\n" # same length, not shown
    path.write_text("".join(old))
    person.says("allow", one)
    two = refused(server, call())["data"]["approval"]
    check(one != two and path.read_text() == "".join(old), "it was written")
    server.close()
    server.kill()


def what_would_fail_is_not_asked_about(options, work):
    """A52: a file without write permission is -32002 before any question."""
    path = secret(work)
    work.chmod(0o755)
    path.chmod(0o444)
    path.parent.chmod(0o555)
    server = Asker(options, work, "--history=off", *READABLE, can=CAN,
                   user="nobody" if os.getuid() == 0 else None)
    for name in (path, path.parent / ".env.new"):
        _, error = result_of(server.ask(server.request(
            "write_text_file", path=str(name), content="x")))
        check(error and error["code"] == -32002, error)
    check(os.listdir(path.parent) == [".env"], "something is left")
    path.parent.chmod(0o755)
    server.close()
    server.kill()


def the_end_of_the_input_answers_every_question(options, work):
    """A53 X07: at the end of stdin open questions go to the queue at once."""
    path, person = secret(work), Person(options, work)
    server = Asker(options, work, can=CAN)
    server.post(server.request("write_text_file", path=str(path),
                               content="new\n"))
    question_of(server.reply())
    server.process.stdin.close()
    _, error = result_of(server.reply())
    check(error["code"] == -32007, error)
    check(server.line() is None and server.process.wait(20) == 0, "it ends")
    server.kill()
    check([a["id"] for a in person.pending()]
          == [error["data"]["approval"]], "in the queue")
    check(path.read_text() == "old\n", "it was written")


def a_memory_entry_needs_a_yes(options, work):
    """T32 T58 T59 A53: the queue shows file and content; --approve approves it
    beforehand."""
    person = Person(options, work)
    server = Asker(options, work)
    call = lambda: server.request("write_memory_entry",
                                  file="decisions.jsonl", entry='{"a": 1}')
    memory = work / "root" / ".claude" / "memory" / "decisions.jsonl"
    one = refused(server, call())["data"]["approval"]
    check(not (work / "root" / ".claude").exists(), "something was made")
    seen = person.says("show", one)
    check(seen["path"] == str(memory), seen)
    check(seen["diff"] == '{"a":1}\n' or seen["diff"] == '{"a": 1}\n', seen)
    person.says("allow", one)
    check(not result_of(server.ask(call()))[1], "it was allowed")
    check(memory.read_text() == seen["diff"], "another content")
    refused(server, call())
    server.close()
    server.kill()
    server = Asker(options, work, "--approve=write_memory_entry")
    check(not result_of(server.ask(call()))[1], "approved beforehand")
    server.close()
    server.kill()


def without_a_history_there_is_a_hint(options, work):
    """A53 T58: without a store the call fails, with a hint how to approve it
    beforehand."""
    path = secret(work)
    for modern in (False, True):
        server = Asker(options, work, "--history=off", modern=modern)
        error = refused(server, server.request(
            "write_text_file", path=str(path), content="new\n"))
        check("approval" not in error["data"], error)
        check("--approve" in error["data"]["hint"], error)
        check(path.read_text() == "old\n", "it was written")
        server.close()
        server.kill()


# So far apart that each changed line is a hunk of its own.
MIDDLE = "".join(f"{n}\n" for n in range(8))


def three(*words):
    """A text of three parts; a change of each part is a hunk of its own."""
    return MIDDLE.join(word + "\n" for word in words)


def middle(text):
    """The lines between the parts, with the line endings of @text."""
    return MIDDLE if MIDDLE in text else MIDDLE.replace("\n", "\r\n")


OLD, NEW = three("a", "b", "c"), three("A", "B", "C")

# A call of each tool that turns one text into another.
CHANGES = {
    "Edit": lambda path, old, new: {
        "file_path": path, "old_string": old, "new_string": new},
    "edit_text_file": lambda path, old, new: {
        "path": path, "old_string": old, "new_string": new},
    "multi_edit_text_file": lambda path, old, new: {
        "path": path, "edits": [
            {"old_string": a, "new_string": b}
            for a, b in zip(old.split(middle(old)),
                            new.split(middle(old)))]},
    "Write": lambda path, old, new: {"file_path": path, "content": new},
    "write_text_file": lambda path, old, new: {"path": path, "content": new},
}


def ask_some(server, person, call, hunks):
    """Make the call with only these hunks approved; returns the whole
    result."""
    one = refused(server, call())["data"]["approval"]
    said = person.says("allow", one, "--hunks", hunks)
    check(said["hunks"] == hunks, said)
    check(person.says("show", one)["hunks"] == hunks, "it is not kept")
    reply = server.ask(call())
    check(not result_of(reply)[1], reply)
    return reply["result"]


def some_hunks_of_a_change_are_made(options, work):
    """C60: for every tool; the result describes what was written."""
    path, person = secret(work), Person(options, work)
    want = three("A", "b", "C")
    for tool, change in CHANGES.items():
        for modern in (False, True):
            path.write_text(OLD)
            server = Asker(options, work, *READABLE, modern=modern)
            check(not server.call("Read", file_path=str(path))[1], "Read")
            result = ask_some(server, person, lambda: server.request(
                tool, **change(str(path), OLD, NEW)), "1,3")
            check(path.read_text() == want, (tool, path.read_text()))
            told, made = result["content"][1]["text"], result[
                "structuredContent"]
            check(len(result["content"]) == 2 and
                  "only hunks 1 and 3 of 3" in told and
                  "Hunk 2 was not applied" in told, (tool, told))
            check("-a\n+A\n" in told and "-c\n+C\n" in told and
                  "B\n" not in told, (tool, told))
            check(made["_meta"]["partial"] == {"applied": [1, 3], "of": 3},
                  (tool, made))
            if "diff" in made:
                check("+A\n" in made["diff"] and "+C\n" in made["diff"] and
                      "B\n" not in made["diff"], (tool, made))
                check(json.loads(result["content"][0]["text"]) == made, tool)
            if "structuredPatch" in made:
                lines = [line for hunk in made["structuredPatch"]
                         for line in hunk["lines"] if line[0] != " "]
                check(lines == ["-a", "+A", "-c", "+C"], (tool, lines))
                check("\tb" in result["content"][0]["text"] and
                      "\tB" not in result["content"][0]["text"], result)
            check(made.get("applied_count", 2) == 2, (tool, made))
            check(made.get("bytes_written", len(want)) == len(want),
                  (tool, made))
            # The caller knows the file as it is now, and the history has it.
            version = made["_meta"]["version"]
            read, _ = server.call("read_text_file", path=str(path))
            check(read["_meta"]["version"] == version, (tool, read, made))
            operation = made["_meta"]["operation"]
            server.close()
            server.kill()
            subprocess.run([person.program, "undo", operation],
                           env=person.env, check=True, capture_output=True,
                           timeout=60)
            check(path.read_text() == OLD, (tool, path.read_text()))


def what_hunks_leave_of_an_unread_file_is_not_known(options, work):
    """C60: after a partial change the caller may go on only if it had read the
    rest of the file."""
    path, person = secret(work, OLD), Person(options, work)
    server = Asker(options, work, *READABLE)
    write = lambda: server.request("write_text_file", path=str(path),
                                   content=NEW)
    edit = lambda: server.request("Edit", file_path=str(path),
                                  old_string="A\n0", new_string="a\n0")
    ask_some(server, person, write, "1")
    reply = server.ask(edit())["result"]
    check(reply["isError"] and
          reply["structuredContent"].get("errorCode") == 2, reply)
    check(not server.call("Read", file_path=str(path))[1], "Read")
    ask_some(server, person, write, "1") # the second part: the first is done
    check(path.read_text() == three("A", "B", "c"), path.read_text())
    refused(server, edit()) # ERR_ASK, not ERR_UNREAD
    server.close()
    server.kill()


def other_lines_keep_their_bytes(options, work):
    """R59 C60: line endings, a last line without one, CP932 and UTF-16."""
    path, person = secret(work), Person(options, work)
    crlf = lambda text: text.replace("\n", "\r\n")
    japan = lambda *words: three(*("表示ソ十" + word for word in words))
    for encoding, old, new, hunks, want in [
            ("utf-8", crlf(OLD), crlf(NEW), "2", crlf(three("a", "B", "c"))),
            ("utf-8", OLD.replace("0\n", "0\r\n"),
             NEW.replace("0\n", "0\r\n"), "3",
             three("a", "b", "C").replace("0\n", "0\r\n")),
            ("utf-8", OLD[:-1], NEW[:-1], "1", three("A", "b", "c")[:-1]),
            ("utf-8", OLD[:-1], NEW[:-1], "3", three("a", "b", "C")[:-1]),
            ("utf-8-sig", OLD, NEW, "1", three("A", "b", "c")),
            ("cp932", japan("甲", "乙", "丙"), japan("予", "能", "表"), "1,3",
             japan("予", "乙", "表")),
            ("cp932", crlf(japan("甲", "乙", "丙")),
             crlf(japan("予", "能", "表")), "2", crlf(japan("甲", "能", "丙"))),
            ("utf-16", OLD, NEW, "1,2", three("A", "B", "c")),
            ("utf-16", crlf(japan("甲", "乙", "丙")),
             crlf(japan("予", "能", "表"))[:-2], "3",
             crlf(japan("甲", "乙", "表"))[:-2])]:
        for tool, change in CHANGES.items():
            flags = ["--write-eol=exact", *READABLE]
            if encoding == "cp932":
                flags += ["--encoding", ".env=shift_jis"]
            # The complete change must be exact, too.
            if tool == "Write" and "\r\n" in old and crlf(
                    old.replace("\r\n", "\n")) != old:
                continue # it normalizes line endings
            if tool == "multi_edit_text_file" and middle(old) not in old:
                continue # no line between the parts
            path.write_bytes(old.encode(encoding))
            server = Asker(options, work, *flags)
            check(not server.call("Read", file_path=str(path))[1], "Read")
            ask_some(server, person, lambda: server.request(
                tool, **change(str(path), old, new)), hunks)
            check(path.read_bytes() == want.encode(encoding),
                  (tool, encoding, path.read_bytes(), want))
            server.close()
            server.kill()


def hunks_are_chosen_of_what_was_shown(options, work):
    """C60: hunks are chosen by their numbers in the question; an invalid
    choice is explained."""
    path, person = secret(work, OLD), Person(options, work)
    server = Asker(options, work)
    call = lambda name=path, content=NEW: server.request(
        "write_text_file", path=str(name), content=content)
    one = refused(server, call())["data"]["approval"]
    check(person.says("show", one)["parts"] == 3, "three parts")
    shown = subprocess.run([person.program, "approvals", "show", one],
                           env=person.env, capture_output=True, text=True,
                           timeout=60).stdout
    for n in (1, 2, 3):
        check(f"@@ hunk {n} of 3\n" in shown, shown)
    for hunks in ("", "0", "4", "1,4", "1-2", "x", "1,"):
        said = person.fails("allow", one, "--hunks", hunks)
        check("1 to 3" in said or "at least one hunk" in said, said)
    check("cannot be combined" in person.fails("allow", one, "--hunks", "1", "--file"),
          "beyond one call")
    check("only for allow" in person.fails("deny", one, "--hunks", "1"),
          "denied in parts")
    check(person.says("show", one)["state"] == "pending", "it was decided")
    check(person.says("allow", one, "--hunks", "3,2,1")["hunks"] == "",
          "all of them is all of it")
    made, _ = result_of(server.ask(call()))
    check(path.read_text() == NEW and "partial" not in made["_meta"], made)
    # Not divisible: a new file, a stateful encoding, an append.
    jis = path.parent / ".env.jis"
    jis.write_bytes(three("甲", "乙", "丙").encode("iso2022_jp"))
    for request in (call(path.parent / ".env.new"),
                    call(jis, three("予", "乙", "丁")),
                    server.request("write_memory_entry", entry='{"a": 1}',
                                   file="decisions.jsonl")):
        one = refused(server, request)["data"]["approval"]
        check(person.says("show", one)["parts"] == 0, request)
        check("as a whole" in person.fails("allow", one, "--hunks", "1"),
              request)
    one = refused(server, server.request("read_text_file", path=str(path)))
    said = person.fails("allow", one["data"]["approval"], "--hunks", "1")
    check("A read has no hunks." in said and "ISO" not in said, said)
    server.close()
    server.kill()


def hunks_of_what_has_changed_are_asked_again(options, work):
    """C60: a choice of hunks holds for the diff that was shown, once."""
    path, person = secret(work, OLD), Person(options, work)
    server = Asker(options, work)
    call = lambda: server.request("write_text_file", path=str(path),
                                  content=NEW)
    one = refused(server, call())["data"]["approval"]
    mine = three("a", "mine", "c")
    path.write_text(mine)
    person.says("allow", one, "--hunks", "2")
    two = refused(server, call())["data"]["approval"]
    check(one != two and path.read_text() == mine, "it was written")
    check("-mine\n+B\n" in person.says("show", two)["diff"], "not shown")
    person.says("allow", two, "--hunks", "1")
    check(not result_of(server.ask(call()))[1], "it was allowed")
    check(path.read_text() == three("A", "mine", "c"), path.read_text())
    server.close()
    server.kill()


def a_call_that_waits_gets_its_hunks(options, work):
    """A53 C60: the same for a call that is parked until the decision."""
    path, person = secret(work, OLD), Person(options, work)
    server = Asker(options, work, "--approval-wait", "60")
    server.post(server.request("write_text_file", path=str(path),
                               content=NEW))
    check(not server.call("hello")[1], "others go on")
    person.says("allow", person.pending()[0]["id"], "--hunks", "2")
    made, error = result_of(server.reply())
    check(not error and made["_meta"]["partial"] == {
        "applied": [2], "of": 3}, made)
    check(path.read_text() == three("a", "B", "c"), path.read_text())
    server.close()
    server.kill()


def a_hook_follows_what_was_taken(options, work):
    """C60: the result has what a formatter made of the approved hunks."""
    path, person = secret(work, OLD), Person(options, work)
    # by $STET_PATH: tools may not access a file that the command names
    server = Asker(options, work, "--after-edit",
                   'sed -i s/B/formatted/ "$STET_PATH"')
    result = ask_some(server, person, lambda: server.request(
        "edit_text_file", path=str(path), old_string=OLD, new_string=NEW),
                      "2")
    check(path.read_text() == three("a", "formatted", "c"), path.read_text())
    check("+formatted\n" in result["structuredContent"]["diff"] and
          "+formatted\n" in result["content"][1]["text"], result)
    server.close()
    server.kill()


def a_block_for_a_model_tells_the_hunks(options, work):
    """C60: the approved hunks are in the text of a tool_result block as
    well."""
    path, person = secret(work, OLD), Person(options, work)
    call = lambda: subprocess.run(
        [person.program, "call", "write_text_file", "--tool-use-id", "x",
         "--path", str(path), "--content", NEW], cwd=path.parent,
        env=person.env, capture_output=True, text=True, timeout=60).stdout
    check(json.loads(call())["is_error"], "it was not asked")
    person.says("allow", person.pending()[0]["id"], "--hunks", "2")
    text = json.loads(call())["content"]
    first, _, also = text.partition("\n")
    check(json.loads(first)["_meta"]["partial"] == {"applied": [2], "of": 3},
          text)
    check("only hunk 2 of 3" in also and "-b\n+B\n" in also, text)
    check(path.read_text() == three("a", "B", "c"), path.read_text())


if __name__ == "__main__":
    sys.exit(run([
        a_client_that_cannot_ask_is_told_at_once,
        the_person_sees_what_would_be_done,
        a_yes_outlasts_a_wait_for_the_lock,
        a_denial_reaches_the_agent_with_its_note,
        a_wide_answer_is_kept_until_it_is_revoked,
        a_group_is_one_question,
        a_session_ends_with_its_client,
        a_call_can_wait_for_the_person,
        a_question_holds_up_no_other_call,
        what_changed_meanwhile_is_asked_again,
        what_changed_before_an_approval_is_asked_again,
        what_is_not_shown_is_compared_too,
        what_would_fail_is_not_asked_about,
        the_end_of_the_input_answers_every_question,
        a_memory_entry_needs_a_yes,
        without_a_history_there_is_a_hint,
        some_hunks_of_a_change_are_made,
        what_hunks_leave_of_an_unread_file_is_not_known,
        other_lines_keep_their_bytes,
        hunks_are_chosen_of_what_was_shown,
        hunks_of_what_has_changed_are_asked_again,
        a_call_that_waits_gets_its_hunks,
        a_hook_follows_what_was_taken,
        a_block_for_a_model_tells_the_hunks,
    ]))
