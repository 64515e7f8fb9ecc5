"""A site as README has it behind a proxy of the system, which runs with the file of deploy/."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.deploy.proxies import Caddy, Nginx, Proxy, make_certificate
from tests.machines import free_ports
from tests.running import SECRET, Running, Start
from voteweb.store import Store

Serve = Callable[..., Running]


@pytest.fixture
def port() -> int:
    """Where the site listens."""
    return free_ports(1)[0]


@pytest.fixture
def serve(start: Start, store: Store, server_url: str, port: int) -> Serve:
    """A way to start the site, which may end and be started again, or a second one *at* another port."""
    env = SECRET | {"VOTEWEB_SITE_URL": "https://news.example", "VOTEWEB_TRUSTED_PROXIES": "1"}
    return lambda at=port: start("--port", str(at), VOTEWEB_REDIS_URL=server_url, **env)


@pytest.fixture
def site(serve: Serve) -> Running:
    """The site."""
    return serve()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the certificate of the site and its key."""
    folder = tmp_path_factory.mktemp("certificate")
    make_certificate(folder)
    return folder


@pytest.fixture(params=[Nginx, Caddy], ids=["nginx", "caddy"])
def proxy(request: pytest.FixtureRequest, site: Running, port: int, certificate: Path) -> Iterator[Proxy]:
    """The proxy in front of it."""
    with tempfile.TemporaryDirectory(prefix="vw-", dir="/tmp") as folder:
        shutil.copytree(certificate, folder, dirs_exist_ok=True)
        found: Proxy = request.param(Path(folder), port)
        try:
            found.start()
            yield found
        finally:
            found.stop()
