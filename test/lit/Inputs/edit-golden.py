"""Replaces text in a golden summary and makes its checksum right again.

    edit-golden.py FILE FROM TO     a regular expression and what it becomes, once
"""
import re
import subprocess
import sys

path, pattern, replacement = sys.argv[1:]
text = open(path, newline="").read()
text, count = re.subn(pattern, replacement, text, count=1)
assert count == 1, f"nothing in {path} looks like {pattern}"
with open(path, "w", newline="") as file:
    file.write(text)
subprocess.run(["blink-reseal", path], check=True)
