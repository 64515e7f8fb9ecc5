"""Choices of what to read: groups that members follow, what they hide, and articles they save for later."""

from collections.abc import Sequence
from typing import Any

from voteweb.core import config, errors
from voteweb.core.caches import BoundedCache
from voteweb.core.models import Article, Page, Role, User
from voteweb.core.my_site import NOTHING_CHOSEN, Hidden, HiddenKind, MySite, parse_hidden
from voteweb.store.connection.commit import Attempt
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema import decoding
from voteweb.store.schema.keys import NOUNS
from voteweb.store.schema.values import article_member
from voteweb.store.site.context import Context, StorePart, act
from voteweb.store.site.rows import members_of, queue_by_id, queue_page, rows_of

#: What a process knows of a member: the fields ``my`` and ``front``, and what the member follows and hides.
Known = tuple[str, str, MySite]


class MySites(StorePart):
    """The choices of one site's members.

    Each change stores a new value in the field ``my`` of the member, which every page for the member reads: what this
    process has read under that value is still true, so that only a changed choice is read again.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        #: Choices of members, until the field ``my`` changes: they are read and parsed only then.
        self._known: BoundedCache[int, Known] = BoundedCache(config.MY_SITE_CACHE_SIZE)

    def follow(self, group: str, member: User) -> None:
        """Make *member* follow a group; raise NoSuchGroup, TooMuchFollowed, LoggedOut, Held."""
        thing, full = Hidden(HiddenKind.GROUP, group), errors.TooMuchFollowed(max=config.MAX_FOLLOWED_GROUPS)
        self._add(self._keys.follows(member.name), group, member, thing, errors.NoSuchGroup(names=group), full)

    def unfollow(self, group: str, member: User) -> None:
        """Make *member* no longer follow a group, which may be gone; raise LoggedOut, Held."""
        self._remove(self._keys.follows(member.name), group, member)

    def hide(self, hidden: Hidden, member: User) -> None:
        """Hide something from the lists of *member*; raise NothingToHide, TooMuchHidden, LoggedOut, Held.

        When the member hides as much as possible, the article that was hidden first is shown again.
        """
        key, full = self._keys.hides(member.name), errors.TooMuchHidden(max=config.MAX_HIDDEN)
        self._add(key, hidden.entry, member, hidden, errors.NothingToHide(), full)

    def show(self, hidden: Hidden, member: User) -> None:
        """Show *member* something again; raise LoggedOut, Held."""
        self._remove(self._keys.hides(member.name), hidden.entry, member)

    def save(self, article: int, member: User) -> None:
        """Save an article for *member* to read later; raise NoSuchArticle, TooMuchSaved, LoggedOut, Held."""
        thing, full = Hidden(HiddenKind.ARTICLE, str(article)), errors.TooMuchSaved(max=config.MAX_SAVED)
        self._add(self._keys.saved(member.name), article_member(article), member, thing, errors.NoSuchArticle(), full)

    def unsave(self, article: int, member: User) -> None:
        """Take an article, which may be gone, out of those that *member* saved; raise LoggedOut, Held."""
        self._remove(self._keys.saved(member.name), article_member(article), member)

    @act(when_full=True)
    def leave_alias(self, attempt: Attempt, alias: str, name: str) -> list[Command]:
        """Put the group that *alias* stands for in its place among what the member *name* follows and hides.

        Who follows the group hides it only if they have hidden it themselves.
        """
        keys, follows, hides = self._keys, self._keys.follows(name), self._keys.hides(name)
        group = attempt.value("HGET", keys.group_aliases(), alias)
        if group is None:
            return []
        old, new = (Hidden(HiddenKind.GROUP, group_name).entry for group_name in (alias, group))
        (followed, follows_group), (hidden, hides_group) = attempt.read(
            ("ZMSCORE", follows, alias, group), ("ZMSCORE", hides, old, new)
        )
        writes: list[Command] = []
        if followed is not None:
            writes += [("ZREM", follows, alias), ("ZADD", follows, "NX", repr(followed), group)]
        if hidden is not None:
            writes.append(("ZREM", hides, old))
        if hidden is not None and followed is None and follows_group is None and hides_group is None:
            writes.append(("ZADD", hides, repr(hidden), new))
        return [*writes, ("HSET", keys.user(name), "my", attempt.now)] if writes else []

    def _finds(self, thing: Hidden) -> Command:
        """Return the command whose reply is 0 or nothing unless *thing* exists; an article must be listed."""
        keys = self._keys
        match thing.kind:
            case HiddenKind.ARTICLE:  # the list would tell the title and link of one that is gone
                return ("ZSCORE", keys.by_time(), article_member(thing.name))
            case HiddenKind.GROUP:
                return ("SISMEMBER", keys.groups(), thing.name)
            case HiddenKind.DOMAIN:
                return ("ZCARD", keys.domain(thing.name))
            case HiddenKind.MEMBER:
                return ("HEXISTS", keys.user(thing.name), "id")

    @act(Role.MEMBER)
    def _add(
        self,
        attempt: Attempt,
        key: str,
        item: str,
        actor: User,
        thing: Hidden,
        absent: errors.VotewebError,
        full: errors.VotewebError,
    ) -> list[Command] | None:
        """Put the *item* of *thing* into one of the actor's lists; raise *absent* or *full*."""
        noun, _ = self._keys.split(key)
        last = NOUNS[noun].most - 1
        time, exists, at_bound = attempt.read(("ZSCORE", key, item), self._finds(thing), ("ZRANGE", key, last, last))
        if time is not None:
            return None
        if not exists:
            raise absent
        added = self._changed(attempt, actor, ("ZADD", key, attempt.now, item))
        if not at_bound:
            return added
        (entries,) = attempt.read(("ZRANGE", key, 0, -1)) if noun == "hides" else ((),)
        oldest = next((hidden for hidden in entries if hidden.startswith(HiddenKind.ARTICLE)), None)
        if oldest is None:
            raise full
        return [*added, ("ZREM", key, oldest)]

    @act(Role.MEMBER, when_full=True)
    def _remove(self, attempt: Attempt, key: str, item: str, actor: User) -> list[Command] | None:
        time = attempt.value("ZSCORE", key, item)
        return None if time is None else self._changed(attempt, actor, ("ZREM", key, item))

    def _changed(self, attempt: Attempt, member: User, change: Command) -> list[Command]:
        return [change, ("HSET", self._keys.user(member.name), "my", attempt.now)]

    def known(self, member_id: int) -> Known | None:
        """Return the fields ``my`` and ``front`` of a member when this process last read them, with what it read."""
        return self._known.get(member_id)

    def remember(self, member: User, choice: MySite) -> None:
        """Keep the *choice* of *member*, which was read after the member."""
        self._known.put(member.id, (member.my, member.front, choice))

    def of(self, member: User) -> MySite | None:
        """Return what *member* follows, hides and saves if this process keeps it, else None."""
        if not member.my:
            return NOTHING_CHOSEN
        known = self._known.get(member.id)
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

    def queue_hidden(self, pipeline: Pipeline, name: str, number: int, size: int | None = None) -> Future[Page[Hidden]]:
        """Queue a read of page *number* (from 1) of what a member hides, the last first."""
        return queue_page(
            pipeline,
            number,
            size or self._settings.page_size,
            members_of(self._keys.hides(name), "WITHSCORES"),
            lambda rows: [parse_hidden(entry, float(time)) for entry, time in rows],
        )

    def queue_saved(
        self,
        pipeline: Pipeline,
        name: str,
        number: int,
        size: int | None = None,
        *,
        with_text: bool = False,
        newest: str = "",
    ) -> Future[Page[Article]]:
        """Queue a read of page *number* (from 1) of the articles that a member saved, the last first.

        Those that were removed or deleted since are among them. *with_text*: whole articles. With *newest*, of those
        that were saved at that unix time at the latest.
        """
        fields = decoding.WHOLE if with_text else decoding.FIELDS
        read_from = rows_of(self._keys, self._keys.saved(name), fields, newest)
        return queue_page(pipeline, number, size or self._settings.page_size, read_from, decoding.rows_in_any_state)

    def queue_own_saves(self, pipeline: Pipeline, ids: Sequence[int], name: str) -> Future[dict[int, float]]:
        """Queue a read of which of the articles *ids* a member has saved, and when."""
        return queue_by_id(pipeline, ids, ("ZMSCORE", self._keys.saved(name), *map(article_member, ids)))
