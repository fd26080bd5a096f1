"""Loopback: the sandbox's own services work, the host's are refused unless a rule names them."""

import pytest

import sandbox

LISTENERS = [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("0.0.0.0", "127.0.0.2"),
             ("::1", "::1"), ("::", "::1"), ("::", "::"), ("::", "127.0.0.1"), ("::", "::ffff:127.0.0.1")]
SPELLINGS = ["127.0.0.1", "127.0.0.2", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "10.66.0.1", "fd66::1"]


@pytest.fixture(scope="module")
def service(lab):
    """A service of the host, on every address of it."""
    return lab.peer("host", "::")


def unused_port(lab):
    peer = lab.peer("host", "::")
    peer.close()
    return peer.port


@pytest.mark.parametrize("bound, asked", LISTENERS)
def test_own_listener(box, bound, asked):
    port = box.do("listen", address=bound)["port"]
    assert box.do("connect", address=asked, port=port, echo=True) | {"us": 0} == {"errno": None, "us": 0, "echo": True}
    assert box.do("from_fork", request={"do": "connect", "address": asked, "port": port})["errno"] is None


def test_listen_without_bind(box):
    port = box.do("listen", family=2)["port"]
    assert box.do("connect", address="127.0.0.1", port=port, echo=True)["echo"] is True
    port = box.do("listen", family=10)["port"]
    assert box.do("connect", address="::1", port=port, echo=True)["echo"] is True


@pytest.mark.parametrize("address", SPELLINGS)
def test_host_service_is_refused(box, bare, service, address):
    before = service.counts()["tcp"]
    assert box.do("connect", address=address, port=service.port)["errno"] == "EPERM"
    assert service.counts()["tcp"] == before
    assert box.denials(port=service.port)
    assert bare("connect", address=address, port=service.port, echo=True)["echo"] is True


@pytest.mark.parametrize("rule, passes", [
    ("127.0.0.1", ["127.0.0.1", "0.0.0.0", "::ffff:127.0.0.1"]),
    ("[::1]", ["::1", "::"]),
    ("localhost", ["127.0.0.1", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1"]),
    ("127.0.0.0/8", ["127.0.0.1", "127.0.0.2", "0.0.0.0", "::ffff:127.0.0.1"]),
])
def test_host_service_by_rule(open_box, service, rule, passes):
    box = open_box(allow=[f"{rule}:{service.port}"])
    for address in SPELLINGS:
        expected = None if address in passes else "EPERM"
        assert box.do("connect", address=address, port=service.port)["errno"] == expected, address
    assert sum(r["hits"] for r in box.list()["rules"]) == len(passes)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2", "::1", "0.0.0.0", "::"])
def test_nobody_listens(lab, box, address):
    """What polls for a server of its own expects ECONNREFUSED, not EPERM."""
    assert box.do("connect", address=address, port=unused_port(lab))["errno"] == "ECONNREFUSED"


@pytest.mark.parametrize("address, spelt", [("127.0.0.1", "127.0.0.1"), ("::1", "[::1]")])
def test_explain_knows_who_listens(lab, box, service, address, spelt):
    """Asked from outside, it says what a connect from inside would meet."""

    def explained(port):
        target = f"{spelt}:{port}"
        said = sandbox.sluice("explain", box.name, target)
        assert said.returncode == 0 and target in said.stdout, said.stderr
        return box.call("egress.explain", name=box.name, target=target), said.stdout

    port = box.do("listen", address=address)["port"]
    answer, said = explained(port)
    assert (answer["verdict"], answer["reason"]) == ("allow", "own_listener") and "refused" not in said
    assert box.do("connect", address=address, port=port)["errno"] is None
    answer, _ = explained(unused_port(lab))
    assert answer["reason"] == "no_listener"
    answer, said = explained(service.port)
    assert (answer["verdict"], answer["reason"]) == ("deny", "loopback_service") and "refused" in said


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_own_udp_with_replies(box, service, address):
    port = box.do("listen_udp", address=address)["port"]
    assert box.do("udp", address=address, port=port, echo=True)["echo"] is True
    assert box.do("udp", address=address, port=port, how="send", echo=True)["echo"] is True


@pytest.mark.parametrize("how", ["sendto", "sendmsg", "sendmmsg", "send"])
@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2", "::1", "0.0.0.0"])
def test_udp_service_of_the_host_is_refused(box, bare, service, address, how):
    before = service.counts()["udp"]
    assert box.do("udp", address=address, port=service.port, how=how)["errno"] == "EPERM"
    assert service.counts()["udp"] == before
    # A connected socket gets no reply from a service that answers as 127.0.0.1.
    echo = not (how == "send" and address == "127.0.0.2")
    assert bare("udp", address=address, port=service.port, how=how, echo=echo)["errno"] is None


def test_another_sandbox_is_not_own(open_box):
    """A service of one sandbox is a host service to the other."""
    one, other = open_box(), open_box()
    port = one.do("listen", address="127.0.0.1")["port"]
    assert one.do("connect", address="127.0.0.1", port=port, echo=True)["echo"] is True
    assert other.do("connect", address="127.0.0.1", port=port)["errno"] == "EPERM"


def test_dev_server_and_client(box, tmp_path):
    """What a coding agent does all day: start a server, poll it, fetch from it, stop it."""
    (tmp_path / "index.html").write_text("hello from inside\n")
    script = f"""
        cd {tmp_path}
        python3 -u -m http.server --bind 127.0.0.1 0 >server.log 2>&1 &
        server=$!
        until port=$(sed -n 's/.*port \\([0-9]*\\) .*/\\1/p' server.log) && [ -n "$port" ]; do :; done
        until curl -fsS "http://localhost:$port/index.html" 2>/dev/null; do :; done
        kill $server
    """
    done = box.do("run", argv=["sh", "-c", script])
    assert done["out"] == "hello from inside\n", done
