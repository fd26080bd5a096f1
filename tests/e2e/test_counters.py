"""The counters are exact, and what is listed is what happened."""

import sandbox
from conftest import SOAK

COUNT = 20000 if SOAK else 1000


def test_every_refusal_is_counted(lab, box):
    results = box.do("many", count=COUNT, address="10.66.0.3", port=lab.evil.port)
    assert results == {"EPERM": COUNT}
    listing = box.list()
    (denial,) = box.denials(dst="10.66.0.3")
    assert denial["count"] == COUNT
    assert listing["counters"]["refused"] == COUNT
    assert listing["counters"]["events_lost"] == 0
    assert denial["first"] <= denial["last"]


def test_every_allowed_connect_is_counted(lab, box):
    before = lab.allowed.counts()["tcp"]
    assert box.do("many", count=200, address="10.66.0.2", port=lab.allowed.port) == {"connected": 200}
    (rule,) = [r for r in box.list()["rules"] if r["text"].startswith("10.66.0.2:")]
    assert rule["hits"] == 200
    assert rule["last_hit"]
    # The peer's accept loop may still be at it: the connections are in its queue.
    sandbox.wait_until(lambda: lab.allowed.counts()["tcp"] >= before + 200, "the peer took every connection")
    assert lab.allowed.counts()["tcp"] == before + 200


def test_two_sandboxes_count_apart(lab, open_box):
    one, other = open_box(), open_box()
    one.do("many", count=7, address="10.66.0.3", port=lab.evil.port)
    other.do("many", count=3, address="10.66.0.3", port=lab.evil.port)
    assert [b.denials(dst="10.66.0.3")[0]["count"] for b in (one, other)] == [7, 3]


def test_many_destinations_keep_exact_totals(lab, box):
    """More destinations than the denial table holds: the table forgets, the counters do not."""
    for i in range(3):
        for j in range(200):
            assert box.do("connect", address=f"198.51.{100 + i}.{j}", port=443)["errno"] == "EPERM"
    listing = box.list()
    assert listing["counters"]["refused"] == 600
    assert 0 < len(listing["denials"]) <= 256


def test_who_did_it(lab, box):
    box.do("run", argv=["curl", "-sS", f"http://10.66.0.3:{lab.evil.port}/"])
    (denial,) = box.denials(dst="10.66.0.3")
    assert denial["comm"] == "curl" and denial["pid"] > 1 and denial["uid"] == 0


def test_hostile_process_names_are_escaped(lab, box):
    """The process's name is the sandbox's own bytes: JSON carries them, a terminal never sees them."""
    script = "import socket\nopen('/proc/self/comm','wb').write(b'\\x1b[2Jx\\n')\ns=socket.socket()\n" \
             f"try: s.connect(('10.66.0.3',{lab.evil.port}))\nexcept PermissionError: print('refused')"
    done = box.do("run", argv=["python3", "-c", script])
    assert done["out"] == "refused\n", done
    assert box.denials(dst="10.66.0.3")[0]["comm"] == "\x1b[2Jx\n"
    assert "\x1b" not in sandbox.sluice("list", box.name).stdout
    box.end()
    assert "10.66.0.3" in box.stderr() and "\x1b" not in box.stderr()
    assert "\x1b" not in box.report_file.read_text()
