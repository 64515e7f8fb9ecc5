"""Switches of a site: one small hash, read by each process about once a second."""

import json

from voteweb.core import site_switches
from voteweb.core.errors import DataDamaged
from voteweb.core.models import Role, User
from voteweb.core.site_switches import SiteSwitches, SwitchName
from voteweb.store.connection.commit import Attempt, commit, json_object
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.store.schema.values import parse_switch
from voteweb.store.site.context import StorePart


class Switches(StorePart):
    """The switches of one site."""

    def set(self, name: SwitchName, value: str, entry: NewLogEntry, *, actor: User) -> None:
        """Set a switch to *value* with the words of *entry*, or clear it with the value "".

        Raises LoggedOut, and NotAllowed unless *actor* is an admin.
        """
        key = self._keys.site()

        def decide(attempt: Attempt) -> list[Command] | None:
            (stored,) = attempt.read(("HGET", key, name.value))
            switch = json_object(stored)
            if (switch.get("value"), switch.get("words")) == (value, entry.why) or not (value or stored):
                return None
            attempt.added = value
            switch = {"value": value, "words": entry.why, "by": entry.who, "time": attempt.now}
            return [("HSET", key, name.value, json.dumps(switch)) if value else ("HDEL", key, name.value)]

        commit(self._connection, decide, actor=actor, role=Role.ADMIN, entry=entry, when_full=True)

    def queue_all(self, pipeline: Pipeline) -> Future[SiteSwitches]:
        """Queue a read of all switches."""
        return pipeline.queue([("HGETALL", self._keys.site())], lambda replies: _switches(replies[0]))

    def read_once(self) -> SiteSwitches:
        """Return all switches, and take the database's time, after one attempt to ask for them; raise Unavailable.

        None of them is set in a key of another type, which the doctor names: no page must fail for it.
        """
        try:
            (stored,) = self._connection.run_and_compare_clocks(("HGETALL", self._keys.site()), deadline=0)
            return _switches(stored)
        except DataDamaged:
            return SiteSwitches()


def _switches(stored: dict[str, str]) -> SiteSwitches:
    read = {SwitchName(name): parse_switch(text) for name, text in stored.items() if name in set(SwitchName)}
    return site_switches.switches({name: switch for name, switch in read.items() if switch})
