"""Run the command line as ``python -m voteweb.cli``."""

from voteweb.cli import entry_point

if __name__ == "__main__":
    entry_point()
