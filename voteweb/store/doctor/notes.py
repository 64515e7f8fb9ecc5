"""Check what moderators wrote down: notes are on members, and domain rules are ones."""

from collections.abc import Iterator

from voteweb.store.doctor.finding import Finding
from voteweb.store.domain_rules import parse_rule
from voteweb.store.scanner import Scanner, batched


def examine(scanner: Scanner) -> Iterator[Finding]:
    """Check the notes on all members; those on who has left go with what they left behind. Check all domain rules."""
    keys = scanner.site_keys
    (rules,) = scanner.run_atomic([("HGETALL", keys.domain_rules())])
    for domain, text in sorted(rules.items()):
        if parse_rule(domain, text) is None:
            what = f"holds for {domain:.60} what is no rule"
            yield Finding(keys.domain_rules(), what, ("HDEL", keys.domain_rules(), domain))
    for found in batched(scanner.keys(keys.notes("*"))):
        names = [keys.split(key)[1] for key in found]
        exist = scanner.run_atomic([("EXISTS", keys.user(name)) for name in names])
        for key, name, exists in zip(found, names, exist, strict=True):
            if not exists:
                yield Finding(key, f"belongs to {name}, who is no member", ("UNLINK", key))
