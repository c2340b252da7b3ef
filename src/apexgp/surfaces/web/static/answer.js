// Puts an answer on the page. All that the user has written is set as text, never as markup.

const element = (id) => document.getElementById(id);

export function showAnswer(answer) {
  const { forecast, plan, tables, notes } = answer;
  const task = forecast.pilot.task;
  element("answer-title").textContent = task ? `The answer: ${task}` : "The answer";
  setProse(element("lead"), forecast.sentence);
  list("cautions", [...forecast.cautions, ...notes]);
  drawFigure(answer.figure);
  table("forecast-table", tables.forecast, "The forecast at each size");
  element("evaluation").hidden = !tables.evaluation;
  if (tables.evaluation) table("evaluation-table", tables.evaluation, "Patients for the evaluation, one row per measure");
  element("plan").hidden = plan === null;
  if (plan !== null) {
    setProse(element("plan-sentence"), plan.sentence);
    table("plan-table", tables.plan, "The plan, one row per round");
  }
  element("glossary").replaceChildren(...Object.entries(answer.glossary).flatMap(([word, meaning]) => [
    textIn("dt", word), textIn("dd", meaning),
  ]));
  element("for-grant").hidden = forecast.grant_text === null;
  setProse(element("grant"), forecast.grant_text ?? "");
  setProse(element("methods"), forecast.methods_text);
  element("python").textContent = answer.python;
  element("shell").textContent = answer.shell;
  element("version").textContent = forecast.apexgp;
  element("result").hidden = false;
}

export function showBacktest({ backtest, tables }) {
  if (!backtest) return;
  const error = backtest.error;
  setProse(element("backtest-sentence"), error ?? [backtest.sentence, ...backtest.cautions].join(" "));
  if (error) element("backtest-table").replaceChildren();
  else table("backtest-table", tables.backtest, "The scores of each method");
}

/** What the answer depends on, and whether the model fits the pilot. */
export function showDoubts({ doubts, tables }) {
  if (!doubts) return;
  setProse(element("changes-sentence"), doubts.sensitivity.sentence);
  drawSvg("changes-figure", doubts.sensitivity_svg);
  table("changes-table", tables.sensitivity, "The answer with one thing changed at a time, largest change first");
  element("check").hidden = doubts.check === null;
  if (doubts.check === null) return;
  setProse(element("check-sentence"), [doubts.check.sentence, ...doubts.check.cautions].join(" "));
  drawSvg("check-figure", doubts.check_svg);
  table("check-table", tables.check, "What was measured, compared with simulations from the fitted model");
  setProse(element("check-note"), doubts.check_note);
}

/** A picture as the server drew it: parsed, so that no script in it could run. */
function drawSvg(id, text) {
  const svg = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  element(id).replaceChildren(document.adoptNode(svg));
}

/** Whether more measuring would change the decision, beside the lines of code of the `answer` that it follows. */
export function showAdvice({ design, table: cells, note, python, shell }, answer) {
  const news = design.cautions.filter((caution) => !answer.forecast.cautions.includes(caution));
  setProse(element("advice"), [design.sentence, ...news].join(" "));
  setProse(element("advice-note"), note);
  table("advice-table", cells, "What the best options for the next measurements are expected to show");
  element("python").textContent = answer.python + "\n" + python;
  element("shell").textContent = answer.shell + shell;
}

/** In place of it: why there is none. */
export function showNoAdvice(text) {
  setProse(element("advice"), text);
  element("advice-note").textContent = "";
  element("advice-table").replaceChildren();
}

/** The chart as the server drew it: parsed, so that no script in it could run, and then attended to. */
function drawFigure(html) {
  const figure = new DOMParser().parseFromString(html, "text/html").querySelector("figure");
  const reading = element("figure").querySelector("figure")?.apexgpChart?.index ?? null;
  const slider = document.activeElement?.closest?.("#figure");
  element("figure").replaceChildren(document.adoptNode(figure));
  const chart = window.apexgpChart.attach(figure);
  if (slider) figure.querySelector(".slider input")?.focus();
  else if (reading !== null) chart.show(reading, false);
}

/** Text without a line that ends between a number and its per cent sign. */
export function setProse(node, text) {
  node.textContent = text.replace(/(\d) %/g, "$1\u00a0%");
}

function textIn(tag, text) {
  const made = document.createElement(tag);
  setProse(made, text);
  return made;
}

export function list(id, texts) {
  element(id).replaceChildren(...texts.map((text) => textIn("li", text)));
  element(id).hidden = texts.length === 0;
}

function table(id, { header, rows }, caption) {
  const made = document.createElement("table");
  const title = made.createCaption();
  title.className = "unseen";
  title.textContent = caption;
  const head = made.createTHead().insertRow();
  for (const name of header) {
    const cell = document.createElement("th");
    cell.scope = "col";
    setProse(cell, name);
    head.append(cell);
  }
  const body = made.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    row.forEach((text, i) => {
      const cell = document.createElement(i ? "td" : "th");
      if (!i) cell.scope = "row";
      setProse(cell, text);
      line.append(cell);
    });
  }
  const frame = element(id);
  frame.replaceChildren(made);
  // What scrolls must be reached by the keyboard, too.
  if (frame.scrollWidth > frame.clientWidth) frame.tabIndex = 0;
  else frame.removeAttribute("tabindex");
}
