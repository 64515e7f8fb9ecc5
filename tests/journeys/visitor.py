"""A visitor of the site with a real browser."""

from playwright.sync_api import ConsoleMessage, Locator, Page, Request, expect

from tests.helpers import until

PASSWORD = "correct horse battery"


class Visitor:
    """One browser; records the errors of its console, every request to a foreign address, clicks and page loads."""

    def __init__(self, page: Page, site_url: str, expect_errors: bool) -> None:
        self.page = page
        self.site_url = site_url
        self.expect_errors = expect_errors
        self.console_errors: list[str] = []
        self.foreign_requests: list[str] = []
        self.clicks = self.loads = 0
        page.on("console", self._record_message)
        page.on("pageerror", lambda error: self.console_errors.append(str(error)))
        page.on("request", self._record_request)
        page.on("domcontentloaded", self._record_load)

    def _record_message(self, message: ConsoleMessage) -> None:
        # A refused form has the status 422, which Chromium logs as an error.
        if message.type in ("error", "warning") and "status of 422" not in message.text:
            self.console_errors.append(message.text)

    def _record_request(self, request: Request) -> None:
        if not request.url.startswith(self.site_url):
            self.foreign_requests.append(request.url)

    def _record_load(self, _page: Page) -> None:
        self.loads += 1

    def open(self, path: str) -> "Visitor":
        self.page.goto(self.site_url + path)
        return self

    def loaded(self) -> "Visitor":
        """Wait until the page to which a click has led is complete, and its scripts listen."""
        self.page.wait_for_load_state()
        return self

    def follow(self, text: str) -> "Visitor":
        """Follow the first link with this *text*."""
        self.page.get_by_role("link", name=text, exact=True).first.click()
        self.clicks += 1
        return self.loaded()

    def press(self, text: str) -> "Visitor":
        """Press the button with this *text* in the main part of the page."""
        self.page.get_by_role("main").get_by_role("button", name=text, exact=True).click()
        self.clicks += 1
        return self.loaded()

    def log_out(self) -> "Visitor":
        """Open the menu below the name and press its last entry."""
        menu = self.page.locator(".menu")
        menu.locator("summary").click()
        menu.get_by_role("button", name="Log out", exact=True).click()
        self.clicks += 2
        return self.is_at("/")

    def tick(self, label: str) -> "Visitor":
        """Tick the box with this *label*."""
        self.page.get_by_label(label, exact=True).check()
        self.clicks += 1
        return self

    def type(self, label: str, text: str) -> "Visitor":
        """Replace the text of the field with this *label*."""
        self.page.get_by_label(label, exact=True).fill(text)
        return self

    def log_in(self, name: str) -> "Visitor":
        """Log in on the page for it."""
        return self.open("/login").type("User name", name).type("Password", PASSWORD).press("Log in")

    def sees_flash(self, text: str) -> None:
        """Fail unless the last message of the page is *text*."""
        expect(self.page.locator(".flash:not([role=note])").last).to_have_text(text)
        self.loaded()

    def is_at(self, path: str) -> None:
        """Fail unless the browser arrives at *path*."""
        expect(self.page).to_have_url(self.site_url + path)
        self.loaded()

    def keeps(self, words: str) -> None:
        """Fail unless the storage of the tab, which the page writes after it has changed, comes to have *words*."""
        until(lambda: words in self.page.evaluate("JSON.stringify(sessionStorage)"))

    def row(self, title: str) -> Locator:
        """Return the article with this *title*, in a list or on its own page."""
        return self.page.locator(".article").filter(has_text=title)

    def vote_button(self, title: str) -> Locator:
        """Return the vote button of the article with this *title*."""
        return self.row(title).locator("button.vote")

    def sees_votes(self, title: str, votes: int, *, pressed: bool) -> None:
        """Fail unless the vote button shows this many *votes*, and whether one of them is the visitor's."""
        button = self.loaded().vote_button(title)
        expect(button.locator("[data-votes]")).to_have_text(str(votes))
        expect(button).to_have_attribute("aria-pressed", str(pressed).lower())

    def open_details(self) -> "Visitor":
        """Open all closed parts of the page, but the menu, which would cover others."""
        self.page.evaluate("document.querySelectorAll('details:not(.menu)').forEach(details => details.open = true)")
        return self

    def overflow(self) -> int:
        """Return by how many pixels the page, which must be loaded, is wider than the window; 0 if it fits."""
        html = "document.documentElement"
        return int(self.page.evaluate(f"Math.max(0, {html}.scrollWidth - {html}.clientWidth)"))
