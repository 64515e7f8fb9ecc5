"""Tokens of programs: who sends a request to the API, by its header Authorization (RFC 6750)."""

from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, NoReturn

from flask import g, has_request_context, request

from voteweb.core import config
from voteweb.core.caches import BoundedCache
from voteweb.core.errors import BadToken, NoRight, ProgramsOff, TokenNeeded, Unavailable
from voteweb.core.models import Program, ProgramCall, Right, User, Voter
from voteweb.core.permissions import may_moderate
from voteweb.core.rate_limits import BAD_TOKEN, PROGRAM
from voteweb.core.site_switches import SwitchName
from voteweb.store.accounts.sessions import digest
from voteweb.store.site.rate_limits import RateLimitHit
from voteweb.web.auth.login import treat_as_reader, viewer_read
from voteweb.web.base.context import now, store
from voteweb.web.requests import rate_limits, site_switches

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

#: Whose program has sent each of these headers last, so that a vote takes one round trip: scripts check it anew.
_known: BoundedCache[str, Voter | None] = BoundedCache(config.HINT_CACHE_SIZE)
#: When this process has noted last that each program is used.
_noted: BoundedCache[str, float] = BoundedCache(config.HINT_CACHE_SIZE)


def known_voter(environ: "WSGIEnvironment") -> Voter | None:
    """Return, without a round trip, whose token a request has, as far as this process knows."""
    header = environ.get("HTTP_AUTHORIZATION", "")
    return _known.get(_key(header)) if header else None


def _key(header: str) -> str:
    return sha256(header.encode("utf-8", "replace")).hexdigest()


def authenticate(right: Right, once: str = "", body: bytes = b"") -> None:
    """Set who this request acts for, nobody without a token; what it asks for needs *right*.

    *once* is its Idempotency-Key, which was sent with *body*. Raises ProgramsOff, BadToken, and TooFast after too many
    of these.
    """
    header = request.headers.get("Authorization", "")
    g.voter = None
    if not header:
        return
    scheme, _, token = header.partition(" ")
    if SwitchName.PROGRAMS in site_switches.current():
        raise ProgramsOff
    voter = _known.get(_key(header))
    if voter is None and scheme.lower() == "bearer":
        voter = store().read(store().programs.queue_find_voter, token.strip())
    if voter is None:
        refuse()
    program = digest(voter.token)
    key, sent = (digest(f"{program} {once}"), digest(sha256(body).hexdigest())) if once else ("", "")
    if once:
        store().connection.on_sent_before = _note_replay
    g.voter = replace(voter, call=ProgramCall(program, right, key, sent))
    if not voter.call:
        _known.put(_key(header), replace(voter, call=ProgramCall(program, Right.READ)))


def _note_replay() -> None:
    """Note that what this request asks for was done before, with the same Idempotency-Key."""
    if has_request_context():  # background work shares the connection
        g.is_replayed = True


def refuse() -> NoReturn:
    """Refuse the token of this request, which is not valid, or no longer; count that by address."""
    _known.put(_key(request.headers.get("Authorization", "")), None)
    rate_limits.hit(*rate_limits.address_hits(BAD_TOKEN))
    raise BadToken()


def require_token() -> Voter:
    """Return whose token was sent, which may have ended; raise TokenNeeded if none was."""
    voter: Voter | None = g.voter
    if voter is None:
        raise TokenNeeded()
    return voter


def require_right(user: User | None, right: Right) -> User:
    """Return *user*, whose program has *right*; raises TokenNeeded, BadToken, NoRight, and TooFast as forms do."""
    require_token()
    member, program = _check(user)
    if right not in program.rights:
        raise NoRight(right=right)
    return member


def allow_all(user: User | None) -> User | None:
    """Return *user* if their program may read what only they see; without a token, or that right, it is a reader's.

    Raises BadToken and TooFast.
    """
    if g.voter is not None and Right.READ in _check(user)[1].rights:
        return user
    treat_as_reader()
    return None


def _check(user: User | None) -> tuple[User, Program]:
    program = viewer_read().program
    if user is None or program is None:
        refuse()
    refusal = rate_limits.exceeded()
    if refusal is not None:
        raise refusal
    return user, program


def lacks_role() -> bool:
    """Tell whether the member of this request has a role that their program has no right to use."""
    read = viewer_read()
    return bool(read.program and Right.MODERATE not in read.program.rights and may_moderate(read.member))


def program_hits() -> list[RateLimitHit]:
    """Return the limits that count this request by its token."""
    voter: Voter | None = g.get("voter")
    return [(PROGRAM, voter.call.program)] if voter and voter.call else []


def note_use() -> None:
    """Note, once a day, that the program of this request is used."""
    voter: Voter | None = g.voter
    if (
        voter is None
        or voter.call is None
        or now() < (_noted.get(voter.call.program) or 0) + config.SESSION_USE_SECONDS
    ):
        return
    with suppress(Unavailable):  # what was asked for has been done
        store().programs.note_use(voter.name, voter.call.program)
        _noted.put(voter.call.program, now())
