#!/usr/bin/env python3
"""bench/publish.py - the figures of a run, in the documents.

    bench/publish.py            make the documents from docs/performance.json
    bench/publish.py --check    list the documents that are not up to date

A run is published by `bench/run --publish`, which writes that record. The
chart, and the parts of the documents between the lines `<!-- bench: NAME -->`
and `<!-- /bench -->`, are made from it; NAME is one of BLOCKS.
"""
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

import chart  # noqa: E402
import report  # noqa: E402

ROOT = HERE.parent
RECORD = ROOT / "docs" / "performance.json"
CHART = ROOT / "docs" / "performance.svg"
DOCUMENTS = [ROOT / "README.md", ROOT / "docs" / "performance.md"]
BLOCK = re.compile(r"(<!-- bench: ([\w-]+) -->\n).*?(<!-- /bench -->)", re.S)


def markdown(lines):
    head, *rest = [[cell.strip().replace("|", "\\|") for cell in line]
                   for line in lines]
    rule = ["---:" if any(cell[:1].isdigit() for cell in column) else "---"
            for column in zip(*rest)] or ["---"] * len(head)
    rule[0] = "---"
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, rule, *rest))


def named(record):
    """The same rows with full names, which need no context."""
    return {**record, "rows": [{**row, "title": row["name"]}
                               for row in record["rows"]]}


def run_words(record):
    run = record["run"]
    kind = "A short run" if run["quick"] else "The run"
    return (f"{kind} of {run['when'][:10]}: {run['cpu']}, {run['cores']} "
            f"cores, Linux {run['kernel']}, stet {run['stet']} at "
            f"{run['commit']}, Node {run['node']}, medians of "
            f"{run['rounds']} rounds; the load was {run['load before']} when "
            "it began.\n")


def peers_list(record):
    return "".join(f"- **{peer['name']}**: `{peer['package']}` "
                   f"{peer['version']}, {peer['what']}\n"
                   for peer in record["peers"][1:])


def next_best(row):
    """(name, cell) of the fastest other peer, or None."""
    found = [(cell["value"], who) for who, cell in row["cells"].items()
             if who != "stet" and report.comparable(cell)]
    return min(found)[1] if found else None


def headline(record):
    lines = [["", "stet", "the next best", "official"]]
    for row in record["rows"]:
        best, cells, unit = next_best(row), row["cells"], row["unit"]
        if not row["chart"] or not best or not cells["stet"]["value"]:
            continue
        lines.append([row["name"], report.fmt(cells["stet"]["value"], unit),
                      report.shown(cells[best], unit, cells["stet"]) +
                      f" ({best})",
                      report.shown(cells["official"], unit, cells["stet"])])
    return markdown(lines)


def curves(record):
    return "\n".join(
        f"**{curve['title'][0].upper()}{curve['title'][1:]}**\n\n" +
        markdown(report.curve_table(record, curve))
        for curve in record["curves"] if curve["points"])


def failures(record):
    """What other peers could not do, in their own words."""
    lines = [["job", "peer", "", "why"]]
    for failed in record["failures"]:
        why = re.sub(r"[`<>{}\[\]\\]", "", failed["why"])
        lines.append([failed["job"], failed["peer"], failed["kind"],
                      why[:100]])
    return markdown(lines)


BLOCKS = {
    "run": run_words,
    "peers": peers_list,
    "headline": headline,
    "stet": lambda record: markdown(report.stet_table(named(record))),
    "beside": lambda record: markdown(report.peer_table(named(record))),
    "aims": lambda record: markdown(report.aim_table(record)),
    "curves": curves,
    "failures": failures,
    "http": lambda record: markdown(report.http_lines(
        record["http"]["rows"])),
    "connections": lambda record: markdown(report.http_curve_lines(
        record["http"]["curve"])),
    "acp": lambda record: markdown(report.acp_lines(record["acp"]["rows"])),
}


def filled(text, record):
    return BLOCK.sub(lambda found: found[1] + BLOCKS[found[2]](record) +
                     found[3], text)


def made(record):
    """{path: new content}"""
    out = {path: filled(path.read_text(encoding="utf-8"), record)
           for path in DOCUMENTS}
    out[CHART] = chart.svg(record)
    return out


def differing():
    """The documents that differ from the record."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    return [str(path.relative_to(ROOT)) for path, text in made(record).items()
            if not path.exists() or
            path.read_text(encoding="utf-8") != text]


def fill(record):
    for path, text in made(record).items():
        path.write_text(text, encoding="utf-8")


def without_samples(record):
    """The record as committed, without samples that are not shown."""
    http = {key: value for key, value in record["http"].items()
            if key != "memory"}
    return {**record, "http": http}


def publish(record):
    record = json.loads(json.dumps(without_samples(record)))
    RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n",
                      encoding="utf-8")
    fill(record)


def main():
    if sys.argv[1:] == ["--check"]:
        for path in differing():
            print(f"{path}: not what docs/performance.json says")
        return 1 if differing() else 0
    fill(json.loads(RECORD.read_text(encoding="utf-8")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
