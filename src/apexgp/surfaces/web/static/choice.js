// Which sheet and which columns of a file are meant: offered where there is a choice, and opened where it is in doubt.

const COLUMNS = ["size_column", "score_column", "split_column", "task_column", "sd_column", "n_test", "train_column"];
const SAID = ["each_column", "per_cent"]; // with choices of their own
const element = (name) => document.getElementById(name);

/** What was chosen, as the query of a request; empty where the reader is to tell by the names. */
export function chosen() {
  const query = new URLSearchParams();
  for (const name of ["sheet", ...COLUMNS, ...SAID]) {
    for (const option of element(name).selectedOptions) if (option.value) query.append(name, option.value);
  }
  return query.size ? `?${query}` : "";
}

/** Offer the columns and sheets of a file; what was chosen before stays where it still can be. */
export function offer({ columns, sheets, sheet }, inDoubt = null) {
  const fields = element("choice").querySelectorAll("select");
  const kept = Object.fromEntries([...fields].map((field) => [field.id, [...field.selectedOptions].map((one) => one.value)]));
  fill(element("sheet"), sheets, [sheet]);
  element("sheet-field").hidden = sheets.length < 2;
  for (const name of COLUMNS) {
    const select = element(name);
    fill(select, columns, kept[name], select.multiple ? null : "found by name");
  }
  const doubted = inDoubt && [...fields].some((field) => field.id === inDoubt);
  for (const field of fields) {
    if (doubted && field.id === inDoubt) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  }
  element("choice").hidden = !doubted && sheets.length < 2 && columns.length < 3;
  element("choice").open ||= Boolean(doubted) || sheets.length > 1; // and stays open while it is used
}

/** Forget what was chosen for another file. */
export function forget() {
  for (const field of element("choice").querySelectorAll("select:not([data-fixed])")) field.replaceChildren();
  for (const name of SAID) element(name).value = "";
  element("choice").open = false;
  element("choice").hidden = true;
}

/** Names of columns are those of one sheet: with another sheet they are chosen anew. */
export function forgetColumns() {
  for (const name of COLUMNS) element(name).replaceChildren();
}

function fill(select, names, selected, none = null) {
  const options = names.map((name) => new Option(name, name, false, selected.includes(name)));
  select.replaceChildren(...(none === null ? [] : [new Option(none, "")]), ...options);
}
