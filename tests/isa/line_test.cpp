// Rules of the instruction word that no single field can check.
#include "gdr/isa/line.h"

#include <gmock/gmock.h>

#include <functional>

#include "gdr/base/error.h"

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

TEST(InstructionWord, ReadsAndMovesLongWordsAtEvenAddressesThroughEveryPort) {
  EXPECT_THAT(refusal([](Line& line) {
                line.adder.b = Source::gpr_b;
                line.gpr_b = {3, Width::long_word, true, false};
              }),
              HasSubstr("read at an odd address"));
  const auto from_lm = [](Width width, bool indirect) {
    return refusal([=](Line& line) {
      line.adder.b = Source::lm;
      line.lm_read = {3, width, true, indirect};
    });
  };
  EXPECT_THAT(from_lm(Width::long_word, false), HasSubstr("read at an odd address"));
  EXPECT_EQ(from_lm(Width::long_word, true), "") << "the index may make it even";
  EXPECT_EQ(from_lm(Width::short_word, false), "");
  const auto to_lm = [](Width width, bool indirect) {
    return refusal([=](Line& line) {
      line.adder.width = width;
      line.lm_write = {Unit::adder, 3, true, indirect, {}};
    });
  };
  EXPECT_THAT(to_lm(Width::long_word, false), HasSubstr("written at an odd address"));
  EXPECT_EQ(to_lm(Width::long_word, true), "");
  EXPECT_EQ(to_lm(Width::short_word, false), "");
  const auto from_bm = [](std::uint16_t address, Width width) {
    return refusal([=](Line& line) {
      line.adder.b = Source::bm;
      line.bm = {.mode = BmMode::read, .address = address, .width = width};
    });
  };
  EXPECT_THAT(from_bm(7, Width::long_word), HasSubstr("long word of BM has an odd address"));
  EXPECT_EQ(from_bm(6, Width::long_word), "");
  EXPECT_EQ(from_bm(7, Width::short_word), "");
}

TEST(InstructionWord, MayInvertEveryFlagOfMaskAndPredicates) {
  for (std::uint8_t flag = 1; flag <= kFlags; ++flag) {
    EXPECT_EQ(refusal([=](Line& line) {
                line.mask = {flag, true};
                line.t_write.predicate = {flag, true, false};
                line.adder.flag = {flag, Condition::zero, {flag, true, true}};
              }),
              "");
  }
}

TEST(InstructionWord, ThatTakesAResultOfAUnitWithoutOneIsRefused) {
  EXPECT_THAT(refusal([](Line& line) { line.gpr_write.source = Unit::alu; }),
              HasSubstr("a write port takes the result of the alu, which has none"));
  EXPECT_THAT(refusal([](Line& line) {
                line.multiplier = {Op::FMULH, Source::gpr_a, Source::gpr_a, false, false, Width::short_word, {}};
                line.gpr_write.source = Unit::multiplier;
              }),
              HasSubstr("a write port takes the result of the multiplier, which has none"));
  EXPECT_THAT(refusal([](Line& line) {
                line.multiplier = {Op::FMULH, Source::gpr_a, Source::gpr_a, false, false, Width::long_word, {}};
              }),
              HasSubstr("does not use"))
      << "the width of a result that there is not";
  EXPECT_THAT(refusal([](Line& line) {
                line.multiplier = {Op::FMULH, Source::gpr_a, Source::gpr_a, false, false, Width::short_word, {}};
                line.multiplier.flag.flag = 1;
              }),
              HasSubstr("does not use"));
}

TEST(InstructionWord, WithAShortImmediateOfMoreThanShortBitsIsRefused) {
  const auto with = [](Width width, LongWord value) {
    return refusal([=](Line& line) {
      line.adder.b = Source::immediate;
      line.immediate = {width, value};
    });
  };
  EXPECT_EQ(with(Width::short_word, widen(ShortWord{kShortMask})), "");
  EXPECT_THAT(with(Width::short_word, {0, 1}), HasSubstr("a short immediate has bits in its lower half"));
  EXPECT_THAT(with(Width::short_word, {std::uint64_t{1} << 27, 0}), HasSubstr("a short immediate has bits"));
  EXPECT_EQ(with(Width::long_word, {0, 1}), "");
}

TEST(InstructionWord, WithTooFewOperandsIsRefused) {
  EXPECT_THAT(refusal([](Line& line) { line.adder.b = Source::none; }), HasSubstr("1 operands instead of 2"));
}

TEST(InstructionWord, WhoseOnlyOperandIsTheSecondIsRefused) {
  EXPECT_THAT(refusal([](Line& line) {
                line.adder.op = Op::FPASSA;
                line.adder.a = Source::none;
                line.adder.b = Source::gpr_a;
              }),
              HasSubstr("fpassa has its operand as the second"));
}

TEST(InstructionWord, WithAnOperandThatItsUnitCannotTakeIsRefused) {
  EXPECT_THAT(refusal([](Line& line) { line.adder.b = Source::pe_id; }), HasSubstr("no operand of the adder"));
  EXPECT_THAT(refusal([](Line& line) {
                line.adder = {};
                line.multiplier.op = Op::FMUL;
                line.multiplier.a = Source::gpr_a;
                line.multiplier.b = Source::t_long;
                line.t_write.source = Unit::multiplier;
              }),
              HasSubstr("the second operand of fmul is long"));
  const auto shift = [](Line& line) {
    line.adder = {};
    line.alu.op = Op::ULSL;
    line.alu.a = Source::gpr_a;
    line.alu.b = Source::pe_id;
    line.t_write.source = Unit::alu;
  };
  EXPECT_THAT(refusal(shift), HasSubstr("differ in width"));
  EXPECT_EQ(refusal([&](Line& line) {
              shift(line);
              line.alu.width = Width::long_word;
            }),
            "");
  EXPECT_THAT(
      refusal([](Line& line) { line.bm = {.mode = BmMode::write, .store_source = Source::gpr_a, .one_pe = true}; }),
      HasSubstr("changes the width"));
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
  const auto store = [](Source source, bool one_pe) {
    return refusal([=](Line& line) {
      line.bm = {.mode = BmMode::write, .width = Width::long_word, .store_source = source, .one_pe = one_pe};
    });
  };
  EXPECT_EQ(store(Source::gpr_a, true), "");
  EXPECT_THAT(store(Source::none, true), HasSubstr("needs a PE"));
  EXPECT_THAT(store(Source::bm, true), HasSubstr("from BM, which is not read"));
  EXPECT_THAT(refusal([](Line& line) { line.gpr_write = {Unit::bm, 8, true, false, {}}; }),
              HasSubstr("a word is moved from BM, which is not read"));
  EXPECT_THAT(refusal([](Line& line) {
                line.adder.b = Source::bm;
                line.bm = {.mode = BmMode::read, .width = Width::long_word, .one_pe = true, .pe = 2};
              }),
              HasSubstr("a load into one PE feeds a unit of every PE"));
}

/// The text with which encode() refuses the changed line; empty if it does not.
std::string encoding_refusal(const std::function<void(Line&)>& change) {
  Line line = sum();
  change(line);
  try {
    static_cast<void>(encode(line));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Encoding, OfAValueThatItsFieldCannotHoldIsRefusedWithFieldValueAndRange) {
  EXPECT_EQ(encoding_refusal([](Line& line) { line.gpr_a.address = 100; }),
            "encode: field gpr_a.address takes 0 to 63, not 100");
  EXPECT_EQ(encoding_refusal([](Line& line) { line.vlen = 5; }), "encode: field vlen takes 1 to 4, not 5");
  EXPECT_EQ(encoding_refusal([](Line& line) { line.vlen = 0; }), "encode: field vlen takes 1 to 4, not 0");
  EXPECT_EQ(encoding_refusal([](Line& line) { line.mask.flag = 5; }), "encode: field mask.flag takes 0 to 4, not 5");
  EXPECT_EQ(encoding_refusal([](Line& line) { line.bm.address = 2048; }),
            "encode: field bm.address takes 0 to 2047, not 2048");
  EXPECT_EQ(encoding_refusal([](Line& line) { line.bm.pe = 32; }), "encode: field bm.pe takes 0 to 31, not 32");
  EXPECT_EQ(encoding_refusal([](Line& line) { line.adder.a = static_cast<Source>(kSources); }),
            "encode: field adder.a takes 0 to 9, not 10");
  EXPECT_EQ(encoding_refusal([](Line& line) { line.t_write.source = static_cast<Unit>(kUnits + 1); }),
            "encode: field t_write.source takes 0 to 4, not 5");
  EXPECT_EQ(encoding_refusal([](Line& line) { line.adder.flag.condition = static_cast<Condition>(kConditions); }),
            "encode: field adder.flag.condition takes 0 to 2, not 3");
}

TEST(Encoding, OfAnotherUnitsOperationIsRefused) {
  EXPECT_EQ(encoding_refusal([](Line& line) { line.adder.op = Op::FMUL; }),
            "encode: field adder.op takes operations of the adder, not fmul of the multiplier");
  EXPECT_THAT(encoding_refusal([](Line& line) { line.alu.op = static_cast<Op>(200); }), HasSubstr("not 200"));
}

TEST(Slot, OfAUnitThatHasNoneIsRefused) {
  EXPECT_EQ(slot_of(sum(), Unit::adder), sum().adder);
  EXPECT_THROW(static_cast<void>(slot_of(sum(), Unit::bm)), Error);
  EXPECT_THROW(static_cast<void>(slot_of(sum(), Unit::none)), Error);
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
