"""Calls of scripts with named arguments."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from voteweb.core.ranking import day_number
from voteweb.store.connection import scripts
from voteweb.store.schema.log_entries import PACKED_FIELDS

#: The arguments of each script in its order; "log" stands for the three of an act that may be logged.
ARGUMENTS = {
    "commit": "log reads replies writes types told_members inbox_size inbox_seconds late when_full added removed until"
    " told_of",
    "cast_vote": "action member voter_id voter_name session_id vote_score max_lift good_votes max_ranked voting_seconds"
    " grace known_groups day newcomer_seconds digest idle_seconds max_seconds use_seconds max_open_votes"
    " statistics_seconds",
    "combine_groups": "member seconds max_kept max_articles first last count",
    "hide_replies": "id count",
    "hit_rate_limit": "",
    "import_article": "member title link text poster poster_id time votes vote_score max_lift good_votes"
    " max_ranked day has_domain voting_seconds grace row link_seconds replacement",
    "import_comment": "comment number parent text author time votes commenting_seconds grace max_level max_comments row"
    " numbered_row answered_row replacement",
    "note_visit": "id visit_seconds seconds most noted_seconds",
    "open_session": "member_id session_id digest browser idle_seconds max_seconds max_sessions",
    "post_article": "member title link text poster poster_id own_vote vote_score max_lift good_votes"
    " max_ranked day has_domain voting_seconds grace form_seconds link_seconds allow_duplicate newcomer_seconds"
    " newcomer_burst newcomer_interval newcomer_day_burst newcomer_day_interval domains hold_posts",
    "refund_rate_limit": "log",
    "use_session": "session_id digest checked idle_seconds max_seconds use_seconds",
    "vote_comment": "action number voter_id voter_name session_id commenting_seconds grace newcomer_seconds digest"
    " idle_seconds max_seconds use_seconds",
    "write_comment": "stem id parent text author author_id commenting_seconds grace max_level max_comments newest"
    " form_seconds known_block known_poster known_answered inbox_size inbox_seconds newcomer_seconds newcomer_burst"
    " newcomer_interval newcomer_day_burst newcomer_day_interval statistics_seconds",
    "repair_top": "max_ranked",
    "merge_days": "oldest seconds max_ranked max_added days_before days_in_all",
    "rank_since": "oldest seconds max_ranked max_looked_at prefix",
}
#: The scripts that end their keys and arguments with an actor.
WITH_ACTOR = {
    "commit",


}  # fmt: skip
#: The scripts that tell members what a moderator did.
WITH_TOLD = {


}  # fmt: skip
#: Arguments that a site has in its settings or constants.
DEFAULTS: dict[str, Any] = {
    "statistics_seconds": 100,
    "types": "[]", "told_members": "[]", "late": "", "when_full": 0, "added": "", "removed": "", "until": "",
    "told_of": "",
    "replacement": "[deleted]", "domains": "", "hold_posts": 0, "removed_by": "",
    "own_vote": 1, "vote_score": 432, "max_lift": 0, "good_votes": 1, "max_ranked": 250, "day": day_number(time.time()),
    "has_domain": 1, "oldest": 0, "prefix": "", "voting_seconds": 604_800, "grace": 3_600,
    "form_seconds": 86_400, "link_seconds": 2_592_000, "edit_seconds": 900,
    "delete_seconds": 900, "max_groups": 5,
    "known_revision": "", "max_versions": 5, "version_seconds": 2_592_000,
    "network": "", "request": "", "network_seconds": 2_592_000, "newcomer_seconds": 604_800,
    "max_open_votes": 1_000,
    "commenting_seconds": 1_209_600, "max_level": 50, "max_comments": 10_000, "newest": 10_000,
    "inbox_size": 200, "inbox_seconds": 7_776_000,
    "newcomer_burst": 3, "newcomer_interval": 3_600, "newcomer_day_burst": 6, "newcomer_day_interval": 14_400,
    "idle_seconds": 2_592_000, "max_seconds": 31_536_000, "use_seconds": 86_400,
}  # fmt: skip


class Log(NamedTuple):
    """The keys of one act and the fields of its log entry, if it has one."""

    keys: list[str]
    fields: dict[str, str] | None

    @property
    def arguments(self) -> tuple[Any, ...]:
        entry = [self.fields.get(name, "") for name in PACKED_FIELDS] if self.fields else None
        return (len(self.keys), 600, json.dumps(entry) if entry else "")


NOT_LOGGED = Log(["done:token"], None)


class Actor(NamedTuple):
    """The member for whom a script acts, and the least role that may do so; without an id, the operator."""

    name: str
    id: int | str
    role: str

    @property
    def keys(self) -> list[str]:
        return [f"user:{self.name}"] if self.id else []


OPERATOR = Actor("", "", "")


class Told(NamedTuple):
    """Who is told of an act, as pairs of kind and name, and how many open reports the caller knows ("": any).

    ``waited`` is the field that counts how long reports have waited, if the act settles some.
    """

    members: Sequence[tuple[str, str]]
    reports: int | str
    waited: str = ""

    @property
    def keys(self) -> list[str]:
        keys = [f"{noun}:{name}" for _, name in self.members for noun in ("user", "inbox", "unread")]
        return [STATISTICS, *keys] if self.waited else keys

    @property
    def arguments(self) -> tuple[Any, ...]:
        return (*(text for member in self.members for text in member), *self._counts)

    @property
    def _counts(self) -> tuple[Any, ...]:
        return (self.reports, 200, 7_776_000, len(self.members), self.waited, 100)


#: The key of a day's statistics.
STATISTICS = "stats:2026-11-22"
NOBODY = Told((), "")


class LimitArguments(NamedTuple):
    """The arguments of one rate limit."""

    burst: int
    interval: int


@dataclass(frozen=True)
class Call:
    """A call of a script; ``rest`` are arguments of any number, after those that have names."""

    script: str
    keys: list[str]
    arguments: dict[str, Any]
    rest: Sequence[Any] = ()
    log: Log | None = field(default=None)
    actor: Actor = OPERATOR
    told: Told = NOBODY

    def command(self) -> tuple[Any, ...]:
        """Return the command that runs the script."""
        names = ARGUMENTS[self.script].split()
        values = DEFAULTS | self.arguments
        arguments = [value for name in names for value in (self._log.arguments if name == "log" else (values[name],))]
        told = self.told.arguments if self.script in WITH_TOLD else ()
        actor = (self.actor.id, self.actor.role) if self.script in WITH_ACTOR else ()
        return scripts.call(self.script, self.all_keys(), [*arguments, *self.rest, *told, *actor])

    def all_keys(self) -> list[str]:
        log = self._log.keys if "log" in ARGUMENTS[self.script].split() else []
        return self.keys + self.told.keys + log + self.actor.keys

    @property
    def _log(self) -> Log:
        return self.log or NOT_LOGGED

    def changed(self, *, rest: Sequence[Any] | None = None, **arguments: Any) -> "Call":
        """Return the call with these arguments changed."""
        assert arguments.keys() <= set(ARGUMENTS[self.script].split())
        changed = replace(self, arguments=self.arguments | arguments)
        return changed if rest is None else replace(changed, rest=rest)


def call(
    script: str,
    keys: str,
    *rest: Any,
    log: Log | None = None,
    actor: Actor = OPERATOR,
    told: Told = NOBODY,
    **arguments: Any,
) -> Call:
    """Return a call of *script* with *keys* separated by spaces."""
    assert arguments.keys() <= set(ARGUMENTS[script].split()), arguments
    return Call(script, keys.split(), arguments, rest, log, actor, told)
