"""The state of the index of a machine: warnings, and what ``voteweb doctor`` finds."""

import time
from collections.abc import Iterator
from typing import NamedTuple

from voteweb.search.engine import has_full_text_search
from voteweb.search.files import IndexFolder
from voteweb.search.index import SearchIndex
from voteweb.search.indexer import Source
from voteweb.search.models import IndexDamaged, NotReady, SearchError, State
from voteweb.search.writer import IndexWriter

#: Seconds that the indexer of a site in use has to read the stream up to where it was.
CATCH_UP_SECONDS = 10.0
#: How often it is tried to count the articles on both sides while nothing changes.
LOOKS = 20
_POLL_SECONDS = 0.1


class Fault(NamedTuple):
    """A fault of an index, in words; ``needs_rebuild``, unless it is enough to read the stream.

    One that ``ends_by_itself`` is there after each restore, until the background process has made an index.
    """

    what: str
    needs_rebuild: bool = True
    ends_by_itself: bool = False


def examine(folder: IndexFolder, source: Source) -> tuple[list[Fault], State | None]:
    """Check the index in *folder*, which may be in use, and whether it is that of the site; changes nothing.

    Return its faults, and its state if it can be read. Raises SearchError if another process does not let it read.
    """
    file = folder.current()
    if not file:
        return [_missing(folder)], None
    try:
        writer = IndexWriter.open(file)
    except SearchError as error:
        is_damaged = isinstance(error, IndexDamaged)
        return [Fault("the index is damaged" if is_damaged else "the index cannot be opened")], None
    try:
        return _faults(folder, writer, source), writer.state()
    except IndexDamaged:
        return [Fault("the index is damaged")], None
    finally:
        writer.close()


def _missing(folder: IndexFolder) -> Fault:
    what = f"the background process makes an index of these data, and has {folder.percent()} % of it"
    return Fault(what, ends_by_itself=True)


def _faults(folder: IndexFolder, writer: IndexWriter, source: Source) -> list[Fault]:
    """Return the faults of the index of *writer*, which writes nothing; raises IndexDamaged."""
    if not writer.check():
        raise IndexDamaged
    state = writer.state()
    if source.changes_since(state.position, wait=0).epoch != state.epoch:
        return [_missing(folder)]  # the present one is of other data, and never catches up
    is_up_to_date = _catches_up(writer, source)
    state = writer.state()
    changes = source.changes_since(state.position, wait=0)
    if not changes.is_complete:
        return [Fault("the index has missed changes", needs_rebuild=False)]
    if not is_up_to_date:
        behind = f"the index is {max(time.time() - state.checked, 0):,.0f} s behind"
        return [Fault(behind, needs_rebuild=False)]
    for _ in range(LOOKS):
        end, listed, state = source.end_of_changes(), source.listed_count(), writer.state()
        if state.position == end == source.end_of_changes():
            what = f"{state.articles:,} articles are indexed, but {listed:,} are listed"
            return [Fault(what)] if state.articles != listed else []
        time.sleep(_POLL_SECONDS)
    return []  # on a site with several changes a second nobody can tell


def _catches_up(writer: IndexWriter, source: Source) -> bool:
    """Wait until the index has what the stream tells now; tell whether it came to that in time."""
    end, deadline = _numbers(source.end_of_changes()), time.monotonic() + CATCH_UP_SECONDS
    while _numbers(writer.state().position) < end:
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def _numbers(position: str) -> tuple[int, ...]:
    return tuple(map(int, position.split("-")))


#: Seconds after which an index is behind: its indexer looks at the stream of changes every second.
MAX_AGE = 10
#: Seconds after which it is likely that nobody keeps the index.
_LONG_AGE = 60
_NO_INDEXER = "do the background jobs (`voteweb run` or `voteweb jobs`) run on this machine, and can they write there?"


def start_warnings(*, is_on: bool) -> list[str]:
    """Return why a site whose setting of search *is_on* has none."""
    if not is_on or has_full_text_search():
        return []
    return [
        "This Python has no full-text search (SQLite with FTS5): the site is without search. Install one that has it, "
        "or set VOTEWEB_SEARCH=0."
    ]


def warnings(index: SearchIndex) -> Iterator[str]:
    """Yield the faults of *index* in words; the site serves all the same."""
    try:
        age = time.time() - index.state().checked
    except NotReady as error:
        hint = "" if error.values["percent"] else f"; if that does not change: {_NO_INDEXER}"
        yield f"Search is being prepared ({error.values['percent']} %){hint}"
    except IndexDamaged:
        yield "The index of search is damaged, and is made anew"
    except SearchError:
        yield "The index of search cannot be read: run `voteweb doctor`"
    else:
        if age > MAX_AGE:
            yield f"Search is {age:,.0f} s behind" + (f": {_NO_INDEXER}" if age > _LONG_AGE else "")
