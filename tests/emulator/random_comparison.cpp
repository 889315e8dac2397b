#include "random_comparison.h"

#include "engines.h"

namespace gdr::tests {
namespace {

std::vector<selftest::Candidate> candidates() {
  std::vector<selftest::Candidate> all;
  for (const ExactEngine& engine : exact_engines()) {
    if (engine.name == "reference") continue;
    all.push_back({engine.name, selftest::chip_subject(engine.make())});
    if (engine.name == "lockstep") all.back().takes_part = selftest::is_for_lockstep;
  }
  return all;
}

}  // namespace

RandomComparison::RandomComparison()
    : comparison_(selftest::chip_subject(emulator::make_reference_chip()), candidates()) {}

testing::AssertionResult RandomComparison::agree(std::uint64_t seed) {
  const auto finding = comparison_.run(selftest::random_input(seed));
  if (!finding) return testing::AssertionSuccess();
  return testing::AssertionFailure() << finding->engine << ", " << text_of(finding->difference) << "\n"
                                     << text_of(finding->input);
}

}  // namespace gdr::tests
