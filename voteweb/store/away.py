"""What counts as a database that is away: it may be asked again, and until then pages say so."""

import redis

#: What a database that is gone, loading or failing over answers, or the way to it; nothing of the command has run,
#: or nobody knows whether it has.
_AWAY = (
    redis.ConnectionError,
    redis.TimeoutError,
    redis.ReadOnlyError,
    redis.OutOfMemoryError,
    redis.InvalidResponse,
    redis.exceptions.ClusterDownError,  # and that a replica has lost its primary
    redis.exceptions.TryAgainError,
    redis.exceptions.NoScriptError,  # right after all scripts were loaded: the server has been started again since
)
#: Words of a refusal by a database that is there, but cannot take the command now: a slow script runs, its disk is
#: full, its replicas are away, or it ceased to be the primary before or while it waited for them.
_UNABLE = ("BUSY ", "MISCONF ", "OOM ", "NOREPLICAS ", "UNBLOCKED ", "WAIT cannot be used ")


class Unconfirmed(redis.TimeoutError):
    """Too few replicas have said in time that they have what was written."""


def is_away(problem: Exception) -> bool:
    """Tell whether *problem* is a database's being away; anything else is a fault of ours."""
    if isinstance(problem, _AWAY):
        return True
    # In a pipeline redis-py puts the number and words of the command before the server's own.
    return isinstance(problem, redis.ResponseError) and any(f" {word}" in f" {problem} " for word in _UNABLE)
