"""The choice of the load generator: wrk where it is installed, else aiohttp."""

import shutil

from bench.load.measurement import LoadGenerator
from bench.load.wrk import Wrk

#: The names of the load generators, the fastest first.
GENERATOR_NAMES = ("wrk", "aiohttp")


def select_generator(name: str = "") -> LoadGenerator:
    """Return the load generator *name*, by default the fastest that is installed.

    Raises RuntimeError when wrk is asked for and not installed.
    """
    wrk_program = shutil.which("wrk")
    if name == "aiohttp" or (not name and not wrk_program):
        # aiohttp is only in the extra "bench", so that a run with wrk works without it.
        from bench.load.aiohttp_client import AiohttpClient

        return AiohttpClient()
    if not wrk_program:
        raise RuntimeError("wrk is not installed.")
    return Wrk(wrk_program)
