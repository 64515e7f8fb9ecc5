"""The application factory."""

import os
from datetime import timedelta
from functools import partial

from flask import Flask

from voteweb.core import config
from voteweb.core.branding import load_brand
from voteweb.core.errors import ConfigError
from voteweb.core.operator_pages import OperatorPages
from voteweb.core.resources import resource_folder
from voteweb.core.settings import Settings, from_env
from voteweb.fetching import TitleFetcher
from voteweb.search.engine import has_full_text_search
from voteweb.search.index import SearchIndex
from voteweb.store import Store, open_store
from voteweb.store.migrations import Migrations
from voteweb.web import api, views
from voteweb.web.auth import authentication, login, sessions
from voteweb.web.base import request_bounds, static_files
from voteweb.web.base.flask_app import SiteFlask
from voteweb.web.caching import cold_pages, page_cache, shared_pages
from voteweb.web.i18n import locale
from voteweb.web.monitoring import metrics, middleware
from voteweb.web.pages import branding, finishing, templating
from voteweb.web.requests import security, site_switches
from voteweb.web.views import lane


def create_app(settings: Settings | None = None, store: Store | None = None) -> Flask:
    """Return the WSGI app of a site; *settings* default to those of the environment, *store* to that of the settings.

    A *store* that is given takes the settings.

    Raises ConfigError without a database, with an unfinished one, one of another layout or one whose keys we may not
    read, and without a key that is long enough.
    """
    settings = settings or from_env()
    _check_settings(settings, store)
    app = _new_flask(settings)
    store = store or open_store(settings)
    store.health.refuse_unusable()
    store.context.put_in_force(settings)
    # "voteweb run" has written what new data need: one of its workers may be started again on an emptied database.
    store.context.site_id = id = store.context.site_id or os.environ.get(config.SITE_ID_VARIABLE) or None
    Migrations(store.context).refuse_other(writes=id is None)
    store.site_settings.take_settings(writes=id is None)
    settings = store.context.unswitched
    app.extensions["voteweb.store"] = store
    app.extensions["voteweb.title_fetcher"] = TitleFetcher(f"voteweb (+{settings.site_url})".replace(" (+)", ""))
    app.extensions["voteweb.search"] = index = (
        SearchIndex(settings.search_folder) if settings.search and has_full_text_search() else None
    )
    app.extensions["voteweb.pages"] = OperatorPages(settings.pages_dir)
    # Hooks before a request run in this order, those after it in reverse: hosts are checked before sessions are read,
    # and a response is finished after all other hooks.
    finishing.init_app(app, settings)
    metrics.init_app(settings, store, index)
    security.init_app(app, settings)
    locale.init_app(app)
    site_switches.init_app(app)
    sessions.init_app(app)
    login.init_app(app)
    authentication.init_app(app)
    templating.init_app(app)
    shared_pages.init_app(app)
    views.init_app(app, settings)
    api.init_app(app, settings)
    _add_middleware(app, settings)
    return app


def _check_settings(settings: Settings, store: Store | None) -> None:
    if store is None and not settings.redis_url:
        raise ConfigError("There is no database: set VOTEWEB_REDIS_URL, or start with `voteweb run`.")
    if len(settings.secret_key) < config.MIN_SECRET_KEY_LENGTH:
        file = os.path.abspath(os.path.join(settings.data_dir, "secret.key"))
        raise ConfigError(
            "VOTEWEB_SECRET_KEY is %(problem)s: set it to a long random text that stays the same, such as "
            "`python3 -c 'import secrets; print(secrets.token_urlsafe(32))'` prints.%(advice)s",
            problem="too short" if settings.secret_key else "missing",
            advice=f" If the site was on the embedded database, {file} has it." if os.path.exists(file) else "",
        )


def _new_flask(settings: Settings) -> SiteFlask:
    app = SiteFlask(__name__, template_folder=str(resource_folder("templates")), static_folder=None)
    app.extensions["voteweb.brand"] = brand = load_brand(settings.brand_dir)
    static_files.init_app(app, resource_folder("static"), partial(branding.static_files, brand))
    app.config.update(
        SECRET_KEY=settings.secret_key,
        MAX_CONTENT_LENGTH=config.MAX_BODY_BYTES,
        MAX_FORM_PARTS=max(config.MAX_FIELDS, config.MAX_ROW_FIELDS * settings.page_size),
        PERMANENT_SESSION_LIFETIME=timedelta(seconds=config.MAX_SESSION_SECONDS),
        SESSION_REFRESH_EACH_REQUEST=False,
        SESSION_COOKIE_NAME=sessions.cookie_name(settings),
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=settings.secure,
        WTF_I18N_ENABLED=False,  # forms.py names the language, so that catalogues are loaded once
        WTF_CSRF_TIME_LIMIT=None,  # a form stays valid as long as the session
    )
    app.url_map.merge_slashes = False  # merging redirects to a full URL, built from any host that a client sends
    app.jinja_environment = templating.TemplateEnvironment
    app.jinja_options = {**app.jinja_options, "trim_blocks": True, "lstrip_blocks": True}
    return app


def _add_middleware(app: SiteFlask, settings: Settings) -> None:
    """Wrap *app* in its WSGI layers, the innermost first."""
    cold_pages.init_app(app, settings)
    lane.init_app(app, settings)
    api.lane.init_app(app, settings)
    request_bounds.limit_headers(app)
    cache = page_cache.init_app(app, settings)
    middleware.init_app(app, settings)  # records the status that the cache sends
    if cache and not settings.metrics_token:  # a request id that nobody reads would cost a third of a cached page
        app.wsgi_app = cache.before(app.wsgi_app)  # type: ignore[assignment, method-assign]
    security.init_origin(app, settings)  # all layers inside use the address and the scheme that it finds
    request_bounds.init_app(app)
