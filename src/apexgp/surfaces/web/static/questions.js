// Questions without a block of their own: their controls come from the server, their answers are sentences.

import { setProse } from "./answer.js";
import { ask, Refused } from "./api.js";

const blocks = () => [...document.querySelectorAll("details.question")];
let request = null; // that of the answer on the page

/** Ask every question that is open about the curve of a request to the page; an opened one asks by itself. */
export function askOpened(latest) {
  request = latest;
  for (const block of blocks()) if (block.open) askOne(block);
}

for (const block of blocks()) {
  block.addEventListener("toggle", () => { if (block.open && request) askOne(block); });
  block.addEventListener("change", () => { if (request) askOne(block); });
}

async function askOne(block) {
  const said = block.querySelector(".sentence");
  const known = block.dataset.fields.split(" ");
  const shared = Object.entries(request).filter(([name]) => known.includes(name));
  const own = [...block.querySelectorAll("[name]")].map((control) => [control.name, valueOf(control)]);
  try {
    const json = Object.fromEntries([...shared, ...own.filter(([, value]) => value !== null)]);
    const answer = await ask(`api/${block.dataset.question}`, { json });
    setProse(said, [answer.sentence, ...answer.cautions].join(" "));
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    said.textContent = problem.message;
  }
}

function valueOf(control) {
  if (control.type === "checkbox") return control.checked;
  const text = control.value.trim();
  if (!text) return null;
  return { number: Number(text), list: text.split(/[\s,;]+/) }[control.dataset.kind] ?? text;
}
