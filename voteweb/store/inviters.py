"""Who invited whom: of the members who joined last."""

from voteweb.core import config
from voteweb.core.models import Branch
from voteweb.core.names import name_key
from voteweb.store.connection.connection import Connection
from voteweb.store.users import Users


class Inviters:
    """The invitations of one site as a tree."""

    def __init__(self, connection: Connection, users: Users) -> None:
        self._keys = connection.keys
        self._connection = connection
        self._users = users

    def tree(self) -> tuple[Branch, ...]:
        """Return the MAX_TREE_MEMBERS newest members whom somebody invited, each below their inviter, with these.

        An inviter who joined earlier than those stands on top. Takes two round trips.
        """
        names = self._connection.command("ZREVRANGE", self._keys.users(), 0, config.MAX_TREE_MEMBERS - 1)
        pipeline = self._connection.pipeline()
        read = [self._users.queue_get(pipeline, name) for name in names]
        pipeline.execute()
        members = {name_key(user.result.name): user.result for user in read if user.result}
        invited: dict[str, list[str]] = {}
        for key, user in members.items():
            if user.invited_by and name_key(user.invited_by) != key:
                invited.setdefault(name_key(user.invited_by), []).append(key)
        tops = [key for key in invited if key not in members or not members[key].invited_by]
        rows: list[Branch] = []
        open_rows = [(key, 0) for key in sorted(tops, reverse=True)]
        while open_rows:  # each member is below one inviter, so that none comes twice
            key, level = open_rows.pop()
            member = members.get(key)
            rows.append(Branch(member.name if member else key, level, len(invited.get(key, ())), member))
            open_rows += [(below, level + 1) for below in sorted(invited.get(key, ()), reverse=True)]
        return tuple(rows)
