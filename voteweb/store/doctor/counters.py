"""Check the counters of ids: none is behind an id in use, so that no id is ever given out twice."""

from collections.abc import Iterator

from voteweb.store.doctor.finding import Finding
from voteweb.store.scan.scanner import Scanner, batched


def examine(scanner: Scanner) -> Iterator[Finding]:
    """Check the counters of articles and members."""
    keys = scanner.site_keys
    yield from _check_counter(scanner, keys.last_article_id(), scanner.article_ids())
    yield from _check_counter(scanner, keys.last_user_id(), _user_ids(scanner))


def _user_ids(scanner: Scanner) -> Iterator[int]:
    for batch in batched(scanner.keys(scanner.site_keys.user("?*"))):
        ids = scanner.run_atomic([("HGET", key, "id") for key in batch])
        yield from (int(id) for id in ids if id and id.isdecimal())


def _check_counter(scanner: Scanner, key: str, ids: Iterator[int]) -> Iterator[Finding]:
    """Compare the counter *key*, read after the *ids*, with the highest of them."""
    highest = max(ids, default=0)
    (last,) = scanner.run_atomic([("GET", key)])
    if last is not None and not last.isdecimal():
        yield Finding(key, f"is {last}, which is no number", why_not=f"set it by hand to {highest} or more")
    elif int(last or 0) < highest:
        # A concurrent writer may raise it once more: that leaves a gap, which does no harm.
        fix = ("INCRBY", key, highest - int(last or 0))
        yield Finding(key, f"is {last or 'missing'}, but {highest} is in use", fix)
