"""Names of members: one script, one key, and no look-alikes."""

import pytest

from voteweb.core import validation
from voteweb.core.errors import Invalid
from voteweb.core.names import look_alike, name_key
from voteweb.core.validation import is_member_name, user_name

ACCEPTED = {
    "ann": "ann",
    "__": "__",
    "José": "josé",
    "Straße": "strasse",
    "ＡＮＮ": "ann",
    "Jose\u0301": "josé",
    "李明": "李明",
    "田中さん": "田中さん",
    "ΝΊΚΟΣ": "νίκοσ",
    "हिन्दी": "हिन्दी",
    "सं१२": "सं१२",
}
REFUSED = [
    "李",
    "a" * 21,
    "ß" * 11,  # 22 letters, compared
    "аnn",  # a Cyrillic letter
    "李ming",
    "१2क",  # digits of two systems
    "сор",  # Cyrillic that looks Latin
    "ǀǀa",
    "ʀob",
    "q\u0301q",
    "का\u093e",
    "\u0902क",
    "ᄀᄀ",
    "\u3164\u3164",
    "😀😀",
    "李:明",
    "a\x00b",
    "管理员",
    "ádmin",
]


@pytest.mark.parametrize(("typed", "key"), ACCEPTED.items())
def test_names_of_one_script_are_accepted_with_their_key(typed: str, key: str) -> None:
    assert name_key(user_name(f" {typed} ")) == name_key(key) == key


@pytest.mark.parametrize("typed", REFUSED)
def test_mixed_confusable_and_invisible_names_are_refused(typed: str) -> None:
    with pytest.raises(Invalid):
        user_name(typed)


def test_key_of_a_key_is_the_same_and_can_be_a_name() -> None:
    # All planes above are unassigned or for private use, but for tags, which are no letters.
    for character in map(chr, range(0x40000)):
        if is_member_name(2 * character):
            key = name_key(2 * character)
            assert name_key(key) == key, character
            assert is_member_name(key), character


@pytest.mark.parametrize(
    ("name", "other"),
    [("adm1n", "admin"), ("Admin_", "admin"), ("Iinda", "linda"), ("rnark", "mark"),
     ("vvww", "wwvv"), ("m0d3rat0r", "moderator"), ("ANN", "ann"),
     ("力丸", "カ丸"), ("Jöse", "jose")],
)  # fmt: skip
def test_names_that_can_be_mistaken_look_alike(name: str, other: str) -> None:
    assert look_alike(name, other)
    assert look_alike(other, name)


@pytest.mark.parametrize(("name", "other"), [("ann", "anna"), ("bob", "rob"), ("admiral", "admin"), ("ann2", "ann")])
def test_other_names_do_not_look_alike(name: str, other: str) -> None:
    assert not look_alike(name, other)


@pytest.mark.parametrize("name", ["adm1n", "vvebmaster", "vote-web"])
def test_look_alike_of_a_reserved_name_is_refused_but_well_formed(name: str) -> None:
    with pytest.raises(Invalid, match=f"The name {name} looks too much like"):
        validation.user_name(name)
    assert validation.member_name(name) == name
