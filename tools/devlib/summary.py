"""Adds up CTest's JUnit files: what passed, failed and was skipped, and why.

usage: summary.py ALLOWED-SKIPS JUNIT.xml...

A line of ALLOWED-SKIPS is `WHERE  WHY`: two globs, over `TIER/TEST` (in a pytest file
`TIER/TEST::FILE:LINE`) and over the skip's reason. A skip that no line allows fails the run, and so
does a failed test. What was skipped in TIER and ran in TIER_root counts there alone.
"""

import fnmatch
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

PYTEST_TOTALS = re.compile(r"^(?:=+ )?((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s", re.M)
PYTEST_SKIP = re.compile(r"^SKIPPED \[\d+\] (\S+?): (.*)$", re.M)
GTEST_SKIP = re.compile(r": Skipped\n(.*?)\n(?:\n|\[)", re.S)


def allowed_patterns(path):
    lines = pathlib.Path(path).read_text().splitlines()
    return [tuple(line.split(None, 1)) for line in lines if line.strip() and not line.startswith("#")]


def reason_of(output):
    """Why a whole entry was skipped: what gtest says, else its last line (exit 77)."""
    match = GTEST_SKIP.search(output)
    if match:
        return " ".join(match.group(1).split())
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason given"


def totals_of(output):
    """The counts of an entry that is a pytest file, else None."""
    match = PYTEST_TOTALS.search(output)
    if not match:
        return None
    return {word: int(n) for n, word in re.findall(r"(\d+) ([a-z]+)", match.group(1))}


def read(path):
    """Yields (name, status, output) of each CTest entry."""
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        output = case.findtext("system-out") or ""
        if case.find("skipped") is not None:
            status = "skipped"
        elif case.find("failure") is not None or case.get("status") == "fail":
            status = "failed"
        else:
            status = "passed"
        yield case.get("name"), status, output


def collect(paths):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    skips, ran = [], set()
    for path in map(pathlib.Path, paths):
        for name, status, output in read(path):
            where = f"{path.stem}/{name}"
            inner = totals_of(output)
            if status == "skipped":
                skips.append((where, reason_of(output)))
                continue
            ran.add(where)
            if inner:
                counts["passed"] += inner.get("passed", 0)
                failed = sum(inner.get(word, 0) for word in ("failed", "error", "errors"))
                # An entry can fail where no test did: a time-out, a crash at its end.
                counts["failed"] += failed or (status == "failed")
                skips += [(f"{where}::{at}", why) for at, why in PYTEST_SKIP.findall(output)]
            else:
                counts[status] += 1
    return counts, [(at, why) for at, why in skips if at.replace("/", "_root/", 1) not in ran]


def main():
    patterns = allowed_patterns(sys.argv[1])
    counts, skips = collect(sys.argv[2:])
    unexpected = 0
    for where, why in skips:
        allowed = any(fnmatch.fnmatch(where, w) and fnmatch.fnmatch(why, r) for w, r in patterns)
        unexpected += not allowed
        print(f"skipped{'' if allowed else ' (not allowed here)'}: {where}: {why}")
    if unexpected:
        print(f"{unexpected} skipped that must run here; tests/allowed-skips.txt lists what may be")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {len(skips)} skipped")
    return 1 if counts["failed"] or unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
