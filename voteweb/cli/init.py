"""``voteweb init``: make a new site, with its settings file, its database and its first admin."""

import os
import secrets
import shlex
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from voteweb.cli.deploy import SERVICE_NAME
from voteweb.cli.environment import (
    DEFAULT_SITE,
    DEFAULT_USER,
    FILE_NAME,
    become_owner,
    is_plain,
    made_folder,
    read_file,
    refuse_unclear,
    refuse_used_folder,
    write_file,
)
from voteweb.cli.site import open_checked_store
from voteweb.cli.users import make_member, new_password_hash, password_stdin_option
from voteweb.core import validation
from voteweb.core.config import MAX_GOOD_VOTES, MAX_SITE_NAME_LENGTH
from voteweb.core.errors import ConfigError, Invalid, VotewebError
from voteweb.core.models import Role
from voteweb.core.settings import Settings, env_name, from_env
from voteweb.embedded.folder import keep_site_id

#: The settings of a new site for which other values are better than the defaults, those of the book for a large site.
GOOD_VOTES = 20
LIFT_DAYS = 7
HOLD_POSTS = 1
#: Comments above settings in the file.
COMMENTS = {
    env_name("site_url"): "The settings of a voteweb site; docs/settings.md has all that there are.",
    env_name("secret_key"): "Signs cookies; another key logs everybody out.",
    env_name("trusted_proxies"): "The number of proxies in front of the site, such as Caddy or nginx.",
    env_name("good_votes"): "The votes of a good article: a vote lifts an article by a day divided by this.",
    env_name("lift_days"): "The most days by which votes lift an article. After a change of these two: "
    "voteweb rescore --to-environment.",
    env_name("hold_posts"): "The first articles of a new member that wait for a moderator, against waves of spam.",
}


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False, resolve_path=True))
@click.option("--site-url", help="Public address, such as https://news.example")
@click.option("--site-name", help="Name of the site, for its header and titles")
@click.option("--admin", help="Name of the first admin")
@click.option(
    "--good-votes", type=click.IntRange(1, MAX_GOOD_VOTES), help=f"Votes of a good article  [default: {GOOD_VOTES}]"
)
@password_stdin_option
@click.option("--redis-url", help="A Redis or Valkey server  [default: the embedded database]")
@click.option("--redis-site", help="Name of the site there, if several sites share the server: VOTEWEB_SITE")
@click.option("--port", type=click.IntRange(1, 65_535), default=8000, show_default=True, help="Port to listen at")
@click.option("--user", help=f"Owner of DIR, made if there is none  [default for root: {DEFAULT_USER}]")
def init(folder: Path, admin: str | None, password_stdin: bool, user: str | None, **given: Any) -> None:
    """Make a new site in DIR: its settings file, its database and its first admin.

    Asks for what no option says. Nothing is replaced: if the command was interrupted, run it again.
    """
    file = folder / FILE_NAME
    if folder.is_dir():
        become_owner(folder)
    is_new = not file.exists()
    if is_new:
        if folder.is_dir():
            refuse_used_folder(folder)
        variables = _ask_settings(folder, **given)
        refuse_unclear(file, variables)
        if _is_in_use(given["port"]):
            click.echo(f"Another program listens at port {given['port']}. For another port: --port N.", err=True)
    else:
        click.echo(f"{file} is there already, and stays as it is.")
        variables = read_file(file)
    settings = from_env(variables)
    if settings.redis_url or not is_new:
        with open_checked_store(settings) as store:
            if store.users.has_admin():
                raise ConfigError(
                    "The database of this site has an admin already, and nothing was changed. To make another: voteweb "
                    "user create NAME --role admin. For a forgotten password: voteweb user password NAME. To put "
                    "another site beside it on the same server: --redis-site NAME."
                )
    name = _ask("Name of the first admin", "--admin", admin, validation.user_name)
    password_hash = new_password_hash(name, settings.site_name, password_stdin)
    if is_new:
        with made_folder(folder, user):
            write_file(file, variables, COMMENTS)
    with open_checked_store(settings, writes=True) as store:
        make_member(store, name, password_hash, Role.ADMIN)
        keep_site_id(settings, store.context.site_id or "")
    click.echo(f"Made the site in {folder}, with the admin {name}.")
    click.echo(_next_steps(folder, settings))


def _next_steps(folder: Path, settings: Settings) -> str:
    is_default = folder == DEFAULT_SITE
    site = "" if is_default else f" --site {shlex.quote(str(folder))}"
    if not settings.site_url.startswith("https:"):
        return (
            f"Next, to try it on this machine:\n  voteweb{site} run\n"
            f"A public site needs VOTEWEB_SITE_URL=https://… and VOTEWEB_TRUSTED_PROXIES=1 in {folder / FILE_NAME}."
        )
    # Without a name of its own, a second site would take the place of the first one's services.
    name = "" if is_default or not SERVICE_NAME.fullmatch(folder.name) else f" --name {folder.name}"
    return "\n".join(
        ["Next, as root:", *(f"  voteweb{site} deploy {kind} --install{name}" for kind in ("systemd", "caddy"))]
    )


def _ask_settings(
    folder: Path,
    port: int,
    site_url: str | None,
    site_name: str | None,
    good_votes: int | None,
    redis_url: str | None,
    redis_site: str | None,
) -> dict[str, str]:
    """Return the settings of a new site in *folder*, by the names of their variables."""
    url = _ask("Public address, such as https://news.example", "--site-url", site_url, _url)
    site_name = _ask("Name of the site", "--site-name", site_name, _site_name)
    if good_votes is None and sys.stdin.isatty():
        question = "Votes of a good article: about what one in twenty of yours will get"
        good_votes = click.prompt(question, default=GOOD_VOTES, type=click.IntRange(1, MAX_GOOD_VOTES))
    settings = {
        "site_url": url,
        "site_name": site_name,
        "port": str(port),
        "secret_key": secrets.token_urlsafe(32),
        # Under http there is hardly a proxy, whose word about visitors could be trusted.
        "trusted_proxies": "1" if url.startswith("https:") else "0",
        "data_dir": str(folder / "data"),
        "good_votes": str(good_votes or GOOD_VOTES),
        "lift_days": str(LIFT_DAYS),
        "hold_posts": str(HOLD_POSTS),
        "redis_url": redis_url,
        "site": redis_site,
    }
    if redis_url:  # the new site connects with TLS before anybody can edit its file
        for name in ("redis_ca_file", "redis_certificate_file", "redis_key_file"):
            given = os.environ.get(env_name(name))
            settings[name] = given and os.path.abspath(given)
    return {env_name(name): value for name, value in settings.items() if value}


def _is_in_use(port: int) -> bool:
    """Tell whether a program listens at *port* of this machine."""
    with socket.socket() as client:
        client.settimeout(1)
        return client.connect_ex(("127.0.0.1", port)) == 0


def _ask(question: str, option: str, given: str | None, check: Callable[[str], str]) -> str:
    """Return the value of the *option*, else the typed text, as *check* returns it; it raises VotewebError.

    At the terminal, a refused answer is asked for again.
    """
    if given is not None:
        return check(given)
    if not sys.stdin.isatty():
        raise click.UsageError(f"There is no terminal to ask at: use {option}.")

    def check_typed(typed: str) -> str:
        try:
            return check(typed)
        except VotewebError as error:
            raise click.UsageError(str(error)) from None

    return str(click.prompt(question, value_proc=check_typed))


def _url(typed: str) -> str:
    """Return the address of a site, https:// unless it says otherwise; raise ConfigError."""
    url = typed.strip().rstrip("/")
    if url and "://" not in url:
        url = f"https://{url}"
    if not url:
        raise Invalid("A site needs an address.")
    return Settings(site_url=url).site_url


def _site_name(typed: str) -> str:
    name = typed.strip()
    if not 1 <= len(name) <= MAX_SITE_NAME_LENGTH or not is_plain(name):
        raise Invalid(
            "The name of a site must have 1 to %(max)s characters, without $, backslash, or a quote or # before it.",
            max=MAX_SITE_NAME_LENGTH,
        )
    return name
