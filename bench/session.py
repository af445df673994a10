"""One session of a job with a peer, and the check of its result."""
import collections
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess

import files
import jobs
import peers
import rows


TIMEOUT = 120  # seconds for operations that must succeed
ROOM, ROOM_MOST = 10, 512  # multiple of the file size, at most MiB


class Failed(Exception):
    """@kind: the text that is shown."""

    def __init__(self, kind, why):
        super().__init__(why)
        self.kind = kind


@dataclasses.dataclass(frozen=True)
class Script:
    """The messages: each step as a list of calls."""
    first: list
    steps: list
    mark: str  # "tail": a different question was asked

    def turns(self, count):
        """The numbers of calls of the steps, repeatedly."""
        return [len(self.steps[n % len(self.steps)]) for n in range(count)]


def messages(calls):
    """The client's messages as bytes; ids have a fixed length."""
    def request(n, method, params):
        return {"jsonrpc": "2.0", "id": 1000 + n, "method": method,
                "params": params}

    lines = [
        request(0, "initialize", {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"}}),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request(1, "tools/list", {}),
        *(request(n, "tools/call", call) for n, call in enumerate(calls, 2)),
    ]
    return b"".join(json.dumps(line, separators=(",", ":"),
                               ensure_ascii=False).encode() + b"\n"
                    for line in lines)


def asked(peer, operation, arguments):
    """(calls, mark), or (None, "") if the peer cannot do it."""
    mark = ""
    if operation == "end":
        file, line, limit = arguments
        make = peer.operations.get("page")
        calls = make(file, line, limit) if make else None
        if not calls and "tail" in peer.operations:
            calls, mark = peer.operations["tail"](file, limit), "tail"
    else:
        if operation == "whole" and "whole" not in peer.operations:
            operation = "read"
        make = peer.operations.get(operation)
        calls = make(*arguments) if make else None
    return [calls] if isinstance(calls, dict) else calls, mark


def script(job, peer, all_files):
    """None if the peer cannot do it."""
    steps, mark = [], ""
    for operation, *arguments in job.steps(all_files):
        calls, marked = asked(peer, operation, arguments)
        if not calls and not job.partial:
            return None
        if calls:
            steps.append(calls)
            mark = mark or marked
    first = [asked(peer, operation, arguments)[0]
             for operation, *arguments in job.first(all_files)]
    if None in first or (not steps and job.steps(all_files)):
        return None
    return Script([call for calls in first for call in calls], steps, mark)


def room(job, all_files):
    """MiB of memory that must be available, for any peer."""
    sizes = [arguments[0].size for _, *arguments in job.steps(all_files)]
    return min(ROOM * max(sizes, default=0) // files.MIB, ROOM_MOST)


class Bench:
    """@root: a directory of the run, @built: where the programs are."""

    def __init__(self, root, sizes, built):
        self.root, self.sizes, self.built = root, sizes, built
        self.tree = root / "tree"
        self.tree.mkdir()
        # State of the servers is on the same disk, and is removed as well.
        self.home = root / "home"
        self.home.mkdir()
        self.environment = {key: value for key, value in os.environ.items()
                            if not key.startswith("XDG_")}
        self.environment["HOME"] = str(self.home)
        self.peers = [peer for peer in peers.PEERS if not sizes.peers or
                      peer.name in ("stet", *sizes.peers)]
        for peer in self.peers:
            peer.prepare(str(self.home), str(self.tree))
        self.files = files.Files(self.tree, sizes)
        self.sessions = collections.defaultdict(list)
        self.floors = collections.defaultdict(list)
        self.failures = {}
        self.marks = {}  # {(job, peer): notes}

    def client(self, options, requests, command, peer=peers.PEERS[0]):
        """Run it; stet and the floors have TIMEOUT seconds, peers fewer."""
        ours = peer is peers.PEERS[0]
        seconds = TIMEOUT if ours else self.sizes.seconds
        path = self.root / "requests"
        path.write_bytes(requests)
        done = subprocess.run(
            [str(self.built / "client"), "-t", str(seconds),
             "-l", str(self.root / "last"), *map(str, options), str(path),
             *command], env={**self.environment, **peer.environment},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode == 3:
            raise Failed("slow", f"more than {seconds} s")
        if done.returncode:
            raise Failed("error", done.stderr.decode().strip())
        return json.loads(done.stdout)

    def paced(self, job, peer):
        """(warm, measured) steps; slow peers have fewer."""
        warm, count = job.warm(self.sizes), job.count(self.sizes)
        if count <= 20 or job.pipelined:
            return warm, count
        return warm // peer.pace, count // peer.pace

    def session(self, job, peer):
        """One session, or None; its result must be right."""
        plan = script(job, peer, self.files)
        if plan is None:
            return None
        if job.changes:
            getattr(self.files, job.changes).reset()
        if job.touches:
            files.touch(job.touches(self.files).path)
        warm, count = self.paced(job, peer)
        turns = plan.turns(warm + count) if plan.steps else []
        measured = turns[warm:]
        got = self.client(
            ["-n", sum(measured), "-w", sum(turns[:warm]),
             "-o", len(plan.first), "-k", measured[-1] if measured else 0,
             "-m", room(job, self.files),
             *(["-p"] if job.pipelined else [])],
            messages([*plan.first, *(call for step in plan.steps
                                     for call in step)]),
            peer.command(str(self.tree), job.flags), peer)
        self.judge(job, got, plan.mark, warm + count - 1)
        self.marks[job.name, peer.name] = {
            "mark": plan.mark, "calls": max(measured, default=1),
            "steps": count}
        return {**got, "each": summed(got["each"], measured),
                "bytes": got["bytes"] / max(1, count)}

    def judge(self, job, got, mark, turn):
        """A tail has the last line; its start differs between peers."""
        if job.may_fail:
            return
        last = (self.root / "last").read_bytes()
        if got["errors"]:
            raise Failed("error", f"{got['errors']} of the replies: "
                                  f"{last[:160]!r}")
        for text in job.expect(self.files)[-1 if mark else 0:]:
            if text.encode() not in last:
                raise Failed("wrong", f"no {text!r} in {last[:160]!r}")
        for text in job.without(self.files):
            if text.encode() in last:
                raise Failed("wrong", f"{text!r} was not asked for")
        if job.leaves:
            text = getattr(self.files, job.changes)
            found = pathlib.Path(text.path).read_bytes()
            if found != job.leaves(self.files, turn).encode():
                raise Failed("wrong", "the file is not what it was to be")

    def pipe(self, job, peer, reply):
        """The same bytes in both directions, without a server."""
        plan = script(job, peer, self.files)
        warm, count = self.paced(job, peer)
        return self.client(
            ["-n", count, "-w", warm, *(["-p"] if job.pipelined else [])],
            messages([step[0] for step in plan.steps]),
            [str(self.built / "floor"), "pipe", str(reply)])

    def who_does(self, job, turn):
        """On a curve, other peers have one round, and none after a slow
        one."""
        if job.ours or (job.after and turn):
            return self.peers[:1]
        first = turn % len(self.peers)  # each round begins with another peer
        for peer in self.peers:
            before = self.failures.get((job.after, peer.name))
            if before and before.kind == "slow":
                self.failures.setdefault((job.name, peer.name), before)
        return self.peers[first:] + self.peers[:first]

    def job(self, job, turn):
        for peer in self.who_does(job, turn):
            if (job.name, peer.name) in self.failures:
                continue
            ours = peer is self.peers[0]
            try:
                got = [self.session(job, peer)
                       for _ in range(job.times if ours else 1)]
            except Failed as error:
                self.failures[job.name, peer.name] = error
                continue
            if not got[0]:
                continue
            self.sessions[job.name, peer.name] += got
            if job.pipe and ours:
                self.sessions[job.name, "pipe"].append(
                    self.pipe(job, peer, got[0]["reply"]))

    def floor(self, floor):
        arguments = floor.arguments(self.files)
        if arguments[0] == "hello":
            hello = [str(self.built / "floor"), "hello"]
            return statistics.median(self.client([], b"", hello)["start"]
                                     for _ in range(jobs.STARTS))
        done = subprocess.run([str(self.built / "floor"), *arguments],
                              stdout=subprocess.PIPE, check=True)
        return statistics.median(json.loads(done.stdout))

    def run(self, only, say):
        todo = [job for job in (*jobs.JOBS, *jobs.curve_jobs(self.sizes))
                if only in job.name]
        floors = [floor for floor in jobs.FLOORS if not only or any(
            floor.name in row.floors and row.job in {job.name for job in todo}
            for row in rows.ROWS)]
        for turn in range(self.sizes.rounds if todo else 0):
            for floor in floors:
                if turn < jobs.rounds_of(floor, self.sizes):
                    say(turn, f"floor: {floor.name}")
                    self.floors[floor.name].append(self.floor(floor))
            for job in todo:
                if turn < jobs.rounds_of(job, self.sizes):
                    say(turn, job.name)
                    self.job(job, turn)


def summed(each, turns):
    """The times of the calls, summed for each step."""
    out, at = [], 0
    for calls in turns if each else []:
        out.append(sum(each[at:at + calls]))
        at += calls
    return out
