"""voteweb: a social news site on Flask and Redis."""

#: The version of the package, the command and the changelog; nothing else names it.
__version__ = "0.2.0"
