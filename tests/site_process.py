"""``voteweb`` in processes of its own, as an operator starts it."""

import http.client
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from tests.helpers import PATIENCE
from tests.visitor import Answer, Visitor

SECRET = {"VOTEWEB_SECRET_KEY": "for tests only, and long enough"}
_NOTHING: Mapping[str, str] = MappingProxyType({})


def voteweb_command(*arguments: object) -> list[str]:
    """Return the command line of the command with *arguments*."""
    return [sys.executable, "-m", "voteweb.cli", *map(str, arguments)]


def environment_of_tests() -> dict[str, str]:
    """Return the environment without settings but the data directory of all tests that name no other."""
    return {
        name: value
        for name, value in os.environ.items()
        if name == "VOTEWEB_DATA_DIR" or not name.startswith("VOTEWEB_")
    }


class VotewebProcess(subprocess.Popen[str]):
    """A process that is killed where a test fails: leaving its context would wait for it for ever."""

    def __exit__(self, error: type[BaseException] | None, *rest: Any) -> None:
        if error:
            self.kill()
        super().__exit__(error, *rest)


def start_voteweb(
    *arguments: object, prefix: Sequence[str] = (), env: Mapping[str, str] = _NOTHING, **options: Any
) -> "subprocess.Popen[str]":
    """Start the command with *arguments*, after the words of *prefix*; its settings are those in *env*."""
    others = environment_of_tests()
    if "VOTEWEB_REDIS_URL" in env:  # sites that share a folder would share an index
        others["VOTEWEB_SEARCH"] = "0"
    command = [*prefix, *voteweb_command(*arguments)]
    return VotewebProcess(command, env={**others, **env}, text=True, **options)


class Exit(NamedTuple):
    """The end of a command: its status and what it wrote."""

    status: int
    stdout: str
    stderr: str


def run_voteweb(*arguments: object, **env: str) -> Exit:
    """Run the command with *arguments* until it ends."""
    pipe = subprocess.PIPE
    with start_voteweb(*arguments, env=env, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe) as process:
        try:
            stdout, stderr = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    return Exit(process.returncode, stdout, stderr)


class Site:
    """A site that ``process`` and its workers serve at ``address``."""

    process: "subprocess.Popen[str]"
    address: tuple[str, int]

    def connect(self, timeout: float = PATIENCE) -> http.client.HTTPConnection:
        """Return a connection that waits *timeout* seconds for each answer."""
        return http.client.HTTPConnection(*self.address, timeout=timeout)

    def visitor(self, timeout: float = PATIENCE) -> Visitor:
        """Return a visitor without cookies who waits *timeout* seconds for each answer."""
        return Visitor(self.address, timeout=timeout)

    def get(self, path: str, **headers: str) -> Answer:
        """Return the answer to a new visitor."""
        return self.visitor().get(path, **headers)

    def is_healthy(self) -> bool:
        with suppress(OSError, http.client.HTTPException):
            return self.visitor(timeout=2.0).get("/healthz").status == 200
        return False

    def worker_pids(self) -> list[int]:
        """Return the process ids of the web server's workers."""
        return [pid for pid, name in self._children() if name != "voteweb-jobs"]

    def jobs_pids(self) -> list[int]:
        """Return the process id of the background jobs, none while they are started again."""
        return [pid for pid, name in self._children() if name == "voteweb-jobs"]

    def _children(self) -> list[tuple[int, str]]:
        """Return the process id and the name of each process that the site has started and that has not ended."""
        children = list[tuple[int, str]]()
        for file in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):  # it has ended meanwhile
                pid, name, state, parent = re.findall(r"(\d+) \((.*)\) (\S) (\d+)", file.read_text())[0]
                # One that is just ending has no arguments any more.
                if int(parent) == self.process.pid and state != "Z" and file.with_name("cmdline").read_bytes():
                    children.append((int(pid), name))
        return children


class SiteProcess(Site):
    """``voteweb run`` with one worker, unless *options* say otherwise; requests are logged only if *env* says so."""

    def __init__(self, *options: str, **env: str) -> None:
        self.process = start_voteweb(
            "run", "--port", "0", "--workers", "1", *options,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, env={"VOTEWEB_LOG": "off"} | env,
        )  # fmt: skip
        #: What it wrote until it was served.
        self.greeting = ""
        assert self.process.stdout
        while not (match := re.search(r"^voteweb is at http://([^/]+):(\d+)/", self.greeting, re.MULTILINE)):
            line = self.process.stdout.readline()
            assert line, self.process.communicate()[1]
            self.greeting += line
        self.address = match[1], int(match[2])

    def stop(self, number: signal.Signals = signal.SIGTERM) -> Exit:
        """Send the signal to all processes of the site, as a terminal does; the greeting is not in the output."""
        os.killpg(self.process.pid, number)
        stdout, stderr = self.process.communicate(timeout=PATIENCE)
        return Exit(self.process.returncode, stdout, stderr)

    def kill(self) -> None:
        """Kill whatever is left of the site."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()


StartSite = Callable[..., SiteProcess]
