// A graph in layers: every operator below what it needs, neighbours near each other. Only what is in
// sight is in the document, so that many hundred operators stay fluid.
import { svg } from "./app.js";

const kWidth = 190, kHeight = 46, kGapX = 26, kGapY = 34;

// Places for nodes [{id, needs: [id]}].
export function layered(nodes) {
  const level = new Map(), rows = [];
  const known = new Map(nodes.map((n) => [n.id, n]));
  for (const n of nodes) {  // in an order in which they can run
    const above = n.needs.filter((id) => level.has(id)).map((id) => level.get(id));
    level.set(n.id, above.length ? Math.max(...above) + 1 : 0);
  }
  for (const n of nodes) (rows[level.get(n.id)] ||= []).push(n);
  const places = new Map();
  rows.forEach((row, y) => {
    const middle = (n) => {
      const xs = n.needs.filter((id) => places.has(id)).map((id) => places.get(id).x);
      return xs.length ? xs.reduce((a, b) => a + b, 0) / xs.length : 0;
    };
    const wanted = row.map((n) => ({ n, x: middle(n) })).sort((a, b) => a.x - b.x);
    let left = -Infinity;
    for (const w of wanted) {
      w.x = Math.max(w.x, left);
      left = w.x + kWidth + kGapX;
    }
    const shift = wanted.reduce((a, w) => a + middle(w.n) - w.x, 0) / wanted.length;
    for (const w of wanted) places.set(w.n.id, { x: w.x + shift, y: y * (kHeight + kGapY) });
  });
  return { places, known };
}

export class GraphView {
  constructor(holder, choose) {
    this.holder = holder;
    this.choose = choose;
    this.nodes = [];
    this.view = { x: 0, y: 0, scale: 1 };
    this.root = svg("g");
    this.picture = svg("svg", {}, this.root);
    holder.replaceChildren(this.picture);
    this.listen();
  }

  // nodes: [{id, needs, title, text}]
  show(nodes, warned) {
    this.nodes = nodes;
    this.warned = warned;
    this.found = new Set();
    this.chosen = null;
    this.places = layered(nodes).places;
    const box = this.holder.getBoundingClientRect();
    const first = nodes.length ? this.places.get(nodes[0].id) : { x: 0, y: 0 };
    const scale = Math.min(1, box.width / (kWidth * 2.2));
    this.view = { x: box.width / 2 - (first.x + kWidth / 2) * scale, y: 16, scale };
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

  draw() {
    const { x, y, scale } = this.view, box = this.holder.getBoundingClientRect();
    this.root.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
    const seen = (p) => {
      const px = p.x * scale + x, py = p.y * scale + y;
      return px > -400 * scale && px < box.width + 200 * scale && py > -200 * scale && py < box.height + 200 * scale;
    };
    const parts = [], boxes = [];
    for (const n of this.nodes) {
      const at = this.places.get(n.id), in_sight = seen(at);
      for (const need of n.needs) {
        const from = this.places.get(need);
        if (!from || !(in_sight || seen(from))) continue;
        const x0 = from.x + kWidth / 2, y0 = from.y + kHeight, x1 = at.x + kWidth / 2, mid = (y0 + at.y) / 2;
        parts.push(svg("path", { class: "edge", d: `M${x0} ${y0}C${x0} ${mid} ${x1} ${mid} ${x1} ${at.y}` }));
      }
      if (in_sight) boxes.push(this.node(n, at));
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
    const title = svg("text", { x: 8, y: 18 });
    title.textContent = short(n.title, 25);
    const text = svg("text", { x: 8, y: 35, class: "small" });
    text.textContent = short(n.text, 33);
    made.append(title, text);
    return made;
  }

  listen() {
    let from = null, moved = false, width = this.holder.getBoundingClientRect().width;
    new ResizeObserver(() => {
      const now = this.holder.getBoundingClientRect().width;
      if (now > 0 && width > 0) this.view.x += (now - width) / 2;
      if (now > 0) width = now;
      if (this.places) this.draw();
    }).observe(this.holder);
    this.picture.onpointerdown = (e) => { from = { x: e.clientX, y: e.clientY }; moved = false; };
    this.picture.onpointermove = (e) => {
      if (!from) return;
      const dx = e.clientX - from.x, dy = e.clientY - from.y;
      if (!moved && Math.hypot(dx, dy) < 4) return;
      moved = true;
      this.view.x += dx; this.view.y += dy;
      from = { x: e.clientX, y: e.clientY };
      requestAnimationFrame(() => this.draw());
    };
    this.picture.onpointerup = (e) => {
      from = null;
      const node = e.target.closest(".node");
      if (!moved && node) this.pick(Number(node.dataset.id));
    };
    this.picture.onpointerleave = () => { from = null; };
    this.holder.onwheel = (e) => {
      e.preventDefault();
      const box = this.holder.getBoundingClientRect();
      this.zoom(Math.exp(-e.deltaY / 400), e.clientX - box.left, e.clientY - box.top);
    };
    this.holder.onkeydown = (e) => {
      const i = this.nodes.findIndex((n) => n.id === this.chosen);
      const next = { ArrowDown: i + 1, ArrowUp: i - 1 }[e.key];
      const box = this.holder.getBoundingClientRect();
      if (e.key === "+" || e.key === "-") return this.zoom(e.key === "+" ? 1.25 : 0.8, box.width / 2, box.height / 2);
      if (next === undefined || !this.nodes[next]) return;
      e.preventDefault();
      this.centre(this.nodes[next].id);
      this.pick(this.nodes[next].id);
    };
  }

  zoom(factor, x, y) {
    const next = Math.min(3, Math.max(0.05, this.view.scale * factor)), f = next / this.view.scale;
    this.view = { x: x - (x - this.view.x) * f, y: y - (y - this.view.y) * f, scale: next };
    requestAnimationFrame(() => this.draw());
  }
}
