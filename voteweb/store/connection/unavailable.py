"""Which errors mean that the database is unavailable: a later attempt may succeed, and until then pages say so."""

import redis

from voteweb.core.errors import ConfigError, DataDamaged, StorageFull

#: Errors of a server that has not run the command: it has not our scripts, or not the keys.
NOT_RUN_ERRORS = (
    redis.exceptions.NoScriptError,
    redis.exceptions.ClusterDownError,
    redis.exceptions.TryAgainError,
    redis.exceptions.AskError,
)
#: Errors after which another server may be the primary. A node that the others of its cluster cannot reach says that
#: the cluster is down; a primary that was replaced while it hung, that its replicas are gone.
_LOST_PRIMARY_ERRORS = (
    redis.ConnectionError,
    redis.TimeoutError,
    redis.ReadOnlyError,
    redis.exceptions.ClusterDownError,  # also: a replica has lost its primary
)
#: Errors of a server that is gone, loading or failing over. The command has not run, or nobody knows whether it has.
_UNAVAILABLE_ERRORS = (
    *_LOST_PRIMARY_ERRORS,
    redis.InvalidResponse,
    redis.exceptions.NoScriptError,  # right after all scripts were loaded: the server has been restarted since
)
#: Error codes of a server that runs but cannot take the command now: a slow script is running, its replicas are gone,
#: or it ceased to be the primary.
_UNAVAILABLE_REPLIES = ("BUSY ", "NOREPLICAS ", "UNBLOCKED ", "WAIT cannot be used ")
#: The error of a server of a cluster that has a key no longer which a script builds.
_ELSEWHERE = "attempted to access a non local key"
#: Error codes of a server whose memory is full, or that cannot write to its disk: it refuses to write until an
#: operator acts.
_FULL_REPLIES = ("OOM ", "MISCONF ")
#: Errors about a value that a command or one of our scripts cannot compute with.
_NO_NUMBER = ("is no number", "is not an integer", "is not a valid float", "is not a float")


class BrokenData(DataDamaged, redis.ResponseError, code="damaged"):
    """A command met a key of another type or a value that is no number.

    Its text, for the operator, is what the server answered.
    """

    def __str__(self) -> str:
        return str(self.__cause__ or self.template)


class NotPermitted(ConfigError, redis.exceptions.NoPermissionError, code="config"):
    """The user of the database lacks a right."""

    template = (
        "The database does not allow its user what voteweb needs: %(problem)s. Give it the rights of "
        "deploy/redis/users.acl, for the keys of VOTEWEB_SITE."
    )


def check_unavailable(error: redis.RedisError, *, is_embedded: bool) -> None:
    """Raise what *error* means, unless the database is unavailable and a later attempt may succeed.

    An embedded server has no replicas: where it says that they are too few, its disk is full.
    """
    full = (*_FULL_REPLIES, "NOREPLICAS ") if is_embedded else _FULL_REPLIES
    if isinstance(error, redis.OutOfMemoryError) or _has_code(error, full):
        raise StorageFull from error
    if _has_code(error, ("WRONGTYPE ", *_NO_NUMBER)):
        raise BrokenData from error
    if isinstance(error, redis.exceptions.NoPermissionError) or _has_code(error, ("NOPERM ", "ACL failure ")):
        raise NotPermitted(problem=error) from error
    if not is_unavailable(error):
        raise error


def is_unavailable(error: Exception) -> bool:
    """Tell whether *error* means that the database is unavailable; any other error is a bug of ours."""
    is_known = isinstance(error, _UNAVAILABLE_ERRORS) or _has_code(error, _UNAVAILABLE_REPLIES)
    return is_known or is_elsewhere(error)


def is_elsewhere(error: Exception) -> bool:
    """Tell whether *error* means that some keys are on another node of a cluster: the slot moves, or has moved."""
    is_refusal = isinstance(error, redis.exceptions.TryAgainError | redis.exceptions.AskError)  # also MOVED
    return is_refusal or _has_code(error, (_ELSEWHERE,))


def may_be_replaced(error: Exception) -> bool:
    """Tell whether *error* may mean that another server is the primary now, which only a new connection finds out."""
    return isinstance(error, _LOST_PRIMARY_ERRORS) or _has_code(error, ("NOREPLICAS ",))


def _has_code(error: Exception, codes: tuple[str, ...]) -> bool:
    # In a pipeline redis-py puts the number and text of the command before the server's message.
    return isinstance(error, redis.ResponseError) and any(f" {code}" in f" {error} " for code in codes)
