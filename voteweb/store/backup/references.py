"""References: check that everything that the records of a backup name is in the backup too."""

from collections.abc import Iterable, Iterator
from math import inf

from voteweb.core.names import name_key
from voteweb.store.backup import records
from voteweb.store.backup.records import BackupRecord
from voteweb.store.bitmap import Bitmap
from voteweb.store.keys import parse_comment
from voteweb.store.moderation_log import has_too_many_gaps


class References:
    """The references of the records so far that are still missing; memory grows with their number."""

    def __init__(self) -> None:
        self._missing: dict[tuple[str, str | int], str] = {}
        self._voters = Bitmap()
        self._members = Bitmap()
        self._numbers = Bitmap()
        self._shared: list[str] = []
        self._entries = 0
        self._last_ids = {"article": 0, "member": 0, "entry": 0}
        self._counters: records.Counters | None = None
        self._copies_keys = False

    def add(self, record: BackupRecord) -> None:
        """Record what *record* is and what it names; a backup names a thing before it contains it."""
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
                self._numbers = Bitmap()
            case records.Comment():
                self._add_comment(record)
            case records.Article():
                self._add_article(record)
            case records.Group():
                self._provide("group", record.name)
            case records.Member():
                id = record.fields.get("id", "")
                if id.isascii() and id.isdigit():
                    self._provide("member", record.name, int(id))
                    if not self._members.add(int(id)):
                        self._shared.append(f"the member {record.name} has the id {id}, which is another's")
            case records.LogEntry():
                self._provide("entry", record.id, record.id)
                self._entries += 1
            case records.Counters():
                self._counters = record
            case records.Key():
                self._copies_keys = True

    def _require_comments(self, user: str, comments: Iterable[str]) -> None:
        for comment in comments:
            self._require(user, "comment", comment)

    def _add_comment(self, record: records.Comment) -> None:
        """Check a comment: a conversation is followed by its comments, and each by those that answer it."""
        self._provide("comment", f"{record.article}.{record.number}")
        self._numbers.add(record.number)
        parent = record.fields.get("parent", "")
        if parent.isascii() and parent.isdigit() and int(parent) and int(parent) not in self._numbers:
            self._require(f"comment {record.article}.{record.number}", "comment", f"{record.article}.{int(parent)}")
        for voter in record.voters or ():
            self._voters.add(voter)

    def _add_article(self, record: records.Article) -> None:
        self._provide("article", record.id, record.id)
        # A group may have been deleted since one of its articles was removed.
        for group in [] if record.fields.get("gone") else record.fields.get("groups", "").split():
            self._require(f"article {record.id}", "group", group)
        for voter in record.voters:
            if isinstance(voter, int):
                self._voters.add(voter)

    def _require(self, user: str, kind: str, name: str | int) -> None:
        """Record that *user* names a thing of this *kind*."""
        self._missing.setdefault((kind, name), user)

    def _provide(self, kind: str, name: str | int, id: int = 0) -> None:
        """Record that the backup contains a thing of this *kind*."""
        self._missing.pop((kind, name), None)
        if id:
            self._last_ids[kind] = max(self._last_ids[kind], id)

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
        if has_too_many_gaps(self._entries, self._last_ids["entry"]):
            yield f"the log has {self._entries} acts up to id {self._last_ids['entry']}: most ids are missing"
        if self._copies_keys:
            return
        if not self._counters:
            yield "the last ids are missing"
            return
        counters = (self._counters.articles, self._counters.members, self._counters.entries)
        for (kind, last), counter in zip(self._last_ids.items(), counters, strict=True):
            if last > counter:
                yield f"the last id of kind {kind} is {counter}, but {last} is in use"
