#!/usr/bin/env python3
"""secrets.py [--slow] PROGRAM [CASE...] - attempts to read a file with secrets
without approval, by every tool and path. Each is tested beside a harmless read
that must keep working.
"""
import json
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "system"))
# pylint: disable=wrong-import-position
from answers import (EDITS, SECRET, Agent, allow, guesses, nothing_of, person,
                     settings, write)
from grants import command, grants
from port import Client, Port
from talk import check, run
from terminal import from_program
from server import environment # talk.py extends sys.path

READS = {"read_text_file": "path", "Read": "file_path"}

# Names that need approval for reading, and similar ones that do not.
SECRETS = (".env", ".env.local", ".env.production", ".envrc", "prod.env",
           "conf/.ENV", "server.pem", "server.key", "store.p12", "key.ppk",
           "id_rsa", "id_ed25519", ".ssh/work", ".ssh/config", ".netrc",
           ".pgpass", ".npmrc", ".git-credentials", ".aws/credentials",
           ".aws/config", ".docker/config.json", ".kube/config",
           ".codex/auth.json", ".gnupg/secring.gpg", "secrets.yml",
           "secrets/a.txt", "my-credentials.json", ".git/.env",
           ".config/gh/hosts.yml", ".env.x.example/.env", "conf/.env.example.bak")
PUBLIC = (".env.example", ".env.sample", ".env.template", ".env.dist",
          ".ENV.EXAMPLE", ".env.production.example", "id_ed25519.pub",
          "id_rsa.pub", ".ssh/id_work.pub", ".git/config", ".bashrc",
          ".vscode/tasks.json", ".github/workflows/ci.yml", ".codex/prompt.md",
          "known_hosts", ".stet/config.json", ".gitignore", "environment.c",
          "keyboard.c", "notes.txt")


def put(root, name, text=SECRET):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def read(path, tool="read_text_file"):
    return {"tool": tool, READS[tool]: str(path)}


def tells(agent, path):
    """Fail unless each tool that accepts this path can read it."""
    for tool in READS:
        reply = agent.done(**read(path, tool))
        check("hunter2" in json.dumps(reply), (tool, reply))


def every_reader_asks(options, work):
    """14.9: secrets are recognized by their own name or that of a directory
    above."""
    root = work / "root"
    with Agent(options, root, home=work) as agent:
        for name in SECRETS:
            path = put(root, name)
            for tool in READS:
                error = agent.asked(**read(path, tool))
                check(error["message"] == f"Approval required: {tool} wants to "
                      f"read {path}", error)
                check(set(error["data"]) == {"approval", "hint"}, error)
                nothing_of({**error, "message": ""})
            path.unlink()
        for name in PUBLIC:
            tells(agent, put(root, name, '{}//' + SECRET if ".stet" in name
                             else SECRET))


def parts_ask_too(options, work):
    """14.9: one line, a line after the end, a page of a large file."""
    path = put(work / "root", ".env")
    with Agent(options, path.parent, home=work) as agent:
        for more in ({"line": 2, "limit": 1}, {"line": 99}):
            nothing_of(agent.asked("read_text_file", path=str(path), **more))
        for more in ({"offset": 2, "limit": 1}, {"offset": 99}):
            nothing_of(agent.asked("Read", file_path=str(path), **more))
        nothing_of(agent.asked("Edit", **EDITS["Edit"](str(path), "a", "b")))
        # a page of a large file
        large = put(path.parent, "large.pem", "hunter2\n" * 400_000)
        nothing_of(agent.asked("read_text_file", path=str(large),
                               line=399_000, limit=2))
        plain = put(path.parent, "large.txt", "hunter2\n" * 400_000)
        agent.done("read_text_file", path=str(plain), line=399_000, limit=2)


def no_other_name_hides_a_secret(options, work):
    """14.9: a symlink, one with the name of a template, "..", the name of a
    template."""
    root = work / "root"
    secret, plain = put(root, "conf/.env"), put(root, "conf/app.toml")
    (root / "notes.txt").symlink_to(secret)
    (root / ".env.example").symlink_to(secret)
    (root / "link.pub").symlink_to(secret)
    (root / "dir").symlink_to("conf")
    (root / ".env.sample").symlink_to(plain)
    (root / ".env").symlink_to(plain) # the given name counts, too
    with Agent(options, root, home=work) as agent:
        for name in ("notes.txt", ".env.example", "link.pub", "dir/.env",
                     "dir/../conf/.env", "conf/./.env", ".env"):
            nothing_of(agent.asked(**read(f"{root}/{name}")))
        for name in ("dir/app.toml", ".env.sample"):
            tells(agent, root / name)
        # also by the path from the root; the tool rejects some names
        put(root, ".npmrc")
        nothing_of(agent.asked("read_repo_file", path=".npmrc"))
        _, error = agent.outcome("read_repo_file", path="conf/.env")
        check(error["code"] == -32002, error)
        agent.done("read_repo_file", path="conf/app.toml")
    # nor does an inner root
    inner = put(root, ".aws/x/config").parent
    with Agent(options, inner, home=work) as agent:
        nothing_of(agent.asked(**read(inner / "config")))


def a_change_tells_nothing_of_a_secret(options, work):
    """14.9: success and failure of an edit have the same question."""
    path = put(work / "root", ".env")
    with Agent(options, path.parent, home=work) as agent:
        for tool, arguments in guesses(str(path)):
            path.write_text(SECRET)
            error = agent.asked(tool, **arguments)
            check(error["message"] == f"Approval required: {tool} wants to "
                  f"change {path}", (tool, error))
            nothing_of({**error, "message": ""})
        # an approval reveals the result, once
        wrong = EDITS["edit_text_file"](str(path), "middle=hunter3", "X")
        allow(options, work, agent.asked("edit_text_file", **wrong))
        reply, error = agent.outcome("edit_text_file", **wrong)
        check(error["code"] == -32010 and "hunter2" in json.dumps(reply), reply)
        nothing_of(agent.asked("edit_text_file", **wrong))
        # a file that may be read explains why an edit fails
        for name in (".bashrc", ".env.example"):
            other = put(path.parent, name)
            reply, error = agent.outcome("edit_text_file", **EDITS[
                "edit_text_file"](str(other), "middle=hunter3", "X"))
            check(error["code"] == -32010 and "hunter2" in json.dumps(reply),
                  reply)
            agent.asked(**write(other))
        # a missing file reveals nothing
        _, error = agent.outcome("edit_text_file", **EDITS["edit_text_file"](
            str(path.parent / ".env.none"), "a", "b"))
        check(error["code"] == -32001, error)
    # a change that is denied anyway is refused without a question
    with Agent(options, path.parent, "--mode=plan", home=work) as agent:
        for tool, arguments in guesses(str(path)):
            reply, error = agent.outcome(tool, **arguments)
            check(error["code"] == -32002 and
                  error["data"]["reason"] == "plan_mode", error)
            nothing_of(reply)


def the_history_of_a_secret_asks(options, work):
    """14.9: file_history, undo_file_change, and the diff since a read."""
    path = put(work / "root", ".env", "before=hunter2\n")
    plain = put(work / "root", "plain.txt", "before\n")
    with Agent(options, path.parent, "--allow", "*(.env)",
               home=work) as agent:
        made = agent.done(**write(path, SECRET))
        operation = made["result"]["structuredContent"]["_meta"]["operation"]
        agent.done(**write(plain, "after\n"))
    with Agent(options, path.parent, home=work) as agent:
        for tool, arguments in (("undo_file_change", {"path": str(path)}),
                                ("undo_file_change", {"operation": operation}),
                                ("file_history", {"path": str(path)})):
            nothing_of(agent.asked(tool, **arguments))
        rows, error = agent.call("file_history")
        check(not error and [row["path"] for row in rows["operations"]]
              == [str(plain)], rows)
        # after approval the operation is listed, without content
        error = agent.asked("file_history", path=str(path))
        shown = person(options, work, "show", error["data"]["approval"])
        check("but not its content" in shown["does"][0], shown)
        allow(options, work, error)
        rows, error = agent.call("file_history", path=str(path))
        check(not error and len(rows["operations"]) == 1, rows)
        nothing_of(rows)
        agent.done("undo_file_change", path=str(plain))
        # an earlier approved read does not reveal the current content
        allow(options, work, agent.asked(**read(path, "Read")))
        agent.done(**read(path, "Read"))
        path.write_text(SECRET + "zeta=26\n")
        nothing_of(agent.asked("Edit", **EDITS["Edit"](str(path), "alpha=1",
                                                       "X")), "zeta")


def modes_say_what_is_asked(options, work):
    """14.9: three modes ask before a secret is read, two do not; other files
    are read in all."""
    path = put(work / "root", ".env")
    plain = put(work / "root", "plain.txt")
    for mode, asks in (("default", True), ("plan", True),
                       ("acceptEdits", True), ("bypassPermissions", False),
                       ("yolo", False)):
        with Agent(options, path.parent, f"--mode={mode}", home=work) as agent:
            if asks:
                nothing_of(agent.asked(**read(path)))
            else:
                tells(agent, path)
            tells(agent, plain)
        for tool in READS:
            said = json.loads(command(
                options, work, "rules", "check", tool, str(path),
                f"--root={path.parent}", f"--mode={mode}", "--json").stdout)
            check(said["verdict"] == ("ask" if asks else "allow"), said)


def only_the_person_opens_a_secret(options, work):
    """14.9: by a rule with a path; the settings of a project cannot."""
    path = put(work / "root", ".env")
    other = put(work / "root", "sub/.env.local")
    project = put(work / "root", ".stet/config.json", json.dumps(
        {"allow": ["read(.env)", "*(.env*)"], "mode": "yolo"}))
    agent = Agent(options, path.parent, home=work)
    nothing_of(agent.asked(**read(path)))
    agent.kill() # stderr says that the project's rules are not used
    project.unlink()
    for wide in ("read", "*", "read_text_file"): # rules without a path
        with Agent(options, path.parent, "--allow", wide, home=work) as agent:
            nothing_of(agent.asked(**read(path)))
            tells(agent, put(path.parent, "plain.txt"))
    settings(work, allow=["read(.env)"])
    with Agent(options, path.parent, home=work) as agent:
        tells(agent, path)
        nothing_of(agent.asked(**read(other)))
        nothing_of(agent.asked(**write(path)))
        # reading is allowed: a failed edit may be explained without a question
        reply, error = agent.outcome("edit_text_file", **EDITS[
            "edit_text_file"](str(path), "middle=hunter3", "X"))
        check(error["code"] == -32010, reply)
    # an allowed change shows its result; reading still needs approval
    settings(work, allow=["write(.env)"])
    with Agent(options, path.parent, home=work) as agent:
        nothing_of(agent.asked(**read(path)))
        agent.done("edit_text_file", **EDITS["edit_text_file"](
            str(path), "alpha=1", "alpha=2"))
    # unless a rule of the person asks
    with Agent(options, path.parent, "--ask", "read(.env)",
               home=work) as agent:
        nothing_of(agent.asked("edit_text_file", **EDITS["edit_text_file"](
            str(path), "alpha=2", "alpha=3")))
        said = json.loads(command(
            options, work, "rules", "check", "edit_text_file", str(path),
            f"--root={path.parent}", "--ask=read(.env)", "--json").stdout)
        check(said["verdict"] == "ask", said)
    settings(work, deny=["*(.env)"])
    with Agent(options, path.parent, home=work) as agent:
        _, error = agent.outcome(**read(path))
        check(error["code"] == -32002, error)


def a_wide_grant_opens_no_secret(options, work):
    """14.9: a grant to read covers only the secret that was asked about."""
    root = work / "root"
    path, plain = put(root, ".env"), put(root, "src/plain.txt")
    others = [put(root, name) for name in ("src/.env", "id_rsa", ".env.local")]
    with Agent(options, root, "--ask", "read(plain.txt)", home=work) as agent:
        for flag in ("--always", "--session", "--directory"):
            grant = allow(options, work, agent.asked(**read(plain)),
                          flag)["grant"]
            agent.done(**read(plain))
            for other in (path, *others):
                nothing_of(agent.asked(**read(other)))
            person(options, work, "revoke", grant["id"])
        for flag in ("--always", "--file"):
            allow(options, work, agent.asked(**read(path)), flag)
            agent.done(**read(path))
            for other in others:
                nothing_of(agent.asked(**read(other)))
            agent.asked(**write(path)) # a grant to read does not cover changes
            command(options, work, "grants", "revoke", "--all")
        check(not grants(options, work), "some are left")


def a_yes_to_read_is_for_this_file(options, work):
    """14.9: once, for the size that was shown; a denial counts."""
    path = put(work / "root", ".env")
    with Agent(options, path.parent, home=work) as agent:
        error = agent.asked(**read(path))
        shown = person(options, work, "show", error["data"]["approval"])
        check(shown["does"] == [f"sends the file's content ({len(SECRET)} "
                                "bytes) to the client"], shown)
        check(not shown["diff"] and shown["reason"] == "*(.env*)", shown)
        nothing_of(shown)
        allow(options, work, error)
        reply = agent.done(**read(path))
        check("hunter2" in json.dumps(reply), reply)
        # nor for a file of the same size that replaces it
        allow(options, work, agent.asked(**read(path)))
        other = path.with_name("other")
        other.write_text("x" * len(SECRET))
        other.rename(path)
        allow(options, work, agent.asked(**read(path)))
        path.write_text(SECRET + "more=1\n")
        error = agent.asked(**read(path))
        person(options, work, "deny", error["data"]["approval"])
        _, error = agent.outcome(**read(path))
        check(error["message"] == "Denied by user: read_text_file wants to "
              f"read {path}", error)


def a_client_that_can_ask_does(options, work):
    """14.9: by a form that names the file and what an approval reveals."""
    path = put(work / "root", ".env")
    with Agent(options, path.parent, "--ask-by=client", home=work,
               can={"elicitation": {}}) as agent:
        agent.post(agent.request("read_text_file", path=str(path)))
        form = agent.reply()
        words = form["params"]["message"]
        check(f"read_text_file wants to read {path}" in words
              and f"sends the file's content ({len(SECRET)} bytes) to the "
              "client" in words, form)
        nothing_of(form)
        agent.post({"jsonrpc": "2.0", "id": form["id"], "result": {
            "action": "accept", "content": {"decision": "allow once"}}})
        reply = agent.reply()
        check("hunter2" in json.dumps(reply), reply)


def over_http_and_from_the_command_line(options, work):
    """14.9: clients over HTTP and `stet call` need approval as well."""
    with Port(options, work, "--approval-wait", "0",
              clients=("robot",)) as port:
        path, plain = put(port.root, ".env"), put(port.root, "plain.txt")
        for modern in (False, True):
            client = Client(port, "robot", modern=modern)
            for tool, name in READS.items():
                reply, error = client.call(tool, **{name: str(path)})
                check(error and error["code"] == -32007, (reply, error))
                nothing_of({**error, "message": ""})
                reply, error = client.call(tool, **{name: str(plain)})
                check(not error, error)
    for name, status in ((path, 11), (plain, 0)):
        done = from_program([options.program, "call", "read_text_file",
                             "--path", str(name), "--root",
                             str(path.parent)], environment(work))
        check(done.returncode == status, done)
        check(("hunter2" in done.stdout + done.stderr) == (not status), done)


if __name__ == "__main__":
    sys.exit(run([
        every_reader_asks,
        parts_ask_too,
        no_other_name_hides_a_secret,
        a_change_tells_nothing_of_a_secret,
        the_history_of_a_secret_asks,
        modes_say_what_is_asked,
        only_the_person_opens_a_secret,
        a_wide_grant_opens_no_secret,
        a_yes_to_read_is_for_this_file,
        a_client_that_can_ask_does,
        over_http_and_from_the_command_line,
    ]))
