"""Removals: articles deleted by their posters, removed and restored by moderators."""

from voteweb.core import config, links
from voteweb.core.config import Settings
from voteweb.core.errors import ArticleGone, Conflict, NoSuchArticle, NothingToUndo, NotYours, TooLate
from voteweb.core.models import Article, ArticleStatus, LogEntry, Role, User
from voteweb.store.actors import OPERATOR, ActorArguments, actor_arguments
from voteweb.store.article_lists import group_keys, ranking_arguments, site_lists
from voteweb.store.articles import read_stored
from voteweb.store.connection.connection import Connection, Outcome
from voteweb.store.keys import article_member
from voteweb.store.moderation_log import LogArguments, ModerationLog, NewLogEntry, not_logged
from voteweb.store.told import ToldArguments, read_reporters, told_arguments


class Removals:
    """Takes articles out of the lists of one site, and puts them back."""

    def __init__(self, connection: Connection, settings: Settings, moderation_log: ModerationLog) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._settings = settings
        self._log = moderation_log

    def delete(self, id: int, poster: User | None = None) -> None:
        """Delete the article for good, with its words and voters; for a *poster*, only their own within EDIT_SECONDS.

        Does nothing if the article was deleted before. Raises NoSuchArticle, NotYours, TooLate, LoggedOut, Conflict,
        and ArticleGone to a poster whose article was removed.
        """
        actor = actor_arguments(self._keys, poster, Role.MEMBER)
        outcome = self._unlist(id, ArticleStatus.DELETED, poster, None, actor)
        if outcome.status == "already" and outcome.values[0] == ArticleStatus.REMOVED:
            raise ArticleGone()

    def purge(self, id: int, entry: NewLogEntry) -> None:
        """Delete the article as :meth:`delete` does, for the operator, so that no index keeps its words; log *entry*.

        Raises NoSuchArticle, Conflict.
        """
        self._unlist(id, ArticleStatus.DELETED, None, entry, OPERATOR)

    def remove(self, id: int, entry: NewLogEntry, *, actor: User | None = None) -> None:
        """Take the article out of every list with the reason of *entry*; it can be restored.

        Does nothing if the article is gone already. *actor* is the moderator who does it, None the operator.
        Raises NoSuchArticle, LoggedOut, NotAllowed, Conflict.
        """
        self._unlist(id, ArticleStatus.REMOVED, None, entry, actor_arguments(self._keys, actor))

    def restore(self, id: int, entry: NewLogEntry, *, actor: User | None = None) -> None:
        """Put a removed article back into every list, with its votes; one that is listed stays as it is.

        One that waited for a moderator until it was removed waits again.

        *actor* is the moderator who does it, None the operator. Raises NoSuchArticle, LoggedOut, NotAllowed,
        ArticleGone when its poster deleted it, NothingToUndo when *entry* undoes a removal that is not in force,
        Conflict.
        """
        log, checked = self._log.prepare(entry), actor_arguments(self._keys, actor)
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            article = read_stored(self._connection, id)
            outcome = self._restore(article, log, told_arguments(self._keys, entry.who, article.poster), checked)
            if outcome.status == "deleted":
                raise ArticleGone()
            if _is_final(outcome):
                return
        raise Conflict()

    def remove_by_ban(self, id: int, ban: LogEntry) -> bool:
        """Remove an article with the reason of the log entry *ban*, in whose name it is restored; tell whether it was.

        Settles its reports; tells the reporters of the ban. Not logged. Raises Conflict.
        """
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            try:
                article = read_stored(self._connection, id)
            except NoSuchArticle:
                return False
            reporters = read_reporters(self._connection, self._keys.report(article.id))
            told = told_arguments(self._keys, ban.who, reporters=reporters)
            log = not_logged(self._keys)
            outcome = self._unlist_once(article, ArticleStatus.REMOVED, ban.why, None, log, told, OPERATOR, str(ban.id))
            if outcome.status != "again":
                return outcome.status == "gone"
        raise Conflict()

    def restore_by_ban(self, id: int, ban: LogEntry) -> bool:
        """Put back an article that the ban of the log entry *ban* removed; tell whether it did. Raises Conflict."""
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            try:
                article = read_stored(self._connection, id)
            except NoSuchArticle:
                return False
            told = told_arguments(self._keys, ban.who, article.poster)
            outcome = self._restore(article, not_logged(self._keys), told, OPERATOR, str(ban.id))
            if outcome.status != "again":
                return outcome.status == "restored"
        raise Conflict()

    def _restore(
        self,
        article: Article,
        log: LogArguments,
        told: ToldArguments,
        actor: ActorArguments,
        removed_by: str = "",
    ) -> Outcome:
        keys, settings, lists = self._keys, self._settings, site_lists(self._keys, article.time, article.link)
        return self._connection.script(
            "restore_article",
            [
                keys.article(article.id),
                *lists.keys,
                keys.posted(article.poster),
                keys.gone(article.poster),
                keys.link(links.digest(article.link)),
                keys.user(article.poster),
                keys.groups(),
                keys.answers(),
                keys.held_articles(),
                keys.changes(),
                *group_keys(keys, article.groups),
                *told.keys,
                *log.keys,
                *actor.keys,
            ],
            [
                *log.arguments,
                article_member(article.id),
                *ranking_arguments(settings),
                *lists.arguments,
                config.LINK_SECONDS,
                article.link,
                article.poster,
                removed_by,
                *article.groups,
                *told.arguments,
                *actor.arguments,
            ],
        )

    def _unlist(
        self,
        id: int,
        status: ArticleStatus,
        poster: User | None,
        entry: NewLogEntry | None,
        actor: ActorArguments,
    ) -> Outcome:
        log = self._log.prepare(entry)
        removal = entry if status is ArticleStatus.REMOVED else None
        reason = removal.why if removal else ""
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            article = read_stored(self._connection, id)
            told = self._told(article, removal)
            outcome = self._unlist_once(article, status, reason, poster, log, told, actor)
            if _is_final(outcome):
                return outcome
        raise Conflict()

    def _told(self, article: Article, removal: NewLogEntry | None) -> ToldArguments:
        """Return who is told of a *removal*; nobody of a deletion, which is none."""
        if removal is None:
            return told_arguments(self._keys, article.poster)
        reporters = read_reporters(self._connection, self._keys.report(article.id))
        return told_arguments(self._keys, removal.who, article.poster, reporters)

    def _unlist_once(
        self,
        article: Article,
        status: ArticleStatus,
        reason: str,
        poster: User | None,
        log: LogArguments,
        told: ToldArguments,
        actor: ActorArguments,
        removed_by: str = "",
    ) -> Outcome:
        keys, lists = self._keys, site_lists(self._keys, article.time, article.link)
        return self._connection.script(
            "unlist_article",
            [
                keys.article(article.id),
                keys.voted(article.id),
                *lists.keys,
                keys.posted(article.poster),
                keys.gone(article.poster),
                keys.link(links.digest(article.link)),
                keys.reports(),
                keys.report(article.id),
                keys.user(article.poster),
                keys.was(article.id),
                keys.held_articles(),
                keys.answers(),
                keys.changes(),
                *group_keys(keys, article.groups),
                *told.keys,
                *log.keys,
                *actor.keys,
            ],
            [
                *log.arguments,
                article_member(article.id),
                status.value,
                reason,
                poster.name if poster else "",
                self._settings.edit_seconds,
                article.link,
                article.poster,
                removed_by,
                lists.arguments[0],
                *article.groups,
                *told.arguments,
                *actor.arguments,
            ],
        )


def _is_final(outcome: Outcome) -> bool:
    """Tell whether the script did its work, or must run again with the article's present groups and link."""
    match outcome.status:
        case "unknown":
            raise NoSuchArticle()
        case "overruled":
            raise NothingToUndo()
        case "not-yours":
            raise NotYours()
        case "late":
            raise TooLate(when=float(outcome.values[0]))
    return outcome.status != "again"
