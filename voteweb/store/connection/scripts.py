"""The Lua scripts: one file per verb and files of helpers, read once, called by their digest."""

import re
from collections.abc import Sequence
from functools import cache
from hashlib import sha1
from importlib.resources import files
from typing import Any

#: The line of a script before which it may answer without its helpers.
HERE = "-- The helpers stand here.\n"
_FOLDER = files("voteweb.store").joinpath("lua")
#: The names that one statement of a file of helpers defines.
_DEFINED = re.compile(r"local (?:function )?(\w+(?:, \w+)*)")
_COMMENT = re.compile(r"--.*")
_STRING = re.compile(r"'[^'\n]*'")


@cache
def sources() -> dict[str, str]:
    """Return the source of every script by name, each with the helpers that it uses in front."""
    scripts = [file for file in _FOLDER.iterdir() if file.name.endswith(".lua")]
    return {file.name.removesuffix(".lua"): with_helpers(file.read_text("utf-8")) for file in scripts}


def with_helpers(text: str) -> str:
    """Return the *text* of a script with the helpers that it uses in front, or in place of the line HERE.

    Every call of a script defines its helpers anew: a vote would take 4 microseconds of Redis longer with all of them.
    """
    used: list[str] = []
    seen: set[str] = set()

    def use(code: str) -> None:
        for name in re.findall(r"\w+", _STRING.sub("", _COMMENT.sub("", code))):
            definition = _definitions().get(name)
            if definition and definition not in seen:
                seen.add(definition)
                use(definition)
                used.append(definition)  # after those that it uses itself

    use(text)
    first, _, rest = text.rpartition(HERE)
    return "".join([first, *used, rest])


@cache
def _definitions() -> dict[str, str]:
    """Return the Lua code that defines each helper, by its name."""
    definitions: dict[str, str] = {}
    for file in _FOLDER.joinpath("helpers").iterdir():
        code = _COMMENT.sub("", file.read_text("utf-8"))
        for definition in re.split(r"^(?=local )", code, flags=re.MULTILINE):
            if found := _DEFINED.match(definition):
                definitions |= dict.fromkeys(found[1].split(", "), f"{definition.strip()}\n")
    return definitions


@cache
def digest(name: str) -> str:
    """Return the SHA-1 digest by which Redis knows the script *name*."""
    return sha1(sources()[name].encode(), usedforsecurity=False).hexdigest()


def call(name: str, keys: Sequence[str], arguments: Sequence[str | int | float]) -> tuple[Any, ...]:
    """Return the command that runs the script *name* on *keys* with *arguments*."""
    return ("EVALSHA", digest(name), len(keys), *keys, *arguments)
