#!/usr/bin/env python3
"""bridge.py [--slow] PROGRAM [CASE...] - attacks on the socket between Codex's
MCP server (stet serve --bridge) and stet acp: by another process that listens
at its path, and by other processes that connect to it.
"""
import json
import os
import pathlib
import select
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))
# pylint: disable=wrong-import-position
from port import until
from talk import check, run
from server import Server, environment # talk.py extends sys.path

WORD = "f" * 64

# A listener that accepts every connection, answers "ok", and prints what it
# receives.
SQUATTER = """
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
print("ready", flush=True)
c = s.accept()[0]
try:
    c.sendall(b"ok\\n")
    said = c.recv(1000)
except OSError: # it hung up
    said = b""
print(said, flush=True)
"""

# A fake Codex that starts threads and stores the configuration of each.
CODEX = """#!%s
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if m.get("method") == "thread/start":
        open(%r, "a").write(json.dumps(m["params"]["config"]) + "\\n")
    if "id" in m and "method" in m:
        print(json.dumps({"id": m["id"], "result": {
            "thread": {"id": "t1", "turns": []}, "data": [],
            "model": "m"}}), flush=True)
"""


def bridge(options, work, path, pid):
    return Server([str(options.program), "serve", "--bridge", str(work)],
                  options.slow, cwd=work, env={
                      **environment(work), "STET_BRIDGE": str(path),
                      "STET_BRIDGE_PID": str(pid), "STET_BRIDGE_WORD": WORD})


def another_process_at_the_path_hears_no_word(options, work):
    """X10: another process listens at the path of the socket: it does not
    receive the secret, and the bridge serves the disk."""
    with subprocess.Popen([sys.executable, "-c", SQUATTER,
                           str(work / "socket")],
                          stdout=subprocess.PIPE) as squatter:
        check(squatter.stdout.readline() == b"ready\n", "it did not start")
        server = bridge(options, work, work / "socket", os.getpid())
        reply = server.ask({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        check(reply == {"jsonrpc": "2.0", "id": 1, "result": {}}, reply)
        check(squatter.stdout.readline() == b"b''\n", "it has heard something")
        server.close()
        server.kill()


def the_word_does_not_stay_in_the_environment(options, work):
    """X10: after authentication /proc/PID/environ does not have the secret."""
    with socket.socket(socket.AF_UNIX) as agent:
        agent.bind(str(work / "socket"))
        agent.listen()
        agent.settimeout(120)
        server = bridge(options, work, work / "socket", os.getpid())
        conn = agent.accept()[0]
        lines = conn.makefile("rb")
        check(lines.readline() == WORD.encode() + b"\n", "the word")
        conn.sendall(b"ok\nhello\n")
        check(server.line() == b"hello", "it carries lines")
        try:
            known = pathlib.Path(
                f"/proc/{server.process.pid}/environ").read_bytes()
        except PermissionError: # not readable at all
            known = b"STET_BRIDGE="
        check(b"STET_BRIDGE=" in known and WORD.encode() not in known,
              "the word is there for everybody")
        conn.close()
        lines.close()
        server.process.wait(server.timeout)
        server.kill()


class Acp(Server):
    """stet acp with a session; has the path of its socket, and the secret."""

    def __init__(self, options, work):
        codex, said = work / "codex", work / "said"
        codex.write_text(CODEX % (sys.executable, str(said)))
        codex.chmod(0o755)
        (work / "project").mkdir()
        super().__init__([str(options.program), "acp", "--codex", str(codex)],
                         options.slow, env=environment(work))
        self.ask({"jsonrpc": "2.0", "id": 0, "method": "initialize",
                  "params": {"protocolVersion": 1, "clientCapabilities": {}}})
        self.send(json.dumps({
            "jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {
                "cwd": str(work / "project"), "mcpServers": []}}).encode()
                  + b"\n")
        config = json.loads(until(
            lambda: said.exists() and said.read_text().endswith("\n")
            and said.read_text(), self.timeout).splitlines()[0])
        env = config["mcp_servers"]["stet"]["env"]
        self.path, self.word = env["STET_BRIDGE"], env["STET_BRIDGE_WORD"]
        check(env["STET_BRIDGE_PID"] == str(self.process.pid), env)

    def peak(self):
        """Peak memory of the process, in MiB."""
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith("VmHWM"):
                return int(line.split()[1]) // 1024
        return 0

    def dial(self, *says):
        sock = socket.socket(socket.AF_UNIX)
        sock.connect(self.path) # blocks while the backlog is full
        sock.settimeout(self.timeout)
        for bytes_ in says:
            try:
                sock.sendall(bytes_)
            except (BrokenPipeError, ConnectionResetError):
                break
        return sock


def heard(sock):
    """All bytes until the peer closes the connection."""
    said = b""
    try:
        while data := sock.recv(65536):
            said += data
    except ConnectionResetError:
        pass
    sock.close()
    return said


def only_the_word_opens_it(options, work):
    """X10: garbage, partial and huge lines, many silent connections get no
    reply; the bridge with the secret is served."""
    acp = Acp(options, work)
    check(os.stat(acp.path).st_mode & 0o777 == 0o600
          and os.stat(os.path.dirname(acp.path)).st_mode & 0o777 == 0o700,
          "others may enter")
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    for says in (b"\n", b"\0\n", ping, b"0" * 64 + b"\n",
                 acp.word[:-1].encode() + b"\n", acp.word.upper().encode()
                 .replace(b"F", b"e") + b"x\n", b"x" * (8 << 20) + b"\n",
                 acp.word.encode() + b"x\n" + ping):
        check(heard(acp.dial(says, ping)) == b"", says[:100])
    half = acp.dial(acp.word[:10].encode())
    half.close()
    silent = [acp.dial() for _ in range(200)]
    twin = acp.dial(acp.word.encode() + b"\n", ping)
    lines = twin.makefile("rb")
    check(lines.readline() == b"ok\n", "the word")
    check(json.loads(lines.readline())["result"] == {}, "ping")
    # The oldest silent connections were closed, the bridge was not.
    check(heard(silent[0]) == b"", "it was told something")
    open_files = len(os.listdir(f"/proc/{acp.process.pid}/fd"))
    check(open_files < 100, open_files)
    check(not select.select([twin], [], [], 0)[0], "the twin was ended")
    for sock in silent[1:]:
        sock.close()
    lines.close()
    twin.close()
    acp.kill()


def push(sock, data, most):
    """Send @data repeatedly until @most bytes are sent or no more are
    accepted; returns the number of bytes."""
    sent = 0
    while sent < most and select.select([], [sock], [], 2)[1]:
        try:
            sent += sock.send(data[sent % len(data):], socket.MSG_DONTWAIT)
        except BlockingIOError:
            break
    return sent


def replies_that_nobody_reads_stop_the_reading(options, work):
    """X10: an authenticated connection whose replies stay unread is not read
    from any more; another one is served meanwhile, and reading later gets all
    replies."""
    acp = Acp(options, work)
    listing = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/list",
                          "params": {"_meta": {"x": "x" * 2000}}}
                         ).encode() + b"\n"
    greedy = acp.dial(acp.word.encode() + b"\n")
    lines = greedy.makefile("rb")
    check(lines.readline() == b"ok\n", "the word")
    greedy.sendall(json.dumps({
        "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}).encode()
                   + b"\n")
    check(json.loads(lines.readline())["id"] == 1, "initialize")
    sent = push(greedy, listing, 128 << 20)
    check(sent < 64 << 20, f"it has taken {sent >> 20} MiB")
    twin = acp.dial(acp.word.encode() + b"\n", b'{"jsonrpc":"2.0","id":1,'
                    b'"method":"ping"}\n')
    heard_by_twin = twin.makefile("rb")
    check(heard_by_twin.readline() == b"ok\n", "the word of the twin")
    check(json.loads(heard_by_twin.readline())["id"] == 1, "the twin's ping")
    for i in range(sent // len(listing)):
        check("result" in json.loads(lines.readline()), i)
    for each in (lines, heard_by_twin, greedy, twin):
        each.close()
    acp.kill()


def connections_with_the_word_have_limits(options, work):
    """X10: the number of authenticated connections and the memory of their
    incomplete messages are limited; freed memory is reused."""
    acp = Acp(options, work)
    ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    many = [acp.dial(acp.word.encode() + b"\n", ping) for _ in range(64)]
    served = [s for s in many if s.recv(3) == b"ok\n"]
    check(len(served) == 32, len(served))
    for sock in many:
        if sock not in served:
            sock.close()
    twin, large = served[0], served[1:8]
    for sock in large:
        try:
            sock.sendall(b"x" * (100 << 20))
        except (BrokenPipeError, ConnectionResetError):
            pass
    check(options.slow or acp.peak() < 800, acp.peak())
    lines = twin.makefile("rb")
    check(json.loads(lines.readline())["id"] == 1, "the first ping")
    twin.sendall(ping)
    check(json.loads(lines.readline())["id"] == 1, "the second ping")
    lines.close()
    for sock in served:
        sock.close()
    again = until(lambda: (s := acp.dial(acp.word.encode() + b"\n"))
                  .recv(3) == b"ok\n" and s, acp.timeout)
    again.close()
    acp.kill()


if __name__ == "__main__":
    sys.exit(run([
        another_process_at_the_path_hears_no_word,
        the_word_does_not_stay_in_the_environment,
        only_the_word_opens_it,
        replies_that_nobody_reads_stop_the_reading,
        connections_with_the_word_have_limits,
    ]))
