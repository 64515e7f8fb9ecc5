"""The choices of members about what they read: what they save, hide and follow, and their inbox."""

from typing import Annotated

from msgspec import Meta

from voteweb.core import errors
from voteweb.core.models import Right, User
from voteweb.core.my_site import Hidden, HiddenKind
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.web.api.operations import Input, operation
from voteweb.web.base.context import store
from voteweb.web.views.groups import parse_name
from voteweb.web.views.my_site import end_following


class InboxRead(Input):
    """The id of the newest entry of the inbox that was read."""

    until: Annotated[str, Meta(description="The `id` of the newest entry that was read.")]


def _queue_group(pipeline: Pipeline, name: str) -> Future[dict[str, str]]:
    """Queue a read of the group that the address names, perhaps by an alias."""
    return store().groups.queue_resolve_each(pipeline, [parse_name(name)])


@operation("PUT /articles/<int:id>/save", Right.OWN, form="my_site.save", refuses=(errors.TooMuchSaved,))
def save(id: int, user: User) -> None:
    """Save an article for later."""
    store().my_sites.save(id, user)


@operation("DELETE /articles/<int:id>/save", Right.OWN, form="my_site.unsave")
def unsave(id: int, user: User) -> None:
    """Take an article, which may be gone, out of the saved ones."""
    store().my_sites.unsave(id, user)


@operation(
    "PUT /articles/<int:id>/hide", Right.OWN, form="my_site.hide", refuses=(errors.NothingToHide, errors.TooMuchHidden)
)
def hide(id: int, user: User) -> None:
    """Hide an article from the lists of the member."""
    store().my_sites.hide(_hidden(id), user)


@operation("DELETE /articles/<int:id>/hide", Right.OWN, form="my_site.unhide")
def unhide(id: int, user: User) -> None:
    """Show the member an article again that they hid."""
    store().my_sites.show(_hidden(id), user)


def _hidden(id: int) -> Hidden:
    return Hidden(HiddenKind.ARTICLE, str(id))


@operation(
    "PUT /groups/<name>/follow",
    Right.OWN,
    form="my_site.follow",
    refuses=(errors.TooMuchFollowed,),
    groups=_queue_group,
)
def follow(groups: dict[str, str], user: User) -> None:
    """Follow a group."""
    (group,) = groups.values()
    store().my_sites.follow(group, user)


@operation("DELETE /groups/<name>/follow", Right.OWN, form="my_site.unfollow", groups=_queue_group)
def unfollow(groups: dict[str, str], user: User) -> None:
    """Follow a group no longer, whether it still exists or not."""
    end_following(groups, user)


@operation("POST /me/inbox/read", Right.OWN, form="my_site.mark_read", refuses=(errors.NoSuchEntry,))
def read_inbox(user: User, body: InboxRead) -> None:
    """Mark an entry of the inbox and all older ones as read."""
    store().inbox.mark_all_read(user, body.until, must_exist=True)
