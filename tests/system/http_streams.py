#!/usr/bin/env python3
"""http_streams.py [--slow] PROGRAM [CASE...] - event streams: questions over
HTTP, reconnecting, and the meaning of a disconnect in each era.
"""
import json
import sys

from port import Client, Port, outcome, until
from talk import check, run
from server import environment # talk.py extends sys.path
from terminal import at_terminal

CAN = {"elicitation": {}}
ONCE = {"action": "accept", "content": {"decision": "allow once"}}
NO = {"action": "decline"}


def secret(port, text="old\n"):
    """A file that needs approval in every mode."""
    path = port.root / ".env"
    path.write_text(text)
    return path


def approvals(options, work, *words):
    done = at_terminal([options.program, "approvals", *words, "--json"],
                       environment(work))
    check(done.returncode == 0, done)
    return json.loads(done.stdout) if done.stdout else None


def pending(options, work):
    return approvals(options, work, "list")["approvals"]


def begin(port, client):
    """Make a first change, which creates the history."""
    check(client.call("write_text_file", path=str(port.root / "first"),
                      content="x\n")[0], "the first change")


def write(client, path, text="new\n", more=None):
    return client.tool("write_text_file", more, path=str(path), content=text)


def asked(client, path, text="new\n"):
    """A call whose question has arrived; returns the stream and the
    question."""
    http = client.open(write(client, path, text))
    answer = http.answer()
    check(answer.status == 200 and answer.type == "text/event-stream", answer)
    question = http.message()
    check(question["method"] == "elicitation/create", question)
    return http, question


def say(client, question, result):
    got = client.post({"jsonrpc": "2.0", "id": question["id"],
                       "result": result})
    check(got.status == 202 and not got.body, got)


def a_question_comes_on_the_stream(options, work):
    """A52 C60 T59: the answer is another POST; then the reply, then the end of
    the stream."""
    with Port(options, work) as port:
        for version in ("2025-06-18", "2025-11-25"):
            for result, text in ((NO, "old\n"), (ONCE, "new\n")):
                path = secret(port)
                client = Client(port, can=CAN, version=version)
                http = client.open(write(client, path))
                check(http.answer().type == "text/event-stream", "a stream")
                first = http.event()
                if version == "2025-11-25": # an event id, for Last-Event-ID
                    check(first["id"] and int(first["retry"]) > 0
                          and not first.get("data", ""), first)
                    first = http.event()
                check("retry" not in first, first)
                question = json.loads(first["data"])
                check(str(path) in question["params"]["message"], question)
                check(path.read_text() == "old\n", "before the answer")
                say(client, question, result)
                reply = http.message()
                check(reply["id"] == client.last, reply)
                check(http.message() is None, "the stream ends")
                check(path.read_text() == text, (result, reply))
                say(client, question, ONCE) # a second answer has no effect
                check(path.read_text() == text, "answered twice")


def others_go_on_while_one_is_asked(options, work):
    """A52: a question blocks no other call."""
    with Port(options, work) as port:
        path, other = secret(port), port.root / "a.txt"
        client = Client(port, can=CAN)
        http, question = asked(client, path)
        check(client.call("write_text_file", path=str(other),
                          content="x\n")[0], "another call")
        two = Client(port, can=CAN)
        check(two.call("read_text_file", path=str(other))[0], "another client")
        say(two, question, ONCE) # another client's question
        check(path.read_text() == "old\n", "another's answer")
        say(client, question, ONCE)
        check(outcome(http.message())[0], "the reply")


def who_comes_back_gets_the_rest_once(options, work):
    """A52: disconnected during the question; GET with Last-Event-ID."""
    with Port(options, work) as port:
        client, path = Client(port, can=CAN), secret(port)
        http = client.open(write(client, path))
        http.answer()
        place = http.event()["id"]
        question = http.message()
        http.close()
        again, head = client.listen(place)
        check(head.status == 200 and head.type == "text/event-stream", head)
        same = again.message()
        check(same == question, (same, question))
        say(client, question, ONCE)
        reply = again.message()
        check(outcome(reply)[0] and reply["id"] == client.last, reply)
        check(again.message() is None, "then the end")
        again.close()
        # After the question there is only the reply.
        for last, rest in ((place, 2), (same["@id"], 1), (reply["@id"], 0)):
            once, head = client.listen(last)
            check(head.status == 200, head)
            got = []
            while (message := once.message()) is not None:
                got.append(message)
            check(len(got) == rest, (last, got))
            once.close()
        for bad in ("x", "1", "1-", "-1", "99-0", "99999999999-1", "0-99 ",
                    "1-1-1"):
            check(client.listen(bad)[1].status == 400, bad)
        stranger = Client(port, can=CAN)
        check(stranger.listen(place)[1].status == 400, "another's stream")


def answered_while_nobody_listens(options, work):
    """A52: for older clients a disconnect does not cancel the call."""
    with Port(options, work) as port:
        client, path = Client(port, can=CAN), secret(port)
        http, question = asked(client, path)
        http.close()
        say(client, question, ONCE)
        until(lambda: path.read_text() == "new\n", port.timeout)
        def replayed():
            again, head = client.listen(question["@id"])
            reply = again.message() if head.status == 200 else None
            again.close()
            return reply
        reply = until(replayed, port.timeout)
        check(outcome(reply)[0], reply)
        other = port.root / "big"
        text = ("y" * 63 + "\n") * 65536
        http = client.open(write(client, other, text))
        until(lambda: list(port.root.glob("*big*"))
              or list(port.root.glob(".*tmp*")) or other.exists(),
              port.timeout)
        http.close()
        until(lambda: other.exists() and other.stat().st_size == len(text),
              port.timeout)
        other.unlink()


def hanging_up_is_giving_up_for_newer_ones(options, work):
    """A52: for 2026-07-28 a disconnect cancels the call, and nothing is
    written."""
    with Port(options, work) as port:
        client, path = Client(port, modern=True), secret(port)
        begin(port, client)
        http = client.open(write(client, path))
        one = until(lambda: pending(options, work), port.timeout)
        http.close()
        # The call is cancelled: an approval is used by a repeated call.
        check(Client(port, modern=True).call("hello")[0], "others are served")
        approvals(options, work, "allow", one[0]["id"])
        for _ in range(5):
            check(client.call("hello")[0], "it goes on")
        check(path.read_text() == "old\n", "it was written")
        got = client.post(write(client, path))
        check(outcome(got.json())[0] and path.read_text() == "new\n", got)
        # The same, approved before the disconnect.
        path = port.root / ".env.2"
        http = client.open(write(client, path))
        one = until(lambda: pending(options, work), port.timeout)
        approvals(options, work, "allow", one[0]["id"])
        got = http.answer()
        reply = (http.message() if got.type == "text/event-stream"
                 else got.json())
        check(outcome(reply)[0] and path.read_text() == "new\n", reply)


def an_older_call_in_the_queue_survives(options, work):
    """A52: without elicitation, disconnected, then approved: the change is
    made."""
    with Port(options, work) as port:
        client, path = Client(port), secret(port)
        begin(port, client)
        http = client.open(write(client, path))
        one = until(lambda: pending(options, work), port.timeout)
        http.close()
        approvals(options, work, "allow", one[0]["id"])
        until(lambda: path.read_text() == "new\n", port.timeout)


def cancelled_by_a_message(options, work):
    """X03: notifications/cancelled withdraws the question."""
    with Port(options, work) as port:
        client, path = Client(port, can=CAN), secret(port)
        http, question = asked(client, path)
        got = client.post({"jsonrpc": "2.0",
                           "method": "notifications/cancelled",
                           "params": {"requestId": client.last}})
        check(got.status == 202, got)
        rest = []
        while (message := http.message()) is not None:
            rest.append(message)
        check(all(m.get("id") != client.last for m in rest), rest)
        say(client, question, ONCE)
        check(path.read_text() == "old\n", "it was written")
        other = path.with_name("plain.txt") # reading .env needs approval
        other.write_text("x\n")
        check(client.call("read_text_file", path=str(other))[0], "it goes on")


def rounds_of_the_newer_ones(options, work):
    """A52 C60: input_required, and the repeated call with the answer."""
    with Port(options, work, clients=["ann", "bob"]) as port:
        path = secret(port)
        ann = Client(port, "ann", modern=True, can=CAN)
        bob = Client(port, "bob", modern=True, can=CAN)
        def first(path=path):
            got = ann.post(write(ann, path)).json()["result"]
            check(got["resultType"] == "input_required", got)
            (key, one), = got["inputRequests"].items()
            check(one["method"] == "elicitation/create", one)
            return key, got["requestState"]
        def again(client, key, state, text="new\n", result=ONCE, path=path):
            got = client.post(write(client, path, text, {
                "inputResponses": {key: result}, "requestState": state}))
            check(got.status in (200, 400), got)
            return got.json()
        key, state = first()
        for forged in (state[:-2] + ("AA" if state[-2:] != "AA" else "BB"),
                       state[1:], "", "x", state + "x", state[::-1]):
            got = again(ann, key, forged)
            check("error" in got or got["result"].get("resultType")
                  == "input_required" or outcome(got)[1], (forged, got))
            check(path.read_text() == "old\n", "forged")
        got = again(bob, key, state)
        check("result" not in got or got["result"].get("resultType")
              == "input_required" or outcome(got)[1], got)
        check(path.read_text() == "old\n", "of another token")
        got = again(ann, key, state, text="else\n")
        check("result" not in got or got["result"].get("resultType")
              == "input_required" or outcome(got)[1], got)
        check(path.read_text() == "old\n", "for something else")
        key, state = first()
        got = again(ann, key, state)
        check(outcome(got)[0] and path.read_text() == "new\n", got)
        path.write_text("old\n")
        got = again(ann, key, state)
        check(path.read_text() == "old\n", "a state is good once")
        path = port.root / ".env.2"
        key, state = first(path)
        _, error = outcome(again(ann, key, state, result=NO, path=path))
        check(error["code"] == -32007 and not path.exists(), error)


def questions_are_of_their_client(options, work):
    """A52: another client cannot answer the question."""
    with Port(options, work, "--approval-wait", "0",
              clients=["ann", "bob"]) as port:
        for modern in (False, True):
            path = port.root / f".env.{modern}"
            path.write_text("old\n")
            ann = Client(port, "ann", modern)
            bob = Client(port, "bob", modern)
            error = outcome(ann.post(write(ann, path)).json())[1]
            check(error["code"] == -32007, error)
            approvals(options, work, "allow", error["data"]["approval"])
            other = outcome(bob.post(write(bob, path)).json())[1]
            check(other and "approval" in other.get("data", {}), other)
            check(other["code"] == -32007
                  and other["data"]["approval"] != error["data"]["approval"],
                  other)
            check(path.read_text() == "old\n", "bob wrote by ann's yes")
            check(outcome(ann.post(write(ann, path)).json())[0], "ann's own")
            check(path.read_text() == "new\n", "ann's own")


def the_silent_are_forgotten_first(options, work):
    """X19: memory of sessions is bounded, and each new session gets a
    share."""
    with Port(options, work) as port:
        for turn in range(130): # each session holds almost a megabyte
            client = Client(port, can=CAN)
            path = port.root / f".env.{turn}"
            text = "x" * 63 + "\n"
            path.write_text(text * 2400)
            http = client.open(client.tool(
                "edit_text_file", path=str(path), old_string=text * 2400,
                new_string=text.replace("x", "y") * 2400))
            http.answer()
            place = http.event()["id"]
            question = http.message()
            say(client, question, ONCE)
            check(outcome(http.message())[0], "the reply")
            http.close()
        again, head = client.listen(place)
        check(head.status == 200, head)
        check(again.message() == question, "the question, again")
        check(outcome(again.message())[0], "the reply, again")
        if not options.slow:
            check(port.peak() < 256, port.peak())


def the_newest_listener_listens(options, work):
    """port: a new GET stream replaces the previous one; DELETE ends the
    session."""
    with Port(options, work) as port:
        client, path = Client(port, can=CAN), secret(port)
        one, head = client.listen()
        check(head.status == 200 and head.type == "text/event-stream", head)
        check(head.headers["cache-control"] == "no-store", head)
        two, head = client.listen()
        check(head.status == 200, head)
        check(one.message() is None, "the first one is over")
        call, question = asked(client, path)
        check(client.leave().status == 204, "leaves")
        check(two.message() is None, "its listener")
        check(call.message() is None, "its call, without a reply")
        got = client.post({"jsonrpc": "2.0", "id": question["id"],
                           "result": ONCE})
        check(got.status == 404, got)
        check(path.read_text() == "old\n", "it was written")


def who_reads_no_events_gets_no_stream(options, work):
    """A53: a client whose Accept has only JSON is not asked on a stream."""
    with Port(options, work, "--approval-wait", "0") as port:
        client, path = Client(port, can=CAN), secret(port)
        client.accept = "application/json"
        got = client.post(write(client, path))
        check(got.status == 200 and got.type == "application/json", got)
        check(outcome(got.json())[1]["code"] == -32007, got)
        check(path.read_text() == "old\n", "it was written")
        modern = Client(port, modern=True)
        modern.accept = "application/json"
        got = modern.post(modern.message("subscriptions/listen",
                                         notifications={}))
        check(got.status in (404, 406), got)


CASES = [a_question_comes_on_the_stream, others_go_on_while_one_is_asked,
         who_comes_back_gets_the_rest_once, answered_while_nobody_listens,
         hanging_up_is_giving_up_for_newer_ones,
         an_older_call_in_the_queue_survives, cancelled_by_a_message,
         rounds_of_the_newer_ones, questions_are_of_their_client,
         the_silent_are_forgotten_first, the_newest_listener_listens,
         who_reads_no_events_gets_no_stream]

if __name__ == "__main__":
    sys.exit(run(CASES))
