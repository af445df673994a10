#!/usr/bin/env python3
"""hunks.py [--slow] [--seconds N] PROGRAM [CASE...] - the person approves some
hunks of a change while the file, the question and the answer change. Written
is the old content with the chosen hunks as they were shown, or nothing.
"""
import concurrent.futures
import json
import os
import pathlib
import random
import re
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
# pylint: disable=wrong-import-position
from port import Client, Port, outcome, until
from page_client import SignedIn
from terminal import at_terminal
from talk import check, run

WORDS = ("alpha", "beta", "gamma")


def text_of(version, chosen=()):
    """Every line has the version; each word is in a hunk of its own. Words in
    the @chosen hunks are changed."""
    between = "".join(f"{version}\n" for _ in range(8))
    return between.join(
        (word.upper() if n in chosen else word) + "\n"
        for n, word in enumerate(WORDS, 1)) + f"{version}\n"


def read_text(text):
    """(version, applied hunks), or None for a mixture."""
    found = re.search(r"^v\d+$", text, re.M)
    chosen = tuple(n for n, word in enumerate(WORDS, 1)
                   if word.upper() in text)
    if not found or text != text_of(found[0], chosen):
        return None
    return found[0], chosen


def edits(path):
    return {"path": str(path), "edits": [
        {"old_string": word, "new_string": word.upper()} for word in WORDS]}


class Person(SignedIn):
    """Answers on the page and at the terminal."""

    def pending(self):
        return self.ask("GET", "/api/approvals").json()["approvals"]

    def on_page(self, one, hunks):
        """True = this answer counts, False = another one did."""
        answer = self.ask("POST", f"/api/approvals/{one}", {
            "answer": "once", "hunks": hunks})
        check(answer.status in (200, 404, 409), answer)
        return answer.status == 200

    def at_terminal(self, one, hunks):
        done = at_terminal([self.program, "approvals", "allow", one, "--hunks",
                            ",".join(map(str, hunks))], self.env)
        check(done.returncode == 0 or "already" in done.stderr
              or "not waiting" in done.stderr or "No such" in done.stderr,
              done)
        return done.returncode == 0

    def denies(self, one):
        return self.ask("POST", f"/api/approvals/{one}",
                        {"answer": "deny"}).status == 200

    def operations(self, path):
        """The history, oldest first: (before, after) of each operation."""
        done = at_terminal([self.program, "log", "--json", "--limit", "0",
                            str(path)],
                           self.env)
        check(done.returncode == 0, done)
        return json.loads(done.stdout)["operations"]


def start(options, work, *flags):
    port = Port(options, work, "--durability=process", "--ask",
                "write(*.txt)", *flags, clients=("alice", "bob"))
    return port, Person(options, work, port), port.root / "a.txt"


def replace(path, text):
    """Replace the file atomically, as another program does."""
    new = path.with_suffix(".new")
    new.write_text(text)
    os.rename(new, path)


def asked(client, path):
    """The call needs approval; returns the id of its question."""
    _, error = client.call("multi_edit_text_file", **edits(path))
    check(error and error["code"] == -32007, error)
    return error["data"]["approval"]


def one_answer_counts(options, work):
    """C60: the page and the terminal answer at the same time, with different
    hunks."""
    port, person, path = start(options, work, "--approval-wait", "0")
    client = Client(port, "alice")
    picks = [[1], [2], [3], [1, 2], [1, 3], [2, 3]]
    with port, concurrent.futures.ThreadPoolExecutor(6) as pool:
        for turn in range(4 if options.seconds <= 2 else 40):
            replace(path, text_of(f"v{turn}"))
            one = asked(client, path)
            ways = [person.on_page] * 3 + [person.at_terminal] * 3
            counts = list(pool.map(lambda way, pick, which=one:
                                   way(which, pick), ways, picks))
            check(sum(counts) == 1, (turn, counts))
            _, error = client.call("multi_edit_text_file", **edits(path))
            check(not error, error)
            made = read_text(path.read_text())
            check(made == (f"v{turn}", tuple(picks[counts.index(True)])),
                  (turn, made, counts))
            # An approval is used once: the same call is asked again.
            replace(path, text_of(f"v{turn}"))
            check(asked(client, path) != one, "it was answered twice")


def what_was_answered_for_another_text_is_no_answer(options, work):
    """C60: the file changes after the question, or after the answer."""
    port, person, path = start(options, work, "--approval-wait", "0")
    client = Client(port, "alice")
    with port:
        replace(path, text_of("v1"))
        one = asked(client, path)
        replace(path, text_of("v2"))
        check(person.on_page(one, [1, 3]), "it was pending")
        two = asked(client, path)
        check(one != two, "the answer was for another text")
        # The file is restored: the approval is used up.
        replace(path, text_of("v1"))
        three = asked(client, path)
        check(three not in (one, two), "a yes came back")
        check(not person.on_page(two, [1]), "nobody waits for that any more")
        check(path.read_text() == text_of("v1"), "it was written")
        # The harmless counterpart.
        check(person.at_terminal(three, [2]), "it was pending")
        _, error = client.call("multi_edit_text_file", **edits(path))
        check(not error and path.read_text() == text_of("v1", (2,)), error)


def an_answer_is_for_one_client(options, work):
    """C60: the same call of another client is asked separately."""
    port, person, path = start(options, work, "--approval-wait", "0")
    alice, bob = Client(port, "alice"), Client(port, "bob")
    with port:
        replace(path, text_of("v1"))
        one, other = asked(alice, path), asked(bob, path)
        check(one != other, "they share a question")
        check(person.on_page(one, [2]), "it was pending")
        check(asked(bob, path) == other, "bob has the answer of alice")
        check(person.on_page(other, [1, 3]), "it was pending")
        _, error = alice.call("multi_edit_text_file", **edits(path))
        check(not error and path.read_text() == text_of("v1", (2,)), error)
        # The approval for bob was for another text.
        _, error = bob.call("multi_edit_text_file", **edits(path))
        check(error and path.read_text() == text_of("v1", (2,)), error)


class Race:
    """A writer, callers and a person, until the time is up."""

    def __init__(self, options, port, person, path):
        self.port, self.person, self.path = port, person, path
        self.end = time.monotonic() + options.seconds
        self.lock, self.faults = threading.Lock(), []
        self.version, self.wrong, self.seen = 0, [], set()
        self.answers = {} # {question: hunks of the answer that counted}
        self.shown = {}   # {question: version in the diff that was shown}
        self.replies = []

    def keep(self, work, *args):
        chance = random.Random(str(args) + work.__name__)
        try:
            while time.monotonic() < self.end and not self.faults:
                work(chance, *args)
        except Exception as error: # raised again by the waiting thread
            self.faults.append(f"{work.__name__}: {error!r}")

    def look(self, chance):
        """No reader ever sees a mixture."""
        text = self.path.read_text()
        found = read_text(text)
        if found:
            self.seen.add(found)
        else:
            self.wrong.append(text)

    def write(self, chance):
        self.version += 1
        replace(self.path, text_of(f"v{self.version}"))
        time.sleep(chance.choice([0, 0.01, 0.05, 0.3, 0.6]))

    def answer(self, chance):
        for one in self.person.pending():
            pick = sorted(chance.sample([1, 2, 3], chance.randrange(1, 3)))
            way = (self.person.at_terminal if chance.random() < 0.1
                   else self.person.on_page)
            version = re.search(r"^ (v\d+)$", one["diff"], re.M)
            if chance.random() < 0.1:
                self.person.denies(one["id"])
            elif version and way(one["id"], pick):
                with self.lock:
                    check(one["id"] not in self.answers, "answered twice")
                    self.answers[one["id"]] = tuple(pick)
                    self.shown[one["id"]] = version[1]

    def call(self, chance, client):
        message = client.tool("multi_edit_text_file", **edits(self.path))
        waiting = client.open(message)
        if chance.random() < 0.2:
            client.post({"jsonrpc": "2.0",
                         "method": "notifications/cancelled",
                         "params": {"requestId": message["id"]}})
            waiting.close()
            return
        answer = waiting.answer()
        reply = (answer.json() if answer.type == "application/json"
                 else waiting.message())
        waiting.close()
        made, error = outcome(reply)
        if error:
            # Not answered, denied, file changed, or no difference.
            check(error["code"] in (-32007, -32013, -32010, -32011, -32602,
                                    -32603), error)
            return
        with self.lock:
            self.replies.append(made)

    def twin(self, client):
        """Without other changes, what is approved is written."""
        self.version += 1
        replace(self.path, text_of(f"v{self.version}"))
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            one, made = self.question(pool, client)
            check(self.person.on_page(one, [1, 3]), "it was pending")
            self.answers[one] = (1, 3)
            self.shown[one] = f"v{self.version}"
            _, error = made.result()
        if error and error["code"] == -32007: # the answer came too late
            _, error = client.call("multi_edit_text_file", **edits(self.path))
        check(not error, error)
        check(self.path.read_text() == text_of(f"v{self.version}", (1, 3)),
              "it was not made")

    def question(self, pool, client):
        """Call until a question about the present text is asked; returns it
        and the call. A call that was given up in the race may have left a
        denial behind, which the next call of the same client is told."""
        def asked():
            return [one for one in self.person.pending()
                    if f" v{self.version}\n" in one["diff"]]

        for _ in range(8):
            made = pool.submit(client.call, "multi_edit_text_file",
                               **edits(self.path))
            until(lambda: made.done() or asked(), 60)
            if asked():
                return asked()[0]["id"], made
            error = made.result()[1]
            check(error and error["code"] == -32007, made.result())
        check(False, made.result())

    def go(self, clients):
        works = [(self.look,), (self.write,), (self.answer,), (self.answer,)]
        works += [(self.call, client) for client in clients]
        threads = [threading.Thread(target=self.keep, args=work)
                   for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        check(not self.faults, self.faults)


def judge(race, operations):
    """Each operation belongs to one answer, for the version it was based
    on."""
    wrong, left = [], [(race.shown[one], hunks)
                       for one, hunks in race.answers.items()]
    for made in operations:
        if made in left:
            left.remove(made)
        else:
            wrong.append(made)
    check(not wrong, (wrong, race.answers, race.shown))


def made_by(person, op):
    """The version and hunks that an operation has written."""
    diff = person.ask("GET", f"/api/history/{op['id']}").json()["diff"]
    version = re.search(r"^ (v\d+)$", diff, re.M)[1]
    chosen = tuple(n for n, word in enumerate(WORDS, 1)
                   if f"\n-{word}\n+{word.upper()}\n" in diff)
    changed = re.findall(r"^[-+](?![-+]).*", diff, re.M)
    check(len(changed) == 2 * len(chosen), diff)
    return version, chosen


def hunks_in_a_race(options, work):
    """C60 X15: no wrong outcome, whatever changes meanwhile."""
    port, person, path = start(options, work, "--approval-wait", "5")
    with port:
        replace(path, text_of("v0"))
        race = Race(options, port, person, path)
        race.go([Client(port, who) for who in ("alice", "alice", "bob",
                                               "bob", "bob")])
        check(not race.wrong, race.wrong[:3])
        race.twin(Client(port, "alice"))
        done = [op for op in person.operations(path)
                if op["state"] == "done"]
        judge(race, [made_by(person, op) for op in done])
        check(len(race.replies) <= len(done), (len(race.replies), len(done)))
        print(f"# {race.version} versions, {len(race.answers)} answers, "
              f"{len(done)} changes, {len(race.replies)} replies")


if __name__ == "__main__":
    sys.exit(run([
        one_answer_counts,
        what_was_answered_for_another_text_is_no_answer,
        an_answer_is_for_one_client,
        hunks_in_a_race,
    ]))
