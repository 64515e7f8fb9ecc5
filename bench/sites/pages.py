"""The pages of a site that the parts measure."""

from dataclasses import dataclass

from bench.sites.prepare import Site
from voteweb.core import config
from voteweb.core.config import Settings
from voteweb.store import Store

#: The number of a deep page, where the list has so many.
DEEP_PAGE = 1_000
SETTINGS = Settings()


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a site; ``rows`` is the number of articles on a full list page, 0 for all other pages."""

    key: str
    label: str
    path: str
    rows: int = SETTINGS.page_size

    @property
    def is_list(self) -> bool:
        """Whether the budgets of list pages hold for this page."""
        return self.rows > 0


def all_pages(site: Site, store: Store) -> list[Page]:
    """Return the pages of *site*, whose database is *store*."""
    return [*_list_pages(site, store), *_other_pages(site)]


def _list_pages(site: Site, store: Store) -> list[Page]:
    group, combined, poster = site.profile.group, site.profile.combined, site.profile.poster
    last = _page_count(site.profile.articles)
    pipeline = store.pipeline()
    groups = store.groups.queue_get(pipeline, [group])
    pipeline.execute()
    last_of_group = _page_count(groups.result[0].articles if groups.result[0] else 0)
    return [
        Page("front", "front page", "/"),
        Page("front-deep", f"front page, page {DEEP_PAGE:,} or the last", f"/?page={min(DEEP_PAGE, last)}"),
        Page("new", "/new", "/new"),
        Page("new-deep", f"/new, page {DEEP_PAGE:,} or the last", f"/new?page={min(DEEP_PAGE, last)}"),
        Page("new-last", "/new, the last page but one", f"/new?page={max(last - 1, 1)}"),
        Page("good", "/good", "/good", rows=config.GOOD_LISTED),
        Page("group", "a group", f"/g/{group}"),
        Page("group-deep", "a group, the last page but one", f"/g/{group}?page={max(last_of_group - 1, 1)}"),
        Page("combined", "two groups combined", f"/g/{combined}"),
        Page("combined-new", "two groups combined, by time", f"/g/{combined}/new"),
        Page("member", "a member's articles", f"/u/{poster}"),
    ]


def _other_pages(site: Site) -> list[Page]:
    last_sitemap = -(-site.profile.articles // config.SITEMAP_SIZE)
    return [
        Page("article", "an article", f"/a/{site.profile.articles}", rows=0),
        Page("sitemap", "sitemap index", "/sitemap.xml", rows=0),
        Page("sitemap-part", "the last sitemap", f"/sitemap-{last_sitemap}.xml", rows=0),
        Page("feed", "feed of the front page", "/feed.atom", rows=0),
        Page("feed-group", "feed of a group", f"/g/{site.profile.group}.atom", rows=0),
        Page("groups", "all groups", "/groups", rows=0),
        Page("log", "moderation log", "/log", rows=0),
        Page("about", "how ranking works", "/about", rows=0),
    ]


def _page_count(articles: int) -> int:
    return max(-(-articles // SETTINGS.page_size), 1)
