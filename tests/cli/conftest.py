"""The command line on the flushed test server, in this process or in one of its own."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests import factories
from tests.helpers import short_folder
from tests.pausable_proxy import PausableProxy, pausable_proxy
from voteweb.cli.main import voteweb
from voteweb.core.settings import Settings
from voteweb.embedded.database import open_database
from voteweb.store import Store

Invoke = Callable[..., Result]


@pytest.fixture(autouse=True)
def _default_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unset what a command before has read from the file of its site."""
    for name in list(os.environ):
        if name.startswith("VOTEWEB_") and name not in ("VOTEWEB_DATA_DIR", "VOTEWEB_TEST_NO_SKIP"):
            monkeypatch.delenv(name)


@pytest.fixture
def invoke_alone() -> Invoke:
    """A function that runs a command in this process, with the settings of the environment and of *env*."""

    def invoke(*arguments: object, input: str | bytes | None = None, **env: str) -> Result:
        return CliRunner().invoke(voteweb, list(map(str, arguments)), input=input, env=env, prog_name="voteweb")

    return invoke


@pytest.fixture
def invoke(monkeypatch: pytest.MonkeyPatch, settings: Settings, store: Store, invoke_alone: Invoke) -> Invoke:
    """A function that runs a command in this process, on the database of the fixture ``store``."""
    monkeypatch.setenv("VOTEWEB_REDIS_URL", settings.redis_url)
    return invoke_alone


@pytest.fixture
def folder() -> Iterator[Path]:
    """A data directory with a short path, as sockets need."""
    with short_folder() as folder:
        yield folder


@pytest.fixture
def embedded(folder: Path) -> Path:
    """The data directory of an embedded database without members."""
    with open_database(Settings(data_dir=str(folder))):
        return folder


@pytest.fixture
def proxy(server_url: str) -> Iterator[PausableProxy]:
    """A proxy before the test server, whose answers can be held back."""
    with pausable_proxy(server_url.removeprefix("unix://")) as proxy:
        yield proxy


@pytest.fixture
def small_site(store: Store) -> Store:
    """A site that was served, with an article of ann's in the group "go", for which bob has voted."""
    store.site_settings.take_settings()
    id = factories.article(store, groups=("go",)).id
    store.votes.cast(id, factories.user(store, "bob"))
    return store


@pytest.fixture
def backup(invoke: Invoke, small_site: Store, tmp_path: Path) -> Path:
    """A backup of the small site."""
    file = tmp_path / "site.backup"
    assert invoke("backup", file).exit_code == 0
    return file
