"""Run in a checkout: bring its index of search up to date."""

from voteweb.core.config import from_env
from voteweb.search.files import IndexFolder
from voteweb.search.indexer import Indexer
from voteweb.store import open_store

if __name__ == "__main__":
    settings = from_env()
    Indexer(IndexFolder(settings.search_folder), open_store(settings).search).catch_up()
