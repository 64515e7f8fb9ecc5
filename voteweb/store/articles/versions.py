"""The versions of an article before its edits: which are kept, and which words its poster had last."""

import json
from collections.abc import Sequence
from itertools import takewhile

from voteweb.core import config
from voteweb.core.errors import NothingToUndo
from voteweb.core.models import Article, Draft, EarlierVersion, LogEntry
from voteweb.store.connection.commit import Attempt
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema import decoding
from voteweb.store.schema.fields import words_of
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.values import article_member, finite_number

#: Who edited, if it was the poster; else the id of the member.
POSTER = "poster"


def queue_versions(pipeline: Pipeline, keys: Keys, id: int) -> Future[tuple[EarlierVersion, ...]]:
    """Queue a read of an article as it was before each of its last edits, and as its poster had it, latest first."""
    return pipeline.queue(_reads(keys, id), lambda replies: decoding.earlier_versions(*replies))


def _reads(keys: Keys, id: int) -> list[Command]:
    return [("ZRANGE", keys.was(id), 0, -1), ("HGET", keys.article(id), "as-posted")]


def version_before(act: LogEntry, versions: Sequence[EarlierVersion]) -> EarlierVersion | None:
    """Return the version before the edit *act*, None if it is not kept; raise NothingToUndo if another edited since."""
    version = next((one for one in versions if one.until == finite_number(act.former)), None)
    if version and any(one.until > version.until and one.by != version.by for one in versions):
        raise NothingToUndo()
    return version


def without_answer(keys: Keys, id: int) -> list[Command]:
    """Return the writes that forget the answer of a poster to a removal, or to edits."""
    return [("HDEL", keys.article(id), "answer", "answered"), ("ZREM", keys.answers(), article_member(id))]


def _stays(by: str, before: Draft, after: Draft) -> bool:
    """Tell whether what the poster had last stays that after an edit by *by*: another's, or one of groups alone."""
    return by != POSTER or words_of(before) == words_of(after)


def _had_last(stored: Sequence[str], after: Article) -> str:
    """Return the version that the poster had last, as those *stored* before *after* tell, "" if that has its words."""
    posted, versions = "", [decoding.earlier_version(text) for text in stored]
    for text, version, later in zip(stored, versions, [*versions[1:], after], strict=False):
        posted = posted or text if _stays(version.by, version, later) else ""
        if posted and words_of(decoding.earlier_version(posted)) == words_of(later):
            posted = ""
    return posted


class Versions:
    """The earlier versions of one article, for one attempt at a change of it."""

    def __init__(self, attempt: Attempt, id: int) -> None:
        self._keys, self._id = attempt.keys, id
        self._was, self._article = attempt.keys.was(id), attempt.keys.article(id)
        self._stored, self._posted = attempt.read(*_reads(attempt.keys, id))
        self.all = decoding.earlier_versions(self._stored, self._posted)

    def add(self, before: Article, after: Article, until: str, by: str) -> list[Command]:
        """Return the writes that keep *before*, as it was *until* a time at which *by* made *after* of it."""
        fields = words_of(before) | {"time": until, "by": by, "groups": " ".join(before.groups)}
        version = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
        kept = [*self._stored, version]
        of_one = len([*takewhile(lambda text: decoding.earlier_version(text).by == by, reversed(kept))])
        # However often one moderator edits: the version before their first edit is not pushed out, nor others' by more.
        oldest = kept[1 - of_one if by != POSTER and of_one > 2 else 0]
        return [
            ("ZADD", self._was, until, version),
            *([("ZREM", self._was, oldest)] if len(kept) > config.EARLIER_VERSIONS else []),
            ("EXPIRE", self._was, config.EARLIER_SECONDS),
            *self._keep(self._posted or version if _stays(fields["by"], before, after) else "", after),
        ]

    def forget(self, version: EarlierVersion, after: Article) -> list[Command]:
        """Return the writes that forget *version* and what came after it, once *after* has its words again."""
        is_edited = any(one.as_posted and one.until < version.until for one in self.all)
        earlier = [text for text in self._stored if decoding.earlier_version(text).until < version.until]
        forgotten = ("ZREMRANGEBYSCORE", self._was, version.until, "+inf")
        return [forgotten, *self._keep(self._posted if is_edited else _had_last(earlier, after), after)]

    def _keep(self, posted: str, after: Article) -> list[Command]:
        """Return the writes that keep *posted*, what the poster had last, unless *after* has these words.

        Then there is no edit to answer, either; else a new one can be answered once a moderator looked at the answer.
        """
        is_left = after.poster == config.DELETED_MEMBER  # nobody can answer, and their words are to be forgotten
        if posted and not is_left and words_of(decoding.earlier_version(posted)) != words_of(after):
            unanswered = without_answer(self._keys, self._id) if after.answer and not after.answered else []
            return [("HSET", self._article, "as-posted", posted), *unanswered]
        if self._posted is None:
            return []
        return [("HDEL", self._article, "as-posted"), *without_answer(self._keys, self._id)]
