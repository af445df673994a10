"""The files of a run: their content, size, and content after the jobs.

A Text knows its first content and the one that jobs turn it into, so that the
result of a server can be compared byte for byte.
"""
import functools
import os

KIB, MIB = 1024, 1024 * 1024
LINE = 64  # bytes of each line of the numbered files
PAGE = 100
JAPANESE = "これは文字コードの変換にかかる時間を測るための行です。\n"


def source(size, mark):
    """Text like source code, of @size bytes; every other line is unique."""
    lines, total, n = [], 0, 0
    while total < size:
        line = f'\tif (value_{n:06} == "{mark}")\n\t\treturn {n:06};\n'
        lines.append(line)
        total += len(line)
        n += 1
    return "".join(lines)[:size - 1] + "\n"


def number(n):
    """The text that only line @n contains, counted from 0."""
    return b"%05d of block %06d: " % (n % 16384, n // 16384)


def blocks(size, word=b"quick"):
    """Numbered lines of LINE bytes, about @size of them, a MiB at a time."""
    block = b"".join(
        (number(n).replace(b"000000", b"######") + b"the " + word +
         b" brown fox jumps on").ljust(LINE - 1, b".") + b"\n"
        for n in range(MIB // LINE))
    for n in range(size // MIB + 1):
        yield block.replace(b"######", b"%06d" % n)[
            :max(0, size // LINE * LINE - n * MIB)]


def at_rest(file):
    """Sync, so that delayed writes are not part of a job."""
    file.flush()
    os.fsync(file.fileno())


def touch(path):
    """Read it once, so that it is in the page cache."""
    block = bytearray(MIB)
    with open(path, "rb", buffering=0) as file:
        while file.readinto(block):
            pass


class Text:
    """A file that jobs change; both contents are made on demand."""

    def __init__(self, path, make):
        self.path, self.make = path, make

    @functools.cached_property
    def first(self):
        return self.make("first")

    @functools.cached_property
    def second(self):
        return self.make("second")

    @property
    def size(self):
        return len(self.first)

    @functools.cached_property
    def lines(self):
        return self.first.count("\n")

    def reset(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(self.first)
            at_rest(file)

    def pairs(self, count):
        """@count whole lines of the first content, and of the second."""
        changed = [pair for pair in zip(self.first.splitlines(),
                                        self.second.splitlines())
                   if pair[0] != pair[1]]
        step = max(1, len(changed) // count)
        return changed[::step][:count]

    def edited(self, pairs):
        """The first content with these lines replaced."""
        new = dict(pairs)
        return "\n".join(new.get(line, line)
                         for line in self.first.split("\n"))


class Long:
    """A file that is not changed, too long to be kept in memory here."""

    def __init__(self, path, size, write):
        self.path, self.size = path, size
        self.lines = write(path, size)


def write_numbered(path, size):
    with open(path, "wb") as file:
        for block in blocks(size):
            file.write(block)
        at_rest(file)
    return size // LINE


def write_japanese(path, size):
    """A Shift_JIS file, whose encoding must be detected and which is decoded
    completely."""
    line = JAPANESE.encode("cp932")
    with open(path, "wb") as file:
        file.write(line * (size // len(line)))
        at_rest(file)
    return size // len(line)


def write_sparse(path, size):
    with open(path, "wb") as file:
        text = b"a line of text\n" * (2 * PAGE)
        file.write(text)
        file.seek(size - len(text))
        file.write(text)
        at_rest(file)
    return 4 * PAGE


def program(size):
    return lambda which: source(size, {"first": "one", "second": "two"}[which])


def numbered(size):
    words = {"first": b"quick", "second": b"QUICK"}
    return lambda which: b"".join(blocks(size, words[which])).decode()


def functions(first, count):
    """Text like source code, with two lines that say `return` in each
    function."""
    return "".join(
        f"static int next_{n:06}(struct item *item, size_t count)\n{{\n"
        f"\tif (item->used >= count * LIMIT_{n % 97})\n\t\treturn -ERANGE;\n"
        f"\treturn item->next[{n}];\n}}\n\n"
        for n in range(first, first + count))


class Tree:
    """A repository of @count small source files, which are not changed. One
    in a thousand contains RARE."""
    KINDS = (".c", ".h", ".py", ".js", ".md")
    EVERY, FIRST = 1000, 417
    RARE = '\tring_exchange(417, "QX31-0917");\n'

    def __init__(self, path, count):
        self.path, self.count = path, count
        self.size = sum(map(self.write, range(count)))
        os.makedirs(f"{path}/.git", exist_ok=True)
        with open(f"{path}/.gitignore", "w", encoding="utf-8") as file:
            file.write("*.o\n/build/\n!keep.o\n")
        os.sync()

    def name(self, n):
        return f"f{n:06}{self.KINDS[n % len(self.KINDS)]}"

    def write(self, n):
        """50 files in a directory; written in this order, so that the last
        one is the newest."""
        place = f"{self.path}/{n // 1000:03}/{n // 50 % 20:02}"
        if n % 50 == 0:
            os.makedirs(place)
        text = functions(n, 4 + n % 24)
        if n % self.EVERY == self.FIRST:
            text += self.RARE
        with open(f"{place}/{self.name(n)}", "w", encoding="utf-8") as file:
            file.write(text)
        return len(text)

    def rare(self):
        """The names of the files that contain RARE."""
        return [self.name(n) for n in range(self.FIRST, self.count,
                                            self.EVERY)]

    def last(self, kind):
        return next(self.name(n) for n in reversed(range(self.count))
                    if self.name(n).endswith(kind))


class Files:
    """The files of a run, beneath its root."""

    def __init__(self, root, sizes):
        self.sizes, self.root = sizes, root
        self.parts = {}
        for name, make in (("small", program(KIB)),
                           ("middling", program(32 * KIB)),
                           ("medium", program(MIB)),
                           ("ten", numbered(sizes.ten)),
                           ("twenty", numbered(sizes.twenty)),
                           ("large", numbered(sizes.large))):
            text = Text(f"{root}/{name}.txt", make)
            text.reset()
            setattr(self, name, text)
        self.long = self.made("long", sizes.long)
        self.longest = self.made("longest", sizes.longest)
        self.japanese = self.made("japanese", sizes.japanese, write_japanese)
        self.sparse = self.made("sparse", sizes.sparse, write_sparse)
        self.grown = {size: self.made(f"grown-{size}", size)
                      for size in sizes.curve_sizes}

    def made(self, name, size, write=write_numbered):
        return Long(f"{self.root}/{name}.txt", size, write)

    @functools.cached_property
    def repository(self):
        """Made only for the jobs that search it."""
        return Tree(f"{self.root}/search", self.sizes.tree)

    def part(self, count):
        """A repository of so many files; the whole one has its own."""
        if count == self.sizes.tree:
            return self.repository
        if count not in self.parts:
            self.parts[count] = Tree(f"{self.root}/search-{count}", count)
        return self.parts[count]

    @functools.cached_property
    def many(self):
        """Made only for the jobs that read them, because it takes long."""
        paths = [f"{self.root}/many/{n // 1000:03}/{n:06}.txt"
                 for n in range(max(self.sizes.curve_files))]
        for path in paths:
            if path.endswith("000.txt"):
                os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"{path}\n")
        return paths
