"""Prints the pattern for `ctest -R` of the tests that were skipped because they need root, if any.

usage: needs_root.py JUNIT.xml
"""

import re
import sys

import summary

names = [
    re.escape(name)
    for name, status, output in summary.read(sys.argv[1])
    if status == "skipped" and "needs root" in summary.reason_of(output)
]
if names:
    print(f"^({'|'.join(names)})$")
