"""Echo servers for the lab. usage: peer.py PORT ADDRESS... (PORT 0: a free one, the same for all)

Prints {"port": N}. Each line on stdin is answered by {"tcp":, "udp":, "packets":}; ends with its
stdin. `packets` counts what was sent to this interface, whatever the protocol,
so a packet that no socket would see still counts; neighbour discovery does not.
"""

import json
import socket
import sys
import threading

ETH_P_ALL = 3
counts = {"tcp": 0, "udp": 0, "packets": 0}


def family_of(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def listen(address, port):
    """TCP and UDP sockets on the same port; "::" serves IPv4 too."""
    both = address == "::"
    tcp = socket.create_server((address, port), family=family_of(address), dualstack_ipv6=both)
    udp = socket.socket(family_of(address), socket.SOCK_DGRAM)
    if both:
        udp.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    udp.bind((address, tcp.getsockname()[1]))
    return tcp, udp


def listen_all(addresses, port):
    for _ in range(50):
        opened = []
        try:
            for address in addresses:
                opened += listen(address, opened[0].getsockname()[1] if opened else port)
            return opened
        except OSError:
            for s in opened:
                s.close()
            if port:
                raise
    raise OSError("no port that is free everywhere")


def echo(peer):
    with peer:
        try:
            while data := peer.recv(65536):
                peer.sendall(data)
        except OSError:
            pass


def serve_tcp(server):
    while True:
        peer, _ = server.accept()
        counts["tcp"] += 1
        threading.Thread(target=echo, args=(peer,), daemon=True).start()


def serve_udp(server):
    while True:
        data, peer = server.recvfrom(65536)
        counts["udp"] += 1
        server.sendto(data, peer)


def is_traffic(kind, packet):
    if kind == 0x86DD:
        return len(packet) > 40 and not (packet[6] == 58 and 133 <= packet[40] <= 137)
    return kind == 0x0800


def sniff(tap):
    while True:
        packet, where = tap.recvfrom(65536)
        # 0 is PACKET_HOST: addressed to this interface, neither flooded nor multicast nor our own.
        if where[2] == 0 and is_traffic(where[1], packet):
            counts["packets"] += 1


def main():
    sockets = listen_all(sys.argv[2:], int(sys.argv[1]))
    tap = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
    jobs = [(serve_tcp, s) for s in sockets[::2]] + [(serve_udp, s) for s in sockets[1::2]]
    for job, sock in [*jobs, (sniff, tap)]:
        threading.Thread(target=job, args=(sock,), daemon=True).start()
    print(json.dumps({"port": sockets[0].getsockname()[1]}), flush=True)
    for _ in sys.stdin:
        print(json.dumps(counts), flush=True)


main()
