#!/usr/bin/env python3
"""metrics.py LOG: the metrics in what `ncu --csv` wrote, in a line: "name value unit; ..."."""
import csv
import sys

with open(sys.argv[1], errors="replace") as file:
    lines = [line for line in file if line.startswith('"')]
print("; ".join(f"{row['Metric Name']} {row['Metric Value']} {row['Metric Unit']}".strip()
                for row in csv.DictReader(lines) if row.get("Metric Name")))
