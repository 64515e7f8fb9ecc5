"""Programs at a terminal: one that asks, and one that draws a screen."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence
from contextlib import suppress

from tests.helpers import needs

#: Seconds for which a program may be silent.
PATIENCE = 60.0
#: Seconds of silence after which a screen has been drawn, as far as one can tell: whoever reads it tries again.
SILENCE = 0.1


class Terminal:
    """A program at a terminal of its own, which is as high as its pages; *env* replaces the environment."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str] | None = None) -> None:
        try:
            self._terminal, its_end = pty.openpty()
        except OSError as error:
            needs(False, f"a pseudo-terminal: {error.strerror or error}")
            raise
        fcntl.ioctl(its_end, termios.TIOCSWINSZ, struct.pack("HHHH", 200, 100, 0, 0))
        self.process = subprocess.Popen(
            command, stdin=its_end, stdout=its_end, stderr=its_end, start_new_session=True, env=env
        )
        os.close(its_end)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._terminal)
        self.process.kill()
        self.process.wait()

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def read(self) -> str:
        """Return what the program writes next, nothing at its end."""
        assert select.select([self._terminal], [], [], PATIENCE)[0]
        with suppress(OSError):  # nobody has the other end any more
            return os.read(self._terminal, 10_000).decode(errors="replace")
        return ""

    def screen(self) -> str:
        """Return the words on the screen, which the program draws anew, one blank between each two."""
        self.type("\f")
        drawn = ""
        while select.select([self._terminal], [], [], SILENCE)[0] and (text := self.read()):
            drawn += text
        return " ".join(re.sub(r"\x1b[\[(][0-9;?]*[A-Za-z]|[\x00-\x1f]", " ", drawn).split())


def converse(command: Sequence[str], answers: Sequence[tuple[str, str]]) -> str:
    """Run *command* at a terminal of its own, answer each question when it comes, and return the whole output.

    Fails if a question does not come, or if the command fails.
    """
    with Terminal(command) as terminal:
        output = ""
        for question, answer in answers:
            start = len(output)
            while question not in output[start:]:
                output += (text := terminal.read())
                assert text, output
            terminal.type(f"{answer}\n")
        while text := terminal.read():
            output += text
        assert terminal.process.wait(PATIENCE) == 0, output
        return output
