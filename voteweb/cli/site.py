"""What the commands share: the settings, the option ``--data``, and the way to the database."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

import click

from voteweb.core.config import Settings, from_env
from voteweb.core.errors import ConfigError, Unavailable
from voteweb.embedded.database import open_database
from voteweb.store import Store, open_store

P = ParamSpec("P")

#: Seconds a command of the operator waits for one answer: a page may not, but work on many articles takes its time.
ANSWER_TIMEOUT = 30.0
#: Set to anything, this variable lets an unforeseen failure show where it came from.
TRACEBACK_VARIABLE = "VOTEWEB_TRACEBACK"

data_option = click.option(
    "--data", metavar="DIR", help="Folder of the embedded database  [default: VOTEWEB_DATA_DIR or voteweb-data]"
)


@dataclass(frozen=True, slots=True)
class Site:
    """An open site."""

    settings: Settings
    store: Store


def load_settings(data: str | None, **typed: Any) -> Settings:
    """Return the settings of the environment under the options *typed*; None is an option that was left out."""
    settings = from_env()
    if data and settings.redis_url:
        raise click.UsageError("--data is for the embedded database, but VOTEWEB_REDIS_URL asks for another.")
    given = {name: value for name, value in (typed | {"data_dir": data}).items() if value is not None}
    return replace(settings, **given)


def with_site(*, new: bool = False) -> Callable[[Callable[Concatenate[Site, P], None]], Callable[..., None]]:
    """Give a command the option ``--data`` and an open site as its first argument.

    *new*: the command may be the first to be run on a site, so that there need not be any data.
    """

    def wrap(command: Callable[Concatenate[Site, P], None]) -> Callable[..., None]:
        @data_option
        @wraps(command)
        def run(data: str | None, *args: P.args, **kwargs: P.kwargs) -> None:
            settings = load_settings(data)
            # Looking into a folder by a wrong name must not answer "all is well: no articles".
            if not new and not settings.redis_url and not (Path(settings.data_dir) / "engine.json").exists():
                raise ConfigError("There is no database in %(folder)s.", folder=Path(settings.data_dir).resolve())
            with open_database(settings) as settings, open_checked_store(settings) as store:
                command(Site(settings, store), *args, **kwargs)

        return run

    return wrap


@contextmanager
def open_checked_store(settings: Settings, patience: float | None = None, *, whole: bool = True) -> Iterator[Store]:
    """Yield the store of a database that answers within *patience* seconds and is new enough; else raise ConfigError.

    The store waits PATIENCE seconds for each answer; left to itself, a server that is away is told at once.
    *whole*: raise ConfigError too where a restore did not finish.
    """
    store = open_store(replace(settings, redis_deadline=max(settings.redis_deadline, ANSWER_TIMEOUT)))
    try:
        store.server_info.wait_until_ready(settings.redis_deadline if patience is None else patience)
    except Unavailable as problem:
        raise ConfigError(
            "Cannot reach the database at %(url)s: %(why)s", url=mask_password(settings.redis_url), why=problem.__cause__
        ) from None
    try:
        store.health.refuse_old()
        if whole:
            store.health.refuse_unfinished()
        yield store
    finally:
        store.connection.close()


def pluralize(count: int, noun: str) -> str:
    """Return *count* and the *noun* in its right number."""
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}"


def mask_password(url: str) -> str:
    """Return the address of a database without its password."""
    url = re.sub(r"(?<=://)([^/@:]*):[^/@]*(?=@)", r"\1:***", url)
    return re.sub(r"([?&](?:sentinel_)?password=)[^&#]*", r"\1***", url)


def reachable_host(address: str) -> str:
    """Return an address at which whoever listens at *address* can be reached from this machine."""
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what others may have asked for
    return everywhere.get(address, address)


def site_origin(address: str, port: int) -> str:
    """Return the beginning of the web addresses of a site that listens at *address* and *port*."""
    place = reachable_host(address)
    return f"http://[{place}]:{port}" if ":" in place else f"http://{place}:{port}"
