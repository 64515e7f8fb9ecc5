"""``make bench``: how fast voteweb is beside what its framework allows, at any size, and which budget is met.

Nothing of it is part of the installed package. ``python -m bench --help`` says what can be chosen.
"""
