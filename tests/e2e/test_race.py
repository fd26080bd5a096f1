"""A command that connects from its very first instruction: nothing is unpoliced, nothing that is
allowed is refused."""

import subprocess

import pytest

import sandbox
from conftest import SOAK

ROUNDS = 200 if SOAK else 10

# No libc start-up to speak of: static, and connecting is all it does.
PROGRAM = r"""
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int attempt(const char *ip, int port) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, ip, &to.sin_addr);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    int result = connect(fd, (struct sockaddr *)&to, sizeof to) ? errno : 0;
    close(fd);
    return result;
}

int main(int argc, char **argv) {
    int allowed_port = atoi(argv[1]), evil_port = atoi(argv[2]), wrong = 0, refused = 0;
    for (int i = 0; i < 300; i++) {
        if (attempt("10.66.0.3", evil_port) != EPERM) wrong++;
        if (attempt("10.66.0.2", allowed_port) != 0) refused++;
    }
    printf("%d %d\n", wrong, refused);
    return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("race")
    (folder / "race.c").write_text(PROGRAM)
    subprocess.run(["gcc", "-O1", "-static", "-o", folder / "race", folder / "race.c"], check=True)
    return folder / "race"


def test_from_the_first_instruction(lab, program, tmp_path):
    reached = lab.evil.counts()
    for _ in range(ROUNDS):
        done = sandbox.sluice(
            "run", "--name", sandbox.new_name(), "--quiet", "--allow", f"10.66.0.2:{lab.allowed.port}", "--",
            program, lab.allowed.port, lab.evil.port, space=lab.host)
        assert (done.returncode, done.stdout) == (0, "0 0\n"), done.stderr
    assert lab.evil.counts() == reached


def test_many_sandboxes_at_once(lab, program):
    """Starts and ends of others never open or close a running one."""
    count = 12 if SOAK else 4
    commands = [
        lab.host.enter(sandbox.SLUICE, "run", "--name", sandbox.new_name(), "--quiet", "--allow",
                       f"10.66.0.2:{lab.allowed.port}", "--", str(program), str(lab.allowed.port), str(lab.evil.port))
        for _ in range(count)
    ]
    reached = lab.evil.counts()
    running = [subprocess.Popen(c, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for c in commands]
    for process in running:
        out, err = process.communicate(timeout=sandbox.LIMIT)
        assert (process.returncode, out) == (0, "0 0\n"), err
    assert lab.evil.counts() == reached
