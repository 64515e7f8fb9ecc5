"""The load generator wrk, which is so fast that the server is what limits the rate."""

import json
import math
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.load.measurement import ExpectedResponse, Request, Sample

SCRIPT = Path(__file__).with_name("wrk.lua")


class Wrk:
    """The installed *program* wrk with our script, on one thread."""

    name = "wrk"

    def __init__(self, program: str) -> None:
        self._program = program

    def run(
        self, origin: str, requests: Sequence[Request], expected: ExpectedResponse, seconds: float, connections: int
    ) -> Sample:
        """Send *requests* as :class:`bench.load.measurement.LoadGenerator` says."""
        with tempfile.NamedTemporaryFile() as file:
            file.write(serialize_requests(requests, origin.removeprefix("http://")))
            file.flush()
            # The content of a page is checked before it is measured, and wrk counts the statuses of errors: only the
            # responses to forms have to be checked by the script.
            statuses = "" if expected == ExpectedResponse() else " ".join(map(str, expected.statuses))
            options = [f"-c{connections}", "-t1", f"-d{math.ceil(seconds)}s", "--timeout", "10s", "-s", str(SCRIPT)]
            arguments = [file.name, statuses, expected.forbidden_location]
            return parse_output(self._run_program([*options, origin, "--", *arguments], seconds))

    def _run_program(self, arguments: list[str], seconds: float) -> str:
        process = subprocess.Popen(
            [self._program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
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


def serialize_requests(requests: Sequence[Request], host: str) -> bytes:
    """Return *requests* in the format of our script: for each a line with its length, then its bytes."""
    messages = (request.serialize(host) for request in requests)
    return b"".join(b"%d\n%b" % (len(message), message) for message in messages)


def parse_output(output: str) -> Sample:
    """Return the sample that our script printed into the *output* of wrk.

    Raises ValueError when there is none.
    """
    results = [line for line in output.splitlines() if line.startswith("{")]
    if not results:
        raise ValueError(f"wrk printed no result: {output.strip()}")
    result = json.loads(results[-1])
    return Sample(
        requests=result["requests"],
        seconds=result["microseconds"] / 1e6,
        p50=result["p50"] / 1e3,
        p99=result["p99"] / 1e3,
        errors=result["errors"],
    )
