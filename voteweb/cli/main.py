"""The group of all commands, which turns every failure into one line and an exit status."""

import os
from pathlib import Path
from typing import Any, NoReturn

import click

from voteweb import __version__
from voteweb.cli.backup import backup, restore
from voteweb.cli.content import article, group
from voteweb.cli.deploy import deploy
from voteweb.cli.doctor import doctor, migrate, rescore
from voteweb.cli.imports import import_
from voteweb.cli.init import init
from voteweb.cli.jobs import jobs
from voteweb.cli.lookups import config, log, stats
from voteweb.cli.mail import mail
from voteweb.cli.run import run
from voteweb.cli.users import user
from voteweb.core.config import TRACEBACK_VARIABLE
from voteweb.core.errors import VotewebError


class Commands(click.Group):
    """The group of all commands; a failure of one ends in one line."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; raise its failure as a ClickException."""
        is_root = os.geteuid() == 0
        try:
            return super().invoke(ctx)
        except click.NoSuchOption as error:
            if error.option_name != "--site":
                raise
            raise click.UsageError('Write it before the command: "voteweb --site DIR …".', error.ctx) from None
        except (click.ClickException, click.exceptions.Exit, BrokenPipeError):
            raise
        except (KeyboardInterrupt, click.Abort):
            ctx.exit(130)
        except VotewebError as error:
            _fail(str(error))
        except OSError as error:
            message = error.strerror or str(error)
            if error.strerror and error.filename:
                message += f": {error.filename}"
            if is_root and isinstance(error, PermissionError) and os.geteuid() != 0:
                message += f" (the command of root goes on as the owner of the site, {os.environ['USER']})"
            _fail(message)
        except Exception as error:
            if os.environ.get(TRACEBACK_VARIABLE):
                raise
            _fail(f"unexpected {type(error).__name__}: {error} (set {TRACEBACK_VARIABLE}=1 to see the traceback)")


def _fail(message: str) -> NoReturn:
    raise click.ClickException(" ".join(message.split())) from None


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.option(
    "--site",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of the site: the one with its settings file, voteweb.env.",
)
def voteweb(site: Path | None) -> None:
    """Run and administer a voteweb site.

    Settings come from the environment, from variables named VOTEWEB_...; "voteweb config" shows them all. If it names
    no database, they also come from the file voteweb.env in the folder of the site: that of --site, else the current
    folder, else /var/lib/voteweb. Root's commands go on as the owner of that file.
    """


for _command in (
    init,
    run,
    jobs,
    import_,
    user,
    article,
    group,
    log,
    stats,
    doctor,
    rescore,
    backup,
    restore,
    migrate,
    mail,
    deploy,
    config,
):
    voteweb.add_command(_command)
