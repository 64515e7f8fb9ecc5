"""Acts of members and moderators on comments in a storm, with the answers that they were given."""

import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Lock

from tests import factories
from tests.store.examination import run
from voteweb.core import config, errors
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


def _read_inbox(store: Store, _: random.Random, who: User, _id: CommentId) -> None:
    page = store.read(store.inbox.queue_page, who.name, 1)
    if page.rows:
        store.inbox.mark_all_read(who, page.rows[0].entry)


def _close(store: Store, _: random.Random, who: User, id: CommentId) -> None:
    """Close a conversation and open it again."""
    store.threads.close(id.article, _log_entry(LogAction.CLOSE, who, id), actor=who)
    store.threads.reopen(id.article, _log_entry(LogAction.REOPEN, who, id), actor=who)


#: What members and moderators do with a comment, with the share of each in all acts.
_ACTS: dict[str, tuple[int, Callable[[Store, random.Random, User, CommentId], object]]] = {
    "cast": (40, lambda store, _, who, id: store.votes.cast(id, who)),
    "take_back": (20, lambda store, _, who, id: store.votes.take_back(id, who)),
    "edit": (6, lambda store, chance, who, id: store.comments.edit(id, f"Ask @member{chance.randint(0, 9)}.", who)),
    "delete": (4, lambda store, chance, who, id: store.removals.delete(id, chance.choice((who, who, None)))),
    "silence": (
        3,  # a comment or the whole conversation
        lambda store, chance, who, id: store.comments.set_quiet(
            id.article, chance.choice((0, id.number)), who, is_quiet=chance.random() < 0.5
        ),
    ),
    "visit": (
        5,
        lambda store, _, who, id: store.read(store.threads.queue_read, id.article, viewer_id=who.id, visitor=who.name),
    ),
    "read_inbox": (3, _read_inbox),
    "remove": (
        12,
        lambda store, chance, who, id: factories.remove(
            store, id, by=who.name, with_replies=chance.random() < 0.5, actor=who
        ),
    ),
    "restore": (16, lambda store, _, who, id: factories.restore(store, id, who.name, actor=who)),
    "report": (4, lambda store, _, who, id: store.reports.make(id, who, Reason.SPAM, "")),
    "dismiss": (
        2,
        lambda store, _, who, id: store.reports.dismiss(id, _log_entry(LogAction.DISMISS, who, id), actor=who),
    ),
    "close": (1, _close),
}


class CommentActs:
    """Acts on the comments of one store; ``votes`` are those of every comment according to the answers."""

    names = frozenset({"write", *_ACTS})

    def __init__(self, store: Store, lock: Lock) -> None:
        self._store = store
        self._lock = lock
        self.votes: Counter[CommentId] = Counter()
        self.acts: Counter[str] = Counter()
        #: Each act with its share of all acts.
        self.shares: dict[Act, int] = {
            self.write: 30,
            **{partial(self._act, name): share for name, (share, _) in _ACTS.items()},
        }

    def _note(self, act: str, id: CommentId, votes: int = 0) -> None:
        with self._lock:
            self.acts[act] += 1
            self.votes[id] += votes

    def _some(self, chance: random.Random, article: int) -> CommentId | None:
        """Return one of an article's newest comments, so that the threads meet."""
        with self._lock:
            ids = [id for id in self.votes if id.article == article]
        return chance.choice(ids[-9:]) if ids else None

    def write(self, chance: random.Random, who: User, article: int) -> None:
        """Write a comment or a reply, which may name a member; some send the form twice."""
        answered = self._some(chance, article) if chance.random() < 0.7 else None
        text = chance.choice(("Well said.", "@member1 look", "@member2 and @member3!"))
        found, token = self._store.articles.get(article), factories.token()
        parent = answered.number if answered else 0
        with suppress(*COMMENT_REFUSALS):
            id = self._store.comments.write(found, Thread(article), parent, text, who, token)
            self._note("write", id)
            if chance.random() < 0.3:
                again = self._store.comments.write(found, Thread(article), parent, text, who, token)
                assert again == id, "a form sent twice makes one comment"

    def _act(self, name: str, chance: random.Random, who: User, article: int) -> None:
        if id := self._some(chance, article):
            _ACTS[name][1](self._store, chance, who, id)
            self._note(name, id, {"cast": 1, "take_back": -1}.get(name, 0))


def _log_entry(kind: LogAction, who: User, id: CommentId) -> NewLogEntry:
    return NewLogEntry(kind, who.name, about="ann", article=id.article, comment=id.number, why="why")


def check_comments(store: Store, acts: CommentActs, members: list[User]) -> None:
    """Check that the comments are those that were written, with the votes that the answers add up to."""
    assert run(store, "EXISTS", "removing:") == 0
    stored = {
        CommentId(article, node.number): node.votes
        for article in {id.article for id in acts.votes}
        for node in factories.thread(store, article).nodes.values()
    }
    assert stored == dict(acts.votes)
    for member in members:
        viewer = store.read(store.viewers.queue_read, Voter(member.id, member.name, member.session))
        numbers = range(1, config.INBOX_SIZE // config.INBOX_PAGE_SIZE + 1)
        pages = [store.read(store.inbox.queue_page, member.name, number) for number in numbers]
        assert viewer.unread.count == sum(notice.is_unread for page in pages for notice in page.rows)
