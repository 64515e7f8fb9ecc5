"""A program that reads, with a token or without."""

import re
from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

from tests import factories
from voteweb.core.models import Right, User
from voteweb.store import Store
from voteweb.store.accounts.programs import new_token


class Program:
    """A program with these *rights* for *member*, or one without a token if that is None."""

    def __init__(self, app: Flask, member: User | None = None, *rights: Right) -> None:
        self._client = app.test_client(use_cookies=False)
        self.headers: dict[str, str] = {}
        if member:
            store: Store = app.extensions["voteweb.store"]
            token = new_token(member.name)
            store.programs.add(member, token, "A program", rights, 30)
            self.headers = {"Authorization": f"Bearer {token}"}

    def send(self, method: str, path: str, **options: Any) -> TestResponse:
        """Send a request for *path* below the address of the API."""
        headers = self.headers | options.pop("headers", {})
        return self._client.open(f"/api/v1{path}", method=method, headers=headers, buffered=True, **options)

    def get(self, path: str, status: int = 200) -> Any:
        """Return what the operation answers, which must have this *status*."""
        response = self.send("GET", path)
        assert response.status_code == status, response.text
        return response.json

    def pages(self, path: str, name: str) -> list[Any]:
        """Return the lists *name* of all pages from *path* on, by the links to the next one."""
        lists = []
        while path:
            response = self.send("GET", path)
            assert response.status_code == 200, response.text
            lists.append((response.json or {})[name])
            path = next_of(response)
        return lists


def next_of(response: TestResponse) -> str:
    """Return the path of the next page, "" on the last."""
    match = re.fullmatch('</api/v1(.*)>; rel="next"', response.headers.get("Link", ""))
    return match[1] if match else ""


def ids(rows: Any) -> list[int]:
    """Return the ids of articles, or the numbers of comments."""
    return [row.get("id") or row["number"] for row in rows]


def everywhere(store: Store, count: int = 30) -> None:
    """Post articles by ann in two groups, and import one that is good."""
    for number in range(count):
        factories.article(store, title=f"Article {number}", groups=("python", "redis"))
    factories.imported(store, title="A good one", votes=300, groups=("python",), link="https://example.com/good")
