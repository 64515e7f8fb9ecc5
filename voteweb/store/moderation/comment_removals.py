"""Comments below one that was removed with its replies: hidden, or shown again, in bounded steps."""

from collections.abc import Iterator

from voteweb.store.moderation.covered_reports import settle_covered
from voteweb.store.site.context import StorePart
from voteweb.store.site.leases import steps_of_each


class CoveredComments(StorePart):
    """Hides and shows what is below removed comments."""

    def finish(self, article_id: int) -> None:
        """Count what became invisible or visible again below the comments of one article that were removed.

        May be interrupted anywhere and called again: :meth:`steps` goes on.
        """
        for _ in self._steps(article_id):
            pass

    def steps(self) -> Iterator[None]:
        """Do so for every article with such comments, in bounded steps."""
        ids = sorted(filter(str.isdigit, self._connection.command("SMEMBERS", self._keys.removing())))
        yield from steps_of_each(ids, self._steps)

    def _steps(self, article_id: int | str) -> Iterator[None]:
        settle_covered(self._connection, self._context.log, int(article_id))
        while self._connection.script("hide_replies", article=article_id).status == "more":
            yield
