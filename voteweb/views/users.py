"""Members: since when they are here, and what they posted."""

from typing import Any

from flask import Blueprint

from voteweb import fields, lists
from voteweb.errors import Invalid, NoSuchMember
from voteweb.login import store
from voteweb.store.listings import of_member

blueprint = Blueprint("users", __name__)


@blueprint.get("/u/<name>")
def show(name: str) -> str:
    """Show a member and the own articles, newest first."""
    try:
        name = fields.member_name(name)
    except Invalid:
        raise NoSuchMember(name=name) from None

    def check(answers: dict[str, Any]) -> None:
        if answers["member"] is None:
            raise NoSuchMember(name=name)

    return lists.show(
        "users/show.html",
        of_member(name),
        check=check,
        questions={"member": lambda trip: store().users.ask(trip, name)},
    )
