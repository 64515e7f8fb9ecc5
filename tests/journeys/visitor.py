"""A person at a real browser, in the words of the journeys."""

from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Locator, Request, expect

PASSWORD = "correct horse battery"


class Visitor:
    """One browser; keeps what its console complained about, and every address that was not ours."""

    def __init__(self, context: BrowserContext, site: str, expect_complaints: bool) -> None:
        self.context = context
        self.site = site
        self.expect_complaints = expect_complaints
        self.complaints: list[str] = []
        self.strangers: list[str] = []
        self.page = context.new_page()
        self.page.on("console", lambda message: self._complain(message.type, message.text))
        self.page.on("pageerror", lambda error: self._complain("error", str(error)))
        self.page.on("request", self._scanner)

    def _complain(self, kind: str, words: str) -> None:
        # A form that comes back with its mistakes has the status 422, which the console remarks upon.
        if kind in ("error", "warning") and "status of 422" not in words:
            self.complaints.append(words)

    def _look(self, request: Request) -> None:
        if not request.url.startswith(self.site):
            self.strangers.append(request.url)

    @property
    def place(self) -> str:
        """Path, query and fragment of the page that is shown."""
        parts = urlsplit(self.page.url)
        return (
            parts.path + (f"?{parts.query}" if parts.query else "") + (f"#{parts.fragment}" if parts.fragment else "")
        )

    def open(self, place: str) -> "Visitor":
        """Open a page of the site."""
        self.page.goto(place)
        return self

    def follow(self, words: str) -> "Visitor":
        """Follow the link with these *words*."""
        self.page.get_by_role("link", name=words, exact=True).first.click()
        return self

    def press(self, words: str) -> "Visitor":
        """Press the button in the main part with these *words*."""
        self.page.get_by_role("main").get_by_role("button", name=words, exact=True).click()
        return self

    def type(self, label: str, words: str) -> "Visitor":
        """Type *words* into the field with this *label*."""
        self.page.get_by_label(label, exact=True).fill(words)
        return self

    def log_in(self, name: str) -> "Visitor":
        """Log in by the page for it."""
        return self.open("/login").type("User name", name).type("Password", PASSWORD).press("Log in")

    def says(self, words: str) -> None:
        """Fail unless the page says these *words* of the last entry."""
        expect(self.page.locator(".flash").last).to_have_text(words)

    def is_at(self, place: str) -> None:
        """Fail unless the browser arrives at *place*."""
        expect(self.page).to_have_url(self.site + place)

    def row(self, title: str) -> Locator:
        """Return the row of the list, or the article, of this *title*."""
        return self.page.locator(".article").filter(has_text=title)

    def vote_button(self, title: str) -> Locator:
        """Return the vote button of the article of this *title*."""
        return self.row(title).locator("button.vote")

    def sees_votes(self, title: str, votes: int, *, pressed: bool) -> None:
        """Fail unless the button shows so many *votes*, and whether one is this person's."""
        button = self.vote_button(title)
        expect(button.locator("[data-votes]")).to_have_text(str(votes))
        expect(button).to_have_attribute("aria-pressed", str(pressed).lower())

    def overflow(self) -> int:
        """Return by how many pixels the page is wider than the window."""
        # While a page is being left there is a moment without any element.
        self.page.locator("footer").wait_for()
        return int(self.page.locator("html").evaluate("html => html.scrollWidth - html.clientWidth"))
