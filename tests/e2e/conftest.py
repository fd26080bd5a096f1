"""Fixtures of the end-to-end tests. They need root and the built program; neither is skipped."""

import json
import os
import pathlib
import signal
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lab"))

import control  # noqa: E402
import netns  # noqa: E402
import sandbox  # noqa: E402

SOAK = bool(os.environ.get("SLUICE_SOAK"))


def left_behind():
    """What there is of the sandboxes that this test run named: run folders, cgroups, pins."""
    found = set()
    for top in (control.RUN_DIR, sandbox.cgroup2() + "/sluice", "/sys/fs/bpf/sluice"):
        for name in os.listdir(top) if os.path.isdir(top) else ():
            if name.startswith(sandbox.PREFIX):
                found.add(os.path.join(top, name))
    return found


@pytest.fixture(scope="session", autouse=True)
def requirements():
    assert os.geteuid() == 0, "the end-to-end tests need root"
    assert os.access(sandbox.SLUICE, os.X_OK), f"{sandbox.SLUICE} is not built: tools/dev build"


@pytest.fixture(autouse=True)
def deadline():
    """What a test waits for in vain ends that test, and its clean-up runs."""

    def give_up(*_):
        raise TimeoutError("this test waits for something that does not come")

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(0 if SOAK else 3 * sandbox.LIMIT)
    yield
    signal.alarm(0)


@pytest.fixture(autouse=True)
def nothing_left(requirements):
    """Every test leaves the machine as it was: this is a check of sluice, not of the test."""
    yield
    assert left_behind() == set()


@pytest.fixture(scope="module")
def lab():
    made = netns.Lab()
    yield made
    made.close()


@pytest.fixture
def box(lab, tmp_path):
    """A sandbox that may reach the allowed peer's port, on both families."""
    allow = [f"10.66.0.2:{lab.allowed.port}", f"[fd66::2]:{lab.allowed.port}"]
    with sandbox.Sandbox(lab.host, allow=allow, tmp=tmp_path) as opened:
        yield opened


@pytest.fixture
def open_box(lab, tmp_path):
    """Makes sandboxes: open_box(allow=[...], options=[...])."""
    opened = []

    def make(allow=(), options=(), space=lab.host, **more):
        opened.append(sandbox.Sandbox(space, allow=allow, options=options, **{"tmp": tmp_path, **more}))
        return opened[-1]

    yield make
    for one in opened:
        one.end(check=False)


@pytest.fixture(scope="module")
def bare(lab):
    """Does what box.do() does, but outside any sandbox: what the network itself allows."""
    process = subprocess.Popen(
        lab.host.enter(sys.executable, "-B", sandbox.INSIDE),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )

    def do(what, **arguments):
        process.stdin.write(json.dumps({"do": what, **arguments}) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    yield do
    process.stdin.close()
    process.wait()
