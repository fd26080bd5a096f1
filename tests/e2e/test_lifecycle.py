"""Ends, crashes, several at once: what stays enforced, what is cleaned up."""

import json
import os
import signal
import sys

import control
import sandbox
from conftest import left_behind
from sandbox import wait_until


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def of(name):
    """What there is of one sandbox."""
    return {path for path in left_behind() if f"/{name}" in path}


def test_nothing_stays_behind(lab, open_box):
    box = open_box(allow=["10.66.0.2:443"])
    assert of(box.name)
    box.end()
    assert of(box.name) == set()


def test_left_behind_processes_are_ended(lab):
    """Daemons too, and those that ignore SIGTERM."""
    script = "sleep 1000 >/dev/null 2>&1 & echo $!; setsid sh -c 'trap \"\" TERM; sleep 1000' >/dev/null 2>&1 & echo $!"
    name = sandbox.new_name()
    done = sandbox.sluice("run", "--name", name, "--", "sh", "-c", script, space=lab.host)
    assert done.returncode == 0
    pids = done.stdout.split()
    assert len(pids) == 2 and not any(alive(pid) for pid in pids)
    assert of(name) == set()


def test_detach(lab, tmp_path):
    """What stays running stays enforced and listed, and is cleaned up after it."""
    name = sandbox.new_name()
    for fifo in ("in", "out"):
        os.mkfifo(tmp_path / fifo)
    # Nothing that stays may hold our pipes, also not while it waits for the fifos' other ends.
    script = f'exec >/dev/null 2>&1; "{sys.executable}" -B {sandbox.INSIDE} <{tmp_path}/in >{tmp_path}/out &'
    done = sandbox.sluice("run", "--name", name, "--detach", "--allow", f"10.66.0.2:{lab.allowed.port}", "--",
                          "sh", "-c", script, space=lab.host)
    assert done.returncode == 0, done.stderr
    with open(tmp_path / "in", "w") as to, open(tmp_path / "out") as answers:

        def do(**request):
            print(json.dumps(request), file=to, flush=True)
            return json.loads(answers.readline())

        reached = lab.evil.counts()
        assert do(do="connect", address="10.66.0.2", port=lab.allowed.port, echo=True)["echo"] is True
        assert do(do="connect", address="10.66.0.3", port=lab.evil.port)["errno"] == "EPERM"
        assert lab.evil.counts() == reached
        assert name in sandbox.sluice("list").stdout
        listing = control.call(name, "egress.list", name=name)
        assert listing["installed"]["active"] is True
        assert listing["denials"][0]["count"] == 1
    wait_until(lambda: not of(name), f"{name} is cleaned up")


def test_two_at_once(lab, open_box):
    one, other = open_box(allow=["10.66.0.2:1"]), open_box(allow=["10.66.0.2:2"])
    one.do("about"), other.do("about")
    listed = sandbox.sluice("list").stdout
    assert one.name in listed and other.name in listed
    assert [r["text"] for r in one.list()["rules"]] == ["10.66.0.2:1"]
    assert [r["text"] for r in other.list()["rules"]] == ["10.66.0.2:2"]


def test_a_name_is_taken_once(lab, open_box):
    box = open_box(allow=[f"10.66.0.2:{lab.allowed.port}"])
    box.do("about")
    there = of(box.name)
    done = sandbox.sluice("run", "--name", box.name, "--", "true", space=lab.host)
    assert done.returncode not in (0, 126, 127) and box.name in done.stderr
    assert of(box.name) == there
    assert box.do("connect", address="10.66.0.2", port=lab.allowed.port, echo=True)["echo"] is True
    assert box.do("connect", address="10.66.0.3", port=lab.evil.port)["errno"] == "EPERM"


def test_a_killed_agent_changes_nothing(lab, open_box):
    box = open_box(allow=[f"10.66.0.2:{lab.allowed.port}"])
    assert box.do("connect", address="10.66.0.2", port=lab.allowed.port)["errno"] is None
    agent = box.call("status")["agent"]["pid"]
    os.kill(agent, signal.SIGKILL)
    wait_until(lambda: not alive(agent), "the agent is gone")
    reached = lab.evil.counts()
    for _ in range(100):
        assert box.do("connect", address="10.66.0.3", port=lab.evil.port)["errno"] == "EPERM"
        assert box.do("udp", address="10.66.0.3", port=lab.evil.port)["errno"] == "EPERM"
        assert box.do("connect", address="10.66.0.2", port=lab.allowed.port)["errno"] is None
    assert lab.evil.counts() == reached
    box.end(check=False)
    done = sandbox.sluice("purge")
    assert done.returncode == 0, done.stderr
    assert of(box.name) == set()


def test_status_tells_of_a_sandbox_whose_agent_is_gone(open_box):
    box = open_box(allow=["10.66.0.2:443"])
    agent = box.call("status")["agent"]["pid"]
    orphans = lambda: [o for o in json.loads(sandbox.sluice("status", "--json").stdout)["orphans"] if o["name"] == box.name]
    assert orphans() == []
    os.kill(agent, signal.SIGKILL)
    wait_until(lambda: not alive(agent), "the agent is gone")
    (orphan,) = orphans()
    assert orphan["processes"] >= 1 and orphan["cgroup"].endswith("/" + box.name) and "purge" in orphan["remedy"]
    for words in (["status"], ["list", box.name]):
        said = sandbox.sluice(*words)
        assert said.returncode == 0, said.stderr
        assert any(box.name in line and "agent is gone" in line for line in said.stdout.splitlines()), said.stdout
    box.end(check=False)
    assert sandbox.sluice("purge").returncode == 0
    assert orphans() == [] and of(box.name) == set()


def test_a_killed_launcher_leaves_its_command_enforced(lab, open_box, tmp_path):
    """SIGKILL of everything of ours: the kernel goes on."""
    box = open_box(allow=[f"10.66.0.2:{lab.allowed.port}"])
    agent = box.call("status")["agent"]["pid"]
    os.kill(agent, signal.SIGKILL)
    launcher = box.process.pid
    os.kill(launcher, signal.SIGKILL)
    reached = lab.evil.counts()
    assert box.do("connect", address="10.66.0.3", port=lab.evil.port)["errno"] == "EPERM"
    assert box.do("connect", address="10.66.0.2", port=lab.allowed.port)["errno"] is None
    assert lab.evil.counts() == reached
    box.end(check=False)
    wait_until(lambda: sandbox.sluice("purge").returncode == 0 and not of(box.name), "purge cleans")


def test_purge_keeps_what_lives(lab, box):
    assert box.do("connect", address="10.66.0.3", port=lab.evil.port)["errno"] == "EPERM"
    assert sandbox.sluice("purge").returncode == 0
    assert box.do("connect", address="10.66.0.3", port=lab.evil.port)["errno"] == "EPERM"
    assert box.list()["installed"]["active"] is True


def test_explain_answers_from_the_kernel(lab, open_box, tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text(f'[egress]\nstatic_tcp = ["10.66.0.2:{lab.allowed.port}"]\n')
    box = open_box(options=["--policy", str(policy)])
    box.do("about")
    policy.write_text("this is [not a policy\x00")
    target = f"10.66.0.2:{lab.allowed.port}"
    answer = box.call("egress.explain", name=box.name, target=target)
    assert answer["verdict"] == "allow" and answer["rule"]["text"] == target
    assert answer["rule"]["source"]["line"] == 2
    answer = box.call("egress.explain", name=box.name, target="10.66.0.3:443")
    assert answer["verdict"] == "deny" and answer["reason"] == "no_rule" and answer["remedy"]
    said = sandbox.sluice("explain", box.name, "10.66.0.3:443")
    assert said.returncode == 0 and "10.66.0.3:443" in said.stdout


def test_inside_may_not_ask_the_agent(lab, box):
    path = control.socket_of(box.name)
    assert box.do("call_agent", path=path)["kind"] == "inside_sandbox"
    assert box.do("from_fork", request={"do": "call_agent", "path": path}, daemon=True)["kind"] == "inside_sandbox"
    assert box.call("status")["agent"]["version"]


def test_the_listing_says_what_is_installed(box):
    installed = box.list()["installed"]
    assert installed["active"] is True and installed["pinned"] is True and installed["probe"]["ok"] is True
    assert installed["hooks"] and set(installed["hooks"].values()) == {"attached"}


def test_cycles_leave_nothing(lab):
    from conftest import SOAK

    for _ in range(500 if SOAK else 25):
        assert sandbox.sluice("run", "--name", sandbox.new_name(), "--quiet", "--", "true", space=lab.host).returncode == 0
    assert left_behind() == set()
