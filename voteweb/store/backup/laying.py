"""Turns records into the commands that lay them down, together with every ranking that is to hold them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from voteweb import links
from voteweb.config import NOBODY, Settings
from voteweb.store import keys, log, rows, standing
from voteweb.store.backup import records
from voteweb.store.backup.records import Record
from voteweb.store.look import number

#: Members or fields that one command carries: well under a millisecond of work.
PIECE = 1_000


class Batch:
    """Some records, by the keys that they become."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._strings: dict[str, str | int] = {}
        self._hashes: dict[str, dict[str, str]] = {}
        self._sets: dict[str, list[str | int]] = defaultdict(list)
        self._rankings: dict[str, dict[str, float]] = defaultdict(dict)
        self._ends: dict[str, int] = {}

    @property
    def listed(self) -> int:
        """How many of the articles are in the rankings of the site."""
        return len(self._rankings[keys.by_time()])

    def commands(self) -> Iterator[tuple[Any, ...]]:
        """Yield what writes the batch; to write it twice changes nothing."""
        for key, value in self._strings.items():
            yield ("SET", key, value)
        for key, fields in self._hashes.items():
            for piece in _pieces([word for pair in fields.items() for word in pair]):
                yield ("HSET", key, *piece)
        for key, members in self._sets.items():
            for piece in _pieces(members):
                yield ("SADD", key, *piece)
        for key, ranked in self._rankings.items():
            for piece in _pieces([word for member, place in ranked.items() for word in (repr(place), member)]):
                yield ("ZADD", key, *piece)
        for key, end in self._ends.items():
            # Several batches may add to one key: it lives as long as the last of its members asks for.
            yield ("PEXPIREAT", key, end, "NX")
            yield ("PEXPIREAT", key, end, "GT")

    def add(self, record: Record) -> None:
        """Take *record* along."""
        match record:
            case records.Form():
                self._keep(keys.once(record.member, record.token), keys.article(record.article), record.until)
            case records.Imported():
                self._sets[keys.imported()] += record.digests
            case records.Invitation():
                self._add_invitation(record)
            case records.Reset():
                self._keep(keys.reset(record.digest), record.name, record.until)
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
            case records.Entry():
                self._add_entry(record)
            case records.Counters():
                self._add_counters(record)

    def _keep(self, key: str, value: str, until: int | None) -> None:
        self._strings[key] = value
        self._end(key, until)

    def _end(self, key: str, until: int | None) -> None:
        if until is not None:
            self._ends[key] = max(until, self._ends.get(key, 0))

    def _add_invitation(self, record: records.Invitation) -> None:
        key = keys.invite(record.token)
        self._hashes[key] = record.fields
        by, end = record.fields.get("by"), number(record.fields.get("until"))
        if by and end is not None:
            self._rankings[keys.invites(by)][key] = end

    def _add_article(self, record: records.Article) -> None:
        name, voted, fields = keys.article(record.id), keys.voted(record.id), record.fields
        self._hashes[name] = fields
        if record.voters:
            self._sets[voted] += record.voters
            self._end(voted, record.voters_until)
        if record.reports:
            self._hashes[keys.report(record.id)] = record.reports
            self._rankings[keys.reports()][name] = len(record.reports)
        article = rows.article(record.id, [fields.get(each) for each in rows.FIELDS])
        if article is None:  # not whole where it came from: the doctor names it there as here
            return
        for key, place in standing.of_site(self._settings, article).items():
            self._rankings[key][name] = place
        if not article.gone:
            for group in article.groups:
                self._sets[keys.group(group)].append(name)
        if article.poster not in ("", NOBODY):
            self._rankings[standing.of_owner(article)][name] = article.time
        if record.linked:
            key = keys.link(links.digest(fields.get("link", "")))
            self._rankings[key][name] = article.time
            self._end(key, record.linked_until)

    def _add_entry(self, record: records.Entry) -> None:
        key, fields = keys.log_entry(record.id), record.fields
        self._hashes[key] = fields
        at = number(fields.get("time"))
        if at is not None:
            for ranking in log.rankings(fields.get("kind", ""), fields.get("who", ""), fields.get("about", "")):
                self._rankings[ranking][key] = at

    def _add_counters(self, record: records.Counters) -> None:
        last = {
            keys.articles_count(): record.articles,
            keys.users_count(): record.members,
            keys.log_count(): record.entries,
        }
        self._strings |= {key: count for key, count in last.items() if count}


def _pieces(words: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield *words* in pieces of an even number, so that pairs stay together."""
    for at in range(0, len(words), 2 * PIECE):
        yield words[at : at + 2 * PIECE]
