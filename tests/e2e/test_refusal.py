"""The refusal matrix: each denied attempt beside one that is allowed, with the counters' word and
the peers' own count of what reached them."""

import pytest

ALLOWED = {"v4": "10.66.0.2", "v6": "fd66::2", "mapped": "::ffff:10.66.0.2"}
EVIL = {"v4": "10.66.0.3", "v6": "fd66::3", "mapped": "::ffff:10.66.0.3"}
AS_LISTED = {"10.66.0.3": "10.66.0.3", "fd66::3": "fd66::3", "::ffff:10.66.0.3": "10.66.0.3"}
FAMILIES = ["v4", "v6", "mapped"]
SENDS = ["sendto", "sendmsg", "sendmmsg", "send"]


def hits(box):
    return sum(rule["hits"] for rule in box.list()["rules"])


@pytest.mark.parametrize("family", FAMILIES)
def test_tcp_connect(lab, box, family):
    reached = lab.evil.counts()
    assert box.do("connect", address=ALLOWED[family], port=lab.allowed.port, echo=True)["echo"] is True
    assert hits(box) == 1
    assert box.do("connect", address=EVIL[family], port=lab.evil.port)["errno"] == "EPERM"
    (denial,) = box.denials(reason="no_rule")
    assert (denial["dst"], denial["port"], denial["proto"], denial["count"]) == (
        AS_LISTED[EVIL[family]], lab.evil.port, "tcp", 1)
    assert "--allow" in denial["remedy"] or "sluice add" in denial["remedy"]
    assert hits(box) == 1
    assert lab.evil.counts() == reached


@pytest.mark.parametrize("family", FAMILIES)
def test_nonblocking_connect_is_refused_at_once(lab, box, family):
    ask = {"nonblocking": True}
    assert box.do("connect", address=ALLOWED[family], port=lab.allowed.port, **ask)["errno"] == "EINPROGRESS"
    assert box.do("connect", address=EVIL[family], port=lab.evil.port, **ask)["errno"] == "EPERM"


@pytest.mark.parametrize("family", FAMILIES)
def test_wrong_port(lab, box, family):
    other = lab.peer("allowed", "::")
    assert box.do("connect", address=ALLOWED[family], port=other.port)["errno"] == "EPERM"
    (denial,) = box.denials(port=other.port)
    assert denial["reason"] == "wrong_port"
    assert other.counts()["tcp"] == 0
    assert box.do("connect", address=ALLOWED[family], port=lab.allowed.port, echo=True)["echo"] is True


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("how", SENDS)
def test_udp(lab, box, bare, family, how):
    """Rules are for TCP. The same datagram from outside the sandbox arrives."""
    for address, peer in ((EVIL[family], lab.evil), (ALLOWED[family], lab.allowed)):
        before = peer.counts()
        assert box.do("udp", address=address, port=peer.port, how=how)["errno"] == "EPERM"
        assert peer.counts() == before
        assert bare("udp", address=address, port=peer.port, how=how, echo=True)["echo"] is True
        assert peer.counts()["udp"] == before["udp"] + 1
    # Both families' attempts are there, with their reason.
    assert {d["reason"] for d in box.denials(proto="udp")} == {"udp"}


@pytest.mark.parametrize("family", FAMILIES)
def test_udp_connect_to_a_rules_address_sorts_addresses(lab, box, family):
    """getaddrinfo connects UDP sockets to candidates and sends nothing; elsewhere it is refused."""
    before = lab.allowed.counts()
    assert box.do("udp", address=ALLOWED[family], port=lab.allowed.port, how="connect")["errno"] is None
    assert box.do("udp", address=EVIL[family], port=lab.evil.port, how="connect")["errno"] == "EPERM"
    assert lab.allowed.counts() == before


@pytest.mark.parametrize("family", FAMILIES)
def test_dns_to_any_server_is_refused(lab, box, bare, family):
    """No packet to port 53 leaves, even for the host of a rule."""
    server = lab.evil.port
    before = lab.evil.counts(), lab.allowed.counts()
    for address in (EVIL[family], ALLOWED[family]):
        assert box.do("udp", address=address, port=53)["errno"] == "EPERM"
        assert box.do("connect", address=address, port=53)["errno"] == "EPERM"
    assert (lab.evil.counts(), lab.allowed.counts()) == before
    assert box.denials(reason="dns", port=53)
    assert bare("udp", address=EVIL[family], port=server)["errno"] is None


@pytest.mark.parametrize("via", ["thread", "fork", "daemon"])
def test_children_and_threads(lab, box, via):
    def do(address, port):
        request = {"do": "connect", "address": address, "port": port}
        if via == "thread":
            return box.do("from_thread", request=request)["errno"]
        return box.do("from_fork", request=request, daemon=via == "daemon")["errno"]

    reached = lab.evil.counts()
    assert do("10.66.0.2", lab.allowed.port) is None
    assert do("10.66.0.3", lab.evil.port) == "EPERM"
    assert lab.evil.counts() == reached


def test_a_child_cgroup_stays_in(lab, box):
    import sandbox

    def do(address, port):
        request = {"do": "connect", "address": address, "port": port}
        return box.do("from_child_cgroup", request=request, cgroup_root=sandbox.cgroup2())

    reached = lab.evil.counts()
    allowed, refused = do("10.66.0.2", lab.allowed.port), do("10.66.0.3", lab.evil.port)
    assert allowed["moved"] and refused["moved"]
    assert (allowed["errno"], refused["errno"]) == (None, "EPERM")
    assert lab.evil.counts() == reached


@pytest.mark.parametrize("network, inside, refused", [
    ("64:ff9b::/96", "64:ff9b::a42:2", "64:ff9b::a9fe:a9fe"),  # NAT64 of 10.66.0.2, of 169.254.169.254
    ("2002::/16", "2002:a42:2::1", "2002:a9fe:a9fe::1"),       # 6to4 of the same
])
def test_translated_spellings_of_a_denied_address(lab, open_box, network, inside, refused):
    lab.host.run("ip", "-6", "route", "replace", network, "via", "fd66::2")
    lab.spaces["allowed"].run("ip", "-6", "addr", "replace", f"{inside}/128", "dev", "lo", "nodad")
    port = lab.allowed.port
    box = open_box(allow=[f"[{network}]:{port}"])
    before = lab.allowed.counts()
    assert box.do("connect", address=inside, port=port, echo=True)["echo"] is True
    assert lab.allowed.counts()["tcp"] == before["tcp"] + 1
    assert box.do("connect", address=refused, port=port)["errno"] == "EPERM"
    (denial,) = box.denials(dst=refused)
    assert denial["reason"] == "host_deny"


def test_metadata_address_is_denied_even_inside_an_allowed_network(lab, open_box):
    box = open_box(allow=["169.254.0.0/16:80", f"10.66.0.0/24:{lab.allowed.port}"])
    assert box.do("connect", address="169.254.169.254", port=80)["errno"] == "EPERM"
    (denial,) = box.denials(dst="169.254.169.254")
    assert denial["reason"] == "host_deny" and denial["rule"]
    assert box.do("connect", address="10.66.0.2", port=lab.allowed.port, echo=True)["echo"] is True


def test_no_policy_means_nothing_is_allowed(lab, open_box):
    box = open_box(allow=[])
    reached = lab.allowed.counts()
    for address in ("10.66.0.2", "fd66::2"):
        assert box.do("connect", address=address, port=lab.allowed.port)["errno"] == "EPERM"
    assert lab.allowed.counts() == reached


def test_a_network_rule_with_ports(lab, open_box):
    box = open_box(allow=[f"10.66.0.0/24:{lab.allowed.port}"])
    assert box.do("connect", address="10.66.0.2", port=lab.allowed.port, echo=True)["echo"] is True
    other = lab.peer("allowed", "::")
    assert box.do("connect", address="10.66.0.2", port=other.port)["errno"] == "EPERM"
    assert box.do("connect", address="fd66::2", port=lab.allowed.port)["errno"] == "EPERM"
