"""The options of one benchmark run and the sites that it measures, which all parts share."""

from dataclasses import dataclass
from pathlib import Path

import click

from bench.load.measurement import LoadGenerator
from bench.sites.prepare import Site


@dataclass(frozen=True, slots=True)
class RunContext:
    """The length of a measurement in ``seconds``, the ``rounds`` of all contenders, and the sites.

    The ratios are measured ``runs`` times, each time by servers that are started for it.
    ``generated`` are the generated sites, the smallest first; ``stories`` is the site of real stories, if there is
    one, made of ``stories_file``. ``documents`` is the number of articles, and of comments, of the index of search.
    The numbers of a smoke test (``is_smoke``) mean nothing.
    """

    folder: Path
    engine: str
    runs: int
    rounds: int
    seconds: float
    generator: LoadGenerator
    generated: tuple[Site, ...]
    stories: Site | None
    stories_file: Path | None
    documents: int
    is_smoke: bool

    @property
    def sites(self) -> list[Site]:
        """All sites."""
        return [*self.generated, *([self.stories] if self.stories else [])]

    @property
    def logs(self) -> Path:
        """The folder of the servers' output."""
        return self.folder / "logs"

    def scratch_folder(self, name: str) -> Path:
        """Return a folder for temporary files, such as the copy of a site."""
        return self.folder / "run" / name

    def report_progress(self, message: str) -> None:
        """Print *message* to stderr."""
        click.echo(f"… {message}", err=True)
