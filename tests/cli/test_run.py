"""``voteweb run``, in a process of its own: what it says, serves, keeps and leaves."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from click.testing import CliRunner

from tests.cli.conftest import Spawn
from tests.factories import article, user
from tests.helpers import until
from tests.running import SECRET, Start
from voteweb.cli.main import voteweb
from voteweb.core import passwords
from voteweb.core.config import DELETED_MEMBER, Settings
from voteweb.core.models import Role
from voteweb.embedded.database import open_database
from voteweb.store import Store, open_store


def is_database_running(folder: Path) -> bool:
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(str(folder / "database.sock"))
        return True
    return False


def test_a_sample_site_is_served_stopped_and_found_again(start: Start, folder: Path) -> None:
    site = start("--sample", "--data", str(folder))
    assert site.get("/healthz")[0] == 200
    status, front = site.get("/")
    assert status == 200
    assert is_database_running(folder)
    code, said, errors = site.stop(signal.SIGINT)
    assert (code, errors) == (0, "")
    assert said == f"voteweb has stopped; its data are in {folder}.\n"
    assert not is_database_running(folder)

    again = start("--sample", "--data", str(folder))
    assert re.fullmatch(r"There is no admin yet: [^\n]+\nvoteweb is at [^\n]+\n", again.said)
    titles = re.compile(r"https://[a-z]+\.example/[^\"]*")
    assert titles.findall(front)
    assert sorted(titles.findall(again.get("/")[1])) == sorted(titles.findall(front))
    name, password = re.findall(r"^  (?:name|password) +(\S+)$", site.said, re.MULTILINE)
    with open_database(Settings(data_dir=str(folder))) as settings:
        store = open_store(settings)
        assert passwords.verify(store.users.get(name).password, password)
        store.connection.client.close()
    assert again.stop(signal.SIGTERM)[0] == 0
    assert not is_database_running(folder)


def test_kill_9_leaves_the_data_fine_and_no_worker_behind(start: Start, folder: Path) -> None:
    site = start("--sample", "--data", str(folder))
    assert site.answers()
    os.kill(site.process.pid, signal.SIGKILL)
    until(lambda: not site.answers())
    result = CliRunner().invoke(voteweb, ["doctor", "--data", str(folder)])
    assert result.stdout.startswith("All is well: 60 articles")
    assert not is_database_running(folder)


def test_a_worker_that_dies_is_replaced(start: Start, folder: Path) -> None:
    site = start("--data", str(folder))
    assert '"voteweb user create NAME --role admin"' in site.said
    assert site.answers()
    (worker,) = site.workers()
    os.kill(worker, signal.SIGKILL)
    until(lambda: site.workers() not in ([], [worker]) and site.answers())
    assert site.stop(signal.SIGINT)[0] == 0


def test_a_database_of_its_own_is_left_running(start: Start, store: Store, server_url: str) -> None:
    site = start("--sample", VOTEWEB_REDIS_URL=server_url, VOTEWEB_SITE_NAME="The Harbour", **SECRET)
    assert "The Harbour" in site.get("/")[1]
    code, said, errors = site.stop(signal.SIGTERM)
    assert (code, said, errors) == (0, "voteweb has stopped.\n", "")
    assert store.server_info.counts().articles == 60


def test_a_start_takes_up_what_was_left_half_done_and_asks_for_no_admin_when_there_is_one(
    start: Start, store: Store, server_url: str
) -> None:
    user(store, "boss", Role.ADMIN)
    ann = user(store, "ann")
    article(store, ann)
    store.account_deletion.start(ann, delete_articles=False)
    site = start(VOTEWEB_REDIS_URL=server_url, **SECRET)
    assert site.said.startswith("voteweb is at ")
    assert store.account_deletion.unfinished() == []
    assert store.articles.get(1).poster == DELETED_MEMBER
    assert site.stop(signal.SIGTERM)[0] == 0


def test_a_stop_while_it_starts_stops_the_database_too(folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "voteweb.cli", "run", "--port", "0", "--data", str(folder)],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    until(lambda: is_database_running(folder))
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=20)[1] == ""
    assert process.returncode in (0, 130)
    assert not is_database_running(folder)


def test_a_port_in_use_is_one_line_and_no_database(spawn: Spawn, folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0), reuse_port=True) as taken:
        port = taken.getsockname()[1]
        done = spawn("run", "--port", port, "--data", folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"Error: Cannot listen at 127.0.0.1 port {port}: Address already in use\n"
    assert list(folder.iterdir()) == []


def test_without_a_key_a_database_elsewhere_is_refused(spawn: Spawn, server_url: str) -> None:
    done = spawn("run", "--port", 0, VOTEWEB_REDIS_URL=server_url)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)
    assert "VOTEWEB_SECRET_KEY" in done.stderr


def test_another_programs_database_is_refused_in_one_line(spawn: Spawn, store: Store, server_url: str) -> None:
    store.connection.client.rpush("user:", "x")
    done = spawn("run", "--port", 0, VOTEWEB_REDIS_URL=server_url, **SECRET)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)
    assert "belongs to another program" in done.stderr


def test_what_is_set_up_wrongly_is_said_at_the_start_and_in_health(start: Start, store: Store, server_url: str) -> None:
    store.connection.client.set("session:x", "another program's")
    site = start(VOTEWEB_REDIS_URL=server_url, VOTEWEB_SITE_URL="https://news.example", **SECRET)
    status, health = site.get("/healthz")
    assert (status, json.loads(health)["status"]) == (200, "degraded")
    errors = site.stop(signal.SIGTERM)[2]
    assert errors.splitlines() == [f"Warning: {each}" for each in json.loads(health)["reasons"]]


def test_a_database_that_comes_late_is_waited_for(folder: Path) -> None:
    path = folder / "database.sock"
    with socket.socket(socket.AF_UNIX) as shut_door:
        shut_door.bind(str(path))
        shut_door.listen()
        shut_door.settimeout(20)
        process = subprocess.Popen(
            [sys.executable, "-m", "voteweb.cli", "run", "--port", "0", "--workers", "1"],
            stdout=subprocess.PIPE, text=True, env={**os.environ, **SECRET, "VOTEWEB_REDIS_URL": f"unix://{path}"},
        )  # fmt: skip
        for _ in range(3):
            shut_door.accept()[0].close()
    assert process.poll() is None
    with open_database(Settings(data_dir=str(folder))):
        assert process.stdout
        assert "admin" in process.stdout.readline()
        assert "voteweb is at" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        process.stdout.close()
