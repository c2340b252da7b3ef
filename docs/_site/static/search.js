/* Looks for the words of ?q= in SECTIONS: [page, heading, address, text] each. All words have to be there. */

"use strict";

const FEWEST_LETTERS = 2;
const SHOWN = 40;
const QUOTED = 220;

/** The beginnings of words that are looked for, so that "forecasts" and "forecasting" are found for "forecast". */
function words(query) {
  return query.toLowerCase().split(/[^\p{L}\p{N}_.-]+/u).filter((word) => word.length >= FEWEST_LETTERS);
}

/** How well a section answers; 0 where a word is missing. What stands in a heading counts most. */
function worth([page, heading, , text], wanted) {
  const title = (heading || page).toLowerCase();
  const body = text.toLowerCase();
  let sum = 0;
  for (const word of wanted) {
    const often = Math.min(body.split(word).length - 1, 5);
    const one = (title.includes(word) ? 20 : 0) + (page.toLowerCase().includes(word) ? 5 : 0) + often;
    if (!one) return 0;
    sum += one;
  }
  const phrase = wanted.join(" ");
  if (wanted.length > 1 && title.includes(phrase)) sum += 30;
  if (wanted.length > 1 && body.includes(phrase)) sum += 10;
  return title === phrase ? sum + 30 : sum;
}

/** A text as nodes, with the words marked. */
function marked(text, wanted) {
  const escaped = wanted.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return text.split(new RegExp(`(${escaped.join("|")})`, "i")).map((piece, place) => {
    if (place % 2 === 0) return piece;
    const mark = document.createElement("mark");
    mark.textContent = piece;
    return mark;
  });
}

/** The part of a text where the words are. */
function quotation(text, wanted) {
  const places = wanted.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0);
  const start = places.length ? Math.max(0, text.lastIndexOf(" ", Math.min(...places) - 60) + 1) : 0;
  const part = `${start ? "… " : ""}${text.slice(start, start + QUOTED)}${start + QUOTED < text.length ? " …" : ""}`;
  const line = document.createElement("p");
  line.append(...marked(part, wanted));
  return line;
}

function entry([page, heading, address, text], wanted) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = address;
  link.append(...marked(heading ? `${heading} · ${page}` : page, wanted));
  item.append(link, quotation(text, wanted));
  return item;
}

function show() {
  const query = new URLSearchParams(location.search).get("q") || "";
  const wanted = words(query);
  const found = (wanted.length ? SECTIONS : [])
    .map((section) => [worth(section, wanted), section])
    .filter(([sum]) => sum > 0)
    .sort(([one], [other]) => other - one);
  const more = found.length > SHOWN ? `; the best ${SHOWN} are shown` : "";
  document.getElementById("search-summary").textContent = wanted.length
    ? `${found.length} ${found.length === 1 ? "section" : "sections"} with “${query}”${more}.`
    : "Type what you are looking for.";
  document.getElementById("search-results").append(...found.slice(0, SHOWN).map(([, section]) => entry(section, wanted)));
  for (const field of document.querySelectorAll("input[name=q]")) field.value = query;
}

show();
