"""The load generator where wrk is not installed: aiohttp, a few thousand requests a second at most.

It is slower than the fastest contenders, whose ratios then come out too small. The report names the load generator.
"""

import asyncio
import time
from collections.abc import Iterator, Sequence
from itertools import cycle

import aiohttp

from bench.load.measurement import ExpectedResponse, Request, Sample
from bench.load.sample_statistics import percentile


class AiohttpClient:
    """One task for each connection, which sends its next request as soon as the last is answered."""

    name = "aiohttp"

    def run(
        self, origin: str, requests: Sequence[Request], expected: ExpectedResponse, seconds: float, connections: int
    ) -> Sample:
        """Send *requests* as :class:`bench.load.measurement.LoadGenerator` says."""
        return asyncio.run(_run(origin, cycle(requests), expected, seconds, connections))


async def _run(
    origin: str, requests: Iterator[Request], expected: ExpectedResponse, seconds: float, connections: int
) -> Sample:
    latencies: list[float] = []
    errors = 0

    async def send_until(session: aiohttp.ClientSession, end: float) -> None:
        nonlocal errors
        while (start := time.perf_counter()) < end:
            request = next(requests)
            try:
                async with session.request(
                    request.method,
                    request.path,
                    data=request.body or None,
                    headers=request.headers,
                    allow_redirects=False,
                ) as response:
                    await response.read()
                    is_expected = expected.matches(response.status, response.headers.get("Location", ""))
            except aiohttp.ClientError:
                is_expected = False
            errors += not is_expected
            latencies.append(time.perf_counter() - start)

    async with aiohttp.ClientSession(
        origin,
        connector=aiohttp.TCPConnector(limit=connections),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": "bench"},
    ) as session:
        start = time.perf_counter()
        await asyncio.gather(*(send_until(session, start + seconds) for _ in range(connections)))
        duration = time.perf_counter() - start
    latencies.sort()
    return Sample(len(latencies), duration, percentile(latencies, 50) * 1e3, percentile(latencies, 99) * 1e3, errors)
