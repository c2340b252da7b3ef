"""The page in a real browser: paste, change, err, take away, share; by keyboard, on a phone, in the dark."""

import json
import re
from contextlib import contextmanager

import pytest

from apexgp import learn_beliefs
from apexgp.priors import write_priors
from conftest import pilot_table, require
from curves_to_learn_from import whole_curve
from serving import lines_through_words, send, shaded_edges

pytestmark = pytest.mark.slow  # a browser starts

SPREADSHEET = "Size\tScore\n60\t0,66\n94\t0,70\n147\t0,72\n230\t0,75\n360\t0,76\n".lower()
NASTY = "<script>alert(1)</script>"
IMAGE = "<img src=x onerror=alert(1)>"


@contextmanager
def opened(chromium, server, fragment="", expected=(), **settings):
    """A page that asks no other host, complains of nothing but what is `expected`, and runs no dialogue."""
    context = chromium.new_context(**settings)
    page = context.new_page()
    page.set_default_timeout(120_000)  # a hang, not a slow machine, is what this ends
    complaints, elsewhere = [], []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
    page.on(
        "request",
        lambda request: (
            elsewhere.append(request.url) if not request.url.startswith((server, "blob:", "data:")) else None
        ),
    )
    page.goto(server + fragment)
    page.wait_for_selector("#examples button")
    yield page
    context.close()
    assert elsewhere == []
    assert [one for one in complaints if not any(word in one for word in expected)] == []


@pytest.fixture
def open_page(chromium, server):
    return lambda *given, **settings: opened(chromium, server, *given, **settings)


def answered(page, words):
    """Wait until the answer holds these words; the whole of it."""
    page.wait_for_function(
        "words => document.querySelector('#lead').textContent.replaceAll('\\u00a0', ' ').includes(words)"
        " && document.querySelector('#problem').hidden && !document.querySelector('#result').hidden"
        " && document.querySelector('#answer').getAttribute('aria-busy') === 'false'",
        arg=words,
    )
    return plain(page.text_content("#lead"))


def plain(text):
    """Text as documents have it: on the page a space before a per cent sign does not break."""
    return text.replace("\N{NO-BREAK SPACE}", " ")


def advised(page, words):
    """Scroll to what more measuring would change, and wait until it holds these words; all of it."""
    page.locator("#help-title").scroll_into_view_if_needed()
    page.wait_for_function(
        "words => document.querySelector('#advice').textContent.includes(words)"
        " && document.querySelector('#help').getAttribute('aria-busy') === 'false'",
        arg=words,
    )
    return plain(page.text_content("#advice"))


def paste(page, text, selector="#paste"):
    page.focus(selector)
    page.evaluate(
        """([text, selector]) => {
            const data = new DataTransfer();
            data.setData("text/plain", text);
            const target = document.querySelector(selector);
            const event = new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true});
            if (target.dispatchEvent(event)) {
                target.value += text;
                target.dispatchEvent(new Event("input", {bubbles: true}));
            }
        }""",
        [text, selector],
    )


def correct(page, where, text):
    """Write something else into a cell of the sheet."""
    page.fill(f"[data-cell={where}]", text)
    page.press(f"[data-cell={where}]", "Enter")


def role(page, letter):
    """What a column is taken for, by the words of its control."""
    return page.locator(f"select[data-column={letter}] option:checked").inner_text()


def workbook(path, **sheets):
    book = require("openpyxl").Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_pasted_pairs_are_answered_and_every_change_follows(open_page, server):
    with open_page() as page:
        assert page.is_hidden("#result")
        paste(page, SPREADSHEET)
        first = answered(page, "18,000 training examples")
        assert page.input_value("#paste") == ""
        assert page.is_hidden("#grid-frame")
        scores = [page.input_value(f"[data-cell=B{row}]") for row in range(1, 7)]
        assert scores == ["score", "0,66", "0,70", "0,72", "0,75", "0,76"]
        assert (role(page, "A"), role(page, "B")) == ("Sizes", "Scores")
        correct(page, "B6", "0,79")
        page.wait_for_function("old => document.querySelector('#lead').textContent !== old", arg=first)
        paste(page, "350\t0,78\n360\t0,79\n700\t0,9", "[data-cell=A5]")  # what is beyond the sheet is not its own
        answered(page, "times the pilot's 360")
        page.wait_for_function("() => document.querySelector('[data-cell=B5]').value === '0,78'")
        page.click("#undo")
        page.wait_for_function("() => document.querySelector('[data-cell=B5]').value === '0,75'")
        page.fill("#target", "85 %")
        assert "0.85" in answered(page, "0.85")
        page.fill("#at", "720, 20k")
        answered(page, "20,000 training examples")
        # The numbers are those that the command prints with --json.
        table = SPREADSHEET.replace("0,76", "0,79")
        facts = send(server, "/api/forecast", {"table": table, "target": 0.85, "at": ["720", "20k"]})[2]
        assert plain(page.text_content("#lead")) == facts["sentence"]
        cells = page.locator("#forecast-table tbody tr").last.inner_text().split()
        row = facts["forecast"][-1]
        assert cells[:3] == ["20,000", "55.6", f"{row['mean']:.3f}"]


def test_what_is_pasted_into_a_cell_goes_over_the_rows_from_there_on(open_page):
    with open_page("#rows=60,0.66;94,0.7;147,0.72;230,0.75;360,0.76") as page:
        answered(page, "times the pilot's 360")
        paste(page, "360\t0.80\n564\t0.81", "#rows tr:nth-child(5) input")
        page.wait_for_function("() => document.querySelectorAll('#rows input[name=size]')[5].value === '564'")
        answered(page, "times the pilot's 564")
        page.go_back()
        answered(page, "times the pilot's 360")
        # What is no one clean curve is shown as it is.
        paste(page, "cases\tAUC\tremark\n60\t0.6\tx\n94\to.7\ty\n147\t0.72\tz\n", "#rows tr:nth-child(5) input")
        page.wait_for_selector("#sheet-view:not([hidden])")
        assert page.is_hidden("#grid-frame")


def test_a_wrong_row_is_told_beside_it(open_page):
    link = "#rows=" + ";".join(pilot_table().splitlines()[1:])
    with open_page(link, expected=["422"]) as page:
        answered(page, "28,200")
        wrong = page.locator("#rows input[name=score]").nth(2)
        wrong.fill("abc")
        fault = page.locator("#rows tr.fault")
        fault.wait_for()
        assert fault.inner_text().strip() == "expected a number, got 'abc'. Correct it, or leave out this row."
        assert page.locator("#rows tr").nth(3).get_attribute("class") == "fault"  # right below the third
        assert wrong.get_attribute("aria-invalid") == "true"
        assert wrong.get_attribute("aria-describedby") == fault.locator("td").nth(1).get_attribute("id")
        assert page.text_content("#problem").startswith("Row 3: expected a number, got 'abc'.")
        assert page.locator("#downloads button").first.is_disabled()
        wrong.fill("0.7")
        answered(page, "28,200")
        assert page.locator("#rows tr.fault").count() == 0
        # A row that is not finished yet is left out, and says so.
        page.locator("#rows input[name=size]").last.fill("900")
        page.wait_for_selector("#rows tr.fault.mild")
        assert "the score is missing" in page.inner_text("#rows tr.fault")
        answered(page, "28,200")
        # A control at fault has its message beside it.
        page.fill("#target", "7")
        page.wait_for_selector("#target[aria-invalid=true]")
        assert "“Score to reach” must be a score" in page.inner_text("#settings-problem")
        page.set_input_files("#file", {"name": "a.xlsx", "mimeType": "", "buffer": b"PK\x03\x04 and then nothing"})
        page.wait_for_selector("#read-problem:not([hidden])")
        assert page.is_visible("#grid-frame")  # as it was


def test_what_more_measuring_would_change_follows_the_forecast(open_page, server):
    link = "#rows=60,0.66;94,0.7;147,0.72;230,0.75;360,0.76&target=0.8&level=0.95&budget=2"
    with open_page(link, expected=["422"]) as page:
        asked = []
        page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/advice") else None)
        answered(page, "18,000 training examples")
        assert asked == []  # nobody looks at it yet
        said = advised(page, "with 2 models to train ")
        rows = SPREADSHEET.replace(",", ".")
        fields = {"table": rows, "target": 0.8, "budget": 2}
        advice = send(server, "/api/page/advice", fields)[2]
        assert said == advice["design"]["sentence"]
        shown = [plain(row.inner_text()).split("\t") for row in page.locator("#advice-table tbody tr").all()]
        assert shown == advice["table"]["rows"]
        assert plain(page.text_content("#advice-note")) == advice["note"]
        assert page.text_content("#shell").endswith(advice["shell"])
        # What does not matter to it is not asked again; what matters is.
        page.fill("#level", "0.9")
        answered(page, "90 %")
        advised(page, "with 2 models to train ")
        assert len(asked) == 1
        page.fill("#budget", "1")
        advised(page, "with 1 model to train ")
        assert page.url.endswith("&budget=1")
        # A control at fault has its message beside it, and the forecast stands.
        page.fill("#available", "100")
        page.wait_for_selector("#available[aria-invalid=true]")
        assert "must be at least 360" in page.inner_text("#next-problem")
        assert page.is_hidden("#problem")
        assert page.inner_text("#advice-table") == ""
        page.fill("#available", "1,000")
        advised(page, "with 1 model to train ")
        assert page.locator("#next-problem").count() == 0
        page.locator("#rows input[name=score]").nth(4).fill("0.79")
        answered(page, "0.790")
        advised(page, "with 1 model to train ")
        assert "1,000" in page.inner_text("#advice-table")


def test_one_score_is_answered(open_page):
    with open_page("#rows=200,0.78&averaged_over=Several") as page:
        answered(page, "10,000 training examples")
        assert "One size shows no trend" in page.inner_text("#cautions")
        assert "Give the number with “Runs behind each score”" in page.inner_text("#cautions")
        page.fill("#averaged_over", "")
        page.locator("#cautions", has_text="counts as one run").wait_for()


@pytest.mark.parametrize("viewport", [{"width": 1366, "height": 768}, {"width": 390, "height": 844}])
def test_a_target_has_its_range_a_promise_and_words_for_a_grant(open_page, viewport):
    link = "#rows=60,0.66,a;60,0.67,b;147,0.72,a;147,0.73,b;360,0.76,a;360,0.77,b&metric=auroc&at=10x"
    with open_page(link, viewport=viewport) as page:
        answered(page, "3,600 training examples")
        assert page.is_hidden("#for-grant")
        page.fill("#target", "0.78")
        lead = answered(page, "under other reasonable assumptions it takes ")
        (promised,) = re.findall(r"80 % that the true mean is at least ([\d.]+)\.", lead)
        table = plain(page.inner_text("#forecast-table"))
        assert "at least, with 80 %" in " ".join(table.split())
        assert promised in table.split()
        page.locator("#for-grant summary").click()
        assert "We therefore plan for" in page.inner_text("#grant")


def test_each_thing_can_be_taken_away(open_page, server, tmp_path):
    link = "#rows=60,0.66,a;94,0.7,a;147,0.72,a;230,0.75,a;360,0.76,a&metric=auroc&target=0.78&at=2x,10x&cost=12"
    link += "&penalty=50000&budget=1"
    with open_page(link, accept_downloads=True, permissions=["clipboard-read", "clipboard-write"]) as page:
        answered(page, "3,600 training examples")
        assert page.is_visible("#plan-table tbody tr")
        advised(page, "with 1 model to train ")
        saved = {}
        for kind in ("svg", "png", "csv", "measurements", "json", "python", "report"):
            with page.expect_download() as waiting:
                page.click(f"[data-take={kind}]")
            saved[kind] = tmp_path / waiting.value.suggested_filename
            waiting.value.save_as(saved[kind])
            assert saved[kind].name in page.text_content("#taken")
        table = saved["measurements"].read_text()
        asked = {"table": table, "target": 0.78, "at": ["2x", "10x"]}
        facts = send(server, "/api/forecast", asked)[2]
        kept = json.loads(saved["json"].read_text())
        assert kept["forecast"] == facts
        costs = {"table": table, "target": 0.78, "cost": 12, "penalty": 50000}
        assert kept["plan"] == send(server, "/api/plan", costs)[2]
        assert kept["design"] == send(server, "/api/design", asked | {"budget": 1})[2]
        assert "design_pilot(model, budget=1, at=[720, 3600], target=0.78)" in saved["python"].read_text()
        assert "with 1 model to train " in saved["report"].read_text()
        assert saved["svg"].read_text().startswith("<svg ")
        png = saved["png"].read_bytes()
        assert png[:8] == b"\x89PNG\r\n\x1a\n"
        assert int.from_bytes(png[16:20]) == 1600
        assert len(png) > 30_000  # not a blank sheet
        assert float(saved["csv"].read_text().splitlines()[-1].split(",")[1]) == facts["forecast"][-1]["mean"]
        assert "APExGP()" in saved["python"].read_text()
        assert saved["report"].read_text().lower().startswith("<!doctype html>")
        page.click("[data-take=link]")
        page.wait_for_function("() => document.querySelector('#taken').textContent.includes('clipboard')")
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == page.url
        lead = plain(page.text_content("#lead"))
    with open_page(copied.removeprefix(server)) as page:  # somebody else opens the link
        assert answered(page, "3,600 training examples") == lead
        assert page.input_value("#cost") == "12"
        page.click("#backtest summary")
        page.wait_for_selector("#backtest-table tbody tr")
        assert "One size was held out" in page.inner_text("#backtest-sentence")
        page.click("#doubts summary")
        page.wait_for_selector("#changes-table tbody tr")
        assert "What moves it most: " in page.inner_text("#changes-sentence")
        assert page.locator("#changes-figure svg rect.bar").count() > 5
        assert "The pilot looks like data from the fitted model" in page.inner_text("#check-sentence")
        assert page.locator("#check-figure svg circle.pilot").count() > 2


def test_what_is_not_shown_of_a_file_is_kept_with_its_rows(open_page, tmp_path):
    """Through the address, and through changes of what is shown: until its row goes."""
    file = tmp_path / "curve.csv"
    file.write_text(
        "size,score,train_score,averaged_over\n60,0.66,0.99,5\n94,0.70,0.98,5\n147,0.72,,5\n230,0.75,0.97,5\n"
    )

    def sent(page, act):
        with page.expect_request(lambda request: request.url.endswith("/api/page")) as asked:
            act()
        return json.loads(asked.value.post_data)["table"].splitlines()

    with open_page() as page:
        lines = sent(page, lambda: page.set_input_files("#file", file))
        assert lines[:4] == [
            "size\tscore\ttrain_score\taveraged_over", "60\t0.66\t0.99\t5", "94\t0.7\t0.98\t5", "147\t0.72\t\t5"
        ]  # fmt: skip
        answered(page, "times the pilot's 230")
        assert "though not shown in the table: train_score, averaged_over." in page.inner_text("#read-notes")
        lines = sent(page, lambda: correct(page, "B5", "0.76"))
        assert lines[-1] == "230\t0.76\t0.97\t5"
        lines = sent(page, lambda: page.select_option("[data-row='2']", ""))
        assert lines[1:] == ["94\t0.7\t0.98\t5", "147\t0.72\t\t5", "230\t0.76\t0.97\t5"]
        answered(page, "times the pilot's 230")
        fragment = page.url.partition("#")[2]
    with open_page() as page:
        again = sent(page, lambda: page.goto(page.url.partition("#")[0] + "#" + fragment))
        assert again == lines
        lines = sent(page, lambda: page.locator("#rows input[name=score]").nth(2).fill("0.77"))
        assert lines[-1] == "230\t0.77\t0.97\t5"
        assert sent(page, lambda: page.locator("#rows button").first.click()) == [lines[0], *lines[2:]]


def test_files_examples_and_several_curves(open_page, tmp_path):
    rows = pilot_table().splitlines()[1:]
    file = tmp_path / "tasks.csv"
    file.write_text("size,score,split,task\n" + "".join(f"{row},{task}\n" for task in ("liver", NASTY) for row in rows))
    with open_page() as page:
        page.set_input_files("#file", file)
        answered(page, "28,200 training examples")
        assert page.input_value("#task") == "liver"
        page.select_option("#curve", index=1)
        page.wait_for_function("name => document.querySelector('#answer-title').textContent.endsWith(name)", arg=NASTY)
        assert page.input_value("#task") == NASTY
        assert NASTY in page.get_attribute("#figure svg", "aria-label")
        page.fill("#metric", IMAGE)
        answered(page, IMAGE)
        assert IMAGE in page.inner_text("#forecast-table")
        assert IMAGE in page.text_content("#methods")
        assert page.locator("main img").count() == 0
        assert page.locator("main script:not([type='application/json'])").count() == 0
        data = page.evaluate_handle("text => { const d = new DataTransfer(); d.items.add(new File([text], 'x.csv')); return d }", SPREADSHEET)  # fmt: skip  # noqa: E501
        page.dispatch_event("#drop", "dragover", {"dataTransfer": data})
        page.dispatch_event("#drop", "drop", {"dataTransfer": data})
        answered(page, "times the pilot's 360")
        for example in page.locator("#examples button").all():
            before = page.text_content("#lead")
            example.click()
            page.wait_for_function("old => document.querySelector('#lead').textContent !== old", arg=before)
            page.wait_for_selector("#about:not([hidden])")
        assert page.input_value("#lower_is_better") == "yes"
        page.click("#clear")
        page.wait_for_selector("#result", state="hidden")
        assert page.url.endswith("#")


def test_learnt_priors_are_chosen_and_refused_beside_the_control(open_page, tmp_path):
    write_priors(learn_beliefs([whole_curve(1, 0.75)]), tmp_path / "ours.json")
    with open_page(expected=["422"]) as page:
        paste(page, SPREADSHEET)
        usual = answered(page, "expect a mean score of")
        page.click("#more summary")
        page.set_input_files("#priors-file", tmp_path / "ours.json")
        page.wait_for_function("() => document.querySelector('#cautions').textContent.includes('Priors learnt from 1')")
        assert answered(page, "expect a mean score of") != usual
        assert "--priors priors.json" in page.text_content("#shell")
        again = page.url  # the link carries them
        page.fill("#priors", "{}")
        page.wait_for_selector("#settings-problem")
        assert page.text_content("#settings-problem").startswith("“Learnt priors” is not a file of priors written by")
        page.fill("#priors", "")
        page.wait_for_function("() => !document.querySelector('#cautions').textContent.includes('Priors learnt')")
        assert answered(page, "expect a mean score of") == usual
        page.goto(again)
        page.reload()
        page.wait_for_function("() => document.querySelector('#cautions').textContent.includes('Priors learnt from 1')")


def test_a_doubt_is_settled_by_a_click(open_page):
    with open_page() as page:
        paste(page, SPREADSHEET)
        answered(page, "18,000 training examples")
        assert page.is_hidden("#reading-doubts")
        table = "n,accuracy,F1,remark\n60,0.6,0.66,\n94,0.6,0.70,\n147,0.6,0.72,\n230,0.6,0.75,\n500,0.6,0.76,late\n"
        paste(page, table)
        doubt = page.locator("#reading-doubts .doubt")
        doubt.wait_for()
        assert "Which one should be forecast?" in doubt.inner_text()
        assert page.get_attribute("#reading-doubts", "role") == "alert"
        assert page.get_attribute("[data-column=B]", "aria-invalid") == "true"
        assert page.input_value("#paste") == ""
        # The answer of before is gone, and stays so whatever else is asked.
        page.fill("#target", "0.9")
        page.wait_for_timeout(500)
        assert page.is_hidden("#result")
        assert page.text_content("#problem") == "First answer the question above your table."
        page.get_by_role("button", name="“accuracy” holds the scores").click()
        answered(page, "times the pilot's 500, which give 0.600")
        assert page.is_hidden("#reading-doubts")
        assert page.locator("#sheet-view [aria-invalid]").count() == 0
        assert page.evaluate("document.activeElement.id") == "sheet-summary"  # the button is gone
        page.click("#undo")
        doubt.wait_for()
        assert "is from before this change" in page.text_content("#problem")
        assert page.is_disabled("#undo")
        page.get_by_label("Column C, F1: role").select_option("Scores")  # another way to say it
        answered(page, "times the pilot's 500, which give 0.760")
        assert page.input_value("#metric") == "F1"
        page.go_back()  # to the table before it
        answered(page, "18,000 training examples")
        assert role(page, "B") == "Scores"
        page.go_back()
        page.wait_for_selector("#grid-frame:not([hidden])")
        assert page.is_hidden("#sheet-view")


def test_names_that_say_nothing_take_two_clicks(open_page):
    with open_page() as page:
        paste(page, "x1;x2;x3\n100;0,71;0,61\n200;0,74;0,64\n400;0,77;0,66\n800;0,79;0,69\n")
        page.get_by_role("button", name="“x1” holds the training-set sizes").click()
        page.get_by_role("button", name="“x2” holds the scores").click()
        answered(page, "times the pilot's 800, which give 0.790")
        page.select_option("[data-column=C]", "score")  # beside the other
        page.get_by_role("button", name="Each column is a model").click()
        page.wait_for_selector("#curve-choice:not([hidden])")
        assert [role(page, letter) for letter in "ABC"] == ["Sizes", "Scores", "Scores"]


def test_a_header_that_was_not_found_is_said_row_by_row(open_page):
    with open_page() as page:
        table = "Exp 7\tv2\t\nfoo\tbar\tbaz\n(units)\t(%)\t\n100\t71,0\ta\n200\t74,5\tb\n400\t78,2\tc\nmean\t74,6\t\n"
        paste(page, table)
        page.locator("#reading-doubts .doubt").first.wait_for()
        for line in (2, 3):  # each beside the one above it
            page.get_by_label(f"Use of line {line}").select_option("header")
        page.get_by_label("Use of line 1").select_option("not used")
        page.wait_for_function("() => document.querySelector('#read-header').value === '2-3'")
        page.get_by_label("Column A, foo", exact=False).select_option("Sizes")
        page.get_by_label("Column B, bar", exact=False).select_option("Scores")
        answered(page, "times the pilot's 400, which give 0.782")
        uses = page.locator("#sheet-table tbody select option:checked").all_inner_texts()
        assert uses == ["title", "header", "header", "used", "used", "used", "summary"]


def test_a_cover_sheet_is_passed_over(open_page, tmp_path):
    rows = [line.split("\t") for line in SPREADSHEET.replace(",", ".").splitlines()]
    better = [[size, score.replace("0.7", "0.8")] for size, score in rows]
    cover = [["Pilot of the thorax study"], ["see the other sheets"]]
    path = workbook(tmp_path / "book.xlsx", Cover=cover, Scores=rows)
    with open_page() as page:
        page.set_input_files("#file", path)
        answered(page, "times the pilot's 360")
        assert page.input_value("#read-sheet") == "Scores"
        assert "from the sheet “Scores”" in page.inner_text("#sheet-summary")
        page.select_option("#read-sheet", "Cover")
        page.locator("#reading-doubts .doubt").first.wait_for()
        assert page.input_value("[data-cell=A1]") == "Pilot of the thorax study"
        page.click("#undo")
        answered(page, "times the pilot's 360")
        page.set_input_files("#file", workbook(tmp_path / "two.xlsx", first=rows, second=better))
        page.get_by_role("button", name="The sheet “second”").click()
        answered(page, "which give 0.860")
        page.select_option("#read-sheet", "*")
        page.wait_for_function("() => document.querySelector('#task').value !== ''")
        page.click("#clear")
        assert page.is_hidden("#sheet-view")
        assert page.is_visible("#grid-frame")
        assert page.is_hidden("#curve-choice")


def test_every_role_can_be_chosen(open_page):
    with open_page() as page:
        paste(
            page,
            "n,AUC,on train,spread,cohort,tested\n"
            + "".join(
                f"{n},0.{70 + i},0.9{i},0.02,{task},300\n" for task in "ab" for i, n in enumerate((60, 94, 147, 230))
            ),
        )
        page.wait_for_selector("#sheet-view:not([hidden])")
        page.select_option("[data-column=E]", "model")
        page.wait_for_selector("#curve-choice:not([hidden])")
        for letter, kept in (("C", "train_score"), ("D", "score_sd"), ("F", "n_test")):
            page.select_option(f"[data-column={letter}]", kept)
            page.wait_for_function(
                "words => document.querySelector('#read-notes').textContent.includes(words)", arg=kept
            )
        assert page.locator("#curve option").all_text_contents() == ["a, AUC", "b, AUC"]
        page.select_option("#curve", index=1)
        page.wait_for_function("() => document.querySelector('#answer-title').textContent.endsWith(': b')")
        page.select_option("[data-column=F]", "ignored")  # the curve stays chosen
        page.wait_for_function("() => !document.querySelector('#read-notes').textContent.includes('n_test')")
        assert page.input_value("#curve") == "1"
        assert page.input_value("#task") == "b"
        page.go_back()
        page.wait_for_function("() => document.querySelector('#answer-title').textContent.endsWith(': a')")
        assert page.is_visible("#sheet-view")


def test_a_role_is_chosen_by_the_keyboard_and_passes_others_without_harm(open_page):
    with open_page() as page:
        rows = [f"{n},0.7{i},0.6{i},{split}\n" for i, n in enumerate((60, 94, 200)) for split in "ab"]
        paste(page, "n,AUC,F1,rep\n" + "".join(rows))
        page.get_by_role("button", name="“AUC” holds the scores").click()
        answered(page, "times the pilot's 200, which give 0.720")
        assert [role(page, letter) for letter in "ABCD"] == ["Sizes", "Scores", "not used", "Splits"]
        page.focus("#sheet-skip")
        for _ in range(3):
            page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Column C, F1: role"
        for _ in range(10):  # past models, splits and all others, each of them read
            page.keyboard.press("ArrowUp")
            page.wait_for_timeout(60)
        page.wait_for_function(
            "() => document.querySelector('[data-column=C]').closest('th').className === 'role-score'"
        )
        assert page.evaluate("document.activeElement.dataset.column") == "C"
        assert [role(page, letter) for letter in "ABD"] == ["Sizes", "Scores", "Splits"]
        page.click("#undo")  # all of it was one change
        answered(page, "which give 0.720")
        assert role(page, "C") == "not used"


def test_correcting_a_cell_keeps_the_rest(open_page):
    table = "Patients\tAUC (95% CI)\n500\t0.71 (0.66-0.75)\n1.000\t0.75 (0.70-0.79)\n2000\t0.78 (0.75-0.8)\n"
    with open_page() as page:
        paste(page, table)
        page.locator("#reading-doubts .doubt").wait_for()
        wrong = page.locator("[data-cell=A3]")
        assert wrong.get_attribute("aria-invalid") == "true"
        assert "could be read as 1 or as 1000" in page.inner_text(f"#{wrong.get_attribute('aria-describedby')}")
        assert page.locator("#sheet-table [aria-invalid]").count() == 1
        correct(page, "A3", "1000")
        assert "training patients" in answered(page, "times the pilot's 2,000")
        assert page.input_value("#metric") == "AUC (95% CI)"
        assert page.input_value("#unit") == "patients"
        assert page.evaluate("document.activeElement.dataset.cell") == "A4"  # Enter went on
        # What was said of the curve beside the sheet outlives another correction, too.
        page.fill("#unit", "knees")
        answered(page, "training knees")
        correct(page, "B4", "0.79")
        answered(page, "which give 0.790")
        assert page.input_value("#unit") == "knees"
        assert page.input_value("#metric") == "AUC (95% CI)"


def test_models_under_merged_headings_give_a_choice_of_curves(open_page):
    with open_page() as page:
        paste(
            page,
            "\tModel A\tModel B\nn\tAUC\tAUC\n100\t0.70\t0.71\n200\t0.72\t0.74\n400\t0.74\t0.77\n"
            "Note: tested on the same 300 scans\n",
        )
        page.wait_for_selector("#curve-choice:not([hidden])")
        assert page.locator("#curve option").all_text_contents() == ["Model A, AUC", "Model B, AUC"]
        uses = page.locator("#sheet-table tbody select option:checked").all_inner_texts()
        assert uses[:5] == ["header", "header", "used", "used", "used"]
        assert uses[5] not in ("header", "used")
        page.select_option("#curve", index=1)
        answered(page, "which give 0.770")


def test_quoted_decimal_commas_are_percentages_by_one_click(open_page):
    with open_page() as page:
        paste(page, 'n,Accuracy\n60,"70,1"\n94,"72,3"\n200,"75,0"\n400,"76,2"\n')
        page.get_by_role("button", name="The scores are per cents").click()
        answered(page, "which give 0.762")
        assert page.is_checked("#read-per_cent")
        assert page.input_value("#metric") == "Accuracy"


def test_rows_are_set_aside_and_a_refused_change_is_undone(open_page):
    with open_page(expected=["422"]) as page:
        paste(page, "a pilot of ours\n" + SPREADSHEET)
        answered(page, "times the pilot's 360")
        last = page.get_by_label("Use of line 7")
        last.select_option(label="not used")
        answered(page, "times the pilot's 230")
        assert page.input_value("#read-rows") == "3-6"
        last.select_option(label="used")
        answered(page, "times the pilot's 360")
        page.click("#reading-options summary")
        page.fill("#read-header", "99")
        page.press("#read-header", "Enter")
        page.wait_for_selector("#read-problem:not([hidden])")
        assert "99" in page.inner_text("#read-problem")
        assert "is from before this change" in page.text_content("#problem")
        page.click("#undo")
        answered(page, "times the pilot's 360")
        assert page.is_hidden("#read-problem")


def test_a_long_sheet_shows_its_first_rows_until_all_are_asked_for(open_page):
    with open_page() as page:
        paste(page, "n,AUC\n" + "".join(f"{100 + 10 * i},0.{700 + i}\n" for i in range(90)))
        answered(page, "times the pilot's 990")
        assert page.locator("#sheet-table tbody tr").count() == 60
        page.get_by_role("button", name="Show all 91 rows").click()
        assert page.locator("#sheet-table tbody tr").count() == 91
        assert page.is_hidden("#sheet-all")


def test_ctrl_v_pastes_into_a_page_that_was_just_opened(open_page):
    with open_page(permissions=["clipboard-read", "clipboard-write"]) as page:
        page.evaluate("text => navigator.clipboard.writeText(text)", SPREADSHEET)
        assert page.evaluate("document.activeElement === document.body")
        page.keyboard.press("Control+V")
        answered(page, "18,000 training examples")
        page.evaluate("text => navigator.clipboard.writeText(text)", "0.9")
        page.focus("#target")
        page.keyboard.press("Control+V")  # into a control it is the control's
        answered(page, "0.9")
        assert page.input_value("#target") == "0.9"


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_the_answer_scrolls_with_the_page(open_page, size):
    with open_page(viewport={"width": size[0], "height": size[1]}) as page:
        paste(page, SPREADSHEET)
        answered(page, "18,000 training examples")
        inside = page.evaluate(
            "() => [...document.querySelectorAll('.answer')].map((box) => box.scrollHeight - box.clientHeight)"
        )
        assert inside == [0]
        page.evaluate("() => window.scrollTo(0, document.body.scrollHeight)")
        last = page.locator(".answer details").last
        assert last.bounding_box()["y"] < size[1]  # its end is reached by scrolling the page alone
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_words_and_tables_are_whole_on_a_phone(open_page):
    link = "#rows=60,0.66;94,0.7;147,0.72;230,0.75;360,0.76&target=0.78"
    with open_page(link, viewport={"width": 390, "height": 844}) as page:
        answered(page, "18,000 training examples")
        for name in ("backtest", "doubts"):
            page.click(f"#{name} summary")
        page.wait_for_selector("#backtest-table tbody tr")
        page.wait_for_selector("#changes-table tbody tr")
        prose = page.locator("body :is(p, li, td, th, label)").all_text_contents()
        assert any(re.search(r"\d\N{NO-BREAK SPACE}%", text) for text in prose)
        assert [text for text in prose if re.search(r"\d %", text)] == []
        assert lines_through_words(page) == []
        frame = page.locator("#changes-table")
        assert frame.evaluate("one => one.scrollWidth > one.clientWidth + 40")
        assert shaded_edges(frame) == (False, True)
        frame.evaluate("one => one.scrollLeft = one.scrollWidth")
        assert shaded_edges(frame) == (True, False)
        assert page.text_content("#backtest-sentence").count("More sizes are needed") == 1


def test_cells_that_cannot_be_read_are_marked_and_put_right_in_place(open_page):
    with open_page() as page:
        paste(page, SPREADSHEET.replace("0,72", "o.72").replace("230", "2e0x"))
        page.locator("#reading-doubts .doubt").wait_for()
        marked = page.locator("#sheet-table [aria-invalid=true]")
        assert [cell.input_value() for cell in marked.all()] == ["o.72", "2e0x"]
        correct(page, "B4", "0,72")
        page.wait_for_function("() => document.querySelectorAll('#sheet-table [aria-invalid]').length === 1")
        correct(page, "A5", "230")
        answered(page, "18,000 training examples")
        assert marked.count() == 0


def test_what_a_size_counts_and_how_many_come_on_top(open_page):
    with open_page() as page:
        paste(page, SPREADSHEET.replace("size", "n patients"))
        answered(page, "18,000 training patients")
        assert page.input_value("#unit") == "patients"
        page.fill("#target", "0.78")
        page.fill("#test_share", "20 %")
        answered(page, "in all, if 20 % are kept for them")
        page.fill("#unit", "knees")
        answered(page, "training knees")
        with page.expect_request(lambda request: request.url.endswith("/api/page")) as asked:
            page.fill("#n_features", "1,024")
        assert json.loads(asked.value.post_data)["n_features"] == 1024
        page.click("#more summary")
        before = page.text_content("#forecast-table")
        page.fill("#averaged_over", "10")
        page.wait_for_function("old => document.querySelector('#forecast-table').textContent !== old", arg=before)


def test_all_by_keyboard(open_page):
    with open_page() as page:
        press, write = page.keyboard.press, page.keyboard.type
        press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        for _ in range(40):
            press("Tab")
            if page.evaluate("document.activeElement.name") == "size":
                break
        for i, size in enumerate((60, 94, 147, 230, 360)):
            write(str(size))
            press("Tab")
            write(f"0.{66 + 3 * i}")
            press("Enter")  # down, in the same column
            press("Shift+Tab")
        answered(page, "18,000 training examples")
        for _ in range(60):
            press("Tab")
            if page.evaluate("document.activeElement.id") == "target":
                break
        write("0.8")
        answered(page, "0.8")
        for _ in range(60):
            press("Tab")
            if page.evaluate("document.activeElement.closest('.slider') !== null"):
                break
        before = page.inner_text(".reading")
        for _ in range(10):
            press("ArrowLeft")
        assert page.inner_text(".reading") != before
        assert "expected" in page.text_content(".spoken")
        for _ in range(10):
            press("Tab")
            if page.evaluate("document.activeElement.dataset.take") == "svg":
                break
        with page.expect_download() as waiting:
            press("Enter")
        assert waiting.value.suggested_filename.endswith(".svg")


def test_a_narrow_screen_shows_all_and_the_gist(open_page):
    link = "#rows=60,0.66;94,0.7;147,0.72;230,0.75;360,0.76&target=0.78&cost=12&penalty=50000&budget=2"
    with open_page(link, viewport={"width": 360, "height": 700}, has_touch=True, is_mobile=True) as page:
        answered(page, "18,000 training examples")
        for summary in page.locator("summary:visible").all():
            summary.click()
        page.wait_for_selector("#backtest-table tbody tr")
        advised(page, "with 2 models to train ")
        assert "Split" in page.locator("#glossary dt").all_inner_texts()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.evaluate("scrollTo(0, 0)")
        page.wait_for_selector("#peek:not([hidden])")
        # The target first, then the forecast.
        assert re.match(r"0\.78 takes (about )?[\d,]+ examples; expect 0\.\d{3} with 18,000 ", page.inner_text("#peek"))
        page.tap("#peek")
        page.wait_for_selector("#peek", state="hidden")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(open_page, scheme):
    axe = require("axe_playwright_python.sync_playwright").Axe()
    link = "#rows=60,0.66;94,abc;147,0.72;230,0.75;360,0.76;564,0.77&target=0.78&cost=12&penalty=50000&budget=1"
    with open_page(link, expected=["422"], color_scheme=scheme) as page:

        def judged(state):
            found = [v for v in axe.run(page).response["violations"] if v["impact"] in ("serious", "critical")]
            assert not found, (
                state,
                [(v["id"], v["nodes"][0]["html"], v["nodes"][0]["failureSummary"]) for v in found],
            )

        page.wait_for_selector("tr.fault")
        judged("a wrong row")
        page.locator("#rows input[name=score]").nth(1).fill("0.7")
        answered(page, "28,200 training examples")
        page.fill("#ceiling", "x")
        page.wait_for_selector("#ceiling[aria-invalid]")
        judged("a wrong control, and the answer before it")
        page.fill("#ceiling", "")
        answered(page, "28,200 training examples")
        for summary in page.locator("summary:visible").all():
            summary.click()
        page.wait_for_selector("#backtest-table tbody tr")
        advised(page, "with 1 model to train ")
        judged("the whole answer")
        page.fill("#budget", "0")
        page.wait_for_selector("#budget[aria-invalid]")
        judged("a wrong budget")
        paste(page, "n,accuracy,F1\n60,0.6,0.7\n94,0.6,0.7\nand a note on all of this\n")
        page.locator("#reading-doubts .doubt").wait_for()
        page.click("#reading-options summary")
        judged("a sheet in doubt")
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        judged("a sheet in doubt on a phone")
        page.locator("#reading-doubts button").first.click()
        answered(page, "times the pilot's 94")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        judged("a sheet")


def test_a_token_is_taken_from_the_address_or_asked_for(chromium, guarded):
    _, address, token = guarded
    context = chromium.new_context()
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("#token-form:not([hidden])")
    page.fill("#token", token)
    page.press("#token", "Enter")
    page.wait_for_selector("#examples button")
    context.close()
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{address}#token={token}")
    page.wait_for_selector("#examples button")
    assert token not in page.url
    context.close()


def test_a_direction_that_is_in_doubt_is_asked_for_where_it_is_seen(open_page):
    asked = "the scores fall as the training set grows, from 0.420 at 60 to 0.310 at 360: is lower better?"
    with open_page("#rows=60,0.42;94,0.39;147,0.36;230,0.33;360,0.31", expected=["422"]) as page:
        page.wait_for_selector("#settings .problem")
        assert asked in page.text_content("#settings .problem")
        assert page.get_attribute("#lower_is_better", "aria-invalid") == "true"
        assert page.is_visible("#lower_is_better")
        assert page.is_hidden("#result")
        page.select_option("#lower_is_better", "yes")
        assert "expect a mean score of 0.2" in answered(page, "expect a mean score")
        assert page.locator("#settings .problem").count() == 0
        page.click("#clear")
        paste(page, "size\tscore\n60\t0.42\n94\t0.39\n147\t0.36\n230\t0.33\n360\t0.31\n")
        doubt = page.locator("#reading-doubts .doubt")
        doubt.wait_for()
        assert asked in doubt.inner_text()
        page.get_by_role("button", name="Lower is better").click()
        assert "expect a mean score of 0.2" in answered(page, "expect a mean score")
        assert page.input_value("#lower_is_better") == "yes"
        page.click("#undo")
        page.fill("#reading-doubts input", "error rate")  # its name says it, too
        page.press("#reading-doubts input", "Enter")
        assert "error rate" in answered(page, "expect a mean error rate")
        assert page.input_value("#metric") == "error rate"
