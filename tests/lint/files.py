"""Files stay small, and say nothing of the machine they were written on. usage: files.py ROOT

Longer than 350 lines fails; longer than 250 is mentioned.
"""

import pathlib
import re
import sys

import tree

LONG, TOO_LONG = 250, 350
CODE = {".cpp", ".h", ".c", ".py", ".sh"}
# A home that is not a made-up user's, and a fixed name in a folder that everyone shares.
MACHINE_PATH = r"/home/(?!alice/|bob/)[\w.-]+/|/root/[\w.]|/tmp/\w"


def main():
    root = sys.argv[1]
    problems, looked = [], 0
    here = re.escape(str(pathlib.Path(root).resolve()))
    machine_path = re.compile(rf"{MACHINE_PATH}|(?<![\w.-]){here}(?![\w.-])")
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
        for number, line in enumerate(text.splitlines(), 1):
            if machine_path.search(line):
                problems.append(f"{path}:{number}: a path of one machine: {line.strip()}")
    return tree.report(problems, f"{looked} files are fine")


sys.exit(main())
