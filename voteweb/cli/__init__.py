"""The command ``voteweb``: for the person who runs a site.

Exit status 0; 1 with one line on stderr for any failure; 2 for wrong usage; 130 after Ctrl-C.
"""

import signal
from typing import NoReturn


def entry_point() -> None:
    """Run the command in the arguments and end the process."""
    # Unwinding stops the embedded database, as Ctrl-C does; the web server sets its own way to stop.
    signal.signal(signal.SIGTERM, _end)
    try:
        # Loading takes long enough for somebody to change their mind.
        from voteweb.cli.main import voteweb

        voteweb(prog_name="voteweb")
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _end(number: int, _frame: object) -> NoReturn:
    raise SystemExit(128 + number)
