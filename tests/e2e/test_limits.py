"""Big policies: what fits works, what does not is told and leaves nothing."""

import ipaddress

import sandbox
from conftest import left_behind


def policy_of(path, count, *rules):
    """A policy of `count` addresses of 10/8, none of them the lab's, and of `rules`."""
    first = int(ipaddress.ip_address("10.100.0.0"))
    addresses = (f'"{ipaddress.ip_address(first + i)}:443"' for i in range(count))
    path.write_text("[egress]\nstatic_tcp = [\n" + ",\n".join([*(f'"{r}"' for r in rules), *addresses]) + "\n]\n")
    return path


def test_two_hundred_thousand_rules(lab, open_box, tmp_path):
    policy = policy_of(tmp_path / "policy.toml", 200_000, f"10.66.0.2:{lab.allowed.port}")
    checked = sandbox.sluice("check", policy)
    assert checked.returncode == 0, checked.stderr[-2000:]
    box = open_box(options=["--policy", policy])
    reached = lab.evil.counts()
    assert box.do("connect", address="10.66.0.2", port=lab.allowed.port, echo=True)["echo"] is True
    assert box.do("connect", address="10.66.0.3", port=lab.evil.port)["errno"] == "EPERM"
    assert lab.evil.counts() == reached
    last = f"{ipaddress.ip_address('10.100.0.0') + 199_999}:443"
    for target, verdict in ((last, "allow"), (last.replace(":443", ":444"), "deny")):
        assert box.call("egress.explain", name=box.name, target=target)["verdict"] == verdict


def test_more_rules_than_there_is_room_for(lab, tmp_path):
    policy = policy_of(tmp_path / "policy.toml", 1_100_000)
    name = sandbox.new_name()
    done = sandbox.sluice("run", "--name", name, "--policy", policy, "--", "true", space=lab.host)
    assert done.returncode == 2, done.stderr[-2000:]
    assert len(done.stderr) < 5000 and any(word in done.stderr for word in ("too many", "more than", "at most"))
    assert left_behind() == set()
