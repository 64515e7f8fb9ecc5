"""Threads that act on one site at once."""

import threading
from abc import ABC, abstractmethod


class Storm(ABC):
    """Several threads that act until they are stopped, whose exceptions ``stop`` raises."""

    def __init__(self, threads: int) -> None:
        self.lock = threading.Lock()
        self.failures: list[BaseException] = []
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(number,)) for number in range(threads)]

    @abstractmethod
    def act(self, number: int) -> None:
        """Act as thread *number* (from 0) until ``is_stopped``."""

    @property
    def is_stopped(self) -> bool:
        return self._stopped.is_set()

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop all threads, each after the action that it is at, and raise what ended any of them before."""
        self._stopped.set()
        for thread in self._threads:
            thread.join()
        if self.failures:
            raise BaseExceptionGroup("in a storm", self.failures)

    def _run(self, number: int) -> None:
        try:
            self.act(number)
        except BaseException as error:
            self.failures.append(error)
