"""The load generator where wrk is not installed: aiohttp, some thousands of requests a second at most.

It is slower than the fastest contenders, whose ratios then come out too small; the output says which one was used.
"""

import asyncio
import time
from collections.abc import Iterator, Sequence
from itertools import cycle

import aiohttp

from bench.figures import percentile
from bench.load import Expect, Sample, Shot


class Aio:
    """As many tasks as there are connections, each sending the next request as soon as its last is answered."""

    name = "aiohttp"

    def run(self, origin: str, shots: Sequence[Shot], expect: Expect, seconds: float, connections: int) -> Sample:
        """Send *shots* to *origin* as :class:`bench.load.Load` says."""
        return asyncio.run(_run(origin, cycle(shots), expect, seconds, connections))


async def _run(origin: str, shots: Iterator[Shot], expect: Expect, seconds: float, connections: int) -> Sample:
    times: list[float] = []
    errors = 0

    async def send_on(session: aiohttp.ClientSession, until: float) -> None:
        nonlocal errors
        while (begun := time.perf_counter()) < until:
            shot = next(shots)
            body = shot.body or None
            try:
                async with session.request(
                    shot.method, shot.path, data=body, headers=shot.headers, allow_redirects=False
                ) as answer:
                    await answer.read()
                    good = expect.holds(answer.status, answer.headers.get("Location", ""))
            except aiohttp.ClientError:
                good = False
            errors += not good
            times.append(time.perf_counter() - begun)

    async with aiohttp.ClientSession(
        origin,
        connector=aiohttp.TCPConnector(limit=connections),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": "bench"},
    ) as session:
        begun = time.perf_counter()
        await asyncio.gather(*(send_on(session, begun + seconds) for _ in range(connections)))
        took = time.perf_counter() - begun
    times.sort()
    return Sample(len(times), took, percentile(times, 50) * 1e3, percentile(times, 99) * 1e3, errors)
