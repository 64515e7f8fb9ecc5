"""Browsers and systems, as members know them, from the header User-Agent."""

#: A part of the header and the name; others contain the names of those after them.
_BROWSERS = (
    ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"), ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"), ("CriOS", "Chrome"), ("Chrome", "Chrome"), ("Safari", "Safari"),
)  # fmt: skip
_SYSTEMS = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"), ("Linux", "Linux"),
)  # fmt: skip


def family(user_agent: str) -> str:
    """Return browser and system, such as "Firefox/Linux" or "Firefox", without any version; "" if unknown."""
    names = (_first(_BROWSERS, user_agent), _first(_SYSTEMS, user_agent))
    return "/".join(filter(None, names))


def _first(names: tuple[tuple[str, str], ...], text: str) -> str:
    return next((name for part, name in names if part in text), "")
