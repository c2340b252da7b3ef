// What the page holds, and how it stands in the fragment of the address: readable, and never sent to a server.

export const SETTINGS = ["task", "metric", "lower_is_better", "target", "confidence", "at", "ceiling", "cost", "penalty",
  "rounds", "mean", "learner", "level", "floor", "of", "range", "unit", "test_share", "n_features", "n_classes",
  "averaged_over", "budget", "available", "prevalence", "cstatistic", "priors"];
export const DETAILS = ["train_score", "score_sd", "n_test", "averaged_over"]; // cells of a row that are not shown, after three
const LONGEST_LINK = 100000; // characters; some programs cut longer ones
const CELLS = [0, 1, 2, ...DETAILS.map((_, i) => i + 3)];

export function emptyState() {
  return { rows: [], settings: {} };
}

/** `#rows=60,0.66,a;94,0.7,a&target=0.9`; null where that would be too long for a link. */
export function toFragment(state) {
  const parts = [];
  const rows = state.rows.filter((row) => row.some((cell) => cell !== ""));
  if (rows.length) parts.push("rows=" + rows.map((row) => trimmed(row).map(encoded).join(",")).join(";"));
  for (const name of SETTINGS) {
    if (state.settings[name]) parts.push(name + "=" + encoded(state.settings[name]));
  }
  const fragment = parts.join("&");
  return fragment.length > LONGEST_LINK ? null : fragment;
}

export function fromFragment(fragment) {
  const state = emptyState();
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const [name, ...rest] = part.split("=");
    const value = rest.join("=");
    if (name === "rows" && value) {
      state.rows = value.split(";").map((row) => CELLS.map((i) => decoded(row.split(",")[i] ?? "")));
    } else if (SETTINGS.includes(name)) {
      state.settings[name] = decoded(value);
    }
  }
  return state;
}

function trimmed(row) {
  return row.slice(0, Math.max(2, row.findLastIndex((cell) => cell !== "") + 1));
}

function encoded(text) {
  return encodeURIComponent(text).replace(/%20/g, "+");
}

function decoded(text) {
  try {
    return decodeURIComponent(text.replace(/\+/g, " "));
  } catch {
    return text; // a link that was cut within a letter
  }
}
