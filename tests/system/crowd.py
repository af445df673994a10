#!/usr/bin/env python3
"""crowd.py [--slow] [--large] PROGRAM [CASE...] - many writers, one file.

Each writer has a server of its own. It alternately increments a counter in its
own line and appends lines. An acknowledged change is in the file exactly once;
a failed one is not; a concurrent reader never sees a torn file.
"""
import multiprocessing
import os
import random
import re
import sys
import threading
import time

from talk import Broken, Talk, check, run

WRITERS = 16
WHOLE = re.compile(r"(<\d+: \d+>\n){%d}(\d+\.\d+\n)*END\n" % WRITERS)


def counter(writer, n):
    return f"<{writer}: {n}>\n"


def read(path):
    with open(path, "rb") as file:
        return file.read().decode()


def watch(path, stop, reads, torn):
    while not stop.is_set():
        torn.value += not WHOLE.fullmatch(read(path))
        reads.value += 1


class Writer(threading.Thread):
    """One client, with a record of its acknowledged and its uncertain
    changes."""

    def __init__(self, options, path, number, turns):
        super().__init__()
        self.options, self.path = options, path
        self.number, self.turns = number, turns
        self.count, self.said, self.maybe = 0, [], set()
        self.errors, self.fault, self.talk = 0, None, None
        self.tools = 0

    def start_server(self):
        self.talk = Talk(self.options, self.path.parent,
                         "--durability=process")

    def look(self):
        """The server died before its reply: read from the file whether the
        change was made."""
        text = read(self.path)
        self.count = int(re.search(rf"<{self.number}: (\d+)>", text)[1])

    def change(self, old, new):
        """True = acknowledged, False = refused, None = unknown."""
        self.tools += 1
        try:
            if self.talk is None:
                self.start_server()
            edit = {"old_string": old, "new_string": new}
            if self.tools % 3:
                fault = self.talk.call("edit_text_file", path=str(self.path),
                                       **edit)[1]
            else:
                fault = self.talk.call("multi_edit_text_file",
                                       path=str(self.path), edits=[edit])[1]
        except (Broken, OSError, ValueError):
            if not self.options.deadly:
                raise
            self.talk.kill()
            self.talk = None
            return None
        if fault and fault["code"] not in (-32013, -32603):
            raise Broken(fault)
        self.errors += bool(fault)
        return not fault

    def turn(self, i):
        if i % 2:
            line = f"{self.number}.{i}\n"
            done = self.change("END\n", line + "END\n")
            if done:
                self.said.append(line)
            if done is None:
                self.maybe.add(line)
            return
        done = self.change(counter(self.number, self.count),
                           counter(self.number, self.count + 1))
        if done is None:
            self.look()
        self.count += done is True

    def run(self):
        try:
            for i in range(self.turns):
                self.turn(i)
            if self.talk and not self.options.deadly:
                self.talk.close()
            if self.talk: # the last server may have been killed as well
                self.talk.kill()
        except Exception as error: # raised again by the waiting thread
            self.fault = repr(error)

    def check(self, text):
        check(not self.fault, self.fault)
        check(text.count(counter(self.number, self.count)) == 1,
              f"{self.number} counted to {self.count}: {text[:400]}")
        lines = re.findall(rf"^{self.number}\.\d+\n", text, re.M)
        check([line for line in lines if line not in self.maybe] == self.said,
              f"{self.number}: {lines} of {self.said}, {self.maybe}")


def kill_some(writers, stop, kills):
    chance = random.Random(3)
    while not stop.wait(0.05):
        talk = chance.choice(writers).talk
        if talk:
            talk.process.kill()
            kills.append(talk)


def crowd(options, work, deadly):
    options.deadly = deadly
    path = work / "f"
    path.write_text("".join(counter(k, 0) for k in range(WRITERS)) + "END\n")
    path.chmod(0o640)
    stop, kills = multiprocessing.Event(), []
    reads, torn = (multiprocessing.Value("i", 0) for _ in range(2))
    reader = multiprocessing.Process(target=watch,
                                     args=(path, stop, reads, torn))
    turns = 100 if options.slow else 250 if deadly else 500
    if options.large:
        turns *= 10
    writers = [Writer(options, path, k, turns) for k in range(WRITERS)]
    reader.start()
    killer = threading.Thread(target=kill_some, args=(writers, stop, kills))
    for thread in writers + [killer] * deadly:
        thread.start()
    for writer in writers:
        writer.join()
    stop.set()
    reader.join()
    if deadly:
        killer.join()
    text = read(path)
    print(f"# {sum(len(w.said) + w.count for w in writers)} changes, "
          f"{sum(w.errors for w in writers)} errors, {len(kills)} kills, "
          f"{reads.value} reads", flush=True)
    check(reads.value > 20 and not torn.value, f"{torn.value} torn reads")
    check(WHOLE.fullmatch(text), text)
    for writer in writers:
        writer.check(text)
    return path, kills


def sixteen_writers_lose_nothing(options, work):
    """X17 M54 M70 A73: acknowledged changes are in the file, others are
    not."""
    path = crowd(options, work, deadly=False)[0]
    check(os.listdir(work) == ["f"], os.listdir(work))
    check(path.stat().st_mode & 0o7777 == 0o640, "mode")


def a_dying_crowd_loses_nothing(options, work):
    """X17 W60 M54 A73: the same while a server is killed every 50 ms."""
    path, kills = crowd(options, work, deadly=True)
    check(len(kills) > 5, f"only {len(kills)} kills")
    talk = Talk(options, work)
    check(not talk.call("edit_text_file", path=str(path), old_string="END",
                        new_string="END.")[1])
    check(os.listdir(work) == ["f"], os.listdir(work))
    check(path.stat().st_mode & 0o7777 == 0o640, "mode")
    talk.close()
    talk.kill()


def version(j, n=0):
    return f"theirs {j:08d}\nmine {n:08d}\n" + "the same\n" * 50


def outsider(path, seconds, ret):
    """Another program that writes several versions in a row; the last one must
    stay."""
    chance, end = random.Random(4), time.monotonic() + seconds
    theirs = f"{path}.theirs"
    while time.monotonic() < end:
        for _ in range(chance.randint(1, 5)):
            ret.value += 1
            with open(theirs, "w") as file:
                file.write(version(ret.value))
            os.utime(theirs, (1e9, 1e9))
            os.rename(theirs, path)
        deadline = time.monotonic() + 2
        while not read(path).startswith(f"theirs {ret.value:08d}"):
            if time.monotonic() > deadline:
                sys.exit(1)
        time.sleep(chance.random() * 0.002)


def nothing_of_an_outsider_vanishes(options, work):
    """A73 A42 A69: another program renames files over it, with the same size
    and mtime."""
    path = work / "f"
    path.write_text(version(0))
    versions = multiprocessing.Value("i", 0)
    other = multiprocessing.Process(
        target=outsider, args=(path, 60 if options.large else 4, versions))
    other.start()
    talk, done, refused = Talk(options, work, "--durability=process"), 0, 0
    while other.is_alive():
        n = int(read(path).split("\n")[1].split()[1])
        fault = talk.call("edit_text_file", path=str(path),
                          old_string=f"mine {n:08d}",
                          new_string=f"mine {n + 1:08d}")[1]
        if fault:
            check(fault["code"] in (-32010, -32013), fault)
        done, refused = done + (not fault), refused + bool(fault)
    other.join()
    check(other.exitcode == 0, f"{versions.value} is gone: {read(path)[:40]}")
    print(f"# {versions.value} versions of theirs, {done} changes of ours, "
          f"{refused} refused", flush=True)
    check(versions.value > 100 and done > 20, "hardly a race")
    check(sorted(os.listdir(work)) == ["f"], os.listdir(work))
    talk.close()
    talk.kill()


if __name__ == "__main__":
    sys.exit(run([
        sixteen_writers_lose_nothing,
        a_dying_crowd_loses_nothing,
        nothing_of_an_outsider_vanishes,
    ]))
