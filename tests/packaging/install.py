"""`cmake --install` makes a whole that works where it is put. usage: install.py CMAKE BUILD VERSION"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

EXPECTED = ("bin/sluice", "libexec/sluice/sluiced", "share/sluice/presets/github.toml", "share/man/man1/sluice.1")


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=120, **options)


def main():
    cmake, build, version = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder, "first")
        done = run(cmake, "--install", build, "--prefix", prefix)
        assert done.returncode == 0, done.stderr
        prefix = prefix.rename(pathlib.Path(folder, "moved"))
        missing = [name for name in EXPECTED if not (prefix / name).is_file()]
        assert not missing, f"not installed: {missing}"
        sluice = prefix / "bin/sluice"
        assert run(sluice, "--version").stdout == f"sluice {version}\n"
        policy = pathlib.Path(folder, "policy.toml")
        policy.write_text('[egress]\npresets = ["github"]\n')
        checked = json.loads(run(sluice, "check", policy, "--json").stdout)
        assert checked["ok"] and "github.com" in checked["names"], checked
        agent = run(prefix / "libexec/sluice/sluiced", "--help").stdout
        assert str(prefix / "share/sluice/presets") in "".join(agent.split()), agent
        if os.geteuid() == 0:
            env = {name: text for name, text in os.environ.items() if not name.startswith("SUDO_")}
            done = run(sluice, "run", "--", "sh", "-c", "exit 7", env=env, cwd=folder)
            assert done.returncode == 7, done
    print("installed, moved, and " + ("run" if os.geteuid() == 0 else "not run: that needs root"))


main()
