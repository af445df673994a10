#!/usr/bin/env python3
"""read_ref.py [--slow] --node NODE PROGRAM [CASE...] - compare
read_text_file and read_file with the reference server, as TAP.
"""
import random
import sys

from reference_server import both, check, put, run, same

TOOLS = ["read_text_file", "read_file"]
SEED = 94


def random_text(rng):
    """UTF-8 without a byte order mark, with every kind of line end."""
    words = ["", "a", "ä b", "日本\t", "\U0001f600", "x" * 300, "\r", "\\"]
    text = "".join(rng.choice(words) + rng.choice(["\n", "\r\n", "\n\n", " "])
                   for _ in range(rng.randrange(30)))
    return text + rng.choice(["", "end"])


def whole_files_are_the_same(place):
    """F94: without head and tail both send the file's own text"""
    peers, rng = both(place), random.Random(SEED)
    for turn in range(60):
        text = random_text(rng)
        path = put(place.root, f"f{turn}", text.encode())
        for tool in TOOLS:
            got = same(peers, tool, path=str(path))
            check(got["content"] == [{"type": "text", "text": text}], got)


def zero_counts_as_left_out(place):
    """F08: a head or tail of 0 is the whole file, alone and beside the other"""
    peers = both(place)
    path = str(put(place.root, "f", b"one\ntwo\nthree\n"))
    for tool in TOOLS:
        for arguments in ({"head": 0}, {"tail": 0}, {"head": 0, "tail": 0}):
            got = same(peers, tool, path=path, **arguments)
            check(got["content"][0]["text"] == "one\ntwo\nthree\n", got)


def head_and_tail_exclude_each_other(place):
    """F96: head together with tail fails with the same message"""
    path = str(put(place.root, "f", b"one\ntwo\n"))
    for peer in both(place):
        for tool in TOOLS:
            result = peer.call(tool, path=path, head=1, tail=1)["result"]
            check(result["isError"] and result["content"] == [{
                "type": "text", "text": "Cannot specify both head and tail "
                "parameters simultaneously"}], (tool, result))


CASES = [
    whole_files_are_the_same,
    zero_counts_as_left_out,
    head_and_tail_exclude_each_other,
]

if __name__ == "__main__":
    sys.exit(run(CASES))
