"""Statistics: what happened on the site on each of the last days, for everybody."""

from flask import Blueprint, render_template

from voteweb.core import config
from voteweb.core.statistics import median_wait
from voteweb.store.site.rate_limits import queue_days
from voteweb.web.auth.login import queue_viewer
from voteweb.web.charts import draw_rows
from voteweb.web.context import now, settings, store

blueprint = Blueprint("statistics", __name__)


@blueprint.get("/stats")
def index() -> str:
    """Show how much was posted, voted, written, reported and settled; nothing in it is about a member."""
    pipeline = store().pipeline()
    queue_viewer(pipeline)
    counts = queue_days(pipeline, store().keys, now(), config.STATISTICS_DAYS)
    pipeline.execute()
    days = counts.result
    names = ["posts", "votes", *(["comments"] if settings().comments else []), "sign_ups", "reports", "settled"]
    rows = draw_rows([(name, [getattr(day, name) for day in days]) for name in names])
    return render_template("statistics/index.html", days=days, names=names, rows=rows, median=median_wait(days))
