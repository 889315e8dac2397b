// The page: an editor, and views of what the module answers.
import { Engine } from "./engine.js";
import { defineLanguage } from "./language.js";
import { counted, html, number } from "./format.js";
import { showClocks, showProblems, showResults, showState } from "./views.js";
import { fromLink, linkOf, textOfWork, workFrom } from "./link.js";
import { browserStorage, Sources } from "./sources.js";
import { Exercises } from "./exercises.js";
import { showMachine } from "./machine.js";
import { Help } from "./help.js";

const $ = id => document.getElementById(id);
const kernels = await (await fetch("kernels/index.json")).json();
defineLanguage(CodeMirror, await (await fetch("grammar.json")).json());

// ---- editor ----------------------------------------------------------------------------------------------------------

const editor = CodeMirror($("editor"), {
  mode: "gdr", lineNumbers: true, matchBrackets: true, inputStyle: "contenteditable", gutters: ["CodeMirror-linenumbers", "stops"],
  screenReaderLabel: "Source of the kernel",
  // Tab leaves the editor, as it leaves every other field.
  extraKeys: {Tab: false, "Shift-Tab": false, "Ctrl-]": "indentMore", "Ctrl-/": "toggleComment",
              "Ctrl-Enter": () => run(), F10: () => command("step"), F8: () => command("continue"), F1: () => help(editor.getCursor())},
});
const sources = new Sources(browserStorage());
let name = "kernel.vsm";
let given = "";      // the source as it was opened: one that differs is the user's, and is kept
let marks = [];
let here = [];
let checked = null;  // the last answer to `check`
let stepping = false;
let stops = [];      // [{number, line}] of the debugger
let edits = 0;       // that were sent to be checked
let asking = null;   // the last of them
let commands = [];   // that the debugger has executed since the kernel was opened in it

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

/// Says what the next message must not cover.
function warn(text) {
  $("notice").textContent = text;
  $("notice").hidden = false;
}

// ---- the module ------------------------------------------------------------------------------------------------------

const engine = new Engine(failed => {
  if (failed) return say(`The emulator does not load: ${failed}`, true);
  check();
});

const helper = new Help(engine);
const isLsump = file => file.endsWith(".lsump");
const source = () => ({name, source: editor.getValue(), ...(isLsump(name) ? {effort: Number($("effort").value)} : {})});
/// With packing, which belongs to kernels in assembly.
const packed = () => ({...source(), ...(isLsump(name) ? {} : {schedule: $("schedule").value})});

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
  const request = {call: "check", ...packed()};
  const asked_for = JSON.stringify(request);
  if (asking === asked_for) return;
  asking = asked_for;
  const asked = ++edits;
  const answer = await engine.ask(request);
  if (asked !== edits || answer.stopped) return;
  if (answer.error) return say(answer.error, true);
  checked = {...answer, source: request.source};
  showDiagnostics(answer);
  showClocks($("clocks"), answer, line => jump(line, 1));
  $("listing").textContent = answer.listing || "A kernel with errors has no listing.";
  $("assembly").textContent = answer.assembly || "A kernel with errors has no assembly.";
  if (answer.kernel) showColumns(answer.kernel);
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
    if (each.file !== answer.own_file || each.severity === "note") continue;
    const from = place(each.line, each.column);
    const to = place(each.line, each.column + each.length);
    marks.push(editor.markText(from, to, {className: `mark-${each.severity}`, title: each.message}));
    if (each.severity === "error") editor.addLineClass(each.line - 1, "background", "line-error");
  }
  showProblems($("problems"), answer, editor.getValue().split("\n"), jump, explain);
}

/// Shows the long text of a diagnostic.
async function explain(number) {
  const answer = await engine.ask({call: "explain", number});
  show(`E${String(number).padStart(4, "0")}`, answer.text ?? answer.error);
}

/// The language server's text about a place; it knows no word of LSUMP's language.
const helpAt = place => isLsump(name) ? null : helper.at(editor.getValue(), place);

/// Shows what the word at this place of the source is.
async function help(place) {
  const text = await helpAt(place);
  if (text) show("Help", text);
  else say("There is no help for this place.");
}

/// The same beside the pointer, if there is a word.
async function tip(left, top) {
  const place = editor.coordsChar({left, top}, "window");
  if (place.outside || !/\S/.test(editor.getLine(place.line)?.[place.ch] ?? "")) return;
  const text = await helpAt(place);
  if (!text) return;
  $("tip").textContent = text;
  $("tip").hidden = false;
  $("tip").style.left = `${Math.max(8, Math.min(left, innerWidth - $("tip").offsetWidth - 8))}px`;
  $("tip").style.top = `${Math.max(8, Math.min(top + 18, innerHeight - $("tip").offsetHeight - 8))}px`;
}

function show(title, text) {
  $("dialog-title").textContent = title;
  $("dialog-text").textContent = text;
  $("dialog").showModal();
}

// ---- run -------------------------------------------------------------------------------------------------------------

/// The columns that own particles need.
function showColumns(kernel) {
  for (const [id, columns] of [["own-i", kernel.i_columns], ["own-j", kernel.j_columns]]) {
    $(id).placeholder = columns.length ? `${columns.join(",")}\n0,0 …` : "This kernel takes no such data.";
  }
}

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
  return {...packed(), ...dataOfForm()};
}

const texts = ["model", "own_i", "own_j"];  // the form's fields that are no numbers

function dataOfForm() {
  const data = {parameters: {}};
  for (const [key, value] of new FormData($("data"))) {
    if (key.startsWith("param:")) data.parameters[key.slice(6)] = Number(value);
    else data[key] = texts.includes(key) ? value : Number(value);
  }
  return data;
}

function fillForm(data) {
  for (const [key, value] of Object.entries(data)) {
    const field = $("data").elements.namedItem(key);
    if (field && (typeof value === "string" || typeof value === "number")) field.value = value;
  }
  for (const [key, value] of Object.entries(data.parameters ?? {})) {
    const field = $("data").elements.namedItem(`param:${key}`);
    if (field && typeof value === "number") field.value = value;
  }
  $("own").open = Boolean(data.own_i || data.own_j);
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
  give(file, answer.text, "text/csv");
}

/// Lets the browser save a file.
function give(file, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type}));
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
  commands = [];
  for (const line of wanted) await execute(breakAt(line));
  // Past what happens once: to the first line that meets a j-particle.
  showStep(await execute("pair i=0 j=0"));
}

/// Lines of LSUMP have their file's name, for a line without one is the assembly's.
const breakAt = line => `break ${isLsump(name) ? `${name}:` : ""}${line}`;

async function execute(line) {
  const answer = await busy("Stepping …", {call: "command", line});
  if (!answer.error && !answer.refused) commands.push(line);
  return answer;
}

async function command(line) {
  if (!stepping) return debug();
  const answer = await execute(line);
  if (answer.stopped) stepping = false;
  if (!answer.error) showStep(answer);
}

let before = new Map();
function showStep(answer) {
  clearHere();
  stops = answer.stops.filter(stop => !stop.watch).map(stop => ({number: stop.number, line: Number(stop.place.split(":").at(-1))}));
  showStops();
  for (const each of answer.lines.filter(each => each.file === checked.own_file)) {
    editor.addLineClass(each.line - 1, "background", "line-here");
    here.push(each.line - 1);
  }
  if (here.length) editor.scrollIntoView({line: here[0], ch: 0}, 120);
  before = showState($("state"), answer, before);
  showMachine($("machine"), answer);
  $("reply").hidden = !answer.reply && !answer.refused;
  $("reply").textContent = answer.refused || answer.reply;
  say(answer.refused || `Before ${answer.where}`, Boolean(answer.refused));
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
  if (stepping) return command(there ? `delete ${there.number}` : breakAt(line));
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
  const tabs = [...document.querySelectorAll('[role="tab"]:not([hidden])')];
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
  helper.forget();
});
$("theme").addEventListener("click", () => {
  const dark = getComputedStyle(document.documentElement).getPropertyValue("--ground").trim() !== "#ffffff";
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("gdr-theme", document.documentElement.dataset.theme); } catch { /* it is kept for this visit */ }
});
$("share").addEventListener("click", async () => {
  const link = await linkOf(location, work());
  history.replaceState(null, "", link);
  const size = link.length > longLink ? ` It has ${counted(Math.ceil(link.length / 1000), "thousand character")}, which mail programs may cut: Save writes a file.` : "";
  const framed = window !== window.top;  // inside an exercise's page, whose address stays
  try {
    await navigator.clipboard.writeText(link);
    say(`The link to this work is copied${framed ? "" : ", and shown in the address bar"}.${size}`);
  } catch {
    if (framed) show("The link to this work", link);
    else say(`The link to this work is shown in the address bar.${size}`);
  }
});
$("save").addEventListener("click", () => give(`${stemOf(name)}.gdr.json`, textOfWork(work()), "application/json"));
$("open").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", async event => {
  const [file] = event.target.files;
  event.target.value = "";
  if (file) await openFile(file);
});
for (const [field, file] of [["own-i", "own-i-file"], ["own-j", "own-j-file"]]) {
  $(file).addEventListener("change", async event => {
    const [chosen] = event.target.files;
    if (chosen) $(field).value = await chosen.text();
  });
}
$("reset").addEventListener("click", async () => {
  if (!confirm(`Drop what you have written in ${name}?`)) return;
  sources.drop(name);
  given = editor.getValue();  // it is not kept again
  await open(kernels.includes(name) ? name : "tutorial.vsm");
});
for (const id of ["schedule", "effort"]) $(id).addEventListener("change", check);
// Help shows where the pointer rests on a word.
let resting = 0;
editor.getWrapperElement().addEventListener("mousemove", event => {
  clearTimeout(resting);
  $("tip").hidden = true;
  const {clientX: left, clientY: top} = event;
  resting = setTimeout(() => tip(left, top), 600);
});
editor.getWrapperElement().addEventListener("mouseleave", () => {
  clearTimeout(resting);
  $("tip").hidden = true;
});
editor.on("gutterClick", (_, line) => toggleStop(line + 1));
editor.on("change", () => {
  // The program that is stepped through is no longer the one that is shown.
  stepping = false;
  clearHere();
  stops = [];
  showStops();
  keepSoon();
  checkSoon();
});

// ---- sources ---------------------------------------------------------------------------------------------------------

const longLink = 30000;  // characters: some mail programs and messengers cut links of more

/// All that a link or a file carries.
const work = () => ({...packed(), data: dataOfForm(), commands: stepping ? commands : [],
                     exercise: exercises.chosen ?? ""});

let keeping = 0;
function keepSoon() {
  clearTimeout(keeping);
  keeping = setTimeout(keep, 500);
}

/// Keeps the source if the user has changed it.
function keep() {
  clearTimeout(keeping);
  const text = editor.getValue();
  if (text === given) return;
  if (!sources.set(name, text)) warn("This browser keeps no more sources: Save writes a file.");
  listSources();
}

function listSources() {
  const option = file => html`<option value="${file}">${file.replace(/\.vsm$/, "")}</option>`;
  const own = sources.names;
  $("example").innerHTML = html`<optgroup label="Kernels of gdr">${kernels.filter(file => !own.includes(file)).map(option)}</optgroup>${
    own.length ? [html`<optgroup label="Yours, kept in this browser">${own.map(option)}</optgroup>`] : []}${
    own.includes(name) || kernels.includes(name) ? [] : [html`<option value="${name}">${name}</option>`]}`;
  $("example").value = name;
  $("reset").hidden = !own.includes(name);
}

const stemOf = file => file.replace(/\.(vsm|lsump)$/, "");

/// Puts a source into the editor, after what was there has been kept.
function edit(file, text, original = text) {
  keep();
  name = file;
  given = original;
  for (const label of document.querySelectorAll('[for="schedule"], #schedule')) label.hidden = isLsump(name);
  for (const label of document.querySelectorAll('[for="effort"], #effort, #tab-assembly')) label.hidden = !isLsump(name);
  if (!isLsump(name) && !$("panel-assembly").hidden) select("clocks");
  editor.setOption("mode", isLsump(name) ? "lsump" : "gdr");
  editor.setValue(text);
  editor.clearHistory();
  listSources();
}

async function open(file) {
  const kept = sources.get(file);
  const original = kernels.includes(file) ? await (await fetch(`kernels/${file}`)).text() : kept ?? "";
  edit(file, kept ?? original, original);
}

/// A name that no kept source has, since that would be replaced.
function freeName(file, text) {
  if (!kernels.includes(file) && (sources.get(file) ?? text) === text) return file;
  const ending = isLsump(file) ? ".lsump" : ".vsm";
  for (let n = 2; ; ++n) {
    const other = `${stemOf(file)}-${n}${ending}`;
    if (!kernels.includes(other) && (sources.get(other) ?? text) === text) return other;
  }
}

async function openWork(opened) {
  $("notice").hidden = true;
  const same = kernels.includes(opened.name) && opened.source === await (await fetch(`kernels/${opened.name}`)).text();
  edit(same ? opened.name : freeName(opened.name, opened.source), opened.source, same ? opened.source : "");
  $("schedule").value = opened.schedule;
  if (!$("schedule").value) $("schedule").value = "none";
  $("effort").value = opened.effort;
  if (!$("effort").value) $("effort").value = "2";
  await check();
  fillForm(opened.data);
  if (opened.exercise) await exercises.show(opened.exercise);
  if (!opened.commands.length || !checked?.kernel) return;
  await debug();
  commands = [];
  let answer = null;
  for (const line of opened.commands) answer = await execute(line);
  if (answer && !answer.error) showStep(answer);
}

async function openFile(file) {
  const text = await file.text();
  if (!file.name.endsWith(".json")) return edit(freeName(file.name, text), text, "");
  try {
    await openWork(workFrom(text));
  } catch (error) {
    warn(`${file.name} is no work of this page: ${error.message}`);
  }
}

const exercises = new Exercises($("exercises"), engine, {
  source, busy, say,
  begin(exercise) {
    begin(exercise);
    editor.focus();
  },
});

/// Opens what was written for an exercise, or its declarations.
function begin(exercise) {
  const own = `my-${exercise.name}.vsm`;
  edit(own, sources.get(own) ?? exercise.start, exercise.start);
}

$("example").addEventListener("change", () => open($("example").value));
$("tab-exercises").addEventListener("click", () => exercises.show(exercises.chosen));
addEventListener("pagehide", keep);

/// For tests: the page as a program sees it.
window.playground = {editor, engine, exercises, get checked() { return checked; }, get stops() { return stops; }, get name() { return name; }};

const linked = await fromLink(location);
if (linked.work) {
  await openWork(linked.work);
} else {
  await open(kernels.includes(linked.kernel) ? linked.kernel : "tutorial.vsm");
  if (linked.exercise) {
    select("exercises");
    await exercises.show(linked.exercise);
    if (exercises.find(linked.exercise)) begin(exercises.find(linked.exercise));  // without focus: the page may be in another one
  }
  if (linked.damaged) warn(`The link holds work that cannot be read: ${linked.damaged}. Ask for it again, or for a file.`);
  if (linked.kernel && !kernels.includes(linked.kernel)) warn(`The link names ${linked.kernel}, which is no kernel of gdr.`);
}
