"""Choices of what to read: groups that members follow, what they hide, and articles they save for later."""

from typing import Any, NamedTuple

from voteweb.core import config
from voteweb.core.errors import (
    NoSuchArticle,
    NoSuchGroup,
    NothingToHide,
    TooMuchFollowed,
    TooMuchHidden,
    TooMuchSaved,
)
from voteweb.core.models import Role, User
from voteweb.core.my_site import Hidden, HiddenKind, MySite
from voteweb.store.actors import actor_arguments
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.hints import HintCache
from voteweb.store.keys import article_member
from voteweb.store.moderation_log import not_logged
from voteweb.store.nouns import NOUNS

#: What a process knows of a member: the fields ``my`` and ``front``, and what the member follows and hides.
Known = tuple[str, str, MySite]


class _Thing(NamedTuple):
    """The thing that an entry stands for: a key that exists if it does, or a set that holds its name."""

    key: str
    type: str
    name: str = ""


class MySites:
    """The choices of one site's members.

    Each change stores a new value in the field ``my`` of the member, which every page for the member reads: what this
    process has read under that value is still true, so that only a changed choice is read again.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._known: HintCache[int, Known | None] = HintCache(config.MY_SITE_CACHE_SIZE)

    def follow(self, group: str, member: User) -> None:
        """Make *member* follow a group; raise NoSuchGroup, TooMuchFollowed, LoggedOut, Held."""
        status = self._change(self._keys.follows(member.name), "add", group, self._group(group), member)
        if status == "unknown":
            raise NoSuchGroup(names=group)
        if status == "full":
            raise TooMuchFollowed(max=config.MAX_FOLLOWED_GROUPS)

    def unfollow(self, group: str, member: User) -> None:
        """Make *member* no longer follow a group, which may be gone; raise LoggedOut, Held."""
        self._change(self._keys.follows(member.name), "remove", group, self._group(group), member)

    def hide(self, hidden: Hidden, member: User) -> None:
        """Hide something from the lists of *member*; raise NothingToHide, TooMuchHidden, LoggedOut, Held.

        When the member hides as much as possible, the article that was hidden first is shown again.
        """
        stands_for = self._stands_for(hidden)
        status = self._change(self._keys.hides(member.name), "add", hidden.entry, stands_for, member)
        if status == "unknown":
            raise NothingToHide()
        if status == "full":
            raise TooMuchHidden(max=config.MAX_HIDDEN)

    def show(self, hidden: Hidden, member: User) -> None:
        """Show *member* something again; raise LoggedOut, Held."""
        self._change(self._keys.hides(member.name), "remove", hidden.entry, self._stands_for(hidden), member)

    def save(self, article: int, member: User) -> None:
        """Save an article for *member* to read later; raise NoSuchArticle, TooMuchSaved, LoggedOut, Held."""
        stands_for = _Thing(self._keys.article(article), "hash")
        status = self._change(self._keys.saved(member.name), "add", article_member(article), stands_for, member)
        if status == "unknown":
            raise NoSuchArticle()
        if status == "full":
            raise TooMuchSaved(max=config.MAX_SAVED)

    def unsave(self, article: int, member: User) -> None:
        """Take an article, which may be gone, out of those that *member* saved; raise LoggedOut, Held."""
        stands_for = _Thing(self._keys.article(article), "hash")
        self._change(self._keys.saved(member.name), "remove", article_member(article), stands_for, member)

    def _group(self, name: str) -> _Thing:
        return _Thing(self._keys.groups(), "set", name)

    def _stands_for(self, hidden: Hidden) -> _Thing:
        keys = self._keys
        match hidden.kind:
            case HiddenKind.ARTICLE:
                return _Thing(keys.article(hidden.name), "hash")
            case HiddenKind.GROUP:
                return self._group(hidden.name)
            case HiddenKind.DOMAIN:
                return _Thing(keys.domain(hidden.name), "zset")
            case HiddenKind.MEMBER:
                return _Thing(keys.user(hidden.name), "hash")

    def _change(self, key: str, action: str, entry: str, stands_for: _Thing, member: User) -> str:
        """Run the script on one of the member's lists and return its answer."""
        noun, _ = self._keys.split(key)
        act, checked = not_logged(self._keys), actor_arguments(self._keys, member, Role.MEMBER)
        replaceable = HiddenKind.ARTICLE if noun == "hides" else ""
        return self._connection.script(
            "change_own_list",
            [key, self._keys.user(member.name), stands_for.key, *act.keys, *checked.keys],
            [
                *act.arguments,
                action,
                entry,
                NOUNS[noun].most,
                stands_for.type,
                stands_for.name,
                replaceable,
                *checked.arguments,
            ],
        ).status

    def known(self, member_id: int) -> Known | None:
        """Return the fields ``my`` and ``front`` of a member when this process last read them, with what it read."""
        return self._known.get(member_id, None)

    def remember(self, member: User, choice: MySite) -> None:
        """Keep the *choice* of *member*, which was read after the member."""
        self._known.put(member.id, (member.my, member.front, choice))

    def of(self, member: User) -> MySite | None:
        """Return the choice of *member* if this process knows it, else None."""
        if not member.my:
            return MySite()
        known = self._known.get(member.id, None)
        return known[2] if known is not None and known[0] == member.my else None

    def queue_choice(self, pipeline: Pipeline, name: str) -> Future[MySite]:
        """Queue a read of what a member follows and hides."""

        def parse(replies: list[Any]) -> MySite:
            follows, hides = replies
            return MySite(tuple(sorted(follows)), frozenset(hides))

        return pipeline.queue(
            [
                ("ZRANGE", self._keys.follows(name), 0, config.MAX_FOLLOWED_GROUPS - 1),
                ("ZRANGE", self._keys.hides(name), 0, config.MAX_HIDDEN - 1),
            ],
            parse,
        )

    def choice(self, name: str) -> MySite:
        """Return what a member follows and hides."""
        pipeline = self._connection.pipeline()
        read = self.queue_choice(pipeline, name)
        pipeline.execute()
        return read.result
