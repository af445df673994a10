#!/usr/bin/env python3
"""bridge.py [--slow] PROGRAM [CASE...] - stet serve --bridge, as Codex starts
it: with and without an agent at its socket.
"""
import json
import os
import socket
import subprocess
import sys
import threading

from talk import Talk, check, left, run

WORD = "f" * 64


class Agent(threading.Thread):
    """A process at the socket, in place of stet acp. @answer is its reply to
    the secret (None = none); then it echoes what it receives."""

    def __init__(self, work, answer):
        super().__init__(daemon=True)
        self.path = str(work / "socket")
        self.answer, self.word, self.heard = answer, None, []
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(self.path)
        self.socket.listen()
        self.connection = None
        self.start()

    def run(self):
        self.connection, _ = self.socket.accept()
        lines = self.connection.makefile("rb")
        self.word = lines.readline()
        if self.answer is None:
            lines.read()
            return
        self.connection.sendall(self.answer)
        if self.answer == b"ok\n":
            for line in lines:
                self.heard.append(line)
                self.connection.sendall(line)
        lines.close()
        self.connection.shutdown(socket.SHUT_RDWR)
        self.connection.close()


def environment(path):
    os.environ["STET_BRIDGE"] = path
    os.environ["STET_BRIDGE_PID"] = str(os.getpid())
    os.environ["STET_BRIDGE_WORD"] = WORD


def started(options, work):
    return subprocess.Popen([options.program, "serve", "--bridge"], cwd=work,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def serves_the_disk(options, work):
    (work / "a.txt").write_text("here\n")
    talk = Talk(options, work, "--bridge")
    payload, fault = talk.call("read_text_file", path=str(work / "a.txt"))
    check(not fault and payload["content"] == "here\n", fault or payload)
    check(payload["_meta"]["source"] == "disk", payload)
    talk.close()
    left(talk)


def lines_go_both_ways(options, work):
    """X10: the secret is the first line, then lines are copied in both
    directions until the end of stdin."""
    agent = Agent(work, b"ok\n")
    environment(agent.path)
    lines = [json.dumps({"n": n, "pad": "x" * (n * 3000)}).encode() + b"\n"
             for n in range(100)]
    with started(options, work) as process:
        out, _ = process.communicate(b"".join(lines), timeout=60)
        check(process.returncode == 0, process.returncode)
    agent.join(60)
    check(agent.word == WORD.encode() + b"\n", agent.word)
    check(agent.heard == lines, "other lines were heard")
    check(out == b"".join(lines), "other lines came back")


def it_ends_with_the_agent(options, work):
    """X10: the bridge ends when the agent closes the socket, with its stdin
    still open."""
    agent = Agent(work, b"ok\n")
    environment(agent.path)
    with started(options, work) as process:
        process.stdin.write(b"x\n")
        process.stdin.flush()
        check(process.stdout.readline() == b"x\n")
        agent.connection.shutdown(socket.SHUT_RDWR)
        check(process.wait(60) == 0, process.returncode)


def without_a_socket_it_serves_the_disk(options, work):
    """X10 A15: nothing listens at the socket."""
    environment(str(work / "none"))
    serves_the_disk(options, work)


def without_its_session_it_serves_the_disk(options, work):
    """X10 A15: the agent does not accept the secret."""
    agent = Agent(work, b"")
    environment(agent.path)
    serves_the_disk(options, work)
    check(agent.word == WORD.encode() + b"\n", agent.word)


def without_an_answer_it_serves_the_disk(options, work):
    """X10 A15: the agent does not respond within five seconds."""
    agent = Agent(work, None)
    environment(agent.path)
    serves_the_disk(options, work)


def without_being_told_it_serves_the_disk(options, work):
    """X10: started by hand, without the variables of the bridge."""
    os.environ.pop("STET_BRIDGE", None)
    serves_the_disk(options, work)


if __name__ == "__main__":
    sys.exit(run([
        lines_go_both_ways,
        it_ends_with_the_agent,
        without_a_socket_it_serves_the_disk,
        without_its_session_it_serves_the_disk,
        without_an_answer_it_serves_the_disk,
        without_being_told_it_serves_the_disk,
    ]))
