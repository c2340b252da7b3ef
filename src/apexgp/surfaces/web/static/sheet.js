// A table as the program sees it: its cells, what each row and column is taken for, and what is in doubt; all to be changed.

import { forget, merge, withCell, withRole, withRow } from "./fields.js";

const ROLES = {
  size: "Sizes", score: "Scores", split: "Splits", model: "Models or tasks", train_score: "Training scores",
  score_sd: "Standard deviations", n_test: "Test cases", averaged_over: "Runs behind each score",
  n_features: "Number of features", n_classes: "Number of classes", metric: "Metric", ignored: "not used",
};
const USES = { data: "used", header: "header" };
const FREE = { metric: "Metric", total: "Sizes are shares of", range: "Lowest and highest possible score" };
const FIRST = 60; // rows that are shown before all are asked for
const WIDEST = 16; // characters of a column
const LONG = 12; // characters, above which words run on over empty cells
const element = (id) => document.getElementById(id);

export class Sheet {
  /** @param change  called with a name for what was changed, and what makes the new fields of those before and their reply */
  constructor(change) {
    Object.assign(this, { change, shape: "", all: false, reply: null });
    this.table = element("sheet-table");
    const table = this.table;
    table.addEventListener("change", ({ target }) => this.say(target));
    table.addEventListener("keydown", (event) => this.move(event));
    table.addEventListener("paste", (event) => this.paste(event));
    table.addEventListener("focusin", ({ target }) => { if (target.dataset.cell) this.enter(target); });
    table.addEventListener("focusout", ({ target }) => { if (target.dataset.column) setTimeout(() => this.reply && this.fillHead()); });
    element("sheet-all").addEventListener("click", () => {
      this.all = true;
      this.fill();
      this.cell(FIRST, 0)?.focus();
    });
    element("sheet-skip").addEventListener("click", () => element("target").focus());
    element("reading-options").addEventListener("change", ({ target }) => this.sayOfAll(target));
    element("reading-doubts").addEventListener("click", ({ target }) => {
      const { doubt, choice } = target.dataset;
      if (choice) change("doubt", (fields) => merge(fields, this.reply.doubts[doubt].choices[choice].fields));
    });
    element("reading-doubts").addEventListener("submit", (event) => {
      event.preventDefault();
      const [input] = event.target.querySelectorAll("input"), text = input.value.trim();
      const value = input.name === "total" ? text.replace(/(?<=\d)[.,' ](?=\d{3}(?!\d))/g, "") : text;
      if (text) change("doubt", (fields) => merge(fields, { [input.name]: value }));
    });
  }

  /** Show a reading, and what was said to get it. */
  show(reply, fields) {
    const anew = this.reply === null;
    Object.assign(this, { reply, fields });
    if (anew) this.all = false;
    element("sheet-view").hidden = false;
    this.fill();
    this.offer();
    this.ask();
  }

  hide() {
    this.reply = null;
    this.shape = "";
    element("sheet-view").hidden = true;
    this.table.replaceChildren();
  }

  // What a person does.

  say({ dataset, value }) {
    if (dataset.column) this.change(`column ${dataset.column}`, (fields, { sheet }) => withRole(fields, sheet, dataset.column, value));
    if (dataset.row) this.change(`row ${dataset.row}`, (fields, { understood }) => withRow(fields, understood, Number(dataset.row), value));
    if (dataset.cell) this.change(`cell ${dataset.cell}`, (fields) => withCell(fields, dataset.cell, value.trim()));
  }

  /** Several cells that were copied go over those from here on, as in a spreadsheet. */
  paste(event) {
    const text = event.clipboardData.getData("text/plain").replace(/\r?\n$/, ""), at = event.target.dataset.cell;
    if (!at || !/[\t\n]/.test(text)) return;
    event.preventDefault();
    const { columns, rows } = this.reply.sheet;
    const [, letter, number] = /^([A-Z]+)(-?\d+)$/.exec(at);
    const left = columns.findIndex((one) => one.letter === letter), top = rows.findIndex((row) => row.number === Number(number));
    const cells = text.split(/\r?\n/).flatMap((line, r) => line.split("\t").map((cell, c) => [columns[left + c]?.letter, rows[top + r]?.number, cell]));
    const within = cells.filter(([column, row]) => column && row !== undefined);
    this.change(`paste ${at}`, (fields) => within.reduce((all, [column, row, cell]) => withCell(all, `${column}${row}`, cell.trim()), fields));
  }

  sayOfAll(control) {
    const name = control.name, value = control.type === "checkbox" ? control.checked || "" : control.value.trim();
    this.change(name, (fields) => merge(["sheet", "transposed"].includes(name) ? forget(fields) : fields, { [name]: value }));
  }

  move(event) {
    const input = event.target;
    if (!input.dataset.cell) return;
    if (event.key === "Escape") return void (input.value = input.defaultValue);
    const free = input.selectionStart === input.selectionEnd || input.selectionEnd - input.selectionStart === input.value.length;
    const steps = {
      Enter: [event.shiftKey ? -1 : 1, 0], ArrowDown: [1, 0], ArrowUp: [-1, 0],
      ...(free && input.selectionStart === 0 ? { ArrowLeft: [0, -1] } : {}),
      ...(free && input.selectionEnd === input.value.length ? { ArrowRight: [0, 1] } : {}),
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    const tr = input.closest("tr"), trs = [...this.table.tBodies[0].rows];
    const next = this.cell(trs.indexOf(tr) + step[0], [...tr.cells].indexOf(input.closest("td")) - 1 + step[1]);
    input.blur(); // what was written counts, also where there is no next cell
    (next ?? input).focus();
  }

  cell(row, column) {
    const cells = this.table.tBodies[0].rows[row]?.querySelectorAll("input[data-cell]");
    return cells?.[Math.max(0, Math.min(column, cells.length - 1))];
  }

  /** One cell is in the order of the Tab key: the last that was used. The arrow keys go to the others. */
  enter(input) {
    for (const other of this.table.querySelectorAll('[data-cell][tabindex="0"]')) other.tabIndex = -1;
    input.tabIndex = 0;
    input.select();
  }

  // What is shown.

  fill() {
    const { sheet, doubts } = this.reply;
    const late = sheet.rows.slice(FIRST).map((row) => row.number);
    this.all ||= doubts.some((doubt) => doubt.rows.some((row) => late.includes(row)));
    const rows = this.all ? sheet.rows : sheet.rows.slice(0, FIRST);
    const spans = rows.map((row) => span(row, sheet.columns.length));
    const shape = JSON.stringify([sheet.title, sheet.columns.map((one) => one.letter), rows.map((row) => row.number), spans]);
    if (shape !== this.shape) {
      this.shape = shape;
      this.build(rows, spans);
    }
    this.fillHead();
    rows.forEach((row, i) => this.fillRow(row, this.table.tBodies[0].rows[i]));
    this.sum();
    const hidden = sheet.rows.length - rows.length;
    element("sheet-all").hidden = !hidden;
    element("sheet-all").textContent = `Show all ${sheet.rows.length.toLocaleString("en-GB")} rows`;
    element("sheet-more").hidden = !sheet.more_rows;
    element("sheet-more").textContent = `${sheet.more_rows.toLocaleString("en-GB")} more rows are read, and not shown.`;
  }

  build(rows, spans) {
    const { columns, place } = this.reply.sheet;
    const held = document.activeElement?.dataset?.key;
    const width = (i) => Math.max(...rows.filter((row) => ["data", "header"].includes(row.role)).map((row) => Math.ceil(0.85 * (row.cells[i] ?? "").length)), 5);
    const head = make("tr", {}, [make("th", { scope: "col", className: "number" }, [place])]);
    for (const { letter } of columns) {
      const select = make("select", {}, Object.entries(ROLES).map(([role, words]) => new Option(words, role)));
      select.dataset.column = select.dataset.key = letter;
      head.append(make("th", { scope: "col" }, [make("span", { className: "letter" }, [letter]), select]));
    }
    const body = make("tbody");
    rows.forEach((row, r) => {
      const select = make("select", {}, [...Object.entries(USES).map(([use, words]) => new Option(words, use)), new Option("not used", "")]);
      select.dataset.row = row.number;
      select.dataset.key = `row ${row.number}`;
      const number = make("span", { className: "letter" }, [String(row.number)]);
      const tr = make("tr", {}, [make("th", { scope: "row", className: "number" }, [make("span", { className: "use" }, [number, select])])]);
      const last = spans[r] ?? columns.length - 1;
      columns.slice(0, last + 1).forEach(({ letter }, i) => {
        const input = make("input", { autocomplete: "off", spellcheck: false, tabIndex: r || i ? -1 : 0, size: Math.min(width(i), WIDEST) });
        input.dataset.cell = input.dataset.key = `${letter}${row.number}`;
        tr.append(make("td", i === last && last < columns.length - 1 ? { colSpan: columns.length - last } : {}, [input]));
      });
      body.append(tr);
    });
    const caption = make("caption", { className: "unseen" }, [
      "The table as it was read. Above each column: what it holds. Before each row: whether it is used. The arrow keys go from cell to cell."]);
    this.table.replaceChildren(caption, make("thead", {}, [head]), body);
    if (held) this.table.querySelector(`[data-key="${held}"]`)?.focus();
  }

  fillHead() {
    const asked = this.whatIsAsked((doubt) => (doubt.rows.length ? [] : doubt.columns));
    for (const { letter, name, role } of this.reply.sheet.columns) {
      const select = this.table.querySelector(`[data-column="${letter}"]`);
      if (!(role in ROLES) && ![...select.options].some((one) => one.value === role)) select.add(new Option(role.replace(/_/g, " "), role));
      if (select !== document.activeElement) select.value = role; // else the arrow keys may be on their way through the list
      select.setAttribute("aria-label", `Column ${letter}${name ? `, ${name}` : ""}: role`);
      select.closest("th").className = `role-${role}`;
      mark(select, asked.get(letter));
    }
  }

  fillRow({ number, role, cells }, tr) {
    const { columns, place } = this.reply.sheet;
    const asked = this.whatIsAsked((doubt) => doubt.cells), rows = this.whatIsAsked((doubt) => (doubt.cells.length ? [] : doubt.rows));
    tr.className = ["data", "header", "section"].includes(role) ? role : "aside";
    const select = tr.querySelector("select");
    select.options[2].text = role in USES || role === "ignored" ? "not used" : role === "section" ? "section" : role;
    select.value = role in USES ? role : "";
    select.setAttribute("aria-label", `Use of ${place} ${number}`);
    mark(select, rows.get(number));
    tr.querySelectorAll("input").forEach((input, i) => {
      const where = input.dataset.cell, text = cells[i] ?? "";
      if (input !== document.activeElement || input.value === input.defaultValue) input.value = text;
      input.defaultValue = text;
      input.setAttribute("aria-label", where);
      input.title = text.length > input.size ? text : "";
      const td = input.closest("td");
      td.className = role === "data" ? `role-${columns[i].role}` : "";
      td.classList.toggle("corrected", where in (this.fields.cells ?? {}));
      mark(input, asked.get(where));
    });
  }

  /** What is asked about columns, rows or cells, by these: the element that asks, and the question. */
  whatIsAsked(about) {
    return new Map(this.reply.doubts.flatMap((doubt, i) => about(doubt).map((one) => [one, [`doubt-${i}`, doubt.question]])));
  }

  /** What the table comes to, in a sentence. */
  sum() {
    const { sheet, curves, doubts } = this.reply;
    const used = curves.reduce((sum, curve) => sum + curve.rows.length, 0);
    const many = curves.length > 1 ? ` in ${curves.length} curves` : "";
    const rows = `${used.toLocaleString("en-GB")} ${used === 1 ? "score" : "scores"}${many}`;
    const title = sheet.title && sheet.title !== "*" ? ` from the sheet “${sheet.title}”` : "";
    element("sheet-summary").textContent = doubts.length
      ? "This is the table as it was understood so far. Answer what is asked, or change what is wrong."
      : `Read ${rows}${title}. Change here what is wrong: the answer follows.`;
  }

  /** The controls for the table as a whole: what was said, or what was judged. */
  offer() {
    const { sheet, understood } = this.reply, said = this.fields;
    const titles = [...sheet.titles.map((title) => new Option(title, title)), new Option("all sheets, each a model", "*")];
    element("read-sheet").replaceChildren(...titles);
    element("read-sheet").value = sheet.title;
    element("sheet-field").hidden = sheet.titles.length < 2;
    const signs = { ".": "point", ",": "comma" }, columns = { split: "splits", model: "models" };
    judged("decimal_sign", said, signs[understood.decimal_sign]);
    judged("each_column", said, columns[understood.each_column] ?? "by their names");
    judged("transposed", said, understood.transposed ? "yes" : "no");
    element("read-per_cent").checked = understood.per_cent;
    element("read-point_groups").checked = Boolean(said.point_groups);
    for (const name of ["total", "header", "rows", "sections", "fill_down"]) element(`read-${name}`).value = understood[name] ?? "";
    element("read-header").value ||= "none";
  }

  ask() {
    const { doubts } = this.reply, region = element("reading-doubts");
    const focused = region.contains(document.activeElement);
    region.hidden = !doubts.length;
    region.replaceChildren(...doubts.map((doubt, i) => {
      const block = make("div", { className: "doubt" }, [make("p", { id: `doubt-${i}` }, [doubt.question])]);
      const buttons = doubt.choices.map((choice, c) => {
        const button = make("button", { type: "button" }, [choice.label.replace(/^./, (first) => first.toUpperCase())]);
        Object.assign(button.dataset, { doubt: i, choice: c });
        button.setAttribute("aria-describedby", `doubt-${i}`);
        return button;
      });
      if (buttons.length) block.append(make("div", { className: "buttons" }, buttons));
      if (doubt.free) {
        const input = make("input", { name: doubt.free, id: `free-${i}`, autocomplete: "off", maxLength: 200 });
        const label = make("label", { htmlFor: input.id }, [FREE[doubt.free] ?? doubt.free]);
        block.append(make("form", { className: "buttons" }, [label, input, make("button", { type: "submit" }, ["Use it"])]));
      }
      return block;
    }));
    if (doubts.length) region.scrollIntoView({ block: "nearest" });
    if (focused) (region.querySelector("button, input") ?? element("sheet-summary")).focus();
    const marked = this.table.querySelector("td [aria-invalid]"), frame = element("sheet-frame");
    if (marked) frame.scrollTop = marked.closest("tr").offsetTop - frame.clientHeight / 2; // within the frame: the page stays
  }
}

/** The last cell of a row whose words run on over the empty cells behind it; null where none do. */
function span({ role, cells }, width) {
  if (["data", "header"].includes(role)) return null;
  const last = cells.slice(0, width).findLastIndex((cell) => cell !== "");
  return last >= 0 && last < width - 1 && cells[last].length > LONG ? last : null;
}

function make(tag, given = {}, children = []) {
  const made = Object.assign(document.createElement(tag), given);
  made.append(...children);
  return made;
}

function mark(control, asked) {
  if (asked) {
    control.setAttribute("aria-invalid", "true");
    control.setAttribute("aria-describedby", asked[0]);
    control.title = asked[1];
  } else if (control.hasAttribute("aria-invalid")) {
    for (const name of ["aria-invalid", "aria-describedby", "title"]) control.removeAttribute(name);
  }
}

function judged(name, said, words) {
  const select = element(`read-${name}`);
  select.options[0].text = name in said ? "as judged" : `as judged: ${words}`;
  select.value = said[name] ?? "";
}
