// A graph in layers: every operator below what it needs, neighbours near each other; lines that pass
// an operator go around it. Only what is in sight is in the document, so that many hundred operators
// stay fluid.
import { svg } from "./app.js";

const kWidth = 190, kHeight = 46, kGapX = 26, kGapY = 34, kLane = 12;
const kWords = 0.25;  // at smaller sizes nobody reads them

// The rows of nodes [{id, needs: [id]}], which are in an order in which they can run. Where a line
// passes a row, it has a lane there: one for all lines of the same operator.
function rowsOf(nodes) {
  const level = new Map(), last = new Map(), rows = [];
  for (const n of nodes) {
    const above = n.needs.filter((id) => level.has(id)).map((id) => level.get(id));
    level.set(n.id, above.length ? Math.max(...above) + 1 : 0);
    for (const id of n.needs) if (level.has(id)) last.set(id, Math.max(last.get(id) ?? 0, level.get(n.id)));
  }
  const put = (y, item) => (rows[y] ||= []).push(item);
  const above = (id, y) => (level.get(id) === y ? String(id) : `${id}@${y}`);
  for (const n of nodes) {
    const y = level.get(n.id);
    put(y, { key: String(n.id), width: kWidth, needs: n.needs.filter((id) => level.has(id)).map((id) => above(id, y - 1)) });
    for (let lane = y + 1; lane < (last.get(n.id) ?? 0); ++lane) put(lane, { key: `${n.id}@${lane}`, width: kLane, needs: [above(n.id, lane - 1)] });
  }
  return { rows, level };
}

// Places for nodes, of their left upper corners, and for each line the points between its ends.
export function layered(nodes) {
  const { rows, level } = rowsOf(nodes), middles = new Map();
  for (const row of rows) {
    const wanted = (item) => {
      const own = item.needs.filter((key) => !key.includes("@")), from = own.length ? own : item.needs;
      return from.length ? from.reduce((a, key) => a + middles.get(key), 0) / from.length : 0;
    };
    const placed = row.map((item) => ({ item, wish: wanted(item) })).sort((a, b) => a.wish - b.wish || b.item.width - a.item.width);
    let left = -Infinity, pull = 0, all = 0;
    for (const p of placed) {
      p.x = Math.max(p.wish - p.item.width / 2, left);
      left = p.x + p.item.width + kGapX;
      pull += (p.wish - p.x - p.item.width / 2) * p.item.width;
      all += p.item.width;
    }
    for (const p of placed) middles.set(p.item.key, p.x + p.item.width / 2 + pull / all);
  }
  const top = (y) => y * (kHeight + kGapY), places = new Map(), lines = [];
  for (const n of nodes) places.set(n.id, { x: middles.get(String(n.id)) - kWidth / 2, y: top(level.get(n.id)) });
  for (const n of nodes) {
    for (const id of n.needs.filter((one) => level.has(one))) {
      const lanes = [];
      for (let y = level.get(id) + 1; y < level.get(n.id); ++y) lanes.push({ x: middles.get(`${id}@${y}`), y: top(y) });
      lines.push({ from: id, to: n.id, lanes });
    }
  }
  return { places, lines };
}

// From the lower edge of one operator through its lanes to the upper edge of another.
function pathOf(from, to, lanes) {
  const points = [{ x: from.x + kWidth / 2, y: from.y + kHeight }];
  for (const lane of lanes) points.push({ x: lane.x, y: lane.y }, { x: lane.x, y: lane.y + kHeight });
  points.push({ x: to.x + kWidth / 2, y: to.y });
  let d = `M${points[0].x} ${points[0].y}`;
  for (let i = 1; i < points.length; ++i) {
    const a = points[i - 1], b = points[i], middle = (a.y + b.y) / 2;
    d += a.x === b.x ? `V${b.y}` : `C${a.x} ${middle} ${b.x} ${middle} ${b.x} ${b.y}`;
  }
  return d;
}

export class GraphView {
  constructor(holder, choose) {
    this.holder = holder;
    this.choose = choose;
    this.nodes = [];
    this.lines = [];
    this.view = { x: 0, y: 0, scale: 1 };
    this.root = svg("g");
    this.picture = svg("svg", {}, this.root);
    holder.replaceChildren(this.picture);
    this.fingers = new Map();  // pointers that are down
    this.listen();
  }

  // nodes: [{id, needs, title, text}]
  show(nodes) {
    this.nodes = nodes;
    this.warned = new Set();
    this.found = new Set();
    this.chosen = null;
    Object.assign(this, layered(nodes));
    this.begin();
  }

  // The operators that something stands against.
  warn(ids) {
    this.warned = ids;
    this.draw();
  }

  // The first operators, at a size that can be read.
  begin() {
    const box = this.holder.getBoundingClientRect();
    const first = this.nodes.length ? this.places.get(this.nodes[0].id) : { x: 0, y: 0 };
    const scale = Math.min(1, box.width / (kWidth * 1.5));
    this.view = { x: box.width / 2 - (first.x + kWidth / 2) * scale, y: 60, scale };  // below the buttons
    this.draw();
  }

  // All of it.
  fit() {
    if (!this.nodes.length) return;
    const box = this.holder.getBoundingClientRect(), all = [...this.places.values()];
    const left = Math.min(...all.map((p) => p.x)), right = Math.max(...all.map((p) => p.x)) + kWidth;
    const bottom = Math.max(...all.map((p) => p.y)) + kHeight;
    const scale = Math.max(0.02, Math.min(1, (box.width - 24) / (right - left), (box.height - 72) / bottom));
    this.view = { x: box.width / 2 - (left + right) / 2 * scale, y: 60, scale };
    this.draw();
  }

  mark(text) {
    const word = text.toLowerCase();
    this.found = new Set(word ? this.nodes.filter((n) => (n.title + " " + n.text).toLowerCase().includes(word)).map((n) => n.id) : []);
    const [first] = this.found;
    if (first !== undefined) this.centre(first);
    this.draw();
    return this.found.size;
  }

  centre(id) {
    const at = this.places.get(id), box = this.holder.getBoundingClientRect();
    this.view.x = box.width / 2 - (at.x + kWidth / 2) * this.view.scale;
    this.view.y = box.height / 2 - (at.y + kHeight / 2) * this.view.scale;
  }

  pick(id) {
    this.chosen = id;
    this.draw();
    this.choose(id);
  }

  drawSoon() {
    if (this.waits) return;
    this.waits = true;
    requestAnimationFrame(() => { this.waits = false; this.move(); });
  }

  // What is in the document already moves with it; the rest is drawn when it comes into sight.
  move() {
    const { x, y, scale } = this.view, box = this.holder.getBoundingClientRect(), d = this.drawn;
    const there = d && (scale < kWords) === (d.scale < kWords) && -y / scale >= d.top && (box.height - y) / scale <= d.bottom &&
      -x / scale >= d.left && (box.width - x) / scale <= d.right && scale < 3 * d.scale;
    if (!there) return this.draw();
    this.root.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
  }

  draw() {
    if (!this.places) return;
    const { x, y, scale } = this.view, box = this.holder.getBoundingClientRect();
    this.root.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
    // Half a window more on each side.
    const top = (-0.5 * box.height - y) / scale, bottom = (1.5 * box.height - y) / scale;
    const left = (-0.5 * box.width - x) / scale, right = (1.5 * box.width - x) / scale;
    this.drawn = { top, bottom, left, right, scale };
    const parts = [], boxes = [];
    for (const line of this.lines) {
      const from = this.places.get(line.from), to = this.places.get(line.to);
      if (from.y + kHeight > bottom || to.y < top) continue;
      const xs = [from.x, to.x, ...line.lanes.map((p) => p.x)];
      if (Math.min(...xs) > right || Math.max(...xs) + kWidth < left) continue;
      parts.push(svg("path", { class: "edge", d: pathOf(from, to, line.lanes) }));
    }
    for (const n of this.nodes) {
      const at = this.places.get(n.id);
      if (at.y > bottom || at.y + kHeight < top || at.x > right || at.x + kWidth < left) continue;
      boxes.push(this.node(n, at));
    }
    this.root.replaceChildren(...parts, ...boxes);
  }

  node(n, at) {
    const names = ["node"];
    if (n.id === this.chosen) names.push("chosen");
    if (this.found.has(n.id)) names.push("found");
    if (this.warned.has(n.id)) names.push("warned");
    const short = (t, most) => (t.length > most ? t.slice(0, most - 1) + "…" : t);
    const made = svg("g", { class: names.join(" "), transform: `translate(${at.x} ${at.y})`, "data-id": n.id, role: "button", "aria-label": n.title },
      svg("rect", { width: kWidth, height: kHeight, rx: 6 }));
    if (this.view.scale < kWords) return made;
    const title = svg("text", { x: 8, y: 18 });
    title.textContent = short(n.title, 25);
    const text = svg("text", { x: 8, y: 35, class: "small" });
    text.textContent = short(n.text, 33);
    made.append(title, text);
    return made;
  }

  listen() {
    let width = this.holder.getBoundingClientRect().width;
    new ResizeObserver(() => {
      const now = this.holder.getBoundingClientRect().width;
      if (now > 0 && width > 0) this.view.x += (now - width) / 2;
      if (now > 0) width = now;
      this.draw();
    }).observe(this.holder);
    this.listenToPointers();
    this.holder.onwheel = (e) => {
      e.preventDefault();
      const box = this.holder.getBoundingClientRect();
      this.zoom(Math.exp(-e.deltaY / 400), e.clientX - box.left, e.clientY - box.top);
    };
    this.holder.onkeydown = (e) => {
      const i = this.nodes.findIndex((n) => n.id === this.chosen);
      const next = { ArrowDown: i + 1, ArrowUp: i - 1 }[e.key];
      if (e.key === "+" || e.key === "-") return this.zoomMiddle(e.key === "+" ? 1.25 : 0.8);
      if (e.key === "0") return this.fit();
      if (next === undefined || !this.nodes[next]) return;
      e.preventDefault();
      this.centre(this.nodes[next].id);
      this.pick(this.nodes[next].id);
    };
  }

  // One pointer moves, two zoom; one that did not move chooses.
  listenToPointers() {
    let moved = false;
    const spread = () => {
      const [a, b] = [...this.fingers.values()];
      return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, length: Math.max(Math.hypot(a.x - b.x, a.y - b.y), 1) };
    };
    this.picture.onpointerdown = (e) => {
      if (!this.fingers.size) moved = false;
      this.fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
    };
    this.picture.onpointermove = (e) => {
      const from = this.fingers.get(e.pointerId);
      if (!from) return;
      const dx = e.clientX - from.x, dy = e.clientY - from.y;
      if (!moved && Math.hypot(dx, dy) < 4) return;
      moved = true;
      const before = this.fingers.size === 2 ? spread() : null;
      this.fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
      if (before) {
        const after = spread(), box = this.holder.getBoundingClientRect();
        this.view.x += after.x - before.x;
        this.view.y += after.y - before.y;
        return this.zoom(after.length / before.length, after.x - box.left, after.y - box.top);
      }
      this.view.x += dx;
      this.view.y += dy;
      this.drawSoon();
    };
    this.picture.onpointerup = (e) => {
      this.fingers.delete(e.pointerId);
      const node = e.target.closest(".node");
      if (!moved && node) this.pick(Number(node.dataset.id));
    };
    this.picture.onpointerleave = this.picture.onpointercancel = (e) => { this.fingers.delete(e.pointerId); };
  }

  zoomMiddle(factor) {
    const box = this.holder.getBoundingClientRect();
    this.zoom(factor, box.width / 2, box.height / 2);
  }

  zoom(factor, x, y) {
    const next = Math.min(3, Math.max(0.02, this.view.scale * factor)), f = next / this.view.scale;
    this.view = { x: x - (x - this.view.x) * f, y: y - (y - this.view.y) * f, scale: next };
    this.drawSoon();
  }
}
