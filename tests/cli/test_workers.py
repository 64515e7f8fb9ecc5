"""How workers end: what is told of it, and that none holds up a stop."""

import logging
import signal
import subprocess
import sys
import threading

import pytest

from tests.helpers import until
from voteweb.cli.workers import UnexpectedExitFilter

#: A process that does something about the signal, and its copy, which is told to end as soon as it is there.
FORK = """
import os, signal
from voteweb.cli.endings import end_before_birth
heard = []
signal.signal(signal.SIGTERM, lambda *_: heard.append(1))
end_before_birth()
child = os.fork()
while not child:
    signal.pause()
os.kill(child, signal.SIGTERM)
ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
os.kill(os.getpid(), signal.SIGTERM)
print(ended, heard)
"""
DEATH = "Unexpected exit from worker-1"


def told(*, is_over: bool, words: str, caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what a log says of *words* by the time that nothing is held back any more."""
    log = logging.getLogger("tests.endings")
    deaths = UnexpectedExitFilter(lambda: is_over, patience=0.01)
    log.addFilter(deaths)
    try:
        log.error(words)
        until(lambda: not any(isinstance(each, threading.Timer) for each in threading.enumerate()))
    finally:
        log.removeFilter(deaths)
    return [record.getMessage() for record in caplog.records]


@pytest.mark.parametrize(
    ("is_over", "words", "count"), [(False, DEATH, 1), (True, DEATH, 0), (False, "Else", 1), (True, "Else", 1)]
)
def test_a_death_is_told_unless_all_are_to_end(
    is_over: bool, words: str, count: int, caplog: pytest.LogCaptureFixture
) -> None:
    assert told(is_over=is_over, words=words, caplog=caplog) == [words] * count


def test_a_worker_that_is_told_to_end_before_it_listens_ends_and_its_parent_still_hears() -> None:
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == (f"{-signal.SIGTERM} [1]\n", "")
