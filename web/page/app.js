// The page: an editor, and views of what the module answers.
import { Engine } from "./engine.js";
import { defineLanguage } from "./language.js";
import { counted, html, number } from "./format.js";
import { showClocks, showProblems, showResults, showState } from "./views.js";
import { kernelFromLink, linkOf } from "./link.js";

const $ = id => document.getElementById(id);
const kernels = await (await fetch("kernels/index.json")).json();
defineLanguage(CodeMirror, await (await fetch("grammar.json")).json());

// ---- editor ----------------------------------------------------------------------------------------------------------

const editor = CodeMirror($("editor"), {
  mode: "gdr", lineNumbers: true, matchBrackets: true, inputStyle: "contenteditable", gutters: ["CodeMirror-linenumbers", "stops"],
  screenReaderLabel: "Source of the kernel",
  // Tab leaves the editor, as it leaves every other field.
  extraKeys: {Tab: false, "Shift-Tab": false, "Ctrl-]": "indentMore", "Ctrl-/": "toggleComment",
              "Ctrl-Enter": () => run(), F10: () => command("step"), F8: () => command("continue")},
});
let name = "kernel.vsm";
let marks = [];
let here = [];
let checked = null;  // the last answer to `check`
let stepping = false;
let stops = [];      // [{number, line}] of the debugger
let edits = 0;       // that were sent to be checked
let asking = null;   // the last of them

/// Where byte `column` of a line stands, both from 1 as the assembler counts.
function place(line, column) {
  const text = editor.getLine(line - 1) ?? "";
  const bytes = new TextEncoder().encode(text).slice(0, column - 1);
  return {line: line - 1, ch: new TextDecoder().decode(bytes).length};
}

function jump(line, column) {
  editor.focus();
  editor.setCursor(place(line, column));
  editor.scrollIntoView(null, 100);
}

function say(text, bad = false) {
  $("status").textContent = text;
  $("status").classList.toggle("error", bad);
}

// ---- the module ------------------------------------------------------------------------------------------------------

const engine = new Engine(failed => {
  if (failed) return say(`The emulator does not load: ${failed}`, true);
  check();
});

const source = () => ({name, source: editor.getValue()});

async function busy(doing, request) {
  say(doing);
  $("stop").hidden = false;
  const begin = performance.now();
  const answer = await engine.ask(request);
  answer.milliseconds = performance.now() - begin;
  $("stop").hidden = true;
  if (answer.error) say(answer.error, !answer.stopped);
  return answer;
}

let timer = 0;
function checkSoon() {
  clearTimeout(timer);
  timer = setTimeout(check, 250);
}

async function check() {
  const request = {call: "check", ...source()};
  if (asking === request.name + request.source) return;
  asking = request.name + request.source;
  const asked = ++edits;
  const answer = await engine.ask(request);
  if (asked !== edits || answer.stopped) return;
  if (answer.error) return say(answer.error, true);
  checked = {...answer, source: request.source};
  showDiagnostics(answer);
  showClocks($("clocks"), answer, line => jump(line, 1));
  $("listing").textContent = answer.listing || "A kernel with errors has no listing.";
  if (answer.kernel) showParameters(answer.kernel.parameters);
  for (const button of [$("run"), $("debug")]) button.disabled = !answer.kernel;
  const count = severity => answer.diagnostics.filter(each => each.severity === severity).length;
  const loop = answer.kernel && answer.kernel.loop;
  say(loop ? `${answer.kernel.name}: ${loop.lines} loop lines, ${loop.clocks} clocks per iteration (bound: ${loop.bound}), ${counted(count("warning"), "warning")}`
           : `${counted(count("error"), "error")}, ${counted(count("warning"), "warning")}`, !loop);
}

function showDiagnostics(answer) {
  for (const mark of marks) mark.clear();
  marks = [];
  editor.eachLine(line => editor.removeLineClass(line, "background", "line-error"));
  for (const each of answer.diagnostics) {
    if (each.file !== 0 || each.severity === "note") continue;
    const from = place(each.line, each.column);
    const to = place(each.line, each.column + each.length);
    marks.push(editor.markText(from, to, {className: `mark-${each.severity}`, title: each.message}));
    if (each.severity === "error") editor.addLineClass(each.line - 1, "background", "line-error");
  }
  showProblems($("problems"), answer, editor.getValue().split("\n"), jump);
}

// ---- run -------------------------------------------------------------------------------------------------------------

function showParameters(parameters) {
  const shown = [...$("parameters").querySelectorAll("input")].map(input => input.name).join();
  if (shown === parameters.map(each => `param:${each.name}`).join()) return;
  $("parameters").innerHTML = parameters.map(each =>
    html`<label>${each.name} <input name="param:${each.name}" type="number" step="any" value="${each.value}" required></label> `).join("");
}

/// Null if a field is wrong: the browser then says which.
function dataRequest() {
  if (!$("data").reportValidity()) {
    select("results");
    return null;
  }
  const request = {...source(), parameters: {}};
  for (const [key, value] of new FormData($("data"))) {
    if (key.startsWith("param:")) request.parameters[key.slice(6)] = Number(value);
    else request[key] = key === "model" ? value : Number(value);
  }
  return request;
}

async function run() {
  const request = dataRequest();
  if (!request) return;
  select("results");
  const answer = await busy("Running …", {call: "run", ...request});
  if (answer.error) {
    $("results").innerHTML = html`<p class="failed">${answer.error}</p>`;
    return;
  }
  showResults($("results"), answer, download);
  say(`${answer.ni} × ${answer.nj} particles in ${number(answer.milliseconds)} ms`);
}

async function download(file) {
  const answer = await engine.ask({call: "file", name: file});
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([answer.text], {type: "text/csv"}));
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// ---- step ------------------------------------------------------------------------------------------------------------

async function debug() {
  const request = dataRequest();
  if (!request) return;
  select("step");
  const wanted = stops.map(stop => stop.line);
  const answer = await busy("Getting ready …", {call: "debug", ...request});
  stepping = !answer.error;
  if (!stepping) return;
  stops = [];
  for (const line of wanted) await engine.ask({call: "command", line: `break ${line}`});
  // Past what happens once: to the first line that meets a j-particle.
  showStep(await busy("Stepping …", {call: "command", line: "pair i=0 j=0"}));
}

async function command(line) {
  if (!stepping) return debug();
  const answer = await busy("Stepping …", {call: "command", line});
  if (answer.stopped) stepping = false;
  if (!answer.error) showStep(answer);
}

let before = new Map();
function showStep(answer) {
  clearHere();
  stops = answer.stops.filter(stop => !stop.watch).map(stop => ({number: stop.number, line: Number(stop.place.split(":").at(-1))}));
  showStops();
  for (const each of answer.lines.filter(each => each.file === 0)) {
    editor.addLineClass(each.line - 1, "background", "line-here");
    here.push(each.line - 1);
  }
  if (here.length) editor.scrollIntoView({line: here[0], ch: 0}, 120);
  before = showState($("state"), answer, before);
  $("reply").hidden = !answer.reply && !answer.refused;
  $("reply").textContent = answer.refused || answer.reply;
  say(answer.refused || `Stands before ${answer.where}`, Boolean(answer.refused));
}

function clearHere() {
  for (const line of here) editor.removeLineClass(line, "background", "line-here");
  here = [];
}

function showStops() {
  editor.clearGutter("stops");
  for (const stop of stops) {
    const dot = document.createElement("span");
    dot.className = "stop";
    dot.textContent = "●";
    dot.title = "breakpoint";
    editor.setGutterMarker(stop.line - 1, "stops", dot);
  }
}

async function toggleStop(line) {
  const there = stops.find(stop => stop.line === line);
  if (stepping) return command(there ? `delete ${there.number}` : `break ${line}`);
  stops = there ? stops.filter(stop => stop !== there) : [...stops, {number: 0, line}];
  showStops();
}

// ---- what is pressed -------------------------------------------------------------------------------------------------

function select(view) {
  for (const tab of document.querySelectorAll('[role="tab"]')) {
    const chosen = tab.id === `tab-${view}`;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = !chosen;
  }
}

document.querySelector('[role="tablist"]').addEventListener("click", event => {
  const tab = event.target.closest('[role="tab"]');
  if (tab) select(tab.id.slice(4));
});
document.querySelector('[role="tablist"]').addEventListener("keydown", event => {
  const move = {ArrowRight: 1, ArrowLeft: -1}[event.key];
  if (!move) return;
  const tabs = [...document.querySelectorAll('[role="tab"]')];
  const next = tabs[(tabs.indexOf(document.activeElement) + move + tabs.length) % tabs.length];
  select(next.id.slice(4));
  next.focus();
});
$("run").addEventListener("click", run);
$("debug").addEventListener("click", debug);
$("data").addEventListener("submit", event => { event.preventDefault(); run(); });
$("moves").addEventListener("click", event => {
  if (event.target.dataset.line) command(event.target.dataset.line);
});
$("pair").addEventListener("submit", event => {
  event.preventDefault();
  const {i, j} = Object.fromEntries(new FormData(event.target));
  command(`pair i=${i} j=${j}`);
});
$("console").addEventListener("submit", event => {
  event.preventDefault();
  command(event.target.line.value);
});
$("stop").addEventListener("click", () => {
  engine.stop();
  stepping = false;
  asking = null;
});
$("theme").addEventListener("click", () => {
  const dark = getComputedStyle(document.documentElement).getPropertyValue("--ground").trim() !== "#ffffff";
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("gdr-theme", document.documentElement.dataset.theme); } catch { /* it is kept for this visit */ }
});
$("share").addEventListener("click", async () => {
  const link = await linkOf(location, source());
  history.replaceState(null, "", link);
  try {
    await navigator.clipboard.writeText(link);
    say("The link to this kernel is copied, and shown in the address bar.");
  } catch {
    say("The link to this kernel is shown in the address bar.");
  }
});
editor.on("gutterClick", (_, line) => toggleStop(line + 1));
editor.on("change", () => {
  // The program that is stepped through is no longer the one that is shown.
  stepping = false;
  clearHere();
  stops = [];
  showStops();
  checkSoon();
});

// ---- kernels ---------------------------------------------------------------------------------------------------------

async function open(file) {
  name = file;
  editor.setValue(await (await fetch(`kernels/${file}`)).text());
  editor.clearHistory();
}

$("example").innerHTML = kernels.map(file => html`<option value="${file}">${file.replace(/\.vsm$/, "")}</option>`).join("");
$("example").addEventListener("change", () => open($("example").value));

/// For tests: the page as a program sees it.
window.playground = {editor, engine, get checked() { return checked; }, get stops() { return stops; }};

const linked = await kernelFromLink(location);
if (linked && linked.source !== undefined) {
  name = linked.name;
  $("example").insertAdjacentHTML("afterbegin", html`<option value="" selected disabled>${name} (from a link)</option>`);
  editor.setValue(linked.source);
} else {
  const first = linked && kernels.includes(linked.name) ? linked.name : "tutorial.vsm";
  $("example").value = first;
  await open(first);
}
