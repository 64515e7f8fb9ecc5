"""The memory of an article as it ages: which of its keys expire within a week and a month."""

from bench.parts.memory import MONTH_SECONDS, WEEK_SECONDS, expire_keys
from tests import factories
from voteweb.store import Store


def test_week_expires_the_form_and_month_voters_and_link(store: Store) -> None:
    article = factories.article(store)

    def nouns() -> set[str]:
        keys = (store.keys.split(key) for key in store.connection.client.scan_iter())
        return {noun for noun, _ in keys} & {"article", "voted", "link", "once"}

    assert nouns() == {"article", "voted", "link", "once"}
    expire_keys(store, WEEK_SECONDS)
    assert nouns() == {"article", "voted", "link"}
    expire_keys(store, MONTH_SECONDS, kept={store.keys.voted(article.id)})
    assert nouns() == {"article", "voted"}
