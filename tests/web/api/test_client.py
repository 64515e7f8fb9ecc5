"""A client that openapi-python-client makes from the description does what people do, and is refused as they are."""

import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests import factories
from tests.helpers import needs, until
from tests.site_process import SECRET, StartSite
from tests.web.api.examples import make_token
from tests.web.browser import Browser
from voteweb.core.models import Right, Role
from voteweb.core.settings import Settings
from voteweb.store import Store
from voteweb.web.api.openapi import document, subject_of
from voteweb.web.api.operations import OPERATIONS

#: Calls an operation: its name, the program that asks, the status that is expected, and what the operation takes.
Call = Callable[..., Any]


@pytest.fixture
def call(
    tmp_path: Path, settings: Settings, store: Store, start_site: StartSite, monkeypatch: pytest.MonkeyPatch
) -> Call:
    """A function that calls an operation of a site by the generated client."""
    needs(find_spec("openapi_python_client"), "the extra api")
    (tmp_path / "openapi.json").write_bytes(document(with_comments=True))
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")  # it calls ruff
    options = "--path openapi.json --output-path made_client --meta none --fail-on-warning"
    subprocess.run(["openapi-python-client", "generate", *options.split()], cwd=tmp_path, check=True)
    monkeypatch.syspath_prepend(tmp_path)
    client, models = import_module("made_client.client"), import_module("made_client.models")
    environ = {"VOTEWEB_REDIS_URL": settings.redis_url, "VOTEWEB_SEARCH": "1", "VOTEWEB_DATA_DIR": str(tmp_path)}
    url = "http://{}:{}".format(*start_site(**SECRET, **environ).address)
    rows = {row.name: row for row in OPERATIONS}

    def call(name: str, token: str, status: int = 200, body: dict[str, Any] | None = None, **takes: Any) -> Any:
        row = rows[name]
        operation = import_module(f"made_client.api.{subject_of(row)}.{name}")
        if row.body:
            takes["body"] = getattr(models, row.body.__name__).from_dict(body or {})
        with client.AuthenticatedClient(base_url=url, token=token, raise_on_unexpected_status=True) as program:
            response = operation.sync_detailed(client=program, **takes)
        assert response.status_code == status, response.content
        return response.parsed

    return call


@pytest.mark.heavy
def test_generated_client_goes_through_a_day(call: Call, store: Store, ann: Browser, mod: Browser) -> None:
    factories.group(store, "history")
    rights = (Right.READ, Right.OWN, Right.VOTE, Right.POST)
    poster, other = (make_token(store, name, rights) for name in ("ann", "bob"))
    moderator = make_token(store, "mod", (Right.READ, Right.MODERATE), Role.MODERATOR)
    words = {"title": "Lighthouses that burn oil", "link": "https://lamps.example/oil", "groups": ["history"]}

    article = call("post_article", poster, 201, words)
    refusal = call("post_article", poster, 409, words)
    form = ann.fill_in("/submit", title=words["title"], link=words["link"])
    assert refusal.code == "duplicate"
    assert refusal.detail in form.main
    edited = call("edit_article", poster, body={"revision": article.revision, "text": "All of them."}, id=article.id)
    stale = call("edit_article", poster, 409, {"revision": article.revision, "text": ""}, id=article.id)
    assert stale.revision == edited.revision
    assert [row.id for row in call("list_articles", other, group="history").articles] == [article.id]

    assert call("vote", other, id=article.id).votes == 2
    assert call("vote", moderator, 403, id=article.id).code == "no-right"
    call("save", other, 204, id=article.id)
    assert [row.own.saved for row in call("get_saved", other).articles] == [True]

    comment = call("write_comment", other, 201, {"text": "One is *missing*."}, id=article.id)
    call("edit_comment", other, body={"text": "One is missing."}, id=article.id, number=comment.number)
    assert call("vote_for_comment", poster, id=article.id, number=comment.number).votes == 1
    assert call("vote_for_comment", other, 409, id=article.id, number=comment.number).code == "comment-own-vote"
    assert [row.text for row in call("list_comments", other, id=article.id).comments] == ["One is missing."]
    (entry,) = (entry for entry in call("get_inbox", poster).entries if entry.kind.value != "account")
    call("read_inbox", poster, 204, {"until": entry.id})
    until(lambda: call("search", other, q="lighthouses").articles)

    call("report_article", other, 204, {"reason": "spam"}, id=article.id)
    assert call("report_article", other, 409, {"reason": "spam"}, id=article.id).code == "already-reported"
    queue = call("get_queue", moderator)
    assert [report.article.id for report in queue.reports] == [article.id]
    call("remove_article", moderator, 204, {"reason": "Spam.", "seen": queue.seen}, id=article.id)
    assert call("dismiss_article", moderator, 409, {"seen": queue.seen}, id=article.id).code == "reports-settled"
    assert call("get_article", other, 410, id=article.id).code == "article-gone"
    call("restore_article", moderator, 204, {"seen": call("get_queue", moderator).seen}, id=article.id)
    call("delete_comment", other, 204, id=article.id, number=comment.number)
    call("get_queue", poster, 403)
