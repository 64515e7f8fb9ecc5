"""The bot of docs/api.md posts what is new in a feed, once."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.site_process import SECRET, StartSite
from tests.web.api.examples import make_token
from voteweb.core.models import Right
from voteweb.core.settings import Settings
from voteweb.store import Store

DOCS = Path(__file__).parents[3] / "docs" / "api.md"
ITEM = "<item><title>{0}</title><link>https://lamps.example/{0}</link></item>"


def test_bot_posts_each_item_of_a_feed_once(
    settings: Settings, store: Store, start_site: StartSite, tmp_path: Path
) -> None:
    (bot,) = re.findall(r"```python\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    assert len([line for line in bot.splitlines() if line]) <= 21, "a bot of 20 lines"
    token = make_token(store, "ann", (Right.POST,))
    site, feed = start_site(**SECRET, VOTEWEB_REDIS_URL=settings.redis_url), tmp_path / "feed.xml"

    def run(*titles: str, token: str = token) -> subprocess.CompletedProcess[str]:
        feed.write_text(f"<rss><channel>{''.join(map(ITEM.format, titles))}</channel></rss>", "utf-8")
        environment = {**os.environ, "SITE": "http://{}:{}".format(*site.address), "TOKEN": token}
        command = [sys.executable, "-c", bot, feed.as_uri()]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    first = run("oil", "gas")
    assert (first.returncode, first.stdout.count("posted http")) == (0, 2), first.stderr
    again = run("led", "oil", "gas")
    assert again.returncode == 0, again.stderr
    articles = [store.read(store.articles.queue_get, id) for id in (1, 2, 3, 4)]
    assert [article and (article.title, article.by_program) for article in articles] == [
        ("oil", True), ("gas", True), ("led", True), None,
    ]  # fmt: skip
    refused = run("coal", token="vw_x.y")
    assert (refused.returncode, refused.stderr) == (1, "Try again in many seconds.\n")
