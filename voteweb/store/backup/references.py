"""Whether all that the records of a backup name is in the backup too."""

from collections.abc import Iterator

from voteweb.store.backup import records
from voteweb.store.backup.bitmap import Bitmap
from voteweb.store.backup.records import BackupRecord


class References:
    """What has been named by the records so far, and what has come; memory grows with what is still missing."""

    def __init__(self) -> None:
        self._missing: dict[tuple[str, str | int], str] = {}
        self._voters = Bitmap()
        self._members = Bitmap()
        self._last = {"article": 0, "member": 0, "entry": 0}
        self._counters: records.Counters | None = None

    def take(self, record: BackupRecord) -> None:
        """Note what *record* is and what it names; what is named comes after what names it."""
        match record:
            case records.Form():
                self._name(f"a form of member {record.member}", "article", record.article)
            case records.Invitation():
                for field in ("by", "used"):
                    if name := record.fields.get(field):
                        self._name(f"the invitation {record.token}", "member", name.lower())
            case records.Reset():
                self._name(f"the one-time link {record.digest}", "member", record.name)
            case records.Article():
                self._came("article", record.id, record.id)
                for group in record.fields.get("groups", "").split():
                    self._name(f"article {record.id}", "group", group)
                for voter in record.voters:
                    if isinstance(voter, int):
                        self._voters.add(voter)
            case records.Group():
                self._came("group", record.name)
            case records.Member():
                id = record.fields.get("id", "")
                if id.isdecimal():
                    self._members.add(int(id))
                    self._came("member", record.name, int(id))
            case records.LogEntry():
                self._came("entry", record.id, record.id)
            case records.Counters():
                self._counters = record

    def _name(self, who: str, kind: str, what: str | int) -> None:
        self._missing.setdefault((kind, what), who)

    def _came(self, kind: str, what: str | int, id: int = 0) -> None:
        self._missing.pop((kind, what), None)
        if id:
            self._last[kind] = max(self._last[kind], id)

    def faults(self) -> Iterator[str]:
        """Yield what is named and has not come, in words."""
        for (kind, what), who in self._missing.items():
            yield f"{who} names the {kind} {what}, which is not there"
        for voter in self._voters:
            if voter not in self._members:
                yield f"a voter has the id {voter}, which is no member's"
        if self._counters:
            counts = (self._counters.articles, self._counters.members, self._counters.entries)
            for (kind, last), count in zip(self._last.items(), counts, strict=True):
                if last > count:
                    yield f"the last id of kind {kind} is {count}, but {last} is in use"
        else:
            yield "the last ids are missing"
