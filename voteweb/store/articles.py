"""Articles: posted, sorted into groups, read one by one."""

from collections.abc import Sequence

from voteweb import config
from voteweb.config import Settings
from voteweb.errors import NoSuchArticle, NoSuchGroup, TooManyGroups
from voteweb.models import Article, Draft, User
from voteweb.store import keys, rows
from voteweb.store.connect import Connection, Reply, Trip


class Articles:
    """The articles of one site."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection = connection
        self._settings = settings

    def post(self, draft: Draft, poster: User, token: str) -> int:
        """Post *draft* and return its id; the same *token* of the same member always leads to the same article.

        Raises NoSuchGroup when one of the draft's groups does not exist, TooManyGroups, Unavailable.
        """
        groups = tuple(dict.fromkeys(draft.groups))
        if len(groups) > self._settings.max_groups:
            raise TooManyGroups(most=self._settings.max_groups)
        id = self._connection.command("INCR", keys.articles_count())
        settings = self._settings
        outcome = self._connection.script(
            "post_article",
            [
                keys.article(id),
                keys.voted(id),
                keys.by_time(),
                keys.by_score(),
                keys.good(),
                keys.posted(poster.name),
                keys.once(poster.id, token),
                keys.groups(),
                *group_keys(groups),
            ],
            [
                draft.title,
                draft.link,
                draft.text,
                poster.name,
                poster.id,
                settings.own_vote,
                settings.vote_score,
                settings.good_votes,
                settings.voting_seconds + config.VOTERS_GRACE,
                config.ONCE_SECONDS,
                *groups,
            ],
        )
        if outcome.word == "no-group":
            raise NoSuchGroup(names=", ".join(outcome.rest[0].split()))
        return keys.article_id(outcome.rest[0])

    def set_groups(self, id: int, add: Sequence[str], remove: Sequence[str]) -> tuple[str, ...]:
        """Put the article into the groups *add* and out of *remove*, in one act; return its groups as they now are.

        A name in both is removed. Raises NoSuchArticle, NoSuchGroup (only for names to add), TooManyGroups.
        """
        remove = tuple(dict.fromkeys(remove))
        add = tuple(name for name in dict.fromkeys(add) if name not in remove)
        outcome = self._connection.script(
            "set_groups",
            [keys.article(id), keys.groups(), *group_keys((*add, *remove))],
            [self._settings.vote_score, self._settings.max_groups, len(add), *add, *remove],
        )
        match outcome.word:
            case "unknown":
                raise NoSuchArticle()
            case "no-group":
                raise NoSuchGroup(names=", ".join(outcome.rest[0].split()))
            case "too-many":
                raise TooManyGroups(most=self._settings.max_groups)
        return tuple(outcome.rest[0].split())

    def ask(self, trip: Trip, id: int) -> Reply[Article | None]:
        """Queue the question for one whole article, its text included; None when there is none."""

        def read(answers: list[list[str | None]]) -> Article | None:
            *values, text = answers[0]
            return rows.article(id, values, text or "")

        return trip.ask([("HMGET", keys.article(id), *rows.FIELDS, "text")], read)

    def get(self, id: int) -> Article:
        """Return one whole article; raise NoSuchArticle."""
        trip = self._connection.trip()
        article = self.ask(trip, id)
        trip.go()
        if article.value is None:
            raise NoSuchArticle()
        return article.value


def group_keys(names: Sequence[str]) -> list[str]:
    """Return the three keys of each group of *names*, in the order in which the scripts take them."""
    return [key for name in names for key in (keys.group(name), keys.group_by_time(name), keys.group_by_score(name))]
