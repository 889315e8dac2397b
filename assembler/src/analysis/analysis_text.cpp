// The analysis as text: a summary on the first screen, then a row for each line.
#include <fmt/format.h>

#include <algorithm>

#include "analysis_source.h"
#include "gdr/base/counted.h"

namespace gdr::assembler {
namespace {

using base::counted;

constexpr std::size_t kBusiestShown = 5;
constexpr std::size_t kSourceShown = 70;  // characters

std::string share_text(const PortUse& port) {
  return fmt::format("{} of {} ({:.0f} %)", port.busy, port.each * port.lines, 100 * port.share());
}

}  // namespace

std::string analysis_text(const Analysis& analysis, const AnalysedSources& sources) {
  const SourceLines source(sources);
  std::string out = fmt::format("kernel {}: {}, {}, {} clocks per iteration, bound by {}\n", sources.program.kernel,
                                counted(analysis.lines, "loop line"), counted(analysis.operations, "operation"),
                                analysis.bound.clocks(), analysis.bound.bound());
  out +=
      fmt::format("clocks   lines {}, input port {}, broadcast memory {}, output port {}\n", analysis.bound.line_clocks,
                  analysis.bound.idp_clocks, analysis.bound.bm_clocks, analysis.bound.odp_clocks);
  if (analysis.lines == 0) return out;
  out += "ports   ";
  for (const PortUse* port : busiest_first(analysis, kBusiestShown)) {
    out += fmt::format("{}{} {}", out.ends_with("   ") ? " " : ", ", port->name, share_text(*port));
  }
  out += fmt::format("\nlimit    {}\n", limit_text(analysis));
  const auto idle =
      std::count_if(analysis.body.begin(), analysis.body.end(), [](const LineUse& use) { return use.idle; });
  const auto fixed = std::count_if(analysis.body.begin(), analysis.body.end(),
                                   [](const LineUse& use) { return !use.idle && use.slack == 0; });
  out += fmt::format("slack    {} of {} cannot stand later, {} empty\n", fixed, counted(analysis.lines, "line"),
                     idle == 0   ? std::string("none is")
                     : idle == 1 ? std::string("1 is")
                                 : fmt::format("{} are", idle));
  const LineUse& peak = analysis.body[analysis.peak()];
  out += fmt::format(
      "live     {} of {} short words of the GPR at the peak, before line {}; {} of {} of local memory there\n",
      peak.live_gpr, isa::kGprShortWords, analysis.peak(), peak.live_lm, isa::kLmShortWords);
  if (const std::size_t moved = source.moved_operations(); moved > 0) {
    out += fmt::format("moved    {} {} brought into other lines\n", counted(moved, "source line"),
                       moved == 1 ? "was" : "were");
  }

  out += "\nlongest chain (line, operation, lines until the next step can stand)\n";
  if (analysis.chain.empty()) out += "  not followed: the body stores into the j-records, or has no operation\n";
  for (const ChainStep& step : analysis.chain) {
    out += fmt::format("  {:>4}  {:<7}{:>2}  {}\n", step.line, step.operation, step.waits,
                       source.text(step.line).substr(0, kSourceShown));
  }

  out += "\nport             taken  share\n";
  for (const PortUse& port : analysis.ports) {
    out += fmt::format("  {:<14} {:>5}  {:>4.0f} %\n", port.name, port.busy, 100 * port.share());
  }

  out += "\n  line slack  gpr   lm  units  source\n";
  std::string in_use;  // the outermost macro that the line comes from
  for (std::size_t line = 0; line < analysis.body.size(); ++line) {
    const LineUse& use = analysis.body[line];
    const std::string around = source.uses(line).empty() ? std::string() : source.uses(line).back();
    if (!around.empty() && around != in_use) out += fmt::format("{:>32} {}\n", "in", around.substr(0, kSourceShown));
    in_use = around;
    out += fmt::format("  {:>4} {:>5} {:>4} {:>4}  {}   {}\n", line,
                       use.idle ? std::string("-") : std::to_string(use.slack), use.live_gpr, use.live_lm,
                       source.units(line), source.text(line).substr(0, kSourceShown));
    if (!source.expanded(line).empty()) {
      out += fmt::format("{:>32} {}\n", "=", source.expanded(line).substr(0, kSourceShown));
    }
    for (const std::string& moved : source.moved(line)) {
      out += fmt::format("{:>32} {}\n", "+", moved.substr(0, kSourceShown));
    }
    for (const std::string& call : source.calls(line)) {
      out += fmt::format("{:>32} {}\n", "in", call.substr(0, kSourceShown));
    }
  }
  out += "\nwhy no earlier\n";
  for (std::size_t line = 0; line < analysis.body.size(); ++line) {
    for (const HeldOperation& operation : analysis.body[line].operations) {
      out += fmt::format("  {:>4}  {:<7}{}\n", line, operation.operation, operation.text());
    }
  }
  return out;
}

}  // namespace gdr::assembler
