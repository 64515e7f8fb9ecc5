"""Signatures that tell when they were made, by the clock that all machines of a site share."""

from itsdangerous import TimestampSigner

from voteweb.core import clock


class Signer(TimestampSigner):
    """A signer that goes by the database's time."""

    def get_timestamp(self) -> int:
        """Return the unix time in whole seconds."""
        return int(clock.now())
