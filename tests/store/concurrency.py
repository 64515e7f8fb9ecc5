"""Run several actions at the same moment."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from voteweb.core.errors import VotewebError


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
