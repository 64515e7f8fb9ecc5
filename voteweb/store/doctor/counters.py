"""The counters of ids: none is behind an id that is in use, so that no id is ever given out twice."""

from collections.abc import Iterator

from voteweb.store import keys
from voteweb.store.doctor.broken import Broken
from voteweb.store.look import Look, steps


def examine(look: Look) -> Iterator[Broken]:
    """Check the counters of articles, members and log entries."""
    yield from _counted(look, keys.articles_count(), (keys.article_id(name) for name in look.articles()))
    yield from _counted(look, keys.users_count(), _user_ids(look))
    entries = (name.partition(":")[2] for name in look.keys(keys.log_entry("[0-9]*")))
    yield from _counted(look, keys.log_count(), (int(number) for number in entries if number.isdecimal()))


def _user_ids(look: Look) -> Iterator[int]:
    for step in steps(look.keys(keys.user("?*"))):
        found = look.at_once([("HGET", name, "id") for name in step])
        yield from (int(id) for id in found if id and id.isdecimal())


def _counted(look: Look, key: str, ids: Iterator[int]) -> Iterator[Broken]:
    """Compare the counter *key*, read after the *ids*, with the highest of them."""
    highest = max(ids, default=0)
    (last,) = look.at_once([("GET", key)])
    if last is not None and not last.isdecimal():
        yield Broken(key, f"is {last}, which is no number", why_not=f"set it by hand to {highest} or more")
    elif int(last or 0) < highest:
        # One more by a racing writer only leaves a gap, which does no harm.
        yield Broken(key, f"is {last or 'missing'}, but {highest} is in use", ("INCRBY", key, highest - int(last or 0)))
