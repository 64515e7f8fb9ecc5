"""The benchmark of voteweb, run by ``make bench``: ratios to baselines, costs, scaling with size, and the budgets.

It is not part of the installed package. ``python -m bench --help`` lists the options. From the top:

- ``ratios``, ``cold``, ``costs``, ``memory``: one module for each value of ``--parts``; each turns a run into tables.
- ``baselines``, ``contenders``, ``workloads``, ``operations``: what is compared and measured.
- ``sites``, ``stories``, ``threads``: the generated sites; ``tables``, ``budgets``: what is printed.
- ``load``, ``sessions``, ``processes``, ``machine``, ``tracing``: what runs, where, what it is sent and sends to Redis.

To compare with another commit, such as e8116a1, whose figures are in ``figures.md``: check it out beside this one
(``git worktree add ../before e8116a1``) and run the benchmark that each checkout has, by turns and on the same idle
machine, at least twice each::

    make bench BENCH="--parts ratios --sizes 10000 --seconds 1 --rounds 3 --json after-1.json"
    make -C ../before bench BENCH="--parts ratios --sizes 10000 --seconds 1 --rounds 3 --json before-1.json"

The contenders have the same names in both, and so have the columns "ratio" and "CPU µs": compare those, not the
requests a second, and only differences that are larger than the spread of one checkout. Each checkout keeps its own
sites in its folder ``.bench``, made of the same file of stories (``--stories FILE``).
"""
