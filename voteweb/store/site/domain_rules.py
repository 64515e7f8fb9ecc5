"""Domain rules: domains to which links are refused, or held for a moderator to look at."""

import json

from voteweb.core import config, links
from voteweb.core.errors import TooManyRules
from voteweb.core.models import DomainAction, DomainRule, User
from voteweb.store.connection.commit import Attempt, commit, json_object
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema.keys import Keys
from voteweb.store.schema.log_entries import NewLogEntry
from voteweb.store.schema.values import finite_number
from voteweb.store.site.context import StorePart


class DomainRules(StorePart):
    """The domain rules of one site; posts and edits of articles obey them."""

    def set(self, domain: str, action: DomainAction, entry: NewLogEntry, *, actor: User) -> None:
        """Make or change the rule of a domain and its subdomains, with the words of *entry*.

        Raises TooManyRules, LoggedOut, NotAllowed.
        """
        key = self._keys.domain_rules()

        def decide(attempt: Attempt) -> list[Command] | None:
            stored, count = attempt.read(("HGET", key, domain), ("HLEN", key))
            rule = json_object(stored)
            if (rule.get("action"), rule.get("why")) == (action, entry.why):
                return None
            if stored is None and count >= config.MAX_DOMAIN_RULES:
                raise TooManyRules(max=config.MAX_DOMAIN_RULES)
            attempt.added = action.value
            rule = {"action": action.value, "why": entry.why, "by": entry.who, "time": attempt.now}
            return [("HSET", key, domain, json.dumps(rule))]

        commit(self._connection, decide, actor=actor, entry=entry)

    def delete(self, domain: str, entry: NewLogEntry, *, actor: User) -> bool:
        """Delete the rule of a domain; tell whether there was one. Raises LoggedOut, NotAllowed."""
        key = self._keys.domain_rules()

        def decide(attempt: Attempt) -> list[Command]:
            return [("HDEL", key, domain)] if attempt.read(("HEXISTS", key, domain))[0] else []

        return commit(self._connection, decide, actor=actor, entry=entry)

    def queue_all(self, pipeline: Pipeline) -> Future[tuple[DomainRule, ...]]:
        """Queue a read of all rules by domain, of which there are MAX_DOMAIN_RULES at most."""
        return pipeline.queue([("HGETALL", self._keys.domain_rules())], lambda replies: _rules(replies[0]))


def _rules(stored: dict[str, str]) -> tuple[DomainRule, ...]:
    rules = (parse_rule(domain, text) for domain, text in sorted(stored.items()))
    return tuple(rule for rule in rules if rule)


def read_rule(attempt: Attempt, keys: Keys, link: str) -> DomainRule | None:
    """Return the rule about the host of a link, or else of the closest domain above it; None if there is none."""
    domains = links.rule_domains(link)
    stored = attempt.read(("HMGET", keys.domain_rules(), *domains))[0] if domains else ()
    rules = (parse_rule(domain, text) for domain, text in zip(domains, stored, strict=True) if text)
    return next((rule for rule in rules if rule), None)


def parse_rule(domain: str, stored: str) -> DomainRule | None:
    """Return the rule that *stored* holds, None for what another program wrote."""
    try:
        fields = json.loads(stored)
        time = finite_number(str(fields["time"])) or 0.0
        return DomainRule(domain, DomainAction(fields["action"]), str(fields["why"]), str(fields["by"]), time)
    except (ValueError, TypeError, LookupError):
        return None
