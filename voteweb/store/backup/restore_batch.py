"""Turn records of a backup into the commands that write them, together with every ranking that must hold them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from voteweb.core import links
from voteweb.core.config import DELETED_MEMBER, Settings
from voteweb.store import decoding
from voteweb.store.backup import records
from voteweb.store.backup.records import BackupRecord
from voteweb.store.connection.pipeline import Command
from voteweb.store.keys import Keys, article_member, invitation_member, log_entry_member
from voteweb.store.moderation_log import log_rankings
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
                self._sets[keys.imported()] += record.digests
            case records.Invitation():
                self._add_invitation(record)
            case records.Reset():
                self._add_string(keys.reset(record.digest), record.name, record.until)
            case records.Reported():
                self._hashes[keys.reported(record.name)] = record.articles
            case records.Article():
                self._add_article(record)
            case records.Group():
                self._sets[keys.groups()].append(record.name)
                self._hashes[keys.group_info(record.name)] = record.fields
            case records.Member():
                self._hashes[keys.user(record.name)] = record.fields
                if record.leaving:
                    self._sets[keys.leaving()].append(record.name)
            case records.LogEntry():
                self._add_log_entry(record)
            case records.Counters():
                self._add_counters(record)

    def _add_string(self, key: str, value: str, until: int | None) -> None:
        self._strings[key] = value
        self._expire(key, until)

    def _expire(self, key: str, until: int | None) -> None:
        if until is not None:
            self._expiries[key] = max(until, self._expiries.get(key, 0))

    def _add_invitation(self, record: records.Invitation) -> None:
        self._hashes[self._keys.invite(record.token)] = record.fields
        by, until = record.fields.get("by"), finite_number(record.fields.get("until"))
        if by and until is not None:
            self._rankings[self._keys.invites(by)][invitation_member(record.token)] = until

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

    def _add_log_entry(self, record: records.LogEntry) -> None:
        fields = record.fields
        self._hashes[self._keys.log_entry(record.id)] = fields
        time = finite_number(fields.get("time"))
        if time is None:
            return
        kind, who, about = (fields.get(name, "") for name in ("kind", "who", "about"))
        for ranking in log_rankings(self._keys, kind, who, about):
            self._rankings[ranking][log_entry_member(record.id)] = time

    def _add_counters(self, record: records.Counters) -> None:
        counters = {
            self._keys.last_article_id(): record.articles,
            self._keys.last_user_id(): record.members,
            self._keys.last_log_entry_id(): record.entries,
        }
        self._strings |= {key: count for key, count in counters.items() if count}


def _chunks(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield *items* in chunks of an even number, so that pairs stay together."""
    for at in range(0, len(items), 2 * CHUNK_SIZE):
        yield items[at : at + 2 * CHUNK_SIZE]
