#!/usr/bin/env python3
"""filesystem_ref.py [--slow] --node NODE PROGRAM [CASE...] - compare the tools of
the family filesystem with the reference server, as TAP.

Both servers serve the same tree and get the same calls: their results must be
equal byte for byte. filesystem_differences.py tests the deliberate differences.
"""
import json
import os
import random
import socket
import sys

from reference_server import SEED, both, check, put, run, same
from server import short

# Names that both servers print as they are.
ODD = ["a b", "-n", "--", ".dot", "..x", "a.b.c", "Ärger", "日本", "😀 face",
       "quote\"", "it's", "back\\slash", "{a,b}", "[x]", "#1", "!no", "$HOME",
       "~", "a\u2028b", "*", "x" * 200, "%41", "é", "e\u0301"]


def odd_tree(root):
    for name in ODD:
        put(root, f"odd/{name}", name.encode())
    (root / "empty").mkdir()
    (root / "dir").mkdir()
    put(root, "dir/file", b"content\n")
    put(root, "dir/sub/deep/er", b"1")
    os.symlink("dir/file", root / "to-file")
    os.symlink("dir", root / "to-dir")
    os.symlink("nothing", root / "dangling")
    os.symlink("loop", root / "loop")
    os.symlink(root / "dir", root / "absolute")
    os.mkfifo(root / "fifo")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(root / "socket"))


def lists_are_the_same(place):
    """F86: list_directory on files, directories, links, FIFOs, odd names, and
    an empty directory"""
    odd_tree(place.root)
    peers = both(place)
    root = str(place.root)
    for path in [root, root + "/", root + "/odd", root + "/empty", root + "/dir",
                 root + "/to-dir", root + "/to-dir/sub", root + "/dir/../odd",
                 root + "//dir/./sub", ".", "", "dir", "dir/", "odd/..",
                 "dir/sub/deep", "absolute"]:
        same(peers, "list_directory", path=path)
    check(same(peers, "list_directory", path="empty")["content"][0]["text"]
          == "", "an empty directory")
    for path in ["no", "dir/file", "fifo", "dangling", "loop", "/", "..",
                 root + "/../home", "C:\\x"]:
        check(same(peers, "list_directory", path=path) == "failed", path)


def names_cannot_make_lines(place):
    """F86 F15: control characters and bytes that are not UTF-8 are escaped in
    lists; directory_tree escapes them as JSON"""
    for name in [b"a\nb", b"\x1b[31m", b"c\xff", b"\x7f", "\x9b".encode()]:
        put(place.root, os.fsdecode(name))
    stet = place.stet()
    want = ["\\x1b[31m", "a\\x0ab", "c\\xff", "\\x7f", "\\xc2\\x9b"]
    text = stet.text("list_directory", path=".")
    check(sorted(text.split("\n")) == sorted(f"[FILE] {n}" for n in want), text)
    text = stet.text("search_files", path=".", pattern="**")
    check(sorted(text.split("\n")) == sorted(f"{place.root}/{n}" for n in want),
          text)
    text = stet.text("list_directory_with_sizes", path=".")
    check(len(text.split("\n")) == len(want) + 3, text)
    names = {e["name"] for e in json.loads(
        stet.text("directory_tree", path="."))}
    check(names == {"a\nb", "\x1b[31m", "c\\xff", "\x7f", "\x9b"}, names)


SIZES = [0, 1, 14, 1023, 1024, 1029, 1030, 1152, 1163, 2048, 1048575, 1048576,
         1310720, 5 << 20, (1 << 30) - 1, 3 << 30, (1 << 40) + (1 << 39)]


def sizes_are_the_same(place):
    """F87: list_directory_with_sizes by name and by size, totals, rounding; a
    dangling link has 0 B"""
    odd_tree(place.root)
    for size in SIZES:
        with open(put(place.root, f"sizes/of-{size}"), "wb") as file:
            file.truncate(size)
    ascii_only = place.root / "plain"
    for name in ODD:
        if name.isascii():
            put(ascii_only, name, b"x" * len(name))
    peers = both(place)
    for path in [".", "dir", "empty", "sizes", "plain", "to-dir"]:
        for order in [{}, {"sortBy": "name"}, {"sortBy": "size"}]:
            same(peers, "list_directory_with_sizes", path=path, **order)
    same(peers, "list_directory_with_sizes", path="odd", sortBy="size")
    check(same(peers, "list_directory_with_sizes", path="dir/file")
          == "failed", "a file")
    text = peers[0].text("list_directory_with_sizes", path=".")
    check("[FILE] dangling                              0 B\n" in text, text)


def names_are_sorted_alike(place):
    """F87: 40 directories of random ASCII names are in the same order"""
    rng = random.Random(SEED)
    letters = [chr(c) for c in range(32, 127) if chr(c) != "/"]
    for number in range(40):
        few = rng.sample(letters, 6) + ["a", "A", "b"]
        for _ in range(60):
            name = "".join(rng.choice(few)
                           for _ in range(rng.randint(1, 5)))
            if name not in (".", ".."):
                put(place.root, f"{number}/{name}")
    peers = both(place)
    for number in range(40):
        same(peers, "list_directory_with_sizes", path=str(number))


def links_outside_have_no_size(place):
    """F87 F12: a link out of the roots has 0 B, where the reference server shows
    the size of its target"""
    put(place.work, "outside", b"x" * 77)
    os.symlink("../outside", place.root / "out")
    stet, ref = (p.text("list_directory_with_sizes", path=".")
                 for p in both(place))
    check("  0 B\n" in stet and "77 B" not in stet, stet)
    check("77 B" in ref, ref)


def random_tree(root, rng):
    names = ["a", "b", "ab", "a.js", "b.js", "c.test.js", ".a", ".git", "x1",
             "x2", "x10", "é", "A", "src", "lib", "node_modules", "a-b", "_",
             "[a]", "{a,b}", "#a", "!a", "a b"]

    def fill(directory, depth):
        for name in rng.sample(names, rng.randint(3, 9)):
            if depth and rng.random() < 0.4:
                (directory / name).mkdir()
                fill(directory / name, depth - 1)
            elif rng.random() < 0.1:
                os.symlink(rng.choice(["nothing", ".", "/", "a"]),
                           directory / name)
            else:
                put(directory, name)
    fill(root, 3)


ATOMS = ["a", "b", "*", "*", "?", ".js", "x", "[ab]", "[!a]", "[^b]", "[a-c]",
         "[[:alpha:]]", "[[:digit:]]", "{a,b}", "{1..3}", "{x1,x2}", "{a,{b,c}}",
         "\\[", "é", "**", "src", "lib", "{src,lib/a}", "A", "-", "_"]


def random_pattern(rng):
    parts = ["**"] if rng.random() < 0.4 else []
    for _ in range(rng.randint(1, 3)):
        if rng.random() < 0.45:
            parts.append(rng.choice(["**", "*", "*.js", "src", ".*", "?", "a"]))
        else:
            parts.append("".join(rng.choice(ATOMS)
                                 for _ in range(rng.randint(1, 2))))
    pattern = "/".join(parts)
    if "[[:" in pattern: # with these "-" is a syntax error in minimatch
        pattern = pattern.replace("-", "")
    return "!" + pattern if rng.random() < 0.08 else pattern


FIXED = ["*", "**", "**/*", "*.js", "**/*.js", "**/.*", ".*", "!**/*.js", "!*",
         "!!*.js", "#a", "\\#a", "**/#a", "**/\\!a", "**/[[]a]", "**/\\{a,b\\}",
         "{src,lib}/**", "**/{a,b}.js", "**/x{1..10}", "**/x{01..10}", "src/",
         "/src", "./src", "src/../lib", "", "**/", "a//b", "**/é", "**/?",
         "**/[!a-z]*", "**/node_modules/**", "nothing"]


def searches_are_the_same(place):
    """F90: search_files with *, **, braces, classes, !, dot names and
    excludePatterns; directories included; order: 340 cases"""
    rng = random.Random(SEED)
    random_tree(place.root, rng)
    peers = both(place)
    found = 0
    patterns = FIXED + [random_pattern(rng) for _ in range(308)]
    for number, pattern in enumerate(patterns):
        arguments = {"path": ".", "pattern": pattern}
        if number % 3 == 1:
            arguments["excludePatterns"] = [random_pattern(rng)
                                            for _ in range(rng.randint(1, 2))]
        if number % 5 == 4:
            below = [p for p in place.root.rglob("*")
                     if p.is_dir() and not p.is_symlink()]
            arguments["path"] = str(rng.choice(sorted(below)))
        result = same(peers, "search_files", **arguments)
        found += result["content"][0]["text"] != "No matches found"
    check(found > 100, f"only {found} found something")
    check(same(peers, "search_files", path="no", pattern="*") == "failed")


def trees_are_the_same(place):
    """F88: directory_tree with and without excludePatterns, links as files"""
    rng = random.Random(SEED + 1)
    random_tree(place.root, rng)
    odd_tree(place.root)
    peers = both(place)
    for path in [".", str(place.root), "to-dir", "empty", "dir/", "odd"]:
        same(peers, "directory_tree", path=path)
        same(peers, "directory_tree", path=path, excludePatterns=[])
    for _ in range(60):
        same(peers, "directory_tree", path=".", excludePatterns=[
            random_pattern(rng) for _ in range(rng.randint(1, 3))])
    for pattern in FIXED:
        same(peers, "directory_tree", path=".", excludePatterns=[pattern])
    for path in ["no", "dir/file", "fifo"]:
        check(same(peers, "directory_tree", path=path) == "failed", path)


def infos_are_the_same(place):
    """F92: get_file_info of file, directory, link, FIFO, in UTC"""
    odd_tree(place.root)
    os.chmod(place.root / "dir/file", 0o640)
    os.chmod(place.root / "dir/sub", 0o1707)
    for number, times in enumerate([(0, 1), (1e9, 1.5e9), (-1e6, -5e9),
                                    (4e9, 4102444799)]):
        os.utime(put(place.root, f"old{number}", b"12"), times)
    peers = both(place)
    for path in [".", str(place.root), "dir", "dir/sub", "dir/file", "to-file",
                 "to-dir", "fifo", "socket", "empty", "absolute", "old0",
                 "old1", "old2", "old3", *(f"odd/{n}" for n in ODD)]:
        same(peers, "get_file_info", path=path)
    for path in ["no", "no/no", "dangling", "loop", "/", "/etc/passwd"]:
        check(same(peers, "get_file_info", path=path) == "failed", path)


def roots_are_the_same(place):
    """F93: list_allowed_directories, of one root and of two"""
    same(both(place), "list_allowed_directories")
    other = place.work / "other one"
    other.mkdir()
    dirs = [other, place.root]
    peers = place.stet(dirs=dirs), place.ref(dirs=dirs)
    same(peers, "list_allowed_directories")
    check(peers[0].text("list_allowed_directories")
          == f"Allowed directories:\n{other}\n{place.root}")


TEXTS = {"lf": b"a\nb\n", "crlf": b"a\r\nb\r\n", "open": b"a\nb", "none": b"",
         "one": b"\n", "utf8": "ä€😀\n".encode(), "cr": b"a\rb\r"}


def a_root_may_lie_in_another(place):
    """F86 F88 F90: with a root inside another, both are listed whole"""
    odd_tree(place.root)
    dirs = [place.root, place.root / "dir"]
    peers = place.stet(dirs=dirs), place.ref(dirs=dirs)
    for path in dirs:
        same(peers, "list_directory", path=str(path))
        same(peers, "directory_tree", path=str(path))
        same(peers, "search_files", path=str(path), pattern="**")


def files_are_read_alike(place):
    """F94 F97: read_file, and read_multiple_files when some files fail; an empty
    list is refused"""
    for name, content in TEXTS.items():
        put(place.root, name, content)
    peers = both(place)
    root = str(place.root)
    for name in TEXTS:
        same(peers, "read_file", path=name)
        same(peers, "read_file", path=f"{root}/{name}", head=0)
    same(peers, "read_multiple_files", paths=list(TEXTS))
    same(peers, "read_multiple_files", paths=[f"{root}/lf", "./lf", "lf"])
    paths = ["lf", "no", "none", "/etc/passwd", "open"]
    stet, ref = (p.text("read_multiple_files", paths=paths) for p in peers)
    for got in (stet, ref):
        parts = got.split("\n---\n")
        check(parts[::2] == ["lf:\na\nb\n\n", "none:\n\n", "open:\na\nb\n"],
              got)
        for path, part in zip(paths[1::2], parts[1::2]):
            check(part.startswith(f"{path}: Error - "), got)
    check("File not found: " in stet and "Permission denied: " in stet, stet)
    check(same(peers, "read_multiple_files", paths=[]) == "failed")
    check(peers[0].call("read_multiple_files", paths=[])["error"]["code"]
          == -32602)


def reading_many_counts_as_reading(place):
    """F97: what read_multiple_files has shown may be overwritten with Write;
    what it could not show may not"""
    put(place.root, "a", b"1\n")
    put(place.root, "b", b"2\n")
    put(place.root, "long", b"x\n" * 300000)
    stet = place.stet("--tools=filesystem,Write", "--max-reply=300000")

    def write(name):
        message = stet.call("Write", file_path=str(place.root / name),
                            content="new\n")
        return not message["result"].get("isError")

    check(not write("b"), "b was not read")
    text = stet.text("read_multiple_files", paths=["a", "long"])
    check(text.startswith("a:\n1\n\n\n---\nlong: Error - "), text[:200])
    check(write("a"), "a was read")
    check(not write("long"), "long was not shown")


def what_does_not_fit_is_told(place):
    """F98: each file that no longer fits into the reply is replaced by an error
    message"""
    for number in range(8):
        put(place.root, f"f{number}", b"line of text\n" * 4000)
    put(place.root, "small", b"s\n")
    stet = place.stet("--max-reply=300000")
    paths = [f"f{number}" for number in range(8)] + ["small"]
    text = stet.text("read_multiple_files", paths=paths)
    check(stet.size <= 300000, stet.size)
    parts = dict(zip(paths, text.split("\n---\n")))
    whole = [p for p in paths[:-1] if parts[p].startswith(f"{p}:\nline")]
    told = [p for p in paths[:-1]
            if parts[p].startswith(f"{p}: Error - It does not fit")]
    check(whole and told and whole + told == paths[:-1], (whole, told))
    check(all(parts[p] == f"{p}:\n" + "line of text\n" * 4000 + "\n"
              for p in whole), "a part of a file")
    check(parts["small"] == "small:\ns\n\n", "what fits is there")


EXTENSIONS = ["png", "jpg", "jpeg", "gif", "webp", "bmp", "svg", "mp3", "wav",
              "ogg", "flac", "PNG", "JpEg", "Ogg", "FLAC", "txt", "bin", "pngx"]


def media_are_the_same(place):
    """F99: read_media_file for every extension, upper case too"""
    rng = random.Random(SEED)
    names = [f"f.{e}" for e in EXTENSIONS] + [".png", "..png", "png", "a.png.b",
                                              "a.", "dir.png/x"]
    names += [n for n in ODD if len(n) < 100]
    for size, name in enumerate(names):
        put(place.root, name, rng.randbytes(size))
    os.symlink("f.png", place.root / "link.mp3")
    put(place.root, "large.png", rng.randbytes(100000))
    stet, ref = both(place)
    for name in names + ["link.mp3", "large.png"]:
        path = f"{place.root}/{name}"
        ours = stet.result("read_media_file", path=path)
        theirs = ref.result("read_media_file", path=path)
        check(ours["content"] == theirs["content"],
              f"{name}: {short(ours)} {short(theirs)}")
    for name in ["no", "dir.png"]:
        check(same((stet, ref), "read_media_file", path=name) == "failed")


def large_trees_stay_json(place):
    """F89: a tree too long for a reply is valid JSON; directories that were not
    opened have "more" and no children"""
    for a in range(20):
        for b in range(20):
            for c in range(10):
                put(place.root, f"d{a:02}/e{b:02}/f{c}")
    (place.root / "d00/empty").mkdir()
    put(place.root, "one")
    stet = place.stet("--max-reply=300000")
    message = stet.call("directory_tree", path=".")
    check(stet.size <= 300000, stet.size)
    content = message["result"]["content"]
    tree = json.loads(content[0]["text"])
    check([e["name"] for e in tree] == [f"d{a:02}" for a in range(20)] + ["one"])
    below = {e["name"]: e for e in tree[0]["children"]}
    check(below["e00"] == {"name": "e00", "type": "directory", "more": 10},
          below["e00"])
    check(below["empty"] == {"name": "empty", "type": "directory",
                             "children": []}, below["empty"])
    check(content[1]["text"].startswith("Partial: "), content[1])
    text = stet.text("directory_tree", path="d03")
    check("more" not in text and len(json.loads(text)) == 20, "a part fits")


def one_level_may_be_too_long(place):
    """F89: if not even the first level fits, its beginning is shown, and the
    number of its entries"""
    for number in range(6000):
        put(place.root, f"file with a long name {number:05}")
    stet = place.stet("--max-reply=300000")
    message = stet.call("directory_tree", path=".")
    check(stet.size <= 300000, stet.size)
    content = message["result"]["content"]
    tree = json.loads(content[0]["text"])
    names = [e["name"] for e in tree]
    check(500 < len(names) < 6000, len(names))
    check(names == [f"file with a long name {n:05}" for n in range(len(names))])
    check(f"{len(names)} of 6000 entries" in content[1]["text"], content[1])


def twins(place):
    """Both servers, each on a tree of its own: (their peers, their roots)."""
    roots = place.root / "stet", place.root / "ref"
    for root in roots:
        root.mkdir()
    return (place.stet(dirs=[roots[0]]), place.ref(dirs=[roots[1]])), roots


def plain(result, roots):
    """A result without the name of the root, and without _meta."""
    text = json.dumps(result)
    for root in roots:
        text = text.replace(str(root), "ROOT")
    result = json.loads(text)
    if result != "failed":
        result["structuredContent"].pop("_meta", None)
    return result


def alike(twin, tool, **arguments):
    """Check that results and files are equal afterwards; return the result."""
    peers, roots = twin
    results = [plain(peer.result(tool, **{
        k: v.replace("ROOT", str(root)) if isinstance(v, str) else v
        for k, v in arguments.items()}), roots)
        for peer, root in zip(peers, roots)]
    check(results[0] == results[1], f"{tool} {short(arguments)}:\n"
          f"stet {short(results[0], 2000)}\nref  {short(results[1], 2000)}")
    trees = [{str(p.relative_to(root)): p.is_file() and p.read_bytes()
              for p in root.rglob("*")} for root in roots]
    check(trees[0] == trees[1], f"{tool} {short(arguments)}: files differ")
    return results[0]


def edits_are_the_same(place):
    """V107: the text of edit_file: four lines of context, a fence longer than
    any in the diff, the marks of a missing newline, no edits at all"""
    twin = twins(place)
    lines = "".join(f"line {n}\n" for n in range(40))
    texts = {"a": lines, "open": "one\ntwo", "empty": "", "nl": "\n",
             "fence": "```\ncode\n```\n````\n`````\n", "same": "x\n" * 30,
             "wide": "ä\n€\n😀\n"}
    for root in twin[1]:
        for name, text in texts.items():
            put(root, name, text.encode())
    for name, *edits in [
            ("a", ("line 7\n", "seven\n")), ("a", ("line 20", "")),
            ("a", ("line 0\n", ""), ("line 39\n", "")),
            ("a", ("line 3\n", "3\n"), ("line 12\n", "12\n")),
            ("a", ("line 14\n", "14\n"), ("line 24\n", "24\n")),
            ("a", ("line 30\n", "line 30\nnew\nlines\n")),
            ("a", ("seven\n", "eight\n"), ("eight\n", "seven\n")),
            ("open", ("two", "2")), ("open", ("2", "2\n")),
            ("open", ("2\n", "2")), ("open", ("one\n2", "")),
            ("nl", ("\n", "x")), ("nl", ("x", "\n\n")),
            ("fence", ("code", "```code```")), ("fence", ("`````", "`")),
            ("same", ("x\n" * 30, "x\n" * 29)), ("wide", ("€", "$")),
            ("wide", ("😀", "\u2028"))]:
        edits = [{"oldText": old, "newText": new} for old, new in edits]
        first = alike(twin, "edit_file", path=name, edits=edits, dryRun=True)
        check(alike(twin, "edit_file", path=name, edits=edits) == first, name)
    for name in texts:
        alike(twin, "edit_file", path=f"ROOT/{name}", edits=[])
        alike(twin, "edit_file", path=name, edits=[], dryRun=True)
    for arguments in ({"path": "no"}, {"path": "."},
                      {"path": "a", "edits": [{"oldText": "absent",
                                               "newText": "x"}]}):
        check(alike(twin, "edit_file", **{"edits": [], **arguments})
              == "failed", arguments)


def random_edits_are_the_same(place):
    """V107: 200 files of few different lines, so that many diffs are equally
    short, and random replacements in them"""
    rng, twin = random.Random(SEED), twins(place)
    for number in range(200):
        lines = [rng.choice("abcd{} ") * rng.randint(0, 2) + "\n"
                 for _ in range(rng.randint(1, 40))]
        new, edits = list(lines), []
        if rng.random() < 0.3:
            new[-1] = lines[-1] = "no end"
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(new) + 1)
            new[at:at + rng.choice([0, 1, 1, 2])] = [
                rng.choice("abcde") + "\n" for _ in range(rng.randint(0, 3))]
        old_text, new_text = "".join(lines), "".join(new)
        if not old_text:
            continue
        edits = [{"oldText": old_text, "newText": new_text}]
        for root in twin[1]:
            put(root, "f", old_text.encode())
        alike(twin, "edit_file", path="f", edits=edits)


def writes_are_the_same(place):
    """V112: write_file creates and overwrites; a missing directory and a
    directory are refused"""
    twin = twins(place)
    for root in twin[1]:
        (root / "dir").mkdir()
        put(root, "old", b"1\n")
        os.symlink("old", root / "link")
    for path, content in [("new", "x\n"), ("new", ""), ("old", "ä€😀\n"),
                          ("dir/new", "1\n"), ("ROOT/dir/new", "2"),
                          ("./dir/../new", "y"), ("link", "to the target\n"),
                          ("crlf", "a\r\nb\r\n")]:
        result = alike(twin, "write_file", path=path, content=content)
        check(result != "failed", path)
    check(all((root / "link").is_symlink() for root in twin[1]))
    for path in ("no/new", "dir", "/etc/hostname"):
        check(alike(twin, "write_file", path=path, content="x") == "failed",
              path)
    stet = twin[0][0]
    for path, code in (("no/new", -32001), ("dir", -32003)):
        error = stet.call("write_file", path=path, content="x")["result"][
            "structuredContent"]["error"]
        check(error["code"] == code, error)


def names_are_changed_alike(place):
    """V56 V58 V59 V61: create_directory and move_file; what exists, has no
    directory, is not there, or would be in itself is refused"""
    twin = twins(place)
    for root in twin[1]:
        for name in ("f", "d/in/x", "full/y"):
            put(root, name, name.encode())
    for path in ("new", "a/b/c", "a", "ROOT/d", "./a/../z"):
        check(alike(twin, "create_directory", path=path) != "failed", path)
    for source, destination in (("f", "g"), ("d", "a/d"), ("g", "ROOT/a/g"),
                                ("a/b", "b"), ("new", "./z/new")):
        result = alike(twin, "move_file", source=source,
                       destination=destination)
        check(result != "failed", (source, destination))
    for source, destination in (("full/y", "a/g"), ("full/y", "z"),
                                ("z", "full"), ("full/y", "no/y"),
                                ("none", "x"), ("a", "a/d/a"),
                                ("full/y", "/etc/y")):
        result = alike(twin, "move_file", source=source,
                       destination=destination)
        check(result == "failed", (source, destination))
    for path in ("full/y", "full/y/z", "/etc/new"):
        check(alike(twin, "create_directory", path=path) == "failed", path)


def recorded_calls(rng):
    """What a client does in a session: looks around, reads, writes, edits,
    moves."""
    names = [f"src/f{n}.py" for n in range(8)] + ["README.md", "notes"]
    texts, number = {}, 0
    for _ in range(200):
        name, kind = rng.choice(names), rng.random()
        number += 1
        if name not in texts or kind < 0.15:
            texts[name] = "".join(f"def f{number}_{n}():\n    return {n}\n\n"
                                  for n in range(rng.randint(1, 20)))
            yield "write_file", {"path": name, "content": texts[name]}
        elif kind < 0.6:
            old = rng.choice(texts[name].splitlines(keepends=True))
            if texts[name].count(old) != 1:
                yield "read_text_file", {"path": name}
                continue
            new = rng.choice([f"# {number}\n", "", old + "    # more\n"])
            dry = rng.random() < 0.2
            if not dry:
                texts[name] = texts[name].replace(old, new)
            yield "edit_file", {"path": name, "dryRun": dry, "edits": [
                {"oldText": old, "newText": new}]}
        elif kind < 0.7:
            yield "read_file", {"path": name}
        elif kind < 0.75:
            yield "create_directory", {"path": f"old/{number % 3}"}
        elif kind < 0.8:
            to = f"src/moved{number}"
            texts[to] = texts.pop(name)
            names.append(to)
            yield "move_file", {"source": name, "destination": to}
        elif kind < 0.9:
            yield "list_directory", {"path": rng.choice([".", "src"])}
        else:
            yield "search_files", {"path": ".", "pattern": "**/*.py"}


def a_session_is_the_same(place):
    """V113: 200 calls, made one after the other to both, have the same results
    and leave the same files"""
    twin = twins(place)
    for root in twin[1]:
        (root / "src").mkdir()
    made = {}
    for tool, arguments in recorded_calls(random.Random(SEED)):
        result = alike(twin, tool, **arguments)
        check(result != "failed", (tool, arguments))
        made[tool] = made.get(tool, 0) + 1
    check(made["edit_file"] > 40 and made["write_file"] > 20 and
          made["move_file"] > 3 and made["create_directory"] > 1, made)


def the_lists_of_tools_agree(place):
    """F100: every tool of the family has the reference server's name, arguments
    and defaults"""
    def tools(peer):
        peer.send(b'{"jsonrpc":"2.0","id":"list","method":"tools/list"}\n')
        return {t["name"]: t for t in peer.reply()["result"]["tools"]}

    stet, ref = map(tools, both(place))
    check(set(stet) == set(ref), set(stet) ^ set(ref))
    for name, tool in stet.items():
        ours, theirs = tool["inputSchema"], ref[name]["inputSchema"]
        check(set(ours.get("properties", {}))
              == set(theirs.get("properties", {})), name)
        check(sorted(ours.get("required", []))
              == sorted(theirs.get("required", [])), name)
        for key, field in ours.get("properties", {}).items():
            other = theirs["properties"][key]
            for word in ["default", "enum", "minItems"]:
                check(field.get(word) == other.get(word), (name, key, word))
        check(tool["annotations"].get("readOnlyHint", False) ==
              ref[name]["annotations"].get("readOnlyHint", False), name)
        check(tool["title"].lower() == ref[name]["title"].lower(), name)


if __name__ == "__main__":
    sys.exit(run([
        lists_are_the_same, names_cannot_make_lines, sizes_are_the_same,
        names_are_sorted_alike, links_outside_have_no_size,
        searches_are_the_same, trees_are_the_same, infos_are_the_same,
        roots_are_the_same, a_root_may_lie_in_another, files_are_read_alike,
        reading_many_counts_as_reading, edits_are_the_same,
        random_edits_are_the_same, writes_are_the_same,
        names_are_changed_alike, a_session_is_the_same,
        what_does_not_fit_is_told,
        media_are_the_same, large_trees_stay_json, one_level_may_be_too_long,
        the_lists_of_tools_agree]))
