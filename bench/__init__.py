"""The benchmark of voteweb, run by ``make bench``: ratios to baselines, scaling with size, and the budgets.

It is not part of the installed package. ``python -m bench --help`` lists the options. The rooms, from the top:

- ``parts``: one module for each value of ``--parts``; each turns a run into tables.
- ``contenders``: the servers that are compared, the requests they get, and the interleaved measurement of them.
- ``sites``: the generated sites, their import and queries on them.
- ``tracing``: which commands a request sends to Redis, and how long each blocks it.
- ``apps``: the WSGI apps that voteweb is compared with.
- ``load``: the load generators.
- ``report``: tables, chart and files.
"""
