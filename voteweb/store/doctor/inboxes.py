"""Check inboxes, and what members have seen."""

import re
from collections.abc import Iterator

from voteweb.core import config
from voteweb.core.comments import NoticeKind
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor import thread_fixes
from voteweb.store.doctor.finding import Finding
from voteweb.store.doctor.spooling_scanner import SpoolingScanner
from voteweb.store.keys import parse_comment
from voteweb.store.numbers import finite_number
from voteweb.store.scanner import Scanner, split_evenly

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
    """Check these inboxes, or those of which these keys are what is unread."""
    keys = scanner.site_keys
    names = [keys.split(key)[1] for key in found]
    commands: list[Command] = []
    for name in names:
        commands += [
            ("EXISTS", keys.user(name)),
            ("LRANGE", keys.inbox(name), 0, config.INBOX_SIZE),
            ("LRANGE", keys.unread(name), 0, config.INBOX_SIZE),
        ]
    replies = split_evenly(scanner.run_atomic(commands), len(names))
    for key, name, (is_member, entries, unread) in zip(found, names, replies, strict=True):
        if not is_member and (entries or unread):
            yield Finding(key, f"belongs to {name}, who is no member", ("UNLINK", key))
        elif key == (keys.inbox(name) if entries else keys.unread(name)):
            yield from _check_inbox(scanner, name, entries, unread)


def _check_inbox(scanner: Scanner, name: str, entries: list[str], unread: list[str]) -> Iterator[Finding]:
    """Check one inbox and what is unread in it, both of one instant."""
    keys, key = scanner.site_keys, scanner.site_keys.inbox(name)
    strays = _strays(scanner, entries)
    fix = thread_fixes.inbox(keys, name, strays)
    problems = [(key, f"holds {entry:.60}, which is about nothing that exists") for entry in strays]
    about = [match["what"] for entry in entries if (match := _ENTRY.fullmatch(entry))]
    twice = sorted({what for what in about if about.count(what) > 1}) if len(set(about)) < len(about) else []
    problems += [(key, f"holds several entries about {what}") for what in twice]
    for entry in unread:
        if entry not in entries:
            problems.append((keys.unread(name), f"holds {entry:.60}, which is not in the inbox"))
    if len(set(unread)) < len(unread):
        problems.append((keys.unread(name), "holds an entry twice"))
    if len(entries) > config.INBOX_SIZE:
        problems.append((key, f"holds more than {config.INBOX_SIZE} entries"))
    yield from (Finding(named, what, fix) for named, what in problems)


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
    keys = scanner.site_keys
    commands: list[Command] = []
    for key in found:
        commands += [("EXISTS", keys.user(keys.split(key)[1])), ("HGETALL", key)]
    for key, (is_member, visits) in zip(found, split_evenly(scanner.run_atomic(commands), len(found)), strict=True):
        if not is_member and visits:
            yield Finding(key, "belongs to no member", ("UNLINK", key))
            continue
        if len(visits) > config.MAX_VISITED_THREADS:
            oldest = sorted(visits, key=lambda article: _time(visits[article]))[: -config.MAX_VISITED_THREADS]
            what = f"holds more than {config.MAX_VISITED_THREADS} conversations"
            yield Finding(key, what, ("HDEL", key, *oldest))
            continue
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
