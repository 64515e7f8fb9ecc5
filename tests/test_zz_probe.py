def test_x(fake_store, settings):
    from voteweb.app import create_app
    app = create_app(settings, fake_store)
    for r in app.url_map.iter_rules(): print(r, r.methods, r.endpoint)
    c = app.test_client()
    r = c.get("/login")
    print(r.status, r.headers, r.text)
    r = c.get("/")
    print(r.status, r.headers, r.text)
