"""The settings of a site as they are shown: their values without secrets, and where each comes from."""

import json
import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from voteweb.core.config import SOURCES_VARIABLE, Settings, env_name

#: Settings of which the value is never shown, and what is shown where there is none.
_SECRETS = {"secret_key": "missing", "metrics_token": "-"}  # nosec B105


class SettingInForce(NamedTuple):
    """A setting by its variable, with its value as it may be shown."""

    name: str
    value: str
    unit: str
    source: str
    reason: str


def settings_in_force(
    settings: Settings,
    from_file: Collection[str] = (),
    file_name: str = "",
    env: Mapping[str, str] = os.environ,
    *,
    in_data: Collection[str] = (),
) -> Iterator[SettingInForce]:
    """Yield every setting; the variables *from_file* have been read from the file of this name.

    The settings *in_data* have the values that the site's data have.

    ``voteweb run`` gives its workers all settings in the environment, and tells them where each is from.
    """
    given = _given_sources(env)
    for setting in fields(Settings):
        name = env_name(setting.name)
        value, source = _shown(setting.name, settings), "default"
        if setting.name in in_data:
            source = "data"
        elif given:
            source = given.get(name, source)
            if setting.name == "redis_url" and source == "default":
                value = "embedded"
        elif env.get(name):
            source = file_name if name in from_file else "environment"
        elif setting.name in ("vote_score", "comment_vote_score"):
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


def _given_sources(env: Mapping[str, str]) -> dict[str, str]:
    given = json.loads(env.get(SOURCES_VARIABLE) or "{}")
    return given if isinstance(given, dict) else {}


def _fingerprint(secret: str) -> str:
    """Return eight digits by which to compare the secrets of two machines."""
    return blake2b(secret.encode(), person=b"fingerprint", digest_size=4).hexdigest()


def _shown(name: str, settings: Settings) -> str:
    """Return the value of the setting *name* as it may be shown."""
    value = getattr(settings, name)
    if name == "secret_key" and value:
        return f"*** (fingerprint {_fingerprint(value)})"
    if name in _SECRETS:
        return "***" if value else _SECRETS[name]
    if name == "redis_url":
        return mask_password(value) or "embedded"
    return (mask_password(value) if isinstance(value, str) else str(value)) or "-"
