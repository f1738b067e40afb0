"""Reads a JUnit report, as strictly as Python can, and demands what failed.

    read-junit.py FILE SUITE/CASE...     these cases and no others have failed
"""
import sys
import xml.etree.ElementTree

root = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
assert root.tag == "testsuites", root.tag
failed = []
for suite in root.iter("testsuite"):
    cases = suite.findall("testcase")
    failures = [case for case in cases if case.find("failure") is not None]
    assert len(cases) == int(suite.get("tests")), suite.get("name")
    assert len(failures) == int(suite.get("failures")), suite.get("name")
    assert all(case.find("failure").get("message") for case in failures)
    failed += [f"{suite.get('name')}/{case.get('name')}" for case in failures]
assert int(root.get("failures")) == len(failed), root.attrib
assert failed == sys.argv[2:], failed
