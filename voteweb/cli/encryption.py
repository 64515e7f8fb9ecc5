"""Encryption of backups by the programs age and gpg, which are not part of voteweb."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, cast

from voteweb.cli.environment import without_settings
from voteweb.core.errors import ConfigError

#: Beginnings of public keys that age takes as they are.
_AGE_KEYS = ("age1", "ssh-ed25519 ", "ssh-rsa ")
#: Beginnings of files that gpg has written: its text format, or the first byte of an encrypted message.
_GPG_STARTS = (b"-----BEGIN PGP MESSAGE", b"\x84", b"\x85", b"\x86", b"\xc1")
_AGE_STARTS = (b"age-encryption.org/", b"-----BEGIN AGE ENCRYPTED FILE")
#: Bytes of a file that are read to see which program has made it.
MAX_START_BYTES = 4_096


class Encryption:
    """Encrypts to one public key, or to those of a file."""

    def __init__(self, key: str) -> None:
        """Prepare encryption to *key*: one of age, a file of public keys of age or GPG, or the id of a GPG key.

        Raises ConfigError if the program is missing, or cannot encrypt to it.
        """
        self._command, self.suffix = _command(key)
        if not shutil.which(self._command[0]):
            raise ConfigError("Encryption needs the program %(name)s: install it.", name=self._command[0])
        # A wrong key is told before anything is read.
        trial = subprocess.run(  # nosec B603  # noqa: S603 - age or gpg, without a shell
            self._command, input=b"", capture_output=True, env=without_settings(), check=False
        )
        if trial.returncode:
            raise self._failure(trial.stderr)

    @contextmanager
    def encrypt_into(self, stream: IO[bytes]) -> Iterator[IO[bytes]]:
        """Yield a stream of which the content arrives in the file *stream* encrypted, complete when the block ends.

        Raises ConfigError if the program fails.
        """
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(  # nosec B603  # noqa: S603 - age or gpg, without a shell
                self._command, stdin=subprocess.PIPE, stdout=stream, stderr=errors, env=without_settings()
            )
            plain = cast("IO[bytes]", process.stdin)
            has_ended = False
            try:
                yield plain
                plain.close()
            except BrokenPipeError:
                has_ended = True
            except BaseException:
                process.kill()
                raise
            finally:
                with suppress(BrokenPipeError):
                    plain.close()
                process.wait()
            if process.returncode or has_ended:
                errors.seek(0)
                raise self._failure(errors.read())

    def _failure(self, message: bytes) -> ConfigError:
        lines = [line.strip() for line in message.decode(errors="replace").splitlines() if line.strip()]
        return ConfigError(
            "%(name)s cannot encrypt: %(why)s", name=self._command[0], why=lines[0] if lines else "it does not say why"
        )


def decryption_hint(file: str, start: bytes) -> str:
    """Return how to decrypt *file*, of which *start* are the first bytes; "" if it is not encrypted."""
    if start.startswith(_AGE_STARTS):
        return f"age -d -i KEYFILE {file} | voteweb restore -"
    if start.startswith(_GPG_STARTS):
        return f"gpg -d {file} | voteweb restore -"
    return ""


def _command(key: str) -> tuple[list[str], str]:
    """Return the command that encrypts to *key*, and the suffix of a file that it has encrypted."""
    if key.startswith(_AGE_KEYS):
        return ["age", "-r", key], ".age"
    gpg = [
        "gpg",
        "--batch",
        "--no-tty",
        "--trust-model",
        "always",
        "--no-auto-key-locate",
        "--compress-algo",
        "none",
        "--encrypt",
    ]
    if not Path(key).is_file():
        return [*gpg, "--recipient", key], ".gpg"
    with Path(key).open("rb") as stream:
        start = stream.read(MAX_START_BYTES)
    # A GPG key that is no text begins with the packet of a public key.
    if b"BEGIN PGP PUBLIC KEY" in start or start[:1] in (b"\x98", b"\x99", b"\xc6"):
        return [*gpg, "--recipient-file", key], ".gpg"
    return ["age", "-R", key], ".age"
