"""The deletion of an account: immediate for the member, what it wrote in bounded steps that can be resumed."""

from collections.abc import Callable, Iterator
from functools import partial

from voteweb.core import config
from voteweb.core.comments import CommentId
from voteweb.core.errors import NoSuchMember, PasswordChanged
from voteweb.core.models import Role, User
from voteweb.core.names import name_key
from voteweb.store.accounts.mail import forget_mails
from voteweb.store.accounts.secret_feeds import SecretFeed, SecretFeeds
from voteweb.store.accounts.sessions import Sessions
from voteweb.store.accounts.users import new_session_id, read_member
from voteweb.store.connection.commit import Attempt
from voteweb.store.connection.pipeline import Command
from voteweb.store.moderation.removals import Removals
from voteweb.store.moderation.reports import Reports
from voteweb.store.scan.scanner import batched
from voteweb.store.schema.fields import MEMBER_FIELDS, End, ended_by
from voteweb.store.schema.keys import Keys, keys_owned_by
from voteweb.store.schema.values import article_of, invitation_digest, parse_comment
from voteweb.store.site.context import StorePart, act
from voteweb.store.site.leases import steps_of_each

#: It is that of no password, so that nobody logs in.
_NO_HASH = ""


class AccountDeletion(StorePart):
    """Deletes accounts of one site."""

    @act(when_full=True)
    def start(self, attempt: Attempt, member: User, *, delete_articles: bool) -> list[Command]:
        """Log *member* out for ever; :meth:`finish` removes what they leave behind.

        *delete_articles*: their articles and comments are deleted, else only the name is taken off.
        Raises NoSuchMember, LastAdmin, and PasswordChanged unless the password is still that of *member* as read.
        """
        keys, name = self._keys, member.name
        found, stored = read_member(attempt, name)
        if found is None:
            raise NoSuchMember(name=name)
        if found.left:
            return []
        if found.password != member.password:
            raise PasswordChanged()
        network = attempt.value("GET", keys.sign_up(name))
        changes: dict[str, str | None] = {
            "password": _NO_HASH, "session": new_session_id(), "role": Role.MEMBER,
            "leaving": "delete" if delete_articles else "keep", "left": attempt.now,
            **dict.fromkeys(ended_by(End.ACCOUNT, MEMBER_FIELDS)),
        }  # fmt: skip
        return [
            *stored.change(changes),
            ("SADD", keys.leaving(), name_key(name)),
            ("UNLINK", keys.sign_up(name), keys.open_votes(member.id), keys.sessions(name), keys.programs(name)),
            *([("ZREM", keys.network(network), name_key(name))] if network else []),
            *forget_mails(keys, name),
        ]

    def unfinished(self) -> list[str]:
        """Return the names, in lower case, of members who left and have left something behind."""
        return sorted(self._connection.command("SMEMBERS", self._keys.leaving()))

    def steps(self) -> Iterator[None]:
        """Finish all deletions that were begun, in bounded steps."""
        yield from steps_of_each(self.unfinished(), self._steps)

    def finish(self, name: str) -> None:
        """Delete or disown what a member who left wrote, and remove their reports, invitations and inbox.

        May be interrupted anywhere and called again. For anybody else it does nothing.
        """
        for _ in self._steps(name):
            pass

    def _steps(self, name: str) -> Iterator[None]:
        keys = self._keys
        if not self._connection.command("SISMEMBER", keys.leaving(), name_key(name)):
            return
        deletes = self._connection.command("HGET", keys.user(name), "leaving") == "delete"
        last = config.READ_BATCH_SIZE - 1
        for feed in SecretFeed:
            SecretFeeds(self._context).withdraw(feed, name)
        Sessions(self._context).forget_log_ins(name)
        # A moderator may restore a removed article into the ranking that was emptied first, hence the loop.
        while not self._end(name):
            for ranking in (keys.posted(name), keys.gone(name)):
                yield from self._each(("ZRANGE", ranking, 0, last), partial(self._release, name, deletes, ranking))
            written = keys.commented(name)
            yield from self._each(("LRANGE", written, 0, last), partial(self._release, name, deletes, written))
            yield from Reports(self._context).withdraw_all(name)
            yield from self._each(("ZRANGE", keys.invites(name), 0, last), partial(self._remove_invitation, name))
            self._connection.command("UNLINK", *keys_owned_by(keys, "user", name_key(name)))

    def _each(self, read: Command, act: Callable[[str], None]) -> Iterator[None]:
        """Do *act* with all that *read* replies, in bounded steps; it may be repeated."""
        for batch in batched(self._connection.command(*read)):
            for member in batch:
                act(member)
            yield

    @act(remembers=False)
    def _end(self, attempt: Attempt, name: str) -> list[Command]:
        """Return the write that ends a deletion, none while anything is left behind, perhaps again."""
        left = attempt.value("EXISTS", *keys_left_behind(self._keys, name))
        return [] if left else [("SREM", self._keys.leaving(), name_key(name))]

    def _release(self, name: str, deletes: bool, listed: str, member: str) -> None:
        """Delete one article or comment, or take the name off it, and take it out of the list *listed*."""
        id = article_of(member) or parse_comment(member)
        is_comments = listed == self._keys.commented(name)
        if id is None or isinstance(id, CommentId) != is_comments:  # another program's member
            self._connection.command(*(("LREM", listed, 1, member) if is_comments else ("ZREM", listed, member)))
        else:
            Removals(self._context).leave(id, name, deletes=deletes)

    def _remove_invitation(self, name: str, member: str) -> None:
        key = self._keys.invite(invitation_digest(member))
        self._connection.run([("UNLINK", key), ("ZREM", self._keys.invites(name), member)])


def keys_left_behind(keys: Keys, name: str) -> list[str]:
    """Return the keys with what a member has made that goes, or loses the member's name, when they leave."""
    in_steps = (keys.posted, keys.gone, keys.reported, keys.invites, keys.commented, keys.reported_comments)
    return [*(spell(name) for spell in in_steps), *keys_owned_by(keys, "user", name_key(name))]
