from tests import factories
def test_a(store, fake_store):
    print(store.connection.client.info("server").get("server_name"), factories.article(store, groups=("a",)), list(store.doctor.examine()))
    print(factories.imported(store), factories.article(fake_store))
