"""Articles and those they belong to: their posters' lists, and the links they are found under."""

from collections.abc import Generator, Iterator
from typing import Any

from voteweb import links
from voteweb.config import LINK_SECONDS
from voteweb.store import keys
from voteweb.store.doctor.look import Broken, Look, number, placed, rows, steps

#: How often an article is read anew whose poster or link has changed since it was found.
TRIES = 20


def examine(look: Look) -> Iterator[Broken]:
    """Check the places of all articles that depend on their poster and their link."""
    for step in steps(look.articles()):
        names = step
        for _ in range(TRIES):
            if names:
                names = yield from _owned(look, names)


def _owned(look: Look, names: list[str]) -> Generator[Broken, None, list[str]]:
    """Check these articles; return those whose poster or link changed under the check."""
    owners = look.at_once([("HMGET", name, "poster", "link") for name in names])
    commands: list[tuple[Any, ...]] = [("TIME",)]
    for name, (poster, link) in zip(names, owners, strict=True):
        commands += [
            ("HMGET", name, "poster", "link"),
            ("HMGET", name, "title", "time", "gone", "base"),
            ("HEXISTS", keys.user(poster or ""), "id") if poster else ("ECHO", ""),
            ("ZSCORE", keys.posted(poster or ""), name),
            ("ZSCORE", keys.gone(poster or ""), name),
            ("ZSCORE", keys.link(links.digest(link or "")), name),
        ]
    (seconds, _), *answers = look.at_once(commands)
    changed = []
    for name, before, row in zip(names, owners, rows(answers, len(names)), strict=True):
        owner, (title, time, gone, base), is_member, posted, left, linked = row
        posted_at = number(time)
        if owner != before:
            changed.append(name)
        elif posted_at is not None and title is not None:
            poster, link = owner[0] or "", owner[1] or ""
            yield from placed(keys.posted(poster), name, posted, posted_at if is_member and not gone else None)
            yield from placed(keys.gone(poster), name, left, posted_at if is_member and gone else None)
            # The key may be gone by now, and a program after the book (it writes no base) knows no such key.
            fresh = base is not None and float(seconds) < posted_at + LINK_SECONDS - 1
            found = link != "" and not gone and (fresh or linked is not None)
            yield from placed(keys.link(links.digest(link)), name, linked, posted_at if found else None)
    return changed
