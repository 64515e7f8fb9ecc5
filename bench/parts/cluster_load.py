"""Votes that are sent to the databases themselves, many in one round trip: on sites of one server and of a cluster."""

import os
import socket
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import hiredis

from bench.constants import HOST
from bench.database_servers import DatabaseServers
from bench.machine import assigned_cores
from bench.processes import cpu_seconds
from bench.report.tables import Table
from bench.sites.bulk_votes import vote_calls
from bench.sites.fill import fill_site
from bench.sites.queries import newest_ids, open_store_at

#: Articles of each site, and the newest of them, which are voted on.
ARTICLES, VOTED_ON = 1_000, 20
#: Votes in one round trip, all on one article, and round trips in flight to each site.
BATCH_SIZE, IN_FLIGHT = 100, 2


@dataclass(frozen=True, slots=True)
class Target:
    """A site: the port and process of its server, and batches of votes, which the second half takes back."""

    port: int
    pid: int
    batches: Sequence[bytes]


class _Sender:
    """A connection to one site that sends its votes again and again."""

    def __init__(self, target: Target) -> None:
        self._socket = socket.create_connection((HOST, target.port))
        self._batches = target.batches
        self._reader = hiredis.Reader()
        self._sent = self.votes = self.errors = 0

    def send(self) -> None:
        self._socket.sendall(self._batches[self._sent % len(self._batches)])
        self._sent += 1

    def read(self) -> None:
        """Read the replies to the oldest batch in flight."""
        for _ in range(BATCH_SIZE):
            reply: Any = self._reader.gets()
            while reply is False:
                self._reader.feed(self._socket.recv(65_536))
                reply = self._reader.gets()
            self.errors += not isinstance(reply, list) or reply[0] != b"counted"
            self.votes += 1

    def finish(self) -> None:
        """Send the rest of the batches, so that no vote is left, and read all replies."""
        while self._sent % len(self._batches):
            self.read()
            self.send()
        while self.votes < self._sent * BATCH_SIZE:
            self.read()

    def close(self) -> None:
        self._socket.close()


def measure(single: DatabaseServers, nodes: DatabaseServers, seconds: float) -> Table:
    """Return the votes a second on one, two and three sites: all on one server, or each on its node of a cluster."""
    names = [nodes.site_on(node) for node in range(len(nodes.ports))]
    by_server = [_prepare(single, name, 0) for name in names]
    by_node = [_prepare(nodes, name, node) for node, name in enumerate(names)]
    rows = [
        _measure(label.format(count), targets[:count], seconds)
        for targets, label in ((by_server, "{} sites on one server"), (by_node, "{} sites on a cluster"))
        for count in range(1, len(targets) + 1)
    ]
    return Table(
        "cluster-load",
        f"Votes sent to the databases themselves, {BATCH_SIZE} in one round trip",
        ("what", "votes/s", "of the first row", "database CPU µs", "errors"),
        [(label, rate, rate / rows[0][1], cpu, errors) for label, rate, cpu, errors in rows],
        notes=(
            f"The databases and the program that sends share {len(set(assigned_cores()))} cores, which limit the rate.",
            "The processor time of the databases for a vote tells what a node does on a core of its own.",
        ),
        invalid=tuple(str(row[0]) for row in rows if row[-1]),
    )


def _prepare(servers: DatabaseServers, site: str, node: int) -> Target:
    """Fill *site*, unless it has articles, and return its votes on the newest."""
    store = open_store_at(servers.url, site)
    if not newest_ids(store, 1):
        fill_site(store, ARTICLES)
    store.connection.load_scripts()
    articles = [store.articles.get(id) for id in newest_ids(store, VOTED_ON)]
    batches = []
    for take_back in (False, True):
        for article in articles:
            calls = vote_calls(store, [article.id], BATCH_SIZE, take_back=take_back)
            batches.append(b"".join(map(hiredis.pack_command, calls)))
    store.connection.close()
    return Target(servers.ports[node], servers.pids[node], batches)


def _measure(label: str, targets: Sequence[Target], seconds: float) -> tuple[str, float, float, int]:
    """Return *label*, the votes a second on all *targets*, microseconds of their databases for a vote, and errors."""
    pids = {target.pid for target in targets}
    for pid in pids:
        os.sched_setaffinity(pid, assigned_cores())
    with ExitStack() as stack:
        senders = [_Sender(target) for target in targets]
        for sender in senders:
            stack.callback(sender.close)
        start, cpu_before = time.perf_counter(), cpu_seconds(*pids)
        for _ in range(IN_FLIGHT):
            for sender in senders:
                sender.send()
        while time.perf_counter() < start + seconds:
            for sender in senders:
                sender.read()
                sender.send()
        for sender in senders:
            sender.finish()
        duration, cpu = time.perf_counter() - start, cpu_seconds(*pids) - cpu_before
    votes = sum(sender.votes for sender in senders)
    return label, votes / duration, cpu / votes * 1e6, sum(sender.errors for sender in senders)
