"""``voteweb user list`` and ``show``: look up members."""

from typing import Any

import click

from voteweb.cli.output import bounded, json_option, list_options, print_fields, print_rows, read_pages
from voteweb.cli.site import Site, with_site
from voteweb.cli.users import user
from voteweb.core import validation
from voteweb.core.config import LOG_PAGE_SIZE, MEMBER_PAGE_SIZE
from voteweb.core.errors import NoSuchMember
from voteweb.core.models import Page, User
from voteweb.core.names import name_key

__all__ = ["user"]  # with the commands of both modules


@user.command("list", with_appcontext=False)
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
    lists, store = site.store.users, site.store
    if moderators:
        found = bounded(lists.moderators(), skip, limit)
        names = [name_key(member.name) for member in found]
    elif starting_with is not None:
        matching, _ = lists.search(starting_with)
        names = bounded(matching, skip, limit)
    else:
        queue, size = (lists.queue_banned, LOG_PAGE_SIZE) if banned else (lists.queue_newest, MEMBER_PAGE_SIZE)

        def read(number: int) -> Page[str]:
            return store.read(queue, number)

        names = read_pages(read, size, skip, limit)
    members = store.read(lists.queue_members, list(dict.fromkeys(names)))
    rows = [
        _facts(member.user) | {"articles": member.articles, "comments": member.comments}
        for member in members
        if member.user.banned or not banned
    ]
    print_rows(rows, as_json)


@user.command(with_appcontext=False)
@click.argument("name")
@json_option
@with_site()
def show(site: Site, name: str, as_json: bool) -> None:
    """Show the member NAME."""
    found = site.store.read(site.store.users.queue_members, [validation.member_name(name)])
    if not found:
        raise NoSuchMember(name=name)
    (member,) = found
    who = member.user
    fields = {
        **_facts(who),
        "until": who.banned_until,
        "reason": who.ban_reason if who.banned else "",
        "request": who.request,
        "invited_by": who.invited_by,
        "can_log_in": bool(who.password) and not who.banned,
        "articles": member.articles,
        "comments": member.comments,
    }
    print_fields(fields, as_json)


def _facts(member: User) -> dict[str, Any]:
    state = "refused" if member.held and member.banned else "banned" if member.banned else ""
    return {
        "name": member.name,
        "role": member.role.value,
        "since": member.since,
        "state": state or ("waiting" if member.held else "active"),
    }
