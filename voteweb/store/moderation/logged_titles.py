"""The titles of an article in the log, as it had them at each act: hidden, shown again, or blanked for good."""

from collections.abc import Iterator, Mapping

from voteweb.store.connection.commit import Attempt
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.scanner import Scanner
from voteweb.store.schema.fields import LOG_FIELDS, End, ended_by, unpack
from voteweb.store.schema.log_entries import rewrite
from voteweb.store.site.context import StorePart, act

#: The fields of the title of an article: where it is hidden, the first is empty, and the second is there.
TITLES = ("title", "hidden-title")
#: The words of an entry of the log that a purge takes out.
_PURGED = dict.fromkeys(ended_by(End.PURGE, LOG_FIELDS), "")


class LoggedTitles(StorePart):
    """The titles of articles in the log of one site."""

    def rewrite(self, id: int, *, purges: bool = False) -> Iterator[None]:
        """Hide the titles of an article in the whole log, or show them again, as its own is; or blank them for good."""
        for place, text in Scanner(self._connection).items(self._keys.log_entries()):
            # Few are about the article: to unpack all takes ten times as long.
            if f'"{id}"' in text and _is_titled(unpack(text), id):
                self._rewrite(place, id, purges=purges)
                yield

    @act(when_full=True, remembers=False)
    def _rewrite(self, attempt: Attempt, place: int, id: int, *, purges: bool) -> list[Command]:
        keys = self._keys
        text, (title, hidden) = attempt.read(
            ("LINDEX", keys.log_entries(), place - 1), ("HMGET", keys.article(id), *TITLES)
        )
        fields = unpack(text)
        if not _is_titled(fields, id):
            return []
        words = fields.get("title") or fields.get("hidden", "")
        after = fields | _PURGED | ({} if purges else {"title" if title or hidden is None else "hidden": words})
        return [rewrite(keys, place, after)] if after != _PURGED | fields else []


def _is_titled(fields: Mapping[str, str], article: int) -> bool:
    """Tell whether a log entry with these *fields* holds the title of this article."""
    return fields.get("article") == str(article) and not _PURGED.keys().isdisjoint(fields)
