"""Which groups an article probably belongs into: offered as buttons to moderators who sort."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

#: What a group named in the title, an earlier article of the same domain and one of the same poster count. A name says
#: more than a domain, a domain more than a poster, who posts about many things.
_IN_TITLE, _OF_DOMAIN, _OF_POSTER = 12, 2, 1
#: Between these a name of ASCII letters is a word of the title; other scripts may have no blanks between words.
_WORD_END = r"[^\w-]|^|$"


def likely_groups(
    title: str,
    of_domain: Iterable[Sequence[str]],
    of_poster: Iterable[Sequence[str]],
    sizes: Mapping[str, int],
    second_names: Mapping[str, str],
    count: int,
) -> tuple[str, ...]:
    """Return the names of the *count* likeliest groups for an article, the likeliest first.

    *of_domain* and *of_poster* are the groups of each earlier article with the same domain, or poster. *sizes* has
    the number of articles of each group; larger groups come first among those that are as likely. *second_names* are
    other names of groups.
    """
    points: Counter[str] = Counter()
    for earlier, each in ((of_domain, _OF_DOMAIN), (of_poster, _OF_POSTER)):
        for groups in earlier:
            points.update(dict.fromkeys(groups, each))
    names = {**dict(zip(sizes, sizes, strict=True)), **second_names}
    for group in {group for name, group in names.items() if _is_in(name, title.casefold())}:
        points[group] += _IN_TITLE
    return tuple(sorted(sizes, key=lambda name: (-points[name], -sizes[name], name))[:count])


def _is_in(name: str, title: str) -> bool:
    if not name.isascii():
        return name in title
    spelled = re.escape(name).replace(r"\-", "[- ]").replace("_", "[_ ]")
    return re.search(f"(?:{_WORD_END}){spelled}(?:{_WORD_END})", title) is not None
