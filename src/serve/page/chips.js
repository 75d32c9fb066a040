// One float network in the integers of every chip: fits or not, and the noise of each layer.
import { ask, by, element, number, svg } from "./app.js";

// Apart for eyes that see few colours, and by dashes too.
const kLooks = [["#0072b2", ""], ["#d55e00", "8 4"], ["#009e73", "2 4"], ["#cc79a7", "12 3 2 3"], ["#e69f00", "5 5"], ["#56b4e9", "1 3"]];
const kLimit = 20;  // decibels

const decibels = (noise) => (noise > 0 ? Math.min(-10 * Math.log10(noise), 120) : 120);

function curves(chips) {
  const width = 900, height = 300, left = 50, bottom = 30;
  const made = svg("svg", { class: "curves", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Signal to noise of each layer in decibels" });
  const most = Math.max(60, ...chips.flatMap((c) => c.layers.map((l) => decibels(l.accumulated))));
  const y = (db) => 12 + (height - bottom - 12) * (1 - Math.max(db, 0) / most);
  for (let db = 0; db <= most; db += 20) {
    const text = svg("text", { x: left - 6, y: y(db) + 4, "text-anchor": "end" });
    text.textContent = `${db} dB`;
    made.append(svg("line", { x1: left, x2: width, y1: y(db), y2: y(db) }), text);
  }
  chips.forEach((chip, i) => {
    if (!chip.layers.length) return;
    const [color, dash] = kLooks[i % kLooks.length];
    const step = (width - left - 20) / Math.max(chip.layers.length - 1, 1);
    const d = chip.layers.map((l, k) => `${k ? "L" : "M"}${left + k * step} ${y(decibels(l.accumulated))}`).join("");
    const text = svg("text", { x: left + 90 * i + 8, y: height - 8 });
    text.textContent = chip.target;
    text.style.fill = color;
    const path = svg("path", { d, "stroke-dasharray": dash, stroke: color });
    made.append(path, text);
  });
  return made;
}

function firstBelow(chip) {
  const found = chip.layers.find((l) => decibels(l.accumulated) < kLimit);
  return found ? found.layer : chip.layers.length ? "none" : "–";
}

async function compare() {
  by("chips-message").textContent = "";
  by("chips-go").disabled = true;
  by("chips-result").replaceChildren(element("p", { class: "help" }, "Quantizing for every chip …"));
  try {
    const made = await ask("api/chips", { id: by("chips-network").value, calibration: by("chips-samples").value });
    const head = element("tr", {}, ...["chip", "fits", "signal to noise at the outputs", `first layer below ${kLimit} dB`, "why not"].map((t) => element("th", {}, t)));
    const rows = made.chips.map((c) => element("tr", {}, element("td", {}, c.target),
      element("td", { class: c.fits ? "yes" : "no" }, c.fits ? "yes" : "no"),
      element("td", {}, c.output_noise === null ? "–" : number(decibels(c.output_noise), 1) + " dB"),
      element("td", {}, firstBelow(c)), element("td", {}, c.reason)));
    by("chips-result").replaceChildren(element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)), curves(made.chips));
  } catch (error) {
    by("chips-result").replaceChildren();
    by("chips-message").textContent = error.message;
  }
  by("chips-go").disabled = false;
}

export function startChips() {
  const fill = (files) => {
    const option = (f) => element("option", { value: f.id }, f.name);
    by("chips-network").replaceChildren(...files.filter((f) => f.kind === "onnx").map(option));
    by("chips-samples").replaceChildren(...files.filter((f) => ["npy", "npz", "image"].includes(f.kind)).map(option));
    by("chips-go").disabled = !by("chips-network").value || !by("chips-samples").value;
  };
  document.addEventListener("files", (event) => fill(event.detail));
  document.addEventListener("view", (event) => { if (event.detail === "chips") ask("api/files").then((m) => fill(m.files)); });
  by("chips-go").onclick = compare;
}
