#!/usr/bin/env python3
"""http_eras.py [--slow] PROGRAM [CASE...] - MCP over HTTP in both eras:
sessions, messages and replies, several clients, shutdown.
"""
import json
import os
import signal
import socket
import subprocess
import sys

from port import OWNER, Client, Http, Port, outcome, until
from talk import check, run
from server import environment # talk.py extends sys.path

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


def each_era_is_served(options, work):
    """X02: every protocol version on one port, with one file."""
    with Port(options, work) as port:
        path = port.root / "a.txt"
        path.write_text("a\n")
        clients = [Client(port, version=v) for v in VERSIONS]
        clients.append(Client(port, modern=True))
        for client in clients:
            got = client.post(client.message("tools/list")).json()["result"]
            check("write_text_file" in [t["name"] for t in got["tools"]], got)
            check(("resultType" in got) == client.modern, got)
            got, error = client.call("read_text_file", path=str(path))
            check(got and got["content"] == "a\n", error)
            _, error = client.call("read_text_file", path="/etc/passwd")
            check(error["code"] == -32002, error)
            got = client.post(client.message("no/such"))
            check(got.status == (404 if client.modern else 200), got)
            check(got.json()["error"]["code"] == -32601, got)
        got = clients[-1].post(clients[-1].message("server/discover")).json()
        check(got["result"]["supportedVersions"] == ["2026-07-28"], got)


def ids_and_texts_come_back_as_they_are(options, work):
    """X06: any id, surrounding whitespace, any text."""
    with Port(options, work) as port:
        legacy, modern = Client(port), Client(port, modern=True)
        path = port.root / "a.txt"
        text = "\u2028 \r\n\x01 data: \n\nevent: x\n\n \U0001f600\n"
        for client in (legacy, modern):
            for own in (0, -1, "", "a\nb", "é\"\\", 2**53, 1.5):
                message = {**client.message("ping" if not client.modern
                                            else "tools/list"), "id": own}
                http = Http(port)
                http.ask("POST", "/mcp", json.dumps(
                    message, indent=2).replace("\n", "\r\n").encode(),
                         **client.headers(message))
                got = http.answer()
                check(got.status == (200 if own != 1.5 else got.status), got)
                check(own == 1.5 or got.json()["id"] == own, got)
            check(client.call("write_text_file", path=str(path),
                              content=text)[0], "written")
            check(client.call("read_text_file", path=str(path))[0]["content"]
                  == text, "read back")


def what_is_no_call_has_no_answer(options, work):
    """X03: notifications and responses get 202 without a body."""
    with Port(options, work) as port:
        legacy, modern = Client(port), Client(port, modern=True)
        for client, message in (
                (legacy, {"method": "notifications/cancelled",
                          "params": {"requestId": 99}}),
                (legacy, {"method": "notifications/no/such"}),
                (legacy, {"id": "stray", "result": {}}),
                (legacy, {"id": "stray", "error": {"code": 1, "message": ""}}),
                (modern, {"method": "notifications/cancelled", "params": {
                    "requestId": 99, "_meta": modern.meta}})):
            got = client.post({"jsonrpc": "2.0", **message})
            check(got.status == 202 and not got.body, (message, got))


def a_batch_is_of_its_version(options, work):
    """port: only 2025-03-26 has batches."""
    with Port(options, work) as port:
        path = port.root / "a.txt"
        for version in VERSIONS:
            client = Client(port, version=version)
            got = client.post([
                client.tool("write_text_file", path=str(path),
                            content=version),
                {"jsonrpc": "2.0", "method": "notifications/no/such"},
                client.tool("read_text_file", path=str(path)),
                client.message("ping")])
            if version != "2025-03-26":
                check(got.status == 400 and "error" in got.json(), got)
                continue
            replies = {r["id"]: r for r in got.json()}
            check(sorted(replies) == [2, 3, 4], replies)
            check(outcome(replies[3])[0]["content"] == version, replies)
            got = client.post([{"jsonrpc": "2.0", "method": "notifications/x"}])
            check(got.status == 202, got)
            check(client.post([]).status == 400, "none")
            check(outcome(client.post([client.message("ping"), 1]).json()[1])[1],
                  "not a message")
        modern = Client(port, modern=True)
        got = modern.post([modern.message("tools/list")])
        check(got.status == 400, got)


def a_session_is_asked_for(options, work):
    """port: requests without a session, with an unknown and with an ended one;
    and MCP-Protocol-Version."""
    with Port(options, work) as port:
        client = Client(port)
        ping = client.message("ping")
        for more, status in (({"mcp-session-id": None}, 400),
                             ({"mcp-session-id": "0" * 32}, 404),
                             ({"mcp-protocol-version": "1999-01-01"}, 400),
                             ({"mcp-protocol-version": None}, 200),
                             ({"accept": "application/json"}, 200),
                             ({"accept": "*/*"}, 200),
                             ({"accept": None}, 200),
                             ({"accept": "text/html"}, 406),
                             ({"content-type": "text/plain"}, 415),
                             ({"content-type": None}, 415),
                             ({"content-type": "application/*"}, 415),
                             ({"content-type": "*/*"}, 415),
                             ({"content-type":
                               "text/plain; x=,application/json"}, 415),
                             ({"content-type": "application/jsonx"}, 415),
                             ({"content-type":
                               "Application/JSON ; charset=utf-8"}, 200)):
            got = client.post(ping, **more)
            check(got.status == status, (more, got))
        check(client.leave().status == 204, "left")
        check(client.leave().status == 404, "twice")
        check(client.post(ping).status == 404, "after")
        check(client.listen()[1].status == 404, "listens")
        check(Client(port, modern=True).listen()[1].status == 405, "modern")
        for body in (b"", b"{", b"\xff", b"{}", b"1", b'"x"', b"null",
                     b'{"jsonrpc":"1.0","id":1,"method":"ping"}'):
            client = Client(port)
            http = Http(port)
            got = http.request("POST", "/mcp", body, **client.headers({}))
            check(got.status == 400 and "error" in got.json(), (body, got))
            check("id" not in got.json() or got.json()["id"], got)


def clients_are_strangers_to_each_other(options, work):
    """A69: the read state of one client does not hold for another."""
    with Port(options, work, clients=["ann", "bob"]) as port:
        path = port.root / "a.txt"
        for modern in (False, True):
            path.write_text("one\n")
            ann = Client(port, "ann", modern)
            bob = Client(port, "bob", modern)
            check(ann.call("Read", file_path=str(path))[0], "ann has read it")
            _, error = bob.call("Write", file_path=str(path), content="two\n")
            check(error and "has not been read" in error["message"], error)
            check(path.read_text() == "one\n", "bob wrote over it")
            got, error = ann.call("Write", file_path=str(path),
                                  content="three\n")
            check(got and path.read_text() == "three\n", error)
            again = Client(port, "ann", modern, name="other")
            _, error = again.call("Write", file_path=str(path), content="4\n")
            check(error and "has not been read" in error["message"], error)
        ann, bob = Client(port, "ann"), Client(port, "bob")
        bob.session = ann.session
        check(bob.post(bob.message("ping")).status == 404, "ann's session")


def calls_of_one_client_are_in_order(options, work):
    """X17: a change and a read after it, on one connection."""
    with Port(options, work) as port:
        path = port.root / "a.txt"
        client = Client(port)
        for turn in range(20):
            http = Http(port) # pipelined, so that their order is defined
            for message in (client.tool("write_text_file", path=str(path),
                                        content=f"{turn}\n"),
                            client.tool("read_text_file", path=str(path))):
                http.ask("POST", "/mcp", json.dumps(message).encode(),
                         **client.headers(message))
            check(outcome(http.answer().json())[0], "written")
            got = outcome(http.answer().json())[0]
            check(got["content"] == f"{turn}\n", (turn, got))
            http.close()


def stdio_and_http_in_one(options, work):
    """port: one server serves both; it ends with stdin."""
    (work / "root").mkdir()
    with Port(options, work, "--stdio") as port:
        ask = lambda m: (port.process.stdin.write(json.dumps(m).encode() + b"\n"),
                         json.loads(port.process.stdout.readline()))[1]
        got = ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "pipe", "version": "1"}}})
        check(got["result"]["protocolVersion"] == "2025-11-25", got)
        client = Client(port)
        path = port.root / "a.txt"
        check(client.call("write_text_file", path=str(path), content="x\n")[0],
              "by HTTP")
        got = ask({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "read_text_file", "arguments": {"path": str(path)}}})
        check(outcome(got)[0]["content"] == "x\n", got)
        path = port.root / "b.txt"
        path.write_text("b\n")
        check(client.call("Read", file_path=str(path))[0], "read over HTTP")
        got = ask({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {
            "name": "Write", "arguments": {"file_path": str(path),
                                           "content": "y\n"}}})
        check(outcome(got)[1], "the pipe's client has not read it")
        port.process.stdin.close()
        check(port.process.wait(port.timeout) == 0, "its end")
        check(b"token" not in port.said and OWNER.encode() not in port.said,
              port.said)
        port.end = port.close


def a_signal_ends_it_with_calls_finished(options, work):
    """X07: running calls are finished; open streams and idle connections do
    not delay the exit."""
    port = Port(options, work)
    path = port.root / "big.txt"
    text = ("x" * 63 + "\n") * (1 << 17)
    client = Client(port)
    idle, stream = Http(port), client.listen()[0]
    call = client.open(client.tool("write_text_file", path=str(path),
                                   content=text))
    until(lambda: list(port.root.iterdir()), port.timeout)
    port.process.send_signal(signal.SIGTERM)
    got = call.answer()
    check(got.status == 200 and outcome(got.json())[0], got)
    check(path.read_text() == text, "it was written")
    check(port.process.wait(port.timeout) == 0, "status")
    check(stream.message() is None and idle.closed() == b"", "the others")
    try:
        socket.create_connection(("127.0.0.1", port.port)).close()
        check(False, "it still listens")
    except ConnectionRefusedError:
        pass
    port.close()


def where_it_cannot_listen_it_says_so(options, work):
    """port: a port in use, and invalid addresses."""
    def said(*flags, env=None):
        done = subprocess.run(
            [str(options.program), "serve", *flags, str(work)],
            env={**environment(work), **(env or {})}, capture_output=True,
            text=True, timeout=60)
        check(done.returncode and not done.stdout, done)
        check(len(done.stderr.splitlines()) <= 3, done)
        return done.stderr
    with Port(options, work) as port:
        text = said("--http", f"127.0.0.1:{port.port}")
        check("address already in use" in text and str(port.port) in text, text)
        port.alive()
    for value in ("", ":", "x", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x",
                  "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:99999999999",
                  "::1:80", "[::1:80", "[::1]", "1.2.3:80", "http://127.0.0.1:80",
                  "256.0.0.1:80", "nowhere.example:80", "127.0.0.1:80 "):
        text = said("--http", value)
        check("--http" in text or "cannot listen" in text, (value, text))
    for flags in (["--stdio"], ["--rate", "5"], ["--allow-host", "x"],
                  ["--allow-origin", "https://x"], ["--token-file", "x"]):
        check("--http" in said(*flags), flags)
    for flags in (["--allow-host", "a b"], ["--allow-host", "http://x"],
                  ["--allow-origin", "x"], ["--allow-origin", "https://x/"],
                  ["--rate", "x"], ["--token-file", "/no/such"]):
        check(said("--http", "127.0.0.1:0", *flags), flags)
    text = said("--http", "127.0.0.1:0", env={"STET_TOKEN": "short"})
    check("STET_TOKEN" in text and "short" not in text.split("STET_TOKEN")[0],
          text)
    readable = work / "token"
    readable.write_text("x" * 40)
    os.chmod(readable, 0o644)
    check(str(readable) in said("--http", "127.0.0.1:0", "--token-file",
                                str(readable)), "other users can read it")


def the_token_is_made_and_kept(options, work):
    """port: created at the first start with mode 0600, and reused."""
    found = set()
    for _ in range(2):
        port = Port(options, work, own_token=False)
        path = work / ".local/state/stet/token"
        check(path.stat().st_mode & 0o777 == 0o600, oct(path.stat().st_mode))
        check(path.parent.stat().st_mode & 0o077 == 0, "its directory")
        found.add(path.read_text().strip())
        port.tokens["owner"] = path.read_text().strip()
        check(port.tokens["owner"].encode() not in port.said, "it is not shown")
        check(Client(port).call("hello")[0], "it is good")
        port.end()
    check(len(found) == 1 and len(found.pop()) >= 32, "one token")


CASES = [each_era_is_served, ids_and_texts_come_back_as_they_are,
         what_is_no_call_has_no_answer, a_batch_is_of_its_version,
         a_session_is_asked_for, clients_are_strangers_to_each_other,
         calls_of_one_client_are_in_order, stdio_and_http_in_one,
         a_signal_ends_it_with_calls_finished,
         where_it_cannot_listen_it_says_so, the_token_is_made_and_kept]

if __name__ == "__main__":
    sys.exit(run(CASES))
