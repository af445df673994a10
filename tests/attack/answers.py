#!/usr/bin/env python3
"""answers.py [--slow] PROGRAM [CASE...] - attempts to extend an approval to
another client, file, root, time or content; to read under a rule that asks;
and to answer in the person's place. Each attack is tested beside a harmless
call that must keep working.
"""
import json
import os
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "system"))
# pylint: disable=wrong-import-position
from port import OWNER, Client, Port, until
from talk import Talk, check, result_of, run
from server import environment # talk.py extends sys.path
from terminal import at_terminal, from_program

SECRET = "alpha=1\nmiddle=hunter2\nomega=9\n"


class Agent(Talk):
    """A client of 2025-11-25 with its own name and without elicitation."""

    def __init__(self, options, root, *flags, home, name="robot", can=None):
        root.mkdir(exist_ok=True)
        self.env = environment(home)
        # pylint: disable=non-parent-init-called,super-init-not-called
        super().__init__(options, root, *flags, modern=True, env=self.env)
        self.modern = False
        self.ask({"jsonrpc": "2.0", "id": "hello", "method": "initialize",
                  "params": {"protocolVersion": "2025-11-25",
                             "capabilities": can or {},
                             "clientInfo": {"name": name, "version": "1"}}})
        self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
        self.kill()

    def outcome(self, tool, **arguments):
        """The whole reply of a call, and its error if there is one."""
        reply = self.ask(self.request(tool, **arguments))
        return reply, result_of(reply)[1]

    def asked(self, tool, **arguments):
        """The call needs approval; returns the error."""
        reply, error = self.outcome(tool, **arguments)
        check(error and error["code"] == -32007
              and "approval" in error.get("data", {}), reply)
        return error

    def done(self, tool, **arguments):
        reply, error = self.outcome(tool, **arguments)
        check(not error, error)
        return reply


def person(options, home, *words):
    done = at_terminal([options.program, "approvals", *words, "--json"],
                       environment(home))
    check(done.returncode == 0, (words, done))
    return json.loads(done.stdout) if done.stdout else None


def allow(options, home, error, *flags):
    """Approve; --yes confirms a grant for a whole root."""
    return person(options, home, "allow", error["data"]["approval"], *flags,
                  "--yes")


def settings(home, **values):
    path = home / ".config" / "stet" / "config.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values))


def write(path, text="x\n"):
    return dict(tool="write_text_file", path=str(path), content=text)


def a_grant_is_for_one_client(options, work):
    """C60: a grant "always" for one client does not hold for another."""
    path = work / "root" / "notes.txt"
    flags = ("--ask", "write(*.txt)")
    with Agent(options, path.parent, *flags, home=work) as robot:
        grant = allow(options, work, robot.asked(**write(path)),
                      "--always")["grant"]
        check(grant["client"] == "robot" and grant["declared"], grant)
        robot.done(**write(path))
        with Agent(options, path.parent, *flags, home=work,
                   name="other") as other:
            other.asked(**write(path))
    with Agent(options, path.parent, *flags, home=work) as again:
        again.done(**write(path, "again\n"))


def over_http_the_token_counts(options, work):
    """C60: over HTTP a grant belongs to the token, not to the declared
    name."""
    flags = ("--ask", "write(*.txt)")
    port = Port(options, work, *flags, "--approval-wait", "0",
                clients=("alice", "bob"))
    path = port.root / "notes.txt"

    def outcome(client, text):
        return client.call("write_text_file", path=str(path), content=text)[1]

    alice = Client(port, "alice", name="robot")
    grant = allow(options, work, outcome(alice, "1"), "--always")["grant"]
    check(grant["client"] == "alice" and not grant["declared"], grant)
    check(not outcome(alice, "2"), "the one that was allowed")
    check(not outcome(Client(port, "alice", name="new"), "3"), "its token")
    for client in (Client(port, "bob", name="robot"),
                   Client(port, "bob", name="alice"),
                   Client(port, "bob", name="robot", modern=True)):
        check(outcome(client, "4")["code"] == -32007, "another token")
    port.end()
    # nor to a client on stdio that declares this name
    with Agent(options, path.parent, *flags, home=work,
               name="alice") as liar:
        liar.asked(**write(path))
    check(path.read_text() == "3", "it was written")


def a_grant_is_for_one_root(options, work):
    """C60: a grant does not hold for the same client in another root."""
    flags = ("--ask", "write(*.txt)")
    here, there = work / "here", work / "there"
    with Agent(options, here, *flags, home=work) as one, \
            Agent(options, there, *flags, home=work) as two:
        allow(options, work, one.asked(**write(here / "a.txt")),
              "--always")
        two.asked(**write(there / "a.txt"))
        one.done(**write(here / "b.txt"))
    # a root within the granted one
    inner = here / "inner"
    with Agent(options, inner, *flags, home=work) as three:
        three.asked(**write(inner / "a.txt"))


def a_grant_ends_when_it_was_said(options, work):
    """C60: --for limits a grant; another one lasts an hour."""
    path = work / "root" / "notes.txt"
    flags = ("--ask", "write(*.txt)")
    with Agent(options, path.parent, *flags, home=work) as agent:
        allow(options, work, agent.asked(**write(path)), "--always",
              "--for", "1s")
        def is_over():
            _, error = agent.outcome(**write(path))
            return error is not None

        until(is_over, 120)
        grant = allow(options, work, agent.asked(**write(path)),
                      "--file", "--for", "1h")["grant"]
        check(grant["until"], grant)
        agent.done(**write(path))


def always_is_never_for_what_is_sensitive(options, work):
    """C60: "always" given for .env covers .env and ordinary files, not
    .git/config."""
    root = work / "root"
    (root / ".git").mkdir(parents=True)
    git, env = root / ".git" / "config", root / ".env"
    git.write_text("[core]\n")
    with Agent(options, root, home=work) as agent:
        for flag in ("--always", "--directory", "--session"):
            error = agent.asked(**write(env, flag))
            grant = allow(options, work, error, flag)["grant"]
            agent.done(**write(env, flag + "\n"))
            agent.done(**write(env, flag + "\n\n"))
            for other in (git, root / ".env.local", root / "id_rsa"):
                agent.asked(**write(other))
            person(options, work, "revoke", grant["id"])
    check(git.read_text() == "[core]\n", "it was written")


def to_read_is_not_to_change(options, work):
    """C60: a file grant given for a read does not cover changes."""
    path = work / "root" / "notes.txt"
    path.parent.mkdir()
    path.write_text("x\n")
    with Agent(options, path.parent, "--ask", "read(*.txt)", "--ask",
               "write(*.txt)", home=work) as agent:
        error = agent.asked("read_text_file", path=str(path))
        allow(options, work, error, "--file")
        agent.done("read_text_file", path=str(path))
        agent.done("Read", file_path=str(path))
        agent.asked(**write(path, "y\n"))


def a_yes_to_a_link_is_for_where_it_led(options, work):
    """C60: a read of link -> a is approved; relinked to b it is asked
    again."""
    root = work / "root"
    root.mkdir()
    (root / "a.txt").write_text("harmless\n")
    (root / "b.txt").write_text(SECRET)
    link = root / "link"
    link.symlink_to("a.txt")
    with Agent(options, root, "--ask", "read", home=work) as agent:
        for tool, name in (("read_text_file", "path"), ("Read", "file_path")):
            call = {"tool": tool, name: str(link)}
            first = agent.asked(**call)
            allow(options, work, first)
            link.unlink()
            link.symlink_to("b.txt")
            second = agent.asked(**call)
            check(first["data"]["approval"] != second["data"]["approval"],
                  "one question for two files")
            check(str(root / "b.txt") in second["message"], second)
            link.unlink()
            link.symlink_to("a.txt")
            agent.asked(**call) # the approval that did not match was used up
            # without a relink the approval is used, once
            allow(options, work, agent.asked(**call))
            reply = agent.done(**call)
            check("harmless" in json.dumps(reply), reply)
            agent.asked(**call)


def a_dialog_is_for_where_the_link_led(options, work):
    """C60: a link that is changed while the form is open is asked about
    again."""
    root = work / "root"
    root.mkdir()
    (root / "a.txt").write_text("harmless\n")
    (root / "b.txt").write_text(SECRET)
    link = root / "link"
    link.symlink_to("a.txt")
    with Agent(options, root, "--ask", "read", home=work,
               can={"elicitation": {}}) as agent:
        yes = lambda question: agent.post({
            "jsonrpc": "2.0", "id": question["id"], "result": {
                "action": "accept", "content": {"decision": "allow once"}}})
        agent.post(agent.request("read_text_file", path=str(link)))
        first = agent.reply()
        check(str(root / "a.txt") in first["params"]["message"], first)
        link.unlink()
        link.symlink_to("b.txt")
        yes(first)
        second = agent.reply()
        check(second.get("method") == "elicitation/create"
              and str(root / "b.txt") in second["params"]["message"], second)
        link.unlink()
        link.symlink_to("a.txt")
        yes(second)
        third = agent.reply()
        check(third.get("method") == "elicitation/create", third)
        yes(third)
        check("harmless" in json.dumps(agent.reply()), "it was not read")


def a_yes_to_a_change_is_for_its_place(options, work):
    """C60: the same for a change through a symlinked directory."""
    root = work / "root"
    for name in ("a", "b"):
        (root / name).mkdir(parents=True)
        (root / name / "f.txt").write_text("old\n")
    link = root / "dir"
    link.symlink_to("a")
    with Agent(options, root, "--ask", "write", home=work) as agent:
        call = write(link / "f.txt", "new\n")
        allow(options, work, agent.asked(**call))
        link.unlink()
        link.symlink_to("b")
        agent.asked(**call)
        check((root / "b" / "f.txt").read_text() == "old\n", "written")
        allow(options, work, agent.asked(**call))
        agent.done(**call)
        check((root / "b" / "f.txt").read_text() == "new\n", "not written")


def a_yes_is_for_what_was_shown(options, work):
    """C60: other old or new content, or another rule, is asked about again."""
    path = work / "root" / "f.txt"
    path.parent.mkdir()
    path.write_text("old\n")
    with Agent(options, path.parent, "--ask", "write", home=work) as agent:
        allow(options, work, agent.asked(**write(path, "new\n")))
        agent.asked(**write(path, "newer\n"))
        path.write_text("mine\n")
        agent.asked(**write(path, "new\n"))
        check(path.read_text() == "mine\n", "it was written")
    # the same call and diff, but another rule that asks
    with Agent(options, path.parent, "--ask", "write", home=work) as agent:
        allow(options, work, agent.asked(**write(path, "new\n")))
    with Agent(options, path.parent, "--ask", "write(*.txt)",
               home=work) as agent:
        agent.asked(**write(path, "new\n"))
        allow(options, work, agent.asked(**write(path, "new\n")))
        agent.done(**write(path, "new\n"))
        check(path.read_text() == "new\n", "not written")


EDITS = {
    "edit_text_file": lambda path, old, new: dict(
        path=path, old_string=old, new_string=new),
    "multi_edit_text_file": lambda path, old, new: dict(
        path=path, edits=[{"old_string": old, "new_string": new}]),
    "Edit": lambda path, old, new: dict(
        file_path=path, old_string=old, new_string=new),
}


def nothing_of(reply, *words):
    text = json.dumps(reply)
    for word in ("hunter2", "middle", "omega", "alpha", *words):
        check(word not in text, (word, reply))


def guesses(path):
    """Calls whose success depends on the content of the file."""
    for tool, arguments in EDITS.items():
        for old in ("middle=hunter3", "mid", "=", "\x00", "alpha=1\n"):
            yield tool, arguments(path, old, "X")
    yield "multi_edit_text_file", {"path": path, "edits": [
        {"old_string": "alpha", "new_string": "beta"},
        {"old_string": "beta", "new_string": "alpha"}]} # no net change
    yield "write_text_file", {"path": path, "content": "new\n"}
    yield "write_text_file", {"path": path, "content": "new\n",
                              "if_version": "0" * 32}
    yield "Write", {"file_path": path, "content": "new\n"}
    yield "Write", {"file_path": path, "content": "new\n",
                    "if_version": "0" * 32}
    yield "edit_text_file", {"path": path, "old_string": "a",
                             "new_string": "b", "if_version": "0" * 32}


def a_change_tells_nothing_of_what_may_not_be_read(options, work):
    """C60 T59: under `ask read`, success and failure of a change have the same
    reply."""
    path = work / "root" / "secret.txt"
    path.parent.mkdir()
    with Agent(options, path.parent, "--allow", "write(secret.txt)", "--ask",
               "read(secret.txt)", home=work) as agent:
        for tool, arguments in guesses(str(path)):
            path.write_text(SECRET)
            reply, error = agent.outcome(tool, **arguments)
            check(error and error["code"] == -32007, (tool, reply))
            # the same message, whatever the content is
            check(error["message"] == f"Approval required: {tool} wants to "
                  f"change {path}", (tool, error))
            check(set(error["data"]) == {"approval", "hint"}, (tool, error))
            nothing_of({**reply, "message": ""})
            check(path.read_text() == SECRET, "it was written")
        # a missing file reveals nothing
        missing = str(path.parent / "none.txt")
        _, error = agent.outcome("edit_text_file", path=missing,
                                 old_string="a", new_string="b")
        check(error["code"] == -32001, error)


def the_person_may_let_it_be_told(options, work):
    """C60: an approval reveals the failure once; an `allow` rule always
    does."""
    path = work / "root" / "secret.txt"
    path.parent.mkdir()
    path.write_text(SECRET)
    wrong = EDITS["edit_text_file"](str(path), "middle=hunter3", "X")
    right = EDITS["edit_text_file"](str(path), "hunter2", "X")
    flags = ("--allow", "write(secret.txt)")
    with Agent(options, path.parent, *flags, "--ask", "read(secret.txt)",
               home=work) as agent:
        error = agent.asked("edit_text_file", **wrong)
        shown = person(options, work, "show", error["data"]["approval"])
        check("Nothing would be changed" in shown["diff"], shown)
        allow(options, work, error)
        reply, error = agent.outcome("edit_text_file", **wrong)
        check(error["code"] == -32010 and "hunter2" in json.dumps(reply),
              reply)
        agent.asked("edit_text_file", **wrong)
        # a denial has one message, whatever the call would have done
        for call in (wrong, right):
            error = agent.asked("edit_text_file", **call)
            person(options, work, "deny", error["data"]["approval"])
            _, error = agent.outcome("edit_text_file", **call)
            check(error["message"] == "Denied by user: edit_text_file wants "
                  f"to change {path}", error)
        # one question covers the change and its result
        error = agent.asked("edit_text_file", **right)
        shown = person(options, work, "show", error["data"]["approval"])
        check("+middle=X" in shown["diff"], shown)
        allow(options, work, error)
        reply = agent.done("edit_text_file", **right)
        check("omega" in json.dumps(reply), reply)
        check("middle=X" in path.read_text(), "not written")
    path.write_text(SECRET)
    with Agent(options, path.parent, *flags, "--allow", "read(secret.txt)",
               home=work) as agent:
        for _ in range(2):
            reply, error = agent.outcome("edit_text_file", **wrong)
            check(error["code"] == -32010 and "hunter2" in json.dumps(reply),
                  reply)


def the_history_tells_nothing_either(options, work):
    """C60: undo, file_history and data.changed under `ask read`."""
    path = work / "root" / "secret.txt"
    path.parent.mkdir()
    path.write_text("before=hunter2\n")
    with Agent(options, path.parent, "--allow", "*(secret.txt)",
               home=work) as agent:
        made = agent.done("write_text_file", path=str(path), content=SECRET)
        operation = made["result"]["structuredContent"]["_meta"]["operation"]
        agent.done("Read", file_path=str(path))
    flags = ("--allow", "write(secret.txt)", "--ask", "read(secret.txt)")
    with Agent(options, path.parent, *flags, home=work) as agent:
        calls = [("undo_file_change", {"path": str(path)}),
                 ("undo_file_change", {"operation": operation}),
                 ("file_history", {"path": str(path)})]
        for tool, arguments in calls:
            nothing_of(agent.asked(tool, **arguments))
        path.write_text(SECRET + "conflict\n")
        nothing_of(agent.asked(*calls[1][:1], **calls[1][1]))
        path.unlink()
        nothing_of(agent.asked(*calls[1][:1], **calls[1][1]))
        path.write_text(SECRET)
        allow(options, work, agent.asked("undo_file_change",
                                         operation=operation))
        reply = agent.done("undo_file_change", operation=operation)
        check("hunter2" in json.dumps(reply), reply)
        check(path.read_text() == "before=hunter2\n", "not undone")
        rows, error = agent.call("file_history")
        check(not error and not rows["operations"], rows)
    # the diff since the last read is content, too
    path.write_text(SECRET)
    with Agent(options, path.parent, "--allow", "*(secret.txt)",
               home=work) as free, \
            Agent(options, path.parent, *flags, home=work) as agent:
        allow(options, work, agent.asked("Read", file_path=str(path)))
        for one in (free, agent):
            one.done("Read", file_path=str(path))
        path.write_text(SECRET + "zeta=26\n")
        call = EDITS["Edit"](str(path), "alpha=1", "X")
        reply = free.ask(free.request("Edit", **call))
        check("zeta=26" in json.dumps(reply), reply)
        nothing_of(agent.asked("Edit", **call), "zeta")


def only_a_person_allows(options, work):
    """T58 C60: without a terminal `stet approvals` cannot approve, and the
    question stays open."""
    path = work / "root" / ".env"
    env = environment(work)
    with Agent(options, path.parent, home=work) as agent:
        one = agent.asked(**write(path))["data"]["approval"]
        for flags in ([], ["--file"], ["--always"], ["--hunks", "1"],
                      ["--json"]):
            done = from_program([options.program, "approvals", "allow", one,
                                 *flags], env)
            check(done.returncode == 11 and not done.stdout, done)
            check("terminal" in done.stderr, done)
            check("yes_i_am" not in done.stderr, "it says how to get by")
        # a terminal only on stdin may belong to another process
        ours, theirs = os.openpty()
        done = subprocess.run([str(options.program), "approvals", "allow",
                               one], env=env, stdin=theirs,
                              capture_output=True, text=True, timeout=60,
                              start_new_session=True)
        os.close(ours)
        os.close(theirs)
        check(done.returncode == 11, done)
        check([a["id"] for a in person(options, work, "list")["approvals"]]
              == [one], "it is decided")
        check(not person(options, work, "grants")["grants"], "a grant")
        agent.asked(**write(path))
        check(not path.exists(), "it was written")
        # a program may deny; approving needs a person at a terminal
        done = from_program([options.program, "approvals", "deny", one], env)
        check(done.returncode == 0, done)
        _, error = agent.outcome(**write(path))
        check(error["message"].startswith("Denied by user"), error)
        allow(options, work, agent.asked(**write(path)))
        agent.done(**write(path))
        agent.asked(**write(path, "more\n"))


def only_a_person_trusts(options, work):
    """C99: only a person at a terminal can trust a project's settings."""
    root, env = work / "root", environment(work)
    (root / ".stet").mkdir(parents=True)
    (root / ".stet/config.json").write_text('{"allow": ["write(.env)"]}')
    for words in (["--yes", root], [root]):
        done = subprocess.run([str(w) for w in (options.program, "trust",
                                                *words)],
                              env=env, input="y\n", capture_output=True,
                              text=True, timeout=60, start_new_session=True)
        check(done.returncode == 11 and "terminal" in done.stderr, done)
        done = from_program([options.program, "trust", "--list"], env)
        check(done.returncode == 0 and not done.stdout, done)
    done = at_terminal([options.program, "trust", root], env, "y\n")
    check(done.returncode == 0, done)
    done = from_program([options.program, "trust", "--list"], env)
    check(str(root) in done.stdout, done)
    # nor remove the trust: that would lift the refusal after a lost hook
    done = from_program([options.program, "trust", "--remove", root], env)
    check(done.returncode == 11 and "terminal" in done.stderr, done)
    done = at_terminal([options.program, "trust", "--remove", root], env)
    check(done.returncode == 0, done)


def only_a_person_is_signed_in(options, work):
    """T58: the sign-in link, which allows answering, needs a terminal."""
    with Port(options, work):
        env = {**environment(work), "STET_TOKEN": OWNER}
        for words in (["--print"], []):
            command = [options.program, "open", *words]
            done = from_program(command, env)
            check(done.returncode == 11 and "#key=" not in done.stdout, done)
            check("#key=" in at_terminal(command, env).stdout, words)


def a_declared_name_is_not_allowed_unseen(options, work):
    """14.8: --client NAME --yes selects the token of that name, not a declared
    name."""
    flags = ("--ask", "write(*.txt)")
    root, env = work / "root", environment(work)
    command = [options.program, "approvals", "allow", "--client", "robot"]
    with Port(options, work, *flags, "--approval-wait", "0",
              clients=("robot",)) as port, \
            Agent(options, root, *flags, home=work, name="robot") as thief:
        thief.asked(**write(root / "stolen.txt"))
        done = at_terminal([*command, "--yes"], env)
        check(done.returncode == 0 and not done.stdout
              and "1 question is skipped" in done.stderr, done)
        client = Client(port, "robot", name="anything")
        own = lambda: client.call("write_text_file", content="new\n",
                                  path=str(root / "own.txt"))[1]
        check(own(), "asked")
        done = at_terminal([*command, "--yes", "--json"], env)
        said = json.loads(done.stdout)
        check([(a["path"], a["state"]) for a in said["answers"]]
              == [(str(root / "own.txt"), "allowed")]
              and said["left_out"] == 1, said)
        check("only declares its name as robot" in done.stderr, done)
        check(not own(), "the token's own question was allowed")
        thief.asked(**write(root / "stolen.txt"))
        check(not (root / "stolen.txt").exists(), "it was not allowed")
        # After seeing the list a person may confirm it.
        done = at_terminal(command, env, "y\n")
        check(done.returncode == 0 and "only declared" in done.stderr, done)
        thief.done(**write(root / "stolen.txt"))


def a_person_may_let_a_program_answer(options, work):
    """T58: through their own settings only."""
    path = work / "root" / ".env"
    env = environment(work)
    (work / "root").mkdir()
    command = lambda one: [options.program, "approvals", "allow", one]
    with Agent(options, path.parent, home=work) as agent:
        one = agent.asked(**write(path))["data"]["approval"]
        # neither a flag nor the settings of the current project can do it
        check(from_program([*command(one), "--yes-i-am-the-person"],
                           env).returncode == 2, "a flag is enough")
        project = path.parent / ".stet" / "config.json"
        project.parent.mkdir()
        project.write_text('{"approvals": {"yes_i_am_the_person": true}}')
        check(from_program(command(one), env,
                           cwd=path.parent).returncode == 11, "a project")
        settings(work, approvals={"yes_i_am_the_person": False})
        check(from_program(command(one), env).returncode == 11, "false")
        settings(work, approvals={"yes_i_am_the_person": "yes"})
        check(from_program(command(one), env).returncode == 78, "a mistake")
        settings(work, approvals={"yes_i_am_the_person": True})
        check(from_program(command(one), env).returncode == 0, "true")
        agent.done(**write(path))
    # a project with this setting is rejected, with an error
    done = from_program([options.program, "serve", path.parent], env)
    check("only allowed in your own settings" in done.stderr, done)


def no_hint_says_how_to_answer(options, work):
    """A53: errors for the model contain no command."""
    path = work / "root" / ".env"
    for results in ("both", "text"):
        with Agent(options, path.parent, f"--results={results}",
                   "--tool-errors=result", home=work) as agent:
            reply = agent.ask(agent.request(**write(path)))
            said = json.dumps(reply)
            check("Approval required" in said, reply)
            check(results == "text" or "has been asked" in said, reply)
            for word in ("stet approvals", "approvals allow", "allow ",
                         "--yes"):
                check(word not in said, (word, reply))


def a_dialog_gives_a_session_at_most(options, work):
    """C60: "allow always" sent by a client in a form gives a grant for the
    session only."""
    path = work / "root" / "notes.txt"
    flags = ("--ask", "write(*.txt)")

    def answer(agent, text, *decisions):
        """The options that were offered, and the text of the second form, if
        any."""
        agent.post(agent.request(**write(path, text)))
        questions = []
        for decision in decisions:
            question = agent.reply()
            check(question.get("method") == "elicitation/create", question)
            questions.append(question["params"])
            agent.post({"jsonrpc": "2.0", "id": question["id"], "result": {
                "action": "accept", "content": {"decision": decision}}})
        check(not result_of(agent.reply())[1], "allowed")
        return (questions[0]["requestedSchema"]["properties"]["decision"][
            "enum"], questions[-1]["message"])

    can = {"elicitation": {}}
    with Agent(options, path.parent, *flags, home=work, can=can) as agent:
        # the scope is described before it is confirmed
        answer(agent, "0\n", "allow always", "allow once")
        check(not person(options, work, "grants")["grants"], "once was said")
        offered, words = answer(agent, "1\n", "allow always", "allow always")
        check("allow always" not in offered, offered)
        check("use write_text_file on every file in root/ · robot "
              "(declared name) · while its session lasts, 24 h at most · but "
              "no sensitive file" in words, words)
        agent.done(**write(path, "2\n")) # the same session continues
        grant, = person(options, work, "grants")["grants"]
        check(grant["reach"] == "session" and grant["session"]
              and grant["until"], grant)
    with Agent(options, path.parent, *flags, home=work) as agent:
        agent.asked(**write(path, "3\n"))
    # with dialogs_may_last
    settings(work, approvals={"dialogs_may_last": True})
    with Agent(options, path.parent, *flags, home=work, can=can) as agent:
        offered, words = answer(agent, "4\n", "allow always", "allow always")
        check("allow always" in offered and "until you revoke it" in words,
              (offered, words))
    with Agent(options, path.parent, *flags, home=work) as agent:
        agent.done(**write(path, "5\n"))


def a_client_without_a_name_has_no_grants(options, work):
    """C60: grants of a client without a name hold for its session only."""
    path = work / "root" / "notes.txt"
    with Agent(options, path.parent, "--ask", "write(*.txt)", home=work,
               name="") as agent:
        one = agent.asked(**write(path))["data"]["approval"]
        for flag in ("--file", "--directory", "--always"):
            done = at_terminal([options.program, "approvals", "allow", one,
                                flag], environment(work))
            check(done.returncode and "no name" in done.stderr, done)
        person(options, work, "allow", one, "--session", "--yes")
        agent.done(**write(path))
    with Agent(options, path.parent, "--ask", "write(*.txt)", home=work,
               name="") as agent:
        agent.asked(**write(path))


if __name__ == "__main__":
    sys.exit(run([
        a_grant_is_for_one_client,
        over_http_the_token_counts,
        a_grant_is_for_one_root,
        a_grant_ends_when_it_was_said,
        always_is_never_for_what_is_sensitive,
        to_read_is_not_to_change,
        a_yes_to_a_link_is_for_where_it_led,
        a_dialog_is_for_where_the_link_led,
        a_yes_to_a_change_is_for_its_place,
        a_yes_is_for_what_was_shown,
        a_change_tells_nothing_of_what_may_not_be_read,
        the_person_may_let_it_be_told,
        the_history_tells_nothing_either,
        only_a_person_allows, only_a_person_trusts,
        only_a_person_is_signed_in,
        a_declared_name_is_not_allowed_unseen,
        a_person_may_let_a_program_answer,
        no_hint_says_how_to_answer,
        a_dialog_gives_a_session_at_most,
        a_client_without_a_name_has_no_grants,
    ]))
