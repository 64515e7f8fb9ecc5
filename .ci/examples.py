"""Write the answers of voteweb/web/api/examples.json, on the sample site. `make examples` runs this."""

import json
import re
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from flask import Flask
from werkzeug.test import TestResponse

from voteweb.app import create_app
from voteweb.cli.sample import MODERATOR_NAME, import_sample
from voteweb.core.models import DomainAction, Draft, LogAction, LogEntry, Right
from voteweb.core.settings import Settings
from voteweb.core.validation import new_submission_token
from voteweb.embedded.database import open_database
from voteweb.search.files import IndexFolder
from voteweb.search.index import SearchIndex
from voteweb.search.indexer import Indexer
from voteweb.store import Store, open_store
from voteweb.store.accounts.programs import new_token
from voteweb.web.api.openapi import path_of
from voteweb.web.api.operations import OPERATIONS, Operation

FILE = Path(__file__).parent.parent / "voteweb/web/api/examples.json"
SITE = "https://news.example"
#: Parts of answers that are others each time: times, and where a list goes on.
PASSING = re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|(?<="next":")[^"]*|\b1\d{9}\b')


def fill(app: Flask, store: Store, folder: Path) -> None:
    """Make the site, which must be empty, that of the sample, with an article that waits, and an index in *folder*."""
    import_sample(store, store.context.settings, time.time())
    rule = LogEntry(LogAction.DOMAIN, MODERATOR_NAME, title="bells.example", why="A look first.")
    store.domain_rules.set("bells.example", DomainAction.HOLD, rule, actor=store.users.get(MODERATOR_NAME))
    draft = Draft("How a bell is tuned", "https://bells.example/tuning", "", ("history",))
    store.articles.post(draft, store.users.make("tinker", ""), new_submission_token())
    Indexer(IndexFolder(folder), store.search).catch_up()
    app.extensions["voteweb.search"] = SearchIndex(folder)


def ask(app: Flask, row: Operation, example: dict[str, Any], token: str, **options: Any) -> TestResponse:
    """Send the request of *example* to an operation."""
    parts = {name: quote(str(value), "", errors="surrogatepass") for name, value in example.get("parts", {}).items()}
    query = urlencode(example.get("query", {}), errors="surrogatepass")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    sent = {"query_string": query, "json": example.get("body"), "headers": headers, "base_url": SITE}
    return app.test_client().open(path_of(row).format(**parts), method=row.method, **sent | options)


def answers(app: Flask, store: Store, examples: dict[str, Any]) -> dict[str, Any]:
    """Return *examples* with the answers of the sample site, whose moderator's program asks in their order."""
    token, made = new_token(MODERATOR_NAME), {}
    store.programs.add(store.users.get(MODERATOR_NAME), token, "examples", list(Right), 1)
    rows = {row.name: row for row in OPERATIONS}
    for name, example in examples.items():
        row, asks = rows[name], {key: value for key, value in example.items() if key != "answer"}
        if name == "read_inbox":
            asks["body"] = {"until": made["get_inbox"]["answer"]["entries"][0]["id"]}
        response = ask(app, row, asks, token)
        if response.status_code != row.status:
            raise ValueError(f"{name}: {response.status_code} {response.text}")
        made[name] = {**asks, **({"answer": response.json} if response.data else {})}
    return made


def lasting(value: object) -> str:
    """Return the JSON of *value* without what is another each time."""
    return PASSING.sub("…", json.dumps(value, separators=(",", ":"), ensure_ascii=False))


def main() -> None:
    examples = json.loads(FILE.read_bytes())
    with tempfile.TemporaryDirectory(prefix="vw-") as folder, open_database(Settings(data_dir=folder)) as settings:
        settings = replace(settings, secret_key="x" * 32, limits=0, log="off")
        store = open_store(settings)
        app = create_app(settings, store)
        fill(app, store, settings.search_folder)
        made = answers(app, store, examples)
    for name, example in made.items():  # what was as true before stays
        if lasting(example) == lasting(examples[name]):
            made[name] = examples[name]
    FILE.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
