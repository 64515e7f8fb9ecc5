"""The site about itself: how ranking works here, and whether all is well."""

from flask import Blueprint, jsonify, render_template
from flask.typing import ResponseReturnValue

from voteweb.errors import Unavailable
from voteweb.login import store

blueprint = Blueprint("status", __name__)


@blueprint.get("/about")
def about() -> str:
    """Explain the site and its ranking, with its own numbers."""
    return render_template("status/about.html")


@blueprint.get("/healthz")
def health() -> ResponseReturnValue:
    """Say whether the site can work: 200 when Redis answers, 503 when it does not."""
    try:
        store().connection.ping()
    except Unavailable as problem:
        answer = jsonify(status="down", reasons=["Redis does not answer"])
        return answer, problem.status, {"Retry-After": str(problem.retry_after)}
    return jsonify(status="ok", reasons=[])
