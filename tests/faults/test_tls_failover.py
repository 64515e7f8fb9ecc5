"""A failover on machines that speak only TLS, where certificates name the machines and not their addresses."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests import factories
from tests.certificates import LocalTls
from tests.machines import machines
from voteweb.core.config import Settings
from voteweb.core.errors import Unavailable
from voteweb.store import open_store
from voteweb.store.connection import tls

pytestmark = pytest.mark.heavy


def test_votes_go_on_over_tls_at_the_primary_that_sentinel_names(tmp_path: Path) -> None:
    certificates = LocalTls(tmp_path, "DNS:localhost")
    with machines(down_after=1, tls=certificates) as three:
        settings = Settings(redis_url=three.url, redis_deadline=20.0, wait_replicas=1, read_replicas=1)
        settings = replace(settings, **certificates.settings())
        store = open_store(settings)
        article, (bob, cid) = factories.article(store), factories.users(store, 2)
        store.votes.cast(article.id, bob)
        assert store.connection.run_on_replica([("ROLE",)])[0][0] == "slave"
        three.primary().kill()
        store.votes.cast(article.id, cid)
        assert store.articles.get(article.id).votes == 3
        store.connection.close()

        # An address is not what the certificates name.
        for sentinel in three.sentinels:
            sentinel.client.execute_command("SENTINEL", "CONFIG", "SET", "announce-hostnames", "no")
        store = open_store(replace(settings, redis_deadline=1.0))
        with pytest.raises(Unavailable) as refused:
            store.connection.ping()
        assert "(subjectAltName)" in tls.advice(three.url, refused.value.__cause__)
        store.connection.close()
