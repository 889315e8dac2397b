// Steps for each section: find operations and dependences, pack, make lines. The result is proved again.
#include "schedule.h"

#include <algorithm>
#include <utility>

#include "flow/dependences.h"
#include "full_scheduler.h"
#include "gdr/base/error.h"
#include "line_merger.h"
#include "list_scheduler.h"
#include "pipeline.h"
#include "proof/prove.h"

namespace gdr::assembler {
namespace {

using CodeLines = std::vector<CodeLine>;

constexpr auto kBody = static_cast<std::size_t>(isa::Section::loop_body);

/// Adds the line's accesses that belong to the operation. An assertion by `$ti` was true for the lines as written.
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

/// A line without operations that waits for results; it gets the source position of the line before.
CodeLine waiting_line(const CodeLines& before, const CodeLines& original) {
  CodeLine line;
  line.line.vlen = isa::kVectorElements;
  line.where = before.empty() ? original.front().where : before.back().where;
  line.text = "nop";
  return line;
}

SectionLines pointers_to(const std::array<CodeLines, isa::kSections>& code) {
  SectionLines pointers;
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    for (const CodeLine& line : code[section]) pointers[section].push_back(&line);
  }
  return pointers;
}

class Scheduler {
 public:
  Scheduler(SectionCode code, const Declared& declared, const ScheduleOptions& options)
      : declared_(declared), options_(options) {
    for (std::size_t section = 0; section < isa::kSections; ++section) {
      for (CodeStep& step : code[section]) code_[section].push_back(std::move(std::get<CodeLine>(step)));
    }
    for (const isa::UnitInfo& unit : isa::units()) {
      deepest_ = std::max<std::size_t>(deepest_, std::max(unit.register_latency, unit.forward_latency));
    }
  }

  /// Words that names in the source may no longer denote.
  [[nodiscard]] const Words& left() const { return left_; }

  SectionCode run() {
    SectionCode packed;
    const std::array<CodeLines, isa::kSections> written = code_;
    const Liveness live = liveness_of(pointers_to(written), declared_.program);
    for (std::size_t section = 0; section < isa::kSections; ++section) {
      improve(section);
      if (options_.level == ScheduleLevel::full) plan(section, written[section], live);
    }
    if (options_.level == ScheduleLevel::full && options_.pipeline) pipeline_body(written[kBody], live);
    for (std::size_t section = 0; section < isa::kSections; ++section) {
      for (CodeLine& line : code_[section]) packed[section].emplace_back(std::move(line));
    }
    return packed;
  }

 private:
  /// Replaces the section's lines by fewer ones if they are found.
  void improve(std::size_t section) {
    // The last results of an iteration may not have arrived when the next one begins, so the end of the packed body
    // counts as coming before its begin.
    constexpr int kTurns = 3;
    CodeLines packed_before;
    for (int turn = 0; turn < kTurns; ++turn) {
      std::vector<Tail> tails = tails_of_others(section);
      tails.push_back(tail_of(packed_before));
      auto packed = packed_section(section, tails);
      if (!packed) return;
      if (accept(section, *packed)) return;
      packed_before = std::move(*packed);
    }
  }

  /// Replaces the section's lines by those of a plan for the lines as written, if the plan has fewer.
  void plan(std::size_t section, const CodeLines& written, const Liveness& live) {
    const std::optional<FreeSection> free =
        free_section(written, tails_of_others(section), declared_.program.record_words, live.entering[section],
                     live.leaving[section], Conditions::free);
    if (!free) return;
    std::optional<Plan> found = find_plan(*free, surroundings_of(section), options_, code_[section].size());
    if (!found) return;
    CodeLines lines = lines_of(*found, *free);
    // The search does not know all rules, such as that for a long product across the section's ends, so more lines may
    // be needed.
    while (lines.size() < code_[section].size()) {
      if (accept(section, lines)) {
        left_ |= free->left;
        return;
      }
      lines.push_back(waiting_line(lines, code_[section]));
    }
  }

  [[nodiscard]] Surroundings surroundings_of(std::size_t section) const {
    Surroundings around;
    around.repeats = static_cast<isa::Section>(section) == isa::Section::loop_body;
    std::array<bool, isa::kSections> has_lines{};
    for (std::size_t n = 0; n < isa::kSections; ++n) has_lines[n] = n == section || !code_[n].empty();
    for (std::size_t next = 0; next < isa::kSections; ++next) {
      if (next == section) continue;
      const auto before = isa::sections_before(static_cast<isa::Section>(next), has_lines);
      if (std::ranges::count(before, static_cast<isa::Section>(section)) == 0) continue;
      around.next.emplace_back();
      for (std::size_t at = 0; at < std::min(code_[next].size(), deepest_ - 1); ++at) {
        around.next.back().push_back(&code_[next][at]);
      }
    }
    return around;
  }

  [[nodiscard]] std::vector<Tail> tails_of_others(std::size_t section) const {
    std::vector<Tail> tails;
    for (const CodeLines& other : code_) {
      if (&other != &code_[section]) tails.push_back(tail_of(other));
    }
    return tails;
  }

  [[nodiscard]] Tail tail_of(const CodeLines& lines) const {
    Tail tail;
    for (std::size_t at = lines.size() - std::min(lines.size(), deepest_ - 1); at < lines.size(); ++at) {
      tail.push_back(&lines[at]);
    }
    return tail;
  }

  [[nodiscard]] std::optional<CodeLines> packed_section(std::size_t section, const std::vector<Tail>& tails) const {
    const auto graph = graph_of(code_[section], tails, declared_.program.record_words);
    if (!graph) return std::nullopt;
    const auto packing = pack(*graph, code_[section].size());
    if (!packing) return std::nullopt;
    CodeLines lines;
    for (const std::vector<std::size_t>& operations : *packing) {
      lines.push_back(operations.empty() ? waiting_line(lines, code_[section]) : line_of(operations, *graph));
    }
    return lines;
  }

  /// Replaces the loop's sections by those of a pipelined body, if that has fewer lines.
  void pipeline_body(const CodeLines& written, const Liveness& live) {
    std::array<bool, isa::kFlags + 1> used{};
    const auto note = [&](const CodeLines& lines) {
      for (const CodeLine& line : lines) {
        for (const CodeAccess& access : line.accesses) {
          if (access.storage == isa::Storage::flag) used.at(access.address) = true;
        }
      }
    };
    note(written);
    for (std::size_t section = 0; section < isa::kSections; ++section) {
      if (section != kBody) note(code_[section]);
    }
    std::vector<unsigned> flags;
    for (unsigned flag = 1; flag <= isa::kFlags; ++flag) {
      if (!used[flag]) flags.push_back(flag);
    }
    const Surroundings around = surroundings_of(kBody);
    const PipelineJob job{written,
                          tails_of_others(kBody),
                          declared_.program.record_words,
                          live.entering[kBody],
                          live.leaving[kBody],
                          around,
                          options_,
                          code_[kBody].size(),
                          std::move(flags)};
    pipeline(job, [&](const Pipelined& offer) {
      for (std::size_t wait = 0; offer.body.size() + wait < job.limit && wait < deepest_; ++wait) {
        if (!accept(with_waits(offer, wait))) continue;
        left_ |= offer.left;
        return true;
      }
      return false;
    });
  }

  /// The program's lines with those of a pipelined body, with as many lines behind it that wait for results.
  [[nodiscard]] std::array<CodeLines, isa::kSections> with_waits(const Pipelined& offer, std::size_t wait) const {
    std::array<CodeLines, isa::kSections> trial = code_;
    const auto add = [](CodeLines& to, const CodeLines& lines) { to.insert(to.end(), lines.begin(), lines.end()); };
    const auto add_waits = [&](CodeLines& to, std::size_t count) {
      for (std::size_t n = 0; n < count; ++n) to.push_back(waiting_line(offer.body, offer.body));
    };
    // Sections that run once may wait until all results have arrived.
    CodeLines& before = trial[static_cast<std::size_t>(isa::Section::loop_initialization)];
    add_waits(before, deepest_ - 1);
    add(before, offer.prologue);
    add_waits(before, deepest_ - 1);
    trial[kBody] = offer.body;
    add_waits(trial[kBody], wait);
    CodeLines& behind = trial[static_cast<std::size_t>(isa::Section::loop_termination)];
    const CodeLines termination = std::exchange(behind, {});
    add_waits(behind, deepest_ - 1);
    add(behind, offer.epilogue);
    add_waits(behind, deepest_ - 1);
    add(behind, termination);
    return trial;
  }

  /// Accepts the lines if the kernel is legal with them.
  bool accept(std::size_t section, CodeLines lines) {
    std::array<CodeLines, isa::kSections> trial = code_;
    trial[section] = std::move(lines);
    return accept(std::move(trial));
  }

  bool accept(std::array<CodeLines, isa::kSections> trial) {
    // Lines move to and fro across the section's ends: what `$ti` claimed there is T's value, which stays.
    for (CodeLines& other : trial) {
      for (CodeLine& line : other) {
        for (CodeAccess& access : line.accesses) access.asserted = false;
      }
    }
    Reporter reporter;
    prove(pointers_to(trial), declared_, reporter);
    if (reporter.has_errors()) return false;
    code_ = std::move(trial);
    return true;
  }

  std::array<CodeLines, isa::kSections> code_;
  const Declared& declared_;
  ScheduleOptions options_;
  Words left_;
  std::size_t deepest_ = 1;
};

}  // namespace

SectionCode schedule(SectionCode code, Declared& declared, const ScheduleOptions& options) {
  for (const std::vector<CodeStep>& section : code) {
    const auto is_line = [](const CodeStep& step) { return std::holds_alternative<CodeLine>(step); };
    if (!std::all_of(section.begin(), section.end(), is_line)) return code;
  }
  Scheduler scheduler(std::move(code), declared, options);
  SectionCode packed = scheduler.run();
  std::erase_if(declared.program.aliases, [&](const isa::Alias& alias) {
    if (alias.memory && *alias.memory != isa::Memory::gpr) return false;
    const unsigned first = alias.memory ? kFirstGprWord + alias.address : 0;
    const unsigned words = isa::short_words(alias.width) * (alias.vector || !alias.memory ? isa::kVectorElements : 1);
    for (unsigned word = first; word < first + words; ++word) {
      if (scheduler.left().test(word)) return true;
    }
    return false;
  });
  return packed;
}

}  // namespace gdr::assembler
