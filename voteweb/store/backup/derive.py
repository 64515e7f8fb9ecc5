"""Compute all derived keys of a site from its primary ones: the end of a restore.

What primary keys hold that were read seconds apart is made to agree: votes are counted by their voters, and members
who left something behind are to leave again. No site may use the data meanwhile.
"""

from array import array
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import nlargest
from typing import Any

from voteweb.core import clock
from voteweb.core.comments import CommentId, CommentStatus, Thread
from voteweb.core.config import DELETED_MEMBER, NEWEST_COMMENTS, VOTER_BLOCK
from voteweb.core.names import name_key
from voteweb.core.settings import Settings
from voteweb.store.accounts.secret_links import feed_keys
from voteweb.store.accounts.users import member_places
from voteweb.store.backup.lines import unique_names
from voteweb.store.comments.comments import count_votes, hidden_numbers, hidden_writes, is_vote
from voteweb.store.connection import scripts
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor import run_fixes
from voteweb.store.doctor.articles import examine_groups
from voteweb.store.doctor.findings import SpoolingScanner
from voteweb.store.doctor.key_checks import examine_counters, examine_log
from voteweb.store.members.account_deletion import keys_left_behind
from voteweb.store.moderation.reports import first_time, settle_covered
from voteweb.store.scan.scanner import Bitmap, KeySpool, batched, portions
from voteweb.store.schema import decoding
from voteweb.store.schema.keys import TYPES
from voteweb.store.schema.nodes import VOTER_FACTOR, format_node, parse_thread
from voteweb.store.schema.rankings import BEST_NOUNS, Place, Rankings, place_writes
from voteweb.store.schema.values import article_member, comment_member, finite_number, invitation_member
from voteweb.store.site.moderation_log import ModerationLog
from voteweb.store.votes.votes import rebuild_open_votes

#: Keys that are read in one round trip; places and commands that are written in one; items of a list in one command.
READ_STEP, STEP, _CHUNK_SIZE = 200, 2_000, 1_000
#: The nouns of most keys, of which nobody asks for all.
_NEVER_LISTED = {"voted", "words", "voted-comments", "once", "imported"}
_MEMBER_FIELDS = (
    *("id", "left", "since", "role", "banned", "banned-until", "ban-answered", "held", "ban-removal"),
    *("about", "about-reported", "inbox-feed", "saved-feed"),
)
_ARTICLE_FIELDS = (*decoding.FIELDS, "base", "answer", "answered")


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
            self.add()

    def add(self, *commands: Command) -> None:
        """Run *commands*, each once, after the places that were put before; running them twice changes nothing."""
        self._commands |= dict.fromkeys(commands)
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
        self._writer = _Writer(connection)
        self._rankings = Rankings(connection.keys)
        self._articles = Bitmap()
        self._aliases: frozenset[str] = frozenset()
        #: Names of members, and of those who left.
        self._members: set[str] = set()
        self._left: list[str] = []
        #: Time, article and number of each comment, by its author, and of all: 24 bytes each.
        self._comments_by: dict[str, array[float]] = defaultdict(lambda: array("d"))
        self._newest = array("d")

    def run(self) -> dict[str, int]:
        """Write all derived keys; return how many articles, members, comments and acts the primary ones hold."""
        with KeySpool(self._keys, TYPES.keys() - _NEVER_LISTED) as spool:
            self._scanner = SpoolingScanner(self._connection, spool)
            deque(self._scanner.spool(), maxlen=0)
            self._aliases = frozenset(self._connection.command("HKEYS", self._keys.group_aliases()))
            # The job ends again what had ended, with nothing left to do.
            for alias in self._aliases:
                self._writer.put(self._keys.merging(), alias, True)
            members = self._place_members()
            articles = self._place_articles()
            comments = self._derive_threads()
            self._place_reports_and_invitations()
            self._writer.flush()
            for check in (examine_groups, examine_log, examine_counters):  # these are small: the doctor derives them
                deque(run_fixes(self._connection, check(self._scanner)), maxlen=0)
        entries = sum(bool(text) for _, text in self._scanner.items(self._keys.log_entries()))
        rebuild_open_votes(self._connection, self._settings)
        settle_covered(self._connection, ModerationLog(self._connection))
        self._take_up_deletions()
        return {"articles": articles, "members": members, "comments": comments, "entries": entries}

    def _names(self, noun: str) -> Iterator[str]:
        return unique_names(noun, self._scanner.names(noun))

    def _each(self, noun: str, read: str, *arguments: str) -> Iterator[tuple[str, Any]]:
        """Yield the name of each key of a *noun* with the reply to a command that reads it."""
        for names in batched(self._names(noun), READ_STEP):
            reads = [(read, f"{self._keys.prefix}{noun}:{name}", *arguments) for name in names]
            yield from zip(names, self._connection.run(reads), strict=True)

    def _write_list(self, key: str, items: Iterable[str | int]) -> None:
        pushes: list[Command] = [("RPUSH", key, *part) for part in batched(items, _CHUNK_SIZE)]
        self._connection.run([("UNLINK", key), *pushes], atomic=True)

    def _place_members(self) -> int:
        keys, count = self._keys, 0
        for count, (name, stored) in enumerate(self._each("user", "HMGET", *_MEMBER_FIELDS), 1):  # noqa: B007
            fields = dict(zip(_MEMBER_FIELDS, stored, strict=True))
            if fields["id"] is None:
                continue
            self._members.add(name)
            for list_key, place in member_places(keys, fields).items():
                self._writer.put(list_key, name, place)
            if fields["left"] is not None:
                self._left.append(name)
            else:
                self._writer.add(
                    *(("SET", key, name) for field, key in feed_keys(keys, fields).items() if fields[field])
                )
        return count

    def _place_articles(self) -> int:
        count = 0
        for count, (name, stored) in enumerate(self._each("article", "HMGET", *_ARTICLE_FIELDS), 1):  # noqa: B007
            self._articles.add(int(name))
            self._place_article(int(name), dict(zip(_ARTICLE_FIELDS, stored, strict=True)))
        return count

    def _place_article(self, id: int, fields: dict[str, str | None]) -> None:
        """Put an article where it must stand."""
        article = decoding.article(id, [fields[name] for name in decoding.FIELDS])
        if article is None:  # it was broken in the backed-up site: the doctor reports it there as here
            return
        has_poster = name_key(article.poster) in self._members
        wanted = self._rankings.present_places(
            article, fields, self._settings, now=clock.now(), has_poster=has_poster, places={}
        )
        for key, place in wanted.items():
            noun, _ = self._keys.split(key)
            if noun == "link":
                self._writer.add(*place_writes(self._keys, key, article_member(id), place))
                continue
            self._writer.put(key, article_member(id), place)
            if noun in BEST_NOUNS:
                self._writer.add(scripts.call(self._keys, "repair_top", ranking=key))
        for name in article.groups if article.is_listed else ():
            if name not in self._aliases:
                self._writer.put(self._keys.groups(), name, True)

    def _derive_threads(self) -> int:
        """Derive the fields and keys of each conversation, and the lists of comments by time; return their number."""
        keys, total = self._keys, 0
        for batch in batched(self._each("thread", "HLEN"), READ_STEP):
            for portion in portions([int(name) for name, _ in batch], [size for _, size in batch]):
                stored = self._connection.run([("HGETALL", keys.thread(id)) for id in portion])
                for id, fields in zip(portion, stored, strict=True):
                    thread = parse_thread(id, fields)
                    total += len(thread.nodes)
                    self._list_comments(thread)
                    self._count_votes(thread)
                    if hidden := hidden_numbers(thread):
                        self._writer.add(*hidden_writes(keys, id, hidden))
                    if id in self._articles and thread.nodes:
                        visible = len(thread.nodes.keys() - hidden)
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

    def _count_votes(self, thread: Thread) -> None:
        """Make votes agree with their voters, who were read before them, or some after them."""
        spell = self._keys.voted_comments
        blocks = sorted({number // VOTER_BLOCK for number in thread.nodes})
        sets = self._connection.run([("SMEMBERS", spell(thread.article, block)) for block in blocks])
        open_blocks = {block: members for block, members in zip(blocks, sets, strict=True) if "0" in members}
        counts = count_votes(open_blocks.values())
        for block, members in open_blocks.items():
            strays = [vote for vote in members if is_vote(vote) and int(vote) // VOTER_FACTOR not in thread.nodes]
            if strays:
                self._writer.add(("SREM", spell(thread.article, block), *strays))
        for number, node in thread.nodes.items():
            votes = node.base + counts[number]
            if number // VOTER_BLOCK in open_blocks and votes != node.votes:
                counted = format_node(replace(node, votes=votes))
                self._writer.add(("HSET", self._keys.thread(thread.article), number, counted))

    def _place_reports_and_invitations(self) -> None:
        keys = self._keys
        for name, reports in self._each("report", "HGETALL"):
            self._writer.put(keys.reports(), article_member(name), first_time(reports))
        for name, reports in self._each("comment-report", "HGETALL"):
            self._writer.put(keys.reports(), comment_member(*name.split(".")), first_time(reports))
        for name, (by, until) in self._each("invite", "HMGET", "by", "until"):
            end = finite_number(until if by else None)
            self._writer.put(keys.invites(by or ""), invitation_member(name), end)

    def _take_up_deletions(self) -> None:
        """Have those leave again who left something behind, as they left while the backup was made."""
        for names in batched(self._left):
            found = self._connection.run([("EXISTS", *keys_left_behind(self._keys, name)) for name in names])
            if leaving := [name for name, count in zip(names, found, strict=True) if count]:
                self._connection.command("SADD", self._keys.leaving(), *leaving)


def _newest_first(comments: Sequence[float], size: int | None = None) -> list[str]:
    """Return comments, or *size* of them; of one time, the one with the higher number is the newer."""
    newest = nlargest(size or len(comments) // 3, zip(*[iter(comments)] * 3, strict=True))
    return [str(CommentId(int(article), int(number))) for _, article, number in newest]
