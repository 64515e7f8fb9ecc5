"""The time of each function in a profile of Python's profiler, and the names under which it is shown."""

from collections.abc import Mapping
from pathlib import Path

from bench.constants import ROOT

#: File, line and name of a function as the profiler names it; a built-in one has no file.
Function = tuple[str, int, str]
Counts = tuple[int, int, float, float]
#: Of each function: calls without and with recursion, seconds without and with what it calls, and those by caller.
Profile = Mapping[Function, tuple[int, int, float, float, Mapping[Function, Counts]]]
BUILT_IN = "~"


def times_by_function(profile: Profile) -> dict[Function, tuple[int, float, float]]:
    """Return the calls of each function, its own seconds and those with what it calls.

    The time of a built-in function is that of its callers, but for the socket of Redis.
    """
    times = {
        function: (calls, own, total)
        for function, (_, calls, own, total, _) in profile.items()
        if not _belongs_to_caller(function)
    }
    for function, (_, _, _, _, callers) in profile.items():
        if _belongs_to_caller(function):
            for caller, (_, _, own, _) in callers.items():
                if caller in times:
                    calls, own_before, total = times[caller]
                    times[caller] = (calls, own_before + own, total)
    return times


def _belongs_to_caller(function: Function) -> bool:
    return function[0] == BUILT_IN and "socket" not in function[2]


def package_of(function: Function) -> str:
    """Return the package of *function*: a part of voteweb, "templates", a library or "python"."""
    file = function[0]
    if file == BUILT_IN:
        return "socket"
    if "site-packages" in file:
        return file.partition("site-packages/")[2].partition("/")[0]
    path = Path(file)
    if path.suffix != ".py":
        return "templates"
    return ".".join(path.relative_to(ROOT).parts[:2]) if path.is_relative_to(ROOT) else "python"


def place_of(function: Function) -> str:
    """Return the file, the line and the name of *function*, with a short path."""
    file, line, name = function
    if file == BUILT_IN:
        return name
    path = Path(file.partition("site-packages/")[2] or file)
    if path.is_absolute():
        path = path.relative_to(ROOT) if path.is_relative_to(ROOT) else Path(path.name)
    return f"{path}:{line} {name}"
