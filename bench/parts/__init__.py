"""Parts: one module for each value of ``--parts``, with a function ``measure`` from a run to its tables."""
