"""The results of a run: as figures, as a record (JSON) and as tables."""
import statistics

from jobs import CURVES
from rows import AIMS, PICKS, ROWS, unit_of

SHOWN = {"wrong": "wrong", "error": "error", "slow": "too slow"}


def fmt(value, unit):
    if value is None:
        return "-"
    if unit == "KiB":
        return f"{value / 1000 * 1.024:.1f} MB"
    if unit == "/s":
        return f"{value:,.0f} /s"
    if not unit:
        return f"{value:,.0f}"
    if abs(value) < 1_000_000:
        return f"{value / 1000:.1f} us"
    if abs(value) < 1_000_000_000:
        return f"{value / 1_000_000:.2f} ms"
    return f"{value / 1_000_000_000:.2f} s"


def times(value, by):
    if not value or not by:
        return "-"
    ratio = value / by
    if ratio >= 20:
        return f"{ratio:,.0f}x"
    return f"{ratio:.1f}x" if ratio >= 1 else f"{ratio:.2f}x"


def span(rounds, unit):
    if len(rounds) < 2:
        return ""
    return f"{fmt(min(rounds), unit)} .. {fmt(max(rounds), unit)}"


def of(ratio, unit):
    if not ratio:
        return "-"
    if unit == "/s":
        return f"{ratio:.1%}" if ratio < 0.1 else f"{ratio:.0%}"
    return f"{ratio:.0f}x" if ratio >= 20 else f"{ratio:.2f}x"


def named(size):
    """A size as in a title: 100 MB, 1 GB."""
    for power, unit in ((10**9, "GB"), (10**6, "MB")):
        if size >= power:
            return f"{size // power} {unit}"
    return f"{size:,}"


def bytes_named(size):
    for power, unit in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= power:
            return f"{size // power} {unit}"
    return str(size)


class Figures:
    """Figures of a run; @middle summarizes the values of all rounds."""

    def __init__(self, bench, middle):
        self.bench, self.middle, self.sizes = bench, middle, bench.sizes

    def rounds(self, who, job, pick):
        return [PICKS[pick](session)
                for session in self.bench.sessions.get((job, who), [])]

    def of(self, who, job, pick):
        found = self.rounds(who, job, pick)
        return self.middle(found) if found else None

    def floor(self, name):
        found = self.bench.floors.get(name)
        return self.middle(found) if found else None

    def bulk(self, job):
        """The floor transfers 1 MiB at a time."""
        return self.floor("bulk") / (1 << 20) * self.of("stet", job, "bytes")

    def part(self, row, name):
        if name == "pipe":
            return self.of("pipe", row.job, row.pick)
        return self.bulk(row.job) if name == "bulk" else self.floor(name)

    def floors(self, row):
        """The sum of the floors; for p99 that of their medians."""
        parts = [self.part(row, name) for name in row.floors]
        return sum(parts) if parts and all(parts) else None

    def best_peer(self, job, pick):
        found = [self.of(peer.name, job, pick)
                 for peer in self.bench.peers[1:]]
        return min(value for value in found if value is not None)

    def before_most_edits(self):
        """The expected time if each edit took as long as with fewer edits."""
        fewer, most = self.sizes.curve_edits[-2:]
        return most / fewer * self.of("stet", f"edits {fewer}", "p50")


class Report:
    def __init__(self, bench):
        self.bench = bench
        self.usual = Figures(bench, statistics.median)
        self.best = Figures(bench, min)
        self.titles = {name: named(getattr(bench.sizes, name)) for name in
                       ("long", "longest", "sparse", "japanese", "lasting",
                        "tree")}
        self.names = [peer.name for peer in bench.peers]
        done = {job for job, _ in (*bench.sessions, *bench.failures)}
        self.rows = full_names([self.row(row) for row in ROWS
                                if row.job in done])
        self.aims = [self.aim(aim) for aim in AIMS]
        self.curves = [self.curve(curve) for curve in CURVES]

    def cell(self, job, pick, who):
        """The value of one peer, or why there is none."""
        failed = self.bench.failures.get((job, who))
        mark = self.bench.marks.get((job, who), {})
        rounds = [] if failed else self.usual.rounds(who, job, pick)
        calls = mark.get("calls", 1)
        return {"value": statistics.median(rounds) if rounds else None,
                "rounds": rounds,
                "state": SHOWN[failed.kind] if failed else
                mark.get("mark", "") if rounds else "",
                "calls": calls if rounds else 1}

    def row(self, row):
        cells = {who: self.cell(row.peers or row.job if who != "stet"
                                else row.job, row.pick, who)
                 for who in self.names}
        return {"title": row.title.format(**self.titles),
                "chart": row.chart.format(**self.titles),
                "unit": unit_of(row.pick), "floors": list(row.floors),
                "floor": self.usual.floors(row), "cells": cells}

    def aim(self, aim):
        out = {"title": aim.title.format(**self.titles), "aim": aim.words,
               "unit": aim.unit}
        try:
            value, limit = aim.value(self.usual), aim.limit(self.usual)
            best = aim.value(self.best)
            met = value <= limit
            at_best = best <= aim.limit(self.best)
        except (TypeError, ValueError):  # not measured in this run
            return {**out, "stet": None, "best": None, "limit": None,
                    "met": "unknown"}
        return {**out, "stet": value, "best": best, "limit": limit,
                "met": "met" if met else
                "MISSED, met in the best round" if at_best else "MISSED"}

    def curve(self, curve):
        points = []
        for point in curve.points(self.bench.sizes):
            job = curve.job(point).name
            points.append({"at": point, "cells": {
                who: self.cell(job, curve.pick, who) for who in self.names}})
        return {"name": curve.name, "title": curve.title, "axis": curve.axis,
                "unit": unit_of(curve.pick), "points": [
                    point for point in points
                    if point["cells"]["stet"]["value"]]}

    def behind(self):
        """[(row, peer)] where a peer is faster than stet."""
        return [(row["name"], who) for row in self.rows
                for who in self.names[1:] if ahead(row, who)]

    def record(self):
        """Without the place of the run, because the record is read
        elsewhere."""
        place = f"{self.bench.root}/"
        return {"peers": [{"name": peer.name, "package": peer.package,
                           "version": peer.version, "what": peer.what}
                          for peer in self.bench.peers],
                "rows": self.rows, "aims": self.aims, "curves": self.curves,
                "floors": self.bench.floors,
                "failures": [{"job": job, "peer": peer, "kind": error.kind,
                              "why": str(error).replace(place, "")}
                             for (job, peer), error
                             in self.bench.failures.items()]}


def full_names(rows):
    """The name of a sub-row has both titles."""
    above = ""
    for row in rows:
        title = row["title"].strip()
        if title == row["title"]:
            above = title.removesuffix(", p50")
        row["name"] = title if title == row["title"] else f"{above}, {title}"
    return rows


def comparable(cell):
    return cell["value"] is not None and cell["state"] != "tail"


def ahead(row, who):
    ours, theirs = row["cells"]["stet"], row["cells"][who]
    return comparable(ours) and comparable(theirs) and \
        theirs["value"] < ours["value"]


def with_calls(cell):
    return f" in {cell['calls']:,}" if cell["calls"] > 1 else ""


def shown(cell, unit, ours):
    """A peer's cell: time, number of calls, ratio to stet."""
    if cell["value"] is None:
        return cell["state"] or "-"
    text = fmt(cell["value"], unit) + with_calls(cell)
    if cell["state"]:
        return f"{text} {cell['state']}"
    return f"{text} {times(cell['value'], ours['value'])}"


# ---- tables of lines, a heading first: for text and for Markdown ----

def stet_table(record):
    lines = [["", "floor", "stet", "of floor", "rounds"]]
    for row in record["rows"]:
        ours, unit = row["cells"]["stet"], row["unit"]
        lines.append([
            row["title"], fmt(row["floor"], unit),
            (fmt(ours["value"], unit) if not ours["state"] else
             ours["state"]) + with_calls(ours),
            times(ours["value"], row["floor"]), span(ours["rounds"], unit)])
    return lines


def peer_table(record):
    names = [peer["name"] for peer in record["peers"]]
    lines = [["", *names]]
    for row in record["rows"]:
        ours, unit = row["cells"]["stet"], row["unit"]
        others = [row["cells"][who] for who in names[1:]]
        if any(cell["value"] or cell["state"] for cell in others):
            lines.append([row["title"], fmt(ours["value"], unit),
                          *(shown(cell, unit, ours) for cell in others)])
    return lines


def aim_table(record):
    lines = [["", "stet", "best", "limit", "met", "aim"]]
    for aim in record["aims"]:
        if record["run"]["only"] and aim["met"] == "unknown":
            continue
        unit = aim["unit"]
        lines.append([aim["title"], fmt(aim["stet"], unit),
                      fmt(aim["best"], unit), fmt(aim["limit"], unit),
                      aim["met"], aim["aim"]])
    lines += [[name, fmt(row["stet"], row["unit"]), "", "", row["met"],
               row["aim"]] for name, row in with_aims(record["http"]["rows"])
              if row["title"] == "http hello, 64 connections"]
    return lines


def curve_table(record, curve):
    names = [peer["name"] for peer in record["peers"] if any(
        point["cells"][peer["name"]]["value"] for point in curve["points"])]
    name = bytes_named if "bytes" in curve["axis"] else "{:,}".format
    lines = [[curve["axis"], *names]]
    for point in curve["points"]:
        ours = point["cells"]["stet"]
        lines.append([name(point["at"]), fmt(ours["value"], curve["unit"]),
                      *(shown(point["cells"][who], curve["unit"], ours)
                        for who in names[1:])])
    return lines


def http_lines(rows):
    lines = [["", "echo", "stet", "of echo", "rounds", "everything",
              "of stet"]]
    for row in rows:
        unit, peer = row["unit"], row["everything"]
        lines.append([row["title"], fmt(row["floor"], unit),
                      fmt(row["stet"], unit), of(row["of floor"], unit),
                      span(row["stet rounds"], unit), fmt(peer, unit),
                      of(peer and peer / row["stet"], unit)])
    return lines


def with_aims(rows):
    """(name, row) of rows with aims; the name of a sub-row has both titles."""
    job = ""
    for row in rows:
        if not row["title"].startswith(" "):
            job = row["title"]
        if row["aim"]:
            yield (job if job == row["title"]
                   else f"{job}: {row['title'].strip()}"), row


def http_aim_lines(rows):
    lines = [["", "stet", "of echo", "met", "aim"]]
    for name, row in with_aims(rows):
        ratio = row["of floor"]
        lines.append([name, fmt(row["stet"], row["unit"]),
                      f"{ratio:.2f}" if ratio else "-",
                      row["met"] or "unknown", row["aim"]])
    return lines


def http_curve_lines(points):
    lines = [["connections", "echo", "stet", "of echo", "CPU of a call",
              "of echo"]]
    for p in points:
        lines.append([f"{p['connections']:,}", fmt(p["floor"], "/s"),
                      fmt(p["stet"], "/s"), of(p["of floor"], "/s"),
                      fmt(p["cpu"], "ns"), of(p["cpu of floor"], "ns")])
    return lines


def acp_lines(rows):
    lines = [["", "floor", "stet", "rounds", "codex-acp", "of stet"]]
    for row in rows:
        unit, ours, peer = row["unit"], row["stet"], row["codex-acp"]
        ratio = peer and ours and ours > 0 and peer / ours
        lines.append([row["title"], fmt(row["floor"], unit), fmt(ours, unit),
                      span(row["stet rounds"], unit), fmt(peer, unit),
                      of(ratio, unit)])
    return lines


def acp_aim_lines(rows):
    lines = [["", "stet", "best", "met", "aim"]]
    for name, row in with_aims(rows):
        unit = row["unit"]
        lines.append([name, fmt(row["stet"], unit),
                      fmt(row["stet best"], unit), row["met"], row["aim"]])
    return lines


def patch_lines(rows):
    lines = [["", "floor", "stet", "of floor", "met", "single edits",
              "of stet", "codex", "of stet"]]
    for row in rows:
        others = [text for who in ("singles", "codex") for text in
                  (fmt(row[who], "ns"), times(row[who], row["stet"]))]
        lines.append([row["title"], fmt(row["floor"], "ns"),
                      fmt(row["stet"], "ns"), times(row["stet"], row["floor"]),
                      row["met"], *others])
    return lines


def aligned(lines, left=1):
    """Columns of minimal width; the first @left of them flush left."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join(
        "  ".join(cell.ljust(width) if n < left else cell.rjust(width)
                  for n, (cell, width) in enumerate(zip(line, widths)))
        .rstrip() for line in lines)


def run_line(run):
    return ", ".join(f"{key} {value}" for key, value in run.items())
