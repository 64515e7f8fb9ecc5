"""Members whose names are not ASCII: one member in any case, also where scripts compare names."""

import time

import pytest

from tests import factories
from tests.store.examination import broken, run
from voteweb.core.comments import NoticeKind
from voteweb.core.errors import NameTaken, OwnVote
from voteweb.store import Store


@pytest.mark.parametrize(("name", "variant"), [("Νίκος", "ΝΊΚΟΣ"), ("Straße", "STRASSE")])
def test_two_cases_of_a_name_are_one_member(name: str, variant: str, store: Store) -> None:
    member = factories.user(store, name)
    with pytest.raises(NameTaken):
        store.users.make(variant, "")
    assert store.users.get(variant) == member
    article = factories.imported(store, poster=variant, time=time.time() - 60)
    assert article.poster == name
    with pytest.raises(OwnVote):
        store.votes.take_back(article.id, member)
    store.articles.edit(article.id, factories.draft(title="Changed"), member)
    store.removals.delete(factories.comment(store, article, member), member)
    store.removals.delete(article.id, member)
    factories.comment(store, factories.article(store, member), member)
    store.account_deletion.start(member, delete_articles=False)
    store.account_deletion.finish(member.name)
    assert factories.thread(store, 2).nodes[1].author == "[deleted]"
    assert run(store, "SMEMBERS", "leaving:") == set()
    assert broken(store) == []


def test_longest_name_in_a_text_without_spaces_is_told(store: Store) -> None:
    for name in ("李明", "李明请", "王"):
        factories.user(store, name)
    factories.article(store)
    factories.comment(store, 1, text="谢谢@李明请看。")
    assert run(store, "LRANGE", "inbox:李明请", 0, -1)[0].startswith(NoticeKind.MENTION)
    assert run(store, "LLEN", "inbox:李明") == 0
