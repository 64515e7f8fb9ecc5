"""Caches of readers' pages and of fragments of pages."""
