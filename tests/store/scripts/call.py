"""Calls of scripts with named arguments."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from voteweb.store.connection import scripts

#: The arguments of each script in its order; "log" stands for the three of a script that may log.
ARGUMENTS = {
    "cast_vote": "action member voter_id voter_name session_id vote_score good_votes voting_seconds grace known_groups",
    "change_user": "log condition",
    "combine_groups": "seconds max_articles",
    "disown_article": "member replacement",
    "dismiss_reports": "log member",
    "edit_article": "log member editor edit_seconds vote_score max_groups title link text known_link link_seconds"
    " add_count",
    "finish_account_deletion": "name",
    "hit_rate_limit": "",
    "import_article": "member title link text poster poster_id time votes vote_score good_votes voting_seconds grace"
    " digest link_seconds",
    "index_log_entry": "member field",
    "make_group": "log action name title description",
    "make_invitation": "member name expires",
    "make_user": "log needs_invitation name password_hash role session_id",
    "post_article": "member title link text poster poster_id own_vote vote_score good_votes voters_seconds"
    " form_seconds link_seconds allow_duplicate",
    "refund_rate_limit": "",
    "remove_stray_member": "member field value",
    "repair_article": "member vote_score good_votes voting_seconds link_seconds known_groups known_poster known_link",
    "repair_group": "name is_named",
    "repair_reports": "member",
    "repair_voters": "voting_seconds grace",
    "report_article": "member reporter json",
    "rescore_article": "member vote_score good_votes known_groups",
    "reset_password": "name password_hash session_id",
    "restore_article": "log member vote_score good_votes link_seconds known_link known_poster",
    "revoke_invitation": "maker",
    "set_groups": "log member vote_score max_groups add_count",
    "start_account_deletion": "name session_id articles",
    "unlist_article": "log member status reason deleter delete_seconds known_link known_poster",
}
#: Arguments that a site has in its settings or constants.
DEFAULTS: dict[str, Any] = {
    "own_vote": 1, "vote_score": 432, "good_votes": 1, "voting_seconds": 604_800, "grace": 3_600,
    "voters_seconds": 608_400, "form_seconds": 86_400, "link_seconds": 2_592_000, "edit_seconds": 900,
    "delete_seconds": 900, "max_groups": 5,
}  # fmt: skip


class Log(NamedTuple):
    """The keys of the log and the fields of an entry."""

    keys: list[str]
    fields: dict[str, str]

    @property
    def arguments(self) -> tuple[Any, ...]:
        return (len(self.keys), "log-entry:7", json.dumps(self.fields))


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

    def command(self) -> tuple[Any, ...]:
        """Return the command that runs the script."""
        names = ARGUMENTS[self.script].split()
        values = DEFAULTS | self.arguments
        log = self.log.arguments if self.log else (0, "", "")
        arguments = [value for name in names for value in (log if name == "log" else (values[name],))]
        return scripts.call(self.script, self.all_keys(), [*arguments, *self.rest])

    def all_keys(self) -> list[str]:
        return self.keys + (self.log.keys if self.log else [])

    def changed(self, *, rest: Sequence[Any] | None = None, **arguments: Any) -> "Call":
        """Return the call with these arguments changed."""
        assert arguments.keys() <= set(ARGUMENTS[self.script].split())
        changed = replace(self, arguments=self.arguments | arguments)
        return changed if rest is None else replace(changed, rest=rest)


def call(script: str, keys: str, *rest: Any, log: Log | None = None, **arguments: Any) -> Call:
    """Return a call of *script* with *keys* separated by spaces."""
    assert arguments.keys() <= set(ARGUMENTS[script].split()), arguments
    return Call(script, keys.split(), arguments, rest, log)
