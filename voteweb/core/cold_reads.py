"""The budget of cold pages, which nobody read of late: each process counts for itself, without a round trip."""

from collections.abc import Iterable
from heapq import nlargest
from threading import Lock
from time import monotonic

from voteweb.core import clock, config, rate_limits
from voteweb.core.addresses import Network, is_public_address
from voteweb.core.errors import TooFast
from voteweb.core.rate_limits import COLD, WIDE_LIMITS, Limit

#: The limits that count a cold page, each with the network that it counts together.
Hits = tuple[tuple[Limit, str], ...]


def hits_of(address: str, exempt: Iterable[Network]) -> Hits:
    """Return the limits for *address*: none but for addresses of the internet outside of the networks *exempt*."""
    ip = rate_limits.visitor_ip(address)
    if ip is None or not is_public_address(str(ip)) or any(ip in network for network in exempt):
        return ()
    return (COLD, rate_limits.network(address) or ""), (WIDE_LIMITS[COLD.kind], rate_limits.wide_network(address))


class ColdReads:
    """Counts cold pages by network, by the limits times *factor*; thread-safe."""

    def __init__(self, factor: float) -> None:
        self._factor, self._lock = factor, Lock()
        #: When each network has its whole budget again. All budgets are whole again in the same time, so that the
        #: latest are those that have used the largest part.
        self._whole_at: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._whole_at)

    def take(self, hits: Hits) -> TooFast | None:
        """Count a page against all *hits*, and return None; or count it against none, and return the refusal."""
        with self._lock:
            now, counted = monotonic(), {}
            for limit, network in hits:
                counted[network] = max(self._whole_at.get(network, now), now) + limit.interval / self._factor
                wait = counted[network] - now - limit.burst * limit.interval
                if wait > 1e-6:  # less is an error of rounding
                    return limit.refusal(self._factor, wait, clock.now() + wait)
            self._whole_at |= counted
            if len(self._whole_at) > config.COLD_NETWORKS:
                fullest = nlargest(config.COLD_NETWORKS * 3 // 4, self._whole_at.items(), key=lambda item: item[1])
                self._whole_at = {network: time for network, time in fullest if time > now}
        return None
