#!/usr/bin/env python3
"""tokens.py [--slow] PROGRAM [CASE...] - stet token and stet open."""
import http.client
import json
import os
import re
import stat
import subprocess
import sys

from terminal import at_terminal, from_program
from talk import check, run

TOKEN = r"stet_[A-Za-z0-9_-]{43}"
LINK = r"http://a\.localhost:7717/#key=[A-Za-z0-9_-]{60,}"


def stet(options, *words, **variables):
    """Run a command at a terminal."""
    env = {name: os.environ[name] for name in ("PATH", "HOME")}
    done = at_terminal([options.program, *words], {**env, **variables},
                       cwd="/")
    return done.returncode, done.stdout, done.stderr


def private(path):
    return stat.S_IMODE(path.stat().st_mode) == 0o600


def a_token_is_shown_once_ready_to_paste(options, work):
    """`token add` prints the client configuration; only a digest is stored."""
    state = work / "state"
    status, out, said = stet(options, "token", "add", "claude",
                             f"--state-dir={state}")
    check(status == 0 and not said, (status, said))
    token = re.search(f"^  ({TOKEN})$", out, re.M).group(1)
    server = json.loads(out[out.index("{"):out.rindex("}") + 1])
    check(server == {"mcpServers": {"stet": {
        "type": "http", "url": "http://127.0.0.1:7717/mcp",
        "headers": {"Authorization": f"Bearer {token}"}}}}, server)
    check(stat.S_IMODE(state.stat().st_mode) == 0o700)
    for name in ("token", "tokens"):
        check(private(state / name), name)
        check(token not in (state / name).read_text(), name)
    status, out, _ = stet(options, "token", "add", "two", "--json",
                          "--state-dir", str(state))
    made = json.loads(out)
    check(status == 0 and made["name"] == "two" and made["url"] ==
          "http://127.0.0.1:7717/mcp" and re.fullmatch(TOKEN, made["token"]),
          made)


def tokens_are_listed_and_taken_back(options, work):
    """The list begins with the owner's token; the name of a removed one can be
    used again."""
    where = f"--state-dir={work / 'state'}"
    for name in ("one", "two"):
        check(stet(options, "token", "add", name, where)[0] == 0)
    status, out, _ = stet(options, "token", where)
    names = [line.split()[0] for line in out.splitlines()]
    check(status == 0 and names == ["NAME", "owner", "one", "two"], out)
    check(out.count("never") == 3, out)
    status, out, _ = stet(options, "token", "list", "--json", where)
    listed = json.loads(out)["tokens"]
    check([row["name"] for row in listed] == ["owner", "one", "two"], out)
    for row in listed:
        check(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", row["made"]) and
              row["seen"] is None, row)
    status, out, _ = stet(options, "token", "revoke", "one", where)
    check(status == 0 and "its next request will be refused" in out, out)
    status, out, _ = stet(options, "token", "revoke", "two", "--json", where)
    check(status == 0 and json.loads(out) == {"revoked": "two",
                                                "grants": 0}, out)
    _, out, _ = stet(options, "token", "list", where)
    check(len(out.splitlines()) == 2, out)
    check(stet(options, "token", "add", "one", where)[0] == 0)


def mistakes_with_tokens_are_told(options, work):
    """X22: on stderr, and no token is created or removed."""
    state = work / "state"
    where = f"--state-dir={state}"
    check(stet(options, "token", "add", "taken", where)[0] == 0)
    kept = (state / "tokens").read_bytes()
    for words, told in (
            (["add"], "a NAME is required"),
            (["add", "a", "b"], "unexpected argument 'b'"),
            (["frob"], "none of add, list and revoke"),
            (["add", "a b"], "is not a valid name for a token"),
            (["add", ""], "is not a valid name for a token"),
            (["add", "../x"], "is not a valid name for a token"),
            (["add", "x" * 65], "is not a valid name for a token"),
            (["add", "owner"], "is the name of your own token"),
            (["add", "taken"], "already has a token"),
            (["revoke", "none"], "has no token"),
            (["revoke", "owner"], "restart the server"),
            (["list", "--jsn"], "did you mean --json?")):
        status, out, said = stet(options, "token", *words, where)
        check(status == 2 and not out and told in said, (words, out, said))
    check((state / "tokens").read_bytes() == kept)


def what_others_could_have_read_is_refused(options, work):
    """A token file or directory that is not private is not used."""
    state = work / "state"
    where = f"--state-dir={state}"
    check(stet(options, "token", "add", "one", where)[0] == 0)
    for path, mode, back in ((state / "tokens", 0o644, 0o600),
                             (state / "token", 0o640, 0o600),
                             (state, 0o755, 0o700)):
        path.chmod(mode)
        status, out, said = stet(options, "token", "list", where)
        check(status == 78 and not out and str(path) in said and
              "chmod go= on it" in said, (path, out, said))
        path.chmod(back)
    (state / "tokens").write_text("{}")
    status, out, said = stet(options, "token", "add", "two", where)
    check(status == 0 and "was damaged and was moved to" in said, said)
    aside, = state.glob("tokens.damaged-*")
    check(aside.read_text() == "{}")


def adding_at_once_loses_none(options, work):
    """Concurrent `token add` is serialized by a lock."""
    where = f"--state-dir={work / 'state'}"
    running = [subprocess.Popen(
        [str(options.program), "token", "add", f"n{i}", "--json", where],
        stdout=subprocess.PIPE) for i in range(12)]
    made = [json.loads(p.communicate(timeout=120)[0]) for p in running]
    check(len({row["token"] for row in made}) == 12, made)
    _, out, _ = stet(options, "token", "list", "--json", where)
    names = sorted(row["name"] for row in json.loads(out)["tokens"])
    check(names == sorted(["owner"] + [f"n{i}" for i in range(12)]), names)


def knock(port, **headers):
    """The response of a server to a ping with these headers."""
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    there = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    there.request("POST", "/mcp", '{"jsonrpc":"2.0","id":1,"method":"ping"}',
                  {"Content-Type": "application/json", "Accept":
                   "application/json, text/event-stream", **headers})
    answer = there.getresponse()
    answer.read()
    there.close()
    return answer


def a_running_server_goes_by_them_at_once(options, work):
    """Changes count from the next request on, for each token."""
    state = work / "state"
    where = f"--state-dir={state}"
    server = subprocess.Popen(
        [str(options.program), "serve", "--http", "127.0.0.1:0", where,
         str(work)], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        line = server.stderr.readline().decode()
        port = int(re.search(r"http://127\.0\.0\.1:(\d+)/", line).group(1))
        check(private(state / "token"))
        owner = "Bearer " + (state / "token").read_text().strip()
        status, out, _ = stet(options, "token", "add", "one", "--json", where)
        one = "Bearer " + json.loads(out)["token"]
        for headers, want in (
                ({}, 401), ({"Authorization": one[:-1]}, 401),
                ({"Authorization": one, "Host": "evil.example"}, 403),
                ({"Authorization": one, "Origin": "null"}, 403),
                ({"Authorization": one, "Origin": "http://evil.example"}, 403)):
            answer = knock(port, **headers)
            check(answer.status == want, (headers, answer.status))
            check((want == 401) == ("WWW-Authenticate" in answer.headers))
        for token in (owner, one):
            status = knock(port, Authorization=token,
                           Origin=f"http://localhost:{port}").status
            check(status not in (401, 403), status)
        check(stet(options, "token", "revoke", "one", where)[0] == 0)
        check(knock(port, Authorization=one).status == 401)
        check(knock(port, Authorization=owner).status not in (401, 403))
        _, out, _ = stet(options, "token", "list", "--json", where)
        seen = {t["name"]: t["seen"] for t in json.loads(out)["tokens"]}
        check(list(seen) == ["owner"] and seen["owner"], seen)
    finally:
        server.terminate()
        server.wait(60)


def pretend_to_run(state, pid):
    state.mkdir(mode=0o700, exist_ok=True)
    file = state / "server.json"
    file.write_text(json.dumps({"pid": pid, "url": "http://127.0.0.1:7717",
                                "page": "http://a.localhost:7717", "id": "x"}))
    file.chmod(0o600)


def open_finds_the_server_or_says_why_not(options, work):
    """With no server, a server that died, and a running one."""
    state = work / "state"
    where = f"--state-dir={state}"
    status, out, said = stet(options, "open", where)
    check(status == 3 and not out and "No server is running" in said, said)
    check(not state.exists())
    dead = subprocess.Popen(["true"])
    dead.wait()
    pretend_to_run(state, dead.pid)
    status, out, said = stet(options, "open", where)
    check(status == 3 and not out and "has crashed or was killed" in said and
          str(dead.pid) in said, said)
    check(not (state / "token").exists())
    pretend_to_run(state, os.getpid())
    for words, env in ((["--print"], {"DISPLAY": ":9", "BROWSER": "false"}),
                       (["--print"], {}), ([], {}), ([], {"DISPLAY": ""})):
        status, out, said = stet(options, "open", *words, where, **env)
        check(status == 0 and re.fullmatch(LINK + "\n", out), (words, out))
        check(("no display" in said) == (not words), said)
    links = {stet(options, "open", "--print", where)[1] for _ in range(3)}
    check(len(links) == 3, links)
    status, _, said = stet(options, "open", "now", where)
    check(status == 2 and "unexpected argument 'now'" in said, said)
    (state / "server.json").chmod(0o644)
    status, _, said = stet(options, "open", where)
    check(status == 78 and "chmod go= on it" in said, said)


def serve(options, where, root):
    """Start a server on a free port; returns the process and the port."""
    root.mkdir(exist_ok=True)
    server = subprocess.Popen(
        [str(options.program), "serve", "--http", "127.0.0.1:0", where,
         str(root)], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    line = server.stderr.readline().decode()
    return server, re.search(r"http://127\.0\.0\.1:(\d+)/", line).group(1)


def open_finds_every_running_server(options, work):
    """Two servers: it asks which one, or takes --port; the other is found
    after one has ended."""
    where = f"--state-dir={work / 'state'}"
    env = {name: os.environ[name] for name in ("PATH", "HOME")}

    def open_at(says, *words):
        done = at_terminal([options.program, "open", "--print", where, *words],
                           env, says, cwd="/")
        found = re.search(r"\.localhost:(\d+)/#key=", done.stdout)
        return done.returncode, found and found[1], done.stderr

    servers = [serve(options, where, work / name)
               for name in ("one", "two", "three")]
    ports = [port for _, port in servers]
    try:
        for i, port in enumerate(ports):
            status, got, said = open_at("", "--port", port)
            check(status == 0 and got == port and "Which" not in said, said)
            for says in (f"{i + 1}\n", f"{port}\n"):
                status, got, said = open_at(says)
                check(status == 0 and got == port, (says, got, said))
                check(all(f"127.0.0.1:{p}" in said for p in ports) and
                      str(work / "two") in said, said)
        for says, want in (("", 11), ("9\n", 3), ("x\n", 3), ("\n", 3)):
            status, got, said = open_at(says)
            check(status == want and not got, (says, status, said))
        status, got, said = open_at("", "--port", "1")
        check(status == 3 and not got and "No server is running on port 1"
              in said and ports[0] in said, said)
        done = from_program([options.program, "open", "--print", where],
                            env)
        check(done.returncode == 2 and "choose one with --port" in done.stderr and
              f"\n  2  http://127.0.0.1:{ports[1]}  " in done.stderr and
              "\\x0a" not in done.stderr and not done.stdout, done)
        done = from_program([options.program, "open", "--print", where,
                             "--port", ports[0]], env)
        check(done.returncode == 11 and not done.stdout and
              "'stet open' must be run by a person" in done.stderr, done)
        servers[2][0].terminate()
        check(servers[2][0].wait(60) == 0)
        servers[1][0].kill()
        servers[1][0].wait(60)
        status, got, said = open_at("")
        check(status == 0 and got == ports[0] and not said, (got, said))
        again, port = serve(options, where, work / "two")
        servers.append((again, port))
        listed = json.loads((work / "state/server.json").read_text())
        check([s["url"].rsplit(":")[-1] for s in listed] == [ports[0], port],
              listed)
        for server, _ in (servers[0], servers[3]):
            server.terminate()
            check(server.wait(60) == 0)
        check(open_at("")[0] == 3 and
              not (work / "state/server.json").exists())
    finally:
        for server, _ in servers:
            server.kill()
            server.wait()
            server.stderr.close()


def a_403_says_why(options, work):
    """A link that was made with another token, and a client's token where the
    owner's is needed: the response has the reason."""
    where = f"--state-dir={work / 'state'}"
    server, port = serve(options, where, work / "root")
    try:
        def ask(method, path, body=None, **headers):
            there = http.client.HTTPConnection("127.0.0.1", int(port),
                                               timeout=60)
            there.request(method, path, body, headers)
            answer = there.getresponse()
            text = answer.read().decode()
            there.close()
            return answer.status, text

        _, out, _ = stet(options, "token", "add", "one", "--json", where)
        one = json.loads(out)["token"]
        status, text = ask("GET", "/metrics", Authorization=f"Bearer {one}")
        check(status == 403 and "a client's" in text, (status, text))
        _, link, _ = stet(options, "open", "--print", where, STET_TOKEN=one)
        key = link.strip().split("#key=")[1]
        status, text = ask("POST", "/api/signin", json.dumps({"key": key}),
                           **{"Content-Type": "application/json"})
        check(status == 403 and "STET_TOKEN" in text, (status, text))
    finally:
        server.terminate()
        server.wait(60)
        server.stderr.close()


def open_hands_the_link_to_a_browser(options, work):
    """$BROWSER or xdg-open; if that fails the link is printed."""
    state, got = work / "state", work / "got"
    where = f"--state-dir={state}"
    pretend_to_run(state, os.getpid())
    for name, ending in (("good", 0), ("bad", 1), ("xdg-open", 0)):
        script = work / name
        script.write_text(f'#!/bin/sh\necho "$#" "$1" > {got}\nexit {ending}\n')
        script.chmod(0o755)
    for variable in ("DISPLAY", "WAYLAND_DISPLAY"):
        for env in ({"BROWSER": str(work / "good")},
                    {"BROWSER": f"{work / 'good'}:{work / 'bad'}"},
                    {"PATH": f"{work}:{os.environ['PATH']}"}):
            got.unlink(missing_ok=True)
            status, out, said = stet(options, "open", where,
                                     **{variable: ":9"}, **env)
            check(status == 0 and not said and out ==
                  "Opened http://127.0.0.1:7717 in your browser.\n",
                  (env, out, said))
            check(re.fullmatch(f"1 {LINK}\n", got.read_text()), got.read_text())
    for name in ("bad", "missing"):
        status, out, said = stet(options, "open", where, DISPLAY=":9",
                                 BROWSER=str(work / name))
        check(status == 0 and re.fullmatch(LINK + "\n", out) and
              "could not open a browser" in said, (out, said))


def a_token_of_the_persons_own_takes_its_place(options, work):
    """With STET_TOKEN or --token-file no token is created."""
    state, mine = work / "state", work / "mine"
    where = f"--state-dir={state}"
    pretend_to_run(state, os.getpid())
    mine.write_text("a-token-of-my-own\n")
    mine.chmod(0o600)
    status, out, _ = stet(options, "open", "--print", where,
                          f"--token-file={mine}")
    check(status == 0 and re.fullmatch(LINK + "\n", out), out)
    status, out, _ = stet(options, "open", "--print", where,
                          STET_TOKEN="a-token-of-my-own")
    check(status == 0 and re.fullmatch(LINK + "\n", out), out)
    check(not (state / "token").exists())
    status, _, said = stet(options, "open", where, STET_TOKEN="weak")
    check(status == 78 and "at least 16 characters" in said, said)
    mine.chmod(0o644)
    status, _, said = stet(options, "open", where, f"--token-file={mine}")
    check(status == 78 and "other users can read it" in said, said)
    status, _, said = stet(options, "open", where, "--token-file=/none")
    check(status == 3 and "File not found: /none" in said, said)


if __name__ == "__main__":
    sys.exit(run([
        a_token_is_shown_once_ready_to_paste,
        tokens_are_listed_and_taken_back,
        mistakes_with_tokens_are_told,
        what_others_could_have_read_is_refused,
        adding_at_once_loses_none,
        a_running_server_goes_by_them_at_once,
        open_finds_the_server_or_says_why_not,
        open_finds_every_running_server,
        a_403_says_why,
        open_hands_the_link_to_a_browser,
        a_token_of_the_persons_own_takes_its_place,
    ]))
