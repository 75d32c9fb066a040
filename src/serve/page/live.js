// The camera's picture, what an algorithm sees in it, its parameters, the mouse.
import { ask, by, element, number, show } from "./app.js";

const kScenes = ["none", "wandering_dot", "noise", "checkerboard", "rotating", "panning", "approaching"];
const kDragPixels = 5;
let schema = {}, state = {};

function fail(error) { by("message").textContent = error ? error.message : ""; }

// One control for each row of the schema.
function control(name, row, value) {
  const id = "param-" + name;
  if (row.type === "select") {
    const made = element("select", { id, name });
    for (const option of row.options) made.append(element("option", { value: option }, String(option)));
    made.value = value;
    return element("label", { for: id }, row.label, made);
  }
  if (row.type === "checkbox") {
    const made = element("input", { id, name, type: "checkbox" });
    made.checked = value;
    return element("label", { for: id, class: "check" }, made, row.label);
  }
  const made = element("input", { id, name, type: row.type, min: row.min, max: row.max, step: row.step });
  made.value = value;
  if (row.type === "number") return element("label", { for: id }, row.label, made);
  const shown = element("output", { for: id }, String(value));
  made.oninput = () => { shown.textContent = made.value; };
  return element("label", { for: id }, row.label, element("span", { class: "rangeline" }, made, shown));
}

function chosen() {
  const values = {};
  for (const [name, row] of Object.entries(schema)) {
    const input = by("param-" + name);
    values[name] = row.type === "checkbox" ? input.checked : row.type === "select" ? input.value : Number(input.value);
  }
  return values;
}

function showState(next) {
  state = next;
  schema = next.schema;
  by("algorithm").value = next.algorithm;
  by("algorithm-text").textContent = next.text;
  by("mouse-help").textContent = next.mouse;
  if (![...by("device").options].some((o) => o.value === next.device)) {
    by("device").append(element("option", { value: next.device }, next.device));
  }
  by("device").value = next.device;
  by("beside").checked = next.beside;
  by("beside").disabled = next.device === "twin";
  by("camera").value = next.camera.replace("synthetic:", "");
  by("params").replaceChildren(...Object.entries(schema).map(([name, row]) => control(name, row, next.params[name])));
  by("apply").disabled = true;
  by("video").width = next.width;
  by("video").height = next.height;
  by("video").style.aspectRatio = `${next.width} / ${next.height}`;
}

// One after the other: answers that overtake each other would show what is no longer so.
let last = Promise.resolve();
function change(path, body) { last = last.then(() => changeNow(path, body)); return last; }

async function changeNow(path, body) {
  fail(null);
  try {
    showState(await ask(path, body));
  } catch (error) {
    fail(error);
    if (state.schema) showState(state);
  }
}

// What the numbers of the algorithms are called, and their units.
const kValues = {
  x: ["right of the middle", "of half the width"], y: ["below the middle", "of half the height"],
  direction: ["direction"], has_pattern: ["pattern chosen"],
  tau: ["middle over edge"], ttc_s: ["time to contact", "s"], zones: ["edges, row by row"], motion: ["motion"],
  vx: ["to the right", "squares"], vy: ["down", "squares"],
  yaw_deg: ["turn", "° a picture"], heading_deg: ["heading", "°"],
  y_min: ["least output"], y_max: ["largest output"], error_steps: ["largest error", "steps of the output"],
  norm: ["length of the state"], pulse: ["pulse"],
  kept: ["pictures kept"], room: ["at most"], matches: ["most alike"],
  outputs: ["outputs"], where: ["computed by"], classes: ["classes"], people: ["people"], boxes: ["boxes"] };

function valueText(value) {
  if (value === true || value === false) return value ? "yes" : "no";
  if (!Array.isArray(value)) return number(value);
  const one = (v) => (typeof v === "object" ? Object.values(v).filter((x) => x !== "").map((x) => number(x)).join(" ") : number(v, 1));
  return value.map(one).join(", ") || "none";
}

// " squares", but " square" after 1.
function unitText(unit, value) {
  if (!unit || value === null) return "";
  return " " + (unit === "squares" && Math.abs(value) === 1 ? "square" : unit);
}

function showMetrics(m) {
  by("badge").textContent = m.mode;
  show(by("numbers"), {
    "frames per second": number(m.fps, 1), "latency": number(m.latency_ms, 1) + " ms",
    "frame": number(m.frame), "camera": m.camera });
  const rows = {};
  for (const [name, value] of Object.entries(m.values)) {
    const [label, unit] = kValues[name] || [name];
    rows[label] = valueText(value) + unitText(unit, value);
  }
  show(by("values"), rows);
  const c = m.comparison;
  by("comparison").textContent = !c ? "" : c.different === 0
    ? `equal: device and twin gave the same ${c.bytes} bytes, ${c.runs_different} of ${c.runs} runs differed`
    : `different: ${c.different} of ${c.bytes} bytes, first in ${c.first_layer}; ${c.runs_different} of ${c.runs} runs`;
  if (m.message) by("message").textContent = m.message;
  by("pause").setAttribute("aria-pressed", m.paused);
  by("pause").textContent = m.paused ? "Go on" : "Pause";
  by("step").disabled = !m.paused;
}

// From displayed to frame pixels.
function place(event) {
  const box = by("video").getBoundingClientRect();
  return { x: (event.clientX - box.left) / box.width * state.width, y: (event.clientY - box.top) / box.height * state.height };
}

function startMouse() {
  let from = null, dragging = false, waiting = null, last = Promise.resolve();
  const video = by("video");
  // One after the other: requests of two connections may overtake one another.
  const send = (path, at) => { last = last.then(() => ask(path, at)).catch(fail); };
  // Of the places that come while one is sent, only the newest.
  const sendMove = (at) => {
    if (!waiting) last = last.then(() => { const newest = waiting; waiting = null; return ask("drag_move", newest); }).catch(fail);
    waiting = at;
  };
  video.onpointerdown = (event) => { from = place(event); dragging = false; video.setPointerCapture(event.pointerId); };
  video.onpointermove = (event) => {
    if (!from) return;
    const at = place(event);
    if (!dragging && Math.hypot(at.x - from.x, at.y - from.y) <= kDragPixels) return;
    if (!dragging) { dragging = true; send("drag_start", from); }
    sendMove(at);
  };
  video.onpointerup = (event) => {
    if (!from) return;
    const start = from, at = place(event);
    from = null;
    if (dragging) send("drag_end", at);
    else send("click", start);
  };
  video.onpointercancel = () => { from = null; };
  video.onkeydown = (event) => { if (event.key === "Enter") send("click", { x: state.width / 2, y: state.height / 2 }); };
}

async function record() {
  const on = by("record").getAttribute("aria-pressed") !== "true";
  try {
    await ask("api/record", { on });
    by("record").setAttribute("aria-pressed", on);
    by("recording").hidden = on;
  } catch (error) { fail(error); }
}

async function replay(file) {
  fail(null);
  by("replayed").textContent = `${file.name}: done again …`;
  try {
    const made = await ask("api/replay", file.slice());
    by("replayed").textContent = made.equal ? `equal: ${made.frames} pictures gave the same bytes`
      : `different: first in picture ${made.first_difference}`;
  } catch (error) {
    by("replayed").textContent = "";
    fail(error);
  }
}

export async function startLive() {
  const first = await ask("api/state");
  by("algorithm").append(...first.algorithms.map((a) => element("option", { value: a.name }, a.name)));
  by("camera").append(...kScenes.map((s) => element("option", { value: s }, s === "none" ? "fits the algorithm" : s.replace("_", " "))));
  showState(first);
  by("video").src = "video_feed";
  new EventSource("metrics").onmessage = (event) => showMetrics(JSON.parse(event.data));
  by("algorithm").onchange = () => change("switch_algorithm", { algorithm: by("algorithm").value });
  const again = () => change("apply_params", { algorithm: state.algorithm, params: chosen(), device: by("device").value, beside: by("beside").checked && by("device").value !== "twin" });
  by("device").onchange = again;
  by("beside").onchange = again;
  by("camera").onchange = () => change("api/camera", { source: by("camera").value === "none" ? "none" : "synthetic:" + by("camera").value });
  by("params").oninput = () => { by("apply").disabled = false; };
  by("params").onsubmit = (event) => { event.preventDefault(); again(); };
  by("apply").onclick = again;
  by("pause").onclick = () => ask("pause", {}).catch(fail);
  by("step").onclick = () => ask("api/step", {}).catch(fail);
  by("record").onclick = record;
  by("replay").onclick = () => by("replay-file").click();
  by("replay-file").onchange = () => {
    const [file] = by("replay-file").files;
    if (file) replay(file);
    by("replay-file").value = "";
  };
  document.addEventListener("keydown", (event) => {
    const typing = ["INPUT", "SELECT", "TEXTAREA", "BUTTON", "A"].includes(event.target.tagName);
    if (event.key === " " && !typing && !by("live").hidden) { event.preventDefault(); by("pause").click(); }
  });
  startMouse();
}
