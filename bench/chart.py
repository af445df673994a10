"""The chart: every row against stet, and how cost grows, as one SVG.

All data comes from the record of a run (docs/performance.json). A row is a
line on a scale of ratios: stet is at 1, slower servers are to its right. The
SVG needs no font or style sheet of the page, and follows light and dark mode.
"""
import math
from html import escape

from report import bytes_named, comparable, fmt, times

WIDTH, MARGIN = 1000, 24
LABEL, VALUE = 262, 348  # right edges of the labels and of stet's figures
LEFT, RIGHT = 372, 952  # edges of the scale
TOP, ROW = 168, 30
PANEL_W, PANEL_H, PANEL_GAP = 300, 168, 26

# Markers also differ in shape, for readers who are colour-blind.
LOOKS = {
    "official": ("#d1495b", "circle"), "fast-fs": ("#e07a1f", "square"),
    "desktop-cmdr": ("#8a63d2", "triangle"), "j0hanz": ("#b8860b", "diamond"),
    "hashline": ("#1f9e8f", "circle"), "ellmos-fc": ("#c2549d", "square"),
    "fs-mcp": ("#6b7f94", "triangle"),
}
STYLE = """
svg { --paper: #ffffff; --ink: #1f2328; --soft: #59636e; --line: #d8dee4;
  --stet: #0b62d6; --band: #f6f8fa; color-scheme: light dark;
  font: 13px system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { svg { --paper: #0d1117; --ink: #e6edf3;
  --soft: #9198a1; --line: #30363d; --stet: #58a6ff; --band: #151b23; } }
text { fill: var(--ink); }
.soft { fill: var(--soft); } .small { font-size: 11px; }
.title { font-size: 20px; font-weight: 650; } .head { font-weight: 650; }
.number { font-variant-numeric: tabular-nums; }
.grid { stroke: var(--line); stroke-width: 1; }
.one { stroke: var(--stet); stroke-width: 1.5; }
.reach { stroke: var(--line); stroke-width: 2; }
.stet { fill: var(--stet); } .stet-line { stroke: var(--stet);
  stroke-width: 2.5; fill: none; }
.peer-line { stroke-width: 1.5; fill: none; }
.floor { stroke: var(--soft); stroke-width: 2; }
.end { text-anchor: end; } .mid { text-anchor: middle; }
"""


def text(x, y, words, kind=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">'
            f'{escape(words)}</text>')


def line(x1, y1, x2, y2, kind):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'class="{kind}"/>')


def dot(who, x, y, size=5.0):
    colour, shape = LOOKS.get(who, ("#888888", "circle"))
    around = {
        "square": [(-1, -1), (1, -1), (1, 1), (-1, 1)],
        "triangle": [(0, -1.2), (1.15, 0.9), (-1.15, 0.9)],
        "diamond": [(0, -1.35), (1.2, 0), (0, 1.35), (-1.2, 0)],
    }.get(shape)
    if not around:
        return (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" '
                f'fill="{colour}"/>')
    size *= 0.9
    points = " ".join(f"{x + dx * size:.1f},{y + dy * size:.1f}"
                      for dx, dy in around)
    return f'<polygon points="{points}" fill="{colour}"/>'


class Scale:
    """Logarithmic, from the least to the most of @values."""

    def __init__(self, values, low, high, decades=True):
        least, most = math.log10(min(values)), math.log10(max(values))
        if decades:
            least, most = math.floor(least), math.ceil(most)
        self.least, self.most = least, max(most, least + 0.5)
        self.low, self.high = low, high

    def __call__(self, value):
        part = (math.log10(value) - self.least) / (self.most - self.least)
        return self.low + part * (self.high - self.low)

    def decades(self):
        return [10.0**n for n in range(math.ceil(self.least),
                                       math.floor(self.most) + 1)]


# ---- the rows ----

def chart_rows(record):
    return [row for row in record["rows"]
            if row["chart"] and row["cells"]["stet"]["value"]]


def ratios(row):
    """{peer: ratio to stet} for peers that answered the same question."""
    ours = row["cells"]["stet"]["value"]
    return {who: cell["value"] / ours for who, cell in row["cells"].items()
            if who != "stet" and comparable(cell)}


def cannot(row):
    """Why other peers have no value, in a few words."""
    out = {}
    for who, cell in row["cells"].items():
        if who != "stet" and not comparable(cell) and cell["state"]:
            out.setdefault(cell["state"], []).append(who)
    return "; ".join(f"{', '.join(names)}: {state}"
                     for state, names in out.items())


def row_marks(row, y, scale):
    ours = row["cells"]["stet"]["value"]
    found = ratios(row)
    marks = []
    if found:
        ends = [scale(1), *map(scale, found.values())]
        marks.append(line(min(ends), y, max(ends), y, "reach"))
    if row["floor"]:
        x = scale(max(row["floor"] / ours, 10**scale.least))
        marks.append(line(x, y - 7, x, y + 7, "floor"))
    marks += [dot(who, scale(ratio), y) for who, ratio in found.items()]
    marks.append(f'<circle cx="{scale(1):.1f}" cy="{y}" r="6.5" '
                 'class="stet"/>')
    return marks + row_labels(found, y, scale)


def row_labels(found, y, scale):
    """The ratio of the nearest peer, and of the furthest if it fits."""
    if not found:
        return []
    near, far = min(found.values()), max(found.values())
    out = [text(scale(near), y - 8, times(near, 1), "small mid number soft")]
    if scale(far) - scale(near) > 44:
        out.append(text(scale(far), y - 8, times(far, 1),
                        "small mid number soft"))
    return out


def rows_part(rows):
    scale = Scale([0.1, 10, *(r for row in rows
                              for r in ratios(row).values())], LEFT, RIGHT)
    bottom = TOP + ROW * len(rows)
    out = []
    for n in range(0, len(rows), 2):
        out.append(f'<rect x="{MARGIN - 8}" y="{TOP + n * ROW}" width="'
                   f'{WIDTH - 2 * MARGIN + 16}" height="{ROW}" rx="4" '
                   'fill="var(--band)"/>')
    for tick in scale.decades():
        out.append(line(scale(tick), TOP - 4, scale(tick), bottom,
                        "one" if tick == 1 else "grid"))
        out.append(text(scale(tick), TOP - 10, "stet" if tick == 1 else
                        f"{tick:,.10g}×", "small mid soft"))
    for n, row in enumerate(rows):
        y = TOP + n * ROW + ROW / 2 + 3
        indent = 14 if row["chart"].startswith(" ") else 0
        out.append(text(MARGIN + indent, y + 4, row["chart"].strip()))
        out.append(text(VALUE, y + 4, fmt(row["cells"]["stet"]["value"],
                                          row["unit"]), "end number head"))
        out += row_marks(row, y, scale)
        missing = cannot(row)
        if missing and not ratios(row):
            out.append(text(scale(1) + 14, y + 4, missing, "small soft"))
    return out, bottom


# ---- how it grows ----

def panels(record):
    """[(title, unit, axis, {who: [(x, y)]})]"""
    out = []
    for curve in record["curves"]:
        series = {}
        by = 1024 if curve["unit"] == "KiB" else 1  # bytes have round ticks
        for point in curve["points"]:
            for who, cell in point["cells"].items():
                if point["at"] and comparable(cell): # the axis has no 0
                    series.setdefault(who, []).append(
                        (point["at"], cell["value"] * by))
        if series.get("stet"):
            out.append((curve["title"], curve["unit"], curve["axis"], series))
    points = record["http"]["curve"]
    if len(points) > 1:
        out.append(("HTTP calls a second, by connections", "/s",
                    "connections",
                    {"stet": [(p["connections"], p["stet"]) for p in points],
                     "floor": [(p["connections"], p["floor"])
                               for p in points if p["floor"]]}))
    return out


def tick_name(value, axis):
    if "bytes" in axis:
        return bytes_named(int(value))
    return f"{value:,.0f}"


def panel(found, left, top):
    title, unit, axis, series = found
    xs = sorted({x for points in series.values() for x, _ in points})
    ys = [y for points in series.values() for _, y in points]
    x_of = Scale(xs, left + 58, left + PANEL_W - 14, decades=False)
    y_of = Scale(ys, top + PANEL_H - 30, top + 34)
    out = [text(left, top + 14, title[0].upper() + title[1:], "head small")]
    ticks = y_of.decades()
    for tick in ticks[::max(1, len(ticks) // 4)]:
        out.append(line(left + 58, y_of(tick), left + PANEL_W - 14,
                        y_of(tick), "grid"))
        out.append(text(left + 52, y_of(tick) + 4, short(tick, unit),
                        "small end soft number"))
    for x in (xs[0], xs[len(xs) // 2], xs[-1]):
        out.append(text(x_of(x), top + PANEL_H - 12, tick_name(x, axis),
                        "small mid soft number"))
    for who in sorted(series, key=lambda who: who == "stet"):
        out += curve_line(who, [(x_of(x), y_of(y)) for x, y in series[who]])
    return out


def short(value, unit):
    """A tick: a power of ten in its unit."""
    if unit == "KiB":
        return f"{value / 1e6:.0f} MB"
    if unit == "/s":
        return f"{value:,.0f}"
    for size, name in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if value >= size:
            return f"{value / size:.0f} {name}"
    return f"{value:.0f} ns"


def curve_line(who, points):
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    if who == "stet":
        return [f'<polyline points="{path}" class="stet-line"/>',
                *(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" class="stet"/>'
                  for x, y in points)]
    if who == "floor":
        return [f'<polyline points="{path}" class="peer-line" '
                'stroke="var(--soft)" stroke-dasharray="4 3"/>']
    colour = LOOKS.get(who, ("#888888",))[0]
    return [f'<polyline points="{path}" class="peer-line" '
            f'stroke="{colour}"/>', *(dot(who, x, y, 3.0) for x, y in points)]


# ---- the whole ----

def legend(record):
    out, x = [], MARGIN
    y = 112
    out.append(f'<circle cx="{x + 6}" cy="{y - 4}" r="6.5" class="stet"/>')
    out.append(text(x + 18, y, "stet", "head"))
    x += 64
    out.append(line(x + 4, y - 11, x + 4, y + 3, "floor"))
    out.append(text(x + 14, y, "floor: the machine without a server"))
    x += 250
    for peer in record["peers"][1:]:
        out += [dot(peer["name"], x + 5, y - 4),
                text(x + 16, y, peer["name"])]
        x += 34 + 6.6 * len(peer["name"])
    return out


def heading(record):
    run = record["run"]
    kind = "short run" if run["quick"] else "run"
    return [
        text(MARGIN, 38, "stet beside other file servers for agents",
             "title"),
        text(MARGIN, 60, f"A {kind} of {run['when'][:10]} on {run['cpu']}, "
             f"{run['cores']} cores, Linux {run['kernel']}: stet "
             f"{run['stet']} at {run['commit']}, Node {run['node']}, medians "
             f"of {run['rounds']} rounds", "soft small"),
        text(MARGIN, 80, "Each server's time or memory as a multiple of "
             "stet's, on a logarithmic scale: further right is slower or "
             "larger. The figures in the middle are stet's.", "soft small"),
    ]


def svg(record):
    body, bottom = rows_part(chart_rows(record))
    body = heading(record) + legend(record) + body
    found = panels(record)
    top = bottom + 34
    if found:
        body.append(text(MARGIN, top + 4, "How cost grows", "title"))
        top += 20
    for n, one in enumerate(found):
        body += panel(one, MARGIN + n % 3 * (PANEL_W + PANEL_GAP),
                      top + n // 3 * (PANEL_H + PANEL_GAP))
    height = top + math.ceil(len(found) / 3) * (PANEL_H + PANEL_GAP)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} '
            f'{height}" width="{WIDTH}" height="{height}" role="img" '
            'aria-label="stet measured beside other file servers">\n'
            f"<style>{STYLE}</style>\n"
            f'<rect width="{WIDTH}" height="{height}" rx="8" '
            'fill="var(--paper)"/>\n' + "\n".join(body) + "\n</svg>\n")
