// The moving picture of the machine while a kernel is stepped through: the tree above the 16 blocks, the 32 PEs of the
// block in view with its broadcast memory, and in one PE the words and units that the next line uses.
import { html } from "./format.js";

const blocks = 16;
const pes = 32;

const rectangle = (x, y, width, height, on, text = "") =>
  html`<rect class="${on ? "on" : ""}" x="${x}" y="${y}" width="${width}" height="${height}" rx="3"/>` +
  (text ? html`<text x="${x + width / 2}" y="${y + height / 2 + 4}">${text}</text>` : "");
const line = (x1, y1, x2, y2, on) => html`<line class="${on ? "on" : ""}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;

function tree(focus, collecting) {
  let drawing = "";
  const at = (level, n) => [20 + (n + 0.5) * 640 / (blocks >> level), 100 - 22 * level];
  for (let level = 0; level < 4; ++level) {
    for (let n = 0; n < blocks >> level; ++n) {
      const [x, y] = at(level, n);
      const [above, height] = at(level + 1, n >> 1);
      drawing += line(x, y, above, height + 8, collecting);
    }
  }
  for (let level = 1; level <= 4; ++level) {
    for (let n = 0; n < blocks >> level; ++n) {
      const [x, y] = at(level, n);
      drawing += html`<circle class="${collecting ? "on" : ""}" cx="${x}" cy="${y}" r="6"/>`;
    }
  }
  for (let n = 0; n < blocks; ++n) drawing += rectangle(24 + 40 * n, 100, 32, 22, n === focus.block || collecting, `${n}`);
  return drawing;
}

function block(focus, work) {
  const uses = name => work !== null && (work.reads.includes(name) || work.writes.includes(name));
  const broadcasts = uses("record") || uses("bm");
  let drawing = rectangle(20, 146, 318, 24, uses("bm"), "parameters") + rectangle(342, 146, 318, 24, uses("record"), "j-records");
  for (let n = 0; n < pes; ++n) {
    const x = 20 + 40 * (n % 16);
    const y = 192 + 34 * Math.floor(n / 16);
    if (n < 16) drawing += line(x + 18, 170, x + 18, 192, broadcasts);
    drawing += rectangle(x, y, 36, 26, n === focus.pe, `${n}`);
  }
  return drawing;
}

const words = [["lm", "local memory"], ["gpr", "registers"], ["t", "T"], ["flag", "flags"]];
const units = [["adder", "adder"], ["multiplier", "multiplier"], ["alu", "ALU"]];

function element(focus, work) {
  let drawing = html`<text class="left" x="20" y="284">${`PE ${focus.pe}, element ${focus.element}`}</text>`;
  words.forEach(([name, label], n) => {
    const x = 20 + 164 * n;
    const read = work !== null && work.reads.includes(name);
    const written = work !== null && work.writes.includes(name);
    drawing += line(x + 60, 322, x + 60, 350, read) + line(x + 90, 322, x + 90, 350, written);
    drawing += rectangle(x, 294, 148, 28, read || written, written ? `${label} ←` : label);
  });
  units.forEach(([name, label], n) =>
    drawing += rectangle(20 + 219 * n, 350, 202, 28, work !== null && work.units.includes(name), label));
  return drawing;
}

const named = {t: "T", flag: "flags", gpr: "registers", lm: "local memory", bm: "broadcast memory", record: "the j-record"};
const list = names => names.map(name => named[name] ?? name).join(", ") || "nothing";

/// What the picture shows, in words.
export function described(work) {
  if (work === null) return "The loop has ended: the tree adds up what the blocks have, as the results' declarations say.";
  const who = work.units.length ? work.units.map(unit => ({bm: "the port of broadcast memory", alu: "the ALU"})[unit] ?? `the ${unit}`).join(" and ") : "no unit";
  return `Next, in all PEs at once: ${who} works, reads ${list(work.reads)}, and writes ${list(work.writes)}.`;
}

export function showMachine(figure, answer) {
  const {focus, work} = answer;
  figure.hidden = false;
  figure.innerHTML = html`<svg viewBox="0 0 680 386" role="img" aria-label="${described(work)}">${[
    tree(focus, work === null), block(focus, work), element(focus, work)]}</svg><figcaption>${described(work)}</figcaption>`;
}
