"""The jobs that are measured, and the floors below them.

A job is a session with a fresh server: some steps that are not measured, then
some that are. A step is one operation (peers.py), in as many calls as a peer
needs for it; its time is their sum. A job is run in every round for every peer
that can do it, and its result is checked: replies must contain `expect`, files
must be as `leaves` says.
"""
import dataclasses
import os
import typing

from files import KIB, MIB, PAGE, number


@dataclasses.dataclass(frozen=True)
class Sizes:
    """The amount of work."""
    rounds: int
    rare: int  # maximum rounds of slow jobs
    seconds: int  # seconds for a session of a peer; then it is too slow
    peers: tuple  # names of peers; empty = all
    calls: int  # small calls in a session; a tenth of them are warm-up
    large_calls: int  # calls with 1 MiB
    edit_calls: int
    lasting: int  # calls during which memory is measured
    long: int  # file sizes in bytes
    longest: int
    sparse: int
    japanese: int
    ten: int
    twenty: int
    large: int
    tree: int  # number of files that are searched
    curve_sizes: tuple  # bytes
    curve_edits: tuple
    curve_files: tuple
    curve_trees: tuple  # numbers of files that are searched
    curve_matches: tuple  # keys of MATCHES


FULL = Sizes(rounds=5, rare=3, seconds=25, peers=(), calls=300, large_calls=12,
             edit_calls=2, lasting=10_000, long=100_000_000,
             longest=1_000_000_000, sparse=10_000_000_000,
             japanese=10_000_000, ten=10_000_000, twenty=20_000_000,
             large=50 * MIB, tree=100_000,
             curve_sizes=(KIB, 32 * KIB, MIB, 32 * MIB, 1024 * MIB),
             curve_edits=(1, 10, 100, 1000, 10_000),
             curve_files=(1, 10, 100, 1000, 10_000, 100_000),
             curve_trees=(100, 1000, 10_000, 100_000, 1_000_000),
             curve_matches=(0, 1, 1000, 10_000, 100_000, 1_000_000))
QUICK = Sizes(rounds=1, rare=1, seconds=3,
              peers=("official", "hashline"), calls=60,
              large_calls=4, edit_calls=2, lasting=500,
              long=10_000_000, longest=100_000_000, sparse=1_000_000_000,
              japanese=10_000_000, ten=10_000_000, twenty=20_000_000,
              large=50 * MIB, tree=10_000,
              curve_sizes=(KIB, MIB, 32 * MIB),
              curve_edits=(1, 10_000), curve_files=(1, 100, 1000),
              curve_trees=(100, 1000, 10_000),
              curve_matches=(0, 1, 1000, 10_000))


@dataclasses.dataclass(frozen=True)
class Job:
    name: str
    steps: typing.Callable  # function of Files: [(operation, arguments...)]
    count: typing.Callable  # function of Sizes: number of measured steps
    warm: typing.Callable = lambda sizes: 0
    first: typing.Callable = lambda files: []  # steps before, not measured
    expect: typing.Callable = lambda files: ()  # text in the last replies
    without: typing.Callable = lambda files: ()  # text that is not in them
    changes: str = ""  # the file that is reset before a session
    leaves: typing.Callable = None  # of Files and the last step
    flags: tuple = ()  # flags for stet
    pipelined: bool = False
    pipe: bool = False  # also measured with the pipe alone
    rare: bool = False  # slow: fewer rounds
    once: bool = False  # one round only
    after: str = ""  # the job with less work on the same curve
    may_fail: bool = False  # a refusal counts as a result
    partial: bool = False  # calls that a peer cannot do are left out
    ours: bool = False  # stet only
    times: int = 1  # sessions of stet in a round, for very short jobs
    touches: typing.Callable = None  # of Files: the file to be read before


def of_calls(sizes):
    return sizes.calls


def tenth(sizes):
    return sizes.calls // 10


def of_large(sizes):
    return sizes.large_calls


def two(sizes):
    return 2


def read_job(name, file, count, warm, **more):
    """The expected text: some lines from all over the file, and its last."""
    def expect(files):
        lines = [line for line in getattr(files, file).first.splitlines()
                 if "value_" in line or " of block " in line]
        step = max(1, len(lines) // 20)
        return [line.strip('\t. ').split(' == ')[0]
                for line in (*lines[::step], lines[-1])]
    return Job(name, lambda files: [("read", getattr(files, file))], count,
               warm, expect=expect, **more)


def write_job(name, file, count, warm, **more):
    """The second content first, because each write must change the file."""
    def contents(files):
        text = getattr(files, file)
        return text.second, text.first
    return Job(name, lambda files: [("write", getattr(files, file), content)
                                    for content in contents(files)],
               count, warm, changes=file,
               leaves=lambda files, turn: contents(files)[turn % 2], **more)


def edit_job(name, file, edits, count, warm=two, **more):
    """Replace lines, and then replace them back."""
    def steps(files):
        text = getattr(files, file)
        pairs = text.pairs(edits)
        back = [(new, old) for old, new in pairs]
        return [("edits", text, pairs), ("edits", text, back)]

    def leaves(files, turn):
        text = getattr(files, file)
        return text.first if turn % 2 else text.edited(text.pairs(edits))
    return Job(name, steps, count, warm, changes=file, leaves=leaves, **more)


def first_line(file, where):
    return {"start": 1, "middle": file.lines // 2,
            "end": max(1, file.lines - PAGE + 1)}[where]


def page_job(name, pick, where, count=4, **more):
    """The first and last line of the page are expected, the lines around it
    are not."""
    def marks(files, *lines):
        file = pick(files)
        line = first_line(file, where)
        return [number(min(line - 1 + n, file.lines)).decode()
                for n in lines if line - 1 + n >= 0]

    def last(files):
        return min(PAGE, pick(files).lines) - 1

    def steps(files):
        file = pick(files)
        if where == "end":
            return [("end", file, first_line(file, where), PAGE)]
        return [("page", file, first_line(file, where), PAGE)]
    return Job(name, steps, lambda sizes: count, touches=pick,
               expect=lambda files: marks(files, 0, last(files)),
               without=lambda files: marks(files, -1, PAGE), **more)


def long_jobs():
    for name in ("long", "longest"):
        for where in ("start", "middle", "end"):
            yield page_job(f"{name} {where}",
                           lambda files, name=name: getattr(files, name),
                           where, pipe=where == "end", rare=True)


def japanese(files):
    file = files.japanese
    return [("end", file, file.lines - PAGE + 1, PAGE)]


def rewritten(files, turn):
    text = files.twenty
    return text.first if turn % 2 else text.edited(text.pairs(PAGE))


def mixed(files):
    """Mostly reads, some of a page, and some changes."""
    file = files.small
    reads = [("read", file)] * 8
    return [*reads, ("write", file, file.second), *reads,
            ("write", file, file.first), ("edits", file, file.pairs(3)),
            ("page", files.long, 1, 5), ("write", file, file.first)]


def sparse(files):
    """Its holes read as NUL, so a refusal as binary is right."""
    return [("page", files.sparse, 1, PAGE), ("whole", files.sparse)]


# ---- searching ----

THREADS = str(os.cpu_count())
FREQUENT, LINES = "return", 250  # the default number of lines of Grep
KINDS = {  # {name: (pattern, ignore case)}; each finds the files with Tree.RARE
    "literal": ("ring_exchange", False),
    "case": ("RING_exchange", True),
    "regex": (r"\w+_exchange\(\d+,", False),
    "no literal": (r"[A-Z]{2}\d{2}\W\d{4}", False),
}


def last_line(files):
    """Text that only the last line of the longest file contains."""
    return number(files.longest.lines - 1).decode().strip()


def search_job(name, steps, expect, without=lambda files: (), **more):
    """Both stet and rg have as many threads as there are cores."""
    return Job(f"search {name}", steps, lambda sizes: 3, expect=expect,
               without=without, rare=True,
               flags=("--find-threads", THREADS), **more)


def kind_job(name, pattern, fold):
    return search_job(
        name, lambda files: [("grep", files.repository, pattern, fold)],
        lambda files: files.repository.rare(),
        lambda files: [files.repository.name(0)])


SEARCHES = [
    *(kind_job(name, *kind) for name, kind in KINDS.items()),
    search_job("lines",
               lambda files: [("lines", files.repository, FREQUENT)],
               lambda files: [files.repository.name(0), "return -ERANGE;"]),
    search_job("names", lambda files: [("glob", files.repository, "**/*.c")],
               lambda files: [files.repository.last(".c")],
               lambda files: [files.repository.last(".h")]),
    search_job("longest",
               lambda files: [("lines", files.longest, last_line(files))],
               lambda files: [last_line(files), str(files.longest.lines)],
               touches=lambda files: files.longest),
]

PROCESS = ("--durability", "process")
UNCONFINED = ("--confine", "off")
STARTS = 9
JOBS = [
    Job("start", lambda files: [], lambda sizes: 0, times=STARTS),
    read_job("read 1 KiB", "small", of_calls, tenth, pipe=True),
    read_job("read 1 KiB, unconfined", "small", of_calls, tenth,
             flags=UNCONFINED, ours=True),
    write_job("write 1 KiB", "small", of_calls, tenth, pipe=True),
    write_job("write 1 KiB, process", "small", of_calls, tenth,
              flags=PROCESS, pipe=True, ours=True),
    write_job("write 1 KiB, process, unconfined", "small", of_calls, tenth,
              flags=PROCESS + UNCONFINED, ours=True),
    write_job("write 1 KiB, no history", "small", of_calls, tenth,
              flags=("--history", "off"), ours=True),
    edit_job("edit 1 KiB", "small", 1, of_calls, tenth, pipe=True),
    edit_job("edit 1 KiB, process", "small", 1, of_calls, tenth,
             flags=PROCESS, ours=True),
    write_job("write 32 KiB", "middling", of_calls, tenth, ours=True),
    write_job("write 32 KiB, no history", "middling", of_calls, tenth,
              flags=("--history", "off"), ours=True),
    read_job("read 1 MiB", "medium", of_large, two, pipe=True),
    read_job("read 1 MiB, text", "medium", of_large, two,
             flags=("--results", "text"), ours=True),
    read_job("read 1 MiB, structured", "medium", of_large, two,
             flags=("--results", "structured"), ours=True),
    write_job("write 1 MiB", "medium", of_large, two, pipe=True),
    write_job("write 1 MiB, process", "medium", of_large, two, flags=PROCESS,
              ours=True),
    read_job("read 50 MiB", "large", two, lambda sizes: 1, rare=True),
    write_job("write 50 MiB", "large", two, lambda sizes: 0, rare=True),
    write_job("write 50 MiB, process", "large", two, lambda sizes: 0,
              flags=PROCESS, rare=True, ours=True),
    *long_jobs(),
    Job("japanese", japanese, lambda sizes: 4, rare=True,
        expect=lambda files: ["文字コードの変換"]),
    edit_job("100 edits", "medium", 100, lambda sizes: sizes.edit_calls),
    edit_job("100 edits, process", "medium", 100,
             lambda sizes: sizes.edit_calls, flags=PROCESS, ours=True),
    edit_job("edit 50 MiB", "large", 1, two, lambda sizes: 0, rare=True),
    edit_job("edit 50 MiB, process", "large", 1, two, lambda sizes: 0,
             flags=PROCESS, rare=True, ours=True),
    Job("pipelined", lambda files: [("read", files.small)],
        lambda sizes: 1000, tenth, pipelined=True, pipe=True, rare=True,
        expect=lambda files: ["value_000010"]),
    Job("rewrite", lambda files: [
        ("rewrite", files.twenty, rewritten(files, turn))
        for turn in (0, 1)], two,
        first=lambda files: [("look", files.twenty)], changes="twenty",
        leaves=rewritten, rare=True),
    Job("lasting", mixed, lambda sizes: sizes.lasting,
        lambda sizes: sizes.lasting // 20, once=True, partial=True,
        changes="small"),
    Job("sparse", sparse, two, once=True, may_fail=True, partial=True),
    *SEARCHES,
]


def rounds_of(one, sizes):
    """The number of rounds of a job or a floor."""
    if one.once:
        return 1
    return min(sizes.rare, sizes.rounds) if one.rare else sizes.rounds


# ---- how cost grows ----

def files_job(count):
    """Other peers read fewer files, or this would take an hour."""
    return Job(f"files {count}",
               lambda files: [("read", Path(path))
                              for path in files.many[:count]],
               lambda sizes: count, once=True, ours=count > 1000)


@dataclasses.dataclass(frozen=True)
class Path:
    """A file of one line."""
    path: str
    size: int = 50
    lines: int = 1


@dataclasses.dataclass(frozen=True)
class Curve:
    name: str
    title: str
    axis: str
    points: typing.Callable  # function of Sizes
    job: typing.Callable  # function that makes the job of a point
    pick: str  # as in a row


def grown(size):
    return lambda files: files.grown[size]


def searched_size(size):
    return search_job(
        f"end of {size}",
        lambda files: [("lines", files.grown[size],
                        number(files.grown[size].lines - 1).decode().strip())],
        lambda files: [str(files.grown[size].lines)], ours=True)


def searched_files(count):
    return search_job(
        f"of {count}",
        lambda files: [("grep", files.part(count), "ring_exchange", False)],
        lambda files: files.part(count).rare()[-1:], ours=True)


# {lines that match: a pattern}, in files whose lines begin with a number
MATCHES = {0: "no such line", 1: "^00000 of block 000000", 1000: "^00000 of",
           10_000: "^0000. of", 100_000: "^000.. of", 1_000_000: "^00... of"}


def searched_matches(count):
    """The real number is that of the blocks of the file."""
    return search_job(
        f"matches {count}",
        lambda files: [("count", files.longest, MATCHES[count])],
        lambda files: ["total occurrence" if count else "Found 0 total"],
        touches=lambda files: files.longest, ours=True)


CURVES = [
    Curve("end", "the first page of 100 lines, at the end of a file",
          "bytes of the file", lambda sizes: sizes.curve_sizes,
          lambda n: page_job(f"end of {n}", grown(n), "end", 1), "p50"),
    Curve("whole", "a read without a limit: the first reply",
          "bytes of the file", lambda sizes: sizes.curve_sizes,
          lambda n: Job(f"whole of {n}",
                        lambda files: [("whole", files.grown[n])],
                        lambda sizes: 1,
                        expect=lambda files: [number(0).decode()]), "p50"),
    Curve("edits", "edits in one file of 10 MB", "edits",
          lambda sizes: sizes.curve_edits,
          lambda n: edit_job(f"edits {n}", "ten", n, lambda sizes: 1,
                             lambda sizes: 1), "p50"),
    Curve("files", "a read, of so many files one after the other",
          "files", lambda sizes: sizes.curve_files, files_job, "p50"),
    Curve("files memory", "memory after reading so many files (RSS)",
          "files", lambda sizes: sizes.curve_files, files_job, "after"),
    Curve("searched size", "a search for the last line of a file",
          "bytes of the file", lambda sizes: sizes.curve_sizes, searched_size,
          "p50"),
    Curve("searched files", "a search of so many files", "files",
          lambda sizes: sizes.curve_trees, searched_files, "p50"),
    Curve("searched matches", "a search of the longest file, with so many matches",
          "matches", lambda sizes: sizes.curve_matches, searched_matches,
          "p50"),
]


def curve_jobs(sizes):
    """Each job once, even if several curves have it."""
    made = {}
    for curve in CURVES:
        before = "nothing"
        for point in curve.points(sizes):
            job = curve.job(point)
            made[job.name] = dataclasses.replace(job, rare=True, after=before)
            before = job.name
    return list(made.values())


# ---- the floors ----

@dataclasses.dataclass(frozen=True)
class Floor:
    name: str
    arguments: typing.Callable  # arguments of floor(1), a function of Files
    rare: bool = False
    once = False


def store(kind, times, file):
    return lambda files: [kind, str(times), getattr(files, file).path +
                          ".floor", str(getattr(files, file).size)]


def rg(*arguments, lines=0):
    """The command line of rg, for the same files and the same threads."""
    return ["run", "3", str(lines), "rg", "--no-config", "--hidden", "--glob",
            "!.git", "--threads", THREADS, *arguments]


def rg_kind(name):
    pattern, fold = KINDS[name]
    return Floor(f"rg {name}", lambda files: rg(
        "--files-with-matches", *(["--ignore-case"] if fold else []),
        "-e", pattern, files.repository.path), True)


FLOORS = [
    Floor("start", lambda files: ["hello"]),
    Floor("bulk", lambda files: ["bulk", "64", str(MIB)]),
    Floor("open, read, close 1 KiB", lambda files: [
        "read", "200", files.small.path]),
    Floor("read 1 MiB", lambda files: ["read", "20", files.medium.path]),
    Floor("read 50 MiB", lambda files: ["read", "2", files.large.path], True),
    Floor("write 1 KiB", store("write", 50, "small")),
    Floor("exchange 1 KiB", store("exchange", 50, "small")),
    Floor("write 1 MiB", store("write", 10, "medium")),
    Floor("write 10 MB", store("write", 3, "ten")),
    Floor("write 20 MB", store("write", 2, "twenty"), True),
    Floor("write 50 MiB", store("write", 2, "large"), True),
    Floor("scan long", lambda files: ["scan", "2", files.long.path], True),
    Floor("scan longest", lambda files: ["scan", "2", files.longest.path],
          True),
    *map(rg_kind, KINDS),
    Floor("rg lines", lambda files: rg(
        "--sort", "path", "--line-number", "-e", FREQUENT,
        files.repository.path, lines=LINES), True),
    Floor("rg names", lambda files: rg(
        "--files", "--sort", "modified", "--glob", "**/*.c",
        files.repository.path), True),
    Floor("rg files", lambda files: rg(
        "--files", "--glob", "**/*.c", files.repository.path), True),
    Floor("rg longest", lambda files: rg(
        "--line-number", "-e", last_line(files), files.longest.path), True),
]
