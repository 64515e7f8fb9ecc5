"""voteweb: a social news site on Flask and Redis."""

from voteweb.core.version import __version__ as __version__
