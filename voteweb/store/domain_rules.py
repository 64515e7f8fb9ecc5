"""Domain rules: domains to which links are refused, or held for a moderator to look at."""

import json

from voteweb.core import config
from voteweb.core.errors import TooManyRules
from voteweb.core.models import DomainAction, DomainRule, User
from voteweb.store.actors import actor_arguments
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.moderation_log import ModerationLog, NewLogEntry
from voteweb.store.scanner import finite_number


class DomainRules:
    """The domain rules of one site; the scripts that post and edit articles apply them."""

    def __init__(self, connection: Connection, moderation_log: ModerationLog) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._log = moderation_log

    def set(self, domain: str, action: DomainAction, entry: NewLogEntry, *, actor: User) -> None:
        """Make or change the rule of a domain and its subdomains, with the words of *entry*.

        Raises TooManyRules, LoggedOut, NotAllowed.
        """
        log, checked = self._log.prepare(entry), actor_arguments(self._keys, actor)
        outcome = self._connection.script(
            "set_domain_rule",
            [self._keys.domain_rules(), *log.keys, *checked.keys],
            [
                *log.arguments,
                domain,
                action.value,
                entry.why,
                entry.who,
                config.MAX_DOMAIN_RULES,
                *checked.arguments,
            ],
        )
        if outcome.status == "full":
            raise TooManyRules(max=config.MAX_DOMAIN_RULES)

    def delete(self, domain: str, entry: NewLogEntry, *, actor: User) -> bool:
        """Delete the rule of a domain; tell whether there was one. Raises LoggedOut, NotAllowed."""
        log, checked = self._log.prepare(entry), actor_arguments(self._keys, actor)
        outcome = self._connection.script(
            "delete_domain_rule",
            [self._keys.domain_rules(), *log.keys, *checked.keys],
            [*log.arguments, domain, *checked.arguments],
        )
        return outcome.status == "done"

    def queue_all(self, pipeline: Pipeline) -> Future[tuple[DomainRule, ...]]:
        """Queue a read of all rules by domain, of which there are MAX_DOMAIN_RULES at most."""
        return pipeline.queue([("HGETALL", self._keys.domain_rules())], lambda replies: _rules(replies[0]))


def _rules(stored: dict[str, str]) -> tuple[DomainRule, ...]:
    rules = (parse_rule(domain, text) for domain, text in sorted(stored.items()))
    return tuple(rule for rule in rules if rule)


def parse_rule(domain: str, stored: str) -> DomainRule | None:
    """Return the rule that *stored* holds, None for what another program wrote."""
    try:
        fields = json.loads(stored)
        time = finite_number(str(fields["time"])) or 0.0
        return DomainRule(domain, DomainAction(fields["action"]), str(fields["why"]), str(fields["by"]), time)
    except (ValueError, TypeError, LookupError):
        return None
