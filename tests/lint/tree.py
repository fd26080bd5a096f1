"""The files of the working tree that checks look at."""

import pathlib
import subprocess


def files(root, *suffixes):
    """Tracked and new (not ignored) files with one of the suffixes; all files without any."""
    out = subprocess.run(
        ["git", "-c", f"safe.directory={root}", "-C", root, "ls-files", "-z", "-co", "--exclude-standard"],
        check=True, capture_output=True,
    ).stdout
    names = sorted(set(out.decode().split("\0")) - {""})
    paths = [pathlib.Path(root, name) for name in names]
    return [p for p in paths if p.is_file() and (not suffixes or p.suffix in suffixes)]


def report(problems, good):
    """Prints the problems, or what is good; the process's exit status."""
    for problem in problems:
        print(problem)
    if not problems:
        print(good)
    return 1 if problems else 0
