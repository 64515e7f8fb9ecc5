"""``voteweb run`` that cannot serve a site: one line, and nothing is started."""

import socket
from pathlib import Path

from tests.cli.conftest import Invoke
from tests.cli.results import error_line
from tests.site_process import SECRET
from voteweb.store import Store


def test_a_port_in_use_is_refused_before_a_database_starts(invoke_alone: Invoke, folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0), reuse_port=True) as server:
        port = server.getsockname()[1]
        result = invoke_alone("run", "--port", port, "--data", folder)
    assert error_line(result) == f"Cannot listen at 127.0.0.1 port {port}: Address already in use"
    assert result.stdout == ""
    assert list(folder.iterdir()) == []


def test_a_database_of_a_url_needs_a_secret_key(invoke_alone: Invoke, server_url: str) -> None:
    result = invoke_alone("run", "--port", 0, VOTEWEB_REDIS_URL=server_url)
    assert "VOTEWEB_SECRET_KEY" in error_line(result)
    assert result.stdout == ""


def test_the_database_of_another_program_is_refused(invoke: Invoke, store: Store) -> None:
    store.connection.client.rpush("user:", "x")
    result = invoke("run", "--port", 0, **SECRET)
    assert "belongs to another program" in error_line(result)
    assert result.stdout == ""
