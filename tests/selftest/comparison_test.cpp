// What makes two outcomes different, and what the difference is called.
#include "gdr/selftest/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gdr::tests {
namespace {

using emulator::FaultKind;
using isa::LongWord;
using selftest::Outcome;

/// One block with two live PEs.
Outcome outcome() {
  Outcome::Block block{1, 3, 2, {}};
  block.state.gpr.resize(2 * isa::kGprShortWords / 2);
  block.state.lm.resize(2 * isa::kLmShortWords / 2);
  block.state.registers.resize(2);
  block.state.bm.resize(isa::kBmShortWords / 2);
  Outcome outcome;
  outcome.blocks = {block};
  outcome.events = {{"chip 1, block 3", {}, {{}}}};
  outcome.results.resize(4);
  return outcome;
}

emulator::Fault fault(unsigned pe, const std::string& why = "why") {
  isa::Program program;
  const emulator::PePlace place{1, isa::Section::loop_body, 2, 3, 1, 3, pe, 0};
  return {FaultKind::address, program, isa::Section::loop_body, 3, why, place};
}

/// Empty if the changed outcome counts as equal.
template <class Change>
std::string difference_after(Change change) {
  Outcome changed = outcome();
  change(changed);
  const auto differs = selftest::difference({outcome()}, {changed});
  return differs ? text_of(*differs) : "";
}

TEST(Outcomes, OfEqualWordsAreEqual) {
  EXPECT_EQ(difference_after([](Outcome&) {}), "");
}

TEST(Outcomes, DifferInAnyWordOfALivePe) {
  constexpr LongWord kWord{0x123456789abcdef0, 0x12};
  EXPECT_EQ(difference_after([&](Outcome& changed) { changed.blocks[0].state.gpr[3] = kWord; }),
            "chip 1, block 3, PE 0, $lr6: expected 000000000000000000, found 123456789abcdef012");
  EXPECT_THAT(difference_after([&](Outcome& changed) { changed.blocks[0].state.lm.back() = kWord; }),
              testing::StartsWith("chip 1, block 3, PE 1, $lm510: "));
  EXPECT_THAT(difference_after([&](Outcome& changed) { changed.blocks[0].state.registers[1].t[2] = kWord; }),
              testing::StartsWith("chip 1, block 3, PE 1, $t[2]: "));
  EXPECT_EQ(difference_after([&](Outcome& changed) { changed.blocks[0].state.registers[1].flags[3] = 5; }),
            "chip 1, block 3, PE 1, flags 4..1 of element 3: expected 0000, found 0101");
  EXPECT_THAT(difference_after([&](Outcome& changed) { changed.blocks[0].state.bm[7] = kWord; }),
              testing::StartsWith("chip 1, block 3, bm 7: "));
  EXPECT_THAT(difference_after([&](Outcome& changed) { changed.results[2] = kWord; }),
              testing::StartsWith("result 2: "));
  EXPECT_THAT(difference_after([&](Outcome& changed) { changed.results.pop_back(); }),
              testing::StartsWith("result 3: expected 000000000000000000, found nothing"));
}

TEST(Outcomes, DoNotDifferInPesThatAreNotLive) {
  EXPECT_EQ(difference_after([](Outcome& changed) {
              changed.blocks[0].state.gpr.resize(isa::kPesPerBlock * isa::kGprShortWords / 2, LongWord{1, 1});
            }),
            "");
}

TEST(Outcomes, DifferInNumberAndPlaceOfEvents) {
  EXPECT_EQ(difference_after([](Outcome& changed) { changed.events[0].counted.overflow = 1; }),
            "chip 1, block 3, events: expected invalid 0, overflow 0, underflow 0, found invalid 0, overflow 1, "
            "underflow 0");
  EXPECT_THAT(difference_after([](Outcome& changed) { changed.events[0].first[0].place.element = 2; }),
              testing::StartsWith("chip 1, block 3, event 0: "));
  EXPECT_THAT(difference_after([](Outcome& changed) { changed.events[0].first.clear(); }), testing::EndsWith("none"));
}

TEST(Outcomes, DifferInKindAndPlaceOfAFaultButNotInItsWords) {
  const auto differ = [](const emulator::Fault& one, const emulator::Fault& other) {
    Outcome expected;
    expected.fault = one;
    Outcome found;
    found.fault = other;
    return selftest::difference({expected}, {found}).has_value();
  };
  EXPECT_FALSE(differ(fault(4, "one"), fault(4, "other")));
  EXPECT_TRUE(differ(fault(4), fault(5)));
  EXPECT_THAT(difference_after([](Outcome& changed) { changed.fault = fault(4); }),
              testing::StartsWith("the run's end: expected none, found "));
}

}  // namespace
}  // namespace gdr::tests
