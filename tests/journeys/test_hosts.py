"""Hosts: which of them Chromium opens, and whether they are the same ones here."""

import json
import re
from random import Random

import pytest
from playwright.sync_api import Browser

from voteweb.core import links
from voteweb.core.addresses import is_address

#: Names that DNS can have, and "_".
NAME = re.compile(r"([a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?")
#: Pieces of hosts: scripts, marks and other characters that are dropped or changed, dots, digits, percent codes, signs.
PIECES = (
    *"a B example xn-- xn--bcher-kva xn--0 x--y - _ www. ß ς ı İ ﬁ ½ ㎏ ü ö é пример а ж Ж δ Σ 中文 例え".split(),
    *"テスト ﾃｽﾄ 한국 हिन्दी ශ්\u200dරී ไทย עברית مثال فارسی ١٢ ۱۲ १२ Ａ ｂ １ ① ⓐ 𝐚 💩 ♥ ☃ ー ・ ㆍ".split(),
    *". .. 。 ． ｡ ․ ‥ 0 1 7 127 255 256 0x7f 0X 017 1.2.3 999999999 ! $ & ' ( * + , ; = ~ ` \" { | < ^ ∕ ⁄".split(),
    *"%61 %2e %C3%BC %E2%80%8B %00 %2F %zz % %25 %EF%BC%85 %ff %F0%9F%92%A9".split(),
    *"\u00ad\u034f\u0300\u0301\u0338\u200b\u200c\u200d\u2060\ufe0f\ufeff\u180b\u180e\u115f\u3164\u17b4\u202e\ue000",
    *"\u0378\ufffd\u2028\u3000 \U000e0100",
)
#: Whole hosts that are traps of their own.
WHOLE = (
    "127.1 0x7f.1 2130706433 017700000001 1.2.3.4. １２７.0.0.1 127。0。0。1 0x7f%2e1 256.1.1.1 [::1] "
    "[::ffff:127.0.0.1] [0:0::1] [::1%25lo] [v1.a] [::1 ::1 localhost localhost. . exam\u034fple.com exa\u00admple.com "
    "ex%E2%80%8Bample.com xn--example-qye.com faß.de a.b.c.d.e.f.g"
).split()


def hosts(count: int) -> list[str]:
    """Return so many different hosts, the same ones each time."""
    random, made = Random(54), dict.fromkeys(WHOLE)
    while len(made) < count:
        pieces = random.choices(PIECES, k=random.randint(1, 4))
        made["".join(pieces) + random.choice(("", ".com", ".example", ".рф", ".1", "."))] = None
    return list(made)


@pytest.mark.heavy
def test_no_host_that_chromium_opens_is_another_here(chromium: Browser) -> None:
    """Print the hosts that are taken here and that Chromium refuses: at most 3 %, and no addresses."""
    page = chromium.new_page()
    typed = hosts(2_000)
    read = page.evaluate(
        "hosts => hosts.map(host => { try { return new URL(`http://${host}/`).hostname } catch { return '' } })", typed
    )
    page.close()
    pairs = {host: (links.host_of(f"http://{host}/"), opened) for host, opened in zip(typed, read, strict=True)}
    assert {host: pair for host, pair in pairs.items() if pair[1] and pair[0] not in ("", pair[1].strip("[]"))} == {}
    refused = {host: opened for host, (ours, opened) in pairs.items() if opened and not ours}
    assert {host: opened for host, opened in refused.items() if NAME.fullmatch(opened)} == {}
    only_ours = {host: ours for host, (ours, opened) in pairs.items() if ours and not opened}
    print(f"Taken here, refused by Chromium, {len(only_ours)}: {json.dumps(only_ours)}")
    assert len(only_ours) <= 0.03 * len(typed)
    assert not any(map(is_address, only_ours.values()))
