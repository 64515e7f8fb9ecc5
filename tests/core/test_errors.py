"""Errors: a complete message, a status and a unique code."""

from voteweb.core import errors
from voteweb.core.errors import VotewebError

#: A value for each placeholder of a message.
VALUES = {
    "names": "python", "name": "ann", "max": 5, "when": 1_456_789_012.5, "reason": "spam, twice.", "minutes": 10,
    "domain": "example.com", "why": "Spam.", "percent": 62, "problem": "no rights", "group": "go", "by": "ann",
    "right": "vote",
}  # fmt: skip


def subclasses(error_class: type[VotewebError] = VotewebError) -> list[type[VotewebError]]:
    """Return all classes of errors."""
    return [cls for direct in error_class.__subclasses__() for cls in (direct, *subclasses(direct))]


def test_message_is_a_sentence() -> None:
    messages = [str(cls(**VALUES)) for cls in subclasses() if cls.template]
    assert [message for message in messages if not message[0].isupper() or message[-1] != "." or "%(" in message] == []


def test_codes_are_unique() -> None:
    # Some have that of the class above, of which a script makes no difference.
    codes = [error.code for error in subclasses() if error.code != getattr(error.__base__, "code", "")]
    assert len(set(codes)) == len(codes)


def test_error_has_its_status_and_message() -> None:
    error = errors.NoSuchGroup(names="go, 100%(x)s")
    assert (error.status, str(error)) == (404, "There is no group named go, 100%(x)s.")
    assert str(errors.VotingClosed(when=1_456_789_012.9)) == "Voting closed on 2016-02-29 23:36 UTC."
