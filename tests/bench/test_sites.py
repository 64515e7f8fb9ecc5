"""The generated sites, what is done on them, and the memory of an article as it ages."""

from pathlib import Path

import pytest

from bench import stories
from bench.load import Request
from bench.memory import MONTH_SECONDS, WEEK_SECONDS, expire_keys
from bench.sessions import Visitor, vote_form_request
from bench.threads import generate_text, write_thread
from bench.workloads import VoteWorkload
from tests import factories
from voteweb.core.comments import CommentOrder
from voteweb.core.config import MAX_COMMENT_LEVEL
from voteweb.core.conversation import Conversation
from voteweb.core.settings import Settings
from voteweb.store import Store


def test_small_site_is_the_newest_part_of_a_large_one(tmp_path: Path) -> None:
    for count in (3, 30):
        stories.generate(tmp_path / f"{count}.csv", count, 1_800_000_000)
    small, large = ((tmp_path / f"{count}.csv").read_text().splitlines() for count in (3, 30))
    assert small[1:] == large[-3:]
    assert stories.profile_file(tmp_path / "30.csv").articles == 30


def test_stories_without_a_pair_of_groups_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "stories.csv"
    file.write_text("title,poster,groups\nA title,ann,news\n")
    with pytest.raises(ValueError, match="in two groups"):
        stories.profile_file(file)


def test_a_conversation_has_the_wanted_comments_on_several_levels(store: Store) -> None:
    assert len(generate_text(345)) == 345
    write_thread(store, factories.article(store).id, 700)
    thread = factories.thread(store)
    conversation = Conversation(thread, CommentOrder.SCORE, Settings().comment_vote_score)
    levels = [conversation.level(number) for number in thread.nodes]
    assert len(levels) == store.articles.get(1).comments == 700
    assert 3 < max(levels) <= MAX_COMMENT_LEVEL


def test_brief_votes_are_taken_back_once_each_article_has_one(store: Store) -> None:
    articles = [factories.article(store).id for _ in range(2)]
    members = [Visitor("http://here", factories.user(store, name).name) for name in ("bob", "cem")]
    votes = VoteWorkload(store, members, articles, vote_form_request, lambda _: [Request("/")], brief=True)
    actions = [request.path for request in votes.make_requests()]
    assert actions[1::2] == ["/"] * 8
    assert actions[::2] == [f"/a/{id}/{action}" for action in ("vote", "unvote") for id in articles] * 2


def test_cookies_that_expire_soon_are_not_lasting() -> None:
    visitor = Visitor("http://127.0.0.1", cookie="session=a; gone=b")
    visitor.keep_cookies(["fresh=1; Max-Age=3; Path=/", "gone=; Max-Age=0"])
    assert visitor.cookie == "session=a; fresh=1"
    assert visitor.lasting_cookie == "session=a"


def test_week_expires_the_form_and_month_voters_and_link(store: Store) -> None:
    article = factories.article(store)

    def nouns() -> set[str]:
        keys = (store.keys.split(key) for key in store.connection.client.scan_iter())
        return {noun for noun, _ in keys} & {"article", "voted", "link", "once"}

    assert nouns() == {"article", "voted", "link", "once"}
    expire_keys(store, WEEK_SECONDS)
    assert nouns() == {"article", "voted", "link"}
    expire_keys(store, MONTH_SECONDS, kept={store.keys.voted(article.id)})
    assert nouns() == {"article", "voted"}
