"""Processes of one machine share an index: one writes, others search."""

import multiprocessing
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Event
from pathlib import Path

from tests.search.conftest import Machine, article
from voteweb.search.grammar import parse
from voteweb.search.index import SearchIndex
from voteweb.search.models import Kind, Order, SearchTooSlow

#: Ends a test whose other process does not answer.
TIMEOUT = 30.0


def search_until(stop: Event, path: Path, answers: "SimpleQueue[object]") -> None:
    """Search in the index at *path* without a pause; answer after the first search, and what all searches found."""
    index, found = SearchIndex(path), set()
    is_first = True
    while is_first or not stop.is_set():
        try:
            found.add(index.find(parse("word"), Kind.ARTICLES, Order.NEW, 10).ids)
        except SearchTooSlow:
            continue  # the machine is busy
        except Exception as error:
            found.add(repr(error))
        if is_first:
            is_first = False
            answers.put(None)
    answers.put(found)


def test_another_process_finds_all_while_files_are_built_and_deleted(machine: Machine) -> None:
    documents = [article(1, "word"), article(2, "a word")]
    machine.writer.apply(documents)
    spawning = multiprocessing.get_context("spawn")
    stop, answers = spawning.Event(), spawning.SimpleQueue()
    reader = spawning.Process(target=search_until, args=(stop, machine.folder.path, answers), daemon=True)
    reader.start()
    answers.get()
    for _ in range(30):
        with machine.folder.locked():
            writer = machine.folder.start_rebuild("epoch")
            writer.apply(documents)
            machine.folder.publish(writer)
            writer.close()
    stop.set()
    assert answers.get() == {(2, 1)}
    reader.join(TIMEOUT)
