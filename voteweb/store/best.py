"""The best articles of a period by votes: merged from those of its days, in steps, and kept for some minutes."""

import time
from typing import Any

from voteweb.core import config
from voteweb.core.models import Period
from voteweb.core.ranking import day_name, day_number
from voteweb.store.connection import scripts
from voteweb.store.connection.pipeline import Command, Pipeline
from voteweb.store.keys import Keys
from voteweb.store.rankings import Ranking

#: Round trips after which a page gives up: a group with hundreds of thousands of articles in a week.
_MAX_TRIPS = 100


class Best:
    """Makes the rankings of periods of one site."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys

    def command(self, ranking: Ranking) -> Command:
        """Return the command that makes a part of *ranking*, unless it is kept."""
        keys, days, now = self._keys, (ranking.period or Period.ALL).days, time.time()
        today = day_number(now)
        oldest = now - days * 86_400
        # Half of it depends on the day, so that a ranking is not made of the days of two.
        made = [ranking.key, f"{ranking.key}.{day_name(today)}"]
        bounds = [int(oldest), config.BEST_SECONDS, config.MAX_RANKED, config.BEST_STEP]
        if ranking.group:
            return scripts.call("rank_since", [*made, keys.group_by_time(ranking.group)], [*bounds, keys.prefix])
        names = [keys.top_of_day(day_name(today - day)) for day in range(days + 1)]
        return scripts.call("merge_days", [*made, *names], bounds)

    def finish(self, pipeline: Pipeline, ranking: Ranking, commands: list[Command], replies: list[Any]) -> list[Any]:
        """Return the replies to *commands*, which begin with that of :meth:`command`, once the ranking is made."""
        for _ in range(_MAX_TRIPS):
            if replies[0][0] != "more":
                break
            steps = [commands[0]] * (config.BEST_STEPS - 1)
            replies = pipeline.send([*steps, *commands])[len(steps) :]
        return replies
