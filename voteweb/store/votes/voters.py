"""Voters as moderators see them: who voted, with marks of rings, and who looked at that.

Members see nobody's votes, so each look is noted, for admins.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import Any

from voteweb.core import clock, config
from voteweb.core.models import Article, Page, User
from voteweb.core.names import name_key
from voteweb.core.ranking import SECONDS_PER_DAY, day_name, day_number
from voteweb.core.voters import ListedVoter, Look, VoterList, find_coincidences
from voteweb.store.accounts.users import FIELDS, parse_user
from voteweb.store.connection import scripts
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema.values import article_of, articles_of, finite_number, whole_number
from voteweb.store.site.context import StorePart
from voteweb.store.site.rate_limits import this_day
from voteweb.store.site.rows import members_of, queue_page

#: A stored look: the id of the moderator, that of an article or a member, and the day.
_LOOK = re.compile(r"([0-9]{1,15}) ([au])([0-9]{1,15}) [0-9-]{10}")


class Voters(StorePart):
    """The voters of the articles of one site, and the looks at them."""

    def queue(self, pipeline: Pipeline, of: int | User) -> Future[VoterList]:
        """Queue a read of the voters of an article, or of a member and those who voted for several of the same lately.

        Of too many, the newest members are read, or those who share most.
        """
        now, seconds = clock.now(), self._settings.voting_seconds
        article, voter, name = (0, of.id, of.name) if isinstance(of, User) else (of, 0, "")
        values = {"article": article, "voter": voter, "name": name_key(name), "posted_since": now - seconds}
        read = scripts.call(self._keys, "read_voters", **values, fields=(*FIELDS, "signed-up"))
        today, days = day_number(now), min(seconds // SECONDS_PER_DAY + 1, config.STATISTICS_DAYS)
        counts = [("HGET", self._keys.stats(day_name(day)), "votes") for day in range(today - days, today + 1)]
        return pipeline.queue([read, ("HGET", self._keys.article(article), "time"), *counts], self._parse)

    def _parse(self, replies: Sequence[Any]) -> VoterList:
        (total, found, shared), time, *by_day = replies
        # The time of a vote is stored nowhere; none was cast before the article was posted.
        posted, lately = min(clock.now(), finite_number(time) or inf), self._settings.newcomer_days * SECONDS_PER_DAY
        users, votes = dict[str, tuple[User, str, bool]](), dict[str, set[int]]()
        for _id, *known in found:
            network, last, fields = known or ("", (), [None] * 3)
            if user := parse_user(list(fields[:-1])):
                is_new = lately > 0 and posted < (finite_number(fields[-1]) or 0.0) + lately
                users[user.name] = user, network or "", is_new
                votes[user.name] = set(articles_of(last))
        counts = {id: whole_number(count) or 0 for member, count in shared if (id := article_of(member))}
        coincidences = find_coincidences(votes, counts, sum(whole_number(count) or 0 for count in by_day))
        rows = [
            ListedVoter(
                user,
                tuple(coincidences[name]),
                tuple(n for n, (_, other, _) in users.items() if n != name and other and other == network),
                is_new,
            )
            for name, (user, network, is_new) in users.items()
        ]
        rows.sort(key=lambda row: (len(row.coincidences), len(row.neighbours), row.is_new), reverse=True)
        return VoterList(total, tuple(rows), tuple(id for id, *known in found if not known))

    def note_look(self, by: User, what: Article | User) -> None:
        """Note that the moderator *by* looks at the voters of an article, or at the votes of a member."""
        now, key = clock.now(), self._keys.looks()
        # One a day for each thing: who asks for a page again and again pushes no other look out.
        look = f"{by.id} {'a' if isinstance(what, Article) else 'u'}{what.id} {this_day()}"
        writes: list[Command] = [("ZADD", key, now, look), ("EXPIRE", key, config.LOOK_SECONDS)]
        writes += [("ZREMRANGEBYSCORE", key, "-inf", now - config.LOOK_SECONDS)]
        self._connection.run([*writes, ("ZREMRANGEBYRANK", key, 0, -config.MAX_LOOKS - 1)], atomic=True)

    def queue_looks(self, pipeline: Pipeline, number: int) -> Future[Page[Look]]:
        """Queue a read of page *number* (from 1) of the looks of LOOK_SECONDS, the latest first."""
        read_from = members_of(self._keys.looks(), "WITHSCORES")
        return queue_page(pipeline, number, config.LOOK_PAGE_SIZE, read_from, _looks)

    def queue_names(self, pipeline: Pipeline, ids: Iterable[int]) -> Future[dict[int, str]]:
        """Queue a read of the names, in lower case, of the members with these *ids*; leaves out those who have left."""
        ids = list(dict.fromkeys(ids))
        blocks = [self._keys.names(id // config.MEMBER_BLOCK) for id in ids]
        return pipeline.queue(
            [("ZRANGE", block, id, id, "BYSCORE") for block, id in zip(blocks, ids, strict=True)],
            lambda replies: {id: names[0] for id, names in zip(ids, replies, strict=True) if names},
        )


def _looks(pairs: Iterable[tuple[str, float]]) -> Iterator[Look | None]:
    """Yield the look of each of *pairs* of a stored look and its time, None for what another program wrote."""
    for stored, time in pairs:
        match = _LOOK.fullmatch(stored)
        yield Look(time, int(match[1]), match[2], int(match[3])) if match else None
