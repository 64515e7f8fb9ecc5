"""Recovery codes: random, read however they are typed."""

import pytest

from voteweb.core.passwords import COUNT, new_codes, read, spell


def test_codes_are_long_different_and_read_as_they_are_shown() -> None:
    codes = {code for _ in range(100) for code in new_codes()}
    assert len(codes) == 100 * COUNT
    assert all(len(spell(code)) == 19 and read(spell(code)) == code for code in codes)


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("ABCD-EFGH-JKMN-PQR0", "abcdefghjkmnpqr0"),
        (" abcd efgh\tjkmn pqrO\n", "abcdefghjkmnpqr0"),
        ("i1lI oO00 – 2345.6789", "1111000023456789"),
        ("ＡＢＣＤ－ＥＦＧＨ－ＪＫＭＮ－ＰＱＲ０", "abcdefghjkmnpqr0"),
        ("abcd-efgh-jkmn-pqru", ""),
        ("abcd-efgh-jkmn-pqr", ""),
        ("abcd" * 5_000_000, ""),
        ("李" * 16, ""),
        ("", ""),
    ],
)
def test_a_code_is_read_in_any_case_with_any_signs_between(typed: str, code: str) -> None:
    assert read(typed) == code
