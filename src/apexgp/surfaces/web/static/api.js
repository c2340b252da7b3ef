// Requests to the server that this page came from; the last one wins.

const KEY = "apexgp-token";

export class Refused extends Error {
  constructor(error, status) {
    super(error.message);
    Object.assign(this, { status, kind: error.kind, argument: error.argument, rows: error.rows ?? [] });
  }
}

/** Keep the token of an address such as /#token=... for as long as the tab is open, and take it out of the address. */
export function keepToken() {
  const found = /^#token=([\w-]+)&?/.exec(location.hash);
  if (!found) return;
  sessionStorage.setItem(KEY, found[1]);
  history.replaceState(null, "", "#" + location.hash.slice(found[0].length));
}

export function setToken(token) {
  sessionStorage.setItem(KEY, token.trim());
}

export async function ask(path, { json, bytes, signal } = {}) {
  const headers = {};
  const token = sessionStorage.getItem(KEY);
  if (token) headers.Authorization = "Bearer " + token;
  let body;
  if (json !== undefined) {
    headers["Content-Type"] = "application/json";
    body = JSON.stringify(json);
  } else if (bytes !== undefined) {
    headers["Content-Type"] = "application/octet-stream";
    body = bytes;
  }
  let response;
  try {
    response = await fetch(path, { method: body === undefined ? "GET" : "POST", headers, body, signal });
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new Refused({ kind: "server", message: "The server is not responding. Is apexgp serve still running?" }, 0);
  }
  if (response.ok) return response.headers.get("Content-Type").startsWith("text/html") ? response.blob() : response.json();
  const answer = await response.json().catch(() => ({}));
  throw new Refused(answer.error ?? { kind: "server", message: `The server failed (${response.status}).` }, response.status);
}

/** A function that runs `work` a moment after the last call, and drops answers that a later call has overtaken. */
export function latest(work, wait) {
  let timer, controller;
  return function run(delay = wait) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      controller?.abort();
      controller = new AbortController();
      work(controller.signal).catch((problem) => {
        if (problem.name !== "AbortError") throw problem;
      });
    }, delay);
  };
}
