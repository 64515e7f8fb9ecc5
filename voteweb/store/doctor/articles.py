"""Check articles: their fields, votes, reports and places in all lists; and the groups and rankings that hold them."""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain
from math import isfinite

from voteweb.core import config, validation
from voteweb.core.comments import CommentId
from voteweb.core.config import LINK_SECONDS
from voteweb.core.models import Article, ArticleStatus
from voteweb.core.ranking import voting_end
from voteweb.core.settings import Settings
from voteweb.core.settings_in_force import FIELDS, RESCORING, with_stored
from voteweb.store.articles.search_documents import record_change
from voteweb.store.comments.comments import covering
from voteweb.store.connection import scripts
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.findings import Finding, SpoolingScanner, check_place, one_fix
from voteweb.store.moderation.reports import Thing, first_time, thing_of, things_of, without_reports
from voteweb.store.scan.looks import Fields, Kind, Look
from voteweb.store.scan.scanner import Scanner
from voteweb.store.schema import decoding
from voteweb.store.schema.fields import BY_HAND
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.nodes import parse_node
from voteweb.store.schema.rankings import Rankings, group_keys
from voteweb.store.schema.values import (
    LEFT_OUT,
    article_member,
    comment_member,
    finite_number,
    parse_comment,
)

#: The places of the replies to :func:`_reads` that have the settings, and whether each group exists.
_SETTINGS, _UNKNOWN_GROUPS = 6, 7
_BAD_NUMBERS = "has votes or a base that are no whole numbers"
_WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*")
_GONE = {status.value for status in ArticleStatus} - {ArticleStatus.LISTED}


def examine(scanner: SpoolingScanner, settings: Settings) -> Iterator[Finding]:
    keys = scanner.site_keys
    kind = Kind(keys.article, (*decoding.FIELDS, "base", "answer", "answered"), partial(_reads, keys))
    yield from scanner.check_looks(map(str, scanner.article_ids()), kind, partial(_check, keys, settings))


def _reads(keys: Keys, id: str, fields: Fields) -> list[Command]:
    member, poster = article_member(id), keys.user(fields["poster"] or config.DELETED_MEMBER)
    return [
        ("SCARD", keys.voted(id)),
        ("PEXPIRETIME", keys.voted(id)),
        ("HEXISTS", poster, "id"),
        ("EXISTS", poster),
        ("EXISTS", keys.thread(id)),
        ("EXISTS", keys.was(id)),
        ("HMGET", keys.site(), *FIELDS, RESCORING),
        *(("SISMEMBER", keys.groups(), group) for group in _groups(fields)),
        *(("HEXISTS", keys.group_aliases(), group) for group in _groups(fields)),
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
    """Check one article, by the settings in force; one command repairs all of it."""
    settings = with_stored(settings, seen.replies[_SETTINGS][:-1])
    key, fields, gone = keys.article(seen.name), seen.fields, seen.fields["gone"]
    if not seen.exists:
        return
    if fields["title"] is None:
        yield Finding(key, "has no title", why_not=BY_HAND)
    elif gone is not None and gone not in _GONE:
        yield Finding(key, f"is gone in an unknown way: {gone}", why_not=BY_HAND)
    elif not _is_time(fields["time"]):
        yield _lost_time(keys, seen)
    else:
        if not fields["title"] and gone != ArticleStatus.DELETED:
            yield Finding(key, "has an empty title", why_not=BY_HAND)
        numbers = _right_numbers(seen, settings)
        article = _decoded(fields, numbers["votes"]) if numbers else None
        if article is None or numbers is None:
            yield Finding(key, _BAD_NUMBERS, why_not=BY_HAND)
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
    problems = [Finding(key, _BAD_NUMBERS)]
    if stored is not None and decoding.is_count(fields["base"]):
        problems = [Finding(key, what) for what in _vote_problems(seen, settings, stored)]
        is_rescoring = seen.replies[_SETTINGS][-1] is not None
        late = Rankings(keys).shaped_by_settings(_groups(fields)) if is_rescoring else ()
        places = (place for place in _check_places(keys, settings, seen, stored) if place.key not in late)
        problems += [place._replace(writes=()) for place in places]
        problems += _check_belongings(keys, settings, seen, stored)
    if problems:
        changed = {name: number for name, number in numbers.items() if _whole(fields[name]) != number}
        writes = [("HSET", key, *(part for item in changed.items() for part in item))] if changed else []
        writes += [write for place in _check_places(keys, settings, seen, repaired) for write in place.writes]
        until = numbers.get("closes") or voting_end(repaired, settings.voting_seconds)
        if changed:
            now = f"votes {repaired.votes}, base {numbers['base']}, voting until {until}"
            problems[0] = problems[0]._replace(now=now)
        # Its own fields, voters and groups decide; its places by then do not.
        guards = _UNKNOWN_GROUPS + 1 + 2 * len(_groups(fields))
        yield from one_fix(partial(seen.fix, guards=guards), problems, *writes)


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
            writes = (("HSET", key, "time", time), record_change(keys, "t", seen.name))
            return Finding(key, f"has no time: it is {time} now, as in {ranking}", writes=writes)
    return Finding(key, "has no time", why_not=BY_HAND)


def _whole(stored: str | None) -> int | None:
    """Return a whole number; a missing one is 0, as a program written after the book leaves it."""
    return 0 if stored is None else int(stored) if _WHOLE.fullmatch(stored) else None


def _right_numbers(seen: Look, settings: Settings) -> dict[str, int] | None:
    """Return the votes and the base that the voters make, and ``closes`` if it is another; None if nothing tells it.

    The votes never fall: those beyond the voters go into the base, since some voters may be lost; and when all
    voters of an article are lost, voting on it is over.
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


def _check_belongings(keys: Keys, settings: Settings, seen: Look, article: Article) -> Iterator[Finding]:
    """Check the groups, the conversation, the voters and the earlier versions of an article."""
    voters, expires, _, is_member, has_thread, has_versions, *_ = seen.replies
    key, member, voted = keys.article(seen.name), article_member(seen.name), keys.voted(seen.name)
    if not is_member and validation.is_member_name(article.poster):
        # As after the deletion of an account: who takes the name must not own the article.
        renamed = (("HSET", key, "poster", config.DELETED_MEMBER), record_change(keys, "a", seen.name))
        yield Finding(key, f"has the poster {article.poster}, who is no member", writes=renamed)
    for name in _unknown_groups(seen) if article.is_listed else ():
        is_name = validation.accepts(validation.group_name, name)
        why_not = "" if is_name else f"{name} is no name for a group: take it out of the field groups"
        what = f"is in the group {name}, which does not exist"
        yield Finding(key, what, why_not=why_not, writes=(("SADD", keys.groups(), name),))
    if not has_thread and (seen.fields["comments"] or "0") != "0":
        writes = (("HSET", key, "comments", 0), ("UNLINK", keys.hidden(seen.name)))
        yield Finding(key, f"has comments {seen.fields['comments']}, but no conversation", writes=writes)
    is_deleted = article.status is ArticleStatus.DELETED
    for owned, exists in ((voted, voters), (keys.was(seen.name), has_versions)):
        if exists and is_deleted:
            yield Finding(owned, f"belongs to {member}, which is deleted", writes=(("UNLINK", owned),))
    is_waiting = article.status is ArticleStatus.REMOVED and seen.fields["answer"] is not None
    if seen.fields["answered"] is not None and not (is_waiting and finite_number(seen.fields["answered"]) is not None):
        yield Finding(keys.answers(), f"has {member}, of which no answer waits", writes=(("HDEL", key, "answered"),))
    closes = voting_end(article, settings.voting_seconds)
    if voters and not is_deleted and expires < 1000 * (closes - 1):
        what = "never expires" if expires == -1 else "expires before voting is over"
        yield Finding(voted, what, writes=(("EXPIREAT", voted, closes + config.VOTERS_GRACE_SECONDS),))


def _unknown_groups(seen: Look) -> list[str]:
    """Return its groups that do not exist; one that is being merged is an alias of another."""
    names, known = _groups(seen.fields), seen.replies[_UNKNOWN_GROUPS:]
    exist = zip(names, known, known[len(names) :], strict=False)
    return sorted(name for name, is_group, is_alias in exist if not (is_group or is_alias))


def _places(keys: Keys, seen: Look) -> dict[str, tuple[float | None, float | None]]:
    """Return the article's place in each list that may hold it, and what the best article left out there is worth."""
    named = _named(keys, seen.fields)
    replies = seen.replies[len(seen.replies) - len(named) :]
    pairs = (tuple(reply) if isinstance(reply, list) else (reply, None) for reply in replies)
    return dict(zip(named, pairs, strict=True))


def _check_places(keys: Keys, settings: Settings, seen: Look, article: Article) -> Iterator[Finding]:
    """Check where an article stands; the places of groups that do not exist wait until they do."""
    places, has_poster, of_unknown = _places(keys, seen), seen.replies[2], group_keys(keys, _unknown_groups(seen))
    wanted = Rankings(keys).present_places(
        article, seen.fields, settings, now=seen.now, has_poster=has_poster, places=places
    )
    for key, (place, _) in places.items():
        if key not in of_unknown:
            yield from check_place(keys, key, article_member(seen.name), place, wanted.get(key))


def examine_reports(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check all open reports; those of an article that does not exist are checked by the table."""
    keys = scanner.site_keys
    comments = map(parse_comment, scanner.names("comment-report"))
    members = chain(
        scanner.members(keys.reports()),
        map(article_member, scanner.names("report")),
        (comment_member(*id) for id in comments if id),
    )
    things = things_of(keys, dict.fromkeys(members))
    yield from scanner.check_each(things, partial(_reads_of_report, keys), partial(_check_report, scanner))


def _reads_of_report(keys: Keys, thing: Thing) -> list[Command]:
    read: Command = ("HMGET", thing.ban_field[0], "title", "gone", "time")
    if isinstance(thing.id, CommentId):
        read = ("HMGET", thing.ban_field[0], "rev", thing.id.number)
    return [read, ("HGETALL", thing.report_key), ("ZSCORE", keys.reports(), thing.member)]


def _check_report(
    scanner: Scanner, thing: Thing, stored: list[str | None], reports: dict[str, str], queued: float | None
) -> Iterator[Finding]:
    """Check the reports of a thing; a comment below one removed with its replies has none, either."""
    keys, state = scanner.site_keys, _state(scanner, thing.id, stored)
    if state is None:
        if reports and isinstance(thing.id, int) and any(stored):
            why_not = "its article has no title: repair that first"
            yield Finding(thing.report_key, f"reports {thing.member}, which is no article", why_not=why_not)
        return  # all else says a finding about the article or the conversation
    since = first_time(reports) if reports else None
    writes: tuple[Command, ...] = (("ZADD", keys.reports(), since, thing.member),)
    if not reports or state:
        writes = tuple(without_reports(keys, thing))
    if reports and state:
        yield Finding(thing.report_key, f"reports {thing.member}, which is {state}", writes=writes)
    for _, what, *_ in check_place(keys, keys.reports(), thing.member, queued, since):
        yield Finding(keys.reports(), what, writes=writes)


def _state(scanner: Scanner, id: int | CommentId, stored: list[str | None]) -> str | None:
    """Return why a thing that is *stored* so can have no open reports, "" if it can, None if another finding tells."""
    name, state, *_ = stored
    if isinstance(id, int):
        ends = (ArticleStatus.DELETED, ArticleStatus.REMOVED, ArticleStatus.HELD)
        return None if name is None else state if state in ends else ""
    node, keys = parse_node(id.number, state or ""), scanner.site_keys
    if above := covering(scanner.command, keys, id.article, node):
        # It may have been removed since the first read; the article leaves "removing:" once all below it is settled.
        reads = [("SISMEMBER", keys.removing(), id.article), ("HLEN", thing_of(keys, id).report_key)]
        is_removing, count = scanner.run_atomic(reads)
        return None if is_removing or not count else f"removed with {above}"
    return node.status if node else None if state else "not there"


def examine_bounds(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check that rankings by votes hold no more than they may, and nothing below what they left out.

    Comes before the articles: without a wrong mark of what it left out, a ranking wants them all.
    """
    keys = scanner.site_keys
    rankings = chain([keys.top()], map(keys.top_of_group, scanner.groups()), scanner.keys_of("top-day"))
    yield from scanner.check_each(
        rankings, lambda key: [("ZCARD", key), ("ZREVRANK", key, LEFT_OUT)], partial(_check_bounds, keys)
    )


def _check_bounds(keys: Keys, key: str, count: int, above: int | None) -> Iterator[Finding]:
    if above is not None and above != count - 1:
        yield Finding(key, "holds articles below one that it left out", ("ZREM", key, LEFT_OUT))
    elif (count if above is None else above) > config.MAX_RANKED:
        fix = scripts.call(keys, "repair_top", ranking=key)
        yield Finding(key, f"holds more than {config.MAX_RANKED} articles", fix)


def examine_groups(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check all groups, and how long links are remembered."""
    keys = scanner.site_keys
    nouns = (keys.split(key)[0] for key in (keys.group_info("?"), *group_keys(keys, ["?"])))
    named = chain.from_iterable(map(scanner.names, nouns))
    names = dict.fromkeys([*(name for name in named if name and "+" not in name), *scanner.groups()])
    yield from scanner.check_each(names, partial(_reads_of_group, keys), partial(_check_group, keys))
    yield from scanner.unless_mistyped(_check_aliases(scanner))
    yield from scanner.check_each(
        scanner.keys_of("link"),
        lambda key: [("PEXPIRETIME", key), ("ZREVRANGE", key, 0, 0, "WITHSCORES")],
        _check_lifetime,
    )


def _check_lifetime(key: str, expires: int, newest: list[tuple[str, float]]) -> Iterator[Finding]:
    """Check that a link is remembered as long as its newest article requires."""
    if newest and isfinite(newest[0][1]):  # else a finding about its article says so already
        at = int(newest[0][1]) + 1 + LINK_SECONDS
        if expires == -1:
            yield Finding(key, "never expires", ("EXPIREAT", key, at, "NX"))
        elif expires < 1000 * (newest[0][1] + LINK_SECONDS - 1):
            what = "expires before a second posting is no longer a duplicate"
            yield Finding(key, what, ("EXPIREAT", key, at, "GT"))


def _check_aliases(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check that every alias leads to a group, and is none itself."""
    key, groups = scanner.site_keys.group_aliases(), scanner.site_keys.groups()

    def reads(pair: tuple[str, str]) -> list[Command]:
        return [("HGET", key, pair[0]), *(("SISMEMBER", groups, name) for name in pair)]

    def check(pair: tuple[str, str], stored: str | None, is_group: int, is_right: int) -> Iterator[Finding]:
        if stored == pair[1] and (is_group or not is_right):
            why = "both are groups" if is_right else "there is no such group"
            yield Finding(key, f"leads from {pair[0]:.60} to {stored:.60}: {why}", writes=(("HDEL", key, pair[0]),))

    yield from scanner.check_each(scanner.command("HGETALL", key).items(), reads, check)


def _reads_of_group(keys: Keys, name: str) -> list[Command]:
    exist = [("EXISTS", key) for key in (keys.group_info(name), *group_keys(keys, [name]))]
    return [
        ("SISMEMBER", keys.groups(), name),
        ("HGET", keys.group_info(name), "title"),
        ("HEXISTS", keys.group_aliases(), name),
        ("SISMEMBER", keys.merging(), name),
        *exist,
    ]


def _check_group(
    keys: Keys, name: str, is_group: int, title: str | None, is_alias: int, is_merging: int, *exist: int
) -> Iterator[Finding]:
    """Check that a group has a title, that of an imported one is its name; and that keys belong to a group.

    One that has a title is made, the rest of another deleted. The keys of an alias are those of a merge.
    """
    if is_alias and not is_group:
        if any(exist) and not is_merging:
            what = f"lacks {name}, a second name with articles"
            yield Finding(keys.merging(), what, writes=(("SADD", keys.merging(), name),))
        return
    info, of_group = keys.group_info(name), group_keys(keys, [name])
    if is_group and not title:
        what = f"has {'no' if title is None else 'an empty'} title: it is {name} now"
        yield Finding(info, what, writes=(("HSET", info, "title", name),))
    repair: Command = ("SADD", keys.groups(), name) if exist[0] else ("UNLINK", *of_group)
    is_name = validation.accepts(validation.group_name, name)
    why_not = "" if is_name else f"{name} is no name for a group: another program made this key"
    for key, exists in zip([info, *of_group], exist, strict=True):
        if exists and not is_group:  # else it is just made or deleted
            yield Finding(key, f"belongs to no group: {keys.groups()} lacks {name}", why_not=why_not, writes=(repair,))
