#include "gdr/assembler/analysis.h"

#include <algorithm>
#include <array>

#include "analysis_holds.h"
#include "analysis_room.h"
#include "flow/dependences.h"
#include "flow/liveness.h"
#include "gdr/base/error.h"
#include "search/crowd.h"
#include "shared_reads.h"

namespace gdr::assembler {
namespace {

using isa::Section;
using isa::Unit;

/// The lines of a section in the form that the scheduler uses.
std::vector<CodeLine> code_of(const isa::Program& program, Section section) {
  std::vector<CodeLine> lines;
  for (const isa::ProgramLine& coded : program.lines(section)) {
    CodeLine line;
    line.line = isa::decoded(coded.word);
    const isa::Effects effects = isa::effects(line.line);
    const auto add = [&](const isa::Access& access) {
      CodeAccess known;
      static_cast<isa::Access&>(known) = access;
      line.accesses.push_back(std::move(known));
    };
    for (const isa::Access& access : effects.reads()) add(access);
    for (const isa::Access& access : effects.writes()) add(access);
    lines.push_back(std::move(line));
  }
  return lines;
}

// ---- ports ---------------------------------------------------------------------------------------------------------

enum CountedPort : std::size_t { gpr_read, gpr_write, lm_read, lm_write, t_write, immediate, ports };

constexpr std::array<std::string_view, ports> kPortNames{"GPR read", "GPR write", "LM read",
                                                         "LM write", "T write",   "immediate"};
constexpr std::array<unsigned, ports> kEach{isa::kGprReadPorts, isa::kGprWritePorts, isa::kLmReadPorts,
                                            isa::kLmWritePorts, isa::kTWritePorts,   1};

std::array<unsigned, ports> taken_by(const isa::Line& line) {
  const auto write = [](const isa::WritePort& port) { return port.source != Unit::none ? 1u : 0u; };
  std::array<unsigned, ports> taken{};
  taken[gpr_read] = (isa::reads(line, isa::Source::gpr_a) ? 1 : 0) + (isa::reads(line, isa::Source::gpr_b) ? 1 : 0);
  taken[gpr_write] = write(line.gpr_write);
  taken[lm_read] = isa::reads(line, isa::Source::lm) ? 1 : 0;
  taken[lm_write] = write(line.lm_write);
  taken[t_write] = write(line.t_write);
  taken[immediate] = isa::reads(line, isa::Source::immediate) ? 1 : 0;
  return taken;
}

void count_ports(const std::vector<CodeLine>& body, Analysis& analysis) {
  const auto lines = static_cast<unsigned>(body.size());
  for (const isa::UnitInfo& unit : isa::units()) analysis.ports.push_back({std::string(unit.name), 0, 1, lines, 0});
  const std::size_t first = analysis.ports.size();
  for (std::size_t port = 0; port < ports; ++port) {
    analysis.ports.push_back({std::string(kPortNames[port]), 0, kEach[port], lines, 0});
  }
  for (std::size_t number = 0; number < body.size(); ++number) {
    const isa::Effects effects = isa::effects(body[number].line);
    LineUse& use = analysis.body[number];
    use.idle = true;
    std::size_t index = 0;
    for (const isa::UnitInfo& unit : isa::units()) {
      if (effects.works(unit.unit)) ++analysis.operations;
      use.idle = use.idle && !effects.busy(unit.unit);
      if (effects.busy(unit.unit)) {
        ++analysis.ports[index].busy;
        use.ports.push_back(index);
      }
      ++index;
    }
    const auto taken = taken_by(body[number].line);
    for (std::size_t port = 0; port < ports; ++port) {
      analysis.ports[first + port].busy += taken[port];
      if (taken[port] > 0) use.ports.push_back(first + port);
    }
  }
}

// ---- chain and slack -----------------------------------------------------------------------------------------------

/// For each operation, the length in lines of the longest chain before it.
std::vector<unsigned> lines_before(const SectionGraph& graph) {
  std::vector<unsigned> before(graph.operations.size(), 0);
  for (bool changed = true; changed;) {  // edges within a line may lead backward, as below
    changed = false;
    for (const Dependence& edge : graph.dependences) {
      if (before[edge.before] + edge.lines <= before[edge.after]) continue;
      before[edge.after] = before[edge.before] + edge.lines;
      changed = true;
    }
  }
  return before;
}

/// The uses of units and ports that no order avoids.
void count_needed(const FewestReads& fewest, Analysis& analysis) {
  for (PortUse& port : analysis.ports) port.needed = port.busy;
  const std::size_t first = isa::units().size();
  analysis.ports[first + gpr_read].needed = fewest.gpr.fewest;
  analysis.ports[first + lm_read].needed = fewest.lm.fewest;
  analysis.ports[first + immediate].needed = fewest.immediate.fewest;
  for (std::size_t unit = 0; unit < first; ++unit) {
    if (isa::units()[unit].unit == Unit::bm) analysis.ports[unit].needed = fewest.bm;
  }
}

bool occupies(const UnitOperation& operation, Unit unit) {
  if (operation.unit == unit) return true;
  return unit == Unit::adder && operation.unit != Unit::bm &&
         isa::info_of(isa::slot_of(operation.from->line, operation.unit).op).claims_adder;
}

bool writes(const UnitOperation& operation, CountedPort port) {
  const isa::Line& line = operation.from->line;
  const isa::WritePort& written = port == t_write ? line.t_write : port == gpr_write ? line.gpr_write : line.lm_write;
  return written.source == operation.unit;
}

/// Units and ports with the operations that take them.
std::vector<NamedResource> resources_of(const SectionGraph& graph, const FewestReads& fewest) {
  std::vector<NamedResource> all;
  const auto add = [&](std::string_view name, const auto& takes) {
    std::vector<std::size_t> users;
    for (std::size_t number = 0; number < graph.operations.size(); ++number) {
      if (takes(graph.operations[number])) users.push_back(number);
    }
    all.push_back({name, std::move(users), 1});
  };
  for (const isa::UnitInfo& unit : isa::units()) {
    add(unit.name, [&](const UnitOperation& operation) { return occupies(operation, unit.unit); });
  }
  for (const CountedPort port : {t_write, gpr_write, lm_write}) {
    add(kPortNames[port], [&](const UnitOperation& operation) { return writes(operation, port); });
  }
  all.push_back({kPortNames[gpr_read], fewest.gpr.readers, kEach[gpr_read]});
  all.push_back({kPortNames[lm_read], fewest.lm.readers, kEach[lm_read]});
  all.push_back({kPortNames[immediate], fewest.immediate.readers, kEach[immediate]});
  return all;
}

/// Finds the unit or write port whose operations need the most lines between what is before and after them. `after` is
/// the length of the longest chain after each operation.
SharedUse largest_shared_use(const SectionGraph& graph, const std::vector<unsigned>& after) {
  const std::vector<unsigned> before = lines_before(graph);
  SharedUse largest;
  const auto consider = [&](std::string_view name, const auto& takes) {
    std::vector<Use> uses;
    for (std::size_t number = 0; number < graph.operations.size(); ++number) {
      if (takes(graph.operations[number])) uses.push_back({before[number], after[number]});
    }
    const Crowd crowd = largest_crowd(std::move(uses));
    if (crowd.lines() <= largest.least_lines()) return;
    largest = {std::string(name), static_cast<unsigned>(crowd.earliest), static_cast<unsigned>(crowd.uses),
               static_cast<unsigned>(crowd.after)};
  };
  for (const isa::UnitInfo& unit : isa::units()) {
    consider(unit.name, [&](const UnitOperation& operation) { return occupies(operation, unit.unit); });
  }
  for (const CountedPort port : {t_write, gpr_write, lm_write}) {
    consider(kPortNames[port], [&](const UnitOperation& operation) { return writes(operation, port); });
  }
  return largest;
}

void find_chain(const std::vector<CodeLine>& body, const isa::Program& program, Analysis& analysis) {
  const auto graph = graph_of(body, {}, program.record_words);
  const FewestReads fewest = fewest_reads(body, graph ? &*graph : nullptr);
  count_needed(fewest, analysis);
  if (!graph || graph->operations.empty()) return;
  const std::size_t count = graph->operations.size();
  std::vector<std::vector<const Dependence*>> after(count);
  for (const Dependence& edge : graph->dependences) after[edge.before].push_back(&edge);
  // Operations are in the order of lines, so an edge that needs a line leads forward. Edges within a line may lead
  // backward.
  std::vector<unsigned> length(count, 0);  // lines from the operation to the end of the longest chain after it
  std::vector<const Dependence*> next(count, nullptr);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t at = count; at-- > 0;) {
      for (const Dependence* edge : after[at]) {
        const unsigned longer = length[edge->after] + edge->lines;
        if (longer <= length[at]) continue;
        length[at] = longer;
        next[at] = edge;
        changed = true;
      }
    }
  }
  analysis.shared = largest_shared_use(*graph, length);
  std::size_t at = static_cast<std::size_t>(std::max_element(length.begin(), length.end()) - length.begin());
  analysis.chain_lines = length[at] + 1;
  while (true) {
    const UnitOperation& operation = graph->operations[at];
    const unsigned waits = next[at] == nullptr ? 0 : next[at]->lines;
    analysis.chain.push_back(
        {operation.line, operation.unit, name_of_operation(*operation.from, operation.unit), waits});
    if (next[at] == nullptr) break;
    at = next[at]->after;
  }
  find_room(*graph, resources_of(*graph, fewest), analysis);
  const auto last = static_cast<unsigned>(body.size() - 1);
  for (LineUse& line : analysis.body) line.slack = last;
  for (std::size_t number = 0; number < count; ++number) {
    const UnitOperation& operation = graph->operations[number];
    unsigned& slack = analysis.body[operation.line].slack;
    slack = std::min(slack, last - length[number] - static_cast<unsigned>(operation.line));
  }
}

// ---- words in use --------------------------------------------------------------------------------------------------

unsigned count_words(const Words& words, unsigned first, unsigned count) {
  unsigned found = 0;
  for (unsigned word = first; word < first + count; ++word) found += words.test(word) ? 1 : 0;
  return found;
}

void count_live(const isa::Program& program, Analysis& analysis) {
  std::array<std::vector<CodeLine>, isa::kSections> code;
  SectionLines lines;
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    code[section] = code_of(program, static_cast<Section>(section));
    for (const CodeLine& line : code[section]) lines[section].push_back(&line);
  }
  constexpr auto kBody = static_cast<std::size_t>(Section::loop_body);
  Words live = liveness_of(lines, program).leaving[kBody];
  for (std::size_t at = lines[kBody].size(); at-- > 0;) {
    live = live_before(*lines[kBody][at], live);
    analysis.body[at].live_gpr = count_words(live, kFirstGprWord, isa::kGprShortWords);
    analysis.body[at].live_lm = count_words(live, kFirstLmWord, isa::kLmShortWords);
  }
}

}  // namespace

const PortUse& Analysis::busiest() const {
  return *std::max_element(ports.begin(), ports.end(),
                           [](const PortUse& a, const PortUse& b) { return a.share() < b.share(); });
}

unsigned Analysis::least_lines() const {
  unsigned least = std::max({chain_lines, shared.least_lines(), no_room.least_lines()});
  for (const PortUse& port : ports) least = std::max(least, port.least_lines());
  return least;
}

std::size_t Analysis::peak() const {
  const auto most = std::max_element(body.begin(), body.end(),
                                     [](const LineUse& a, const LineUse& b) { return a.live_gpr < b.live_gpr; });
  return static_cast<std::size_t>(most - body.begin());
}

Analysis analyse(const isa::Program& program) {
  Analysis analysis;
  const std::vector<CodeLine> body = code_of(program, Section::loop_body);
  analysis.bound = isa::loop_bound(program);
  analysis.lines = static_cast<unsigned>(body.size());
  analysis.body.resize(body.size());
  count_ports(body, analysis);
  find_chain(body, program, analysis);
  find_holds(body, program.record_words, analysis);
  count_live(program, analysis);
  return analysis;
}

}  // namespace gdr::assembler
