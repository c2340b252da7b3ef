"""Ten sheets of pilot learning curves as study nurses of German, French and American offices keep them by hand."""

from __future__ import annotations

import io
import re
import zipfile
from datetime import date
from statistics import mean, stdev

import openpyxl
from openpyxl.styles import Alignment, Font

from offices import Sheet


def book(**tabs):
    """Tabs by name (_ for a blank): (rows, merged ranges, number formats by range, bold rows); the same bytes at each call."""
    wb = openpyxl.Workbook()
    wb.remove(wb.active)
    for name, (rows, merges, formats, bold) in tabs.items():
        ws = wb.create_sheet(name.replace("_", " "))
        for r, row in enumerate(rows, 1):
            for c, value in enumerate(row, 1):
                if value is not None:
                    cell = ws.cell(r, c, value)
                    cell.font = Font(bold=r in bold)
        for area, fmt in formats.items():
            for row in ws[area] if ":" in area else ((ws[area],),):
                for cell in row:
                    cell.number_format = fmt
        for area in merges:
            ws.merge_cells(area)
            ws[area.split(":")[0]].alignment = Alignment(horizontal="center", vertical="top")
        ws.column_dimensions["A"].width = 24
    raw, out = io.BytesIO(), io.BytesIO()
    wb.save(raw)
    with zipfile.ZipFile(raw) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "docProps/core.xml":
                data = re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", b"2025-03-14T09:30:00Z", data)
            new.writestr(zipfile.ZipInfo(name, (2025, 3, 14, 9, 30, 0)), data)
    return out.getvalue()


def de(x, digits=3):
    return x if isinstance(x, str) or x is None else f"{x:.{digits}f}".replace(".", ",")


def dots(n):
    return f"{n:,}".replace(",", ".")


def points(table, splits, scale=1):
    """(size, score, split) of a table of rows by size; texts such as 'ausstehend' are left out."""
    return [
        (n, round(x / scale, 6), s) for n, row in table.items() for s, x in zip(splits, row) if not isinstance(x, str)
    ]


AF = {
    "EKG-Netz (CNN)": {
        60: (68.5, 66.0, 70.0),
        120: (74.0, 73.5, 72.0),
        240: (79.0, 77.5, 78.5),
        480: (82.5, 83.0, 81.5),
    },
    "Log. Regression": {
        60: (67.0, 69.0, 67.5),
        120: (70.5, 71.5, 70.0),
        240: (72.5, 73.0, 72.0),
        480: (74.0, 73.5, 74.5),
    },
}
AF_RUNS = ("Lauf 1", "Lauf 2", "Lauf 3")


def af():
    rows = [
        ["Pilot Vorhofflimmern – Lernkurve"],
        ["Kardiologische Ambulanz, Stand:", date(2025, 2, 17)],
        [],
        [
            "Modell",
            "Pat.-Zahl (Training)",
            "Pat.-Zahl (Test)",
            "Trefferquote (Anteil richtig klassifiziert)",
            None,
            None,
            None,
            "Bemerkung",
        ],
        [None, None, None, *AF_RUNS, "Mittel", None],
    ]
    notes = {
        ("EKG-Netz (CNN)", 60): "3 EKGs verrauscht, trotzdem drin",
        ("Log. Regression", 240): "am 12.02. nachgerechnet",
    }
    for model, table in AF.items():
        for i, (n, row) in enumerate(table.items()):
            cells = [f"{de(x, 1)} %" for x in (*row, mean(row))]
            rows.append([None if i else model, n, 200, *cells, notes.get((model, n))])
    rows += [[], ["Gez. S. Brandl, Study Nurse"], ["Test-Pat. bei allen Läufen dieselben 200"]]
    return book(Lernkurve=(rows, ["D4:G4", "A6:A9", "A10:A13"], {"B2": "DD.MM.YYYY"}, (1, 4, 5)))


WOUND = {
    75: (0.634, 0.658, 0.611),
    150: (0.692, 0.671, 0.703),
    300: (0.728, 0.741, 0.735),
    600: (0.768, 0.759, 0.772),
    1200: (0.789, 0.794, 0.786),
}


def wound():
    lines = ["Anz. Pat.;Durchgang;Fläche unter ROC-Kurve"]
    lines += [f"{dots(n)};{i};{de(x)}" for n, row in WOUND.items() for i, x in enumerate(row, 1)]
    return ("\r\n".join(lines) + "\r\n").encode("cp1252")


ULCER = {
    "Freiburg": (
        1600,
        {
            0.05: (0.521, 0.548, 0.502),
            0.1: (0.603, 0.589, 0.617),
            0.25: (0.688, 0.697, 0.679),
            0.5: (0.741, 0.736, 0.75),
            1.0: (0.783, 0.779, "ausstehend"),
        },
    ),
    "Ulm": (
        940,
        {
            0.05: (0.468, 0.497, 0.51),
            0.1: (0.556, 0.571, 0.549),
            0.25: (0.649, 0.638, 0.661),
            0.5: (0.704, 0.712, 0.698),
            1.0: (0.748, 0.753, 0.745),
        },
    ),
}
SEEDS = ("Seed 11", "Seed 23", "Seed 42")


def ulcer():
    cover = [
        ["Dekubitus-Fotos: Pilot Bilderkennung"],
        [],
        ["Studienleitung:", "PD Dr. Kessler"],
        ["Dokumentation:", "M. Yıldız (Study Nurse)"],
        ["Tel.", "0761 5550-214"],
        ["Ethikvotum:", "24-1187"],
        ["Letzte Änderung:", date(2025, 3, 4)],
        [],
        ["Je Standort ein Blatt, Modelle jeweils nur am eigenen Standort trainiert."],
    ]
    tabs = {"Deckblatt": (cover, [], {"B7": "DD.MM.YYYY"}, (1,))}
    for site, (total, table) in ULCER.items():
        rows = [
            [f"Standort {site}"],
            ["Trainingsfotos gesamt:", total],
            [],
            ["Anteil der Trainingsfotos", "F1-Score"],
            [None, *SEEDS],
        ]
        rows += [[share, *(de(x) for x in row)] for share, row in table.items()]
        tabs[site] = (rows, ["B4:D4"], {"A6:A10": "0%", "B2": "#,##0"}, (1, 4, 5))
    return book(**tabs)


SEPSIS = {
    "Logist. Regression": {
        50: (70.3, 68.7, 72.0, 69.3),
        100: (73.7, 74.3, 72.3, 75.0),
        200: (76.7, 77.3, 76.0, 75.7),
        400: (78.3, 79.0, 78.0, 78.7),
        800: (79.7, 79.3, 80.0, 79.0),
    },
    "Random Forest": {
        50: (67.3, 65.0, 69.0, 66.3),
        100: (73.0, 71.7, 72.7, 70.3),
        200: (78.0, 77.0, 76.3, 78.7),
        400: (81.7, 82.3, 81.0, 80.7),
        800: (84.3, 85.0, 84.7, 83.7),
    },
}


def sepsis():
    lines = ["Lernkurve Sepsis-Früherkennung, Intensivstation 2", "Stand 12.03.2025\tAngaben: Genauigkeit in %", ""]
    for model, table in SEPSIS.items():
        lines += [f"Modell: {model}", "\t".join(["Pat.-Zahl", *map(str, table)])]
        lines += [
            "\t".join([f"Durchgang {i}", *(de(x, 1) for x in run)]) for i, run in enumerate(zip(*table.values()), 1)
        ]
        lines += [
            "\t".join(["MW", *(de(mean(r), 1) for r in table.values())]),
            "\t".join(["SD", *(de(stdev(r), 1) for r in table.values())]),
            "",
            "",
        ]
    return "\r\n".join([*lines, "Anm.: Testdaten immer dieselben 300 Pat.", "i.A. K. Hoffmeister"]).encode("utf-8")


RETINA = {
    150: (61.5, 64.0, 59.5, 63.0, 62.5),
    300: (69.0, 67.5, 70.5, 68.0, 71.0),
    600: (75.5, 74.0, 76.0, 75.0, 73.5),
    1200: (80.0, 79.5, 81.0, 78.5, 80.5),
    2400: (83.5, 84.0, 82.5, "en attente", "en attente"),
}
DRAWS = tuple(f"Tirage {i}" for i in range(1, 6))


def retina():
    rows = [
        ["Dépistage rétinopathie – courbe d'apprentissage"],
        ["CHU, service d'ophtalmologie", None, "màj le 06/02/2025"],
        [],
        ["Taille apprentissage", "Exactitude"],
        ["(nb d'images)", *DRAWS, "Moyenne", "Écart-type"],
        [None, *["%"] * 7],
    ]
    for n, row in RETINA.items():
        done = [x for x in row if not isinstance(x, str)]
        rows.append(
            [f"{n:,}".replace(",", "\u202f") if n > 999 else n, *row, round(mean(done), 1), round(stdev(done), 1)]
        )
    rows += [
        [],
        ["NB : jeu de test = 200 images, le même à chaque tirage"],
        ["Tirages 4 et 5 relancés par le Dr Le Goff (panne serveur)"],
    ]
    return book(Feuil1=(rows, ["A1:H1", "B4:H4"], {"B7:H11": "0.0"}, (1, 4, 5)))


FALLS = {
    "Nantes": {
        100: (0.641, 0.668, 0.627),
        200: (0.702, 0.689, 0.715),
        300: (0.731, 0.664, 0.738),
        500: (0.761, 0.755, 0.768),
    },
    "Angers": {
        100: (0.618, 0.602, 0.637),
        200: (0.671, 0.683, 0.66),
        300: (0.704, 0.711, "n.d."),
        500: (0.735, 0.741, 0.729),
    },
}
FALLS_NOTES = {
    ("Nantes", 300, 2): '"un patient en double, à vérifier"',
    ("Angers", 300, 3): "fichier perdu",
    ("Angers", 500, 1): '"12 perdus de vue ; remplacés"',
}


def falls():
    lines = ["centre;effectif (patients);répétition;aire sous la courbe (ROC);remarques"]
    for site, table in FALLS.items():
        first = site
        for n, row in table.items():
            for i, x in enumerate(row, 1):
                lines.append(f"{first};{n};{i};{de(x)};{FALLS_NOTES.get((site, n, i), '')}")
                first = ""
        lines.append(";;;;")
    for site, table in FALLS.items():
        lines.append(
            f"Moyenne {site};;;{de(mean(x for row in table.values() for x in row if not isinstance(x, str)))};"
        )
    return ("\r\n".join(lines) + "\r\n").encode("utf-8-sig")


LETTERS = {
    "TF-IDF + SVM": {
        80: (0.507, 0.533, 0.493),
        160: (0.587, 0.573, 0.6),
        320: (0.64, 0.627, 0.653),
        640: (0.667, 0.653, 0.68),
    },
    "CamemBERT": {
        80: (0.44, 0.4, 0.467),
        160: (0.573, 0.587, 0.547),
        320: (0.68, 0.667, 0.693),
        640: (0.747, 0.733, 0.76),
        1280: (0.8, 0.787, 0.813),
    },
}
TRIALS = ("essai 1", "essai 2", "essai 3")


def letters():
    left, right = ([[n, *(de(x) for x in row)] for n, row in table.items()] for table in LETTERS.values())
    left += [[None] * 4] * (len(right) - len(left))
    a, b = (f"Modèle : {model}" for model in LETTERS)
    head = ["nb patients", *TRIALS]
    rows = [
        ["Repérage des infections du site opératoire dans les comptes rendus"],
        ["Sensibilité sur le jeu de test (250 patients, dont 75 infectés)"],
        [],
        [a, None, None, None, None, b],
        [*head, None, *head],
        *([*x, None, *y] for x, y in zip(left, right)),
        [],
        ["SVM : pas fait à 1280 (demande du Dr Aubry)"],
        ["Signé : C. Morvan, infirmière de recherche clinique"],
    ]
    phones = [
        ["Nom", "Fonction", "Poste"],
        ["C. Morvan", "IRC", 4127],
        ["Dr Aubry", "investigateur", 4380],
        ["T. Lefèvre", "data manager", 4155],
    ]
    return book(Résultats=(rows, ["A4:D4", "F4:I4"], {}, (1, 4, 5)), Contacts=(phones, [], {}, (1,)))


DELIRIUM = {
    50: (0.622, 0.587, 0.645, 0.603),
    100: (0.671, 0.69, 0.658, 0.683),
    200: (0.724, 0.713, 0.735, 0.719),
    400: (0.761, 0.768, 0.752, 0.757),
    800: (0.786, 0.791, 0.78, 0.788),
}
SPLITS = ("Split 1", "Split 2", "Split 3", "Split 4")


def delirium():
    rows = [
        ["Training pts", *SPLITS, "Mean", "SD"],
        *([n, *row, round(mean(row), 3), round(stdev(row), 3)] for n, row in DELIRIUM.items()),
    ]
    return book(ICU_delirium_AUROC=(rows, [], {"B2:G6": "0.000"}, (1,)))


MAMMO = {
    "ResNet-50": {300: (41.2, 43.0, 39.8), 600: (34.6, 35.4, 33.9), 1200: (28.7, 29.5, 28.1), 2400: (24.3, 23.8, 24.9)},
    "ViT-S": {300: (47.5, 45.9, 48.8), 600: (38.2, 39.1, 37.4), 1200: (29.9, 30.6, 29.0), 2400: (22.7, 23.4, 22.1)},
}


def mammo():
    lines = [
        "Mammo density AI pilot (4 classes),,,,",
        '"Prepared by: J. Alvarez, RN, CCRC",,,,03/14/2025',
        ",,,,",
        ",,Top-1 error,,",
        "# images,Fold,ResNet-50,ViT-S,Comments",
    ]
    for n in MAMMO["ResNet-50"]:
        size = f'"{n:,}"' if n > 999 else n
        for i, (a, b) in enumerate(zip(MAMMO["ResNet-50"][n], MAMMO["ViT-S"][n]), 1):
            lines.append(f"{size},{i},{a}%,{b}%,{'reran 3/12 after GPU crash' if (n, i) == (600, 2) else ''}")
    return ("\r\n".join(lines) + "\r\n").encode("utf-8")


STROKE = {
    "CNN, scratch": {100: (0.61, 0.06), 250: (0.68, 0.06), 500: (0.74, 0.05), 1000: (0.79, 0.05), 2000: (0.83, 0.04)},
    "CNN, pretrained": {
        100: (0.72, 0.06),
        250: (0.77, 0.05),
        500: (0.81, 0.05),
        1000: (0.84, 0.04),
        2000: (0.86, 0.04),
    },
    "Radiomics + XGBoost": {
        100: (0.67, 0.06),
        250: (0.71, 0.05),
        500: (0.75, 0.05),
        1000: (0.77, 0.05),
        2000: "pending",
    },
}


def stroke():
    rows = [
        ["Stroke CT Pilot – LVO detection"],
        ["IRB #", "2024-0391", None, "Updated", date(2025, 1, 22)],
        [],
        ["AUC (95% CI), mean of 5 random splits"],
        ["Model", "No. of CT scans used for training"],
        [None, *STROKE["CNN, scratch"]],
    ]
    for model, row in STROKE.items():
        rows.append(
            [
                model,
                *(
                    x if isinstance(x, str) else f"{x[0]:.2f} ({x[0] - x[1]:.2f}–{x[0] + x[1]:.2f})"
                    for x in row.values()
                ),
            ]
        )
    rows += [
        [],
        ["Test set: 412 scans (held out, same for all)"],
        ["Radiomics at 2,000: waiting on segmentations from Dr. Patel - DK"],
    ]
    log = [
        ["Date", "Who", "What"],
        [date(2025, 1, 8), "DK", "first entries"],
        [date(2025, 1, 22), "DK", "added 2,000 column"],
    ]
    return book(
        AUC=(rows, ["A1:F1", "B5:F5", "A5:A6"], {"B6:F6": "#,##0", "E2": "M/D/YYYY"}, (1, 4, 5, 6)),
        Version_log=(log, [], {"A2:A3": "M/D/YYYY"}, (1,)),
    )


RUNS = ("1", "2", "3")
SHEETS: list[Sheet] = [
    Sheet(
        "Pilot_Vorhofflimmern_Lernkurve.xlsx",
        af,
        {m: points(t, AF_RUNS, 100) for m, t in AF.items()},
        "accuracy",
        "patients",
        about="German: title and date, model merged over its rows, per cent as text with decimal comma, a test-size column, a mean column and remarks",
    ),
    Sheet(
        "lernkurve_wundinfekt.csv",
        wound,
        {None: points(WOUND, RUNS)},
        "AUROC",
        "patients",
        about="German, plain: semicolons, cp1252, decimal commas, one size as 1.200",
    ),
    Sheet(
        "Auswertung Dekubitus-Fotos.xlsx",
        ulcer,
        {s: points({round(n * share): row for share, row in t.items()}, SEEDS) for s, (n, t) in ULCER.items()},
        "F1",
        "images",
        about="German: cover sheet, one sheet per site, sizes as share (% format) of a total stated above, decimal commas as text, one 'ausstehend'",
    ),
    Sheet(
        "sepsis_pilot_v3_final.txt",
        sepsis,
        {m: points(t, [f"Durchgang {i}" for i in range(1, 5)], 100) for m, t in SEPSIS.items()},
        "accuracy",
        "patients",
        about="German: tab-separated text, two blocks one below the other, sizes across, MW and SD rows, per cent said only in the title",
    ),
    Sheet(
        "courbe_apprentissage_retine.xlsx",
        retina,
        {None: points(RETINA, DRAWS, 100)},
        "accuracy",
        "images",
        about="French: merged heading, units in a row of their own, thousands with narrow space as text, mean/SD columns, two 'en attente'",
    ),
    Sheet(
        "resultats_AUC_chutes.csv",
        falls,
        {s: points(t, RUNS) for s, t in FALLS.items()},
        "AUROC",
        "patients",
        "Whether the score of Nantes at 300, repetition 2 ('un patient en double, à vérifier'), is to be kept; it is kept here.",
        "French: semicolons with BOM, site only in its first row, blank row between sites, mean rows below, remarks, one 'n.d.'",
    ),
    Sheet(
        "ISO_comptes_rendus.xlsx",
        letters,
        {m: points(t, TRIALS) for m, t in LETTERS.items()},
        "sensitivity",
        "patients",
        about="French: two tables side by side with unequal lengths, decimal commas as text, signature, a second sheet of phone numbers",
    ),
    Sheet(
        "ICU_delirium_learning_curve.xlsx",
        delirium,
        {None: points(DELIRIUM, SPLITS)},
        "AUROC",
        "patients",
        about="American, plain: one header row, four splits, mean and SD columns",
    ),
    Sheet(
        "mammo_top1_error.csv",
        mammo,
        {m: points(t, RUNS, 100) for m, t in MAMMO.items()},
        "error rate",
        "images",
        about='American: title lines, two-row header, top-1 error with % signs, quoted "1,200", models in columns, comments',
    ),
    Sheet(
        "Stroke CT pilot - AUC.xlsx",
        stroke,
        {m: [(n, x[0]) for n, x in t.items() if not isinstance(x, str)] for m, t in STROKE.items()},
        "AUROC",
        "scans",
        about="American: sizes across, only means as 'AUC (95% CI)' text, merged headings, one 'pending', a version log sheet",
    ),
]
