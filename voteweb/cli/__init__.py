"""The command line ``voteweb``, for the operator of a site.

Exit status 0 on success; 1 with one line on standard error on failure; 2 for wrong usage; 130 after Ctrl-C.
"""

import os
import signal


def entry_point() -> None:
    """Run the command in the arguments and end the process."""
    # Nothing has to be stopped yet, and Python ignores an exception in some callbacks of imports.
    for number in (signal.SIGTERM, signal.SIGINT):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda number, _frame: os._exit(128 + number))
    try:
        # Imported here because loading takes long enough for a Ctrl-C.
        from voteweb.cli.main import voteweb
        from voteweb.cli.signals import STOP_SIGNALS

        STOP_SIGNALS.install()
        voteweb(prog_name="voteweb")
    except KeyboardInterrupt:
        raise SystemExit(130) from None
