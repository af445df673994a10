"""ACP: `stet acp` beside codex-acp, and beside Codex without an agent.

Each has the real Codex beneath it and a scripted model behind that, all on
loopback. In each round each of them gets its turn, one right after the other,
and what an agent adds is what it took in that round less what Codex alone did.
acp.mjs is the editor: it opens sessions and has turns. The model stamps every
piece of text with its time, and the editor compares when it comes. Memory is
that of every process beneath, without Codex: with the agent, the bridges of
stet and the launcher of the peer. The start is taken by client.c, as Node
itself takes longer to start a process than stet takes to answer.

The last rows are of stet alone: a read of 1 KiB by `stet serve` over stdio,
and by `stet serve --bridge`, which asks the agent, which asks the editor.
"""
import collections
import dataclasses
import json
import pathlib
import shutil
import subprocess

from load import Aim, middle
from peers import MODULES, NODE, STET

HERE = pathlib.Path(__file__).resolve().parent
WAIT = 180  # seconds for one turn
CODEX = next(MODULES.glob("@openai/codex-linux-*/vendor/*/bin/codex"), None)
# Bare Codex first: the others are compared with it.
WHO = {
    "codex": [str(CODEX), "app-server"],
    "stet": [str(STET), "acp", "--codex", str(CODEX)],
    "codex-acp": [NODE, str(MODULES / "@agentclientprotocol" / "codex-acp" /
                            "dist" / "index.js")],
}
HELLO = [
    {"id": 1, "method": "initialize", "params": {
        "protocolVersion": 1, "clientCapabilities": {},
        "clientInfo": {"name": "bench", "title": "Bench", "version": "1"}}},
    {"method": "initialized"},  # only of Codex, not of ACP agents
    {"id": 2, "method": "bench/none"},
]


class Failed(Exception):
    pass


@dataclasses.dataclass(frozen=True)
class Sizes:
    rounds: int
    stamps: int  # text chunks
    sessions: int  # sessions beside the first
    calls: int  # tool calls


FULL = Sizes(rounds=5, stamps=300, sessions=5, calls=300)
QUICK = Sizes(rounds=1, stamps=60, sessions=2, calls=50)


class Bench:
    """@root: a directory of the run, @built: where the client is."""

    def __init__(self, root, sizes, environment, built):
        self.root, self.sizes = root, sizes
        self.environment, self.built = environment, built
        self.rounds = collections.defaultdict(list)
        self.failures = {}

    def start(self, who, place):
        requests = place / "hello"
        requests.write_text("".join(
            json.dumps({"jsonrpc": "2.0", **line}) + "\n" for line in HELLO))
        done = subprocess.run(
            [str(self.built / "client"), "-n", "0", "-t", str(WAIT),
             str(requests), *WHO[who]],
            env={**self.environment, "CODEX_HOME": str(place / "codex"),
                 "SCRIPT_KEY": "none", "XDG_RUNTIME_DIR": str(place)},
            cwd=place, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failed(f"start: {done.stderr.strip()}")
        return json.loads(done.stdout)["start"]

    def turn(self, who):
        place = self.root / f"acp-{who}"
        try:
            done = subprocess.run(
                [NODE, str(HERE / "acp.mjs"), who, str(STET.resolve()),
                 str(CODEX), str(place), str(self.sizes.stamps),
                 str(self.sizes.sessions), str(self.sizes.calls), *WHO[who]],
                env=self.environment, capture_output=True, text=True,
                timeout=WAIT, check=False)
            if done.returncode:
                raise Failed(done.stderr.strip()[-300:])
            return {**json.loads(done.stdout),
                    "start": self.start(who, place)}
        except subprocess.TimeoutExpired as error:
            raise Failed("too slow") from error
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def run(self, only, say):
        if only not in "acp":
            return
        for turn in range(self.sizes.rounds):
            for who in WHO:
                say(turn, f"acp {who}")
                if who in self.failures:
                    continue
                try:
                    self.rounds[who].append(self.turn(who))
                except Failed as error:
                    self.failures[who] = str(error)


# ---- the rows ----

@dataclasses.dataclass(frozen=True)
class Row:
    title: str
    unit: str
    pick: str
    floor: str = ""  # the value of bare Codex, or of stet, in that round
    aim: Aim | None = None
    added: bool = False  # the excess over the floor


def below(words, limit):
    return Aim(words, lambda row: row["stet"] < limit)


MB = 1000 / 1.024  # in KiB
MS = 1_000_000
ROWS = [
    Row("acp start to initialize", "ns", "start", "start",
        below("< 10 ms", 10 * MS)),
    Row("acp memory without Codex (PSS)", "KiB", "idle", "",
        below("< 6 MB", 6 * MB)),
    Row("  after a turn", "KiB", "turned", "", below("< 6 MB", 6 * MB)),
    Row("  for a session more", "KiB", "session", "",
        below("< 10 MB", 10 * MB)),
    Row("acp piece of text, on its way", "ns", "delta", "delta"),
    Row("  added to Codex", "ns", "delta", "delta",
        below("< 0.2 ms", 0.2 * MS), added=True),
    Row("acp session/new", "ns", "open", "open"),
    Row("  added to Codex", "ns", "open", "open",
        below("< 100 ms", 100 * MS), added=True),
    Row("acp read of 1 KiB through the editor", "ns", "bridge", "stdio"),
    Row("  added to stdio", "ns", "bridge", "stdio",
        below("< 5 ms", 5 * MS), added=True),
]


def floors_of(bench, row):
    who = "stet" if row.floor == "stdio" else "codex"
    return [found[row.floor] for found in bench.rounds[who]] \
        if row.floor else []


def rows_of(bench):
    return [row_of(bench, row) for row in ROWS] if bench.rounds["stet"] else []


def row_of(bench, row):
    floors = floors_of(bench, row)
    out = {"title": row.title, "unit": row.unit, "aim": "", "met": None,
           "floor": None if row.added else middle(floors)}
    for who in ("stet", "codex-acp"):
        values = [found[row.pick] for found in bench.rounds[who]
                  if row.pick in found]
        best = min(values, default=None)
        if row.added:  # within each round; for "best", best to best
            best = best - min(floors) if values and floors else None
            values = [value - floor for value, floor in zip(values, floors)]
        out |= {who: middle(values), who + " rounds": values,
                who + " best": best}
    return judged(out, row.aim)


def judged(row, aim):
    if aim and row["stet"] is None:
        row |= {"aim": aim.words, "met": "unknown"}
    elif aim:
        row |= {"aim": aim.words, "met":
                "met" if aim.met(row) else "met in the best round"
                if aim.met({"stet": row["stet best"]}) else "MISSED"}
    return row
