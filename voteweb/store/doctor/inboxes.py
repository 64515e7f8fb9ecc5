"""Check inboxes, and what members have seen."""

from collections.abc import Iterator, Sequence
from functools import partial

from voteweb.core import config
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor.finding import Finding, Problem
from voteweb.store.doctor.looks import Fields, Kind, Look, examine_each
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.scan.scanner import Scanner
from voteweb.store.schema.keys import Keys, parse_comment
from voteweb.store.schema.numbers import finite_number
from voteweb.store.schema.values import is_inbox_entry, is_visit


def examine(scanner: SpoolingScanner) -> Iterator[Finding]:
    """Check the inboxes and visits of all members."""
    keys = scanner.site_keys
    patterns = (keys.inbox("*"), keys.unread("*"))
    names = dict.fromkeys(keys.split(key)[1] for pattern in patterns for key in scanner.keys(pattern))
    kind = Kind(keys.user, ("id",), partial(_reads, keys))
    yield from examine_each(scanner, names, kind, partial(_check_inbox, scanner), size=10)
    yield from scanner.findings(scanner.keys(keys.seen("*")), _check_visits, size=10)


def _reads(keys: Keys, name: str, _: Fields) -> list[Command]:
    lists = (keys.inbox(name), keys.unread(name))
    return [("LRANGE", key, 0, config.INBOX_SIZE) for key in lists] + [("PEXPIRETIME", key) for key in lists]


def _check_inbox(scanner: Scanner, seen: Look) -> Iterator[Finding]:
    """Check one inbox and what is unread in it; a repair leaves each entry once, and only those as unread."""
    entries, unread, *ends = seen.replies
    key, unread_key = seen.keys.inbox(seen.name), seen.keys.unread(seen.name)
    lost, kept, problems = _lost(scanner, entries), dict[str, str](), dict[Problem, None]()
    for entry in entries:
        about = "" if entry in lost else entry.split(" ")[1]
        if entry in lost:
            problems[Problem(key, f"holds {entry:.60}, which is about nothing that exists")] = None
        elif about in kept:
            problems[Problem(key, f"holds several entries about {about}")] = None
        kept.setdefault(about, entry)
    kept.pop("", None)
    for entry in unread:
        if entry not in entries:
            problems[Problem(unread_key, f"holds {entry:.60}, which is not in the inbox")] = None
    if len(set(unread)) < len(unread):
        problems[Problem(unread_key, "holds an entry twice")] = None
    if len(entries) > config.INBOX_SIZE:
        problems[Problem(key, f"holds more than {config.INBOX_SIZE} entries")] = None
    remaining = list(kept.values())[: config.INBOX_SIZE]
    wanted = (remaining, [entry for entry in dict.fromkeys(unread) if entry in remaining])
    writes: list[Command] = []
    for of, before, items, end in zip((key, unread_key), (entries, unread), wanted, ends, strict=True):
        if before != items:
            writes += [("UNLINK", of), *([("RPUSH", of, *items)] if items else [])]
            writes += [("PEXPIREAT", of, end)] if items and end > 0 else []
    yield from seen.findings(list(problems), *writes)


def _lost(scanner: Scanner, entries: Sequence[str]) -> set[str]:
    """Return the entries that are about no comment or act that exists; none ceases to exist."""
    keys = scanner.site_keys
    about = {entry: entry.split(" ")[1] for entry in entries if is_inbox_entry(entry)}
    comments = {entry: comment for entry, what in about.items() if (comment := parse_comment(what))}
    reads = [("HEXISTS", keys.thread(comment.article), comment.number) for comment in comments.values()]
    acts, *exist = scanner.run_atomic([("LLEN", keys.log_entries()), *reads])
    known = {entry for entry, exists in zip(comments, exist, strict=True) if exists}
    known |= {entry for entry in about.keys() - comments if int(about[entry].removeprefix("log-")) <= acts}
    return set(entries) - known


def _check_visits(scanner: Scanner, found: list[str]) -> Iterator[Finding]:
    """Check that what these members have seen is of conversations that have so many comments."""
    most = config.MAX_VISITED_THREADS
    for key, visits in zip(found, scanner.run_atomic([("HGETALL", key) for key in found]), strict=True):
        parts = {article: visit.split(" ") for article, visit in visits.items() if is_visit(visit)}
        reads = [("HEXISTS", scanner.site_keys.thread(article), int(part[1])) for article, part in parts.items()]
        known = {
            article
            for (article, (base, seen, *_)), exists in zip(parts.items(), scanner.run_atomic(reads), strict=True)
            if (exists or not int(seen)) and int(base) <= int(seen)
        }
        for article in visits.keys() - known:
            # Whoever comes again is there for the first time.
            yield Finding(key, f"holds a visit of {article:.20} that cannot have been", ("HDEL", key, article))
        if len(known) > most:
            oldest = sorted(known, key=lambda article: finite_number(parts[article][2]) or 0.0)[:-most]
            yield Finding(key, f"holds more than {most} conversations", ("HDEL", key, *oldest))
