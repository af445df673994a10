#!/usr/bin/env python3
"""kills.py [--slow] [--large] PROGRAM [CASE...] - servers that are killed
during a write leave the old file or the new one."""
import multiprocessing
import os
import random
import sys
import time

from talk import Talk, check, run

CONTENTS = [(c * 79 + "\n").encode() * 655360 for c in "ab"] # 50 MiB each
START = [content[:4096] for content in CONTENTS]


def watch(path, stop, reads, bad):
    """Read the file repeatedly: it is always one of the two contents, whole."""
    while not stop.is_set():
        bad.value += path.read_bytes() not in CONTENTS
        reads.value += 1


def server(options, work):
    env = {**os.environ, "XDG_STATE_HOME": str(work / "state")}
    return Talk(options, work / "root", "--durability=process", env=env)


def post(options, work, file, content):
    """A server that has received a whole write and not answered yet."""
    talk = server(options, work)
    talk.post(talk.request("write_text_file", path=str(file),
                           content=content.decode()))
    return talk


def duration(options, work, file, content):
    """Seconds from the end of the request to the reply."""
    talk = post(options, work, file, content)
    began = time.monotonic()
    check("error" not in talk.reply(), "the write failed")
    talk.close()
    talk.kill()
    return time.monotonic() - began


def after(options, work, file, names):
    """The next call finds a whole file with its mode, and no temporary file."""
    talk = server(options, work)
    fault = talk.call("read_text_file", path=str(file), limit=1)[1]
    check(not fault, fault)
    check(file.read_bytes() in CONTENTS, "torn")
    check(file.stat().st_mode & 0o7777 == 0o640, oct(file.stat().st_mode))
    fault = talk.call("write_text_file", path=str(file), content="x")[1]
    check(not fault, fault)
    check(sorted(os.listdir(file.parent)) == names, os.listdir(file.parent))
    journal = work / "state/stet/journal"
    check(not journal.exists() or not os.listdir(journal), "a journal")
    talk.close()
    talk.kill()


def prepare(work):
    file = work / "root/f"
    file.parent.mkdir()
    file.write_bytes(CONTENTS[0])
    file.chmod(0o640)
    return file


def a_killed_write_is_all_or_nothing(options, work):
    """W60 M54: kill -9 in a write of 50 MB, with a reader watching."""
    file = prepare(work)
    stop = multiprocessing.Event()
    reads, bad = (multiprocessing.Value("i", 0) for _ in range(2))
    watcher = multiprocessing.Process(target=watch,
                                      args=(file, stop, reads, bad))
    takes = duration(options, work, file, CONTENTS[1])
    watcher.start()
    chance, before = random.Random(1), 1
    try:
        for _ in range(60 if options.large else 5):
            talk = post(options, work, file, CONTENTS[1 - before])
            time.sleep(chance.random() * takes * 1.2)
            talk.kill()
            with open(file, "rb") as now:
                before = START.index(now.read(4096))
    finally:
        stop.set()
        watcher.join()
    check(reads.value > 5 and not bad.value,
          f"{bad.value} of {reads.value} reads were torn")
    after(options, work, file, ["f"])


def a_killed_write_in_place_is_settled(options, work):
    """W60 W59: the same where the file has two names: by the next call."""
    file = prepare(work)
    os.link(file, work / "root/g")
    takes = duration(options, work, file, CONTENTS[1])
    chance = random.Random(2)
    for i in range(40 if options.large else 3):
        talk = post(options, work, file, CONTENTS[i % 2])
        time.sleep(takes * (0.3 + 0.8 * chance.random()))
        talk.kill()
        talk = server(options, work)
        fault = talk.call("read_text_file", path=str(file), limit=1)[1]
        check(not fault, fault)
        check(file.read_bytes() in CONTENTS, "torn")
        talk.close()
        talk.kill()
    check(file.stat().st_nlink == 2, "a link was lost")
    after(options, work, file, ["f", "g"])


def a_killed_patch_is_settled_by_any_call(options, work):
    """V06 V09: kill -9 in a patch of 150 files: the first call of the next
    server, which reads another file, leaves none of it half done."""
    root = work / "root"
    root.mkdir()
    names = [f"f{i}" for i in range(149)]
    for name in names + ["other"]:
        (root / name).write_text("old\n")
    talk = server(options, work)
    talk.post(talk.request("apply_patch", input="*** Begin Patch\n" + "".join(
        f"*** Update File: {root}/{name}\n-old\n+new\n" for name in names)
        + f"*** Add File: {root}/made/g\n+new\n*** End Patch\n"))
    end = time.monotonic() + talk.timeout
    while not any(name.endswith(".tmp") for name in os.listdir(root)):
        check(time.monotonic() < end, "no temporary file")
    talk.kill()
    check(len(os.listdir(root)) > 150, "it had ended already")
    talk = server(options, work)
    fault = talk.call("read_text_file", path=str(root / "other"))[1]
    check(not fault, fault)
    now = {(root / name).read_text() for name in names}
    check(len(now) == 1, now)
    check(sorted(os.listdir(root)) == sorted(
        names + ["other"] + (["made"] if now == {"new\n"} else [])),
          os.listdir(root))
    talk.close()
    talk.kill()


if __name__ == "__main__":
    sys.exit(run([
        a_killed_write_is_all_or_nothing,
        a_killed_write_in_place_is_settled,
        a_killed_patch_is_settled_by_any_call,
    ]))
