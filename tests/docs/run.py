#!/usr/bin/env python3
"""run.py PROGRAM - what the documents say about each tool, as TAP.

T01: a contract has all its sections. T38 T39 T40 T41 T42: the five steps of
adding a tool were taken: its contract in docs/tools.md, a handler, a row in the
list of tools, its use in docs/examples.md, its limits in docs/safety.md.
"""
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
# pylint: disable=wrong-import-position
from server import Server, Tap, handshake

SECTIONS = ("Input Schema", "Output Schema", "Constraints", "Examples")
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)]*)?\)")


def text_of(name):
    path = ROOT / name
    return path.read_text() if path.exists() else ""


def listed(program):
    server = Server([program, "serve", str(HERE)])
    try:
        handshake(server)
        reply = server.ask({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        server.close()
    finally:
        server.kill()
    return {tool["name"]: tool for tool in reply["result"]["tools"]}


def contract_fault(name, tool, contract):
    if name not in contract.splitlines()[0]:
        return "does not begin with its name"
    if tool["description"].split("\n")[0] not in contract:
        return "lacks its description"
    absent = [s for s in SECTIONS if f"### {s}\n" not in contract]
    if absent:
        return f"lacks {absent}"
    schema = re.search(r"### Input Schema\n+```json\n(.*?)```", contract, re.S)
    if json.loads(schema.group(1)) != tool["inputSchema"]:
        return "has another schema than tools/list"
    return None


def handler_fault(name):
    for path in sorted((ROOT / "src/tools").glob("*.c")):
        row = re.search(r'\.name = "%s",(.*?)^};' % name, path.read_text(),
                        re.S | re.M)
        if row:
            return None if ".run = " in row.group(1) else f"{path}: no .run"
    return "no row in src/tools"


def broken_links():
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        for target, _ in LINK.findall(path.read_text()):
            if "://" in target or target.startswith("mailto:"):
                continue
            if not (path.parent / target).exists():
                yield f"{path.relative_to(ROOT)}: {target}"


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    tools = listed(program)
    tap = Tap(5 * len(tools) + 1)
    for name, tool in tools.items():
        contract = subprocess.run([program, "tools", name], check=True, text=True,
                                  stdout=subprocess.PIPE).stdout
        tap.case(f"T01: {name} documents all of its contract",
                 contract_fault(name, tool, contract))
        tap.case(f"T38: {name} is in docs/tools.md, as the program says it",
                 None if contract.strip() in text_of("docs/tools.md")
                 else "it is not; write it anew with: make docs")
        tap.case(f"T39 T40: {name} is listed and has a handler",
                 handler_fault(name))
        tap.case(f"T41: docs/examples.md uses {name}",
                 None if name in text_of("docs/examples.md") else "it does not")
        tap.case(f"T42: docs/safety.md speaks of {name}",
                 None if name in text_of("docs/safety.md") else "it does not")
    tap.case("every link between the documents leads somewhere",
             "\n".join(broken_links()))
    return tap.status()


if __name__ == "__main__":
    sys.exit(main())
