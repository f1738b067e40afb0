"""A chart as SVG: written here, digit by digit, so that the same numbers are the same bytes with any version of anything.

Text stays text. The picture has a ground of its own, light or dark as the reader's system is, so that it can be read on
any page; series differ by the shape of their marks as well as by colour.
"""
import itertools
from xml.sax.saxutils import escape

WIDTH, PITCH, GROUP_GAP, TOP, HEAD, GAP = 760, 14, 5, 58, 18, 30
NEAR, DODGE = 6, 3
# Ground, text, faint text, lines, and the series.
LIGHT = ["#ffffff", "#1f2328", "#59636e", "#d1d9e0", "#0550ae", "#1a7f64", "#bc4c00", "#6e7781"]
DARK = ["#0d1117", "#f0f6fc", "#9198a1", "#3d444d", "#58a6ff", "#3fd0ac", "#ff9d4d", "#b1bac4"]


def style():
    def rules(colours):
        ground, text, faint, line, *series = colours
        return " ".join([f".ground {{ fill: {ground} }} text {{ fill: {text} }} .faint {{ fill: {faint} }}",
                         f".grid {{ stroke: {line} }} .line {{ stroke: {faint} }}",
                         *(f".s{i} {{ fill: {colour}; stroke: {ground} }}" for i, colour in enumerate(series))])
    return f"<style>{rules(LIGHT)} @media (prefers-color-scheme: dark) {{ {rules(DARK)} }}</style>"


def number(value):
    return f"{value:.1f}".removesuffix(".0")


def text(x, y, words, anchor="start", cls="", weight=""):
    more = (f' class="{cls}"' if cls else "") + (f' font-weight="{weight}"' if weight else "")
    at = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{number(x)}" y="{number(y)}"{at}{more}>{escape(words)}</text>'


def line(x1, y1, x2, y2, cls, more=""):
    return f'<line class="{cls}" x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"{more}/>'


def mark(kind, x, y, r=4.0):
    """A circle, diamond, square or triangle."""
    if kind == 0:
        return f'<circle class="s0" cx="{number(x)}" cy="{number(y)}" r="{number(r)}"/>'
    corners = {1: [(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)], 2: [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
               3: [(0, -1.2), (1.15, 0.9), (-1.15, 0.9)]}[kind]
    points = " ".join(f"{number(x + r * dx)},{number(y + r * dy)}" for dx, dy in corners)
    return f'<polygon class="s{kind}" points="{points}"/>'


def rows_at(chart, top):
    """Where each row lies, and where groups are named."""
    y, places, groups = top, [], []
    for i, row in enumerate(chart.rows):
        if i and row.group != chart.rows[i - 1].group:
            y += GROUP_GAP
        if row.group and (i == 0 or row.group != chart.rows[i - 1].group):
            groups.append((y, row.group))
        places.append(y)
        y += PITCH
    return places, groups, y


def draw(chart):
    """The text of the file."""
    label_width = 16 + 6.2 * max(len(row.label) for row in chart.rows)
    group_width = 14 + 6.2 * max(len(row.group) for row in chart.rows) if any(row.group for row in chart.rows) else 0
    left = label_width + group_width
    width = (WIDTH - left - 16 - GAP * (len(chart.panels) - 1)) / len(chart.panels)
    first = TOP + (HEAD if any(panel.title for panel in chart.panels) else 0) + PITCH / 2
    places, groups, bottom = rows_at(chart, first)
    bottom += -PITCH / 2 + 4
    height = bottom + 40

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{number(height)}" '
           f'viewBox="0 0 {WIDTH} {number(height)}" role="img" aria-labelledby="title text" '
           'font-family="system-ui, sans-serif" font-size="11">',
           f'<title id="title">{escape(chart.title)}</title>', f'<desc id="text">{escape(chart.text)}</desc>', style(),
           f'<rect class="ground" width="{WIDTH}" height="{number(height)}"/>',
           f'<g font-size="14">{text(12, 22, chart.title, weight="600")}</g>']
    x = 16.0
    for i, name in enumerate(chart.series):
        out += [mark(chart.mark(i), x, 40, 4.5), text(x + 9, 44, name)]
        x += 30 + 6.2 * len(name)
    out += [text(8, y + 4, name, cls="faint") for y, name in groups]
    out += [text(left - 8, y + 4, row.label, "end") for y, row in zip(places, chart.rows)]
    for i, panel in enumerate(chart.panels):
        out += draw_panel(chart, panel, left + i * (width + GAP), width, first - PITCH / 2 - 4, bottom, places)
    out.append(text((left + WIDTH - 16) / 2, height - 8, chart.axis.title, "middle", cls="faint"))
    return "\n".join([*out, "</svg>", ""])


def draw_panel(chart, panel, left, width, top, bottom, places):
    def at(value):
        return left + width * chart.axis.at(value)

    out = [text(left, top - 6, panel.title, weight="600")] if panel.title else []
    for value, label in chart.axis.ticks.items():
        out += [line(at(value), top, at(value), bottom, "grid"),
                text(at(value), bottom + 14, label, "middle", cls="faint")]
    if chart.line is not None:
        out.append(line(at(chart.line), top, at(chart.line), bottom, "line", ' stroke-width="1.5"'))
    for row, y in enumerate(places):
        values = [(i, series[row]) for i, series in enumerate(panel.values) if series[row] is not None]
        if len(values) > 1:
            ends = [at(value) for _, value in values]
            out.append(line(min(ends), y, max(ends), y, "line", ' stroke-opacity="0.5"'))
        shift = {i: 0.0 for i, _ in values}
        for (i, a), (j, b) in itertools.combinations(values, 2):
            if abs(at(a) - at(b)) < NEAR:  # stacked, so that none hides another
                shift[i], shift[j] = -DODGE, DODGE
        out += [mark(chart.mark(i), at(value), y + shift[i]) for i, value in reversed(values)]
    return out
