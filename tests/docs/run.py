#!/usr/bin/env python3
"""Check that the documentation agrees with the program, as TAP.

usage: run.py STET
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STET = sys.argv[1]
SECTIONS = ["### Input Schema", "### Output Schema", "### Constraints",
            "### Examples"]
cases = []


def case(claim):
    return lambda test: cases.append((claim, test)) or test


def stet(*args):
    return subprocess.run([STET, *args], capture_output=True, text=True,
                          check=True, timeout=60).stdout


def tools():
    return json.loads(stet("tools", "--json"))


def section(text, title):
    start = text.index(f"## {title}\n")
    end = text.find("\n## ", start + 1)
    return text[start:end if end > 0 else len(text)]


def read(name):
    return (ROOT / name).read_text()


@case("T01 T38: docs/tools.md is what the rows say, with every part")
def _():
    document = read("docs/tools.md")
    assert document == stet("tools", "--markdown"), "run dev/gen-docs"
    for tool in tools():
        part = section(document, tool["name"])
        assert tool["description"] in part
        for title in SECTIONS:
            assert title in part, f"{tool['name']}: no {title}"
            body = part.split(title)[1].split("###")[0]
            assert len(body.strip()) > 20, f"{tool['name']}: empty {title}"


@case("C100 14.9: docs/permissions.md has every sensitive path, with what it "
      "asks for and its reason")
def _():
    rows = [r for r in json.loads(stet("rules", "--no-config", "--json"))
            ["rules"] if r["origin"] == "built in"]
    asks = lambda r: "write" if r["read"] != "ask" else ", but ".join(
        ["write, read", *([" ".join(f"`{b}`" for b in r["read_but"])]
                             if "read_but" in r else [])])
    want = [f"| `{r['rule'].split('(', 1)[1][:-1]}` | {asks(r)} | "
            f"{r['kind']} | {r['where']} | {r['why']} |" for r in rows]
    told = section(read("docs/permissions.md"), "Sensitive paths")
    got = [line for line in told.splitlines() if line.startswith("| `")]
    assert got == want, [r for r in want + got
                         if (r in want) != (r in got)]
    shown = stet("rules", "--no-config", "list").splitlines()
    for r in rows:
        but = "; reading is not restricted for " + ", ".join(r["read_but"]) \
            if "read_but" in r else ""
        assert (f"ask {r['rule']} (built in) {r['kind']}: {r['why']}{but}"
                in shown), r
        assert r["rule"].startswith("*(" if r["read"] == "ask" else "write("), r


@case("T39: every tool has a handler that runs")
def _():
    for tool in tools():
        done = subprocess.run([STET, "call", tool["name"], "--json", "{}"],
                              capture_output=True, text=True, timeout=60)
        reply = json.loads(done.stdout)
        # The call may fail for missing arguments, but its tool must be known.
        assert "Unknown tool" not in done.stdout
        assert tool["inputSchema"]["required"] == [] or "error" in reply


@case("T40: every tool in all.def is listed, in that order")
def _():
    rows = re.findall(r"^TOOL\((\w+)\)", read("src/tools/call/all.def"), re.M)
    assert [tool["name"] for tool in tools()] == rows


@case("T41: every tool is shown in docs/examples.md")
def _():
    document = read("docs/examples.md")
    for tool in tools():
        assert "```json" in section(document, tool["name"]), tool["name"]


@case("T42: the constraints of every tool are in docs/safety.md")
def _():
    for tool in tools():
        assert f"| `{tool['name']}` |" in read("docs/safety.md"), tool["name"]


@case("docs/examples.md holds valid JSON with arguments that tools know")
def _():
    document = read("docs/examples.md")
    for tool in tools():
        blocks = re.findall(r"```json\n(.*?)```",
                            section(document, tool["name"]), re.S)
        known = set(tool["inputSchema"]["properties"]) | {"if_version"}
        results = set(tool["outputSchema"]["properties"]) \
            if "outputSchema" in tool else {"content"}
        for block in blocks:
            keys = set(json.loads(block))
            assert keys <= known or keys <= results, (tool["name"], keys)


def names_tests_that_exist(document):
    text = read(document)
    named = re.findall(r"`(tests/[^`]*)`", text)
    assert len(named) > 10, named
    for path in named:
        assert list(ROOT.glob(path.rstrip("/"))), path
    for path, names in re.findall(r"`(tests/[^`]*)`: (`\w+`(?:, `\w+`)*)",
                                  text):
        for name in re.findall(r"\w+", names):
            assert re.search(rf"\b{name}\b", read(path)), (path, name)


@case("docs/safety.md names tests that exist")
def _():
    names_tests_that_exist("docs/safety.md")


@case("SECURITY.md names tests that exist, in each row of its tables")
def _():
    names_tests_that_exist("SECURITY.md")
    for row in re.findall(r"^\| (?!\w+ cannot|---).*", read("SECURITY.md"),
                          re.M):
        assert re.search(r"`tests/[^`]*`( \||: `\w+`|;)", row), row


@case("docs/config.schema.json is what the keys say")
def _():
    assert read("docs/config.schema.json") == stet("rules", "schema"), \
        "run dev/gen-docs"


@case("docs/permissions.md names every key, and rules that there are")
def _():
    text = read("docs/permissions.md")
    schema = json.loads(stet("rules", "schema"))
    for key in schema["properties"]:
        assert key == "$schema" or f"`{key}`" in text, key
    for rule in re.findall(r"^\| `([^`]+)` \| (?:changes|this|any)", text, re.M):
        assert f"deny {rule} (--deny)" in stet("rules", "--no-config",
                                               "--deny", rule), rule
    for path in re.findall(r"`(tests/[^`]*)`", text):
        assert (ROOT / path).exists(), path


@case("README.md names files that exist and commands that there are")
def _():
    text = read("README.md")
    for path in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / path).exists(), path
    commands = set(re.findall(r"^  (\w+) ", stet("--help"), re.M))
    for command in re.findall(r"stet (serve|call|tools|demo)\b", text):
        assert command in commands, command
    targets = set(re.findall(r"^([a-z]+)[ a-z]*:", read("Makefile"), re.M))
    for target in re.findall(r"`?make ([a-z]+)", text):
        assert target in targets or re.search(
            rf"^[a-z ]*\b{target}\b[a-z ]*:", read("Makefile"), re.M), target


@case("the manual page lists every command and option")
def _():
    manual = read("docs/stet.1").replace("\\-", "-").replace("\\&", "")
    commands = re.findall(r"^  (\w+) ", stet("--help"), re.M)
    assert commands and len(commands) == len(set(commands)), commands
    for command in commands:
        assert f"stet {command}" in manual, command
        for option in re.findall(r"^  --([\w-]+)", stet(command, "--help"),
                                 re.M):
            assert f"--{option}" in manual, f"{command} --{option}"


@case("the manual page has the exit statuses of the help")
def _():
    manual = section(read("docs/stet.1").replace("\n.SH ", "\n## "),
                     "EXIT STATUS")
    table = re.findall(r'^EXIT_STATUS\((\d+), "(.*)"\)',
                       read("src/base/exit_statuses.def"), re.M)
    assert re.findall(r"^\.TP\n\.B (\d+)\n(.*)", manual, re.M) == table
    help_text = " ".join(stet("call", "--help").split())
    for status, meaning in table:
        assert f" {status} {meaning}" in help_text, status


@case("README.md, docs/performance.md and its chart are of the published run")
def _():
    done = subprocess.run(
        [sys.executable, str(ROOT / "bench" / "publish.py"), "--check"],
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, \
        f"run bench/publish.py: {done.stdout}{done.stderr}"


@case("docs/performance.md has every part of a run")
def _():
    text = read("docs/performance.md")
    for part in ("run", "aims", "stet", "beside", "peers", "failures",
                 "curves", "http", "connections", "acp"):
        body = text.split(f"<!-- bench: {part} -->\n")[1]
        assert not body.startswith("<!-- /bench"), f"{part} is empty"


def main():
    failed = 0
    print(f"1..{len(cases)}")
    for number, (claim, test) in enumerate(cases, 1):
        try:
            test()
            print(f"ok {number} - {claim}")
        except Exception as error:  # a case that breaks is a case that fails
            failed += 1
            print(f"# {type(error).__name__}: {error}")
            print(f"not ok {number} - {claim}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
