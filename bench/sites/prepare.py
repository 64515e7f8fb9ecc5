"""The sites that are measured: imported once by ``voteweb import``, kept for some days, and used on copies."""

import hashlib
import json
import shutil
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.constants import PASSWORD, VOTERS
from bench.processes import embedded_database
from bench.sites import import_run, stories
from bench.sites.import_run import ImportResult, run_import
from bench.sites.queries import open_store_at
from bench.sites.stories import SiteProfile
from voteweb.core import passwords
from voteweb.embedded.server import OPTIONS
from voteweb.store import Store
from voteweb.store.accounts import users
from voteweb.store.connection import scripts
from voteweb.store.schema import keys

#: Seconds for which a site is used again: votes on its newest articles are accepted for a week.
MAX_AGE_SECONDS = 3 * 86_400


@dataclass(frozen=True, slots=True)
class Site:
    """A site whose ``folder`` can be copied; ``import_result`` is the measurement of its import."""

    name: str
    folder: Path
    profile: SiteProfile
    import_result: ImportResult


def prepare_site(source: int | Path, folder: Path, engine: str) -> Site:
    """Return the site of *source*, a number of generated stories or a file of stories.

    It is kept in *folder* and created there when it is missing, outdated or too old.
    """
    name = str(source) if isinstance(source, int) else source.stem
    home = folder / name
    file = home / "site.json"
    fingerprint = _fingerprint(source, engine)
    metadata = json.loads(file.read_text()) if file.exists() else {}
    if metadata.get("fingerprint") != fingerprint or time.time() - metadata["made"] > MAX_AGE_SECONDS:
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        profile, result = _create_site(source, home, engine)
        metadata = {
            "fingerprint": fingerprint,
            "made": time.time(),
            "profile": asdict(profile),
            "import": asdict(result),
        }
        file.write_text(json.dumps(metadata, indent=1))
    return Site(name, home / "data", SiteProfile(**metadata["profile"]), ImportResult(**metadata["import"]))


def engine_version(site: Site) -> str:
    """Return the name and the version of the database engine that wrote *site*."""
    record = json.loads((site.folder / "engine.json").read_text())
    return f"{record['engine']} {record['version']}"


def voter_names() -> list[str]:
    """Return the names of the members who vote."""
    return [f"voter{number}" for number in range(VOTERS)]


def _create_site(source: int | Path, home: Path, engine: str) -> tuple[SiteProfile, ImportResult]:
    with embedded_database(home / "data", engine) as url:
        store = open_store_at(url)
        if isinstance(source, int):
            file, options = home / "stories.csv", []
            profile = stories.generate(file, source, time.time())
        else:
            file, options = source, ["--shift-to-now"]
            profile = stories.profile_file(file)
        result = run_import(store, url, file, options, profile.articles, home)
        if isinstance(source, int):
            file.unlink()
        create_voters(store)
        client = store.connection.client
        _wait_for_rewrite(client)  # the server may have begun one by itself, before the last writes
        client.bgrewriteaof()  # a compact file loads many times faster than the log of every write
        _wait_for_rewrite(client)
        client.close()
    return profile, result


def _wait_for_rewrite(client: Any) -> None:
    while client.info("persistence")["aof_rewrite_in_progress"]:
        time.sleep(0.1)


def create_voters(store: Store) -> None:
    """Create the members who vote."""
    password = passwords.hash_password(PASSWORD)
    for name in voter_names():
        store.users.make(name, password)


def _fingerprint(source: int | Path, engine: str) -> str:
    """Return a digest of all that determines the content of a site."""
    digest = hashlib.sha256(json.dumps([str(source), engine, OPTIONS]).encode())
    for module in (stories, import_run, keys, users):
        digest.update(Path(module.__file__ or "").read_bytes())
    digest.update(scripts.scripts()["import_article"].digest.encode())
    if isinstance(source, Path):
        digest.update(source.read_bytes())
    return digest.hexdigest()
