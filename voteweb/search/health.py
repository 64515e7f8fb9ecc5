"""Health checks of search, in words that anybody may read."""

import time
from collections.abc import Iterator

from voteweb.search.engine import has_full_text_search
from voteweb.search.errors import IndexDamaged, NotReady, SearchError
from voteweb.search.index import SearchIndex

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
    """Yield what is wrong with *index*; the site serves all the same."""
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
