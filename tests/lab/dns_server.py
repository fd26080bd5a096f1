"""A DNS server that answers what a script says, over UDP and TCP; counts what it was asked.

As a program: `dns_server.py SCRIPT.json [ADDRESS[:PORT]]` prints its port, then answers every line
on stdin with one line on stdout: `queries` -> the JSON list of questions so far as [name, type,
"udp"|"tcp"]. It ends with its stdin.

SCRIPT maps "NAME TYPE" to an answer; "NAME" alone stands for every type:
  {"answer": ["NAME TTL TYPE DATA", ...],   records as they go out, chain and all
   "authority": [...],                      likewise
   "rcode": 0,                              2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED
   "truncate": true,                        over UDP: no records, TC set
   "silent": true,                          no answer at all
   "garbage": true}                         right header and question, then bytes that parse as nothing
A list is short for {"answer": [...]}. A name that is not there is NXDOMAIN; a type that is not,
no data; both with an SOA. "* TYPE" answers for every name that is not there; in it {name} stands
for the name. DATA may be a range: "10.0.0.1+200" stands for 200 addresses.
"""

import ipaddress
import json
import socket
import struct
import sys
import threading

TYPES = {"A": 1, "NS": 2, "CNAME": 5, "SOA": 6, "TXT": 16, "AAAA": 28}
TYPE_NAMES = {number: name for name, number in TYPES.items()}
SOA = ". 60 SOA"


def wire_name(name):
    labels = [label.encode() for label in name.rstrip(".").split(".") if label]
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def wire_data(kind, data):
    if kind in ("A", "AAAA"):
        return ipaddress.ip_address(data).packed
    if kind == "SOA":
        return wire_name("ns.test") + wire_name("root.test") + struct.pack("!5I", 1, 60, 60, 60, 0)
    if kind == "TXT":
        return bytes([len(data)]) + data.encode()
    return wire_name(data)


def records(lines):
    """The records' wire forms."""
    out = []
    for line in lines:
        name, ttl, kind, *data = line.split()
        data = data[0] if data else ""
        first, _, count = data.partition("+")
        for i in range(int(count or 1)):
            value = str(ipaddress.ip_address(first) + i) if count else first
            wire = wire_data(kind, value)
            out.append(wire_name(name) + struct.pack("!HHIH", TYPES[kind], 1, int(ttl), len(wire)) + wire)
    return out


def question_of(query):
    """(name, type name, end offset) of a query's first question."""
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1 : at + 1 + query[at]].decode("latin-1"))
        at += 1 + query[at]
    kind, _ = struct.unpack_from("!HH", query, at + 1)
    return ".".join(labels).lower(), TYPE_NAMES.get(kind, str(kind)), at + 5


class DnsServer:
    def __init__(self, script, address="127.0.0.1", port=0):
        self.script = script
        self.queries = []
        self.tcp, self.udp = self._sockets(address, port)
        self.address, self.port = self.tcp.getsockname()[:2]
        for serve in (self._serve_udp, self._serve_tcp):
            threading.Thread(target=serve, daemon=True).start()

    @staticmethod
    def _sockets(address, port):
        """A TCP and a UDP socket with the same port."""
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        for _ in range(50):
            tcp = socket.create_server((address, port), family=family)
            udp = socket.socket(family, socket.SOCK_DGRAM)
            try:
                udp.bind((address, tcp.getsockname()[1]))
                return tcp, udp
            except OSError:
                tcp.close()
                udp.close()
                if port:
                    raise
        raise OSError("no port that is free for TCP and UDP")

    def close(self):
        self.tcp.close()
        self.udp.close()

    def count(self, name=None, transport=None):
        return sum(
            1 for asked, _, by in self.queries if name in (None, asked) and transport in (None, by)
        )

    def _scripted(self, name, kind):
        said = self.script.get(f"{name} {kind}", self.script.get(name))
        known = any(key.split()[0] == name for key in self.script)
        if said is None and not known and f"* {kind}" in self.script:
            said = [line.format(name=name) for line in self.script[f"* {kind}"]]
        if said is None:
            known = known or any(key.startswith("* ") for key in self.script)
            return {"rcode": 0 if known else 3, "authority": [SOA]}
        return {"answer": said} if isinstance(said, list) else said

    def reply(self, query, transport):
        """The answer's bytes, or None for silence."""
        name, kind, end = question_of(query)
        self.queries.append((name, kind, transport))
        said = self._scripted(name, kind)
        if said.get("silent"):
            return None
        truncate = bool(said.get("truncate")) and transport == "udp"
        answer = [] if truncate else records(said.get("answer", []))
        authority = [] if truncate else records(said.get("authority", []))
        flags = 0x8180 | (0x0200 if truncate else 0) | said.get("rcode", 0)
        body = query[12:end] + b"".join(answer) + b"".join(authority)
        count = len(answer)
        if said.get("garbage"):
            body, count = query[12:end] + b"\xc0\xff\xff\xff\xff", 7
        return query[:2] + struct.pack("!5H", flags, 1, count, len(authority), 0) + body

    def _serve_udp(self):
        while True:
            try:
                query, peer = self.udp.recvfrom(4096)
                answer = self.reply(query, "udp")
                if answer is not None:
                    self.udp.sendto(answer, peer)
            except OSError:
                return

    def _serve_tcp(self):
        while True:
            try:
                peer, _ = self.tcp.accept()
            except OSError:
                return
            threading.Thread(target=self._talk_tcp, args=(peer,), daemon=True).start()

    def _talk_tcp(self, peer):
        with peer, peer.makefile("rb") as stream:
            while len(head := stream.read(2)) == 2:
                answer = self.reply(stream.read(struct.unpack("!H", head)[0]), "tcp")
                if answer is not None:
                    peer.sendall(struct.pack("!H", len(answer)) + answer)


def main():
    with open(sys.argv[1]) as file:
        script = json.load(file)
    address, _, port = (sys.argv[2] if len(sys.argv) > 2 else "127.0.0.1").partition(":")
    server = DnsServer(script, address, int(port or 0))
    print(server.port, flush=True)
    for line in sys.stdin:
        known = line.strip() == "queries"
        print(json.dumps(server.queries if known else {"error": f"unknown: {line.strip()}"}), flush=True)


if __name__ == "__main__":
    main()
