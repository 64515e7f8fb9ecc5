"""Patterns of the keys that each method of ``Keys`` spells."""

import inspect
import re
from collections.abc import Callable

from voteweb.store.keys import Keys

#: For each parameter of a key: a value to spell the key with, and the pattern of all its values.
PARAMETERS = {
    "id": ("9001", r"\d+"),
    "member": (9002, r"\d+"),
    "name": ("a-name", r"[\w-]+"),
    "day": ("2026-11-22", r"\d{4}-\d{2}-\d{2}"),
    "period": ("week+go", r"(?:day|week|month|year)(?:\+[\w-]+)?(?:\.\d{4}-\d{2}-\d{2})?"),
    "domain": ("a.example", r"[0-9a-z.-]+"),
    "token": ("a-token", r"[A-Za-z0-9_-]{8,64}"),
    "digest": ("a-digest", r"[0-9a-f]{20,32}"),
    "number": ("9004", r"\d+"),
    "block": ("9005", r"\d+"),
    "bucket": ("9003", r"\d+"),
    "job": ("a-job", r"[a-z-]+"),
    "who": ("a-moderator", r"[\w -]+"),
    "kind": ("a-kind", r"[a-z]+"),
    "order": ("an-order", r"(?:time|score)"),
    "names": (("one-name", "two-name"), ""),
}


def key_methods() -> dict[str, Callable[..., str]]:
    """Return the methods of ``Keys`` that spell a key."""
    methods = dict(inspect.getmembers(Keys, inspect.isfunction))
    return {name: method for name, method in methods.items() if inspect.signature(method).return_annotation is str}


def key_pattern(method: Callable[..., str]) -> re.Pattern[str]:
    """Return the pattern of the keys, without a prefix, that *method* spells."""
    _, *names = inspect.signature(method).parameters
    text = re.escape(method(Keys(), *(PARAMETERS[name][0] for name in names)))
    if method is Keys.log_kind:  # the moderator may be left out
        text = text.replace(re.escape("+a-moderator"), r"(?:\+[\w -]+)?")
    for name in names:
        if name == "names":
            text = text.replace(re.escape("one-name+two-name"), r"[\w-]+(?:\+[\w-]+){1,3}")
        else:
            text = text.replace(re.escape(str(PARAMETERS[name][0])), PARAMETERS[name][1])
    return re.compile(text)
