"""The pages that every part looks at."""

from dataclasses import dataclass

from bench.sites import Site
from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.store import Store

#: How deep a deep page is, where the list goes on so far.
DEEP = 1_000


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a site; ``is_list``: it lists articles for people, so that the budgets of list pages hold for it."""

    key: str
    label: str
    path: str
    is_list: bool = True


def all_pages(built: Site, store: Store) -> list[Page]:
    """Return the pages of *built*, whose *store* tells how far its lists go."""
    group, combined, poster = built.survey.group, built.survey.combined, built.survey.poster
    last = _pages(built.survey.articles)
    pipeline = store.pipeline()
    asked = store.groups.queue_get(pipeline, [group])
    pipeline.execute()
    inside = _pages(asked.result[0].articles if asked.result[0] else 0)
    parts = -(-built.survey.articles // config.SITEMAP_SIZE)
    return [
        Page("front", "front page", "/"),
        Page("front-deep", f"front page, page {DEEP:,} or the last", f"/?page={min(DEEP, last)}"),
        Page("new", "/new", "/new"),
        Page("new-deep", f"/new, page {DEEP:,} or the last", f"/new?page={min(DEEP, last)}"),
        Page("new-last", "/new, the last page but one", f"/new?page={max(last - 1, 1)}"),
        Page("good", "/good", "/good"),
        Page("group", "a group", f"/g/{group}"),
        Page("group-deep", "a group, the last page but one", f"/g/{group}?page={max(inside - 1, 1)}"),
        Page("combined", "two groups combined", f"/g/{combined}"),
        Page("combined-new", "two groups combined, by time", f"/g/{combined}/new"),
        Page("member", "a member's articles", f"/u/{poster}"),
        Page("article", "an article", f"/a/{built.survey.articles}", is_list=False),
        Page("sitemap", "list for search engines", "/sitemap.xml", is_list=False),
        Page("sitemap-part", "its last part", f"/sitemap-{parts}.xml", is_list=False),
        Page("feed", "feed of the front page", "/feed.atom", is_list=False),
        Page("feed-group", "feed of a group", f"/g/{group}.atom", is_list=False),
        Page("groups", "all groups", "/groups", is_list=False),
        Page("log", "moderation log", "/log", is_list=False),
        Page("about", "how ranking works", "/about", is_list=False),
    ]


def _pages(articles: int) -> int:
    return max(-(-articles // Settings().page_size), 1)
