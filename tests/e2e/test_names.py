"""Names: the policy's are pinned inside, every other look-up fails at once and is reported."""

import shutil
import subprocess

import pytest

import names as lab_names
import sandbox

MUSL = r"""
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

int main(int argc, char **argv) {
    struct addrinfo hints, *list, *it;
    memset(&hints, 0, sizeof hints);
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_ADDRCONFIG;
    int status = getaddrinfo(argv[1], "443", &hints, &list);
    if (status) return printf("%s\n", gai_strerror(status)), 1;
    for (it = list; it; it = it->ai_next) {
        char text[64];
        const void *a = it->ai_family == AF_INET ? (void *)&((struct sockaddr_in *)it->ai_addr)->sin_addr
                                                 : (void *)&((struct sockaddr_in6 *)it->ai_addr)->sin6_addr;
        printf("%s\n", inet_ntop(it->ai_family, a, text, sizeof text));
    }
    return 0;
}
"""

SCRIPT = {
    "api.test A": ["api.test 300 CNAME api.cdn.test", "api.cdn.test 60 A 10.66.0.2", "api.cdn.test 60 A 10.66.0.3"],
    "api.test AAAA": ["api.test 300 AAAA fd66::2"],
    "public.test A": ["public.test 300 A 192.0.2.10"],
    "rebound.test A": ["rebound.test 300 A 10.66.0.9"],
    "failing.test": {"rcode": 2},
}


@pytest.fixture(scope="module")
def names(lab, tmp_path_factory):
    made = lab_names.Names(lab.host, tmp_path_factory.mktemp("names"), SCRIPT, hosts="192.0.2.77 pinned.test\n")
    yield made
    made.close()


@pytest.fixture
def named_box(lab, names, open_box, tmp_path):
    """A sandbox with rules for names, by a policy file that lets api.test be private."""
    policy = tmp_path / "policy.toml"
    rules = ", ".join(f'"{name}:{lab.allowed.port}"' for name in ("api.test", "public.test", "rebound.test", "missing.test", "failing.test", "pinned.test"))
    policy.write_text(f"""
[egress]
static_tcp = [{rules}]
[egress.resolve]
allow_private = ["api.test"]
""")
    return open_box(options=["--policy", str(policy)], prefix=names.prefix())


@pytest.fixture(scope="module")
def musl(tmp_path_factory):
    folder = tmp_path_factory.mktemp("musl")
    (folder / "lookup.c").write_text(MUSL)
    subprocess.run(["musl-gcc", "-static", "-o", folder / "lookup", folder / "lookup.c"], check=True)
    # The folders down to it are root's alone; a sandbox of another user could not enter them.
    return str(folder / "lookup")


def test_all_addresses_are_pinned(lab, named_box, names):
    asked = names.asked()
    everything = ["10.66.0.2", "10.66.0.3", "fd66::2"]
    assert named_box.do("resolve", name="api.test")["addresses"] == everything
    listed = named_box.do("run", argv=["getent", "ahosts", "api.test"])["out"]
    assert all(address in listed for address in everything), listed
    assert named_box.do("run", argv=["getent", "hosts", "api.test"])["code"] == 0
    for address in ("10.66.0.2", "fd66::2"):
        assert named_box.do("connect", address=address, port=lab.allowed.port, echo=True)["echo"] is True
    assert names.asked() == asked
    (rule,) = [r for r in named_box.list()["rules"] if r["host"] == "api.test"]
    assert sorted(a["ip"] for a in rule["addresses"]) == everything


def test_hosts_file_of_the_host_counts(named_box, names):
    assert named_box.do("resolve", name="pinned.test")["addresses"] == ["192.0.2.77"]
    assert names.asked("pinned.test") == []


def test_other_names_fail_at_once_and_are_reported(lab, named_box, names):
    before = lab.evil.counts(), lab.allowed.counts()
    assert named_box.do("resolve", name="other.test")["addresses"] == []
    assert named_box.do("run", argv=["getent", "hosts", "second.test"])["code"] == 2
    assert names.asked("other.test") == [] and names.asked("second.test") == []
    assert (lab.evil.counts(), lab.allowed.counts()) == before
    hosts = {d["host"] for d in named_box.denials(reason="dns")}
    assert {"other.test", "second.test"} <= hosts
    named_box.end()
    assert "other.test" in named_box.stderr()


def test_musl(named_box, names, musl):
    """Its resolver is another one: it would wait out a silent server, and fails AI_ADDRCONFIG
    look-ups when UDP connects to loopback are refused."""
    done = named_box.do("run", argv=[musl, "api.test"])
    assert sorted(done["out"].split()) == ["10.66.0.2", "10.66.0.3", "fd66::2"], done
    # Its time-out is 5 seconds; timeout(1) makes waiting for it the failure 124.
    done = named_box.do("run", argv=["timeout", "4", musl, "other.test"])
    assert done["code"] == 1, done
    assert names.asked("other.test") == []


def test_a_name_that_fails_is_a_warning_and_no_more(named_box):
    warnings = {w["rule"].split(":")[0]: w for w in named_box.list()["warnings"] if w["code"] == "unresolved"}
    assert {"missing.test", "failing.test"} <= set(warnings)
    assert "NXDOMAIN" in warnings["missing.test"]["text"]
    assert "SERVFAIL" in warnings["failing.test"]["text"]
    assert all(w["remedy"] for w in warnings.values())
    assert named_box.do("resolve", name="public.test")["addresses"] == ["192.0.2.10"]


def test_a_name_that_turns_private_is_not_followed(lab, named_box):
    """DNS rebinding: the name's owner must not be able to point a rule into this network."""
    warnings = named_box.list()["warnings"]
    assert any(w["code"] == "private_address" and "rebound.test" in w["text"] for w in warnings), warnings
    assert named_box.do("connect", address="10.66.0.9", port=lab.allowed.port)["errno"] == "EPERM"
    assert named_box.do("resolve", name="rebound.test")["addresses"] == []


@pytest.mark.parametrize("written", ["PUBLIC.Test:443", "public.test.:443"])
def test_spellings_of_a_name(open_box, names, written):
    box = open_box(allow=[written], prefix=names.prefix())
    assert box.do("resolve", name="public.test")["addresses"] == ["192.0.2.10"]
    assert [r["host"] for r in box.list()["rules"]] == ["public.test"]


def test_explain_by_name(lab, named_box):
    answer = named_box.call("egress.explain", name=named_box.name, target=f"api.test:{lab.allowed.port}")
    assert answer["verdict"] == "allow" and answer["rule"]["text"] == f"api.test:{lab.allowed.port}"
    answer = named_box.call("egress.explain", name=named_box.name, target="other.test:443")
    assert answer["verdict"] == "deny" and "other.test:443" in answer["remedy"]


def test_in_open_mode_other_names_resolve_as_outside(open_box, names):
    """The host's mode is in the test's own /etc."""
    folder = names.etc / "sluice/policy.d"
    folder.mkdir(parents=True)
    (folder / "mode.toml").write_text('[mode]\ndefault = "open"\n')
    try:
        box = open_box(allow=["api.test:1"], prefix=names.prefix())
        assert box.do("resolve", name="public.test")["addresses"] == ["192.0.2.10"]
        assert box.list()["mode"] == "open"
        assert "mode is \"open\" (audit)" in box.stderr()
    finally:
        shutil.rmtree(names.etc / "sluice")


def test_the_machines_own_files_are_untouched(named_box):
    with open("/etc/hosts") as file:
        assert "api.test" not in file.read()
    named_box.end()
    with open("/etc/hosts") as file:
        assert "api.test" not in file.read()
