"""Opening a connection: invalid URLs, passwords, and servers that refuse us."""

import pytest

from tests.store.connection.addresses import closed_port
from voteweb.core.errors import ConfigError, Unavailable
from voteweb.core.settings import Settings
from voteweb.store import Store, open_store
from voteweb.store.connection.factory import open_connection


def test_opening_a_store_sends_nothing_and_waiting_has_a_timeout() -> None:
    with closed_port() as url:
        store = open_store(Settings(redis_url=url))
        store.pipeline().execute()
        with pytest.raises(Unavailable):
            store.health.wait_until_ready(timeout=0.1)
        store.connection.close()


@pytest.mark.parametrize("url", ["redis://:sec#ret@host", "redis://me:sec/ret@host", "http://:sec@h"])
def test_the_refusal_of_a_url_does_not_repeat_the_password(url: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        open_connection(Settings(redis_url=url, redis_deadline=1.0))
    assert "sec" not in str(refusal.value)
    assert "%23" in str(refusal.value)


def test_a_urls_password_is_used_and_refusals_reported_at_once(store: Store, server_url: str) -> None:
    refused = open_store(Settings(redis_url=server_url, redis_deadline=60.0))
    admitted = open_store(Settings(redis_url=server_url.replace("://", "://:secret@"), redis_deadline=5.0))
    client = store.connection.client
    client.config_set("requirepass", "secret")
    try:
        admitted.health.wait_until_ready(timeout=5.0)
        with pytest.raises(ConfigError, match="refuses us"):
            refused.health.wait_until_ready(timeout=60.0)
    finally:
        client.config_set("requirepass", "")
    refused.connection.close()
    admitted.connection.close()
