"""Combined groups: the ranking of the articles in all of several groups, kept for a short time."""

from collections.abc import Sequence

from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.core.models import Order
from voteweb.store.connection import scripts
from voteweb.store.connection.pipeline import Command
from voteweb.store.keys import Keys, combined_member
from voteweb.store.rankings import Ranking
from voteweb.store.rate_limits import RateLimitHit, RateLimits


class Combinations:
    """The combined rankings of one site."""

    def __init__(self, keys: Keys, settings: Settings, rate_limits: RateLimits) -> None:
        self._keys = keys
        self._settings = settings
        self._rate_limits = rate_limits

    def command(self, ranking: Ranking, first: int, last: int, hit: RateLimitHit | None) -> Command:
        """Return the command that builds *ranking* unless it is kept; building it counts against the limit of *hit*.

        If it cannot be kept, the reply has the members from position *first* to *last* (both from 0).
        """
        keys = self._keys
        group_key = keys.group_by_score if ranking.order is Order.SCORE else keys.group_by_time
        limit_keys, limit_arguments = self._rate_limits.script_arguments([hit] if hit else [])
        return scripts.call(
            "combine_groups",
            [
                ranking.key,
                keys.combinations(),
                keys.groups(),
                *(group_key(name) for name in ranking.combines),
                *limit_keys,
            ],
            [
                combined_member(ranking.order, ranking.combines),
                self._settings.group_cache_seconds,
                config.MAX_COMBINATIONS,
                config.MAX_COMBINED_ARTICLES,
                first,
                last,
                len(ranking.combines),
                *ranking.combines,
                *limit_arguments,
            ],
        )

    def raise_refusal(self, hit: RateLimitHit | None, reply: Sequence[str]) -> None:
        """Raise TooFast when *reply* is the refusal of the command by the limit of *hit*."""
        if hit and reply[0] == "rate-limited":
            raise self._rate_limits.to_error([hit], reply[1:])
