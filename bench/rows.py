"""What is measured: jobs, the floors beneath them, and the rows of the table.

A job is a session with a fresh server: some calls that are not measured, then
some that are. It is run in every round for every peer that can do it. A row
takes one figure from a job's session; its value is the median over rounds. A
floor is what the machine takes for the same without a server:

    "pipe"    the job's own messages with a process that does nothing
    a job     stet's own figure there: what a feature costs on top
    another   an entry of FLOORS, run in the same rounds

A row with several floors stands on their sum. An aim is shown as met or not;
nothing fails by it.
"""
import dataclasses
import os
import statistics
import typing

KIB, MIB = 1024, 1024 * 1024
LINE = 64  # bytes of each line of the long files
PAGE = 100


@dataclasses.dataclass(frozen=True)
class Sizes:
    """How much there is to do."""
    rounds: int
    calls: int  # small ones in a session; a tenth of them are warm-up
    large_calls: int  # with 1 MiB
    edit_calls: int
    lasting: int  # calls that memory is watched over
    long: int  # bytes of the long file
    longest: int
    sparse: int
    many: int  # files that are read, one after the other


FULL = Sizes(rounds=5, calls=500, large_calls=20, edit_calls=10,
             lasting=10_000, long=100_000_000, longest=1_000_000_000,
             sparse=10_000_000_000, many=100_000)
QUICK = Sizes(rounds=2, calls=150, large_calls=8, edit_calls=4,
              lasting=1_000, long=10_000_000, longest=100_000_000,
              sparse=1_000_000_000, many=10_000)


def named(size):
    """As in a title: 100 MB, 1 GB."""
    if size >= 10**9:
        return f"{size // 10**9} GB"
    return f"{size // 10**6} MB"


# ---- the files ----

def source(size, mark):
    """Text like a program's, of @size bytes; each line of it is unique."""
    lines, total, n = [], 0, 0
    while total < size:
        line = f'\tif (value_{n:06} == "{mark}")\n\t\treturn {n:06};\n'
        lines.append(line)
        total += len(line)
        n += 1
    return "".join(lines)[:size - 1] + "\n"


def long_line(n):
    return b"%05d of block %06d: " % (n % 16384, n // 16384)


def write_long(path, size):
    """Lines of LINE bytes, numbered; a MiB of them at a time."""
    block = b"".join(
        (long_line(n).replace(b"000000", b"######") +
         b"the quick brown fox jumps on").ljust(LINE - 1, b".") + b"\n"
        for n in range(MIB // LINE))
    with open(path, "wb") as file:
        for n in range(size // MIB + 1):
            part = block.replace(b"######", b"%06d" % n)
            file.write(part[:size // LINE * LINE - n * MIB])


JAPANESE = "これは文字コードの変換にかかる時間を測るための行です。\n"


def write_japanese(path, size):
    """Shift_JIS, which has to be told apart and decoded as a whole."""
    line = JAPANESE.encode("cp932")
    with open(path, "wb") as file:
        file.write(line * (size // len(line)))


def write_sparse(path, size):
    with open(path, "wb") as file:
        text = b"a line of text\n" * (2 * PAGE)
        file.write(text)
        file.seek(size - len(text))
        file.write(text)


class Files:
    """The files of a run, beneath its root."""

    def __init__(self, root, sizes):
        self.sizes = sizes
        self.small, self.medium, self.long, self.longest, self.sparse = (
            f"{root}/{name}.txt"
            for name in ("small", "medium", "long", "longest", "sparse"))
        self.middling = f"{root}/middling.txt"
        self.many = [f"{root}/many/{n // 1000:03}/{n:06}.txt"
                     for n in range(sizes.many)]
        self.texts = {
            self.small: [source(KIB, mark) for mark in ("one", "two")],
            self.middling: [source(32 * KIB, mark) for mark in ("one", "two")],
            self.medium: [source(MIB, mark) for mark in ("one", "two")],
        }
        self.reset()
        write_long(self.long, sizes.long)
        write_long(self.longest, sizes.longest)
        write_sparse(self.sparse, sizes.sparse)
        self.japanese = f"{root}/japanese.txt"
        write_japanese(self.japanese, 10_000_000)

    def make_many(self):
        """Only for the row that reads them: they take a while to make."""
        for path in self.many:
            if path.endswith("000.txt"):
                os.makedirs(os.path.dirname(path), exist_ok=True)
            if not os.path.exists(path):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"{path}\n")

    def reset(self):
        """As they were; a job may have left them in another state."""
        for path, (text, _) in self.texts.items():
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

    def pairs(self, path, count):
        """@count edits over the file, from its first text to its second."""
        first, second = ([line for line in text.splitlines()
                          if line.startswith("\tif ")]
                         for text in self.texts[path])
        step = (len(first) - 1) // count
        return list(zip(first[::step], second[::step]))[:count]


# ---- the jobs ----

@dataclasses.dataclass(frozen=True)
class Job:
    name: str
    wants: typing.Callable  # of Files: [(operation, arguments...)]
    calls: typing.Callable  # of Sizes: how many are measured
    warm: typing.Callable = lambda sizes: 0
    expect: typing.Callable = lambda files: ""  # the last reply holds this
    flags: tuple = ()  # for stet
    pipelined: bool = False
    pipe: bool = False  # also with the pipe alone
    once: bool = False  # in the first round only
    may_fail: bool = False  # a refusal is an answer, too
    ours: bool = False  # peers have nothing like it


def of_calls(sizes):
    return sizes.calls


def tenth(sizes):
    return sizes.calls // 10


def of_large(sizes):
    return sizes.large_calls


def quarter(sizes):
    return sizes.large_calls // 4


def reads_of(name):
    return lambda files: [("read", getattr(files, name))]


def writes_of(name):
    """The second text first, as each write is to change the file."""
    def wants(files):
        path = getattr(files, name)
        return [("write", path, text) for text in reversed(files.texts[path])]
    return wants


def many_reads(files):
    files.make_many()
    return [("read", path) for path in files.many]


def edits_there_and_back(files):
    pairs = files.pairs(files.medium, 100)
    back = [(new, old) for old, new in pairs]
    return [("edits", files.medium, pairs), ("edits", files.medium, back)]


def first_line(files, name, where):
    size = getattr(files.sizes, name) // LINE
    return size // 2 if where == "middle" else size - PAGE + 1


def page_of(name, where):
    return lambda files: [("page", getattr(files, name),
                           first_line(files, name, where), PAGE,
                           where == "end")]


def page_holds(name, where):
    """The page's last line, by its number (they count from 0)."""
    return lambda files: long_line(
        first_line(files, name, where) + PAGE - 2).decode()


def page_job(name, where):
    return Job(f"{name} {where}", page_of(name, where), lambda sizes: 4,
               expect=page_holds(name, where), pipe=where == "end")


def mixed(files):
    """Mostly reads, some of them of a page, and what changes the file."""
    one, two = files.texts[files.small]
    pairs = files.pairs(files.small, 3)
    reads = [("read", files.small)] * 8
    return [*reads, ("write", files.small, two), *reads,
            ("write", files.small, one), ("edits", files.small, pairs),
            ("page", files.long, 1, 5, False),
            ("write", files.small, one)]


def japanese(files):
    lines = 10_000_000 // len(JAPANESE.encode("cp932"))
    return [("page", files.japanese, lines - PAGE + 1, PAGE, True)]


def sparse(files):
    """Its holes read as NUL, so that refusing it as no text is right."""
    return [("page", files.sparse, 1, PAGE, True), ("read", files.sparse)]


JOBS = [
    Job("start", lambda files: [], lambda sizes: 0),
    Job("read 1 KiB", reads_of("small"), of_calls, tenth,
        lambda files: "value_000010", pipe=True),
    Job("write 1 KiB", writes_of("small"), of_calls, tenth, pipe=True),
    Job("write 1 KiB, process", writes_of("small"), of_calls, tenth,
        flags=("--durability", "process"), pipe=True),
    Job("write 32 KiB", writes_of("middling"), of_calls, tenth),
    Job("write 32 KiB, no history", writes_of("middling"), of_calls, tenth,
        flags=("--history", "off"), ours=True),
    Job("read 1 MiB", reads_of("medium"), of_large, quarter,
        lambda files: "value_010000", pipe=True),
    Job("read 1 MiB, text", reads_of("medium"), of_large, quarter,
        lambda files: "value_010000", flags=("--results", "text"), pipe=True),
    Job("write 1 MiB", writes_of("medium"), of_large, quarter, pipe=True),
    page_job("long", "middle"),
    page_job("long", "end"),
    page_job("longest", "middle"),
    page_job("longest", "end"),
    Job("japanese", japanese, lambda sizes: 4),
    Job("edits", edits_there_and_back, lambda sizes: sizes.edit_calls,
        lambda sizes: 2, pipe=True),
    Job("pipelined", reads_of("small"), lambda sizes: 1000, tenth,
        pipelined=True, pipe=True),
    Job("lasting", mixed, lambda sizes: sizes.lasting,
        lambda sizes: sizes.lasting // 20, once=True),
    Job("sparse", sparse, lambda sizes: 2, once=True, may_fail=True),
    Job("many", many_reads, lambda sizes: sizes.many - 1000,
        lambda sizes: 1000, once=True, ours=True),
]


# ---- the floors ----

@dataclasses.dataclass(frozen=True)
class Floor:
    name: str
    arguments: typing.Callable  # of floor(1), by Files


FLOORS = [
    Floor("start", lambda files: ["hello"]),
    Floor("read 1 KiB", lambda files: ["read", "200", files.small]),
    Floor("read 1 MiB", lambda files: ["read", "20", files.medium]),
    Floor("write 1 KiB", lambda files: [
        "write", "50", files.small + ".floor", str(KIB)]),
    Floor("exchange 1 KiB", lambda files: [
        "exchange", "50", files.small + ".floor", str(KIB)]),
    Floor("write 1 MiB", lambda files: [
        "write", "10", files.medium + ".floor", str(MIB)]),
    Floor("scan long", lambda files: ["scan", "2", files.long]),
    Floor("scan longest", lambda files: ["scan", "1", files.longest]),
]


# ---- the rows ----

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
}


@dataclasses.dataclass(frozen=True)
class Row:
    title: str  # with {long}, {longest}, {sparse} and {lasting} filled in
    job: str
    pick: str
    floors: tuple = ()
    aim: str = ""
    met: typing.Callable = None  # of stet, floor and peers by name

    @property
    def unit(self):
        memory = ("idle", "idle rss", "before", "after", "peak")
        return "KiB" if self.pick in memory else "ns"


MS = 1_000_000  # ns
MB = 1_000_000 / 1024  # KiB

ROWS = [
    Row("start to first reply", "start", "start", ("start",),
        "<= 3 ms, and 50 times faster than the official server",
        lambda v: v["stet"] <= 3 * MS and v["official"] >= 50 * v["stet"]),
    Row("idle memory (PSS)", "start", "idle", (), "<= 4 MB",
        lambda v: v["stet"] <= 4 * MB),
    Row("  with what it shares (RSS)", "start", "idle rss"),
    Row("1 KiB read, p50", "read 1 KiB", "p50", ("pipe",),
        "<= 3 times the pipe", lambda v: v["stet"] <= 3 * v["floor"]),
    Row("1 KiB read, p99", "read 1 KiB", "p99", ("pipe",)),
    Row("1 KiB write, p50", "write 1 KiB", "p50", ("pipe", "write 1 KiB")),
    Row("1 KiB write, p99", "write 1 KiB", "p99", ("pipe", "write 1 KiB")),
    Row("1 KiB write, no fsync, p50", "write 1 KiB, process", "p50",
        ("pipe", "exchange 1 KiB")),
    Row("32 KiB write, history on (floor: off)", "write 32 KiB", "p50",
        ("write 32 KiB, no history",), "history adds < 0.3 ms",
        lambda v: v["stet"] < v["floor"] + 0.3 * MS),
    Row("1 MiB read", "read 1 MiB", "p50", ("pipe", "read 1 MiB"),
        "the pipe is the limit: <= 2 times",
        lambda v: v["stet"] <= 2 * v["floor"]),
    Row("1 MiB read, text only", "read 1 MiB, text", "p50",
        ("pipe", "read 1 MiB")),
    Row("1 MiB write", "write 1 MiB", "p50", ("pipe", "write 1 MiB"),
        "< 10 ms", lambda v: v["stet"] < 10 * MS),
    Row("{long}, page in the middle", "long middle", "first", ("scan long",)),
    Row("  again", "long middle", "again"),
    Row("{long}, page at the end", "long end", "first", ("scan long",)),
    Row("  again", "long end", "again", ("pipe",)),
    Row("{longest}, page in the middle", "longest middle", "first",
        ("scan longest",)),
    Row("  again", "longest middle", "again"),
    Row("{longest}, page at the end", "longest end", "first",
        ("scan longest",)),
    Row("  again", "longest end", "again", ("pipe",)),
    Row("10 MB of Shift_JIS, page at the end", "japanese", "first", (),
        "< 100 ms", lambda v: v["stet"] < 100 * MS),
    Row("100 edits in 1 MiB", "edits", "p50", ("pipe", "write 1 MiB"),
        "< 10 ms and the fsync",
        lambda v: v["stet"] < 10 * MS + v["floor"]),
    Row("1,000 pipelined reads", "pipelined", "total", ("pipe",)),
    Row("memory before {lasting} calls", "lasting", "before"),
    Row("  after them", "lasting", "after", (),
        "flat: at most 256 KiB more",
        lambda v: v["stet"] <= v["before stet"] + 256),
    Row("{longest}, page at the end, peak memory", "longest end", "peak", (),
        "bounded: <= 16 MB", lambda v: v["stet"] <= 16 * MB),
    Row("{sparse} sparse file, peak memory", "sparse", "peak", (),
        "bounded: <= 16 MB", lambda v: v["stet"] <= 16 * MB),
    Row("memory after reading {many} files", "many", "after", (),
        "what was read is remembered in < 32 MB",
        lambda v: v["stet"] < 32 * MB),
]
