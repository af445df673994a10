#!/usr/bin/env python3
"""asking.py [--slow] PROGRAM [CASE...] - who is asked (--ask-by), and that a
denial is only reported when a person was asked.
"""
import json
import sys

from approvals import (CAN, ONCE, Asker, Person, answered, question_of,
                       refused, secret)
from port import until
from talk import check, result_of, run
from server import environment # talk.py extends sys.path
from terminal import at_terminal

NOES = ({"action": "decline"}, {"action": "cancel"})


def write(server, path, text="new\n"):
    return server.request("write_text_file", path=str(path), content=text)


def ask_client(server, call, answer):
    """Make the call and send the client's answer to its question; returns the
    reply."""
    if not server.modern:
        server.post(call)
        answered(server, question_of(server.reply()), answer)
        return server.reply()
    result = server.ask(call)["result"]
    check(result["resultType"] == "input_required", result)
    call["params"].update(requestState=result["requestState"],
                          inputResponses={"approval": answer})
    call["id"] += 1000
    return server.ask(call)


def end(server):
    server.close()
    server.kill()


def a_client_that_declines_by_itself_has_not_denied(options, work):
    """A client that declines at once has shown nobody the form: the question
    goes to the queue, and the error says so."""
    path, person = secret(work), Person(options, work)
    for modern in (False, True):
        for answer in NOES:
            path.write_text("old\n")
            server = Asker(options, work, can=CAN, modern=modern)
            _, error = result_of(ask_client(server, write(server, path),
                                            answer))
            check(error["code"] == -32007
                  and error["message"].startswith("Approval required: ")
                  and "declined without asking" in error["data"]["hint"]
                  and "enied" not in json.dumps(error), error)
            [one] = person.pending()
            check(one["id"] == error["data"]["approval"], one)
            person.says("allow", one["id"])
            check(not result_of(server.ask(write(server, path)))[1],
                  "it was allowed, without another question")
            check(path.read_text() == "new\n", "it was not written")
            end(server)


def a_person_who_declines_has_denied(options, work):
    """A decline counts, however fast, once a person has answered through this
    client."""
    path, person = secret(work), Person(options, work)
    for modern in (False, True):
        for answer in NOES:
            path.write_text("old\n")
            server = Asker(options, work, can=CAN, modern=modern)
            check(not result_of(ask_client(server, write(server, path),
                                           ONCE))[1], "it was allowed")
            _, error = result_of(ask_client(
                server, write(server, path, "more\n"), answer))
            check(error["message"].startswith("Denied by user: "), error)
            check(not person.pending(), "they have been asked")
            end(server)


def the_client_alone(options, work):
    """--ask-by client: there is no queue, and the error says who declined."""
    path, person = secret(work), Person(options, work)
    for modern in (False, True):
        server = Asker(options, work, "--ask-by=client", can=CAN,
                       modern=modern)
        _, error = result_of(ask_client(server, write(server, path),
                                        {"action": "decline"}))
        check(error["code"] == -32007 and error["message"].startswith(
            "Declined by the client without asking the user: "), error)
        check(not result_of(ask_client(server, write(server, path), ONCE))[1],
              "allowed")
        path.write_text("old\n")
        end(server)
        server = Asker(options, work, "--ask-by=client", modern=modern)
        error = refused(server, write(server, path))
        check(error["message"].startswith("Approval required: ")
              and "--ask-by=client" in error["data"]["hint"], error)
        check(not person.pending() and path.read_text() == "old\n", "queued")
        end(server)


def the_queue_alone(options, work):
    """--ask-by page: a client with elicitation is not asked."""
    path, person = secret(work), Person(options, work)
    for modern in (False, True):
        path.write_text("old\n")
        server = Asker(options, work, "--ask-by=page", can=CAN, modern=modern)
        error = refused(server, write(server, path))
        person.says("allow", error["data"]["approval"])
        check(not result_of(server.ask(write(server, path)))[1], "allowed")
        check(path.read_text() == "new\n", "it was not written")
        end(server)


def of_two_the_first_answer_counts(options, work):
    """--ask-by both, with a client that is asked by elicitation/create."""
    path, person = secret(work), Person(options, work)
    server = Asker(options, work, "--ask-by=both", can=CAN)

    # The client answers: the question leaves the queue.
    server.post(write(server, path))
    question = question_of(server.reply())
    [one] = person.pending()
    answered(server, question, ONCE)
    check(not result_of(server.reply())[1], "allowed")
    check(path.read_text() == "new\n" and not person.pending(), "withdrawn")
    check("expired" in person.fails("allow", one["id"]), "too late")

    # An answer in the queue, yes or no, withdraws the client's form.
    for words, text in ((["allow"], "two\n"), (["deny", "--note", "no!"],
                                               "three\n")):
        server.post(write(server, path, text))
        question = question_of(server.reply())
        [one] = person.pending()
        person.says(words[0], one["id"], *words[1:])
        message = server.reply()
        check(message["method"] == "notifications/cancelled"
              and message["params"]["requestId"] == question["id"], message)
        _, error = result_of(server.reply())
        check(("no!" in json.dumps(error)) if error else text == "two\n",
              error)
        answered(server, question, ONCE) # too late
        check(not server.call("hello")[1], "no word of it")
        check(path.read_text() == "two\n" and not person.pending(), "done")
    end(server)


def of_two_in_the_newer_era(options, work):
    """--ask-by both, with a client of 2026-07-28 (requestState)."""
    path, person = secret(work), Person(options, work)
    server = Asker(options, work, "--ask-by=both", can=CAN, modern=True)
    check(not result_of(ask_client(server, write(server, path), ONCE))[1],
          "allowed by the client")
    check(path.read_text() == "new\n" and not person.pending(), "withdrawn")
    for word, after in (("allow", "two\n"), ("deny", "two\n")):
        call = write(server, path, "two\n" if word == "allow" else "three\n")
        result = server.ask(call)["result"]
        check(result["resultType"] == "input_required", result)
        person.says(word, person.pending()[0]["id"])
        call["params"].update(requestState=result["requestState"],
                              inputResponses={"approval": ONCE})
        _, error = result_of(server.ask(call))
        check(bool(error) == (word == "deny"), (word, error))
        check(path.read_text() == after, "the first answer counts")
    end(server)


def equal_calls_share_an_answer(options, work):
    """--ask-by both: two equal calls have one question for the client and one
    row in the queue."""
    path, person = secret(work), Person(options, work)
    server = Asker(options, work, "--ask-by=both", can=CAN)
    server.post(write(server, path), write(server, path))
    question = question_of(server.reply())
    check(not server.call("hello")[1], "there is one question")
    check(len(person.pending()) == 1, "and one in the queue")
    answered(server, question,
             {"action": "accept", "content": {"decision": "deny"}})
    for _ in range(2):
        _, error = result_of(server.reply())
        check(error["message"].startswith("Denied by user: "), error)
    check(not person.pending() and path.read_text() == "old\n", "withdrawn")
    end(server)


def words_of(options, work, *words):
    done = at_terminal([str(options.program), *words], environment(work))
    check(done.returncode == 0, (words, done))
    return done.stdout


def a_client_that_left_is_told(options, work):
    """14.3: `stet approvals` says whether the client still waits, for each way
    of asking."""
    path, person = secret(work), Person(options, work)
    for flags, can in ((("--approval-wait=600",), None),
                       (("--ask-by=both",), CAN)):
        server = Asker(options, work, *flags, can=can)
        call = write(server, path)
        server.post(call)
        if can:
            question_of(server.reply())
        else:
            check(not server.call("hello")[1], "other calls go on")
        check(until(person.pending, 60), "the question is in the queue")
        [one] = person.pending()
        check(one["waits"] > one["time"], one)
        shown = words_of(options, work, "approvals", "show", one["id"])
        check("test 1 · only declared is waiting, " in shown, shown)
        server.post({"jsonrpc": "2.0", "method": "notifications/cancelled",
                     "params": {"requestId": call["id"]}})
        check(until(lambda: not person.pending()[0].get("waits"), 60),
              "the client left")
        if can:
            check(server.reply()["method"] == "notifications/cancelled",
                  "the form is withdrawn")
        shown = words_of(options, work, "approvals", "show", one["id"])
        check("test 1 · only declared stopped waiting: your answer will be "
              "used if it asks for exactly this again within 23 h, and the file is "
              "still as it was" in shown, shown)
        said = words_of(options, work, "approvals", "allow", one["id"])
        check("stopped waiting: your approval will be used if it asks for "
              "exactly this again within 23 h, and" in said, said)
        check(path.read_text() == "old\n", "nothing was written")
        check(not result_of(server.ask(write(server, path)))[1],
              "the yes counts when the client asks again")
        check(path.read_text() == "new\n", "written")
        shown = words_of(options, work, "approvals", "show", one["id"])
        check("used" in shown and "waiting" not in shown, shown)
        end(server)
        path.write_text("old\n")


def a_client_without_a_token_is_only_declared(options, work):
    """14.6: list, log and JSON mark a declared name in the same words."""
    path, person = secret(work), Person(options, work)
    server = Asker(options, work)
    refused(server, write(server, path))
    [one] = person.pending()
    check(one["who"] == "test 1 · only declared" and "token" not in one, one)
    shown = words_of(options, work, "approvals")
    check(shown.splitlines()[0].endswith("  test 1 · only declared"), shown)
    person.says("allow", one["id"])
    check(not result_of(server.ask(write(server, path)))[1], "allowed")
    end(server)
    shown = words_of(options, work, "log", "--all")
    check(", test 1 · only declared" in shown, shown)
    log = json.loads(words_of(options, work, "log", "--all", "--json"))
    check(log["operations"][0]["client"] == "test 1"
          and not log["operations"][0].get("token"), log)


if __name__ == "__main__":
    sys.exit(run([
        a_client_that_declines_by_itself_has_not_denied,
        a_person_who_declines_has_denied,
        the_client_alone,
        the_queue_alone,
        of_two_the_first_answer_counts,
        of_two_in_the_newer_era,
        equal_calls_share_an_answer,
        a_client_that_left_is_told,
        a_client_without_a_token_is_only_declared,
    ]))
