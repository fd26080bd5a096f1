"""What everyday programs say when they are refused: recorded with `pytest -s`, and never a hang."""

import shutil

import pytest

URL = "http://10.66.0.3:{port}/"
CLIENTS = {
    "curl": ["curl", "-sS", URL],
    "wget": ["wget", "--tries=1", "-O-", URL],
    "git": ["git", "ls-remote", "http://10.66.0.3:{port}/x.git"],
    "git by name": ["git", "ls-remote", "https://git.example.test/x.git"],
    "python": ["python3", "-c", "import urllib.request as r; r.urlopen('" + URL + "')"],
    "python by name": ["python3", "-c", "import urllib.request as r; r.urlopen('http://www.example.test/')"],
    "node": ["node", "-e", "require('http').get('" + URL + "')"],
    "node fetch by name": ["node", "-e", "fetch('http://www.example.test/').catch(e => { console.error(e.cause.message); process.exit(1) })"],
    "npm": ["npm", "view", "left-pad", "--registry=" + URL, "--fetch-retries=0", "--logs-max=0"],
    "bash": ["bash", "-c", "exec 3<>/dev/tcp/10.66.0.3/{port}"],
    "ssh": ["ssh", "-o", "BatchMode=yes", "-p", "{port}", "10.66.0.3", "true"],
}


@pytest.mark.parametrize("client", CLIENTS)
def test_refused(lab, box, client):
    argv = [word.replace("{port}", str(lab.evil.port)) for word in CLIENTS[client]]
    if not shutil.which(argv[0]):
        pytest.skip(f"{argv[0]} is not installed")
    reached = lab.evil.counts()
    # inside.py gives up after a minute: a program that waits for a refused peer fails this test.
    done = box.do("run", argv=argv)
    print(f"\n{client}: exit {done['code']}: {(done['err'] or done['out']).strip()}")
    assert done["code"] != 0
    assert lab.evil.counts() == reached
    assert box.list()["denials"]


def test_a_refused_client_is_explained_at_the_end(lab, box):
    """The exit report names what was refused and the option that would allow it."""
    box.do("run", argv=["curl", "-sS", f"http://10.66.0.3:{lab.evil.port}/"])
    box.end()
    said = box.stderr()
    assert f"10.66.0.3:{lab.evil.port}" in said
    assert f"--allow 10.66.0.3:{lab.evil.port}" in said or "add" in said


def test_ipv6_refusal_falls_back_to_ipv4(lab, open_box):
    """Happy eyeballs: the refused family fails at once, the allowed one is used."""
    box = open_box(allow=[f"10.66.0.2:{lab.allowed.port}"])
    script = f"import socket\nfor a in ('fd66::2', '10.66.0.2'):\n try: socket.create_connection((a, {lab.allowed.port}), 20); print(a)\n except PermissionError: print('refused')"
    assert box.do("run", argv=["python3", "-c", script])["out"].split() == ["refused", "10.66.0.2"]
