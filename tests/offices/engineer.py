"""Ten tables of pilot learning curves as machine-learning and hospital-IT engineers keep them."""

from __future__ import annotations

import csv
import io
import json
import random
import re
import zipfile
from datetime import datetime, timedelta

import openpyxl
from openpyxl.styles import Font

from offices import Sheet


def _power(key, sizes, splits, limit, scale, rate, noise, digits):
    r = random.Random(key)
    return [
        (n, round(limit + scale * n**-rate + r.gauss(0, noise * (sizes[0] / n) ** 0.35), digits), s)
        for n in sizes
        for s in splits
    ]


def _comma(x, digits):
    return f"{x:.{digits}f}".replace(".", ",")


def _hex(key, length=32):
    return "".join(random.Random(str(key)).choices("0123456789abcdef", k=length))


def _xlsx(tabs, bold=(1,), width=14):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in tabs:
        tab = book.create_sheet(title)
        for row in rows:
            tab.append(row)
        for line in bold:
            for cell in tab[line] if line <= len(rows) and rows[line - 1] else ():
                cell.font = Font(bold=True)
        for letter in "ABCDEF":
            tab.column_dimensions[letter].width = width
    raw, out = io.BytesIO(), io.BytesIO()
    book.save(raw)
    with zipfile.ZipFile(raw) as a, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as b:
        for item in a.infolist():
            data = a.read(item.filename)
            if item.filename == "docProps/core.xml":
                data = re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", b"2024-05-17T08:00:00Z", data)
            b.writestr(zipfile.ZipInfo(item.filename, (2024, 5, 17, 8, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _pivot(points):
    table = {}
    for n, y, s in points:
        table.setdefault(n, {})[s] = y
    return table


_LAEUFE = [f"Lauf {i}" for i in range(1, 6)]
_STURZ = [
    p
    for p in _power("sturz", [100, 200, 400, 800, 1600, 3200], _LAEUFE, 0.862, -1.35, 0.45, 0.016, 3)
    if (p[0], p[2]) != (1600, "Lauf 4")
]


def _sturz():
    rows = [
        ["Pilot Sturzrisiko, Klinikum Nord: Lernkurve"],
        ["Zielgröße: AUROC auf festem Testset (640 Fälle)", None, None, None, None, "Stand:", "14.03.2024"],
        [],
        ["Trainingsfälle", *_LAEUFE, "Mittelwert", "Stabw."],
    ]
    for n, by in _pivot(_STURZ).items():
        ys = list(by.values())
        m = sum(ys) / len(ys)
        sd = (sum((y - m) ** 2 for y in ys) / (len(ys) - 1)) ** 0.5
        cells = [_comma(by[s], 3) if s in by else "–" for s in _LAEUFE]
        rows.append([f"{n:,}".replace(",", "."), *cells, _comma(m, 3), _comma(sd, 3)])
    rows += [[], ["Lauf 4 bei 1.600 abgebrochen (Speicher), nicht wiederholt."]]
    return _xlsx([("Lernkurve", rows), ("Tabelle2", [[]])], bold=(1, 4))


_OBER = {
    "efficientnet_b0": _power("ob0", [250, 500, 1000, 2000], ["11", "12", "13"], 0.968, -3.1, 0.52, 0.009, 4),
    "resnet50": _power("ob1", [250, 500, 1000, 2000], ["11", "12", "13"], 0.957, -4.4, 0.55, 0.011, 4),
}


def _ober():
    head = (
        "Run ID;Startzeit;Dauer;Status;Benutzer;Version;params.modell;params.n_bilder_train;params.seed;"
        "params.lr;params.batch_size;metrics.train_acc;metrics.val_acc;metrics.test_acc"
    )
    lines, r, t = [], random.Random("ober"), datetime(2024, 2, 5, 8, 12, 40)
    for model, points in _OBER.items():
        lines.append(head)
        for n, y, s in points:
            bad = (model, n, s) in {("resnet50", 500, "12"), ("efficientnet_b0", 2000, "11")}
            for status in ["FAILED", "FINISHED"] if bad else ["FINISHED"]:
                minutes = 2.1 + n / 110 + r.random()
                ok = status == "FINISHED"
                train = _comma(min(0.9995, y + 0.03 + r.random() * 0.02), 4) if ok else "nan"
                val = _comma(y + r.gauss(0.002, 0.006), 4) if ok else ""
                lr = "0,0003" if model == "resnet50" else "0,0005"
                lines.append(
                    f"{_hex((model, n, s, status))};{t:%d.%m.%Y %H:%M:%S};{_comma(minutes, 1)}min;{status};mkeller;"
                    f"{_hex(model, 7)};{model};{n};{s};{lr};32;{train};{val};{_comma(y, 4) if ok else ''}"
                )
                t += timedelta(minutes=minutes + 0.3)
    return ("\r\n".join(lines) + "\r\n").encode("utf-8-sig")


_BELEGE = _power("belege", [600, 1200, 2400, 6000, 12000, 24000], ["A", "B", "C"], 0.021, 4.6, 0.55, 0.007, 3)


def _belege():
    lines = [
        "# Belegklassifikation Eingangspost, Pilot Q1",
        "# Anteil bezogen auf den Trainingspool (24.000 Belege), Test immer dieselben 3.000 Belege",
        "Anteil\tSplit\tFehlerrate Test\tLaufzeit (min)",
    ]
    for n, y, s in _BELEGE:
        share = f"{n / 240:g}".replace(".", ",")
        lines.append(f"{share} %\t{s}\t{_comma(100 * y, 1)} %\t{round(3 + n / 400)}")
    return ("\n".join(lines) + "\n").encode()


_CR = {
    "CamemBERT": _power("cr0", [50, 100, 250, 500, 1000, 2000], [""], 0.921, -2.4, 0.53, 0.006, 3),
    "DrBERT": _power("cr1", [50, 100, 250, 500, 1000], [""], 0.934, -2.2, 0.55, 0.006, 3),
    "TF-IDF + SVM": _power("cr2", [50, 100, 250, 500, 1000, 2000], [""], 0.868, -1.5, 0.45, 0.006, 3),
}


def _cr():
    notes = [
        ["Pilote codage des comptes rendus d'imagerie, DSI / pôle données"],
        ["F1 macro sur le jeu de test (800 CR), moyenne ± écart-type sur 5 graines"],
        ["Objectif de mise en service : 0,90"],
        ["n.d. = pas encore lancé (GPU indisponible)"],
    ]
    r, rows = random.Random("cr"), [["Nb CR annotés (apprentissage)", *_CR]]
    for n in [50, 100, 250, 500, 1000, 2000]:
        row = [n]
        for points in _CR.values():
            y = {p[0]: p[1] for p in points}.get(n)
            sd = 0.03 * (50 / n) ** 0.4 * r.uniform(0.7, 1.3)
            row.append("n.d." if y is None else f"{_comma(y, 3)} ± {_comma(sd, 3)}")
        rows.append(row)
    return _xlsx([("Lisez-moi", notes), ("Résultats", rows)], width=26)


_TICKETS = _power("tickets", [200, 500, 1000, 2000, 5000], ["1", "2", "3"], 0.904, -3.2, 0.48, 0.012, 4)


def _tickets():
    lines, r = ["date;nb_tickets_app;graine;jeu;métrique;valeur;durée_s;commit"], random.Random("tickets2")
    for i, (n, y, s) in enumerate(_TICKETS):
        date, end = f"{11 + i // 6:02d}/03/2024", f"{60 + n // 9 + r.randrange(20)};{_hex('tk', 7)}"
        f1 = y - 0.045 + r.gauss(0, 0.006)
        for jeu, shift in (("validation", r.gauss(0.006, 0.004)), ("test", 0)):
            lines.append(f"{date};{n};{s};{jeu};exactitude;{_comma(y + shift, 4)};{end}")
            lines.append(f"{date};{n};{s};{jeu};F1 macro;{_comma(f1 + (shift and shift + r.gauss(0, 0.003)), 4)};{end}")
    return ("\r\n".join(lines) + "\r\n").encode("cp1252")


_PLIS = [f"pli{i}" for i in range(1, 6)]
_READM = {
    "RegLog": _power("re0", [368, 736, 1472, 3680, 7360], _PLIS, 0.728, -1.9, 0.5, 0.014, 6),
    "LightGBM": _power("re1", [368, 736, 1472, 3680, 7360], _PLIS, 0.771, -3.0, 0.5, 0.015, 6),
}


def _readm():
    tabs, r = [], random.Random("readm")
    for model, points in _READM.items():
        rows = [[None, "train_sizes", *(f"train_{p}" for p in _PLIS), *(f"test_{p}" for p in _PLIS), "fit_time_moy"]]
        for i, (n, by) in enumerate(_pivot(points).items()):
            gap = (0.9 if model == "RegLog" else 4.0) * n**-0.4
            train = [round(min(1.0, y + gap + r.gauss(0, 0.004)), 6) for y in by.values()]
            rows.append(
                [
                    i,
                    n,
                    *train,
                    *by.values(),
                    round((0.02 + n / 5100) * (1 if model == "RegLog" else 2.7) * r.uniform(0.9, 1.1), 4),
                ]
            )
        tabs.append((model, rows))
    params = [
        ["paramètre", "valeur"],
        ["cible", "réadmission à 30 jours"],
        ["scoring", "roc_auc"],
        ["cv", "StratifiedKFold(n_splits=5, shuffle=True, random_state=42)"],
        ["train_sizes", "nombre de séjours d'apprentissage (80 % de 9200 au maximum)"],
        ["sklearn", "1.4.1"],
    ]
    return _xlsx([*tabs, ("params", params)])


_CXR = {
    "densenet121": _power("cx0", [920, 1840, 4600, 9200, 18400], ["0", "1", "2"], 0.948, -5.2, 0.5, 0.009, 5),
    "convnext_tiny": _power("cx1", [920, 1840, 4600, 9200, 18400], ["0", "1", "2"], 0.966, -7.4, 0.52, 0.011, 5),
}


def _cxr():
    head = "Name,State,Notes,User,Tags,Created,Runtime,Sweep,arch,batch_size,data.frac,data.n_total,epochs,lr,seed"
    rows, r = [], random.Random("cxr")
    jobs = [(m, *p, "finished") for m, points in _CXR.items() for p in points]
    jobs.insert(7, ("densenet121", 4600, 0.71264, "1", "crashed"))
    jobs.insert(19, ("convnext_tiny", 1840, None, "0", "failed"))
    for i, (m, n, y, s, state) in enumerate(jobs):
        done = {"finished": 30, "crashed": 3, "failed": None}[state]
        loss = None if done is None else round(r.uniform(0.05, 0.12) if done == 30 else 0.48812, 5)
        val = None if y is None else round(y + r.gauss(0.003, 0.004), 5)
        created = f"2024-05-{13 + i // 9:02d}T{8 + i % 9:02d}:{r.randrange(60):02d}:07.000Z"
        run = 9 if done is None else int(done * (20 + n / 60)) + r.randrange(60)
        rows.append(
            [f"cxr-ptx-f{n / 18400:g}-s{s}-{_hex((m, n, s, state), 4)}", state, "-", "jmartin", "pilot", created]
        )
        rows[-1] += [run, "k3v9x0qe", m, 64, f"{n / 18400:g}", 18400, 30, "0.0001", s, done, loss, val, y]
    out = io.StringIO()
    names = [*head.split(","), "epoch", "train/loss", "val/auroc", "test/auroc"]
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([names, *rows[::-1]])
    return out.getvalue().encode()


_INTENT = _power("intent", [500, 1000, 2000, 4000, 8000], ["0", "1", "2"], 0.291, 7.9, 0.5, 0.018, 4)


def _intent():
    lines, t, r = [], datetime(2024, 4, 2, 21, 3, 11), random.Random("intent2")
    for n, y, s in _INTENT:
        for oom in [True, False] if (n, s) == (4000, "1") else [False]:
            base = {"run": _hex((n, s, oom), 8), "n_train": n, "seed": int(s)}
            events = [{"event": "start", "lr": 2e-05, "batch_size": 16, "git": _hex("intent", 7)}]
            for epoch, more in ((1, 0.35), (3, 0.06)):
                train, val = round(y + more - 0.1 + r.gauss(0, 0.01), 4), round(y + more / 2 + r.gauss(0, 0.01), 4)
                events.append({"event": "epoch", "epoch": epoch, "train_nll": train, "val_nll": val})
            if oom:
                events[2:] = [{"event": "error", "exc": "torch.cuda.OutOfMemoryError: CUDA out of memory"}]
            else:
                events.append({"event": "final", "test_nll": y, "wall_s": 3 * (20 + n // 30)})
            for event in events:
                t += timedelta(seconds=20 + n // 30)
                lines.append(
                    json.dumps(
                        {"ts": t.isoformat() + "Z", "level": "error" if "exc" in event else "info", **base, **event}
                    )
                )
    return ("\n".join(lines) + "\n").encode()


_SEEDS = ["seed 0", "seed 1", "seed 2"]
_WELD = {
    "ViT-S/16": _power("we0", [1000, 2500, 5000, 10000, 20000], _SEEDS, 0.031, 12.5, 0.59, 0.012, 3),
    "ResNet-50": _power("we1", [1000, 2500, 5000, 10000, 20000], _SEEDS, 0.052, 5.2, 0.55, 0.009, 3),
}


def _weld():
    lines = [
        "Weld defect pilot, label budget sweep (pasted from the wiki)",
        "top-1 err (%) on the held-out test set, 4,000 images, fixed. train imgs = labeled images used for fine-tuning.",
        "",
        "| train imgs | model     | seed 0 | seed 1 | seed 2 | mean |",
        "|-----------:|:----------|-------:|-------:|-------:|-----:|",
    ]
    tables = {m: _pivot(points) for m, points in _WELD.items()}
    for n in tables["ViT-S/16"]:
        for model, table in tables.items():
            ys = [100 * y for y in table[n].values()]
            cells = " | ".join(f"{y:6.1f}" for y in ys)
            lines.append(f"| {f'{n / 1000:g}k':>10} | {model:<9} | {cells} | {sum(ys) / 3:4.1f} |")
    lines += ["", "20k is everything we have labeled so far. Ask Priya before ordering more."]
    return ("\n".join(lines) + "\n").encode()


_SEPSIS = _power("sepsis", [200, 400, 800, 1600, 3200], ["1", "2", "3", "4"], 0.874, -1.8, 0.44, 0.017, 4)


def _sepsis():
    return _xlsx([("pilot", [["n_patients", "seed", "AUROC"], *([n, int(s), y] for n, y, s in _SEPSIS)])])


SHEETS: list[Sheet] = [
    Sheet(
        "Lernkurve_Sturzrisiko_v3.xlsx",
        _sturz,
        {None: _STURZ},
        "AUROC",
        "cases",
        about="German: sizes down, runs across, decimal commas and 1.600 typed as text, a dash for a lost run, mean and SD columns, empty second tab.",
    ),
    Sheet(
        "mlflow_export_oberflaeche.csv",
        _ober,
        _OBER,
        "accuracy",
        "images",
        about="German: MLflow export with semicolons, decimal commas and BOM, header repeated between two models, FAILED runs repeated later, train/val/test accuracy.",
    ),
    Sheet(
        "fehlerraten_belege.tsv",
        _belege,
        {None: _BELEGE},
        "error rate",
        "documents",
        about="German: rather plain tab-separated file, # lines state the total of 24.000, sizes as percentages of it, error rate in percent.",
    ),
    Sheet(
        "comparatif_modeles_CR.xlsx",
        _cr,
        {m: [p[:2] for p in c] for m, c in _CR.items()},
        "macro F1",
        "reports",
        about="French: read-me tab first, models across, '0,842 ± 0,011' text cells (only means), one n.d.",
    ),
    Sheet(
        "resultats_tickets.csv",
        _tickets,
        {None: _TICKETS},
        "accuracy",
        "tickets",
        "Of the two metrics, accuracy (exactitude) is wanted, not the macro F1.",
        "French: long format with metric/value columns, two metrics, validation and test rows, Windows-1252, decimal commas.",
    ),
    Sheet(
        "learning_curve_readmission.xlsx",
        _readm,
        _READM,
        "AUROC",
        "hospital stays",
        about="French: sklearn learning_curve by pandas to_excel with index, train and test folds across, a tab for each model, a tab of parameters.",
    ),
    Sheet(
        "wandb_export_2024-05-17T10_42_03.412-04_00.csv",
        _cxr,
        _CXR,
        "AUROC",
        about="American: W&B export, newest first, fraction and total in columns, two archs, one failed and one crashed run (with an early score) rerun.",
    ),
    Sheet(
        "intent_runs.jsonl",
        _intent,
        {None: _INTENT},
        "log loss",
        about="American: JSON-lines log of start, epoch, error and final events; the test NLL is only in the final ones; one run out of memory and rerun.",
    ),
    Sheet(
        "weld_lc_wiki_paste.txt",
        _weld,
        _WELD,
        "error rate",
        "images",
        about="American: markdown table with bars between sentences, k-suffix sizes, top-1 error in percent, seeds across with a mean, two models in rows.",
    ),
    Sheet(
        "sepsis_pilot.xlsx",
        _sepsis,
        {None: _SEPSIS},
        "AUROC",
        "patients",
        about="American: plain three-column workbook, one row for each run.",
    ),
]
