"""Fill the English catalogue: the translation of each message is the message itself. `make translations` runs this."""

from pathlib import Path

from babel.messages.pofile import read_po, write_po

CATALOGUE = Path(__file__).parent.parent / "voteweb/web/i18n/translations/en/LC_MESSAGES/messages.po"
#: The width of `pybabel update` in the Makefile.
WIDTH = 110


def main() -> None:
    """Set the translation of every message to its id."""
    with CATALOGUE.open("rb") as file:
        catalogue = read_po(file, locale="en")
    for message in catalogue:
        if message.id:
            message.string = message.id
    with CATALOGUE.open("wb") as file:
        write_po(file, catalogue, width=WIDTH, sort_output=True, ignore_obsolete=True)


if __name__ == "__main__":
    main()
