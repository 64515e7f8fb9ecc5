"""Calls of scripts, of which each names only the values that matter."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from voteweb.core import config
from voteweb.store import Store
from voteweb.store.connection import scripts
from voteweb.store.schema.keys import Keys
from voteweb.store.site.rate_limits import this_day

#: Values that a site has in its settings, and those of acts without a rate limit.
DEFAULTS: dict[str, Any] = {
    "own_vote": 1, "vote_score": 432, "max_lift": 0, "good_votes": 1, "voting_seconds": 604_800,
    "commenting_seconds": 1_209_600, "newcomer_seconds": 604_800, "idle_seconds": 2_592_000, "hold_posts": 0,
    "limits": (), "rates": (), "domains": "", "ban": "", "digest": "idle", "oldest": 0, "state": "-",
    "session": "s", "program": "", "body": "", "programs_key": "", "right": "",
}  # fmt: skip


@dataclass(frozen=True)
class Call:
    """A call of a script with values, or what makes one of the keys of the site.

    ``built`` are keys that the script builds and writes, "top-day:today" that of this day. Constants of the
    configuration are among the values.
    """

    script: str
    values: Mapping[str, Any]
    built: str = ""

    def command(self, keys: Keys) -> tuple[Any, ...]:
        """Return the command that runs the script on the site of *keys*."""
        with pytest.MonkeyPatch.context() as patch:
            values = {}
            for name, value in self.values.items():
                if name.isupper():
                    patch.setattr(config, name, value)
                else:
                    values[name] = value(keys) if callable(value) else value
            wanted = scripts.scripts()[self.script].values
            return scripts.call(keys, self.script, **{name: DEFAULTS[name] for name in wanted - values.keys()} | values)

    def run(self, site: Store) -> Any:
        """Return the answer of the script."""
        return site.connection.client.execute_command(*self.command(site.keys))  # type: ignore[no-untyped-call]

    def all_keys(self) -> list[str]:
        """Return the keys that the script gets and builds, without the prefix of a site."""
        _, _, count, *rest = self.command(Keys())
        return [*rest[:count], *self.built.replace(":today", f":{this_day()}").split()]

    def changed(self, **values: Any) -> "Call":
        """Return the call with these values changed."""
        return replace(self, values={**self.values, **values})


def call(script: str, built: str = "", **values: Any) -> Call:
    """Return a call of *script*, which builds the keys *built*."""
    return Call(script, values, built)
