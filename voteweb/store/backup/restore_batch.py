"""Turn records of a backup into the commands that write them, together with every ranking that must hold them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from voteweb.core import links
from voteweb.core.config import DELETED_MEMBER, Settings
from voteweb.core.models import Role
from voteweb.core.ranking import voting_end
from voteweb.store import decoding
from voteweb.store.backup import records
from voteweb.store.backup.records import BackupRecord
from voteweb.store.connection.pipeline import Command
from voteweb.store.fingerprints import Fingerprint, fingerprint, from_number
from voteweb.store.keys import Keys, article_id, article_member, invitation_member, is_article
from voteweb.store.rankings import Rankings
from voteweb.store.scanner import finite_number

#: Members or fields that one command carries: well under a millisecond of work.
CHUNK_SIZE = 1_000


class RestoreBatch:
    """Some records, as the keys that they become."""

    def __init__(self, keys: Keys, settings: Settings) -> None:
        self._keys = keys
        self._settings = settings
        self._strings: dict[str, str | int] = {}
        self._hashes: dict[str, dict[str, str]] = {}
        self._sets: dict[str, list[str | int]] = defaultdict(list)
        self._rankings: dict[str, dict[str, float]] = defaultdict(dict)
        self._lists: list[tuple[str, int, list[str]]] = []
        self._expiries: dict[str, int] = {}

    @property
    def listed(self) -> int:
        """How many of the articles are in the rankings of the site."""
        return len(self._rankings[self._keys.by_time()])

    def commands(self) -> Iterator[Command]:
        """Yield the commands that write the batch; running them twice changes nothing."""
        for key, value in self._strings.items():
            yield ("SET", key, value)
        for key, fields in self._hashes.items():
            for chunk in _chunks([item for pair in fields.items() for item in pair]):
                yield ("HSET", key, *chunk)
        for key, members in self._sets.items():
            for chunk in _chunks(members):
                yield ("SADD", key, *chunk)
        for key, scores in self._rankings.items():
            for chunk in _chunks([item for member, score in scores.items() for item in (repr(score), member)]):
                yield ("ZADD", key, *chunk)
        for key, first, items in self._lists:
            # What a first attempt appended, whose answer was lost, goes before it is appended again.
            yield ("LTRIM", key, 0, first - 1) if first else ("UNLINK", key)
            yield ("RPUSH", key, *items)
        for key, expiry in self._expiries.items():
            # Several batches may add to one key: it lives as long as the last of its members requires.
            yield ("PEXPIREAT", key, expiry, "NX")
            yield ("PEXPIREAT", key, expiry, "GT")

    def add(self, record: BackupRecord) -> None:
        """Add *record* to the batch."""
        keys = self._keys
        match record:
            case records.Form():
                self._add_string(keys.once(record.member, record.token), article_member(record.article), record.until)
            case records.Imported():
                self._add_rows(map(fingerprint, record.digests))
            case records.Fingerprints():
                self._add_rows(map(from_number, record.rows))
            case records.Invitation():
                self._add_invitation(record)
            case records.Reset():
                link = f"{record.name} {record.state}".rstrip()
                self._add_string(keys.reset(record.digest), link, record.until)
            case records.Reported():
                self._sets[keys.reported(record.name)] += _reported_ids(record.articles)
            case records.Article():
                self._add_article(record)
            case records.Group():
                self._sets[keys.groups()].append(record.name)
                self._hashes[keys.group_info(record.name)] = {"title": record.name} | record.fields
            case records.Member():
                self._add_member(record)
            case records.LogEntry():
                # Entries come in any order: the end of the restore puts them into theirs.
                self._hashes[keys.log_entry(record.id)] = record.fields
            case records.Key():
                self._add_key(record)
            case records.Counters():
                self._add_counters(record)

    def _add_string(self, key: str, value: str, until: int | None) -> None:
        self._strings[key] = value
        self._expire(key, until)

    def _expire(self, key: str, until: int | None) -> None:
        if until is not None:
            self._expiries[key] = max(until, self._expiries.get(key, 0))

    def _add_rows(self, rows: Iterable[Fingerprint]) -> None:
        for row in rows:
            self._sets[self._keys.imported(row.bucket)].append(row.member)

    def _add_invitation(self, record: records.Invitation) -> None:
        self._hashes[self._keys.invite(record.token)] = record.fields
        by, until = record.fields.get("by"), finite_number(record.fields.get("until"))
        if by and until is not None:
            self._rankings[self._keys.invites(by)][invitation_member(record.token)] = until

    def _add_member(self, record: records.Member) -> None:
        keys, fields = self._keys, record.fields
        self._hashes[keys.user(record.name)] = fields
        if record.leaving:
            self._sets[keys.leaving()].append(record.name)
        if "id" in fields and "left" not in fields:
            self._rankings[keys.users()][record.name] = finite_number(fields.get("since")) or 0.0
            if fields.get("role") == Role.ADMIN and fields.get("banned", "0") == "0":
                self._sets[keys.admins()].append(record.name)
            if "held" in fields and fields.get("banned", "0") == "0":
                self._rankings[keys.held()][record.name] = finite_number(fields["held"]) or 0.0

    def _add_article(self, record: records.Article) -> None:
        keys, member, fields = self._keys, article_member(record.id), record.fields
        self._hashes[keys.article(record.id)] = fields
        if record.voters:
            self._sets[keys.voted(record.id)] += record.voters
            self._expire(keys.voted(record.id), record.voters_until)
        if record.reports:
            self._hashes[keys.report(record.id)] = record.reports
            self._rankings[keys.reports()][member] = len(record.reports)
        article = decoding.article(record.id, [fields.get(name) for name in decoding.FIELDS])
        if article is None:  # it was broken in the backed-up site: the doctor reports it there as here
            return
        if "base" in fields and "closes" not in fields:  # written by an earlier version
            end = voting_end(article, self._settings.voting_seconds)
            self._hashes[keys.article(record.id)] = fields | {"closes": str(end)}
        rankings = Rankings(keys)
        for key, score in rankings.scores_of(article, self._settings).items():
            self._rankings[key][member] = score
        if article.is_listed:
            for group in article.groups:
                self._sets[keys.group(group)].append(member)
        if article.poster not in ("", DELETED_MEMBER):
            self._rankings[rankings.key_of_poster(article)][member] = article.time
        if record.linked:
            key = keys.link(links.digest(fields.get("link", "")))
            self._rankings[key][member] = article.time
            self._expire(key, record.linked_until)

    def _add_key(self, record: records.Key) -> None:
        key = self._keys.prefix + record.name
        items = record.items
        match record.type:
            case "string":
                self._strings[key] = items[0]
            case "set":
                self._sets[key] += items
            case "hash":
                self._hashes[key] = self._hashes.get(key, {}) | dict(zip(items[::2], items[1::2], strict=True))
            case "list":
                self._lists.append((key, record.first, items))
            case "zset":
                self._rankings[key] |= {m: float(score) for m, score in zip(items[::2], items[1::2], strict=True)}
        self._expire(key, record.until)

    def _add_counters(self, record: records.Counters) -> None:
        counters = {
            self._keys.last_article_id(): record.articles,
            self._keys.last_user_id(): record.members,
        }
        self._strings |= {key: count for key, count in counters.items() if count}


def _reported_ids(articles: Iterable[str | int]) -> list[int]:
    """Return the ids of reported articles, which format 1 names as members of rankings."""
    members = [article_member(article) if isinstance(article, int) else article for article in articles]
    return [article_id(member) for member in members if is_article(member)]


def _chunks(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield *items* in chunks of an even number, so that pairs stay together."""
    for at in range(0, len(items), 2 * CHUNK_SIZE):
        yield items[at : at + 2 * CHUNK_SIZE]
