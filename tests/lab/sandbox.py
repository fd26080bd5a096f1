"""Drives a real `sluice run`, with lab/inside.py as its command."""

import itertools
import json
import os
import pathlib
import subprocess
import sys
import time

import control

INSIDE = os.path.join(os.path.dirname(__file__), "inside.py")
REPO = pathlib.Path(__file__).resolve().parent.parent.parent
SLUICE = os.environ.get("SLUICE_BIN", str(REPO / "build/bin/sluice"))
# Generous: nothing here waits for it but a failing test.
LIMIT = 60

# This test run's own names: others may run beside it.
PREFIX = f"e2e-{os.getpid()}-"
_number = itertools.count(1)


def new_name():
    return f"{PREFIX}{next(_number)}"


def cgroup2():
    """Where cgroup v2 is mounted."""
    with open("/proc/self/mounts") as file:
        return next(line.split()[1] for line in file if line.split()[2] == "cgroup2")


def wait_until(condition, what):
    """Bounded polling, for changes that have no file descriptor to wait on."""
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, f"never happened: {what}"
        time.sleep(0.01)


class Sandbox:
    """`with Sandbox(lab.host, allow=[...], tmp=tmp_path) as box: box.do("connect", ...)`."""

    def __init__(self, space, allow=(), options=(), tmp=None, name=None, env=None, prefix=(), command=None):
        self.name = name or new_name()
        self.errors = pathlib.Path(tmp) / f"{self.name}.stderr"
        self.report_file = pathlib.Path(tmp) / f"{self.name}.json"
        rules = [word for rule in allow for word in ("--allow", rule)]
        inner = command or [sys.executable, "-B", INSIDE]
        argv = [SLUICE, "run", "--name", self.name, "--report", str(self.report_file), *rules, *options, "--", *inner]
        argv = [*prefix, *argv]
        with open(self.errors, "w") as errors:
            self.process = subprocess.Popen(
                space.enter(*argv) if space else argv,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, env=env,
            )
        if any("inside.py" in word for word in inner):
            self.do("about")  # it answers: the sandbox is active and its agent listens

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end(check=False)

    def stderr(self):
        return self.errors.read_text()

    def do(self, what, **arguments):
        """Does one thing inside; its answer."""
        try:
            self.process.stdin.write(json.dumps({"do": what, **arguments}) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise RuntimeError(f"the sandbox ended:\n{self.stderr()}")
        result = json.loads(line)
        if "mistake" in result:
            raise RuntimeError(result["mistake"])
        return result

    def call(self, method, /, **params):
        """Asks this run's agent, from outside."""
        return control.call(self.name, method, **params)

    def list(self):
        return self.call("egress.list", name=self.name)

    def denials(self, **match):
        """The denials whose fields are those of `match`."""
        return [d for d in self.list()["denials"] if all(d.get(k) == v for k, v in match.items())]

    def cgroup(self):
        return cgroup2() + "/" + next(
            s["cgroup"] for s in self.call("sandbox.list")["sandboxes"] if s["name"] == self.name
        ).removeprefix(cgroup2()).lstrip("/")

    def end(self, check=True):
        """Ends the command by closing its stdin; the exit status."""
        if not self.process.stdin.closed:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass
        try:
            code = self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise RuntimeError(f"sluice run did not end:\n{self.stderr()}") from None
        self.process.stdout.close()
        if check and code != 0:
            raise RuntimeError(f"exit status {code}:\n{self.stderr()}")
        return code

    def report(self):
        """The exit report, once it has ended."""
        return json.loads(self.report_file.read_text())


def sluice(*words, space=None, env=None, input=None, cwd=None, prefix=(), pass_fds=()):
    """One call of the program; CompletedProcess with text."""
    argv = [*prefix, SLUICE, *map(str, words)]
    return subprocess.run(
        space.enter(*argv) if space else argv,
        capture_output=True, text=True, timeout=LIMIT, env=env, input=input, cwd=cwd,
        pass_fds=pass_fds,
    )
