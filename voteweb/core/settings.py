"""The settings of a site: set by the environment (``VOTEWEB_`` and the name in capitals), and checked."""

import math
import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from voteweb.core import config, links
from voteweb.core.addresses import is_host, is_local_host, networks
from voteweb.core.errors import ConfigError
from voteweb.core.mail import check_mail

#: Letters by which a name may differ from that of a setting and still be taken for a slip.
_MAX_SLIPS = 2
_ORIGIN = re.compile(r"https?://[0-9A-Za-z.:\[\]-]*[0-9A-Za-z.\]]/?")
#: The name of a site, which stands in each of its keys; "" is the site without a name.
_SITE = re.compile(r"(?:[a-z0-9][a-z0-9-]{0,31})?")


def _setting(
    default: Any,
    unit: str,
    description: str,
    min: float | None = None,
    max: float = math.inf,
    choices: tuple[str, ...] = (),
) -> Any:
    metadata = {"unit": unit, "description": description, "min": min, "max": max, "choices": choices}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Settings:
    """The settings of one site; the metadata of a field has its unit, description and allowed values."""

    redis_url: str = _setting(
        "", "URL", "redis://, unix://, redis+sentinel://, redis+cluster://, TLS: rediss…; empty: the embedded one"
    )
    site: str = _setting(
        "", "name", "the site's name in the keys of a database that several sites share; empty: the one without a name"
    )
    redis_ca_file: str = _setting(
        "", "file", "with rediss://: certificates of authorities, in PEM, trusted besides those of the system"
    )
    redis_certificate_file: str = _setting("", "file", "with rediss://: our own certificate and its chain, in PEM")
    redis_key_file: str = _setting(
        "", "file", "the key of that certificate, in PEM without a passphrase; empty: it is in the same file"
    )
    redis_deadline: float = _setting(2.0, "seconds", "how long a page waits for Redis before it answers 503", 0.1, 60)
    wait_replicas: int = _setting(0, "replicas", "replicas that must have a vote or post before it is answered", 0, 100)
    appendfsync: str = _setting(
        "everysec", "word", "when the embedded database syncs: everysec or always", choices=("everysec", "always")
    )
    data_dir: str = _setting(
        "voteweb-data", "folder", "where the embedded database keeps its files, and each machine its index of search"
    )
    secret_key: str = _setting("", "text", "signs cookies; with the embedded database one is generated and kept")
    host: str = _setting("127.0.0.1", "address", "where the web server listens")
    port: int = _setting(8000, "port", "where the web server listens", 0, 65_535)
    workers: int = _setting(0, "processes", "web server processes; 0: one for each core, at most 2", 0, 1_000)
    site_name: str = _setting("voteweb", "text", "the name in the header and in titles")
    site_url: str = _setting("", "URL", "the public address, such as https://news.example; https makes cookies Secure")
    pages_dir: str = _setting(
        "", "folder", "Markdown files of the operator, rules.md, privacy.md and guide.md; empty: the default texts"
    )
    brand_dir: str = _setting(
        "",
        "folder",
        "logo, icon, accent colour, links and footer of the site, see branding.md; empty: voteweb's own",
    )
    contact: str = _setting("", "URL", "mailto: or https:// of the operators, shown on every page; empty: none")
    #: The colour that an admin has chosen, which counts where the brand has none; no variable sets it.
    accent: str = _setting("", "colour", "")
    good_votes: int = _setting(
        200, "votes", "an article with this many votes is a good article", 1, config.MAX_GOOD_VOTES
    )
    vote_score: float = _setting(
        0.0, "seconds", "what a vote is worth; unset: 86,400 / VOTEWEB_GOOD_VOTES", 0.001, 10**9
    )
    lift_days: int = _setting(
        0, "days", "the most by which votes can lift an article; 0: no limit, the pure formula", 0, config.MAX_LIFT_DAYS
    )
    own_vote: int = _setting(1, "0 or 1", "whether the poster's own vote counts (1) or not (0)")
    voting_seconds: int = _setting(
        604_800, "seconds", "how long an article posted from now on can be voted on: a week", 1, 3_155_760_000
    )
    page_seconds: float = _setting(
        1.0, "seconds", "how long a reader's page, and a list for all members, is cached; 0: not at all", 0, 60
    )
    page_size: int = _setting(25, "rows", "articles on a page", 1, 250)
    max_groups: int = _setting(5, "groups", "an article can be in at most this many", 1, config.MAX_TYPED_GROUPS)
    edit_seconds: int = _setting(
        900, "seconds", "how long a poster may edit and delete an article, and edit a comment", 0, 3_155_760_000
    )
    comments: int = _setting(1, "0 or 1", "whether articles have conversations; 0: the site without them")
    search: int = _setting(1, "0 or 1", "whether articles and comments can be searched; 0: the site without search")
    comment_good_votes: int = _setting(
        5, "votes", "a comment with this many votes counts as a day newer", 1, config.MAX_GOOD_VOTES
    )
    #: The seconds that a vote on a comment is worth. They are in the data, and no variable sets them.
    comment_vote_score: float = _setting(0.0, "seconds", "", 0.001, 10**9)
    commenting_seconds: int = _setting(
        1_209_600, "seconds", "how long an article is open for comments and votes on them: two weeks", 1, 3_155_760_000
    )
    fetch_titles: int = _setting(1, "0 or 1", "whether members can have the title of a link fetched while posting")
    signup: str = _setting(
        "open",
        "word",
        "who may join: open, approve, invite or closed",
        choices=config.SIGNUP_MODES,
    )
    members_invite: int = _setting(
        0, "0 or 1", f"whether members may invite after {config.INVITER_SECONDS // 86_400} days, not only moderators"
    )
    hold_posts: int = _setting(
        0, "articles", "first articles of a new member that wait for a moderator; 0: none", 0, config.MAX_HOLD_POSTS
    )
    newcomer_days: int = _setting(
        7, "days", "how long after signing up a member may vote and post less; 0: not at all", 0, 365
    )
    session_days: int = _setting(30, "days", "how long a session lasts after its last form; a year at most", 1, 365)
    limits: int = _setting(1, "times", "all rate limits are multiplied by this; 0: no limits", 0, 1_000_000)
    cold_reads: int = _setting(
        60, "pages", "cold pages that each process gives an address in half a minute; 0: any; see scrapers.md", 0, 10**6
    )
    cold_exempt: str = _setting(
        "", "networks", "networks without that limit, such as 192.0.2.0/24, separated by commas"
    )
    trusted_proxies: int = _setting(
        0, "proxies", f"proxies in front of the site, the last of which sets {config.ADDRESS_HEADER}; 0: none", 0, 10
    )
    log: str = _setting("text", "word", "format of the request log: text, json or off", choices=("text", "json", "off"))
    log_addresses: int = _setting(0, "0 or 1", "whether the log has the visitors' addresses")
    mail_url: str = _setting(
        "", "URL", "smtp://user:password@host:587 (with STARTTLS) or smtps://…; empty: the site without mail"
    )
    mail_from: str = _setting("", "address", "the address that mails come from; needed with VOTEWEB_MAIL_URL")
    metrics_token: str = _setting("", "text", "gives access to /metrics; empty: there is no such page")

    backup_days: int = _setting(
        3, "days", "how old the last good backup may be before /healthz says degraded; 0: any age", 0, 3_650
    )

    @property
    def session_seconds(self) -> int:
        """The seconds until a session ends that is not used."""
        return 86_400 * self.session_days

    @property
    def max_lift(self) -> int:
        """The most seconds by which votes lift an article, 0 for no limit."""
        return self.lift_days * 86_400

    def __post_init__(self) -> None:
        """Check every value, and compute the value of a vote if it is not set; raise ConfigError."""
        for setting in fields(self):
            _check(setting, getattr(self, setting.name))
        if not _SITE.fullmatch(self.site):
            raise ConfigError(
                "VOTEWEB_SITE must be at most 32 lower-case letters a to z, digits and hyphens, the first no hyphen. "
                "The name that readers see is VOTEWEB_SITE_NAME."
            )
        if not self.vote_score:
            object.__setattr__(self, "vote_score", 86_400 / self.good_votes)
        if not self.comment_vote_score:
            object.__setattr__(self, "comment_vote_score", 86_400 / self.comment_good_votes)
        if not is_host(self.host):
            raise ConfigError(
                "VOTEWEB_HOST must be an address or a name without a port, such as 127.0.0.1, not %(host)s. "
                "The port is VOTEWEB_PORT.",
                host=self.host,
            )
        if self.site_url and not is_origin(self.site_url):
            raise ConfigError("VOTEWEB_SITE_URL must be http:// or https:// and a host in ASCII, without a path.")
        if self.contact and not is_contact(self.contact):
            raise ConfigError("VOTEWEB_CONTACT must begin with mailto: or https:// and have no blanks.")
        try:
            networks(self.cold_exempt)
        except ValueError as error:
            example = "VOTEWEB_COLD_EXEMPT must be networks such as 192.0.2.0/24, separated by commas: %(problem)s."
            raise ConfigError(example, problem=error) from None
        check_mail(self.mail_url, self.mail_from, self.site_url)
        if self.metrics_token and len(self.metrics_token) < config.MIN_METRICS_TOKEN_LENGTH:
            raise ConfigError(
                "VOTEWEB_METRICS_TOKEN must have at least %(min)s characters.", min=config.MIN_METRICS_TOKEN_LENGTH
            )

    @property
    def face(self) -> tuple[str, str, str]:
        """The parts of every page that change while the site runs."""
        return self.site_name, self.contact, self.accent

    @property
    def search_folder(self) -> Path:
        """The folder of this machine's index of search."""
        return Path(self.data_dir) / (f"search-{self.site}" if self.site else "search")

    @property
    def weights(self) -> tuple[float, int, int]:
        """Those that decide on the stored places of articles, and on what pages say of these."""
        return self.vote_score, self.good_votes, self.lift_days

    @property
    def secure(self) -> bool:
        """Whether the public address is https, so that cookies must never be sent without it."""
        return self.site_url.startswith("https://")

    def warnings(self) -> list[str]:
        """Return the settings that are wrong for a public site, and what to do; /healthz shows that to everybody."""
        if self.trusted_proxies:
            return []
        if self.secure:
            return [
                "The site is under https, so there is a proxy in front, but VOTEWEB_TRUSTED_PROXIES is 0: all visitors "
                "count as one address. Set it to the number of proxies."
            ]
        if not is_local_host(self.host):
            return [
                "The site listens at a public address without a proxy: whoever sends forms half and waits can occupy "
                "all of its threads. Put nginx or Caddy in front, and set VOTEWEB_TRUSTED_PROXIES."
            ]
        return []


def is_contact(address: str) -> bool:
    """Tell whether *address* begins with mailto: or https:// and has no blanks."""
    return re.fullmatch(r"(?:mailto:|https?://)[!-~]+", address) is not None


def is_set(settings: Settings, name: str) -> bool:
    """Tell whether the operator has set *name*: it is another than the default."""
    return bool(getattr(settings, name) != Settings.__dataclass_fields__[name].default)


def env_name(name: str) -> str:
    """Return the environment variable of the setting *name*."""
    return f"VOTEWEB_{name.upper()}"


def from_env(env: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings in *env*; an empty variable counts as unset. Raises ConfigError for an invalid value."""
    for name in sorted(set(unknown_names(env)) - config.ENDED_VARIABLES):
        if wanted := next((known for known in sorted(_setting_names()) if _is_slip(name, known)), ""):
            raise ConfigError(
                "There is no setting %(name)s. Did you mean %(wanted)s? Rename or unset it.", name=name, wanted=wanted
            )
    values = {
        setting.name: _parse(setting, env[env_name(setting.name)])
        for setting in variables()
        if env.get(env_name(setting.name))
    }
    return Settings(**values)


def _is_slip(typed: str, wanted: str) -> bool:
    """Tell whether *typed* has the letters of *wanted*, in any order, but for _MAX_SLIPS more or fewer."""
    letters, others = Counter(typed), Counter(wanted)
    return ((letters - others) + (others - letters)).total() <= _MAX_SLIPS


def variables() -> tuple[Field[Any], ...]:
    """Return the settings that the environment can set."""
    return tuple(setting for setting in fields(Settings) if setting.metadata["description"])


def parse_setting(name: str, text: str) -> Any:
    """Return the value of the setting *name* that *text* spells; raise ConfigError for an invalid one."""
    setting = Settings.__dataclass_fields__[name]
    value = _parse(setting, text)
    _check(setting, value)
    return value


def unknown_names(env: Mapping[str, str] = os.environ) -> list[str]:
    """Return the variables in *env* that are named like settings, but are none."""
    known = _setting_names() | config.OTHER_VARIABLES
    return sorted(name for name, value in env.items() if value and name.startswith(env_name("")) and name not in known)


def unknown_name_warnings(env: Mapping[str, str] = os.environ) -> list[str]:
    """Return a sentence about each variable in *env* that is named like a setting, but is none."""
    return [
        f"{name} is set, but this setting has ended: unset it. See docs/settings.md."
        if name in config.ENDED_VARIABLES
        else f"{name} is set, but there is no such setting."
        for name in unknown_names(env)
    ]


def _setting_names() -> set[str]:
    return {env_name(setting.name) for setting in variables()}


def _parse(setting: Field[Any], value: str) -> Any:
    kind: Any = type(setting.default)
    try:
        return kind(value)
    except ValueError:
        unit, number = setting.metadata["unit"], "a whole number" if kind is int else "a number"
        raise ConfigError(
            "%(name)s must be %(expected)s, not %(value)r.",
            name=env_name(setting.name),
            expected=unit if unit == "0 or 1" else number,
            value=value,
        ) from None


def _check(setting: Field[Any], value: Any) -> None:
    name = env_name(setting.name)
    min, max, choices = (setting.metadata[key] for key in ("min", "max", "choices"))
    if setting.metadata["unit"] == "0 or 1" and value not in (0, 1):
        raise ConfigError("%(name)s must be 0 or 1.", name=name)
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError("%(name)s must be a finite number.", name=name)
    if min is not None and value != setting.default and not value >= min:
        raise ConfigError("%(name)s must be at least %(min)s.", name=name, min=min)
    if min is not None and not value <= max:
        raise ConfigError("%(name)s must be at most %(max)s.", name=name, max=max)
    if choices and value not in choices:
        raise ConfigError("%(name)s must be one of: %(choices)s.", name=name, choices=", ".join(choices))


def is_origin(url: str) -> bool:
    """Tell whether *url* is http:// or https://, a host in ASCII and perhaps a port, without a path."""
    return _ORIGIN.fullmatch(url) is not None and bool(links.host_of(url)) and links.read(url).url.port != "0"
