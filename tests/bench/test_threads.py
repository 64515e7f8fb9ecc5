"""The conversations that the benchmark writes."""

from bench.sites.threads import generate_text, write_thread
from tests import factories
from voteweb.core.comments import CommentOrder
from voteweb.core.config import MAX_COMMENT_LEVEL, Settings
from voteweb.core.conversation import Conversation
from voteweb.store import Store


def test_texts_have_the_wanted_length() -> None:
    assert len(generate_text(345)) == 345


def test_a_conversation_has_the_wanted_comments_on_several_levels(store: Store) -> None:
    write_thread(store, factories.article(store).id, 700)
    thread = factories.thread(store)
    conversation = Conversation(thread, CommentOrder.SCORE, Settings().comment_vote_score)
    levels = [conversation.level(number) for number in thread.nodes]
    assert len(levels) == store.articles.get(1).comments == 700
    assert 3 < max(levels) <= MAX_COMMENT_LEVEL
