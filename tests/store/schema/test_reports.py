"""The conversion of reports: nobody can report twice, and the words of settled reports go."""

import pytest

from tests.conftest import MakeStore
from tests.store.examination import run
from tests.store.schema import version0
from voteweb.core.config import Settings
from voteweb.core.errors import AlreadyReported
from voteweb.core.models import Reason
from voteweb.store.schema import reports


def test_members_keep_what_they_reported_without_the_words(make_store: MakeStore) -> None:
    store = make_store(**version0.SETTINGS)
    version0.load_keys(store)
    assert sum(reports.convert(store.connection, Settings(), dry_run=False)) == 4
    names = ("ann", "bob_-9", "mod", "yan")
    assert [run(store, "SMEMBERS", f"reported:{name}") for name in names] == [{"2"}, {"1"}, {"1"}, {"4"}]
    bob = store.users.get("bob_-9")
    (report,) = store.reports.made_by(bob).values()
    assert report is not None
    assert report.note == "a note of bob's"
    with pytest.raises(AlreadyReported):
        store.reports.make(1, bob, Reason.SPAM, "")
    assert sum(reports.convert(store.connection, Settings(), dry_run=False)) == 0
