"""The ratios as a picture: a bar for each contender, with what must be reached and what is aimed at."""

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from bench.bars import Bar
from bench.budgets import BUDGETS, Budget

#: The units of the SVG: width of the words, of a ratio of 1, of the figures; height of a row and of the head.
WORDS, ONE, ROOM, ROW, HEAD = 260, 420, 60, 22, 56
STYLE = """text{font:13px system-ui,sans-serif;fill:#222}.head{font-size:16px;font-weight:600}.small{font-size:11px;
fill:#555}.bar{fill:#5b8db8}.book{fill:#c2a25b}.must{stroke:#c0504d;stroke-width:2}
.aim{stroke:#3a7d44;stroke-width:2}.one{stroke:#bbb}"""


def draw(title: str, bars: Sequence[Bar], budgets: Sequence[Budget] = BUDGETS) -> str:
    """Return an SVG of *bars*, each as long as its ratio, with the marks of its budget where it has one."""
    marks = {each.key: each for each in budgets}
    width, height = WORDS + ONE + ROOM, HEAD + ROW * len(bars) + 12
    rows = [_row(HEAD + ROW * at, bar, marks) for at, bar in enumerate(bars)]
    one = f'<line class="one" x1="{WORDS + ONE}" x2="{WORDS + ONE}" y1="{HEAD - 6}" y2="{height - 8}"/>'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
            f"<title>{escape(title)}</title><style>{STYLE}</style>",
            f'<rect width="{width}" height="{height}" fill="#fff"/>',
            f'<text class="head" x="10" y="22">{escape(title)}</text>',
            '<text class="small" x="10" y="40">requests a second over those of the floor (1 = as fast);'
            " red: must, green: aim</text>",
            one,
            *rows,
            "</svg>\n",
        ]
    )


def _row(y: int, bar: Bar, marks: Mapping[str, Budget]) -> str:
    ratio = bar.ratio or 0.0
    long = min(ratio, 1.1) * ONE
    kind = "book" if bar.key.startswith("book") else "bar"
    told = "not valid" if bar.ratio is None else f"{ratio:.2f}"
    drawn = (
        f'<text x="{WORDS - 8}" y="{y + 13}" text-anchor="end">{escape(bar.label)}</text>'
        f'<rect class="{kind}" x="{WORDS}" y="{y + 2}" width="{long:.1f}" height="{ROW - 7}"/>'
    )
    if bar.key in marks:
        for name, at in (("must", marks[bar.key].must), ("aim", marks[bar.key].aim)):
            x = WORDS + at * ONE
            drawn += f'<line class="{name}" x1="{x:.1f}" x2="{x:.1f}" y1="{y}" y2="{y + ROW - 3}"/>'
    return drawn + f'<text x="{WORDS + long + 6:.1f}" y="{y + 13}">{told}</text>'
