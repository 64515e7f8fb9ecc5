"""Compute all derived keys of a site from its primary ones: the end of a restore.

What primary keys hold that were read seconds apart is made to agree: votes are counted by their voters, and members
who left something behind are to leave again. No site may use the data meanwhile. Articles are placed here, without the
guards of a site in use; all else the doctor finds to be missing, and repairs.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, starmap

from voteweb.core import clock
from voteweb.core.config import VOTER_BLOCK
from voteweb.core.names import name_key
from voteweb.core.settings import Settings
from voteweb.store.backup.lines import unique_names
from voteweb.store.comments.comments import count_votes
from voteweb.store.comments.imports import Imports
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor import MAX_ROUNDS, articles, key_checks, members, run_fixes, threads
from voteweb.store.doctor.findings import Finding, SpoolingScanner
from voteweb.store.moderation.reports import settle_covered
from voteweb.store.scan.scanner import KeySpool, batched
from voteweb.store.schema import decoding
from voteweb.store.schema.keys import TYPES, Keys
from voteweb.store.schema.nodes import format_node
from voteweb.store.schema.rankings import BEST_NOUNS, Place, Rankings, place_writes
from voteweb.store.schema.values import article_member
from voteweb.store.site.context import Context
from voteweb.store.site.site_settings import SiteSettings
from voteweb.store.votes.votes import rebuild_open_votes

#: Articles that are placed in one round trip.
STEP = 200


def derive(context: Context) -> dict[str, int]:
    """Write all derived keys; return how many articles, members, comments and acts the primary ones hold."""
    connection, keys, settings = context.connection, context.keys, SiteSettings(context).read_settings()

    def repair(*checks: Callable[[], Iterable[Finding]]) -> None:
        for check in checks:
            for _ in range(MAX_ROUNDS):
                if "again" not in {status for _, status in run_fixes(connection, check())}:
                    break

    with KeySpool(keys, TYPES) as spool:
        scanner = SpoolingScanner(connection, spool)
        deque(scanner.spool(), maxlen=0)
        posters = set(unique_names("user", scanner.names("user")))
        counts = {"articles": _place_articles(scanner, connection, settings, posters), "members": len(posters)}
        comments = list[int]()
        Imports(context).order_lists((), _count_votes(scanner, connection, comments))
        counts |= {"comments": sum(comments), "entries": sum(bool(act) for _, act in scanner.items(keys.log_entries()))}
        # The job ends again what had ended, with nothing left to do.
        connection.run([("SADD", keys.merging(), name) for name in connection.command("HKEYS", keys.group_aliases())])
        repair(
            lambda: threads.examine(scanner, settings),
            lambda: articles.examine_groups(scanner),
            lambda: key_checks.examine_log(scanner),
        )
        for names in batched(unique_names("comment-report", scanner.names("comment-report"))):
            connection.run([("ZADD", keys.reports(), 0, f"comment:{name}") for name in names])
        settle_covered(connection, context.log)  # the doctor would close these reports, and tell nobody
        repair(
            lambda: articles.examine_reports(scanner),
            lambda: members.examine(scanner),
            lambda: key_checks.examine_counters(scanner),
        )
    rebuild_open_votes(connection, settings)
    return counts


def _place_articles(scanner: SpoolingScanner, connection: Connection, settings: Settings, posters: set[str]) -> int:
    """Put all articles where they must stand, and make their groups; return how many there are."""
    keys, count, names = (
        scanner.site_keys,
        0,
        (*decoding.FIELDS, "base", "answer", "answered", "as-posted", "hidden-title"),
    )
    aliases = frozenset(connection.command("HKEYS", keys.group_aliases()))
    for ids in batched(unique_names("article", scanner.names("article")), STEP):
        count += len(ids)
        writes: dict[Command, None] = {}
        for id, values in zip(ids, connection.run([("HMGET", keys.article(id), *names) for id in ids]), strict=True):
            article = decoding.article(int(id), values[: len(decoding.FIELDS)])
            if article is None:  # it was broken in the backed-up site: the doctor reports it there as here
                continue
            fields, has_poster = dict(zip(names, values, strict=True)), name_key(article.poster) in posters
            places = Rankings(keys).present_places(article, fields, settings, now=clock.now(), has_poster=has_poster)
            writes |= dict.fromkeys(
                chain.from_iterable(starmap(partial(_place, keys, article_member(id)), places.items()))
            )
            if fields["hidden-title"]:  # the job ends what a removal or a restore had begun in the log
                writes[("SADD", keys.removing(), id)] = None
            groups = article.groups if article.is_listed else ()
            writes |= dict.fromkeys(("SADD", keys.groups(), name) for name in groups if name not in aliases)
        tops = {key: None for _, key, *_ in writes if keys.split(key)[0] in BEST_NOUNS}
        connection.run([*writes, *(scripts.call(keys, "repair_top", ranking=key) for key in tops)])
    return count


def _place(keys: Keys, member: str, key: str, place: Place) -> list[Command]:
    """Return the commands that put an article there; what is too much in a ranking by votes goes afterwards."""
    if keys.split(key)[0] == "link":
        return place_writes(keys, key, member, place)
    if place is None:
        return []
    return [("SADD", key, member) if place is True else ("ZADD", key, repr(place), member)]


def _count_votes(scanner: SpoolingScanner, connection: Connection, counts: list[int]) -> Iterator[int]:
    """Make votes agree with their voters, who were read before them, or some after them.

    Yields each conversation, and appends the number of its comments to *counts*.
    """
    for ids in batched(unique_names("thread", scanner.names("thread"))):
        for conversation in threads.read_conversations(scanner, ids):
            nodes, key = conversation.thread.nodes, scanner.site_keys.thread(conversation.id)
            counts.append(len(nodes))
            votes = count_votes(conversation.voters.values())
            connection.run(
                [
                    ("HSET", key, number, format_node(replace(node, votes=node.base + votes[number])))
                    for number, node in nodes.items()
                    if "0" in conversation.voters.get(number // VOTER_BLOCK, ())
                    and node.votes != node.base + votes[number]
                ]
            )
            yield conversation.id
