"""The site itself: its rules of posting, its groups and members."""

from urllib.parse import quote

from msgspec import UNSET, Struct, UnsetType

from voteweb.core import models, permissions
from voteweb.core.models import User
from voteweb.web.api.operations import operation
from voteweb.web.api.shapes import Time, Url, member_url
from voteweb.web.base.context import search_index, settings, store
from voteweb.web.base.responses import rfc3339
from voteweb.web.base.urls import absolute
from voteweb.web.views.groups import check_known, parse_name
from voteweb.web.views.members import check_present, queue_member


class Site(Struct):
    """The site and the rules of posting, but for lengths, which the API describes; times are in seconds."""

    name: str
    url: Url
    signup_open: bool
    has_comments: bool
    has_search: bool
    max_groups: int
    edit_seconds: int
    voting_seconds: int
    good_votes: int


class Group(Struct):
    """A group, and how many articles it has."""

    name: str
    url: Url
    title: str
    description: str
    articles: int


class Groups(Struct):
    """All groups, by name."""

    groups: tuple[Group, ...]


class Member(Struct, omit_defaults=True):
    """A member, with how much they posted; ``about`` is what they say about themselves, as Markdown."""

    name: str
    url: Url
    role: models.Role
    since: Time
    articles: int
    comments: int | UnsetType = UNSET
    about: str = ""
    banned: bool = False


@operation("GET /site")
def get_site(user: User | None) -> Site:
    """Describe the site, and the rules of posting."""
    site = settings()
    return Site(
        name=site.site_name,
        url=absolute(),
        signup_open=permissions.may_join(site),
        has_comments=bool(site.comments),
        has_search=search_index() is not None,
        max_groups=site.max_groups,
        edit_seconds=site.edit_seconds,
        voting_seconds=site.voting_seconds,
        good_votes=site.good_votes,
    )


@operation("GET /groups", names=lambda pipeline: store().groups.queue_names(pipeline))
def list_groups(names: tuple[str, ...]) -> Groups:
    """List all groups, by name."""
    groups = store().read(store().groups.queue_get, names)
    return Groups(tuple(_group(group) for group in groups if group))


@operation("GET /groups/<name>", groups=lambda pipeline, name: store().groups.queue_get(pipeline, [parse_name(name)]))
def get_group(name: str, groups: tuple[models.Group | None, ...]) -> Group:
    """Get a group, also by another name that it has."""
    names: tuple[str, ...] = (parse_name(name),)
    if groups == (None,):
        names = store().groups.resolve(names)
        groups = store().read(store().groups.queue_get, names)
    return _group(check_known(names, groups)[0])


def _group(group: models.Group) -> Group:
    return Group(group.name, absolute(f"/g/{quote(group.name)}"), group.title, group.description, group.articles)


@operation(
    "GET /members/<name>", member=queue_member, counts=lambda pipeline, name: store().users.queue_counts(pipeline, name)
)
def get_member(user: User | None, member: User, counts: tuple[int, int]) -> Member:
    """Get a member."""
    member = check_present(member, member.name, user)
    return Member(
        name=member.name,
        url=member_url(member.name),
        role=member.role,
        since=rfc3339(member.since),
        articles=counts[0],
        comments=counts[1] if settings().comments else UNSET,
        about="" if member.banned else member.about,
        banned=bool(member.banned),
    )
