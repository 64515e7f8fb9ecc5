"""Fetch the title of a web page for a member who posts a link to it, without reaching anything that is not public.

The member who types a link decides where this server connects to. So the addresses of its host are checked, the
connection goes to the very address that was checked, and all that the other server sends is bounded in time and size.
"""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from http.client import HTTPException
from queue import Empty, SimpleQueue
from ssl import SSLContext, create_default_context
from threading import BoundedSemaphore, Thread
from time import monotonic

from voteweb.core import config
from voteweb.core.addresses import is_public_address
from voteweb.core.errors import FetchBusy, NoTitle
from voteweb.fetching.connections import resolve
from voteweb.fetching.pages import Network, fetch_page
from voteweb.fetching.titles import title_of


@cache
def _tls() -> SSLContext:
    return create_default_context()


@dataclass(frozen=True)
class TitleFetcher:
    """Fetches titles, MAX_FETCHES at a time; another ``resolve`` and ``is_allowed`` are for tests, no setting."""

    user_agent: str
    resolve: Callable[[str, int], Sequence[str]] = resolve
    is_allowed: Callable[[str], bool] = is_public_address
    ports: frozenset[int] = frozenset({80, 443})
    tls: Callable[[], SSLContext] = _tls
    seconds: float = config.FETCH_SECONDS
    _slots: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(config.MAX_FETCHES))

    def fetch(self, link: str) -> str:
        """Return the title of the page at *link*, as a member could have typed it. Raises NoTitle and FetchBusy."""
        if not self._slots.acquire(blocking=False):
            raise FetchBusy()
        answer: SimpleQueue[str | NoTitle] = SimpleQueue()
        # Finding the addresses of a name can take longer than any limit that Python lets one set: the page does not
        # wait for it, but its slot is only free once the thread has ended.
        try:
            Thread(target=self._put_title, args=[link, answer], name="title", daemon=True).start()
        except RuntimeError as error:  # the machine has no thread left
            self._slots.release()
            raise FetchBusy() from error
        try:
            title = answer.get(timeout=self.seconds + 0.1)
        except Empty:
            title = NoTitle(NoTitle.too_slow)
        if isinstance(title, NoTitle):
            raise title
        return title

    def _put_title(self, link: str, answer: "SimpleQueue[str | NoTitle]") -> None:
        answered: str | NoTitle = NoTitle(NoTitle.unreachable)
        try:
            network = Network(self.resolve, self.is_allowed, self.ports, self.tls, self.user_agent)
            page = fetch_page(network, link, monotonic() + self.seconds)
            answered = title_of(page.body, page.charset) or NoTitle()
        except NoTitle as error:
            answered = error
        except TimeoutError:
            answered = NoTitle(NoTitle.too_slow)
        except (OSError, HTTPException, ValueError, zlib.error):  # no connection, no valid certificate, no valid answer
            pass
        finally:
            self._slots.release()
            answer.put(answered)
