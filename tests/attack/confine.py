#!/usr/bin/env python3
"""confine.py [--slow] PROGRAM [CASE...] - confinement by the kernel, seen from
outside; tests/unit/app/test_confinement.c tests it from inside.

Needs the program in $STET_LACKING and the library in $STET_INSIDE. A
sanitizer's build is not confined by default (docs/confinement.md): there the
cases prove that calls work. With $STET_NO_LANDLOCK this is a run as on a
kernel without it (dev/check no_landlock), and fails if Landlock is available.
"""
import argparse
import ctypes
import errno
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys

# first, so that `rules` is tests/system/rules.py
sys.path.insert(0, str(
    pathlib.Path(__file__).resolve().parent.parent / "system"))
# pylint: disable=wrong-import-position
from port import Port, until
from rules import Declares as DeclaresAnything
from server import Server
from terminal import at_terminal
from talk import Skipped, Talk, check, run


def status_of(pid):
    """The fields of /proc/PID/status that all threads share."""
    found = None
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        lines = dict(line.split(":", 1) for line in
                     (task / "status").read_text().splitlines())
        now = tuple(lines[key].strip() for key in ("Seccomp", "NoNewPrivs"))
        check(found in (None, now), f"threads differ: {found} {now}")
        found = now
    return found


def landlock():
    """The Landlock version that the kernel reports to a child process."""
    version = ctypes.CDLL(None, use_errno=True).syscall(444, None, 0, 1)
    return max(version, 0)


def tried_inside(options, root, *paths):
    """The results of open() in code injected into a running server."""
    tried = root / "tried"
    tried.write_text("")
    talk = Talk(options, root, env={
        **os.environ, "LD_PRELOAD": os.environ["STET_INSIDE"],
        "STET_TRY": ":".join(map(str, paths)), "STET_TRIED": str(tried)})
    works(talk, root)
    talk.process.send_signal(signal.SIGUSR1)
    until(lambda: tried.read_text().endswith("end\n"), talk.timeout)
    check(talk.call("read_text_file", path=str(root / "twin"))[0], "after it")
    talk.kill()
    lines = tried.read_text().splitlines()[:-1]
    return {path: int(code) for code, path in
            (line.split(" ", 1) for line in lines)}


def core_limit(pid):
    for line in pathlib.Path(f"/proc/{pid}/limits").read_text().splitlines():
        if line.startswith("Max core file size"):
            return line.split()[4:6]
    return None


def works(talk, root):
    """The harmless counterpart: files are read, changed and recorded."""
    path = root / "twin"
    path.write_text("one\n")
    check(talk.call("read_text_file", path=str(path))[0], "read")
    done, fault = talk.call("edit_text_file", path=str(path),
                            old_string="one", new_string="two")
    check(done and "operation" in done["_meta"], fault or done)
    check(path.read_text() == "two\n")
    path.write_bytes("日本語のテキスト、ひらがなとカタカナ。\n".encode("cp932") * 20)
    check(talk.call("read_text_file", path=str(path))[0]["content"]
          .startswith("日本語"), "a converter is loaded when it is needed")


def ended(talk):
    """The server's stderr, after its stdin has ended."""
    talk.process.stdin.close()
    talk.process.wait(talk.timeout)
    said = talk.process.stderr.read().decode()
    talk.kill()
    return said


def children_of(pid):
    path = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
    return [int(n) for n in path.read_text().split()]


class Declares(DeclaresAnything):
    """A confined client with roots, in contrast to its base class."""

    def __init__(self, options, **more):
        # pylint: disable=super-init-not-called,non-parent-init-called
        Server.__init__(self, [str(options.program), "serve"], options.slow,
                        **more)
        self.modern, self.last = False, 0
        self.ask({"jsonrpc": "2.0", "id": 0, "method": "initialize",
                  "params": {"protocolVersion": "2025-11-25",
                             "clientInfo": {"name": "test", "version": "1"},
                             "capabilities": {"roots": {"listChanged": True}}
                             }})
        self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def changed(self, *roots):
        self.post({"jsonrpc": "2.0",
                   "method": "notifications/roots/list_changed"})
        self.declare(*roots)


def every_server_is_confined(options, work):
    """K1: seccomp, no_new_privs and no core files, for all threads; on stdio,
    on a port, and with the roots of a client."""
    want = ("0", "0") if options.slow else ("2", "1")
    talk = Talk(options, work)
    works(talk, work)
    check(status_of(talk.process.pid) == want, status_of(talk.process.pid))
    check(options.slow or core_limit(talk.process.pid) == ["0", "0"])
    talk.kill()

    talk = Declares(options, cwd=str(work))
    talk.declare(work)
    works(talk, work)
    check(status_of(talk.process.pid) == want, "roots of the client")
    talk.kill()

    (work / "port").mkdir()
    port = Port(options, work / "port")
    until(lambda: status_of(port.process.pid) == want, port.timeout)
    port.process.kill()
    port.process.wait()


def nothing_outside_can_be_read(options, work):
    """K1 K2: code inside a server can read its root, but neither the user's
    other files nor other processes; without Landlock it can."""
    has = landlock()
    check(not (has and os.environ.get("STET_NO_LANDLOCK")),
          f"Landlock {has} is there in a run without it")
    if options.slow: # not confined, and preloads a library itself
        return
    closed = ["/etc/passwd", "/proc/1/cmdline", "/proc/self/mountinfo",
              "/proc", f"/proc/{os.getpid()}/stat",
              f"/proc/{os.getpid()}/environ"]
    root = work / "root"
    root.mkdir()
    got = tried_inside(options, root, root / "twin", *closed)
    want = {path: errno.EACCES if has else 0 for path in closed}
    check(got == {str(root / "twin"): 0, **want}, got)


def own_status():
    """The status of an unrelated program that is started from here."""
    return subprocess.run(
        ["grep", "-E", "^(Seccomp|NoNewPrivs):", "/proc/self/status"],
        capture_output=True, text=True, check=True).stdout.split()


def it_can_be_switched_off(options, work):
    """K1: --confine=off changes nothing in the process."""
    talk = Talk(options, work, "--confine=off")
    works(talk, work)
    check(status_of(talk.process.pid)[0] == own_status()[3])
    talk.kill()


def an_older_kernel_is_no_obstacle(options, work):
    """K2: without Landlock, and without seccomp, everything works, with a
    message."""
    lacking = os.environ["STET_LACKING"]
    for what, words in (("landlock", "no Landlock, seccomp"),
                        ("seccomp", "no seccomp")):
        talk = Lacking(options, work, lacking, what)
        works(talk, work)
        said = ended(talk)
        check(options.slow or words in said, said)


class Lacking(Talk):
    def __init__(self, options, root, lacking, what):
        # pylint: disable=super-init-not-called,non-parent-init-called
        Server.__init__(self, [lacking, what, str(options.program), "serve",
                               "--log=info", str(root)], options.slow)
        self.modern, self.last = True, 0


def roots_beyond_the_first_need_a_restart(options, work):
    """K3: roots declared after the first call are served only within the
    earlier ones, with a message; without Landlock they are served."""
    first, other = work / "first", work / "other"
    for path in (first / "sub", other):
        path.mkdir(parents=True)
        (path / "f").write_text("text\n")
    talk = Declares(options, cwd=str(work))
    talk.declare(first)
    check(talk.call("read_text_file", path=str(first / "sub/f"))[0])
    talk.changed(first / "sub")
    check(talk.call("read_text_file", path=str(first / "sub/f"))[0], "twin")
    talk.changed(other)
    fault = talk.call("read_text_file", path=str(other / "f"))[1]
    said = ended(talk)
    if options.slow or not landlock():
        check(not fault, fault)
        return
    check(fault and fault["data"]["reason"] == "outside_roots", fault)
    check("Restart it" in said, said)


def a_root_that_is_made_anew_needs_a_restart(options, work):
    """K3: the error says so. Without Landlock the root is served."""
    root = work / "root"
    root.mkdir()
    (root / "f").write_text("old\n")
    talk = Talk(options, root)
    check(talk.call("read_text_file", path=str(root / "f"))[0])
    root.rename(work / "moved")
    root.mkdir()
    (root / "f").write_text("new\n")
    got, fault = talk.call("read_text_file", path=str(root / "f"))
    talk.kill()
    if options.slow or not landlock():
        check(got and got["content"] == "new\n", fault)
        return
    check(fault and "restart" in json.dumps(fault), fault or got)


def a_mount_made_later_counts_with_the_next_roots(options, work):
    """X14 K1: a confined server sees the current list of mounts, although it
    cannot open it any more."""
    settings = pathlib.Path(os.environ["HOME"]) / ".config/stet/config.json"
    settings.parent.mkdir(parents=True)
    settings.write_text("{}")
    sub = work / "root/sub"
    (sub / "mnt").mkdir(parents=True)
    (sub / "f").write_text("text\n")
    apart = work / "apart"
    apart.write_text(f"#!/bin/sh\nexec unshare -m '{options.program}' \"$@\"\n")
    apart.chmod(0o755)
    if subprocess.run(["unshare", "-m", "true"], check=False,
                      capture_output=True).returncode:
        raise Skipped("it takes root to mount")
    talk = Declares(argparse.Namespace(program=apart, slow=options.slow),
                    cwd=str(work))
    talk.declare(work / "root")
    check(talk.call("read_text_file", path=str(sub / "f"))[0], "confined now")
    subprocess.run(["nsenter", "-m", "-t", str(talk.process.pid), "mount",
                    "--bind", str(settings.parent.parent), str(sub / "mnt")],
                   check=True, timeout=60)
    talk.changed(sub)
    check(talk.call("read_text_file", path=str(sub / "f"))[0], "twin")
    path = str(sub / "mnt/stet/config.json")
    got, fault = talk.call("read_text_file", path=path)
    check(fault and fault["data"]["reason"] == "config", got or fault)
    talk.kill()


def a_hook_is_the_persons_own(options, work):
    """K4: a hook has neither the filter nor the limits of the server; it ends
    with the server, and so does the spawner."""
    (work / "f").write_text("one\n")
    (work / "bin").mkdir()
    hook = work / "bin/hook"
    hook.write_text("#!/bin/sh\nexec >>" + str(work / "said") + "\n"
                    "grep -E '^(Seccomp|NoNewPrivs):' /proc/self/status\n"
                    "ulimit -c; echo $STET_TOOL; cat /etc/hostname\n"
                    "[ ! -e " + str(work / "wait") + " ] || "
                    "{ echo $$ >" + str(work / "pid") + "; sleep 600; }\n")
    hook.chmod(0o755)
    talk = Talk(options, work, "--before-edit", str(hook),
                "--hook-timeout", "600000")
    check(not talk.call("edit_text_file", path=str(work / "f"),
                        old_string="one", new_string="two")[1])
    said = (work / "said").read_text().split()
    check(said[:4] == own_status(), said)
    check(said[4] == ulimit() and said[5] == "edit_text_file", said)
    (work / "wait").write_text("")
    talk.post(talk.request("edit_text_file", path=str(work / "f"),
                           old_string="two", new_string="three"))
    pid = int(until(lambda: (work / "pid").exists() and
                    (work / "pid").read_text().strip(), talk.timeout))
    spawners = children_of(talk.process.pid)
    check(options.slow or len(spawners) == 1, spawners)
    os.kill(talk.process.pid, signal.SIGKILL)
    talk.process.wait()
    if not options.slow:
        until(lambda: not alive(pid), talk.timeout)
        until(lambda: not any(map(alive, spawners)), talk.timeout)
    else:
        os.kill(pid, signal.SIGKILL)
    check((work / "f").read_text() == "two\n")


def ulimit():
    return subprocess.run(["sh", "-c", "ulimit -c"], capture_output=True,
                          text=True, check=True).stdout.strip()


def alive(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return state.rsplit(")", 1)[1].split()[0] not in "ZX"


def a_hook_that_is_new_needs_a_restart(options, work):
    """K4: a hook that was not known before confinement is not run, and changes
    that need it are refused."""
    root = work / "root"
    (root / ".stet").mkdir(parents=True)
    (pathlib.Path(os.environ["HOME"]) / ".config/stet").mkdir(parents=True)
    (root / "f").write_text("one\n")
    talk = Declares(options, cwd=str(work))
    talk.declare(root)
    edit = {"path": str(root / "f"), "old_string": "one", "new_string": "two"}
    check(talk.call("read_text_file", path=str(root / "f"))[0])
    (root / ".stet/config.json").write_text(json.dumps(
        {"hooks": {"before_edit": [{"command": f"touch {work}/ran"}]}}))
    check(not at_terminal([options.program, "trust", "--yes", root],
                          os.environ).returncode)
    talk.changed(root)
    fault = talk.call("edit_text_file", **edit)[1]
    talk.kill()
    if options.slow:
        return
    check(fault and "restart stet" in fault["message"], fault)
    check(not (work / "ran").exists() and (root / "f").read_text() == "one\n")
    talk = Declares(options, cwd=str(work))
    talk.declare(root)
    check(not talk.call("edit_text_file", **edit)[1], "after a restart")
    check((work / "ran").exists())
    talk.kill()


class Agent(Server):
    """stet acp with a fake Codex that reports its own status and waits."""

    def __init__(self, options, work, *flags):
        codex = work / "codex"
        codex.write_text(
            "#!/bin/sh\nexec 3>>" + str(work / "codex.said") + "\n"
            "grep -E '^(Seccomp|NoNewPrivs):' /proc/self/status >&3\n"
            "ulimit -c >&3; echo \"$SECRET_OF_CODEX\" >&3\n"
            "echo $$ >&3; exec 3>&-\n"
            "exec sleep 600\n")
        codex.chmod(0o755)
        super().__init__([str(options.program), "acp", "--codex", str(codex),
                          *flags], options.slow, start_new_session=True,
                         env={**os.environ, "SECRET_OF_CODEX": "known"})
        self.said = work / "codex.said"

    def codex(self):
        """NoNewPrivs, Seccomp, core limit, an environment variable, PID."""
        def complete():
            words = self.said.exists() and self.said.read_text().split()
            return words if words and len(words) == 7 else None
        words = until(complete, self.timeout)
        return [words[1], *words[3:]]


def the_agent_is_confined_and_codex_is_not(options, work):
    """K7: stet acp has the filter, no_new_privs and no core files; Codex has
    the status and environment that the editor gave."""
    want = ("0", "0") if options.slow else ("2", "1")
    agent = Agent(options, work)
    codex = agent.codex()
    own = own_status()[1::2]
    check(codex[:4] == [*own, ulimit(), "known"], codex)
    until(lambda: status_of(agent.process.pid) == want, agent.timeout)
    check(options.slow or core_limit(agent.process.pid) == ["0", "0"])
    agent.kill()

    (work / "codex.said").unlink()
    agent = Agent(options, work, "--confine=off")
    agent.codex()
    check(status_of(agent.process.pid) == tuple(own[::-1]), "switched off")
    agent.kill()


def codex_ends_with_the_agent(options, work):
    """K7: when the agent is killed, alone or with its process group."""
    for group in (False, True):
        (work / str(group)).mkdir()
        agent = Agent(options, work / str(group))
        pid = int(agent.codex()[4])
        others = children_of(agent.process.pid)
        check(others)
        (os.killpg if group else os.kill)(agent.process.pid, signal.SIGKILL)
        agent.process.wait()
        until(lambda: not alive(pid), agent.timeout)
        until(lambda: not any(map(alive, others)), agent.timeout)


def the_bridge_only_carries(options, work):
    """K7: stet serve --bridge is confined once it is connected, and copies
    lines as before."""
    want = ("0", "0") if options.slow else ("2", "1")
    with socket.socket(socket.AF_UNIX) as agent:
        agent.bind(str(work / "socket"))
        agent.listen()
        agent.settimeout(120)
        bridge = Server([str(options.program), "serve", "--bridge"],
                        options.slow,
                        env={**os.environ, "STET_BRIDGE": str(work / "socket"),
                             "STET_BRIDGE_PID": str(os.getpid()),
                             "STET_BRIDGE_WORD": "word"})
        conn = agent.accept()[0]
        said = conn.makefile("rb")
        check(said.readline() == b"word\n")
        conn.sendall(b"ok\n")
        until(lambda: status_of(bridge.process.pid) == want, bridge.timeout)
        conn.sendall(b"hello\n")
        check(bridge.line() == b"hello")
        bridge.send(b"and back\n")
        check(said.readline() == b"and back\n")
        said.close()
        conn.close()
        check(bridge.process.wait(bridge.timeout) == 0)
        bridge.kill()


def memory_of(pid):
    """All readable memory of a process, region by region."""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as mem:
        for line in open(f"/proc/{pid}/maps"):
            where, rights = line.split()[:2]
            start, end = (int(n, 16) for n in where.split("-"))
            # skips a sanitizer's shadow memory
            if rights[0] != "r" or "[v" in line or end - start > 1 << 30:
                continue
            mem.seek(start)
            try:
                yield mem.read(end - start)
            except OSError:
                pass


def a_server_keeps_no_token(options, work):
    """K6: neither the token of the person's file nor STET_TOKEN is in its
    memory, only digests; an ordinary user cannot read the memory."""
    for own in (True, False):
        (work / str(own)).mkdir()
        port = Port(options, work / str(own), own_token=own)
        file = work / str(own) / ".local/state/stet/token"
        token = port.tokens["owner"] if own else file.read_text().strip()
        try:
            found = any(token.encode() in piece
                        for piece in memory_of(port.process.pid))
        except PermissionError:
            found = os.getuid() == 0
        port.process.kill()
        port.process.wait()
        # a sanitizer keeps freed memory
        check(options.slow or not found, f"own={own}")


def what_is_in_force_is_told(options, work):
    """K5: by stet doctor for this machine, by the page for its server."""
    done = subprocess.run([str(options.program), "doctor", str(work)],
                          capture_output=True, text=True, check=True,
                          timeout=60)
    check("confinement available on this kernel: " in done.stdout, done.stdout)
    lacking = subprocess.run(
        [os.environ["STET_LACKING"], "landlock", str(options.program),
         "doctor", str(work)], capture_output=True, text=True, check=True,
        timeout=60)
    check("no Landlock, seccomp" in lacking.stdout, lacking.stdout)


if __name__ == "__main__":
    sys.exit(run([every_server_is_confined, nothing_outside_can_be_read,
                  it_can_be_switched_off,
                  an_older_kernel_is_no_obstacle,
                  roots_beyond_the_first_need_a_restart,
                  a_root_that_is_made_anew_needs_a_restart,
                  a_mount_made_later_counts_with_the_next_roots,
                  a_hook_is_the_persons_own,
                  a_hook_that_is_new_needs_a_restart,
                  the_agent_is_confined_and_codex_is_not,
                  codex_ends_with_the_agent, the_bridge_only_carries,
                  a_server_keeps_no_token, what_is_in_force_is_told]))
