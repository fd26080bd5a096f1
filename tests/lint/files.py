"""Files stay small, and say nothing of the machine they were written on. usage: files.py ROOT

Longer than 350 lines fails; longer than 250 is mentioned.
"""

import re
import sys

import tree

LONG, TOO_LONG = 250, 350
CODE = {".cpp", ".h", ".c", ".py", ".sh"}
# Folders of one person's or one machine's checkout. Home folders of made-up users are fine in tests.
MACHINE_PATH = re.compile(r"/work/(?:main|shared|\.)|/tmp/b-|/root/\.")


def main():
    root = sys.argv[1]
    problems, looked = [], 0
    for path in tree.files(root):
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue  # a seed of a fuzzer, an image
        looked += 1
        lines = text.count("\n")
        if path.suffix in CODE and lines > TOO_LONG:
            problems.append(f"{path}: {lines} lines; split it by what it does")
        elif path.suffix in CODE and lines > LONG:
            print(f"note: {path}: {lines} lines")
        if path.name == "files.py":
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if MACHINE_PATH.search(line):
                problems.append(f"{path}:{number}: a path of one machine: {line.strip()}")
    return tree.report(problems, f"{looked} files are fine")


sys.exit(main())
