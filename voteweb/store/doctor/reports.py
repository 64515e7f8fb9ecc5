"""Reports: the queue and the open reports of each article say the same."""

from collections.abc import Iterable, Iterator
from typing import Any

from voteweb.models import Gone
from voteweb.store import keys
from voteweb.store.doctor import mends
from voteweb.store.doctor.broken import Broken, placed
from voteweb.store.look import Look, is_article, rows, steps


def examine(look: Look) -> Iterator[Broken]:
    """Check all open reports."""
    for step in steps(look.members(keys.reports())):
        for member in step:
            if not is_article(member):
                mend = mends.nonsense(keys.reports(), member)
                yield Broken(keys.reports(), f"holds {member}, which is no article", mend)
        yield from _reported(look, (member for member in step if is_article(member)))
    for step in steps(look.keys(keys.report("*"))):
        numbers = [key.partition(":")[2] for key in step]
        yield from _reported(look, (keys.article(each) for each in numbers if is_article(keys.article(each))))


def _reported(look: Look, articles: Iterable[str]) -> Iterator[Broken]:
    names = list(articles)
    commands: list[tuple[Any, ...]] = []
    for name in names:
        key = keys.report(keys.article_id(name))
        commands += [
            ("ZSCORE", keys.reports(), name),
            ("HLEN", key),
            ("EXISTS", name),
            ("HMGET", name, "title", "gone"),
        ]
    answers = rows(look.at_once(commands), len(names))
    for name, (count, open_ones, exists, (title, gone)) in zip(names, answers, strict=True):
        id = keys.article_id(name)
        mend = mends.reports(id)
        if open_ones and not exists:
            yield Broken(keys.report(id), f"reports {name}, which is no article", mend)
        elif open_ones and title is None:
            why_not = "its article has no title: mend that first"
            yield Broken(keys.report(id), f"reports {name}, which is no article", why_not=why_not)
        elif open_ones and gone in (Gone.DELETED, Gone.REMOVED):
            yield Broken(keys.report(id), f"reports {name}, which is {gone}", mend)
        yield from placed(keys.reports(), name, count, open_ones if open_ones and title is not None else None, mend)
