"""Fetch the title of a web page for a member who posts a link to it, without reaching anything that is not public.

The member who types a link decides where this server connects to. So the addresses of its host are checked, the
connection goes to the very address that was checked, and all that the other server sends is bounded in time and size.
"""

import zlib
from dataclasses import dataclass, field
from http.client import HTTPException
from queue import Empty, SimpleQueue
from threading import BoundedSemaphore, Thread
from time import monotonic

from voteweb.core import config
from voteweb.core.errors import FetchBusy, NoTitle
from voteweb.fetching.pages import Network, fetch_page
from voteweb.fetching.titles import title_of


@dataclass(frozen=True)
class TitleFetcher(Network):
    """Fetches titles, MAX_FETCHES at a time, each for so many ``seconds``."""

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
            answered = title_of(*fetch_page(self, link, monotonic() + self.seconds)) or NoTitle()
        except NoTitle as error:
            answered = error
        except TimeoutError:
            answered = NoTitle(NoTitle.too_slow)
        except (OSError, HTTPException, ValueError, zlib.error):  # no connection, no valid certificate, no valid answer
            pass
        finally:
            self._slots.release()
            answer.put(answered)
