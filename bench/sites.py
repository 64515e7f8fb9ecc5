"""The sites that are measured: laid in once by ``voteweb import``, kept, and used on copies from then on."""

import hashlib
import json
import shutil
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from bench import importing, stories
from bench.importing import Import, measured
from bench.looks import opened
from bench.processes import embedded
from bench.settings import PASSWORD, VOTERS
from bench.stories import Survey
from voteweb.core import passwords
from voteweb.embedded.server import OPTIONS
from voteweb.store import Store, keys
from voteweb.store.connection import scripts

#: Seconds for which a kept site is used again: votes on its newest articles are taken for a week.
KEPT = 3 * 86_400


@dataclass(frozen=True, slots=True)
class Site:
    """A site that is ready to be copied; ``laid_in`` says how its import went."""

    name: str
    folder: Path
    survey: Survey
    laid_in: Import


def prepared(source: int | Path, folder: Path, engine: str) -> Site:
    """Return the site of so many generated stories, or of those in a file, from *folder* or made just now."""
    name = str(source) if isinstance(source, int) else source.stem
    home = folder / name
    note = home / "site.json"
    print_ = _fingerprint(source, engine)
    with_note = json.loads(note.read_text()) if note.exists() else {}
    if with_note.get("fingerprint") != print_ or time.time() - with_note["made"] > KEPT:
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        survey, laid_in = _lay_in(source, home, engine)
        with_note = {"fingerprint": print_, "made": time.time(), "survey": asdict(survey), "import": asdict(laid_in)}
        note.write_text(json.dumps(with_note, indent=1))
    return Site(name, home / "data", Survey(**with_note["survey"]), Import(**with_note["import"]))


def engine_of(site: Site) -> str:
    """Return the database engine that wrote *site*, with its version."""
    found = json.loads((site.folder / "engine.json").read_text())
    return f"{found['engine']} {found['version']}"


def _lay_in(source: int | Path, home: Path, engine: str) -> tuple[Survey, Import]:
    with embedded(home / "data", engine) as url:
        store = opened(url)
        if isinstance(source, int):
            file, options = home / "stories.csv", []
            survey = stories.generate(file, source, time.time())
        else:
            file, options = source, ["--shift-to-now"]
            survey = stories.survey(file)
        laid_in = measured(store, url, file, options, survey.articles, home)
        if isinstance(source, int):
            file.unlink()
        _make_voters(store)
        client = store.connection.client
        client.bgrewriteaof()  # a compact file loads many times faster than the log of every write
        while client.info("persistence")["aof_rewrite_in_progress"]:
            time.sleep(0.1)
        client.close()
    return survey, laid_in


def _make_voters(store: Store) -> None:
    password = passwords.hash_password(PASSWORD)
    for name in voters():
        store.users.make(name, password)


def voters() -> list[str]:
    """Return the names of the members who vote."""
    return [f"voter{i}" for i in range(VOTERS)]


def _fingerprint(source: int | Path, engine: str) -> str:
    """Return what must be the same for a kept site to be what would be made now."""
    told = hashlib.sha256(json.dumps([str(source), engine, OPTIONS]).encode())
    for module in (stories, importing, keys):
        told.update(Path(module.__file__ or "").read_bytes())
    for script in ("import_article", "make_user"):
        told.update(scripts.sources()[script].encode())
    if isinstance(source, Path):
        told.update(source.read_bytes())
    return told.hexdigest()
