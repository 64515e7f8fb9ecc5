"""Check articles: their fields, votes, reports and places in all lists; and the groups and rankings that hold them."""

import re
from collections.abc import Iterator
from dataclasses import replace
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
from voteweb.store.doctor.findings import FOREIGN_KEY, Finding, SpoolingScanner, check_expiry, check_place
from voteweb.store.moderation.reports import Thing, first_time, thing_of, things_of, without_reports
from voteweb.store.scan.looks import Fields, Kind, Look
from voteweb.store.scan.scanner import Scanner
from voteweb.store.schema import decoding
from voteweb.store.schema.fields import ARTICLE_FIELDS, BY_HAND, End, ended_by
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.nodes import parse_node
from voteweb.store.schema.rankings import Rankings, group_keys
from voteweb.store.schema.values import (
    LEFT_OUT,
    article_member,
    comment_member,
    finite_number,
    is_id_text,
    parse_comment,
)

_BAD_NUMBERS = "has votes or a base that are no whole numbers"
_WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*")
_ENDED_BY_DELETION = ended_by(End.DELETION, ARTICLE_FIELDS)
_GONE = {status.value for status in ArticleStatus} - {ArticleStatus.LISTED}


def examine(scanner: SpoolingScanner, settings: Settings) -> Iterator[Finding]:
    keys = scanner.site_keys
    fields = (*decoding.FIELDS, "base", "answer", "answered", "as-posted", "hidden-title")
    # Its own fields, voters and groups decide on a repair; its places by then do not.
    kind = Kind(keys.article, fields, partial(_reads, scanner), partial(_reads_of_places, keys))
    yield from scanner.check_looks(map(str, scanner.article_ids()), kind, partial(_check, scanner, settings))


def _reads(scanner: SpoolingScanner, id: str, fields: Fields) -> list[Command]:
    keys, poster = scanner.site_keys, fields["poster"] or config.DELETED_MEMBER
    voters = keys.voted("?" if keys.voted(id) in scanner.mistyped else id)
    number = [int(poster)] if is_id_text(poster) else []
    return [
        ("HMGET", keys.site(), *FIELDS, RESCORING),
        ("SCARD", voters),
        ("PEXPIRETIME", voters),
        ("HEXISTS", keys.user(poster), "id"),
        ("EXISTS", keys.user(poster)),
        ("EXISTS", keys.thread(id)),
        ("EXISTS", keys.was(id)),
        ("HMGET", keys.article(id), *(_ENDED_BY_DELETION if fields["gone"] == ArticleStatus.DELETED else ("gone",))),
        *(("ZRANGE", keys.names(id // config.MEMBER_BLOCK), id, id, "BYSCORE") for id in number),
        ("SMISMEMBER", keys.groups(), *(_groups(fields) or [""])),
        ("HMGET", keys.group_aliases(), *(_groups(fields) or [""])),
    ]


def _reads_of_places(keys: Keys, id: str, fields: Fields) -> list[Command]:
    member = article_member(id)
    return [
        ("SISMEMBER", key, member) if keys.split(key)[0] == "group" else ("ZMSCORE", key, member, LEFT_OUT)
        for key in _named(keys, fields)
    ]


def _groups(fields: Fields) -> list[str]:
    return list(dict.fromkeys((fields["groups"] or "").split()))


def _named(keys: Keys, fields: Fields) -> list[str]:
    """Return every set and ranking in which an article with these fields may be."""
    return [*Rankings(keys).named(fields), keys.answers()]


def _check(scanner: SpoolingScanner, settings: Settings, seen: Look) -> Iterator[Finding]:
    """Check one article, by the settings in force; one command repairs all of it."""
    keys = scanner.site_keys
    (*in_force, rescoring_since), *_ = seen.replies
    settings = with_stored(settings, in_force)
    key, fields, gone = keys.article(seen.name), {**seen.fields, "votes": "0"}, seen.fields["gone"]
    article = decoding.article(0, [fields[name] for name in decoding.FIELDS])
    if fields["title"] is None:
        yield Finding(key, "has no title", why_not=BY_HAND)
    elif gone is not None and gone not in _GONE:
        yield Finding(key, f"is gone in an unknown way: {gone}", why_not=BY_HAND)
    elif article is None:
        yield _lost_time(keys, seen)
    elif article.time > seen.now + config.CLOCK_SKEW_SECONDS:
        what = f"has the time {article.time:.6f}, more than a day after now"
        yield Finding(key, what, why_not="a clock was wrong: set the field with HSET, then repair again")
    else:
        if not (article.title or fields["hidden-title"]) and gone != ArticleStatus.DELETED:
            yield Finding(key, "has an empty title", why_not=BY_HAND)
        knows_voters = keys.voted(seen.name) not in scanner.mistyped
        found, votes = _check_votes(keys, settings, seen, article, knows_voters=knows_voters)
        yield from found
        if votes is not None:
            article = replace(article, votes=votes)
            late = Rankings(keys).shaped_by_settings(_groups(fields)) if rescoring_since is not None else ()
            places = _check_places(keys, settings, seen, article)
            yield from (place for place in places if place.key not in late)
            yield from _check_belongings(keys, settings, seen, article)


def _lost_time(keys: Keys, seen: Look) -> Finding:
    """Return the finding that an article has no publish time; rankings by time may still have it."""
    key, poster, places = keys.article(seen.name), seen.fields["poster"] or "", _places(keys, seen)
    for ranking in (keys.by_time(), keys.posted(poster), keys.gone(poster)):
        ranked, _ = places[ranking]
        if ranked is not None and 0 <= float(ranked) < config.MAX_TIME:
            time = f"{float(ranked):.6f}"
            writes = (("HSET", key, "time", time), record_change(keys, "t", seen.name))
            return Finding(key, f"has no time: it is {time} now, as in {ranking}", writes=writes)
    return Finding(key, "has no time", why_not=BY_HAND)


def _whole(stored: str | None) -> int | None:
    """Return a whole number; a missing one is 0, as a program written after the book leaves it."""
    return 0 if stored is None else int(stored) if _WHOLE.fullmatch(stored) else None


def _check_votes(
    keys: Keys, settings: Settings, seen: Look, article: Article, *, knows_voters: bool
) -> tuple[list[Finding], int | None]:
    """Check votes, base and end of voting; return also the right number of votes, None if nothing tells it.

    The votes never fall: those beyond the voters go into the base, since some voters may be lost; and when all
    voters of an article are lost, voting on it is over.
    """
    key, fields, voters = keys.article(seen.name), seen.fields, seen.replies[1]
    votes, base, closes = _whole(fields["votes"]), _whole(fields["base"]), fields["closes"]
    end, is_deleted = voting_end(article, settings), article.is_deleted
    is_lost = knows_voters and not voters and votes != base and not is_deleted and seen.now < end
    problems = ["has an end of voting that is no time"] if closes is not None and article.closes is None else []
    if votes is None or base is None:
        problems = [_BAD_NUMBERS]
    elif is_lost:
        problems.append(f"has lost its voters, so that voting is over: {votes} votes, base {base}, no voter")
    elif voters and votes != base + voters and not is_deleted:
        problems.append(f"votes is {votes}, but base {base} and {voters} voters make {base + voters}")
    if voters and base is not None and not is_deleted:
        votes = base + voters if votes is None else max(votes, base + voters)
    if votes is None or abs(votes) >= config.MAX_VOTES:
        return [Finding(key, _BAD_NUMBERS, why_not=BY_HAND)], None
    if base is None or (voters and not is_deleted):
        base = votes - voters
    end = int(seen.now) if is_lost else end
    right = {"votes": votes, "base": base, **({"closes": end} if closes is not None or is_lost else {})}
    now = f"votes {votes}, base {base}, voting until {end}"
    writes = (("HSET", key, *(part for item in right.items() for part in item)),)
    return [Finding(key, what, now=now, writes=writes) for what in problems], votes


def _check_belongings(keys: Keys, settings: Settings, seen: Look, article: Article) -> Iterator[Finding]:
    """Check the groups, the conversation, the voters, the earlier versions, and the words of a deleted article."""
    _, voters, expires, _, is_member, has_thread, has_versions, stored, *numbered, _, _ = seen.replies
    key, member, voted = keys.article(seen.name), article_member(seen.name), keys.voted(seen.name)
    if any(numbered) and not is_member:
        what = f"has the poster {article.poster}, which is the number of {numbered[0][0]}"
        yield Finding(key, what, why_not="another program wrote it; pages show the member", is_note=True)
    elif not is_member and validation.is_member_name(article.poster):
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
    is_deleted = article.is_deleted
    if left := [name for name, text in zip(_ENDED_BY_DELETION, stored, strict=False) if text and is_deleted]:
        blank: Command = ("HSET", key, *chain.from_iterable((name, "") for name in left))
        yield Finding(key, f"is deleted, but has its {', '.join(left)} still", blank)
    for owned, exists in ((voted, voters), (keys.was(seen.name), has_versions)):
        if exists and is_deleted:
            yield Finding(owned, f"belongs to {member}, which is deleted", writes=(("UNLINK", owned),))
    is_waiting = (article.is_removed or seen.fields["as-posted"]) and seen.fields["answer"] is not None
    if seen.fields["answered"] is not None and not (is_waiting and finite_number(seen.fields["answered"]) is not None):
        yield Finding(keys.answers(), f"has {member}, of which no answer waits", writes=(("HDEL", key, "answered"),))
    if voters and not is_deleted:
        yield from check_expiry(voted, expires, voting_end(article, settings))


def _unknown_groups(seen: Look) -> list[str]:
    """Return its groups that do not exist; one that is being merged is an alias of another."""
    known = zip(_groups(seen.fields), *seen.replies[-2:], strict=False)
    return sorted(name for name, is_group, alias in known if not (is_group or alias))


def _places(keys: Keys, seen: Look) -> dict[str, tuple[float | None, float | None]]:
    """Return the article's place in each list that may hold it, and what the best article left out there is worth."""
    pairs = (tuple(reply) if isinstance(reply, list) else (reply, None) for reply in seen.more)
    return dict(zip(_named(keys, seen.fields), pairs, strict=True))


def _check_places(keys: Keys, settings: Settings, seen: Look, article: Article) -> Iterator[Finding]:
    """Check where an article stands; the places of groups that do not exist wait until they do."""
    places, has_poster, of_unknown = _places(keys, seen), seen.replies[3], group_keys(keys, _unknown_groups(seen))
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
    nouns = (keys.split(key)[0] for key in _keys_of_group(keys, "?"))
    named = chain.from_iterable(map(scanner.names, nouns))
    names = dict.fromkeys([*(name for name in named if name and "+" not in name), *scanner.groups()])
    yield from scanner.check_each(names, partial(_reads_of_group, keys), partial(_check_group, keys))
    yield from scanner.unless_mistyped(_check_aliases(scanner))
    yield from scanner.check_each(
        scanner.keys_of("link"),
        lambda key: [("PEXPIRETIME", key), ("ZREVRANGE", key, 0, 0, "WITHSCORES")],
        _check_link,
    )


def _check_link(key: str, expires: int, newest: list[tuple[str, float]]) -> Iterator[Finding]:
    """Check that a link is remembered as long as a posting like its newest article is a duplicate."""
    if newest and isfinite(newest[0][1]):  # else a finding about its article says so already
        end = int(newest[0][1]) + 1 + LINK_SECONDS
        for _, what, *_ in check_expiry(key, expires, end):
            yield Finding(key, what, ("EXPIREAT", key, end, "NX" if expires == -1 else "GT"))


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


def _keys_of_group(keys: Keys, name: str) -> list[str]:
    return [keys.group_info(name), *group_keys(keys, [name])]


def _reads_of_group(keys: Keys, name: str) -> list[Command]:
    return [
        ("SISMEMBER", keys.groups(), name),
        ("HGET", keys.group_info(name), "title"),
        ("HEXISTS", keys.group_aliases(), name),
        ("SISMEMBER", keys.merging(), name),
        *(("EXISTS", key) for key in _keys_of_group(keys, name)),
    ]


def _check_group(
    keys: Keys, name: str, is_group: int, title: str | None, is_alias: int, is_merging: int, *exist: int
) -> Iterator[Finding]:
    """Check that a group has a title, that of an imported one is its name; and that keys belong to a group.

    One that has a title is made, the rest of another deleted. The keys of an alias are those of a merge.
    """
    info, *of_group = _keys_of_group(keys, name)
    if is_group and not title:
        what = f"has {'no' if title is None else 'an empty'} title: it is {name} now"
        yield Finding(info, what, writes=(("HSET", info, "title", name),))
    elif is_alias and any(exist) and not is_group and not is_merging:
        what = f"lacks {name}, a second name with articles"
        yield Finding(keys.merging(), what, writes=(("SADD", keys.merging(), name),))
    elif not is_alias and not is_group:
        repair: Command = ("SADD", keys.groups(), name) if exist[0] else ("UNLINK", *of_group)
        is_name = validation.accepts(validation.group_name, name)
        why_not = "" if is_name else f"{name} is no name for a group: {FOREIGN_KEY}"
        for key in (key for key, exists in zip([info, *of_group], exist, strict=True) if exists):
            what = f"belongs to no group: {keys.groups()} lacks {name}"
            yield Finding(key, what, why_not=why_not, writes=(repair,), is_note=not is_name)
