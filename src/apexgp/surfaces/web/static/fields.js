// What was said of a table, as the fields of a request to read it, and how each thing that a person says changes them.

const ONE = ["size", "split", "model", "metric"]; // roles that only one column has, as a rule
const OF_ONE_SHEET = ["roles", "header", "rows", "sections", "fill_down", "transposed", "cells"];
const BY_NAME = ["size_column", "score_column", "split_column", "task_column", "train_column", "sd_column"];

export function toQuery(fields) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (name === "cells") for (const [where, text] of Object.entries(value)) query.append(name, `${where}=${text}`);
    else for (const one of [value].flat()) query.append(name, one);
  }
  return query.size ? `?${query}` : "";
}

/** The fields with those of a choice; an empty one is left to the reader again. */
export function merge(fields, said) {
  const merged = { ...fields, ...said };
  if (said.roles) merged.roles = writeRoles({ ...readRoles(fields.roles), ...readRoles(said.roles) });
  if (said.score_column && fields.roles) {
    const others = Object.entries(readRoles(fields.roles)).filter(([, role]) => role !== "score");
    merged.roles = writeRoles(Object.fromEntries(others));
  }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== "" && value !== null));
}

/** A role given to a column. The others keep those that they were seen to have: only this one changes. */
export function withRole(fields, { columns }, letter, role) {
  const seen = columns.filter((one) => one.role !== "ignored").map((one) => [one.letter, one.role]);
  const roles = { ...Object.fromEntries(seen), ...readRoles(fields.roles) };
  const same = Object.keys(roles).filter((other) => other !== letter && roles[other] === role);
  if (ONE.includes(role) && same.length === 1) delete roles[same[0]];
  roles[letter] = role;
  const kept = Object.entries(fields).filter(([name]) => !BY_NAME.includes(name));
  return { ...Object.fromEntries(kept), roles: writeRoles(roles) };
}

/** A row said to be the header, used, or not used. */
export function withRow(fields, understood, number, use) {
  const header = readRows(fields.header ?? understood.header), rows = readRows(fields.rows ?? understood.rows);
  const named = header.has(number);
  if (use === "header") {
    const beside = header.has(number - 1) || header.has(number + 1); // another line of the same header
    const all = new Set(beside ? [...header, number] : [number]);
    rows.delete(number);
    return merge(fields, { header: writeRows(all), rows: fields.rows ? writeRows(rows) : "" });
  }
  header.delete(number);
  if (use === "data") rows.add(number);
  else rows.delete(number);
  const said = named ? { header: writeRows(header) || "none" } : {};
  // Beneath what is left of the header, the reader finds the rows better than it would by what it took for them before.
  if (named && use !== "data" && header.size && !fields.rows) return merge(fields, said);
  return merge(fields, { ...said, rows: writeRows(rows) });
}

export function withCell(fields, where, text) {
  return { ...fields, cells: { ...fields.cells, [where]: text } };
}

/** With another sheet, or its rows as columns, letters and numbers mean other cells. */
export function forget(fields) {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => ![...OF_ONE_SHEET, ...BY_NAME].includes(name)));
}

function readRoles(text = "") {
  return Object.fromEntries(text.split(",").filter(Boolean).map((pair) => pair.split("=")));
}

function writeRoles(roles) {
  return Object.entries(roles).map(([letter, role]) => `${letter}=${role}`).join(",");
}

/** Numbers of rows as people write them: 4-19,22. */
function readRows(text) {
  const rows = new Set();
  for (const part of text.split(",")) {
    const [, first, last] = /^(-?\d+)(?:-(\d+))?$/.exec(part.trim()) ?? [];
    for (let row = Number(first); row <= Number(last ?? first); row++) rows.add(row);
  }
  return rows;
}

function writeRows(rows) {
  const runs = [];
  for (const row of [...rows].sort((a, b) => a - b)) {
    if (runs.length && row === runs.at(-1)[1] + 1) runs.at(-1)[1] = row;
    else runs.push([row, row]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}
