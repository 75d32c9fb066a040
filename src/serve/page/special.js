// What only some files have: memories and registers of the MAX7800x, instructions of compiled Edge
// TPU models, look-up tables of ESP-DL's.
import { ask, by, element, grouped, number } from "./app.js";

const kDescription = "max7800x network";
const kParts = ["target", "weights", "bias", "sample", "input_shape"];

const title = (text) => element("h2", {}, text);
const cell = (text) => element("td", {}, text === null || text === undefined ? "–" : String(text));

export function table(caption, heads, rows) {
  return element("div", { class: rows.length > 12 ? "wide long" : "wide", tabindex: "0", role: "region", "aria-label": caption },
    element("table", {}, element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ...heads.map((h) => element("th", { scope: "col" }, h)))),
      element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((c) => (c instanceof Node ? element("td", {}, c) : cell(c))))))));
}

// The parts of a description as members of a request.
export function chosenParts(kind) {
  if (kind === "espdl") return by("espdl-target").value ? { target: by("espdl-target").value } : {};
  if (kind !== kDescription) return {};
  return Object.fromEntries(kParts.map((name) => [name, by("max78-" + name).value.trim()]).filter(([, value]) => value));
}
export const asQuery = (parts) => Object.entries(parts).map(([k, v]) => `&${k}=${encodeURIComponent(v)}`).join("");

// Offers the files that are open for each part; what was chosen stays.
export function offerParts(kind, files) {
  by("max78").hidden = kind !== kDescription;
  by("espdl").hidden = kind !== "espdl";
  const kinds = { weights: ["checkpoint", "npy"], bias: ["npy"], sample: ["npy", "image"] };
  for (const [part, wanted] of Object.entries(kinds)) {
    const select = by("max78-" + part), before = select.value;
    select.replaceChildren(element("option", { value: "" }, "none"),
      ...files.filter((f) => wanted.includes(f.kind)).map((f) => element("option", { value: f.id }, f.name)));
    select.value = [...select.options].some((o) => o.value === before) ? before : "";
  }
}

// Inside of a page the name space is the page's.
const asDocument = (text) => text.replace("<svg", '<svg style="font-family:system-ui,sans-serif"' + (text.includes("xmlns=") ? "" : ' xmlns="http://www.w3.org/2000/svg"'));

const svgPicture = (text, alt) => element("div", { class: "wide paper" }, element("img", { class: "drawing", alt,
  src: "data:image/svg+xml;charset=utf-8," + encodeURIComponent(asDocument(text)) }));

function memoryPart(network) {
  const parts = [title("Memories over time"),
    svgPicture(network.memory_svg, "Memories of the chip: who lies where, and in data memory when")];
  for (const lost of network.memory.written_over) parts.push(element("p", { class: "alarm" }, lost.text));
  const s = network.statistics;
  if (s) parts.push(element("p", { class: "help" }, `${grouped(s.macc)} multiply-accumulates; kernels ${grouped(s.kernel_bytes)} of ${grouped(s.kernel_bytes_of_chip)} bytes; ` +
    (s.ms === null ? "time not known for this chip" : `${number(s.ms)} ms at ${number(s.clock_mhz)} MHz, an estimate without loading`)));
  return parts;
}

function programPart(program) {
  const hex = (v) => "0x" + v.toString(16).padStart(8, "0");
  const layer = (r) => (r.layer < 0 ? "group" : r.layer);
  return [
    table(`Register program of the ${program.device.toUpperCase()}: its parts`, ["part", "accesses", "words"], program.parts.map((p) => [p.name, p.accesses, p.words])),
    table("Registers as they are when the accelerator starts", ["layer", "register", "value", "meaning", "fields"],
      program.registers.map((r) => [layer(r), r.name, hex(r.value), r.meaning, r.fields.map((f) => `${f.name} ${f.value}`).join(", ")]))];
}

// The listing whole; a layer's own stands beside the graph.
function instructionsPart(made) {
  const listing = element("pre", { class: "listing", tabindex: "0", "aria-label": "Instructions" });
  listing.textContent = made.lines.join("\n");
  const problems = made.programs.filter((p) => p.problem).map((p) => element("p", { class: "help" }, `Program ${p.name} has no known layers: ${p.problem}`));
  return [title("Instructions of the compiled program"), ...problems,
    element("p", { class: "help" }, "The first 2,000 lines, as edgetwin disasm lists them. A layer in the graph has its own."), listing];
}

async function tablesPart(file) {
  const target = asQuery(chosenParts(file.kind));
  const { tables } = await ask(`api/tables?id=${file.id}${target}`);
  if (!tables.length) return [];
  const drawing = element("img", { class: "drawing", alt: "The function, what the runtime makes of the table, and the errors", hidden: "" });
  const rows = tables.map((t, k) => {
    const button = element("button", { class: "pick", "aria-pressed": "false" }, "Draw");
    button.disabled = !t.known_function;
    button.onclick = () => {
      drawing.hidden = false;
      drawing.src = `api/table?id=${file.id}&table=${k}${target}`;
      for (const other of document.querySelectorAll(".pick")) other.setAttribute("aria-pressed", other === button);
    };
    const r = t.interpolate;
    return [button, t.node, t.function, t.entries, t.used ? "yes" : "no: " + t.why, r ? `${r.largest_lsb} LSB` : "–", r ? `${number(r.mean_lsb)} LSB` : "–"];
  });
  return [table("Look-up tables and their errors over all inputs", ["", "layer", "function", "entries", "used", "largest error", "mean error"], rows),
    element("div", { class: "wide paper" }, drawing)];
}

// Time, energy and room on the chip before there is one; asked for, since it may take seconds.
let estimates = 0;  // counts the files shown; an answer for an earlier one is dropped

export function offerEstimate(file) {
  const mine = ++estimates;
  const button = by("estimate-go"), shown = by("estimated");
  by("estimate").hidden = !file || !file.has_graph;
  shown.replaceChildren();
  button.disabled = false;
  button.onclick = async () => {
    const put = (...parts) => { if (mine === estimates) shown.replaceChildren(...parts); };
    button.disabled = true;
    put(element("p", { class: "help" }, "Estimating …"));
    try {
      const target = file.kind === "tflite" ? "&target=edgetpu" : asQuery(chosenParts(file.kind));
      const made = await ask(`api/estimate?id=${file.id}${target}`);
      const text = element("pre", { class: "listing", tabindex: "0", "aria-label": "Estimate" });
      text.textContent = made.text;
      put(text, ...(made.svg ? [svgPicture(made.svg, "Where tensors lie in memory over time")] : []));
    } catch (error) { put(element("p", { class: "help" }, error.message)); }
    if (mine === estimates) button.disabled = false;
  };
}

export async function specialOf(file) {
  const parts = [];
  try {
    if (file.network && file.network.memory_svg) parts.push(...memoryPart(file.network));
    if (file.program) parts.push(...programPart(file.program));
    if (file.kind === "edgetpu") parts.push(...instructionsPart(file.instructions));
    if (file.kind === "espdl") parts.push(...await tablesPart(file));
  } catch (error) { parts.push(element("p", { class: "help" }, error.message)); }
  return parts;
}
