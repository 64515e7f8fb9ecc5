"""The Lua scripts: one file per verb, read once, called by their digest."""

from collections.abc import Sequence
from functools import cache
from hashlib import sha1
from importlib.resources import files
from typing import Any


@cache
def sources() -> dict[str, str]:
    """Return the text of every script by name, each with the helpers of ``common.lua`` before it."""
    folder = files(__package__).joinpath("lua")
    found = [each for each in folder.iterdir() if each.name.endswith(".lua")]
    texts = {each.name.removesuffix(".lua"): each.read_text("utf-8") for each in found}
    common = texts.pop("common")
    return {name: f"{common}\n{text}" for name, text in texts.items()}


@cache
def digest(name: str) -> str:
    """Return the SHA-1 by which Redis knows the script *name*."""
    return sha1(sources()[name].encode(), usedforsecurity=False).hexdigest()


def call(name: str, keys: Sequence[str], arguments: Sequence[str | int | float]) -> tuple[Any, ...]:
    """Return the words of the command that runs the script *name* on *keys* with *arguments*."""
    return ("EVALSHA", digest(name), len(keys), *keys, *(_exact(each) for each in arguments))


def _exact(value: str | int | float) -> str:
    return repr(value) if isinstance(value, float) else str(value)
