// Prepares a section for the assembler's search for few lines, and converts the plan to a schedule of the section's
// operations.
#include "schedule.h"

#include <algorithm>

#include "gdr/assembler/line_search.h"
#include "gdr/isa/experiment.h"

namespace gdr::compiler {
namespace {

using assembler::Port;
using assembler::PortKey;
using assembler::Way;
using isa::Op;
using isa::Unit;

constexpr std::ptrdiff_t kForward = 1;   // lines until a value can be read from T
constexpr std::ptrdiff_t kRegister = 2;  // lines until it can be read from elsewhere

std::size_t index(int n) { return static_cast<std::size_t>(n); }

/// Operations and values are numbered as in the section; the first lines of long products follow. Constants are the
/// variables, of which parameters alone are read so, and then the literals.
class GraphOfSection {
 public:
  GraphOfSection(const Microcode& code, const Operations& section, const ScheduleOptions& options)
      : code_(code), section_(section), options_(options) {
    for (std::size_t n = 0; n < section.size(); ++n) first_line_.push_back(n);
    graph_.operations.resize(section.size());
    graph_.values.resize(section.size());
    graph_.bundles.bundles.resize(section.size());
    graph_.bundles.edges.resize(section.size());
  }

  assembler::SearchGraph run() {
    add_constants();
    number_flags();
    note_readers();
    for (std::size_t n = 0; n < section_.size(); ++n) add_operation(n);
    for (std::size_t n = 0; n < section_.size(); ++n) add_dependences(n);
    graph_.gpr_taken = options_.gpr_taken;
    graph_.gpr_taken.resize(isa::kGprShortWords, false);
    graph_.lm_taken.assign(options_.local_words, false);
    graph_.lm_by_name = true;
    graph_.constants_move = options_.homes;
    graph_.repeats = options_.repeats;
    graph_.first_read.assign(code_.variables.size(), assembler::kNeverRead);
    for (unsigned flag = options_.first_flag(); flag <= isa::kFlags; ++flag) graph_.flag_numbers.push_back(flag);
    return std::move(graph_);
  }

 private:
  const Variable& variable(const Operand& operand) const { return code_.variables[index(operand.index)]; }
  bool is_constant(const Operand& operand) const {
    if (operand.kind == Operand::Kind::literal) return true;
    if (options_.experiment) return false;
    return operand.kind == Operand::Kind::variable && variable(operand).record == Record::parameter &&
           !variable(operand).own;
  }

  void add_constants() {
    for (std::size_t n = 0; n < code_.variables.size(); ++n) {
      graph_.constants.push_back({broadcast(static_cast<int>(n), false), code_.variables[n].width});
    }
    for (std::size_t n = 0; n < code_.literals.size(); ++n) {
      graph_.constants.push_back({{Port::immediate, static_cast<int>(n)}, code_.literals[n].width});
    }
  }

  /// An access to a vector that begins at a word differs from an access to the word alone.
  static PortKey broadcast(int variable, bool vector) { return {Port::bm, 2 * variable + (vector ? 1 : 0)}; }

  void number_flags() {
    flags_ = flags_of(section_);
    for (const int flag : flags_) graph_.flags = std::max(graph_.flags, index(flag + 1));
  }

  void add_operation(std::size_t n) {
    const Operation& operation = section_[n];
    const isa::OperationInfo& info = isa::info_of(operation.op);
    assembler::SearchOperation& taken = graph_.operations[n];
    taken.unit = info.unit;
    taken.units = 1U << static_cast<unsigned>(info.unit);
    if (info.claims_adder) taken.units |= 1U << static_cast<unsigned>(Unit::adder);
    taken.result = static_cast<int>(n);
    taken.writes_lm = operation.variable >= 0;
    if (operation.variable >= 0) graph_.ends.push_back({n, index(operation.variable), static_cast<int>(kRegister)});
    add_flags(n);
    assembler::SearchValue& value = graph_.values[n];
    value.operation = n;
    value.width = operation.width;
    value.base = operation.into;
    graph_.bundles.bundles[n].members = {{n, 0}};
    if (operation.op == Op::FMULL) add_first_line(n);
    add_inputs(n, first_line_[n]);
  }

  void add_first_line(std::size_t n) {
    first_line_[n] = graph_.operations.size();
    graph_.bundles.bundles[n].members = {{first_line_[n], 0}, {n, 1}};
    assembler::SearchOperation taken;
    taken.unit = graph_.operations[n].unit;
    taken.units = 1U << static_cast<unsigned>(taken.unit);
    taken.input_lines = 2;
    graph_.operations.push_back(taken);
  }

  void add_flags(std::size_t n) {
    const Operation& operation = section_[n];
    assembler::SearchOperation& taken = graph_.operations[n];
    if (operation.predicate >= 0) taken.flags_used.push_back(flags_[index(operation.predicate)]);
    if (operation.flag_into >= 0) taken.flags_used.push_back(flags_[n]);
    if (flags_[n] >= 0 && operation.flag_into < 0) taken.flag_set = flags_[n];
  }

  /// Adds the inputs of operation `n`, which are read in the line of operation `reader`.
  void add_inputs(std::size_t n, std::size_t reader) {
    const Operation& operation = section_[n];
    for (std::size_t o = 0; o < operation.operands.size(); ++o) {
      const Operand& operand = operation.operands[o];
      assembler::SearchInput& input = graph_.operations[reader].inputs[o];
      if (operand.kind == Operand::Kind::value) {
        input.value = operand.index;
        input.component = operand.component;
        std::vector<std::size_t>& readers = graph_.values[index(operand.index)].readers;
        if (readers.empty() || readers.back() != reader) readers.push_back(reader);
        continue;
      }
      if (is_constant(operand) && operation.op != Op::BM) {
        input.constant = operand.index;
        if (operand.kind == Operand::Kind::literal) input.constant += static_cast<int>(code_.variables.size());
        continue;
      }
      const bool local = variable(operand).home == Variable::Home::local;
      input.stays = local ? PortKey{Port::lm, operand.index} : broadcast(operand.index, operation.vector);
      graph_.ends.push_back({reader, index(operand.index), 0});
      if (!options_.ready.empty()) {
        std::size_t& earliest = graph_.bundles.bundles[n].earliest;
        earliest = std::max(earliest, index(std::max(options_.ready[index(operand.index)], 0)));
      }
    }
  }

  /// `after` must be at least `lines` lines after the line in which `before` produces its result.
  void depend(int before, std::size_t after, std::ptrdiff_t lines) {
    const std::ptrdiff_t length = first_line_[index(before)] == index(before) ? 1 : 2;
    graph_.bundles.edges[index(before)].push_back({after, lines + length - 1});
  }

  void add_dependences(std::size_t n) {
    const Operation& operation = section_[n];
    for (const Operand& operand : operation.operands) {
      if (operand.kind == Operand::Kind::value) depend(operand.index, n, operand.component >= 0 ? kRegister : kForward);
    }
    if (operation.into >= 0) depend(operation.into, n, 1);
    if (operation.predicate >= 0) depend(operation.predicate, n, kRegister);
    if (operation.flag_into >= 0) depend(operation.flag_into, n, 1);
    if (operation.after >= 0) depend(operation.after, n, kRegister);
    if (operation.goes_on) {  // what is written later would not be written where the experiment is done
      for (std::size_t other = 0; other < section_.size(); ++other) {
        if (other != n && section_[other].variable >= 0) depend(static_cast<int>(other), n, 0);
      }
    }
    add_old_readers(n);
    if (options_.window > 0 && n >= options_.window) depend(static_cast<int>(n - options_.window), n, 0);
  }

  void note_readers() {
    readers_of_values_.resize(section_.size());
    readers_of_variables_.resize(code_.variables.size());
    for (std::size_t reader = 0; reader < section_.size(); ++reader) {
      for (const Operand& operand : section_[reader].operands) {
        if (operand.kind == Operand::Kind::value) readers_of_values_[index(operand.index)].push_back(reader);
        if (operand.kind == Operand::Kind::variable) readers_of_variables_[index(operand.index)].push_back(reader);
      }
    }
  }

  /// An operation that reads a word must come before the one that overwrites it.
  void add_old_readers(std::size_t n) {
    const Operation& operation = section_[n];
    const auto precede = [&](std::size_t reader) {
      if (reader != n) depend(static_cast<int>(reader), n, 0);
    };
    if (operation.variable >= 0) {
      for (const std::size_t reader : readers_of_variables_[index(operation.variable)]) {
        if (section_[reader].after < 0) precede(reader);
      }
    }
    if (operation.into >= 0) {
      for (const std::size_t reader : readers_of_values_[index(operation.into)]) precede(reader);
    }
  }

  const Microcode& code_;
  const Operations& section_;
  const ScheduleOptions& options_;
  std::vector<std::size_t> first_line_;  // for each operation, the one of its first line
  std::vector<int> flags_;
  std::vector<std::vector<std::size_t>> readers_of_values_;  // once for each operand
  std::vector<std::vector<std::size_t>> readers_of_variables_;
  assembler::SearchGraph graph_;
};

From from_of(Way way, const Microcode& code, const Operand& operand) {
  if (way == Way::t) return From::t;
  if (way == Way::gpr) return From::gpr;
  if (way == Way::lm) return From::local;
  if (operand.kind == Operand::Kind::literal) return From::immediate;
  return code.variables[index(operand.index)].home == Variable::Home::broadcast ? From::broadcast : From::local;
}

Home home_of(int way) {
  return static_cast<Way>(way) == Way::gpr ? Home::gpr : static_cast<Way>(way) == Way::lm ? Home::local : Home::none;
}

Schedule schedule_of(const assembler::Plan& plan, const Microcode& code, const Operations& section) {
  Schedule schedule;
  schedule.lines = static_cast<unsigned>(plan.lines);
  schedule.shared_slots = plan.shared_names;
  schedule.local_words = plan.lm_words;
  const std::vector<int> flags = flags_of(section);
  std::size_t next_product = section.size();
  for (std::size_t n = 0; n < section.size(); ++n) {
    const assembler::PlacedOperation& placed = plan.operations[n];
    const assembler::PlacedOperation& reads = section[n].op == Op::FMULL ? plan.operations[next_product++] : placed;
    schedule.line_of.push_back(static_cast<unsigned>(placed.line));
    std::vector<From>& sources = schedule.sources.emplace_back();
    for (std::size_t o = 0; o < section[n].operands.size(); ++o) {
      sources.push_back(from_of(static_cast<Way>(reads.ways[o]), code, section[n].operands[o]));
    }
    const assembler::PlacedValue& value = plan.values[n];
    schedule.places.push_back({value.t != 0, value.gpr != 0, value.lm != 0, plan.gpr[n], plan.lm[n]});
    schedule.flag_of.push_back(section[n].goes_on ? isa::kExperimentFlag
                               : flags[n] < 0     ? 0
                                                  : plan.flags[index(flags[n])]);
  }
  for (std::size_t constant = 0; constant < plan.constants.size(); ++constant) {
    const bool is_variable = constant < code.variables.size();
    (is_variable ? schedule.variable_homes : schedule.literal_homes).push_back(home_of(plan.constants[constant]));
    (is_variable ? schedule.variable_addresses : schedule.literal_addresses)
        .push_back(plan.constant_addresses[constant]);
  }
  return schedule;
}

}  // namespace

std::vector<int> flags_of(const Operations& section) {
  std::vector<int> flags(section.size(), -1);
  int count = 0;
  for (std::size_t n = 0; n < section.size(); ++n) {
    if (section[n].condition && section[n].flag_into < 0 && !section[n].goes_on) flags[n] = count++;
  }
  for (std::size_t n = 0; n < section.size(); ++n) {
    std::size_t root = n;
    while (section[root].flag_into >= 0) root = index(section[root].flag_into);
    flags[n] = flags[root];
  }
  return flags;
}

assembler::BundleGraph dependences(const Microcode& code, const Operations& section, const ScheduleOptions& options) {
  return GraphOfSection(code, section, options).run().bundles;
}

unsigned least_lines(const Microcode& code, const Operations& section) {
  const ScheduleOptions options;
  return static_cast<unsigned>(assembler::least_lines(GraphOfSection(code, section, options).run()));
}

bool may_have_fewer(const Microcode& code, const Operations& section, unsigned lines) {
  return assembler::may_have_fewer(GraphOfSection(code, section, {}).run(), lines);
}

std::optional<Schedule> schedule(const Microcode& code, const Operations& section, const ScheduleOptions& options) {
  if (section.empty()) return Schedule{};
  constexpr double kForTheFirst = 400;   // lower limit of tries, because without a schedule there is no kernel
  constexpr std::size_t kMostLines = 8;  // for each operation, including what it waits for
  constexpr std::size_t kMoreLines = 60;
  const assembler::SearchGraph graph = GraphOfSection(code, section, options).run();
  const std::size_t limit = options.limit > 0 ? options.limit : kMostLines * section.size() + kMoreLines;
  const auto plan =
      assembler::search_plan(graph, {static_cast<double>(options.tries), kForTheFirst, options.seed, limit});
  if (!plan) return std::nullopt;
  return schedule_of(*plan, code, section);
}

}  // namespace gdr::compiler
