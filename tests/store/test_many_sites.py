"""Several sites on one database: each, whatever is done to it, sees and changes no key of another."""

from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest
import redis

from tests import factories
from tests.conftest import private_server
from tests.store import storm
from tests.store.backup.copying import back_up
from tests.store.doctor.conftest import build_site
from tests.store.examination import broken, repair, run
from tests.store.test_rights import limited_user
from voteweb.core.errors import ConfigError
from voteweb.store import Store, build_store, open_store
from voteweb.store.backup import Backup, Restore
from voteweb.store.connection.connection import Connection
from voteweb.store.migrations import OLDEST, Migrations

NAMES = ("", "baking", "cooking")


@pytest.fixture
def sites() -> Iterator[dict[str, Store]]:
    """Three sites on one server, by name; the user of a site with a name may use that site's keys only."""
    with private_server("valkey") as url, redis.Redis.from_url(url) as admin, ExitStack() as stack:
        stores = {}
        for name in NAMES:
            site_url = limited_user(admin, url, f"of-{name}", "resetkeys", f"~{{{name}}}:*") if name else url
            stores[name] = open_store(storm.settings(site_url, site=name))
            stack.enter_context(closing(stores[name].connection))
            factories.group(stores[name], only(name))
        yield stores


def only(name: str) -> str:
    """Return the name of a group that only the site *name* has."""
    return f"only-{name or 'unnamed'}"


def dump(site: Store) -> dict[str, bytes]:
    """Return each key of the site, and only these, with the bytes that the server stores."""
    client = site.connection.client
    keys = filter(site.keys.covers, client.scan_iter(f"{site.keys.prefix}*", count=1_000))
    return {key: client.execute_command("DUMP", key, NEVER_DECODE=True) for key in keys}


@pytest.mark.parametrize("name", NAMES)
def test_no_work_on_a_whole_site_touches_another(sites: dict[str, Store], name: str) -> None:
    for site in sites.values():
        build_site(site)
        run(site, "ZREM", "score:", "article:1")
        run(site, "SET", "restoring:", "1")
    site = sites[name]
    others = [other for other in sites.values() if other is not site]
    before = [dump(other) for other in others]
    run(site, "DEL", "restoring:")
    assert all(is_repaired for _, is_repaired in repair(site))
    list(site.site_settings.rescore())
    for conversion in Migrations(site.context).conversions(OLDEST):
        list(conversion.run(site.context))
    backup = back_up(site)
    for lines in (backup, list(Backup(site.context).all_lines())):
        assert [other for other in NAMES if only(other) in str(lines)] == [name]
    restore = Restore(site.context)
    with pytest.raises(ConfigError, match="is not empty"):
        restore.begin()
    run(site, "SET", "restoring:", "1")
    restore.clear()
    assert dump(site) == {}
    restore.begin()
    restore.write(backup)
    restore.finish()
    assert sorted(map(str, back_up(site))) == sorted(map(str, backup))
    assert broken(site) == []
    assert [dump(other) for other in others] == before


def test_the_user_of_a_site_reads_no_other_sites_keys(sites: dict[str, Store]) -> None:
    baking = sites["baking"]
    for other in (sites[""].keys, sites["cooking"].keys):
        with pytest.raises(redis.exceptions.NoPermissionError):
            baking.connection.command("SMEMBERS", other.groups())
        misnamed = build_store(Connection(baking.connection.client, 2.0, keys=other), storm.settings(""))
        with pytest.raises(ConfigError, match="for the keys of VOTEWEB_SITE"):
            misnamed.health.refuse_unusable()
