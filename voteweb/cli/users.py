"""``voteweb user``: create and change members."""

import click
from flask.cli import AppGroup

from voteweb.cli.output import confirm, yes_option
from voteweb.cli.password_input import new_password_hash, password_stdin_option
from voteweb.cli.site import Site, site_origin, with_site
from voteweb.core import validation
from voteweb.core.config import COMMAND_LINE, RESET_SECONDS
from voteweb.core.errors import Invalid, NoSuchMember
from voteweb.core.models import LogAction, Role
from voteweb.store.schema.log_entries import NewLogEntry

_ROLE = click.Choice([role.value for role in Role])


@click.group(cls=AppGroup)
def user() -> None:
    """Make and list members, change their roles and passwords, ban them, and delete their accounts.

    Bans and roles above member are shown in the site's public log.
    """


@user.command(with_appcontext=False)
@click.argument("name")
@click.option("--role", type=_ROLE, default=Role.MEMBER.value, show_default=True)
@password_stdin_option
@with_site()
def create(site: Site, name: str, role: str, password_stdin: bool) -> None:
    """Make the member NAME; asks for a password."""
    name = validation.user_name(name)
    existing = site.store.users.find(name)
    if existing:
        raise Invalid("The name %(name)s is taken.", name=existing.name)
    entry = None if role == Role.MEMBER else _log_entry(LogAction.ROLE, name, role)
    member = site.store.users.make(
        name, new_password_hash(name, site.settings.site_name, password_stdin), Role(role), entry=entry
    )
    click.echo(f"Made {member.name} ({member.role}).")


@user.command(with_appcontext=False)
@click.argument("name")
@click.argument("role", type=_ROLE)
@with_site()
def role(site: Site, name: str, role: str) -> None:
    """Give the member NAME another ROLE."""
    member = site.store.users.get(validation.member_name(name))
    if member.held:
        site.store.waiting.admit(member.name, _log_entry(LogAction.ADMIT, member.name))
        click.echo(f"{member.name} waited to be let in, and now is.")
    site.store.users.set_role(member.name, Role(role), _log_entry(LogAction.ROLE, member.name, role))
    click.echo(f"{member.name} is now {role}; before: {member.role}.")


@user.command(with_appcontext=False)
@click.argument("name")
@password_stdin_option
@click.option("--link", is_flag=True, help="Print a one-time link for a new password, and ask for none.")
@with_site()
def password(site: Site, name: str, password_stdin: bool, link: bool) -> None:
    """Give the member NAME another password; ends all their sessions.

    With --link, the member chooses it: the link sets a new password once, and expires.
    """
    if link and password_stdin:
        raise click.UsageError("--link asks for no password: leave --password-stdin out.")
    member = site.store.users.get(validation.member_name(name))
    if link:
        settings = site.settings
        origin = settings.site_url.rstrip("/") or site_origin(settings.host, settings.port)
        click.echo(f"{origin}/reset/{site.store.passwords.make_link(member.name)}")
        click.echo(f"With this link, {member.name} can set a new password, once, within {RESET_SECONDS // 3600} hours.")
        click.echo("Using it ends all their sessions; until then the old password and all sessions stay valid.")
        return
    site.store.users.set_password(member.name, new_password_hash(name, site.settings.site_name, password_stdin))
    click.echo(f"{member.name} has a new password and is logged out everywhere.")


@user.command(with_appcontext=False)
@click.argument("name")
@click.option("--reason", required=True, help="The reason; the member and everybody else can read it.")
@with_site()
def ban(site: Site, name: str, reason: str) -> None:
    """Ban the member NAME: log them out everywhere and refuse log-ins.

    Refuses an account that waits to be let in.
    """
    member = site.store.users.get(validation.member_name(name))
    if member.banned:
        click.echo(f"{member.name} is already banned: {member.ban_reason}")
        return
    reason = validation.reason(reason)
    if member.held:
        site.store.waiting.refuse(member.name, _log_entry(LogAction.REFUSE, member.name, reason))
        click.echo(f"{member.name}, who waited to be let in, is refused and logged out everywhere.")
        return
    site.store.bans.ban(member.name, _log_entry(LogAction.BAN, member.name, reason))
    click.echo(f"{member.name} is banned and logged out everywhere.")


@user.command(with_appcontext=False)
@click.argument("name")
@with_site()
def unban(site: Site, name: str) -> None:
    """Allow the banned member NAME to log in again, or let in one who waits or was refused."""
    member = site.store.users.get(validation.member_name(name))
    if member.held:
        site.store.waiting.admit(member.name, _log_entry(LogAction.ADMIT, member.name))
        click.echo(f"{member.name} is let in.")
        return
    site.store.bans.lift(member.name, _log_entry(LogAction.UNBAN, member.name))
    click.echo(f"{member.name} can log in again." if member.banned else f"{member.name} is not banned.")


@user.command(with_appcontext=False)
@click.argument("name")
@click.option("--delete-posts", is_flag=True, help="Delete their articles and comments, too.")
@yes_option
@with_site()
def delete(site: Site, name: str, delete_posts: bool, yes: bool) -> None:
    """Delete the account of the member NAME for good, as members can do themselves.

    What they posted stays without their name, unless --delete-posts. It is not in the log, which would keep the name.
    """
    member = site.store.users.get(validation.member_name(name))
    if member.left:
        raise NoSuchMember(name=name)
    what = "with all that they posted" if delete_posts else "and take the name off what they posted"
    confirm(f"Delete the account of {member.name}, {what}? This cannot be undone.", yes)
    site.store.account_deletion.start(member, delete_articles=delete_posts)
    site.store.account_deletion.finish(member.name)
    click.echo(f"The account of {member.name} is deleted. Backups made before still have it.")


def _log_entry(action: LogAction, about: str, reason: str = "") -> NewLogEntry:
    """Return an entry for the moderation log of an act of the command line."""
    return NewLogEntry(action, COMMAND_LINE, about=about, why=reason)
