"""The table for people and the record for machines, from what was measured."""
import dataclasses
import statistics

from rows import PICKS, ROWS


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
    return f"{value / 1_000_000:.2f} ms"


def times(value, by):
    if not value or not by:
        return "-"
    ratio = value / by
    return f"{ratio:.0f}x" if ratio >= 20 else f"{ratio:.1f}x"


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


def http_table(rows):
    """As the other table, for what load.py found."""
    lines = [["", "echo", "stet", "of echo", "rounds", "everything",
              "of stet"]]
    for row in rows:
        unit, peer = row["unit"], row["everything"]
        lines.append([row["title"], fmt(row["floor"], unit),
                      fmt(row["stet"], unit), of(row["of floor"], unit),
                      span(row["stet rounds"], unit), fmt(peer, unit),
                      of(peer and peer / row["stet"], unit)])
    return aligned(lines)


def with_aims(rows):
    """(name, row) of those; that of a row below another has both titles."""
    job = ""
    for row in rows:
        if not row["title"].startswith(" "):
            job = row["title"]
        if row["aim"]:
            yield (job if job == row["title"]
                   else f"{job}: {row['title'].strip()}"), row


def http_aims(rows):
    lines = [["", "stet", "of echo", "aim", ""]]
    for name, row in with_aims(rows):
        ratio = row["of floor"]
        lines.append([name, fmt(row["stet"], row["unit"]),
                      f"{ratio:.2f}" if ratio else "-", row["aim"],
                      row["met"] or "unknown"])
    return aligned(lines, left=5)


def acp_table(rows):
    """As the other tables, for what acp.py found."""
    lines = [["", "floor", "stet", "rounds", "codex-acp", "of stet"]]
    for row in rows:
        unit, ours, peer = row["unit"], row["stet"], row["codex-acp"]
        ratio = peer and ours and ours > 0 and peer / ours
        lines.append([row["title"], fmt(row["floor"], unit), fmt(ours, unit),
                      span(row["stet rounds"], unit), fmt(peer, unit),
                      of(ratio, unit)])
    return aligned(lines)


def acp_aims(rows):
    lines = [["", "stet", "best", "aim", ""]]
    for name, row in with_aims(rows):
        unit = row["unit"]
        lines.append([name, fmt(row["stet"], unit),
                      fmt(row["stet best"], unit), row["aim"], row["met"]])
    return aligned(lines, left=5)


def http_curve(points):
    lines = [["connections", "echo", "stet", "of echo", "CPU of a call",
              "of echo"]]
    for p in points:
        lines.append([f"{p['connections']:,}", fmt(p["floor"], "/s"),
                      fmt(p["stet"], "/s"), of(p["of floor"], "/s"),
                      fmt(p["cpu"], "ns"), of(p["cpu of floor"], "ns")])
    return aligned(lines)


class Report:
    """@sessions: by job and peer, @floors: by name; each a list of rounds."""

    def __init__(self, peers, sessions, floors, titles):
        self.peers, self.titles = peers, titles
        self.sessions, self.floors = sessions, floors
        done = {job for job, _ in sessions}
        self.rows = [self.row(row) for row in ROWS if row.job in done]
        for row, before in zip(self.rows[1:], self.rows):
            row["before"] = before

    def rounds(self, row, peer):
        return [PICKS[row.pick](session)
                for session in self.sessions.get((row.job, peer), [])]

    def part(self, row, name):
        if name == "pipe":
            return self.rounds(row, "pipe")
        if (name, "stet") in self.sessions:
            return self.rounds(dataclasses.replace(row, job=name), "stet")
        return self.floors[name]

    def floor(self, row, of_rounds):
        """The sum of the row's floors; with p99, of what is usual below."""
        parts = [self.part(row, name) for name in row.floors]
        if not parts or not all(parts):
            return None
        return sum(map(of_rounds, parts))

    def row(self, row):
        title = row.title.format(**self.titles)
        out = {"title": title, "unit": row.unit, "row": row,
               "floors": list(row.floors), "aim": row.aim,
               "floor": self.floor(row, statistics.median),
               "floor best": self.floor(row, min)}
        for peer in self.peers:
            values = self.rounds(row, peer)
            out[peer] = statistics.median(values) if values else None
            out[peer + " best"] = min(values) if values else None
            out[peer + " rounds"] = values
        return out

    def meets(self, row, which):
        values = {name: row[name + which] for name in (*self.peers, "floor")}
        if "before" in row:
            values["before stet"] = row["before"]["stet" + which]
        return row["row"].met(values)

    def met(self, row):
        """Whether the row's aim is: a noisy machine needs the best round."""
        if not row["aim"]:
            return None
        try:
            if self.meets(row, ""):
                return "met"
            if self.meets(row, " best"):
                return "met in the best round"
            return "MISSED"
        except TypeError:
            return "unknown"

    def table(self):
        others = self.peers[1:]
        head = ["", "floor", "stet", "of floor", "rounds"]
        for peer in others:
            head += [peer, "of stet"]
        lines = [head]
        for row in self.rows:
            unit, rounds = row["unit"], row["stet rounds"]
            line = [row["title"], fmt(row["floor"], unit),
                    fmt(row["stet"], unit), times(row["stet"], row["floor"]),
                    span(rounds, unit)]
            for peer in others:
                line += [fmt(row[peer], unit), times(row[peer], row["stet"])]
            lines.append(line)
        return aligned(lines)

    def aims(self):
        lines = []
        for row in self.rows:
            if not row["aim"]:
                continue
            unit = row["unit"]
            lines.append([row["title"].strip(), fmt(row["stet"], unit),
                          fmt(row["stet best"], unit), row["aim"],
                          self.met(row)])
        head = ["", "median", "best", "aim", ""]
        return aligned([head, *lines], left=5)

    def record(self):
        return [{**{key: value for key, value in row.items()
                    if key not in ("row", "before")}, "met": self.met(row)}
                for row in self.rows]


def aligned(lines, left=1):
    """Columns as wide as they must be; the first @left of them flush left."""
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join(
        "  ".join(cell.ljust(width) if n < left else cell.rjust(width)
                  for n, (cell, width) in enumerate(zip(line, widths)))
        .rstrip() for line in lines)
