"""Rate limits of requests: counting them, and the refusal of one that exceeds a limit."""

from flask import Flask, Response, g, request

from voteweb.core import rate_limits
from voteweb.core.errors import TooFast
from voteweb.core.rate_limits import Limit
from voteweb.store.connection.pipeline import Pipeline
from voteweb.store.rate_limits import RateLimitHit
from voteweb.web.context import store
from voteweb.web.monitoring import metrics


def init_app(app: Flask) -> None:
    """Add Retry-After to every refusal by a limit, and count it in the metrics."""

    @app.after_request
    def add_retry_after(response: Response) -> Response:
        refusal = exceeded()
        if refusal is not None and response.status_code == refusal.status:
            response.headers["Retry-After"] = str(refusal.values["wait"])
            metrics.count_refusal(refusal.values["kind"])
        return response


def member_hit(name: str) -> RateLimitHit | None:
    """Return the limit that counts this request as an act of the member *name*, None if there is none."""
    limit = rate_limits.member_limit(request.endpoint, request.method)
    return (limit, name.lower()) if limit else None


def queue_member_hit(pipeline: Pipeline, name: str) -> None:
    """Queue this request to be counted as an act of the member *name*, if it is limited."""
    rate_limit_hit = member_hit(name)
    if rate_limit_hit:
        queue_hits(pipeline, rate_limit_hit)


def queue_hits(pipeline: Pipeline, *hits: RateLimitHit) -> None:
    """Queue an act to be counted against *hits*; afterwards :func:`exceeded` returns the refusal."""
    refusal = store().rate_limits.queue_hit(pipeline, hits)

    def read(_: list[object]) -> None:
        g.rate_limit_refusal = refusal.result

    pipeline.queue([], read)


def hit(limit: Limit, owner: str) -> None:
    """Count an act of *owner* against *limit*; raise TooFast, and count nothing, when it is exceeded."""
    pipeline = store().pipeline()
    queue_hits(pipeline, (limit, owner))
    pipeline.execute()
    refusal = exceeded()
    if refusal is not None:
        raise refusal


def record_exceeded(refusal: TooFast) -> None:
    """Record that a limit counted elsewhere has refused this request."""
    g.rate_limit_refusal = refusal


def exceeded() -> TooFast | None:
    """Return the refusal of this request by a limit, or None."""
    refusal: TooFast | None = g.get("rate_limit_refusal")
    return refusal


def client_network() -> str:
    """Return the network that this request comes from, which limits by address count."""
    return rate_limits.network(request.remote_addr)
