// Makes lines from a plan: gives each operation the ports of the plan and merges operations of the same line.
#include <algorithm>
#include <utility>

#include "full_scheduler.h"
#include "gdr/base/error.h"
#include "line_merger.h"

namespace gdr::assembler {
namespace {

using isa::Source;
using isa::Unit;

class Rewriter {
 public:
  Rewriter(const Plan& plan, const FreeSection& section) : plan_(plan), section_(section) {}

  /// A line in which the operation has the ports of the plan. Other operations in it are to be ignored.
  [[nodiscard]] isa::Line line_of(std::size_t number) const {
    const UnitOperation& operation = section_.graph.operations[number];
    isa::Line line = operation.from->line;
    const isa::Line& source = operation.from->line;
    if (operation.unit == Unit::bm) {
      if (line.bm.mode == isa::BmMode::write) line.bm.store_source = operand(number, 0, source.bm.store_source, line);
    } else {
      isa::Slot& slot = isa::slot_of(line, operation.unit);
      const Source a = slot.a;
      const Source b = slot.b;
      slot.a = operand(number, 0, a, line);
      slot.b = operand(number, 1, b, line);
    }
    write(number, line);
    return line;
  }

 private:
  /// The source that an operand is read through, its port set in `line`: the first GPR port for the first operand.
  Source operand(std::size_t number, std::size_t role, Source source, isa::Line& line) const {
    const int value = section_.operations[number].operands[role];
    const isa::Line& written = section_.graph.operations[number].from->line;
    isa::ReadPort& gpr = role == 0 ? line.gpr_a : line.gpr_b;
    const Source gpr_source = role == 0 ? Source::gpr_a : Source::gpr_b;
    if (value < 0) {
      if (source != Source::gpr_a && source != Source::gpr_b) return source;
      gpr = source == Source::gpr_a ? written.gpr_a : written.gpr_b;
      return gpr_source;
    }
    const auto at = static_cast<std::size_t>(value);
    const isa::Width width = section_.values[at].width;
    const auto port = [&](unsigned address) {
      return isa::ReadPort{static_cast<std::uint16_t>(address), width, true, false};
    };
    switch (static_cast<Way>(plan_.operations[number].ways[role])) {
      case Way::gpr:
        gpr = port(plan_.gpr[at]);
        return gpr_source;
      case Way::lm:
        line.lm_read = port(plan_.lm[at]);
        return Source::lm;
      case Way::t:
      case Way::none:
      case Way::own:
        break;
    }
    return width == isa::Width::long_word ? Source::t_long : Source::t_short;
  }

  /// A flag has the number of the plan, where it has been asked for one: a plan may be for values alone.
  void renumber(std::size_t number, isa::Role role, isa::Predicate& condition) const {
    const int flag = section_.operations[number].flags_read[static_cast<std::size_t>(role)];
    if (flag >= 0 && condition.flag != 0) condition.flag = number_of(flag);
  }

  [[nodiscard]] std::uint8_t number_of(int flag) const {
    return static_cast<std::uint8_t>(plan_.flags[static_cast<std::size_t>(flag)]);
  }

  void set_flag(std::size_t number, isa::FlagWrite& write) const {
    if (const int flag = section_.operations[number].flag_set; flag >= 0) write.flag = number_of(flag);
    renumber(number, isa::Role::flag_write, write.predicate);
  }

  /// The condition of the operation's value: all its writes have the same one.
  [[nodiscard]] isa::Predicate condition_of(std::size_t number) const {
    const FreeOperation& operation = section_.operations[number];
    isa::Predicate condition = section_.values[static_cast<std::size_t>(operation.result)].predicate;
    for (const auto& [role, kept] :
         {std::pair(isa::Role::t_write, operation.writes_t), std::pair(isa::Role::gpr_write, operation.writes_gpr),
          std::pair(isa::Role::lm_write, operation.writes_lm)}) {
      if (!kept) renumber(number, role, condition);
    }
    return condition;
  }

  void write(std::size_t number, isa::Line& line) const {
    const FreeOperation& operation = section_.operations[number];
    const Unit unit = section_.graph.operations[number].unit;
    if (unit != Unit::bm) set_flag(number, isa::slot_of(line, unit).flag);
    const auto keep = [&](bool kept, isa::WritePort& port, isa::Role role) {
      if (!kept) port = {};
      renumber(number, role, port.predicate);
    };
    keep(operation.writes_t, line.t_write, isa::Role::t_write);
    keep(operation.writes_gpr, line.gpr_write, isa::Role::gpr_write);
    keep(operation.writes_lm, line.lm_write, isa::Role::lm_write);
    if (operation.result < 0) return;
    const auto value = static_cast<std::size_t>(operation.result);
    const isa::Predicate condition = condition_of(number);
    const auto port = [&](unsigned address) {
      return isa::WritePort{unit, static_cast<std::uint16_t>(address), true, false, condition};
    };
    if (plan_.values[value].t != 0) line.t_write = {unit, 0, false, false, condition};
    if (plan_.values[value].gpr != 0) line.gpr_write = port(plan_.gpr[value]);
    if (plan_.values[value].lm != 0) line.lm_write = port(plan_.lm[value]);
  }

  const Plan& plan_;
  const FreeSection& section_;
};

void add_sources(CodeLine& line, std::vector<std::size_t> operations, const SectionGraph& graph) {
  std::sort(operations.begin(), operations.end());
  const CodeLine& first = *graph.operations[operations.front()].from;
  line.where = first.where;
  line.text = first.text;
  std::size_t last = graph.operations[operations.front()].line;
  for (const std::size_t index : operations) {
    if (std::exchange(last, graph.operations[index].line) == graph.operations[index].line) continue;
    line.moved_here.push_back(graph.operations[index].from->where);
  }
}

}  // namespace

void add_accesses(CodeLine& line) {
  const isa::Effects effects = isa::effects(line.line);
  const auto add = [&](const isa::Access& access) {
    CodeAccess known;
    static_cast<isa::Access&>(known) = access;
    known.where = line.where;
    known.text = line.text;
    line.accesses.push_back(std::move(known));
  };
  for (const isa::Access& access : effects.reads()) add(access);
  for (const isa::Access& access : effects.writes()) add(access);
}

std::vector<CodeLine> lines_of(const Plan& plan, const FreeSection& section) {
  std::vector<std::vector<std::size_t>> operations(plan.lines);
  for (std::size_t number = 0; number < plan.operations.size(); ++number) {
    operations[static_cast<std::size_t>(plan.operations[number].line)].push_back(number);
  }
  const Rewriter rewriter(plan, section);
  std::vector<CodeLine> lines;
  for (std::vector<std::size_t>& here : operations) {
    CodeLine line;
    if (here.empty()) {
      line.line.vlen = isa::kVectorElements;
      line.where = lines.empty() ? section.graph.operations.front().from->where : lines.back().where;
      line.text = "nop";
      lines.push_back(std::move(line));
      continue;
    }
    const auto unit = [&](std::size_t number) { return section.graph.operations[number].unit; };
    std::sort(here.begin(), here.end(), [&](auto a, auto b) { return unit(a) < unit(b); });
    for (const std::size_t number : here) {
      const bool placed = add_operation(line.line, rewriter.line_of(number), unit(number));
      GDR_ASSERT(placed, "operations planned for a line have units and ports");
    }
    GDR_ASSERT(isa::decode(isa::encode(line.line)).line == line.line, "a planned line decodes to itself");
    add_sources(line, here, section.graph);
    add_accesses(line);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace gdr::assembler
