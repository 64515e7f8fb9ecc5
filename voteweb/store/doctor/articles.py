"""Check articles: their fields, their votes, and their places in all lists."""

import re
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from voteweb.core import config, links, validation
from voteweb.core.config import LINK_SECONDS, Settings
from voteweb.core.models import Article, ArticleStatus
from voteweb.core.ranking import voting_end
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.finding import Finding, check_place
from voteweb.store.doctor.looks import Fields, Kind, Look, examine_each
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.schema import decoding
from voteweb.store.schema.keys import LEFT_OUT, Keys, article_member
from voteweb.store.schema.rankings import Rankings
from voteweb.store.schema.values import finite_number
from voteweb.store.site.changes import record_change

#: The nouns of the sets and rankings of a group.
GROUP_NOUNS = frozenset({"group", "time", "score", "top-group"})
_BY_HAND = "the value is stored nowhere else: set the field with HSET, then repair again"
_WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*")


def examine(scanner: SpoolingScanner, settings: Settings) -> Iterator[Finding]:
    """Check all articles."""
    keys = scanner.site_keys
    kind = Kind(keys.article, (*decoding.FIELDS, "base"), partial(_reads, keys))
    yield from examine_each(scanner, map(str, scanner.article_ids()), kind, partial(_check, keys, settings))


def _reads(keys: Keys, id: str, fields: Fields) -> list[Command]:
    member = article_member(id)
    return [
        ("SCARD", keys.voted(id)),
        ("PEXPIRETIME", keys.voted(id)),
        ("HEXISTS", keys.user(fields["poster"] or config.DELETED_MEMBER), "id"),
        ("EXISTS", keys.thread(id)),
        ("EXISTS", keys.was(id)),
        *(("SISMEMBER", keys.groups(), group) for group in _groups(fields)),
        *(
            ("SISMEMBER", key, member) if keys.split(key)[0] == "group" else ("ZMSCORE", key, member, LEFT_OUT)
            for key in Rankings(keys).named(fields)
        ),
    ]


def _groups(fields: Fields) -> list[str]:
    return list(dict.fromkeys((fields["groups"] or "").split()))


def _unknown_groups(seen: Look) -> set[str]:
    return {name for name, exists in zip(_groups(seen.fields), seen.replies[5:], strict=False) if not exists}


def _check(keys: Keys, settings: Settings, seen: Look) -> Iterator[Finding]:
    """Check one article; one command repairs its votes and places."""
    key, fields, gone = keys.article(seen.name), seen.fields, seen.fields["gone"]
    if not seen.exists:
        return
    if fields["title"] is None:
        yield Finding(key, "has no title", why_not=_BY_HAND)
    elif gone not in (None, ArticleStatus.DELETED, ArticleStatus.REMOVED, ArticleStatus.HELD):
        yield Finding(key, f"is gone in an unknown way: {gone}", why_not=_BY_HAND)
    elif not _is_time(fields["time"]):
        yield _lost_time(keys, seen)
    else:
        if not fields["title"] and gone != ArticleStatus.DELETED:
            yield Finding(key, "has an empty title", why_not=_BY_HAND)
        counts = _counts(seen, settings)
        article = _decoded(fields, counts.votes) if counts else None
        if article is None or counts is None:
            yield Finding(key, "has votes or a base that are no whole numbers", why_not=_BY_HAND)
        elif article.time > seen.now + config.CLOCK_SKEW_SECONDS:
            what = f"has the time {article.time:.6f}, more than a day after now"
            yield Finding(key, what, why_not="a clock was wrong: set the field with HSET, then repair again")
        else:
            yield from _check_readable(keys, settings, seen, counts, article)


def _check_readable(
    keys: Keys, settings: Settings, seen: Look, counts: "_Counts", repaired: Article
) -> Iterator[Finding]:
    """Check an article that can be shown, at the latest once it is *repaired*."""
    key, stored = keys.article(seen.name), _decoded(seen.fields)
    is_readable = stored is not None and decoding.is_count(seen.fields["base"])
    problems = [(key, "has votes or a base that are no whole numbers")]
    if stored is not None and is_readable:
        yield from _check_groups(keys, seen, stored)
        problems = [(key, what) for what in _vote_problems(seen, settings, stored)]
        problems += [(ranking, what) for ranking, what, _ in _check_places(keys, settings, seen, stored)]
    if problems:
        writes = [write for _, _, own in _check_places(keys, settings, seen, repaired) for write in own]
        fields = [part for name in counts.changed(seen.fields) for part in (name, getattr(counts, name))]
        # What its own fields, voters and groups tell decides; where it stands by then does not.
        fix = seen.fix(*([("HSET", key, *fields)] if fields else []), *writes, guards=6 + len(_groups(seen.fields)))
        until = counts.closes or voting_end(repaired, settings.voting_seconds)
        now = f"votes {counts.votes}, base {counts.base}, voting until {until}" if fields else ""
        for where, what in problems:
            yield Finding(where, what, fix, now=now)
            now = ""
    if stored is not None and is_readable:
        yield from _check_belongings(keys, settings, seen, stored)


def _decoded(fields: Fields, votes: int | None = None) -> Article | None:
    """Return the article that these fields make, with other *votes* if they are given."""
    values = [str(votes) if votes is not None and name == "votes" else fields[name] for name in decoding.FIELDS]
    return decoding.article(0, values)


def _is_time(stored: str | None) -> bool:
    time = finite_number(stored)
    return time is not None and 0 <= time < config.MAX_TIME


def _lost_time(keys: Keys, seen: Look) -> Finding:
    """Return the finding that an article has no publish time; rankings by time may still have it."""
    key, poster, places = keys.article(seen.name), seen.fields["poster"] or "", _places(keys, seen)
    for ranking in (keys.by_time(), keys.posted(poster), keys.gone(poster)):
        ranked, _ = places[ranking]
        if ranked is not None and _is_time(repr(float(ranked))):
            time = f"{float(ranked):.6f}"
            tell = record_change(keys, "t", seen.name)
            return Finding(
                key, f"has no time: it is {time} now, as in {ranking}", seen.fix(("HSET", key, "time", time), tell)
            )
    return Finding(key, "has no time", why_not=_BY_HAND)


class _Counts(NamedTuple):
    """The votes and the base that the voters make, and the end of voting if another is to be stored."""

    votes: int
    base: int
    closes: int | None

    def changed(self, fields: Fields) -> list[str]:
        """Return the names of the fields that are to be stored."""
        names = [name for name in ("votes", "base") if _whole(fields[name]) != getattr(self, name)]
        return [*names, *(["closes"] if self.closes is not None else [])]


def _whole(stored: str | None) -> int | None:
    """Return a whole number; a missing one is 0, as a program written after the book leaves it."""
    return 0 if stored is None else int(stored) if _WHOLE.fullmatch(stored) else None


def _counts(seen: Look, settings: Settings) -> _Counts | None:
    """Return what the voters make; None if nothing tells it.

    The votes never fall: those beyond the voters, some of whom may be lost, go into the base; and when all voters of
    an article are lost, voting on it is over.
    """
    fields, voters = seen.fields, seen.replies[0]
    votes, base = _whole(fields["votes"]), _whole(fields["base"])
    if votes is None and base is not None and voters:
        votes = base + voters
    article = _decoded(fields, votes) if votes is not None else None
    if votes is None or article is None:
        return None
    end, is_deleted = voting_end(article, settings.voting_seconds), article.status is ArticleStatus.DELETED
    closes = None if fields["closes"] in (None, str(end)) else end
    if not voters and votes != base and not is_deleted and seen.now < end:
        closes = int(seen.now)
    if voters and not is_deleted:
        votes = votes if base is None else max(votes, base + voters)
        base = votes - voters
    return _Counts(votes, votes if base is None else base, closes)


def _vote_problems(seen: Look, settings: Settings, article: Article) -> Iterator[str]:
    votes, base, voters = article.votes, int(seen.fields["base"] or 0), seen.replies[0]
    if article.closes is None and seen.fields["closes"] is not None:
        yield "has an end of voting that is no time"
    if article.status is ArticleStatus.DELETED:
        return
    if voters and votes != base + voters:
        yield f"votes is {votes}, but base {base} and {voters} voters make {base + voters}"
    elif not voters and votes != base and seen.now < voting_end(article, settings.voting_seconds):
        yield f"has lost its voters, so that voting is over: {votes} votes, base {base}, no voter"


def _check_groups(keys: Keys, seen: Look, article: Article) -> Iterator[Finding]:
    """Check that the groups of an article exist; a removed one keeps the name of a group that was deleted since."""
    for name in sorted(_unknown_groups(seen)) if article.is_listed else ():
        fix, why_not = seen.fix(("SADD", keys.groups(), name)), ""
        if not validation.accepts(validation.group_name, name):
            fix, why_not = (), f"{name} is no name for a group: take it out of the field groups"
        yield Finding(keys.article(seen.name), f"is in the group {name}, which does not exist", fix, why_not)


def _places(keys: Keys, seen: Look) -> dict[str, tuple[float | None, float | None]]:
    """Return the article's place in each list that may hold it, and what the best article left out there is worth."""
    named = Rankings(keys).named(seen.fields)
    replies = seen.replies[len(seen.replies) - len(named) :]
    pairs = (tuple(reply) if isinstance(reply, list) else (reply, None) for reply in replies)
    return dict(zip(named, pairs, strict=True))


def _wanted(keys: Keys, settings: Settings, seen: Look, article: Article) -> dict[str, float | bool | None]:
    """Return where the article must be, given where it is: it may be left out of some lists."""
    rankings, fields, places = Rankings(keys), seen.fields, _places(keys, seen)
    link, is_ours = fields["link"] or "", fields["base"] is not None
    wanted = rankings.places(article, settings, link)
    for key in rankings.left_out(article, link, wanted, places, is_ours=is_ours):
        wanted.pop(key, None)
    link_key = keys.link(links.digest(link))
    # The key may have expired by now, and such a program knows no such key.
    if places[link_key][0] is None and not (is_ours and seen.now < article.time + LINK_SECONDS - 1):
        wanted.pop(link_key, None)
    if not seen.replies[2]:
        wanted.pop(rankings.key_of_poster(article), None)
    return wanted


def _check_places(
    keys: Keys, settings: Settings, seen: Look, article: Article
) -> Iterator[tuple[str, str, list[Command]]]:
    """Yield each list in which the article is not as it must be, why, and the commands that repair that.

    Those of groups that do not exist wait until they do.
    """
    wanted, unknown = _wanted(keys, settings, seen, article), _unknown_groups(seen)
    groups = seen.fields["groups"]
    for key, (score, _) in _places(keys, seen).items():
        noun, name = keys.split(key)
        if noun in GROUP_NOUNS and name in unknown:
            continue
        for what, writes in check_place(keys, key, article_member(seen.name), score, wanted.get(key)):
            if noun == "group":
                state = f"groups are {groups}" if key in wanted else f"state is {article.status}"
                what = f"{what.partition(',')[0]}, whose {state}"
            yield key, what, writes


def _check_belongings(keys: Keys, settings: Settings, seen: Look, article: Article) -> Iterator[Finding]:
    """Check the conversation, the voters and the earlier versions of an article."""
    voters, expires, _, has_thread, has_versions, *_ = seen.replies
    key, voted, closes = keys.article(seen.name), keys.voted(seen.name), voting_end(article, settings.voting_seconds)
    if not has_thread and (seen.fields["comments"] or "0") != "0":
        fix = seen.fix(("HSET", key, "comments", 0), ("UNLINK", keys.hidden(seen.name)))
        yield Finding(key, f"has comments {seen.fields['comments']}, but no conversation", fix)
    for owned, exists in ((voted, voters), (keys.was(seen.name), has_versions)):
        if exists and article.status is ArticleStatus.DELETED:
            what = f"belongs to {article_member(seen.name)}, which is deleted"
            yield Finding(owned, what, seen.fix(("UNLINK", owned)))
    if voters and expires < 1000 * (closes - 1):
        what = "never expires" if expires == -1 else "expires before voting is over"
        yield Finding(voted, what, seen.fix(("EXPIREAT", voted, closes + config.VOTERS_GRACE_SECONDS)))
