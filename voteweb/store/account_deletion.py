"""The deletion of an account: immediate for the member, its articles in bounded steps that can be resumed."""

from contextlib import suppress

from voteweb.core import config
from voteweb.core.errors import NoSuchArticle, NoSuchMember
from voteweb.core.models import User
from voteweb.store.connection.connection import Connection
from voteweb.store.keys import article_id, is_article
from voteweb.store.removals import Removals
from voteweb.store.users import new_session_id


class AccountDeletion:
    """Deletes accounts of one site."""

    def __init__(self, connection: Connection, removals: Removals) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._removals = removals

    def start(self, member: User, *, delete_articles: bool) -> None:
        """Log *member* out for ever; :meth:`finish` deletes or disowns the articles. Raises NoSuchMember."""
        outcome = self._connection.script(
            "start_account_deletion",
            [self._keys.user(member.name), self._keys.leaving()],
            [member.name.lower(), new_session_id(), "delete" if delete_articles else "keep"],
        )
        if outcome.status == "unknown":
            raise NoSuchMember(name=member.name)

    def unfinished(self) -> list[str]:
        """Return the names, in lower case, of members who left and whose articles are not all done."""
        return sorted(self._connection.command("SMEMBERS", self._keys.leaving()))

    def finish(self, name: str) -> None:
        """Delete or disown all articles of a member who left; may be interrupted anywhere and called again.

        For anybody else it does nothing.
        """
        keys = self._keys
        if not self._connection.command("SISMEMBER", keys.leaving(), name.lower()):
            return
        deletes = self._connection.command("HGET", keys.user(name), "leaving") == "delete"
        rankings = [keys.posted(name), keys.gone(name)]
        # A moderator may restore a removed article into the ranking that was emptied first, hence the loop.
        while self._finish(name, rankings) == "more":
            for ranking in rankings:
                for member in self._connection.command("ZRANGE", ranking, 0, config.READ_BATCH_SIZE - 1):
                    self._release(member, rankings, deletes)

    def _finish(self, name: str, rankings: list[str]) -> str:
        outcome = self._connection.script("finish_account_deletion", [self._keys.leaving(), *rankings], [name.lower()])
        return outcome.status

    def _release(self, member: str, rankings: list[str], deletes: bool) -> None:
        """Delete one article or take the name off it; both may be repeated."""
        if not is_article(member):  # another program's member
            self._connection.run([("ZREM", ranking, member) for ranking in rankings])
            return
        id = article_id(member)
        if deletes:
            with suppress(NoSuchArticle):  # another program has deleted it
                self._removals.delete(id)
        self._connection.script("disown_article", [self._keys.article(id), *rankings], [member, config.DELETED_MEMBER])
