"""HTML as a tree: enough to find forms, buttons, links and texts in a response."""

from collections.abc import Iterator
from functools import lru_cache
from html.parser import HTMLParser
from typing import Any

_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())


class Element:
    """One element; ``attrs`` has "" for an attribute without a value."""

    def __init__(self, tag: str, attrs: dict[str, str], parent: "Element | None" = None) -> None:
        self.tag = tag
        self.attrs = attrs
        self.parent = parent
        self.children: list[Element | str] = []

    def __getitem__(self, name: str) -> str:
        return self.attrs[name]

    def __contains__(self, name: str) -> bool:
        return name in self.attrs

    def __iter__(self) -> Iterator["Element"]:
        """Yield this element and its descendants, in the order of the page."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child

    @property
    def text(self) -> str:
        """The text of this element and its descendants, with single blanks: around descendants, but for times."""
        parts = [child if isinstance(child, str) else child.text for child in self.children]
        blanks = ["" if isinstance(child, str) or child.tag == "time" else " " for child in self.children]
        return " ".join("".join(f"{blank}{part}{blank}" for part, blank in zip(parts, blanks, strict=True)).split())

    @property
    def own_text(self) -> str:
        """The text of this element without its descendants, unchanged."""
        return "".join(child for child in self.children if isinstance(child, str))

    def all(self, tag: str = "", **attrs: str) -> list["Element"]:
        """Return the elements with this *tag* and these *attrs*; ``class_`` is one of several classes."""
        return [element for element in self if (not tag or element.tag == tag) and _has_attrs(element, attrs)]

    def texts(self, tag: str = "", **attrs: str) -> list[str]:
        """Return the text of each such element."""
        return [element.text for element in self.all(tag, **attrs)]

    def values(self, attribute: str, tag: str, /, **attrs: str) -> list[str]:
        """Return the value that each such element has for *attribute*."""
        return [element[attribute] for element in self.all(tag, **attrs)]

    def one(self, tag: str = "", **attrs: str) -> "Element":
        """Return the only such element."""
        elements = self.all(tag, **attrs)
        assert len(elements) == 1, f"{len(elements)} × <{tag} {attrs}>"
        return elements[0]

    def by_id(self, id: str) -> "Element":
        return self.one(id=id)


def _has_attrs(element: Element, attrs: dict[str, str]) -> bool:
    for name, value in attrs.items():
        if name == "class_":
            if value not in element.attrs.get("class", "").split():
                return False
        elif element.attrs.get(name.replace("_", "-")) != value:
            return False
    return True


class _TreeBuilder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = self.current = Element("", {})

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, self.current)
        assert len(element.attrs) == len(attrs), f"<{tag}> has an attribute twice"
        self.current.children.append(element)
        if tag not in _VOID:
            self.current = element

    def handle_endtag(self, tag: str) -> None:
        assert self.current.tag == tag, f"<{self.current.tag}> is closed by </{tag}>"
        assert self.current.parent is not None
        self.current = self.current.parent

    def handle_data(self, data: str) -> None:
        self.current.children.append(data)


@lru_cache(maxsize=64)
def parse(html: str) -> Element:
    """Return the tree of *html*; fail where elements are not closed in order, or an id is not unique.

    The same page has the same tree: nobody may change it.
    """
    builder = _TreeBuilder()
    builder.feed(html)
    builder.close()
    assert builder.current is builder.root, f"<{builder.current.tag}> is never closed"
    ids = [element["id"] for element in builder.root if "id" in element]
    assert len(ids) == len(set(ids)), f"an id is not unique: {ids}"
    return builder.root


def form_of(page: Element, formaction: str) -> tuple[Element, Element]:
    """Return the form on *page* that the only button with this *formaction* sends, and the button."""
    button = page.one("button", formaction=formaction)
    return page.by_id(button["form"]) if "form" in button else page.one("form", action=formaction), button


def fields_of(form: Element) -> dict[str, Any]:
    """Return what a browser sends of an unchanged *form*: names with a value, or with a list of several.

    Its first button is the one that Enter presses.
    """
    fields: dict[str, list[str]] = {}
    pressed = next(iter(form.all("button")), None)
    for element in form:
        if "name" not in element or (element.tag == "button" and element is not pressed):
            continue
        values = fields.setdefault(element["name"], [])
        if element.tag == "textarea":
            values.append(element.own_text.removeprefix("\n"))
        elif element.attrs.get("type") not in ("checkbox", "radio") or "checked" in element:
            values.append(element.attrs.get("value", ""))
    return {name: values[0] if len(values) == 1 else values for name, values in fields.items() if values}
