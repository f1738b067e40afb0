"""What a chart is, whatever it is drawn on: rows with a mark for each series, on an axis that all its panels share."""
import math
from dataclasses import dataclass, field


@dataclass
class Axis:
    """Values from `low` to `high`, with labels at some; logarithmic or not."""
    title: str
    low: float
    high: float
    ticks: dict  # value -> label
    log: bool = False

    def at(self, value):
        """Where a value lies, from 0 to 1; what is beyond an end lies on it."""
        scale = math.log10 if self.log else float
        if self.log and value <= 0:
            return 0.0
        low, high = scale(self.low), scale(self.high)
        return min(1.0, max(0.0, (scale(value) - low) / (high - low)))


@dataclass
class Row:
    label: str
    group: str = ""  # rows of a group stand together


@dataclass
class Panel:
    """values[s][r]: of series s in row r; None where there is no number."""
    title: str
    values: list


@dataclass
class Chart:
    title: str
    text: str  # describes the chart in a sentence or two, for readers who cannot see it
    axis: Axis
    rows: list
    series: list  # names
    panels: list
    line: float | None = None  # a value to compare with
    digits: int = 2
    marks: list = field(default_factory=list)  # the mark and colour of each series, if not in order

    def mark(self, series):
        return self.marks[series] if self.marks else series


def powers(low, high, label=str):
    """Ticks of a logarithmic axis: powers of ten."""
    return {10.0 ** i: label(10 ** i) if i >= 0 else f"{10.0 ** i:g}" for i in range(low, high + 1)}


def size_label(size):
    """1024 -> "1 KiB"."""
    for shift, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >> shift and size % (1 << shift) == 0:
            return f"{size >> shift} {unit}"
    return f"{size} B"
