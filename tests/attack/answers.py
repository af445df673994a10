#!/usr/bin/env python3
"""answers.py [--slow] PROGRAM [CASE...] - attempts to make more of a person's
yes than was said: by another client, for another file, root, time or content;
to read under a rule that asks; and to answer in the person's place. Each
attack stands beside the harmless call that must go on working.
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
from server import environment # talk says where it is
from terminal import at_terminal, from_program

SECRET = "alpha=1\nmiddle=hunter2\nomega=9\n"


class Agent(Talk):
    """A client of 2025-11-25 with a name of its own, which cannot ask."""

    def __init__(self, options, root, *flags, home, name="codex", can=None):
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
        """The whole reply of a call, and its error if it has one."""
        reply = self.ask(self.request(tool, **arguments))
        return reply, result_of(reply)[1]

    def asked(self, tool, **arguments):
        """The call is not made before somebody says yes: the error."""
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
    """To what covers a whole root, --yes is the second yes."""
    return person(options, home, "allow", error["data"]["approval"], *flags,
                  "--yes")


def settings(home, **values):
    path = home / ".config" / "stet" / "config.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values))


def write(path, text="x\n"):
    return dict(tool="write_text_file", path=str(path), content=text)


def a_grant_is_for_one_client(options, work):
    """C60: an "always" for one client is nothing to another."""
    path = work / "root" / "notes.txt"
    flags = ("--ask", "write(*.txt)")
    with Agent(options, path.parent, *flags, home=work) as codex:
        grant = allow(options, work, codex.asked(**write(path)),
                      "--always")["grant"]
        check(grant["client"] == "codex" and grant["declared"], grant)
        codex.done(**write(path))
        with Agent(options, path.parent, *flags, home=work,
                   name="other") as other:
            other.asked(**write(path))
    with Agent(options, path.parent, *flags, home=work) as again:
        again.done(**write(path, "again\n"))


def over_http_the_token_counts(options, work):
    """C60: not what a client calls itself, which is free to choose."""
    flags = ("--ask", "write(*.txt)")
    port = Port(options, work, *flags, "--approval-wait", "0",
                clients=("alice", "bob"))
    path = port.root / "notes.txt"

    def outcome(client, text):
        return client.call("write_text_file", path=str(path), content=text)[1]

    alice = Client(port, "alice", name="codex")
    grant = allow(options, work, outcome(alice, "1"), "--always")["grant"]
    check(grant["client"] == "alice" and not grant["declared"], grant)
    check(not outcome(alice, "2"), "the one that was allowed")
    check(not outcome(Client(port, "alice", name="new"), "3"), "its token")
    for client in (Client(port, "bob", name="codex"),
                   Client(port, "bob", name="alice"),
                   Client(port, "bob", name="codex", modern=True)):
        check(outcome(client, "4")["code"] == -32007, "another token")
    port.end()
    # nor is it that of one who only says so
    with Agent(options, path.parent, *flags, home=work,
               name="alice") as liar:
        liar.asked(**write(path))
    check(path.read_text() == "3", "it was written")


def a_grant_is_for_one_root(options, work):
    """C60: nor to the same client in another project."""
    flags = ("--ask", "write(*.txt)")
    here, there = work / "here", work / "there"
    with Agent(options, here, *flags, home=work) as one, \
            Agent(options, there, *flags, home=work) as two:
        allow(options, work, one.asked(**write(here / "a.txt")),
              "--always")
        two.asked(**write(there / "a.txt"))
        one.done(**write(here / "b.txt"))
    # a root of its own within the one that was meant
    inner = here / "inner"
    with Agent(options, inner, *flags, home=work) as three:
        three.asked(**write(inner / "a.txt"))


def a_grant_ends_when_it_was_said(options, work):
    """C60: --for, and no longer; the twin is good for an hour."""
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
    """C60: "always" on .env is .env and ordinary files, not .git/config."""
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
    """C60: "this file" after a question about reading lets nobody write."""
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
    """C60: approve a read of link -> a, relink to b: asked again."""
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
            agent.asked(**call) # the yes was used up when it did not fit
            # and where nothing is relinked, it passes: once
            allow(options, work, agent.asked(**call))
            reply = agent.done(**call)
            check("harmless" in json.dumps(reply), reply)
            agent.asked(**call)


def a_dialog_is_for_where_the_link_led(options, work):
    """C60: relinked while the question is open, it is asked anew."""
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
    """C60: the same for a change, through a directory that is a link."""
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
    """C60: other content before or after, or another rule, asks again."""
    path = work / "root" / "f.txt"
    path.parent.mkdir()
    path.write_text("old\n")
    with Agent(options, path.parent, "--ask", "write", home=work) as agent:
        allow(options, work, agent.asked(**write(path, "new\n")))
        agent.asked(**write(path, "newer\n"))
        path.write_text("mine\n")
        agent.asked(**write(path, "new\n"))
        check(path.read_text() == "mine\n", "it was written")
    # the same call and the same diff, but another rule is why they were asked
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
    """Calls that fail or succeed by what is in the file."""
    for tool, arguments in EDITS.items():
        for old in ("middle=hunter3", "mid", "=", "\x00", "alpha=1\n"):
            yield tool, arguments(path, old, "X")
    yield "multi_edit_text_file", {"path": path, "edits": [
        {"old_string": "alpha", "new_string": "beta"},
        {"old_string": "beta", "new_string": "alpha"}]} # cancels itself out
    yield "write_text_file", {"path": path, "content": "new\n"}
    yield "write_text_file", {"path": path, "content": "new\n",
                              "if_version": "0" * 32}
    yield "Write", {"file_path": path, "content": "new\n"}
    yield "Write", {"file_path": path, "content": "new\n",
                    "if_version": "0" * 32}
    yield "edit_text_file", {"path": path, "old_string": "a",
                             "new_string": "b", "if_version": "0" * 32}


def a_change_tells_nothing_of_what_may_not_be_read(options, work):
    """C60 T59: under `ask read`, success and failure look the same."""
    path = work / "root" / "secret.txt"
    path.parent.mkdir()
    with Agent(options, path.parent, "--allow", "write(secret.txt)", "--ask",
               "read(secret.txt)", home=work) as agent:
        for tool, arguments in guesses(str(path)):
            path.write_text(SECRET)
            reply, error = agent.outcome(tool, **arguments)
            check(error and error["code"] == -32007, (tool, reply))
            # one and the same sentence, whatever is in there
            check(error["message"] == f"Approval required: {tool} wants to "
                  f"change {path}", (tool, error))
            check(set(error["data"]) == {"approval", "hint"}, (tool, error))
            nothing_of({**reply, "message": ""})
            check(path.read_text() == SECRET, "it was written")
        # a file that is not there has nothing to tell
        missing = str(path.parent / "none.txt")
        _, error = agent.outcome("edit_text_file", path=missing,
                                 old_string="a", new_string="b")
        check(error["code"] == -32001, error)


def the_person_may_let_it_be_told(options, work):
    """C60: a yes explains the failure, once; `allow` explains every one."""
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
        # a no is one, whether the change would be made or not
        for call in (wrong, right):
            error = agent.asked("edit_text_file", **call)
            person(options, work, "deny", error["data"]["approval"])
            _, error = agent.outcome("edit_text_file", **call)
            check(error["message"] == "Denied by user: edit_text_file wants "
                  f"to change {path}", error)
        # one question for a change and what its result shows
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
    # what changed since it was read is content as well
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
    """T58 C60: no terminal, no yes, and the question waits on."""
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
        # a terminal on standard input alone is another one's
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
        # to refuse harms nobody; a person at a terminal allows
        done = from_program([options.program, "approvals", "deny", one], env)
        check(done.returncode == 0, done)
        _, error = agent.outcome(**write(path))
        check(error["message"].startswith("Denied by user"), error)
        allow(options, work, agent.asked(**write(path)))
        agent.done(**write(path))
        agent.asked(**write(path, "more\n"))


def only_a_person_trusts(options, work):
    """C99: a project's own settings count once a person has said so."""
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
    # nor is it taken back: that ends the refusal of a hook that was lost
    done = from_program([options.program, "trust", "--remove", root], env)
    check(done.returncode == 11 and "terminal" in done.stderr, done)
    done = at_terminal([options.program, "trust", "--remove", root], env)
    check(done.returncode == 0, done)


def only_a_person_is_signed_in(options, work):
    """T58: whoever has the page's link can answer."""
    with Port(options, work):
        env = {**environment(work), "STET_TOKEN": OWNER}
        for words in (["--print"], []):
            command = [options.program, "open", *words]
            done = from_program(command, env)
            check(done.returncode == 11 and "#key=" not in done.stdout, done)
            check("#key=" in at_terminal(command, env).stdout, words)


def a_declared_name_is_not_allowed_unseen(options, work):
    """14.8: --client NAME --yes is the token of that name, and no more."""
    flags = ("--ask", "write(*.txt)")
    root, env = work / "root", environment(work)
    command = [options.program, "approvals", "allow", "--client", "codex"]
    with Port(options, work, *flags, "--approval-wait", "0",
              clients=("codex",)) as port, \
            Agent(options, root, *flags, home=work, name="codex") as thief:
        thief.asked(**write(root / "stolen.txt"))
        done = at_terminal([*command, "--yes"], env)
        check(done.returncode == 0 and not done.stdout
              and "1 question is left out" in done.stderr, done)
        client = Client(port, "codex", name="anything")
        own = lambda: client.call("write_text_file", content="new\n",
                                  path=str(root / "own.txt"))[1]
        check(own(), "asked")
        done = at_terminal([*command, "--yes", "--json"], env)
        said = json.loads(done.stdout)
        check([(a["path"], a["state"]) for a in said["answers"]]
              == [(str(root / "own.txt"), "allowed")]
              and said["left_out"] == 1, said)
        check("only calls itself codex" in done.stderr, done)
        check(not own(), "the token's own question was allowed")
        thief.asked(**write(root / "stolen.txt"))
        check(not (root / "stolen.txt").exists(), "it was not allowed")
        # A person who is shown the list may say yes to it.
        done = at_terminal(command, env, "y\n")
        check(done.returncode == 0 and "only declared" in done.stderr, done)
        thief.done(**write(root / "stolen.txt"))


def a_person_may_let_a_program_answer(options, work):
    """T58: by their own settings, and by nobody else's."""
    path = work / "root" / ".env"
    env = environment(work)
    (work / "root").mkdir()
    command = lambda one: [options.program, "approvals", "allow", one]
    with Agent(options, path.parent, home=work) as agent:
        one = agent.asked(**write(path))["data"]["approval"]
        # neither a flag nor a project, though the command is run in there
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
    # a project that says so is refused with words, and shut
    done = from_program([options.program, "serve", path.parent], env)
    check("belongs into your own settings" in done.stderr, done)


def no_hint_says_how_to_answer(options, work):
    """A53: what a model is told has no command in it."""
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
    """C60: a client that answers "allow always" by itself gets no more."""
    path = work / "root" / "notes.txt"
    flags = ("--ask", "write(*.txt)")

    def answer(agent, text, *decisions):
        """What was offered, and the words of the second form, if any."""
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
        # the reach is spelled out before it counts
        answer(agent, "0\n", "allow always", "allow once")
        check(not person(options, work, "grants")["grants"], "once was said")
        offered, words = answer(agent, "1\n", "allow always", "allow always")
        check("allow always" not in offered, offered)
        check("use write_text_file on every file in root/ · codex (as it "
              "calls itself) · while its session lasts, 24 h at most · but "
              "no sensitive file" in words, words)
        agent.done(**write(path, "2\n")) # the session goes on
        grant, = person(options, work, "grants")["grants"]
        check(grant["reach"] == "session" and grant["session"]
              and grant["until"], grant)
    with Agent(options, path.parent, *flags, home=work) as agent:
        agent.asked(**write(path, "3\n"))
    # the person has set otherwise
    settings(work, approvals={"dialogs_may_last": True})
    with Agent(options, path.parent, *flags, home=work, can=can) as agent:
        offered, words = answer(agent, "4\n", "allow always", "allow always")
        check("allow always" in offered and "until you revoke it" in words,
              (offered, words))
    with Agent(options, path.parent, *flags, home=work) as agent:
        agent.done(**write(path, "5\n"))


def a_client_without_a_name_has_no_grants(options, work):
    """C60: what could not be told from others holds for the session only."""
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
