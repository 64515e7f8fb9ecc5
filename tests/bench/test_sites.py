"""The generated sites, what is done on them, and the memory of an article as it ages."""

from pathlib import Path

from bench import stories
from bench.memory import MONTH_SECONDS, WEEK_SECONDS, expire_keys
from tests import factories
from voteweb.store import Store


def test_small_site_is_the_newest_part_of_a_large_one(tmp_path: Path) -> None:
    for count in (3, 30):
        stories.generate(tmp_path / f"{count}.csv", count, 1_800_000_000)
    small, large = ((tmp_path / f"{count}.csv").read_text().splitlines() for count in (3, 30))
    assert small[1:] == large[-3:]
    assert stories.profile_file(tmp_path / "30.csv").articles == 30


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
