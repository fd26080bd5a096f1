"""Every command of README.md and docs/ is run: the lines `$ ...` of ```console blocks.

What follows a command in its block is what it prints: each such line must occur in the output, in
order; `...` stands for anything. A command without such lines must exit 0. A block right after the
comment <!-- not run: REASON --> is left out; the comment is the reader's explanation too.

The commands see a made-up internet: every name leads to one web server, over http and https with
certificates of a test authority.
"""

import os
import re
import subprocess
import sys

import pytest

import names as lab_names
import sandbox

SERVER4 = "192.0.2.10"
BLOCK = re.compile(r"(<!-- not run: [^>]+ -->\n+)?^```console\n(.*?)^```", re.M | re.S)

WEB = r"""
import http.server, ssl, sys, threading
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b"hello from " + self.headers["Host"].encode() + b"\n"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    do_HEAD = do_GET
    def log_message(self, *_): pass
plain = http.server.ThreadingHTTPServer((sys.argv[1], 80), Handler)
secure = http.server.ThreadingHTTPServer((sys.argv[1], 443), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[2], sys.argv[3])
secure.socket = context.wrap_socket(secure.socket, server_side=True)
threading.Thread(target=plain.serve_forever, daemon=True).start()
threading.Thread(target=secure.serve_forever, daemon=True).start()
print("ready", flush=True)
sys.stdin.read()
"""


def documents():
    return [sandbox.REPO / "README.md", *sorted((sandbox.REPO / "docs").rglob("*.md"))]


def commands(text):
    """(command, expected lines) of every block that is run."""
    for left_out, block in BLOCK.findall(text):
        if left_out:
            continue
        found = []
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif found and found[-1][0].endswith("\\"):
                found[-1] = (found[-1][0] + "\n" + line, [])
            elif found:
                found[-1][1].append(line)
        yield from found


def blocks():
    for path in documents():
        if path.exists():
            for command, expected in commands(path.read_text()):
                yield pytest.param(command, expected, id=f"{path.name}: {command.splitlines()[0][:60]}")


@pytest.fixture(scope="module")
def internet(lab, tmp_path_factory):
    folder = tmp_path_factory.mktemp("internet")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-keyout", folder / "key.pem", "-out", folder / "cert.pem", "-days", "2", "-subj", "/CN=test authority",
         "-addext", "subjectAltName=DNS:example.com,DNS:*.example.com,DNS:example.org,DNS:*.example.org,DNS:github.com"],
        check=True, capture_output=True)
    lab.spaces["allowed"].run("ip", "addr", "add", f"{SERVER4}/32", "dev", "lo")
    lab.host.run("ip", "route", "add", "192.0.2.0/24", "via", "10.66.0.2")
    (folder / "web.py").write_text(WEB)
    web = subprocess.Popen(
        lab.spaces["allowed"].enter(sys.executable, "-B", folder / "web.py", SERVER4, folder / "cert.pem", folder / "key.pem"),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert web.stdout.readline() == "ready\n"
    names = lab_names.Names(lab.host, folder, {"* A": ["{name} 300 A " + SERVER4]})
    authorities = names.etc / "ssl/certs/ca-certificates.crt"
    authorities.parent.mkdir(parents=True, exist_ok=True)
    with open(authorities, "a") as file:
        file.write((folder / "cert.pem").read_text())
    yield names
    names.close()
    web.stdin.close()
    web.wait()


@pytest.fixture(scope="module")
def user_place(tmp_path_factory):
    """A folder to work in, and a PATH with sluice and, for root's tests, a sudo that just runs."""
    folder = tmp_path_factory.mktemp("place")
    tools = folder / "bin"
    tools.mkdir()
    (tools / "sudo").write_text('#!/bin/sh\nexec "$@"\n')
    (tools / "sudo").chmod(0o755)
    (tools / "sluice").symlink_to(sandbox.SLUICE)
    work = folder / "work"
    work.mkdir()
    # The place of a clone, built.
    (work / "build").mkdir()
    (work / "build/bin").symlink_to(tools)
    return work, f"{tools}:{os.environ['PATH']}"


def occur_in_order(expected, output):
    at = 0
    for line in expected:
        for part in filter(None, (p.strip() for p in line.split("..."))):
            found = output.find(part, at)
            if found < 0:
                return part
            at = found + len(part)
    return None


@pytest.mark.parametrize("command, expected", blocks())
def test_command(lab, internet, user_place, command, expected):
    work, path = user_place
    done = subprocess.run(
        lab.host.enter(*internet.prefix(), "bash", "-c", command), cwd=work, env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=sandbox.LIMIT)
    missing = occur_in_order(expected, done.stdout)
    assert missing is None, f"{missing!r} is not in what it printed:\n{done.stdout}"
    assert expected or done.returncode == 0, done.stdout


def test_the_readme_has_commands():
    readme = sandbox.REPO / "README.md"
    assert len(list(commands(readme.read_text()))) >= 2
    assert len(readme.read_text().splitlines()) <= 80, "the README is one screen"
