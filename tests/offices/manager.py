"""Ten sheets of pilot learning curves as managers of imaging, pathology and bioinformatics labs keep them."""

from __future__ import annotations

import io
import re
import zipfile
from datetime import date
from statistics import mean, stdev

from openpyxl import Workbook
from openpyxl.styles import Alignment, Font, PatternFill

from offices import Sheet

BOLD = Font(bold=True)
YELLOW, GREY, GREEN = (PatternFill("solid", fgColor=c) for c in ("FFF2CC", "D9D9D9", "C6EFCE"))
NB, NNB = "\u00a0", "\u202f"


def packed(wb, part="", cached=None):
    raw, out = io.BytesIO(), io.BytesIO()
    wb.save(raw)
    with zipfile.ZipFile(raw) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "docProps/core.xml":
                data = re.sub(rb"\d{4}-\d\d-\d\dT[\d:]+Z", b"2024-05-02T08:00:00Z", data)
            if name == f"xl/worksheets/{part}.xml":
                text = data.decode()
                for cell, value in (cached or {}).items():
                    text, n = re.subn(
                        rf'(<c r="{cell}"[^>]*><f>[^<]*</f>)<v ?(?:/>|></v>)', rf"\g<1><v>{value!r}</v>", text
                    )
                    assert n == 1, cell
                data = text.encode()
            new.writestr(zipfile.ZipInfo(name, (2024, 5, 2, 8, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def put(ws, row, values, col=1, font=None, fill=None, fmt=None):
    for i, v in enumerate(values):
        c = ws.cell(row, col + i, v)
        if font:
            c.font = font
        if fill:
            c.fill = fill
        if fmt and isinstance(v, (int, float)):
            c.number_format = fmt


def grid(table, label="{}", scale=1):
    return [
        (n, round(v / scale, 6), label.format(i))
        for n, row in table.items()
        for i, v in enumerate(row, 1)
        if v is not None
    ]


def comma(v, digits=3):
    return f"{v:.{digits}f}".replace(".", ",")


MAMMA = {
    "ResNet-50": {
        50: [0.612, 0.587, 0.634],
        100: [0.668, 0.655, 0.641],
        200: [0.709, 0.721, 0.698],
        400: [0.752, 0.744, 0.761],
        800: [0.779, 0.786, 0.771],
    },
    "DINOv2 ViT-S": {
        50: [0.688, 0.671, 0.702],
        100: [0.734, 0.718, 0.741],
        200: [0.775, 0.769, 0.782],
        400: [0.803, 0.811, 0.798],
        800: [0.824, 0.829, 0.818],
    },
}


def mamma():
    wb = Workbook()
    ws = wb.active
    ws.title = "Deckblatt"
    for r, row in enumerate(
        [
            ("Projekt", "KI-Pilot Mammakarzinom (HE), Vorversuch"),
            ("Ansprechpartnerin", "Dr. S. Keßler, Tel. -2217"),
            ("Kostenstelle", 4711200),
            ("Stand", date(2024, 3, 14)),
            ("Zielgröße", "Balancierte Genauigkeit auf 312 Testbildern"),
        ],
        2,
    ):
        put(ws, r, row, 2)
    ws = wb.create_sheet("Messwerte")
    put(ws, 1, ["Lernkurven Vorversuch – balancierte Genauigkeit"], font=BOLD)
    put(ws, 3, ["Anzahl Trainingsbilder", "ResNet-50", None, None, "DINOv2 ViT-S"], font=BOLD, fill=GREY)
    put(ws, 4, [None] + ["Lauf 1", "Lauf 2", "Lauf 3*"] * 2, font=BOLD)
    for area in ("A3:A4", "B3:D3", "E3:G3"):
        ws.merge_cells(area)
    for r, n in enumerate(MAMMA["ResNet-50"], 5):
        put(ws, r, [n])
        put(ws, r, MAMMA["ResNet-50"][n] + MAMMA["DINOv2 ViT-S"][n], 2, fmt="0.0%")
    put(ws, 11, ["* Lauf 3 am 12.03. wiederholt (GPU-Ausfall), Werte sind die der Wiederholung"])
    return packed(wb)


PROSTATA = {
    "Siemens Skyra 3T": {
        10: [0.642, 0.598, 0.671],
        20: [0.721, 0.704, 0.733],
        40: [0.779, 0.768, 0.784],
        80: [0.817, 0.812, 0.823],
    },
    "Philips Ingenia 1,5T": {
        10: [0.571, 0.603, 0.549],
        20: [0.658, 0.672, 0.641],
        40: [0.727, 0.735, 0.719],
        80: [0.774, 0.769, 0.781],
    },
    "GE Signa 3T": {10: [0.618, 0.584, 0.627], 20: [0.699, 0.687, 0.712], 40: [0.751, 0.763, 0.758]},
}


def prostata():
    lines = ["Prostata-Segmentierung MRT - Vorversuch;;;;;;", "Dice-Koeffizient, je 3 Läufe;;;;;;", ";;;;;;"]
    for scanner, table in PROSTATA.items():
        lines += [f"Scanner: {scanner};;;;;;", "Patienten (Training);Lauf 1;Lauf 2;Lauf 3;MW;SD;Patienten (Test)"]
        lines += [
            ";".join([str(n), *map(comma, row), comma(mean(row)), comma(stdev(row)), "35"]) for n, row in table.items()
        ]
        lines += [";;;;;;"]
    return ("\r\n".join(lines) + "\r\n").encode("cp1252")


MARK = {
    60: [0.731, 0.702, 0.748],
    150: [0.794, 0.781, 0.803],
    300: [0.838, 0.829, None],
    600: [0.869, 0.874, 0.861],
    1200: [0.893, 0.897, 0.889],
}


def mark():
    wb = Workbook()
    ws = wb.active
    ws.title = "Läufe 2024"
    put(
        ws,
        1,
        [
            "Trainingsumfang",
            "Wiederholung",
            "Fläche unter der Kurve (ROC)",
            "Bearbeiter",
            "Datum",
            "Status",
            "Bemerkung",
        ],
        font=BOLD,
        fill=GREY,
    )
    r = 2
    for k, (n, row) in enumerate(MARK.items()):
        for i, v in enumerate(row, 1):
            put(
                ws,
                r,
                [
                    f"{n:,} Zellbilder".replace(",", "."),
                    i,
                    v,
                    ["Hoffmann", "Yıldız", "Hoffmann"][i - 1],
                    date(2024, 4, 8 + k),
                    "ok" if v else "abgebrochen",
                    None if v else "Speicherplatz voll, wird nicht nachgeholt",
                ],
                fmt="General",
            )
            ws.cell(r, 5).number_format = "DD.MM.YYYY"
            ws.cell(r, 6).fill = GREEN if v else YELLOW
            r += 1
    return packed(wb)


LAMES = {
    60: [64.2, 61.7, 66.3, 62.9, 65.0],
    120: [70.8, 69.2, 72.1, 68.8, 71.3],
    300: [77.5, 76.3, 78.8, 77.1, 75.8],
    600: [81.7, 82.1, 80.8, 82.9, 81.3],
    1200: [85.0, 84.2, 85.8, 84.6, 85.4],
}


def lames():
    wb = Workbook()
    ws = wb.active
    ws.title = "Pilote colon"
    put(ws, 2, ["Exactitude (%) sur 240 lames de test – classification polype / adénome"], 2, font=BOLD)
    put(ws, 4, ["Apprentissage"] + [f"{n:,} lames".replace(",", NB) for n in LAMES], 2, font=BOLD, fill=GREY)
    for i in range(5):
        put(ws, 5 + i, [f"Tirage {i + 1}"] + [row[i] for row in LAMES.values()], 2, fmt="0.0")
    put(ws, 10, ["Moyenne"] + [f"=AVERAGE({c}5:{c}9)" for c in "CDEFG"], 2, font=BOLD)
    put(ws, 11, ["Écart-type"] + [f"=STDEV({c}5:{c}9)" for c in "CDEFG"], 2, font=BOLD)
    cached = {
        f"{c}{r}": round(f(row), 6) for c, row in zip("CDEFG", LAMES.values()) for r, f in ((10, mean), (11, stdev))
    }
    return packed(wb, "sheet1", cached)


COUPES = {
    150: [0.548, 0.571, 0.529],
    300: [0.641, 0.628, 0.653],
    600: [0.712, 0.704, 0.719],
    1200: [0.768, 0.761, 0.773],
    2400: [0.801, 0.806, 0.797],
}


def coupes():
    lines = ["Nombre de coupes;Répétition;Coefficient de Dice"]
    lines += [
        f"{n:,}".replace(",", NNB) + f";{i};{comma(v)}" for n, row in COUPES.items() for i, v in enumerate(row, 1)
    ]
    return ("\r\n".join(lines) + "\r\n").encode("utf-8-sig")


RNA = {
    "Forêt aléatoire": {
        30: [38.5, 41.0, 36.9],
        60: [33.2, 34.8, 31.6],
        120: [28.5, 27.9, 29.3],
        240: [25.1, 24.6, 25.8],
    },
    "SVM linéaire": {30: [41.2, 43.5, 39.8], 60: [34.0, 36.1, 33.4], 120: [27.2, 28.8, 26.7], 240: [22.9, 23.4, 22.1]},
    "XGBoost": {30: [42.8, 40.6, 44.1], 60: [35.5, 34.3, 36.7], 120: [28.1, 29.6, 27.4], 240: [23.8, 23.2, 24.5]},
}


def rna():
    wb = Workbook()
    ws = wb.active
    ws.title = "Présentation"
    for r, row in enumerate(
        [
            ("Projet", "Signature RNA-seq – réponse au traitement"),
            ("Contact", "M. Lefèvre, plateforme bio-informatique"),
            ("Version", "v2 du 06/02/2024"),
            ("Statut", "pilote terminé, en attente du comité"),
        ],
        1,
    ):
        put(ws, r, row)
    ws = wb.create_sheet("Courbes pilotes")
    put(ws, 1, [None, None, "Taux d'erreur"], font=BOLD)
    ws.merge_cells("C1:E1")
    ws["C1"].alignment = Alignment(horizontal="center")
    put(ws, 2, ["Apprentissage", "Tirage", *RNA], font=BOLD, fill=GREY)
    put(ws, 3, ["(patients)", "(n°)", "(%)", "(%)", "(%)"])
    r = 4
    for n in (30, 60, 120, 240):
        for i in range(3):
            put(ws, r, [n, i + 1] + [comma(t[n][i], 1) for t in RNA.values()])
            r += 1
    return packed(wb)


SITES = {
    "CHU de Nantes": {
        40: [(0.583, 0.650), (0.612, 0.665)],
        80: [(0.664, 0.705), (0.648, 0.690)],
        160: [(0.721, 0.755), (0.733, 0.770)],
        320: [(0.774, 0.805), (0.768, 0.795)],
    },
    "CHU de Rennes": {
        40: [(0.541, 0.617), (0.566, 0.633)],
        80: [(0.619, 0.667), (0.637, 0.683)],
        160: [(0.688, 0.725), (0.679, 0.717)],
    },
}


def sites():
    wb = Workbook()
    ws = wb.active
    ws.title = "F1 par site"
    put(ws, 1, ["Biopsies rénales – essai pilote, détection du rejet"], font=BOLD)
    put(ws, 2, ["Critère principal : score F1 (exactitude donnée pour information)"])
    r = 4
    for site, table in SITES.items():
        put(ws, r, [site], font=BOLD, fill=YELLOW)
        ws.merge_cells(start_row=r, end_row=r, start_column=1, end_column=7)
        put(
            ws,
            r + 1,
            ["Biopsies d'apprentissage", "Répétition", "Graine", "Score F1", "Exactitude", "Responsable", "Date"],
            font=BOLD,
        )
        r += 2
        for k, (n, runs) in enumerate(table.items()):
            for i, (f1, acc) in enumerate(runs, 1):
                put(
                    ws,
                    r,
                    [
                        f"n = {n}",
                        i,
                        1000 + 17 * r,
                        f1,
                        acc,
                        "A. Morvan" if "Nantes" in site else "J. Le Goff",
                        date(2023, 11, 6 + k),
                    ],
                    fmt="0.000",
                )
                ws.cell(r, 3).number_format, ws.cell(r, 7).number_format = "0", "DD/MM/YYYY"
                r += 1
        r += 1
    put(ws, r, ["Rennes : n = 320 pas encore disponible (numérisation en cours)"])
    ws.column_dimensions["C"].hidden = True
    return packed(wb)


CXR = {
    "DenseNet-121": {
        250: [0.714, 0.698, 0.727],
        500: [0.762, 0.751, 0.769],
        1000: [0.803, 0.797, 0.811],
        2000: [0.834, 0.829, 0.838],
    },
    "EfficientNet-B0": {
        250: [0.691, 0.706, 0.679],
        500: [0.748, 0.757, 0.739],
        1000: [0.799, 0.792, 0.806],
        2000: [0.841, 0.836, 0.845],
    },
}


def cxr():
    wb = Workbook()
    ws = wb.active
    ws.title = "Runs"
    put(ws, 1, ["Model", "Training images", "Seed", "AUROC", "Test images"], font=BOLD)
    rows = [(m, n, i, v, 1500) for m, t in CXR.items() for n, row in t.items() for i, v in enumerate(row, 1)]
    for r, row in enumerate(rows, 2):
        put(ws, r, row)
        ws.cell(r, 2).number_format = ws.cell(r, 5).number_format = "#,##0"
    ws.freeze_panes = "A2"
    ws.auto_filter.ref = f"A1:E{len(rows) + 1}"
    return packed(wb)


WSI = {
    "ABMIL": (
        "K. Nguyen",
        {50: (0.52, 0.05), 100: (0.61, 0.04), 300: (0.70, 0.02), 600: (0.75, 0.02), 1200: (0.78, 0.01)},
    ),
    "CLAM-SB": (
        "K. Nguyen",
        {50: (0.55, 0.06), 100: (0.63, 0.03), 300: (0.72, 0.03), 600: (0.76, 0.01), 1200: (0.79, 0.01)},
    ),
    "TransMIL": (
        "R. Ortiz",
        {50: (0.47, 0.07), 100: (0.58, 0.05), 300: (0.71, 0.03), 600: (0.77, 0.02), 1200: (0.81, 0.01)},
    ),
}


def wsi():
    sizes = [f'"n = {n:,}"' if n > 999 else f"n = {n}" for n in WSI["ABMIL"][1]]
    lines = [
        "Renal tumor subtyping pilot - Core Pathology Imaging Lab" + "," * 6,
        '"Macro F1, mean ± SD over 10 random splits; n = training slides"' + "," * 6,
        "," * 6,
        ",".join(["Model", *sizes, "Owner"]),
    ]
    lines += [",".join([m, *(f"{a:.2f} ± {s:.2f}" for a, s in t.values()), who]) for m, (who, t) in WSI.items()]
    return ("\n".join(lines) + "\n").encode("utf-8")


PATCH = {100: [271, 263, 280], 200: [297, 301, 292], 500: [324, 319, 327], 1500: [346, 343, 349]}


def patch():
    wb = Workbook()
    ws = wb.active
    ws.title = "Info"
    for r, row in enumerate(
        [
            ("Project", "Mitosis patch classifier - pilot"),
            ("PI / Contact", "L. Whitaker, x5531"),
            ("Grant", "internal seed fund"),
        ],
        1,
    ):
        put(ws, r, row)
    ws = wb.create_sheet("Pilot results")
    put(
        ws,
        1,
        ["Training patches", "Split", "Test patches", "Correct", "Accuracy", "Run by", "Status"],
        font=BOLD,
        fill=GREY,
    )
    r, cached = 2, {}
    for n, row in PATCH.items():
        ws.merge_cells(f"A{r}:A{r + 2}")
        for i, k in enumerate(row):
            put(
                ws,
                r,
                [n if i == 0 else None, "ABC"[i], 400, k, f"=D{r}/C{r}", "Dana" if i < 2 else "Luis", "done"][
                    1 if i else 0 :
                ],
                2 if i else 1,
            )
            ws.cell(r, 5).number_format, ws.cell(r, 5).fill = "0.0%", GREEN if k >= 320 else YELLOW
            ws.cell(r, 1).number_format = "#,##0"
            cached[f"E{r}"] = k / 400
            r += 1
    put(ws, r, ["Total", 12, "=SUM(C2:C13)", "=SUM(D2:D13)", "=D14/C14"], font=BOLD)
    ws.cell(r, 5).number_format = "0.0%"
    total = sum(map(sum, PATCH.values()))
    cached |= {"C14": 4800, "D14": total, "E14": total / 4800}
    return packed(wb, "sheet2", cached)


SHEETS: list[Sheet] = [
    Sheet(
        "Lernkurven_Pilot_Mamma.xlsx",
        mamma,
        {m: grid(t, "Lauf {}") for m, t in MAMMA.items()},
        "balanced accuracy",
        "images",
        about="German; cover sheet, two models under merged headings, per cent as cell format, header 'Lauf 3*' with a note below",
    ),
    Sheet(
        "Prostata_Scanner_Vorversuch.csv",
        prostata,
        {m: grid(t, "Lauf {}") for m, t in PROSTATA.items()},
        "Dice",
        "patients",
        about="German, semicolons, decimal commas, cp1252; scanners as blocks one below the other, MW/SD/number of test patients beside; last block one size shorter",
    ),
    Sheet(
        "Knochenmark_Läufe.xlsx",
        mark,
        {None: [(n, v, str(i)) for n, v, i in grid(MARK)]},
        "AUROC",
        "images",
        about="German; a row per run, sizes as text '1.200 Zellbilder', Bearbeiter/Datum/Status/Bemerkung, one aborted run without a score",
    ),
    Sheet(
        "pilote_colon_lames.xlsx",
        lames,
        {None: grid(LAMES, "Tirage {}", 100)},
        "accuracy",
        "slides",
        about="French; empty first row and column, sizes across the top as '1 200 lames' (no-break space), 0-100 under '%', formula rows for mean and SD with cached values",
    ),
    Sheet(
        "courbe_apprentissage_IRM.csv",
        coupes,
        {None: grid(COUPES)},
        "Dice",
        "slices",
        about="French, plain: semicolons, decimal commas, UTF-8 with BOM, sizes with a narrow no-break space as thousands separator",
    ),
    Sheet(
        "signature_RNAseq_pilote.xlsx",
        rna,
        {m: grid(t, "{}", 100) for m, t in RNA.items()},
        "error rate",
        "patients",
        about="French; cover sheet, three models beside each other under a merged 'Taux d'erreur', units in a row of their own, decimal commas typed as text",
    ),
    Sheet(
        "biopsies_rein_par_site.xlsx",
        sites,
        {s: [(n, f1, str(i)) for n, runs in t.items() for i, (f1, _) in enumerate(runs, 1)] for s, t in SITES.items()},
        "F1",
        "biopsies",
        options="The sheet also holds accuracy (exactitude) beside the F1 score; it names F1 as the main criterion, so F1 is what is expected here.",
        about="French; sites as blocks with merged coloured headings, sizes 'n = 40', two metrics with the main one named in a line above, hidden seed column, note below",
    ),
    Sheet(
        "cxr_pilot_runs.xlsx",
        cxr,
        {m: grid(t) for m, t in CXR.items()},
        "AUROC",
        "images",
        about="American, plain: a row per run with model, size, seed, AUROC, number of test images; filter and frozen header",
    ),
    Sheet(
        "renal_wsi_pilot_summary.csv",
        wsi,
        {m: [(n, a) for n, (a, _) in t.items()] for m, (_, t) in WSI.items()},
        "macro F1",
        "slides",
        about="American, commas; two title lines, models down and sizes across ('n = 1,200' quoted), only means as '0.70 ± 0.02', owner column",
    ),
    Sheet(
        "mitosis_patch_pilot.xlsx",
        patch,
        {None: [(n, k / 400, "ABC"[i]) for n, row in PATCH.items() for i, k in enumerate(row)]},
        "accuracy",
        "patches",
        about="American; info sheet first, size merged down over its splits, accuracy as a formula with cached value from correct/test counts, coloured cells, total row",
    ),
]
