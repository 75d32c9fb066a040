// What the views share: elements, requests, tabs.
import { startLive } from "./live.js";
import { startFiles } from "./inspect.js";
import { startChips } from "./chips.js";

export const by = (id) => document.getElementById(id);

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// The document of an answer; an Error with the server's message otherwise.
export async function ask(path, body) {
  const options = body === undefined ? {} : { method: "POST", body: body instanceof Blob ? body : JSON.stringify(body) };
  const answer = await fetch(path, options);
  const made = await answer.json();
  if (!answer.ok) throw new Error([made.error, ...(made.details || []), made.hint].filter(Boolean).map((t) => (/[.!?]$/.test(t) ? t : t + ".")).join(" "));
  return made;
}

export function number(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  return Number.isInteger(value) ? String(value) : value.toFixed(digits);
}

// 1234567 as "1 234 567", with spaces that do not break.
export const grouped = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");

// Rewrites a definition list in place, so that nothing jumps.
export function show(list, rows) {
  const wanted = Object.entries(rows);
  while (list.children.length > wanted.length * 2) list.lastChild.remove();
  wanted.forEach(([name, value], i) => {
    if (!list.children[2 * i]) list.append(element("dt"), element("dd"));
    if (list.children[2 * i].textContent !== name) list.children[2 * i].textContent = name;
    if (list.children[2 * i + 1].textContent !== value) list.children[2 * i + 1].textContent = value;
  });
}

const tabs = [...document.querySelectorAll("[role=tab]")];
function choose(tab) {
  for (const one of tabs) {
    const chosen = one === tab;
    one.setAttribute("aria-selected", chosen);
    one.tabIndex = chosen ? 0 : -1;
    by(one.getAttribute("aria-controls")).hidden = !chosen;
  }
  location.hash = tab.id.slice(4);
  document.dispatchEvent(new CustomEvent("view", { detail: tab.id.slice(4) }));
}
tabs.forEach((tab, i) => {
  tab.onclick = () => choose(tab);
  tab.onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(i + step + tabs.length) % tabs.length];
    choose(next);
    next.focus();
  };
});

startLive();
startFiles();
startChips();
choose(by("tab-" + location.hash.slice(1)) || tabs[0]);
