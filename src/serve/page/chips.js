// One float network in the integers of every chip: fits or not, and one input through all of them.
import { ask, by, element, number, svg } from "./app.js";
import { table } from "./special.js";

// Apart for eyes that see few colours, and by dashes too.
const kLooks = [["#0072b2", ""], ["#d55e00", "8 4"], ["#009e73", "2 4"], ["#cc79a7", "12 3 2 3"], ["#e69f00", "5 5"], ["#56b4e9", "1 3"]];
const kLimit = 20;  // decibels
const kPause = 500;  // milliseconds between two live pictures

let live = 0;  // counts its starts; an answer of an earlier one is dropped

const decibels = (noise) => (noise > 0 ? Math.min(-10 * Math.log10(noise), 120) : 120);

// Layers of all chips, in the order of the one that has most of them.
function layersOf(chips) {
  const longest = chips.reduce((a, c) => (c.layers.length > a.length ? c.layers : a), []);
  const names = longest.map((l) => l.tensor);
  for (const c of chips) for (const l of c.layers) if (!names.includes(l.tensor)) names.push(l.tensor);
  return names;
}

function curves(chips) {
  const width = 900, height = 320, left = 56, bottom = 52;
  const made = svg("svg", { class: "curves", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Signal to noise of each layer in decibels, a line for each chip" });
  const names = layersOf(chips);
  const most = Math.max(60, ...chips.flatMap((c) => c.layers.map((l) => l.db)));
  const y = (db) => 12 + (height - bottom - 12) * (1 - Math.max(db, 0) / most);
  const x = (k) => left + 8 + k * (width - left - 30) / Math.max(names.length - 1, 1);
  for (let db = 0; db <= most; db += 20) {
    const text = svg("text", { x: left - 6, y: y(db) + 4, "text-anchor": "end" });
    text.textContent = `${db} dB`;
    made.append(svg("line", { x1: left, x2: width, y1: y(db), y2: y(db), class: db === kLimit ? "limit" : "" }), text);
  }
  const every = Math.ceil(names.length / 10);
  names.forEach((name, k) => {
    if (k % every) return;
    const text = svg("text", { x: x(k), y: height - bottom + 18, "text-anchor": k ? "middle" : "start" });
    text.textContent = name.length > 12 ? name.slice(0, 11) + "…" : name;
    made.append(text);
  });
  chips.forEach((chip, i) => {
    if (!chip.layers.length) return;
    const [color, dash] = kLooks[i % kLooks.length];
    const points = chip.layers.map((l) => [x(names.indexOf(l.tensor)), y(l.db)]).sort((a, b) => a[0] - b[0]);
    made.append(svg("path", { d: points.map((p, k) => `${k ? "L" : "M"}${p[0]} ${p[1]}`).join(""), "stroke-dasharray": dash, stroke: color }));
    const at = left + 165 * i, key = svg("line", { x1: at, x2: at + 34, y1: height - 12, y2: height - 12, "stroke-dasharray": dash, class: "key" });
    key.style.stroke = color;
    const text = svg("text", { x: at + 40, y: height - 8 });
    text.textContent = chip.target;
    made.append(key, text);
  });
  return made;
}

const answersText = (list) => list.map((a) => `${a.index}: ${number(a.value)}`).join(", ");

function showAnswers(made) {
  const fits = made.chips.filter((c) => c.fits);
  const parted = fits.filter((c) => !c.same_answer).map((c) => c.target);
  const verdict = !fits.length ? "No chip takes this network." : parted.length
    ? `The best answer differs from float32 on ${parted.join(", ")}.` : `All ${fits.length} chips give the best answer of float32.`;
  const rows = [["float32", answersText(made.answers), "", "", ""],
    ...made.chips.map((c) => (c.fits
      ? [c.target, answersText(c.answers), c.same_answer ? "same" : "other", c.output_db === null ? "–" : `${number(c.output_db, 1)} dB`, c.first_below || "none"]
      : [c.target, c.reason, "–", "–", "–"]))];
  by("chips-answers").replaceChildren(element("p", { role: "status", class: parted.length ? "no" : "yes" }, verdict),
    table(made.input === "camera" ? "The camera's picture: the largest outputs" : "The first sample: the largest outputs",
      ["chip", "output: value", "best", "signal to noise", `first layer below ${kLimit} dB`], rows),
    element("div", { class: "wide" }, curves(made.chips.filter((c) => c.fits))));
}

const samples = () => [...by("chips-samples").selectedOptions].map((o) => o.value).join(",");
const chosen = (input) => ({ id: by("chips-network").value, calibration: samples(), input });

async function follow(started) {
  while (started === live) {
    try {
      const made = await ask("api/answers", chosen("camera"));
      if (started !== live) return;
      by("chips-message").textContent = "";
      showAnswers(made);
    } catch (error) {
      by("chips-message").textContent = error.message;
      return stopLive();
    }
    by("chips-picture").src = `screenshot?${Date.now()}`;
    await new Promise((done) => setTimeout(done, kPause));
  }
}

function stopLive() {
  ++live;
  by("chips-live").setAttribute("aria-pressed", "false");
  by("chips-picture").hidden = true;
}

function toggleLive() {
  if (by("chips-live").getAttribute("aria-pressed") === "true") return stopLive();
  by("chips-live").setAttribute("aria-pressed", "true");
  by("chips-picture").hidden = false;
  follow(++live);
}

async function compare() {
  stopLive();
  by("chips-message").textContent = "";
  by("chips-go").disabled = true;
  by("chips-answers").replaceChildren();
  by("chips-result").replaceChildren(element("p", { class: "help" }, "Quantizing for every chip …"));
  try {
    const made = await ask("api/chips", chosen("sample"));
    by("chips-result").replaceChildren(table("The network on every chip", ["chip", "fits", "signal to noise at the outputs", "why not"],
      made.chips.map((c) => [c.target, element("span", { class: c.fits ? "yes" : "no" }, c.fits ? "yes" : "no"),
        c.output_noise === null ? "–" : `${number(decibels(c.output_noise), 1)} dB`, c.reason])));
    showAnswers(await ask("api/answers", chosen("sample")));
  } catch (error) {
    by("chips-result").replaceChildren();
    by("chips-message").textContent = error.message;
  }
  by("chips-go").disabled = false;
}

export function startChips() {
  const option = (f) => element("option", { value: f.id }, f.name);
  const ready = () => { by("chips-go").disabled = by("chips-live").disabled = !by("chips-network").value || !samples(); };
  const fill = (files) => {
    const network = by("chips-network").value, before = samples().split(",");
    by("chips-network").replaceChildren(...files.filter((f) => f.kind === "onnx").map(option));
    if ([...by("chips-network").options].some((o) => o.value === network)) by("chips-network").value = network;
    const arrays = files.filter((f) => ["npy", "npz", "image"].includes(f.kind));
    by("chips-samples").replaceChildren(...arrays.map(option));
    for (const o of by("chips-samples").options) o.selected = before.includes(o.value);
    // Without a choice: all pictures, or the first array.
    if (!samples()) {
      const pictures = arrays.filter((f) => f.kind === "image");
      const ids = (pictures.length ? pictures : arrays.slice(0, 1)).map((f) => f.id);
      for (const o of by("chips-samples").options) o.selected = ids.includes(o.value);
    }
    ready();
  };
  document.addEventListener("files", (event) => fill(event.detail));
  document.addEventListener("view", (event) => {
    if (event.detail === "chips") ask("api/files").then((m) => fill(m.files));
    else stopLive();
  });
  by("chips-samples").onchange = ready;
  by("chips-go").onclick = compare;
  by("chips-live").onclick = toggleLive;
}
