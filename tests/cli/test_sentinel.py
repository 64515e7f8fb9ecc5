"""The command line with the address of a database under Sentinel."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import factories
from tests.cli.conftest import Invoke
from tests.conftest import private_server
from tests.helpers import until
from tests.machines import Machines, machines
from tests.store.examination import broken, snapshot
from voteweb.core.config import Settings
from voteweb.store import Store, open_store

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def three() -> Iterator[Machines]:
    with machines(down_after=60) as found:
        yield found


@pytest.fixture
def server_url(three: Machines) -> str:
    """The address at which the commands find their database."""
    return three.url


def test_every_command_finds_its_database(invoke: Invoke, three: Machines) -> None:
    made = invoke("user", "create", "ann", "--role", "admin", "--password-stdin", input="correct horse battery\n")
    assert made.exit_code == 0, made.output
    assert invoke("user", "password", "ann", "--link").exit_code == 0
    assert invoke("doctor").stdout == "All is well: 0 articles, 1 member, 0 groups\n"
    assert three.url in invoke("config").stdout


def test_an_import_comes_in(invoke: Invoke, tmp_path: Path) -> None:
    file = tmp_path / "stories.csv"
    file.write_text("title,link,text,poster,time,votes,groups\nA story,https://example.com/,,zoe,1700000000,7,go\n")
    assert invoke("import", str(file)).exit_code == 0
    assert invoke("doctor").stdout == "All is well: 1 article, 1 member, 1 group\n"


@pytest.mark.parametrize("name", ["elsewhere", "voteweb2"])
def test_a_name_that_no_sentinel_knows_is_one_line(
    invoke: Invoke, three: Machines, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("VOTEWEB_REDIS_URL", three.url.rpartition("/")[0] + f"/{name}")
    monkeypatch.setenv("VOTEWEB_REDIS_DEADLINE", "0.2")
    result = invoke("doctor")
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"no primary for '{name}': No such master with that name" in result.stderr


@pytest.fixture
def file(invoke: Invoke, tmp_path: Path) -> Iterator[tuple[Path, dict[str, object]]]:
    """A backup of a site on an embedded database, and what was there."""
    path = tmp_path / "site.gz"
    with private_server("valkey") as url:
        site = open_store(Settings(redis_url=url))
        article = factories.article(site, groups=("go",))
        for voter in factories.users(site, 5):
            site.votes.cast(article.id, voter)
        site.imports.add([factories.story(title=f"Story {number}", groups=("编程",)) for number in range(1_000)])
        with pytest.MonkeyPatch.context() as elsewhere:
            elsewhere.setenv("VOTEWEB_REDIS_URL", url)
            assert invoke("backup", path).exit_code == 0
        yield path, snapshot(site)
        site.connection.close()


def test_a_site_moves_from_an_embedded_database_onto_three_machines(
    invoke: Invoke, store: Store, three: Machines, file: tuple[Path, dict[str, object]]
) -> None:
    path, before = file
    done = invoke("restore", path)
    assert (done.exit_code, done.stderr) == (0, "")
    assert snapshot(store) == before
    assert broken(store) == []
    size = store.connection.client.dbsize()
    until(lambda: [each.client.dbsize() for each in three.replicas()] == [size, size])
    assert "is not empty" in invoke("restore", path).stderr
