#include "pipeline.h"

#include <algorithm>
#include <map>
#include <utility>

#include "rotation.h"

namespace gdr::assembler {
namespace {

using isa::Source;
using isa::Storage;
using isa::Unit;

constexpr double kScanEffort = 0.02;       // effort of the search for each cut
constexpr double kSecondScanEffort = 0.1;  // effort for each of the best cuts
constexpr std::size_t kMostScanned = 12;
constexpr std::size_t kMostOffered = 3;

/// Puts the unit's writes under a flag. Results, which `$jvalid` gates in a body, are put under `valid`.
void gate(isa::Line& line, Unit unit, unsigned flag, unsigned valid) {
  const auto under = [&](isa::Predicate& predicate) {
    predicate = {static_cast<std::uint8_t>(predicate.jvalid ? valid : flag), false, false};
  };
  for (isa::WritePort* port : {&line.t_write, &line.gpr_write, &line.lm_write}) {
    if (port->source == unit) under(port->predicate);
  }
  if (unit == Unit::bm) return;
  isa::Slot& slot = isa::slot_of(line, unit);
  if (slot.flag.flag != 0) under(slot.flag.predicate);
}

void renew_accesses(CodeLine& line) {
  line.accesses.clear();
  add_accesses(line);
}

/// A line that clears the words or the flag of a write.
CodeLine clearing_line(const CodeAccess& write, const Place& where) {
  if (write.storage == Storage::flag) return flag_line(write.address, isa::Condition::negative, false, where);
  isa::Line line;
  line.vlen = isa::kVectorElements;
  line.alu.op = isa::Op::UXOR;
  line.alu.a = line.alu.b = Source::pe_id;
  line.alu.width = write.width;
  if (write.storage == Storage::t) {
    line.t_write = {Unit::alu, 0, false, false, {}};
  } else {
    (write.storage == Storage::gpr ? line.gpr_write : line.lm_write) = {
        Unit::alu, static_cast<std::uint16_t>(write.address), write.step > 0, false, {}};
  }
  return made_line(line, where);
}

/// Rotates the body at every cut, lets the search for few lines choose among the results, and adds what the sections
/// around the body need.
class Pipeliner {
 public:
  Pipeliner(const PipelineJob& job, const FreeSection& section)
      : job_(job), section_(section), flags_{job.flags[0], job.flags[1]} {}

  void run(const std::function<bool(const Pipelined&)>& accept) {
    std::multimap<std::size_t, Pipelined> offers;  // ordered by number of lines
    for (const auto& [lines, rotation] : better_of(all_rotations())) {
      if (offers.size() == kMostOffered) break;
      if (auto offer = finished(rotation)) {
        const std::size_t packed = offer->body.size();
        offers.emplace(packed, *std::move(offer));
      }
    }
    for (const auto& [lines, offer] : offers) {
      if (accept(offer)) return;
    }
  }

 private:
  using Found = std::multimap<std::size_t, Rotation>;  // ordered by number of lines

  /// What a quick search makes of each rotation.
  [[nodiscard]] Found all_rotations() const {
    const Rotator rotator(section_, flags_);
    Found found;
    ScheduleOptions quick = job_.options;
    quick.effort *= kScanEffort;
    for (const Cut& second : rotator.cuts()) {
      for (const Way copies : {Way::gpr, Way::lm, Way::none}) {
        auto rotation = rotator.rotated(second, copies);
        if (!rotation) continue;
        if (const auto plan = plan_of(*rotation, quick, job_.limit)) found.emplace(plan->lines, *std::move(rotation));
      }
    }
    return found;
  }

  /// The best candidates of a scan, ordered by what a longer search finds.
  [[nodiscard]] Found better_of(Found&& found) const {
    ScheduleOptions longer = job_.options;
    longer.effort *= kSecondScanEffort;
    Found better;
    std::size_t scanned = 0;
    for (auto& [lines, rotation] : found) {
      if (scanned++ == kMostScanned) break;
      const auto plan = plan_of(rotation, longer, lines);
      better.emplace(plan ? plan->lines : lines, std::move(rotation));
    }
    return better;
  }

  // ---- its lines ---------------------------------------------------------------------------------------------------

  /// Words that are live at both ends: those that pass from one iteration to the next are.
  [[nodiscard]] Words ends_of(const Rotation& rotation) const {
    Words leaving = job_.leaving | job_.entering;
    for (const std::size_t at : {rotation.set, rotation.set - 1}) {  // loop termination reads the flags
      for (const CodeAccess& access : rotation.lines[at].accesses) {
        if (access.write) for_words(access, isa::kVectorElements, [&](unsigned word, unsigned) { leaving.set(word); });
      }
    }
    Words words = leaving;
    for (auto line = rotation.lines.rbegin(); line != rotation.lines.rend(); ++line) words = live_before(*line, words);
    return leaving | words;
  }

  [[nodiscard]] std::optional<FreeSection> free_of(const Rotation& rotation) const {
    const Words ends = ends_of(rotation);
    std::optional<FreeSection> free =
        free_section(rotation.lines, job_.tails, job_.record_words, ends, ends, Conditions::free);
    if (!free) return free;
    std::size_t set = 0;
    std::vector<std::size_t> second;
    for (std::size_t number = 0; number < free->graph.operations.size(); ++number) {
      const auto at = static_cast<std::size_t>(free->graph.operations[number].from - rotation.lines.data());
      if (at == rotation.set) set = number;
      if (at < rotation.second) second.push_back(number);
    }
    if (!may_skip(*free, second)) return std::nullopt;
    // The second stage depends on the flag.
    for (const std::size_t number : second) free->graph.dependences.push_back({number, set, 0});
    return free;
  }

  /// If the second stage is skipped in the first iteration, a word keeps its value from before the loop. True if no
  /// such word has to stay. `second`: the operations of the second stage, ascending.
  [[nodiscard]] static bool may_skip(const FreeSection& free, const std::vector<std::size_t>& second) {
    const auto of_second = [&](std::size_t number) { return std::ranges::binary_search(second, number); };
    return std::ranges::none_of(free.values, [&](const FreeValue& value) {
      const bool returns = of_second(value.operation) && !std::ranges::all_of(value.readers, of_second);
      const bool merged = value.base >= 0 && of_second(free.values[static_cast<std::size_t>(value.base)].operation);
      return returns || (merged && !of_second(value.operation));
    });
  }

  [[nodiscard]] std::optional<Plan> plan_of(const Rotation& rotation, const ScheduleOptions& options,
                                            std::size_t limit) const {
    const auto free = free_of(rotation);
    return free ? find_plan(*free, job_.around, options, limit) : std::nullopt;
  }

  [[nodiscard]] std::optional<Pipelined> finished(const Rotation& rotation) const {
    const auto free = free_of(rotation);
    const auto plan = find_plan(*free, job_.around, job_.options, job_.limit);
    if (!plan) return std::nullopt;
    Pipelined result;
    result.left = free->left | section_.left;
    result.body = lines_of(*plan, *free);
    for (std::size_t number = 0; number < plan->operations.size(); ++number) {
      const UnitOperation& operation = free->graph.operations[number];
      if (static_cast<std::size_t>(operation.from - rotation.lines.data()) >= rotation.second) continue;
      gate(result.body[static_cast<std::size_t>(plan->operations[number].line)].line, operation.unit, flags_.turned,
           flags_.turned);
    }
    for (CodeLine& line : result.body) renew_accesses(line);
    if (!add_epilogue(rotation, result)) return std::nullopt;
    add_prologue(rotation, result);
    return result;
  }

  /// The second stage of the last iteration: it writes its results only if that iteration had a record, and nothing if
  /// there was no iteration.
  bool add_epilogue(const Rotation& rotation, Pipelined& result) const {
    const std::vector<CodeLine> lines(rotation.lines.begin(),
                                      rotation.lines.begin() + static_cast<std::ptrdiff_t>(rotation.second));
    const auto free =
        free_section(lines, {}, job_.record_words, ends_of(rotation), job_.leaving | job_.entering, Conditions::kept);
    if (!free) return false;
    ScheduleOptions quick = job_.options;
    quick.effort *= kScanEffort;
    constexpr std::size_t kMostForEach = 4;  // lines for each operation, including what it waits for
    const auto plan = find_plan(*free, {}, quick, kMostForEach * lines.size() + kMostForEach);
    if (!plan) return false;
    result.left |= free->left;
    result.epilogue = lines_of(*plan, *free);
    for (std::size_t number = 0; number < plan->operations.size(); ++number) {
      gate(result.epilogue[static_cast<std::size_t>(plan->operations[number].line)].line,
           free->graph.operations[number].unit, flags_.turned, flags_.valid);
    }
    for (CodeLine& line : result.epilogue) renew_accesses(line);
    return true;
  }

  /// Initialises every word that the second stage may read before the first stage has written it, and clears the flags.
  void add_prologue(const Rotation& rotation, Pipelined& result) const {
    Words wanted = ends_of(rotation) & ~(job_.entering | job_.leaving);
    for (const CodeLine& code : rotation.lines) {
      for (const CodeAccess& access : code.accesses) {
        if (!access.write) continue;
        bool needed = false;
        for_words(access, code.line.vlen, [&](unsigned word, unsigned) {
          needed = needed || wanted.test(word);
          wanted.reset(word);
        });
        if (needed) result.prologue.push_back(clearing_line(access, code.where));
      }
    }
  }

  const PipelineJob& job_;
  const FreeSection& section_;
  PipelineFlags flags_;
};

}  // namespace

void pipeline(const PipelineJob& job, const std::function<bool(const Pipelined&)>& accept) {
  constexpr std::size_t kFlags = 2;
  if (job.flags.size() < kFlags || job.body.empty()) return;
  const auto section = free_section(job.body, job.tails, job.record_words, job.entering, job.leaving, Conditions::kept);
  if (section && !section->operations.empty()) Pipeliner(job, *section).run(accept);
}

}  // namespace gdr::assembler
