"""Articles: posted, edited, sorted into groups, read one by one."""

from collections.abc import Sequence

from voteweb import config, links
from voteweb.config import Settings
from voteweb.errors import (
    ArticleGone,
    Conflict,
    Duplicate,
    LoggedOut,
    NoSuchArticle,
    NoSuchGroup,
    NotYours,
    TooLate,
    TooManyGroups,
)
from voteweb.models import Article, Draft, User
from voteweb.store import keys, rows
from voteweb.store.connect import Connection, Outcome
from voteweb.store.log import Deed, Log
from voteweb.store.trip import Reply, Trip

#: How often a write is tried whose keys have changed under it, before it says that somebody else is at work.
TRIES = 20


class Articles:
    """The articles of one site."""

    def __init__(self, connection: Connection, settings: Settings, log: Log) -> None:
        self._connection = connection
        self._settings = settings
        self._log = log

    def post(self, draft: Draft, poster: User, token: str, *, anyway: bool = False) -> int:
        """Post *draft* and return its id; the same *token* of the same member always leads to the same article.

        Raises Duplicate when the link was posted within LINK_SECONDS, unless it is to be posted *anyway*;
        NoSuchGroup when one of the draft's groups does not exist, TooManyGroups, LoggedOut when the poster has
        left or was banned meanwhile, Unavailable.
        """
        groups = tuple(dict.fromkeys(draft.groups))
        if len(groups) > self._settings.max_groups:
            raise TooManyGroups(most=self._settings.max_groups)
        for _ in range(TRIES):
            outcome = self._post(draft, groups, poster, token, anyway)
            if outcome.word != "taken":  # an id is given twice when a failover lost the count
                break
        else:
            raise Conflict()
        if outcome.word == "no-group":
            raise NoSuchGroup(names=", ".join(outcome.rest[0].split()))
        if outcome.word == "out":
            raise LoggedOut()
        found = keys.article_id(outcome.rest[0])
        if outcome.word == "duplicate":
            raise Duplicate(id=found)
        return found

    def _post(self, draft: Draft, groups: Sequence[str], poster: User, token: str, anyway: bool) -> Outcome:
        id, settings = self._connection.command("INCR", keys.articles_count()), self._settings
        return self._connection.script(
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
                keys.link(links.digest(draft.link)),
                keys.user(poster.name),
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
                config.LINK_SECONDS,
                int(anyway),
                *groups,
            ],
        )

    def edit(self, id: int, draft: Draft, editor: User, deed: Deed | None = None) -> None:
        """Give the article the title, link, text and groups of *draft*; a *deed* makes it a moderator's act.

        Without one the editor must be its poster, within EDIT_SECONDS. Raises NoSuchArticle, ArticleGone,
        NotYours, TooLate, NoSuchGroup, TooManyGroups, Conflict, Unavailable.
        """
        record = self._log.record(deed)
        for _ in range(TRIES):
            article = read_stored(self._connection, id)
            add = [name for name in dict.fromkeys(draft.groups) if name not in article.groups]
            remove = [name for name in article.groups if name not in draft.groups]
            outcome = self._connection.script(
                "edit_article",
                [
                    keys.article(id),
                    keys.groups(),
                    keys.link(links.digest(article.link)),
                    keys.link(links.digest(draft.link)),
                    *group_keys((*add, *remove)),
                    *record.keys,
                ],
                [
                    *record.arguments,
                    "" if deed else editor.name,
                    self._settings.edit_seconds,
                    self._settings.vote_score,
                    self._settings.max_groups,
                    draft.title,
                    draft.link,
                    draft.text,
                    article.link,
                    config.LINK_SECONDS,
                    len(add),
                    *add,
                    *remove,
                ],
            )
            if outcome.word != "again":
                self._refuse(outcome)
                return
        raise Conflict()

    def set_groups(
        self, id: int, add: Sequence[str], remove: Sequence[str], deed: Deed | None = None
    ) -> tuple[str, ...]:
        """Put the article into the groups *add* and out of *remove*, in one act; return its groups as they now are.

        A name in both is removed. Raises NoSuchArticle, ArticleGone, NoSuchGroup (only for names to add),
        TooManyGroups, Unavailable.
        """
        remove = tuple(dict.fromkeys(remove))
        add = tuple(name for name in dict.fromkeys(add) if name not in remove)
        record = self._log.record(deed)
        outcome = self._connection.script(
            "set_groups",
            [keys.article(id), keys.groups(), *group_keys((*add, *remove)), *record.keys],
            [*record.arguments, self._settings.vote_score, self._settings.max_groups, len(add), *add, *remove],
        )
        self._refuse(outcome)
        return tuple(outcome.rest[0].split())

    def _refuse(self, outcome: Outcome) -> None:
        match outcome.word:
            case "unknown":
                raise NoSuchArticle()
            case "gone":
                raise ArticleGone()
            case "not-yours":
                raise NotYours()
            case "late":
                raise TooLate(when=float(outcome.rest[0]))
            case "no-group":
                raise NoSuchGroup(names=", ".join(outcome.rest[0].split()))
            case "too-many":
                raise TooManyGroups(most=self._settings.max_groups)

    def ask(self, trip: Trip, id: int) -> Reply[Article | None]:
        """Queue the question for one whole article, its text included, gone or not; None when there is none."""
        return trip.ask(
            [("HMGET", keys.article(id), *rows.FIELDS, *rows.MORE_FIELDS)], lambda answers: rows.whole(id, answers[0])
        )

    def get(self, id: int) -> Article:
        """Return one whole article that is not gone; raise NoSuchArticle, ArticleGone."""
        trip = self._connection.trip()
        article = self.ask(trip, id)
        trip.go()
        if article.value is None:
            raise NoSuchArticle()
        if article.value.gone:
            raise ArticleGone()
        return article.value


def read_stored(connection: Connection, id: int) -> Article:
    """Return an article as it is stored, gone or not, for a script that must name its keys; raise NoSuchArticle."""
    values = connection.command("HMGET", keys.article(id), *rows.FIELDS, *rows.MORE_FIELDS)
    article = rows.as_stored(id, values)
    if article is None:
        raise NoSuchArticle()
    return article


def group_keys(names: Sequence[str]) -> list[str]:
    """Return the three keys of each group of *names*, in the order in which the scripts take them."""
    return [key for name in names for key in (keys.group(name), keys.group_by_time(name), keys.group_by_score(name))]
