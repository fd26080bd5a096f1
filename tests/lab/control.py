"""The control protocol's caller, from docs/protocol.md and nothing else."""

import json
import os
import socket

RUN_DIR = "/run/sluice/run"


class Refused(Exception):
    """An error answer; `kind` is data.kind, `hint` data.hint."""

    def __init__(self, error):
        super().__init__(error.get("message"))
        self.code = error.get("code")
        self.kind = (error.get("data") or {}).get("kind")
        self.hint = (error.get("data") or {}).get("hint")


def socket_of(name):
    return os.path.join(RUN_DIR, name, "agent.sock")


class Control:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(60)
        self.socket.connect(path)
        self.stream = self.socket.makefile("rb")
        self.last = 0

    def call(self, method, /, **params):
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}
        self.socket.sendall(json.dumps(message).encode() + b"\n")
        while True:
            line = self.stream.readline()
            if not line:
                raise ConnectionError(f"{method}: the agent closed the connection without an answer")
            answer = json.loads(line)
            if answer.get("id") == self.last:
                break
        if "error" in answer:
            raise Refused(answer["error"])
        return answer["result"]

    def close(self):
        self.stream.close()
        self.socket.close()


def call(run, method, /, **params):
    """One call to the agent of the run `run`, greeting included."""
    control = Control(socket_of(run))
    try:
        control.call("hello", protocol=1, client="tests")
        return control.call(method, **params)
    finally:
        control.close()
