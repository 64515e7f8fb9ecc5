"""Keys: all have the type and lifetime of their forms, and a prefix if there is one."""

import re
import time

import pytest

from tests.conftest import MakeStore
from tests.store.every_key import build_every_key
from tests.store.examination import broken, run, snapshot
from voteweb.store import Store
from voteweb.store.migrations import Migrations
from voteweb.store.schema.key_forms import Part
from voteweb.store.schema.keys import FORMS, Keys, key_type
from voteweb.store.schema.values import article_of, line_of, text_of


@pytest.fixture
def busy(make_store: MakeStore) -> Store:
    """A site that has a key of every form."""
    store = make_store(good_votes=2, vote_score=432.0, limits=1)
    build_every_key(store)
    run(store, "SET", "restoring:", int(time.time()))
    Migrations(store.context).begin("before.gz")
    run(store, "SADD", "removing:", 1)
    assert broken(store) == []
    return store


def test_every_primary_key_has_a_check_of_its_name() -> None:
    primary = [form for form in FORMS if form.holds.part is Part.PRIMARY]
    assert all(form.holds.name("") is ("<" not in form.text) for form in primary)


def test_every_key_has_the_type_and_lifetime_of_its_form(busy: Store) -> None:
    seen = set()
    for key in run(busy, "KEYS", "*"):
        # That with the most parts: time:<a>+<b> rather than time:<group>.
        form = max((form for form in FORMS if re.fullmatch(form.pattern(), key)), key=lambda form: form.text.count("<"))
        assert run(busy, "TYPE", key) == form.holds.type == key_type(busy.keys, busy.keys.prefix + key), key
        assert (run(busy, "TTL", key) == -1) == (form.holds.expires is None), key
        assert busy.keys.is_ours(busy.keys.prefix + key)
        seen.add(form.text)
    assert seen == {form.text for form in FORMS}
    assert (busy.keys.prefix or "no prefix") not in str(snapshot(busy)), "a value names a key"


@pytest.mark.parametrize("prefix", ["a*", "a?", "[a]", "^a", "a\\"])
def test_a_prefix_with_characters_of_patterns_is_refused(prefix: str) -> None:
    with pytest.raises(ValueError, match="cannot be a prefix"):
        Keys(prefix)


@pytest.mark.parametrize("keys", [Keys(), Keys("{site}:")], ids=lambda keys: keys.prefix)
def test_keys_of_other_programs_and_sites_are_recognized(keys: Keys) -> None:
    assert keys.is_ours(keys.article(1))
    others = (
        " x celery cache: session:abc rq:job:1 {user}:b a\nuser:b Article:1 articles:1 article article:x article:1:2"
        " article:１ user:1:profile voted: voted:x group: good:x"
    )
    assert [key for key in others.split(" ") if keys.is_ours(keys.prefix + key)] == []
    assert not keys.is_ours("article:1" if keys.prefix else "{site}:article:1")


def test_an_articles_member_has_its_id() -> None:
    assert [article_of(f"article:{id}") for id in (1, 10**12)] == [1, 10**12]
    for member in (
        "",
        "1",
        "article:0012",
        "article",
        "article:",
        "article:x",
        "article:-1",
        "article:1:2",
        "article:²",
        "article:１",
        "user:1",
    ):
        assert article_of(member) is None


def test_only_the_letters_of_a_flag_are_visible_tags() -> None:
    flag = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
    for check in (line_of(20), text_of(20)):
        assert check(f"a {flag}{flag} b")
        assert not check(f"a {flag[1]}")
        assert not check(f"a {flag[:-1]}")
