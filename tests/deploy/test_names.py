"""The settings, commands and projects that the files of deploy/ name exist."""

import re
from dataclasses import replace

from tests.deploy.files import DEPLOY, ROOT, example
from voteweb.cli.main import voteweb
from voteweb.core.config import env_name, from_env, variables

FILES = [str(file.relative_to(DEPLOY)) for file in DEPLOY.rglob("*") if file.is_file() and file.suffix != ".yml"]
TEXT = "\n".join(map(example, sorted(FILES)))
COMMAND = re.compile(r'(?:bin/voteweb (?:--site \S+ )?|site voteweb |CMD \["voteweb", ")([a-z]+)')


def test_every_setting_exists() -> None:
    known = {env_name(setting.name) for setting in variables()}
    assert set(re.findall(r"VOTEWEB_[A-Z_]+", TEXT)) <= known


def test_every_command_exists() -> None:
    assert set(COMMAND.findall(TEXT)) == {"run", "backup", "restore", "user"} & voteweb.commands.keys()


def test_every_compose_command_names_the_project() -> None:
    docs = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    arguments = re.findall(r"docker compose (.+)", TEXT + "".join(file.read_text("utf-8") for file in docs))
    assert len(arguments) >= 3
    assert all(line.startswith("--project-name voteweb ") for line in arguments), arguments


def test_the_example_settings_are_complete_with_a_key() -> None:
    lines = (DEPLOY / "voteweb.env.example").read_text().splitlines()
    example = from_env(dict(line.split("=", 1) for line in lines if line and not line.startswith("#")))
    assert example.secret_key == ""
    settings = replace(example, secret_key="a key of the operator's own")
    assert (settings.secure, settings.trusted_proxies, settings.warnings()) == (True, 1, [])
