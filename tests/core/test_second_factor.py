"""Codes of the second factor: whose they are, how they are typed, and for how long each is right."""

import pytest

from tests.rows import check_results
from voteweb.core.second_factor import authenticator, find_step

KEY, NONCE = "a secret key of this site", "0" * 32
NOW, STEP = 1_800_000_015.0, 60_000_000
APP = authenticator(KEY, 7, NONCE)
CODE = APP.at(NOW)
#: As Chinese keyboards may type it.
FULL_WIDTH = "".join(chr(0xFF10 + int(digit)) for digit in CODE)


def step_of(typed: str, seconds: int) -> int | None:
    return find_step(APP, typed, NOW + seconds)


def test_code_is_right_in_its_step_and_beside_it(subtests: pytest.Subtests) -> None:
    right = [*((CODE, seconds) for seconds in (0, -30, 30)), (f" {CODE[:3]} {CODE[3:]}\n", 0), (FULL_WIDTH, 0)]
    wrong = [(CODE, -60), (CODE, 60), (CODE[:5], 0), (CODE + "0", 0), ("", 0), ("\ud800" * 9_999, 0)]
    check_results(subtests, {step_of: [*((*row, STEP) for row in right), *((*row, None) for row in wrong)]})


def test_every_member_nonce_and_site_has_another_secret() -> None:
    others = [authenticator(KEY, 8, NONCE), authenticator(KEY, 7, "1" * 32), authenticator(f"{KEY}!", 7, NONCE)]
    assert len({app.secret for app in [APP, *others]}) == 4
