"""The table of rate limits: one row for each kind, with a message that gives the reason."""

import re

import pytest

from tests.rows import check_results
from voteweb.core.rate_limits import DAY, EXEMPT, HOUR, LIMITS, LimitScope, member_limit, network


def test_limits_allow_normal_use(subtests: pytest.Subtests) -> None:
    for limit in LIMITS:
        with subtests.test(limit.kind):
            assert re.fullmatch("[a-z]+", limit.kind), "it is part of a key"
            assert limit.burst >= 3
            assert limit.seconds in (HOUR, DAY)
            assert limit.burst * limit.interval <= DAY, "a whole burst is possible again a day later"
            longest = 4 if limit.scope is LimitScope.NEWCOMER else 1.5
            assert limit.interval <= longest * HOUR, "after a burst the next act is possible soon"
            assert limit.things


def test_limits_of_one_scope_and_exemptions_do_not_overlap() -> None:
    assert len({limit.kind for limit in LIMITS}) == len(LIMITS)
    limited = [(limit.scope, limit.seconds, view, limit.method) for limit in LIMITS for view in limit.views]
    assert len(set(limited)) == len(limited)
    assert not {view for *_, view, _ in limited} & set(EXEMPT)
    assert all(EXEMPT.values())


def test_only_member_limits_count_a_members_request() -> None:
    for view, method in (("lists.front", "GET"), (None, "POST"), ("votes.vote", "GET"), ("auth.login", "POST")):
        assert member_limit(view, method) is None
    for limit in LIMITS:
        if limit.scope is LimitScope.MEMBER:
            assert all(member_limit(view, limit.method) is limit for view in limit.views)
    # Pages, and forms that count against a limit of another scope, too.
    pages = ("account.data", "search.show", "voters.of_article", "voters.of_member")
    assert all(member_limit(view, "HEAD") is member_limit(view, "GET") is not None for view in pages)
    assert all(member_limit(view, "POST") for view in ("mail.index", "account.end_second_factor"))


#: IPv4 addresses and IPv6 households, and how wider networks count neighbours together.
NETWORKS = {
    network: [
        ("198.51.100.7", "198.51.100.7"),
        ("::ffff:198.51.100.7", "198.51.100.7"),
        ("2002:c633:6407:1::9", "198.51.100.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", None),
        ("198.51.100.7, 203.0.113.9", None),
        ("x" * 9_000, None),
        ("198.51.100.7", LimitScope.NETWORK, "198.51.100.0/24"),
        ("198.51.100.7", LimitScope.WIDE_NETWORK, None),
        ("2001:db8:1:2ff:3:4:5:6", LimitScope.NETWORK, "2001:db8:1:200::/56"),
        ("2001:db8:1:2ff:3:4:5:6", LimitScope.WIDE_NETWORK, "2001:db8:1::/48"),
        ("", LimitScope.NETWORK, None),
    ]
}


def test_network_is_what_a_limit_counts_together(subtests: pytest.Subtests) -> None:
    check_results(subtests, NETWORKS)
