"""Backups that age and gpg encrypt: nothing unencrypted is written, and what they decrypt is restored."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.conftest import Invoke
from tests.cli.results import error_line
from tests.helpers import needs, short_folder
from voteweb.store import Store


class Key(NamedTuple):
    """A public key as it is named to the command, and the command that decrypts with the secret one."""

    public: str
    decrypt: list[str]


@pytest.fixture(params=["age", "age file", "gpg", "gpg file"])
def key(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Key]:
    """A key of each program, named in each way."""
    program = request.param.split()[0]
    needs(shutil.which(program), program)
    with short_folder() as folder:
        monkeypatch.setenv("GNUPGHOME", str(folder))
        yield _age_key(folder, request.param) if program == "age" else _gpg_key(folder, request.param)
        if program == "gpg":
            subprocess.run(["gpgconf", "--kill", "all"], check=False)


def _age_key(folder: Path, how: str) -> Key:
    secret = folder / "secret"
    made = subprocess.run(["age-keygen", "-o", secret], check=True, capture_output=True, text=True)
    public = made.stderr.split()[-1]
    (folder / "public").write_text(f"# the operators\n{public}\n")
    return Key(public if how == "age" else str(folder / "public"), ["age", "-d", "-i", str(secret)])


def _gpg_key(folder: Path, how: str) -> Key:
    folder.chmod(0o700)
    gpg = ["gpg", "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", ""]
    subprocess.run([*gpg, "--quick-gen-key", "ops@example.org", "default", "default"], check=True, capture_output=True)
    exported = subprocess.run([*gpg, "--armor", "--export"], check=True, capture_output=True).stdout
    (folder / "public").write_bytes(exported)
    return Key("ops@example.org" if how == "gpg" else str(folder / "public"), [*gpg, "-d"])


def test_an_encrypted_backup_is_restored_from_standard_input(
    invoke: Invoke, small_site: Store, tmp_path: Path, key: Key
) -> None:
    assert invoke("backup", tmp_path, "--encrypt-to", key.public).exit_code == 0
    (file,) = tmp_path.iterdir()
    assert file.name.endswith(f".gz.{key.decrypt[0]}")
    line = error_line(invoke("restore", "--dry-run", file))
    assert line.startswith(f"{file} is encrypted. Decrypt it on its way: {key.decrypt[0]} -d ")
    plain = subprocess.run([*key.decrypt, file], check=True, capture_output=True).stdout
    result = invoke("restore", "--dry-run", "-", input=plain)
    assert result.output.startswith("- is complete: 1 article"), result.output


def test_a_key_that_does_not_work_is_told_before_anything_is_written(
    invoke: Invoke, small_site: Store, tmp_path: Path
) -> None:
    (tmp_path / "no key").write_text("hello")
    for program, wrong in (("age", "age1wrong"), ("age", tmp_path / "no key"), ("gpg", "nobody@example.org")):
        needs(shutil.which(program), program)
        line = error_line(invoke("backup", tmp_path / "x", "--encrypt-to", wrong))
        assert line.startswith(f"{program} cannot encrypt: ")
    assert not (tmp_path / "x").exists()


def test_a_missing_program_and_one_that_fails_leave_no_file(
    invoke: Invoke, small_site: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "age"
    target = tmp_path / "backups"
    target.mkdir()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert error_line(invoke("backup", target, "--encrypt-to", "age1x")) == (
        "Encryption needs the program age: install it."
    )
    # It encrypts the trial, which is empty, and breaks at the first byte.
    fake.write_text('#!/bin/sh\nread -r line; test -n "$line" || exit 0\necho broken >&2\nexit 1\n')
    fake.chmod(0o755)
    assert error_line(invoke("backup", target, "--encrypt-to", "age1x")) == "age cannot encrypt: broken"
    assert os.listdir(target) == []
