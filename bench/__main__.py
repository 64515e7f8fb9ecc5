"""``python -m bench``: measure, print, write, judge."""

from bench.cli import main

if __name__ == "__main__":
    main()
