"""What is missing on a machine skips a test, but never in CI."""

import pytest

from tests.helpers import needs


def test_a_test_whose_need_is_met_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOTEWEB_TEST_NO_SKIP", "1")
    needs("anything", "nothing")


def test_a_test_whose_need_is_not_met_is_skipped_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VOTEWEB_TEST_NO_SKIP", raising=False)
    with pytest.raises(pytest.skip.Exception, match="needs a moon"):
        needs(None, "a moon")


def test_where_nothing_may_be_skipped_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOTEWEB_TEST_NO_SKIP", "1")
    with pytest.raises(pytest.fail.Exception, match="needs a moon"):
        needs(None, "a moon")
