// What the module answers, as markup.
import { html, number, percent, seconds } from "./format.js";

const figure = (label, value) => html`<div><b>${value}</b><span>${label}</span></div>`;

const limits = {lines: "the PEs' lines", idp: "the input port", bm: "broadcast memory's port", odp: "the output port"};

// ---- problems --------------------------------------------------------------------------------------------------------

/// The line of source with carets below, as the assembler prints it.
function caret(line, column, length) {
  const bytes = new TextEncoder().encode(line);
  const before = new TextDecoder().decode(bytes.slice(0, column - 1)).replace(/[^\t]/g, " ");
  const marked = new TextDecoder().decode(bytes.slice(column - 1, column - 1 + length)).length || 1;
  return `${line}\n${before}^${"~".repeat(marked - 1)}`;
}

export function showProblems(list, answer, lines, jump, explain) {
  list.innerHTML = answer.diagnostics.map(each => {
    const file = answer.files[each.file] ?? "";
    const code = each.warning ? `-W ${each.warning}` : `E${String(each.number).padStart(4, "0")}`;  // the compiler has none
    const own = each.file === answer.own_file;
    const text = own ? lines[each.line - 1] : undefined;
    return html`<li class="${each.severity}"><button><span>${own ? "" : file + ", "}line ${each.line}: </span><b class="${each.severity}">${each.severity}</b>: ${each.message}${each.number ? [html` <span class="number">[${code}]</span>`] : []}</button>${
      each.number ? [html`<button class="explain" data-number="${each.number}" aria-label="Explain ${code}">Explain</button>`] : []}${
      text === undefined ? [] : [html`<pre class="caret">${caret(text, each.column, each.length)}</pre>`]}</li>`;
  }).join("") || "<li>None: the prover found every line legal.</li>";
  list.querySelectorAll(".explain").forEach(button => button.addEventListener("click", () => explain(Number(button.dataset.number))));
  [...list.querySelectorAll("button:not(.explain)")].forEach((button, n) => {
    const {file, line, column} = answer.diagnostics[n];
    button.disabled = file !== answer.own_file;
    button.addEventListener("click", () => jump(line, column));
  });
}

// ---- clocks ----------------------------------------------------------------------------------------------------------

export function showClocks(panel, answer, jump) {
  if (!answer.kernel) {
    panel.innerHTML = "<p>A kernel with errors has no clocks. The problems are listed below the source.</p>";
    return;
  }
  const {loop} = answer.kernel;
  const ports = loop.ports.filter(port => port.busy > 0).map(port =>
    html`<tr><td>${port.name}</td><td>${port.busy}</td><td>${percent(port.share)}</td><td><meter min="0" max="1" value="${port.share}" aria-label="Share of ${port.name}"></meter></td></tr>`);
  // A line that a compiler made may hold operations of several lines of the source.
  const linesOf = line => [...new Set(line.sources.map(source => source.line))].join(", ");
  const body = loop.body.map((line, n) =>
    html`<tr data-line="${line.file === answer.own_file ? line.line : ""}"><td>${n}</td><td>${line.clock}</td><td>${linesOf(line)}</td><td class="text">${line.text}</td><td>${line.slack ?? ""}</td><td>${line.gpr}</td><td>${line.held.join("; ")}</td></tr>`);
  panel.innerHTML = html`<div class="figures">${[
    figure("loop lines", loop.lines), figure("clocks per iteration", loop.clocks), figure("limited by", limits[loop.bound] ?? loop.bound),
    figure("operations", loop.operations), figure("lower bound on lines", loop.least_lines)]}</div>
    <h2>Occupancy of units and ports</h2>
    <div class="table"><table class="bars"><thead><tr><th>unit or port</th><th>uses</th><th>share</th><th>as a bar</th></tr></thead><tbody>${ports}</tbody></table></div>
    <h2>Loop body</h2>
    <div class="table" tabindex="0" role="region" aria-label="Loop body"><table><thead><tr><th>line</th><th>clock</th><th>source</th><th>operations</th><th>slack</th><th>GPR words</th><th>limited by</th></tr></thead><tbody>${body}</tbody></table></div>
    <details><summary>The whole analysis, as gdr analyse prints it</summary><pre tabindex="0">${answer.analysis}</pre></details>`;
  panel.querySelectorAll("tr[data-line]").forEach(row => row.addEventListener("click", () => row.dataset.line && jump(Number(row.dataset.line))));
}

// ---- run -------------------------------------------------------------------------------------------------------------

export function showResults(panel, answer, download) {
  const {time, events} = answer;
  const all = events.invalid + events.overflow + events.underflow;
  const figures = [figure("in this browser", seconds(answer.milliseconds / 1e3))];
  if (time) {
    figures.push(figure("on the board, emulated", seconds(time.seconds)), figure("emulated Gflops", number(time.gflops)),
                 figure("occupancy of the PEs", percent(time.occupancy)), figure("chip clocks", time.clocks.toLocaleString("en")));
  }
  const units = Object.entries(answer.units).map(([unit, busy]) => `${unit} ${percent(busy)}`).join(", ");
  const rows = answer.rows.map((row, n) => html`<tr><td>${n}</td>${row.map(cell => html`<td>${cell}</td>`)}</tr>`);
  panel.innerHTML = html`<div class="figures">${figures}</div>
    <p>SHA-256 of <code>results.csv</code>: <span class="hash" id="hash">${answer.hash}</span></p>
    <p>Lines that keep a unit busy: ${units}.</p>
    <p>Floating-point events: ${all === 0 ? "none" : `${events.invalid} invalid, ${events.overflow} overflow, ${events.underflow} underflow`}.</p>
    ${events.first.length ? [html`<pre tabindex="0">${events.first.join("\n")}</pre>`] : []}
    <div class="table" tabindex="0" role="region" aria-label="Results"><table><thead><tr><th>i</th>${answer.columns.map(name => html`<th>${name}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>
    <p>${Math.min(answer.rows.length, answer.all_rows)} of ${answer.all_rows} rows.</p>
    <p class="buttons">${["i.csv", "j.csv", "results.csv"].map(file => html`<button data-file="${file}">${file}</button>`)}</p>
    <p>With these files the command line gives the same hash:</p>
    <pre tabindex="0">${answer.command}</pre>`;
  panel.querySelectorAll("[data-file]").forEach(button => button.addEventListener("click", () => download(button.dataset.file)));
}

// ---- step ------------------------------------------------------------------------------------------------------------

/// Words that differ from those of `before` are marked. Returns those that are shown.
export function showState(panel, answer, before) {
  const now = new Map(answer.words.map(word => [word.name, [word.value, ...word.elements].join()]));
  const {focus} = answer;
  const rows = answer.words.map(word => {
    const changed = before.has(word.name) && before.get(word.name) !== now.get(word.name);
    return html`<tr class="${changed ? "changed" : ""}"><td>${word.name}</td><td>${word.kind}</td><td>${word.value}</td><td>${word.elements.join(" · ")}</td></tr>`;
  });
  panel.innerHTML = html`<p><b>${answer.where}</b></p><pre>${answer.code || "–"}</pre>
    <p>Chip ${focus.chip}, block ${focus.block}, PE ${focus.pe}, element ${focus.element}: i-particle ${answer.i ?? "–"}, j-particle ${answer.j ?? "–"}.</p>
    <div class="table" tabindex="0" role="region" aria-label="Words"><table><thead><tr><th>word</th><th>kind</th><th>value</th><th>all four elements</th></tr></thead><tbody>${rows}</tbody></table></div>`;
  return now;
}
