"""Every number of the product, with its unit and its reason.

The fields of :class:`Settings` can be set by the environment (``VOTEWEB_`` and the name in capitals);
the constants above them are fixed: changing one may make stored data or addresses invalid.
"""

import math
import os
import re
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any

from voteweb.core.errors import ConfigError

#: Characters of a title: at least a word, at most two lines on a phone.
MIN_TITLE_LENGTH = 3
MAX_TITLE_LENGTH = 200
#: Characters of a text article: about seven printed pages.
MAX_TEXT_LENGTH = 20_000
#: Characters of a link: what browsers and other sites handle without trouble.
MAX_LINK_LENGTH = 2_000
#: Characters of a user name.
MIN_USER_NAME_LENGTH = 2
MAX_USER_NAME_LENGTH = 20
#: Characters of a password: hashing endless ones would keep the server busy.
MIN_PASSWORD_LENGTH = 8
MAX_PASSWORD_LENGTH = 256
#: Characters of a group's name, its title and its description.
MAX_GROUP_NAME_LENGTH = 30
MAX_GROUP_TITLE_LENGTH = 60
MAX_GROUP_DESCRIPTION_LENGTH = 300
#: Groups that one address can combine: more would make ever fewer articles and ever more addresses.
MAX_COMBINED_GROUPS = 4
#: Articles of the smallest group that take part in a combined ranking: keeps Redis free within 5 ms.
MAX_COMBINED_ARTICLES = 2_000
#: Seconds that an article's voters outlive its voting time, so that no vote meets a set that is just going.
VOTERS_GRACE = 3_600
#: Seconds that a sent form is remembered, so that sending it again leads to the same article.
ONCE_SECONDS = 86_400
#: Seconds that a posted link is remembered: whoever posts it again is shown the earlier article.
LINK_SECONDS = 30 * 86_400
#: Characters of a reason and of a report's note.
MAX_REASON_LENGTH = 300
#: Seconds in which a moderator can take back an act.
UNDO_SECONDS = 600
#: Seconds that an invitation is good for, and that a one-time link for a new password is.
INVITATION_SECONDS = 14 * 86_400
RESET_SECONDS = 86_400
#: Seconds a member must have been here to invite others, where the site lets members invite.
INVITER_SECONDS = 7 * 86_400
#: Log entries on a page.
LOG_PAGE_SIZE = 25
#: Attempts of a script whose keys have changed since they were read, before the site says that there is a conflict.
MAX_SCRIPT_ATTEMPTS = 20
#: Articles asked about at a time when a whole week's or a member's are gone through.
READ_BATCH_SIZE = 500
#: Seconds for which anybody may keep a feed, and the list of pages for search engines, without asking again.
FEED_SECONDS = 60
SITEMAP_SECONDS = 3_600
#: Readers' pages that a worker keeps, and the bytes of them all (plain): a busy site's lists and articles of a second.
PAGE_CACHE_SIZE = 1_000
PAGE_CACHE_BYTES = 32 * 2**20
#: What a worker keeps of the pages that are read most, at about a kilobyte each: rows as they were read, which of
#: them stood where, rows as they are shown, and pieces that stand on every page.
ROW_CACHE_SIZE = 8_192
HINT_CACHE_SIZE = 1_024
RENDERED_ROW_CACHE_SIZE = 8_192
FRAGMENT_CACHE_SIZE = 1_024
#: Articles' own pages are kept too, as far as they are the same for everybody; a text may have 100 kilobytes as HTML.
ARTICLE_FRAGMENT_CACHE_SIZE = 128
#: Texts of pages in one language, of which there are some hundreds.
TRANSLATION_CACHE_SIZE = 2_048
#: Sessions whose signature a worker need not check again.
SESSION_CACHE_SIZE = 4_096
#: Addresses in one part of the list for search engines: a third of a millisecond for Redis, and a hundred parts to a
#: million articles.
SITEMAP_SIZE = 10_000
#: Its parts: the protocol's limit, enough for 500 million articles.
MAX_SITEMAPS = 50_000
#: Seconds for which a browser remembers the language that was chosen on the site: a year.
LANGUAGE_SECONDS = 365 * 86_400
#: Seconds for which browsers may keep a static file, whose address changes with its content: a year.
STATIC_SECONDS = 365 * 86_400
#: Seconds for which a page may be on its way that shows the message of a vote.
FLASH_COOKIE_SECONDS = 60
#: Seconds for which browsers use https only: a year, as the preload lists require.
HTTPS_ONLY_SECONDS = 365 * 86_400
#: Seconds for which /healthz keeps what it found out about the database beyond whether it answers.
HEALTH_SECONDS = 10
#: Characters of the key that signs cookies: whoever guesses it is anybody.
MIN_SECRET_KEY_LENGTH = 16
#: Seconds for which a browser is remembered as one in which a member has logged in: a year.
DEVICE_COOKIE_SECONDS = 365 * 86_400
#: What stands in place of the name of a member who left; no member can have it.
DELETED_MEMBER = "[deleted]"
#: Who the log names for acts of the command line.
COMMAND_LINE = "command line"
#: Characters of the token that opens the counts: nobody guesses it.
MIN_METRICS_TOKEN_LENGTH = 16
#: The variable that names the folder in which workers count together; the name is the library's.
METRICS_DIR_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
#: Characters of an address in a line of the log: the line stays in one piece when several workers write at once.
MAX_LOGGED_PATH_LENGTH = 400
#: Bytes of a request's body: a text of TEXT_MOST characters, percent-encoded at up to 12 bytes each, and the rest.
MAX_BODY_BYTES = 300_000
#: Names nobody can take: they read like the site speaking, or like a path.
RESERVED_NAMES = frozenset(
    """about account admin administrator anonymous api deleted feed good groups healthz help log login logout me
    metrics mod moderator moderators new nobody operator root signup staff static submit support system undefined
    voteweb webmaster www you""".split()
)


def _setting(
    default: Any, unit: str, why: str, least: float | None = None, most: float = math.inf, among: tuple[str, ...] = ()
) -> Any:
    return field(default=default, metadata={"unit": unit, "why": why, "least": least, "most": most, "among": among})


@dataclass(frozen=True)
class Settings:
    """The settings of one site; every field says its unit and reason in its metadata."""

    redis_url: str = _setting(
        "", "URL", "redis://, rediss://, unix:// or redis+sentinel://; empty: the embedded database"
    )
    redis_deadline: float = _setting(2.0, "seconds", "a page waits this long for Redis, then says so (503)", 0.1)
    read_replicas: int = _setting(0, "0 or 1", "under Sentinel: replicas answer readers, a moment late")
    wait_replicas: int = _setting(0, "replicas", "a vote or post is answered once this many replicas have it", 0)
    appendfsync: str = _setting(
        "everysec", "word", "when the embedded database syncs: everysec or always", among=("everysec", "always")
    )
    data_dir: str = _setting("voteweb-data", "folder", "where the embedded database keeps its files")
    secret_key: str = _setting("", "text", "signs cookies; the embedded default makes one and keeps it")
    host: str = _setting("127.0.0.1", "address", "where the web server listens")
    port: int = _setting(8000, "port", "where the web server listens", 0, 65_535)
    workers: int = _setting(2, "processes", "web server processes; one per core is enough", 1)
    site_name: str = _setting("voteweb", "text", "the name in the header and in titles")
    site_url: str = _setting("", "URL", "the public address, such as https://news.example; https makes cookies Secure")
    good_votes: int = _setting(200, "votes", "an article with this many is a good one", 1)
    vote_score: float = _setting(0.0, "seconds", "what a vote is worth; unset: 86,400 / VOTEWEB_GOOD_VOTES", 0.001)
    own_vote: int = _setting(1, "votes", "whether the poster's own vote counts (1) or not (0)", 0)
    voting_seconds: int = _setting(
        604_800, "seconds", "votes are taken this long after posting: a week", 1, 3_155_760_000
    )
    page_seconds: float = _setting(1.0, "seconds", "how long a reader's page is kept ready; 0: not at all", 0, 60)
    page_size: int = _setting(25, "rows", "articles on a page", 1)
    good_listed: int = _setting(50, "rows", "good articles on /good", 1)
    good_on_front: int = _setting(10, "rows", "good articles beside the front page", 0)
    group_cache_seconds: int = _setting(60, "seconds", "how long the ranking of combined groups is kept", 1, 86_400)
    max_groups: int = _setting(5, "groups", "an article is in this many at most", 1)
    edit_seconds: int = _setting(900, "seconds", "an article's poster may edit and delete it this long", 0)
    signup: str = _setting("open", "word", "who may join: open, invite or closed", among=("open", "invite", "closed"))
    members_invite: int = _setting(0, "0 or 1", "whether members older than a week may invite, not only moderators", 0)
    session_days: int = _setting(30, "days", "a log-in lasts this long", 1)
    limits: int = _setting(1, "times", "abuse limits are this many times those of the table; 0: none", 0, 1_000_000)
    trusted_proxies: int = _setting(
        0, "proxies", "this many in front, one behind the other, say who is asking; 0: whoever connects", 0, 10
    )
    log: str = _setting(
        "text", "word", "how requests stand in the log: text, json or off", among=("text", "json", "off")
    )
    log_kept: int = _setting(0, "0 or 1", "whether pages that were kept ready are in the log too", 0)
    log_addresses: int = _setting(0, "0 or 1", "whether the log says from which address a request came", 0)
    metrics_token: str = _setting("", "text", "who sends it may read /metrics; empty: there is no such page")

    def __post_init__(self) -> None:
        """Check ranges and work out the worth of a vote where it is not set."""
        for each in fields(self):
            _check(each, getattr(self, each.name))
        if not self.vote_score:
            object.__setattr__(self, "vote_score", 86_400 / self.good_votes)
        for name in ("own_vote", "members_invite", "read_replicas", "log_kept", "log_addresses"):
            if getattr(self, name) not in (0, 1):
                raise ConfigError("%(name)s must be 0 or 1.", name=env_name(name))
        if self.site_url and not re.fullmatch(r"https?://[A-Za-z0-9.:\[\]-]+/?", self.site_url):
            raise ConfigError("VOTEWEB_SITE_URL must be http:// or https:// and a host in ASCII, and no path.")
        if self.metrics_token and len(self.metrics_token) < MIN_METRICS_TOKEN_LENGTH:
            raise ConfigError("VOTEWEB_METRICS_TOKEN must have %(min)s characters at least.", min=MIN_METRICS_TOKEN_LENGTH)

    @property
    def secure(self) -> bool:
        """Whether the site is public under https, so that cookies must never travel without it."""
        return self.site_url.startswith("https://")

    def warnings(self) -> list[str]:
        """Return what is not set as a public site needs it, and what to do, in words fit for everybody's eyes."""
        if self.secure and not self.trusted_proxies:
            return [
                "The site is under https, so a proxy stands in front, but VOTEWEB_TRUSTED_PROXIES is 0: all visitors "
                "count as one address. Set it to the number of proxies."
            ]
        return []


def env_name(name: str) -> str:
    """Return the environment variable of the setting *name*."""
    return f"VOTEWEB_{name.upper()}"


def from_env(env: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings that *env* asks for; raise ConfigError for a value that cannot be one."""
    chosen = {
        each.name: _parse(each, env[env_name(each.name)]) for each in fields(Settings) if env.get(env_name(each.name))
    }
    return Settings(**chosen)


def _parse(each: Field[Any], value: str) -> Any:
    kind: Any = type(each.default)
    try:
        return kind(value)
    except ValueError:
        name, what = env_name(each.name), "a whole number" if kind is int else "a number"
        raise ConfigError("%(name)s must be %(what)s, not %(value)r.", name=name, what=what, value=value) from None


def _check(each: Field[Any], value: Any) -> None:
    least, most, among = each.metadata["least"], each.metadata["most"], each.metadata["among"]
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError("%(name)s must be a finite number.", name=env_name(each.name))
    if least is not None and value != each.default and not value >= least:
        raise ConfigError("%(name)s must be %(min)s at least.", name=env_name(each.name), min=least)
    if least is not None and not value <= most:
        raise ConfigError("%(name)s must be %(max)s at most.", name=env_name(each.name), max=most)
    if among and value not in among:
        raise ConfigError("%(name)s must be one of: %(among)s.", name=env_name(each.name), among=", ".join(among))
