"""What every load generator takes and gives: requests in, a sample out."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

#: The load generators, the best first.
NAMES = ("wrk", "aiohttp")


@dataclass(frozen=True, slots=True)
class Shot:
    """One HTTP request."""

    path: str
    method: str = "GET"
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    def raw(self, host: str) -> bytes:
        """Return the request as it goes over the wire to *host*."""
        headers = {"Host": host, "User-Agent": "bench", **self.headers}
        if self.method == "POST":
            headers["Content-Length"] = str(len(self.body))
        lines = [f"{self.method} {self.path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode() + self.body


@dataclass(frozen=True, slots=True)
class Expect:
    """What a good answer is: its status and, for a redirect, a place that it does not lead to."""

    status: int = 200
    away: str = ""

    def holds(self, status: int, location: str) -> bool:
        """Tell whether an answer with this status and place to go to is a good one."""
        return status == self.status and not (self.away and location.startswith(self.away))


@dataclass(frozen=True, slots=True)
class Sample:
    """What one measurement saw; p50 and p99 in milliseconds, errors are answers that were not as expected.

    ``busy`` are the seconds of processor time that the server took for it.
    """

    requests: int
    seconds: float
    p50: float
    p99: float
    errors: int = 0
    busy: float = 0.0

    @property
    def cost(self) -> float:
        """Microseconds of the server's processor time a request: hardly changes when others use the machine."""
        return self.busy / max(self.requests, 1) * 1e6

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.requests / self.seconds


class Load(Protocol):
    """A load generator."""

    name: str

    def run(self, origin: str, shots: Sequence[Shot], expect: Expect, seconds: float, connections: int) -> Sample:
        """Send *shots* to *origin*, over and over in their order, for *seconds* over so many *connections*."""
        ...


def chosen(name: str = "") -> Load:
    """Return the load generator *name*; without one wrk where it is installed, else the one in Python.

    Raises RuntimeError when it is not there; the one in Python needs the extra ``bench``.
    """
    program = shutil.which("wrk")
    if (name or ("wrk" if program else "aiohttp")) == "aiohttp":
        from bench.aio import Aio

        return Aio()
    if not program:
        raise RuntimeError("wrk is not installed.")
    from bench.wrk import Wrk

    return Wrk(program)
