"""Acts that are cut off between two of their round trips, as by the end of the process."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, count, repeat
from typing import Any
from unittest.mock import Mock, patch

from tests.prepared import restoring
from tests.store.examination import run
from voteweb.store import Store


class CutOffError(BaseException):
    """Stands for the end of the process."""


def cut_everywhere(
    store: Store, make_site: Callable[[Store], None], act: Callable[[Store], Iterable[Any]]
) -> Iterator[bool]:
    """Make the site and cut the act off after its first round trip, the same after its second, and so on.

    Yield after each whether it was cut off; the last time it was not.
    """
    run(store, "FLUSHDB")
    make_site(store)
    restore = restoring(store)
    for trips in count():
        restore()
        after_trip = Mock(side_effect=chain(repeat(None, trips), [CutOffError], repeat(None)))
        try:
            with patch.object(store.connection, "on_round_trip", after_trip):
                list(act(store))
        except CutOffError:
            yield True
        else:
            yield False
            return
