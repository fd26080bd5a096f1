"""The man page has each command and option of --help, and no other. usage: man_page.py SLUICE PAGE"""

import re
import subprocess
import sys


def help_of(program, *words):
    done = subprocess.run([program, *words, "--help"], check=True, capture_output=True, text=True)
    return done.stdout


def commands_of(text):
    """The words that begin the lines of the last list of the main help."""
    return set(re.findall(r"^  ([a-z]+)  +\S", text.split("ubcommands:", 1)[1], re.M))


def options_of(text):
    """Those that begin a line: examples mention others."""
    return set(re.findall(r"^ +(?:-\w,\s*)?(--[a-z-]+)", text, re.M)) - {"--help"}


def sections_of(page):
    parts = re.split(r"^\.SS (\w+)$", page.split(".SH EXIT STATUS")[0], flags=re.M)
    return {name: set(re.findall(r"^\.(?:B|BI) (--[a-z-]+)", text, re.M))
            for name, text in zip(parts[1::2], parts[2::2])}


def main():
    program, path = sys.argv[1:]
    with open(path) as file:
        written = sections_of(file.read().replace("\\-", "-"))
    real = {name: options_of(help_of(program, name)) for name in commands_of(help_of(program))}
    assert len(real) >= 8 and "--allow" in real["run"], f"the help reads differently now: {real}"
    problems = [f"{name}: --help has {sorted(real.get(name, set()))}, the page {sorted(written.get(name, set()))}"
                for name in sorted({*real, *written}) if real.get(name) != written.get(name)]
    print("\n".join(problems) or f"{len(real)} commands are as the page says")
    return bool(problems)


sys.exit(main())
