"""The best articles of a period by votes: merged from those of its days, in steps, and kept for some minutes."""

from typing import Any

from voteweb.core import clock, config
from voteweb.core.models import Period
from voteweb.core.ranking import day_name, day_number
from voteweb.store.connection import scripts
from voteweb.store.connection.pipeline import Command, Pipeline
from voteweb.store.keys import Keys
from voteweb.store.rankings import Ranking

#: Round trips after which a page gives up: a group with hundreds of thousands of articles in a week.
_MAX_TRIPS = 400
#: Days of which one step takes up articles.
_MAX_DAYS = 16


class Best:
    """Makes the rankings of periods of one site."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys

    def command(self, ranking: Ranking) -> Command:
        """Return the command that makes the first part of *ranking*, unless it is kept."""
        return self._steps(ranking)[0]

    def _steps(self, ranking: Ranking) -> list[Command]:
        """Return the commands that make *ranking*, each a part of it; run again, they go on where it is not whole."""
        keys, days, now = self._keys, (ranking.period or Period.ALL).days, clock.now()
        today = day_number(now)
        # Named after the day, so that a ranking is not made of the days of two.
        made = [ranking.key, f"{ranking.key}.{day_name(today)}"]
        bounds: list[str | int | float] = [
            int(now - days * 86_400),
            config.BEST_SECONDS,
            config.MAX_RANKED,
            config.BEST_STEP,
        ]
        if ranking.group:
            arguments = [*bounds, keys.prefix]
            step = scripts.call("rank_since", [*made, keys.group_by_time(ranking.group)], arguments)
            return [step] * config.BEST_STEPS
        names = [keys.top_of_day(day_name(today - day)) for day in range(days + 1)]
        steps: list[Command] = []
        first = 0
        while first < len(names):
            # The first days bring most of the articles; of the others, only those above the lowest so far are read.
            part = names[first : first + min(max(first, 1), _MAX_DAYS)]
            # Twice: the second goes on where the first has added as many as one step may.
            steps += [scripts.call("merge_days", [*made, *part], [*bounds, first, len(names)])] * 2
            first += len(part)
        return steps

    def finish(self, pipeline: Pipeline, ranking: Ranking, commands: list[Command], replies: list[Any]) -> list[Any]:
        """Return the replies to *commands*, which begin with that of :meth:`command`, once the ranking is made."""
        for _ in range(_MAX_TRIPS):
            if replies[0][0] != "more":
                break
            steps = self._steps(ranking)
            replies = pipeline.send([*steps, *commands])[len(steps) :]
        return replies
