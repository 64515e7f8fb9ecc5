"""Passwords that are guessed first, from the lists of the package zxcvbn."""

from functools import cache

from voteweb.core import config


def is_common(password: str) -> bool:
    """Tell whether *password*, in any case of its letters, is among the most frequent in published leaks."""
    return password.casefold() in _common()


@cache
def _common() -> frozenset[str]:
    # Loaded at the first new password: the module's lists take 15 MB, of which most is not needed.
    from zxcvbn.frequency_lists import FREQUENCY_LISTS  # type: ignore[import-untyped]

    return frozenset(text for text in FREQUENCY_LISTS["passwords"] if len(text) >= config.MIN_PASSWORD_LENGTH)
