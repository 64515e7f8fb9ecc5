"""The types that all load generators share: requests and an expected response in, a sample out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request."""

    path: str
    method: str = "GET"
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    def serialize(self, host: str) -> bytes:
        """Return the bytes that are sent to *host*."""
        headers = {"Host": host, "User-Agent": "bench", **self.headers}
        if self.method == "POST":
            headers["Content-Length"] = str(len(self.body))
        lines = [f"{self.method} {self.path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode() + self.body


@dataclass(frozen=True, slots=True)
class ExpectedResponse:
    """The response that is no error: one of its statuses and, for a redirect, a location that it must not lead to."""

    statuses: tuple[int, ...] = (200,)
    forbidden_location: str = ""

    def matches(self, status: int, location: str) -> bool:
        """Tell whether a response with this status and header Location is as expected."""
        is_forbidden = self.forbidden_location and location.startswith(self.forbidden_location)
        return status in self.statuses and not is_forbidden


@dataclass(frozen=True, slots=True)
class Sample:
    """The result of one measurement.

    ``p50`` and ``p99`` are latencies in milliseconds, ``errors`` counts responses that were not as expected, and
    ``cpu_seconds`` is the processor time of the server and its database.
    """

    requests: int
    seconds: float
    p50: float
    p99: float
    errors: int = 0
    cpu_seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.requests / self.seconds

    @property
    def cpu_per_request(self) -> float:
        """Microseconds of processor time, which hardly change when others use the machine."""
        return self.cpu_seconds / max(self.requests, 1) * 1e6


class LoadGenerator(Protocol):
    """A program that sends requests as fast as a server answers them."""

    name: str

    def run(
        self, origin: str, requests: Sequence[Request], expected: ExpectedResponse, seconds: float, connections: int
    ) -> Sample:
        """Send *requests* to *origin* for *seconds* over *connections*, from the first again after the last."""
        ...
