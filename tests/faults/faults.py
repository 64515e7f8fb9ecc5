"""The faults, by the sites on which they are caused, and how much of what was answered they may cost."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import redis

from tests.conftest import private_server
from tests.faults.supervised_site import SupervisedSite, running
from tests.helpers import needs, short_folder, until
from tests.machines import MAX_LAG, Machines, machines
from tests.pausable_proxy import PausableProxy, pausable_proxy

#: Seconds of answered votes that "everysec" may cost: a sync of the disk delays writes by two seconds at most.
EVERYSEC = 2.0
#: Seconds for which a database hangs: longer than a page waits, and than Sentinel does.
HANG = 5.0
#: Seconds for which a disk is full: longer than a page waits.
FULL = 3.0

#: A running site, and what the faults are caused on: itself, a proxy, or machines.
Setup = tuple[SupervisedSite, Any]


class Series(NamedTuple):
    """Faults that are caused on one site, one after the other."""

    set_up: Callable[[], AbstractContextManager[Setup]]
    faults: dict[str, Callable[[Any], None]]
    #: Makes the machines after a fault what they were before.
    recover: Callable[[Any], None] = lambda _: None
    #: The seconds of answered votes before a fault that may be lost.
    may_lose: float = 0.0


def _kill(*processes: int) -> None:
    for process in processes:
        os.kill(process, signal.SIGKILL)


def _suspend(process: int) -> None:
    os.kill(process, signal.SIGSTOP)
    time.sleep(HANG)
    os.kill(process, signal.SIGCONT)


def _kill_database(site: SupervisedSite) -> None:
    _kill(site.database_pid())


def _kill_primary(three: Machines) -> None:
    three.primary().kill()


def _suspend_primary(three: Machines) -> None:
    process = three.primary().process
    assert process
    _suspend(process.pid)


@contextmanager
def _embedded(appendfsync: str) -> Iterator[Setup]:
    env = {"VOTEWEB_APPENDFSYNC": appendfsync}
    with short_folder() as folder, running(SupervisedSite(folder / "data", **env)) as site:
        yield site, site


@contextmanager
def _two_sites_on_one_folder() -> Iterator[Setup]:
    """Run two sites on one database; when it is killed, both want to start it again."""
    with (
        short_folder() as folder,
        running(SupervisedSite(folder / "data")) as site,
        running(SupervisedSite(folder / "data")),
    ):
        yield site, site


@contextmanager
def _small_disk(appendfsync: str) -> Iterator[Setup]:
    """Run a site whose data directory is a small disk of its own."""
    with short_folder() as folder:
        disk = folder / "data"
        disk.mkdir()
        namespace = ["unshare", "--mount", *(() if os.getuid() == 0 else ("--user", "--map-root-user")), "--"]
        mount = [*namespace, "sh", "-c", f'mount -t tmpfs -o size=16m none "{disk}" && exec "$@"', "sh"]
        can_mount = shutil.which("unshare") and subprocess.run([*mount, "true"], capture_output=True).returncode == 0
        needs(can_mount, "the right to mount a disk in a namespace")
        with running(SupervisedSite(disk, prefix=tuple(mount), VOTEWEB_APPENDFSYNC=appendfsync)) as site:
            # From outside the namespace, the disk is visible through a process inside it.
            site.use_socket_in(Path(f"/proc/{site.process.pid}/root") / disk.relative_to("/"))
            yield site, site


def _fill_disk(site: SupervisedSite) -> None:
    """Fill the disk until the database refuses writes, and free it again after a while."""
    filler = site.folder / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    until(lambda: not _can_write(site))
    time.sleep(FULL)
    filler.unlink()


def _can_write(site: SupervisedSite) -> bool:
    with site.open_store() as store, suppress(redis.RedisError):
        store.connection.client.execute_command("DEL", "nothing")
        return True
    return False


@contextmanager
def _behind_proxy() -> Iterator[Setup]:
    with (
        private_server("valkey") as url,
        pausable_proxy(url.removeprefix("unix://")) as proxy,
        short_folder() as folder,
        running(SupervisedSite(folder, proxy.url)) as site,
    ):
        yield site, proxy


def _lose_answers(proxy: PausableProxy) -> None:
    proxy.answers_to_lose = 20
    until(lambda: proxy.lost_answers == proxy.answers_to_lose)


def _delay_answers(proxy: PausableProxy) -> None:
    proxy.delay = 0.5
    time.sleep(HANG)
    proxy.delay = 0.0


def _hold_answers(proxy: PausableProxy) -> None:
    proxy.pause()
    time.sleep(HANG)
    proxy.resume()


@contextmanager
def _under_sentinel(wait: int) -> Iterator[Setup]:
    env = {"VOTEWEB_WAIT_REPLICAS": str(wait)}
    with (
        machines(down_after=1) as three,
        short_folder() as folder,
        running(SupervisedSite(folder, three.url, **env)) as site,
    ):
        yield site, three


def _recover(three: Machines) -> None:
    three.recover()
    assert three.primary().client.info("replication")["connected_slaves"] == 2


def _kill_replicas(three: Machines) -> None:
    replicas = three.replicas()
    for replica in replicas:
        replica.kill()
    time.sleep(HANG)
    for replica in replicas:
        replica.start("--replicaof", f"127.0.0.1 {three.primary().port}")


SERIES = {
    "always": Series(
        lambda: _embedded("always"),
        {
            "kill -9 of one web worker": lambda site: _kill(site.worker_pids()[0]),
            "kill -9 of all web workers": lambda site: _kill(*site.worker_pids()),
            "kill -9 of the web server's master": lambda site: _kill(site.process.pid),
            "kill -9 of the database, always": _kill_database,
            "kill -9 of the database and all web workers": lambda site: _kill(site.database_pid(), *site.worker_pids()),
            # As a power cut does: a socket and unheld locks are left behind.
            "kill -9 of everything": lambda site: _kill(site.process.pid, *site.worker_pids(), site.database_pid()),
            "database stopped for 5 s": lambda site: _suspend(site.database_pid()),
        },
    ),
    "everysec": Series(
        lambda: _embedded("everysec"), {"kill -9 of the database, everysec": _kill_database}, may_lose=EVERYSEC
    ),
    "two sites": Series(
        _two_sites_on_one_folder, {"kill -9 of the database of two sites": _kill_database}, may_lose=EVERYSEC
    ),
    "small disk, always": Series(lambda: _small_disk("always"), {"disk full, always": _fill_disk}),
    "small disk, everysec": Series(lambda: _small_disk("everysec"), {"disk full, everysec": _fill_disk}),
    "proxy": Series(
        _behind_proxy,
        {
            "20 answers lost": _lose_answers,
            "every answer 0.5 s late for 5 s": _delay_answers,
            "no answer for 5 s": _hold_answers,
        },
    ),
    "Sentinel, votes wait": Series(
        lambda: _under_sentinel(wait=1),
        {
            "primary killed, votes wait for 1 replica": _kill_primary,
            "primary stopped for 5 s, votes wait for 1 replica": _suspend_primary,
            "one replica killed, votes wait for 1 replica": lambda three: three.replicas()[0].kill(),
            "both replicas killed for 5 s, votes wait for 1 replica": _kill_replicas,
        },
        _recover,
    ),
    "Sentinel": Series(
        lambda: _under_sentinel(wait=0),
        {"primary killed": _kill_primary, "primary stopped for 5 s": _suspend_primary},
        _recover,
        may_lose=MAX_LAG,
    ),
}
