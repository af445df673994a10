#!/usr/bin/env python3
"""offer.py [--slow] PROGRAM [CASE...] - which tools a client is offered: lists
by the client's name, --tools, "tools" in the settings, and the two contracts of
read_text_file.
"""
import json
import os
import random
import subprocess
import sys

from talk import META, Talk, check, run

# The tools of each family. A family that does not exist yet has no tools yet;
# a tool that exists has to be listed wherever its families are.
FAMILIES = {
    "contract": ["read_text_file", "write_text_file", "edit_text_file",
                 "multi_edit_text_file"],
    "claude": ["Read", "Write", "Edit", "NotebookEdit"],
    "repo": ["hello", "read_repo_file", "write_memory_entry"],
    "history": ["file_history", "undo_file_change"],
    "find": ["Grep", "Glob", "list_directory"],
    "patch": ["apply_patch"],
    "manage": ["create_directory", "move_file", "copy_file", "delete_file",
               "append_file"],
    "lines": ["move_lines", "replace_lines"],
    "filesystem": ["read_file", "read_text_file", "read_media_file",
                   "read_multiple_files", "write_file", "edit_file",
                   "create_directory", "list_directory",
                   "list_directory_with_sizes", "directory_tree", "move_file",
                   "search_files", "get_file_info",
                   "list_allowed_directories"],
}
ANY = ["contract", "claude", "repo", "history", "find", "patch", "manage"]
CLIENTS = {
    "codex-mcp-client": ["contract", "patch", "find", "history"],
    "claude-code": ["claude", "find", "manage", "history"],
    "gemini-cli-mcp-client": ["contract", "find", "manage", "history"],
    "opencode": ["contract", "find", "manage", "history"],
    "test": ANY,
    "": ANY,
    "CODEX": ["contract", "patch", "find", "history"],
    "Claude-AI": ["claude", "find", "manage", "history"],
    "code": ANY,
    "my-codex": ANY,
}
# Every tool there is, and read_text_file with the reference server's contract.
EVERYTHING = "--tools=all,-contract,+filesystem"
# Their words are fixed by the contracts, or were there before the limits.
EXEMPT = {*FAMILIES["contract"], *FAMILIES["repo"], *FAMILIES["history"],
          "Read", "Write", "Edit"}


def existing(options):
    """All tools there are, in the order of all.def."""
    out = subprocess.run([options.program, "tools", "--json"], check=True,
                         capture_output=True).stdout
    return [tool["name"] for tool in json.loads(out)]


def named(options, families):
    """Those of the families, in the same order."""
    wanted = {tool for family in families for tool in FAMILIES[family]}
    return [tool for tool in existing(options) if tool in wanted]


def place(work):
    root = work / "root"
    root.mkdir(exist_ok=True)
    (root / "f").write_text("one\ntwo\nthree\n")
    return root


class Client(Talk):
    """A client with a name, of either era."""

    def __init__(self, options, root, name, *flags, modern=False, **more):
        super().__init__(options, root, *flags, modern=True, **more)
        self.modern, self.name = modern, name
        if not modern:
            reply = self.ask({
                "jsonrpc": "2.0", "id": "init", "method": "initialize",
                "params": {"protocolVersion": "2025-11-25",
                           "capabilities": {},
                           "clientInfo": {"name": name, "version": "1"}}})
            check("result" in reply, reply)
            self.instructions = reply["result"]["instructions"]
            self.post({"jsonrpc": "2.0",
                       "method": "notifications/initialized"})

    def meta(self):
        return {**META, "io.modelcontextprotocol/clientInfo":
                {"name": self.name, "version": "1"}} if self.modern else {}

    def tools(self):
        params = {"_meta": self.meta()} if self.modern else {}
        return self.ask({"jsonrpc": "2.0", "id": "list",
                         "method": "tools/list",
                         "params": params})["result"]["tools"]

    def names(self):
        return [tool["name"] for tool in self.tools()]

    def use(self, tool, arguments):
        """The whole reply."""
        return self.ask(self.request(tool, meta=self.meta(), **arguments))

    def end(self):
        self.close()
        self.kill()


def lists_suit_the_client(options, work):
    """F01: the families of its row and no other tool, in both eras."""
    root = place(work)
    known = {tool for tools in FAMILIES.values() for tool in tools}
    check(set(existing(options)) <= known, set(existing(options)) - known)
    for name, families in CLIENTS.items():
        for modern in (False, True):
            client = Client(options, root, name, modern=modern)
            got = client.names()
            check(got == named(options, families), (name, modern, got))
            client.end()


def a_tool_left_out_by_default_can_be_called(options, work):
    """F02: by its name; what --tools leaves out is an unknown tool."""
    root = place(work)
    for modern in (False, True):
        client = Client(options, root, "claude-code", modern=modern)
        check("read_text_file" not in client.names(), client.names())
        reply = client.use("read_text_file", {"path": f"{root}/f"})
        check(reply["result"]["content"][0]["text"] == "one\ntwo\nthree\n",
              reply)
        client.end()
        for flag in ("--tools=claude", "--tools=-contract,-filesystem"):
            client = Client(options, root, "claude-code", flag, modern=modern)
            reply = client.use("read_text_file", {"path": f"{root}/f"})
            check(reply["error"]["code"] == -32602 and
                  reply["error"]["message"] == "Unknown tool: read_text_file",
                  reply)
            client.end()


SPELLINGS = [
    # --tools, families or tools listed, and those taken away again
    ("auto", ANY, []),
    ("contract", ["contract"], []),
    ("contract,Read", ["contract", "Read"], []),
    ("Read,contract", ["contract", "Read"], []),
    ("+Read", [*ANY, "Read"], []),
    ("-repo,-claude", ANY, ["repo", "claude"]),
    ("-hello", ANY, ["hello"]),
    ("-claude,+Edit", [*[f for f in ANY if f != "claude"], "Edit"], []),
    ("all,-history", list(FAMILIES), ["history"]),
    ("contract,-read_text_file,history", ["contract", "history"],
     ["read_text_file"]),
    ("-all,hello", ["hello"], []),
    ("repo,auto,-contract", ANY, ["contract"]),
]


def spellings_give_their_lists(options, work):
    """F03: added and taken away in order, in the order of all.def."""
    root = place(work)

    def tools(items):
        return {tool for item in items for tool in FAMILIES.get(item, [item])}

    for text, added, removed in SPELLINGS:
        want = [tool for tool in existing(options)
                if tool in tools(added) - tools(removed)]
        client = Client(options, root, "test", f"--tools={text}")
        check(client.names() == want, (text, client.names(), want))
        client.end()


def a_wrong_list_ends_the_start(options, work):
    """F04: with status 2, and the nearest name."""
    root = place(work)
    for text, told in (("contrakt", "(did you mean contract?)"),
                       ("contract,Raed", "(did you mean Read?)"),
                       ("-histroy", "(did you mean history?)"),
                       ("", "called ''"),
                       ("hello,-repo", "leaves no tool"),
                       ("-all", "leaves no tool")):
        done = subprocess.run(
            [options.program, "serve", f"--tools={text}", root],
            stdin=subprocess.DEVNULL, capture_output=True, text=True)
        check(done.returncode == 2 and told in done.stderr and
              "--tools" in done.stderr and not done.stdout, (text, done))


def write_settings(path, tools):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"tools": tools}))


def a_project_takes_tools_away(options, work):
    """F05: and adds none, whatever its list says."""
    root = place(work)
    project = root / ".stet" / "config.json"
    contract = FAMILIES["contract"]
    for tools, flag, want in (
            (["-write_text_file"], "contract",
             [t for t in contract if t != "write_text_file"]),
            (["-write_text_file", "+hello"], "contract",
             [t for t in contract if t != "write_text_file"]),
            (["all"], "contract", contract),
            (["auto", "+repo"], "contract", contract),
            (["read_text_file", "Read"], "contract", ["read_text_file"]),
            (["-contract"], "contract", [])):
        write_settings(project, tools)
        client = Client(options, root, "test", f"--tools={flag}")
        check(client.names() == want, (tools, client.names()))
        reply = client.use("hello", {})
        check(reply["error"]["message"].startswith("Unknown tool"), reply)
        reply = client.use("write_text_file",
                           {"path": f"{root}/new", "content": "x"})
        check(("error" in reply) == ("write_text_file" not in want), reply)
        client.end()


def the_persons_settings_choose(options, work):
    """F03 F05: as --tools does, which wins over them; mistakes are told."""
    root = place(work)
    own = work / "own.json"
    write_settings(own, ["-repo", "-claude"])
    client = Client(options, root, "test", "--config", str(own))
    want = [t for t in named(options, ANY)
            if t not in FAMILIES["repo"] + FAMILIES["claude"]]
    check(client.names() == want, client.names())
    client.end()
    client = Client(options, root, "test", "--config", str(own),
                    "--tools=repo")
    check(client.names() == named(options, ["repo"]), client.names())
    client.end()
    for tools, told in ((["contrakt"], "own.json:1:12: no tool or family is "
                         "called 'contrakt' (did you mean contract?)"),
                        (["hello", "-hello"], "leaves no tool"),
                        ([], '"tools" must be'), ("all", '"tools" must be'),
                        ([1], '"tools" must be')):
        write_settings(own, tools)
        done = subprocess.run(
            [options.program, "serve", "--config", own, root],
            stdin=subprocess.DEVNULL, capture_output=True, text=True)
        check(done.returncode and told in done.stderr, (tools, done))


def size_of(value):
    return len(json.dumps(value, ensure_ascii=False,
                          separators=(",", ":")).encode())


def properties(schema):
    """Every property of a schema, at any depth: (name, its schema)."""
    for name, inner in schema.get("properties", {}).items():
        yield name, inner
        yield from properties(inner)
        yield from properties(inner.get("items", {}))


def lists_stay_short(options, work):
    """F06: 12,000 bytes of a named client's list; short descriptions."""
    root = place(work)
    for name in CLIENTS:
        if CLIENTS[name] == ANY:
            continue
        client = Client(options, root, name)
        total = sum(size_of({key: tool[key] for key in tool if key in (
            "name", "title", "description", "annotations", "inputSchema")})
            for tool in client.tools())
        check(0 < total <= 12000, (name, total))
        client.end()
    client = Client(options, root, "test", EVERYTHING)
    tools = client.tools()
    client.end()
    check(len(tools) > 8, tools)
    for tool in tools:
        check("$schema" not in tool["inputSchema"], tool)
        if tool["name"] in EXEMPT - {"read_text_file"}:
            continue
        most = 1200 if tool["name"] == "apply_patch" else 300
        check(0 < len(tool["description"].encode()) <= most, tool["name"])
        check("IMPORTANT" not in tool["description"], tool["name"])
        for key, schema in properties(tool["inputSchema"]):
            check(len(schema.get("description", "").encode()) <= 90,
                  (tool["name"], key))


READERS = {*FAMILIES["find"], "read_file", "read_text_file", "Read", "hello",
           "read_repo_file", "file_history", "read_media_file",
           "read_multiple_files", "list_directory_with_sizes",
           "directory_tree", "search_files", "get_file_info",
           "list_allowed_directories"}
KEEPERS = {"append_file", "write_memory_entry", "create_directory",
           "move_file", "copy_file"}
REPEATABLE = {"write_file", "write_text_file", "Write", "create_directory"}


def annotations_follow_the_effects(options, work):
    """V117 V82 X04: readers are read-only; a change is destructive when no
    history keeps what was there, unless the tool neither replaces nor removes
    anything."""
    root = place(work)
    for modern in (False, True):
        for history in ("on", "off"):
            client = Client(options, root, "test", EVERYTHING,
                            f"--history={history}", modern=modern)
            tools = client.tools()
            client.end()
            check({tool["name"] for tool in tools} | {"read_text_file"} ==
                  set(existing(options)) - set(FAMILIES["contract"])
                  | {"read_text_file"}, tools)
            for tool in tools:
                hints, name = dict(tool["annotations"]), tool["name"]
                check(hints.pop("title") == tool["title"], tool)
                want = {"readOnlyHint": name in READERS,
                        "openWorldHint": False}
                if name not in READERS:
                    want["destructiveHint"] = (history == "off" and
                                               name not in KEEPERS)
                    want["idempotentHint"] = name in REPEATABLE
                check(hints == want, (name, history, hints))


CONTRACT = {
    "path": "Absolute path to the file",
    "line": "Starting line number (1-indexed). If omitted, read from line 1",
    "limit": "Maximum number of lines to return. If omitted, return all "
             "remaining lines"}


def read_text_file_has_two_faces(options, work):
    """F07: ref's with filesystem and without contract; all take all."""
    root = place(work)
    for flag, reference in (("filesystem", True), ("contract", False),
                            ("filesystem,contract", False),
                            ("read_text_file", False),
                            ("filesystem,write_text_file", True),
                            ("+filesystem", False),
                            ("-contract,+filesystem", True)):
        client = Client(options, root, "test", f"--tools={flag}")
        [tool] = [t for t in client.tools() if t["name"] == "read_text_file"]
        given = tool["inputSchema"]["properties"]
        if reference:
            check(list(given) == ["path", "head", "tail"], given)
            check(set(tool["outputSchema"]["properties"]) ==
                  {"content", "error"}, tool)
        else:
            check({k: v["description"] for k, v in given.items()} == CONTRACT,
                  given)
            check(tool["description"] == "Read complete or partial content of "
                  "a text file with optional pagination", tool)
        for arguments, text in (({"line": 2, "limit": 1}, "two\n"),
                                ({"head": 2}, "one\ntwo\n"),
                                ({"tail": 2}, "two\nthree\n"),
                                ({"tail": 9}, "one\ntwo\nthree\n"),
                                ({}, "one\ntwo\nthree\n")):
            reply = client.use("read_text_file",
                               {"path": f"{root}/f", **arguments})["result"]
            got = reply["structuredContent"]
            check(got["content"] == text, (flag, arguments, reply))
            check(("_meta" in got) != reference, (flag, got))
            if reference:
                check(reply["content"] == [{"type": "text", "text": text}],
                      reply)
            elif "tail" in arguments:
                check(got["_meta"]["total_lines"] == 3 and
                      not got["_meta"]["has_more"], got)
        reply = client.use("read_text_file", {"path": "f"})
        check(("error" in reply) != reference, (flag, reply))
        client.end()


def head_and_tail_go_with_nothing_else(options, work):
    """F08 F96: neither with line or limit, nor both; 0 and null are left out."""
    root = place(work)
    both = "Cannot specify both head and tail parameters simultaneously"
    for flag in ("contract", "filesystem"):
        client = Client(options, root, "test", f"--tools={flag}", modern=True)

        def use(**arguments):
            return client.use("read_text_file",
                              {"path": f"{root}/f", **arguments})

        for arguments in ({"line": 1, "head": 1}, {"limit": 1, "tail": 1},
                          {"line": 2, "limit": 1, "tail": 1},
                          {"head": -1}, {"tail": -1}, {"head": "1"},
                          {"tail": 1.5}):
            reply = use(**arguments)
            check(reply.get("error", {}).get("code") == -32602,
                  (flag, arguments, reply))
        for arguments in ({"head": 0}, {"tail": 0}, {"head": None},
                          {"tail": None}, {"head": 0, "tail": 0},
                          {"head": 0, "line": 1}):
            reply = use(**arguments)
            check(reply["result"]["structuredContent"]["content"] ==
                  "one\ntwo\nthree\n", (flag, arguments, reply))
        reply = use(head=0, tail=1)
        check(reply["result"]["structuredContent"]["content"] == "three\n",
              reply)
        reply = use(head=1, tail=1)["result"]
        check(reply["isError"] and reply["content"][0]["text"] == both, reply)
        check(reply["structuredContent"]["error"]["code"] == -32600, reply)
        client.end()


def text_only_clients_get_text_only(options, work):
    """F09: no structuredContent and no output schema; --results=both has both."""
    root = place(work)
    for name in ("codex-mcp-client", "claude-code"):
        for modern in (False, True):
            for flags, structured in (([], False), (["--results=both"], True)):
                client = Client(options, root, name, *flags,
                                EVERYTHING, modern=modern)
                for tool in client.tools():
                    check(("outputSchema" in tool) == structured or
                          tool["name"] == "read_media_file", tool["name"])
                for arguments, failed in (({"path": "f"}, False),
                                          ({"path": "none"}, True)):
                    result = client.use("read_text_file", arguments)["result"]
                    check(("structuredContent" in result) == structured,
                          (name, flags, result))
                    check(bool(result.get("isError")) == failed, result)
                    check(result["content"][0]["text"] ==
                          "one\ntwo\nthree\n" or failed, result)
                client.end()


CHANGES = ["Reads, writes and edits", "bytes outside an edit", "if_version"]
ABSOLUTE = ["Paths are absolute."]
UNDO = ["undo_file_change"]
SEARCHES = ["Searches name files relative to"]
RELATIVE = ["Finds and reads", "Relative paths begin in"]


def instructions_follow_the_list(options, work):
    """F03: what they say of paths, changes and searches holds for the tools
    that are offered."""
    root = place(work)
    for flags, want in (
            ([], CHANGES + ABSOLUTE + UNDO + SEARCHES),
            (["--tools=contract"], CHANGES + ABSOLUTE),
            (["--tools=contract,history"], CHANGES + ABSOLUTE + UNDO),
            (["--tools=claude,find"], CHANGES + ABSOLUTE + SEARCHES),
            (["--tools=filesystem"], CHANGES + RELATIVE[1:]),
            (["--tools=find"], RELATIVE),
            (["--tools=find,Read"], RELATIVE[:1] + ABSOLUTE + SEARCHES)):
        client = Client(options, root, "test", *flags)
        said = client.instructions
        check(str(root) in said and "approval" in said, said)
        for words in {*CHANGES, *ABSOLUTE, *UNDO, *SEARCHES, *RELATIVE}:
            check((words in said) == (words in want), (flags, words, said))
        client.end()


def random_text(rng, lines, eol):
    text = "".join(rng.choice("abcä ") * rng.randrange(60) + eol
                   for _ in range(lines))
    return text + rng.choice(["", "no end"])


def head_and_tail_are_exact(options, work):
    """F95: as head -n and tail -n have them, with every kind of line end."""
    root, rng = place(work), random.Random(95)
    clients = [Client(options, root, "test", f"--tools={flag}")
               for flag in ("filesystem", "contract")]
    for turn in range(60):
        lines = rng.choice([0, 1, 2, 5, 300])
        text = random_text(rng, lines, rng.choice(["\n", "\r\n"]))
        # Large enough for each way to find lines: whole, index, from the end.
        if turn % 12 == 0:
            text = "x" * 80 * 1024 * (4 if turn % 24 else 120) + "\n" + text
        (root / "f").write_bytes(text.encode())
        for name in ("head", "tail"):
            count = rng.choice([1, 2, 3, 200, 100000])
            if len(text) > 1 << 20:
                count = min(count, max(1, lines - 1)) if name == "tail" else 0
            want = subprocess.run(
                [name, "-n", str(count), root / "f"], check=True,
                capture_output=True).stdout.decode() if count else None
            for client in clients:
                reply = client.use("read_text_file", {"path": f"{root}/f",
                                                      name: count})
                if want is None or len(want) > 1 << 20:
                    continue
                got = reply["result"]["structuredContent"]["content"]
                check(got == want, (turn, name, count, got[:200], want[:200]))
    for client in clients:
        client.end()


def bytes_read(client):
    for line in open(f"/proc/{client.process.pid}/io"):
        if line.startswith("rchar"):
            return int(line.split()[1])
    raise OSError("no rchar")


def the_end_of_a_gigabyte_is_read_alone(options, work):
    """F95: how much is read depends on the lines, not on the file."""
    root = place(work)
    with open(root / "big", "wb") as out:
        out.write(b"first\nsecond\n" + b"x" * 63 * 4096)
        out.truncate(1 << 30)
        out.seek(0, os.SEEK_END)
        out.write(b"\nlast but one\r\nlast")
    client = Client(options, root, "test", "--tools=filesystem")
    client.use("read_text_file", {"path": "f"})
    for arguments, want in (({"tail": 2}, "last but one\r\nlast"),
                            ({"tail": 1}, "last"),
                            ({"head": 2}, "first\nsecond\n")):
        before = bytes_read(client)
        reply = client.use("read_text_file", {"path": "big", **arguments})
        check(reply["result"]["structuredContent"]["content"] == want, reply)
        check(bytes_read(client) - before < 1 << 20,
              (arguments, bytes_read(client) - before))
    client.end()


def the_text_is_the_file(options, work):
    """F94: UTF-8 without a mark comes as it is, byte for byte."""
    root, rng = place(work), random.Random(94)
    client = Client(options, root, "test", "--tools=filesystem")
    names = ["read_text_file"] + (
        ["read_file"] if "read_file" in existing(options) else [])
    for _ in range(20):
        text = random_text(rng, rng.randrange(50), rng.choice(["\n", "\r\n"]))
        (root / "f").write_bytes(text.encode())
        for name in names:
            result = client.use(name, {"path": "f"})["result"]
            check(result["content"] == [{"type": "text", "text": text}] and
                  result["structuredContent"] == {"content": text}, result)
    client.end()


# Tool, arguments by their names, and the other spellings of each.
ALIASES = [
    ("Grep", {"pattern": "two", "glob": "*", "path": ".", "-A": 1, "-B": 1,
              "output_mode": "content"},
     {"glob": ["include", "include_pattern"], "pattern": ["regex"],
      "path": ["dir_path"], "-B": ["before"], "-A": ["after"]}),
    ("Glob", {"pattern": "f*", "path": "."},
     {"pattern": ["glob"], "path": ["dir_path"]}),
    *[(tool, {"path": path}, {"path": ["file_path"]}) for tool, path in (
        ("read_file", "f"), ("read_text_file", "f"), ("get_file_info", "f"),
        ("read_media_file", "f"),
        ("list_directory", "."), ("list_directory_with_sizes", "."),
        ("directory_tree", "."))],
    ("search_files", {"path": ".", "pattern": "*"}, {"path": ["file_path"]}),
    ("append_file", {"path": "f", "content": ""}, {"path": ["file_path"]}),
    ("write_file", {"path": "f", "content": "two\n"}, {"path": ["file_path"]}),
    ("edit_file", {"path": "f", "edits": []}, {"path": ["file_path"]}),
    ("create_directory", {"path": "."}, {"path": ["file_path"]}),
]


def same(reply):
    """A result without what depends on the clock, and the ids of changes."""
    result = json.loads(json.dumps(reply["result"]))
    result.get("structuredContent", {}).pop("durationMs", None)
    result.get("structuredContent", {}).get("_meta", {}).pop("operation", None)
    return result


def aliases_are_the_same_argument(options, work):
    """F10: every alias of the table, two spellings at once, other names."""
    root = place(work)
    client = Client(options, root, "test", EVERYTHING, cwd=root)
    tools = existing(options)
    tried = 0
    for tool, arguments, aliases in ALIASES:
        if tool not in tools:
            continue
        want = client.use(tool, arguments)
        check(not want["result"].get("isError"), (tool, want))
        for name, spellings in aliases.items():
            for alias in spellings:
                tried += 1
                value = arguments[name]
                others = {k: v for k, v in arguments.items() if k != name}
                got = client.use(tool, {**others, alias: value})
                check(same(got) == same(want), (tool, alias, got, want))
                both = client.use(tool, {**arguments, alias: value})
                check(both["error"]["code"] == -32602 and
                      both["error"]["message"] ==
                      f"Argument {name} is given twice: {name} and {alias}",
                      (tool, alias, both))
        wrong = client.use(tool, {**arguments, "pathh": "."})
        check(wrong["error"]["code"] == -32602 and
              "(did you mean path?)" in wrong["error"]["message"], wrong)
    check(tried, "no alias was tried")
    client.end()


def letters_are_flags_of_stet_call(options, work):
    """X22 F33: -A of a row is -A on the command line, with its value."""
    root = place(work)
    for words in (["-A", "1"], ["-A=1"]):
        done = subprocess.run(
            [options.program, "call", "Grep", "--pattern", "one", *words,
             "--output_mode", "content", "--root", root], cwd=root,
            capture_output=True, text=True, check=True)
        check(json.loads(done.stdout)["content"] == "f:1:one\nf-2-two", done)
    done = subprocess.run(
        [options.program, "call", "Grep", "--pattern", "one", "-Z", "1"],
        cwd=root, capture_output=True, text=True)
    check(done.returncode == 2 and "unknown option -Z" in done.stderr, done)


CASES = [
    lists_suit_the_client,
    a_tool_left_out_by_default_can_be_called,
    spellings_give_their_lists,
    a_wrong_list_ends_the_start,
    a_project_takes_tools_away,
    the_persons_settings_choose,
    lists_stay_short,
    annotations_follow_the_effects,
    read_text_file_has_two_faces,
    head_and_tail_go_with_nothing_else,
    text_only_clients_get_text_only,
    instructions_follow_the_list,
    head_and_tail_are_exact,
    the_end_of_a_gigabyte_is_read_alone,
    the_text_is_the_file,
    aliases_are_the_same_argument,
    letters_are_flags_of_stet_call,
]

if __name__ == "__main__":
    sys.exit(run(CASES))
