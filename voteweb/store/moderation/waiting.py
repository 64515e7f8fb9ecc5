"""All that waits for a moderator: accounts, articles, answers of posters, and what members say about themselves."""

from dataclasses import replace
from typing import NamedTuple

from voteweb.core import clock, config, links
from voteweb.core.errors import AboutChanged, AnsweredBefore, NotRemoved, NotYours, StaleEdit
from voteweb.core.models import Article, ArticleStatus, LogAction, LogEntry, Neighbour, Page, Role, User
from voteweb.core.names import name_key
from voteweb.core.ranking import voting_end
from voteweb.store.accounts.users import NO_BAN, banned_now, read_present_member
from voteweb.store.articles.articles import ArticlePlaces, StoredArticle
from voteweb.store.articles.search_documents import record_change
from voteweb.store.connection import scripts
from voteweb.store.connection.commit import Attempt
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.moderation.reports import settled_counts
from voteweb.store.schema.values import article_member
from voteweb.store.site.context import Context, StorePart, act
from voteweb.store.site.moderation_log import who_is_told
from voteweb.store.site.rate_limits import count_act
from voteweb.store.site.rows import members_of, queue_in_state, queue_oldest, queue_page
from voteweb.store.site.site_settings import settings_of


class WaitingCounts(NamedTuple):
    """How many accounts wait, answers to removals and to bans in force, articles, and lines of members."""

    accounts: int
    answers: int
    ban_answers: int
    articles: int
    abouts: int


class Waiting(StorePart):
    """The accounts, articles and answers of one site that wait for a moderator."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._places = ArticlePlaces(context)

    def queue_counts(self, pipeline: Pipeline) -> Future[WaitingCounts]:
        commands: list[Command] = [
            ("ZCARD", self._keys.held()),
            ("ZCARD", self._keys.answers()),
            ("ZCOUNT", self._keys.ban_answers(), clock.now(), "+inf"),
            ("ZCARD", self._keys.held_articles()),
            ("ZCARD", self._keys.abouts()),
        ]
        return pipeline.queue(commands, lambda replies: WaitingCounts(*replies))

    @act(when_full=True)
    def judge_account(
        self, attempt: Attempt, name: str, entry: LogEntry, *, actor: User | None = None
    ) -> list[Command]:
        """Admit a member whose account is held, refused or not, as the kind of *entry* says; else refuse one who waits.

        A refusal has the reason of *entry*; it ends the member's sessions and refuses log-ins, as a ban does. Tell
        whether there was anything to judge. *actor* is the moderator, None the operator. Raises NoSuchMember,
        LoggedOut, NotAllowed.
        """
        member, stored = read_present_member(attempt, name)
        if member.held and entry.kind is LogAction.ADMIT:
            return stored.change({**NO_BAN, "held": None, "request": None})
        return stored.change(banned_now(attempt, entry.why)) if member.held and not member.banned else []

    @act(Role.MEMBER)
    def report_about(self, attempt: Attempt, name: str, actor: User) -> list[Command]:
        """Report what a member says about themselves; tell whether nobody had done so.

        Nothing tells later who reported it. Raises NoSuchMember, LoggedOut, Held.
        """
        member, stored = read_present_member(attempt, name)
        if not member.about or stored.fields["about-reported"] is not None:
            return []
        return [*stored.change({"about-reported": attempt.now}), *count_act(self._keys, "reports")]

    @act(when_full=True)
    def judge_about(
        self, attempt: Attempt, name: str, seen: str, entry: LogEntry, *, actor: User | None = None
    ) -> list[Command]:
        """Remove what a member says about themselves if *entry* has a reason, and tell them, else leave it as it is.

        *seen* is what the moderator *actor* read, who is None for the operator. Tell whether there was anything to
        judge. Raises NoSuchMember, AboutChanged, LoggedOut, NotAllowed.
        """
        member, stored = read_present_member(attempt, name)
        if not (member.about if entry.why else member.about_reported):
            return []
        if member.about != seen:
            raise AboutChanged()
        attempt.told = who_is_told(entry.who, member.name) if entry.why else ()
        judged = stored.change({"about": None, "about-reported": None} if entry.why else {"about-reported": "0"})
        wait = clock.now() - member.about_reported
        return [*judged, *(settled_counts(self._keys, wait) if member.about_reported else [])]

    def queue_is_first(self, pipeline: Pipeline, name: str) -> Future[bool]:
        """Queue whether the next article of the member *name*, who has no role, will be one of the first, which wait.

        The script that posts decides so.
        """
        reads: list[Command] = [("HGET", self._keys.user(name), "signed-up"), ("ZCARD", self._keys.posted(name))]
        return pipeline.queue(reads, lambda replies: bool(replies[0]) and replies[1] < self._settings.hold_posts)

    def queue_abouts(self, pipeline: Pipeline, number: int) -> Future[Page[str]]:
        """Queue a read of page *number* (from 1) of the names, in lower case, of whose lines were reported first."""
        return queue_page(pipeline, number, config.QUEUE_SIZE, members_of(self._keys.abouts(), command="ZRANGE"))

    def queue_accounts(self, pipeline: Pipeline, number: int) -> Future[Page[str]]:
        """Queue a read of page *number* (from 1) of the names, in lower case, of who waits, the first come first."""
        read_from = members_of(self._keys.held(), command="ZRANGE")
        return queue_page(pipeline, number, config.QUEUE_SIZE, read_from)

    def queue_network(self, pipeline: Pipeline, name: str) -> Future[str]:
        """Queue a read of the digest of the network that a member signed up from; "" after 30 days."""
        return pipeline.queue_one(("GET", self._keys.sign_up(name)), lambda reply: reply or "")

    def queue_neighbours(self, pipeline: Pipeline, name: str) -> Future[tuple[Neighbour, ...]]:
        """Queue a read of the newest MAX_NEIGHBOURS other members who signed up from the network of a member."""
        oldest, size = clock.now() - config.SIGNUP_NETWORK_SECONDS, config.MAX_NEIGHBOURS + 1

        def parse(reply: list[str]) -> tuple[Neighbour, ...]:
            rows = zip(reply[::2], reply[1::2], strict=True)
            others = [Neighbour(other, float(joined)) for other, joined in rows if other != name_key(name)]
            return tuple(others[: config.MAX_NEIGHBOURS])

        return pipeline.queue_one(
            scripts.call(self._keys, "read_neighbours", name=name, oldest=oldest, size=size), parse
        )

    @act(when_full=True)
    def release(
        self,
        attempt: Attempt,
        id: int,
        entry: LogEntry,
        *,
        actor: User | None = None,
        revision: int | None = None,
    ) -> list[Command]:
        """Publish an article now, with its poster's own vote; tell its poster. Return whether it waited.

        *actor* is the moderator who does it, None the operator; *revision* the one that they saw, None for any. Raises
        NoSuchArticle, StaleEdit, LoggedOut, NotAllowed, Conflict.
        """
        stored = self._places.read(attempt, id, "revision")
        if not stored.article.is_held:
            return []
        if revision not in (None, stored.article.revision):
            raise StaleEdit(revision=stored.article.revision)
        attempt.told = who_is_told(entry.who, stored.article.poster)
        return self._release(attempt, stored)

    def _release(self, attempt: Attempt, stored: StoredArticle) -> list[Command]:
        """Return the writes that publish an article now: voting on it begins."""
        keys, article = self._keys, stored.article
        settings = settings_of(attempt, self._settings)
        key, voted, time = keys.article(article.id), keys.voted(article.id), self._places.free_time(attempt)
        poster_id = attempt.value("HGET", keys.user(article.poster or config.DELETED_MEMBER), "id")
        after = replace(
            article,
            status=ArticleStatus.LISTED,
            time=float(time),
            votes=settings.own_vote,
            closes=None,
            groups=self._places.existing_groups(attempt, article.groups),
        )
        closes = voting_end(after, settings)
        votes, base = settings.own_vote, settings.own_vote - (poster_id is not None)
        voters: list[Command] = [("UNLINK", voted)]
        if poster_id is not None:
            voters += [("SADD", voted, poster_id), ("EXPIREAT", voted, closes + config.VOTERS_GRACE_SECONDS)]
        return [
            *voters,
            *self._places.place(attempt, stored, after),
            ("HSET", key, "time", time, "votes", votes, "base", base, "closes", closes, "released", "1"),
            ("HSET", key, "groups", " ".join(after.groups)),
            record_change(keys, "a", article.id),
        ]

    def has_article(self, id: int) -> bool:
        """Tell whether an article waits for a moderator."""
        return self._connection.command("ZSCORE", self._keys.held_articles(), article_member(id)) is not None

    def queue_articles(self, pipeline: Pipeline, number: int) -> Future[Page[Article]]:
        """Queue a read of page *number* (from 1) of the articles that wait, the oldest first."""
        return queue_oldest(pipeline, self._keys, self._keys.held_articles(), number, ArticleStatus.HELD)

    def queue_of_poster(self, pipeline: Pipeline, poster: str) -> Future[tuple[Article, ...]]:
        """Queue a read of the articles of *poster* that wait, among the newest MAX_HELD_SHOWN in no list."""
        return queue_in_state(pipeline, self._keys, self._keys.gone(poster), config.MAX_HELD_SHOWN, ArticleStatus.HELD)

    def find_article(self, poster: str, link: str) -> Article | None:
        """Return the article of a member with this *link* that waits, if there is one."""
        held, digest = self._connection.read(self.queue_of_poster, poster), links.digest(link)
        return next((article for article in held if links.digest(article.link) == digest), None)

    @act(Role.MEMBER)
    def answer(self, attempt: Attempt, id: int, actor: User, text: str) -> list[Command]:
        """Answer the removal of the article of *actor*, or edits of it by others. Tell whether anything changed.

        Raises NotRemoved, AnsweredBefore, NotYours, NoSuchArticle, LoggedOut, Held.
        """
        stored = self._places.read(attempt, id, "answer", "as-posted")
        article = stored.article
        if not (article.is_removed or stored.fields["as-posted"]):
            raise NotRemoved()
        if name_key(article.poster) != name_key(actor.name):
            raise NotYours()
        if article.answer == text:
            return []
        if article.answer:
            raise AnsweredBefore()
        return [
            ("HSET", self._keys.article(id), "answer", text, "answered", attempt.now),
            ("ZADD", self._keys.answers(), attempt.now, article_member(id)),
        ]

    @act(when_full=True)
    def keep_removed(
        self, attempt: Attempt, article: Article, entry: LogEntry, *, actor: User | None = None
    ) -> list[Command]:
        """Leave *article* removed, or edited, and tell its poster; tell whether an answer waited for that.

        *actor* is the moderator who does it, None the operator. Raises LoggedOut, NotAllowed.
        """
        answers, member = self._keys.answers(), article_member(article.id)
        if attempt.value("ZSCORE", answers, member) is None:
            return []
        attempt.told = who_is_told(entry.who, article.poster)
        return [("HDEL", self._keys.article(article.id), "answered"), ("ZREM", answers, member)]

    def queue_answers(self, pipeline: Pipeline, number: int) -> Future[Page[Article]]:
        """Queue a read of page *number* (from 1) of the articles whose answers wait, the oldest answer first."""
        return queue_oldest(pipeline, self._keys, self._keys.answers(), number, *ArticleStatus)
