"""Run several actions at the same moment, or one between the reads and the writes of another."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from voteweb.core.errors import VotewebError
from voteweb.store import Store


def at_once(actions: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run *actions* in one thread each, all released at one moment; return each result, or the type of its refusal."""
    barrier = threading.Barrier(len(actions))

    def run_one(action: Callable[[], Any]) -> Any:
        barrier.wait()
        try:
            return action()
        except VotewebError as refusal:
            return type(refusal)

    with ThreadPoolExecutor(len(actions)) as pool:
        return list(pool.map(run_one, actions))


@contextmanager
def overtaken(store: Store, rival: Callable[[], object]) -> Iterator[None]:
    """Do *rival* when the first guarded commit has read, and has not written yet."""
    script, left = store.connection.script, [rival]

    def run_after_rival(name: str, /, **values: Any) -> Any:
        if name == "commit" and left:
            left.pop()()
        return script(name, **values)

    with patch.object(store.connection, "script", run_after_rival):
        yield
    assert left == []
