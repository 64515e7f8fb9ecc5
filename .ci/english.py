"""Fill the English catalogue, whose words are those of the code and the templates: `make translations` runs this."""

from pathlib import Path

from babel.messages.pofile import read_po, write_po

CATALOGUE = Path(__file__).parent.parent / "voteweb/translations/en/LC_MESSAGES/messages.po"
#: The width of `pybabel update` in the Makefile.
WIDTH = 110


def main() -> None:
    """Let every message of the catalogue say what its id says."""
    with CATALOGUE.open("rb") as file:
        catalogue = read_po(file, locale="en")
    for message in catalogue:
        if message.id:
            message.string = message.id
    with CATALOGUE.open("wb") as file:
        write_po(file, catalogue, width=WIDTH, sort_output=True, ignore_obsolete=True)


if __name__ == "__main__":
    main()
