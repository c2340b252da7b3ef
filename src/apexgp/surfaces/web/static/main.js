// The page: from what is typed, pasted or dropped to a request, and from its answer to what is shown.

import { list, setProse, showAdvice, showAnswer, showBacktest, showDoubts, showNoAdvice } from "./answer.js";
import { ask, keepToken, latest, Refused, setToken } from "./api.js";
import { toQuery } from "./fields.js";
import { Grid } from "./grid.js";
import { readSettings, requested, requestedNext, showFault, writeSettings } from "./settings.js";
import { Sheet } from "./sheet.js";
import { DETAILS, emptyState, fromFragment, toFragment } from "./state.js";
import { take } from "./take.js";
import { askOpened } from "./questions.js";

const WAIT = 200; // milliseconds after the last change
const LONGER = 500; // before what takes a second or two to compute
const element = (id) => document.getElementById(id);
const nothingYet = element("lead").textContent;

let shown = null; // the answer on the page, the request that it answers, and the advice that followed
let reading = null; // the sheet on the page: its bytes, what was said of it, the reply, and what was said before
let asking = null; // what stops the request for a reading that is under way
let answerInSight = true;
let adviceInSight = false;
let advised = null; // what was advised last, and what for

const readings = []; // all that were shown, for the Back button
const sheet = new Sheet(change);
const grid = new Grid(element("rows"), { changed, pasted: (text, row) => read(text, row) });
const update = latest(answerNow, WAIT);
const advise = latest(adviseNow, LONGER);

function changed() {
  element("about").hidden = true;
  update();
}

/** Put the state into the address; as a step that the Back button undoes where much was replaced. */
function keep(step) {
  const fragment = toFragment({ rows: grid.rows, settings: readSettings() });
  const state = reading && { reading: readings.indexOf(reading.bytes), fields: reading.fields, curve: reading.curve };
  if ("#" + (fragment ?? "") !== (location.hash || "#") || JSON.stringify(state) !== JSON.stringify(history.state)) {
    history[step ? "pushState" : "replaceState"](state, "", "#" + (fragment ?? ""));
  }
  return fragment !== null;
}

function load(state) {
  asking?.abort();
  reading = null;
  sheet.hide();
  element("grid-frame").hidden = false;
  element("reading-doubts").hidden = true;
  offerCurves();
  showReading([], "");
  grid.rows = state.rows;
  writeSettings(state.settings);
  update(0);
}

/** Show a reading again that the Back button goes back to. */
async function reopen({ reading: number, fields, curve }) {
  const { settings } = fromFragment(location.hash);
  const found = await askReading(readings[number], fields);
  if (!found) return;
  reading = { bytes: readings[number], fields, past: [], curve };
  follow(found);
  writeSettings(settings);
}

/** The rows that can be used as a table for the server, and which row each of its lines is. */
function tableOf(rows, task) {
  const used = rows.map((row, i) => [row, i]).filter(([[size, score]]) => size !== "" && score !== "");
  const withSplit = used.some(([row]) => row[2] !== "");
  const details = DETAILS.map((name, i) => [name, i + 3]).filter(([, i]) => used.some(([row]) => row[i]));
  const lines = [["size", "score", ...(withSplit ? ["split"] : []), ...details.map(([name]) => name), ...(task ? ["task"] : [])]];
  for (const [row] of used) {
    const [size, score, split] = row;
    const beside = details.map(([, i]) => row[i] ?? "");
    lines.push([size, withPoint(score), ...(withSplit ? [split] : []), ...beside, ...(task ? [task] : [])]);
  }
  const cell = (text) => (/["\t\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
  return { table: lines.map((line) => line.map(cell).join("\t")).join("\n") + "\n", rows: used.map(([, i]) => i) };
}

/** A score with a decimal comma among others with points: in a score the comma can mean nothing else. */
function withPoint(score) {
  return score.replace(/^([+-]?\d*),(\d+\s*%?)$/, "$1.$2");
}

function unused(rows) {
  return rows.flatMap(([size, score, split], row) => {
    if ((size === "") === (score === "") && (size !== "" || split === "")) return [];
    const column = size === "" ? "size" : "score";
    return [{ row, column, mild: true, message: `Not used yet: the ${column} is missing.` }];
  });
}

async function answerNow(signal) {
  keep(false);
  if (reading?.open) return showOpen();
  const rows = grid.rows, settings = readSettings();
  element("unit-head").textContent = `training ${settings.unit ?? "examples"}`;
  const { table, rows: places } = tableOf(rows, settings.task);
  if (!places.length) return showNothing(unused(rows));
  element("answer").setAttribute("aria-busy", "true");
  try {
    const request = { table, ...requested(settings) };
    const opened = ["backtest", "doubts"].filter((id) => element(id).open);
    const more = Object.fromEntries(opened.map((id) => [id, true]));
    const answer = await ask("api/page", { json: { ...request, ...more }, signal });
    grid.show(unused(rows));
    showFault(null);
    showProblem("");
    shown = { answer, request };
    showAnswer(answer);
    waitForAdvice(true);
    advise();
    element("no-pilot").hidden = true;
    peek();
    showBacktest(answer);
    showDoubts(answer);
    askOpened(request);
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    if (!(problem instanceof Refused)) throw problem;
    refuse(problem, rows, places);
  }
  element("answer").setAttribute("aria-busy", "false");
}

/** Whether more measuring would change the decision: asked once it is in sight, after the forecast, which does not wait for it. */
async function adviseNow(signal) {
  if (!shown || !adviceInSight) return;
  try {
    const request = requestedNext(shown.request, readSettings());
    const key = JSON.stringify(request);
    if (advised?.key !== key) {
      waitForAdvice(true);
      advised = { key, advice: await ask("api/page/advice", { json: request, signal }) };
    }
    shown.advice = advised.advice; // had there been another answer meanwhile, this would have been dropped
    showFault(null, "", "next");
    showAdvice(shown.advice, shown.answer);
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    delete shown.advice;
    showNoAdvice(showFault(problem.argument, problem.message, "next") ? "" : problem.message);
  }
  waitForAdvice(false);
}

function waitForAdvice(busy) {
  element("help").setAttribute("aria-busy", String(busy));
  for (const id of ["advice", "advice-table"]) element(id).classList.toggle("stale", busy);
}

function refuse(problem, rows, places) {
  if (problem.status === 401) element("token-form").hidden = false;
  const faults = problem.rows.map((fault) => ({ ...fault, row: places[fault.line - 2] }));
  if (problem.kind !== "request") grid.show([...faults, ...unused(rows)]); // a control at fault says nothing of rows
  showFault(problem.argument, problem.message);
  if (!faults.length || reading) return showProblem(problem.message); // rows of a sheet have other numbers
  const more = faults.length > 1 ? ` ${faults.length - 1} more ${faults.length > 2 ? "rows need" : "row needs"} attention.` : "";
  showProblem(`Row ${faults[0].row + 1}: ${faults[0].message}${more}`);
}

function showProblem(text) {
  element("problem").textContent = text && shown ? `${text} The answer below is from before this change.` : text;
  element("problem").hidden = text === "";
  element("result").classList.toggle("stale", text !== "");
  for (const button of element("downloads").querySelectorAll("button")) button.disabled = text !== "";
  if (text && !shown) element("lead").textContent = "";
  element("lead").classList.toggle("stale", text !== "");
}

function showNothing(faults) {
  shown = null;
  grid.show(faults);
  showFault(null);
  showProblem("");
  element("result").hidden = true;
  element("answer-title").textContent = "The answer";
  element("lead").textContent = nothingYet;
  element("no-pilot").hidden = false;
  list("cautions", []);
  element("answer").setAttribute("aria-busy", "false");
  peek();
}

/** On a narrow screen, while the answer is out of sight: what it comes to, and the way there. */
function peek() {
  const short = shown?.answer.short;
  element("peek").hidden = !short || answerInSight;
  if (short) setProse(element("peek"), `${short} ↓`);
}

/** Read text or a file by the library's reader: as a sheet in place of all, or into the rows from `row` on. */
async function read(source, row = null, settings = null) {
  const bytes = typeof source === "string" ? new TextEncoder().encode(source) : await source.arrayBuffer();
  const found = await askReading(bytes, {});
  if (!found) return false;
  if (row !== null && found.curves.length === 1) {
    const rows = grid.rows;
    while (rows.length < row) rows.push(["", "", ""]);
    const pasted = cells(found.curves[0]);
    rows.splice(row, pasted.length, ...pasted);
    grid.rows = rows;
    keep(true);
    showReading(found.notes, "");
    update(0);
    return true;
  }
  sheet.hide();
  reading = { bytes, fields: {}, past: [], curve: 0 };
  readings.push(bytes);
  grid.rows = [];
  if (found.doubts.length) showNothing([]); // an answer about another table would look like this one's
  follow(found, settings, [], true);
  return true;
}

/** Ask for a reading: null where it was refused, undefined where another was asked for meanwhile. */
async function askReading(bytes, fields) {
  asking?.abort();
  asking = new AbortController();
  try {
    const found = await ask("api/read" + toQuery(fields), { bytes, signal: asking.signal });
    element("read-problem").hidden = true;
    return found;
  } catch (problem) {
    if (problem.name === "AbortError") return undefined;
    if (!(problem instanceof Refused)) throw problem;
    if (problem.status === 401) element("token-form").hidden = false;
    element("read-problem").textContent = problem.message;
    element("read-problem").hidden = false;
    return null;
  }
}

/**
 * Say something more of the sheet, and read it again. Changes of one control that follow one another, as the arrow keys
 * make them in a list, are one change of what was there before.
 */
function change(control, make) {
  if (reading.control !== control) reading.past.push({ fields: reading.fields, reply: reading.reply });
  reading.control = ["doubt", "sheet"].includes(control) ? null : control;
  const { fields, reply } = reading.past.at(-1);
  return readAgain(make(fields, reply));
}

function undo() {
  const { fields } = reading.past.pop();
  reading.control = null;
  return readAgain(fields);
}

async function readAgain(fields) {
  const read = reading;
  const said = Object.keys(fields).filter((name) => fields[name] !== read.fields[name]);
  read.fields = fields;
  element("undo").disabled = !read.past.length;
  element("answer").setAttribute("aria-busy", "true");
  const found = await askReading(read.bytes, fields);
  if (found) return follow(found, null, said);
  if (found === undefined || reading !== read) return;
  read.open = "Your table cannot be read like this: the reason is above it.";
  update(0);
}

/** Show a reading, and answer for the curve that was chosen; `said` of it anew are these fields. */
function follow(found, settings = null, said = [], step = false) {
  const before = reading.reply?.curves[reading.curve] ?? reading.chosen;
  reading.reply = found;
  reading.chosen = before;
  element("grid-frame").hidden = true;
  element("undo").disabled = !reading.past.length;
  sheet.show(found, reading.fields);
  const same = before ? found.curves.findIndex((one) => one.task === before.task && one.metric === before.metric) : reading.curve;
  reading.curve = found.curves[same] ? same : 0;
  offerCurves();
  const questions = found.doubts.length === 1 ? "the question" : `the ${found.doubts.length} questions`;
  reading.open = found.doubts.length ? `First answer ${questions} above your table.` : "";
  if (!reading.open) choose(reading.curve, settings, said);
  const long = keep(step) ? [] : ["This is too much data for a link: the address cannot hold it."];
  showReading([...found.notes, ...long], "");
  update(0);
}

/** No answer while the table leaves a question open. */
function showOpen() {
  showFault(null);
  showProblem(reading.open);
  element("no-pilot").hidden = true;
  element("answer").setAttribute("aria-busy", "false");
}

function showReading(notes, problem) {
  list("read-notes", notes);
  element("read-problem").textContent = problem;
  element("read-problem").hidden = problem === "";
}

function cells(curve) {
  const beside = (i) => DETAILS.map((name) => String(curve.details[name]?.[i] ?? ""));
  return curve.rows.map(([size, score, split], i) => [String(size), String(score), split ?? "", ...beside(i)]);
}

function offerCurves() {
  const curves = reading?.reply.curves ?? [];
  element("curve-choice").hidden = curves.length < 2;
  element("curve").replaceChildren(
    ...curves.map((curve, i) => new Option([curve.task, curve.metric].filter(Boolean).join(", "), i)));
  if (curves.length) element("curve").value = reading.curve;
}

/**
 * Show one of the curves that were read, with what it says of itself; but where somebody has changed that on the page
 * since the last reading, theirs stays, unless it was `said` of the table just now.
 */
function choose(index, settings = null, said = []) {
  const curve = reading.reply.curves[index];
  const about = { task: curve.task ?? "", metric: curve.metric === "score" ? "" : curve.metric };
  about.lower_is_better = curve.lower_is_better === null ? "" : curve.lower_is_better ? "yes" : "no";
  about.range = curve.range ?? "";
  about.unit = curve.unit === "rows" ? "" : curve.unit;
  about.test_share = curve.test_share === null ? "" : String(curve.test_share);
  about.learner = curve.learner ?? "";
  for (const name of ["n_features", "n_classes"]) about[name] = String(curve[name] ?? "");
  const now = settings ?? readSettings(), filled = reading.filled;
  const own = Object.keys(about).filter((name) => filled && (now[name] ?? "") !== filled[name] && !said.includes(name));
  reading.filled = about;
  grid.rows = cells(curve);
  writeSettings({ ...now, ...about, ...Object.fromEntries(own.map((name) => [name, now[name] ?? ""])) });
}

async function offerExamples() {
  const { examples } = await ask("api/examples");
  for (const example of examples) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = example.title;
    button.addEventListener("click", async () => {
      const settings = Object.fromEntries(Object.entries(example.settings).map(([name, value]) => [
        name, value === true ? "yes" : Array.isArray(value) ? value.join(", ") : String(value)]));
      if (await read(example.table, null, settings)) {
        element("about").textContent = example.about;
        element("about").hidden = false;
      }
    });
    element("examples").append(button);
  }
}

// What people do.
element("settings").addEventListener("input", changed);
element("settings").addEventListener("submit", (event) => event.preventDefault());
element("next").addEventListener("input", () => { keep(false); advise(); });
element("next").addEventListener("submit", (event) => event.preventDefault());
for (const id of ["backtest", "doubts"]) element(id).addEventListener("toggle", () => update(0));
element("curve").addEventListener("change", (event) => {
  reading.curve = Number(event.target.value);
  reading.filled = null;
  choose(reading.curve);
  keep(true);
  update(0);
});
element("undo").addEventListener("click", undo);
element("clear").addEventListener("click", () => {
  element("about").hidden = true;
  load(emptyState());
  keep(true);
  grid.trs[0].querySelector("input").focus();
});
element("paste").addEventListener("input", async (event) => {
  const text = event.target.value;
  if (text.trim() && (await read(text)) && event.target.value === text) event.target.value = "";
});
// Ctrl+V wherever nothing is being typed into: a page that has just been opened takes what was copied.
document.addEventListener("paste", async (event) => {
  if (event.defaultPrevented || event.target.closest?.("input, textarea, select")) return;
  const [copied] = event.clipboardData.files, text = event.clipboardData.getData("text/plain");
  if (!text.trim() && !copied) return;
  event.preventDefault();
  if (!(await read(text.trim() ? text : copied)) && text.trim()) element("paste").value = text; // to be put right
});
element("file").addEventListener("change", async (event) => {
  if (event.target.files.length) await read(event.target.files[0]);
  event.target.value = "";
});
element("priors-file").addEventListener("change", async (event) => {
  const [given] = event.target.files;
  if (given) element("priors").value = await given.text();
  event.target.value = "";
  changed();
});
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault(); // a browser would leave the page for the file
    element("drop").classList.toggle("over", kind === "dragover");
    if (kind === "drop" && event.dataTransfer.files.length) read(event.dataTransfer.files[0]);
  });
}
element("downloads").addEventListener("click", async (event) => {
  const kind = event.target.dataset.take;
  if (!kind || !shown) return;
  element("taken").textContent = kind === "report" ? "Writing the report …" : "";
  try {
    element("taken").textContent = await take(kind, shown, readSettings());
  } catch (problem) {
    element("taken").textContent = problem.message;
  }
});
element("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  setToken(element("token").value);
  element("token-form").hidden = true;
  begin();
});
for (const link of document.querySelectorAll('a[href="#answer"]')) {
  link.addEventListener("click", (event) => {
    event.preventDefault(); // the fragment holds the numbers
    element("answer").focus({ preventScroll: true });
    element("answer").scrollIntoView();
  });
}
new IntersectionObserver(([entry]) => { answerInSight = entry.isIntersecting; peek(); }).observe(element("answer"));
new IntersectionObserver(([entry]) => { if ((adviceInSight = entry.isIntersecting)) advise(0); }).observe(element("help"));
// Where a table goes on beyond its frame, the keyboard must be able to scroll it.
const frames = new ResizeObserver((changes) => {
  for (const { target } of changes) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
for (const frame of document.querySelectorAll(".table-frame")) frames.observe(frame);
window.addEventListener("popstate", ({ state }) => {
  if (readings[state?.reading]) reopen(state);
  else load(fromFragment(location.hash));
});

async function begin() {
  history.replaceState(null, "", location.href); // sheets of before a reload are gone
  load(fromFragment(location.hash));
  if (element("examples").querySelector("button")) return;
  try {
    await offerExamples();
  } catch (problem) {
    if (problem.status === 401) element("token-form").hidden = false;
    else showProblem(problem.message);
  }
}

keepToken();
begin();
