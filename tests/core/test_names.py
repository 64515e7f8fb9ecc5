"""Names of members: one script, one key, and no look-alikes."""

import pytest

from tests.rows import check_refusals, check_results
from voteweb.core import validation
from voteweb.core.errors import Invalid
from voteweb.core.names import look_alike, name_key
from voteweb.core.validation import is_member_name, user_name

ACCEPTED = {
    "ann": "ann",
    "__": "__",
    "José": "josé",
    "Straße": "strasse",
    "İsmail": "ismail",
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
    "i\u0307i",
    "का\u093e",
    "\u0902क",
    "ᄀᄀ",
    "\u3164\u3164",
    "ក\u17b4",  # a vowel that shows nothing
    "😀😀",
    "李:明",
    "a\x00b",
    "管理员",
    "ádmin",
]
LOOK_ALIKES = ["adm1n", "vvebmaster", "vote-web"]


def test_names_of_one_script_are_accepted_with_their_key(subtests: pytest.Subtests) -> None:
    check_results(subtests, {lambda typed: name_key(user_name(f" {typed} ")): ACCEPTED.items()})
    assert all(name_key(key) == key for key in ACCEPTED.values())


def test_mixed_confusable_and_invisible_names_are_refused(subtests: pytest.Subtests) -> None:
    check_refusals(subtests, Invalid, {user_name: {"": REFUSED, "looks too much like": LOOK_ALIKES}})
    assert list(map(validation.member_name, LOOK_ALIKES)) == LOOK_ALIKES


def test_key_of_a_key_is_itself_and_a_valid_name() -> None:
    # All planes above are unassigned or for private use, but for tags, which are no letters.
    for character in map(chr, range(0x40000)):
        if is_member_name(2 * character):
            key = name_key(2 * character)
            assert name_key(key) == key, character
            assert is_member_name(key), character


def test_only_names_that_can_be_mistaken_look_alike() -> None:
    pairs = [("adm1n", "admin"), ("Admin_", "admin"), ("Iinda", "linda"), ("rnark", "mark"), ("vvww", "wwvv")]
    pairs += [("m0d3rat0r", "moderator"), ("ANN", "ann"), ("力丸", "カ丸"), ("Jöse", "jose")]
    assert [pair for pair in pairs if not look_alike(*pair)] == []
    others = [("ann", "anna"), ("bob", "rob"), ("admiral", "admin"), ("ann2", "ann")]
    assert [pair for pair in others if look_alike(*pair)] == []
