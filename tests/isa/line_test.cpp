// Rules of the instruction word that no single field can check.
#include "gdr/isa/line.h"

#include <gmock/gmock.h>

#include <functional>

namespace gdr::isa {
namespace {

using ::testing::HasSubstr;

Line sum() {
  Line line;
  line.vlen = 4;
  line.gpr_a = {8, Width::long_word, true, false};
  line.adder.op = Op::FADD;
  line.adder.a = Source::gpr_a;
  line.adder.b = Source::t_long;
  line.adder.width = Width::long_word;
  line.t_write.source = Unit::adder;
  return line;
}

std::string refusal(const std::function<void(Line&)>& change) {
  Line line = sum();
  change(line);
  const DecodeResult result = decode(encode(line));
  EXPECT_NE(result.error.empty(), !result.line.has_value());
  return result.error;
}

TEST(InstructionWord, OfASumDecodes) { EXPECT_EQ(decode(encode(sum())).line, sum()); }

TEST(InstructionWord, WithAFieldOfAnUnusedPartSetIsRefused) {
  EXPECT_THAT(refusal([](Line& line) { line.gpr_b.address = 2; }), HasSubstr("does not use"));
  EXPECT_THAT(refusal([](Line& line) { line.lm_write.vector = true; }), HasSubstr("does not use"));
  EXPECT_THAT(refusal([](Line& line) { line.alu.width = Width::long_word; }), HasSubstr("does not use"));
  EXPECT_THAT(refusal([](Line& line) { line.immediate.value.high = 1; }), HasSubstr("does not use"));
  EXPECT_THAT(refusal([](Line& line) { line.mask.inverted = true; }), HasSubstr("does not use"));
}

TEST(InstructionWord, WithALongWordAtAnOddAddressIsRefused) {
  EXPECT_THAT(refusal([](Line& line) { line.gpr_a.address = 9; }), HasSubstr("odd address"));
  EXPECT_THAT(refusal([](Line& line) { line.gpr_write = {Unit::adder, 9, true, false, {}}; }),
              HasSubstr("odd address"));
}

TEST(InstructionWord, WithTooFewOperandsIsRefused) {
  EXPECT_THAT(refusal([](Line& line) { line.adder.b = Source::none; }), HasSubstr("1 operands instead of 2"));
}

TEST(InstructionWord, WhoseResultNothingTakesIsRefused) {
  EXPECT_THAT(refusal([](Line& line) { line.t_write = {}; }), HasSubstr("nothing takes the result of fadd"));
}

TEST(InstructionWord, WithACarryOfAnOperationThatHasNoneIsRefused) {
  EXPECT_THAT(refusal([](Line& line) { line.adder.flag = {1, Condition::carry, {}}; }), HasSubstr("fadd has no carry"));
}

TEST(InstructionWord, WithTwoClaimsOnTheAdderIsRefused) {
  EXPECT_THAT(refusal([](Line& line) {
                line.multiplier = {Op::FMULL, Source::gpr_a, Source::gpr_a, false, false, Width::long_word, {}};
                line.gpr_write = {Unit::multiplier, 0, true, false, {}};
              }),
              HasSubstr("claims the adder"));
}

TEST(InstructionWord, ThatUsesBroadcastMemoryInconsistentlyIsRefused) {
  EXPECT_THAT(refusal([](Line& line) { line.adder.b = Source::bm; }), HasSubstr("not read"));
  EXPECT_THAT(refusal([](Line& line) { line.bm.mode = BmMode::read; }), HasSubstr("read for nothing"));
  EXPECT_THAT(refusal([](Line& line) {
                line.bm.mode = BmMode::write;
                line.bm.store_source = Source::gpr_a;
              }),
              HasSubstr("needs a PE"));
}

TEST(InstructionWord, WithAReservedBitSetIsRefused) {
  InstructionWord word = encode(sum());
  word.parts[4] |= std::uint64_t{1} << 63;
  EXPECT_THAT(decode(word).error, HasSubstr("reserved bit"));
}

TEST(FlagAlone, IsPrintedWithTheWidthOfTheResult) {
  Line line = sum();
  line.t_write = {};
  line.adder.flag = {2, Condition::zero, {}};
  EXPECT_EQ(print(line), "vlen 4; fadd $lr8v $lt $lok2.z");
  line.adder.width = Width::short_word;
  EXPECT_EQ(print(line), "vlen 4; fadd $lr8v $lt $ok2.z");
}

}  // namespace
}  // namespace gdr::isa
