"""A storm of everything that members and moderators can do, with the answers that they were given.

Run as a program (``python -m tests.store.storm REDIS_URL SEED [PREFIX]``) it storms until it is killed.
"""

import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from tests import factories
from tests.store.examination import run
from tests.storm import Storm
from voteweb.core import config, errors
from voteweb.core.comments import CommentId, Thread
from voteweb.core.models import Draft, LogAction, LogEntry, Reason, Role, User, Voter
from voteweb.core.search_documents import DocumentId
from voteweb.core.settings import Settings
from voteweb.store import Store, open_store
from voteweb.store.schema.keys import Keys

GROUPS = ("go", "java", "lua", "redis", "编程")
MEMBERS = 12
#: Refusals that are expected in a storm, because another thread was faster.
REFUSALS = (
    errors.AlreadyReported,
    errors.AlreadyVoted,
    errors.ArticleGone,
    errors.CommentGone,
    errors.CommentNotVoted,
    errors.CommentReported,
    errors.CommentVoted,
    errors.ConversationClosed,
    errors.Duplicate,
    errors.LinkFixed,
    errors.NothingToUndo,
    errors.NotVoted,
    errors.NotYourComment,
    errors.NotYours,
    errors.OwnComment,
    errors.OwnVote,
    errors.ParentGone,
    errors.ReportedAgain,
    errors.TooDeep,
    errors.TooManyAliases,
    errors.TooManyGroups,
)


class StoreStorm(Storm):
    """Several threads on one store, and the votes of every article and comment according to the answers."""

    def __init__(self, store: Store, seed: int = 0, threads: int = 8) -> None:
        super().__init__(threads)
        self.store = store
        self._seed = seed
        self.votes: Counter[int] = Counter()
        self.comment_votes: Counter[CommentId] = Counter()
        self.acts: Counter[str] = Counter()
        for name in GROUPS:
            factories.group(store, name)
        self.admin = factories.user(store, "admin", Role.ADMIN)
        self.members = [factories.user(store, f"member{i}", Role.MODERATOR) for i in range(MEMBERS)]

    def act(self, number: int) -> None:
        chance = random.Random(self._seed * 100 + number)
        while not self.is_stopped:
            with suppress(*REFUSALS):
                self._act(chance, chance.choice(self.members))

    def _act(self, chance: random.Random, who: User) -> None:
        # Few articles and mostly the newest, so that the threads meet, and their newest comments.
        newest = max(self.votes, default=0)
        if newest < 3 or chance.random() < 0.05:
            self.post(chance, who)
            return
        article = chance.randint(max(1, newest - 5), newest)
        with self.lock:
            comments = [id for id in self.comment_votes if id.article == article][-9:]
        if comments and chance.random() < 0.5:
            self.do(chance, who, chance.choice(comments), ON_COMMENTS)
        elif article in self.votes:
            self.do(chance, who, article, ON_ARTICLES)

    def do(self, chance: random.Random, who: User, id: DocumentId, acts: dict[str, int]) -> None:
        """Do one of these *acts*, each of which has a share."""
        (name,) = chance.choices(list(acts), list(acts.values()))
        _ACTS[name](self, chance, who, id)
        with self.lock:
            self.acts[_name(name, id)] += 1

    def post(self, chance: random.Random, who: User) -> None:
        draft, allow_duplicate = _some_draft(chance), chance.random() < 0.5
        self.add(self.store.articles.post(draft, who, factories.token(), allow_duplicate=allow_duplicate), 1)
        with self.lock:
            self.acts["post"] += 1

    def add(self, id: DocumentId, votes: int) -> None:
        """Note that an article or comment has so many votes more."""
        with self.lock:
            counter: Counter[Any] = self.votes if isinstance(id, int) else self.comment_votes
            counter[id] += votes


#: What a member or moderator does with an article or comment.
Act = Callable[[StoreStorm, random.Random, User, Any], object]


def _cast(storm: StoreStorm, _: random.Random, who: User, id: DocumentId) -> None:
    storm.store.votes.cast(id, who)
    storm.add(id, 1)


def _take_back(storm: StoreStorm, _: random.Random, who: User, id: DocumentId) -> None:
    storm.store.votes.take_back(id, who)
    storm.add(id, -1)


def _write(storm: StoreStorm, chance: random.Random, who: User, id: DocumentId) -> None:
    """Write a comment or a reply, which may name a member; some send the form twice."""
    number, parent = (id, 0) if isinstance(id, int) else id
    text = chance.choice(("Well said.", "@member1 look", "@member2 and @member3!"))
    article, token = storm.store.articles.get(number), factories.token()
    written = storm.store.comments.write(article, Thread(number), parent, text, who, token)
    storm.add(written, 0)
    if chance.random() < 0.3:
        again = storm.store.comments.write(article, Thread(number), parent, text, who, token)
        assert again == written, "a form sent twice makes one comment"


def _set_groups(storm: StoreStorm, chance: random.Random, who: User, id: int) -> None:
    names = chance.sample(GROUPS, 3)
    storm.store.articles.set_groups(id, names[:2], names[2:], _log_entry(LogAction.GROUPS, who, id), actor=who)


def _merge(storm: StoreStorm, chance: random.Random, who: User, id: int) -> None:
    """Create a group, put the article into it if that can be, and plan its merge, which some stop as it begins."""
    store, name, into = storm.store, f"g{chance.getrandbits(60):x}", chance.choice(GROUPS)
    factories.group(store, name)
    with suppress(errors.ArticleGone, errors.TooManyGroups):
        store.articles.set_groups(id, [name], [], actor=who)
    planned = LogEntry(LogAction.PLAN_MERGE, storm.admin.name, title=name)
    store.planned_merges.plan(name, into, planned, actor=storm.admin)
    (group,) = store.read(store.groups.queue_get, [name])  # another thread may have merged it already
    if group and (plan := group.merge) and chance.random() < 0.3:
        stopped = LogEntry(LogAction.STOP_MERGE, who.name, title=name, undoes=plan.entry)
        store.planned_merges.stop(name, stopped, actor=who)
    list(store.group_merges.steps())


def _author(storm: StoreStorm, chance: random.Random, who: User, id: CommentId) -> User:
    """Return the author of a comment, as whom most of what they alone may do is tried, or *who*."""
    node = factories.thread(storm.store, id.article).nodes.get(id.number)
    authors = [member for member in storm.members if node and member.name == node.author]
    return authors[0] if authors and chance.random() < 0.8 else who


def _edit(storm: StoreStorm, chance: random.Random, who: User, id: DocumentId) -> None:
    if isinstance(id, CommentId):
        author = _author(storm, chance, who, id)
        storm.store.comments.edit(id, f"Ask @member{chance.randint(0, 9)}.", author)
        return
    as_poster = chance.random() < 0.5
    draft = _some_draft(chance, title=f"title {chance.randint(0, 9)}")
    storm.store.articles.edit(id, draft, who, None if as_poster else _log_entry(LogAction.EDIT, who, id))


def _undo(storm: StoreStorm, _: random.Random, who: User, _id: int) -> None:
    for entry in storm.store.read(storm.store.log.queue_page, 1, who=who.name).rows[:1]:
        storm.store.undoing.undo(entry.id, who)


def _read_inbox(storm: StoreStorm, _: random.Random, who: User, _id: DocumentId) -> None:
    page = storm.store.read(storm.store.inbox.queue_page, who.name, 1)
    if page.rows:
        storm.store.inbox.mark_all_read(who, page.rows[0].entry)


def _silence(storm: StoreStorm, chance: random.Random, who: User, id: CommentId) -> None:
    """Silence a comment or the whole conversation."""
    number, author = chance.choice((0, id.number)), _author(storm, chance, who, id)
    storm.store.comments.set_quiet(id.article, number, author, is_quiet=chance.random() < 0.5)


def _close(storm: StoreStorm, _: random.Random, who: User, id: CommentId) -> None:
    """Close a conversation and open it again."""
    storm.store.threads.set_closed(id.article, _log_entry(LogAction.CLOSE, who, id), actor=who, closes=True)
    storm.store.threads.set_closed(id.article, _log_entry(LogAction.REOPEN, who, id), actor=who, closes=False)


def _delete(storm: StoreStorm, chance: random.Random, who: User, id: DocumentId) -> None:
    """Delete it as its author; some comments as the operator."""
    storm.store.removals.delete(id, None if isinstance(id, CommentId) and chance.random() < 0.3 else who)


def _remove(storm: StoreStorm, chance: random.Random, who: User, id: DocumentId) -> None:
    factories.remove(storm.store, id, by=who.name, with_replies=chance.random() < 0.5, actor=who)


def _dismiss(storm: StoreStorm, _: random.Random, who: User, id: DocumentId) -> None:
    storm.store.reports.dismiss(id, _log_entry(LogAction.DISMISS, who, id), actor=who)


def _leave(storm: StoreStorm, chance: random.Random, who: User, id: int) -> None:
    """Create a member who posts, votes and writes, and delete the account."""
    leaver = factories.user(storm.store, f"l{chance.getrandbits(60):x}")
    for _ in range(3):
        with suppress(errors.Duplicate):
            storm.post(chance, leaver)
    for act in (_cast, _write):
        with suppress(*REFUSALS):
            act(storm, chance, leaver, id)
    storm.store.account_deletion.start(leaver, delete_articles=chance.random() < 0.5)
    storm.store.account_deletion.finish(leaver.name)


def _ban(storm: StoreStorm, chance: random.Random, who: User, id: int) -> None:
    """Create a member by an invitation who votes, ban them, which takes their votes back, and lift the ban.

    The operator bans, so that nobody undoes it, which would give the votes back.
    """
    store, name = storm.store, factories.token()[:15]
    member = store.users.make(name, "", invitation=store.invitations.make(who))
    for voted in (id, CommentId(id, 1)):
        with suppress(*REFUSALS, errors.NoSuchComment):
            _cast(storm, chance, member, voted)
    factories.ban(store, name, votes=True)
    list(store.bans.steps())
    for revoked in store.open_votes.revoked(name):
        storm.add(revoked, -1)
    factories.lift(store, name)


_ACTS: dict[str, Act] = {
    "cast": _cast,
    "take back": _take_back,
    "write": _write,
    "set groups": _set_groups,
    "edit": _edit,
    "merge": _merge,
    "delete": _delete,
    "remove": _remove,
    "restore": lambda storm, _, who, id: factories.restore(storm.store, id, who.name, actor=who),
    "report": lambda storm, _, who, id: storm.store.reports.make(id, who, Reason.SPAM, ""),
    "dismiss": _dismiss,
    "undo": _undo,
    "silence": _silence,
    "visit": lambda storm, _, who, id: storm.store.read(
        storm.store.threads.queue_read, id.article, viewer_id=who.id, visitor=who.name
    ),
    "read inbox": _read_inbox,
    "close": _close,
    "leave": _leave,
    "ban": _ban,
}
#: The acts on articles, and on comments, with the share of each.
ON_ARTICLES = {
    "cast": 50, "take back": 30, "write": 20, "set groups": 20, "edit": 10, "merge": 3, "delete": 6, "remove": 4,
    "restore": 8, "report": 8, "dismiss": 4, "undo": 3, "leave": 1, "ban": 2,
}  # fmt: skip
ON_COMMENTS = {
    "cast": 40, "take back": 30, "write": 20, "edit": 6, "delete": 4, "remove": 12, "restore": 16, "report": 4,
    "dismiss": 2, "silence": 3, "visit": 5, "read inbox": 3, "close": 1,
}  # fmt: skip


def _name(act: str, id: DocumentId) -> str:
    return act if isinstance(id, int) else f"{act} comment"


#: Every action of a storm.
ACTIONS = {"post", *ON_ARTICLES, *(_name(act, CommentId(1, 1)) for act in ON_COMMENTS)}


def check_comments(storm: StoreStorm) -> None:
    """Check that the comments are those that were written, with the votes that the answers add up to."""
    store = storm.store
    assert run(store, "EXISTS", "removing:") == 0
    stored = {
        CommentId(article, node.number): node.votes
        for article in {id.article for id in storm.comment_votes}
        for node in factories.thread(store, article).nodes.values()
    }
    assert stored == dict(storm.comment_votes)
    for member in storm.members:
        viewer = store.read(store.viewers.queue_read, Voter(member.id, member.name, member.session))
        numbers = range(1, config.INBOX_SIZE // config.INBOX_PAGE_SIZE + 1)
        pages = [store.read(store.inbox.queue_page, member.name, number) for number in numbers]
        assert viewer.unread.count == sum(notice.is_unread for page in pages for notice in page.rows)


def _log_entry(kind: LogAction, who: User, id: DocumentId) -> LogEntry:
    article, comment = (id, 0) if isinstance(id, int) else id
    return LogEntry(kind, who.name, about="ann", article=article, title="title", why="why", comment=comment)


def _some_draft(chance: random.Random, **changes: Any) -> Draft:
    """Return a draft with one of a few links, so that the same is often posted again."""
    link = chance.choice(("", f"https://example.com/{chance.randint(0, 30)}"))
    return factories.draft(link=link, groups=tuple(chance.sample(GROUPS, chance.randint(0, 3))), **changes)


def settings(url: str, **changes: Any) -> Settings:
    """Return settings under which articles become good in a storm, and cease to be."""
    return replace(Settings(redis_url=url, good_votes=4, max_groups=3, redis_deadline=10.0), **changes)


def main() -> None:
    url, seed, *prefix = sys.argv[1:]
    config.MERGE_DELAY_SECONDS = 0
    StoreStorm(open_store(settings(url), Keys(*prefix)), int(seed), threads=4).start()
    time.sleep(60)  # killed long before
    sys.exit("nobody stopped the storm")


if __name__ == "__main__":
    main()
