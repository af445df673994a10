#!/usr/bin/env python3
"""memory.py [--slow] PROGRAM [CASE...] - many clients append to one file.

Each has a server of its own and sends batches of entries, without waiting for
replies. An acknowledged entry is in the file once, on a line of its own.
"""
import json
import os
import random
import sys
import threading

from talk import Broken, Talk, check, result_of, run

WRITERS, BUNCH = 32, 25
FILE = "progress_log.jsonl"


def entry(writer, n):
    """Entries of various lengths, some of them pretty-printed."""
    pad = "x" * (n * 7 % 300)
    return json.dumps({"writer": writer, "n": n, "pad": pad},
                      indent=1 if n % 3 == 0 else None)


class Writer(threading.Thread):
    def __init__(self, options, root, number, entries):
        super().__init__()
        self.options, self.root = options, root
        self.number, self.entries = number, entries
        self.said, self.maybe = [], set()
        self.fault, self.talk = None, None

    def bunch(self, first, last):
        if self.talk is None:
            self.talk = Talk(self.options, self.root, "--durability=process",
                             "--approve=write_memory_entry")
        numbers = range(first, last)
        self.talk.post(*(self.talk.request("write_memory_entry", file=FILE,
                                           entry=entry(self.number, n))
                         for n in numbers))
        for n in numbers:
            fault = result_of(self.talk.reply())[1]
            if fault:
                self.fault = f"{self.number}.{n}: {fault}"
            self.said.append(n)

    def run(self):
        try:
            for first in range(0, self.entries, BUNCH):
                last = min(first + BUNCH, self.entries)
                try:
                    self.bunch(first, last)
                except (Broken, OSError, ValueError):
                    if not self.options.deadly:
                        raise
                    self.maybe |= set(range(first, last)) - set(self.said)
                    if self.talk:
                        self.talk.kill()
                    self.talk = None
            if self.talk and not self.options.deadly:
                self.talk.close()
            if self.talk: # the last server may have been killed as well
                self.talk.kill()
        except Exception as error: # raised again by the waiting thread
            self.fault = repr(error)


def kill_some(writers, stop, kills):
    chance = random.Random(5)
    while not stop.wait(0.05):
        talk = chance.choice(writers).talk
        if talk:
            talk.process.kill()
            kills.append(talk)


def read(path, writers):
    """{writer: its entries in order}, and the lines that are torn."""
    found, torn = {w.number: [] for w in writers}, []
    with open(path, "rb") as file:
        data = file.read()
    check(data.endswith(b"\n"), data[-200:])
    for line in data.decode().split("\n")[:-1]:
        try:
            value = json.loads(line)
            found[value["writer"]].append(value["n"])
            check(value == json.loads(entry(value["writer"], value["n"])), line)
        except (ValueError, TypeError, KeyError):
            torn.append(line)
    return found, torn


def crowd(options, work, deadly):
    options.deadly = deadly
    entries = 100 if options.slow else 1000
    writers = [Writer(options, work, k, entries) for k in range(WRITERS)]
    stop, kills = threading.Event(), []
    killer = threading.Thread(target=kill_some, args=(writers, stop, kills))
    for thread in writers + [killer] * deadly:
        thread.start()
    for writer in writers:
        writer.join()
    stop.set()
    if deadly:
        killer.join()
    for writer in writers:
        check(not writer.fault, writer.fault)
    path = work / ".claude/memory" / FILE
    found, torn = read(path, writers)
    print(f"# {sum(len(w.said) for w in writers)} acknowledged, "
          f"{sum(map(len, found.values()))} found, {len(torn)} torn, "
          f"{len(kills)} kills", flush=True)
    return writers, found, torn, kills


def a_thousand_entries_of_thirty_two(options, work):
    """T56 T27 T53 A59: every entry is in the file once, in order, unmixed."""
    writers, found, torn, _ = crowd(options, work, deadly=False)
    check(not torn, torn)
    for writer in writers:
        check(found[writer.number] == list(range(writer.entries)),
              f"{writer.number}: {found[writer.number]}")
    check(os.listdir(work / ".claude/memory") == [FILE],
          os.listdir(work / ".claude/memory"))


def the_same_while_some_are_killed(options, work):
    """T56 A59: acknowledged entries are in the file; others at most once."""
    writers, found, torn, kills = crowd(options, work, deadly=True)
    check(len(kills) > 5, f"only {len(kills)} kills")
    for writer in writers:
        got = found[writer.number]
        check(len(set(got)) == len(got), f"{writer.number}: twice: {got}")
        check(set(writer.said) <= set(got),
              f"{writer.number}: lost {set(writer.said) - set(got)}")
        check(set(got) <= set(writer.said) | writer.maybe,
              f"{writer.number}: {got}")
    begun = [entry(w.number, n).replace("\n", " ")
             for w in writers for n in w.maybe]
    for line in torn:
        check(any(whole.startswith(line) for whole in begun), line)
    names = os.listdir(work / ".claude/memory")
    check(names == [FILE], names)


if __name__ == "__main__":
    sys.exit(run([
        a_thousand_entries_of_thirty_two,
        the_same_while_some_are_killed,
    ]))
