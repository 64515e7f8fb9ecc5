"""The colours of a site: the tokens of its stylesheet, light and dark, and the contrast of those that meet."""

import re
from collections.abc import Mapping

from voteweb.core.errors import ConfigError

#: The colours of one scheme by token, as "#rrggbb".
Palette = Mapping[str, str]

SCHEMES = ("light", "dark")
#: Least contrast of text, by WCAG 2.1 AA.
MIN_CONTRAST = 4.5
#: The text colours and the backgrounds on which they stand.
PAIRS = tuple(
    (text, background)
    for backgrounds, texts in {
        ("paper", "panel"): ("ink", "faint", "accent", "link", "visited", "good", "error"),
        ("accent",): ("on-accent",),
        ("error-panel",): ("ink", "error"),
        ("mark",): ("ink",),
    }.items()
    for background in backgrounds
    for text in texts
)
_ROOT = re.compile(r":root \{(.*?)\}", re.DOTALL)
_TOKEN = re.compile(r"--([a-z-]+): (#[0-9a-f]{6});")
_COLOUR = re.compile(r"#[0-9a-f]{6}")
#: What follows the colours in the stylesheet, and must still override them.
_AFTER = "@media (prefers-contrast: more)"


def palettes(stylesheet: str) -> dict[str, Palette]:
    """Return the colours of a *stylesheet* by scheme: its first two ``:root`` rules are light and dark."""
    rules = _ROOT.findall(stylesheet)
    return {scheme: dict(_TOKEN.findall(rule)) for scheme, rule in zip(SCHEMES, rules, strict=False)}


def check(defaults: Mapping[str, Palette], changes: Mapping[str, object]) -> Mapping[str, Palette]:
    """Return *defaults* with *changes*, which are colours by token, by scheme.

    Raises ConfigError for an unknown token, no colour, and a text that cannot be read on its background.
    """
    checked = {scheme: dict(colours) for scheme, colours in defaults.items()}
    for scheme, colours in changes.items():
        if scheme not in checked or not isinstance(colours, dict):
            raise ConfigError("[colours.%(scheme)s] is none of [colours.light], [colours.dark].", scheme=scheme)
        for token, colour in colours.items():
            checked[scheme][token] = _checked_colour(scheme, token, colour, defaults[scheme])
    for scheme, palette in checked.items():
        _check_contrast(scheme, palette)
    return checked


def _checked_colour(scheme: str, token: str, colour: object, known: Palette) -> str:
    if token not in known:
        raise ConfigError(
            "[colours.%(scheme)s] has no colour %(token)s; its colours are: %(known)s.",
            scheme=scheme,
            token=token,
            known=", ".join(known),
        )
    if not isinstance(colour, str) or not _COLOUR.fullmatch(colour.lower()):
        raise ConfigError(
            '[colours.%(scheme)s] %(token)s must be six hexadecimal digits, such as "#1d1b18".',
            scheme=scheme,
            token=token,
        )
    return colour.lower()


def _check_contrast(scheme: str, palette: Palette) -> None:
    for text, background in PAIRS:
        ratio = contrast(palette[text], palette[background])
        if ratio < MIN_CONTRAST:
            raise ConfigError(
                "[colours.%(scheme)s] %(text)s %(text_colour)s on %(background)s %(background_colour)s has a contrast "
                "of %(ratio)s : 1, and needs %(least)s : 1. Change one of them.",
                scheme=scheme,
                text=text,
                text_colour=palette[text],
                background=background,
                background_colour=palette[background],
                ratio=f"{int(ratio * 100) / 100:.2f}",  # not rounded up to what it needs
                least=MIN_CONTRAST,
            )


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours as WCAG 2.1 defines it, from 1 to 21."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def recolour(stylesheet: str, own: Mapping[str, Palette]) -> str:
    """Return *stylesheet* with the colours of *own*, which what follows its colours may still override."""
    light, dark = (" ".join(f"--{token}: {colour};" for token, colour in own[scheme].items()) for scheme in SCHEMES)
    rules = f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n\n"
    return stylesheet.replace(_AFTER, rules + _AFTER, 1)
