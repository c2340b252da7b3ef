"""The tables and figures of Harvey et al. 2023, reproduced with apexgp next to the printed numbers: `make paper`.

`data` reads the authors' results, `printed` the printed numbers, `methods` says what is fitted. A table is a file
(`rmse`, `likelihood`, `dense_coverage`, `single_point_coverage`), and so is a family of figures (`curves`, `priors`,
`coverage`). `differences` compares, `summary` averages, `page` tells the story, `output` writes.
"""
