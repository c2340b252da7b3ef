// What is taken away: files made from the answer on the page, and a link that holds the numbers.

import { ask } from "./api.js";
import { budgeted } from "./settings.js";

const WIDTH = 1600; // pixels of the PNG

/** Take away one kind of thing of what is shown; gives a few words on what was done. */
export async function take(kind, { answer, request, advice }, settings) {
  const base = (settings.task ?? "").replace(/[^\w-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60).toLowerCase() || "curve";
  switch (kind) {
    case "link":
      await navigator.clipboard.writeText(location.href);
      return "The link is on the clipboard. It contains your numbers: anyone who opens it with apexgp serve sees this page.";
    case "svg":
      return save(`${base}.svg`, answer.svg, "image/svg+xml");
    case "png":
      return save(`${base}.png`, await painted(answer.svg), "image/png");
    case "csv":
      return save(`${base}-forecast.csv`, answer.csv, "text/csv");
    case "measurements":
      return save("measurements.csv", answer.measurements, "text/csv");
    case "json":
      return save(`${base}.json`, JSON.stringify(facts(answer, advice), null, 1) + "\n", "application/json");
    case "python":
      return save(`${base}.py`, answer.python + (advice ? "\n" + advice.python : ""), "text/x-python");
    case "report":
      return save(`${base}-report.html`, await ask("api/report", { json: { ...request, ...budgeted(settings) } }), "text/html");
  }
}

/** The dictionaries of `--json`, by their commands where there are several. */
function facts({ forecast, plan, doubts }, advice) {
  if (!plan && !advice && !doubts) return forecast;
  const { sensitivity, check } = doubts ?? {};
  const others = { plan, design: advice?.design, sensitivity, check };
  return { forecast, ...Object.fromEntries(Object.entries(others).filter(([, found]) => found)) };
}

function save(name, content, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  return `Saved as ${name}.`;
}

/** The picture of an SVG file in pixels, on white. */
async function painted(svg) {
  const [, , width, height] = /viewBox="([^"]+)"/.exec(svg)[1].split(" ").map(Number);
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH;
  canvas.height = Math.round((WIDTH * height) / width);
  const image = new Image();
  const sized = svg.replace("<svg ", `<svg width="${canvas.width}" height="${canvas.height}" `);
  image.src = URL.createObjectURL(new Blob([sized], { type: "image/svg+xml" }));
  await image.decode();
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
