"""Acts of members and moderators on comments in a storm, with the answers that they were given."""

import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from threading import Lock

from tests import factories
from tests.store.examination import run
from tests.store.queries import read_articles
from voteweb.core import errors
from voteweb.core.comments import CommentId, Thread
from voteweb.core.models import LogAction, Reason, User, Voter
from voteweb.store import Store
from voteweb.store.schema.log_entries import NewLogEntry

Act = Callable[[random.Random, User, int], None]
#: Refusals that are expected in a storm, because another thread was faster.
COMMENT_REFUSALS = (
    errors.ArticleGone,
    errors.CommentGone,
    errors.CommentNotVoted,
    errors.CommentReported,
    errors.CommentVoted,
    errors.ConversationClosed,
    errors.NotYourComment,
    errors.OwnComment,
    errors.ParentGone,
    errors.TooDeep,
)


class CommentActs:
    """Acts on the comments of one store; ``votes`` are those of every comment according to the answers."""

    def __init__(self, store: Store, lock: Lock) -> None:
        self._store = store
        self._lock = lock
        self.votes: Counter[CommentId] = Counter()
        self.acts: Counter[str] = Counter()
        #: Each act with its share of all acts.
        self.shares: dict[Act, int] = {
            self.write: 30, self._cast: 40, self._take_back: 20, self._edit: 6, self._delete: 4, self._silence: 3,
            self._visit: 5, self._read_inbox: 3, self._remove: 12, self._restore: 16, self._report: 4, self._dismiss: 2,
            self._close: 1,
        }  # fmt: skip
        self.names = {act.__name__.strip("_") for act in self.shares}

    def _note(self, act: str, id: CommentId | None = None, votes: int = 0) -> None:
        with self._lock:
            self.acts[act] += 1
            if id:
                self.votes[id] += votes

    def _some(self, chance: random.Random, article: int) -> CommentId | None:
        """Return one of an article's newest comments, so that the threads meet."""
        with self._lock:
            newest = max((id.number for id in self.votes if id.article == article), default=0)
            id = CommentId(article, chance.randint(max(1, newest - 8), newest)) if newest else None
            return id if id in self.votes else None

    def write(self, chance: random.Random, who: User, article: int) -> None:
        """Write a comment or a reply, which may name a member; some send the form twice."""
        answered = self._some(chance, article) if chance.random() < 0.7 else None
        text = chance.choice(("Well said.", "@member1 look", "@member2 and @member3!"))
        found, token = self._store.articles.get(article), factories.token()
        id = None
        for _ in range(chance.choice((1, 1, 2))):
            with suppress(*COMMENT_REFUSALS):
                written = self._store.comments.write(
                    found, Thread(article), answered.number if answered else 0, text, who, token
                )
                assert id in (None, written), "a form sent twice makes one comment"
                if id is None:
                    id = written
                    self._note("write", id)

    def _cast(self, chance: random.Random, who: User, article: int) -> None:
        if id := self._some(chance, article):
            self._store.votes.cast(id, who)
            self._note("cast", id, 1)

    def _take_back(self, chance: random.Random, who: User, article: int) -> None:
        if id := self._some(chance, article):
            self._store.votes.take_back(id, who)
            self._note("take_back", id, -1)

    def _edit(self, chance: random.Random, who: User, article: int) -> None:
        if id := self._some(chance, article):
            self._store.comments.edit(id, f"Better said, @member{chance.randint(0, 9)}.", who)
            self._note("edit")

    def _delete(self, chance: random.Random, who: User, article: int) -> None:
        if id := self._some(chance, article):
            self._store.removals.delete(id, who if chance.random() < 0.7 else None)
            self._note("delete")

    def _silence(self, chance: random.Random, who: User, article: int) -> None:
        id = self._some(chance, article)
        self._store.comments.set_quiet(article, id.number if id else 0, who, is_quiet=chance.random() < 0.5)
        self._note("silence")

    def _visit(self, chance: random.Random, who: User, article: int) -> None:
        self._store.read(self._store.threads.queue_read, article, viewer_id=who.id, visitor=who.name)
        self._note("visit")

    def _read_inbox(self, chance: random.Random, who: User, article: int) -> None:
        page = self._store.read(self._store.inbox.queue_page, who.name, 1)
        if page.rows:
            self._store.inbox.mark_all_read(who, page.rows[0].entry)
        self._note("read_inbox")

    def _remove(self, chance: random.Random, who: User, article: int) -> None:
        if id := self._some(chance, article):
            entry, with_replies = _log_entry(LogAction.REMOVE, who, id), chance.random() < 0.5
            self._store.removals.remove(id, entry, with_replies=with_replies, actor=who)
            self._note("remove")

    def _restore(self, chance: random.Random, who: User, article: int) -> None:
        if id := self._some(chance, article):
            self._store.removals.restore(id, _log_entry(LogAction.RESTORE, who, id), actor=who)
            self._note("restore")

    def _report(self, chance: random.Random, who: User, article: int) -> None:
        if id := self._some(chance, article):
            self._store.reports.make(id, who, Reason.SPAM, "")
            self._note("report")

    def _dismiss(self, chance: random.Random, who: User, article: int) -> None:
        if id := self._some(chance, article):
            self._store.reports.dismiss(id, _log_entry(LogAction.DISMISS, who, id), actor=who)
            self._note("dismiss")

    def _close(self, chance: random.Random, who: User, article: int) -> None:
        """Close a conversation and open it again."""
        id = CommentId(article, 0)
        self._store.threads.close(article, _log_entry(LogAction.CLOSE, who, id), actor=who)
        self._store.threads.reopen(article, _log_entry(LogAction.REOPEN, who, id), actor=who)
        self._note("close")


def _log_entry(kind: LogAction, who: User, id: CommentId) -> NewLogEntry:
    return NewLogEntry(kind, who.name, about="ann", article=id.article, comment=id.number, why="why")


def check_comments(store: Store, acts: CommentActs, members: list[User]) -> None:
    """Check that the comments are those that were written, with the votes and numbers that the answers add up to."""
    assert run(store, "EXISTS", "removing:") == 0
    articles = {id.article for id in acts.votes}
    threads = {article: factories.thread(store, article) for article in articles}
    stored = {
        CommentId(article, node.number): node.votes for article in articles for node in threads[article].nodes.values()
    }
    assert stored == dict(acts.votes)
    numbers = {id: article.comments for id, article in read_articles(store, articles).items()}
    assert numbers == {id: len(_visible(thread)) for id, thread in threads.items()}
    for member in members:
        assert _unread_number(store, member) == _unread_entries(store, member)


def _visible(thread: Thread) -> set[int]:
    """Return the numbers of the comments that anybody can read."""
    visible: set[int] = set()
    covering: set[int] = set()
    for number, node in thread.nodes.items():
        if node.removes_replies or node.parent in covering:
            covering.add(number)
        elif not node.status:
            visible.add(number)
    return visible


def _unread_number(store: Store, member: User) -> int:
    viewer = store.read(store.viewers.queue_read, Voter(member.id, member.name, member.session))
    return viewer.unread.count


def _unread_entries(store: Store, member: User) -> int:
    unread, number, more = 0, 1, True
    while more:
        page = store.read(store.inbox.queue_page, member.name, number)
        unread += sum(notice.is_unread for notice in page.rows)
        number, more = number + 1, page.more
    return unread
