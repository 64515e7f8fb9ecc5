"""Rate limits: use one up, check the refusal, and stop the clock by which they accept another act."""

import copy
import re
from hashlib import sha1

from tests.web.browser import Browser
from voteweb.core.rate_limits import Limit
from voteweb.store import Store
from voteweb.store.connection.scripts import Script, scripts

#: The placeholders of a limit's message, as patterns.
_PATTERNS = {
    "wait": r"\d+ \w+( \d+ \w+)?",
    "when": r"\d+ \w+ \d{4}, \d\d:\d\d UTC",
    "burst": r"\d+",
    "span": r"\d+ days",
    "interval": r"\d+ \w+( \d+ \w+)?",
}


def use_up(store: Store, limit: Limit, owner: str) -> int:
    """Count acts of *owner* until *limit* refuses the next one; return how many it has accepted."""
    pipeline = store.pipeline()
    refusals = [store.limits.queue_hit(pipeline, [(limit, owner)]) for _ in range(limit.burst + 1)]
    pipeline.execute()
    return sum(refusal.result is None for refusal in refusals)


def stopped_scripts(store: Store) -> dict[str, Script]:
    """Return every script by name, for each of which it is always this moment."""
    moment = "({{ '{}', '{}' }})".format(*store.connection.command("TIME"))
    stopped = {name: copy.copy(script) for name, script in scripts().items()}
    for script in stopped.values():
        script.source = script.source.replace("redis.call('TIME')", moment)
        script.digest = sha1(script.source.encode(), usedforsecurity=False).hexdigest()
    return stopped


def assert_too_fast(browser: Browser, limit: Limit) -> None:
    """Fail unless the last response is a refusal by *limit*, with its message and the seconds to wait."""
    assert browser.status == 429
    assert 0 < int(browser.headers["Retry-After"]) <= limit.interval + 1
    main = browser.page.one("main")
    (message,) = main.all("div", role="alert") or main.all("p", class_="intro")
    values = {"things": limit.things, "hint": limit.hint} | {name: f"%({name})s" for name in _PATTERNS}
    pattern = re.escape((limit.template % values).strip())
    for name, value in _PATTERNS.items():
        pattern = pattern.replace(re.escape(f"%({name})s"), value)
    assert re.search(pattern, message.text)
    assert browser.headers["Cache-Control"] == "private, no-store"
