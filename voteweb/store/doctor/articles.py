"""Check articles: their fields, their votes, and their places in all lists."""

import re
from collections.abc import Iterator, Mapping
from functools import partial

from voteweb.core import config, links, validation
from voteweb.core.config import LINK_SECONDS, Settings
from voteweb.core.models import Article, ArticleStatus
from voteweb.core.ranking import voting_end
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.finding import Finding, Problem, check_place
from voteweb.store.doctor.looks import Fields, Kind, Look, examine_each
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.schema import decoding
from voteweb.store.schema.keys import LEFT_OUT, Keys, article_member
from voteweb.store.schema.numbers import finite_number
from voteweb.store.schema.rankings import Place, Rankings, group_keys
from voteweb.store.site.changes import record_change

_BY_HAND = "the value is stored nowhere else: set the field with HSET, then repair again"
_BAD_NUMBERS = "has votes or a base that are no whole numbers"
_WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*")
_GONE = {status.value for status in ArticleStatus} - {ArticleStatus.LISTED}


def examine(scanner: SpoolingScanner, settings: Settings) -> Iterator[Finding]:
    """Check all articles."""
    keys = scanner.site_keys
    kind = Kind(keys.article, (*decoding.FIELDS, "base", "answer", "answered"), partial(_reads, keys))
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
            for key in _named(keys, fields)
        ),
    ]


def _groups(fields: Fields) -> list[str]:
    return list(dict.fromkeys((fields["groups"] or "").split()))


def _named(keys: Keys, fields: Fields) -> list[str]:
    """Return every set and ranking in which an article with these fields may be."""
    return [*Rankings(keys).named(fields), keys.answers()]


def _check(keys: Keys, settings: Settings, seen: Look) -> Iterator[Finding]:
    """Check one article; one command repairs all of it."""
    key, fields, gone = keys.article(seen.name), seen.fields, seen.fields["gone"]
    if not seen.exists:
        return
    if fields["title"] is None:
        yield Finding(key, "has no title", why_not=_BY_HAND)
    elif gone is not None and gone not in _GONE:
        yield Finding(key, f"is gone in an unknown way: {gone}", why_not=_BY_HAND)
    elif not _is_time(fields["time"]):
        yield _lost_time(keys, seen)
    else:
        if not fields["title"] and gone != ArticleStatus.DELETED:
            yield Finding(key, "has an empty title", why_not=_BY_HAND)
        numbers = _right_numbers(seen, settings)
        article = _decoded(fields, numbers["votes"]) if numbers else None
        if article is None or numbers is None:
            yield Finding(key, _BAD_NUMBERS, why_not=_BY_HAND)
        elif article.time > seen.now + config.CLOCK_SKEW_SECONDS:
            what = f"has the time {article.time:.6f}, more than a day after now"
            yield Finding(key, what, why_not="a clock was wrong: set the field with HSET, then repair again")
        else:
            yield from _check_readable(keys, settings, seen, numbers, article)


def _check_readable(
    keys: Keys, settings: Settings, seen: Look, numbers: Mapping[str, int], repaired: Article
) -> Iterator[Finding]:
    """Check an article that can be shown, at the latest once it is *repaired* and has the right *numbers*."""
    key, fields, stored = keys.article(seen.name), seen.fields, _decoded(seen.fields)
    problems = [Problem(key, _BAD_NUMBERS)]
    if stored is not None and decoding.is_count(fields["base"]):
        yield from _bad_groups(keys, seen, stored)
        problems = [Problem(key, what) for what in _vote_problems(seen, settings, stored)]
        problems += [problem._replace(writes=()) for problem in _check_places(keys, settings, seen, stored)]
        problems += _check_belongings(keys, settings, seen, stored)
    if problems:
        changed = {name: number for name, number in numbers.items() if _whole(fields[name]) != number}
        writes = [("HSET", key, *(part for item in changed.items() for part in item))] if changed else []
        writes += [write for place in _check_places(keys, settings, seen, repaired) for write in place.writes]
        until = numbers.get("closes") or voting_end(repaired, settings.voting_seconds)
        now = f"votes {repaired.votes}, base {numbers['base']}, voting until {until}" if changed else ""
        # What its own fields, voters and groups tell decides; where it stands by then does not.
        yield from seen.findings(problems, *writes, guards=6 + len(_groups(fields)), now=now)


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
            fix = seen.fix(("HSET", key, "time", time), record_change(keys, "t", seen.name))
            return Finding(key, f"has no time: it is {time} now, as in {ranking}", fix)
    return Finding(key, "has no time", why_not=_BY_HAND)


def _whole(stored: str | None) -> int | None:
    """Return a whole number; a missing one is 0, as a program written after the book leaves it."""
    return 0 if stored is None else int(stored) if _WHOLE.fullmatch(stored) else None


def _right_numbers(seen: Look, settings: Settings) -> dict[str, int] | None:
    """Return the votes and the base that the voters make, and ``closes`` if it is another; None if nothing tells it.

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
    closes = {} if fields["closes"] in (None, str(end)) else {"closes": end}
    if not voters and votes != base and not is_deleted and seen.now < end:
        closes = {"closes": int(seen.now)}
    if voters and not is_deleted:
        votes = votes if base is None else max(votes, base + voters)
        base = votes - voters
    return {"votes": votes, "base": votes if base is None else base, **closes}


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


def _check_belongings(keys: Keys, settings: Settings, seen: Look, article: Article) -> Iterator[Problem]:
    """Check the groups, the conversation, the voters and the earlier versions of an article."""
    voters, expires, _, has_thread, has_versions, *_ = seen.replies
    key, member, voted = keys.article(seen.name), article_member(seen.name), keys.voted(seen.name)
    for name in _unknown_groups(seen) if article.is_listed else ():
        if validation.accepts(validation.group_name, name):
            yield Problem(key, f"is in the group {name}, which does not exist", (("SADD", keys.groups(), name),))
    if not has_thread and (seen.fields["comments"] or "0") != "0":
        writes = (("HSET", key, "comments", 0), ("UNLINK", keys.hidden(seen.name)))
        yield Problem(key, f"has comments {seen.fields['comments']}, but no conversation", writes)
    is_deleted = article.status is ArticleStatus.DELETED
    for owned, exists in ((voted, voters), (keys.was(seen.name), has_versions)):
        if exists and is_deleted:
            yield Problem(owned, f"belongs to {member}, which is deleted", (("UNLINK", owned),))
    is_waiting = article.status is ArticleStatus.REMOVED and seen.fields["answer"] is not None
    if seen.fields["answered"] is not None and not (is_waiting and finite_number(seen.fields["answered"]) is not None):
        yield Problem(keys.answers(), f"has {member}, of which no answer waits", (("HDEL", key, "answered"),))
    closes = voting_end(article, settings.voting_seconds)
    if voters and not is_deleted and expires < 1000 * (closes - 1):
        what = "never expires" if expires == -1 else "expires before voting is over"
        yield Problem(voted, what, (("EXPIREAT", voted, closes + config.VOTERS_GRACE_SECONDS),))


def _unknown_groups(seen: Look) -> list[str]:
    return sorted(name for name, exists in zip(_groups(seen.fields), seen.replies[5:], strict=False) if not exists)


def _bad_groups(keys: Keys, seen: Look, article: Article) -> Iterator[Finding]:
    """Yield the groups of a listed article that no group can be; a removed one keeps those that were deleted since."""
    for name in _unknown_groups(seen) if article.is_listed else ():
        if not validation.accepts(validation.group_name, name):
            why_not = f"{name} is no name for a group: take it out of the field groups"
            yield Finding(keys.article(seen.name), f"is in the group {name}, which does not exist", why_not=why_not)


def _places(keys: Keys, seen: Look) -> dict[str, tuple[float | None, float | None]]:
    """Return the article's place in each list that may hold it, and what the best article left out there is worth."""
    named = _named(keys, seen.fields)
    replies = seen.replies[len(seen.replies) - len(named) :]
    pairs = (tuple(reply) if isinstance(reply, list) else (reply, None) for reply in replies)
    return dict(zip(named, pairs, strict=True))


def _wanted(keys: Keys, settings: Settings, seen: Look, article: Article) -> dict[str, Place]:
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
    if article.status is ArticleStatus.REMOVED and fields["answer"] is not None:
        wanted[keys.answers()] = finite_number(fields["answered"])
    return wanted


def _check_places(keys: Keys, settings: Settings, seen: Look, article: Article) -> Iterator[Problem]:
    """Check where an article stands; the places of groups that do not exist wait until they do."""
    wanted, unknown, member = _wanted(keys, settings, seen, article), _unknown_groups(seen), article_member(seen.name)
    of_unknown = set(group_keys(keys, unknown))
    for key, (place, _) in _places(keys, seen).items():
        if key not in of_unknown:
            yield from check_place(keys, key, member, place, wanted.get(key))
