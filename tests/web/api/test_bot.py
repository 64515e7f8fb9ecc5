"""The programs of docs/api.md: a bot posts what is new in a feed, once; others read a group and decide what waits."""

import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

from tests import factories
from tests.site_process import SECRET, StartSite
from tests.web.api.examples import make_token
from tests.web.api.program import Programs
from voteweb.core.config import LINK_SECONDS
from voteweb.core.models import DomainAction, LogAction, LogEntry, Right, Role
from voteweb.core.settings import Settings
from voteweb.store import Store

TEXT = (Path(__file__).parents[3] / "docs" / "api.md").read_text("utf-8")
READER, MODERATOR, BOT = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_examples_read_all_pages_and_publish_what_waits(
    programs: Programs, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(101):
        factories.article(store, title=f"Title {number}", link="", text="Text.", groups=("history",))
    mod = programs["mod"]
    names = {"get": mod.get, "quote": quote}
    exec(READER, names)
    assert capsys.readouterr().out.split("\n")[:-1] == [f"Title {number}" for number in reversed(range(101))]
    exec(MODERATOR, {**names, "post": lambda path, body: mod.send(f"POST {path}", body)})
    assert mod.get("/queue")["held"] == []


def test_bot_posts_each_item_once_and_passes_over_refused_ones(
    settings: Settings, store: Store, start_site: StartSite, tmp_path: Path
) -> None:
    assert f"for {LINK_SECONDS // 86_400} days the site does" in TEXT
    assert len([line for line in BOT.splitlines() if line]) <= 21, "a bot of 20 lines"
    token, mod = make_token(store, "ann", (Right.POST,)), factories.user(store, "mod", Role.MODERATOR)
    rule = LogEntry(LogAction.DOMAIN, "mod", title="spam.example", why="Spam.")
    store.domain_rules.set("spam.example", DomainAction.REFUSE, rule, actor=mod)
    store.articles.post(factories.draft(link="https://lamps.example/other"), mod, factories.token())
    feed = tmp_path / "feed.xml"
    url = "http://{}:{}".format(*start_site(**SECRET, VOTEWEB_REDIS_URL=settings.redis_url).address)

    def run(*titles: str, token: str = token) -> tuple[int, str, list[str]]:
        items = (title.partition("@")[::2] for title in titles)
        rows = (f"<item><title>{name}</title><link>{link or links(name)}</link></item>" for name, link in items)
        feed.write_text(f"<rss><channel>{''.join(rows)}</channel></rss>", "utf-8")
        environment = {**os.environ, "SITE": url, "TOKEN": token}
        command = [sys.executable, "-c", BOT, feed.as_uri()]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr, done.stdout.splitlines()

    def links(name: str) -> str:
        return f"https://lamps.example/{name}"

    refused = ("spam@https://spam.example/", "x", "other")
    status, error, lines = run("oil", *refused, "gas")
    assert (status, error) == (0, "")
    assert [line.partition(" ")[0] for line in lines] == [
        "posted", "https://spam.example/", links("x"), links("other"), "posted",
    ]  # fmt: skip
    status, error, lines = run("led", "oil", f"corrected@{links('gas')}")
    assert (status, error) == (0, "")
    assert [line.rpartition(" http")[0] or line for line in lines] == [
        "posted", "sent before", f"{links('gas')} was posted before",
    ]  # fmt: skip
    articles = [store.read(store.articles.queue_get, id) for id in range(2, 10)]
    assert [(article.title, article.by_program) for article in articles if article] == [
        ("oil", True), ("gas", True), ("led", True),
    ]  # fmt: skip
    for other in ("vw_x.y", make_token(store, "bob", (Right.READ,))):
        status, error, lines = run("coal", "wood", token=other)
        assert (status, error, len(lines)) == (1, "Nothing more was sent.\n", 1)
    status, error, lines = run(*map(str, range(100, 125)))
    assert (status, error[:13], 1 < len(lines) < 25) == (1, "Try again in ", True)
