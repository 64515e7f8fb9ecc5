"""Shared parts of the commands: the settings, the option ``--data``, and opening the site's database."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial, wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

import click

from voteweb.cli.environment import DEFAULT_SITE, become_owner, load_site
from voteweb.core.config import COMMAND_LINE, SITE_ID_VARIABLE
from voteweb.core.errors import ConfigError, DataLost, Unavailable
from voteweb.core.models import LogEntry
from voteweb.core.settings import Settings, env_name, from_env
from voteweb.core.settings_in_force import mask_password, not_in_force
from voteweb.embedded.database import open_database
from voteweb.embedded.folder import id_file, read_site_id
from voteweb.embedded.server import CONVERT_LOCK, is_held
from voteweb.store import Store, open_store
from voteweb.store.migrations import Migrations

P = ParamSpec("P")

#: Seconds that a command waits for an answer of Redis: longer than a page, because some commands read many articles.
ANSWER_TIMEOUT = 30.0
#: The function that makes an entry of the moderation log for an act of the command line.
log_entry = partial(LogEntry, who=COMMAND_LINE)

data_option = click.option(
    "--data", metavar="DIR", help="Folder of the embedded database  [default: VOTEWEB_DATA_DIR or voteweb-data]"
)


@dataclass(frozen=True, slots=True)
class Site:
    """An open site; ``environment`` has the settings that were set there."""

    store: Store
    environment: Settings

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.store.context.settings


def load_settings(data: str | None, **options: Any) -> Settings:
    """Return the settings of the site, overridden by *options*; an option of None was left out.

    They are in the environment or in the site's file (``cli/environment.py``). Where root runs this, the process goes
    on as the owner of the site's files. Raises ConfigError.
    """
    site = click.get_current_context().find_root().params.get("site")
    load_site(site, search=data is None)
    settings = from_env()
    if data and settings.redis_url:
        raise click.UsageError("--data is for the embedded database, but VOTEWEB_REDIS_URL is set.")
    overrides = {name: value for name, value in (options | {"data_dir": data}).items() if value is not None}
    settings = replace(settings, **overrides)
    if os.geteuid() == 0 and Path(settings.data_dir).is_dir():
        become_owner(Path(settings.data_dir))
    return settings


def require_database(settings: Settings) -> None:
    """Raise ConfigError if the settings name an embedded database that nobody has made.

    Only "voteweb init" and "voteweb run" make one, and "voteweb restore" in a named place: for all others, a place
    without a database is a mistyped one.
    """
    folder = Path(settings.data_dir).resolve()
    if settings.redis_url or os.path.exists(folder / "engine.json"):
        return
    message = (
        'There is no database in %(folder)s. Name the folder of your site ("voteweb --site DIR …"), or make a site '
        '("voteweb init DIR").'
    )
    if DEFAULT_SITE.is_dir() and not os.access(DEFAULT_SITE, os.X_OK):
        message = "There is no database in %(folder)s. For the site in %(default)s, run the command as root."
    raise ConfigError(message, folder=folder, default=DEFAULT_SITE)


def with_site(
    timeout: float | None = None, *, any_schema: bool = False
) -> Callable[[Callable[Concatenate[Site, P], None]], Callable[..., None]]:
    """Give a command the option ``--data`` and an open site as its first argument.

    Its database is opened by :func:`open_checked_store`, with these arguments.
    """

    def wrap(command: Callable[Concatenate[Site, P], None]) -> Callable[..., None]:
        @data_option
        @wraps(command)
        def run(data: str | None, *args: P.args, **kwargs: P.kwargs) -> None:
            settings = load_settings(data)
            require_database(settings)
            with open_checked_store(settings, timeout, any_schema=any_schema) as store:
                command(Site(store, settings), *args, **kwargs)

        return run

    return wrap


@contextmanager
def open_checked_store(
    settings: Settings,
    timeout: float | None = None,
    *,
    place: Settings | None = None,
    allow_unfinished: bool = False,
    any_schema: bool = False,
    any_site: bool = False,
    writes: bool = False,
) -> Iterator[Store]:
    """Yield the store of a site, whose commands wait ANSWER_TIMEOUT seconds for an answer.

    The embedded database runs meanwhile; *place* are the settings before it was opened. With *writes*, new data take
    the settings of the environment. Raises ConfigError if the database does not answer within *timeout* seconds, by
    default the setting's deadline, if it is too old, if a restore into it did not finish, unless *allow_unfinished*, if
    it lacks the data of the known site, unless *any_site*, or if these have another layout, unless *any_schema*.
    """
    place, is_embedded = place or settings, not settings.redis_url
    with open_database(settings) as settings:
        _wait_until_ready(settings, settings.redis_deadline if timeout is None else timeout)
        store = open_store(replace(settings, redis_deadline=max(settings.redis_deadline, ANSWER_TIMEOUT)))
        with closing(store.connection):
            store.health.refuse_old()
            store.health.refuse_unusable(allow_unfinished=allow_unfinished)
            store.context.site_id = os.environ.get(SITE_ID_VARIABLE) or read_site_id(place) or None
            if not any_site:
                _refuse_lost(store, place)
            if not any_schema:
                is_busy = is_embedded and is_held(Path(settings.data_dir) / CONVERT_LOCK)
                Migrations(store.context).refuse_other(writes=writes, is_converting=is_busy)
                store.site_settings.take_settings(writes=writes)
            yield store


def _refuse_lost(store: Store, settings: Settings) -> None:
    """Raise ConfigError if the database is empty, or another site's, under a known site."""
    try:
        store.site_settings.read_switches(deadline=None)
    except DataLost:
        raise ConfigError(
            "The database lacks the data of this site (%(file)s has its id): it was emptied, or is another site's. "
            "Restore a backup into an empty one with `voteweb restore FILE`, or go on with this one as it is with "
            "`voteweb run --new`.",
            file=id_file(settings).absolute(),
        ) from None


def _wait_until_ready(settings: Settings, timeout: float) -> None:
    """Return when the database answers; raise ConfigError if it does not within *timeout* seconds.

    One attempt takes as long as a page waits, so that a server that accepts connections and is silent is noticed.
    """
    store = open_store(settings)
    with closing(store.connection):
        try:
            store.health.wait_until_ready(timeout)
        except Unavailable as error:
            raise ConfigError(
                "Cannot reach the database at %(url)s: %(reason)s.",
                url=mask_password(settings.redis_url),
                reason=str(error.__cause__).rstrip("."),
            ) from None


def lines_not_in_force(environment: Settings, stored: Settings) -> Iterator[str]:
    """Yield a line about each setting of which the data have another value than the *environment* says."""
    for name, value in not_in_force(environment, stored).items():
        if os.environ.get(env_name(name)):
            yield (
                f"{env_name(name)}={value} is not in force: the data have {getattr(stored, name)}. To change that, run "
                "`voteweb rescore --to-environment`."
            )


def pluralize(count: int, noun: str) -> str:
    """Return *count* and *noun*, in the plural unless it is one."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeou" else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def reachable_host(address: str) -> str:
    """Return an address at which a server that listens at *address* can be reached from this machine."""
    any_address = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - the operator may have chosen them
    return any_address.get(address, address)


def reachable_place(address: str, port: int) -> str:
    """Return the host and port, as in a URL, at which this machine reaches a site that listens at *address*."""
    host = reachable_host(address)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
