"""Caches of readers' pages, of lists that members share, and of fragments of pages."""
