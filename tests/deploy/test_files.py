"""The files of deploy/ agree with the site and with one another."""

import re

from tests.deploy.files import ROOT, arguments_of, compose_services, copies, last_arguments, unit
from voteweb.cli.run import SHUTDOWN_SECONDS
from voteweb.core.config import Settings


def test_the_builder_gets_exactly_what_it_copies() -> None:
    """The last line of .dockerignore that matches a name decides."""
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    first, *names, caches, secrets = lines
    assert (first, caches, secrets) == ("*", "**/__pycache__", "deploy/voteweb.env")
    assert names == [f"!{source}" for copy in copies() for source in copy.sources]


def test_the_image_runs_as_a_system_user() -> None:
    (uid,) = re.findall(r"useradd --system --uid (\d+)", " ".join(arguments_of("RUN")))
    assert last_arguments("USER") == uid
    assert int(uid) > 0


def test_the_data_are_on_the_volume_of_the_image() -> None:
    volume = last_arguments("VOLUME")
    assert f"VOTEWEB_DATA_DIR={volume}" in last_arguments("ENV").split()
    assert f"--home-dir {volume}" in " ".join(arguments_of("RUN"))


def test_the_ports_agree() -> None:
    port = str(Settings().port)
    assert last_arguments("EXPOSE") == port
    assert f"VOTEWEB_PORT={port}" in last_arguments("ENV").split()
    assert f"http://127.0.0.1:{port}/healthz" in last_arguments("HEALTHCHECK")
    assert compose_services()["site"]["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert "ports" not in compose_services()["database"]


def test_compose_waits_longer_than_the_site_for_requests() -> None:
    assert int(compose_services()["site"]["stop_grace_period"].removesuffix("s")) > 2 * SHUTDOWN_SECONDS


def test_systemd_waits_longer_than_the_site_for_requests() -> None:
    (seconds,) = re.findall(r"^TimeoutStopSec=(\d+)$", unit("voteweb.service"), re.MULTILINE)
    assert int(seconds) > 2 * SHUTDOWN_SECONDS
