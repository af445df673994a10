#!/usr/bin/env python3
"""notebooks.py [--slow] PROGRAM [CASE...] - NotebookEdit on generated notebooks.

A notebook is written by json.dumps() in one of many styles. What NotebookEdit
makes of it must be, byte for byte, what json.dumps() makes of the changed
notebook in the same style.
"""
import json
import random
import sys

from talk import Talk, check, run

TEXTS = ["", "x = 1", "x = 1\n", "a\nb\n\nc", "# Ü 日本 😀\n\ttab", "\\ \" / \x01",
         "print('<b>')\r\n", "\u2028"]


def place(work):
    root = work / "root"
    root.mkdir()
    return root


class Style:
    """How a notebook is written."""

    def __init__(self, rng):
        self.indent = rng.choice([None, None, 0, 1, 2, 4, "\t"])
        self.separators = (",", ":") if self.indent is None and \
            rng.random() < 0.5 else (", " if self.indent is None else ",",
                                     rng.choice([": ", ":"])
                                     if self.indent is not None else ": ")
        self.ascii = rng.random() < 0.5
        self.crlf = self.indent is not None and rng.random() < 0.3
        self.mark = rng.random() < 0.2
        self.end = rng.choice(["", "\n", "\n\n"])
        self.lists = rng.random() < 0.7
        self.minor = rng.choice([0, 2, 4, 5])

    def split(self, text):
        """As NotebookEdit does: after each newline."""
        if not self.lists:
            return text
        parts = text.split("\n")
        lines = [part + "\n" for part in parts[:-1]]
        return lines + ([parts[-1]] if parts[-1] else [])

    def dump(self, notebook):
        text = json.dumps(notebook, indent=self.indent, sort_keys=False,
                          separators=self.separators, ensure_ascii=self.ascii)
        # what json cannot write: a large number, an escape, a repeated key
        text = text.replace('"BIG"', "1e400").replace('"LONG"', "0.10" + "0" * 30)
        text = text.replace("ESCAPED", "\\u0041\\/")
        text = text.replace('"KEYB"', '"KEYA"') + self.end
        if self.crlf:
            text = text.replace("\n", "\r\n")
        return (b"\xef\xbb\xbf" if self.mark else b"") + text.encode()


def cell_of(rng, style, number, kind=None):
    kind = kind or rng.choice(["code", "code", "markdown", "raw"])
    cell = {"cell_type": kind, "metadata": {"tags": ["t", "BIG", "LONG"],
                                            "KEYA": 1, "KEYB": 2},
            "source": style.split(rng.choice(TEXTS))}
    if kind == "code":
        cell["execution_count"] = rng.choice([None, number])
        cell["outputs"] = rng.choice([[], [{"output_type": "stream",
                                            "name": "stdout",
                                            "text": ["1\n", "ESCAPED é"]}]])
    elif rng.random() < 0.3:
        cell["attachments"] = {"a.png": {"image/png": "AA=="}}
    if style.minor >= 5:
        cell["id"] = f"id-{number}"
    return dict(sorted(cell.items()))


def notebook_of(rng, style):
    cells = [cell_of(rng, style, n) for n in range(rng.choice([1, 2, 3, 8]))]
    return {"cells": cells, "metadata": {
        "title": "ä", "language_info": {"name": "julia", "v": "BIG"}},
        "nbformat": 4, "nbformat_minor": style.minor}


def name_of(style, number):
    return f"id-{number}" if style.minor >= 5 else f"cell-{number}"


def changed(rng, style, notebook):
    """(arguments, the notebook afterwards)."""
    after = json.loads(json.dumps(notebook))
    cells, at = after["cells"], rng.randrange(len(after["cells"]))
    text = rng.choice(TEXTS)
    mode = rng.choice(["replace", "replace", "insert", "delete"])
    arguments = {"new_source": text, "edit_mode": mode,
                 "cell_id": name_of(style, at)}
    if mode == "delete":
        del cells[at]
    elif mode == "replace":
        cell = cells[at]
        cell["source"] = style.split(text)
        kind = rng.choice([None, "code", "markdown"])
        if kind:
            arguments["cell_type"] = kind
        if kind and kind != cell["cell_type"]:
            cell["cell_type"] = kind
            for gone in (["attachments"] if kind == "code" else
                         ["outputs", "execution_count"]):
                cell.pop(gone, None)
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
        cells[at] = dict(sorted(cell.items()))
    else:
        arguments["cell_type"] = rng.choice(["code", "markdown"])
        cell = {"cell_type": arguments["cell_type"], "metadata": {},
                "source": style.split(text)}
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
        if style.minor >= 5:
            cell["id"] = "NEW"
        if rng.random() < 0.3:
            del arguments["cell_id"]
            at = -1
        cells.insert(at + 1, dict(sorted(cell.items())))
    return arguments, after


def valid(notebook):
    """What nbformat's schema wants of cells."""
    ids = [cell.get("id") for cell in notebook["cells"]]
    if notebook["nbformat_minor"] >= 5:
        check(None not in ids and len(set(ids)) == len(ids), ids)
    else:
        check(set(ids) <= {None}, ids)
    for cell in notebook["cells"]:
        want = {"cell_type", "metadata", "source"}
        if cell["cell_type"] == "code":
            want |= {"outputs", "execution_count"}
        check(set(cell) - {"id", "attachments"} == want, cell)
        check(cell["cell_type"] != "code" or "attachments" not in cell, cell)


def what_is_outside_the_cell_stays(options, work):
    """V100 V101 V102 V103: 200 notebooks in many styles: indentation, escapes,
    CRLF, mark, final newline, large numbers, repeated keys; type changed both
    ways, ids only from 4.5 on, sources as lists and as strings"""
    root = place(work)
    server = Talk(options, root, "--history=off", "--durability=process")
    path = root / "n.ipynb"
    for number in range(50 if options.slow else 200):
        rng = random.Random(number)
        style = Style(rng)
        notebook = notebook_of(rng, style)
        arguments, after = changed(rng, style, notebook)
        before = style.dump(notebook)
        path.write_bytes(before)
        server.call("Read", file_path=str(path))
        got, error = server.call("NotebookEdit", notebook_path=str(path),
                                 **arguments)
        check(not error, (number, arguments, error, before))
        want = style.dump(after).replace(b'"NEW"',
                                         f'"{got["cell_id"]}"'.encode())
        check(path.read_bytes() == want,
              f"{number} {arguments}\n{before!r}\n{path.read_bytes()!r}\n"
              f"{want!r}")
        made = json.loads(path.read_text("utf-8-sig"))
        valid(made)
        check(got["language"] == "julia", got)
    server.close()
    server.kill()


def an_edit_is_one_operation(options, work):
    """V106: it is undone byte for byte; who made it may go on without reading,
    and somebody else's change makes it stale"""
    root = place(work)
    path = root / "n.ipynb"
    rng = random.Random(106)
    style = Style(rng)
    before = style.dump(notebook_of(rng, style))
    path.write_bytes(before)
    server = Talk(options, root)

    def edit(text):
        reply = server.ask(server.request(
            "NotebookEdit", notebook_path=str(path), cell_id="cell-0",
            new_source=text))["result"]
        return reply["structuredContent"]

    check(edit("1")["errorCode"] == 2, "it was not read")
    server.call("Read", file_path=str(path))
    first = edit("1")
    second = edit("2")
    check("+" in first["_meta"]["diff"] and second["old_source"] == "1", first)
    listed, _ = server.call("file_history")
    check(len(listed["operations"]) == 2, listed)
    for got in (second, first):
        _, error = server.call("undo_file_change",
                               operation=got["_meta"]["operation"])
        check(not error, error)
    check(path.read_bytes() == before, path.read_bytes())
    path.write_bytes(before + b" ")
    check(edit("3")["errorCode"] == 3, "it has changed")
    server.close()
    server.kill()


CASES = [
    an_edit_is_one_operation,
    what_is_outside_the_cell_stays,
]

if __name__ == "__main__":
    sys.exit(run(CASES))
