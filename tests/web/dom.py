"""A page as a tree: enough of HTML to find forms, buttons, links and words in what the site answers."""

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())


class Element:
    """One element; ``attrs`` holds "" for an attribute without a value."""

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
        """Yield the element and all in it, in the order of the page."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child

    @property
    def words(self) -> str:
        """All text in the element, with single blanks."""
        parts = [child if isinstance(child, str) else child.words for child in self.children]
        return " ".join(" ".join(parts).split())

    @property
    def raw(self) -> str:
        """The text of the element itself, as it stands."""
        return "".join(child for child in self.children if isinstance(child, str))

    def all(self, tag: str = "", **attrs: str) -> list["Element"]:
        """Return the elements in here of this *tag* that have these *attrs* (``class_`` names one of several)."""
        return [each for each in self if (not tag or each.tag == tag) and _has(each, attrs)]

    def one(self, tag: str = "", **attrs: str) -> "Element":
        """Return the only such element."""
        found = self.all(tag, **attrs)
        assert len(found) == 1, f"{len(found)} × <{tag} {attrs}>"
        return found[0]

    def by_id(self, id: str) -> "Element":
        """Return the element of this *id*."""
        return self.one(id=id)


def _has(element: Element, attrs: dict[str, str]) -> bool:
    for name, wanted in attrs.items():
        if name == "class_":
            if wanted not in element.attrs.get("class", "").split():
                return False
        elif element.attrs.get(name.replace("_", "-")) != wanted:
            return False
    return True


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = self.at = Element("", {})

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, self.at)
        assert len(element.attrs) == len(attrs), f"<{tag}> has an attribute twice"
        self.at.children.append(element)
        if tag not in _VOID:
            self.at = element

    def handle_endtag(self, tag: str) -> None:
        assert self.at.tag == tag, f"<{self.at.tag}> is closed by </{tag}>"
        assert self.at.parent is not None
        self.at = self.at.parent

    def handle_data(self, data: str) -> None:
        self.at.children.append(data)


def parse(html: str) -> Element:
    """Return the tree of *html*; fails where elements are not closed in order, or ids are there twice."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    assert builder.at is builder.root, f"<{builder.at.tag}> is never closed"
    ids = [each["id"] for each in builder.root if "id" in each]
    assert len(ids) == len(set(ids)), f"an id is there twice: {ids}"
    return builder.root


def fields_of(form: Element) -> dict[str, Any]:
    """Return what a browser would send of *form* untouched: names with a value, or a list of several."""
    found: dict[str, list[str]] = {}
    for each in form:
        if "name" not in each:
            continue
        sent = found.setdefault(each["name"], [])
        if each.tag == "textarea":
            sent.append(each.raw.removeprefix("\n"))
        elif each.attrs.get("type") not in ("checkbox", "radio") or "checked" in each:
            sent.append(each.attrs.get("value", ""))
    return {name: values[0] if len(values) == 1 else values for name, values in found.items() if values}
