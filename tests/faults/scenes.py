"""Every fault with the site it happens to: what is done to it, and how much of what was answered it may cost."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import redis

from tests.conftest import private_server
from tests.faults.proxy import proxy
from tests.faults.site import Site, opened
from tests.helpers import needs, until
from tests.machines import OPTIONS, Machines, machines

#: Seconds of answered votes that "everysec" may cost: while a sync of the disk lasts, nothing is written, for two at
#: the most.
EVERYSEC = 2.0
#: Seconds for which a database hangs: longer than a page waits, and than Sentinel does.
HANG = 5.0
#: Seconds for which a disk is full: longer than a page waits.
FULL = 3.0
#: Seconds for which a primary that is cut off from its replicas takes votes: its min-replicas-max-lag.
MAX_LAG = float(OPTIONS["min-replicas-max-lag"])

Act = Callable[[Site], None]
Scene = Iterator[tuple[Site, Act]]


class Fault(NamedTuple):
    """A fault: how its scene is set, and the seconds of answered votes before it that may be lost."""

    scene: Callable[[], AbstractContextManager[tuple[Site, Act]]]
    may_lose: float = 0.0


@contextmanager
def _folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="vw-", dir="/tmp"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


@contextmanager
def _running(site: Site) -> Iterator[Site]:
    try:
        yield site.start()
    finally:
        site.stop()


def _kill(*processes: int) -> None:
    for each in processes:
        os.kill(each, signal.SIGKILL)


@contextmanager
def _embedded(act: Act, appendfsync: str = "always") -> Scene:
    with _folder() as folder, _running(Site(folder / "data", VOTEWEB_APPENDFSYNC=appendfsync)) as site:
        yield site, act


def _hang(process: int) -> None:
    os.kill(process, signal.SIGSTOP)
    time.sleep(HANG)
    os.kill(process, signal.SIGCONT)


def _all_at_once(site: Site) -> None:
    """Kill everything as a power cut does: what is left are a socket and locks of nobody."""
    _kill(site.master(), *site.workers(), site.database())


@contextmanager
def _two_starts() -> Scene:
    """Two sites on one folder; their database is killed, and both want to start it again."""
    with _folder() as folder, _running(Site(folder / "data")) as site, _running(Site(folder / "data")):
        yield site, lambda site: _kill(site.database())


@contextmanager
def _full_disk(appendfsync: str) -> Scene:
    """A site whose data directory is a disk of its own, and small."""
    with _folder() as folder:
        disk = folder / "data"
        disk.mkdir()
        new = ["unshare", "--mount", *(() if os.getuid() == 0 else ("--user", "--map-root-user")), "--"]
        mount = [*new, "sh", "-c", f'mount -t tmpfs -o size=16m none "{disk}" && exec "$@"', "sh"]
        can = shutil.which("unshare") and subprocess.run([*mount, "true"], capture_output=True).returncode == 0
        needs(can, "the right to mount a disk in a namespace")
        site = Site(disk, words=tuple(mount), VOTEWEB_APPENDFSYNC=appendfsync)
        with _running(site):
            # From outside, the disk is seen through a process that has it.
            site.look_from(Path(f"/proc/{site.master()}/root") / disk.relative_to("/"))
            yield site, _fill


def _fill(site: Site) -> None:
    """Fill the disk until the database takes no more writes, and make room again after a while."""
    filler = site.folder / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    until(lambda: not _can_write(site), patience=30)
    time.sleep(FULL)
    filler.unlink()


def _can_write(site: Site) -> bool:
    with opened(site) as store, suppress(redis.RedisError):
        store.connection.client.execute_command("DEL", "nothing")
        return True
    return False


@contextmanager
def _behind_proxy(**state: float) -> Scene:
    """A site that reaches its database through a proxy, whose *state* is the fault for a while."""
    with private_server("valkey") as url, proxy(url.removeprefix("unix://")) as way, _folder() as folder:

        def act(_: Site) -> None:
            for name, value in state.items():
                setattr(way, name, value)
            until(lambda: way.swallowed == way.swallows)
            time.sleep(HANG if way.delay or way.stuck else 0)
            way.delay, way.stuck = 0.0, False

        with _running(Site(folder, way.url)) as site:
            yield site, act


@contextmanager
def _under_sentinel(act: Callable[[Machines], None], wait: int) -> Scene:
    with machines(down_after=1) as three, _folder() as folder:
        with _running(Site(folder, three.url, VOTEWEB_WAIT_REPLICAS=str(wait))) as site:
            yield site, lambda _: act(three)
        three.heal()
        assert three.primary().client.info("replication")["connected_slaves"] == 2


def _kill_primary(three: Machines) -> None:
    three.primary().kill()


def _hang_primary(three: Machines) -> None:
    primary = three.primary()
    assert primary.process
    _hang(primary.process.pid)


def _kill_one_replica(three: Machines) -> None:
    three.replicas()[0].kill()


def _kill_replicas(three: Machines) -> None:
    replicas = three.replicas()
    for each in replicas:
        each.kill()
    time.sleep(HANG)
    for each in replicas:
        each.start("--replicaof", f"127.0.0.1 {three.primary().port}")


FAULTS = {
    "kill -9 of one web worker": Fault(lambda: _embedded(lambda site: _kill(site.workers()[0]))),
    "kill -9 of all web workers": Fault(lambda: _embedded(lambda site: _kill(*site.workers()))),
    "kill -9 of the web server's master": Fault(lambda: _embedded(lambda site: _kill(site.master()))),
    "kill -9 of the database, always": Fault(lambda: _embedded(lambda site: _kill(site.database()))),
    "kill -9 of the database, everysec": Fault(
        lambda: _embedded(lambda site: _kill(site.database()), "everysec"), may_lose=EVERYSEC
    ),
    "kill -9 of the database and all web workers": Fault(
        lambda: _embedded(lambda site: _kill(site.database(), *site.workers()))
    ),
    "kill -9 of everything": Fault(lambda: _embedded(_all_at_once)),
    "database stopped for 5 s": Fault(lambda: _embedded(lambda site: _hang(site.database()))),
    "kill -9 of the database of two sites": Fault(_two_starts, may_lose=EVERYSEC),
    "disk full, always": Fault(lambda: _full_disk("always")),
    "disk full, everysec": Fault(lambda: _full_disk("everysec")),
    "20 answers swallowed": Fault(lambda: _behind_proxy(swallows=20)),
    "every answer 0.5 s late for 5 s": Fault(lambda: _behind_proxy(delay=0.5)),
    "no answer for 5 s": Fault(lambda: _behind_proxy(stuck=True)),
    "primary killed, votes wait for 1 replica": Fault(lambda: _under_sentinel(_kill_primary, wait=1)),
    "primary stopped for 5 s, votes wait for 1 replica": Fault(lambda: _under_sentinel(_hang_primary, wait=1)),
    "one replica killed, votes wait for 1 replica": Fault(lambda: _under_sentinel(_kill_one_replica, wait=1)),
    "both replicas killed for 5 s, votes wait for 1 replica": Fault(lambda: _under_sentinel(_kill_replicas, wait=1)),
    "primary killed": Fault(lambda: _under_sentinel(_kill_primary, wait=0), may_lose=MAX_LAG),
    "primary stopped for 5 s": Fault(lambda: _under_sentinel(_hang_primary, wait=0), may_lose=MAX_LAG),
}
