"""Servers that speak only TLS, where certificates name the machines and not their addresses."""

import socket
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests import factories
from tests.certificates import LocalTls
from tests.clusters import NAME, cluster
from tests.helpers import until
from tests.machines import machines
from voteweb.core.errors import Unavailable
from voteweb.core.settings import Settings
from voteweb.store import open_store

pytestmark = [
    pytest.mark.heavy,
    # wrap_socket() raises for a socket whose server resets it before the handshake, and leaves its copy of it open.
    pytest.mark.filterwarnings("ignore:unclosed <ssl.SSLSocket:ResourceWarning"),
]


def vote_amid(troubles: Sequence[Callable[[str], None]], settings: Settings) -> None:
    """Vote before, between and after *troubles*, which take a key of the site."""
    store = open_store(replace(settings, redis_deadline=20.0, wait_replicas=1))
    article, members = factories.article(store), factories.users(store, len(troubles) + 1)
    for member, trouble in zip(members, troubles, strict=False):
        store.votes.cast(article.id, member)
        trouble(store.keys.by_time())
    assert store.votes.cast(article.id, members[-1]) == len(members) + 1
    store.connection.close()


def check_refusal_of_addresses(settings: Settings) -> None:
    """Fail unless a site with these *settings* refuses addresses, which the certificates do not name."""
    store = open_store(replace(settings, redis_deadline=1.0))

    def cause() -> str:
        with pytest.raises(Unavailable) as refused:
            store.connection.ping()
        return str(refused.value.__cause__)

    # At first a Sentinel may still say that the primary is down.
    until(lambda: "certificate is not valid for" in cause())
    store.connection.close()


def test_votes_go_on_over_tls_at_the_primary_sentinel_names(tmp_path: Path) -> None:
    certificates = LocalTls(tmp_path, "DNS:localhost")
    with machines(down_after=1, tls=certificates) as three:
        settings = Settings(redis_url=three.url, **certificates.settings())
        vote_amid([lambda _: three.primary().kill()], settings)
        for sentinel in three.sentinels:
            sentinel.client.execute_command("SENTINEL", "CONFIG", "SET", "announce-hostnames", "no")
        check_refusal_of_addresses(settings)


@pytest.fixture
def _named_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of the nodes stands for this machine."""
    look_up = socket.getaddrinfo

    def look_up_here(host: Any, *arguments: Any, **options: Any) -> Any:
        return look_up("127.0.0.1" if host == NAME else host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", look_up_here)


@pytest.mark.usefixtures("_named_nodes")
def test_votes_follow_their_slot_over_tls_through_a_cluster(tmp_path: Path) -> None:
    certificates = LocalTls(tmp_path, "DNS:localhost", f"DNS:{NAME}")
    with cluster(tls=certificates) as nodes:
        settings = Settings(redis_url=nodes.url, site="news", **certificates.settings())
        vote_amid([lambda key: nodes.move(key, nodes.others(key)[0]), nodes.fail_over], settings)
        for node in nodes.nodes:
            node.client.config_set("cluster-preferred-endpoint-type", "ip")
        check_refusal_of_addresses(settings)
