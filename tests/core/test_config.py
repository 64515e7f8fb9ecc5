"""The settings that the environment may give, and what is computed from them."""

import dataclasses
import math
from typing import Any

import pytest

from voteweb.core.config import ENDED_VARIABLES
from voteweb.core.errors import ConfigError
from voteweb.core.settings import Settings, env_name, from_env, unknown_name_warnings, variables

BAD_CONTACT = "VOTEWEB_CONTACT must begin with mailto: or https:// and have no blanks."
BAD_SITE = (
    "VOTEWEB_SITE must be at most 32 lower-case letters a to z, digits and hyphens, the first no hyphen. "
    "The name that readers see is VOTEWEB_SITE_NAME."
)
BAD_URL = "VOTEWEB_SITE_URL must be http:// or https:// and a host in ASCII, without a path."
BAD_URLS = ["news.example", "ftp://news.example", "https://", "https://news.example/news", "https://a b", "//news"]
BAD_URLS += ["https://:::", "https://news.example:99999", "https://news.example:0", "https://[::1", "https://[1.2.3.4]"]


@pytest.mark.parametrize(
    ("env", "message"),
    [
        ({"VOTEWEB_OWN_VOTE": "yes"}, "VOTEWEB_OWN_VOTE must be 0 or 1, not 'yes'."),
        ({"VOTEWEB_GOOD_VOTES": "many"}, "VOTEWEB_GOOD_VOTES must be a whole number, not 'many'."),
        ({"VOTEWEB_GOOD_VOTES": "0"}, "VOTEWEB_GOOD_VOTES must be at least 1."),
        ({"VOTEWEB_VOTE_SCORE": "432s"}, "VOTEWEB_VOTE_SCORE must be a number, not '432s'."),
        ({"VOTEWEB_VOTE_SCORE": "-1"}, "VOTEWEB_VOTE_SCORE must be at least 0.001."),
        ({"VOTEWEB_VOTE_SCORE": "nan"}, "VOTEWEB_VOTE_SCORE must be a finite number."),
        ({"VOTEWEB_OWN_VOTE": "2"}, "VOTEWEB_OWN_VOTE must be 0 or 1."),
        ({"VOTEWEB_REDIS_DEADLINE": "0"}, "VOTEWEB_REDIS_DEADLINE must be at least 0.1."),
        ({"VOTEWEB_PORT": "65536"}, "VOTEWEB_PORT must be at most 65535."),
        # Redis refuses an expiry too far away, and would do so after a script's first write.
        ({"VOTEWEB_VOTING_SECONDS": "9" * 18}, "VOTEWEB_VOTING_SECONDS must be at most 3155760000."),
        # Each of these was accepted, and made every page fail.
        ({"VOTEWEB_EDIT_SECONDS": "1" + "0" * 17}, "VOTEWEB_EDIT_SECONDS must be at most 3155760000."),
        ({"VOTEWEB_SESSION_DAYS": "100000000"}, "VOTEWEB_SESSION_DAYS must be at most 365."),
        ({"VOTEWEB_PAGE_SIZE": "100000"}, "VOTEWEB_PAGE_SIZE must be at most 250."),
        (
            {"VOTEWEB_SITE_ULR": "https://news.example"},
            "There is no setting VOTEWEB_SITE_ULR. Did you mean VOTEWEB_SITE_URL? Rename or unset it.",
        ),
        *(({"VOTEWEB_SITE_URL": url}, BAD_URL) for url in BAD_URLS),
        ({"VOTEWEB_CONTACT": "ann@news.example"}, BAD_CONTACT),
        ({"VOTEWEB_CONTACT": "mailto:ann\nContact: eve"}, BAD_CONTACT),
        *(({"VOTEWEB_SITE": name}, BAD_SITE) for name in ("Cooking", "-cooking", "a" * 33, "a b", "{a}", "süd", "a\n")),
        ({"VOTEWEB_SIGNUP": "maybe"}, "VOTEWEB_SIGNUP must be one of: open, approve, invite, closed."),
    ],
)
def test_invalid_value_is_refused_by_name(env: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        from_env(env)
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("env", "vote_score"),
    [
        ({}, 432),  # 86,400 / 200
        ({"VOTEWEB_GOOD_VOTES": "100"}, 864),
        ({"VOTEWEB_VOTE_SCORE": "100", "VOTEWEB_GOOD_VOTES": "10"}, 100),
        ({"VOTEWEB_VOTE_SCORE": "0.5"}, 0.5),
        ({"VOTEWEB_VOTE_SCORE": ""}, 432),
    ],
)
def test_good_votes_are_worth_a_day_by_default(env: dict[str, str], vote_score: float) -> None:
    assert from_env(env).vote_score == vote_score


@pytest.mark.parametrize("setting", variables(), ids=lambda setting: setting.name)
def test_every_setting_has_a_unit_a_description_and_a_variable(setting: dataclasses.Field[object]) -> None:
    assert setting.metadata["unit"]
    assert setting.metadata["description"]
    # A default stays valid when the environment repeats it.
    if setting.default not in ("", 0.0):
        assert getattr(from_env({env_name(setting.name): str(setting.default)}), setting.name) == setting.default


def test_every_number_has_bounds() -> None:
    numbers = [setting for setting in dataclasses.fields(Settings) if isinstance(setting.default, int | float)]
    switches = [setting for setting in numbers if setting.metadata["unit"] == "0 or 1"]
    bounded = [number for number in numbers if number.metadata["min"] is not None and number.metadata["max"] < math.inf]
    assert {setting.name for setting in numbers} == {setting.name for setting in bounded + switches}


def test_ended_settings_have_no_effect_but_a_warning() -> None:
    env = dict.fromkeys(ENDED_VARIABLES, "7")
    assert from_env(env | {"GOOD_VOTES": "1", "VOTEWEB_UNHEARD_OF": "1"}) == Settings()
    warnings = unknown_name_warnings(env)
    assert len(warnings) == len(ENDED_VARIABLES) == 8
    assert warnings[0] == "VOTEWEB_COMMENTS_ON_PAGE is set, but this setting has ended: unset it. See docs/settings.md."


@pytest.mark.parametrize(
    ("url", "secure"), [("", False), ("http://a.example:8000", False), ("https://[::1]:65535/", True)]
)
def test_only_a_site_under_https_is_secure(url: str, secure: bool) -> None:
    assert Settings(site_url=url).secure is secure


@pytest.mark.parametrize(
    ("changes", "warning"),
    [
        ({}, None),
        ({"host": "::1"}, None),
        ({"host": "0.0.0.0"}, "listens at a public address without a proxy"),
        ({"host": "0.0.0.0", "trusted_proxies": 1}, None),
        ({"site_url": "https://news.example"}, "VOTEWEB_TRUSTED_PROXIES is 0"),
    ],
)
def test_a_public_site_without_a_proxy_is_warned(changes: dict[str, Any], warning: str | None) -> None:
    warnings = Settings(**changes).warnings()
    assert len(warnings) == (warning is not None)
    assert (warning or "") in "".join(warnings)
