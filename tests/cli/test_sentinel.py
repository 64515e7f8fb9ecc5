"""The command line with a database under Sentinel."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import factories
from tests.cli.conftest import Invoke
from tests.cli.results import error_line, lasting
from tests.conftest import private_server
from tests.helpers import until
from tests.machines import Machines, machines
from tests.store.examination import broken
from voteweb.core.settings import Settings
from voteweb.store import Store, open_store
from voteweb.store.migrations import Migrations

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def three() -> Iterator[Machines]:
    """Three machines, whose Sentinels do nothing in the time of a test."""
    with machines(down_after=60) as three:
        yield three


@pytest.fixture
def server_url(three: Machines) -> str:
    """The URL with which the commands find the primary."""
    return three.url


@pytest.fixture(scope="module")
def embedded_url() -> Iterator[str]:
    """The URL of an embedded database."""
    with private_server("valkey") as url:
        yield url


@pytest.fixture
def embedded_site(embedded_url: str) -> Iterator[Store]:
    """A site on the embedded database: two groups, votes, and many articles."""
    store = open_store(Settings(redis_url=embedded_url))
    Migrations(store.context).state()  # an empty database gets the number of the layout
    article = factories.article(store, groups=("go",))
    for voter in factories.users(store, 5):
        store.votes.cast(article.id, voter)
    store.imports.add([factories.story(title=f"Story {number}", groups=("编程",)) for number in range(1_000)])
    yield store
    store.connection.close()


def test_every_command_finds_the_primary(invoke: Invoke, three: Machines) -> None:
    create = invoke("user", "create", "ann", "--role", "admin", "--password-stdin", input="correct horse battery\n")
    assert create.exit_code == 0, create.output
    assert invoke("user", "password", "ann", "--link").exit_code == 0
    assert invoke("doctor").stdout == "The data are consistent: 0 articles, 1 member, 0 groups\n"
    assert three.url in invoke("config").stdout


def test_stories_are_imported(invoke: Invoke, tmp_path: Path) -> None:
    file = tmp_path / "stories.csv"
    file.write_text("title,link,text,poster,time,votes,groups\nA story,https://example.com/,,zoe,1700000000,7,go\n")
    assert invoke("import", file).exit_code == 0
    assert invoke("doctor").stdout == "The data are consistent: 1 article, 1 member, 1 group\n"


@pytest.mark.parametrize("name", ["elsewhere", "voteweb2"])
def test_a_name_that_no_sentinel_knows_is_refused(invoke_alone: Invoke, three: Machines, name: str) -> None:
    url = f"{three.url.rpartition('/')[0]}/{name}"
    result = invoke_alone("doctor", VOTEWEB_REDIS_URL=url)
    assert f"no primary for '{name}': No such master with that name" in error_line(result)
    assert result.stdout == ""


def test_a_site_moves_from_an_embedded_database_onto_three_machines(
    invoke: Invoke, store: Store, three: Machines, embedded_site: Store, embedded_url: str, tmp_path: Path
) -> None:
    file = tmp_path / "site.gz"
    assert invoke("backup", file, VOTEWEB_REDIS_URL=embedded_url).exit_code == 0
    restore = invoke("restore", file)
    assert (restore.exit_code, restore.stderr) == (0, "")
    assert lasting(store) == lasting(embedded_site)
    assert broken(store) == []
    size = store.connection.client.dbsize()
    until(lambda: [replica.client.dbsize() for replica in three.replicas()] == [size, size])
    assert "is not empty" in error_line(invoke("restore", file))
