"""The ways out of the lists and back: deleting, removing, restoring."""

from voteweb import config, links
from voteweb.config import Settings
from voteweb.errors import ArticleGone, Conflict, NoSuchArticle, NotYours, TooLate
from voteweb.models import Gone, User
from voteweb.store import keys
from voteweb.store.articles import TRIES, group_keys, read_stored
from voteweb.store.connect import Connection, Outcome
from voteweb.store.log import Deed, Log


class Removals:
    """What takes articles out of one site's lists, and puts them back."""

    def __init__(self, connection: Connection, settings: Settings, log: Log) -> None:
        self._connection = connection
        self._settings = settings
        self._log = log

    def delete(self, id: int, poster: User | None = None) -> None:
        """Delete the article for good, words and voters with it; with a *poster*, only the own within EDIT_SECONDS.

        Deleting what its poster deleted already does nothing. Raises NoSuchArticle, NotYours, TooLate, Conflict,
        and ArticleGone to a poster whose article was removed.
        """
        outcome = self._take_down(id, Gone.DELETED, poster, None)
        if outcome.word == "already" and outcome.rest[0] == Gone.REMOVED:
            raise ArticleGone()

    def remove(self, id: int, deed: Deed) -> None:
        """Take the article out of every list with the reason of *deed*; it can be restored.

        Removing what is gone already does nothing. Raises NoSuchArticle, Conflict.
        """
        self._take_down(id, Gone.REMOVED, None, deed)

    def restore(self, id: int, deed: Deed) -> None:
        """Put a removed article back into every list, with its votes; one that is not gone stays as it is.

        Raises NoSuchArticle, ArticleGone when its poster deleted it, Conflict.
        """
        record = self._log.record(deed)
        settings = self._settings
        for _ in range(TRIES):
            article = read_stored(self._connection, id)
            outcome = self._connection.script(
                "restore_article",
                [
                    keys.article(id),
                    keys.by_time(),
                    keys.by_score(),
                    keys.good(),
                    keys.posted(article.poster),
                    keys.gone(article.poster),
                    keys.link(links.digest(article.link)),
                    keys.user(article.poster),
                    *group_keys(article.groups),
                    *record.keys,
                ],
                [
                    *record.arguments,
                    settings.vote_score,
                    settings.good_votes,
                    config.LINK_SECONDS,
                    article.link,
                    article.poster,
                    *article.groups,
                ],
            )
            if outcome.word == "deleted":
                raise ArticleGone()
            if _is_settled(outcome):
                return
        raise Conflict()

    def _take_down(self, id: int, how: Gone, poster: User | None, deed: Deed | None) -> Outcome:
        record = self._log.record(deed)
        for _ in range(TRIES):
            article = read_stored(self._connection, id)
            outcome = self._connection.script(
                "take_down",
                [
                    keys.article(id),
                    keys.voted(id),
                    keys.by_time(),
                    keys.by_score(),
                    keys.good(),
                    keys.posted(article.poster),
                    keys.gone(article.poster),
                    keys.link(links.digest(article.link)),
                    keys.reports(),
                    keys.report(id),
                    keys.user(article.poster),
                    *group_keys(article.groups),
                    *record.keys,
                ],
                [
                    *record.arguments,
                    how.value,
                    deed.why if deed else "",
                    poster.name if poster else "",
                    self._settings.edit_seconds,
                    article.link,
                    article.poster,
                    *article.groups,
                ],
            )
            if _is_settled(outcome):
                return outcome
        raise Conflict()


def _is_settled(outcome: Outcome) -> bool:
    """Tell whether a script did its work, or must be asked again with the true groups and link."""
    match outcome.word:
        case "unknown":
            raise NoSuchArticle()
        case "not-yours":
            raise NotYours()
        case "late":
            raise TooLate(when=float(outcome.rest[0]))
    return outcome.word != "again"
