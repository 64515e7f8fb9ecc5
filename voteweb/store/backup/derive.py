"""Compute all derived keys of a site from its primary ones: the end of a restore.

What primary keys hold that were read seconds apart is made to agree: votes are counted by their voters, and members
who left something behind are to leave again. No site may use the data meanwhile.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from voteweb.core import clock, links
from voteweb.core.config import LINK_SECONDS, Settings
from voteweb.core.models import ArticleStatus
from voteweb.core.names import name_key
from voteweb.store.accounts.users import member_places
from voteweb.store.backup import derive_threads
from voteweb.store.backup.key_writes import KeyWrites
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.members.account_deletion import keys_left_behind
from voteweb.store.moderation.settling import settle_covered
from voteweb.store.scan.bitmap import Bitmap
from voteweb.store.scan.scanner import Scanner, batched, split_evenly
from voteweb.store.schema import decoding
from voteweb.store.schema.keys import article_member, comment_member, invitation_member, is_member_id, parse_comment
from voteweb.store.schema.log_entries import log_indexes, pack, unpack
from voteweb.store.schema.numbers import finite_number
from voteweb.store.schema.rankings import Rankings
from voteweb.store.site.moderation_log import ModerationLog
from voteweb.store.votes import open_votes

#: Things that are read and placed in one round trip.
STEP = 200
_MEMBER_FIELDS = (
    *("id", "left", "since", "role", "banned", "banned-until", "held", "ban-removal"),
    *("inbox-feed", "saved-feed"),
)
_ARTICLE_FIELDS = (*decoding.FIELDS, "base", "answer", "answered")


class Derived(NamedTuple):
    """How many things the primary keys hold."""

    articles: int
    members: int
    comments: int
    entries: int


class Derivation:
    """One computation of all derived keys."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._settings = settings
        self._scanner = Scanner(connection)
        self._rankings = Rankings(connection.keys)
        #: Names of members, and of those who left.
        self._members: set[str] = set()
        self._left: list[str] = []
        self._groups: set[str] = set()
        self._last_ids = {connection.keys.last_article_id(): 0, connection.keys.last_user_id(): 0}

    def run(self) -> Derived:
        """Write all derived keys."""
        members = self._place_members()
        articles = self._place_articles()
        comments = derive_threads.derive(self._connection, self._scanner, self._members)
        self._place_reports_and_invitations()
        self._place_groups()
        entries = self._index_log()
        self._raise_counters()
        open_votes.rebuild(self._connection, self._settings)
        settle_covered(self._connection, ModerationLog(self._connection))
        self._take_up_deletions()
        return Derived(articles, members, comments, entries)

    def _write(self, writes: KeyWrites, more: Iterable[Command] = ()) -> None:
        if commands := [*writes.commands(), *more]:
            self._connection.run(commands)

    def _count_id(self, counter: str, id: int) -> None:
        self._last_ids[counter] = max(self._last_ids[counter], id)

    def _place_members(self) -> int:
        keys = self._keys
        names: set[str] = set()
        for batch in batched(self._scanner.keys(keys.user("?*")), STEP):
            writes = KeyWrites()
            values = self._scanner.run_atomic([("HMGET", key, *_MEMBER_FIELDS) for key in batch])
            for key, stored in zip(batch, values, strict=True):
                name, fields = keys.split(key)[1], dict(zip(_MEMBER_FIELDS, stored, strict=True))
                names.add(name)
                if fields["id"] is None:
                    continue
                self._members.add(name)
                if is_member_id(fields["id"]):
                    self._count_id(keys.last_user_id(), int(fields["id"]))
                for list_key, place in member_places(keys, fields).items():
                    writes.place(list_key, name, place)
                if fields["left"] is not None:
                    self._left.append(name)
                    continue
                for field, spell in (("inbox-feed", keys.inbox_feed), ("saved-feed", keys.saved_feed)):
                    if digest := fields[field]:
                        writes.set_text(spell(digest), name)
            self._write(writes)
        return len(names)

    def _place_articles(self) -> int:
        keys, seen, count = self._keys, Bitmap(), 0
        for ids in batched((id for id in self._scanner.article_ids() if seen.add(id)), STEP):
            reads: list[Command] = []
            for id in ids:
                reads += [("HMGET", keys.article(id), *_ARTICLE_FIELDS), ("HLEN", keys.report(id))]
            writes, top = KeyWrites(), set[str]()
            for id, (values, reports) in zip(ids, split_evenly(self._connection.run(reads), len(ids)), strict=True):
                count += 1
                self._count_id(keys.last_article_id(), id)
                if reports:
                    writes.place(keys.reports(), article_member(id), reports)
                top |= self._place_article(writes, id, dict(zip(_ARTICLE_FIELDS, values, strict=True)))
            self._write(writes, [scripts.call(self._keys, "repair_top", ranking=key) for key in top])
        return count

    def _place_article(self, writes: KeyWrites, id: int, fields: dict[str, str | None]) -> set[str]:
        """Put an article where it must stand; return the rankings by votes among these."""
        keys, link = self._keys, fields["link"] or ""
        article = decoding.article(id, [fields[name] for name in decoding.FIELDS])
        if article is None:  # it was broken in the backed-up site: the doctor reports it there as here
            return set()
        places = self._rankings.places(article, self._settings, link)
        link_key, top = keys.link(links.digest(link)), self._rankings.top(article)
        if name_key(article.poster) not in self._members:
            places.pop(self._rankings.key_of_poster(article), None)
        is_ours = fields["base"] is not None
        if not is_ours or article.time <= clock.now() - LINK_SECONDS:
            places.pop(link_key, None)
        for key in () if is_ours else (*top, keys.domain(links.listed_domain(link))):
            places.pop(key, None)  # a program after the book knows none of these
        answered = finite_number(fields["answered"])
        if article.status is ArticleStatus.REMOVED and fields["answer"] is not None and answered is not None:
            places[keys.answers()] = answered
        for key, place in places.items():
            writes.place(key, article_member(id), place)
        if link_key in places:
            writes.expire(link_key, 1_000 * (int(article.time) + 1 + LINK_SECONDS))
        if article.is_listed:
            self._groups.update(article.groups)
        return places.keys() & set(top)

    def _place_reports_and_invitations(self) -> None:
        keys = self._keys
        for batch in batched(self._scanner.keys(keys.comment_report("*", "*")), STEP):
            writes = KeyWrites()
            counts = self._scanner.run_atomic([("HLEN", key) for key in batch])
            for key, count in zip(batch, counts, strict=True):
                id = parse_comment(keys.split(key)[1])
                if id and count:
                    writes.place(keys.reports(), comment_member(*id), count)
            self._write(writes)
        for batch in batched(self._scanner.keys(keys.invite("*")), STEP):
            writes = KeyWrites()
            made = self._scanner.run_atomic([("HMGET", key, "by", "until") for key in batch])
            for key, (by, until) in zip(batch, made, strict=True):
                writes.place(
                    keys.invites(by or ""), invitation_member(keys.split(key)[1]), finite_number(until if by else None)
                )
            self._write(writes)

    def _place_groups(self) -> None:
        """List all groups, also those that only articles name; drop aliases of groups that are gone."""
        keys, writes = self._keys, KeyWrites()
        self._groups.update(keys.split(key)[1] for key in self._scanner.keys(keys.group_info("*")))
        for name in self._groups:
            writes.place(keys.groups(), name, True)
        aliases = self._connection.command("HGETALL", keys.group_aliases())
        lost = [alias for alias, name in aliases.items() if name not in self._groups or alias in self._groups]
        titles: list[Command] = [("HSETNX", keys.group_info(name), "title", name) for name in self._groups]
        self._write(writes, [*titles, *([("HDEL", keys.group_aliases(), *lost)] if lost else [])])

    def _index_log(self) -> int:
        """List the ids of all acts by who, kind and whom, and mark those that a later one undoes."""
        keys, count = self._keys, 0
        indexes: dict[str, array[int]] = defaultdict(lambda: array("Q"))
        undone: list[int] = []
        for id, text in self._scanner.items(keys.log_entries()):
            fields = unpack(text)
            count += bool(fields)
            if fields.get("kind") and fields.get("who"):
                for index in log_indexes(keys, fields["kind"], fields["who"], fields.get("about", "")):
                    indexes[index].append(id)
            if is_member_id(fields.get("undoes", "")) and int(fields["undoes"]) < id:
                undone.append(int(fields["undoes"]))
        for index, ids in indexes.items():
            commands: list[Command] = [("UNLINK", index)]
            commands += [("RPUSH", index, *part) for part in batched(ids, 1_000)]
            self._connection.run(commands, atomic=True)
        for part in batched(undone):
            entries = self._connection.run([("LINDEX", keys.log_entries(), id - 1) for id in part])
            marks = [(id, unpack(text or "")) for id, text in zip(part, entries, strict=True)]
            writes = [("LSET", keys.log_entries(), id - 1, pack(act | {"undone": "1"})) for id, act in marks if act]
            if writes:
                self._connection.run(writes)
        return count

    def _raise_counters(self) -> None:
        for key, last in self._last_ids.items():
            stored = self._connection.command("GET", key) or "0"
            if last > (int(stored) if is_member_id(stored) else 0):
                self._connection.command("SET", key, last)

    def _take_up_deletions(self) -> None:
        """Have those leave again who left something behind, as they left while the backup was made."""
        for names in batched(self._left):
            found = self._connection.run([("EXISTS", *keys_left_behind(self._keys, name)) for name in names])
            if leaving := [name for name, count in zip(names, found, strict=True) if count]:
                self._connection.command("SADD", self._keys.leaving(), *leaving)
