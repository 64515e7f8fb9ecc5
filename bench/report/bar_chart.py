"""The ratios as an SVG chart: a bar for each contender, with marks for the bound and the aim of its budget."""

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape

from bench.budgets import BUDGETS, Budget
from bench.report.tables import Bar

#: Sizes in units of the SVG: the labels, a ratio of 1, the numbers at the right, a row, the space above the rows.
LABEL_WIDTH, UNIT_WIDTH, NUMBER_WIDTH, ROW_HEIGHT, HEADER_HEIGHT = 260, 420, 60, 22, 56
#: Longer bars are cut off.
MAX_RATIO = 1.1
STYLE = """text{font:13px system-ui,sans-serif;fill:#222}.title{font-size:16px;font-weight:600}.small{font-size:11px;
fill:#555}.bar{fill:#5b8db8}.book{fill:#c2a25b}.must{stroke:#c0504d;stroke-width:2}
.aim{stroke:#3a7d44;stroke-width:2}.unit{stroke:#bbb}"""


def render_chart(title: str, bars: Sequence[Bar], budgets: Iterable[Budget] = BUDGETS) -> str:
    """Return an SVG of *bars*, each as long as its ratio and with the marks of its budget."""
    budget_by_key = {budget.key: budget for budget in budgets}
    width, height = LABEL_WIDTH + UNIT_WIDTH + NUMBER_WIDTH, HEADER_HEIGHT + ROW_HEIGHT * len(bars) + 12
    rows = [
        _render_row(HEADER_HEIGHT + ROW_HEIGHT * index, bar, budget_by_key.get(bar.key))
        for index, bar in enumerate(bars)
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
            f"<title>{escape(title)}</title><style>{STYLE}</style>",
            f'<rect width="{width}" height="{height}" fill="#fff"/>',
            f'<text class="title" x="10" y="22">{escape(title)}</text>',
            '<text class="small" x="10" y="40">requests a second over those of the baseline (1 = as fast);'
            " red: must, green: aim</text>",
            _vertical_line("unit", 1, HEADER_HEIGHT - 6, height - 8),
            *rows,
            "</svg>\n",
        ]
    )


def _render_row(y: int, bar: Bar, budget: Budget | None) -> str:
    ratio = bar.ratio or 0.0
    length = min(ratio, MAX_RATIO) * UNIT_WIDTH
    css_class = "book" if bar.key.startswith("book") else "bar"
    bounds = {"must": budget.must, "aim": budget.aim} if budget else {}
    number = "not valid" if bar.ratio is None else f"{ratio:.2f}"
    return "".join(
        [
            f'<text x="{LABEL_WIDTH - 8}" y="{y + 13}" text-anchor="end">{escape(bar.label)}</text>'
            f'<rect class="{css_class}" x="{LABEL_WIDTH}" y="{y + 2}" width="{length:.1f}" height="{ROW_HEIGHT - 7}"/>',
            *(
                _vertical_line(name, bound, y, y + ROW_HEIGHT - 3)
                for name, bound in bounds.items()
                if bound is not None
            ),
            f'<text x="{LABEL_WIDTH + length + 6:.1f}" y="{y + 13}">{number}</text>',
        ]
    )


def _vertical_line(css_class: str, ratio: float, top: int, bottom: int) -> str:
    x = LABEL_WIDTH + ratio * UNIT_WIDTH
    return f'<line class="{css_class}" x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{bottom}"/>'
