"""The sites that are measured: imported once by ``voteweb import``, kept for some days, and used on copies."""

import hashlib
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from bench import stories
from bench.constants import PASSWORD, ROOT, VOTERS
from bench.processes import embedded_database, environment
from bench.stories import SiteProfile
from voteweb.core import passwords
from voteweb.core.config import SCHEMA
from voteweb.core.models import Article, Order
from voteweb.core.settings import Settings
from voteweb.embedded.server import OPTIONS
from voteweb.store import Store, open_store
from voteweb.store.connection import scripts
from voteweb.store.migrations import Migrations

#: Seconds for which a site is used again: votes on its newest articles are accepted for a week.
MAX_AGE_SECONDS = 3 * 86_400
SETTINGS = Settings()


@dataclass(frozen=True, slots=True)
class Site:
    """A site whose ``folder`` can be copied, and what it has."""

    folder: Path
    profile: SiteProfile


@dataclass(frozen=True, slots=True)
class Run:
    """The options of a run: the length of a measurement in ``seconds``, the ``rounds`` of all contenders, the sites.

    The ratios are measured ``runs`` times, each time by servers that are started for it. ``generated`` are the
    generated sites, the smallest first; ``stories`` is the site of real stories, or the smallest generated one. The
    numbers of a smoke test (``is_smoke``) mean nothing.
    """

    folder: Path
    runs: int
    rounds: int
    seconds: float
    generated: tuple[Site, ...]
    stories: Site
    is_smoke: bool


def report_progress(message: str) -> None:
    """Print *message* to stderr."""
    click.echo(f"… {message}", err=True)


def prepare_site(source: int | Path, folder: Path) -> Site:
    """Return the site of *source*, a number of generated stories or a file of stories.

    It is kept in *folder* and created there when it is missing, outdated or too old.
    """
    if isinstance(source, int):
        name, groups = str(source), stories.LARGE_GROUPS
        profile = SiteProfile(source, groups[0], "+".join(groups), "poster1")
    else:
        name, profile = source.stem, stories.profile_file(source)
    home = folder / f"{name}-{_fingerprint(source)}"
    ready = home / "ready"
    if not ready.exists() or time.time() - ready.stat().st_mtime > MAX_AGE_SECONDS:
        report_progress(f"importing {name}")
        for old in folder.glob(f"{name}-*"):
            shutil.rmtree(old)
        _create_site(source, profile.articles, home)
        ready.touch()
    return Site(home / "data", profile)


def voter_names() -> list[str]:
    """Return the names of the members who vote."""
    return [f"voter{number}" for number in range(VOTERS)]


def _create_site(source: int | Path, articles: int, home: Path) -> None:
    with embedded_database(home / "data") as url:
        store = open_store_at(url)
        client = store.connection.client
        file, options = (home / "stories.csv", []) if isinstance(source, int) else (source, ["--shift-to-now"])
        if isinstance(source, int):
            stories.generate(file, source, time.time())
        arguments = [sys.executable, "-m", "voteweb.cli", "import", str(file.resolve()), *options]
        with (home / "import.log").open("w") as log:
            subprocess.run(arguments, cwd=ROOT, env=environment(url), stdout=log, stderr=log, check=True)
        if count_articles(store) != articles:
            raise RuntimeError(f"Not all stories of {file} are imported.")
        password = passwords.hash_password(PASSWORD)
        for name in voter_names():
            store.users.make(name, password)
        _wait_for_rewrite(client)  # the server may have begun one by itself, before the last writes
        client.bgrewriteaof()  # a compact file loads many times faster than the log of every write
        _wait_for_rewrite(client)
        client.close()


def _wait_for_rewrite(client: Any) -> None:
    while client.info("persistence")["aof_rewrite_in_progress"]:
        time.sleep(0.1)


def _fingerprint(source: int | Path) -> str:
    """Return a digest of all that determines the content of a site."""
    digest = hashlib.sha256(f"{source} {SCHEMA} {OPTIONS} {scripts.scripts()['import_article'].digest}".encode())
    digest.update(source.read_bytes() if isinstance(source, Path) else Path(stories.__file__).read_bytes())
    return digest.hexdigest()[:12]


def open_store_at(url: str) -> Store:
    """Return the store at *url*, which waits a minute for a slow command."""
    store = open_store(Settings(redis_url=url, redis_deadline=60.0))
    Migrations(store.context).state()  # an empty database gets the number of the layout
    return store


def count_articles(store: Store) -> int:
    """Return the number of the site's articles."""
    return store.read(store.listings.queue_total, store.rankings.site(Order.TIME))


def newest_ids(store: Store, count: int) -> list[int]:
    """Return the ids of the newest *count* articles, or of all, the oldest of them first."""
    first = max(count_articles(store) - count, 0)
    pipeline = store.pipeline()
    ids = store.listings.queue_ids(pipeline, store.rankings.site(Order.TIME), first, count)
    pipeline.execute()
    return list(ids.result)


def front_articles(store: Store) -> Sequence[Article]:
    """Return the articles on the front page."""
    return store.read(store.listings.queue_page, store.rankings.site(Order.SCORE), 1).rows


def open_front_ids(store: Store) -> list[int]:
    """Return the ids of those on the front page whose voting is open for another day or longer, in ascending order."""
    since = time.time() - SETTINGS.voting_seconds + 86_400
    return sorted(article.id for article in front_articles(store) if article.time > since)
