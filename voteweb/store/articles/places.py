"""Articles inside a guarded commit: read as they are stored, and moved between the lists that hold them."""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from voteweb.core import config
from voteweb.core.errors import NoSuchArticle, NotYours, TooLate
from voteweb.core.models import Article, ArticleStatus
from voteweb.core.names import name_key
from voteweb.store.connection.commit import Attempt
from voteweb.store.connection.pipeline import Command
from voteweb.store.schema import decoding
from voteweb.store.schema.rankings import Place, Rankings, place_writes
from voteweb.store.schema.values import article_member
from voteweb.store.site.context import Context, StorePart
from voteweb.store.site.site_settings import settings_of

#: The fields that tell where an article stands, but for its votes, which others change often.
_FIELDS = ("title", "link", "poster", "time", "groups", "gone")


class StoredArticle(NamedTuple):
    """An article, listed or not, with its link exactly as stored, and the fields that were read of it."""

    article: Article
    fields: dict[str, str | None]


class ArticlePlaces(StorePart):
    """The places of the articles of one site."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._rankings = Rankings(context.keys)

    def read(self, attempt: Attempt, id: int, *others: str) -> StoredArticle:
        """Return an article with these *others* of its fields; without its votes unless they are named.

        Raises NoSuchArticle.
        """
        names = (*_FIELDS, *others)
        (values,) = attempt.read(("HMGET", self._keys.article(id), *names))
        fields = dict(zip(names, values, strict=True))
        stored = [fields.get(name) for name in (*decoding.FIELDS, *decoding.TEXT_FIELDS)]
        article = decoding.stored_article(id, stored)
        if article is None:
            raise NoSuchArticle()
        return StoredArticle(article, fields)

    def place(self, attempt: Attempt, stored: StoredArticle, after: Article) -> list[Command]:
        """Return the writes that give an article the status of *after*, and its places and no others."""
        wanted = self._wanted(attempt, after)
        poster = self._keys.user(after.poster or config.DELETED_MEMBER)
        if not attempt.read(("HEXISTS", poster, "id"))[0]:
            wanted.pop(self._rankings.key_of_poster(after))
        keys = dict.fromkeys([*self._rankings.named(stored.fields), *wanted])
        key = self._keys.article(after.id)
        status: Command = ("HDEL", key, "gone") if after.is_listed else ("HSET", key, "gone", after.status.value)
        return [status, *self._writes(after.id, ((key, wanted.get(key)) for key in keys))]

    def move(self, attempt: Attempt, before: Article, after: Article) -> list[Command]:
        """Return the writes for an article that gets other groups or another link."""
        if set(after.groups) - set(before.groups):
            votes = self.read(attempt, after.id, "votes").article.votes
            before, after = replace(before, votes=votes), replace(after, votes=votes)
        settings, wanted = settings_of(attempt, self._keys, self._settings), self._wanted(attempt, after)
        places = self._rankings.places(before, settings, before.link)
        changed = [key for key in places | wanted if places.get(key) != wanted.get(key)]
        return self._writes(after.id, ((key, wanted.get(key)) for key in changed))

    def existing_groups(self, attempt: Attempt, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return those of the groups *names* that exist."""
        (exist,) = attempt.read(("SMISMEMBER", self._keys.groups(), *names)) if names else ((),)
        return tuple(name for name, exists in zip(names, exist, strict=True) if exists)

    def free_time(self, attempt: Attempt) -> str:
        """Return the first microsecond from now on at which no article was published, in unix seconds."""
        time = attempt.now
        while attempt.read(("ZCOUNT", self._keys.by_time(), time, time))[0]:
            time = f"{float(time) + 0.000001:.6f}"
        return time

    def _wanted(self, attempt: Attempt, article: Article) -> dict[str, Place]:
        """Return where an article must stand now: it is not found under its link for ever."""
        wanted = self._rankings.places(article, settings_of(attempt, self._keys, self._settings), article.link)
        if article.time + config.LINK_SECONDS <= float(attempt.now):
            wanted = {key: place for key, place in wanted.items() if self._keys.split(key)[0] != "link"}
        return wanted

    def _writes(self, id: int, places: Iterable[tuple[str, Place]]) -> list[Command]:
        member = article_member(id)
        return [write for key, place in places for write in place_writes(self._keys, key, member, place)]


def check_poster(attempt: Attempt, article: Article, name: str, until: float) -> None:
    """Refuse a change by the member *name*: raises NotYours, and TooLate after *until* unless the article waits."""
    if name_key(article.poster) != name_key(name):
        raise NotYours()
    if article.status is not ArticleStatus.HELD:
        if float(attempt.now) >= until:
            raise TooLate(when=until)
        attempt.not_after = until
