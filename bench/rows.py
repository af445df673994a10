"""The rows of the table, and the aims.

A row takes one figure from a job's sessions; its value is the median over the
rounds. A floor is the time of the machine without a server:

    "pipe"    the job's own messages with a process that does nothing
    "bulk"    the reply's bytes at the rate of a large pipe
    another   an entry of FLOORS, run in the same rounds

A row with several floors has their sum. An aim compares stet's value with a
limit computed from the floors of the same run. No check depends on it.
"""
import dataclasses
import statistics
import typing

MS = 1_000_000  # ns
MB = 1_000_000 / 1024  # KiB
MIB = 1024  # KiB
# stet's start of a hello world's, in the last full run without Grep and Glob
STARTED = 1_179_613 / 793_235


def centile(values, percent):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


PICKS = {
    "start": lambda s: s["start"],
    "idle": lambda s: s["idle"]["pss"],
    "idle rss": lambda s: s["idle"]["rss"],
    "p50": lambda s: statistics.median(s["each"]),
    "p99": lambda s: centile(s["each"], 99),
    "first": lambda s: s["each"][0],
    "again": lambda s: statistics.median(s["each"][1:]),
    "total": lambda s: s["total"],
    "before": lambda s: s["before"]["rss"],
    "after": lambda s: s["after"]["rss"],
    "peak": lambda s: s["after"]["peak"],
    "above idle": lambda s: s["after"]["peak"] - s["idle"]["rss"],
    "beside the reply": lambda s: s["after"]["peak"] - s["reply"] / 1024,
    "bytes": lambda s: s["bytes"],
}
MEMORY = ("idle", "idle rss", "before", "after", "peak", "above idle",
          "beside the reply")


def unit_of(pick):
    return "KiB" if pick in MEMORY else "ns"


@dataclasses.dataclass(frozen=True)
class Row:
    title: str  # title, with the names of Sizes filled in
    job: str
    pick: str
    floors: tuple = ()
    peers: str = ""  # the job of the other peers, if different
    chart: str = ""  # name in the chart


ROWS = [
    Row("start to first reply", "start", "start", ("start",),
        chart="start to the first reply"),
    Row("idle memory (PSS)", "start", "idle", chart="idle memory"),
    Row("  with what it shares (RSS)", "start", "idle rss"),
    Row("1 KiB read, p50", "read 1 KiB", "p50",
        ("pipe", "open, read, close 1 KiB"), chart="read 1 KiB"),
    Row("  p99", "read 1 KiB", "p99", ("pipe", "open, read, close 1 KiB")),
    Row("  --confine=off, p50", "read 1 KiB, unconfined", "p50",
        ("open, read, close 1 KiB",)),
    Row("1 KiB write with fsync, p50", "write 1 KiB", "p50",
        ("pipe", "write 1 KiB"),
        chart="write 1 KiB, safe from power loss"),
    Row("  p99", "write 1 KiB", "p99", ("pipe", "write 1 KiB")),
    Row("  --history=off, p50", "write 1 KiB, no history", "p50",
        ("write 1 KiB",)),
    Row("1 KiB write, --durability=process, p50", "write 1 KiB, process",
        "p50",
        ("pipe", "exchange 1 KiB"), "write 1 KiB",
        chart="write 1 KiB, no fsync"),
    Row("  p99", "write 1 KiB, process", "p99", ("pipe", "exchange 1 KiB"),
        "write 1 KiB"),
    Row("  --confine=off, p50", "write 1 KiB, process, unconfined", "p50",
        ("exchange 1 KiB",)),
    Row("1 KiB edit with fsync, p50", "edit 1 KiB", "p50",
        ("pipe", "write 1 KiB"),
        chart="edit 1 KiB, safe from power loss"),
    Row("  p99", "edit 1 KiB", "p99", ("pipe", "write 1 KiB")),
    Row("1 KiB edit, --durability=process, p50", "edit 1 KiB, process",
        "p50", ("exchange 1 KiB",), "edit 1 KiB",
        chart="edit 1 KiB, no fsync"),
    Row("32 KiB write, history on", "write 32 KiB", "p50"),
    Row("  off", "write 32 KiB, no history", "p50"),
    Row("1 MiB read, --results=both", "read 1 MiB", "p50", ("bulk",),
        chart="read 1 MiB"),
    Row("  --results=text", "read 1 MiB, text", "p50", ("bulk",),
        "read 1 MiB"),
    Row("  --results=structured", "read 1 MiB, structured", "p50",
        ("bulk",), "read 1 MiB"),
    Row("  peak memory beside the reply", "read 1 MiB", "beside the reply"),
    Row("1 MiB write with fsync", "write 1 MiB", "p50",
        ("pipe", "write 1 MiB")),
    Row("1 MiB write, --durability=process", "write 1 MiB, process", "p50",
        (), "write 1 MiB", chart="write 1 MiB, no fsync"),
    Row("50 MiB read", "read 50 MiB", "p50", ("bulk",),
        chart="read 50 MiB"),
    Row("  peak memory beside the reply", "read 50 MiB",
        "beside the reply"),
    Row("50 MiB write with fsync", "write 50 MiB", "p50",
        ("write 50 MiB",)),
    Row("50 MiB write, --durability=process", "write 50 MiB, process", "p50",
        (), "write 50 MiB", chart="write 50 MiB, no fsync"),
    Row("{long}, 100 lines at the start", "long start", "first",
        chart="100 lines at the start of {long}"),
    Row("  again", "long start", "again"),
    Row("{long}, 100 lines in the middle", "long middle", "first",
        ("scan long",), chart="100 lines in the middle of {long}"),
    Row("  again", "long middle", "again"),
    Row("{long}, 100 lines at the end", "long end", "first", ("scan long",)),
    Row("  again", "long end", "again", ("pipe",)),
    Row("{longest}, 100 lines at the start", "longest start", "first"),
    Row("  again", "longest start", "again"),
    Row("{longest}, 100 lines in the middle", "longest middle", "first",
        ("scan longest",)),
    Row("  again", "longest middle", "again"),
    Row("{longest}, 100 lines at the end", "longest end", "first",
        ("scan longest",), chart="100 lines at the end of {longest}"),
    Row("  again", "longest end", "again", ("pipe",),
        chart="  the same again"),
    Row("  peak memory", "longest end", "peak",
        chart="  peak memory of that"),
    Row("{japanese} of Shift_JIS, 100 lines at the end", "japanese",
        "first"),
    Row("  again", "japanese", "again"),
    Row("  peak memory", "japanese", "peak"),
    Row("100 edits in 1 MiB, with fsync", "100 edits", "p50",
        ("write 1 MiB",)),
    Row("100 edits in 1 MiB, --durability=process", "100 edits, process",
        "p50", (), "100 edits", chart="100 edits in 1 MiB, no fsync"),
    Row("one edit in 50 MiB, with fsync", "edit 50 MiB", "p50",
        ("write 50 MiB",)),
    Row("one edit in 50 MiB, --durability=process", "edit 50 MiB, process",
        "p50", (), "edit 50 MiB", chart="one edit in 50 MiB, no fsync"),
    Row("10,000 edits in 10 MB, with fsync", "edits 10000", "p50",
        ("write 10 MB",), chart="10,000 edits in 10 MB"),
    Row("1,000 pipelined reads", "pipelined", "total", ("pipe",),
        chart="1,000 pipelined reads of 1 KiB"),
    Row("rewrite of 20 MB, with a diff", "rewrite", "p50",
        ("write 20 MB",)),
    Row("memory before {lasting} calls (RSS)", "lasting", "before"),
    Row("  after them", "lasting", "after",
        chart="memory after {lasting} calls"),
    Row("{sparse} sparse file, peak memory", "sparse", "peak"),
    Row("search {tree} files for a literal", "search literal", "first",
        ("rg literal",)),
    Row("  again", "search literal", "again", ("rg literal",)),
    Row("  peak memory above idle", "search literal", "above idle"),
    Row("  ignoring case", "search case", "p50", ("rg case",)),
    Row("  a regex with a literal in it", "search regex", "p50",
        ("rg regex",)),
    Row("  a regex without one", "search no literal", "p50",
        ("rg no literal",)),
    Row("  the first lines with a frequent word", "search lines", "p50",
        ("rg lines",)),
    Row("find **/*.c in {tree} files", "search names", "p50", ("rg names",)),
    Row("  beside rg in any order", "search names", "p50", ("rg files",)),
    Row("  peak memory above idle", "search names", "above idle"),
    Row("search {longest} for its last line", "search longest", "p50",
        ("rg longest",)),
    Row("  peak memory above idle", "search longest", "above idle"),
]


# ---- the aims ----

@dataclasses.dataclass(frozen=True)
class Aim:
    title: str
    words: str
    value: typing.Callable  # function of Figures
    limit: typing.Callable
    unit: str = "ns"


READS = ("read 1 KiB", "read 1 MiB", "read 1 MiB, text",
         "read 1 MiB, structured", "read 50 MiB", "long end", "longest end",
         "longest middle", "japanese", "sparse")


def stet(job, pick):
    return lambda f: f.of("stet", job, pick)


def bulk_aim(title, job):
    """The bytes of all replies of a step, at the rate of the pipe."""
    return Aim(title, ">= 60 % of the pipe's bulk rate", stet(job, "p50"),
               lambda f: f.bulk(job) / 0.6)


def confined_aim(title, job, unconfined):
    return Aim(title, "<= 1.02 x the same with --confine=off",
               stet(job, "p50"),
               lambda f: 1.02 * f.of("stet", unconfined, "p50"))


SEARCHES = ("search literal", "search case", "search regex",
            "search no literal")
FINDS = (*SEARCHES, "search lines", "search names")


def rg_aim(title, job):
    return Aim(title, "<= 1.5 x rg", stet(job, "p50"),
               lambda f: 1.5 * f.floor(job.replace("search", "rg", 1)))


def close_aim(title, job):
    return Aim(title, "<= 1.2 x rg", stet(job, "p50"),
               lambda f: 1.2 * f.floor(job.replace("search", "rg", 1)))


def ahead_aim(title, job):
    return Aim(title, "ahead of every peer that can search",
               stet(job, "p50"), lambda f: f.best_peer(job, "p50"))


AIMS = [
    Aim("start to first reply",
        "<= 1.5 x a dynamic hello world + a pipe round trip",
        stet("start", "start"), lambda f: 1.5 * f.floor("start") +
        f.of("pipe", "read 1 KiB", "p50")),
    Aim("idle memory", "<= 3 MB", stet("start", "idle"), lambda f: 3 * MB,
        "KiB"),
    Aim("1 KiB read, p50", "<= 2 x a pipe round trip + open, read, close",
        stet("read 1 KiB", "p50"),
        lambda f: 2 * f.of("pipe", "read 1 KiB", "p50") +
        f.floor("open, read, close 1 KiB")),
    confined_aim("1 KiB read, confined", "read 1 KiB",
                 "read 1 KiB, unconfined"),
    bulk_aim("1 MiB read, --results=both", "read 1 MiB"),
    bulk_aim("1 MiB read, --results=text", "read 1 MiB, text"),
    bulk_aim("1 MiB read, --results=structured", "read 1 MiB, structured"),
    bulk_aim("50 MiB read, in pages", "read 50 MiB"),
    Aim("1 KiB write, p50, history on, --durability=power",
        "<= 1.15 x write, fsync, rename, fsync of the directory",
        stet("write 1 KiB", "p50"),
        lambda f: 1.15 * f.floor("write 1 KiB")),
    Aim("1 KiB write, p50, --durability=process",
        "ahead of every peer, those that write in place included",
        stet("write 1 KiB, process", "p50"),
        lambda f: f.best_peer("write 1 KiB", "p50")),
    confined_aim("1 KiB write, confined, --durability=process",
                 "write 1 KiB, process", "write 1 KiB, process, unconfined"),
    Aim("{longest}, page at the end, again", "<= 0.2 ms",
        stet("longest end", "again"), lambda f: 0.2 * MS),
    Aim("{longest}, page at the end, first",
        "<= 1.3 x one warm pass at 8 GB/s", stet("longest end", "first"),
        lambda f: 1.3 * f.sizes.longest / 8),  # 8 bytes in each ns
    Aim("  the same", "<= 1.3 x one warm pass, as measured",
        stet("longest end", "first"),
        lambda f: 1.3 * f.floor("scan longest")),
    Aim("10,000 edits in 10 MB", "< 100 ms + the write",
        stet("edits 10000", "p50"),
        lambda f: 100 * MS + f.floor("write 10 MB")),
    Aim("  linear", "no edit takes longer than with fewer of them",
        stet("edits 10000", "p50"),
        lambda f: f.before_most_edits()),
    Aim("memory on any read, beside the reply", "<= 8 MB",
        lambda f: max(found for found in (
            f.of("stet", job, "beside the reply") for job in READS)
            if found is not None), lambda f: 8 * MB, "KiB"),
    Aim("start to first reply, with the tools that search",
        "<= 1.05 x that without them, both of a hello world",
        stet("start", "start"),
        lambda f: 1.05 * STARTED * f.floor("start")),
    rg_aim("search {tree} files for a literal", "search literal"),
    close_aim("  the same", "search literal"),
    Aim("  again", "<= the first", stet("search literal", "again"),
        lambda f: f.of("stet", "search literal", "first")),
    rg_aim("  ignoring case", "search case"),
    rg_aim("  a regex with a literal in it", "search regex"),
    rg_aim("  a regex without one", "search no literal"),
    Aim("  the first lines with a frequent word",
        "<= a tenth of a search of all files", stet("search lines", "p50"),
        lambda f: f.of("stet", "search literal", "again") / 10),
    close_aim("search {longest} for its last line", "search longest"),
    rg_aim("find **/*.c in {tree} files", "search names"),
    Aim("  the same", "<= 1.2 x rg in any order", stet("search names", "p50"),
        lambda f: 1.2 * f.floor("rg files")),
    ahead_aim("  the same", "search names"),
    Aim("memory on any search of {tree} files, above idle", "<= 32 MiB",
        lambda f: max(f.of("stet", job, "above idle") for job in FINDS),
        lambda f: 32 * MIB, "KiB"),
    Aim("memory on any search, beside the reply", "<= 16 MB",
        lambda f: max(f.of("stet", job, "beside the reply")
                      for job in (*FINDS, "search longest")),
        lambda f: 16 * MB, "KiB"),
]
