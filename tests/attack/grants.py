#!/usr/bin/env python3
"""grants.py [--slow] PROGRAM [CASE...] - attempts to use a grant beyond its
scope, or after it was revoked. Each is tested beside a use that must keep
working.
"""
import datetime
import json
import pathlib
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "system"))
# pylint: disable=wrong-import-position
from answers import Agent, allow, settings, write
from old_history import make_old
from port import Client, Port
from talk import check, run
from server import environment # talk.py extends sys.path
from terminal import at_terminal, from_program

FLAGS = ("--ask", "write(*.txt)")


def command(options, home, *words, status=0, says=None):
    """Run `stet WORDS`, at a terminal where @says is typed, if given."""
    line = [options.program, *words]
    env = environment(home)
    done = from_program(line, env) if says is None \
        else at_terminal(line, env, says)
    check(done.returncode == status, (words, done))
    return done


def grants(options, home):
    return json.loads(command(options, home, "grants", "--json").stdout)[
        "grants"]


def revoking_works_at_once_in_all_servers(options, work):
    """C60 14.1: also in servers that have just used the grant."""
    root = work / "root"
    with Port(options, work, *FLAGS, "--approval-wait", "0",
              clients=("robot",)) as port, \
            Agent(options, root, *FLAGS, home=work) as one, \
            Agent(options, root, *FLAGS, home=work) as two:
        agents = ((one, root / "1.txt"), (two, root / "2.txt"))
        client = Client(port, "robot")
        over_http = lambda: client.call(
            "write_text_file", path=str(port.root / "notes.txt"),
            content=str(time.monotonic_ns()))[1]
        allow(options, work, one.asked(**write(root / "1.txt")), "--always")
        allow(options, work, over_http(), "--always")
        for _ in range(3):
            for agent, path in agents:
                agent.done(**write(path))
            check(not over_http(), "granted")
        declared, token = sorted(grants(options, work),
                                 key=lambda g: not g["declared"])
        command(options, work, "grants", "revoke", declared["id"])
        for agent, path in agents:
            agent.asked(**write(path, "later\n"))
        check(not over_http(), "another grant stays")
        command(options, work, "grants", "revoke", token["id"][:13])
        check(over_http()["code"] == -32007, "revoked")
        check(not grants(options, work), "none is left")


def the_widest_are_asked_for_again(options, work):
    """14.1: a grant for a whole root is described completely, and only a yes
    confirms it."""
    root = work / "root"
    path = root / "notes.txt"
    with Agent(options, root, *FLAGS, home=work) as agent:
        for flag, words in (
                ("--always", f"use write_text_file on every file in {root}/ "
                 "· robot (declared name) · until you revoke it · but "
                 "no sensitive file"),
                ("--session", "while its session lasts, 24 h at most"),
                ("--directory", f"change every file in {root}/ · robot")):
            one = agent.asked(**write(path))["data"]["approval"]
            for says in ("", "n\n", "\n", "maybe\n"):
                done = command(options, work, "approvals", "allow", one, flag,
                               status=11, says=says)
                check(words in done.stderr, (words, done.stderr))
                check(not done.stdout, done)
            check(not grants(options, work), "it was granted")
            agent.asked(**write(path)) # the question stays open
            done = command(options, work, "approvals", "allow", one, flag,
                           says="y\n")
            check("from now on: " in done.stdout, done)
            agent.done(**write(path))
            command(options, work, "grants", "revoke", "--all")
        # a narrow grant needs no confirmation
        one = agent.asked(**write(path))["data"]["approval"]
        done = command(options, work, "approvals", "allow", one, "--file",
                       says="")
        check(f"change {path} · robot (declared name)" in done.stdout,
              done)
        # nor does a permitted program with --yes
        command(options, work, "grants", "revoke", "--client", "robot")
        settings(work, approvals={"yes_i_am_the_person": True})
        one = agent.asked(**write(path))["data"]["approval"]
        command(options, work, "approvals", "allow", one, "--always",
                status=11)
        command(options, work, "approvals", "allow", one, "--always", "--yes")
        agent.done(**write(path))


def a_directory_is_no_more_than_that(options, work):
    """14.1: neither a sibling whose name has the same prefix, nor a sensitive
    file."""
    root = work / "root"
    for name in ("src", "src/deep", "src/.git", "src2"):
        (root / name).mkdir(parents=True)
    with Agent(options, root, *FLAGS, home=work) as agent:
        allow(options, work, agent.asked(**write(root / "src" / "a.txt")),
              "--directory")
        agent.done(**write(root / "src" / "b.txt"))
        agent.done(**write(root / "src" / "deep" / "c.txt"))
        for other in ("src2/a.txt", "a.txt", "src/.env", "src/deep/id_rsa",
                      "src/.git/config"):
            agent.asked(**write(root / other))
        (root / "src" / "link.txt").symlink_to(root / "src2" / "a.txt")
        (root / "src2" / "a.txt").write_text("x\n")
        agent.asked(**write(root / "src" / "link.txt"))


def a_project_may_be_called_secret(options, work):
    """14.1: directory names above a root do not make its files sensitive."""
    path = work / "secret-project" / "notes.txt"
    with Agent(options, path.parent, *FLAGS, home=work) as agent:
        grant = allow(options, work, agent.asked(**write(path)),
                      "--always")["grant"]
        check("but no sensitive file" in grant["words"], grant)
        agent.done(**write(path))
        agent.done(**write(path.parent / "more.txt"))
        agent.asked(**write(path.parent / "secret.txt"))


def a_grant_for_today_ends_at_midnight(options, work):
    """14.1: in the person's time zone; and 1h after an hour."""
    path = work / "root" / "notes.txt"
    with Agent(options, path.parent, *FLAGS, home=work) as agent:
        before = datetime.datetime.now().astimezone()
        for span in ("today", "1h"):
            grant = allow(options, work, agent.asked(**write(path)), "--file",
                          "--for", span)["grant"]
            until = datetime.datetime.fromisoformat(
                grant["until"].replace("Z", "+00:00")).astimezone()
            after = datetime.datetime.now().astimezone()
            if span == "1h":
                hour = datetime.timedelta(hours=1, seconds=2)
                check(before < until < after + hour, grant)
            else:
                ends = {(day.date() + datetime.timedelta(days=1))
                        for day in (before, after)}
                near = until + datetime.timedelta(seconds=2)
                check(near.date() in ends and near.hour == near.minute == 0,
                      grant)
            agent.done(**write(path))
            command(options, work, "grants", "revoke", grant["id"])
        one = agent.asked(**write(path))["data"]["approval"]
        for span in ("tomorrow", "0h", "-1h", "1"):
            command(options, work, "approvals", "allow", one, "--file",
                    f"--for={span}", status=2, says="")


def the_list_tells_who_gave_what_and_when(options, work):
    """14.1: the list marks declared names; as text and as JSON."""
    path = work / "root" / "notes.txt"
    with Agent(options, path.parent, *FLAGS, home=work) as agent:
        check("There are no grants" in command(options, work, "grants").stdout,
              "empty")
        allow(options, work, agent.asked(**write(path)), "--file")
        grant, = grants(options, work)
        check(grant["channel"] == "terminal" and "used" not in grant
              and grant["declared"] and grant["client"] == "robot", grant)
        said = command(options, work, "grants").stdout
        for words in (f"change {path} · robot (declared name) · until "
                      "you revoke it", "on the command line",
                      "last used never", grant["id"][-8:]):
            check(words in said, (words, said))
        agent.done(**write(path))
        grant, = grants(options, work)
        check(grant["used"] >= grant["time"], grant)
        check("last used just now" in command(options, work, "grants").stdout,
              "used")
        check(not json.loads(command(options, work, "grants", "--client",
                                     "other", "--json").stdout)["grants"],
              "of another")


def only_what_was_named_is_revoked(options, work):
    """14.1: of several ids all or none are revoked."""
    root = work / "root"
    with Agent(options, root, *FLAGS, home=work) as one, \
            Agent(options, root, *FLAGS, home=work, name="other") as two:
        for agent, name in ((one, "a.txt"), (one, "b.txt"), (two, "c.txt")):
            allow(options, work, agent.asked(**write(root / name)), "--file")
        ids = [grant["id"] for grant in grants(options, work)]
        for words in ((), ("--all", ids[0]), ("--all", "--client", "robot")):
            command(options, work, "grants", "revoke", *words, status=2)
        command(options, work, "grants", "nothing", status=2)
        command(options, work, "grants", "revoke", ids[0], "ffffffff",
                status=3)
        check(len(grants(options, work)) == 3, "one was revoked")
        command(options, work, "grants", "revoke", "--client", "nobody")
        done = command(options, work, "grants", "revoke", "--client", "robot",
                       "--json")
        check([g["id"] for g in json.loads(done.stdout)["revoked"]]
              == ids[:2], done)
        two.done(**write(root / "c.txt"))
        command(options, work, "grants", "revoke", ids[2], ids[2])
        two.asked(**write(root / "c.txt"))


def a_new_token_has_no_old_grants(options, work):
    """14.1: a new token with the name of a removed one does not inherit its
    grants."""
    with Port(options, work, *FLAGS, "--approval-wait", "0",
              clients=("robot", "other")) as port:
        call = lambda name: Client(port, name).call(
            "write_text_file", path=str(port.root / f"{name}.txt"),
            content=str(time.monotonic_ns()))[1]
        for name in ("robot", "other"):
            allow(options, work, call(name), "--always")
            check(not call(name), name)
        done = command(options, work, "token", "revoke", "robot", "--json")
        check(json.loads(done.stdout)["grants"] == 1, done)
        done = command(options, work, "token", "add", "robot", "--json")
        port.tokens["robot"] = json.loads(done.stdout)["token"]
        check(call("robot")["code"] == -32007, "it has the old one's grant")
        check(not call("other"), "another token's grant stays")
        # nor unused approvals
        ask = lambda: Client(port, "robot").call(
            "read_text_file", path=str(port.root / ".env"))[1]
        (port.root / ".env").write_text("KEY=1\n")
        allow(options, work, ask())
        command(options, work, "token", "revoke", "robot")
        done = command(options, work, "token", "add", "robot", "--json")
        port.tokens["robot"] = json.loads(done.stdout)["token"]
        check((ask() or {}).get("code") == -32007,
              "it has the old one's answer")
    # a token that never had grants
    home = work / "none"
    home.mkdir()
    command(options, home, "token", "add", "robot")
    command(options, home, "token", "revoke", "robot")
    # a history of an older version, which must be migrated first
    make_old(work / ".local/state/stet/history.db")
    command(options, work, "token", "revoke", "robot")


if __name__ == "__main__":
    sys.exit(run([
        revoking_works_at_once_in_all_servers,
        the_widest_are_asked_for_again,
        a_directory_is_no_more_than_that,
        a_project_may_be_called_secret,
        a_grant_for_today_ends_at_midnight,
        the_list_tells_who_gave_what_and_when,
        only_what_was_named_is_revoked,
        a_new_token_has_no_old_grants,
    ]))
