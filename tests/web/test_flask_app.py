"""The hooks of the app, of which those of others run before those of the site."""

from tests.web.conftest import MakeApp


def test_wsgi_layers_do_what_hooks_do(make_app: MakeApp) -> None:
    """Both lane.py answer without hooks: a new one must be repeated there."""
    app = make_app(site_url="https://news.example")
    hooks = {hook.__name__ for table in (app.before_request_funcs, app.after_request_funcs) for hook in table[None]}
    idle = {"_update_remember_cookie"}  # of Flask-Login, which does nothing here
    assert hooks - idle == {"check_host", "read_if_due", "_check_request", "_log_in_by_form", "finish", "allow_origins"}
    others = (app.url_value_preprocessors, app.teardown_request_funcs, app.teardown_appcontext_funcs)
    assert not any(others)
    assert app.before_request_funcs.keys() == app.after_request_funcs.keys() == {None}
