"""Tokens of programs: who sends a request to the API, by its header Authorization (RFC 6750)."""

from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, NoReturn

from flask import g, has_request_context, request

from voteweb.core import config
from voteweb.core.caches import BoundedCache
from voteweb.core.errors import BadToken, Held, NoRight, ProgramsOff, TokenNeeded, Unavailable
from voteweb.core.models import Program, Right, User, Voter
from voteweb.core.permissions import may_moderate
from voteweb.core.rate_limits import BAD_TOKEN, PROGRAM
from voteweb.core.site_switches import SwitchName
from voteweb.store.accounts.programs import split_token
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


def has_token(environ: "WSGIEnvironment") -> bool:
    """Tell whether a request has what may be a token; whether it is one, :func:`authenticate` asks."""
    scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    return scheme.lower() == "bearer" and bool(split_token(token.strip())[1])


def authenticate(right: Right | None) -> None:
    """Set who this request acts for, nobody without a token; what it asks for needs *right*, none if that is None.

    Raises ProgramsOff, BadToken, and TooFast after too many of these.
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
        if voter:
            _known.put(_key(header), voter)
    if voter is None or voter.call is None:
        refuse()
    if right and right not in voter.call.rights:
        rate_limits.skip_member_hit()  # else a token that may only read would use up the limits of its member
    g.voter = replace(voter, call=voter.call._replace(right=right or Right.READ))


def set_key(once: str, sent: bytes) -> None:
    """Set the Idempotency-Key *once* of this request of a program, with which it has *sent* this."""
    voter = require_token()
    if voter.call:
        key, body = digest(f"{voter.call.program} {once}"), digest(sha256(sent).hexdigest())
        g.voter = replace(voter, call=voter.call._replace(once=key, body=body))
        store().connection.on_sent_before = _note_replay


def _note_replay() -> None:
    """Note that what this request asks for was done before, with the same Idempotency-Key."""
    if has_request_context():  # background work shares the connection
        g.is_replayed = True


def refuse() -> NoReturn:
    """Refuse the token of this request, which is not valid, or no longer; count that by address."""
    key, hits = _key(request.headers.get("Authorization", "")), rate_limits.address_hits(BAD_TOKEN)
    if _known.get(key):  # wrong tokens must not displace others
        _known.put(key, None)
    rate_limits.check_not_refused(hits)
    rate_limits.hit(*hits)
    raise BadToken()


def require_token() -> Voter:
    """Return whose token was sent, which may have ended; raise TokenNeeded if none was."""
    voter: Voter | None = g.voter
    if voter is None:
        raise TokenNeeded()
    return voter


def require_right(user: User | None, right: Right) -> User:
    """Return *user*, whose program has *right*; raises TokenNeeded, BadToken, Held, NoRight, TooFast."""
    require_token()
    member, program = _check(user)
    if right not in program.rights:
        raise NoRight(right=right)
    return member


def allow_all(user: User | None) -> User | None:
    """Return *user* if their program may read what only they see; without a token, or that right, it is a reader's.

    Raises BadToken, Held and TooFast.
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
    if user.held:
        raise Held()
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
