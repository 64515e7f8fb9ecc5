"""A test that needs something which this machine lacks is skipped, but never in CI."""

import pytest

from tests.helpers import needs


def test_a_met_need_lets_a_test_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOTEWEB_TEST_NO_SKIP", "1")
    needs("anything", "nothing")


def test_an_unmet_need_skips_a_test_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VOTEWEB_TEST_NO_SKIP", raising=False)
    with pytest.raises(pytest.skip.Exception, match="needs a moon"):
        needs(None, "a moon")


def test_an_unmet_need_fails_a_test_that_must_not_skip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOTEWEB_TEST_NO_SKIP", "1")
    with pytest.raises(pytest.fail.Exception, match="needs a moon"):
        needs(None, "a moon")
