"""The table of rate limits: one row for each kind, with a message that gives the reason."""

import re

import pytest

from voteweb.core.rate_limits import DAY, EXEMPT, HOUR, LIMITS, Limit, LimitScope, member_limit, network

every_limit = pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.kind)


@every_limit
def test_limit_allows_normal_use(limit: Limit) -> None:
    assert re.fullmatch("[a-z]+", limit.kind), "it is part of a key"
    assert limit.burst >= 3
    assert limit.seconds in (HOUR, DAY)
    assert limit.burst * limit.interval <= DAY, "a whole burst is possible again a day later"
    longest = 4 if limit.scope is LimitScope.NEWCOMER else 1.5
    assert limit.interval <= longest * HOUR, "after a burst the next act is possible soon"


@every_limit
def test_message_says_what_until_when_and_why(limit: Limit) -> None:
    values = {"wait": "40 s", "when": "10:00 UTC", "burst": limit.burst, "span": "7 days"}
    message = limit.template % (values | {"things": limit.things, "aim": limit.aim})
    what, until_when, why, *more = re.split(r"(?<=\.) ", message)
    assert re.search(r"\b(too many|limit of \d+)\b", what, re.IGNORECASE)
    assert "in 40 s, at 10:00 UTC" in until_when
    assert why.startswith("The limit ")
    assert limit.aim
    assert not more


def test_limits_of_one_scope_and_exemptions_do_not_overlap() -> None:
    assert len({limit.kind for limit in LIMITS}) == len(LIMITS)
    limited = [(limit.scope, limit.seconds, view, limit.method) for limit in LIMITS for view in limit.views]
    assert len(set(limited)) == len(limited)
    assert not {view for *_, view, _ in limited} & set(EXEMPT)
    assert all(EXEMPT.values())


def test_only_member_limits_count_a_members_request() -> None:
    for view, method in (("lists.front", "GET"), (None, "POST"), ("votes.vote", "GET")):
        assert member_limit(view, method) is None
    of_members = [limit for limit in LIMITS if limit.scope is LimitScope.MEMBER]
    expected = {(view, limit.method): limit for limit in of_members for view in limit.views}
    for limit in LIMITS:
        for view in limit.views:
            assert member_limit(view, limit.method) is expected.get((view, limit.method))
    assert member_limit("account.data", "HEAD") is member_limit("account.data", "GET")


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("198.51.100.7", "198.51.100.7"),
        ("::ffff:198.51.100.7", "198.51.100.7"),
        ("2002:c633:6407:1::9", "198.51.100.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", None),
        ("198.51.100.7, 203.0.113.9", None),
        ("x" * 9_000, None),
    ],
)
def test_network_is_an_ipv4_address_or_an_ipv6_household(address: str | None, expected: str | None) -> None:
    assert network(address) == expected


@pytest.mark.parametrize(
    ("address", "near", "wide"),
    [
        ("198.51.100.7", "198.51.100.0/24", None),
        ("2001:db8:1:2ff:3:4:5:6", "2001:db8:1:200::/56", "2001:db8:1::/48"),
        ("", None, None),
    ],
)
def test_wider_networks_count_neighbours_together(address: str, near: str | None, wide: str | None) -> None:
    assert network(address, LimitScope.NETWORK) == near
    assert network(address, LimitScope.WIDE_NETWORK) == wide
