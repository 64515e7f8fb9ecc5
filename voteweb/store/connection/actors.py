"""Actors: the members for whom scripts act. The script itself checks that its actor still may."""

from typing import NamedTuple

from voteweb.core.models import Role, User
from voteweb.store.schema.keys import Keys


class ActorArguments(NamedTuple):
    """The last keys and arguments of a script that acts for a member (see acts.lua)."""

    keys: tuple[str, ...]
    arguments: tuple[int | str, str]


#: The operator, whom no script checks.
OPERATOR = ActorArguments((), ("", ""))


def actor_arguments(keys: Keys, actor: User | None, role: Role = Role.MODERATOR) -> ActorArguments:
    """Return what a script needs to check that *actor* may act and has at least *role*; None is the operator."""
    if actor is None:
        return OPERATOR
    return ActorArguments((keys.user(actor.name),), (actor.id, role.value))
