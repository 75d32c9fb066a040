// Files: the graph, an operator's options and tensors, findings where they belong.
import { ask, by, element, number, show, svg } from "./app.js";
import { GraphView } from "./graph.js";
import { asQuery, chosenParts, offerEstimate, offerParts, showSpecial } from "./special.js";

let graph, opened = [], file = null, network = null, findings = [];

function fail(error) { by("file-message").textContent = error ? error.message : ""; }

const shape = (t) => (t.shape ? t.shape.join("×") || "scalar" : "?");

function quantization(t) {
  if (t.exponent !== undefined) return `exponent ${[t.exponent].flat().slice(0, 4).join(", ")}`;
  if (t.scale === undefined) return "";
  const scales = [t.scale].flat();
  return scales.length > 1 ? `${scales.length} scales along axis ${t.axis}` : `scale ${scales[0]}, zero point ${[t.zero_point].flat()[0]}`;
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
    show(rows, { range: `${number(s.min)} to ${number(s.max)}`, mean: number(s.mean), values: number(s.elements),
      ...(s.at_low >= 0 ? { saturated: `${s.at_low} lowest, ${s.at_high} highest` } : {}) });
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

async function showOperator(id) {
  const op = network.operators.find((one) => one.index === id), holder = by("layer");
  const options = element("dl");
  const plain = Object.entries(op.options || {}).map(([k, v]) => [k, typeof v === "object" ? JSON.stringify(v) : String(v)]);
  show(options, { name: op.name || "–", parameters: String(op.parameters), "multiplications": op.macs === null ? "–" : String(op.macs), ...Object.fromEntries(plain) });
  const parts = [element("h2", {}, `#${op.index} ${op.type}`), options];
  for (const f of findings.filter((one) => operatorOf(one) === op.index)) parts.push(findingPart(f));
  for (const [role, list] of [["input", op.inputs], ["output", op.outputs]]) {
    for (const value of list) {
      const t = network.tensors[value];
      if (!t) continue;
      parts.push(element("h2", {}, `${t.kind === "constant" ? "constant" : role}: ${t.name || value}`),
        element("p", { class: "help" }, [`${shape(t)} ${t.type}`, quantization(t)].filter(Boolean).join(", ")));
      if (t.kind === "constant" || role === "output") parts.push(await tensorPart(value));
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

async function checkFile() {
  findings = [...((network && network.findings) || [])];
  if (network && network.fits === undefined) try {  // findings of descriptions are there already
    const target = file.kind === "tflite" ? "&target=edgetpu" : asQuery(chosenParts(file.kind));
    const made = await ask(`api/check?id=${file.id}${target}`);
    for (const one of made.checks) findings.push(...one.findings.map((f) => ({ ...f, target: one.target })));
  } catch { /* no chip has rules for it: nothing stands against it */ }
  const known = new Map();  // the same one with its rule says more
  for (const f of findings) if (f.rule_title || !known.has(f.id + f.message)) known.set(f.id + f.message, f);
  findings = [...known.values()];
  const serious = findings.slice(0, 60);
  by("findings").replaceChildren(...(serious.length ? [element("h2", {}, `Findings: ${findings.length}`)] : []), ...serious.map(findingPart));
}

async function showFile(id) {
  fail(null);
  by("layer").replaceChildren(element("p", { class: "help" }, "Choose an operator in the graph."));
  const row = opened.find((f) => f.id === id);
  const kind = row ? row.kind : "";
  offerParts(kind, opened);
  file = await ask(`api/info?id=${id}${asQuery(chosenParts(kind))}`);
  network = file.network || null;
  by("opened").value = id;
  by("run").disabled = !network;
  by("close").disabled = false;
  await checkFile();
  const warned = new Set(findings.map(operatorOf).filter((i) => i !== null));
  graph.show(network ? nodesOf(network) : [], warned);
  by("file-text").textContent = `${file.name}: ${file.kind}, ${file.bytes} bytes` +
    (network ? `, ${network.operators.length} ${network.operators.length === 1 ? "operator" : "operators"}, ${network.parameters} parameters` + (network.macs ? `, ${network.macs} multiplications` : "") : "");
  offerEstimate(file);
  await showSpecial(file);
  if (file.tensors) {
    const parts = [];
    for (const t of file.tensors) parts.push(element("h2", {}, `${t.name || file.name}: ${shape(t)} ${t.type}`), histogram(t.stats));
    by("layer").replaceChildren(...parts);
  }
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
    graph.show([], new Set());
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
  fail(null);
  by("run").disabled = true;
  try {
    const made = await ask("api/run", { id: file.id, input: by("run-input").value, ...chosenParts(file.kind) });
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
