"""The end of an account: marked at once, its articles followed up in bounded steps that can be resumed."""

from contextlib import suppress

from voteweb import config
from voteweb.errors import NoSuchArticle, NoSuchMember
from voteweb.models import User
from voteweb.store import keys
from voteweb.store.connect import Connection
from voteweb.store.removals import Removals
from voteweb.store.users import new_session


class Leaving:
    """The members of one site who are going."""

    def __init__(self, connection: Connection, removals: Removals) -> None:
        self._connection = connection
        self._removals = removals

    def start(self, member: User, *, delete_articles: bool) -> None:
        """Log *member* out for ever; :meth:`finish` sees to the articles. Raises NoSuchMember."""
        outcome = self._connection.script(
            "start_leaving",
            [keys.user(member.name), keys.leaving()],
            [member.name.lower(), new_session(), "delete" if delete_articles else "keep"],
        )
        if outcome.word == "unknown":
            raise NoSuchMember(name=member.name)

    def unfinished(self) -> list[str]:
        """Return the names, in lower case, of those whose articles have not all been seen to."""
        return sorted(self._connection.command("SMEMBERS", keys.leaving()))

    def finish(self, name: str) -> None:
        """Delete or disown all articles of a leaving member; may be stopped anywhere and called again.

        For anybody else it does nothing.
        """
        if not self._connection.command("SISMEMBER", keys.leaving(), name.lower()):
            return
        deletes = self._connection.command("HGET", keys.user(name), "leaving") == "delete"
        places = [keys.posted(name), keys.gone(name)]
        # A moderator may put a removed article back into the place that was emptied first, hence again.
        while self._connection.script("finish_leaving", [keys.leaving(), *places], [name.lower()]).word == "more":
            for place in places:
                for member in self._connection.command("ZRANGE", place, 0, config.BATCH - 1):
                    self._let_go(member, places, deletes)

    def _let_go(self, member: str, places: list[str], deletes: bool) -> None:
        """Delete one article or leave it to nobody; both may be done again."""
        if deletes:
            with suppress(NoSuchArticle):  # another program took it away
                self._removals.delete(keys.article_id(member))
        self._connection.script("disown_article", [member, *places], [config.NOBODY])
