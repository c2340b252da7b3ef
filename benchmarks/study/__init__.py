"""How every method that a user might pick fares on real curves: `PYTHONPATH=benchmarks python -m study --help`.

`methods` and `peers` say what is compared, `samples` on which pilots, `record` keeps what each made of each, a file a
method, so that a run goes on where it was stopped; `tables` and `picture` are made from what is kept. `speed` and
`failures` are studies of their own. docs/study.md, docs/speed.md and docs/failures.md have the results.
"""
