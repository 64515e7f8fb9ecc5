"""The book's program as a small site, on the same server and with the same sessions as voteweb."""

import os

import flask_login
import redis
from flask import Flask, redirect
from flask.typing import ResponseReturnValue

from bench.apps.baselines import flask_with_login
from bench.apps.book import Book
from bench.constants import DATABASE_URL

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Articles</title></head><body><ol>
{% for row in rows %}
<li><form method="post" action="/a/{{ row.id.partition(':')[2] }}/vote"><button>{{ row.votes }}</button></form>
<a href="{{ row.link }}">{{ row.title }}</a> by {{ row.poster }} at {{ row.time }}</li>
{% endfor %}
</ol></body></html>
"""


def create_app() -> Flask:
    """Return the site with its front page, its group pages and its votes."""
    app = flask_with_login()
    book = Book(redis.Redis.from_url(os.environ[DATABASE_URL], decode_responses=True))
    page = app.jinja_env.from_string(PAGE)

    @app.get("/page")
    def front_page() -> str:
        return page.render(rows=book.get_articles(1))

    @app.get("/g/<group>")
    def group_page(group: str) -> str:
        return page.render(rows=book.get_group_articles(group, 1))

    @app.post("/a/<int:id>/vote")
    def vote(id: int) -> ResponseReturnValue:
        book.article_vote(f"user:{flask_login.current_user.get_id()}", f"article:{id}")
        return redirect("/", 303)

    return app
