"""References: check that everything that the records of a backup name is in the backup too."""

from collections.abc import Iterable, Iterator
from math import inf

from voteweb.core.config import MAX_COMMENT_LEVEL
from voteweb.core.names import name_key
from voteweb.store.backup import records
from voteweb.store.backup.records import BackupRecord
from voteweb.store.backup.value_checks import is_id_text, shown
from voteweb.store.bitmap import Bitmap
from voteweb.store.keys import parse_comment
from voteweb.store.moderation_log import has_too_many_gaps

#: Members that no site has more of: greater numbers are voters of other programs, and would take a kilobyte each here.
MAX_MEMBERS = 100_000_000


class References:
    """The references of the records so far that are still missing; memory grows with their number."""

    def __init__(self) -> None:
        self._missing: dict[tuple[str, str | int], str] = {}
        self._voters = Bitmap()
        self._members = Bitmap()
        self._articles = Bitmap()
        self._threads = Bitmap()
        self._with_comments = Bitmap()
        #: The article of the last comment, and the levels of its comments by number.
        self._commented = 0
        self._levels: dict[int, int] = {}
        self._log_entries = Bitmap()
        self._names: set[tuple[str, str]] = set()
        self._shared: list[str] = []
        self._entries = 0
        self._last_ids = {"article": 0, "member": 0, "entry": 0}
        self._counters: records.Counters | None = None
        self._copies_keys = False
        self._types: dict[tuple[str, bool], str] = {}

    def add(self, record: BackupRecord) -> list[str]:
        """Record what *record* is and what it names; a backup names a thing before it contains it.

        Returns a fault if it was there before, is a comment below the deepest level, or a key of another type than one
        of its kind. Comments of one conversation come one after the other.
        """
        match record:
            case records.Article():
                what, is_new = f"article {record.id}", self._articles.add(record.id)
            case records.Thread():
                what, is_new = f"conversation {record.article}", self._threads.add(record.article)
            case records.Comment():
                return self._add_comment(record)
            case records.LogEntry():
                what, is_new = f"log entry {record.id}", self._log_entries.add(record.id)
            case records.Member() | records.Group():
                what, is_new = f"the {record.kind} {shown(record.name)}", (record.kind, record.name) not in self._names
                self._names.add((record.kind, record.name))
            case records.Key():
                self._copies_keys = True
                return self._add_key(record)
            case _:
                what, is_new = "", True
        self._add_names(record)
        return [] if is_new else [f"{what} is there twice"]

    def _add_names(self, record: BackupRecord) -> None:
        match record:
            case records.Form():
                user = f"a form of member {record.member}"
                if record.comment:
                    self._require(user, "comment", f"{record.article}.{record.comment}")
                else:
                    self._require(user, "article", record.article)
            case records.Invitation():
                for field in ("by", "used"):
                    if name := record.fields.get(field):
                        self._require(f"the invitation {record.digest}", "member", name_key(name))
            case records.Reset():
                self._require(f"the one-time link {record.digest}", "member", record.name)
            case records.Notes():
                self._require(f"a note on {record.name}", "member", record.name)
            case records.ReportedComments():
                self._require_comments(f"what {record.name} reported", record.comments)
            case records.Inbox():
                named = (part for entry in record.entries for part in entry.split(" ")[1:2])
                self._require_comments(f"the inbox of {record.name}", filter(parse_comment, named))
            case records.Thread():
                self._require(f"conversation {record.article}", "article", record.article)
            case records.Article():
                self._add_article(record)
            case records.Group():
                self._provide("group", record.name)
            case records.Member():
                id = record.fields.get("id", "")
                if is_id_text(id):
                    self._provide("member", record.name, int(id))
                    if not self._members.add(int(id)):
                        self._shared.append(f"the member {record.name} has the id {id}, which is another's")
            case records.LogEntry():
                self._provide("entry", record.id, record.id)
                self._entries += 1
            case records.Counters():
                self._counters = record

    def _add_key(self, record: records.Key) -> list[str]:
        """Check that a key is of the same type as others of its kind."""
        type = "string" if record.type == "bits" else record.type
        noun, _, name = record.name.partition(":")
        first = self._types.setdefault((noun, bool(name)), type)  # "article:" is the counter of articles
        return [] if type == first else [f"{shown(record.name)} is a {type}, and another of its kind a {first}"]

    def _require_comments(self, user: str, comments: Iterable[str]) -> None:
        for comment in comments:
            self._require(user, "comment", comment)

    def _add_comment(self, record: records.Comment) -> list[str]:
        """Check a comment: a conversation is followed by its comments, and each by those that answer it."""
        address, is_new = f"{record.article}.{record.number}", True
        what = f"comment {address}"
        if record.article != self._commented:
            is_new = self._with_comments.add(record.article)
            self._commented, self._levels = record.article, {0: 0}
        is_new = is_new and record.number not in self._levels
        self._provide("comment", address)
        parent = int(text) if is_id_text(text := record.fields.get("parent", "")) else 0
        if parent not in self._levels:
            self._require(what, "comment", f"{record.article}.{parent}")
        self._levels[record.number] = level = self._levels.get(parent, 0) + 1
        self._add_voters(record.voters or ())
        too_deep = [f"{what} stands below level {MAX_COMMENT_LEVEL}"] if level > MAX_COMMENT_LEVEL else []
        return too_deep if is_new else [f"{what} is there twice"]

    def _add_article(self, record: records.Article) -> None:
        self._provide("article", record.id, record.id)
        # A group may have been deleted since one of its articles was removed.
        for group in [] if record.fields.get("gone") else record.fields.get("groups", "").split():
            self._require(f"article {record.id}", "group", group)
        self._add_voters(voter for voter in record.voters if isinstance(voter, int))

    def _add_voters(self, ids: Iterable[int]) -> None:
        for id in ids:
            if id <= MAX_MEMBERS:
                self._voters.add(id)

    def _require(self, user: str, kind: str, name: str | int) -> None:
        """Record that *user* names a thing of this *kind*."""
        self._missing.setdefault((kind, name), user)

    def _provide(self, kind: str, name: str | int, id: int = 0) -> None:
        """Record that the backup contains a thing of this *kind*."""
        self._missing.pop((kind, name), None)
        if id:
            self._last_ids[kind] = max(self._last_ids[kind], id)

    def damage(self) -> Iterator[str]:
        """Yield a message if a restore would fail at its end, since the log cannot be put together."""
        if has_too_many_gaps(self._entries, self._last_ids["entry"]):
            yield f"the log has {self._entries} acts up to id {self._last_ids['entry']}: most ids are missing"

    def faults(self) -> Iterator[str]:
        """Yield a message for everything that is named and missing, and for ids that two members share."""
        yield from self._shared
        for (kind, name), user in self._missing.items():
            yield f"{user} names the {kind} {name}, which is not there"
        # A greater id than was given out is a voter of a program after the book.
        last_id = self._counters.members if self._counters else inf
        for voter in self._voters:
            if voter <= last_id and voter not in self._members:
                yield f"a voter has the id {voter}, which is no member's"
        if self._copies_keys:
            return
        if not self._counters:
            yield "the last ids are missing"
            return
        counters = (self._counters.articles, self._counters.members, self._counters.entries)
        for (kind, last), counter in zip(self._last_ids.items(), counters, strict=True):
            if last > counter:
                yield f"the last id of kind {kind} is {counter}, but {last} is in use"
