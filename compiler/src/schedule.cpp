// List scheduling with places that are decided late: an operation is put onto a line when its operands can be read
// there, and only a read decides whether the value was written to T, a register or local memory. Many orders of
// priority are tried, each a small change of the best so far.
#include "schedule.h"

#include <algorithm>
#include <array>

#include "schedule_try.h"

namespace gdr::compiler {
namespace {

/// Small changes of the best genes so far.
void mutate(Genes& genes, Random& random, int spread) {
  const int size = static_cast<int>(genes.priority.size());
  const int changes = 1 + random.below(4);
  for (int n = 0; n < changes; ++n) {
    const auto at = static_cast<std::size_t>(random.below(size));
    if (random.below(3) == 0) {
      genes.preference[at] = static_cast<char>(random.below(4));
    } else {
      genes.priority[at] += random.below(2 * spread + 1) - spread;
    }
  }
}

}  // namespace

unsigned least_lines(const Microcode& code, const Operations& section) {
  const ScheduleOptions options;
  const Problem problem(code, section, options);
  std::array<unsigned, isa::kUnits + 1> taken{};
  unsigned chain = 0;
  for (int n = 0; n < problem.count(); ++n) {
    const Operation& operation = problem.at(n);
    taken[static_cast<std::size_t>(isa::info_of(operation.op).unit)] += Problem::length(operation);
    if (operation.op == Op::FMULL) ++taken[static_cast<std::size_t>(Unit::adder)];
    chain = std::max(chain, static_cast<unsigned>(problem.height[static_cast<std::size_t>(n)]));
  }
  return std::max(chain, *std::max_element(taken.begin(), taken.end()));
}

std::optional<Schedule> schedule(const Microcode& code, const Operations& section, const ScheduleOptions& options) {
  if (section.empty()) return Schedule{};
  const Problem problem(code, section, options);
  if (problem.cyclic) return std::nullopt;
  constexpr int kScale = 16;              // of priorities
  constexpr unsigned kPatience = 1500;    // tries without a shorter schedule before the walk begins elsewhere
  constexpr unsigned kForTheFirst = 400;  // tries at least: without a schedule there is nothing
  Genes first;
  for (const int height : problem.height) first.priority.push_back(kScale * height);
  first.preference.assign(section.size(), 0);
  Genes as_written = first;  // for sections that run out of places otherwise
  for (int n = 0; n < problem.count(); ++n) as_written.priority[static_cast<std::size_t>(n)] = -kScale * n;
  as_written.flags_in_order = as_written.careful = true;
  const unsigned bound = least_lines(code, section);
  const auto no_limit = static_cast<unsigned>(8 * section.size() + 60);
  Random random(options.seed);
  Try attempt(problem);
  std::optional<Schedule> best;
  Genes walk = first;  // the schedule that small changes are made of
  unsigned walk_lines = no_limit;
  unsigned patience = kPatience;
  const unsigned tries = std::max(options.tries, 1U);
  for (unsigned n = 0; n < (best ? tries : std::max(tries, kForTheFirst)); ++n) {
    if (--patience == 0) {
      walk = first;
      for (int extra = random.below(16); extra >= 0; --extra) mutate(walk, random, 4 * kScale);
      walk_lines = no_limit;
      patience = kPatience;
    }
    Genes next = walk;
    if (n > 0) mutate(next, random, (n % 4 == 0 ? 4 : 1) * kScale);
    Schedule made;
    if (!attempt.run(next, walk_lines + 1, static_cast<int>(isa::kGprShortWords)) || !attempt.allot(made)) {
      // Until something fits, the walk is free.
      if (walk_lines == no_limit && n % 8 != 0) walk = std::move(next);
      if (!best && n % 40 == 39) walk = n % 80 == 39 ? as_written : first;
      if (!best && n % 80 == 79) walk.flags_in_order = true;
      continue;
    }
    // As long as the walk's, too: plateaus are walked along.
    if (made.lines < walk_lines) patience = kPatience;
    walk_lines = made.lines;
    walk = std::move(next);
    if (!best || made.lines < best->lines) best = std::move(made);
    if (best->lines <= bound) break;
  }
  return best;
}

}  // namespace gdr::compiler
