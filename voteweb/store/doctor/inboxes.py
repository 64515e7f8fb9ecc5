"""Check inboxes, and what members have seen."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from voteweb.core import config
from voteweb.core.comments import NoticeKind
from voteweb.store.connection.commit import guarded
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.finding import Finding
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.scan.scanner import Scanner, split_evenly
from voteweb.store.schema.keys import Keys, parse_comment
from voteweb.store.schema.values import finite_number

_KINDS = "|".join(NoticeKind)
_ENTRY = re.compile(rf"(?:{_KINDS}) (?P<what>[0-9]{{1,19}}\.[0-9]{{1,19}}|log-[1-9][0-9]{{0,14}}) [0-9]{{1,12}}")
_VISIT = re.compile(r"(?P<base>[0-9]{1,9}) (?P<seen>[0-9]{1,9}) (?P<time>[0-9.]{1,20}) ?[0-9,]*")


def examine(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check the inboxes and visits of all members."""
    keys = scanner.site_keys
    for pattern in (keys.inbox("*"), keys.unread("*")):
        yield from scanner.findings(scanner.keys(pattern), _check_inboxes, size=10)
    yield from scanner.findings(scanner.keys(keys.seen("*")), _check_visits, size=10)


def _check_inboxes(scanner: Scanner, found: list[str]) -> Iterator[Finding]:
    """Check these inboxes, or those of which these keys are what is unread; each with that at one instant."""
    keys = scanner.site_keys
    names = [keys.split(key)[1] for key in found]
    commands = [command for name in names for command in _reads(keys, name)]
    replies = split_evenly(scanner.run_atomic(commands), len(names))
    for key, name, seen in zip(found, names, replies, strict=True):
        if key == (keys.inbox(name) if seen[0] else keys.unread(name)):
            yield from _check_inbox(scanner, name, seen)


def _reads(keys: Keys, name: str) -> list[Command]:
    lists = (keys.inbox(name), keys.unread(name))
    return [("LRANGE", key, 0, config.INBOX_SIZE) for key in lists] + [("PEXPIRETIME", key) for key in lists]


def _check_inbox(scanner: Scanner, name: str, seen: Sequence[Any]) -> Iterator[Finding]:
    """Check one inbox and what is unread in it."""
    keys, (entries, unread, *_) = scanner.site_keys, seen
    key, unread_key, strays = keys.inbox(name), keys.unread(name), _strays(scanner, entries)
    problems = [(key, f"holds {entry:.60}, which is about nothing that exists") for entry in strays]
    about = [match["what"] for entry in entries if (match := _ENTRY.fullmatch(entry))]
    twice = sorted({what for what in about if about.count(what) > 1}) if len(set(about)) < len(about) else []
    problems += [(key, f"holds several entries about {what}") for what in twice]
    problems += [
        (unread_key, f"holds {entry:.60}, which is not in the inbox") for entry in unread if entry not in entries
    ]
    if len(set(unread)) < len(unread):
        problems.append((unread_key, "holds an entry twice"))
    if len(entries) > config.INBOX_SIZE:
        problems.append((key, f"holds more than {config.INBOX_SIZE} entries"))
    fix = _fix(keys, name, seen, strays) if problems else ()
    yield from (Finding(named, what, fix) for named, what in problems)


def _fix(keys: Keys, name: str, seen: Sequence[Any], strays: Sequence[str]) -> Command:
    """Return the command that leaves each entry of an inbox once, and in what is unread only those."""
    entries, unread, *ends = seen
    kept: dict[str, str] = {}
    for entry in entries:
        if entry not in strays and (match := _ENTRY.fullmatch(entry)):
            kept.setdefault(match["what"], entry)
    remaining = list(kept.values())[: config.INBOX_SIZE]
    wanted = (remaining, [entry for entry in dict.fromkeys(unread) if entry in remaining])
    writes: list[Command] = []
    for key, before, items, end in zip((keys.inbox(name), keys.unread(name)), seen, wanted, ends, strict=False):
        if before != items:
            writes += [("UNLINK", key), *([("RPUSH", key, *items)] if items else [])]
            writes += [("PEXPIREAT", key, end)] if items and end > 0 else []
    return guarded(keys, _reads(keys, name), seen, writes)


def _strays(scanner: Scanner, entries: list[str]) -> list[str]:
    """Return the entries that are about no comment or act that exists; none ceases to exist."""
    keys = scanner.site_keys
    commands: list[Command] = [("LLEN", keys.log_entries())]
    matches = [_ENTRY.fullmatch(entry) for entry in entries]
    comments = [parse_comment(match["what"]) if match else None for match in matches]
    commands += [("HEXISTS", keys.thread(comment.article), comment.number) for comment in comments if comment]
    acts, *replies = scanner.run_atomic(commands)
    remaining, strays = iter(replies), []
    for entry, match, comment in zip(entries, matches, comments, strict=True):
        what = match["what"] if match else ""
        exists = next(remaining) if comment else what.startswith("log-") and int(what.removeprefix("log-")) <= acts
        if not exists:
            strays.append(entry)
    return strays


def _check_visits(scanner: Scanner, found: list[str]) -> Iterator[Finding]:
    """Check that what these members have seen is of conversations that have so many comments."""
    for key, visits in zip(found, scanner.run_atomic([("HGETALL", key) for key in found]), strict=True):
        if len(visits) > config.MAX_VISITED_THREADS:
            oldest = sorted(visits, key=lambda article: _time(visits[article]))[: -config.MAX_VISITED_THREADS]
            what = f"holds more than {config.MAX_VISITED_THREADS} conversations"
            yield Finding(key, what, ("HDEL", key, *oldest))
        else:
            yield from _check_visits_of(scanner, key, visits)


def _check_visits_of(scanner: Scanner, key: str, visits: dict[str, str]) -> Iterator[Finding]:
    matches = {article: _VISIT.fullmatch(visit) for article, visit in visits.items()}
    seen = {article: int(match["seen"]) for article, match in matches.items() if match}
    commands = [("HEXISTS", scanner.site_keys.thread(article), number) for article, number in seen.items()]
    exist = dict(zip(seen, scanner.run_atomic(commands), strict=True))
    for article, match in matches.items():
        has_seen = match is not None and (not seen[article] or exist[article])
        if not match or not has_seen or int(match["base"]) > seen[article]:
            # Whoever comes again is there for the first time.
            yield Finding(key, f"holds a visit of {article:.20} that cannot have been", ("HDEL", key, article))


def _time(visit: str) -> float:
    match = _VISIT.fullmatch(visit)
    return (finite_number(match["time"]) if match else None) or 0.0
