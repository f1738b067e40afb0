"""A chart as lines of text, as wide as the terminal; the numbers stand beside the marks, so none is hidden by another."""

MARKS = "●◆■▲"


def row_line(chart, panel, row, width):
    """The marks of a row on its axis. The first series lies on top."""
    cells = [" "] * width
    if chart.line is not None:
        cells[round((width - 1) * chart.axis.at(chart.line))] = "│"
    values = [(i, series[row]) for i, series in enumerate(panel.values) if series[row] is not None]
    places = [round((width - 1) * chart.axis.at(value)) for _, value in values]
    if places:
        for x in range(min(places), max(places)):
            cells[x] = "┼" if cells[x] == "│" else "─"
    for (i, _), x in reversed(list(zip(values, places))):
        cells[x] = MARKS[chart.mark(i)]
    return "".join(cells)


def axis_line(chart, width):
    """The labels of ticks; one that would touch its neighbour is left out."""
    cells, free = [" "] * width, 0
    for value, label in sorted(chart.axis.ticks.items()):
        begin = min(width - len(label), max(0, round((width - 1) * chart.axis.at(value)) - len(label) // 2))
        if begin >= free:
            cells[begin:begin + len(label)] = label
            free = begin + len(label) + 1
    return "".join(cells).rstrip()


def draw(chart, columns):
    """The lines of a chart for a terminal of so many columns."""
    out = [chart.title, "   ".join(f"{MARKS[chart.mark(i)]} {name}" for i, name in enumerate(chart.series))]
    label_width = max(len(row.label) for row in chart.rows) + 2
    for panel in chart.panels:
        texts = [["" if value is None else f"{value:,.{chart.digits}f}" for value in series] for series in panel.values]
        widths = [max(map(len, series)) for series in texts]
        width = max(16, columns - label_width - sum(2 + w for w in widths) - 2)
        marks = "".join(f"  {MARKS[chart.mark(i)]:>{w}}" for i, w in enumerate(widths))
        out += ["", f"{panel.title:<{label_width + width}}{marks}"]
        group = None
        for i, row in enumerate(chart.rows):
            if row.group != group:
                group = row.group
                out.append(group)
            numbers = "".join(f"  {series[i]:>{w}}" for series, w in zip(texts, widths))
            out.append(f"  {row.label:<{label_width - 2}}{row_line(chart, panel, i, width)}{numbers}".rstrip())
        out.append(" " * label_width + axis_line(chart, width))
        out.append(" " * label_width + chart.axis.title)
    return out
