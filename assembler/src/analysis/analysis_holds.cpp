#include "analysis_holds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "flow/dependences.h"
#include "gdr/isa/named_registers.h"
#include "schedule/line_merger.h"

namespace gdr::assembler {
namespace {

using isa::Source;
using isa::Storage;
using isa::Unit;

std::string word_of(const isa::Access& access) {
  const auto addressed = [&](std::string_view prefix) {
    return isa::register_text(prefix, static_cast<std::uint16_t>(access.address), access.width, access.step > 0);
  };
  switch (access.storage) {
    case Storage::t:
      return "T";
    case Storage::flag:
      return fmt::format("flag {}", access.address);
    case Storage::gpr:
      return addressed(isa::kGprPrefix);
    case Storage::lm:
      return access.indirect ? "local memory" : addressed(isa::kLmPrefix);
    case Storage::bm:
      return addressed(isa::kBmPrefix);
    case Storage::record:
      break;
  }
  return addressed(isa::kBmRecordPrefix);
}

/// The word that both operations access; the flags say whether each writes or reads it. If `lines` is not 0, the
/// latency of the earlier write must equal it.
std::optional<std::string> shared_word(const UnitOperation& earlier, bool earlier_writes, const UnitOperation& later,
                                       bool later_writes, unsigned lines = 0) {
  for (const CodeAccess& first : earlier.from->accesses) {
    if (first.write != earlier_writes || first.defines || !belongs(first, earlier)) continue;
    if (lines > 0 && first.latency != lines) continue;
    for (const CodeAccess& second : later.from->accesses) {
      if (second.write != later_writes || second.defines || !belongs(second, later)) continue;
      const bool meet = isa::overlap(first, earlier.from->line.vlen, second, later.from->line.vlen) ||
                        (first.storage == second.storage && (first.indirect || second.indirect));
      if (meet) return word_of(second);
    }
  }
  return std::nullopt;
}

/// The reason why add_operation() rejects an operation on a line.
std::pair<Held, std::string> refusal(const isa::Line& line, const isa::Line& from, Unit unit) {
  const isa::Effects there = isa::effects(line);
  if (there.busy(unit)) return {Held::by_unit, std::string(isa::name_of(unit))};
  if (unit != Unit::bm && isa::info_of(isa::slot_of(from, unit).op).claims_adder && there.busy(Unit::adder)) {
    return {Held::by_unit, std::string(isa::name_of(Unit::adder))};
  }
  if (line.vlen != from.vlen || line.mask != from.mask) return {Held::by_sequencer, "vector length or mask"};
  const auto written = [&](isa::WritePort isa::Line::* port) {
    return (from.*port).source == unit && (line.*port).source != Unit::none;
  };
  if (written(&isa::Line::t_write)) return {Held::by_port, "T write"};
  if (written(&isa::Line::gpr_write)) return {Held::by_port, "GPR write"};
  if (written(&isa::Line::lm_write)) return {Held::by_port, "LM write"};
  std::array<Source, 2> sources{from.bm.store_source, Source::none};
  if (unit != Unit::bm) sources = {isa::slot_of(from, unit).a, isa::slot_of(from, unit).b};
  const auto differs = [&](Source source, bool same) {
    return std::ranges::count(sources, source) > 0 && isa::reads(line, source) && !same;
  };
  if (differs(Source::lm, line.lm_read == from.lm_read)) return {Held::by_port, "LM read"};
  if (differs(Source::immediate, line.immediate == from.immediate)) return {Held::by_port, "immediate"};
  const bool uses_bm = unit == Unit::bm || std::ranges::count(sources, Source::bm) > 0;
  if (uses_bm && there.busy(Unit::bm) && line.bm != from.bm) return {Held::by_port, "broadcast memory"};
  if (unit != Unit::bm && isa::slot_of(from, unit).flag.flag != 0) {
    for (const isa::Access& write : there.writes()) {
      if (write.storage == Storage::flag && write.address == isa::slot_of(from, unit).flag.flag) {
        return {Held::by_port, fmt::format("flag {}", write.address)};
      }
    }
  }
  return {Held::by_port, "GPR read"};
}

class Holds {
 public:
  Holds(const std::vector<CodeLine>& body, const SectionGraph& graph) : body_(body), graph_(graph) {}

  [[nodiscard]] HeldOperation of(std::size_t number, const std::vector<const Dependence*>& before) const {
    const UnitOperation& operation = graph_.operations[number];
    HeldOperation held;
    held.unit = operation.unit;
    held.operation = name_of_operation(*operation.from, operation.unit);
    if (operation.line == 0) {
      held.held = Held::by_begin;
      return held;
    }
    const isa::ProductHalf half = operation.unit == Unit::multiplier
                                      ? isa::info_of(operation.from->line.multiplier.op).half
                                      : isa::ProductHalf::none;
    if (half == isa::ProductHalf::second) {
      held.held = Held::by_its_product;
      held.line = operation.line - 1;
      return held;
    }
    std::size_t earliest = 0;
    const Dependence* latest = nullptr;
    for (const Dependence* dependence : before) {
      const std::size_t there = graph_.operations[dependence->before].line + dependence->lines;
      if (latest != nullptr && there <= earliest) continue;
      earliest = there;
      latest = dependence;
    }
    if (latest != nullptr && earliest >= operation.line) {
      name_dependence(*latest, held);
    } else {
      find_room(operation, earliest, held);
    }
    return held;
  }

 private:
  void name_dependence(const Dependence& dependence, HeldOperation& held) const {
    const UnitOperation& before = graph_.operations[dependence.before];
    const UnitOperation& after = graph_.operations[dependence.after];
    held.line = before.line;
    if (const auto word = shared_word(before, true, after, false, dependence.lines)) {
      held.held = Held::by_result;
      held.what = *word;
    } else if (const auto read = shared_word(before, false, after, true)) {
      held.held = Held::by_reader;
      held.what = *read;
    } else {
      held.held = Held::by_writer;
      held.what = shared_word(before, true, after, true).value_or("a word");
    }
  }

  void find_room(const UnitOperation& operation, std::size_t earliest, HeldOperation& held) const {
    for (std::size_t line = operation.line; line-- > earliest;) {
      isa::Line trial = body_[line].line;
      if (add_operation(trial, operation.from->line, operation.unit)) {
        held.held = Held::by_nothing;
        held.line = line;
        return;
      }
    }
    held.line = operation.line - 1;
    std::tie(held.held, held.what) = refusal(body_[held.line].line, operation.from->line, operation.unit);
  }

  const std::vector<CodeLine>& body_;
  const SectionGraph& graph_;
};

}  // namespace

std::string_view name_of(Held held) {
  constexpr std::array<std::string_view, 9> kNames{"nothing", "begin", "result",    "reader", "writer",
                                                   "unit",    "port",  "sequencer", "product"};
  return kNames[static_cast<std::size_t>(held)];
}

std::string HeldOperation::text() const {
  switch (held) {
    case Held::by_nothing:
      return fmt::format("line {} has room for it", line);
    case Held::by_begin:
      return "stands in the first line";
    case Held::by_result:
      return fmt::format("reads {}, which line {} writes", what, line);
    case Held::by_reader:
      return fmt::format("writes {}, which line {} still reads", what, line);
    case Held::by_writer:
      return fmt::format("writes {}, which line {} writes before", what, line);
    case Held::by_unit:
      return fmt::format("{} is taken in line {}", what, line);
    case Held::by_port:
      return fmt::format("{} port is taken in line {}", what, line);
    case Held::by_sequencer:
      return fmt::format("line {} has another {}", line, what);
    case Held::by_its_product:
      break;
  }
  return fmt::format("ends the product that line {} begins", line);
}

std::string name_of_operation(const CodeLine& line, Unit unit) {
  return std::string(unit == Unit::bm ? isa::info_of(isa::Op::BM).mnemonic
                                      : isa::info_of(isa::slot_of(line.line, unit).op).mnemonic);
}

void find_holds(const std::vector<CodeLine>& body, unsigned record_words, Analysis& analysis) {
  const auto graph = graph_of(body, {}, record_words);
  if (!graph) return;
  std::vector<std::vector<const Dependence*>> before(graph->operations.size());
  for (const Dependence& dependence : graph->dependences) before[dependence.after].push_back(&dependence);
  const Holds holds(body, *graph);
  for (std::size_t number = 0; number < graph->operations.size(); ++number) {
    const UnitOperation& reader = graph->operations[number];
    analysis.body[reader.line].operations.push_back(holds.of(number, before[number]));
    for (const Dependence* dependence : before[number]) {
      const UnitOperation& writer = graph->operations[dependence->before];
      const auto word = shared_word(writer, true, reader, false, dependence->lines);
      if (!word) continue;
      analysis.dependences.push_back(
          {{writer.line, writer.unit}, {reader.line, reader.unit}, dependence->lines, *word});
    }
  }
}

}  // namespace gdr::assembler
