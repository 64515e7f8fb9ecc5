"""Articles: posted, edited, sorted into groups, read one by one, and moved between the lists that hold them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, compress
from typing import NamedTuple

from voteweb.core import config, errors, links
from voteweb.core.models import Article, DomainAction, Draft, EarlierVersion, LogEntry, Role, User
from voteweb.core.names import name_key
from voteweb.core.permissions import is_poster
from voteweb.core.rate_limits import NEWCOMER_POSTS
from voteweb.store.accounts.programs import program_values
from voteweb.store.articles.search_documents import record_change
from voteweb.store.articles.versions import POSTER, Versions, queue_versions, version_before
from voteweb.store.connection.commit import Attempt, commit
from voteweb.store.connection.connection import Outcome
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.schema import decoding
from voteweb.store.schema.fields import ARTICLE_WORDS, words_of
from voteweb.store.schema.rankings import Place, Rankings, place_writes, ranking_values
from voteweb.store.schema.values import article_member, article_of, finite_number
from voteweb.store.site.context import Context, StorePart
from voteweb.store.site.moderation_log import mark_undone, who_is_told
from voteweb.store.site.rate_limits import member_hits
from voteweb.store.site.rows import read_rows
from voteweb.store.site.site_settings import read_rule, settings_of

#: The fields that tell where an article stands, but for its votes, which others change often.
_FIELDS = ("title", "link", "poster", "time", "groups", "gone", "hidden-title")


class StoredArticle(NamedTuple):
    """An article, listed or not, with its link exactly as stored, and the fields that were read of it."""

    article: Article
    fields: dict[str, str | None]


class ArticlePlaces(StorePart):
    """The places of the articles of one site."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._rankings = Rankings(context.keys)

    def read(self, attempt: Attempt, id: int, *others: str) -> StoredArticle:
        """Return an article with these *others* of its fields; without its votes unless they are named.

        Raises NoSuchArticle.
        """
        names = dict.fromkeys((*_FIELDS, *others))
        values = attempt.value("HMGET", self._keys.article(id), *names)
        fields = dict(zip(names, values, strict=True))
        stored = [fields.get(name) for name in decoding.WHOLE]
        article = decoding.stored_article(id, stored)
        if article is None:
            raise errors.NoSuchArticle()
        return StoredArticle(article, fields)

    def place(self, attempt: Attempt, stored: StoredArticle, after: Article) -> list[Command]:
        """Return the writes that give an article the status of *after*, and its places and no others."""
        wanted = self._wanted(attempt, after)
        poster = self._keys.user(after.poster or config.DELETED_MEMBER)
        if not attempt.value("HEXISTS", poster, "id"):
            wanted.pop(self._rankings.key_of_poster(after))
        keys = dict.fromkeys([*self._rankings.named(stored.fields), *wanted])
        key = self._keys.article(after.id)
        status: Command = ("HDEL", key, "gone") if after.is_listed else ("HSET", key, "gone", after.status.value)
        return [status, *self._writes(after.id, ((key, wanted.get(key)) for key in keys))]

    def move(self, attempt: Attempt, before: Article, after: Article) -> list[Command]:
        """Return the writes for an article that gets other groups or another link."""
        if set(after.groups) - set(before.groups):
            votes = self.read(attempt, after.id, "votes").article.votes
            before, after = replace(before, votes=votes), replace(after, votes=votes)
        settings, wanted = settings_of(attempt, self._settings), self._wanted(attempt, after)
        places = self._rankings.places(before, settings, before.link)
        changed = [key for key in places | wanted if places.get(key) != wanted.get(key)]
        return self._writes(after.id, ((key, wanted.get(key)) for key in changed))

    def existing_groups(self, attempt: Attempt, names: Sequence[str]) -> tuple[str, ...]:
        """Return those of the groups *names* that exist, each once and under its own name."""
        return tuple(dict.fromkeys(filter(None, self.groups_of(attempt, *names).values())))

    def groups_of(self, attempt: Attempt, *names: str) -> dict[str, str | None]:
        """Return which group each of *names* is, or is an alias of; None for one that there is not."""
        names = tuple(dict.fromkeys(names))
        reads = [("HMGET", self._keys.group_aliases(), *names), ("SMISMEMBER", self._keys.groups(), *names)]
        aliases, exist = attempt.read(*reads) if names else ((), ())
        return {name: name if exists else group for name, group, exists in zip(names, aliases, exist, strict=True)}

    def free_time(self, attempt: Attempt) -> str:
        """Return the first microsecond from now on at which no article was published, in unix seconds."""
        time = attempt.now
        while attempt.value("ZCOUNT", self._keys.by_time(), time, time):
            time = f"{float(time) + 0.000001:.6f}"
        return time

    def _wanted(self, attempt: Attempt, article: Article) -> dict[str, Place]:
        """Return where an article must stand now: it is not found under its link for ever."""
        wanted = self._rankings.places(article, settings_of(attempt, self._settings), article.link)
        if article.time + config.LINK_SECONDS <= float(attempt.now):
            wanted = {key: place for key, place in wanted.items() if self._keys.split(key)[0] != "link"}
        return wanted

    def _writes(self, id: int, places: Iterable[tuple[str, Place]]) -> list[Command]:
        member = article_member(id)
        return [write for key, place in places for write in place_writes(self._keys, key, member, place)]


def check_poster(attempt: Attempt, article: Article, name: str, until: float) -> None:
    """Refuse a change by the member *name*: raises NotYours, and TooLate after *until* unless the article waits."""
    if name_key(article.poster) != name_key(name):
        raise errors.NotYours()
    if not article.is_held:
        if float(attempt.now) >= until:
            raise errors.TooLate(when=until)
        attempt.not_after = until


def new_words(draft: Draft) -> str:
    """Return the words of *draft* as scripts that store a new article take them.

    Empty ones take no memory, but a program after the book reads the link of every article.
    """
    words = {name: text for name, text in words_of(draft).items() if text or name == "link"}
    return json.dumps(words, ensure_ascii=False)


#: Articles with one link of which the one with the most votes is found.
_MAX_COMPARED = 100


class Articles(StorePart):
    """The articles of one site."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._places = ArticlePlaces(context)

    def post(self, draft: Draft, poster: User, token: str, *, allow_duplicate: bool = False) -> int:
        """Post *draft* and return its id; the same *token* of the same member always leads to the same article.

        Raises Duplicate when the link was posted within LINK_SECONDS, unless *allow_duplicate*; DomainRefused;
        NoSuchGroup when one of the draft's groups does not exist; TooManyGroups; LoggedOut when the poster has left or
        was banned meanwhile; TooFast when the poster signed up lately and has posted as much as newcomers may;
        Unavailable.
        """
        groups, settings = self._chosen(draft.groups), self._settings
        values = {
            "token": token,
            "words": new_words(draft),
            "link_digest": links.digest(draft.link),
            "listed_domain": links.domain(draft.link),
            "domains": " ".join(links.rule_domains(draft.link)),
            "groups": " ".join(groups),
            "poster": poster.name,
            "poster_id": poster.id,
            **program_values(poster),
            "own_vote": settings.own_vote,
            "voting_seconds": settings.voting_seconds,
            "allow_duplicate": int(allow_duplicate),
            "hold_posts": settings.hold_posts,
            **ranking_values(settings),
            **self._context.limits.newcomer_values(member_hits(NEWCOMER_POSTS, poster.name)),
        }
        for _ in range(config.MAX_SCRIPT_ATTEMPTS):
            id = self._connection.command("INCR", self._keys.last_article_id())
            outcome = self._connection.script("post_article", article=id, **values)
            if outcome.status != "taken":  # an id is given out twice when a failover lost the counter
                return self._posted(outcome, poster)
        raise errors.Conflict()

    def _chosen(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the groups that a form *names*, where one text may name several; raise TooManyGroups."""
        groups = tuple(dict.fromkeys(" ".join(names).split()))
        if len(groups) > self._settings.max_groups:
            raise errors.TooManyGroups(max=self._settings.max_groups)
        return groups

    def check_new(self, *, link: str = "", groups: Sequence[str] = ()) -> None:
        """Raise what :meth:`post` would about a *link* or *groups*: DomainRefused, TooManyGroups, NoSuchGroup."""
        attempt = Attempt(self._connection)
        if (rule := read_rule(attempt, link)) and rule.action is DomainAction.REFUSE:
            raise errors.DomainRefused(domain=rule.domain, why=rule.why)
        group_of = self._places.groups_of(attempt, *self._chosen(groups))
        if unknown := [name for name, group in group_of.items() if group is None]:
            raise errors.NoSuchGroup(names=", ".join(unknown))

    def _posted(self, outcome: Outcome, poster: User) -> int:
        """Return the id of the article that was posted, or raise the refusal."""
        match outcome.status:
            case "no-group":
                raise errors.NoSuchGroup(names=", ".join(outcome.values[0].split()))
            case "domain-refused":
                raise errors.DomainRefused(**dict(zip(("domain", "why"), outcome.values, strict=True)))
            case "rate-limited":
                raise self._context.limits.to_error(member_hits(NEWCOMER_POSTS, poster.name), outcome.values)
            case "duplicate":
                raise errors.Duplicate()
        id = article_of(outcome.values[0])
        if id is None:  # the form has written a comment
            raise errors.Conflict()
        return id

    def was_sent(self, poster: User, token: str) -> bool:
        """Tell whether *poster* has sent the form with this *token* before."""
        return bool(self._connection.command("EXISTS", self._keys.once(poster.id, token)))

    def edit(
        self, id: int, draft: Draft, editor: User, entry: LogEntry | None = None, *, revision: int | None = None
    ) -> None:
        """Give the article the words and groups of *draft*; with a log *entry* as a moderator.

        Without one the editor must be its poster, within EDIT_SECONDS. *revision* is the one that the editor saw, None
        for any. A link for which others have voted is exchanged by an admin only, and *entry* says why. Raises
        NoSuchArticle, ArticleGone, NotYours, TooLate, StaleEdit, LinkFixed, DomainRefused, NoSuchGroup, TooManyGroups,
        LoggedOut, NotAllowed, Conflict, Unavailable.
        """
        role = Role.MEMBER if entry is None else Role.ADMIN if editor.role is Role.ADMIN else Role.MODERATOR

        def decide(attempt: Attempt) -> list[Command]:
            return self._edit(attempt, id, draft, editor, entry, revision)

        commit(self._connection, decide, actor=editor, role=role, entry=entry)

    def check_edit(self, id: int, draft: Draft, editor: User, entry: LogEntry | None) -> None:
        """Raise what :meth:`edit` would, and change nothing."""
        self._edit(Attempt(self._connection), id, draft, editor, entry, None)

    def _edit(
        self, attempt: Attempt, id: int, draft: Draft, editor: User, entry: LogEntry | None, revision: int | None
    ) -> list[Command]:
        """Return the writes of an edit by a moderator, or, without an *entry*, by its poster."""
        article = self._read_open(attempt, id)
        if entry is None:
            # An article that a moderator has released stays as they saw it.
            seconds = 0 if article.released else self._settings.edit_seconds
            check_poster(attempt, article, editor.name, article.time + seconds)
        if len({*draft.groups} - {*article.groups}) > self._settings.max_groups:  # a form may have thousands
            raise errors.TooManyGroups(max=self._settings.max_groups)
        group_of = self._places.groups_of(attempt, *article.groups, *draft.groups)
        before_groups, chosen = _renamed(article.groups, group_of), _renamed(draft.groups, group_of)
        kept = [name for name in before_groups if name in chosen]
        groups = tuple(dict.fromkeys([*kept, *chosen]))
        after = replace(article, groups=groups, **words_of(draft))
        if after == replace(article, groups=before_groups):
            return []
        if revision not in (None, article.revision):
            raise errors.StaleEdit(revision=article.revision)
        self._check_groups(article, after, group_of)
        if draft.link != article.link:
            self._check_link(attempt, article, draft.link, editor, entry)
        _log_groups(attempt, before_groups, after.groups)
        changes = self._changes(attempt, article, after, editor.name)
        if editor.call and entry is None:
            changes.append(("HSET", self._keys.article(id), "program", "1"))
        by, versions = POSTER if is_poster(editor, article) else str(editor.id), Versions(attempt, id)
        attempt.former = attempt.now
        return [*versions.add(article, after, attempt.now, by), *changes]

    def _changes(self, attempt: Attempt, article: Article, after: Article, who: str) -> list[Command]:
        """Return the writes that make *after* of *article*; its poster is told if *who*, another, changes words."""
        moves = self._places.move(attempt, article, after)
        key, fields = self._keys.article(article.id), list(chain.from_iterable(words_of(after).items()))
        if replace(after, groups=article.groups) != article:
            attempt.told = who_is_told(who, article.poster)
            fields += ["edited", attempt.now]
        change = "a" if after.groups == article.groups else "t"
        return [
            *moves,
            ("HSET", key, *fields, "groups", " ".join(after.groups), "revision", article.revision + 1),
            *([("HDEL", key, "no-group")] if after.groups else []),
            *([record_change(self._keys, change, article.id)] if article.is_listed else []),
        ]

    def revert(self, act: LogEntry, entry: LogEntry, *, actor: User | None) -> None:
        """Undo the edit *act* by *entry*: the words and groups before it come back, and what it changed is forgotten.

        Of acts that are undone together, one whose words before are not kept any more leaves these to an earlier one.
        *actor* is the moderator who does it, None the operator, or an admin with many acts. Raises NoSuchArticle,
        ArticleGone, NothingToUndo when somebody else has edited since, LinkFixed, DomainRefused, LoggedOut, NotAllowed,
        Conflict.
        """

        def decide(attempt: Attempt) -> list[Command]:
            article, versions = self._read_open(attempt, act.article), Versions(attempt, act.article)
            version = version_before(act, versions.all)
            if version is None and not entry.part_of:
                raise errors.NothingToUndo()
            group_of = self._places.groups_of(attempt, *article.groups, *act.removed)
            named = [name for name in _renamed(article.groups, group_of) if name not in act.added]
            back = _renamed((name for name in act.removed if group_of[name]), group_of)
            words = words_of(version) if version else {}
            if version and version.link != article.link:
                self._check_link(attempt, article, version.link, actor, entry)
            after = replace(article, groups=tuple(dict.fromkeys([*named, *back])), **words)
            changes = self._changes(attempt, article, after, entry.who) if after != article else []
            return [*changes, *(versions.forget(version, after) if version else []), *mark_undone(attempt, entry)]

        role = Role.ADMIN if actor and actor.role is Role.ADMIN else Role.MODERATOR
        commit(self._connection, decide, actor=actor, role=role, entry=entry, when_full=True)

    def _read_open(self, attempt: Attempt, id: int) -> Article:
        """Return an article with all that an edit needs to know; raise NoSuchArticle, ArticleGone."""
        others = (*ARTICLE_WORDS, "revision", "released", "answer", "answered")
        article = self._places.read(attempt, id, *others).article
        if article.is_deleted or article.is_removed:
            raise errors.ArticleGone()
        return article

    def _check_groups(self, before: Article, after: Article, group_of: Mapping[str, str | None]) -> None:
        """Raise NoSuchGroup if groups of *after* are new and do not exist, TooManyGroups if it is in too many."""
        new = (name for name in after.groups if name not in before.groups)
        if unknown := [name for name in new if group_of.get(name, name) is None]:
            raise errors.NoSuchGroup(names=", ".join(unknown))
        # An article that a program written after the book put into more groups may still lose some of them.
        if len(after.groups) > max(self._settings.max_groups, len(before.groups)):
            raise errors.TooManyGroups(max=self._settings.max_groups)

    def _check_link(
        self, attempt: Attempt, article: Article, link: str, editor: User | None, entry: LogEntry | None
    ) -> None:
        """Raise LinkFixed if others have voted, DomainRefused by a rule.

        An admin, or None, the operator, may exchange the link if *entry* says why, or what it undoes.
        """
        votes, base = map(finite_number, attempt.value("HMGET", self._keys.article(article.id), "votes", "base"))
        # The poster's own vote is one that the base does not count; each other is somebody else's, an imported one too.
        is_fixed = (votes or 0) - min(base or 0, 0) > 1
        may_exchange = entry and (entry.why or entry.undoes) and (editor is None or editor.role is Role.ADMIN)
        if is_fixed and not may_exchange:
            raise errors.LinkFixed(errors.LinkFixed.for_admins if entry else "")
        rule = read_rule(attempt, link)
        # A link that is exchanged afterwards cannot be held.
        is_held_back = rule and rule.action is DomainAction.HOLD and entry is None and article.is_listed
        if rule and (rule.action is DomainAction.REFUSE or is_held_back):
            raise errors.DomainRefused(domain=rule.domain, why=rule.why)

    def set_groups(
        self,
        id: int,
        add: Sequence[str],
        remove: Sequence[str],
        entry: LogEntry | None = None,
        *,
        no_group: bool | None = None,
        actor: User | None = None,
    ) -> tuple[str, ...]:
        """Put the article into the groups *add* and out of *remove*, in one act; return its groups as they now are.

        A name in both is removed. An alias stands for its group, which stays if other names of it are added than
        removed: the form showed groups that are merged by now. *no_group* says whether no group fits; None leaves that
        as it is. An *entry* that undoes another, and a group, end it. *actor* is the moderator who does it, None the
        operator. Raises NoSuchArticle, ArticleGone, NoSuchGroup (only for names to add), TooManyGroups, NothingToUndo
        when *entry* undoes a change that somebody overruled, LoggedOut, NotAllowed, Unavailable.
        """
        if len({*add} - {*remove}) > self._settings.max_groups:
            raise errors.TooManyGroups(max=self._settings.max_groups)
        keys, groups = self._keys, tuple[str, ...]()

        def decide(attempt: Attempt) -> list[Command]:
            nonlocal groups
            article = self._places.read(attempt, id, "revision", "no-group").article
            if not article.is_listed:
                raise errors.ArticleGone()
            group_of = self._places.groups_of(attempt, *article.groups, *add, *remove)
            named = _renamed(article.groups, group_of)
            added = _renamed((name for name in add if name not in remove), group_of)
            removed = tuple(name for name in _renamed(remove, group_of) if name not in added)
            only_in_sets = self._only_in_sets(attempt, article, removed)
            before, was_in = replace(article, groups=(*article.groups, *only_in_sets)), (*named, *only_in_sets)
            groups = tuple(dict.fromkeys(name for name in (*named, *added) if name not in removed))
            stays_none = (article.no_group if no_group is None else no_group) and not (entry and entry.undoes)
            after = replace(article, groups=groups, no_group=stays_none and not groups)
            self._check_groups(article, after, group_of)
            if after == replace(before, groups=was_in):
                if entry and entry.undoes:
                    raise errors.NothingToUndo()
                return []
            _log_groups(attempt, was_in, groups)
            key, moves = keys.article(id), self._places.move(attempt, before, after)
            fits_none = ("HSET", key, "no-group", "1") if after.no_group else ("HDEL", key, "no-group")
            changed = ("HSET", key, "groups", " ".join(groups), "revision", article.revision + 1)
            return [*moves, changed, fits_none, record_change(keys, "t", id), *mark_undone(attempt, entry)]

        commit(self._connection, decide, actor=actor, entry=entry, when_full=True)
        return groups

    def leave_alias(self, id: int, alias: str) -> bool:
        """Move the article from the group that *alias* was into the one that it stands for; tell whether it moved."""

        def decide(attempt: Attempt) -> list[Command]:
            article = self._places.read(attempt, id).article
            if not article.is_listed:
                return []
            before = replace(article, groups=(*article.groups, *self._only_in_sets(attempt, article, [alias])))
            groups = _renamed(before.groups, self._places.groups_of(attempt, *before.groups))
            if groups == before.groups:
                return []
            moves = self._places.move(attempt, before, replace(article, groups=groups))
            # Forms that show it stay right, so it keeps its revision.
            changed = ("HSET", self._keys.article(id), "groups", " ".join(groups))
            return [*moves, changed, record_change(self._keys, "t", id)]

        with suppress(errors.NoSuchArticle):
            return commit(self._connection, decide, when_full=True)
        return False

    def _only_in_sets(self, attempt: Attempt, article: Article, names: Sequence[str]) -> list[str]:
        """Return those of these groups whose sets alone hold an article: a program after the book changed them."""
        others = [name for name in names if name not in article.groups]
        reads = [("SISMEMBER", self._keys.group(name), article_member(article.id)) for name in others]
        return list(compress(others, attempt.read(*reads))) if others else []

    def queue_get(self, pipeline: Pipeline, id: int) -> Future[Article | None]:
        """Queue a read of one whole article, its text included, listed or not; None when there is none."""
        return pipeline.queue_one(
            ("HMGET", self._keys.article(id), *decoding.WHOLE), lambda reply: decoding.cached_article(id, *reply)
        )

    def queue_earlier(self, pipeline: Pipeline, id: int) -> Future[tuple[EarlierVersion, ...]]:
        return queue_versions(pipeline, self._keys, id)

    def get(self, id: int) -> Article:
        """Return one whole article that is listed; raise NoSuchArticle, ArticleGone."""
        article = self._connection.read(self.queue_get, id)
        if article is None:
            raise errors.NoSuchArticle()
        if not article.is_listed:
            raise errors.ArticleGone()
        return article

    def find_duplicate(self, link: str, now: float) -> Article | None:
        """Return the article with the most votes of those with this *link* posted within LINK_SECONDS."""
        key = self._keys.link(links.digest(link))
        rows = self._connection.command(*read_rows(self._keys, key, 0, _MAX_COMPARED, decoding.FIELDS))
        articles = [row for row in decoding.rows(rows) if row and row.time + config.LINK_SECONDS > now]
        return max(articles, key=lambda article: article.votes, default=None)


def _renamed(names: Iterable[str], group_of: Mapping[str, str | None]) -> tuple[str, ...]:
    """Return the groups of these *names*, each once; one that does not exist keeps its name."""
    return tuple(dict.fromkeys(group_of[name] or name for name in names))


def _log_groups(attempt: Attempt, before: Sequence[str], after: Sequence[str]) -> None:
    attempt.added = " ".join(name for name in after if name not in before)
    attempt.removed = " ".join(name for name in before if name not in after)
