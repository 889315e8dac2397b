// The analysis as one HTML page: the source at the left, the body's lines at the right with a column for each unit and
// port, and a timeline below. Pointing at one of them marks the others; lines of the longest chain are marked always.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis_source.h"
#include "gdr/base/counted.h"
#include "gdr/base/html.h"

namespace gdr::assembler {
namespace {

using base::html;

constexpr std::string_view kPageHead = R"(<meta name="viewport" content="width=device-width">
<style>
:root { color-scheme: light dark; --line: #8885; --on: #2a6fbb; --mark: #ffd54a66; --chain: #c2410c; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.2rem; }
h1 { font-size: 1.35rem; margin: 0 0 .4rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .9rem; margin: 0 0 1rem; }
dt { font-weight: 600; } dd { margin: 0; }
main { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1.2fr); gap: 1rem; }
section { overflow: auto; max-height: 78vh; border: 1px solid var(--line); border-radius: 6px; }
h2 { font-size: 1rem; margin: 0; padding: .35rem .6rem; position: sticky; top: 0; left: 0; z-index: 2; background: Canvas; border-bottom: 1px solid var(--line); }
table { border-collapse: collapse; font: 12.5px/1.35 ui-monospace, monospace; white-space: pre; }
td, th { padding: 0 .45rem; text-align: left; vertical-align: top; }
thead th { position: sticky; top: 2.1rem; z-index: 1; background: Canvas; writing-mode: vertical-rl; font-weight: 500; padding: .3rem .2rem; vertical-align: bottom; }
thead th.wide { writing-mode: horizontal-tb; padding: 0 .45rem; }
td.port { padding: 0; width: 1.25rem; border-left: 1px solid var(--line); }
td.port.on { background: var(--on); }
td.n { text-align: right; opacity: .7; }
tr.code { cursor: default; } tr.hit td { background-image: linear-gradient(var(--mark), var(--mark)); }
tr.chain td.c { color: var(--chain); font-weight: 700; }
section.time { margin-top: 1rem; }
svg text { font: 11px ui-monospace, monospace; fill: CanvasText; }
svg .grid { stroke: var(--line); stroke-width: .5; } svg .lane { fill: var(--on); opacity: .75; }
svg .op rect { fill: var(--on); } svg .op.chain rect { fill: var(--chain); } svg .op line { stroke: var(--line); stroke-width: 3; }
svg .op.hot rect { stroke: CanvasText; stroke-width: 2; } svg .op text { pointer-events: none; } svg .op .unit { fill: #fff; }
svg path { fill: none; stroke: var(--on); stroke-width: 1; opacity: .18; } svg path.hot { opacity: 1; stroke: var(--chain); stroke-width: 2; }
@media (max-width: 900px) { main { grid-template-columns: 1fr; } section { max-height: none; } }
</style>
)";

constexpr std::string_view kScript = R"(
const rows = [...document.querySelectorAll("tr[data-at]")];
const show = row => {
  const at = new Set(row.dataset.at.split(" "));
  for (const other of rows) other.classList.toggle("hit", other.dataset.at.split(" ").some(place => at.has(place)));
};
const first = rows[0], pane = first && first.closest("section");
if (pane) pane.scrollTop = Math.max(0, first.offsetTop - pane.offsetTop - 60);
const operations = [...document.querySelectorAll("svg .op")], ways = [...document.querySelectorAll("svg path[data-from]")];
for (const operation of operations) {
  operation.addEventListener("mouseenter", () => {
    const near = new Set([operation.id]);
    for (const way of ways) {
      const hot = way.dataset.from === operation.id || way.dataset.to === operation.id;
      way.classList.toggle("hot", hot);
      if (hot) near.add(way.dataset.from).add(way.dataset.to);
    }
    for (const other of operations) other.classList.toggle("hot", near.has(other.id));
    const row = rows.find(each => each.dataset.line === operation.dataset.line);
    if (row) show(row);
  });
}
for (const row of rows) {
  row.addEventListener("mouseenter", () => show(row));
  row.addEventListener("click", () => {
    show(row);
    const other = rows.find(r => r.classList.contains("hit") && r.closest("section") !== row.closest("section"));
    if (other) other.scrollIntoView({ block: "center", behavior: "smooth" });
  });
}
)";

void add_summary(std::string& out, const Analysis& analysis, const AnalysedSources& sources) {
  const isa::LoopBound& bound = analysis.bound;
  out += fmt::format("<h1>Kernel {}: {}, {} clocks per iteration</h1>\n<dl>\n", html(sources.program.kernel),
                     base::counted(analysis.lines, "loop line"), bound.clocks());
  const auto entry = [&](std::string_view name, const std::string& text) {
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, html(text));
  };
  entry("Bound by", fmt::format("{} (clocks: lines {}, input port {}, broadcast memory {}, output port {})",
                                bound.bound(), bound.line_clocks, bound.idp_clocks, bound.bm_clocks, bound.odp_clocks));
  if (analysis.lines > 0) {
    entry("Limit", limit_text(analysis));
    std::string ports;
    for (const PortUse* port : busiest_first(analysis, 3)) {
      ports += fmt::format("{}{} {:.0f} %", ports.empty() ? "" : ", ", port->name, 100 * port->share());
    }
    entry("Busiest", ports);
    entry("Registers", fmt::format("{} of {} short words in use before line {}",
                                   analysis.body[analysis.peak()].live_gpr, isa::kGprShortWords, analysis.peak()));
  }
  out += "</dl>\n";
}

void add_source(std::string& out, const AnalysedSources& sources, const SourceLines& lines, std::size_t count) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> used;
  for (std::size_t line = 0; line < count; ++line) {
    for (const isa::SourcePosition& at : lines.places(line)) used.emplace(at.file, at.line);
  }
  out += "<section><h2>Source</h2><table><tbody>\n";
  for (std::size_t file = 0; file < sources.files.size(); ++file) {
    // The source that a compiler wrote stands at the right, line by line.
    const bool has_code = std::ranges::any_of(used, [&](const auto& place) { return place.first == file; });
    if (!has_code && !used.empty()) continue;
    if (sources.files.size() > 1) {
      out += fmt::format("<tr><td></td><td><b>{}</b></td></tr>\n", html(sources.files[file].name));
    }
    std::string_view rest = sources.files[file].text;
    for (std::uint32_t number = 1; !rest.empty(); ++number) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const bool code = used.contains({static_cast<std::uint32_t>(file), number});
      out += fmt::format("<tr{}><td class=n>{}</td><td>{}</td></tr>\n",
                         code ? fmt::format(" class=code data-at=\"{}:{}\"", file, number) : "", number,
                         html(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  out += "</tbody></table></section>\n";
}

void add_schedule(std::string& out, const Analysis& analysis, const SourceLines& lines) {
  std::set<std::size_t> chain;
  for (const ChainStep& step : analysis.chain) chain.insert(step.line);
  out +=
      "<section><h2>Loop body</h2><table><thead><tr><th class=wide>line</th><th class=wide>slack</th><th class=wide>"
      "gpr</th>";
  for (const PortUse& port : analysis.ports) {
    out += fmt::format("<th title=\"{:.0f} %\">{}</th>", 100 * port.share(), html(port.name));
  }
  out += "<th class=wide>chain</th><th class=wide>operations</th></tr></thead><tbody>\n";
  // A packed line may hold operations of several source lines.
  const bool as_written = lines.moved_operations() == 0;
  for (std::size_t line = 0; line < analysis.body.size(); ++line) {
    const LineUse& use = analysis.body[line];
    std::string at;
    std::string title;
    for (const isa::SourcePosition& place : lines.places(line)) {
      at += fmt::format("{}{}:{}", at.empty() ? "" : " ", place.file, place.line);
    }
    title = lines.text(line);
    if (!lines.expanded(line).empty()) title += "\n= " + lines.expanded(line);
    for (const std::string& around : lines.uses(line)) title += "\nin " + around;
    for (const std::string& call : lines.calls(line)) title += "\nin " + call;
    for (const std::string& moved : lines.moved(line)) title += "\n+ " + moved;
    for (const HeldOperation& operation : use.operations) title += "\n" + operation.operation + ": " + operation.text();
    const bool linked = chain.contains(line);
    out += fmt::format(
        "<tr class=\"code{}\" data-line={} data-at=\"{}\" title=\"{}\"><td class=n>{}</td><td class=n>{}</td>"
        "<td class=n>{}</td>",
        linked ? " chain" : "", line, at, html(title), line, use.idle ? std::string() : std::to_string(use.slack),
        use.live_gpr);
    for (std::size_t port = 0; port < analysis.ports.size(); ++port) {
      const bool on = std::binary_search(use.ports.begin(), use.ports.end(), port);
      out += fmt::format("<td class=\"port{}\"></td>", on ? " on" : "");
    }
    out += fmt::format("<td class=c>{}</td><td>{}</td></tr>\n", linked ? "|" : "",
                       html(as_written && !lines.expanded(line).empty() ? lines.expanded(line) : lines.printed(line)));
  }
  out += "</tbody></table></section>\n";
}

}  // namespace

std::string analysis_page(const Analysis& analysis, const AnalysedSources& sources) {
  const SourceLines lines(sources);
  std::string out = fmt::format("<!doctype html>\n<html lang=en><meta charset=utf-8>{}<title>{}: analysis</title>\n",
                                base::content_policy(kScript), html(sources.program.kernel));
  out += kPageHead;
  add_summary(out, analysis, sources);
  out += "<main>\n";
  add_source(out, sources, lines, analysis.body.size());
  add_schedule(out, analysis, lines);
  out += "</main>\n";
  out += timeline(analysis, lines);
  out += fmt::format("<script>{}</script>\n", kScript);
  return out;
}

}  // namespace gdr::assembler
