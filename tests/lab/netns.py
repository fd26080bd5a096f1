"""A network of namespaces: a "host" where sluice runs, and two peers behind its bridge.

Nothing of the machine's own network changes: each namespace belongs to a process that this test
started and ends with it, and everything in it goes with the namespace. `nsenter --net` enters one
(`ip netns exec` would remount /sys and lose the cgroup mounts).
"""

import json
import os
import subprocess
import sys

PEER = os.path.join(os.path.dirname(__file__), "peer.py")
HOST4, HOST6 = "10.66.0.1", "fd66::1"
PEERS = {"allowed": ("10.66.0.2", "fd66::2"), "evil": ("10.66.0.3", "fd66::3")}


class Namespace:
    """A network namespace with `lo` up, held by a process of its own."""

    def __init__(self):
        # cat lives exactly as long as its stdin is open: also when this process is killed.
        self.holder = subprocess.Popen(
            ["unshare", "--net", "--", "sh", "-c", "ip link set lo up && echo up && exec cat >/dev/null"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        if self.holder.stdout.readline() != b"up\n":
            raise RuntimeError("cannot make a network namespace: these tests need root")
        self.path = f"/proc/{self.holder.pid}/ns/net"

    def enter(self, *command):
        """The command line that runs `command` in here."""
        return ["nsenter", f"--net={self.path}", "--", *command]

    def run(self, *command):
        subprocess.run(self.enter(*command), check=True)

    def close(self):
        self.holder.stdin.close()
        self.holder.wait()


class Peer:
    """lab/peer.py in a namespace: echo servers for TCP and UDP on one port, and a packet counter."""

    def __init__(self, namespace, *bind, port=0):
        self.process = subprocess.Popen(
            namespace.enter(sys.executable, "-B", PEER, str(port), *bind),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        self.port = json.loads(self.process.stdout.readline())["port"]

    def counts(self):
        """{"tcp": connections, "udp": datagrams, "packets": packets to this peer's addresses}."""
        self.process.stdin.write("counts\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Lab:
    """host (10.66.0.1, fd66::1) - bridge - allowed (.2) and evil (.3)."""

    def __init__(self):
        self.host = Namespace()
        self.spaces = {name: Namespace() for name in PEERS}
        self._opened = []
        ip = lambda *words: self.host.run("ip", *words)
        ip("link", "add", "br0", "type", "bridge")
        ip("link", "set", "br0", "up")
        self._addresses(self.host, "br0", HOST4, HOST6)
        for name, (v4, v6) in PEERS.items():
            space = self.spaces[name]
            ip("link", "add", f"v-{name}", "type", "veth", "peer", "name", "eth0", "netns", str(space.holder.pid))
            ip("link", "set", f"v-{name}", "master", "br0", "up")
            space.run("ip", "link", "set", "eth0", "up")
            self._addresses(space, "eth0", v4, v6)
        self.allowed = self.peer("allowed", "::")
        self.evil = self.peer("evil", "::")

    @staticmethod
    def _addresses(space, device, v4, v6):
        space.run("ip", "addr", "add", f"{v4}/24", "dev", device)
        # nodad: usable at once.
        space.run("ip", "-6", "addr", "add", f"{v6}/64", "dev", device, "nodad")

    def peer(self, where, *bind, port=0):
        """Another peer in "host", "allowed" or "evil"; "::" listens on both families."""
        space = self.host if where == "host" else self.spaces[where]
        self._opened.append(Peer(space, *bind, port=port))
        return self._opened[-1]

    def close(self):
        for peer in self._opened:
            peer.close()
        for space in (*self.spaces.values(), self.host):
            space.close()
