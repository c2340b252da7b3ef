// The controls: what they hold as text, what they mean in a request, and messages beside the one that is at fault.

import { Refused } from "./api.js";
import { SETTINGS } from "./state.js";

const NUMBERS = ["target", "confidence", "ceiling", "level", "floor", "test_share", "prevalence", "cstatistic"];
const AMOUNTS = ["cost", "penalty", "n_features", "n_classes"];
const NEXT = ["budget", "available"];
const ABOUT_NEXT = ["table", "metric", "lower_is_better", "range", "unit", "test_share", "n_features", "n_classes", "averaged_over", "mean", "learner", "ceiling", "floor", "priors", "at", "target", "confidence"];
const element = (name) => document.getElementById(name);

export function readSettings() {
  const settings = {};
  for (const name of SETTINGS) {
    const value = element(name).value.trim();
    if (value) settings[name] = value;
  }
  return settings;
}

export function writeSettings(settings) {
  for (const name of SETTINGS) element(name).value = settings[name] ?? "";
  if (["mean", "learner", "level", "floor", "of", "averaged_over", "range", "priors"].some((name) => settings[name])) element("more").open = true;
}

/** The fields of a request. What is no number is refused here as the server would refuse it. */
export function requested(settings) {
  const fields = {};
  for (const name of NUMBERS) if (settings[name]) fields[name] = number(name, settings[name]);
  for (const name of AMOUNTS) if (settings[name]) fields[name] = amount(name, settings[name]);
  if (settings.rounds) fields.rounds = number("rounds", settings.rounds);
  const runs = settings.averaged_over;
  if (runs) fields.averaged_over = /^several$/i.test(runs) ? "several" : number("averaged_over", runs);
  for (const name of ["metric", "range", "mean", "learner", "of", "unit", "priors"]) if (settings[name]) fields[name] = settings[name];
  if (settings.lower_is_better) fields.lower_is_better = settings.lower_is_better === "yes";
  const sizes = (settings.at ?? "").split(/[\s;]+|,(?!\d{3}(?!\d))|,(?=\s)/).filter(Boolean);
  if (sizes.length) fields.at = sizes.map((size) => size.replace(/,/g, ""));
  return fields;
}

/** The fields of a request about what to measure next, for the curve and the questions of a request to the page. */
export function requestedNext(request, settings) {
  const kept = ABOUT_NEXT.filter((name) => name in request).map((name) => [name, request[name]]);
  return { ...Object.fromEntries(kept), ...budgeted(settings) };
}

/** How much more can be done, as a report takes it. */
export function budgeted(settings) {
  return Object.fromEntries(NEXT.filter((name) => settings[name]).map((name) => [name, amount(name, settings[name])]));
}

/** An amount as people write it: 50000, 50,000 or 50k. */
function amount(name, text) {
  const [, digits, unit] = /^(.*?)\s*([km]?)$/i.exec(text);
  const plain = /^[1-9]\d{0,2}(,\d{3})+$/.test(digits) ? digits.replace(/,/g, "") : digits;
  return number(name, plain) * { "": 1, k: 1e3, m: 1e6 }[unit.toLowerCase()];
}

/** A number as people write it: with a decimal comma, or in per cent. */
function number(name, text) {
  const percent = /%$/.test(text);
  const value = Number(text.replace(/\s*%$/, "").replace(/[\s_']/g, "").replace(/,/, "."));
  if (!Number.isFinite(value)) {
    throw new Refused({ kind: "request", message: `Expected a number, got “${text}”.`, argument: name }, 422);
  }
  return percent ? value / 100 : value;
}

/** Put a message beside a control of a form, or take all away. Returns whether there is such a control. */
export function showFault(name, message, form = "settings") {
  const problem = `${form}-problem`;
  for (const old of document.querySelectorAll(`#${form} .problem`)) old.remove();
  for (const control of document.querySelectorAll(`#${form} [aria-invalid]`)) {
    control.removeAttribute("aria-invalid");
    describe(control, (ids) => ids.filter((id) => id !== problem));
  }
  const control = name && SETTINGS.includes(name) ? element(name) : null;
  if (!control || control.form.id !== form) return false;
  const line = document.createElement("span");
  line.className = "problem";
  line.id = problem;
  line.textContent = message;
  control.closest(".field").append(line);
  control.setAttribute("aria-invalid", "true");
  describe(control, (ids) => [...ids, problem]);
  const folded = control.closest("details");
  if (folded) folded.open = true;
  return true;
}

function describe(control, change) {
  const ids = change((control.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean));
  if (ids.length) control.setAttribute("aria-describedby", ids.join(" "));
  else control.removeAttribute("aria-describedby");
}
