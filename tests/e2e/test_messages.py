"""Hostile messages to the agent: a clear answer, and everything else goes on."""

import subprocess

import pytest

import control
import sandbox

NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
DEPTH = 500_000

# Sent as it is by somebody who may not ask anything.
SENDER = """
import socket, sys
with socket.socket(socket.AF_UNIX) as to:
    to.settimeout(60)
    to.connect(sys.argv[1])
    try:
        to.sendall(sys.stdin.buffer.read())
        print(to.recv(4096).decode())
    except OSError as error:
        print(error)  # closed on us: an answer too
"""
HOSTILE = {
    "open brackets": "[" * DEPTH,
    "brackets": "[" * DEPTH + "]" * DEPTH,
    "open objects": '{"a":' * (DEPTH // 3),
    "parameters": '{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":' + "[" * DEPTH + "]" * DEPTH + "}}",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_deeply_nested_messages(box, kind):
    agent = box.call("status")["agent"]["pid"]
    done = subprocess.run([*NOBODY, "/usr/bin/python3", "-c", SENDER, control.socket_of(box.name)],
                          input=HOSTILE[kind] + "\n", capture_output=True, text=True, timeout=sandbox.LIMIT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert box.call("status")["agent"]["pid"] == agent
    assert box.do("connect", address="10.66.0.3", port=443)["errno"] == "EPERM"
    assert box.denials(dst="10.66.0.3")
