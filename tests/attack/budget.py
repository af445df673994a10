#!/usr/bin/env python3
"""budget.py [--slow] PROGRAM [CASE...] - clients that make the server allocate
as much as possible, in an address space of 512 MiB: they are refused, and
harmless calls succeed.
"""
import ctypes
import errno
import json
import os
import pathlib
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import threading

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "system"))
# pylint: disable=wrong-import-position
from port import Client, Http, Port, until
from rules import Declares
from talk import META, Skipped, Talk, check, lines_of, run

SPACE = 512 << 20


def narrow():
    resource.setrlimit(resource.RLIMIT_AS, (SPACE, SPACE))


def confined(options):
    """A sanitizer's shadow memory needs more than these limits."""
    return {} if options.slow else {"preexec_fn": narrow}


def serve(options, work, *flags):
    server = Talk(options, work, *flags, **confined(options))
    server.timeout = 120
    return server


def works(server, work):
    """The harmless counterpart: a read, a write and an edit."""
    path = str(work / "harmless")
    got, error = server.call("write_text_file", path=path, content="one\n")
    check(not error, error)
    got, error = server.call("edit_text_file", path=path, old_string="one",
                             new_string="two")
    check(not error, error)
    got, error = server.call("read_text_file", path=path)
    check(not error and got["content"] == "two\n", error or got)


def bye(server):
    server.close()
    server.kill()


def replace_all_does_not_explode(options, work):
    """One byte is replaced by a megabyte, 100,000 times."""
    server = serve(options, work)
    (work / "f").write_text("a" * 100000)
    (work / "lines").write_text("a\r\nb\n" * 100000)
    big = "b" * (1 << 20)
    for name, old, new in (("f", "a", big), ("lines", "a", big),
                           ("lines", "a\n", big + "\n" + big),
                           ("f", "a", "b" * 1000)):
        before = (work / name).read_bytes()
        server.call("Read", file_path=str(work / name), limit=1)
        _, error = server.call("Edit", file_path=str(work / name),
                               old_string=old, new_string=new,
                               replace_all=True)
        if new is not big and len(new) == 1000: # 100 MB: may succeed or fail
            check(not error or error["code"] in (-32603, -32006), error)
            continue
        check(error and error["code"] in (-32006, -32603), error)
        check((work / name).read_bytes() == before, "it was changed")
    # every byte of a large file matches
    lines_of(work / "many", 20)
    server.call("Read", file_path=str(work / "many"), limit=1)
    _, error = server.call("Edit", file_path=str(work / "many"),
                           old_string="x", new_string="y", replace_all=True)
    check(not error or error["code"] == -32603, error)
    (work / "g").write_text("a b " * 1000)
    server.call("Read", file_path=str(work / "g"))
    _, error = server.call("Edit", file_path=str(work / "g"), old_string="a",
                           new_string="long " * 10, replace_all=True)
    check(not error and (work / "g").read_text().count("long") == 10000, error)
    works(server, work)
    bye(server)


def patches_search_in_little_memory(options, work):
    """V51: hunks, and @@ lines of one hunk, that each fit thousands of lines."""
    path = work / "same"
    path.write_text("x\n" * 30000)
    server = serve(options, work, "--tools=all")
    for patch in ("".join(f"@@ -{i * 3 + 1},2 +{i * 3 + 1},2 @@\n x\n-x\n+y\n"
                          for i in range(1500)),
                  "@@ x\n" * 1500 + " x\n-x\n+y\n"):
        path.write_text("x\n" * 30000)
        server.ask(server.request("apply_patch", input="*** Begin Patch\n"
                                  f"*** Update File: {path}\n{patch}"
                                  "*** End Patch\n"))
        check(options.slow or server.peak() < 200, server.peak())
    works(server, work)
    bye(server)


def settings_of_a_project_take_little(options, work):
    """C58: 64 KiB of settings that are all rules, patterns or encodings."""
    made = {
        "deny": [f"*({i:x})" for i in range(6000)],
        "ignore": [f"{i:x}" for i in range(8000)],
        "encoding": {f"{i:x}": "utf-8" for i in range(3500)},
    }
    (work / ".stet").mkdir()
    for key, value in made.items():
        text = json.dumps({key: value}, separators=(",", ":"))
        check(len(text) < 65536, key)
        (work / ".stet/config.json").write_text(text)
        done = subprocess.run([str(options.program), "serve", str(work)],
                              check=False, input=b"", capture_output=True,
                              timeout=300, **confined(options))
        check(done.returncode == 78 and b"limit 1000" in done.stderr,
              (key, done.returncode, done.stderr))
        # the harmless counterpart: as many as allowed
        part = value[:1000] if isinstance(value, list) else \
            dict(list(value.items())[:1000])
        (work / ".stet/config.json").write_text(json.dumps({key: part}))
        server = serve(options, work)
        works(server, work)
        bye(server)


def long_messages_are_refused(options, work):
    """Endless lines, endless values, and deep nesting."""
    server = serve(options, work)
    values = b"[" + b"1," * (20 << 20) + b"1]\n"
    deep = b"[" * 1000000 + b"]" * 1000000 + b"\n"
    endless = b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (200 << 20)
    strings = (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":'
               b'{"name":"write_text_file","arguments":{"path":"/x",'
               b'"content":"' + b"\\n" * (25 << 20) + b'"}}}\n')
    for line in (values, deep, endless + b'"}\n', strings):
        server.send(line)
        reply = server.reply()
        check("error" in reply, reply)
    # text that is repeated in a reply is truncated
    name = "\x01" * (4 << 20)
    for message in (
            {"method": "tools/call", "params": {"name": name}},
            {"method": name},
            {"method": "tools/call", "params": {
                "name": "read_text_file", "arguments": {"path": "/" + name}}}):
        reply = server.ask({"jsonrpc": "2.0", "id": 1, **message})
        check("error" in reply and len(json.dumps(reply)) < 3 << 20)
    works(server, work)
    bye(server)


def replies_that_nobody_reads(options, work):
    """Many large reads, and many calls on large files with short replies; the
    client does not read."""
    lines_of(work / "large", 9)
    server, n = serve(options, work), 10 if options.slow else 60
    reads = b"".join(json.dumps(server.request(
        "read_text_file", path=str(work / "large"))).encode() + b"\n"
        for _ in range(n))
    edits = b"".join(json.dumps(server.request(
        "edit_text_file", path=str(work / "large"), old_string="not there",
        new_string="x")).encode() + b"\n" for _ in range(n))
    os.set_blocking(server.process.stdin.fileno(), True)
    writer = threading.Thread(
        target=lambda: server.process.stdin.write(edits + reads + edits))
    writer.start()
    got = [server.reply() for _ in range(3 * n)]
    writer.join()
    check(len({reply["id"] for reply in got}) == 2 * n, len(got))
    check(all("result" in reply for reply in got if reply["id"] <= n),
          "a read failed")
    os.set_blocking(server.process.stdin.fileno(), False)
    works(server, work)
    bye(server)


def calls_that_wait(options, work):
    """Large writes queue up behind one that blocks in a hook."""
    gate = work / "gate"
    os.mkfifo(gate)
    server = serve(options, work, "--hook-timeout=100000", "--before-edit",
                   f"test -e '{work}/open' || cat '{gate}' >/dev/null")
    content = "x\n" * (4 << 20)
    requests = [server.request("write_text_file", path=str(work / f"w{i}"),
                               content=content) for i in range(40)]
    os.set_blocking(server.process.stdin.fileno(), True)
    writer = threading.Thread(target=lambda: [
        server.process.stdin.write(json.dumps(m).encode() + b"\n")
        for m in requests])
    writer.start()
    hold = os.open(gate, os.O_WRONLY)
    (work / "open").write_text("")
    os.close(hold)
    for _ in requests:
        reply = server.reply()
        check("result" in reply or reply["error"]["code"] == -32603, reply)
    writer.join()
    os.set_blocking(server.process.stdin.fileno(), False)
    check((work / "w0").stat().st_size == len(content))
    works(server, work)
    bye(server)


def large_files_still_work(options, work):
    """The harmless counterpart: 50 MB are read, edited and undone."""
    lines_of(work / "large", 48)
    with open(work / "large", "ab") as out:
        out.write(b"the end\n")
    server = serve(options, work)
    got, error = server.call("read_text_file", path=str(work / "large"),
                             limit=10)
    check(not error and got["_meta"]["total_lines"] == 48 * 16384 + 1, error)
    got, error = server.call("edit_text_file", path=str(work / "large"),
                             old_string="the end", new_string="THE END")
    check(not error, error)
    check((work / "large").read_bytes().endswith(b"x\nTHE END\n"))
    _, error = server.call("undo_file_change", path=str(work / "large"))
    check(not error, error)
    check((work / "large").read_bytes().endswith(b"x\nthe end\n"))
    content = "y\n" * (10 << 20)
    _, error = server.call("write_text_file", path=str(work / "new"),
                           content=content)
    check(not error and (work / "new").read_text() == content, error)
    bye(server)


def odd_files(options, work):
    """A sparse file of exabytes, and bytes that are not text."""
    server = serve(options, work)
    for size in (1 << 62, 1 << 50, 1 << 43):
        try:
            os.truncate(os.open(work / "sparse", os.O_CREAT | os.O_RDWR), size)
        except OSError:
            continue
        with open(work / "sparse", "r+b") as out:
            out.write(b"text\n" * 400000)
        for tool, more in (("read_text_file", {"limit": 3}),
                           ("edit_text_file", {"old_string": "text",
                                               "new_string": "x"})):
            _, error = server.call(tool, path=str(work / "sparse"), **more)
            check(error, f"{tool} of {size} bytes")
    (work / ".editorconfig").write_text("root=true\n[*]\ncharset=utf-8\n")
    (work / "bytes").write_bytes(b"plain text\n" * 1000 + b"\xff" * (12 << 20))
    _, error = server.call("edit_text_file", path=str(work / "bytes"),
                           old_string="nothing", new_string="x")
    check(error, "it is edited")
    (work / "lines").write_bytes(b"\n" * (30 << 20))
    (work / "lines2").write_bytes(b"\n" * (30 << 20))
    server.call("Read", file_path=str(work / "lines"), limit=1)
    _, error = server.call("edit_text_file", path=str(work / "lines"),
                           old_string="x" * 5000 + "\n" * 5000,
                           new_string="y")
    check(error)
    _, error = server.call("write_text_file", path=str(work / "lines"),
                           content="a\n" * (5 << 20))
    check(not error or error["code"] == -32603, error)
    works(server, work)
    bye(server)


def many_questions_wait(options, work):
    """Pending approvals are limited for each client, and old ones are
    dropped."""
    server = serve(options, work)
    codes = []
    for i in range(150):
        _, error = server.call("write_text_file", path=str(work / ".env"),
                               content=f"x={i}\n" * 300)
        codes.append((error or {}).get("data", {}).get("approval"))
    kept = [c for c in codes if c]
    check(kept and len(set(kept)) <= 100 and codes[-1] is None, len(set(kept)))
    works(server, work)
    bye(server)


def max_bytes(n):
    folder = pathlib.Path(os.environ["HOME"]) / ".config/stet"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(
        json.dumps({"history": {"max_bytes": n}}))


def stored(state):
    with sqlite3.connect(f"file:{state}/history.db?mode=ro", uri=True) as db:
        return db.execute("SELECT coalesce(sum(stored), 0) FROM blob"
                          ).fetchone()[0]


def the_history_stays_within_its_limit(options, work):
    """The server removes the oldest operations; the remaining ones can be
    undone."""
    most, state = 2000000, work / "state"
    max_bytes(most)
    root = work / "root"
    root.mkdir()
    server = serve(options, root, "--state-dir", str(state),
                   "--durability=process")
    path = root / "f"
    for n in range(80):
        text = os.urandom(50000).hex() + "\n"
        _, error = server.call("write_text_file", path=str(path),
                               content=f"{n}\n{text}")
        check(not error, error)
        if n == 78:
            last = path.read_text()
    until(lambda: stored(state) <= most, 60)
    _, error = server.call("undo_file_change", path=str(path))
    check(not error and path.read_text() == last, error)
    bye(server)
    check(stored(state) > most // 4, "all of it is gone")


def small_disk(state):
    """Mount a tmpfs of 40 MiB at @state, in the server's own mount
    namespace."""
    libc = ctypes.CDLL(None, use_errno=True)

    def mount():
        if (libc.unshare(0x20000) or # CLONE_NEWNS
                libc.mount(b"none", b"/", None, 0x44000, None) or
                libc.mount(b"none", str(state).encode(), b"tmpfs", 0,
                           b"size=40m,mode=700")):
            os._exit(99)
    return mount


def fill(path):
    with open(path, "wb", 0) as out:
        for size in (1 << 20, 4096):
            try:
                while True:
                    out.write(b"x" * size)
            except OSError as error:
                check(error.errno == errno.ENOSPC, error)


def a_full_state_disk_destroys_nothing(options, work):
    """Content that cannot be stored is not overwritten; small changes use a
    reserve, and can be undone."""
    if os.geteuid(): # see also the next case
        raise Skipped("it takes root to mount a small disk")
    root, state = work / "root", work / "state"
    root.mkdir()
    state.mkdir()
    (root / "small").write_text("old\n")
    (root / "large").write_text("old\n" + "x\n" * (1 << 20))
    server = Talk(options, root, "--state-dir", str(state),
                  "--durability=process", preexec_fn=small_disk(state))
    inside = pathlib.Path(f"/proc/{server.process.pid}/root{state}")
    works(server, root)
    until(lambda: (inside / "reserve").exists(), server.timeout)
    fill(inside / "filler")
    before = (root / "large").read_text()
    _, error = server.call("edit_text_file", path=str(root / "large"),
                           old_string="old", new_string="new")
    check(error and error["code"] == -32603 and
          "--history=off" in json.dumps(error), error)
    check((root / "large").read_text() == before, "it was changed")
    _, error = server.call("edit_text_file", path=str(root / "small"),
                           old_string="old", new_string="new")
    check(not error and (root / "small").read_text() == "new\n", error)
    _, error = server.call("undo_file_change", path=str(root / "small"))
    check(not error and (root / "small").read_text() == "old\n", error)
    _, error = server.call("write_text_file", path=str(root / "fresh"),
                           content="nothing was there\n")
    check(not error, error)
    for n in range(300): # until the reserve is used up
        old = f"v{n}\n" + "y" * 30000
        new = f"v{n + 1}\n" + "y" * 30000
        if n == 0:
            (root / "many").write_text(old)
        _, error = server.call("edit_text_file", path=str(root / "many"),
                               old_string=f"v{n}\n", new_string=f"v{n + 1}\n")
        check((root / "many").read_text() == (old if error else new))
        if error:
            break
    check(error and error["code"] == -32603, "there was always room")
    (inside / "filler").unlink()
    works(server, root)
    bye(server)


def a_full_state_disk_for_anybody(options, work):
    """The same with a file size limit, which needs no privileges."""
    root, state = work / "root", work / "state"
    root.mkdir()
    (root / "large").write_text("old\n" + "x\n" * (1 << 20))
    before = (root / "large").read_text()

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (3 << 20, 3 << 20))
    server = Talk(options, root, "--state-dir", str(state),
                  "--durability=process", preexec_fn=limit)
    noise = os.urandom(2 << 20).hex() # 4 MB that cannot be compressed
    (root / "noise").write_text("old\n" + noise)
    _, error = server.call("write_text_file", path=str(root / "noise"),
                           content="short\n")
    check(error and error["code"] == -32603, error)
    check((root / "noise").read_text() == "old\n" + noise, "it is gone")
    _, error = server.call("edit_text_file", path=str(root / "large"),
                           old_string="old", new_string="new")
    check(not error and (root / "large").read_text() ==
          before.replace("old", "new"), error)
    bye(server)


# over HTTP

def bodies_in_flight(options, work):
    """Many large bodies at once that never end: 503, and other clients are
    served."""
    with Port(options, work, clients=("other",), **confined(options)) as port:
        held, refused = [], 0
        for _ in range(30):
            sock = port.dial()
            head = ("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                    "Authorization: Bearer %s\r\n"
                    "Content-Type: application/json\r\n"
                    "Accept: application/json, text/event-stream\r\n"
                    "Content-Length: %d\r\n\r\n" % (
                        port.port, port.tokens["owner"], 30 << 20)).encode()
            sock.sendall(head + b'{"x":"')
            sock.settimeout(0.2)
            try:
                refused += b" 503 " in sock.recv(200)
            except TimeoutError:
                pass
            sock.settimeout(port.timeout)
            held.append(sock)
        check(options.slow or refused, "all were taken")
        client = Client(port, who="other")
        (port.root / "f").write_text("hello\n")
        got = client.call("read_text_file", path=str(port.root / "f"))
        check("hello" in json.dumps(got), got)
        for sock in held:
            sock.close()
        port.alive()


def hold_body(port, who, length):
    """A connection with a body that does not end; None = it was refused."""
    sock = port.dial()
    sock.sendall(("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                  "Authorization: Bearer %s\r\n"
                  "Content-Type: application/json\r\n"
                  "Accept: application/json, text/event-stream\r\n"
                  "Expect: 100-continue\r\n"
                  "Content-Length: %d\r\n\r\n" % (
                      port.port, port.tokens[who], length)).encode())
    if b" 100 " in sock.recv(200):
        sock.sendall(b'{"x":"')
        return sock
    sock.close()
    return None


def two_tokens_leave_room_for_a_third(options, work):
    """Two clients use up the memory budget; small calls of a third one
    succeed."""
    with Port(options, work, "--max-memory", str(256 << 20),
              clients=("ann", "eve", "third"), **confined(options)) as port:
        held, length = [], 32 << 20
        while length > 100:
            got = [hold_body(port, who, length) for who in ("ann", "eve")]
            held += [sock for sock in got if sock]
            if None in got:
                length //= 2
        path = port.root / "f"
        for _ in range(3):
            third = Client(port, who="third")
            for tool, more in (
                    ("write_text_file", {"content": "hello\n" * 1000}),
                    ("read_text_file", {}),
                    ("edit_text_file", {"old_string": "hello\n" * 1000,
                                        "new_string": "bye\n"})):
                got, error = third.call(tool, path=str(path), **more)
                check(not error, (tool, error))
            check(path.read_text() == "bye\n")
        port.alive()
        for sock in held:
            sock.close()


def answers_that_nobody_reads(options, work):
    """Over HTTP: 60 connections request 9 MB each and do not read."""
    with Port(options, work, clients=("other",), **confined(options)) as port:
        lines_of(port.root / "large", 8)
        (port.root / "f").write_text("hello\n")
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                           "params": {"name": "read_text_file", "_meta": META,
                                      "arguments": {"path": str(
                                          port.root / "large")}}}).encode()
        held = []
        for _ in range(60):
            sock = port.dial()
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.sendall(("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                          "Authorization: Bearer %s\r\n"
                          "Content-Type: application/json\r\n"
                          "MCP-Protocol-Version: 2026-07-28\r\n"
                          "Mcp-Method: tools/call\r\n"
                          "Mcp-Name: read_text_file\r\n"
                          "Accept: application/json, text/event-stream\r\n"
                          "Content-Length: %d\r\n\r\n" % (
                              port.port, port.tokens["owner"],
                              len(body))).encode() + body)
            held.append(sock)
        client = Client(port, who="other")
        got = client.call("read_text_file", path=str(port.root / "f"))
        check("hello" in json.dumps(got), got)
        port.alive()
        for sock in held:
            sock.close()
        until(lambda: Client(port, modern=True).post(
            {"jsonrpc": "2.0", "id": 1, "method": "server/discover",
             "params": {"_meta": META}}).status == 200, port.timeout)


def many_sessions(options, work):
    """The harmless counterpart: a thousand sessions, some of which have read
    files."""
    with Port(options, work, **confined(options)) as port:
        (port.root / "f").write_text("hello\n" * 20000)
        for n in range(1000 if not options.slow else 50):
            client = Client(port)
            if n % 10 == 0:
                got = client.call("read_text_file", path=str(port.root / "f"),
                                  limit=2)
                check("hello" in json.dumps(got), got)
        port.alive()


def resident(server):
    """Resident memory of the server, in bytes."""
    text = pathlib.Path(f"/proc/{server.process.pid}/statm").read_text()
    return int(text.split()[1]) * resource.getpagesize()


def announce(server, *roots):
    """Send roots/list_changed and answer roots/list."""
    server.post({"jsonrpc": "2.0",
                 "method": "notifications/roots/list_changed"})
    server.declare(*roots)


def reads_there(server, path):
    return server.call("read_text_file", path=str(path))[0]


def roots_that_change_without_end(options, work):
    """Each change of the roots keeps its rules in memory: from some number on
    changes are refused, and the last roots stay."""
    one, two = work / "one", work / "two"
    big = json.dumps({"deny": [f"write(no{n}/**)" for n in range(1000)]})
    for path in (one, two):
        (path / ".stet").mkdir(parents=True)
        (path / "f").write_text("text\n")
    server = Declares(options, cwd=str(work))
    server.timeout = 120
    server.declare(one)
    check(reads_there(server, one / "f"))
    announce(server, two)
    check(reads_there(server, two / "f"), "the harmless twin: a change")
    check(not reads_there(server, one / "f"), "of the roots")
    for path in (one, two):
        (path / ".stet/config.json").write_text(big)
    before = resident(server)
    for _ in range(40 if options.slow else 400):
        announce(server, two, one)
        announce(server, one, two)
    check(reads_there(server, one / "f") and reads_there(server, two / "f"))
    grown = resident(server) - before
    check(options.slow or grown < 96 << 20, f"{grown >> 20} MiB more")
    _, error = server.call("write_text_file", path=str(one / "no1/f"),
                           content="")
    check(error and not (one / "no1").exists(), error)
    announce(server, two)
    check(reads_there(server, one / "f"), "the roots stay as they were")
    works(server, one)
    server.process.stdin.close()
    server.process.wait(server.timeout)
    said = server.process.stderr.read().decode()
    check("changed its roots too often" in said, said[-300:])
    server.kill()


def settings_of_many_roots(options, work):
    """64 roots with settings of maximum size: those beyond the limit are not
    read, and nothing may be changed there."""
    text = json.dumps({"deny": [f"write(n{n})" for n in range(4000)]})
    check(len(text) < 1 << 16)
    roots = [work / f"r{n}" for n in range(64)]
    for root in roots:
        (root / ".stet").mkdir(parents=True)
        (root / ".stet/config.json").write_text(text)
        (root / "f").write_text("text\n")
    server = Declares(options, cwd=str(work), **confined(options))
    server.timeout = 120
    server.declare(*roots)
    check(reads_there(server, roots[0] / "f"), "the harmless twin")
    got, error = server.call("read_text_file", path=str(roots[-1] / "f"))
    check(error and error["data"]["reason"] == "rule", error or got)
    server.kill()


def one_token_cannot_push_out_another(options, work):
    """More client names than are stored: those of the same token are
    evicted."""
    flags = ("--approval-wait", "0")
    with Port(options, work, *flags, clients=("ann", "eve")) as port:
        path, secret = port.root / "f", str(port.root / ".env")
        path.write_text("one\n")
        ann = Client(port, "ann", modern=True, name="an agent")
        check(ann.call("Read", file_path=str(path))[0], "read")
        _, error = ann.call("write_text_file", path=secret, content="1")
        question = (error.get("data") or error)["approval"]
        owner = {"authorization": f"Bearer {port.tokens['owner']}"}
        waits, = json.loads(Http(port).request(
            "GET", "/api/approvals", **owner).body)["approvals"]
        reach = {o["answer"]: o["reach"] for o in waits["offers"]}["session"]
        got = Http(port).request(
            "POST", f"/api/approvals/{question}",
            json.dumps({"answer": "session", "reach": reach}).encode(),
            **owner)
        check(got.status == 200, got)
        check(ann.call("write_text_file", path=secret, content="1")[0], "yes")
        eve, http = Client(port, "eve", modern=True), Http(port)
        info = eve.meta["io.modelcontextprotocol/clientInfo"]
        for n in range(1100):
            info["name"] = f"name {n}"
            message = eve.tool("hello")
            got = http.request("POST", "/mcp", json.dumps(message).encode(),
                               **eve.headers(message))
            check(got.status == 200, got)
        # Read state and grants of ann still exist.
        _, error = ann.call("Edit", file_path=str(path), old_string="one",
                            new_string="two")
        check(not error, error)
        _, error = ann.call("write_text_file", path=secret, content="2")
        check(not error, error)


if __name__ == "__main__":
    sys.exit(run([
        settings_of_a_project_take_little,
        replace_all_does_not_explode,
        patches_search_in_little_memory,
        long_messages_are_refused,
        replies_that_nobody_reads,
        calls_that_wait,
        large_files_still_work,
        odd_files,
        many_questions_wait,
        the_history_stays_within_its_limit,
        a_full_state_disk_destroys_nothing,
        a_full_state_disk_for_anybody,
        bodies_in_flight,
        two_tokens_leave_room_for_a_third,
        answers_that_nobody_reads,
        many_sessions,
        roots_that_change_without_end,
        settings_of_many_roots,
        one_token_cannot_push_out_another,
    ]))
