// The exercises of the course: task, hints, and the judge's verdict.
import { html } from "./format.js";

/// Paragraphs, lists and indented code of a task, which is written in this much of Markdown.
export function taskAsMarkup(markdown) {
  const marked = text => html`${text}`.replace(/`([^`]+)`/g, "<code>$1</code>");
  return markdown.trim().split(/\n\n+/).map(part => {
    if (part.startsWith("# ")) return html`<h2>${part.slice(2)}</h2>`;
    if (part.startsWith("    ")) return html`<pre>${part.replace(/^ {4}/gm, "")}</pre>`;
    if (part.startsWith("- ")) return `<ul>${part.slice(2).split("\n- ").map(item => `<li>${marked(item)}</li>`).join("")}</ul>`;
    return `<p>${marked(part)}</p>`;
  }).join("");
}

export class Exercises {
  #list = [];

  constructor(panel, engine, page) {
    this.panel = panel;
    this.engine = engine;
    this.page = page;  // {source(), begin(exercise), say(text, bad)}
  }

  get names() { return this.#list.map(each => each.name); }
  find(name) { return this.#list.find(each => each.name === name); }

  async load() {
    if (this.#list.length) return;
    const answer = await this.engine.ask({call: "exercises"});
    this.#list = answer.exercises ?? [];
  }

  async show(name) {
    await this.load();
    const chosen = this.find(name) ?? this.#list[0];
    if (!chosen) return;
    this.chosen = chosen.name;
    const lines = chosen.par === chosen.par_least_lines ? "" : `; no order of the solution's operations with its registers has fewer than ${chosen.par_least_lines}`;
    this.panel.innerHTML = html`<div class="buttons">
      <label>Exercise <select id="exercise">${this.#list.map(each =>
        html`<option value="${each.name}" ${each === chosen ? ["selected"] : []}>${each.number}. ${each.title}</option>`)}</select></label>
      <button id="begin">Begin with its declarations</button>
      <button id="judge" class="main">Judge</button></div>
      ${[taskAsMarkup(chosen.task)]}
      <p>Par is ${chosen.par} lines${lines}.</p>
      ${chosen.hints.map((hint, n) => html`<details><summary>Hint ${n + 1}</summary><p>${hint}</p></details>`)}
      <div id="verdict" role="status"></div>`;
    this.panel.querySelector("#exercise").addEventListener("change", event => this.show(event.target.value));
    this.panel.querySelector("#begin").addEventListener("click", () => this.page.begin(chosen));
    this.panel.querySelector("#judge").addEventListener("click", () => this.judge());
  }

  async judge() {
    const answer = await this.page.busy("Judging …", {call: "judge", exercise: this.chosen, ...this.page.source()});
    const verdict = this.panel.querySelector("#verdict");
    if (answer.error) {
      verdict.innerHTML = html`<p class="failed">${answer.error}</p>`;
      return;
    }
    verdict.innerHTML = html`<p class="${answer.accepted ? "accepted" : "failed"}">${answer.verdict}</p><pre tabindex="0" aria-label="Verdict">${answer.text}${answer.messages ?? ""}</pre>`;
    this.page.say(`${answer.verdict}: ${this.chosen}`, !answer.accepted);
  }
}
