"""A site behind a proxy of the system, which runs with the file of deploy/."""

from collections.abc import Callable, Iterator

import pytest

from tests.deploy.proxies import Caddy, Nginx, Proxy, proxy_before
from tests.helpers import free_ports
from tests.site_process import SECRET, SiteProcess, StartSite
from voteweb.store import Store

Serve = Callable[..., SiteProcess]
#: The settings of a site behind a proxy.
SETTINGS = SECRET | {"VOTEWEB_SITE_URL": "https://news.example", "VOTEWEB_TRUSTED_PROXIES": "1"}


@pytest.fixture
def port() -> int:
    """The port of the site."""
    (port,) = free_ports(1)
    return port


@pytest.fixture
def serve(start_site: StartSite, store: Store, server_url: str, port: int) -> Serve:
    """A function that starts the site, or starts it again, or a second one *at* another port, with *more* settings."""

    def start(at: int = port, **more: str) -> SiteProcess:
        return start_site("--port", str(at), VOTEWEB_REDIS_URL=server_url, **(SETTINGS | more))

    return start


@pytest.fixture
def site(serve: Serve) -> SiteProcess:
    """The site."""
    return serve()


@pytest.fixture(params=[Nginx, Caddy], ids=["nginx", "caddy"])
def proxy(request: pytest.FixtureRequest, site: SiteProcess, port: int) -> Iterator[Proxy]:
    """Each proxy before the site."""
    with proxy_before(request.param, port) as proxy:
        yield proxy
