"""A program that asks at a terminal."""

import os
import pty
import select
import subprocess
from collections.abc import Sequence
from contextlib import suppress

from tests.helpers import needs

#: Seconds for which a program may be silent.
PATIENCE = 60.0


def converse(command: Sequence[str], answers: Sequence[tuple[str, str]]) -> str:
    """Run *command* at a terminal of its own, answer each question when it comes, and return the whole output.

    Fails if a question does not come, or if the command fails.
    """
    try:
        terminal, its_end = pty.openpty()
    except OSError as error:
        needs(False, f"a pseudo-terminal: {error.strerror or error}")
        raise
    process = subprocess.Popen(command, stdin=its_end, stdout=its_end, stderr=its_end, start_new_session=True)
    os.close(its_end)
    output = ""
    try:
        for question, answer in answers:
            start = len(output)
            while question not in output[start:]:
                output += (text := _read(terminal))
                assert text, output
            os.write(terminal, f"{answer}\n".encode())
        while text := _read(terminal):
            output += text
        assert process.wait(PATIENCE) == 0, output
        return output
    finally:
        os.close(terminal)
        process.kill()
        process.wait()


def _read(terminal: int) -> str:
    """Return what the program writes next, nothing at its end."""
    assert select.select([terminal], [], [], PATIENCE)[0]
    with suppress(OSError):  # nobody has the other end any more
        return os.read(terminal, 10_000).decode(errors="replace")
    return ""
