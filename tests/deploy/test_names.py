"""What the files of deploy/ name is really there: settings, commands, and the project of Compose."""

import re
from dataclasses import fields, replace

from tests.deploy.proxies import DEPLOY
from voteweb.cli.main import voteweb
from voteweb.core.config import Settings, env_name, from_env

TEXT = "\n".join(file.read_text() for file in sorted(DEPLOY.rglob("*")) if file.is_file())
COMMAND = re.compile(r'(?:bin/voteweb |site voteweb |CMD \["voteweb", ")([a-z]+)')


def test_every_setting_is_one() -> None:
    known = {env_name(each.name) for each in fields(Settings)}
    assert set(re.findall(r"VOTEWEB_[A-Z_]+", TEXT)) <= known


def test_every_command_is_one() -> None:
    assert set(COMMAND.findall(TEXT)) == {"run", "backup", "restore"} & voteweb.commands.keys()


def test_every_word_to_compose_is_about_the_same_project() -> None:
    said = re.findall(r"docker compose (.+)", TEXT + (DEPLOY.parent / "README.md").read_text("utf-8"))
    assert len(said) >= 3
    assert all(words.startswith("--project-name voteweb ") for words in said), said


def test_the_settings_to_begin_with_are_right_once_there_is_a_key() -> None:
    lines = (DEPLOY / "voteweb.env.example").read_text().splitlines()
    begun = from_env(dict(line.split("=", 1) for line in lines if line and not line.startswith("#")))
    assert begun.secret_key == ""
    found = replace(begun, secret_key="a key of the operator's own")
    assert (found.secure, found.trusted_proxies, found.warnings()) == (True, 1, [])
