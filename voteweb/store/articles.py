"""Articles: posted, edited, sorted into groups, read one by one."""

from collections.abc import Sequence

from voteweb.core import clock, config, links
from voteweb.core.config import Settings
from voteweb.core.errors import (
    ArticleGone,
    Conflict,
    DomainRefused,
    Duplicate,
    LinkFixed,
    NoSuchArticle,
    NoSuchGroup,
    NothingToUndo,
    NotYours,
    StaleEdit,
    TooLate,
    TooManyGroups,
)
from voteweb.core.models import Article, Draft, EarlierVersion, Role, User
from voteweb.core.rate_limits import NEWCOMER_POSTS
from voteweb.store import decoding
from voteweb.store.actors import actor_arguments
from voteweb.store.article_lists import group_keys, ranking_arguments, site_lists
from voteweb.store.connection.connection import Connection, Outcome
from voteweb.store.connection.pipeline import Future, Pipeline
from voteweb.store.keys import article_id, article_member, is_article
from voteweb.store.moderation_log import LogArguments, ModerationLog, NewLogEntry
from voteweb.store.rate_limits import RateLimits, member_hits
from voteweb.store.rows import read_rows

#: Articles with one link of which the one with the most votes is found.
_MAX_COMPARED = 100


class Articles:
    """The articles of one site."""

    def __init__(
        self, connection: Connection, settings: Settings, moderation_log: ModerationLog, rate_limits: RateLimits
    ) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._settings = settings
        self._log = moderation_log
        self._rate_limits = rate_limits

    def post(
        self, draft: Draft, poster: User, token: str, *, allow_duplicate: bool = False, hold_posts: int | None = None
    ) -> int:
        """Post *draft* and return its id; the same *token* of the same member always leads to the same article.

        The first *hold_posts* articles of a new member wait for a moderator; None: as many as the settings say.
        Raises Duplicate when the link was posted within LINK_SECONDS, unless *allow_duplicate*; DomainRefused;
        NoSuchGroup when one of the draft's groups does not exist; TooManyGroups; LoggedOut when the poster has left or
        was banned meanwhile; TooFast when the poster signed up lately and has posted as much as newcomers may;
        Unavailable.
        """
        groups = tuple(dict.fromkeys(draft.groups))
        if len(groups) > self._settings.max_groups:
            raise TooManyGroups(max=self._settings.max_groups)
        now = clock.now()
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            outcome = self._post(draft, groups, poster, token, allow_duplicate, now, hold_posts)
            if outcome.status == "again":  # the database's clock says another day
                now = float(outcome.values[0])
            elif outcome.status != "taken":  # an id is given out twice when a failover lost the counter
                break
        else:
            raise Conflict()
        if outcome.status == "no-group":
            raise NoSuchGroup(names=", ".join(outcome.values[0].split()))
        _raise_domain_refused(outcome)
        if outcome.status == "rate-limited":
            raise self._rate_limits.to_error(member_hits(NEWCOMER_POSTS, poster.name), outcome.values)
        if outcome.status == "duplicate":
            raise Duplicate()
        if not is_article(outcome.values[0]):  # the form has written a comment
            raise Conflict()
        return article_id(outcome.values[0])

    def was_sent(self, poster: User, token: str) -> bool:
        """Tell whether *poster* has sent the form with this *token* before."""
        return bool(self._connection.command("EXISTS", self._keys.once(poster.id, token)))

    def _post(
        self,
        draft: Draft,
        groups: Sequence[str],
        poster: User,
        token: str,
        allow_duplicate: bool,
        now: float,
        hold_posts: int | None,
    ) -> Outcome:
        keys, settings, lists = self._keys, self._settings, site_lists(self._keys, now, draft.link)
        hits = member_hits(NEWCOMER_POSTS, poster.name)
        limit_keys, limit_arguments = self._rate_limits.newcomer_arguments(hits)
        id = self._connection.command("INCR", keys.last_article_id())
        return self._connection.script(
            "post_article",
            [
                keys.article(id),
                keys.voted(id),
                *lists.keys,
                keys.posted(poster.name),
                keys.once(poster.id, token),
                keys.groups(),
                keys.link(links.digest(draft.link)),
                keys.user(poster.name),
                *limit_keys,
                keys.domain_rules(),
                keys.held_articles(),
                keys.gone(poster.name),
                keys.changes(),
                *group_keys(keys, groups),
            ],
            [
                article_member(id),
                draft.title,
                draft.link,
                draft.text,
                poster.name,
                poster.id,
                settings.own_vote,
                *ranking_arguments(settings),
                *lists.arguments,
                settings.voting_seconds,
                config.VOTERS_GRACE_SECONDS,
                config.ONCE_SECONDS,
                config.LINK_SECONDS,
                int(allow_duplicate),
                *limit_arguments,
                " ".join(links.rule_domains(draft.link)),
                settings.hold_posts if hold_posts is None else hold_posts,
                *groups,
            ],
        )

    def edit(
        self, id: int, draft: Draft, editor: User, entry: NewLogEntry | None = None, *, revision: int | None = None
    ) -> None:
        """Give the article the title, link, text and groups of *draft*; with a log *entry* as a moderator.

        Without one the editor must be its poster, within EDIT_SECONDS. *revision* is the one that the editor saw, None
        for any. Raises NoSuchArticle, ArticleGone, NotYours, TooLate, StaleEdit, LinkFixed, DomainRefused, NoSuchGroup,
        TooManyGroups, LoggedOut, NotAllowed, Conflict, Unavailable.
        """
        log = self._log.prepare(entry)
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            outcome = self._edit(
                read_stored(self._connection, id), draft, editor, log, revision, as_moderator=entry is not None
            )
            if outcome.status != "again":
                self._raise_refusal(outcome)
                return
        raise Conflict()

    def _edit(
        self,
        article: Article,
        draft: Draft,
        editor: User,
        log: LogArguments,
        revision: int | None,
        *,
        as_moderator: bool,
    ) -> Outcome:
        """Run the script once for *article* as it was read."""
        keys, settings = self._keys, self._settings
        actor = actor_arguments(keys, editor, Role.MODERATOR if as_moderator else Role.MEMBER)
        add = [name for name in dict.fromkeys(draft.groups) if name not in article.groups]
        if len(add) > settings.max_groups:  # each names four keys
            raise TooManyGroups(max=settings.max_groups)
        remove = [name for name in article.groups if name not in draft.groups]
        return self._connection.script(
            "edit_article",
            [
                keys.article(article.id),
                keys.groups(),
                keys.link(links.digest(article.link)),
                keys.link(links.digest(draft.link)),
                keys.was(article.id),
                keys.domain(links.listed_domain(article.link)),
                keys.domain(links.listed_domain(draft.link)),
                keys.domain_rules(),
                keys.changes(),
                *group_keys(keys, (*add, *remove)),
                *log.keys,
                *actor.keys,
            ],
            [
                *log.arguments,
                article_member(article.id),
                "" if as_moderator else editor.name,
                settings.edit_seconds,
                *ranking_arguments(settings),
                int(links.listed_domain(draft.link) != ""),
                settings.max_groups,
                draft.title,
                draft.link,
                draft.text,
                article.link,
                config.LINK_SECONDS,
                "" if revision is None else revision,
                config.EARLIER_VERSIONS,
                config.EARLIER_SECONDS,
                len(add),
                " ".join(links.rule_domains(draft.link)),
                *add,
                *remove,
                *actor.arguments,
            ],
        )

    def set_groups(
        self,
        id: int,
        add: Sequence[str],
        remove: Sequence[str],
        entry: NewLogEntry | None = None,
        *,
        actor: User | None = None,
    ) -> tuple[str, ...]:
        """Put the article into the groups *add* and out of *remove*, in one act; return its groups as they now are.

        A name in both is removed. *actor* is the moderator who does it, None the operator. Raises NoSuchArticle,
        ArticleGone, NoSuchGroup (only for names to add), TooManyGroups, NothingToUndo when *entry* undoes a change that
        somebody overruled, LoggedOut, NotAllowed, Unavailable.
        """
        remove = tuple(dict.fromkeys(remove))
        add = tuple(name for name in dict.fromkeys(add) if name not in remove)
        keys, log, settings = self._keys, self._log.prepare(entry), self._settings
        checked = actor_arguments(keys, actor)
        outcome = self._connection.script(
            "set_groups",
            [
                keys.article(id),
                keys.groups(),
                keys.changes(),
                *group_keys(keys, (*add, *remove)),
                *log.keys,
                *checked.keys,
            ],
            [
                *log.arguments,
                article_member(id),
                *ranking_arguments(settings),
                settings.max_groups,
                len(add),
                *add,
                *remove,
                *checked.arguments,
            ],
        )
        self._raise_refusal(outcome)
        return tuple(outcome.values[0].split())

    def _raise_refusal(self, outcome: Outcome) -> None:
        _raise_domain_refused(outcome)
        match outcome.status:
            case "unknown":
                raise NoSuchArticle()
            case "gone":
                raise ArticleGone()
            case "overruled":
                raise NothingToUndo()
            case "not-yours":
                raise NotYours()
            case "late":
                raise TooLate(when=float(outcome.values[0]))
            case "stale":
                raise StaleEdit()
            case "link-fixed":
                raise LinkFixed()
            case "no-group":
                raise NoSuchGroup(names=", ".join(outcome.values[0].split()))
            case "too-many":
                raise TooManyGroups(max=self._settings.max_groups)

    def queue_get(self, pipeline: Pipeline, id: int) -> Future[Article | None]:
        """Queue a read of one whole article, its text included, listed or not; None when there is none."""
        return pipeline.queue(
            [("HMGET", self._keys.article(id), *decoding.FIELDS, *decoding.TEXT_FIELDS)],
            lambda replies: decoding.cached_article(id, *replies[0]),
        )

    def queue_earlier(self, pipeline: Pipeline, id: int) -> Future[tuple[EarlierVersion, ...]]:
        """Queue a read of an article as it was before each of its last edits, the latest first."""
        return pipeline.queue(
            [("ZREVRANGE", self._keys.was(id), 0, -1)],
            lambda replies: tuple(decoding.earlier_version(stored) for stored in replies[0]),
        )

    def get(self, id: int) -> Article:
        """Return one whole article that is listed; raise NoSuchArticle, ArticleGone."""
        pipeline = self._connection.pipeline()
        article = self.queue_get(pipeline, id)
        pipeline.execute()
        if article.result is None:
            raise NoSuchArticle()
        if not article.result.is_listed:
            raise ArticleGone()
        return article.result

    def find_duplicate(self, link: str, now: float) -> Article | None:
        """Return the article with the most votes of those with this *link* posted within LINK_SECONDS."""
        key = self._keys.link(links.digest(link))
        pipeline = self._connection.pipeline()
        command = read_rows(self._keys, key, 0, _MAX_COMPARED, decoding.FIELDS)
        rows = pipeline.queue([command], lambda replies: decoding.rows(replies[0]))
        pipeline.execute()
        articles = [row for row in rows.result if row and row.time + config.LINK_SECONDS > now]
        return max(articles, key=lambda article: article.votes, default=None)


def _raise_domain_refused(outcome: Outcome) -> None:
    if outcome.status == "domain-refused":
        domain, why = outcome.values
        raise DomainRefused(domain=domain, why=why)


def read_stored(connection: Connection, id: int) -> Article:
    """Return an article as it is stored, listed or not, for a script that must name its keys; raise NoSuchArticle."""
    values = connection.command("HMGET", connection.keys.article(id), *decoding.FIELDS, *decoding.TEXT_FIELDS)
    article = decoding.stored_article(id, values)
    if article is None:
        raise NoSuchArticle()
    return article
