"""One run: what was chosen for it and what all its parts share."""

from dataclasses import dataclass
from pathlib import Path

import click

from bench.load import Load
from bench.sites import Site


@dataclass(frozen=True, slots=True)
class Run:
    """The choices of one run: ``seconds`` a measurement, ``rounds`` of all contenders, where things are kept.

    ``generated`` are the generated sites, the smallest first; ``stories`` the real ones, None where there are none;
    ``is_smoke``: only whether everything works is asked.
    """

    folder: Path
    engine: str
    rounds: int
    seconds: float
    load: Load
    generated: tuple[Site, ...]
    stories: Site | None
    is_smoke: bool

    @property
    def logs(self) -> Path:
        """Where the servers say what went wrong."""
        return self.folder / "logs"

    def copy(self, name: str) -> Path:
        """Return the folder for a copy of a site."""
        return self.folder / "run" / name

    def tell(self, words: str) -> None:
        """Say how far the run has come."""
        click.echo(f"… {words}", err=True)
