"""Codes of the second factor: whose they are, how they are typed, and for how long each is right."""

import pytest

from voteweb.core.second_factor import authenticator, find_step

KEY, NONCE = "a secret key of this site", "0" * 32
NOW, STEP = 1_800_000_015.0, 60_000_000
APP = authenticator(KEY, 7, NONCE)
CODE = APP.at(NOW)
#: As Chinese keyboards may type it.
FULL_WIDTH = "".join(chr(0xFF10 + int(digit)) for digit in CODE)


@pytest.mark.parametrize(
    ("typed", "seconds", "is_right"),
    [
        (CODE, 0, True), (CODE, -30, True), (CODE, 30, True), (f" {CODE[:3]} {CODE[3:]}\n", 0, True),
        (FULL_WIDTH, 0, True), (CODE, -60, False), (CODE, 60, False), (CODE[:5], 0, False), (CODE + "0", 0, False),
        ("", 0, False), ("\ud800" * 9_999, 0, False),
    ],
)  # fmt: skip
def test_code_is_right_in_its_step_and_beside_it(typed: str, seconds: int, is_right: bool) -> None:
    assert find_step(APP, typed, NOW + seconds) == (STEP if is_right else None)


def test_every_member_nonce_and_site_has_another_secret() -> None:
    others = [authenticator(KEY, 8, NONCE), authenticator(KEY, 7, "1" * 32), authenticator(f"{KEY}!", 7, NONCE)]
    assert len({app.secret for app in [APP, *others]}) == 4
