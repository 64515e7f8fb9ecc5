"""wrk, the load generator of choice: fast enough that the server is what is measured."""

import json
import math
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.load import Expect, Sample, Shot

SCRIPT = Path(__file__).with_name("wrk.lua")


class Wrk:
    """Runs wrk with our script, on one thread."""

    def __init__(self, program: str) -> None:
        self.name = "wrk"
        self._program = program

    def run(self, origin: str, shots: Sequence[Shot], expect: Expect, seconds: float, connections: int) -> Sample:
        """Send *shots* to *origin* as :class:`bench.load.Load` says."""
        with tempfile.NamedTemporaryFile() as file:
            file.write(packed(shots, origin.removeprefix("http://")))
            file.flush()
            # A page is looked at before it is measured, and wrk itself counts refusals: only what is sent needs more.
            is_plain = expect == Expect()
            words = [file.name, "0" if is_plain else str(expect.status), expect.away]
            return read(self._output([f"-c{connections}", *self._options(seconds), origin, "--", *words], seconds))

    def _options(self, seconds: float) -> list[str]:
        return ["-t1", f"-d{math.ceil(seconds)}s", "--timeout", "10s", "-s", str(SCRIPT)]

    def _output(self, options: list[str], seconds: float) -> str:
        process = subprocess.Popen(
            [self._program, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert process.stdout
        try:
            begun = process.stdout.readline()
            if seconds < math.ceil(seconds):  # wrk knows whole seconds only, but ends well when it is interrupted
                time.sleep(seconds)
                process.send_signal(signal.SIGINT)
            return begun + process.stdout.read()
        finally:
            process.stdout.close()
            process.wait()


def packed(shots: Sequence[Shot], host: str) -> bytes:
    """Return *shots* as our script reads them: each as its length, a line end, and the request."""
    raws = (shot.raw(host) for shot in shots)
    return b"".join(b"%d\n%b" % (len(raw), raw) for raw in raws)


def read(output: str) -> Sample:
    """Return the sample that our script printed among wrk's own words; raise ValueError when there is none."""
    told = [line for line in output.splitlines() if line.startswith("{")]
    if not told:
        raise ValueError(f"wrk told nothing: {output.strip()}")
    found = json.loads(told[-1])
    return Sample(
        requests=found["requests"],
        seconds=found["microseconds"] / 1e6,
        p50=found["p50"] / 1e3,
        p99=found["p99"] / 1e3,
        errors=found["errors"],
    )
