"""Each operation does what it says for the tokens that have its right, and for no others."""

from pathlib import Path

import pytest
from flask import Flask

from tests import factories
from tests.store.examination import run
from tests.store.test_site_switches import set_switch
from tests.web.api.examples import EXAMPLES, make_token, script
from tests.web.state import content
from voteweb.core.models import Right, Role
from voteweb.core.rate_limits import PROGRAM
from voteweb.core.site_switches import ON, SwitchName
from voteweb.store import Store
from voteweb.web.api.openapi import refusals
from voteweb.web.api.operations import OPERATIONS, Operation
from voteweb.web.i18n.formatting import RIGHT_NAMES

_ALL = tuple(Right)
#: The kinds of programs: rights, and the role of the member.
PROGRAMS: dict[str, tuple[tuple[Right, ...], Role]] = {
    **{f"only {right}": ((right,), Role.MODERATOR) for right in Right},
    "all of a member": (_ALL, Role.MEMBER),
    "all of a moderator without a second factor": (_ALL, Role.MODERATOR),
    "none": ((), Role.MEMBER),
}


def expected(row: Operation, kind: str) -> tuple[int, str] | None:
    """Return the refusal that a program gets, None for one that may."""
    if row.right is None:
        return None
    if kind == "none":
        return 401, "token-needed"
    if row.right not in PROGRAMS[kind][0]:
        return 403, "no-right"
    if row.right is Right.MODERATE and kind.startswith("all"):
        return 403, "not-allowed"
    return None


@pytest.mark.site(limits=1)
@pytest.mark.parametrize("kind", PROGRAMS)
def test_operation_obeys_the_rights_of_the_token(
    kind: str, app: Flask, store: Store, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    script.fill(app, store, tmp_path)
    if "factor" in kind:
        set_switch(store, factories.user(store, "root", Role.ADMIN), SwitchName.SECOND_FACTOR, ON)
    token = "" if kind == "none" else make_token(store, "user", *PROGRAMS[kind])
    for row in sorted(OPERATIONS, key=lambda row: list(EXAMPLES).index(row.name)):
        run(store, "DEL", "", *store.connection.client.keys("limit:*"))
        before = content(store)
        response = script.ask(app, row, EXAMPLES[row.name], token)
        refusal = expected(row, kind)
        with subtests.test(row.name):
            problem = (response.status_code, response.json["code"] if response.status_code >= 400 else "")
            if refusal:
                assert problem == refusal
                assert (response.headers.get("WWW-Authenticate") == "Bearer") == (problem[0] == 401)
                after = content(store)
                counted = {key for key in after if key.startswith("limit:")}
                assert {key: value for key, value in after.items() if key not in counted} == before
                if problem[1] == "no-right" and row.right:
                    assert f"“{RIGHT_NAMES[row.right]}”" in response.json["detail"]
                    # Otherwise such a token would use up the limits of its member.
                    assert {key.partition("-")[0] for key in counted} == {f"limit:{PROGRAM.kind}"}
            else:
                assert problem[0] not in (401, 403)
            if problem[1]:
                assert problem in [refusal[:2] for refusal in refusals(row)]
