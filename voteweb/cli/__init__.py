"""The command line ``voteweb``, for the operator of a site.

Exit status 0 on success; 1 with one line on standard error on failure; 2 for wrong usage; 130 after Ctrl-C.
"""

import os
import signal
import sys


def entry_point() -> None:
    """Run the command in the arguments and end the process."""
    # Nothing has to be stopped yet, and Python ignores an exception in some callbacks of imports.
    signal.signal(signal.SIGTERM, lambda number, _frame: os._exit(128 + number))
    try:
        # Imported here because loading takes long enough for a Ctrl-C.
        from voteweb.cli.main import voteweb

        # An exit by exception stops the embedded database, as Ctrl-C does; the web server replaces this handler.
        signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
        voteweb(prog_name="voteweb")
    except KeyboardInterrupt:
        raise SystemExit(130) from None
