"""Sockets that are not plain TCP or UDP, and ways to send that avoid connect()."""

import socket

import pytest

INET, INET6 = socket.AF_INET, socket.AF_INET6
STREAM, DGRAM, RAW = socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW
ICMP, ICMPV6, UDPLITE, SCTP, L2TP, MPTCP = 1, 58, 136, 132, 115, 262
IGMP, RAW_IP = 2, 255

KINDS = {
    "raw icmp": (INET, RAW, ICMP), "raw tcp": (INET, RAW, 6), "raw igmp": (INET, RAW, IGMP),
    "raw with own header": (INET, RAW, RAW_IP), "raw icmpv6": (INET6, RAW, ICMPV6),
    "ping": (INET, DGRAM, ICMP), "ping6": (INET6, DGRAM, ICMPV6),
    "udplite": (INET, DGRAM, UDPLITE), "udplite6": (INET6, DGRAM, UDPLITE),
    "sctp": (INET, STREAM, SCTP), "sctp6": (INET6, STREAM, SCTP), "sctp seqpacket": (INET, 5, SCTP),
    "l2tp": (INET, DGRAM, L2TP),
}
PLAIN = [(INET, STREAM, 0), (INET6, STREAM, 0), (INET, STREAM, 6), (INET, DGRAM, 0), (INET6, DGRAM, 17)]


@pytest.fixture(scope="module", autouse=True)
def anyone_may_ping(lab):
    lab.host.run("sh", "-c", "echo 0 2147483647 >/proc/sys/net/ipv4/ping_group_range")


@pytest.mark.parametrize("kind", KINDS)
def test_kind_is_refused(box, bare, kind):
    family, type, protocol = KINDS[kind]
    ask = {"family": family, "type": type, "protocol": protocol}
    outside = bare("make_socket", **ask)["errno"]
    if outside in ("EPROTONOSUPPORT", "ESOCKTNOSUPPORT"):
        pytest.skip(f"this kernel has no {kind} sockets (CONFIG_IP_SCTP, CONFIG_L2TP)")
    assert outside is None
    before = box.list()["counters"]["refused"]
    assert box.do("make_socket", **ask)["errno"] == "EPERM"
    assert box.list()["counters"]["refused"] == before + 1
    assert any(d["reason"] == "socket_type" for d in box.list()["denials"])


@pytest.mark.parametrize("family, type, protocol", PLAIN)
def test_plain_sockets_exist(box, family, type, protocol):
    assert box.do("make_socket", family=family, type=type, protocol=protocol)["errno"] is None


def test_unix_sockets_and_route_netlink_are_untouched(box):
    assert box.do("make_socket", family=socket.AF_UNIX, type=STREAM, protocol=0)["errno"] is None
    assert box.do("make_socket", family=socket.AF_NETLINK, type=RAW, protocol=0)["errno"] is None


def test_fast_open(lab, box):
    """The SYN of TCP fast open leaves by sendto, without a connect()."""
    reached = lab.evil.counts()
    for address in ("10.66.0.3", "fd66::3"):
        assert box.do("fast_open", address=address, port=lab.evil.port)["errno"] == "EPERM"
    assert lab.evil.counts() == reached
    for address in ("10.66.0.2", "fd66::2"):
        assert box.do("fast_open", address=address, port=lab.allowed.port)["errno"] is None


def test_mptcp(lab, box, bare):
    ask = {"address": "10.66.0.2", "port": lab.allowed.port, "protocol": MPTCP, "echo": True}
    if bare("make_socket", family=INET, type=STREAM, protocol=MPTCP)["errno"]:
        pytest.skip("this kernel has no MPTCP (CONFIG_MPTCP)")
    reached = lab.evil.counts()
    assert box.do("connect", **ask)["echo"] is True
    assert box.do("connect", **{**ask, "address": "10.66.0.3", "port": lab.evil.port, "echo": False})["errno"] == "EPERM"
    assert lab.evil.counts() == reached


def test_reconnect_after_unspec(lab, box):
    """A socket that was allowed once is judged again when it is connected elsewhere."""
    reached = lab.evil.counts()
    result = box.do("reconnect", first=["10.66.0.2", lab.allowed.port], second=["10.66.0.3", lab.evil.port])
    assert (result["first"], result["second"]) == (None, "EPERM")
    assert lab.evil.counts() == reached
    result = box.do("reconnect", first=["10.66.0.2", lab.allowed.port], second=["10.66.0.2", lab.allowed.port])
    assert (result["first"], result["second"]) == (None, None)


def test_ip_options_do_not_leave(lab, box, bare):
    """Loose source routing: the header's destination is allowed, where it goes on to is not."""
    reached = lab.allowed.counts()["packets"], lab.evil.counts()["packets"]
    ask = {"address": "10.66.0.2", "port": lab.allowed.port, "through": "10.66.0.3"}
    assert box.do("source_route", **ask)["errno"] is not None
    assert (lab.allowed.counts()["packets"], lab.evil.counts()["packets"]) == reached
    bare("source_route", **ask)
    assert (lab.allowed.counts()["packets"], lab.evil.counts()["packets"]) != reached
