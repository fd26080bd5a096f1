"""`sluice run` starts a command as env(1) would, or says exactly what is wrong and changes nothing."""

import contextlib
import os
import select
import signal
import socket
import subprocess

import pytest

import sandbox
from conftest import left_behind

NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def run(lab, *words, **more):
    return sandbox.sluice("run", "--name", sandbox.new_name(), *words, space=lab.host, **more)


@pytest.mark.parametrize("command, code", [("exit 0", 0), ("exit 7", 7), ("exit 255", 255)])
def test_exit_status(lab, command, code):
    assert run(lab, "--", "sh", "-c", command).returncode == code


def test_not_found(lab):
    done = run(lab, "--", "no-such-command-here")
    assert done.returncode == 127 and "'no-such-command-here'" in done.stderr


def test_not_executable(lab, tmp_path):
    (tmp_path / "plain").write_text("text")
    done = run(lab, "--", tmp_path / "plain")
    assert done.returncode == 126 and "plain" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_killed_by_a_signal(lab, number):
    """Its caller sees what it would have seen without sluice: 128 + N in a shell."""
    assert run(lab, "--", "sh", "-c", f"kill -{int(number)} $$").returncode == -number
    shell = subprocess.run(
        lab.host.enter("sh", "-c", f'"$0" run --name {sandbox.new_name()} --quiet -- sh -c "kill -{int(number)} \\$\\$"; echo $?',
                       sandbox.SLUICE), capture_output=True, text=True)
    assert shell.stdout.strip() == str(128 + number)


def test_standard_streams_are_the_commands(lab):
    done = run(lab, "--", "sh", "-c", "cat; echo out; echo err >&2", input="in\n")
    assert done.stdout == "in\nout\n"
    assert "err\n" in done.stderr


def test_quiet_says_nothing(lab):
    done = run(lab, "--quiet", "--", "true")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("words", [
    ["run"], ["run", "--"], ["run", "--allow"], ["run", "--no-such-option", "--", "true"], ["no-such-command"],
])
def test_usage_errors(lab, words):
    before = left_behind()
    done = sandbox.sluice(*words, space=lab.host)
    assert done.returncode == 2
    assert done.stderr and "usage" in (done.stderr + done.stdout).lower() or "--help" in done.stderr
    assert left_behind() == before


# What is written -> what the message has to mention: the value, and what to write instead.
BAD_RULES = {
    "example.com": ["example.com", ":443"], "example.com:": ["example.com:"], "example.com:0": ['"0"'],
    "example.com:65536": ["65536"], "example.com:http": ["http"], "127.1:80": ["127.1", "127.0.0.1"],
    "0x7f.1:80": ["0x7f.1"], "2130706433:80": ["2130706433", "127.0.0.1"], "010.0.0.1:80": ["010.0.0.1"],
    "10.0.0.1/8:22": ["10.0.0.0/8"], "*.example.com:443": ["*.example.com", "relayed"], ":443": [":443"],
    "fd66::2:443": ["fd66::2:443", "["], "https://example.com/": ["https://example.com/"],
    "example.com:443\x1b[31m": ["443"], "-x.example:443": ["-x.example"], "": [],
}


@pytest.mark.parametrize("rule", BAD_RULES)
def test_bad_rule(lab, rule):
    before = left_behind()
    done = run(lab, "--allow", rule, "--", "true")
    assert done.returncode == 2, done.stderr
    assert "--allow" in done.stderr
    for mention in BAD_RULES[rule]:
        assert mention in done.stderr
    assert "\x1b" not in done.stderr
    assert left_behind() == before


# The file's text -> what the message has to mention beside FILE:LINE.
BAD_FILES = {
    "[egress]\nstatic_tcp = [\n": [""],
    "[egress]\nstatic_tpc = []\n": ["static_tpc", "static_tcp"],
    "[egress]\nstatic_tcp = 'example.com:443'\n": ["static_tcp"],
    "[egress]\n\nstatic_tcp = ['example.com']\n": ["example.com"],
    "[egress]\nstatic_tcp = ['*.example.com:443']\n": ["*.example.com"],
    "[egress]\nenabled = 'yes'\n": ["enabled"],
    "[egrass]\n": ["egrass"],
    "[egress]\npresets = ['no-such-preset']\n": ["no-such-preset"],
}


@pytest.mark.parametrize("text", BAD_FILES)
def test_bad_policy_file(lab, tmp_path, text):
    before = left_behind()
    policy = tmp_path / "policy.toml"
    policy.write_text(text)
    done = run(lab, "--policy", policy, "--", "true")
    assert done.returncode == 2, done.stderr
    assert f"{policy}:" in done.stderr
    for mention in BAD_FILES[text]:
        assert mention in done.stderr
    assert left_behind() == before


def test_all_problems_are_reported_together(lab, tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text("[egress]\nstatic_tcp = [\n 'one',\n 'two.example:70000',\n '127.1:3'\n]\nwhat = 1\n")
    done = run(lab, "--policy", policy, "--", "true")
    assert done.returncode == 2
    for line in (3, 4, 5, 7):
        assert f"{policy}:{line}" in done.stderr


@pytest.mark.parametrize("kind", ["missing", "folder", "binary"])
def test_policy_file_that_is_none(lab, tmp_path, kind):
    before = left_behind()
    policy = tmp_path / "policy"
    if kind == "folder":
        policy.mkdir()
    elif kind == "binary":
        policy.write_bytes(b"\x00\xff\xfe" * 100)
    done = run(lab, "--policy", policy, "--", "true")
    assert done.returncode in (1, 2) and str(policy) in done.stderr
    assert left_behind() == before


@pytest.mark.parametrize("name", ["Upper", "with space", "../up", "", "-dash", "x" * 64, "a/b"])
def test_bad_name(lab, name):
    before = left_behind()
    done = sandbox.sluice("run", f"--name={name}", "--", "true", space=lab.host)
    assert done.returncode == 2 and "name" in done.stderr
    assert left_behind() == before


def test_not_root(lab):
    """The exact line to type instead."""
    before = left_behind()
    done = sandbox.sluice("run", "--name", "e2e-x", "--allow", "example.com:443", "--", "sh", "-c", "echo $HOME",
                          space=lab.host, prefix=NOBODY)
    assert done.returncode == 3, done.stderr
    line = next(line for line in done.stderr.splitlines() if "sudo " in line)
    assert line.rstrip().endswith("run --name e2e-x --allow example.com:443 -- sh -c 'echo $HOME'")
    assert left_behind() == before


def test_the_sandbox_is_told_its_name(lab):
    name = sandbox.new_name()
    done = sandbox.sluice("run", "--name", name, "--quiet", "--", "sh", "-c", "echo $SLUICE_SANDBOX", space=lab.host)
    assert done.stdout == f"{name}\n"


def test_sluices_own_descriptors_do_not_leak(lab):
    done = run(lab, "--quiet", "--", "sh", "-c", "ls /proc/self/fd | sort -n | tr '\\n' ' '")
    # 3 is ls's own.
    assert done.stdout.split() == ["0", "1", "2", "3"]


def test_only_pipes_and_files_are_inherited(lab, tmp_path):
    """A connection that was open before would pass the sandbox by; make's jobserver and <(...) are pipes."""
    with contextlib.ExitStack() as opened:
        keep = opened.enter_context
        server = keep(socket.create_server(("127.0.0.1", 0)))
        withheld = [server, keep(socket.create_connection(server.getsockname())), keep(select.epoll()),
                    *map(keep, socket.socketpair())]
        read_end, write_end = (keep(os.fdopen(fd, mode)) for fd, mode in zip(os.pipe(), ("r", "w")))
        kept = [read_end, write_end, keep(open(tmp_path / "file", "w"))]
        done = run(lab, "--quiet", "--", "sh", "-c", "ls /proc/$$/fd",
                   pass_fds=[one.fileno() for one in (*withheld, *kept)])
        assert sorted(map(int, done.stdout.split())) == sorted([0, 1, 2, *(one.fileno() for one in kept)])


def test_version_and_help(lab):
    for words in (["--version"], ["--help"], ["run", "--help"]):
        done = sandbox.sluice(*words, prefix=NOBODY)
        assert done.returncode == 0 and done.stdout and not done.stderr
