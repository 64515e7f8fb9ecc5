"""Check answers to removals: the queue holds exactly the removed articles whose answer waits."""

from collections.abc import Iterator
from itertools import chain

from voteweb.core.models import ArticleStatus
from voteweb.store.connection.pipeline import Command
from voteweb.store.doctor import fixes
from voteweb.store.doctor.finding import Finding
from voteweb.store.keys import article_id, is_article
from voteweb.store.numbers import finite_number
from voteweb.store.scanner import Scanner, batched, split_evenly


def examine(scanner: Scanner) -> Iterator[Finding]:
    """Check all answers."""
    keys = scanner.site_keys
    gone = scanner.ranking_members(scanner.keys(keys.gone("*")))
    for batch in batched(chain(gone, scanner.ranking_members([keys.answers()]))):
        for key, member in batch:
            if key == keys.answers() and not is_article(member):
                fix = fixes.remove_member(keys, key, member)
                yield Finding(key, f"holds {member}, which is no article", fix)
        yield from _check(scanner, [member for _, member in batch if is_article(member)])


def _check(scanner: Scanner, members: list[str]) -> Iterator[Finding]:
    keys = scanner.site_keys
    commands: list[Command] = []
    for member in members:
        article = keys.article(article_id(member))
        commands += [("ZSCORE", keys.answers(), member), ("HMGET", article, "gone", "answer", "answered")]
    replies = split_evenly(scanner.run_atomic(commands), len(members))
    for member, (queued, (gone, answer, answered)) in zip(members, replies, strict=True):
        time = finite_number(answered)
        waits = gone == ArticleStatus.REMOVED and answer is not None and time is not None
        fix = fixes.answer(keys, article_id(member))
        if waits and queued != time:
            yield Finding(keys.answers(), f"lacks {member}, whose answer waits, or has it at another time", fix)
        elif not waits and (queued is not None or answered is not None):
            yield Finding(keys.answers(), f"has {member}, of which no answer waits", fix)
