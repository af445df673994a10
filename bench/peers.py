"""The servers that are measured: how each is started and called.

A peer is one entry of PEERS. Its operations turn a job's request into calls of
its own tools: one, or a list where it needs several; where it has none, the
operation is missing or returns None, and the row shows a dash.

    read(file)               the whole file, in as many calls as needed
    whole(file)              in one call, as far as that goes
    page(file, line, limit)  lines, counted from 1
    tail(file, limit)        the last lines
    write(file, content)     the whole file
    edits(file, pairs)       replace each old line by its new one
    look(file), rewrite(file, content)   write, and report the change
    grep(where, pattern, fold)   names of the files with a match
    lines(where, pattern)    the first matching lines
    count(where, pattern)    how many lines match
    glob(tree, pattern)      names of files

Where a server has an option to do less work without loss, it is set: no
backups of edited files, plain lines instead of numbered ones.
"""
import dataclasses
import json
import pathlib
import typing

HERE = pathlib.Path(__file__).resolve().parent
MODULES = HERE / "node_modules"
STET = HERE.parent / "build" / "stet"
# On other architectures npm installs neither: use what is available.
NODE = next((str(node) for node in MODULES.glob("node-linux-*/bin/node")),
            "node")
BUN = next((str(bun) for bun in MODULES.glob("@oven/bun-linux-*/bin/bun")),
           "bun")
MIB = 1024 * 1024
PART = 5_000_000  # bytes: the SDK fails for a message of more than 10 MiB


def nothing(home, root):
    """Most peers need no settings."""


@dataclasses.dataclass(frozen=True)
class Peer:
    name: str
    package: str  # npm package; stet has none
    what: str  # name in the legend
    command: typing.Callable  # of the root and a job's flags for stet
    operations: dict
    prepare: typing.Callable = nothing  # writes settings; of home and root
    environment: dict = dataclasses.field(default_factory=dict)
    pace: int = 1  # divisor of the number of small calls, for slow peers

    @property
    def version(self):
        if not self.package:
            return ""
        path = MODULES / self.package / "package.json"
        return json.loads(path.read_text(encoding="utf-8"))["version"]


def call(tool, **arguments):
    return {"name": tool, "arguments": arguments}


def edits_of(pairs, old, new):
    return [{old: before, new: after} for before, after in pairs]


def pages(file, most, make):
    """[make(line, limit)] for the whole file, in pages of about @most
    bytes."""
    step = max(1, file.lines * most // file.size)
    return [make(line, min(step, file.lines - line + 1))
            for line in range(1, file.lines + 1, step)]


def parts(file, content, tool, first, more):
    """A write in one call, or the rest appended by further calls."""
    pieces = [content[at:at + PART] for at in range(0, len(content), PART)]
    return [call(tool, path=file.path, content=piece, **(more if n else first))
            for n, piece in enumerate(pieces)]


def one_each(tool, path, old, new):
    """One call for each edit."""
    return lambda file, pairs: [
        call(tool, **{path: file.path, old: before, new: after})
        for before, after in pairs]


def node(package, index="dist/index.js"):
    return lambda root, flags: [NODE, str(MODULES / package / index), root]


# ---- stet ----

def stet_page(file, line, limit):
    return call("read_text_file", path=file.path, line=line, limit=limit)


def stet_whole(file):
    return call("read_text_file", path=file.path)


def stet_read(file):
    if file.size <= MIB:
        return stet_whole(file)
    return pages(file, MIB, lambda line, limit: stet_page(file, line, limit))


def stet_edits(file, pairs):
    if len(pairs) > 1:
        return call("multi_edit_text_file", path=file.path,
                    edits=edits_of(pairs, "old_string", "new_string"))
    return call("edit_text_file", path=file.path, old_string=pairs[0][0],
                new_string=pairs[0][1])


def stet_grep(where, pattern, fold):
    return call("Grep", path=where.path, pattern=pattern,
                **({"-i": True} if fold else {}))


# ---- the others ----

def official_page(file, line, limit):
    if line == 1:
        return call("read_text_file", path=file.path, head=limit)
    return None


def fast_page(file, line, limit):
    """It counts from 0; with chunks it returns more than requested."""
    return call("fast_read_file", path=file.path, line_start=line - 1,
                line_count=limit, auto_chunk=False)


def fast_read(file):
    """With chunks: without them a page has 2,000 lines at most."""
    return pages(file, 400_000, lambda line, limit: call(
        "fast_read_file", path=file.path, line_start=line - 1,
        line_count=limit))


def commander_page(file, line, limit):
    return call("read_file", path=file.path, offset=line - 1, length=limit)


def commander_settings(home, root):
    """No telemetry, and only the root is accessible."""
    place = pathlib.Path(home) / ".claude-server-commander"
    place.mkdir(exist_ok=True)
    (place / "config.json").write_text(json.dumps({
        "telemetryEnabled": False, "allowedDirectories": [root],
        "clientId": "bench", "blockedCommands": [],
        "defaultShell": "/bin/sh"}), encoding="utf-8")


def j0hanz_page(file, line, limit):
    if line + limit > 100_000:  # it cannot read lines after that
        return None
    return call("read", path=file.path, startLine=line,
                endLine=line + limit - 1)


def j0hanz_write(file, content):
    pieces = parts(file, content, "", {"overwrite": True}, {"append": True})
    return [call("create", files=[piece["arguments"]]) for piece in pieces]


def j0hanz_edits(file, pairs):
    """At most 100 edits in one call."""
    return [call("edit", path=file.path,
                 edits=edits_of(pairs[at:at + 100], "oldText", "newText"))
            for at in range(0, len(pairs), 100)]


def hashline_page(file, line, limit):
    return call("read_file", path=file.path, offset=line, limit=limit,
                plain=True)


def ellmos_page(file, line, limit):
    if line == 1:
        return call("fc_read_file", path=file.path, max_lines=limit)
    return None


def fsmcp_page(file, line, limit):
    return call("view", path=file.path, view_range=[line, line + limit - 1])


def fsmcp_read(file):
    """At most 16,000 characters, with 7 before each line."""
    numbers = 7 * file.lines / file.size
    return pages(file, int(15_000 / (1 + numbers)),
                 lambda line, limit: fsmcp_page(file, line, limit))


PEERS = [
    Peer("stet", "", "this program",
         lambda root, flags: [str(STET), "serve", *flags, root],
         {
             "read": stet_read,
             "whole": stet_whole,
             "page": stet_page,
             "write": lambda file, content: call(
                 "write_text_file", path=file.path, content=content),
             "edits": stet_edits,
             "look": lambda file: call("Read", file_path=file.path, limit=1),
             "rewrite": lambda file, content: call(
                 "Write", file_path=file.path, content=content),
             "grep": stet_grep,
             "lines": lambda where, pattern: call(
                 "Grep", path=where.path, pattern=pattern,
                 output_mode="content"),
             "count": lambda where, pattern: call(
                 "Grep", path=where.path, pattern=pattern,
                 output_mode="count"),
             "glob": lambda tree, pattern: call(
                 "Glob", path=tree.path, pattern=pattern),
         }),
    Peer("official", "@modelcontextprotocol/server-filesystem",
         "on Node; pages are the first or the last lines only",
         node("@modelcontextprotocol/server-filesystem"),
         {
             "read": stet_whole,
             "whole": stet_whole,
             "page": official_page,
             "tail": lambda file, limit: call(
                 "read_text_file", path=file.path, tail=limit),
             "write": lambda file, content: call(
                 "write_file", path=file.path, content=content),
             "edits": lambda file, pairs: call(
                 "edit_file", path=file.path,
                 edits=edits_of(pairs, "oldText", "newText")),
             "glob": lambda tree, pattern: call(
                 "search_files", path=tree.path, pattern=pattern),
         }),
    Peer("fast-fs", "fast-filesystem-mcp",
         "on Node; a reply has some 600 KB at most, edits without backups",
         lambda root, flags: [
             NODE, str(MODULES / "fast-filesystem-mcp" / "dist" / "index.js"),
             "--allow", root],
         {
             "read": lambda file: (
                 call("fast_read_file", path=file.path)
                 if file.size < 400_000 else fast_read(file)),
             "page": fast_page,
             "write": lambda file, content: parts(
                 file, content, "fast_write_file", {}, {"append": True}),
             "edits": lambda file, pairs: call(
                 "fast_edit_blocks", path=file.path, backup=False,
                 edits=edits_of(pairs, "old_text", "new_text")),
         }),
    Peer("desktop-cmdr", "@wonderwhy-er/desktop-commander",
         "on Node; telemetry off; an edit is a call; it makes a tenth of the "
         "small calls, as they take that long",
         lambda root, flags: [
             NODE, str(MODULES / "@wonderwhy-er" / "desktop-commander" /
                       "dist" / "index.js"), "--no-onboarding"],
         {
             "read": lambda file: commander_page(file, 1, file.lines),
             "page": commander_page,
             "write": lambda file, content: parts(
                 file, content, "write_file", {"mode": "rewrite"},
                 {"mode": "append"}),
             "edits": one_each("edit_block", "file_path", "old_string",
                               "new_string"),
         }, commander_settings,
         # No network: feature flags are resolved locally.
         {"DC_FLAG_URL": "http://127.0.0.1:9/none"}, pace=10),
    Peer("j0hanz", "@j0hanz/filesystem-mcp",
         "on Node; lines up to 100,000, else the last ones; 100 edits a call",
         node("@j0hanz/filesystem-mcp"),
         {
             "read": lambda file: call("read", path=file.path),
             "page": j0hanz_page,
             "tail": lambda file, limit: call(
                 "read", path=file.path, tail=limit),
             "write": j0hanz_write,
             "edits": j0hanz_edits,
         }),
    Peer("hashline", "mcp-hashline-edit-server",
         "on bun; plain lines; it has no roots: any path is open",
         lambda root, flags: [
             BUN, str(MODULES / "mcp-hashline-edit-server" / "src" /
                      "index.ts")],
         {
             "read": lambda file: hashline_page(file, 1, file.lines),
             "page": hashline_page,
             "write": lambda file, content: call(
                 "write_file", path=file.path, content=content),
             "edits": lambda file, pairs: call(
                 "edit_file", path=file.path, edits=[
                     {"replace": edit} for edit in
                     edits_of(pairs, "old_text", "new_text")]),
         }),
    Peer("ellmos-fc", "ellmos-filecommander-mcp",
         "on Node; no pages but the first lines; an edit is a call",
         node("ellmos-filecommander-mcp"),
         {
             "read": lambda file: call("fc_read_file", path=file.path),
             "page": ellmos_page,
             "write": lambda file, content: parts(
                 file, content, "fc_write_file", {}, {"append": True}),
             "edits": one_each("fc_str_replace", "path", "old_str",
                               "new_str"),
         }),
    Peer("fs-mcp", "filesystem-mcp",
         "on Node; a reply has 16,000 characters at most; an edit is a call",
         node("filesystem-mcp", "dist/main.js"),
         {
             "read": fsmcp_read,
             "page": fsmcp_page,
             "write": lambda file, content: call(
                 "create", path=file.path, content=content),
             "edits": one_each("str_replace", "path", "old_str", "new_str"),
         }),
]
