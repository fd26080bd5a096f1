"""Ways out that were found once: each must be refused inside, and works outside, or the test proves nothing."""

import json
import subprocess

import sandbox

# Sends "loopback" datagrams by way of the bridge; {how: errno name or null}.
DEVICE = r"""
import errno, json, socket, struct
own = {socket.AF_INET: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
       socket.AF_INET6: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)}
own[socket.AF_INET].bind(("0.0.0.0", 0))
own[socket.AF_INET6].bind(("::1", 0))
index = socket.if_nametoindex("br0")
def send(family, to, options=(), control=(), connect=False):
    s = socket.socket(family, socket.SOCK_DGRAM)
    for level, name, value in options:
        s.setsockopt(level, name, value)
    target = (to, own[family].getsockname()[1])
    try:
        if connect:
            s.connect(target)
            s.send(b"x")
        else:
            s.sendmsg([b"x"], control, 0, target)
    except OSError as e:
        return errno.errorcode[e.errno]
V4, V6 = socket.AF_INET, socket.AF_INET6
device = [(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"br0\0")]
print(json.dumps({
    "device": send(V4, "127.0.0.9", device),
    "device, connected": send(V4, "127.0.0.1", device, connect=True),
    "IP_UNICAST_IF": send(V4, "127.0.0.9", [(socket.IPPROTO_IP, 50, struct.pack("!i", index))]),
    "IP_PKTINFO": send(V4, "127.0.0.9", control=[(socket.IPPROTO_IP, 8, struct.pack("=i8x", index))]),
    "device, v6": send(V6, "::1", device),
    "plain": send(V4, "127.0.0.1"),
    "plain v6": send(V6, "::1"),
}))
"""

# Makes sockets, gives them away through an abstract Unix socket, and ends.
GIVE = r"""
import socket, sys
made = [socket.socket(socket.AF_INET, kind) for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM)]
s = socket.socket(socket.AF_UNIX)
s.connect("\0" + sys.argv[1])
socket.send_fds(s, [b"x"], [m.fileno() for m in made])
s.recv(1)
"""


# Takes them, waits for a line, and tries them on the forbidden peer.
TAKE = r"""
import errno, json, socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind("\0" + sys.argv[1])
server.listen(1)
print("listening", flush=True)
giver, _ = server.accept()
_, fds, _, _ = socket.recv_fds(giver, 1, 2)
tcp, udp = (socket.socket(fileno=fd) for fd in fds)
giver.sendall(b"x")
sys.stdin.readline()
def attempt(act):
    try:
        act()
    except OSError as e:
        return errno.errorcode[e.errno]
to = ("10.66.0.3", int(sys.argv[2]))
print(json.dumps({"tcp": attempt(lambda: tcp.connect(to)), "udp": attempt(lambda: udp.sendto(b"x", to))}))
"""


def as_user(lab, code, *words, name=None):
    """Runs Python code in a sandbox without rules, as an ordinary user."""
    env = {"PATH": "/usr/bin:/bin", "SUDO_UID": "65534", "SUDO_GID": "65534", "SUDO_USER": "nobody"}
    named = ["--name", name or sandbox.new_name()]
    return sandbox.sluice("run", "--quiet", *named, "--", "/usr/bin/python3", "-c", code, *words, space=lab.host, env=env)


def test_loopback_datagrams_do_not_leave_by_another_device(lab):
    inside = as_user(lab, DEVICE)
    assert inside.returncode == 0, inside.stderr
    answers = json.loads(inside.stdout)
    plain = {how: answers.pop(how) for how in ("plain", "plain v6")}
    assert plain == {"plain": None, "plain v6": None}, "the sandbox's own datagrams work"
    outside = subprocess.run(lab.host.enter("/usr/bin/python3", "-c", DEVICE), capture_output=True, text=True, timeout=sandbox.LIMIT)
    free = json.loads(outside.stdout)
    for how, answer in answers.items():
        # Where the network itself has no way, refusing it proves nothing and is not needed.
        if free[how] is None:
            assert answer == "EPERM", how
    assert free["device"] is None and free["IP_PKTINFO"] is None


def test_a_socket_stays_enforced_when_its_sandbox_has_ended(lab):
    name = sandbox.new_name()
    # Abstract names belong to the network namespace, so the taker listens in the lab's host.
    taker = subprocess.Popen(
        lab.host.enter("/usr/bin/python3", "-c", TAKE, name, str(lab.evil.port)),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert taker.stdout.readline() == "listening\n"
    before = lab.evil.counts()
    done = as_user(lab, GIVE, name)
    assert done.returncode == 0, done.stderr
    out, _ = taker.communicate("the sandbox is gone\n", timeout=sandbox.LIMIT)
    assert json.loads(out) == {"tcp": "EPERM", "udp": "EPERM"}
    assert lab.evil.counts() == before
