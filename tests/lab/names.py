"""Gives commands in the lab's host namespace a DNS server, hosts file and certificates of the test's own.

Only they see it: a private mount namespace with a copy of /etc over /etc.
"""

import json
import os
import pathlib
import subprocess
import sys

DNS_SERVER = os.path.join(os.path.dirname(__file__), "dns_server.py")
ENTER = 'mount --bind "$1" /etc && shift && exec "$@"'


class Names:
    def __init__(self, space, folder, script, hosts=""):
        self.etc = pathlib.Path(folder) / "etc"
        subprocess.run(["cp", "-a", "/etc", self.etc], check=True)
        self._replace("hosts", "127.0.0.1 localhost\n::1 localhost\n" + hosts)
        self._replace("resolv.conf", "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
        file = pathlib.Path(folder) / "dns.json"
        file.write_text(json.dumps(script))
        # Port 53 of a namespace that is ours alone: resolv.conf can name no other.
        self.server = subprocess.Popen(
            space.enter(sys.executable, "-B", DNS_SERVER, str(file), "127.0.0.1:53"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        assert self.server.stdout.readline().strip() == "53"

    def _replace(self, name, text):
        path = self.etc / name
        path.unlink(missing_ok=True)  # may be a symlink to elsewhere
        path.write_text(text)

    def prefix(self):
        """What goes in front of a command that shall see these names."""
        return ["unshare", "--mount", "--", "sh", "-c", ENTER, "sh", str(self.etc)]

    def asked(self, name=None):
        """The questions so far, or those for one name."""
        self.server.stdin.write("queries\n")
        self.server.stdin.flush()
        queries = json.loads(self.server.stdout.readline())
        return [q for q in queries if name in (None, q[0])]

    def close(self):
        self.server.stdin.close()
        self.server.wait()
