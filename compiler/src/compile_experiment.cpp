// The recipe for experiments: check, share words, lower, order the words' accesses, schedule, print.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "compile.h"
#include "gdr/isa/experiment.h"
#include "microcode/names.h"
#include "pair/experiment.h"
#include "schedule/lean.h"
#include "schedule/print.h"
#include "schedule/schedule.h"

namespace gdr::compiler {
namespace {

constexpr unsigned kPlaceWords = isa::kVectorElements * isa::short_words(isa::Width::long_word);

/// The operations of all functions, and their order.
struct ExperimentPlan {
  Microcode code;
  std::optional<Schedule> begin;
  std::optional<Schedule> step;
  std::optional<Schedule> end;

  [[nodiscard]] bool fits() const { return begin && step && end; }
  /// How many of the sections have an order, of step, begin and end.
  [[nodiscard]] unsigned sections() const { return !step ? 0 : !begin ? 1 : !end ? 2 : 3; }
};

/// What is done where values of the step do not fit into registers.
enum class Search : std::uint8_t {
  as_written,
  reloaded,  // copies of words that wait in local memory, wherever two of them meet
  lean,      // an order with few values at once, and copies where these need them
};

/// Registers that hold constants, which stay from round to round.
std::vector<bool> registers_of_constants(const Microcode& code, const Schedule& step) {
  std::vector<bool> taken(isa::kGprShortWords, false);
  for (std::size_t n = 0; n < step.literal_homes.size(); ++n) {
    if (step.literal_homes[n] != Home::gpr) continue;
    const unsigned first = step.literal_addresses[n];
    for (unsigned word = 0; word < isa::short_words(code.literals[n].width); ++word) taken[first + word] = true;
  }
  return taken;
}

/// Short words of local memory that hold constants.
unsigned words_of_constants(const Microcode& code, const Schedule& step) {
  unsigned words = 0;
  for (std::size_t n = 0; n < step.literal_homes.size(); ++n) {
    if (step.literal_homes[n] == Home::local) words += isa::short_words(code.literals[n].width);
  }
  return words;
}

/// Words of local memory that a section takes for values on their way, by their width.
struct LocalSlots {
  unsigned shorts = 0;  // that the sections have in common
  unsigned longs = 0;
  unsigned own = 0;  // short words of sections that have no need to share any

  void take(const Operations& section, const Schedule& schedule, unsigned constants) {
    if (!schedule.shared_slots) {
      own += schedule.local_words - std::min(schedule.local_words, constants);
      return;
    }
    for (std::size_t n = 0; n < section.size(); ++n) {
      if (!schedule.places[n].local) continue;
      unsigned& most = section[n].width == isa::Width::long_word ? longs : shorts;
      most = std::max(most, schedule.places[n].slot + 1);
    }
  }
  [[nodiscard]] unsigned words() const { return longs * kPlaceWords + shorts * kPlaceWords / 2 + own; }
};

/// The first of schedules that may make values early, or only shortly before they are needed if they would not fit.
std::optional<Schedule> searched(const Microcode& code, const Operations& section, ScheduleOptions options) {
  constexpr std::array<std::size_t, 4> kWindows{0, 48, 20, 8};  // operations
  for (const std::size_t window : kWindows) {
    options.window = window;
    if (std::optional<Schedule> found = schedule(code, section, options)) return found;
  }
  return std::nullopt;
}

/// A schedule in an order of few values at once, of a section that gets further operations for it.
std::optional<Schedule> lean(const Microcode& code, Operations& section, const ScheduleOptions& options) {
  std::optional<LeanSection> found = lean_schedule(code, section, options);
  if (!found) return std::nullopt;
  section = std::move(found->section);
  // With these operations the search may find a shorter order.
  std::optional<Schedule> shorter = searched(code, section, options);
  return shorter && shorter->lines < found->schedule.lines ? shorter : std::move(found->schedule);
}

/// Orders the three sections, which have local memory for values on their way in common.
void order_sections(ExperimentPlan& plan, const CompileOptions& options, Search way, unsigned divisor) {
  Microcode& code = plan.code;
  ScheduleOptions scheduling;
  scheduling.experiment = true;
  scheduling.seed = options.seed;
  scheduling.tries = std::max(tries_of(options.effort, code.body.size()) / divisor, 20U);
  scheduling.local_words = local_words_left(code);
  plan.step = way == Search::lean ? lean(code, code.body, scheduling) : searched(code, code.body, scheduling);
  if (!plan.step) return;
  LocalSlots slots;
  const unsigned constants = words_of_constants(code, *plan.step);
  slots.take(code.body, *plan.step, constants);
  const unsigned left = scheduling.local_words - std::min(scheduling.local_words, constants);
  scheduling.homes = false;
  scheduling.gpr_taken = registers_of_constants(code, *plan.step);
  scheduling.tries = 40;
  const auto fitting = [&](Operations& section) {
    std::optional<Schedule> found = searched(code, section, scheduling);
    return found ? found : lean(code, section, scheduling);
  };
  const auto other = [&](Operations& section) {
    scheduling.local_words = left;
    const Operations unchanged = section;
    std::optional<Schedule> found = fitting(section);
    LocalSlots both = slots;
    if (found) both.take(section, *found, 0);
    if (found && both.words() > left) {  // the widths are mixed otherwise
      scheduling.local_words = left - std::min(left, slots.words());
      section = unchanged;
      found = fitting(section);
    }
    if (found) slots.take(section, *found, 0);
    return found;
  };
  plan.begin = other(code.initialization);
  if (plan.begin) plan.end = other(code.termination);
}

ExperimentPlan planned(const Imported& experiment, const CompileOptions& options, ConditionStyle style, bool in_place,
                       Search way, std::vector<Message>& errors) {
  constexpr unsigned kWays = 2;  // that are compared
  ExperimentPlan plan;
  plan.code = lower_experiment(experiment, style, in_place, options.fast, errors);
  if (errors.empty()) check_room(plan.code, experiment.body, errors);
  if (!errors.empty()) return plan;
  separate_ports(plan.code);
  copy_old_words(plan.code);
  if (way == Search::reloaded) reload_words(plan.code);
  order_sections(plan, options, way, kWays);
  return plan;
}

/// True if `one` has an order for more sections, or for as many and a shorter step.
bool is_better(const ExperimentPlan& one, const ExperimentPlan& other) {
  if (one.sections() != other.sections()) return one.sections() > other.sections();
  return one.fits() && one.step->lines < other.step->lines;
}

/// Tries the ways to write words and to keep conditions.
ExperimentPlan plan_with(const Imported& experiment, const CompileOptions& options, Search way,
                         std::vector<Message>& errors) {
  ExperimentPlan best = planned(experiment, options, ConditionStyle::shared, true, way, errors);
  if (!errors.empty()) return best;
  const bool conditions =
      std::ranges::any_of(best.code.body, [](const Operation& operation) { return operation.predicate >= 0; });
  for (const ConditionStyle style : {ConditionStyle::shared, ConditionStyle::words}) {
    for (const bool in_place : {true, false}) {
      if (style == ConditionStyle::shared && in_place) continue;
      if (style == ConditionStyle::words && !conditions && best.fits()) continue;
      if (style == ConditionStyle::shared && best.code.style != style) continue;  // it takes words, whatever is asked
      std::vector<Message> none;
      ExperimentPlan other = planned(experiment, options, style, in_place, way, none);
      if (none.empty() && is_better(other, best)) best = std::move(other);
    }
  }
  return best;
}

ExperimentPlan chosen_plan(const Imported& experiment, const CompileOptions& options, std::vector<Message>& errors) {
  ExperimentPlan best = plan_with(experiment, options, Search::as_written, errors);
  for (const Search way : {Search::reloaded, Search::lean}) {
    if (!errors.empty() || best.fits()) break;
    ExperimentPlan other = plan_with(experiment, options, way, errors);
    if (errors.empty() && is_better(other, best)) best = std::move(other);
  }
  return best;
}

}  // namespace

void compile_experiment(const Imported& imported, const std::string& file, const CompileOptions& options,
                        CompileResult& result) {
  Imported experiment = imported;
  check_words(experiment);
  for (const Field& field : experiment.finish.records[static_cast<std::size_t>(Record::result)]) {
    if (!isa::is_experiment_column(field.name)) continue;
    const std::string why = "is a column of every experiment's results: give this result another name";
    experiment.errors.push_back({experiment.finish.place, fmt::format("'{}' {}", field.name, why)});
  }
  if (!experiment.errors.empty()) return tell(result, experiment.errors);
  share_words(experiment);
  const PairFunction& step = experiment.body;
  std::vector<Message> errors;
  const ExperimentPlan plan = chosen_plan(experiment, options, errors);
  if (!errors.empty()) return tell(result, errors);
  const Microcode& code = plan.code;
  if (!plan.step) return tell(result, {{step.place, too_many(code, code.body)}});
  if (!plan.begin) return tell(result, {{experiment.begin.place, too_many(code, code.initialization)}});
  if (!plan.end) return tell(result, {{experiment.finish.place, too_many(code, code.termination)}});
  result.kernel = spelled(step.name);
  result.lines = plan.step->lines;
  result.least_lines = least_lines(code, code.body);
  report_precision(code, result);
  const Scheduled kernel{step,       code,      *plan.begin,
                         *plan.step, *plan.end, {Place{}, experiment.begin.place, step.place, experiment.finish.place}};
  const std::string name = std::filesystem::path(file).filename().string();
  const std::string head = fmt::format(
      "From functions begin, step, done and end in {}, by gdr cc -O{}: {} lines a step. Comments name what a line "
      "computes and the source's line.",
      name, options.effort, plan.step->lines);
  take(result, source_of(kernel, head));
}

}  // namespace gdr::compiler
