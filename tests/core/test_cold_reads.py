"""The budget of cold pages: what networks may ask for, and the memory that counting them takes."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from voteweb.core import cold_reads, config
from voteweb.core.addresses import networks
from voteweb.core.cold_reads import ColdReads, hits_of
from voteweb.core.rate_limits import COLD, WIDE_LIMITS


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The clock of the budget, in seconds."""
    now = [1_000.0]
    monkeypatch.setattr(cold_reads, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def reads(clock: list[float]) -> ColdReads:
    return ColdReads(1)


def taken(reads: ColdReads, address: str, asked: int = 1_000) -> int:
    """Return how many pages in a row *address* gets."""
    return sum(reads.take(hits_of(address, ())) is None for _ in range(asked))


def refusing_limit(reads: ColdReads, address: str) -> str:
    refusal = reads.take(hits_of(address, ()))
    assert refusal
    assert refusal.values["wait"] == 1
    return str(refusal.values["kind"])


@pytest.mark.parametrize(
    ("address", "same", "neighbour"),
    [
        ("8.8.8.8", "::ffff:8.8.8.8", "8.8.8.9"),
        ("2a00:1450:1:2::1", "2a00:1450:1:2:3::9", "2a00:1450:1:3::1"),
    ],
)
def test_address_gets_sixty_pages_then_two_a_second(
    address: str, same: str, neighbour: str, reads: ColdReads, clock: list[float]
) -> None:
    assert (taken(reads, address), taken(reads, same)) == (60, 0)
    assert refusing_limit(reads, address) == COLD.kind
    assert taken(reads, neighbour) == 60
    clock[0] += 10
    assert taken(reads, address) == 20
    clock[0] += 1_000
    assert taken(reads, address) == 60


@pytest.mark.parametrize("pattern", ["8.8.8.{}", "2a00:1450:1:{}::1"])
def test_network_gets_ten_times_as_many(pattern: str, reads: ColdReads) -> None:
    assert sum(taken(reads, pattern.format(number), 60) for number in range(1, 100)) == 600
    assert refusing_limit(reads, pattern.format(200)) == WIDE_LIMITS[COLD.kind].kind
    assert taken(reads, "9.9.9.9") == 60


def test_private_unknown_and_exempt_addresses_are_not_counted() -> None:
    exempt = networks("66.249.64.0/19, 2001:4860:4801::/48")
    addresses = "127.0.0.1 ::1 10.1.2.3 192.168.1.1 169.254.1.1 100.64.0.1 fd00::1 fe80::1%eth0 ::ffff:10.0.0.1 - "
    for address in (*addresses.split(" "), "66.249.66.1", "2001:4860:4801:10::1", "::ffff:66.249.66.1"):
        assert hits_of(address, exempt) == (), address
    for address in ("66.249.128.1", "2001:4860:4802::1"):
        assert hits_of(address, exempt), address


def test_the_fullest_networks_are_kept(reads: ColdReads, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "COLD_NETWORKS", 100)
    full = [f"8.8.{number}.8" for number in range(30)]  # with a wider network each
    for address in full:
        taken(reads, address, 60)
    for number in range(2 * config.COLD_NETWORKS):
        taken(reads, f"9.{number >> 8}.{number & 255}.1", 1)
        assert len(reads) <= config.COLD_NETWORKS
    assert {taken(reads, address) for address in full} == {0}


def test_threads_get_no_more_together(reads: ColdReads) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(lambda _: taken(reads, "8.8.8.8", 200), range(8))) == 60
