"""The table of abuse limits: one row for each kind, each with a reason that a person is told."""

import re

import pytest

from voteweb.core.rate_limits import DAY, EXEMPT, HOUR, LIMITS, By, Limit, member_limit, network

every_limit = pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.kind)


def test_every_limit_has_a_name_of_its_own() -> None:
    kinds = [limit.kind for limit in LIMITS]
    assert len(set(kinds)) == len(kinds)


@every_limit
def test_a_limit_can_be_kept_and_lets_people_work(limit: Limit) -> None:
    assert re.fullmatch("[a-z]+", limit.kind), "it is part of a key"
    assert limit.burst >= 3
    assert limit.seconds in (HOUR, DAY)
    assert limit.burst < limit.times, "what one may do at once is less than in the long run"
    # Who has used up all at once waits an hour and a half at most for the next.
    assert limit.pause <= 1.5 * HOUR


@every_limit
def test_a_limit_says_what_until_when_and_why(limit: Limit) -> None:
    words = limit.words % {"wait": "40 s", "when": "10:00 UTC"}
    what, until_when, why, *rest = re.split(r"(?<=\.) ", words)
    assert re.search(r"\b(very often|too many|several times|many)\b", what, re.IGNORECASE)
    assert "in 40 s, at 10:00 UTC" in until_when
    assert why.startswith("The limit ")
    assert not rest


def test_no_view_has_two_limits_of_one_sort_and_none_is_exempt_as_well() -> None:
    seen = [(limit.by, view, limit.method) for limit in LIMITS for view in limit.views]
    assert len(set(seen)) == len(seen)
    assert not {view for _, view, _ in seen} & set(EXEMPT)
    assert all(EXEMPT.values())


def test_a_members_request_meets_the_limit_of_its_view() -> None:
    for view, method in (("articles.front", "GET"), (None, "POST"), ("votes.vote", "GET")):
        assert member_limit(view, method) is None
    for limit in LIMITS:
        for view in limit.views:
            assert member_limit(view, limit.method) is (limit if limit.by is By.MEMBER else None)
    assert member_limit("account.data", "HEAD") is member_limit("account.data", "GET")


@pytest.mark.parametrize(
    ("address", "same_as"),
    [
        ("198.51.100.7", "198.51.100.7"),
        ("::ffff:198.51.100.7", "198.51.100.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        (None, ""),
        ("unix:", ""),
        ("198.51.100.7, 203.0.113.9", ""),
        ("x" * 9_000, ""),
    ],
)
def test_an_ipv4_address_stands_for_itself_and_an_ipv6_one_for_its_household(address: str | None, same_as: str) -> None:
    assert network(address) == same_as
