"""Which node of a cluster has the slot of a site at the moment.

Of redis-py's cluster support nothing is used: its pipeline takes four times as long as ours, and its look-up of the
nodes asks one silent node after the other without a limit.
"""

import random
import threading
import time
from collections.abc import Sequence
from typing import Any

import redis
from redis.exceptions import AskError, MovedError

Address = tuple[str, int]

#: Seconds for which a look-up holds, also one that failed: more than the pause between two attempts.
LOOK_UP_SECONDS = 0.1
#: One silent node may take this share of a look-up, so that another can be asked.
NODE_SHARE = 0.5


class SlotNodes:
    """The nodes of a cluster, and which of them has one slot; thread-safe.

    Nothing is contacted before the first address is asked for. *options* are those of a client of one node; a look-up
    asks one node after the other for *seconds* at most.
    """

    def __init__(self, addresses: Sequence[Address], slot: int, options: dict[str, Any], *, seconds: float) -> None:
        self._addresses = tuple(addresses)
        self._slot = slot
        self._options = options
        self._seconds = seconds
        self._lock = threading.Lock()
        #: All nodes to ask, the next first: each look-up begins with another, as one that is cut off from the others
        #: tells what was.
        self._to_ask = random.sample(self._addresses, len(self._addresses))  # nosec B311
        self._primary: Address = ("", 0)
        self._problem: redis.RedisError | None = None
        self._valid_until = 0.0
        self._asked: dict[Address, redis.Redis] = {}

    def primary(self) -> Address:
        """Return the address of the primary; raise RedisError when no node tells it."""
        with self._lock:
            if time.monotonic() >= self._valid_until:
                try:
                    self._primary, self._problem = self._ask_cluster(), None
                except redis.RedisError as error:
                    self._problem = error
                self._valid_until = time.monotonic() + LOOK_UP_SECONDS
            if self._problem:
                raise type(self._problem)(str(self._problem))
            return self._primary

    def _ask_cluster(self) -> Address:
        """Return the address of the slot's primary, as the first node that knows it has it."""
        until = time.monotonic() + self._seconds
        problem: redis.RedisError = redis.TimeoutError("no node was asked in time")
        for address in list(self._to_ask):
            left = until - time.monotonic()
            if left <= 0:
                break
            self._to_ask.remove(address)
            self._to_ask.append(address)
            try:
                ranges = self._ranges(address, min(left, self._seconds * NODE_SHARE))
            except redis.RedisError as error:
                problem = error
            else:
                if nodes := next((nodes for first, last, nodes in ranges if first <= self._slot <= last), None):
                    self._remember([node for _, _, nodes in ranges for node in nodes])
                    return nodes[0]
                problem = redis.ConnectionError("no node has the slot")
        raise problem

    def _ranges(self, address: Address, seconds: float) -> list[tuple[int, int, list[Address]]]:
        """Return which slots are where, as the node at *address* knows: the first, the last, and their nodes.

        Its connection, and each answer, may take *seconds*.
        """
        host, _ = address
        limits = {"socket_timeout": seconds, "socket_connect_timeout": seconds}
        with redis.Redis(*address, **self._options | limits) as client:
            reply = client.execute_command("CLUSTER SLOTS")
        # A node without an address is on the host that was asked.
        return [(first, last, [(node[0] or host, node[1]) for node in nodes]) for first, last, *nodes in reply]

    def _remember(self, known: Sequence[Address]) -> None:
        """Ask the *known* nodes from now on; after them those of the URL, as others may have replaced all of these."""
        waiting = [address for address in self._to_ask if address in known]
        new = [address for address in dict.fromkeys(known) if address not in waiting]
        self._to_ask = [*new, *waiting, *(address for address in self._addresses if address not in known)]

    def follow(self, error: MovedError, host: str) -> None:
        """Take the node that *error* names for the primary: nodes that are asked next may not know it yet.

        *host* is that of the node that told so: an address without a host is on the same one.
        """
        with self._lock:
            self._primary, self._problem = (error.host or host, error.port), None
            self._valid_until = time.monotonic() + LOOK_UP_SECONDS

    def client_of(self, error: AskError) -> redis.Redis:
        """Return a client of the node to which the slot is moving."""
        if not error.host:
            raise error
        with self._lock:
            address = (error.host, error.port)
            if address not in self._asked:
                self._asked[address] = redis.Redis(*address, **self._options)
            return self._asked[address]

    def close(self) -> None:
        """Close all connections, and look the nodes up again for the next."""
        with self._lock:
            self._valid_until = 0.0
            for client in self._asked.values():
                client.close()
