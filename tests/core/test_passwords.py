"""Password hashes, and recovery codes: random, read however they are typed."""

import unicodedata
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from unittest.mock import Mock

import argon2
import pytest

from tests.helpers import until
from tests.rows import check_results
from voteweb.core import config, passwords
from voteweb.core.errors import Busy
from voteweb.core.passwords import COUNT, new_codes, read, spell


@pytest.fixture(scope="module", autouse=True)
def stored_hash() -> str:
    """A hash; the one that stands in for none is made, too, before tests replace what makes them."""
    passwords.verify("", "nobody's password")
    return passwords.hash_password("correct horse")


def test_only_the_right_password_is_verified(stored_hash: str) -> None:
    assert stored_hash.startswith("$argon2id$v=19$m=19456,t=2,p=1$"), "the parameters that OWASP recommends"
    assert passwords.verify(stored_hash, "correct horse")
    assert not passwords.verify(stored_hash, "correct horse ")
    assert passwords.hash_password("correct horse") != stored_hash
    assert passwords.verify(passwords.hash_password("pass\ud800word"), "pass\ud800word")


@pytest.mark.parametrize("hash", ["", "x", "$argon2id$", "$2b$12$abcdefghijklmnopqrstuv"])
def test_no_password_matches_an_empty_or_broken_hash(hash: str) -> None:
    for typed in ("nobody's password", "", "correct horse"):
        assert not passwords.verify(hash, typed)


def test_a_hash_too_costly_for_a_log_in_is_none(stored_hash: str) -> None:
    assert passwords.is_hash(stored_hash)
    assert passwords.is_hash(argon2.PasswordHasher(1, 8, 1).hash("correct horse"))
    for parameters in ("m=4194304,t=2,p=1", "m=19456,t=1000,p=1", "m=19456,t=2,p=64", "m=-9,t=1,p=1"):
        assert not passwords.is_hash(stored_hash.replace("m=19456,t=2,p=1", parameters))
    assert not passwords.is_hash("correct horse")


def test_only_other_parameters_need_a_new_hash(stored_hash: str) -> None:
    assert not passwords.needs_rehash(stored_hash, "correct horse")
    assert passwords.needs_rehash(argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash("x"), "x")


#: One password as systems type it: composed, decomposed, and a part of it each.
COMPOSED = "Zoë in Ångström"
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)
MIXED = f"{COMPOSED[:7]}{unicodedata.normalize('NFD', COMPOSED[7:])}"


@pytest.mark.parametrize("form", [COMPOSED, DECOMPOSED, MIXED])
def test_password_opens_in_each_unicode_form(form: str) -> None:
    stored = passwords.hash_password(form)
    for typed in (COMPOSED, DECOMPOSED, MIXED):
        assert passwords.find_form(stored, typed) == COMPOSED
    assert not passwords.needs_rehash(stored, COMPOSED)
    assert not passwords.verify(stored, "Zoe in Angstrom")


def test_hash_of_a_decomposed_password_opens_and_needs_another() -> None:
    stored = argon2.PasswordHasher(2, 19_456, 1).hash(DECOMPOSED)
    for typed in (COMPOSED, DECOMPOSED, MIXED):
        assert passwords.find_form(stored, typed) == DECOMPOSED
    assert passwords.needs_rehash(stored, DECOMPOSED)
    as_typed = argon2.PasswordHasher(2, 19_456, 1).hash(MIXED)
    assert passwords.find_form(as_typed, MIXED) == MIXED


@pytest.mark.parametrize(
    ("typed", "hashes"),
    [
        ("nobody's password", 1),
        (COMPOSED, 2),
        (DECOMPOSED, 2),
        (MIXED, 3),
        ("e\u0301" * config.MAX_PASSWORD_LENGTH * 3, 1),
    ],
)
def test_unknown_member_costs_as_much_as_a_wrong_password(
    typed: str, hashes: int, stored_hash: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasher = Mock(verify=Mock(side_effect=argon2.exceptions.VerifyMismatchError))
    monkeypatch.setattr(passwords, "_hasher", hasher)
    for stored in ("", stored_hash):
        assert not passwords.verify(stored, typed)
        assert hasher.verify.call_count == hashes
        hasher.verify.reset_mock()


def test_no_password_opens_an_account_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_hasher", Mock(verify=Mock(return_value=True)))
    assert not passwords.verify("", "nobody's password")


def test_two_passwords_are_hashed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    released = Event()
    hasher = Mock(hash=Mock(side_effect=lambda _: released.wait(60) and "a hash"))
    monkeypatch.setattr(passwords, "_hasher", hasher)
    with ThreadPoolExecutor(3) as pool:
        busy = [pool.submit(passwords.hash_password, "x") for _ in range(config.MAX_HASHES)]
        until(lambda: hasher.hash.call_count == config.MAX_HASHES)
        monkeypatch.setattr(config, "HASH_WAIT_SECONDS", 0.0)
        for _ in range(3):
            with pytest.raises(Busy):
                passwords.hash_password("refused")
        assert hasher.hash.call_count == config.MAX_HASHES
        monkeypatch.setattr(config, "HASH_WAIT_SECONDS", 60.0)
        waiting = pool.submit(passwords.hash_password, "waits")
        released.set()
        assert {future.result() for future in [*busy, waiting]} == {"a hash"}


def test_codes_are_long_different_and_read_as_they_are_shown() -> None:
    codes = {code for _ in range(100) for code in new_codes()}
    assert len(codes) == 100 * COUNT
    assert all(len(spell(code)) == 19 and read(spell(code)) == code for code in codes)


def test_a_code_is_read_in_any_case_with_any_separators(subtests: pytest.Subtests) -> None:
    codes = [
        ("ABCD-EFGH-JKMN-PQR0", "abcdefghjkmnpqr0"),
        ("i1lI oO00 – 2345.6789", "1111000023456789"),
        ("ＡＢＣＤ－ＥＦＧＨ－ＪＫＭＮ－ＰＱＲ０", "abcdefghjkmnpqr0"),
        *((typed, "") for typed in ("abcd", "abcd-efgh-jkmn-pqru", "abcd" * 5_000_000, "李" * 16, "")),
    ]
    check_results(subtests, {read: codes})
