"""The servers that are measured: how each is started, and how each is asked.

A peer is one entry of PEERS. Its operations turn what a job wants into calls
of its own tools: one, or a list of them where it needs several for it; where
it has none, the operation is missing or gives None and the row shows a dash.

    read(file)               the whole file, in as many calls as that takes
    whole(file)              in one call, or as much of it as that gives
    page(file, line, limit)  lines, counted from 1
    tail(file, limit)        the last lines: another question than a page
    write(file, content)     the whole file anew
    edits(file, pairs)       replace each old line by its new one
    look(file), rewrite(file, content)   write, and tell what has changed

Where a server has a switch that makes it do less at no loss, it is set: no
backups of what is edited, plain lines instead of marked ones.
"""
import dataclasses
import json
import pathlib
import typing

HERE = pathlib.Path(__file__).resolve().parent
MODULES = HERE / "node_modules"
STET = HERE.parent / "build" / "stet"
# On any other machine than these, npm leaves both away: take what is there.
NODE = next((str(node) for node in MODULES.glob("node-linux-*/bin/node")),
            "node")
BUN = next((str(bun) for bun in MODULES.glob("@oven/bun-linux-*/bin/bun")),
           "bun")
MIB = 1024 * 1024
PART = 5_000_000  # bytes: their SDK ends at a message of more than 10 MiB


def nothing(home, root):
    """Most need no settings."""


@dataclasses.dataclass(frozen=True)
class Peer:
    name: str
    package: str  # by npm; of stet none
    what: str  # in the legend
    command: typing.Callable  # of the root and of a job's flags for stet
    operations: dict
    prepare: typing.Callable = nothing  # settings, by the home and the root
    environment: dict = dataclasses.field(default_factory=dict)
    pace: int = 1  # small calls are divided by this, where they take long

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
    """[make(line, limit)] for all of it, in pages of about @most bytes."""
    step = max(1, file.lines * most // file.size)
    return [make(line, min(step, file.lines - line + 1))
            for line in range(1, file.lines + 1, step)]


def parts(file, content, tool, first, more):
    """A write in one call, or the rest of it appended by others."""
    pieces = [content[at:at + PART] for at in range(0, len(content), PART)]
    return [call(tool, path=file.path, content=piece, **(more if n else first))
            for n, piece in enumerate(pieces)]


def one_each(tool, path, old, new):
    """As many calls as there are edits."""
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


# ---- the others ----

def official_page(file, line, limit):
    if line == 1:
        return call("read_text_file", path=file.path, head=limit)
    return None


def fast_page(file, line, limit):
    """It counts from 0; in chunks of its own it gives more than asked for."""
    return call("fast_read_file", path=file.path, line_start=line - 1,
                line_count=limit, auto_chunk=False)


def fast_read(file):
    """In those chunks: without them a page has 2,000 lines at most."""
    return pages(file, 400_000, lambda line, limit: call(
        "fast_read_file", path=file.path, line_start=line - 1,
        line_count=limit))


def commander_page(file, line, limit):
    return call("read_file", path=file.path, offset=line - 1, length=limit)


def commander_settings(home, root):
    """Nothing is told to anybody, and only the root is open."""
    place = pathlib.Path(home) / ".claude-server-commander"
    place.mkdir(exist_ok=True)
    (place / "config.json").write_text(json.dumps({
        "telemetryEnabled": False, "allowedDirectories": [root],
        "clientId": "bench", "blockedCommands": [],
        "defaultShell": "/bin/sh"}), encoding="utf-8")


def j0hanz_page(file, line, limit):
    if line + limit > 100_000:  # it knows no line after that
        return None
    return call("read", path=file.path, startLine=line,
                endLine=line + limit - 1)


def j0hanz_write(file, content):
    pieces = parts(file, content, "", {"overwrite": True}, {"append": True})
    return [call("create", files=[piece["arguments"]]) for piece in pieces]


def j0hanz_edits(file, pairs):
    """A hundred of them are the most in one call."""
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
    """16,000 characters are the most, with 7 before each line."""
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
         # Nobody is there: its flags are looked up without the network.
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
