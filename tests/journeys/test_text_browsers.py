"""Members in text browsers, which know no button outside of its form: sign-up to votes, comments and saved articles."""

import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import factories
from tests.helpers import needs, until
from tests.terminal import Terminal
from voteweb.store import Store

#: Seconds until a page must have come.
PATIENCE = 20.0
#: What lynx writes before a link, a field or, with a word, a button.
NUMBER = r"\[\d+\] ?|\(\[\d+\] ?BUTTON ?\) "
NAME, SECRET = "teletype", "a long enough secret"


class W3m:
    """w3m: a search moves the cursor, Tab to the next field or link; a line of its own asks for what is typed."""

    command: tuple[str, ...] = ("w3m", "-cookie")

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    def sees(self, words: str) -> str:
        """Return the page as soon as it has *words*; fail with what it has."""
        deadline = time.monotonic() + PATIENCE
        while words not in (screen := re.sub(NUMBER, "", self._terminal.screen())):
            assert time.monotonic() < deadline, screen
        return screen

    def open(self, address: str) -> None:
        self._terminal.type(f"U\x15{address}\r")

    def fill_in(self, label: str, text: str) -> None:
        """Type *text* into the field after its *label*."""
        self._terminal.type(f"/^ *{label}\r\t\r{text}\r")

    def write(self, label: str) -> None:
        """Have the editor write into the field of several lines after its *label*."""
        self._terminal.type(f"/^ *{label}\r\t\r")

    def press(self, label: str) -> None:
        """Press the next button with this *label* after what was filled in."""
        self._terminal.type(f"/{label}\r\r")

    def press_last(self, label: str) -> None:
        """Press the last button of the page with this *label*: the menu has the word, too."""
        self._terminal.type(f"G?{label}\r\r")


class Lynx(W3m):
    """lynx, which numbers links and fields: "7g" moves to the seventh, Enter opens it."""

    command = ("lynx", "-nocolor", "-accept_all_cookies", "-nopause", "-tna")

    def open(self, address: str) -> None:
        self._terminal.type(f"g\x15{address}\r")

    def _go_to(self, pattern: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not (numbers := re.findall(pattern, screen := self._terminal.screen())):
            assert time.monotonic() < deadline, screen
        self._terminal.type(f"{numbers[-1]}g\r\r")

    def fill_in(self, label: str, text: str) -> None:
        self._go_to(rf"{label} \[(\d+)\]")
        self._terminal.type(f"{text}\t")

    def write(self, label: str) -> None:
        self.fill_in(label, "Well said.")

    def press(self, label: str) -> None:
        self._go_to(rf"\(\[(\d+)\] ?BUTTON ?\) {label}")

    def press_last(self, label: str) -> None:
        self.press(label)


def enter(browser: W3m, words: str, button: str) -> None:
    """Fill in the page with these *words*, and press the *button* by which one is logged in."""
    browser.sees(words)
    browser.fill_in("User name", NAME)
    browser.fill_in("Password", SECRET)
    browser.press(button)
    browser.sees(f"Inbox {NAME}")


@contextmanager
def visit(kind: type[W3m], address: str, home: Path) -> Iterator[W3m]:
    """Yield a browser of this *kind* at *address*, whose settings and editor are in the folder *home*."""
    editor = home / "editor"
    editor.write_text('#!/bin/sh\necho "Well said." > "$1"\n')
    editor.chmod(0o700)
    (home / ".lynxrc").write_text("keypad_mode=LINKS_AND_FIELDS_ARE_NUMBERED\n")
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "EDITOR": str(editor), "TERM": "vt100", "LANG": "C.UTF-8"}
    with Terminal([*kind.command, address], env) as terminal:
        yield kind(terminal)


@pytest.mark.parametrize("kind", [W3m, Lynx])
def test_text_browser_does_all_that_members_do(kind: type[W3m], site_url: str, store: Store, tmp_path: Path) -> None:
    needs(shutil.which(kind.command[0]), f"{kind.command[0]} on PATH")
    author = factories.user(store, "old_ferry")
    factories.article(store, author, title="A lost map")
    factories.comment(store, 1, author, text="I remember it.")
    with visit(kind, f"{site_url}/signup", tmp_path) as browser:
        enter(browser, "You only need a name", "Sign up")
    with visit(kind, f"{site_url}/login", tmp_path) as browser:
        enter(browser, "New here?", "Log in")

        browser.open(f"{site_url}/submit")
        browser.sees("Markdown:")
        browser.fill_in("Link", "https://harbour.example/map")
        browser.fill_in("Title", "The map is drawn again")
        browser.press("Post")
        browser.sees("Your article has been posted.")

        for path, words, votes in (("/a/1", "Vote: 1", 1), ("/a/1/c/1", "The whole conversation", 0)):
            browser.open(f"{site_url}{path}")
            browser.sees(words)  # which the page before has not
            browser.press("Vote: ")
            browser.sees("Your vote has been counted.")
            browser.sees(f"Take your vote back: {votes + 1}")
        browser.press("Take your vote back: ")
        browser.sees("Your vote has been taken back.")

        browser.open(f"{site_url}/a/1")
        browser.sees("save hide")
        browser.press_last("save")
        browser.sees("The article is saved for later.")
        browser.press_last("hide")
        browser.sees("Not in your lists, since you hide the article")
        browser.press("Show again")
        browser.sees("unsave hide")

        browser.write("Your comment")
        browser.press("Post")
        browser.sees("Your comment has been posted.")
        browser.sees("Well said.")

        browser.open(f"{site_url}/new")
        until(lambda: is_list_of_two(browser.sees("2 articles")), PATIENCE)


def is_list_of_two(screen: str) -> bool:
    """Tell whether all of the page, and nothing that was drawn on the way there, is on the *screen*."""
    return (
        "harbour.example by teletype just now" in screen
        and screen.count("The map is drawn again") == screen.count("A lost map") == 1
        and not re.search("Code block|Keyboard shortcuts", screen)
    )
