"""Compute all derived keys of a site from its primary ones: the end of a restore.

What primary keys hold that were read seconds apart is made to agree: votes are counted by their voters, and members
who left something behind are to leave again. No site may use the data meanwhile.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import chain
from typing import NamedTuple

from voteweb.core import clock, links
from voteweb.core.comments import CommentId, CommentStatus, Thread
from voteweb.core.config import (
    DELETED_MEMBER,
    LINK_SECONDS,
    MAX_COMMENTS,
    NEWEST_COMMENTS,
    VOTER_BLOCK,
    Settings,
)
from voteweb.core.models import ArticleStatus
from voteweb.core.names import name_key
from voteweb.store.accounts.users import member_places
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.members.account_deletion import keys_left_behind
from voteweb.store.moderation import covered_reports
from voteweb.store.scan.bitmap import Bitmap
from voteweb.store.scan.scanner import Scanner, batched, portions, split_evenly
from voteweb.store.schema import decoding
from voteweb.store.schema.keys import article_member, comment_member, invitation_member, is_member_id, parse_comment
from voteweb.store.schema.log_entries import log_indexes, pack, unpack
from voteweb.store.schema.nodes import VOTER_FACTOR, join_node, parse_thread, split_node
from voteweb.store.schema.rankings import Place, Rankings, place_writes
from voteweb.store.schema.values import finite_number
from voteweb.store.site.moderation_log import ModerationLog
from voteweb.store.votes import open_votes

#: Things that are read and placed in one round trip.
STEP = 200
#: Items that one command carries, pairs of a score and a member together.
_CHUNK_SIZE = 1_000
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


class _Places:
    """Places of some things, written with one command for each set and ranking."""

    def __init__(self) -> None:
        self._sets: dict[str, list[str]] = defaultdict(list)
        self._rankings: dict[str, list[str]] = defaultdict(list)

    def put(self, key: str, member: str, place: Place) -> None:
        """Put *member* into a ranking by its score, or into a set if the place is True; None is no place."""
        if place is True:
            self._sets[key].append(member)
        elif place is not None:
            self._rankings[key] += (repr(float(place)), member)

    def commands(self) -> Iterator[Command]:
        """Yield the commands that write the places; running them twice changes nothing."""
        for command, places in (("SADD", self._sets), ("ZADD", self._rankings)):
            for key, items in places.items():
                for chunk in batched(items, _CHUNK_SIZE):
                    yield (command, key, *chunk)


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
        #: Time, article and number of each comment, by its author, and of all: 24 bytes each.
        self._comments_by: dict[str, array[float]] = defaultdict(lambda: array("d"))
        self._newest = array("d")
        self._last_ids = {connection.keys.last_article_id(): 0, connection.keys.last_user_id(): 0}

    def run(self) -> Derived:
        """Write all derived keys."""
        members = self._place_members()
        articles = self._place_articles()
        comments = self._derive_threads()
        self._place_reports_and_invitations()
        self._place_groups()
        entries = self._index_log()
        self._raise_counters()
        open_votes.rebuild(self._connection, self._settings)
        covered_reports.settle(self._connection, ModerationLog(self._connection))
        self._take_up_deletions()
        return Derived(articles, members, comments, entries)

    def _write(self, places: _Places, more: Iterable[Command] = ()) -> None:
        self._connection.run([*places.commands(), *more])

    def _write_list(self, key: str, items: Iterable[str | int]) -> None:
        pushes: list[Command] = [("RPUSH", key, *part) for part in batched(items, _CHUNK_SIZE)]
        self._connection.run([("UNLINK", key), *pushes], atomic=True)

    def _count_id(self, counter: str, id: int) -> None:
        self._last_ids[counter] = max(self._last_ids[counter], id)

    def _place_members(self) -> int:
        keys = self._keys
        names: set[str] = set()
        for batch in batched(self._scanner.keys(keys.user("?*")), STEP):
            places, feeds = _Places(), list[Command]()
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
                    places.put(list_key, name, place)
                if fields["left"] is not None:
                    self._left.append(name)
                    continue
                for field, spell in (("inbox-feed", keys.inbox_feed), ("saved-feed", keys.saved_feed)):
                    feeds += [("SET", spell(digest), name)] if (digest := fields[field]) else []
            self._write(places, feeds)
        return len(names)

    def _place_articles(self) -> int:
        keys, seen, count = self._keys, Bitmap(), 0
        for ids in batched((id for id in self._scanner.article_ids() if seen.add(id)), STEP):
            reads: list[Command] = []
            for id in ids:
                reads += [("HMGET", keys.article(id), *_ARTICLE_FIELDS), ("HLEN", keys.report(id))]
            places, links_and_top = _Places(), dict[Command, None]()
            for id, (values, reports) in zip(ids, split_evenly(self._connection.run(reads), len(ids)), strict=True):
                count += 1
                self._count_id(keys.last_article_id(), id)
                places.put(keys.reports(), article_member(id), reports or None)
                writes = self._place_article(places, id, dict(zip(_ARTICLE_FIELDS, values, strict=True)))
                links_and_top |= dict.fromkeys(writes)
            self._write(places, links_and_top)
        return count

    def _place_article(self, places: _Places, id: int, fields: dict[str, str | None]) -> list[Command]:
        """Put an article where it must stand; return what else to write: under its link, and to bound rankings."""
        keys, link, member = self._keys, fields["link"] or "", article_member(id)
        article = decoding.article(id, [fields[name] for name in decoding.FIELDS])
        if article is None:  # it was broken in the backed-up site: the doctor reports it there as here
            return []
        wanted = self._rankings.places(article, self._settings, link)
        link_key, top = keys.link(links.digest(link)), self._rankings.top(article)
        if name_key(article.poster) not in self._members:
            wanted.pop(self._rankings.key_of_poster(article), None)
        is_ours, linked = fields["base"] is not None, wanted.pop(link_key, None)
        for key in () if is_ours else (*top, keys.domain(links.listed_domain(link))):
            wanted.pop(key, None)  # a program after the book knows none of these
        answered = finite_number(fields["answered"])
        if article.status is ArticleStatus.REMOVED and fields["answer"] is not None and answered is not None:
            wanted[keys.answers()] = answered
        for key, place in wanted.items():
            places.put(key, member, place)
        if article.is_listed:
            self._groups.update(article.groups)
        writes = [scripts.call(self._keys, "repair_top", ranking=key) for key in top if key in wanted]
        if linked is not None and is_ours and article.time > clock.now() - LINK_SECONDS:
            writes += place_writes(keys, link_key, member, linked)
        return writes

    def _derive_threads(self) -> int:
        """Derive what is computed from each conversation, and the lists of comments by time; return their number."""
        keys, seen, total = self._keys, Bitmap(), 0
        names = (keys.split(key)[1] for key in self._scanner.keys(keys.thread("[0-9]*")))
        for batch in batched(int(name) for name in names if is_member_id(name) and seen.add(int(name))):
            sizes = self._connection.run([("HLEN", keys.thread(id)) for id in batch])
            for portion in portions(batch, sizes):
                reads = [
                    read for id in portion for read in (("HGETALL", keys.thread(id)), ("EXISTS", keys.article(id)))
                ]
                replies = split_evenly(self._connection.run(reads), len(portion))
                for id, (fields, exists) in zip(portion, replies, strict=True):
                    thread = parse_thread(id, fields)
                    total += len(thread.nodes)
                    self._list_comments(thread)
                    writes = self._votes(thread, fields)
                    bits, visible = hidden_bits(thread)
                    writes += [("SET", keys.hidden(id), bits)] if bits else []
                    writes += [("HSET", keys.article(id), "comments", visible)] if exists and thread.nodes else []
                    self._connection.run(writes)
        for author, comments in self._comments_by.items():
            self._write_list(keys.commented(author), _newest_first(comments))
        if self._newest:
            self._write_list(keys.comments(), _newest_first(self._newest, NEWEST_COMMENTS))
        return total

    def _list_comments(self, thread: Thread) -> None:
        for number, node in thread.nodes.items():
            comment = (node.time, thread.article, number)
            self._newest.extend(comment)
            author = name_key(node.author)
            is_signed = node.author not in ("", DELETED_MEMBER) and node.status is not CommentStatus.DELETED
            if is_signed and author in self._members:
                self._comments_by[author].extend(comment)

    def _votes(self, thread: Thread, fields: Mapping[str, str]) -> list[Command]:
        """Return the commands that make votes agree with their voters, who were read before them or after."""
        spell = self._keys.voted_comments
        blocks = sorted({number // VOTER_BLOCK for number in thread.nodes})
        sets = self._connection.run([("SMEMBERS", spell(thread.article, block)) for block in blocks])
        changed, commands = dict[str, str](), list[Command]()
        for block, members in zip(blocks, sets, strict=True):
            if "0" not in members:  # voting has ended
                continue
            counts = Counter(int(voter) // VOTER_FACTOR for voter in members if is_member_id(voter))
            strays = [voter for voter in members if int(voter) // VOTER_FACTOR not in thread.nodes and voter != "0"]
            commands += [("SREM", spell(thread.article, block), *strays)] if strays else []
            for number, node in thread.nodes.items():
                votes = node.base + counts[number]
                parts = split_node(fields[str(number)])
                if number // VOTER_BLOCK == block and votes != node.votes and parts:
                    changed[str(number)] = join_node(parts | {"votes": str(votes)})
        if changed:
            commands.append(("HSET", self._keys.thread(thread.article), *chain.from_iterable(changed.items())))
        return commands

    def _place_reports_and_invitations(self) -> None:
        keys = self._keys
        for batch in batched(self._scanner.keys(keys.comment_report("*", "*")), STEP):
            places = _Places()
            counts = self._scanner.run_atomic([("HLEN", key) for key in batch])
            for key, count in zip(batch, counts, strict=True):
                if id := parse_comment(keys.split(key)[1]):
                    places.put(keys.reports(), comment_member(*id), count or None)
            self._write(places)
        for batch in batched(self._scanner.keys(keys.invite("*")), STEP):
            places = _Places()
            made = self._scanner.run_atomic([("HMGET", key, "by", "until") for key in batch])
            for key, (by, until) in zip(batch, made, strict=True):
                end = finite_number(until if by else None)
                places.put(keys.invites(by or ""), invitation_member(keys.split(key)[1]), end)
            self._write(places)

    def _place_groups(self) -> None:
        """List all groups, also those that only articles name; drop aliases of groups that are gone."""
        keys, places = self._keys, _Places()
        self._groups.update(keys.split(key)[1] for key in self._scanner.keys(keys.group_info("*")))
        for name in self._groups:
            places.put(keys.groups(), name, True)
        aliases = self._connection.command("HGETALL", keys.group_aliases())
        lost = [alias for alias, name in aliases.items() if name not in self._groups or alias in self._groups]
        titles: list[Command] = [("HSETNX", keys.group_info(name), "title", name) for name in self._groups]
        self._write(places, [*titles, *([("HDEL", keys.group_aliases(), *lost)] if lost else [])])

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
            self._write_list(index, ids)
        for part in batched(undone):
            entries = self._connection.run([("LINDEX", keys.log_entries(), id - 1) for id in part])
            marks = [(id, unpack(text or "")) for id, text in zip(part, entries, strict=True)]
            writes = [("LSET", keys.log_entries(), id - 1, pack(act | {"undone": "1"})) for id, act in marks if act]
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


def hidden_bits(thread: Thread) -> tuple[bytes, int]:
    """Return the bits of the comments that nobody can read any more, without zeros at the end; count the others.

    A number that has lost its comment has its bit too.
    """
    last = thread.last if thread.last <= MAX_COMMENTS else 0
    bits = bytearray(min(max(thread.nodes, default=last), 8 * MAX_COMMENTS) // 8 + 1).ljust(last // 8 + 1, b"\0")
    for number in set(range(1, last + 1)) - thread.nodes.keys():
        bits[number // 8] |= 0x80 >> number % 8
    covered: set[int] = set()
    visible = 0
    for number, node in thread.nodes.items():
        is_covered = node.parent in covered
        if is_covered or node.removes_replies:
            covered.add(number)
        if not is_covered and node.status is CommentStatus.VISIBLE:
            visible += 1
        elif number // 8 < len(bits):
            bits[number // 8] |= 0x80 >> number % 8
    return bytes(bits.rstrip(b"\0")), visible


def _newest_first(comments: Sequence[float], size: int | None = None) -> list[str]:
    """Return comments, or *size* of them; of one time, the one with the higher number is the newer."""
    newest = nlargest(size or len(comments) // 3, zip(*[iter(comments)] * 3, strict=True))
    return [str(CommentId(int(article), int(number))) for _, article, number in newest]
