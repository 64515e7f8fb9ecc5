"""Acts that are cut off between two of their round trips, as by the end of the process."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any

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
    for trips in count(1):
        run(store, "FLUSHDB")
        make_site(store)
        is_cut = _is_cut(store, act, trips)
        yield is_cut
        if not is_cut:
            return


def _is_cut(store: Store, act: Callable[[Store], Iterable[Any]], trips: int) -> bool:
    left = trips

    def count_down(_seconds: float) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise CutOffError

    store.connection.on_round_trip = count_down
    try:
        deque(act(store), maxlen=0)
    except CutOffError:
        return True
    finally:
        store.connection.on_round_trip = None
    return False
