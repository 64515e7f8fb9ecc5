"""The load generator wrk, which is so fast that the server is what limits the rate: requests in, a sample out."""

import json
import math
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.constants import CONNECTIONS

SCRIPT = Path(__file__).with_name("wrk.lua")


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
class Sample:
    """The result of one measurement.

    ``errors`` counts responses that were not as expected, and ``cpu_seconds`` is the processor time of the server and
    its database.
    """

    requests: int
    seconds: float
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


def send(origin: str, requests: Sequence[Request], statuses: Sequence[int], seconds: float) -> Sample:
    """Send *requests* to *origin* for *seconds* over CONNECTIONS, from the first again after the last.

    A response with none of *statuses*, or that leads to the form of log-in, is an error. Raises RuntimeError when wrk
    is not installed or prints no result.
    """
    program = shutil.which("wrk")
    if not program:
        raise RuntimeError("The benchmark needs wrk, which is not installed.")
    with tempfile.NamedTemporaryFile() as file:
        file.write(serialize_requests(requests, origin.removeprefix("http://")))
        file.flush()
        # The content of a page is checked before it is measured, and wrk counts the statuses of errors: only the
        # responses to forms have to be checked by the script.
        checked = "" if statuses == (200,) else " ".join(map(str, statuses))
        options = [f"-c{CONNECTIONS}", "-t1", f"-d{math.ceil(seconds)}s", "--timeout", "10s", "-s", str(SCRIPT)]
        return parse_output(_run([program, *options, origin, "--", file.name, checked, "/login"], seconds))


def serialize_requests(requests: Sequence[Request], host: str) -> bytes:
    """Return *requests* in the format of our script: for each a line with its length, then its bytes."""
    messages = (request.serialize(host) for request in requests)
    return b"".join(b"%d\n%b" % (len(message), message) for message in messages)


def _run(arguments: list[str], seconds: float) -> str:
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout
    try:
        first_line = process.stdout.readline()
        if seconds < math.ceil(seconds):  # wrk takes whole seconds only, but reports when it is interrupted
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
        return first_line + process.stdout.read()
    finally:
        process.stdout.close()
        process.wait()


def parse_output(output: str) -> Sample:
    """Return the sample that our script printed into the *output* of wrk; raise RuntimeError when there is none."""
    results = [line for line in output.splitlines() if line.startswith("{")]
    if not results:
        raise RuntimeError(f"wrk printed no result: {output.strip()}")
    result = json.loads(results[-1])
    return Sample(result["requests"], result["microseconds"] / 1e6, result["errors"])
