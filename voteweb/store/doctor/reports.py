"""Reports: the queue and the open reports of each article say the same."""

from collections.abc import Iterable, Iterator
from typing import Any

from voteweb.store import keys
from voteweb.store.doctor.look import Broken, Look, is_article, placed, rows, steps


def examine(look: Look) -> Iterator[Broken]:
    """Check all open reports."""
    for step in steps(look.members(keys.reports())):
        wrong = [member for member in step if not is_article(member)]
        yield from (Broken(keys.reports(), f"holds {member}, which is no article") for member in wrong)
        yield from _reported(look, (member for member in step if is_article(member)))
    for step in steps(look.keys(keys.report("*"))):
        numbers = [key.partition(":")[2] for key in step]
        yield from _reported(look, (keys.article(each) for each in numbers if is_article(keys.article(each))))


def _reported(look: Look, articles: Iterable[str]) -> Iterator[Broken]:
    names = list(articles)
    commands: list[tuple[Any, ...]] = []
    for name in names:
        key = keys.report(keys.article_id(name))
        commands += [("ZSCORE", keys.reports(), name), ("HLEN", key), ("HMGET", name, "title", "gone")]
    for name, (count, open_ones, (title, gone)) in zip(names, rows(look.at_once(commands), len(names)), strict=True):
        if open_ones and (title is None or gone):
            yield Broken(keys.report(keys.article_id(name)), f"reports {name}, which is {gone or 'no article'}")
        yield from placed(keys.reports(), name, count, open_ones if open_ones and title is not None else None)
