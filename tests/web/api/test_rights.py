"""Each operation does what it says for the tokens that have its right, and for no others."""

from pathlib import Path

import pytest
from flask import Flask

from tests.web.api.examples import EXAMPLES, make_token, script
from tests.web.state import content
from voteweb.core.models import Right, Role
from voteweb.store import Store
from voteweb.web.api.openapi import refusals
from voteweb.web.api.operations import OPERATIONS, Operation

_MEMBERS_RIGHTS = tuple(right for right in Right if right is not Right.MODERATE)
#: The kinds of programs: member, rights, role.
PROGRAMS: dict[str, tuple[str, tuple[Right, ...], Role]] = {
    **{f"only {right}": (f"only-{right}", (right,), Role.MODERATOR) for right in Right},
    "all but moderate": ("careful", _MEMBERS_RIGHTS, Role.MODERATOR),
    "all of a member": ("ambitious", tuple(Right), Role.MEMBER),
    "none": ("", (), Role.MEMBER),
}


def expected(row: Operation, rights: tuple[Right, ...], role: Role, token: str) -> tuple[int, str] | None:
    """Return the refusal that a program gets, None for one that may."""
    if row.right is None:
        return None
    if not token:
        return 401, "token-needed"
    if row.right not in rights:
        return 403, "no-right"
    if row.right is Right.MODERATE and role is Role.MEMBER:
        return 403, "not-allowed"
    return None


@pytest.mark.parametrize("kind", PROGRAMS)
def test_operation_obeys_the_rights_of_the_token(
    kind: str, app: Flask, store: Store, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    script.fill(app, store, tmp_path)
    name, rights, role = PROGRAMS[kind]
    token = make_token(store, name, rights, role) if name else ""
    for row in sorted(OPERATIONS, key=lambda row: list(EXAMPLES).index(row.name)):
        before = content(store)
        response = script.ask(app, row, EXAMPLES[row.name], token)
        refusal = expected(row, rights, role, token)
        with subtests.test(row.name):
            code = response.json["code"] if response.status_code >= 400 else ""
            if refusal:
                assert (response.status_code, code) == refusal
                assert content(store) == before
            else:
                assert response.status_code not in (401, 403)
            if code:
                assert (response.status_code, code) in [refusal[:2] for refusal in refusals(row)]
