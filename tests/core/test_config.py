"""Settings: what the environment may say, and what is worked out from it."""

import dataclasses

import pytest

from voteweb.core.config import Settings, env_name, from_env
from voteweb.core.errors import ConfigError

ADDRESS = "VOTEWEB_SITE_URL must be http:// or https:// and a host in ASCII, and no path."
NO_ADDRESSES = ["news.example", "ftp://news.example", "https://", "https://news.example/news", "https://a b", "//news"]


@pytest.mark.parametrize(
    ("env", "says"),
    [
        ({"VOTEWEB_GOOD_VOTES": "many"}, "VOTEWEB_GOOD_VOTES must be a whole number, not 'many'."),
        ({"VOTEWEB_GOOD_VOTES": "200.5"}, "VOTEWEB_GOOD_VOTES must be a whole number, not '200.5'."),
        ({"VOTEWEB_GOOD_VOTES": "0"}, "VOTEWEB_GOOD_VOTES must be 1 at least."),
        ({"VOTEWEB_VOTE_SCORE": "432s"}, "VOTEWEB_VOTE_SCORE must be a number, not '432s'."),
        ({"VOTEWEB_VOTE_SCORE": "-1"}, "VOTEWEB_VOTE_SCORE must be 0.001 at least."),
        ({"VOTEWEB_VOTE_SCORE": "nan"}, "VOTEWEB_VOTE_SCORE must be a finite number."),
        ({"VOTEWEB_VOTE_SCORE": "inf"}, "VOTEWEB_VOTE_SCORE must be a finite number."),
        ({"VOTEWEB_REDIS_DEADLINE": "1e999"}, "VOTEWEB_REDIS_DEADLINE must be a finite number."),
        ({"VOTEWEB_OWN_VOTE": "2"}, "VOTEWEB_OWN_VOTE must be 0 or 1."),
        ({"VOTEWEB_OWN_VOTE": "-1"}, "VOTEWEB_OWN_VOTE must be 0 at least."),
        ({"VOTEWEB_VOTING_SECONDS": "0"}, "VOTEWEB_VOTING_SECONDS must be 1 at least."),
        ({"VOTEWEB_PAGE_SIZE": "0"}, "VOTEWEB_PAGE_SIZE must be 1 at least."),
        ({"VOTEWEB_GOOD_LISTED": "-5"}, "VOTEWEB_GOOD_LISTED must be 1 at least."),
        ({"VOTEWEB_GOOD_ON_FRONT": "-1"}, "VOTEWEB_GOOD_ON_FRONT must be 0 at least."),
        ({"VOTEWEB_GROUP_CACHE_SECONDS": "0"}, "VOTEWEB_GROUP_CACHE_SECONDS must be 1 at least."),
        ({"VOTEWEB_MAX_GROUPS": "0"}, "VOTEWEB_MAX_GROUPS must be 1 at least."),
        ({"VOTEWEB_REDIS_DEADLINE": "0"}, "VOTEWEB_REDIS_DEADLINE must be 0.1 at least."),
        ({"VOTEWEB_SESSION_DAYS": "0"}, "VOTEWEB_SESSION_DAYS must be 1 at least."),
        ({"VOTEWEB_WORKERS": "0"}, "VOTEWEB_WORKERS must be 1 at least."),
        ({"VOTEWEB_PORT": "-1"}, "VOTEWEB_PORT must be 0 at least."),
        ({"VOTEWEB_PORT": "65536"}, "VOTEWEB_PORT must be 65535 at most."),
        # Redis refuses an expiry too far away, and would do so after a script's first write.
        ({"VOTEWEB_VOTING_SECONDS": "9" * 18}, "VOTEWEB_VOTING_SECONDS must be 3155760000 at most."),
        ({"VOTEWEB_GROUP_CACHE_SECONDS": "9" * 18}, "VOTEWEB_GROUP_CACHE_SECONDS must be 86400 at most."),
        ({"VOTEWEB_LIMITS": "-1"}, "VOTEWEB_LIMITS must be 0 at least."),
        ({"VOTEWEB_TRUSTED_PROXIES": "-1"}, "VOTEWEB_TRUSTED_PROXIES must be 0 at least."),
        ({"VOTEWEB_TRUSTED_PROXIES": "11"}, "VOTEWEB_TRUSTED_PROXIES must be 10 at most."),
        *(({"VOTEWEB_SITE_URL": url}, ADDRESS) for url in NO_ADDRESSES),
        ({"VOTEWEB_SIGNUP": "maybe"}, "VOTEWEB_SIGNUP must be one of: open, invite, closed."),
    ],
)
def test_a_value_that_cannot_be_one_is_refused_by_name(env: dict[str, str], says: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        from_env(env)
    assert str(refusal.value) == says


@pytest.mark.parametrize(
    ("env", "vote_score"),
    [
        ({}, 432),  # 86,400 / 200
        ({"VOTEWEB_GOOD_VOTES": "100"}, 864),
        ({"VOTEWEB_GOOD_VOTES": "7"}, 86_400 / 7),
        ({"VOTEWEB_VOTE_SCORE": "100"}, 100),
        ({"VOTEWEB_VOTE_SCORE": "100", "VOTEWEB_GOOD_VOTES": "10"}, 100),
        ({"VOTEWEB_VOTE_SCORE": "0.5"}, 0.5),
        ({"VOTEWEB_VOTE_SCORE": ""}, 432),
    ],
)
def test_good_votes_are_worth_a_day_unless_a_vote_has_its_own_worth(env: dict[str, str], vote_score: float) -> None:
    assert from_env(env).vote_score == vote_score


def test_an_empty_environment_gives_the_numbers_of_the_design() -> None:
    found = from_env({})
    assert (found.good_votes, found.own_vote, found.voting_seconds, found.page_size) == (200, 1, 604_800, 25)
    assert (found.good_listed, found.good_on_front, found.group_cache_seconds, found.max_groups) == (50, 10, 60, 5)
    assert (found.signup, found.session_days, found.redis_url, found.secret_key) == ("open", 30, "", "")


@pytest.mark.parametrize("each", dataclasses.fields(Settings), ids=lambda each: each.name)
def test_every_setting_has_a_unit_a_reason_and_a_variable(each: dataclasses.Field[object]) -> None:
    assert each.metadata["unit"]
    assert each.metadata["why"]
    # The default of own_vote is 1 and of good_on_front 10: both stay valid when the environment repeats them.
    if each.default not in ("", 0.0):
        assert getattr(from_env({env_name(each.name): str(each.default)}), each.name) == each.default


def test_variables_of_others_are_left_alone() -> None:
    assert from_env({"GOOD_VOTES": "1", "VOTEWEB_UNHEARD_OF": "1"}) == Settings()


@pytest.mark.parametrize(("url", "secure"), [("", False), ("http://a.example", False), ("https://a.example", True)])
def test_only_a_site_under_https_is_secure(url: str, secure: bool) -> None:
    assert Settings(site_url=url).secure is secure
