"""The settings that are in force: those in the data, and how all are shown, without secrets and with their sources.

The settings that shape stored scores and times are in the data, and the environment counts at the first start. So a
command that is started without the environment of the site computes nothing with other values.
"""

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from voteweb.core.config import MAX_GOOD_VOTES, SOURCES_VARIABLE
from voteweb.core.errors import ConfigError
from voteweb.core.ranking import SECONDS_PER_DAY
from voteweb.core.settings import Settings, env_name, parse_setting, variables

#: The settings that are in the data, by their names.
STORED = ("vote_score", "good_votes", "lift_days", "own_vote", "comment_vote_score", "voting_seconds",
    "commenting_seconds")  # fmt: skip
#: The fields that hold them, in this order.
FIELDS = tuple(name.replace("_", "-") for name in STORED)
#: Their names as the environment sets them: the data have what a vote on a comment is worth.
NAMED = tuple("comment_good_votes" if name == "comment_vote_score" else name for name in STORED)
#: The field with the unix time since which these values count.
SINCE = "settings-since"
#: The field with the id of the site: random characters by which its processes know their data.
SITE_ID = "id"
#: The field with the unix time of a change after which not all articles have their new scores yet.
RESCORING = "rescoring-since"
#: The field that counts the articles which have been seen since then.
RESCORED = "rescored"
#: Settings whose value is never shown, and the text that is shown where there is none.
_SECRETS = {"secret_key": "missing", "metrics_token": "-"}  # nosec B105


def stored_fields(settings: Settings) -> dict[str, str]:
    return {field: str(getattr(settings, name)) for field, name in zip(FIELDS, STORED, strict=True)}


def changes(before: Settings, after: Settings) -> dict[str, tuple[str, str]]:
    """Return the stored values that differ, by their fields."""
    pairs = zip(stored_fields(before).items(), stored_fields(after).values(), strict=True)
    return {field: (old, new) for (field, old), new in pairs if old != new}


def is_stored_setting(field: str, text: str) -> bool:
    """Tell whether *text* is a value of the setting in *field*."""
    return field in FIELDS and _value(field, text) is not None


def with_stored(settings: Settings, stored: Iterable[str | None]) -> Settings:
    """Return *settings* with the values *stored* in FIELDS, except absent ones and those that cannot be read."""
    values = {name: _value(field, text) for name, field, text in zip(STORED, FIELDS, stored, strict=True)}
    changes = {name: value for name, value in values.items() if value not in (None, getattr(settings, name))}
    if worth := changes.get("comment_vote_score"):
        changes["comment_good_votes"] = min(max(round(SECONDS_PER_DAY / worth), 1), MAX_GOOD_VOTES)
    return replace(settings, **changes) if changes else settings


def in_force(environment: Settings, stored: Settings) -> Settings:
    """Return the settings of the *environment* with those of *stored* that are in the data."""
    return replace(environment, **{name: getattr(stored, name) for name in {*STORED, *NAMED}})


def not_in_force(environment: Settings, stored: Settings) -> dict[str, str]:
    """Return what the *environment* says of the settings that are others in the data, by their names."""
    pairs = {name: (str(getattr(environment, name)), str(getattr(stored, name))) for name in NAMED}
    return {name: wanted for name, (wanted, value) in pairs.items() if wanted != value}


# For each article that is rescored or examined.
@lru_cache(maxsize=64)
def _value(field: str, text: str | None) -> Any:
    try:
        return parse_setting(field.replace("-", "_"), text) if text else None
    except ConfigError:
        return None


class SettingInForce(NamedTuple):
    """A setting by its variable, with its value as it may be shown."""

    name: str
    value: str
    unit: str
    source: str
    description: str


def settings_in_force(
    settings: Settings, from_file: Collection[str] = (), file_name: str = "", *, in_data: Collection[str] = ()
) -> Iterator[SettingInForce]:
    """Yield every setting; the variables *from_file* have been read from the file of this name.

    The settings *in_data* have the values that the site's data have.

    ``voteweb run`` gives its workers all settings in the environment, and tells them where each is from.
    """
    given = json.loads(os.environ.get(SOURCES_VARIABLE) or "{}")
    for setting in variables():
        name = env_name(setting.name)
        value, source = _shown(setting.name, settings), "default"
        if setting.name in in_data:
            source = "data"
        elif given:
            source = given.get(name, source)
            if setting.name == "redis_url" and source == "default":
                value = "embedded"
        elif os.environ.get(name):
            source = file_name if name in from_file else "environment"
        elif setting.name == "vote_score":
            source = "worked out"
        elif setting.name == "secret_key" and not settings.redis_url:
            exists = (Path(settings.data_dir) / "secret.key").exists()
            value, source = "***" if exists else "made at the first start", "data directory"
        elif getattr(settings, setting.name) != setting.default:
            source = "command line"
        yield SettingInForce(name, value, setting.metadata["unit"], source, setting.metadata["description"])


def sources(settings: Settings, from_file: Collection[str], file_name: str) -> str:
    """Return where each setting is from, as the value of SOURCES_VARIABLE."""
    return json.dumps({row.name: row.source for row in settings_in_force(settings, from_file, file_name)})


def mask_password(url: str) -> str:
    """Return the URL of a database or server with its passwords masked."""
    # Up to the last @: a password may have characters that it should not have in a URL.
    url = re.sub(r"(?<=://)([^/@:]*):.*(?=@)", r"\1:***", url)
    return re.sub(r"([?&](?:sentinel_|ssl_)?password=)[^&#]*", r"\1***", url)


def _shown(name: str, settings: Settings) -> str:
    """Return the value of the setting *name* as it may be shown."""
    value = getattr(settings, name)
    if name == "secret_key" and value:
        # Eight digits by which to compare the secrets of two machines.
        return f"*** (fingerprint {blake2b(value.encode(), person=b'fingerprint', digest_size=4).hexdigest()})"
    if name in _SECRETS:
        return "***" if value else _SECRETS[name]
    if name == "redis_url":
        return mask_password(value) or "embedded"
    return (mask_password(value) if isinstance(value, str) else str(value)) or "-"
