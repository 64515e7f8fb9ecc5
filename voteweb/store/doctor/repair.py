"""Mends what is broken, in rounds: one mend may uncover what only the next round can see."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from voteweb.store.connect import Connection
from voteweb.store.doctor.broken import Broken

#: Rounds after which it is told what is still broken: each mends all it sees, and few mends uncover another.
ROUNDS = 10


def repair(connection: Connection, examine: Callable[[], Iterable[Broken]]) -> Iterator[tuple[Broken, bool]]:
    """Yield each fault that *examine* finds with whether it is mended; those that are not come last.

    Every mend is one command of a bounded size, which looks first whether anything is still broken; where
    everything is sound nothing is written.
    """
    for _ in range(ROUNDS):
        words, last = set(), ()
        for fault in examine():
            # One command mends all that is wrong with an article, whose faults come one after the other.
            if not fault.mend or fault.mend != last:
                word = _word(connection.pipeline([fault.mend])[0]) if fault.mend else "hopeless"
                words.add(word)
            last = fault.mend
            if word == "mended":
                yield fault, True
        if not words:
            return
        if not {"mended", "again"} & words:
            break
    # Looking once more tells what is left from what somebody else has put right meanwhile.
    yield from ((each, False) for each in examine())


def _word(answer: Any) -> str:
    """Return the word of a script, or what another command's number of changes means."""
    if isinstance(answer, list):
        return str(answer[0])
    return "mended" if answer else "sound"
