"""The settings that shape stored scores and times: they are in the data, and the environment counts at the first start.

So a command that is started without the environment of the site computes nothing with other values.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from voteweb.core.config import Settings, parse_setting
from voteweb.core.errors import ConfigError

#: These settings, by their names.
STORED = ("vote_score", "good_votes", "lift_days", "own_vote", "comment_vote_score", "voting_seconds",
    "commenting_seconds")  # fmt: skip
#: The fields that hold them, in this order.
FIELDS = tuple(name.replace("_", "-") for name in STORED)
#: The field with the unix time since which these values count.
SINCE = "settings-since"
#: The field with the unix time of a change after which not all articles have their new scores yet.
RESCORING = "rescoring-since"


def stored_fields(settings: Settings) -> dict[str, str]:
    """Return the fields that hold these settings."""
    return {field: str(getattr(settings, name)) for field, name in zip(FIELDS, STORED, strict=True)}


def is_stored_setting(field: str, text: str) -> bool:
    """Tell whether *text* is a value of the setting in *field*."""
    return field in FIELDS and _value(field, text) is not None


def with_stored(settings: Settings, stored: Mapping[str, str | None]) -> Settings:
    """Return *settings* with the values *stored*; what is absent or cannot be read is as *settings* have it."""
    values = {name: _value(field, stored.get(field)) for field, name in zip(FIELDS, STORED, strict=True)}
    changes = {name: value for name, value in values.items() if value not in (None, getattr(settings, name))}
    return replace(settings, **changes) if changes else settings


def not_in_force(environment: Settings, in_force: Settings) -> dict[str, str]:
    """Return what the *environment* says of the settings that are another *in_force*, by their names."""
    wanted, stored = stored_fields(environment), stored_fields(in_force)
    return {name: wanted[field] for field, name in zip(FIELDS, STORED, strict=True) if wanted[field] != stored[field]}


def _value(field: str, text: str | None) -> Any:
    try:
        return parse_setting(field.replace("-", "_"), text) if text else None
    except ConfigError:
        return None
