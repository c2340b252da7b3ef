"""Workbooks as people keep them: what tests of the reader and of the commands build, each with the same scores."""

from apexgp import LearningCurve

FOLDS = {
    60: (0.660, 0.674, 0.651),
    120: (0.701, 0.712, 0.699),
    250: (0.730, 0.741, 0.733),
    500: (0.752, 0.763, 0.758),
}
OTHER = {size: tuple(round(score - 0.02, 3) for score in scores) for size, scores in FOLDS.items()}
MEANS = {size: round(sum(scores) / 3, 3) for size, scores in FOLDS.items()}


def long_rows(folds=FOLDS):
    return [[size, score, i + 1] for size, scores in folds.items() for i, score in enumerate(scores)]


def wide_rows(folds=FOLDS):
    return [[size, *scores] for size, scores in folds.items()]


def plain(book):
    fill(book, [["n", "AUC", "Fold"], *long_rows()])


def summary_rows(book):
    columns = list(zip(*FOLDS.values(), strict=True))
    fill(
        book,
        [
            ["Training examples", "Fold 1", "Fold 2", "Fold 3"],
            *wide_rows(),
            ["Mean", *(sum(own) / 4 for own in columns)],
            ["SD", 0.04, 0.04, 0.05],
        ],
    )


def subtotals(book):
    rows = [["n", "Fold", "AUC"]]
    for size, scores in FOLDS.items():
        rows += [[size, i + 1, score] for i, score in enumerate(scores)]
        rows += [[size, "mean", MEANS[size]]]
    fill(book, [*rows, ["Total", 12, ""]])


def intervals(book):
    rounded = {n: round(mean, 2) for n, mean in MEANS.items()}
    rows = [[n, f"{mean:.2f} ({mean - 0.05:.2f}-{mean + 0.05:.2f})"] for n, mean in rounded.items()]
    fill(book, [["Patients", "AUC (95% CI)"], *rows])


def spreads(book):
    fill(book, [["n", "AUC", "runs"], *([n, f"{mean:.3f} ± 0.012", 3] for n, mean in MEANS.items())])


def counted(book):
    fill(book, [["Training set", "n", "AUC", "seed"], *(["pilot", f"n={n}", *rest] for n, *rest in long_rows())])


def bare_per_cents(book):
    fill(book, [["n", "Accuracy", "Fold"], *([n, round(100 * score, 1), fold] for n, score, fold in long_rows())])


def per_cents_with_unit_row(book):
    rows = [[n, round(100 * score, 1), fold] for n, score, fold in long_rows()]
    fill(book, [["n", "Accuracy", "Fold"], ["(patients)", "(%)", ""], *rows])


def cover_sheet(book):
    fill(book, [["Learning-curve study"], ["Author", "A. Nonymous"], ["Date", "2026-05-04"], ["Version", 3]], "Cover")
    fill(book, [["Sheet", "What"], ["Results", "scores of the pilot"]], "Read me")
    fill(book, [["n", "AUC", "Fold"], *long_rows()], "Results")


def models_side_by_side(book):
    rows = [[n, *FOLDS[n], *OTHER[n]] for n in FOLDS]
    header = ["n", "Fold 1", "Fold 2", "Fold 3"]
    sheet = fill(book, [["", "ResNet", "", "", "ViT", "", ""], [*header, *header[1:]], *rows])
    sheet.merge_cells("B1:D1")
    sheet.merge_cells("E1:G1")


def models_under_the_sizes(book):
    rows = [[n, *FOLDS[n], *OTHER[n]] for n in FOLDS]
    folds = ["Fold 1", "Fold 2", "Fold 3"]
    sheet = fill(book, [["Pilot of 2026"], ["n", "ResNet", "", "", "ViT", "", ""], ["", *folds, *folds], *rows])
    for block in ("A2:A3", "B2:D2", "E2:G2"):
        sheet.merge_cells(block)


def tables_side_by_side(book):
    rows = [[*one, "", *other] for one, other in zip(long_rows(), long_rows(OTHER), strict=True)]
    header = ["n", "AUC", "Fold"]
    fill(book, [["ResNet", "", "", "", "ViT", "", ""], [*header, "", *header], *rows])


def model_column(book):
    rows = [["ResNet", *row] for row in long_rows()] + [["ViT", *row] for row in long_rows(OTHER)]
    fill(book, [["Model", "n", "AUC", "Fold"], *rows])


def several_metrics(book):
    rows = [[n, fold, score, score + 0.05, score - 0.05] for n, score, fold in long_rows()]
    fill(book, [["n", "Fold", "AUC", "Sensitivity", "Specificity"], *rows])


def unnamed_folds(book):
    fill(book, [["n", "AUC", "", ""], *wide_rows()])


def one_name_for_three_folds(book):
    fill(book, [["n", "AUC", "", ""], *wide_rows()]).merge_cells("B1:D1")


def pending(book):
    rows = wide_rows()
    rows[-1][-1] = "pending"
    fill(book, [["n", "Fold 1", "Fold 2", "Fold 3"], *rows])


def sizes_written_once(book):
    rows = [[size if i == 0 else "", i + 1, score] for size, scores in FOLDS.items() for i, score in enumerate(scores)]
    fill(book, [["n", "Fold", "AUC"], *rows])


def sizes_across(book):
    rows = [[f"fold {i + 1}", *(scores[i] for scores in FOLDS.values())] for i in range(3)]
    fill(book, [["AUC", *(f"n={n}" for n in FOLDS)], *rows])


def models_in_columns(book):
    rows = [[n, fold, score, round(score - 0.02, 3)] for n, score, fold in long_rows()]
    fill(book, [["n", "Fold", "AUC (ResNet)", "AUC (ViT)"], *rows])


def fill(book, rows, title="Pilot"):
    """A new sheet with these rows."""
    sheet = book.create_sheet(title)
    for row in rows:
        sheet.append([None if cell == "" else cell for cell in row])
    return sheet


def saved(build, folder):
    """The workbook that a function fills, as a file."""
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    build(book)
    path = folder / f"{build.__name__}.xlsx"
    book.save(path)
    return path


def the_pilot(folds=FOLDS, **about):
    """The curve that every workbook with three folds holds."""
    sizes, scores, split = zip(*long_rows(folds), strict=True)
    return LearningCurve(sizes, scores, split, **about)
