"""`sudo sluice run` gives the command back to the user who typed it; signals and the terminal work
as if sluice were not there."""

import os
import pwd
import shutil
import signal
import tempfile

import pytest

import sandbox
import terminal

USER = pwd.getpwnam("www-data")


@pytest.fixture
def sudo_env():
    """What sudo sets; root calls as it does."""
    return {**os.environ, "SUDO_UID": str(USER.pw_uid), "SUDO_GID": str(USER.pw_gid), "SUDO_USER": USER.pw_name,
            "SUDO_COMMAND": "sluice run", "HOME": "/root", "USER": "root", "LOGNAME": "root", "MAIL": "/var/mail/root"}


@pytest.fixture
def users_box(lab, open_box, sudo_env):
    """A sandbox of USER's, in a folder of that user's: the report is written as the user, too."""
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, USER.pw_uid, USER.pw_gid)
        script = shutil.copy(sandbox.INSIDE, folder)
        os.chmod(script, 0o644)
        yield open_box(allow=[f"10.66.0.2:{lab.allowed.port}"], env=sudo_env, tmp=folder,
                       command=["/usr/bin/python3", "-B", script])


def test_the_command_is_the_users(users_box):
    about = users_box.do("about")
    assert about["uid"] == [USER.pw_uid] * 3
    assert about["gid"] == [USER.pw_gid] * 3
    assert about["groups"] == sorted(set(os.getgrouplist(USER.pw_name, USER.pw_gid)))
    env = about["env"]
    assert (env["HOME"], env["USER"], env["LOGNAME"]) == (USER.pw_dir, USER.pw_name, USER.pw_name)
    assert not [name for name in env if name.startswith("SUDO_")] and "MAIL" not in env
    assert env["PATH"] and env["SLUICE_SANDBOX"] == users_box.name
    assert about["cwd"] == os.getcwd()


def test_it_can_not_become_root_again(users_box):
    status = users_box.do("run", argv=["grep", "-E", "^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs)", "/proc/self/status"])["out"]
    words = dict(line.split(":") for line in status.splitlines())
    assert all(int(value, 16) == 0 for name, value in words.items() if name.startswith("Cap")), status


def test_it_is_enforced_as_root_is(lab, users_box):
    reached = lab.evil.counts()
    assert users_box.do("connect", address="10.66.0.2", port=lab.allowed.port, echo=True)["echo"] is True
    assert users_box.do("connect", address="10.66.0.3", port=lab.evil.port)["errno"] == "EPERM"
    assert users_box.do("udp", address="10.66.0.3", port=lab.evil.port)["errno"] == "EPERM"
    port = users_box.do("listen", address="127.0.0.1")["port"]
    assert users_box.do("connect", address="127.0.0.1", port=port, echo=True)["echo"] is True
    assert lab.evil.counts() == reached
    assert users_box.denials(dst="10.66.0.3", proto="tcp")[0]["uid"] == USER.pw_uid


def test_it_can_not_leave_its_cgroup(users_box):
    root = sandbox.cgroup2()
    done = users_box.do("run", argv=["sh", "-c", f"echo 0 >{root}/cgroup.procs"])
    assert done["code"] != 0 and "denied" in done["err"].lower()


def test_the_owner_is_the_user(users_box):
    users_box.do("about")
    (entry,) = [s for s in users_box.call("sandbox.list")["sandboxes"] if s["name"] == users_box.name]
    assert entry["owner"] == USER.pw_uid


def test_the_report_is_the_users_file(users_box):
    users_box.do("connect", address="10.66.0.3", port=443)
    users_box.end()
    assert users_box.report_file.stat().st_uid == USER.pw_uid
    report = users_box.report()
    assert report["sandbox"] == users_box.name and report["exit"] == 0
    assert [d["dst"] for d in report["denials"]] == ["10.66.0.3"]


def test_root_without_sudo_stays_root(box):
    about = box.do("about")
    assert about["uid"] == [0, 0, 0]
    assert about["env"]["HOME"] == os.environ.get("HOME", about["env"]["HOME"])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGINT])
def test_a_signal_to_sluice_is_the_commands(lab, open_box, number):
    name = signal.Signals(number).name.removeprefix("SIG")
    script = f"trap 'echo got {name}; exit 9' {name}; echo ready; while :; do sleep 0.01; done"
    box = open_box(command=["sh", "-c", script])
    assert box.process.stdout.readline() == "ready\n"
    # nsenter executes sluice in its own place, so this is sluice itself.
    box.process.send_signal(number)
    assert box.process.stdout.readline() == f"got {name}\n"
    assert box.end(check=False) == 9


def on_terminal(lab, *command):
    return terminal.Terminal(lab.host.enter(sandbox.SLUICE, "run", "--name", sandbox.new_name(), "--quiet", "--", *command))


def test_ctrl_c(lab):
    tty = on_terminal(lab, "sh", "-c", "trap 'echo in''terrupted; exit 5' INT; echo re''ady; while :; do sleep 0.01; done")
    tty.expect("ready")
    tty.type("\x03")
    tty.expect("interrupted")
    assert tty.wait() == 5


def test_ctrl_c_ends_a_plain_command(lab):
    tty = on_terminal(lab, "sh", "-c", "echo re''ady; exec sleep 1000")
    tty.expect("ready")
    tty.type("\x03")
    assert tty.wait() == -signal.SIGINT


def test_the_terminal_is_the_commands(lab):
    tty = on_terminal(lab, "sh", "-c", "test -t 0 && test -t 1 && test -t 2 && read -r line </dev/tty && echo \"got:$line\"")
    tty.type("words\n")
    tty.expect("got:words")
    assert tty.wait() == 0


def test_job_control(lab):
    """Ctrl-Z stops the command and sluice; fg goes on with both."""
    shell = terminal.Terminal(lab.host.enter("bash", "--norc", "--noprofile", "-i"), {**os.environ, "PS1": "ps1> "})
    shell.expect("ps1> ")
    name = sandbox.new_name()
    shell.type(f"{sandbox.SLUICE} run --name {name} --quiet -- sh -c 'echo re\"\"ady; read line; echo g\"\"ot:$line'\n")
    shell.expect("ready")
    shell.type("\x1a")
    shell.expect("Stopped")
    shell.expect("ps1> ")
    shell.type("fg\n")
    shell.expect("-- sh -c")
    shell.type("on\n")
    shell.expect("got:on")
    shell.expect("ps1> ")
    shell.type("exit 3\n")
    assert shell.wait() == 3
