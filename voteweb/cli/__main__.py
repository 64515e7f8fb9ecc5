"""``python -m voteweb.cli`` is ``voteweb``."""

from voteweb.cli import entry_point

if __name__ == "__main__":
    entry_point()
