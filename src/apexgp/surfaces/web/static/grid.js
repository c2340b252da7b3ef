// The table of measurements: cells to type in, rows that grow by themselves, messages beside the row that causes them.

const COLUMNS = [["size", "Training examples"], ["score", "Score"], ["split", "Split"]];
const FEWEST = 5; // rows that are shown
const MOST = 1000; // rows that are shown: a browser does not like more cells

export class Grid {
  /**
   * @param body  the table's body
   * @param changed  called after each change by hand
   * @param pasted  called with text of several cells that was pasted, and the row that it was pasted into
   */
  constructor(body, { changed, pasted }) {
    Object.assign(this, { body, changed, pasted, hidden: [] });
    body.addEventListener("input", () => { this.grow(); changed(); });
    body.addEventListener("keydown", (event) => this.move(event));
    body.addEventListener("paste", (event) => {
      const text = event.clipboardData.getData("text/plain");
      if (!/[\t\n;]/.test(text.trim())) return;
      event.preventDefault();
      pasted(text, this.trs.indexOf(event.target.closest("tr")));
    });
    body.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) this.remove(button.closest("tr"));
    });
    this.rows = [];
  }

  get trs() {
    return [...this.body.querySelectorAll("tr:not(.fault)")];
  }

  /** All cells as text, the empty rows at the end left out. */
  get rows() {
    const rows = this.trs.map((tr) => this.cells(tr)).concat(this.hidden);
    while (rows.length && rows.at(-1).every((cell) => cell === "")) rows.pop();
    return rows;
  }

  set rows(rows) {
    this.hidden = rows.slice(MOST);
    this.body.replaceChildren(...rows.slice(0, MOST).map((row) => this.made(row)));
    this.grow();
  }

  /** The cells of a row, and behind them those that are kept with it and not shown. */
  cells(tr) {
    const shown = [...tr.querySelectorAll("input")].map((cell) => cell.value.trim());
    return shown.some((cell) => cell !== "") ? [...shown, ...tr.beside] : shown;
  }

  made(cells = ["", "", ""]) {
    const tr = document.createElement("tr");
    tr.beside = cells.slice(COLUMNS.length);
    const number = document.createElement("th");
    number.scope = "row";
    tr.append(number);
    COLUMNS.forEach(([name], i) => {
      const input = document.createElement("input");
      input.name = name;
      input.value = cells[i] ?? "";
      input.autocomplete = "off";
      input.spellcheck = false;
      if (name !== "split") input.inputMode = "decimal";
      tr.insertCell().append(input);
    });
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "×";
    tr.insertCell().append(button);
    return tr;
  }

  /** Keep an empty row at the end, and numbers on all of them. */
  grow() {
    const filled = (tr) => [...tr.querySelectorAll("input")].some((cell) => cell.value !== "");
    let trs = this.trs;
    while (trs.length < FEWEST || (filled(trs.at(-1)) && !this.hidden.length)) {
      this.body.append(this.made());
      trs = this.trs;
    }
    trs.forEach((tr, i) => {
      tr.cells[0].textContent = i + 1;
      tr.querySelectorAll("input").forEach((cell, c) => cell.setAttribute("aria-label", `${COLUMNS[c][1]}, row ${i + 1}`));
      const button = tr.querySelector("button");
      button.setAttribute("aria-label", `Remove row ${i + 1}`);
      button.hidden = !filled(tr);
    });
  }

  remove(tr) {
    const next = this.trs[this.trs.indexOf(tr) + 1] ?? this.trs[0];
    this.clearFault(tr);
    tr.remove();
    this.grow();
    (next.isConnected ? next : this.trs[0]).querySelector("input").focus();
    this.changed();
  }

  move(event) {
    const steps = { Enter: event.shiftKey ? -1 : 1, ArrowDown: 1, ArrowUp: -1 };
    if (!(event.key in steps) || event.target.tagName !== "INPUT") return;
    event.preventDefault();
    const trs = this.trs, tr = event.target.closest("tr");
    trs[trs.indexOf(tr) + steps[event.key]]?.querySelector(`[name=${event.target.name}]`).focus();
  }

  /** Show messages beside rows: { row, column, message, mild } each. */
  show(faults) {
    for (const tr of this.trs) this.clearFault(tr);
    for (const fault of faults) {
      const tr = this.trs[fault.row];
      if (!tr || tr.nextElementSibling?.classList.contains("fault")) continue;
      const line = document.createElement("tr");
      line.className = fault.mild ? "fault mild" : "fault";
      line.insertCell();
      const cell = line.insertCell();
      cell.colSpan = 4;
      cell.id = `fault-${fault.row}`;
      cell.textContent = fault.message;
      tr.after(line);
      const inputs = [...tr.querySelectorAll("input")];
      const guilty = inputs.filter((input) => input.name === fault.column);
      for (const input of guilty.length ? guilty : inputs) {
        if (!fault.mild) input.setAttribute("aria-invalid", "true");
        input.setAttribute("aria-describedby", cell.id);
      }
    }
  }

  clearFault(tr) {
    if (tr.nextElementSibling?.classList.contains("fault")) tr.nextElementSibling.remove();
    for (const input of tr.querySelectorAll("input")) {
      input.removeAttribute("aria-invalid");
      input.removeAttribute("aria-describedby");
    }
  }
}
