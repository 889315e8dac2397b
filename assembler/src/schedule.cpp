// The recipe: per section, operations and dependences, packing, lines; what comes out is proved again.
#include "schedule.h"

#include <algorithm>
#include <utility>

#include "dependences.h"
#include "gdr/base/error.h"
#include "line_merger.h"
#include "list_scheduler.h"

namespace gdr::assembler {
namespace {

using Lines = std::vector<CodeLine>;

/// Whatever of the line's accesses belongs to its operations; what `$ti` claimed was true of the lines as written.
void add_accesses(CodeLine& line, const UnitOperation& operation) {
  for (const CodeAccess& access : operation.from->accesses) {
    if (!belongs(access, operation)) continue;
    line.accesses.push_back(access);
    line.accesses.back().asserted = false;
  }
}

CodeLine line_of(const std::vector<std::size_t>& operations, const SectionGraph& graph) {
  CodeLine line;
  std::vector<std::size_t> sources;
  for (const std::size_t index : operations) {
    const UnitOperation& operation = graph.operations[index];
    const bool placed = add_operation(line.line, operation.from->line, operation.unit);
    GDR_ASSERT(placed, "operations packed into a line have units and ports");
    add_accesses(line, operation);
    sources.push_back(index);
  }
  GDR_ASSERT(isa::decode(isa::encode(line.line)).line == line.line, "a packed line decodes to itself");
  std::sort(sources.begin(), sources.end());
  const CodeLine& first = *graph.operations[sources.front()].from;
  line.where = first.where;
  line.text = first.text;
  std::size_t last = graph.operations[sources.front()].line;
  for (const std::size_t index : sources) {
    if (std::exchange(last, graph.operations[index].line) == graph.operations[index].line) continue;
    line.moved_here.push_back(graph.operations[index].from->where);
  }
  return line;
}

/// A line without operations that waits for results, counted to the line before.
CodeLine waiting_line(const Lines& before, const Lines& original) {
  CodeLine line;
  line.line.vlen = isa::kVectorElements;
  line.where = before.empty() ? original.front().where : before.back().where;
  line.text = "nop";
  return line;
}

class Scheduler {
 public:
  Scheduler(SectionCode code, const Declared& declared) : declared_(declared) {
    for (std::size_t section = 0; section < isa::kSections; ++section) {
      for (CodeStep& step : code[section]) code_[section].push_back(std::move(std::get<CodeLine>(step)));
    }
    for (const isa::UnitInfo& unit : isa::units()) {
      deepest_ = std::max<std::size_t>(deepest_, std::max(unit.register_latency, unit.forward_latency));
    }
  }

  SectionCode run() {
    SectionCode packed;
    for (std::size_t section = 0; section < isa::kSections; ++section) improve(section);
    for (std::size_t section = 0; section < isa::kSections; ++section) {
      for (CodeLine& line : code_[section]) packed[section].emplace_back(std::move(line));
    }
    return packed;
  }

 private:
  /// Replaces the section's lines by fewer ones, if they can be found.
  void improve(std::size_t section) {
    // A turn's last results may be on the way when the next begins: what the packing ends with counts as coming before.
    constexpr int kTurns = 3;
    Lines packed_before;
    for (int turn = 0; turn < kTurns; ++turn) {
      std::vector<Tail> tails;
      for (const Lines& other : code_) {
        if (&other != &code_[section]) tails.push_back(tail_of(other));
      }
      tails.push_back(tail_of(packed_before));
      auto packed = packed_section(section, tails);
      if (!packed) return;
      if (accept(section, *packed)) return;
      packed_before = std::move(*packed);
    }
    for (std::size_t wait = 1; wait < deepest_ && packed_before.size() + 1 < code_[section].size(); ++wait) {
      packed_before.push_back(waiting_line(packed_before, code_[section]));
      if (accept(section, packed_before)) return;
    }
  }

  [[nodiscard]] Tail tail_of(const Lines& lines) const {
    Tail tail;
    for (std::size_t at = lines.size() - std::min(lines.size(), deepest_ - 1); at < lines.size(); ++at) {
      tail.push_back(&lines[at]);
    }
    return tail;
  }

  [[nodiscard]] std::optional<Lines> packed_section(std::size_t section, const std::vector<Tail>& tails) const {
    const auto graph = graph_of(code_[section], tails, declared_.program.record_words);
    if (!graph) return std::nullopt;
    const auto packing = pack(*graph, code_[section].size());
    if (!packing) return std::nullopt;
    Lines lines;
    for (const std::vector<std::size_t>& operations : *packing) {
      lines.push_back(operations.empty() ? waiting_line(lines, code_[section]) : line_of(operations, *graph));
    }
    return lines;
  }

  /// Takes the lines if the kernel is legal with them.
  bool accept(std::size_t section, Lines lines) {
    std::array<Lines, isa::kSections> trial = code_;
    // Lines move to and fro across the section's ends: what `$ti` claimed there is T's value, which stays.
    for (Lines& other : trial) {
      for (CodeLine& line : other) {
        for (CodeAccess& access : line.accesses) access.asserted = false;
      }
    }
    trial[section] = std::move(lines);
    SectionLines pointers;
    for (std::size_t other = 0; other < isa::kSections; ++other) {
      for (const CodeLine& line : trial[other]) pointers[other].push_back(&line);
    }
    Reporter reporter;
    prove(pointers, declared_, reporter);
    if (reporter.has_errors()) return false;
    code_ = std::move(trial);
    return true;
  }

  std::array<Lines, isa::kSections> code_;
  const Declared& declared_;
  std::size_t deepest_ = 1;
};

}  // namespace

SectionCode schedule(SectionCode code, const Declared& declared) {
  for (const std::vector<CodeStep>& section : code) {
    const auto is_line = [](const CodeStep& step) { return std::holds_alternative<CodeLine>(step); };
    if (!std::all_of(section.begin(), section.end(), is_line)) return code;
  }
  return Scheduler(std::move(code), declared).run();
}

}  // namespace gdr::assembler
