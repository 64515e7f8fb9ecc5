"""The application: put together here, straight down."""

from datetime import timedelta
from pathlib import Path

from flask import Flask

from voteweb import (
    config,
    counting,
    door,
    filters,
    found,
    fragments,
    gate,
    headers,
    language,
    login,
    notices,
    sessions,
    views,
    watch,
)
from voteweb.config import Settings
from voteweb.errors import ConfigError
from voteweb.pagecache import PageCache
from voteweb.store import Store, open_store


def create_app(settings: Settings | None = None, store: Store | None = None) -> Flask:
    """Return the site with these *settings* (those of the environment by default) on *store* (theirs by default).

    Raises ConfigError when there is no database, one that is not whole, or no good key to sign cookies with.
    """
    settings = settings or config.from_env()
    if store is None and not settings.redis_url:
        raise ConfigError("There is no database: set VOTEWEB_REDIS_URL, or start with `voteweb run`.")
    if len(settings.secret_key) < config.SECRET_LEAST:
        raise ConfigError(
            "VOTEWEB_SECRET_KEY is %(what)s: set it to a long random text that stays the same, such as "
            "`python3 -c 'import secrets; print(secrets.token_urlsafe(32))'` prints.",
            what="too short" if settings.secret_key else "missing",
        )
    root = _resources()
    app = Flask(__name__, template_folder=str(root / "templates"), static_folder=str(root / "static"))
    app.config.update(
        SECRET_KEY=settings.secret_key,
        MAX_CONTENT_LENGTH=config.BODY_MOST,
        PERMANENT_SESSION_LIFETIME=timedelta(days=settings.session_days),
        SESSION_REFRESH_EACH_REQUEST=False,
        SESSION_COOKIE_NAME="voteweb",
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=settings.secure,
        SEND_FILE_MAX_AGE_DEFAULT=timedelta(days=365),
        WTF_CSRF_CHECK_DEFAULT=False,  # login.py checks, after it has sent readers to log in
        WTF_CSRF_TIME_LIMIT=None,  # a form may be written for as long as the session lasts
    )
    app.url_map.merge_slashes = False  # it leads on by a full address, built of whatever host was asked for
    app.jinja_environment = filters.Templates
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True}
    store = store or open_store(settings)
    store.checks.refuse_unfinished()
    app.extensions["voteweb.settings"] = settings
    app.extensions["voteweb.store"] = store
    counting.init_app(app, settings, store)
    door.init_app(app, settings)
    language.init_app(app)
    sessions.init_app(app)
    login.init_app(app)
    notices.init_app(app)
    gate.init_app(app)
    headers.init_app(app, settings)
    filters.init_app(app, settings)
    fragments.init_app(app)
    found.init_app(app)
    views.init_app(app)
    if watch.sees_kept_pages(settings):
        _keep_pages(app, settings)
        watch.init_app(app, settings)
    else:  # a third of what a kept page costs would be an id that nobody reads
        watch.init_app(app, settings)
        _keep_pages(app, settings)
    door.trust_proxies(app, settings)  # outermost: all others believe what it finds out
    return app


def _keep_pages(app: Flask, settings: Settings) -> None:
    if settings.page_seconds:
        app.wsgi_app = PageCache(app.wsgi_app, settings.page_seconds, app.config["SESSION_COOKIE_NAME"])  # type: ignore[method-assign]


def _resources() -> Path:
    """Return the folder of templates and static files: inside an installed package, beside a checkout's."""
    package = Path(__file__).parent
    return package if (package / "templates").is_dir() else package.parent
