#include "random_comparison.h"

#include <algorithm>

#include "engines.h"

namespace gdr::tests {
namespace {

using Form = ExactEngine::Form;

std::vector<selftest::Candidate> candidates(InstructionSets sets) {
  std::vector<selftest::Candidate> all;
  const std::vector<ExactEngine> engines = exact_engines();
  for (auto engine = engines.begin(); engine != engines.end(); ++engine) {
    if (engine->form == Form::reference) continue;
    all.push_back({engine->name, selftest::chip_subject(engine->make())});
    const auto of_this_form = [&](auto begin, auto end) {
      return static_cast<std::size_t>(std::ranges::count(begin, end, engine->form, &ExactEngine::form));
    };
    if (engine->form == Form::lockstep) {
      all.back().takes_part = selftest::is_for_lockstep;
    } else if (sets == InstructionSets::in_turn) {
      const std::size_t number = of_this_form(engines.begin(), engine);
      const std::size_t count = of_this_form(engines.begin(), engines.end());
      all.back().takes_part = [=](std::uint64_t seed) { return selftest::turn_of(seed, count) == number; };
    }
  }
  return all;
}

}  // namespace

RandomComparison::RandomComparison(InstructionSets sets)
    : comparison_(selftest::chip_subject(emulator::make_reference_chip()), candidates(sets)) {}

testing::AssertionResult RandomComparison::agree(std::uint64_t seed) {
  const auto finding = comparison_.run(selftest::random_input(seed));
  if (!finding) return testing::AssertionSuccess();
  return testing::AssertionFailure() << finding->engine << ", " << text_of(finding->difference) << "\n"
                                     << text_of(finding->input);
}

}  // namespace gdr::tests
