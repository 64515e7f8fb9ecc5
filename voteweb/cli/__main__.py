"""``python -m voteweb.cli`` is ``voteweb``."""

from voteweb.cli import main

if __name__ == "__main__":
    main()
