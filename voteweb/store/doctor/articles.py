"""Check articles: their fields, their voters, and their places in all lists."""

from collections.abc import Iterator

from voteweb.core import config, validation
from voteweb.core.config import LINK_SECONDS, Settings
from voteweb.core.models import Article, ArticleStatus
from voteweb.core.ranking import voting_end
from voteweb.store import decoding
from voteweb.store.article_lists import group_keys
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor import fixes, thread_fixes
from voteweb.store.doctor.finding import Finding, check_placement
from voteweb.store.doctor.snapshot import Snapshot, take_snapshots
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.keys import Keys
from voteweb.store.numbers import finite_number
from voteweb.store.rankings import Rankings
from voteweb.store.scanner import Scanner, split_evenly


def examine(scanner: SpoolingScanner, settings: Settings) -> Iterator[Finding]:
    """Check all articles and all sets of voters."""
    voter_keys = scanner.keys(scanner.site_keys.voted("*"))
    yield from scanner.findings(scanner.article_ids(), _check_articles, settings)
    yield from scanner.findings(voter_keys, _check_voters, settings)


def _check_articles(scanner: Scanner, settings: Settings, ids: list[int]) -> Iterator[Finding]:
    """Check these articles, each at one instant; again those that changed under the check."""
    for _ in range(config.MAX_SCRIPT_ATTEMPTS):
        changed = []
        for id, snapshot in take_snapshots(scanner, ids):
            if snapshot is None:
                changed.append(id)
            elif any(value is not None for value in snapshot.values):
                yield from _check_article(scanner.site_keys, settings, snapshot)
        if not changed:
            return
        ids = changed


def _check_article(keys: Keys, settings: Settings, snapshot: Snapshot) -> Iterator[Finding]:
    key = keys.article(snapshot.id)
    why_not = "the value is stored nowhere else: set the field with HSET, then repair again"
    problem = _unreadable_field(snapshot)
    article = decoding.article(snapshot.id, snapshot.values)
    fix: Command = ()
    if problem:
        yield Finding(key, problem, why_not=why_not)
        return
    if not _is_time(snapshot.field("time")):
        yield _lost_time(keys, snapshot, why_not)
        return
    if not snapshot.field("title") and snapshot.field("gone") != ArticleStatus.DELETED:
        yield Finding(key, "has an empty title", why_not=why_not)
    if article is None or not decoding.is_count(snapshot.base):
        what = "has votes or a base that are no whole numbers"
        yield Finding(key, what, _fix(keys, settings, snapshot), why_not)
        return
    if article.time > snapshot.now + config.CLOCK_SKEW_SECONDS:
        what = f"has the time {article.time:.6f}, more than a day after now"
        yield Finding(key, what, why_not="a clock was wrong: set the field with HSET, then repair again")
    for group in snapshot.groups:
        # A removed article keeps the name of a group that was deleted since.
        if group not in snapshot.existing_groups and article.is_listed:
            yield _in_unknown_group(keys, snapshot, group)
    if not snapshot.has_thread and (snapshot.field("comments") or "0") != "0":
        what = f"has comments {snapshot.field('comments')}, but no conversation"
        yield Finding(key, what, thread_fixes.hidden(keys, snapshot.id))
    for finding in (
        *_check_votes(keys, settings, article, snapshot),
        *_check_places(keys, settings, article, snapshot),
    ):
        fix = fix or _fix(keys, settings, snapshot)
        yield finding if finding.fix else finding._replace(fix=fix)


def _fix(keys: Keys, settings: Settings, snapshot: Snapshot) -> Command:
    return fixes.article(keys, settings, snapshot.id, snapshot.key_fields, snapshot.existing_groups)


def _unreadable_field(snapshot: Snapshot) -> str:
    """Return what is wrong with the fields that nothing else can tell, or ""."""
    gone = snapshot.field("gone")
    if snapshot.field("title") is None:
        return "has no title"
    if gone not in (None, ArticleStatus.DELETED, ArticleStatus.REMOVED, ArticleStatus.HELD):
        return f"is gone in an unknown way: {gone}"
    return ""


def _is_time(stored: str | None) -> bool:
    time = finite_number(stored)
    return time is not None and 0 <= time < config.MAX_TIME


def _lost_time(keys: Keys, snapshot: Snapshot, why_not: str) -> Finding:
    """Return the finding that an article has no publish time; rankings by time may still have it."""
    key, poster = keys.article(snapshot.id), snapshot.key_fields.poster or ""
    for ranking in (keys.by_time(), keys.posted(poster), keys.gone(poster)):
        ranked = snapshot.scores.get(ranking)
        if ranked is not None and _is_time(repr(float(ranked))):
            what = f"has no time: it is {float(ranked):.6f} now, as in {ranking}"
            return Finding(key, what, fixes.lost_time(keys, key, "time", ranking, snapshot.member))
    return Finding(key, "has no time", why_not=why_not)


def _in_unknown_group(keys: Keys, snapshot: Snapshot, group: str) -> Finding:
    """Return the finding that an article is in a group that does not exist."""
    key = keys.article(snapshot.id)
    what = f"is in the group {group}, which does not exist"
    if validation.accepts(validation.group_name, group):
        return Finding(key, what, fixes.group(keys, group, is_named=True))
    return Finding(key, what, why_not=f"{group} is no name for a group: take it out of the field groups")


def _check_votes(keys: Keys, settings: Settings, article: Article, snapshot: Snapshot) -> Iterator[Finding]:
    key, votes, base, voters = keys.article(article.id), article.votes, int(snapshot.base or 0), snapshot.voters
    if article.closes is None and snapshot.values[decoding.FIELDS.index("closes")] is not None:
        yield Finding(key, "has an end of voting that is no time")
    if article.status is ArticleStatus.DELETED:
        if voters:
            fix = fixes.voters(keys, settings, article.id)
            yield Finding(keys.voted(article.id), f"belongs to {snapshot.member}, which is deleted", fix)
    elif voters and votes != base + voters:
        yield Finding(key, f"votes is {votes}, but base {base} and {voters} voters make {base + voters}")
    elif not voters and votes != base and snapshot.now < voting_end(article, settings.voting_seconds):
        yield Finding(key, f"has lost its voters, so that voting is over: {votes} votes, base {base}, no voter")


def _check_places(keys: Keys, settings: Settings, article: Article, snapshot: Snapshot) -> Iterator[Finding]:
    """Check the places of an article in all lists but those of groups that do not exist."""
    for group in snapshot.existing_groups:
        holds = snapshot.groups[group].holds
        if not holds and article.is_listed:
            yield Finding(keys.group(group), f"lacks {snapshot.member}, whose groups are {snapshot.key_fields.groups}")
        elif holds and not article.is_listed:
            yield Finding(keys.group(group), f"holds {snapshot.member}, whose state is {article.status}")
    wanted = _wanted_scores(keys, settings, article, snapshot)
    unknown = [group for group in snapshot.groups if group not in snapshot.existing_groups]
    skipped = {key for group in unknown for key in group_keys(keys, [group])}
    for ranking, score in snapshot.scores.items():
        if ranking not in skipped:
            yield from check_placement(ranking, snapshot.member, score, wanted.get(ranking))


def _wanted_scores(keys: Keys, settings: Settings, article: Article, snapshot: Snapshot) -> dict[str, float]:
    """Return the rankings that must hold the article, each with its score there."""
    rankings = Rankings(keys)
    wanted = rankings.scores_of(article, settings, snapshot.key_fields.link or "")
    # A program after the book writes no base, and knows neither these rankings nor that of the domain.
    *_, domain_key = snapshot.key_fields.site_lists(keys).keys
    for key in (*rankings.top(article), domain_key):
        stored, left_out = snapshot.scores.get(key), snapshot.left_out.get(key)
        lead = wanted.get(key, 0.0) - float(left_out) if left_out is not None else 1.0
        if lead < 0 or (stored is None and (lead == 0 or snapshot.base is None)):
            wanted.pop(key, None)
    if snapshot.poster_exists:
        wanted[rankings.key_of_poster(article)] = article.time
    link_key = snapshot.key_fields.link_key(keys)
    # The key may have expired by now, and a program written after the book (it writes no base) knows no such key.
    is_fresh = snapshot.base is not None and snapshot.now < article.time + LINK_SECONDS - 1
    is_linked = snapshot.scores[link_key] is not None
    if snapshot.key_fields.link and article.is_listed and (is_fresh or is_linked):
        wanted[link_key] = article.time // 1
    return wanted


def _check_voters(scanner: Scanner, settings: Settings, voter_keys: list[str]) -> Iterator[Finding]:
    """Check that these sets of voters belong to an article and outlive voting on it."""
    keys = scanner.site_keys
    commands: list[Command] = []
    for key in voter_keys:
        hash_key = keys.article(keys.split(key)[1])
        commands += [("PEXPIRETIME", key), ("EXISTS", hash_key), ("HMGET", hash_key, *decoding.FIELDS)]
    replies = split_evenly(scanner.run_atomic(commands), len(voter_keys))
    for key, (expires, exists, values) in zip(voter_keys, replies, strict=True):
        if expires == -2:  # deleted since it was found
            continue
        fix = fixes.voters(keys, settings, keys.split(key)[1])
        article = decoding.article(0, values)
        if not exists:
            yield Finding(key, "belongs to no article", fix)
        elif article is None:
            continue  # a finding about the article says so already
        elif expires == -1:
            yield Finding(key, "never expires", fix)
        elif expires < 1000 * (voting_end(article, settings.voting_seconds) - 1):
            yield Finding(key, "expires before voting is over", fix)
