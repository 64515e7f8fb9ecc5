"""Rate limits of requests: counting them, and the refusal of one that exceeds a limit.

A form is counted before its fields are checked, so that many at once do not get around the limit. If it is sent back
with an error, that is refunded, and the form counts against the wider limit REFUSED_FORMS. It is refunded too if the
database took nothing of it.
"""

from collections.abc import Sequence
from contextlib import suppress
from math import ceil
from typing import NamedTuple

from flask import Response, g, request

from voteweb.core import config, rate_limits
from voteweb.core.caches import BoundedCache
from voteweb.core.errors import TooFast, Unavailable
from voteweb.core.names import name_key
from voteweb.core.rate_limits import PROGRAM, REFUSED_FORMS, Limit
from voteweb.store.connection.pipeline import Pipeline
from voteweb.store.site.rate_limits import RateLimitHit
from voteweb.web.base.context import now, store
from voteweb.web.monitoring import metrics


class CountedForm(NamedTuple):
    """A form that a limit counts; ``is_counted`` tells whether it has been counted before its fields are checked."""

    hit: RateLimitHit
    is_counted: bool

    @property
    def refused_hit(self) -> RateLimitHit:
        """The hit of the form if it is sent back with an error."""
        limit, owner = self.hit
        return REFUSED_FORMS, f"{limit.kind} {owner}"


class Refused(NamedTuple):
    """The refusal of a request, and the unix time until which others are refused too."""

    error: TooFast
    until: float


#: Each until its end: those that cost something are refused without asking the database.
refused: BoundedCache[RateLimitHit, Refused] = BoundedCache(config.HINT_CACHE_SIZE)


def member_hit(name: str) -> RateLimitHit | None:
    """Return the limit that counts this request as an act of the member *name*, None if there is none.

    ``g.other_limit`` replaces that of the view: a form can have a button that does something else.
    """
    other: Limit | None = g.get("other_limit")
    return (other, name_key(name)) if other else endpoint_hit(request.endpoint, request.method, name)


def endpoint_hit(endpoint: str | None, method: str, name: str) -> RateLimitHit | None:
    """Return the limit that counts a request to *endpoint* as an act of the member *name*, None if there is none."""
    limit = rate_limits.member_limit(endpoint, method)
    return (limit, name_key(name)) if limit else None


def queue_member_hit(pipeline: Pipeline, name: str) -> None:
    """Queue this request to be counted as an act of the member *name*, if it is limited."""
    rate_limit_hit = member_hit(name)
    if not rate_limit_hit or g.get("skips_member_hit"):
        return
    limit, _ = rate_limit_hit
    if limit.counts_refused:
        queue_hits(pipeline, rate_limit_hit)
        g.member_hit = rate_limit_hit
    else:
        _queue_form(pipeline, rate_limit_hit)


def queue_program_hit(pipeline: Pipeline, program: str) -> None:
    """Queue this request to be counted against the limit of the *program* whose token was sent."""
    counted = store().limits.queue_quota(pipeline, (PROGRAM, program))

    def read() -> None:
        refusal, g.program_quota = counted.result
        g.rate_limit_refusal = exceeded() or refusal

    pipeline.then(read)


def quota_headers() -> list[tuple[str, str]]:
    """Return what tells a program how many requests it may send; where a script has counted, only what its limit is."""
    whole, left = store().limits.quota(PROGRAM), g.get("program_quota")
    if not whole.acts:  # limits are off
        return []
    policy = "RateLimit-Policy", f'"{PROGRAM.kind}";q={whole.acts};w={whole.seconds}'
    return [policy, ("RateLimit", f'"{PROGRAM.kind}";r={left.acts};t={left.seconds}')] if left else [policy]


def _queue_form(pipeline: Pipeline, hit: RateLimitHit) -> None:
    """Queue a form to be counted against *hit*, and the check whether too many such forms had errors."""
    counted = store().limits.queue_hit(pipeline, [hit])
    refused = store().limits.queue_check(pipeline, CountedForm(hit, True).refused_hit)

    def read() -> None:
        g.rate_limit_refusal = refused.result or counted.result
        g.counted_form = CountedForm(hit, is_counted=counted.result is None)

    pipeline.then(read)


def check_form(*limits: Limit) -> None:
    """Ask whether *limits*, all by address or network, would accept this form, before its fields are checked."""
    hits = address_hits(*limits)
    if not hits or g.get("skips_member_hit"):
        return
    form = CountedForm(hits[0], is_counted=False)
    g.rate_limit_refusal = store().read(store().limits.queue_check, *hits, form.refused_hit)
    g.counted_form = form


def count_refused_form(status: int) -> None:
    """Refund a form of which nothing was saved, and count one that is sent back with an error as its *status* says."""
    form: CountedForm | None = g.get("counted_form")
    # The owner of a cookie whose session has ended must not use up the member's limits.
    is_anybodys = g.get("viewer") is None
    with suppress(Unavailable):  # the answer is ready, and the form was counted once
        if "member_hit" in g and is_anybodys and exceeded() is None:
            store().limits.refund([g.member_hit])
        if form and form.is_counted and (is_anybodys or 400 <= status < 500 or "nothing_saved" in g):
            store().limits.refund([form.hit])
        if form and not (form.is_counted and is_anybodys) and 400 <= status < 500 and exceeded() is None:
            store().limits.hit([form.refused_hit])


def add_retry_after(response: Response) -> None:
    """Tell when to try again, and count that in the metrics, if *response* is the refusal of a limit."""
    refusal = exceeded()
    if refusal is not None and response.status_code == refusal.status:
        response.headers["Retry-After"] = str(refusal.values["wait"])
        metrics.REFUSALS.labels(refusal.values["kind"]).inc()


def skip_member_hit() -> None:
    """Do not count this request as an act of the member, when the page about its refusal loads them."""
    g.skips_member_hit = True


def queue_hits(pipeline: Pipeline, *hits: RateLimitHit) -> None:
    """Queue an act to be counted against *hits*; afterwards :func:`exceeded` returns the refusal."""
    refusal = store().limits.queue_hit(pipeline, hits)

    def read() -> None:
        g.rate_limit_refusal = refusal.result

    pipeline.then(read)


def hit(*hits: RateLimitHit, reads: Pipeline | None = None) -> None:
    """Count an act against all *hits*; raise TooFast, and count nothing, when one of the limits is exceeded.

    What is queued on *reads* is read in the same round trip.
    """
    pipeline = reads or store().pipeline()
    queue_hits(pipeline, *hits)
    pipeline.execute()
    check_counted(hits)


def check_counted(hits: Sequence[RateLimitHit]) -> None:
    """Raise TooFast, which this process remembers, if this request, which was counted against *hits*, was refused."""
    refusal = exceeded()
    if refusal and hits:
        exceeded_hit = next((hit for hit in hits if hit[0].kind == refusal.values["kind"]), hits[0])
        refused.put(exceeded_hit, Refused(refusal, now() + refusal.values["wait"]))
        raise refusal


def check_not_refused(hits: Sequence[RateLimitHit]) -> None:
    """Raise TooFast if this process knows that *hits* would be refused."""
    for known in filter(None, map(refused.get, hits)):
        if known.until > now():
            raise TooFast(known.error.template, **known.error.values | {"wait": ceil(known.until - now())})


def sign_up_network() -> str:
    """Return the network of this request's client, whose sign-ups moderators see together."""
    return rate_limits.wide_network(request.remote_addr)


def record_exceeded(refusal: TooFast) -> None:
    """Record that a limit counted elsewhere has refused this request, which then counts against no other."""
    g.rate_limit_refusal = refusal
    skip_member_hit()


def record_nothing_saved() -> None:
    """Record that the database refused this request before its first write."""
    g.nothing_saved = True


def exceeded() -> TooFast | None:
    """Return the refusal of this request by a limit, or None."""
    refusal: TooFast | None = g.get("rate_limit_refusal")
    return refusal


def combination_hits() -> list[RateLimitHit]:
    """Return the limits that count this request if it combines groups anew."""
    return address_hits(rate_limits.COMBINE)


def address_hits(*limits: Limit) -> list[RateLimitHit]:
    """Return those of *limits*, all by address or network, that count this request, with the network they count.

    With one by address goes that of the IPv6 /48 around it. No limit counts a client without an address.
    """
    wide = (rate_limits.WIDE_LIMITS.get(limit.kind) for limit in limits)
    networks = ((limit, rate_limits.network(request.remote_addr, limit.scope)) for limit in (*limits, *wide) if limit)
    return [(limit, network) for limit, network in networks if network is not None]
