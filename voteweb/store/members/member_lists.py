"""Lists of members: the newest, those whose name begins with something, those who are banned, and the moderators."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from voteweb.core import config
from voteweb.core.models import LogAction, Page, Role, User
from voteweb.core.names import name_key
from voteweb.store.accounts.users import Users
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema.keys import PATTERN_CHARACTERS
from voteweb.store.site.context import Context, StorePart
from voteweb.store.site.rows import members_of, queue_page


@dataclass(frozen=True, slots=True)
class ListedMember:
    """A member with the numbers of their listed articles and of their comments."""

    user: User
    articles: int
    comments: int


class MemberLists(StorePart):
    """The lists of the members of one site."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._users = Users(context)
        self._log = context.log

    def queue_newest(self, pipeline: Pipeline, number: int) -> Future[Page[str]]:
        """Queue a read of page *number* (from 1) of the names, in lower case, of those who have not left."""
        size = config.MEMBER_PAGE_SIZE
        return queue_page(pipeline, number, size, members_of(self._keys.users(), size))

    def queue_banned(self, pipeline: Pipeline, number: int) -> Future[Page[str]]:
        """Queue a read of whom page *number* of the bans in the log names: the latest first, each once.

        Some may have been let in again since: the page tells acts, of which the members say whether they hold.
        """
        entries = self._log.queue_page(pipeline, number, kind=LogAction.BAN)

        def parse(_replies: list[Any]) -> Page[str]:
            page = entries.result
            names = tuple(dict.fromkeys(name_key(entry.about) for entry in page.rows if entry.about))
            return Page.at(number, config.LOG_PAGE_SIZE, names, page.total)

        return pipeline.queue([], parse)

    def search(self, beginning: str) -> tuple[tuple[str, ...], bool]:
        """Return the names, in lower case, that start with *beginning*, and whether all members were looked through.

        Looks through MEMBER_SCAN_STEPS × READ_BATCH_SIZE members in as many round trips, and needs no index.
        """
        pattern = "".join(f"\\{c}" if c in PATTERN_CHARACTERS else c for c in name_key(beginning)) + "*"
        found: set[str] = set()
        cursor = 0
        for _ in range(config.MEMBER_SCAN_STEPS):
            cursor, pairs = self._connection.command(
                "ZSCAN", self._keys.users(), cursor, "MATCH", pattern, "COUNT", config.READ_BATCH_SIZE
            )
            found |= {pair[0] if isinstance(pair, tuple | list) else pair for pair in pairs}
            if int(cursor) == 0 or len(found) >= config.MEMBER_PAGE_SIZE:
                break
        return tuple(sorted(found)[: config.MEMBER_PAGE_SIZE]), int(cursor) == 0

    def queue_members(self, pipeline: Pipeline, names: Sequence[str]) -> Future[tuple[ListedMember, ...]]:
        """Queue a read of the members *names*; leaves out those who do not exist or have left."""
        users = [self._users.queue_get(pipeline, name) for name in names]
        commands: list[Command] = []
        for name in names:
            commands += [("ZCARD", self._keys.posted(name)), ("LLEN", self._keys.commented(name))]

        def parse(counts: list[Any]) -> tuple[ListedMember, ...]:
            rows = zip([user.result for user in users], counts[::2], counts[1::2], strict=True)
            return tuple(ListedMember(user, *numbers) for user, *numbers in rows if user and not user.left)

        return pipeline.queue(commands, parse)

    def moderators(self) -> tuple[User, ...]:
        """Return the moderators and admins who may act, admins first, each of them by name.

        Reads whom the log has given a role, up to MAX_ROLE_PAGES pages of it, and the admins.
        """
        admins = self._connection.command("SMEMBERS", self._keys.admins())
        names = dict.fromkeys([*sorted(admins), *(name_key(name) for name in self._log.names_with_roles())])
        pipeline = self._connection.pipeline()
        users = [self._users.queue_get(pipeline, name) for name in names if name]
        pipeline.execute()
        acting = [user.result for user in users if user.result and user.result.role is not Role.MEMBER]
        acting = [user for user in acting if not user.banned and not user.left]
        return tuple(sorted(acting, key=lambda user: (user.role is not Role.ADMIN, name_key(user.name))))
