#!/usr/bin/env python3
"""Prints the data in a page of blinkc report: data.py report.html"""
import re
import sys

page = open(sys.argv[1], encoding="utf-8").read()
print(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL).group(1))
