import time

import argon2
import pytest

from voteweb.core import passwords


@pytest.fixture(scope="module")
def stored() -> str:
    return passwords.hash_password("correct horse")


def test_the_password_of_a_hash_is_known_again_and_no_other(stored: str) -> None:
    assert passwords.verify(stored, "correct horse")
    assert not passwords.verify(stored, "correct horse ")


def test_two_hashes_of_one_password_differ(stored: str) -> None:
    assert passwords.hash_password("correct horse") != stored


def test_hashes_have_the_parameters_that_owasp_recommends(stored: str) -> None:
    assert stored.startswith("$argon2id$v=19$m=19456,t=2,p=1$")


@pytest.mark.parametrize("typed", ["nobody's password", "", "correct horse"])
def test_nobody_can_log_in_where_there_is_no_hash(typed: str) -> None:
    assert not passwords.verify("", typed)


@pytest.mark.parametrize("broken", ["x", "$argon2id$", "$2b$12$abcdefghijklmnopqrstuv"])
def test_what_is_no_hash_lets_nobody_in(broken: str) -> None:
    assert not passwords.verify(broken, "correct horse")


def test_a_lone_surrogate_is_a_character_like_others() -> None:
    assert passwords.verify(passwords.hash_password("pass\ud800word"), "pass\ud800word")


def test_only_other_parameters_need_another_hash(stored: str) -> None:
    assert not passwords.needs_rehash(stored)
    assert passwords.needs_rehash(argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash("x"))


def test_an_unknown_member_costs_as_much_as_a_wrong_password(stored: str) -> None:
    def cost(hash: str) -> float:
        spent = []
        for _ in range(5):
            before = time.process_time()
            passwords.verify(hash, "wrong")
            spent.append(time.process_time() - before)
        return min(spent)

    passwords.verify("", "the first call makes the dummy")
    assert 0.5 < cost("") / cost(stored) < 2
