"""The servers that are measured: how each is started, and how each is asked.

A peer is one entry of PEERS. Its operations turn what a row wants into a call
of its own tools; where it has none for it, the operation is missing or gives
None and the row shows a dash. The operations:

    read(path)                      the whole file
    page(path, line, limit, last)   lines; last: they are the file's last ones
    write(path, content)            the whole file anew
    edits(path, pairs)              replace each old by its new, in one call
"""
import dataclasses
import pathlib
import typing

HERE = pathlib.Path(__file__).resolve().parent
MODULES = HERE / "node_modules"
STET = HERE.parent / "build" / "stet"
# On any other machine than these, npm leaves both away: take what is there.
NODE = next((str(node) for node in MODULES.glob("node-linux-*/bin/node")),
            "node")


@dataclasses.dataclass(frozen=True)
class Peer:
    name: str
    what: str  # in the legend
    command: typing.Callable  # of the root and of a row's flags for stet
    operations: dict


def call(tool, **arguments):
    return {"name": tool, "arguments": arguments}


def edits_of(pairs, old, new):
    return [{old: before, new: after} for before, after in pairs]


def official_page(path, line, limit, last):
    return call("read_text_file", path=path, tail=limit) if last else None


PEERS = [
    Peer("stet", "this program",
         lambda root, flags: [str(STET), "serve", *flags, root],
         {
             "read": lambda path: call("read_text_file", path=path),
             "page": lambda path, line, limit, last: call(
                 "read_text_file", path=path, line=line, limit=limit),
             "write": lambda path, content: call(
                 "write_text_file", path=path, content=content),
             "edits": lambda path, pairs: call(
                 "multi_edit_text_file", path=path,
                 edits=edits_of(pairs, "old_string", "new_string")),
         }),
    Peer("official", "@modelcontextprotocol/server-filesystem on Node; it "
         "writes without fsync and can page only the first or last lines",
         lambda root, flags: [
             NODE, str(MODULES / "@modelcontextprotocol" /
                       "server-filesystem" / "dist" / "index.js"), root],
         {
             "read": lambda path: call("read_text_file", path=path),
             "page": official_page,
             "write": lambda path, content: call(
                 "write_file", path=path, content=content),
             "edits": lambda path, pairs: call(
                 "edit_file", path=path,
                 edits=edits_of(pairs, "oldText", "newText")),
         }),
]
