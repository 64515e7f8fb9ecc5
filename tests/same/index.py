"""Run in a checkout: bring its index of search up to date."""

from voteweb.app import create_app
from voteweb.search.files import IndexFolder
from voteweb.search.indexer import Indexer

if __name__ == "__main__":
    site = create_app().extensions
    Indexer(IndexFolder(site["voteweb.settings"].search_folder), site["voteweb.store"].search).catch_up()
