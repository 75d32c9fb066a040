// Files: the graph, an operator's options and tensors, findings where they belong.
import { ask, by, element, grouped, number, show, svg } from "./app.js";
import { GraphView } from "./graph.js";
import { asQuery, chosenParts, offerEstimate, offerParts, specialOf } from "./special.js";

let graph, opened = [], file = null, network = null, findings = [];

function fail(error) { by("file-message").textContent = error ? error.message : ""; }

const shape = (t) => (t.shape ? t.shape.join("×") || "scalar" : "?");

// Converters join the names of all that became one operator.
const shorter = (name) => (name.length > 72 ? `${name.slice(0, 34)}…${name.slice(-36)}` : name);
const digits = (v) => Number(v.toPrecision(6));

function quantization(t) {
  if (t.exponent !== undefined) return `exponent ${[t.exponent].flat().slice(0, 4).join(", ")}`;
  if (t.scale === undefined) return "";
  const scales = [t.scale].flat();
  return scales.length > 1 ? `${scales.length} scales along axis ${t.axis}` : `scale ${digits(scales[0])}, zero point ${[t.zero_point].flat()[0]}`;
}

function histogram(stats) {
  const most = Math.max(...stats.histogram, 1), n = stats.histogram.length;
  const made = svg("svg", { class: "histogram", viewBox: "0 0 320 100", role: "img", "aria-label": "Histogram of the values" });
  stats.histogram.forEach((count, i) => {
    const h = count > 0 ? Math.max(80 * count / most, 1) : 0;
    made.append(svg("rect", { x: i * 320 / n, y: 82 - h, width: 320 / n - 0.6, height: h }));
  });
  const low = svg("text", { x: 0, y: 96, class: "axis" }), high = svg("text", { x: 320, y: 96, class: "axis", "text-anchor": "end" });
  low.textContent = number(stats.histogram_low, 2);
  high.textContent = number(stats.histogram_high, 2);
  made.append(low, high);
  return made;
}

function channelPicture(picture) {
  const canvas = element("canvas", { class: "channel", width: picture.columns, height: picture.rows, role: "img", "aria-label": `Channel ${picture.channel}` });
  const pixels = new ImageData(picture.columns, picture.rows);
  picture.cells.forEach((grey, i) => pixels.data.set([grey, grey, grey, 255], 4 * i));
  canvas.getContext("2d").putImageData(pixels, 0, 0);
  return canvas;
}

// A tensor's values; `channel` of those that have several.
async function tensorPart(value, channel = 0) {
  const part = element("div", { class: "tensor" });
  try {
    const t = await ask(`api/tensor?id=${file.id}&value=${value}&channel=${channel}`);
    const s = t.stats, rows = element("dl");
    show(rows, { range: `${number(s.min)} to ${number(s.max)}`, mean: number(s.mean), values: grouped(s.elements),
      ...(s.at_low >= 0 ? { saturated: `${grouped(s.at_low)} at the lowest, ${grouped(s.at_high)} at the highest` } : {}) });
    part.append(rows, histogram(s));
    if (t.picture) {
      const p = t.picture;
      part.append(channelPicture(p));
      if (p.channels > 1) {
        const pick = element("input", { type: "number", min: 0, max: p.channels - 1, value: p.channel });
        pick.onchange = async () => part.replaceWith(await tensorPart(value, pick.value));
        part.append(element("label", {}, `Channel, of ${p.channels}`, pick));
      }
    }
  } catch (error) {
    part.append(element("p", { class: "help" }, error.message));
  }
  return part;
}

const operatorOf = (finding) => {
  const found = /(?:#|layer )(\d+)/.exec(finding.layer || finding.place || "");
  return found ? Number(found[1]) : null;
};

function findingPart(f) {
  const part = element("div", { class: "finding" }, element("strong", {}, `${f.severity || ""} ${f.id || ""} `), f.message || "");
  for (const line of f.details || []) part.append(element("div", { class: "help" }, line));
  if (f.rule_title) part.append(element("div", { class: "help" }, `${f.rule_title} ${f.rule_text || ""}`));
  if (f.hint) part.append(element("div", {}, f.hint));
  return part;
}

// Layers of compiled programs have numbers from here on: a million for each program.
const kLayers = 1e6;

// A layer of a compiled program: sizes, weights, and its instructions.
async function showLayer(id) {
  const program = Math.floor(id / kLayers) - 1, row = file.instructions.programs[program].layers[id % kLayers];
  const made = await ask(`api/instructions?id=${file.id}&program=${program}&layer=${row.layer}`);
  const rows = element("dl");
  show(rows, { input: row.in.join("×"), output: row.out.join("×"), "window, step": `${row.kernel.join("×")}, ${row.stride.join("×")}`,
    weights: grouped(row.weights), biases: grouped(row.biases), instructions: grouped(row.instructions),
    words: row.first_word === null ? "–" : `${row.first_word} to ${row.last_word}` });
  const parts = [element("h2", {}, `Layer ${row.layer}: ${row.operator}`), rows];
  if (row.problem) parts.push(element("p", { class: "help" }, row.problem));
  if (made.weights) parts.push(element("h2", {}, "Weights, as the chip's bytes"), histogram(made.weights));
  const listing = element("pre", { class: "listing", tabindex: "0", "aria-label": "Instructions of the layer" });
  listing.textContent = made.lines.join("\n");
  parts.push(element("h2", {}, "Instructions"), element("p", { class: "help" }, "With the copies that bring its input."), listing);
  if (graph.chosen === id) by("layer").replaceChildren(...parts);
}

async function showOperator(id) {
  if (id >= kLayers) return showLayer(id);
  const op = network.operators.find((one) => one.index === id), holder = by("layer");
  const options = element("dl");
  const plain = Object.entries(op.options || {}).map(([k, v]) => [k, typeof v === "object" ? JSON.stringify(v) : String(v)]);
  show(options, { name: shorter(op.name || "–"), parameters: grouped(op.parameters), "multiplications": op.macs === null ? "–" : grouped(op.macs), ...Object.fromEntries(plain) });
  const parts = [element("h2", {}, `#${op.index} ${op.type}`), options];
  for (const f of findings.filter((one) => operatorOf(one) === op.index)) parts.push(findingPart(f));
  for (const [role, list] of [["input", op.inputs], ["output", op.outputs]]) {
    for (const value of list) {
      const t = network.tensors[value];
      if (!t) continue;
      parts.push(element("h2", {}, `${t.kind === "constant" ? "constant" : role}: ${shorter(t.name || String(value))}`),
        element("p", { class: "help" }, [`${shape(t)} ${t.type}`, quantization(t)].filter(Boolean).join(", ")));
      if (t.kind === "constant" || (role === "output" && file.has_run)) parts.push(await tensorPart(value));
      else if (role === "output") parts.push(element("p", { class: "help" }, "Run the network to see its values."));
    }
  }
  if (graph.chosen === id) holder.replaceChildren(...parts);  // not another one meanwhile
}

function nodesOf(net) {
  const maker = new Map();
  for (const op of net.operators) for (const out of op.outputs) maker.set(out, op.index);
  return net.operators.map((op) => ({
    id: op.index, title: `#${op.index} ${op.type}`,
    text: op.outputs.map((o) => net.tensors[o]).filter(Boolean).map((t) => `${shape(t)} ${t.type}`).join(", "),
    needs: [...new Set(op.inputs.filter((i) => maker.has(i)).map((i) => maker.get(i)))] }));
}

// Operators that are programs of the chip as their layers, where those are known.
function nodesWithLayers(net, instructions) {
  const nodes = [], ends = new Map();  // an operator's number to the nodes that its results come from
  for (const node of nodesOf(net)) {
    const needs = [...new Set(node.needs.flatMap((id) => ends.get(id) || [id]))];
    const k = instructions.programs.findIndex((p) => p.operator === node.id && p.layers.length);
    if (k < 0) {
      nodes.push({ ...node, needs });
      continue;
    }
    const base = kLayers * (k + 1), layers = instructions.programs[k].layers.filter((l) => !l.part), read = new Set(layers.flatMap((l) => l.needs));
    for (const l of layers) {
      nodes.push({ id: base + l.layer, title: `${l.layer} ${l.operator}`, text: l.out.join("×"),
        needs: l.needs.length ? l.needs.map((i) => base + i) : needs });
    }
    ends.set(node.id, layers.filter((l) => !read.has(l.layer)).map((l) => base + l.layer));
  }
  return nodes;
}

// What each chip's rules say; they may take the compiler, so that the graph is there before them.
async function checkFile(mine) {
  let all = [...((network && network.findings) || [])];
  showFindings(all);
  if (network && network.fits === undefined) {  // findings of descriptions are there already
    by("check-state").textContent = "Checking against the rules of its chip …";
    try {
      const target = file.kind === "tflite" ? "&target=edgetpu" : asQuery(chosenParts(file.kind));
      const made = await ask(`api/check?id=${file.id}${target}`);
      for (const one of made.checks) all.push(...one.findings.map((f) => ({ ...f, target: one.target })));
    } catch { /* no chip has rules for it: nothing stands against it */ }
    if (mine !== showing) return;
    by("check-state").textContent = "";
  }
  const known = new Map();  // the same one with its rule says more
  for (const f of all) if (f.rule_title || !known.has(f.id + f.message)) known.set(f.id + f.message, f);
  showFindings([...known.values()]);
}

function showFindings(list) {
  findings = list;
  const serious = findings.slice(0, 60);
  by("findings").replaceChildren(...(serious.length ? [element("h2", {}, `Findings: ${findings.length}`)] : []), ...serious.map(findingPart));
  graph.warn(new Set(findings.map(operatorOf).filter((i) => i !== null)));
  if (graph.chosen !== null && list.some((f) => operatorOf(f) === graph.chosen)) showOperator(graph.chosen).catch(fail);
}

function textOf(one) {
  const words = [`${one.name}: ${one.kind}`, `${grouped(one.bytes)} bytes`], net = one.network;
  if (net) words.push(net.operators.length === 1 ? "1 operator" : `${net.operators.length} operators`);
  if (net && net.parameters) words.push(`${grouped(net.parameters)} parameters`);
  if (net && net.macs) words.push(`${grouped(net.macs)} multiplications`);
  return words.join(", ");
}

let showing = 0;  // counts the files shown; what comes late for an earlier one is dropped

async function showFile(id) {
  const mine = ++showing;
  fail(null);
  by("check-state").textContent = "";
  const row = opened.find((f) => f.id === id);
  const kind = row ? row.kind : "";
  offerParts(kind, opened);
  const next = await ask(`api/info?id=${id}${asQuery(chosenParts(kind))}`);
  if (mine !== showing) return;
  file = next;
  network = file.network || null;
  by("opened").value = id;
  by("run").disabled = !network;
  by("close").disabled = false;
  by("layer").replaceChildren(element("p", { class: "help" }, network ? "Choose an operator in the graph." : ""));
  by("special").replaceChildren();
  graph.show(network ? nodesOf(network) : []);
  by("file-text").textContent = textOf(file);
  offerEstimate(file);
  if (file.tensors) {
    const parts = [];
    for (const t of file.tensors) parts.push(element("h2", {}, `${shorter(t.name || file.name)}: ${shape(t)} ${t.type}`), histogram(t.stats));
    by("layer").replaceChildren(...parts);
  }
  if (file.kind === "edgetpu") {
    const instructions = await ask(`api/instructions?id=${id}`);
    if (mine !== showing) return;
    file.instructions = instructions;
    if (network && instructions.programs.some((p) => p.layers.length)) {
      graph.show(nodesWithLayers(network, instructions));
      by("layer").replaceChildren(element("p", { class: "help" }, "Choose a layer in the graph."));
    }
  }
  const special = await specialOf(file);
  if (mine !== showing) return;
  by("special").replaceChildren(...special);
  await checkFile(mine);
}

async function showList(chosen) {
  const { files } = await ask("api/files");
  opened = files;
  const option = (f) => element("option", { value: f.id }, `${f.name} (${f.kind})`);
  by("opened").replaceChildren(...files.map(option));
  const data = files.filter((f) => !f.has_graph);
  by("run-input").replaceChildren(element("option", { value: "xs32:1" }, "random bytes, seed 1"), ...data.map(option));
  document.dispatchEvent(new CustomEvent("files", { detail: files }));
  const id = chosen || (files.length ? files[files.length - 1].id : null);
  if (id) await showFile(id);
  else {
    file = network = null;
    ++showing;
    graph.show([]);
    by("layer").replaceChildren();
    by("check-state").textContent = "";
    by("file-text").textContent = "";
    by("findings").replaceChildren();
    by("special").replaceChildren();
    offerEstimate(null);
    by("max78").hidden = by("espdl").hidden = true;
    by("run").disabled = by("close").disabled = true;
  }
}

// The last one is shown; one that cannot be opened does not keep the others from it.
async function open(given) {
  fail(null);
  let last = null;
  const problems = [];
  for (const one of given) {
    try {
      last = (await ask(`api/open?name=${encodeURIComponent(one.name)}`, one.slice())).id;
    } catch (error) { problems.push(given.length > 1 ? `${one.name}: ${error.message}` : error.message); }
  }
  try {
    if (last) await showList(last);
  } catch (error) { problems.push(error.message); }
  if (problems.length) fail(new Error(problems.join(" ")));
}

async function run() {
  const ran = file;
  fail(null);
  by("run").disabled = true;
  try {
    const made = await ask("api/run", { id: ran.id, input: by("run-input").value, ...chosenParts(ran.kind) });
    ran.has_run = true;
    if (ran !== file) return;  // another one is shown, and has set its button
    by("file-text").textContent = `${file.name}: ${made.layers.length} tensors computed on ${made.where}`;
    if (graph.chosen !== null) await showOperator(graph.chosen);
  } catch (error) { fail(error); }
  by("run").disabled = false;
}

export function startFiles() {
  graph = new GraphView(by("graph"), (id) => showOperator(id).catch(fail));
  by("file").onchange = () => {
    open([...by("file").files]);
    by("file").value = "";  // the same file can be chosen again
  };
  by("opened").onchange = () => showFile(by("opened").value).catch(fail);
  by("zoom-in").onclick = () => graph.zoomMiddle(1.25);
  by("zoom-out").onclick = () => graph.zoomMiddle(0.8);
  by("zoom-fit").onclick = () => graph.fit();
  by("search").oninput = () => graph.mark(by("search").value);
  by("run").onclick = run;
  by("close").onclick = () => ask("api/close", { id: file.id }).then(() => showList()).catch(fail);
  const drop = document.body;
  drop.ondragover = (event) => { event.preventDefault(); by("drop").classList.add("over"); };
  drop.ondragleave = () => by("drop").classList.remove("over");
  drop.ondrop = (event) => {
    event.preventDefault();
    by("drop").classList.remove("over");
    if (event.dataTransfer.files.length) { by("tab-files").click(); open([...event.dataTransfer.files]); }
  };
  by("max78").onchange = by("espdl").onchange = () => showFile(by("opened").value).catch(fail);
  document.addEventListener("view", (event) => {
    if (event.detail === "files" && !file) showList().catch(fail);
    else if (event.detail === "files") graph.draw();
  });
}
