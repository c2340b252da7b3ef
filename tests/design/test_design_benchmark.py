"""benchmarks/design.py in small, on made-up curves in the files of the two databases."""

import numpy as np
import pytest

from conftest import REPOSITORY, require


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The command, as `python benchmarks/design.py` runs it."""
    pd = require("pandas")
    from small_databases import write_problems

    rng = np.random.default_rng(5)
    folder = tmp_path_factory.mktemp("data")
    (folder / "lcdb").mkdir()
    sizes = np.round(16 * 2 ** (np.arange(16) / 2)).astype(int)
    runs = []
    for task in ("3", "31"):
        curve = 0.9 - rng.uniform(0.2, 0.3) * (sizes / 16) ** -0.4
        for seed in range(18):
            scores = np.clip(curve + rng.normal(0, 0.01) + rng.normal(0, 0.01, len(sizes)), 0, 1)
            runs += [
                (task, "LogisticRegression", f"{seed}_0", n, y, 1.0, 500) for n, y in zip(sizes, scores, strict=True)
            ]
    columns = ["task", "learner", "seed", "size", "test", "train", "n_test"]
    for metric in ("auroc", "accuracy"):
        path = folder / "lcdb" / f"lcdb_dev_{metric}_with_train.csv.gz"
        pd.DataFrame(runs, columns=columns).to_csv(path, index=False)
    means = [("3", "LogisticRegression", 16, 0.7, 0.01)]
    columns = ["data_set", "learner", "size", "accuracy", "standard_error"]
    pd.DataFrame(means, columns=columns).to_csv(folder / "lcdb" / "lcdb11_dev.csv.gz", index=False)
    write_problems(folder, ("3", "31"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("APEXGP_DATA", str(folder))
        patch.syspath_prepend(str(REPOSITORY / "benchmarks"))
        import design

        yield lambda *words: design.main([str(word) for word in words])


def rows(printed):
    return {cells[1].strip(): cells for cells in (line.split("|") for line in printed.splitlines()) if len(cells) > 3}


@pytest.mark.slow
def test_the_tables_of_the_page_are_printed(run, capsys):
    run("--curves", 1, "--confirm", 0, "--parts", "promises", "advice", "first")
    found = rows(capsys.readouterr().out)
    for design in ("own splits at 724", "10 new splits at 362", "3 new splits at 64, 362, 1024", "*all*"):
        now, told, tried, came = map(float, found[design][2:6])
        assert 0 < told <= now
        assert 0 < tried < 1.5 * now
        assert 0 < came < 1
    # A larger size tells more than more of the same, as promised and as it comes.
    for column in (3, 4):
        assert float(found["10 new splits at 724"][column]) < float(found["10 new splits at 362"][column])
    assert float(found["the advice"][2]) <= 12
    assert float(found["the frugal advice"][2]) <= float(found["the advice"][2])
    assert "6 sizes, 6x span, 3 splits" in found
