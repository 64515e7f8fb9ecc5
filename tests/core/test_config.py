"""The settings that the environment may give, and what is computed from them."""

import dataclasses
import math

import pytest

from tests.rows import check_refusals, check_results
from voteweb.core.config import ENDED_VARIABLES
from voteweb.core.errors import ConfigError
from voteweb.core.settings import Settings, env_name, from_env, unknown_name_warnings, variables

BAD_URLS = ["news.example", "ftp://news.example", "https://", "https://news.example/news", "https://a b", "//news"]
BAD_URLS += ["https://:::", "https://news.example:99999", "https://news.example:0", "https://[::1", "https://[1.2.3.4]"]
#: Variables with values that are refused by their names, and why.
REFUSED = {
    "OWN_VOTE": {"must be 0 or 1, not 'yes'.": ["yes"], "must be 0 or 1.": ["2"]},
    "GOOD_VOTES": {"must be a whole number, not 'many'.": ["many"], "must be at least 1.": ["0"]},
    "VOTE_SCORE": {
        "must be a number, not '432s'.": ["432s"],
        "must be at least 0.001.": ["-1"],
        "must be a finite number.": ["nan"],
    },
    "REDIS_DEADLINE": {"must be at least 0.1.": ["0"]},
    "HOST": {
        f"must be an address or a name without a port, such as 127.0.0.1, not {host}. The port is VOTEWEB_PORT.": [host]
        for host in ("localhost:8000", "[::1]", "http://news.example", "[::1]:80", "a b")
    },
    "PORT": {"must be at most 65535.": ["65536"]},
    # Redis refuses an expiry too far away, and would do so after a script's first write.
    "VOTING_SECONDS": {"must be at most 3155760000.": ["9" * 18]},
    # Each of these was accepted, and made every page fail.
    "EDIT_SECONDS": {"must be at most 3155760000.": ["1" + "0" * 17]},
    "SESSION_DAYS": {"must be at most 365.": ["100000000"]},
    "PAGE_SIZE": {"must be at most 250.": ["100000"]},
    "SITE_URL": {"must be http:// or https:// and a host in ASCII, without a path.": BAD_URLS},
    "CONTACT": {
        "must begin with mailto: or https:// and have no blanks.": ["ann@news.example", "mailto:ann\nContact: eve"]
    },
    "SITE": {
        "must be at most 32 lower-case letters a to z, digits and hyphens, the first no hyphen. The name that readers "
        "see is VOTEWEB_SITE_NAME.": ["Cooking", "-cooking", "a" * 33, "a b", "{a}", "süd", "a\n"]
    },
    "COLD_READS": {"must be at least 0.": ["-1"]},
    "COLD_EXEMPT": {
        "must be networks such as 192.0.2.0/24, separated by commas: '66.249/19' does not appear to "
        "be an IPv4 or IPv6 network.": ["66.249/19", "192.0.2.0/24, 66.249/19"],
        "must be networks such as 192.0.2.0/24, separated by commas: 66.249.64.1/19 has host bits set.": [
            "66.249.64.1/19"
        ],
    },
    "SIGNUP": {"must be one of: open, approve, invite, closed.": ["maybe"]},
}


def test_invalid_value_is_refused_by_name(subtests: pytest.Subtests) -> None:
    for name, values in REFUSED.items():
        messages = {f"VOTEWEB_{name} {problem}": rows for problem, rows in values.items()}
        check_refusals(subtests, ConfigError, {lambda value, name=f"VOTEWEB_{name}": from_env({name: value}): messages})


@pytest.mark.parametrize("name", ["VOTEWEB_SITE_ULR", "VOTEWEB_SITEURL", "VOTEWEB_SIT_URLS", "VOTEWEB_ISTE_ULR"])
def test_misspelt_name_is_refused(name: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        from_env({name: "https://news.example"})
    assert str(refusal.value) == f"There is no setting {name}. Did you mean VOTEWEB_SITE_URL? Rename or unset it."


def test_addresses_and_names_are_hosts() -> None:
    hosts = ["::1", "0.0.0.0", "fe80::1%eth0", "localhost", "news_1.internal", "böse.example"]
    assert [from_env({"VOTEWEB_HOST": host}).host for host in hosts] == hosts


def test_the_name_of_another_program_is_left_alone() -> None:
    from_env({f"VOTEWEB_{name}": "x" for name in ("BACKUP_DIR", "BRAND_URL", "PAGES_URL")})


def test_values_are_computed_from_others(subtests: pytest.Subtests) -> None:
    vote_scores = [
        ({}, 432),  # 86,400 / 200: good votes are worth a day
        ({"VOTEWEB_GOOD_VOTES": "100"}, 864),
        ({"VOTEWEB_VOTE_SCORE": "100", "VOTEWEB_GOOD_VOTES": "10"}, 100),
        ({"VOTEWEB_VOTE_SCORE": "0.5"}, 0.5),
        ({"VOTEWEB_VOTE_SCORE": ""}, 432),
    ]
    is_secure = [("", False), ("http://a.example:8000", False), ("https://[::1]:65535/", True)]
    # A public site without a proxy is warned.
    warnings = [
        ({}, ""),
        ({"host": "::1"}, ""),
        ({"host": "0.0.0.0"}, "The site listens at a public address without a proxy"),
        ({"host": "0.0.0.0", "trusted_proxies": 1}, ""),
        ({"site_url": "https://news.example"}, "The site is under https"),
    ]
    table = {
        lambda env: from_env(env).vote_score: vote_scores,
        lambda url: Settings(site_url=url).secure: is_secure,
        lambda changes: "".join(Settings(**changes).warnings()).partition(",")[0].partition(":")[0]: warnings,
    }
    check_results(subtests, table)


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
