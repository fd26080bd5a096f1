"""A pseudo-terminal with a program on it, and the words it says."""

import os
import pty
import select
import time

LIMIT = 60


class Terminal:
    def __init__(self, argv, env=None):
        self.said = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                os.execvpe(argv[0], argv, env or os.environ)
            finally:
                os._exit(127)

    def type(self, text):
        os.write(self.fd, text.encode())

    def expect(self, text):
        """Reads until `text` was said since the last call; fails with what was said instead."""
        end = time.monotonic() + LIMIT
        while text not in self.said:
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            try:
                chunk = os.read(self.fd, 4096) if ready else b""
            except OSError:  # EIO: the program has ended
                chunk = b""
            if not chunk:
                raise AssertionError(f"{text!r} was never said, but {self.said!r}")
            self.said += chunk.decode(errors="replace")
        before, self.said = self.said.split(text, 1)
        return before

    def wait(self):
        """The exit status as subprocess gives it: negative for a signal."""
        while True:
            try:
                if not os.read(self.fd, 4096):
                    break
            except OSError:
                break
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
