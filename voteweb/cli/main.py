"""The group of all commands, and the one edge at which their failures become words and a status."""

import os
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NoReturn

import click
from flask.cli import AppGroup

from voteweb.cli.backup import backup, restore
from voteweb.cli.config import config
from voteweb.cli.doctor import doctor, rescore
from voteweb.cli.import_stories import import_
from voteweb.cli.run import run
from voteweb.cli.site import TRACEBACK_VARIABLE
from voteweb.cli.users import user
from voteweb.core.errors import VotewebError


class Commands(AppGroup):
    """Flask's group of commands, whose failures end in one line."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; turn what it may fail with into click's own way of failing."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, BrokenPipeError):
            raise
        except (KeyboardInterrupt, click.Abort):
            ctx.exit(130)
        except VotewebError as problem:
            _fail(str(problem))
        except OSError as problem:
            if problem.strerror is None:
                _fail(str(problem))
            _fail(f"{problem.strerror}: {problem.filename}" if problem.filename else problem.strerror)
        except Exception as problem:
            if os.environ.get(TRACEBACK_VARIABLE):
                raise
            _fail(f"unforeseen {type(problem).__name__}: {problem} ({TRACEBACK_VARIABLE}=1 shows where)")


def _fail(words: str) -> NoReturn:
    raise click.ClickException(" ".join(words.split())) from None


def _version() -> str:
    try:
        return version("voteweb")
    except PackageNotFoundError:
        return "from a bare checkout"


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(_version(), message="%(prog)s %(version)s")
def voteweb() -> None:
    """Run and look after a voteweb site.

    Settings come from the environment, from variables named VOTEWEB_...; "voteweb config" shows them all.
    """


for _command in (run, import_, user, doctor, rescore, backup, restore, config):
    voteweb.add_command(_command)
