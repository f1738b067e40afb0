#!/usr/bin/env python3
"""tests.py ROWS: the results of the steps that test, of the report's rows in a folder, as JSON for tools/gpu-report."""
import json
import pathlib
import sys

PARTS = ["first", "conformance", "launches", "storm", "sanitize", "processes", "gpus"]

parts = []
for part in PARTS:
    results = {"ok": 0, "failed": 0, "not_run": 0}
    failures = []
    for path in sorted(pathlib.Path(sys.argv[1]).glob(f"{part}-*")):
        step, result, _, detail = (cell.strip() for cell in path.read_text(errors="replace").splitlines()[0].strip("|").split("|", 3))
        kind = {"ok": "ok", "FAILED": "failed"}.get(result, "not_run")
        results[kind] += 1
        if kind == "failed":
            failures.append(f"{step}: {detail}")
    parts.append({"part": part, **results, "failures": failures})
print(json.dumps({"parts": parts}, indent=1))
