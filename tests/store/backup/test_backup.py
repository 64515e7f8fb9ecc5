"""Backups: a restored site is the same, key by key, and a copy of a site in use is sound."""

import re
import time
from dataclasses import replace

import pytest

from tests import factories
from tests.helpers import until
from tests.store.backup.copying import articles_of, back_up, lasting, restore
from tests.store.examination import broken, repair, run, snapshot
from tests.store.queries import logged_act
from tests.store.storm import StoreStorm
from tests.store.thread_data import node, write_thread
from voteweb.core import config
from voteweb.core.comments import CommentStatus
from voteweb.core.config import DELETED_MEMBER, MAX_COMMENTS, SCHEMA
from voteweb.core.models import ArticleStatus, Reason
from voteweb.store import Store
from voteweb.store.backup import KeyLine, LineChecks
from voteweb.store.schema.key_forms import Part
from voteweb.store.schema.keys import FORMS, NOUNS
from voteweb.store.schema.nodes import format_node


def of_nouns(backup: list[KeyLine], *nouns: str) -> list[KeyLine]:
    return [line for line in backup if line.noun in nouns]


def but_nouns(backup: list[KeyLine], *nouns: str) -> list[KeyLine]:
    return [line for line in backup if line.noun not in nouns]


def test_a_restored_site_is_the_same_key_by_key(site: Store, sound: None) -> None:
    before = lasting(site)
    backup = back_up(site)
    assert lasting(site) == before
    restore(site, backup)
    assert lasting(site) == before


def test_the_site_has_every_kind_of_key(site: Store) -> None:
    keys = snapshot(site)
    lasting_forms = [form for form in FORMS if NOUNS[form.noun].part is not Part.PASSING and "<a>" not in form.text]
    missing = {form.noun for form in lasting_forms if not any(re.fullmatch(form.pattern(), key) for key in keys)}
    assert missing == {"removing"}
    backup = back_up(site)
    assert {line.noun for line in backup} == {name for name, noun in NOUNS.items() if noun.part is Part.PRIMARY}
    assert len({str(line) for line in backup}) == len(backup)


def test_restored_rankings_by_votes_hold_the_best_only(
    store: Store, sound: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "MAX_RANKED", 2)
    for _ in range(4):
        factories.article(store, groups=("go",), link="")
    before = lasting(store)
    restore(store, back_up(store))
    assert lasting(store) == before


@pytest.mark.heavy
def test_a_backup_of_a_site_in_a_storm_is_sound(store: Store) -> None:
    storm = StoreStorm(store, threads=4)
    storm.start()
    until(lambda: len(storm.votes) > 30)
    backups = []
    for _ in range(5):
        before = set(storm.votes)
        backups.append((before, back_up(store)))
    storm.stop()
    for before, backup in backups:
        checks = LineChecks()
        assert [fault for line in backup for fault in checks.faults(line)] == []
        restore(store, backup)
        assert broken(store) == []
        assert before <= articles_of(backup).keys()
        for name in store.account_deletion.unfinished():
            store.account_deletion.finish(name)
        assert broken(store) == []


def test_a_removal_that_the_backup_cut_off_settles_reports(
    site: Store, sound: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    article = factories.article(site)
    above = factories.comment(site, article.id)
    reply = factories.comment(site, article.id, parent=above.number)
    reporter = factories.user(site, "reporter")
    site.reports.make(reply, reporter, Reason.SPAM, "")
    with monkeypatch.context() as patch:
        patch.setattr(site.removals, "finish", lambda _article: None)
        factories.remove(site, above, with_replies=True)
    backup = back_up(site)
    restore(site, backup)
    assert not run(site, "EXISTS", f"comment-report:{reply}")
    assert run(site, "LRANGE", "inbox:reporter", 0, -1)[0].startswith("report log-")


def test_expired_keys_are_not_restored_and_others_expire_anew(site: Store) -> None:
    backup = back_up(site)
    restore(site, [replace(line, until=None) for line in backup])
    assert -1 not in [run(site, "TTL", key) for key in run(site, "KEYS", "once:*")]
    past = int(time.time() * 1000) - 1
    restore(site, [replace(line, until=line.until and past) for line in backup])
    for pattern in ("once:*", "reset:*", "voted:*", "inbox:*"):
        assert set(run(site, "KEYS", pattern)) <= {"voted:70000"}


def test_an_account_deleted_during_the_backup_is_deleted_again(store: Store, sound: None) -> None:
    zoe = factories.user(store, "Zoe")
    article = factories.article(store, zoe)
    early = of_nouns(back_up(store), "article", "voted")
    store.account_deletion.start(zoe, delete_articles=True)
    store.account_deletion.finish("zoe")
    restore(store, [*early, *but_nouns(back_up(store), "article", "voted")])
    assert store.account_deletion.unfinished() == ["zoe"]
    store.account_deletion.finish("zoe")
    stored = factories.stored_article(store, article.id)
    assert (stored.poster, stored.status) == (DELETED_MEMBER, ArticleStatus.DELETED)


def test_comments_of_an_account_deleted_during_backup_lose_the_name(small: Store, sound: None) -> None:
    zoe = factories.user(small, "Zoe")
    factories.comment(small, 1, zoe)
    factories.comment(small, 1, parent=1)
    nouns = ("inbox", "unread", "thread", "words", "voted-comments")
    early = of_nouns(back_up(small), *nouns)
    small.account_deletion.start(zoe, delete_articles=False)
    small.account_deletion.finish("zoe")
    restore(small, [*early, *but_nouns(back_up(small), *nouns)])
    assert small.account_deletion.unfinished() == ["zoe"]
    small.account_deletion.finish("zoe")
    assert [node.author for node in factories.thread(small).nodes.values()] == [DELETED_MEMBER, "ann"]
    assert run(small, "KEYS", "*:zoe") == ["user:zoe"]


def test_an_act_undone_during_the_backup_is_marked(store: Store, sound: None) -> None:
    factories.user(store, "eve")
    factories.ban(store, "eve")
    (early,) = of_nouns(back_up(store), "log-entries")
    factories.lift(store, "eve", undoes=1)
    (late,) = of_nouns(back_up(store), "log-entries")
    restore(store, [*but_nouns(back_up(store), "log-entries"), replace(late, value=[*early.value, late.value[1]])])
    assert broken(store) == []
    assert logged_act(store, 1).undone


def test_comments_written_during_the_backup_are_left_out(small: Store, sound: None) -> None:
    """The article is read after its conversation, and counts one more than the backup has."""
    for parent in (0, 1):
        factories.comment(small, 1, parent=parent)
    nouns, second = ("thread", "words", "voted-comments"), factories.article(small, link="").id
    early = of_nouns(back_up(small), *nouns)
    factories.comment(small, 1, parent=2)
    factories.comment(small, second)
    restore(small, [*early, *but_nouns(back_up(small), *nouns)])
    assert [run(small, "HGET", f"article:{id}", "comments") for id in (1, second)] == ["2", None]
    assert run(small, "LRANGE", "comments:", 0, -1) == ["1.2", "1.1"]


def test_comment_votes_are_those_of_voters_in_the_backup(small: Store, sound: None) -> None:
    comment = factories.comment(small, 1)
    run(small, "HSET", "thread:1", 2, "no comment")
    early, before = of_nouns(back_up(small), "voted-comments"), factories.thread(small).nodes[1]
    assert small.votes.cast(comment, factories.user(small, "bob")) == before.votes + 1
    restore(small, [*early, *but_nouns(back_up(small), "voted-comments")])
    assert (factories.thread(small).nodes[1], run(small, "HGET", "thread:1", 2)) == (before, None)


def test_a_large_conversation_is_restored_whole(small: Store) -> None:
    now = int(time.time())
    factories.user(small, "bob")
    nodes = {at: format_node(node(at, at // 2, time=now - 20_000.0 + at)) for at in range(1, MAX_COMMENTS + 1)}
    for fields in (nodes, {at: f"Comment {at}" for at in nodes}):
        key = "thread:1" if fields is nodes else "words:1"
        run(small, "HSET", key, *(item for pair in fields.items() for item in pair))
    run(small, "HSET", "thread:1", "last", MAX_COMMENTS, "rev", MAX_COMMENTS, "closes", now)
    run(small, "HSET", "article:1", "comments", MAX_COMMENTS)
    newest_first = [f"1.{at}" for at in range(MAX_COMMENTS, 0, -1)]
    for key in ("comments:", "commented:bob"):
        run(small, "RPUSH", key, *newest_first)
    before = lasting(small)
    restore(small, back_up(small))
    assert lasting(small) == before


def test_a_number_that_lost_its_comment_stays_unread(small: Store, sound: None) -> None:
    for _ in range(9):
        factories.comment(small, 1)
    run(small, "HDEL", "thread:1", 1, 2, 9)
    run(small, "HDEL", "words:1", 1, 2, 9)
    repair(small)
    assert broken(small) == []
    before = lasting(small)
    restore(small, back_up(small))
    assert lasting(small) == before


def test_a_whole_copy_restores_bits_that_are_no_text(small: Store) -> None:
    write_thread(small, 1, [node(at, status=CommentStatus.DELETED, author="") for at in range(1, 20)])
    before = lasting(small)
    restore(small, back_up(small, is_whole=True), whole_layout=SCHEMA)
    assert lasting(small) == before
