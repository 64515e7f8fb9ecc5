"""``voteweb user``: create, change and look up members."""

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from voteweb.cli.output import (
    Fields,
    bounded,
    confirm,
    json_option,
    list_options,
    pick,
    print_fields,
    print_rows,
    read_pages,
    yes_option,
)
from voteweb.cli.site import Site, log_entry, reachable_place, with_site
from voteweb.core import passwords, validation
from voteweb.core.config import LOG_PAGE_SIZE, MAX_PASSWORD_LENGTH, MEMBER_PAGE_SIZE, RESET_SECONDS
from voteweb.core.errors import Invalid, NoSuchMember
from voteweb.core.models import LogAction, Role, User
from voteweb.core.names import name_key
from voteweb.store import Store

password_stdin_option = click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")


def new_password_hash(name: str, site_name: str, from_stdin: bool) -> str:
    """Read a new password of the member *name* from standard input or the terminal, and return its hash.

    At the terminal, a password that the site would not accept either is asked for again; else it raises Invalid.
    """
    if not from_stdin and not sys.stdin.isatty():
        raise click.UsageError("There is no terminal to ask for the password: use --password-stdin.")
    while True:
        try:
            typed = (
                _read_password() if from_stdin else click.prompt("Password", hide_input=True, confirmation_prompt=True)
            )
            return passwords.hash_password(validation.password(typed, name, site_name))
        except Invalid as error:
            if from_stdin:
                raise
            click.echo(f"Error: {error}", err=True)


def _read_password() -> str:
    # The longest password in UTF-8, the line's end and another character: enough to notice a longer one.
    line = sys.stdin.buffer.readline(4 * MAX_PASSWORD_LENGTH + 6)
    try:
        return line.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise Invalid("The password on standard input is not UTF-8.") from None


def make_member(store: Store, name: str, password_hash: str, role: Role) -> User:
    """Make a member, and return it; a *role* above member is in the log."""
    entry = None if role is Role.MEMBER else log_entry(LogAction.ROLE, about=name, why=role.value)
    return store.users.make(name, password_hash, role, entry=entry)


_ROLE = click.Choice([role.value for role in Role])


@click.group()
def user() -> None:
    """Make and list members, change their roles and passwords, ban them, and delete their accounts.

    Bans, roles above member and lost second factors are shown in the site's public log.
    """


def with_member(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the argument NAME, and an open site and the member of this name as its first arguments."""

    @click.argument("name")
    @with_site()
    @wraps(command)
    def run(site: Site, /, name: str, **options: Any) -> None:
        command(site, site.store.users.get(validation.member_name(name)), **options)

    return run


@user.command()
@click.argument("name")
@click.option("--role", type=_ROLE, default=Role.MEMBER.value, show_default=True)
@password_stdin_option
@with_site()
def create(site: Site, name: str, role: str, password_stdin: bool) -> None:
    """Make the member NAME; asks for a password."""
    name = validation.user_name(name)
    if existing := site.store.users.find(name):
        raise Invalid("The name %(name)s is taken.", name=existing.name)
    password_hash = new_password_hash(name, site.settings.site_name, password_stdin)
    member = make_member(site.store, name, password_hash, Role(role))
    click.echo(f"Made {member.name} ({member.role}).")


@user.command()
@with_member
@click.argument("role", type=_ROLE)
def role(site: Site, member: User, role: str) -> None:
    """Give the member NAME another ROLE."""
    if member.held:
        site.store.waiting.judge_account(member.name, log_entry(LogAction.ADMIT, about=member.name))
        click.echo(f"{member.name} waited to be let in, and now is.")
    site.store.users.set_role(member.name, Role(role), log_entry(LogAction.ROLE, about=member.name, why=role))
    click.echo(f"{member.name} is now {role}; before: {member.role}.")


@user.command()
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
        origin = settings.site_url.rstrip("/") or f"http://{reachable_place(settings.host, settings.port)}"
        click.echo(f"{origin}/reset/{site.store.passwords.make_link(member.name)}")
        click.echo(f"With this link, {member.name} can set a new password, once, within {RESET_SECONDS // 3600} hours.")
        click.echo("Using it ends all their sessions; until then the old password and all sessions stay valid.")
        return
    site.store.users.set_password(member.name, new_password_hash(member.name, site.settings.site_name, password_stdin))
    click.echo(f"{member.name} has a new password and is logged out everywhere.")


@user.command("second-factor")
@click.option("--off", is_flag=True, help="Turn it off; the public log and the inbox of the member say so.")
@with_member
def second_factor(site: Site, member: User, off: bool) -> None:
    """Tell whether the member NAME has a second factor, or turn it off.

    That is for a member who has lost the phone and has no recovery codes.
    """
    if off and site.store.second_factors.remove(member.name, log_entry(LogAction.SECOND_FACTOR, about=member.name)):
        click.echo(f"The second factor of {member.name} is off now: logging in needs the password alone.")
    else:
        click.echo(f"{member.name} has {'a' if member.second_factor and not off else 'no'} second factor.")


@user.command()
@click.option("--reason", required=True, help="The reason; the member and everybody else can read it.")
@click.option("--votes", is_flag=True, help="Also take back their votes where voting is open.")
@with_member
def ban(site: Site, member: User, reason: str, votes: bool) -> None:
    """Ban the member NAME: log them out everywhere and refuse log-ins.

    Refuses an account that waits to be let in.
    """
    if member.banned:
        click.echo(f"{member.name} is already banned: {member.ban_reason}")
        return
    reason = validation.reason(reason)
    if member.held:
        site.store.waiting.judge_account(member.name, log_entry(LogAction.REFUSE, about=member.name, why=reason))
        click.echo(f"{member.name}, who waited to be let in, is refused and logged out everywhere.")
        return
    count = site.store.open_votes.count([member]).all if votes else 0
    entry = log_entry(LogAction.BAN, about=member.name, why=reason, votes=count)
    site.store.bans.ban(member.name, entry, votes=votes)
    click.echo(f"{member.name} is banned and logged out everywhere.")
    if votes:
        click.echo(f"The jobs of the site take back {count} open votes.")


@user.command()
@with_member
def unban(site: Site, member: User) -> None:
    """Allow the banned member NAME to log in again, or let in one who waits or was refused."""
    if member.held:
        site.store.waiting.judge_account(member.name, log_entry(LogAction.ADMIT, about=member.name))
        click.echo(f"{member.name} is let in.")
        return
    site.store.bans.lift(member.name, log_entry(LogAction.UNBAN, about=member.name))
    click.echo(f"{member.name} can log in again." if member.banned else f"{member.name} is not banned.")


@user.command()
@click.option("--delete-posts", is_flag=True, help="Delete their articles and comments, too.")
@yes_option
@with_member
def delete(site: Site, member: User, delete_posts: bool, yes: bool) -> None:
    """Delete the account of the member NAME for good, as members can do themselves.

    What they posted stays without their name, unless --delete-posts. It is not in the log, which would keep the name.
    """
    if member.left:
        raise NoSuchMember(name=member.name)
    what = "with all that they posted" if delete_posts else "and take the name off what they posted"
    confirm(f"Delete the account of {member.name}, {what}? This cannot be undone.", yes)
    site.store.account_deletion.start(member, delete_articles=delete_posts)
    site.store.account_deletion.finish(member.name)
    click.echo(f"The account of {member.name} is deleted. Backups made before still have it.")


@user.command("list")
@click.option("--moderators", is_flag=True, help="Only moderators and admins.")
@click.option("--banned", is_flag=True, help="Only those who are banned, the latest ban first.")
@click.option("--starting-with", metavar="TEXT", help="Only names that start with TEXT, 50 at most.")
@list_options
@with_site()
def list_(
    site: Site, moderators: bool, banned: bool, starting_with: str | None, limit: int, skip: int, as_json: bool
) -> None:
    """List the members, the newest first.

    Those who have left are not listed.
    """
    if moderators + banned + (starting_with is not None) > 1:
        raise click.UsageError("Choose one of --moderators, --banned and --starting-with.")
    users = site.store.users
    if moderators:
        names = [name_key(member.name) for member in bounded(users.moderators(), skip, limit)]
    elif starting_with is not None:
        names = bounded(users.search(starting_with)[0], skip, limit)
    else:
        queue, size = (users.queue_banned, LOG_PAGE_SIZE) if banned else (users.queue_newest, MEMBER_PAGE_SIZE)
        names = read_pages(lambda number: site.store.read(queue, number), size, skip, limit)
    rows = [
        _facts(member.user) | pick(member, "articles", "comments")
        for member in site.store.read(users.queue_members, list(dict.fromkeys(names)))
        if member.user.banned or not banned
    ]
    print_rows(rows, as_json)


@user.command()
@click.argument("name")
@json_option
@with_site()
def show(site: Site, name: str, as_json: bool) -> None:
    """Show the member NAME."""
    found = site.store.read(site.store.users.queue_members, [validation.member_name(name)])
    if not found:
        raise NoSuchMember(name=name)
    who = found[0].user
    fields = {
        **_facts(who),
        "until": who.banned_until,
        "reason": who.ban_reason if who.banned else "",
        "request": who.request,
        "invited_by": who.invited_by,
        "can_log_in": bool(who.password) and not who.banned,
        **pick(found[0], "articles", "comments"),
    }
    print_fields(fields, as_json)


def _facts(member: User) -> Fields:
    state = "refused" if member.held and member.banned else "banned" if member.banned else ""
    return pick(member, "name", "role", "since") | {"state": state or ("waiting" if member.held else "active")}
