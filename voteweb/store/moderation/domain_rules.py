"""The domain rules of moderators: links to a domain are refused, or held for a moderator to look at.

A rule may also remove the articles of the last days that have such a link. It holds them until they are removed.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from voteweb.core import clock, config, links
from voteweb.core.errors import ArticleGone, Conflict, NoSuchArticle, TooManyRules
from voteweb.core.models import DomainAction, DomainRule, LogAction, LogEntry, User
from voteweb.store.articles.articles import Articles
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.moderation.removals import Removals
from voteweb.store.schema.values import article_member, articles_of, is_article, json_object, parse_rule
from voteweb.store.site.context import StorePart, act
from voteweb.store.site.leases import steps_of_each
from voteweb.store.site.moderation_log import mark_undone
from voteweb.store.site.site_settings import closest_rule

#: Articles that one step removes: some milliseconds each.
_STEP = 50


class DomainRules(StorePart):
    """The domain rules of one site; posts and edits of articles obey them."""

    def set(
        self, domain: str, action: DomainAction, entry: LogEntry, *, removes: bool = False, actor: User | None
    ) -> int:
        """Make or change the rule of a domain and its subdomains, with the words of *entry*.

        With *removes*, it also removes what :meth:`queue_recent` counts, MAX_RULE_REMOVALS at most, with the same
        words: some now, the others in :meth:`steps`. Returns how many. Raises TooManyRules, NothingToUndo, LoggedOut,
        NotAllowed.
        """
        key, removed = self._keys.domain_rules(), list[str]()

        def decide(attempt: Attempt) -> list[Command] | None:
            stored, count = attempt.read(("HGET", key, domain), ("HLEN", key))
            rule = json_object(stored)
            removed[:] = self._to_remove(attempt, domain) if removes else ()
            if (rule.get("action"), rule.get("why")) == (action, entry.why) and (not removed or _removes(rule)):
                return None
            if stored is None and count >= config.MAX_DOMAIN_RULES:
                raise TooManyRules(max=config.MAX_DOMAIN_RULES)
            attempt.added, attempt.former = action.value, _former(rule)
            left = " ".join(removed or ([] if entry.undoes else _removes(rule)))
            rule = {"action": action.value, "why": entry.why, "by": entry.who, "time": attempt.now, "removes": left}
            return [("HSET", key, domain, json.dumps(rule)), *mark_undone(attempt, entry)]

        commit(self._connection, decide, actor=actor, entry=entry)
        if removed:
            with suppress(Conflict):  # the job goes on
                next(self._steps(domain), None)
        return len(removed)

    def _to_remove(self, attempt: Attempt, domain: str) -> Sequence[str]:
        since = int(float(attempt.now)) - config.RULE_REMOVAL_SECONDS
        bound = ("BYSCORE", "REV", "LIMIT", 0, config.MAX_RULE_REMOVALS)
        members = attempt.value("ZRANGE", self._keys.domain(domain), "+inf", since, *bound)
        return list(filter(is_article, members))

    @act()
    def delete(self, attempt: Attempt, domain: str, entry: LogEntry, *, actor: User | None) -> list[Command]:
        """Delete the rule of a domain; tell whether there was one. Raises NothingToUndo, LoggedOut, NotAllowed."""
        key = self._keys.domain_rules()
        stored = attempt.value("HGET", key, domain)
        attempt.former = _former(json_object(stored))
        return [("HDEL", key, domain), *mark_undone(attempt, entry)] if stored is not None else []

    def queue_all(self, pipeline: Pipeline) -> Future[tuple[DomainRule, ...]]:
        """Queue a read of all rules by domain, of which there are MAX_DOMAIN_RULES at most."""
        return pipeline.queue_one(("HGETALL", self._keys.domain_rules()), _rules)

    def queue_of(self, pipeline: Pipeline, host: str) -> Future[DomainRule | None]:
        """Queue a read of the rule about links to *host*, its own or that of the closest domain above it."""
        domains = links.rule_domains(links.link_to(host))
        return pipeline.queue_one(
            ("HMGET", self._keys.domain_rules(), *(domains or [host])),
            lambda reply: closest_rule(domains, reply[: len(domains)]),
        )

    def queue_recent(self, pipeline: Pipeline, host: str) -> Future[int]:
        """Queue a count of the listed articles with a link to *host* of the last RULE_REMOVAL_SECONDS."""
        since = int(clock.now()) - config.RULE_REMOVAL_SECONDS
        return pipeline.queue_one(("ZCOUNT", self._keys.domain(host), since, "+inf"), int)

    def steps(self) -> Iterator[None]:
        """Remove the articles that rules hold, in bounded steps."""
        stored = self._connection.command("HGETALL", self._keys.domain_rules())
        yield from steps_of_each(
            sorted(name for name, text in stored.items() if _removes(json_object(text))), self._steps
        )

    def _steps(self, domain: str) -> Iterator[None]:
        """Remove them until none is left, or the rule was deleted."""
        key, removals = self._keys.domain_rules(), Removals(self._context)
        while members := _removes(rule := json_object(self._connection.command("HGET", key, domain))):
            done = members[:_STEP]
            for id in articles_of(done):
                with suppress(NoSuchArticle, ArticleGone):
                    article = Articles(self._context).get(id)
                    if links.domain(article.link) == domain:
                        about = (article.poster, article.id, article.title, str(rule.get("why")))
                        entry = LogEntry(LogAction.REMOVE, str(rule.get("by")), *about)
                        removals.remove(article.id, entry, part_of=partial(self._forget, domain, [article_member(id)]))
            # Those that were not in the lists any more, or have another link now.
            commit(self._connection, partial(self._forget, domain, done), when_full=True, remembers=False)
            yield

    def _forget(self, domain: str, done: Sequence[str], attempt: Attempt) -> list[Command]:
        """Return the writes after which the rule does not hold the articles *done* any more: one restored stays."""
        key = self._keys.domain_rules()
        rule = json_object(attempt.value("HGET", key, domain))
        members = _removes(rule)
        left = [member for member in members if member not in done]
        changed = json.dumps(rule | {"removes": " ".join(left)})
        return [("HSET", key, domain, changed)] if left != members else []


def _former(rule: Mapping[str, object]) -> str:
    """Return what the log keeps of a rule that is replaced or deleted."""
    return json.dumps({name: rule[name] for name in ("action", "why") if name in rule}, ensure_ascii=False)


def _removes(rule: Mapping[str, object]) -> list[str]:
    """Return the articles that a rule has still to remove."""
    return [*filter(is_article, str(rule.get("removes", "")).split())]


def _rules(stored: dict[str, str]) -> tuple[DomainRule, ...]:
    return tuple(filter(None, (parse_rule(domain, text) for domain, text in sorted(stored.items()))))
