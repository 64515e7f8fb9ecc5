"""Names that look like others are told apart from those that do not."""

import pytest

from voteweb.core import validation
from voteweb.core.errors import Invalid
from voteweb.core.names import look_alike


@pytest.mark.parametrize(
    ("name", "other"),
    [("adm1n", "admin"), ("Admin_", "admin"), ("-r-o-o-t", "root"), ("Iinda", "linda"), ("rnark", "mark"),
     ("vvww", "wwvv"), ("m0d3rat0r", "moderator"), ("5t4ff", "staff"), ("ANN", "ann")],
)  # fmt: skip
def test_names_that_can_be_mistaken_look_alike(name: str, other: str) -> None:
    assert look_alike(name, other)
    assert look_alike(other, name)


@pytest.mark.parametrize(("name", "other"), [("ann", "anna"), ("bob", "rob"), ("admiral", "admin"), ("ann2", "ann")])
def test_other_names_do_not_look_alike(name: str, other: str) -> None:
    assert not look_alike(name, other)


@pytest.mark.parametrize("name", ["adm1n", "Admin_", "r00t", "vvebmaster", "moderat0r", "5upport", "vote-web"])
def test_look_alike_of_a_reserved_name_is_refused_but_well_formed(name: str) -> None:
    with pytest.raises(Invalid, match=f"The name {name} looks too much like"):
        validation.user_name(name)
    assert validation.member_name(name) == name
