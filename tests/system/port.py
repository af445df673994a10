"""port.py - a stet server on a port, and clients of it: raw sockets for
malformed requests, and MCP messages of either era on top.
"""
import json
import re
import select
import signal
import socket
import subprocess
import time

from talk import META, check
from server import Broken, environment, start # talk.py extends sys.path

OWNER = "the-owner-of-these-files"
PING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()


def token(program, home, *words):
    """Run `stet token`; the token that it prints, if any."""
    done = subprocess.run([str(program), "token", *words, "--json"],
                          env=environment(home), capture_output=True,
                          text=True, timeout=60)
    check(done.returncode == 0, done)
    return json.loads(done.stdout).get("token") if done.stdout else None


def until(claim, timeout):
    """Call @test until its value is true, and return that."""
    end = time.monotonic() + timeout
    while not (value := claim()):
        check(time.monotonic() < end, "it did not come about")
        time.sleep(0.02)
    return value


class Port:
    """The server. Its root is work/root; its state and settings are in
    work."""

    def __init__(self, options, work, *flags, clients=(), own_token=True,
                 **more):
        self.timeout = 120 if options.slow else 20
        self.root = work / "root"
        self.root.mkdir(exist_ok=True)
        self.tokens = {"owner": OWNER, **{
            name: token(options.program, work, "add", name)
            for name in clients}}
        self.process = start(
            [str(options.program), "serve", "--http", "127.0.0.1:0", *flags,
             str(self.root)],
            {"env": {**environment(work),
                     **({"STET_TOKEN": OWNER} if own_token else {})},
             **more})
        self.said = b""
        found = None
        while not found:
            if not select.select([self.process.stderr], [], [],
                                 self.timeout)[0]:
                raise Broken("it does not say where it is")
            line = self.process.stderr.readline()
            if not line:
                raise Broken(f"it ended: {self.said!r}")
            self.said += line
            found = re.search(rb"http://127\.0\.0\.1:(\d+)/mcp", line)
        self.port = int(found[1])

    def dial(self):
        sock = socket.create_connection(("127.0.0.1", self.port))
        sock.settimeout(self.timeout)
        return sock

    def status(self, key):
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith(key):
                return int(line.split()[1])
        raise Broken(key)

    def peak(self):
        """Peak memory of the process, in MiB."""
        return self.status("VmHWM") // 1024

    def alive(self):
        """Fail unless the server answers a request now."""
        check(self.process.poll() is None, "it is gone")
        answer = Http(self).request("GET", "/healthz")
        check(answer.status == 200, answer)

    def end(self, never=(b"ERROR", b"runtime error", b"LeakSanitizer")):
        """Send SIGTERM; the server must exit with 0 and no message."""
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(self.timeout)
        said = self.said + self.process.stderr.read()
        self.close()
        check(status == 0, (status, said[-2000:]))
        for text in never:
            check(text not in said, said[-3000:])
        return said

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout,
                     self.process.stderr):
            pipe.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.close()
        else:
            self.end()


class Answer:
    """The head of a response. The body is in .body, or read by event()."""

    def __init__(self, status, headers):
        self.status, self.headers, self.body = status, headers, b""

    def __repr__(self):
        return f"{self.status} {self.headers} {self.body[:300]!r}"

    @property
    def type(self):
        return self.headers.get("content-type", "").split(";")[0]

    def json(self):
        return json.loads(self.body)


class Http:
    """One connection, read byte for byte."""

    def __init__(self, port):
        self.port, self.sock, self.unread = port, port.dial(), b""
        self.events = b""
        self.ended = False # the response that is a stream

    def send(self, data):
        self.sock.sendall(data)

    def close(self):
        self.sock.close()

    def more(self):
        try:
            data = self.sock.recv(1 << 16)
        except ConnectionResetError:
            data = b""
        except TimeoutError:
            raise Broken(f"no answer, after {self.unread[:300]!r}") from None
        self.unread += data
        return data

    def until(self, mark):
        while mark not in self.unread:
            if not self.more():
                raise Broken(f"closed, after {self.unread[:300]!r}")
        found, _, self.unread = self.unread.partition(mark)
        return found

    def exactly(self, n):
        while len(self.unread) < n:
            if not self.more():
                raise Broken(f"closed, after {self.unread[:300]!r}")
        found, self.unread = self.unread[:n], self.unread[n:]
        return found

    def head(self):
        first, *lines = self.until(b"\r\n\r\n").decode().split("\r\n")
        check(re.fullmatch(r"HTTP/1\.1 \d{3} [A-Za-z ]+", first), first)
        headers = {}
        for line in lines:
            name, value = line.split(": ", 1)
            check(name.lower() not in headers, f"twice: {name}")
            headers[name.lower()] = value
        return Answer(int(first.split()[1]), headers)

    def answer(self, bare=False):
        """The next whole response, or the head of a stream."""
        answer = self.head()
        if "content-length" in answer.headers and not bare:
            answer.body = self.exactly(int(answer.headers["content-length"]))
        return answer

    def chunk(self):
        """The next chunk of a stream; b"" at its end."""
        size = int(self.until(b"\r\n"), 16)
        data = self.exactly(size)
        check(self.exactly(2) == b"\r\n", "after a chunk")
        return data

    def event(self):
        """The next event of the stream as {field: value}; None at its end."""
        while True:
            while b"\n\n" in self.events:
                text, _, self.events = self.events.partition(b"\n\n")
                fields = dict(line.split(": ", 1)
                              for line in text.decode().split("\n")
                              if not line.startswith(":"))
                if fields:
                    return fields
            if self.ended:
                return None
            data = self.chunk()
            self.ended = not data
            self.events += data

    def message(self):
        """The next event that has a message, parsed; None at the end."""
        while (event := self.event()) is not None:
            if event.get("data", "").strip():
                return {**json.loads(event["data"]), "@id": event.get("id")}
        return None

    def ask(self, method, path, body=b"", **headers):
        """Send a request without waiting for the response."""
        head = {"host": f"127.0.0.1:{self.port.port}",
                **{name.replace("_", "-"): value
                   for name, value in headers.items()}}
        if body or method == "POST":
            head.setdefault("content-length", str(len(body)))
        lines = "".join(f"{name}: {value}\r\n"
                        for name, value in head.items() if value is not None)
        self.events, self.ended = b"", False
        self.send(f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode() + body)

    def request(self, method, path, body=b"", **headers):
        self.ask(method, path, body, **headers)
        return self.answer(bare=method == "HEAD")

    def closed(self):
        """All bytes until the server closes the connection, which it must."""
        end = time.monotonic() + self.port.timeout
        while self.more():
            check(time.monotonic() < end, "it does not close")
        return self.unread


class Client:
    """An MCP client with one token and a connection for each request."""

    accept = "application/json, text/event-stream"

    def __init__(self, port, who="owner", modern=False, can=None,
                 version="2025-11-25", name="test"):
        self.port, self.modern, self.last = port, modern, 0
        self.token = port.tokens[who]
        self.session, self.version = None, version
        self.meta = {**META,
                     "io.modelcontextprotocol/clientInfo":
                     {"name": name, "version": "1"},
                     "io.modelcontextprotocol/clientCapabilities": can or {}}
        if not modern:
            self.initialize(can or {}, name)

    def initialize(self, can, name):
        answer = self.post(self.message(
            "initialize", protocolVersion=self.version, capabilities=can,
            clientInfo={"name": name, "version": "1"}))
        check(answer.status == 200, answer)
        self.session = answer.headers["mcp-session-id"]
        answer = self.post({"jsonrpc": "2.0",
                            "method": "notifications/initialized"})
        check(answer.status == 202 and not answer.body, answer)

    def headers(self, message=None):
        kind = message if isinstance(message, dict) else {}
        own = {"authorization": f"Bearer {self.token}",
               "accept": self.accept}
        if message is not None:
            own["content-type"] = "application/json"
        if self.modern:
            own["mcp-protocol-version"] = "2026-07-28"
            if "method" in kind:
                own["mcp-method"] = message["method"]
            if "name" in kind.get("params", {}):
                own["mcp-name"] = message["params"]["name"]
        elif self.session:
            own["mcp-session-id"] = self.session
            own["mcp-protocol-version"] = self.version
        return own

    def message(self, method, **params):
        self.last += 1
        if self.modern:
            params["_meta"] = {**self.meta, **params.get("_meta", {})}
        message = {"jsonrpc": "2.0", "id": self.last, "method": method}
        return {**message, "params": params} if params else message

    def tool(self, tool, more=None, **arguments):
        return self.message("tools/call", name=tool, arguments=arguments,
                            **(more or {}))

    def open(self, message, **headers):
        """Send a message; returns the connection to read from."""
        http = Http(self.port)
        http.ask("POST", "/mcp", json.dumps(message).encode(),
                 **{**self.headers(message), **headers})
        return http

    def post(self, message, **headers):
        http = self.open(message, **headers)
        answer = http.answer()
        http.close()
        return answer

    def listen(self, last=None):
        """Open a stream by GET; returns the connection and the head."""
        http = Http(self.port)
        more = {"last-event-id": last} if last else {}
        http.ask("GET", "/mcp", **self.headers(), **more)
        return http, http.answer()

    def call(self, tool, **arguments):
        """(payload, None) or (None, error)."""
        answer = self.post(self.tool(tool, **arguments))
        check(answer.status == 200 and answer.type == "application/json",
              answer)
        return outcome(answer.json())

    def leave(self):
        http = Http(self.port)
        return http.request("DELETE", "/mcp", **self.headers())


def outcome(reply):
    if "error" in reply:
        return None, reply["error"]
    result = reply["result"]
    if result.get("isError"):
        return None, result["structuredContent"].get(
            "error", result["structuredContent"])
    return result.get("structuredContent", result), None


def good(port, more="", body=PING, version="1.1", line="POST /mcp"):
    """A valid request, with @more added."""
    return (f"{line} HTTP/{version}\r\nHost: 127.0.0.1:{port.port}\r\n"
            f"Authorization: Bearer {OWNER}\r\n"
            f"Content-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\n"
            f"{more}\r\n").encode() + body


def statuses(data):
    """The status of each response in @data; bodies here contain no status
    line."""
    return [int(n) for n in re.findall(rb"HTTP/1\.1 (\d{3}) ", data)]
