"""Tables of functions: rows of arguments with what is returned for them, and texts that are refused."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

Function = Callable[..., object]


def check_results(subtests: pytest.Subtests, table: Mapping[Function, Iterable[tuple[Any, ...]]]) -> None:
    """Check that each function returns the last value of each of its rows for the values before it."""
    for function, rows in table.items():
        for *arguments, expected in rows:
            with subtests.test(f"{function.__qualname__} {arguments!a:.60}"):
                assert function(*arguments) == expected


def check_refusals(
    subtests: pytest.Subtests, error: type[Exception], table: Mapping[Function, Mapping[str, Iterable[object]]]
) -> None:
    """Check that each function refuses the values of its rows by an *error* with the message before them."""
    for function, rows in table.items():
        for message, values in rows.items():
            for value in values:
                with subtests.test(f"{function.__qualname__} {value!a:.60}"):
                    with pytest.raises(error) as refusal:
                        function(value)
                    assert message in str(refusal.value)
