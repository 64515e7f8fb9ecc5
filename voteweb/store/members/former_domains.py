"""Domains as layout 7 and before spelled them, where people have named some: in rules of links, and in what they hide.

Those versions took some hosts for others than browsers do, and compared links otherwise.
"""

import json
from collections.abc import Iterator

from voteweb.core import links
from voteweb.core.models import DomainAction
from voteweb.core.my_site import HiddenKind
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.scanner import Scanner, batched
from voteweb.store.schema.values import json_object
from voteweb.store.site.context import Context

#: The layout that spells domains as browsers do.
RESPELLED = 8


def respell_domains(context: Context, *, dry_run: bool = False) -> Iterator[int | str]:
    """Spell the domains of rules, and those that members hide, as today; yield how many were spelled otherwise.

    Yields as well a sentence about each rule that meets another or ends. Nothing else uses the data meanwhile.
    """
    key = context.keys.domain_rules()
    rules: dict[str, str] = context.connection.command("HGETALL", key)
    for domain in sorted(rules):
        respelled = links.respelled(domain)
        if respelled == domain:
            continue
        text, other = rules.pop(domain), rules.get(respelled, "")
        if not respelled:
            yield f"The rule of {domain} has ended: no browser opens such a host."
        elif other:
            text = _stricter(text, other)
            action = json_object(text).get("action")
            yield f"The rules of {domain} and {respelled} are one now: the stricter stays ({action} links)."
        writes: list[Command] = [("HDEL", key, domain)]
        if respelled:
            rules[respelled] = text
            writes.append(("HSET", key, respelled, text))
        if not dry_run:
            context.connection.run(writes, atomic=True)
        yield 1
    yield from _respell_hidden(context, dry_run)


def _stricter(one: str, other: str) -> str:
    """Return the stricter of two stored rules, *other* if they are alike, with the articles both have to remove."""
    rules = [json_object(other), json_object(one)]
    strict = next((rule for rule in rules if rule.get("action") == DomainAction.REFUSE), rules[0])
    removes = dict.fromkeys(member for rule in rules for member in str(rule.get("removes", "")).split())
    return json.dumps(strict | {"removes": " ".join(removes)})


def _respell_hidden(context: Context, dry_run: bool) -> Iterator[int]:
    scanner = Scanner(context.connection)
    for keys in batched(scanner.keys_of("hides")):
        reads = [("ZRANGE", key, 0, -1, "WITHSCORES") for key in keys]
        writes: list[Command] = []
        for key, entries in zip(keys, scanner.run_atomic(reads), strict=True):
            for entry, time in entries:
                respelled = links.respelled(entry[1:]) if entry.startswith(HiddenKind.DOMAIN) else entry[1:]
                if respelled != entry[1:]:
                    writes.append(("ZREM", key, entry))
                    writes += [("ZADD", key, "NX", repr(time), f"{HiddenKind.DOMAIN}{respelled}")] if respelled else []
        if writes and not dry_run:
            context.connection.run(writes, atomic=True)
        yield sum(command == "ZREM" for command, *_ in writes)
