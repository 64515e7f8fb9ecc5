"""The stream of changes: no script changes what is searched without telling it."""

import pytest

from tests.store.scripts.calls import CALLS
from voteweb.core.comments import CommentId
from voteweb.core.search_documents import Document, DocumentId
from voteweb.store import Store

#: More articles, and more comments of each, than the site has.
ARTICLES, COMMENTS = 11, 6
#: Calls that must change something that is searched: a test that finds no change proves nothing.
CHANGING = {
    "post_article", "import_article", "import_comment", "write_comment", "write_comment in a new conversation",
    "write_comment as an answer",
}  # fmt: skip


def documents(store: Store) -> dict[DocumentId, Document]:
    """Return everything that is searched."""
    articles = range(1, ARTICLES)
    comments = [CommentId(id, number) for id in articles for number in range(1, COMMENTS)]
    return {document.id: document for document in store.search.articles(articles) + store.search.comments(comments)}


@pytest.mark.parametrize("name", CALLS)
def test_a_change_of_what_is_searched_is_in_the_stream(site: Store, name: str) -> None:
    before, position = documents(site), site.search.end_of_changes()
    CALLS[name].run(site)
    after, changes = documents(site), site.search.changes_since(position, wait=0)
    changed = {id for id in before.keys() | after.keys() if before.get(id) != after.get(id)}
    told = changes.articles | changes.comments
    assert {id for id in changed - told if isinstance(id, int) or id.article not in changes.conversations} == set()
    assert bool(changed) is bool(told) is (name in CHANGING)
