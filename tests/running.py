"""A site in a process of its own, as an operator starts it."""

import http.client
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress

SECRET = {"VOTEWEB_SECRET_KEY": "for tests only, and long enough"}


class Running:
    """A site that serves; no setting of whoever runs the tests reaches it, and requests are logged only if asked."""

    def __init__(self, *words: str, **env: str) -> None:
        others = {name: value for name, value in os.environ.items() if not name.startswith("VOTEWEB_")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "voteweb.cli", "run", "--port", "0", "--workers", "1", *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
            env=others | {"VOTEWEB_LOG": "off"} | env,
        )  # fmt: skip
        self.said = ""
        assert self.process.stdout
        while not (match := re.search(r"^voteweb is at http://([^/]+):(\d+)/", self.said, re.MULTILINE)):
            line = self.process.stdout.readline()
            assert line, self.process.communicate()[1]
            self.said += line
        self.address = match[1], int(match[2])

    def connect(self, timeout: float = 20.0) -> http.client.HTTPConnection:
        """Return a connection that waits so many seconds for each answer."""
        return http.client.HTTPConnection(*self.address, timeout=timeout)

    def get(self, path: str, **headers: str) -> tuple[int, str]:
        """Return the status and the text of a page."""
        with closing(self.connect()) as connection:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def answers(self) -> bool:
        """Tell whether the site is well."""
        with suppress(OSError):
            return self.get("/healthz")[0] == 200
        return False

    def workers(self) -> list[int]:
        """Return the process ids of the workers."""
        shown = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True)
        return [int(pid) for pid in shown.stdout.split()]

    def stop(self, number: signal.Signals) -> tuple[int, str, str]:
        """End the site as a terminal does; return its status and what it had to say from its start on."""
        os.killpg(self.process.pid, number)
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out, err


Start = Callable[..., Running]
