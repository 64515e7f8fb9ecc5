"""A noun has one name: the templates of a view are in the folder that is named after its module."""

import re
from pathlib import Path

from voteweb.core.resources import resource_folder
from voteweb.web import views

MODULES = {file.stem: file.read_text() for file in Path(views.__file__).parent.glob("*.py")}


def test_views_render_templates_of_their_own_folder() -> None:
    rendered = {
        name: set(re.findall(r'"(\w+)/\w+\.(?:html|txt|xml|opml\.xml)"', text)) for name, text in MODULES.items()
    }
    assert {name: folders for name, folders in rendered.items() if folders - {name}} == {}


def test_every_folder_of_templates_belongs_to_a_module() -> None:
    folders = {file.parent.name for file in resource_folder("templates").glob("*/*")}
    assert folders - MODULES.keys() == {"api", "mail"}  # of operations, and of the messages that are sent
