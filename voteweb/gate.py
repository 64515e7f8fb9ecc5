"""How often: counts what is sent against the limits, and says until when one that is used up refuses."""

from flask import Flask, Response, g, request

from voteweb import counting, limits
from voteweb.current import store
from voteweb.errors import TooFast
from voteweb.limits import Limit
from voteweb.store.trip import Trip


def init_app(app: Flask) -> None:
    """Let *app* say when to come back wherever a limit has refused, and count that it has."""

    @app.after_request
    def add(response: Response) -> Response:
        refusal = excess()
        if refusal is not None and response.status_code == refusal.status:
            response.headers["Retry-After"] = str(refusal.values["wait"])
            counting.limit(refusal.values["kind"])
        return response


def of_member(name: str) -> tuple[Limit, str] | None:
    """Return what this request counts against as an act of the member *name*, None where nothing limits it."""
    limit = limits.of_member(request.endpoint, request.method)
    return (limit, name.lower()) if limit else None


def ask_member(trip: Trip, name: str) -> None:
    """Queue this request to be counted as an act of the member *name*, if it is one that is limited."""
    charge = of_member(name)
    if charge:
        ask(trip, charge)


def ask(trip: Trip, *charges: tuple[Limit, str]) -> None:
    """Queue an act to be counted against *charges*; when the trip has gone, :func:`excess` is the refusal."""
    asked = store().limits.ask(trip, charges)

    def read(_: list[object]) -> None:
        g.excess = asked.value

    trip.ask([], read)


def charge(limit: Limit, whose: str) -> None:
    """Count an act against *limit*; raise TooFast, and count nothing, when it is used up."""
    trip = store().trip()
    ask(trip, (limit, whose))
    trip.go()
    refusal = excess()
    if refusal is not None:
        raise refusal


def met(refusal: TooFast) -> None:
    """Note that this request has met the *refusal* of a limit that was counted elsewhere."""
    g.excess = refusal


def excess() -> TooFast | None:
    """Return the refusal of a limit that this request has met, or None."""
    refusal: TooFast | None = g.get("excess")
    return refusal


def address() -> str:
    """Return what stands for the address that this request comes from."""
    return limits.network(request.remote_addr)
