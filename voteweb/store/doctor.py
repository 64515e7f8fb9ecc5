"""Checks every invariant of the data; reads only, in bounded steps, and each step at one instant."""

from collections.abc import Generator, Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from voteweb.config import Settings
from voteweb.ranking import closes, score
from voteweb.rules import voting_open
from voteweb.store import keys, rows
from voteweb.store.connect import Connection

#: Articles per step: some two thousand commands that Redis runs as one block of a few milliseconds.
STEP = 100
#: Seconds by which a stored score may differ from the formula: far above rounding, far below any vote.
TOLERANCE = 0.001
#: What the keys of each noun are, except the two counters; keys of other nouns are another program's.
TYPES = {
    "article": "hash", "voted": "set", "time": "zset", "score": "zset", "good": "zset", "groups": "set",
    "group": "set", "group-info": "hash", "user": "hash", "posted": "zset", "once": "string", "imported": "set",
}  # fmt: skip
COUNTERS = (keys.articles_count(), keys.users_count())


class Broken(NamedTuple):
    """A broken invariant: the key that is wrong, and how."""

    key: str
    what: str


class Doctor:
    """The examination of one site."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection = connection
        self._settings = settings

    def examine(self) -> Iterator[Broken]:
        """Yield every broken invariant, whatever else goes on in the database meanwhile.

        Where a key is of another type than it should be, nothing but types and lifetimes can be examined.
        """
        sound = yield from self._shapes()
        if not sound:
            return
        groups = sorted(self._connection.command("SMEMBERS", keys.groups()))
        yield from self._group_keys(set(groups))
        for step in _steps(name for name in self._scan("article:[0-9]*") if _is_article(name)):
            yield from self._articles(step, groups)
        for step in _steps(self._scan("voted:*")):
            yield from self._voters(step)
        rankings = [keys.by_time(), keys.by_score(), keys.good()]
        for key in [*rankings, *(key for name in groups for key in _keys_of(name)), *self._scan("posted:*")]:
            for step in _steps(self._members(key)):
                yield from self._orphans(key, step)

    def _shapes(self) -> Generator[Broken, None, bool]:
        """Check type and lifetime of every key of ours; return whether all have their type."""
        sound = True
        for step in _steps(self._scan("*:*")):
            answers = self._connection.pipeline([(word, key) for key in step for word in ("TYPE", "TTL")])
            for i, key in enumerate(step):
                noun, _, name = key.partition(":")
                wanted = "string" if key in COUNTERS else TYPES.get(noun)
                kind, expires = answers[2 * i : 2 * i + 2]
                if wanted is None or kind == "none":
                    continue
                if kind != wanted:
                    sound = False
                    yield Broken(key, f"is a {kind}, but should be a {wanted}")
                if noun == "article" and name and not _is_article(key):
                    yield Broken(key, f"is no article: {name} is no number")
                if expires >= 0 and noun not in ("voted", "once") and "+" not in name:
                    yield Broken(key, f"expires in {expires} seconds, but is for ever")
        return sound

    def _articles(self, names: list[str], groups: list[str]) -> Iterator[Broken]:
        """Check what every place says of these articles, read at one instant."""
        ids = [keys.article_id(name) for name in names]
        fields = (*rows.FIELDS, "base")
        commands: list[tuple[Any, ...]] = [("TIME",)]
        for id in ids:
            name = keys.article(id)
            commands += [
                ("HMGET", name, *fields),
                ("SCARD", keys.voted(id)),
                ("ZSCORE", keys.by_time(), name),
                ("ZSCORE", keys.by_score(), name),
                ("ZSCORE", keys.good(), name),
                *((("SISMEMBER", keys.group(group), name)) for group in groups),
                *((("ZSCORE", keys.group_by_time(group), name)) for group in groups),
                *((("ZSCORE", keys.group_by_score(group), name)) for group in groups),
            ]
        (seconds, _), *answers = self._connection.pipeline(commands, atomic=True)
        width = 5 + 3 * len(groups)
        members_of = self._posted(ids, answers[::width])
        for i, id in enumerate(ids):
            yield from self._article(id, answers[i * width : (i + 1) * width], groups, float(seconds))
            yield from members_of[i]

    def _article(self, id: int, answers: list[Any], groups: list[str], now: float) -> Iterator[Broken]:
        (*values, base), voters, time, points, good, *membership = answers
        name = keys.article(id)
        try:
            article, base = rows.article(id, values), int(base or 0)
        except ValueError:
            yield Broken(name, "has time, votes or base that are no numbers")
            return
        if article is None:
            if any(values):
                yield Broken(name, "has no title or no time")
            return
        wanted = score(article.time, article.votes, self._settings.vote_score)
        if voting_open(article, now, self._settings) and article.votes != base + voters:
            yield Broken(name, f"votes is {article.votes}, but base {base} and {voters} voters make {base + voters}")
        yield from _placed(keys.by_time(), name, time, article.time)
        yield from _placed(keys.by_score(), name, points, wanted)
        is_good = article.votes >= self._settings.good_votes
        if is_good or good is not None:
            yield from _placed(keys.good(), name, good, article.time if is_good else None)
        for at, group in enumerate(groups):
            inside = group in article.groups
            is_member, group_time, group_points = membership[at :: len(groups)]
            if bool(is_member) != inside:
                yield Broken(
                    keys.group(group),
                    f"{'lacks' if inside else 'holds'} {name}, whose groups are {' '.join(article.groups) or 'none'}",
                )
            yield from _placed(keys.group_by_time(group), name, group_time, article.time if inside else None)
            yield from _placed(keys.group_by_score(group), name, group_points, wanted if inside else None)
        for group in article.groups:
            if group not in groups and not self._exists(group):
                yield Broken(name, f"is in the group {group}, which does not exist")

    def _posted(self, ids: list[int], hashes: list[list[str | None]]) -> list[list[Broken]]:
        """Return what is wrong with each article's place among its poster's, if the poster is a member."""
        posters = [values[rows.FIELDS.index("poster")] or "" for values in hashes]
        commands: list[tuple[Any, ...]] = []
        for id, poster in zip(ids, posters, strict=True):
            commands += [("EXISTS", keys.user(poster)), ("ZSCORE", keys.posted(poster), keys.article(id))]
        answers = self._connection.pipeline(commands, atomic=True)
        found: list[list[Broken]] = []
        for i, (id, poster) in enumerate(zip(ids, posters, strict=True)):
            is_member, place = answers[2 * i : 2 * i + 2]
            time = _number(hashes[i][rows.FIELDS.index("time")])
            wanted = time if is_member and poster else None
            # Without a time there is no place to be at; that is said of the article.
            found.append(
                list(_placed(keys.posted(poster), keys.article(id), place, wanted)) if time is not None else []
            )
        return found

    def _voters(self, names: list[str]) -> Iterator[Broken]:
        """Check that these sets of voters belong to an article and outlive its voting time, but not for ever."""
        commands: list[tuple[Any, ...]] = []
        for name in names:
            article = keys.article(name.partition(":")[2])
            commands += [("PEXPIRETIME", name), ("HGET", article, "time")]
        answers = self._connection.pipeline(commands, atomic=True)
        for i, name in enumerate(names):
            expires, time = answers[2 * i : 2 * i + 2]
            if expires == -2:  # gone since it was found
                continue
            if expires == -1:
                yield Broken(name, "never expires")
            if time is None:
                yield Broken(name, "belongs to no article")
            elif (posted := _number(time)) is None:
                continue  # said of the article already
            elif 0 <= expires < 1000 * (closes(posted, self._settings.voting_seconds) - 1):
                yield Broken(name, "expires before its voting time is over")

    def _orphans(self, key: str, members: list[str]) -> Iterator[Broken]:
        """Check that these members of a ranking or group are articles, and of a member's list that they are theirs."""
        known = self._connection.pipeline([("HMGET", member, "title", "poster") for member in members])
        for member, (title, poster) in zip(members, known, strict=True):
            if title is None:
                yield Broken(key, f"holds {member}, which is no article")
            elif key.startswith("posted:") and keys.posted(poster or "") != key:
                yield Broken(key, f"holds {member}, which {poster or 'nobody'} posted")

    def _group_keys(self, groups: set[str]) -> Iterator[Broken]:
        """Check that every key of a group belongs to a group that exists."""
        for pattern in ("group:*", "group-info:*", "time:*", "score:*"):
            for key in self._scan(pattern):
                name = key.partition(":")[2]
                if name and "+" not in name and name not in groups and not self._exists(name):
                    yield Broken(key, f"belongs to no group: {keys.groups()} lacks {name}")

    def _exists(self, group: str) -> bool:
        """Tell whether *group* exists by now: it may have been made since the examination began."""
        return bool(self._connection.command("SISMEMBER", keys.groups(), group))

    def _scan(self, pattern: str) -> Iterator[str]:
        cursor: int | str = 0
        seen_all = False
        while not seen_all:
            cursor, found = self._connection.command("SCAN", cursor, "MATCH", pattern, "COUNT", 1000)
            yield from found
            seen_all = int(cursor) == 0

    def _members(self, key: str) -> Iterator[str]:
        scan = "SSCAN" if key.startswith("group:") else "ZSCAN"
        cursor: int | str = 0
        seen_all = False
        while not seen_all:
            cursor, found = self._connection.command(scan, key, cursor, "COUNT", 1000)
            # redis-py pairs the members of a sorted set with their scores.
            yield from (each[0] if isinstance(each, tuple | list) else each for each in found)
            seen_all = int(cursor) == 0


def _placed(key: str, member: str, stored: Any, wanted: float | None) -> Iterator[Broken]:
    """Compare the number under which *member* stands in *key* with the one it should have; None: not there."""
    if wanted is None:
        if stored is not None:
            yield Broken(key, f"holds {member}, which does not belong there")
    elif stored is None:
        yield Broken(key, f"lacks {member}")
    elif abs(float(stored) - wanted) > TOLERANCE:
        yield Broken(key, f"has {member} at {float(stored):.3f} instead of {wanted:.3f}")


def _number(text: str | None) -> float | None:
    try:
        return float(text or "")
    except ValueError:
        return None


def _is_article(key: str) -> bool:
    try:
        return keys.article(keys.article_id(key)) == key
    except ValueError:
        return False


def _keys_of(group: str) -> tuple[str, str, str]:
    return keys.group(group), keys.group_by_time(group), keys.group_by_score(group)


def _steps(names: Iterable[str]) -> Iterator[list[str]]:
    source = iter(names)
    while step := list(islice(source, STEP)):
        yield step
