"""What is drawn of a table."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bar:
    """One contender's ratio to its floor, None where it is not valid; ``key`` is that of a budget, if it has one."""

    key: str
    label: str
    ratio: float | None
