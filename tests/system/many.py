#!/usr/bin/env python3
"""many.py [--slow] PROGRAM [CASE...] - `stet approvals` answers several
questions at once; each is compared with the list that was shown.
"""
import fcntl
import json
import os
import pty
import subprocess
import sys
import termios

from approvals import Asker, Person, refused
from talk import check, result_of, run
from server import environment # talk.py extends sys.path
from terminal import at_terminal


class Typist:
    """A command at a terminal that waits for input."""

    def __init__(self, options, work, *words):
        self.ours, theirs = pty.openpty()
        # pylint: disable=subprocess-popen-preexec-fn,consider-using-with
        self.child = subprocess.Popen(
            [str(options.program), "approvals", *words],
            env=environment(work), stdin=theirs, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(theirs)

    def prompt(self):
        """The output up to the prompt."""
        said = b""
        while b"[y/N]" not in said:
            piece = os.read(self.child.stderr.fileno(), 4096)
            check(piece, said)
            said += piece
        return said.decode()

    def types(self, text):
        """Type an answer; returns exit status and further output."""
        os.write(self.ours, text.encode())
        out = self.child.communicate(timeout=60)[0].decode()
        os.close(self.ours)
        return self.child.returncode, out


def ask_about(server, work, *names):
    """Make a call that needs approval for each file; returns the calls."""
    calls = []
    for name in names:
        path = work / "root" / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text("old\n")
        calls.append(lambda path=path: server.request(
            "write_text_file", path=str(path), content="new\n"))
        refused(server, calls[-1]())
    return calls


def begin(options, work):
    return Asker(options, work, "--ask=write(src/*)"), Person(options, work)


def end(server):
    server.close()
    server.kill()


def texts(work, *names):
    return [(work / "root" / name).read_text() for name in names]


NAMES = ("src/a", "src/b", "src/c")


def several_are_listed_and_then_answered(options, work):
    """14.8: full paths, line counts and clients are listed before the
    confirmation."""
    server, person = begin(options, work)
    calls = ask_about(server, work, *NAMES)
    ids = [one["id"] for one in person.pending()]
    for said in ("n\n", "\x04"):
        typist = Typist(options, work, "allow", *ids)
        listed = typist.prompt()
        for name in NAMES:
            check(f"  {work}/root/{name}  +1 " in listed, listed)
        check("Allow 3 questions: 3 files, +3 " in listed
              and ", of test 1 · only declared." in listed, listed)
        check(typist.types(said)[0] != 0, "that was no yes")
    check(len(person.pending()) == 3, "nothing was answered")
    status, out = Typist(options, work, "allow", *ids, ids[0]).types("y\n")
    check(status == 0 and out.count("allowed: ") == 3
          and out.count("stopped waiting") == 3, out)
    for call in calls:
        check(not result_of(server.ask(call()))[1], "allowed")
    check(texts(work, *NAMES) == ["new\n"] * 3, "written")
    # One approval each: the next call is asked again.
    refused(server, server.request("write_text_file", content="newer\n",
                                   path=str(work / "root" / "src/a")))
    end(server)


def what_changed_after_the_list_is_not_answered(options, work):
    """14.8: a question that was changed or answered after the list was shown
    is left out."""
    server, person = begin(options, work)
    calls = ask_about(server, work, *NAMES, "src/d")
    typist = Typist(options, work, "allow", "--all", "--json")
    typist.prompt()
    (work / "root/src/b").write_text("other\n")
    refused(server, calls[1]())
    [one] = [p for p in person.pending() if p["path"].endswith("/c")]
    person.says("deny", one["id"])
    status, out = typist.types("y\n")
    check(status != 0, "not all of them")
    check([one["state"] for one in json.loads(out)["answers"]]
          == ["allowed", "unanswered", "unanswered", "allowed"], out)
    errors = [result_of(server.ask(call()))[1] for call in calls]
    check([bool(one) for one in errors] == [False, True, True, False], errors)
    check(texts(work, *NAMES, "src/d") == ["new\n", "other\n", "old\n",
                                           "new\n"], "what was allowed")
    check(len(person.pending()) == 1, "the one that changed waits")
    end(server)


def one_client_or_all_of_them(options, work):
    """14.8: --client and --all; an unknown client name answers nothing."""
    server, person = begin(options, work)
    ask_about(server, work, *NAMES)
    done = at_terminal([options.program, "approvals", "deny", "--client",
                        "tes", "--yes"], environment(work))
    check(done.returncode == 0 and "Nothing is waiting" in done.stdout, done)
    check(len(person.pending()) == 3, "none is of that client")
    done = subprocess.run(
        [options.program, "approvals", "deny", "--client", "test"],
        env=environment(work), stdin=subprocess.DEVNULL, timeout=60,
        capture_output=True, text=True)
    check(done.returncode and "--yes" in done.stderr, done)
    check(len(person.pending()) == 3, "nobody has confirmed it")
    done = at_terminal([options.program, "approvals", "deny", "--client",
                        "test", "--yes", "--note", "no!"], environment(work))
    check(done.returncode == 0 and done.stdout.count("denied: ") == 3, done)
    check(not person.pending(), "all of them")
    end(server)


def only_a_person_allows_and_only_once(options, work):
    """14.8: it needs a terminal, and gives no grant for several questions."""
    server, person = begin(options, work)
    ask_about(server, work, *NAMES)
    ids = [one["id"] for one in person.pending()]
    done = subprocess.run(
        [options.program, "approvals", "allow", "--all", "--yes"],
        env=environment(work), stdin=subprocess.DEVNULL, timeout=60,
        capture_output=True, text=True)
    check(done.returncode == 11, done)
    for words in ((*ids, "--always"), ("--all", "--file"),
                  (*ids, "--hunks", "1"), (ids[0], "--all"),
                  (ids[0], "0000", "--yes"), ()):
        person.fails("allow", *words)
    check(len(person.pending()) == 3, "nothing was answered")
    done = at_terminal([options.program, "grants", "--json"],
                       environment(work))
    check(json.loads(done.stdout)["grants"] == [], done)
    end(server)


if __name__ == "__main__":
    sys.exit(run([
        several_are_listed_and_then_answered,
        what_changed_after_the_list_is_not_answered,
        one_client_or_all_of_them,
        only_a_person_allows_and_only_once,
    ]))
