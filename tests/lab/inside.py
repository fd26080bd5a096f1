"""What runs in a sandbox under test: does what each line on stdin says, answers with one line.

A line is {"do": NAME, ...}; NAME is a function below. A refusal is data, not an exception: every
socket operation answers {"errno": "EPERM"} or {"errno": null, ...}. Ends with its stdin.
"""

import errno
import json
import os
import socket
import subprocess
import sys
import threading
import time

OPENED = []  # keeps listeners alive


def family_of(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def outcome(action):
    begin = time.perf_counter()
    try:
        result = action() or {}
        name = None
    except OSError as error:
        result = {}
        name = errno.errorcode.get(error.errno, str(error))
    return {"errno": name, "us": (time.perf_counter() - begin) * 1e6, **result}


def echo_once(sock, text=b"ping"):
    sock.settimeout(20)
    sock.sendall(text)
    return sock.recv(1000) == text


def connect(address, port, nonblocking=False, protocol=0, echo=False, bind=None):
    """TCP connect; with `echo` one exchange of data."""
    with socket.socket(family_of(address), socket.SOCK_STREAM, protocol) as sock:
        if bind:
            sock.bind((bind, 0))
        sock.setblocking(not nonblocking)
        return outcome(lambda: sock.connect((address, port)) or {"echo": echo and echo_once(sock)})


def fast_open(address, port):
    """TCP fast open: the SYN leaves by sendto, without connect."""
    with socket.socket(family_of(address), socket.SOCK_STREAM) as sock:
        return outcome(lambda: sock.sendto(b"ping", 0x20000000, (address, port)) and None)


def reconnect(first, second):
    """One socket connected, dissolved by AF_UNSPEC, connected again."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    with socket.socket() as sock:
        one = outcome(lambda: sock.connect(tuple(first)))
        libc.connect(sock.fileno(), bytes(16), 16)
        return {"first": one["errno"], "second": outcome(lambda: sock.connect(tuple(second)))["errno"]}


def source_route(address, port, through):
    """TCP connect with a loose source route; gives up after the first SYN."""
    with socket.socket() as sock:
        option = bytes([131, 11, 4]) + socket.inet_aton(through) + socket.inet_aton(address) + b"\0"

        def act():
            sock.setsockopt(socket.IPPROTO_TCP, 18, 500)  # TCP_USER_TIMEOUT, ms
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_SYNCNT, 1)
            sock.setsockopt(socket.IPPROTO_IP, 4, option)  # IP_OPTIONS
            sock.connect((address, port))

        return outcome(act)


def udp(address, port, how="sendto", echo=False):
    """One datagram: by sendto, sendmsg, sendmmsg, or connect and send."""
    with socket.socket(family_of(address), socket.SOCK_DGRAM) as sock:
        sock.settimeout(20)

        def act():
            if how == "sendto":
                sock.sendto(b"ping", (address, port))
            elif how == "sendmsg":
                sock.sendmsg([b"ping"], [], 0, (address, port))
            elif how == "sendmmsg":
                sendmmsg(sock, address, port)
            elif how == "connect":
                sock.connect((address, port))
                return {}
            else:
                sock.connect((address, port))
                sock.send(b"ping")
            return {"echo": echo and sock.recv(1000) == b"ping"}

        return outcome(act)


def sendmmsg(sock, address, port):
    import ctypes
    import struct

    if family_of(address) == socket.AF_INET6:
        name = struct.pack("=H", 10) + struct.pack("!HI", port, 0) + socket.inet_pton(10, address) + bytes(4)
    else:
        name = struct.pack("=H", 2) + struct.pack("!H", port) + socket.inet_aton(address) + bytes(8)
    name_buffer, data = ctypes.create_string_buffer(name, len(name)), ctypes.create_string_buffer(b"ping", 4)
    iov = (ctypes.c_void_p * 2)(ctypes.addressof(data), 4)
    # struct mmsghdr on 64-bit: msghdr (name, namelen, iov, iovlen, control, controllen, flags), len.
    header = struct.pack("=QI4xQQQQi4xI4x", ctypes.addressof(name_buffer), len(name),
                         ctypes.addressof(iov), 1, 0, 0, 0, 0)
    messages = ctypes.create_string_buffer(header, len(header))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.sendmmsg(sock.fileno(), messages, 1, 0) != 1:
        raise OSError(ctypes.get_errno(), "sendmmsg")


def make_socket(family, type, protocol):
    return outcome(lambda: socket.socket(family, type, protocol).close())


def serve(sock):
    def talk(peer):
        with peer:
            while data := peer.recv(65536):
                peer.sendall(data)

    while True:
        peer, _ = sock.accept()
        threading.Thread(target=talk, args=(peer,), daemon=True).start()


def listen(address=None, family=socket.AF_INET):
    """A TCP echo server of the sandbox's own; without an address, listen() without bind()."""
    sock = socket.socket(family_of(address) if address else family, socket.SOCK_STREAM)
    OPENED.append(sock)

    def act():
        if address:
            sock.bind((address, 0))
        sock.listen()
        threading.Thread(target=serve, args=(sock,), daemon=True).start()
        return {"port": sock.getsockname()[1]}

    return outcome(act)


def listen_udp(address):
    sock = socket.socket(family_of(address), socket.SOCK_DGRAM)
    OPENED.append(sock)

    def serve_udp():
        while True:
            data, peer = sock.recvfrom(65536)
            sock.sendto(data, peer)

    def act():
        sock.bind((address, 0))
        threading.Thread(target=serve_udp, daemon=True).start()
        return {"port": sock.getsockname()[1]}

    return outcome(act)


def many(count, address, port):
    """`count` connects; how often each outcome."""
    results = {}
    for _ in range(count):
        name = connect(address, port)["errno"] or "connected"
        results[name] = results.get(name, 0) + 1
    return results


def resolve(name, family=0):
    try:
        return {"addresses": sorted({info[4][0] for info in socket.getaddrinfo(name, 1, family)})}
    except socket.gaierror as error:
        return {"addresses": [], "error": error.args[1]}


def run(argv, input=None):
    done = subprocess.run(argv, input=input, capture_output=True, text=True, timeout=60)
    return {"code": done.returncode, "out": done.stdout, "err": done.stderr}


def from_fork(request, daemon=False):
    """Does `request` in a child, or in a daemon: forked twice, with a session of its own."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            if daemon:
                os.setsid()
                if os.fork():
                    os._exit(0)
            os.write(write_end, json.dumps(answer(request)).encode())
        finally:
            os._exit(0)
    os.close(write_end)
    os.waitpid(pid, 0)
    with os.fdopen(read_end) as pipe:
        return json.loads(pipe.read())


def from_thread(request):
    result = {}
    thread = threading.Thread(target=lambda: result.update(answer(request)))
    thread.start()
    thread.join()
    return result


def from_child_cgroup(request, cgroup_root):
    """Makes a cgroup below its own and does `request` in there. Needs root inside."""
    with open("/proc/self/cgroup") as file:
        own = next(line.split("::")[1].strip() for line in file if line.startswith("0::"))
    path = f"{cgroup_root}{own}/inner-{os.getpid()}"
    os.mkdir(path)
    pid = os.fork()
    if pid == 0:
        os.setsid()
        with open(f"{path}/cgroup.procs", "w") as file:
            file.write("0")
        with open("/proc/self/cgroup") as file:
            inside = path.rsplit("/", 1)[1] in file.read()
        with open(f"/tmp/{path.rsplit('/', 1)[1]}", "w") as file:
            json.dump({**answer(request), "moved": inside}, file)
        os._exit(0)
    os.waitpid(pid, 0)
    result_file = f"/tmp/{path.rsplit('/', 1)[1]}"
    with open(result_file) as file:
        result = json.load(file)
    os.unlink(result_file)
    os.rmdir(path)
    return result


def call_agent(path):
    """hello and sandbox.list at a control socket, as a peer inside."""
    sys.path.insert(0, os.path.dirname(__file__))
    import control

    try:
        caller = control.Control(path)
        caller.call("hello", protocol=1, client="inside")
        return {"kind": None, "answer": caller.call("sandbox.list")}
    except control.Refused as refused:
        return {"kind": refused.kind}
    except OSError as error:
        return {"kind": None, "errno": errno.errorcode.get(error.errno, str(error))}


def about():
    """Who and where this process is."""
    return {"uid": os.getresuid(), "gid": os.getresgid(), "groups": sorted(os.getgroups()),
            "env": dict(os.environ), "cwd": os.getcwd(), "pid": os.getpid()}


def answer(request):
    request = dict(request)
    return globals()[request.pop("do")](**request)


def main():
    for line in sys.stdin:
        try:
            result = answer(json.loads(line))
        except Exception as error:  # a mistake of the test: the driver raises it there
            result = {"mistake": repr(error)}
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
