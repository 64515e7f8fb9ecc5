"""Which nodes of a cluster have the slot of a site at the moment.

Of redis-py's cluster support only the part is used that finds the nodes: its pipeline takes four times as long as ours.
"""

import threading
import time
from collections.abc import Sequence
from typing import Any

import redis
from redis.cluster import ClusterNode, NodesManager
from redis.exceptions import AskError, MovedError, RedisClusterException

Address = tuple[str, int]

#: Seconds for which a look-up holds, also one that failed: more than the pause between two attempts.
LOOK_UP_SECONDS = 0.1


class SlotNodes:
    """The nodes that have one slot: its primary and the replicas of that one; thread-safe.

    Nothing is contacted before the first address is asked for. *options* are those of a client of one node.
    """

    def __init__(self, addresses: Sequence[Address], slot: int, options: dict[str, Any]) -> None:
        self._addresses = tuple(addresses)
        self._slot = slot
        self._options = options
        self._lock = threading.Lock()
        self._manager: NodesManager | None = None
        self._nodes: list[Address] = []
        self._problem: redis.RedisError | None = None
        self._valid_until = 0.0
        self._asked: dict[Address, redis.Redis] = {}

    def primary(self) -> list[Address]:
        """Return the address of the primary, alone; raise RedisError when no node tells it."""
        return self._look_up()[:1]

    def replicas(self) -> list[Address]:
        """Return the addresses of the replicas, another first each second; raise RedisError when there is none."""
        _, *replicas = self._look_up()
        if not replicas:
            raise redis.ConnectionError("no replica has the slot")
        turn = int(time.monotonic()) % len(replicas)
        return [*replicas[turn:], *replicas[:turn]]

    def _look_up(self) -> list[Address]:
        with self._lock:
            if time.monotonic() >= self._valid_until:
                try:
                    self._nodes, self._problem = self._ask_cluster(), None
                except (RedisClusterException, IndexError, OSError) as error:  # IndexError: no node has a slot
                    self._problem = _reason(error)
                self._valid_until = time.monotonic() + LOOK_UP_SECONDS
            if self._problem:
                raise type(self._problem)(str(self._problem))
            return self._nodes

    def _ask_cluster(self) -> list[Address]:
        """Return the addresses of the slot's primary and replicas, as the first node that answers has them."""
        if self._manager is None:
            options = {name: value for name, value in self._options.items() if name != "retry"}
            nodes = [ClusterNode(*address) for address in self._addresses]  # type: ignore[no-untyped-call]
            self._manager = NodesManager(nodes, **options)
        else:  # All nodes that were known may have been replaced by others since: those of the URL are asked, too.
            known = {(node.host, int(node.port)) for node in self._manager.startup_nodes.values()}
            others = [address for address in self._addresses if address not in known]  # a silent node costs time
            self._manager.initialize(additional_startup_nodes_info=others)
        self._manager.get_node_from_slot(self._slot)  # raises an error if none has it
        return [(node.host, int(node.port)) for node in self._manager.slots_cache[self._slot]]

    def follow(self, error: MovedError, host: str) -> None:
        """Take the node that *error* names for the primary: nodes that are asked next may not know it yet.

        *host* is that of the node that told so: an address without a host is on the same one.
        """
        with self._lock:
            address = (error.host or host, error.port)
            self._nodes = [address, *(node for node in self._nodes if node != address)]
            self._problem = None
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
            if self._manager:
                self._manager.close()
            for client in self._asked.values():
                client.close()


def _reason(error: Exception) -> redis.RedisError:
    """Return why no node could be asked: what the last one answered, if it refused us."""
    cause = error.__cause__
    if isinstance(cause, RedisClusterException):  # it says that the node is in no cluster; the server may say more
        cause = cause.__context__
    is_refused = isinstance(cause, redis.ResponseError | redis.AuthenticationError)
    return cause if is_refused and isinstance(cause, redis.RedisError) else redis.ConnectionError(str(error))
