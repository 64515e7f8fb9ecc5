"""Run several actions at the same moment."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from voteweb.core.errors import VotewebError


def at_once(actions: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run *actions* in one thread each, all released at one moment; return each result, or the type of its refusal."""
    results: list[Any] = [None] * len(actions)
    barrier = threading.Barrier(len(actions))

    def run_one(number: int) -> None:
        barrier.wait()
        try:
            results[number] = actions[number]()
        except VotewebError as refusal:
            results[number] = type(refusal)

    threads = [threading.Thread(target=run_one, args=(number,)) for number in range(len(actions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
