#!/usr/bin/env python3
"""answered.py [--slow] PROGRAM [CASE...] - what becomes of an answer: which
change it led to, and whether it was used, reported, turned into a grant, void,
or withdrawn.
"""
import sys

from approvals import Asker, Person, refused, secret
from page_client import SignedIn
from port import Client, Port
from talk import check, result_of, run
from server import environment # talk.py extends sys.path
from terminal import at_terminal


def write(server, path, text="new\n"):
    return server.request("write_text_file", path=str(path), content=text)


def end(server):
    server.close()
    server.kill()


def words_of(options, work, *words):
    done = at_terminal([str(options.program), *words], environment(work))
    check(done.returncode == 0, (words, done))
    return done.stdout


def begin(options, work):
    """A file that needs approval, the client that asks, and the person who
    answers."""
    return secret(work), Asker(options, work), Person(options, work)


def ask(server, path):
    return refused(server, write(server, path))["data"]["approval"]


def a_change_is_credited_to_its_own_answer(options, work):
    """14.3: a change is linked to its own answer, not to another one of the
    same client, request id and file."""
    with Port(options, work, "--ask", "write(*.txt)", "--approval-wait", "0",
              clients=("ci",)) as port:
        path, person = port.root / "a.txt", Person(options, work)
        path.write_text("one\n")
        client, page = Client(port, "ci"), SignedIn(options, work, port)

        def call(tool, **arguments):
            client.last = 7 # some clients reuse one request id
            return client.call(tool, path=str(path), **arguments)[1]

        several = {"edits": [{"old_string": "one", "new_string": "two"}]}
        first = call("multi_edit_text_file", **several)["data"]["approval"]
        person.says("allow", first)
        check(not call("multi_edit_text_file", **several), "allowed")
        wide = {"old_string": "two", "new_string": "three"}
        second = call("edit_text_file", **wide)["data"]["approval"]
        person.says("allow", second, "--file", "--for", "1h")
        check(not call("edit_text_file", **wide), "granted")
        check(not call("edit_text_file", old_string="three",
                       new_string="four"), "granted")
        done = page.ask("GET", "/api/history").json()["operations"]
        check([(o["tool"], o.get("approval")) for o in done]
              == [("edit_text_file", None), ("edit_text_file", None),
                  ("multi_edit_text_file", first)], done)
        check("allowed_used" not in done[0] and done[2]["allowed_used"], done)


def a_no_stays_a_no(options, work):
    """A denial that was reported to the agent does not count as used."""
    path, server, person = begin(options, work)
    one = ask(server, path)
    person.says("deny", one, "--note", "use the vault")
    check(refused(server, write(server, path))["message"].startswith(
        "Denied by user"), "it was denied")
    seen = person.says("show", one)
    check(seen["state"] == "denied" and seen["note"] == "use the vault"
          and seen["told"] and "used" not in seen, seen)
    listed = words_of(options, work, "approvals", "--all")
    check("denied" in listed and "used" not in listed, listed)
    shown = words_of(options, work, "approvals", "show", one)
    check("told" in shown and "used" not in shown, shown)
    check(ask(server, path) != one, "it is told once")
    end(server)


def a_yes_to_another_file_is_void(options, work):
    """The file has changed since the approval: the approval is void, and
    nothing is written."""
    path, server, person = begin(options, work)
    one = ask(server, path)
    said = words_of(options, work, "approvals", "allow", one)
    check("your approval will be used if it asks for exactly this again "
          "within 23 h, and "
          "the file is still as it was" in said, said)
    path.write_text("other\n")
    two = ask(server, path)
    check(one != two, "it is asked again")
    seen = person.says("show", one)
    check(seen["state"] == "expired" and "used" not in seen, seen)
    check(path.read_text() == "other\n", "nothing was written")
    person.says("allow", two)
    check(not result_of(server.ask(write(server, path)))[1], "allowed")
    check(person.says("show", two)["state"] == "used", "it was")
    end(server)


def a_grant_is_not_used_when_it_is_given(options, work):
    """A grant counts as used with its first call, not when it is given, and
    has its own expiry."""
    path, server, person = begin(options, work)
    one = ask(server, path)
    said = words_of(options, work, "approvals", "allow", one, "--file",
                    "--for", "1h")
    check("stopped waiting: it goes on if it asks again\n" in said
          and "23 h" not in said, said)
    check(person.says("show", one)["state"] == "granted", "not used")
    check("last used never" in words_of(options, work, "grants"), "not yet")
    check("granted already" in person.fails("deny", one), "a grant is revoked")
    check(not result_of(server.ask(write(server, path)))[1], "granted")
    check(person.says("show", one)["state"] == "granted", "still a grant")
    end(server)


def a_yes_is_taken_back_before_it_is_used(options, work):
    """An approval can be withdrawn (`deny`) until it is used."""
    path, server, person = begin(options, work)
    one = ask(server, path)
    person.says("allow", one)
    said = words_of(options, work, "approvals", "deny", one, "--note", "wait")
    check(said.startswith("withdrawn: ")
          and "your approval is withdrawn, it was not used" in said, said)
    check("allow" not in words_of(options, work, "approvals", "--all"), "gone")
    error = refused(server, write(server, path))
    check(error["message"].startswith("Denied by user")
          and "wait" in str(error), error)
    check(path.read_text() == "old\n", "nothing was written")
    two = ask(server, path)
    person.says("allow", two)
    check(not result_of(server.ask(write(server, path)))[1], "allowed")
    check("used already" in person.fails("deny", two), "too late")
    end(server)


if __name__ == "__main__":
    sys.exit(run([
        a_change_is_credited_to_its_own_answer,
        a_no_stays_a_no,
        a_yes_to_another_file_is_void,
        a_grant_is_not_used_when_it_is_given,
        a_yes_is_taken_back_before_it_is_used,
    ]))
