"""The context of a site's parts: where its data are, how it is set up, and what acts of all kinds share."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import signature
from typing import Concatenate, ParamSpec, TypeVar

from voteweb.core.errors import DataLost
from voteweb.core.models import Article, Role
from voteweb.core.settings import Settings
from voteweb.core.settings_in_force import SINCE, SITE_ID
from voteweb.core.site_switches import SiteSwitches, Switch, SwitchName
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.site.moderation_log import ModerationLog
from voteweb.store.site.rate_limits import RateLimits


class Context:
    """The connection of one site, its settings, its log of moderation and its rate limits.

    ``settings`` are those in force, ``unswitched`` the same without switches. They change while the site runs. So does
    ``front``, the first articles of the front page: it is read with the switches, and the same object until it changes.
    ``texts`` are those that admins wrote for the site's own pages, ``shown`` the switches with which they were read.
    """

    def __init__(self, connection: Connection, settings: Settings) -> None:
        self.connection = connection
        self.front: tuple[Article, ...] = ()
        self.texts: Mapping[SwitchName, str] = {}
        self.shown: Mapping[SwitchName, Switch] = {}
        self.put_in_force(settings)
        self.keys = connection.keys
        self.log = ModerationLog(connection)
        self.limits = RateLimits(connection, lambda: self.settings)
        #: The id of the site whose data this process knows, "" for a site without one, None before it knows any.
        self.site_id: str | None = None

    def put_in_force(self, settings: Settings, switches: SiteSwitches | None = None) -> None:
        """Put *settings* in force as *switches* override them."""
        self.unswitched, self.settings = settings, switches.settings(settings) if switches else settings

    def queries(self) -> list[Command]:
        """Return the reads by which :meth:`refuse_lost` tells whether the site has its data."""
        return [("HGETALL", self.keys.site()), ("EXISTS", self.keys.restoring())]

    def refuse_lost(self, stored: Mapping[str, str], is_restoring: int) -> None:
        """Raise DataLost if a backup is being restored, or if the data that were known are gone or another site's."""
        known, id = self.site_id, stored.get(SITE_ID)
        if is_restoring or (known is not None and not stored) or (known and id and id != known):
            raise DataLost
        if SINCE in stored:
            self.site_id = known or id or ""


class StorePart:
    """A part of the store: the acts on one noun, and its reads."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._connection = context.connection
        self._keys = context.keys

    @property
    def _settings(self) -> Settings:
        """The settings in force as this process has read them last."""
        return self._context.settings


Part = TypeVar("Part", bound=StorePart)
P = ParamSpec("P")


def act(
    role: Role = Role.MODERATOR, *, when_full: bool = False, remembers: bool = True
) -> Callable[
    [Callable[Concatenate[Part, Attempt, P], Sequence[Command] | None]], Callable[Concatenate[Part, P], bool]
]:
    """Make an act of a method that returns the writes of an attempt: the act commits these, see :func:`commit`.

    Its caller leaves the attempt out, and is told whether there were any. The arguments ``actor`` and ``entry``, if
    the method has them, are those of the commit. *role* is the least that the actor needs.
    """

    def decorate(decide: Callable[Concatenate[Part, Attempt, P], Sequence[Command] | None]) -> Callable[..., bool]:
        parameters = signature(decide)

        @wraps(decide)
        def do(part: Part, /, *args: P.args, **kwargs: P.kwargs) -> bool:
            said = parameters.bind(part, None, *args, **kwargs).arguments
            return commit(
                part._connection,
                lambda attempt: decide(part, attempt, *args, **kwargs),
                actor=said.get("actor"),
                role=role,
                entry=said.get("entry"),
                when_full=when_full,
                remembers=remembers,
            )

        return do

    return decorate
