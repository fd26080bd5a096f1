"""clang-format agrees with every C and C++ file. usage: format.py ROOT"""

import subprocess
import sys

import tree


def main():
    root = sys.argv[1]
    paths = tree.files(root, ".cpp", ".h", ".c")
    if not paths:
        print("no source file found")
        return 1
    done = subprocess.run(
        ["clang-format", "--dry-run", "-Werror", "--ferror-limit=1", *map(str, paths)],
        capture_output=True, text=True,
    )
    bad = sorted({line.split(":")[0] for line in done.stderr.splitlines() if ": error:" in line})
    if done.returncode and not bad:
        bad = [done.stderr]
    return tree.report([f"{path}: run clang-format -i on it" for path in bad],
                       f"{len(paths)} files are formatted")


sys.exit(main())
