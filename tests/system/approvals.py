#!/usr/bin/env python3
"""approvals.py [--slow] PROGRAM [CASE...] - the person is asked: by clients
that can, by `stet approvals` for those that cannot, and nobody hangs.
"""
import json
import os
import subprocess
import sys

from talk import META, Talk, check, result_of, run
from server import environment # talk says where it is

CAN = {"elicitation": {}}
ONCE = {"action": "accept", "content": {"decision": "allow once"}}


class Asker(Talk):
    """A client of either era that can, or cannot, put questions."""

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
    """Somebody at a terminal beside the servers."""

    def __init__(self, options, work):
        self.program, self.env = str(options.program), environment(work)

    def says(self, *words):
        done = subprocess.run([self.program, "approvals", *words, "--json"],
                              env=self.env, capture_output=True, text=True,
                              timeout=60)
        check(done.returncode == 0, (words, done))
        return json.loads(done.stdout) if done.stdout else None

    def fails(self, *words):
        done = subprocess.run([self.program, "approvals", *words],
                              env=self.env, capture_output=True, text=True,
                              timeout=60)
        check(done.returncode and not done.stdout, (words, done))
        return done.stderr

    def pending(self):
        return self.says("list")["approvals"]


def secret(work, text="old\n"):
    """A file that is asked about, whatever the rules say."""
    (work / "root").mkdir(exist_ok=True)
    path = work / "root" / ".env"
    path.write_text(text)
    return path


def refused(server, request):
    """The call fails for want of an answer: its error."""
    _, error = result_of(server.ask(request))
    check(error and error["code"] == -32007, error)
    return error


def answered(server, question, result):
    server.post({"jsonrpc": "2.0", "id": question["id"], "result": result})


def question_of(message):
    check(message.get("method") == "elicitation/create", message)
    return message


def a_client_that_cannot_ask_is_told_at_once(options, work):
    """A52 A53 C60 T58: no byte is written; allowed, it passes once."""
    path, person = secret(work), Person(options, work)
    for modern in (False, True):
        path.write_text("old\n")
        server = Asker(options, work, modern=modern)
        call = lambda: server.request("write_text_file", path=str(path),
                                      content="new\n")
        error = refused(server, call())
        check(error["message"].startswith("Approval required: "), error)
        one = error["data"]["approval"]
        check(f"stet approvals allow {one}" in error["data"]["hint"], error)
        check(refused(server, call())["data"]["approval"] == one, "twice")
        check([a["id"] for a in person.pending()] == [one], "one is asked")
        check(path.read_text() == "old\n", "it was written")
        person.says("allow", one[:13])
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
    """T59 C60: the file and the diff, and nothing in it that deceives."""
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


def a_denial_reaches_the_agent_with_its_note(options, work):
    """T58: -32007, the person's words, once; mistakes are explained."""
    path, person = secret(work), Person(options, work)
    server = Asker(options, work)
    call = lambda: server.request("edit_text_file", path=str(path),
                                  old_string="old", new_string="new")
    one = refused(server, call())["data"]["approval"]
    person.says("deny", one, "--note", "use the vault")
    error = refused(server, call())
    check(error["message"].startswith("Denied by user: "), error)
    check("use the vault" in json.dumps(error), error)
    check("used already" in person.fails("allow", one), "decided twice")
    check("No such approval" in person.fails("show", "ffff0000"), "no id")
    check("which one" in person.fails("allow"), "no id at all")
    check("only one of" in person.fails("allow", one, "--file", "--always"),
          "two answers")
    check(path.read_text() == "old\n", "it was written")
    server.close()
    server.kill()


def a_wide_answer_is_kept_until_it_is_revoked(options, work):
    """C60: for the directory, in another process, also after a restart."""
    path, person = secret(work), Person(options, work)
    other = path.parent / "sub" / ".env.local"
    other.parent.mkdir()
    other.write_text("x\n")
    server = Asker(options, work)
    call = lambda name: server.request("write_text_file", path=str(name),
                                       content="new\n")
    one = refused(server, call(path))["data"]["approval"]
    grant = person.says("allow", one, "--directory")["grant"]
    check(grant["path"] == str(path.parent), grant)
    for _ in range(2):
        check(not result_of(server.ask(call(path)))[1], "granted")
        check(not result_of(server.ask(call(other)))[1], "beneath it")
    server.close()
    server.kill()
    server = Asker(options, work)
    check(not result_of(server.ask(call(path)))[1], "still granted")
    check([g["id"] for g in person.says("grants")["grants"]]
          == [grant["id"]], "it is listed")
    person.says("revoke", grant["id"])
    refused(server, call(path))
    check("no grant begins" in person.fails("revoke", grant["id"]), "twice")
    server.close()
    server.kill()


def a_session_ends_with_its_client(options, work):
    """C60: --session holds for this connection and no other."""
    path, person = secret(work), Person(options, work)
    server = Asker(options, work)
    call = lambda: server.request("write_text_file", path=str(path),
                                  content="new\n")
    one = refused(server, call())["data"]["approval"]
    person.says("allow", one, "--session")
    for _ in range(3):
        check(not result_of(server.ask(call()))[1], "granted")
    server.close()
    server.kill()
    server = Asker(options, work)
    refused(server, call())
    server.close()
    server.kill()


def a_call_can_wait_for_the_person(options, work):
    """A53 X03: others go on meanwhile, and it ends when time is up."""
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
    """A52 X03: parked, cancelled, answered; equal calls ask once."""
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
    """C60: the person allows what they saw, not what it has become."""
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
    """C60: also when the yes came by the queue."""
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


def what_would_fail_is_not_asked_about(options, work):
    """A52: a file that may not be written is -32002, before any question."""
    path = secret(work)
    work.chmod(0o755)
    path.chmod(0o444)
    path.parent.chmod(0o555)
    server = Asker(options, work, "--history=off", can=CAN,
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
    """A53 X07: nobody can answer any more, so the queue has it, at once."""
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
    """T32 T58 T59 A53: the queue shows file and content; --approve is one."""
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
    """A53 T58: fails closed, and says how to allow it beforehand."""
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


if __name__ == "__main__":
    sys.exit(run([
        a_client_that_cannot_ask_is_told_at_once,
        the_person_sees_what_would_be_done,
        a_denial_reaches_the_agent_with_its_note,
        a_wide_answer_is_kept_until_it_is_revoked,
        a_session_ends_with_its_client,
        a_call_can_wait_for_the_person,
        a_question_holds_up_no_other_call,
        what_changed_meanwhile_is_asked_again,
        what_changed_before_an_approval_is_asked_again,
        what_would_fail_is_not_asked_about,
        the_end_of_the_input_answers_every_question,
        a_memory_entry_needs_a_yes,
        without_a_history_there_is_a_hint,
    ]))
