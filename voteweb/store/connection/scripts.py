"""The Lua scripts: one file per verb and files of helpers, read once, called by name with named values.

The first lines of a script are its signature. ``-- keys:`` spells its keys, as in ``user:{voter}``, and ``-- args:``
names its arguments. ``{ranking}`` is a whole key, ``numbered=`` before a key another name for it, and ``*`` after the
last key or argument stands for any number of them. Lua finds them as ``user_key``, ``ranking_key``, ``numbered_key``,
``limit_keys`` and ``voter``. By their names alone it finds helpers, which ``-- helpers:`` lists by file, constants of
``voteweb.core.config``, the ``prefix`` of the site's keys, and ``check_keys()``, which raises an error unless all keys
have their nouns' types.

A script that only reads begins with ``#!lua flags=no-writes``: a primary that is paused for writes goes on with it.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha1
from importlib.resources import files
from operator import itemgetter
from typing import Any

from voteweb.core import config
from voteweb.core.names import name_key
from voteweb.store.schema.key_forms import KeyOfMember
from voteweb.store.schema.keys import FORMS, TYPES, Keys

_FOLDER = files("voteweb.store").joinpath("lua")
#: The names that one statement of a file of helpers defines.
_DEFINED = re.compile(r"local (?:function )?(\w+(?:, \w+)*)")
_COMMENT = re.compile(r"--.*")
_STRING = re.compile(r"'[^'\n]*'")
_KEY = re.compile(r"(?:(\w+)=)?((?:([a-z-]+):)?[^*]*)(\*?)")
_OF_MEMBERS = {form.noun for form in FORMS if isinstance(form, KeyOfMember)}


class Script:
    """A script, and the calls that its first lines allow.

    Raises ValueError for a key that no site has, and for a name that a helper has too.
    """

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        first_line, *_ = text.splitlines(keepends=True)
        declaration = first_line if first_line.startswith("#!") else ""
        text = text.removeprefix(declaration)
        #: The format of all keys, each in a line, and what stands in it for "%s": "@" before the name of a member.
        self._formats: list[str] = []
        self._placeholders: list[str] = []
        self._key_locals: list[str] = []
        self._checks: list[str] = []
        #: What the keys of any number begin with, and the value that has the rest of each.
        self._more_keys = ("", "")
        for word in _header(text, "keys"):
            self._add_key(word)
        arguments = _header(text, "args")
        #: The value that has the arguments of any number.
        self._more = arguments.pop().removesuffix("*") if arguments and arguments[-1].endswith("*") else ""
        helpers = _used_helpers(text)
        used = set(_names("".join([text, *helpers])))
        constants = sorted(name for name in used - _definitions().keys() if name.isupper() and hasattr(config, name))
        in_keys = [name.removeprefix("@") for name in self._placeholders if name != "prefix"]
        #: The names of the values that a call takes.
        self.values = {*in_keys, self._more_keys[1], *arguments, self._more} - {""}
        if clash := {*self.values, *self._key_locals} & _definitions().keys():
            raise ValueError(f"{name}.lua gives the names of helpers to others: {clash}")
        arguments = ["prefix"] * ("prefix" in used) + arguments
        self._members = {name for name in self._placeholders if name.startswith("@")}
        self._format, self._in_keys = "\n".join(self._formats), _getter(self._placeholders)
        self._constants, self._arguments = _getter(constants), _getter(arguments)
        singles = [name for name in self._key_locals if not name.endswith("_keys")]
        locals = [
            *_unpacked(singles, self._key_locals[len(singles) :], "KEYS", used),
            *_unpacked([*constants, *arguments], [self._more] if self._more else [], "ARGV", used),
        ]
        checks = ["local function check_keys()\n", *self._checks, "end\n"] if "check_keys" in used else []
        self.source = "".join([declaration, *locals, *helpers, *checks, text])
        #: The SHA-1 digest by which Redis knows the script.
        self.digest = sha1(self.source.encode(), usedforsecurity=False).hexdigest()

    def _add_key(self, word: str) -> None:
        """Take up a key as the first lines spell it."""
        match = _KEY.fullmatch(word)
        alias, spelled, noun, many = match.groups() if match else ("", "", "", "")
        name, _, _ = spelled.partition("}")
        if noun not in TYPES if noun else not spelled.startswith("{"):
            raise ValueError(f"{self._name}.lua has no key in {word}")
        local = f"{alias or noun or name[1:]}_key{'s' if many else ''}".replace("-", "_")
        self._key_locals.append(local)
        if many:
            beginning, _, name = spelled.partition("{")
            self._more_keys = (beginning, name.removesuffix("}"))
            check = f"for _, key in ipairs({local}) do check_type(key, '{TYPES.get(noun)}') end\n"
        else:
            at = "@" if noun in _OF_MEMBERS else ""
            names = [at + name for name in re.findall(r"{(\w+)}", spelled)]
            self._placeholders += ["prefix", *names] if noun else names
            self._formats.append(("%s" if noun else "") + re.sub(r"{\w+}", "%s", spelled))
            check = f"check_type({local}, '{TYPES.get(noun)}')\n"
        self._checks += [check] if noun else []

    def command(self, keys: Keys, values: dict[str, Any]) -> tuple[Any, ...]:
        """Return the command that runs the script with *values*, which it changes.

        Raises TypeError if the script takes others.
        """
        if len(values) != len(self.values):
            raise TypeError(f"{self._name} takes {sorted(self.values)}, not {sorted(values)}")
        try:
            values["prefix"] = keys.prefix
            for name in self._members:
                values[name] = name_key(values[name[1:]])
            spelled = (self._format % self._in_keys(values)).split("\n") if self._formats else []
            if len(spelled) != len(self._formats):  # a reader asks for a name with a line end, which no key has
                names = {name: str(values[name]).replace("\n", "\0") for name in self._placeholders}
                spelled = (self._format % self._in_keys(names)).split("\n")
            beginning, more = self._more_keys
            if more:
                beginning = beginning and keys.prefix + beginning
                spelled += [f"{beginning}{value}" for value in values[more]]
            rest = values[self._more] if self._more else ()
            arguments = (*self._constants(vars(config)), *self._arguments(values), *rest)
        except KeyError as error:
            raise TypeError(f"{self._name} takes {error}") from error
        return ("EVALSHA", self.digest, len(spelled), *spelled, *arguments)


def call(keys: Keys, name: str, /, **values: Any) -> tuple[Any, ...]:
    """Return the command that runs the script *name* on the site of *keys* with these values."""
    return scripts()[name].command(keys, values)


@cache
def scripts() -> dict[str, Script]:
    """Return every script by name."""
    texts = {file.name: file.read_text("utf-8") for file in _FOLDER.iterdir() if file.name.endswith(".lua")}
    return {file.removesuffix(".lua"): Script(file.removesuffix(".lua"), text) for file, text in texts.items()}


def _header(text: str, kind: str) -> list[str]:
    """Return the words of the first lines of this *kind*; a line that goes on is indented."""
    match = re.search(rf"^-- {kind}: (.*(?:\n--   .*)*)", text, re.MULTILINE)
    return match[1].replace("\n--", " ").split() if match else []


def _getter(names: Sequence[str]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """Return what takes the values of *names* out of a mapping, as a tuple."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda values: tuple(values[name] for name in names)


def _unpacked(names: Sequence[str], rest: Iterable[str], table: str, used: set[str]) -> list[str]:
    """Return the Lua code that gives *names* to what a *table* holds, and to a table of its *rest*."""
    first = [f"local {', '.join(names)} = unpack({table})\n"] if names else []
    return [*first, *(f"local {name} = {{ unpack({table}, {len(names) + 1}) }}\n" for name in rest if name in used)]


def _names(code: str) -> list[str]:
    """Return the names in Lua code, without those in comments and strings."""
    return re.findall(r"\w+", _STRING.sub("", _COMMENT.sub("", code)))


def _used_helpers(text: str) -> list[str]:
    """Return the definitions of the helpers that a script uses, each after those that it uses itself.

    Every call of a script defines its helpers anew: a vote would take 4 microseconds of Redis longer with all of them.
    """
    used: list[str] = []
    seen: set[str] = set()

    def use(code: str) -> None:
        for name in _names(code):
            definition = _definitions().get("check_type" if name == "check_keys" else name)
            if definition and definition not in seen:
                seen.add(definition)
                use(definition)
                used.append(definition)

    use(text)
    return used


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
