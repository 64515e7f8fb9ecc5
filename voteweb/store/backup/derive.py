"""Compute all derived keys of a site from its primary ones: the end of a restore.

What primary keys hold that were read seconds apart is made to agree: votes are counted by their voters, and members
who left something behind are to leave again. No site may use the data meanwhile.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import chain
from typing import Any, NamedTuple

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
from voteweb.store.backup.lines import unique_names
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.members.account_deletion import keys_left_behind
from voteweb.store.moderation.settling import settle_covered
from voteweb.store.scan.bitmap import Bitmap
from voteweb.store.scan.key_spool import KeySpool
from voteweb.store.scan.scanner import Scanner, batched, portions
from voteweb.store.schema import decoding
from voteweb.store.schema.fields import pack, unpack
from voteweb.store.schema.log_entries import log_indexes
from voteweb.store.schema.nodes import VOTER_FACTOR, join_node, parse_thread, split_node
from voteweb.store.schema.rankings import Place, Rankings, place_writes
from voteweb.store.schema.values import article_member, comment_member, finite_number, invitation_member, is_member_id
from voteweb.store.site.moderation_log import ModerationLog
from voteweb.store.votes import open_votes

#: Keys that are read in one round trip; places and commands that are written in one; items of a list in one command.
READ_STEP, STEP, _CHUNK_SIZE = 200, 2_000, 1_000
#: The nouns of keys from which others are derived: one scan finds them.
_NOUNS = ("user", "article", "thread", "report", "comment-report", "invite", "group-info")
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


class _Writer:
    """Writes places of many things, with one command for each set and ranking, and then other commands."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._places: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._commands: dict[Command, None] = {}
        self._count = 0

    def put(self, key: str, member: str, place: Place) -> None:
        """Put *member* into a ranking by its score, or into a set if the place is True; None is no place."""
        if place is not None:
            add, item = ("SADD", (member,)) if place is True else ("ZADD", (repr(float(place)), member))
            self._places[add, key] += item
            self._step()

    def add(self, *commands: Command) -> None:
        """Run *commands*, each once, after the places that were put before; running them twice changes nothing."""
        self._commands |= dict.fromkeys(commands)
        self._step()

    def _step(self) -> None:
        self._count += 1
        if self._count >= STEP:
            self.flush()

    def flush(self) -> None:
        """Write what has not been written."""
        places = [(add, key, *items) for (add, key), items in self._places.items()]
        self._connection.run([*places, *self._commands])
        self._places.clear()
        self._commands.clear()
        self._count = 0


class Derivation:
    """One computation of all derived keys."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._settings = settings
        self._scanner = Scanner(connection)
        self._writer = _Writer(connection)
        self._rankings = Rankings(connection.keys)
        self._articles = Bitmap()
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
        with KeySpool(self._keys, _NOUNS) as spool:
            for key in self._scanner.all_keys():
                spool.add(key)
            self._spool = spool
            members = self._place_members()
            articles = self._place_articles()
            comments = self._derive_threads()
            self._place_reports_and_invitations()
            self._place_groups()
        self._writer.flush()
        entries = self._index_log()
        self._raise_counters()
        open_votes.rebuild(self._connection, self._settings)
        settle_covered(self._connection, ModerationLog(self._connection))
        self._take_up_deletions()
        return Derived(articles, members, comments, entries)

    def _names(self, noun: str) -> Iterator[str]:
        found = self._spool.matching(f"{self._keys.prefix}{noun}:?*")
        return unique_names(noun, (self._keys.split(key)[1] for key in found))

    def _each(self, noun: str, read: str, *arguments: str) -> Iterator[tuple[str, Any]]:
        """Yield the name of each key of a *noun* with the reply to a command that reads it."""
        for names in batched(self._names(noun), READ_STEP):
            reads = [(read, f"{self._keys.prefix}{noun}:{name}", *arguments) for name in names]
            yield from zip(names, self._connection.run(reads), strict=True)

    def _write_list(self, key: str, items: Iterable[str | int]) -> None:
        pushes: list[Command] = [("RPUSH", key, *part) for part in batched(items, _CHUNK_SIZE)]
        self._connection.run([("UNLINK", key), *pushes], atomic=True)

    def _count_id(self, counter: str, id: int) -> None:
        self._last_ids[counter] = max(self._last_ids[counter], id)

    def _place_members(self) -> int:
        keys, count = self._keys, 0
        for count, (name, stored) in enumerate(self._each("user", "HMGET", *_MEMBER_FIELDS), 1):  # noqa: B007
            fields = dict(zip(_MEMBER_FIELDS, stored, strict=True))
            if fields["id"] is None:
                continue
            self._members.add(name)
            if is_member_id(fields["id"]):
                self._count_id(keys.last_user_id(), int(fields["id"]))
            for list_key, place in member_places(keys, fields).items():
                self._writer.put(list_key, name, place)
            if fields["left"] is not None:
                self._left.append(name)
                continue
            for field, spell in (("inbox-feed", keys.inbox_feed), ("saved-feed", keys.saved_feed)):
                if digest := fields[field]:
                    self._writer.add(("SET", spell(digest), name))
        return count

    def _place_articles(self) -> int:
        count = 0
        for count, (name, stored) in enumerate(self._each("article", "HMGET", *_ARTICLE_FIELDS), 1):  # noqa: B007
            self._count_id(self._keys.last_article_id(), int(name))
            self._articles.add(int(name))
            self._place_article(int(name), dict(zip(_ARTICLE_FIELDS, stored, strict=True)))
        return count

    def _place_article(self, id: int, fields: dict[str, str | None]) -> None:
        """Put an article where it must stand."""
        keys, link, member = self._keys, fields["link"] or "", article_member(id)
        article = decoding.article(id, [fields[name] for name in decoding.FIELDS])
        if article is None:  # it was broken in the backed-up site: the doctor reports it there as here
            return
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
            self._writer.put(key, member, place)
        if article.is_listed:
            self._groups.update(article.groups)
        self._writer.add(*(scripts.call(self._keys, "repair_top", ranking=key) for key in top if key in wanted))
        if linked is not None and is_ours and article.time > clock.now() - LINK_SECONDS:
            self._writer.add(*place_writes(keys, link_key, member, linked))

    def _derive_threads(self) -> int:
        """Derive what is computed from each conversation, and the lists of comments by time; return their number."""
        keys, total = self._keys, 0
        for batch in batched(self._each("thread", "HLEN"), READ_STEP):
            for portion in portions([int(name) for name, _ in batch], [size for _, size in batch]):
                stored = self._connection.run([("HGETALL", keys.thread(id)) for id in portion])
                for id, fields in zip(portion, stored, strict=True):
                    thread = parse_thread(id, fields)
                    total += len(thread.nodes)
                    self._list_comments(thread)
                    self._count_votes(thread, fields)
                    bits, visible = hidden_bits(thread)
                    if bits:
                        self._writer.add(("SET", keys.hidden(id), bits))
                    if id in self._articles and thread.nodes:
                        self._writer.add(("HSET", keys.article(id), "comments", visible))
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

    def _count_votes(self, thread: Thread, fields: Mapping[str, str]) -> None:
        """Make votes agree with their voters, who were read before them, or some after them."""
        spell = self._keys.voted_comments
        blocks = sorted({number // VOTER_BLOCK for number in thread.nodes})
        sets = self._connection.run([("SMEMBERS", spell(thread.article, block)) for block in blocks])
        changed: dict[str, str] = {}
        for block, members in zip(blocks, sets, strict=True):
            if "0" not in members:  # voting has ended
                continue
            counts = Counter(int(voter) // VOTER_FACTOR for voter in members if is_member_id(voter))
            strays = [voter for voter in members if int(voter) // VOTER_FACTOR not in thread.nodes and voter != "0"]
            if strays:
                self._writer.add(("SREM", spell(thread.article, block), *strays))
            for number, node in thread.nodes.items():
                votes = node.base + counts[number]
                parts = split_node(fields[str(number)])
                if number // VOTER_BLOCK == block and votes != node.votes and parts:
                    changed[str(number)] = join_node(parts | {"votes": str(votes)})
        if changed:
            self._writer.add(("HSET", self._keys.thread(thread.article), *chain.from_iterable(changed.items())))

    def _place_reports_and_invitations(self) -> None:
        keys = self._keys
        for name, count in self._each("report", "HLEN"):
            self._writer.put(keys.reports(), article_member(name), count)
        for name, count in self._each("comment-report", "HLEN"):
            self._writer.put(keys.reports(), comment_member(*name.split(".")), count)
        for name, (by, until) in self._each("invite", "HMGET", "by", "until"):
            end = finite_number(until if by else None)
            self._writer.put(keys.invites(by or ""), invitation_member(name), end)

    def _place_groups(self) -> None:
        """List all groups, also those that only articles name; drop aliases of groups that are gone."""
        keys = self._keys
        self._groups.update(self._names("group-info"))
        for name in self._groups:
            self._writer.put(keys.groups(), name, True)
            self._writer.add(("HSETNX", keys.group_info(name), "title", name))
        aliases = self._connection.command("HGETALL", keys.group_aliases())
        if lost := [alias for alias, name in aliases.items() if name not in self._groups or alias in self._groups]:
            self._writer.add(("HDEL", keys.group_aliases(), *lost))

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
