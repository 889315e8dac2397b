// The native engine: the host's double arithmetic in the chip's words, everything else as on the exact engines.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "engines.h"
#include "gdr/base/error.h"
#include "gdr/emulator/chip.h"
#include "gdr/selftest/random_program.h"

namespace gdr::tests {
namespace {

using isa::Line;
using isa::LongWord;
using isa::Op;
using isa::Source;
using isa::Unit;
using isa::Width;
using selftest::code_of;

/// $lr16 = op($lr0, $lr8), one element in each PE.
LongWord result_of(Op op, LongWord a, LongWord b, Width width_b, Width width) {
  Line line;
  line.vlen = 1;
  line.gpr_a = {0, Width::long_word, false, false};
  line.gpr_b = {8, width_b, false, false};
  const Unit unit = isa::info_of(op).unit;
  isa::Slot& slot = isa::slot_of(line, unit);
  slot.op = op;
  slot.width = width;
  slot.a = Source::gpr_a;
  slot.b = Source::gpr_b;
  line.gpr_write = {unit, 16, false, false, {}};
  isa::Program program;
  program.sections[static_cast<std::size_t>(isa::Section::loop_termination)] = code_of({line});
  const auto chip = emulator::make_native_chip();
  chip->load(program);
  chip->write_pe(2, 7, {isa::Memory::gpr, 0, Width::long_word, 1}, {&a, 1});
  chip->write_pe(2, 7, {isa::Memory::gpr, 8, width_b, 1}, {&b, 1});
  chip->run_loop({2, 1}, {});
  return chip->read_pe(2, 7, {isa::Memory::gpr, 16, width, 1}).front();
}

TEST(NativeChip, AddsAndMultipliesAsTheHostDoes) {
  const double third = 1.0 / 3;
  const double tenth = static_cast<float>(0.1);
  EXPECT_EQ(result_of(Op::FADD, long_word_of(third), long_word_of(0.7), Width::long_word, Width::long_word),
            long_word_of(third + 0.7));
  EXPECT_EQ(result_of(Op::FSUB, long_word_of(third), long_word_of(0.7), Width::long_word, Width::long_word),
            long_word_of(third - 0.7));
  const LongWord short_tenth = isa::widen(emulator::flt64to36(tenth).value);
  EXPECT_EQ(result_of(Op::FMUL, long_word_of(third), short_tenth, Width::short_word, Width::long_word),
            long_word_of(third * tenth));
}

/// 1/3 + 0.7 in a short word, and that times 0.3, all in one turn.
TEST(NativeChip, KeepsDoublesInShortWords) {
  const std::array operands{long_word_of(1.0 / 3), long_word_of(0.7), long_word_of(0.3)};
  Line sum;
  sum.vlen = 1;
  sum.gpr_a = {0, Width::long_word, false, false};
  sum.gpr_b = {2, Width::long_word, false, false};
  sum.adder.op = Op::FADD;
  sum.adder.width = Width::short_word;
  sum.adder.a = Source::gpr_a;
  sum.adder.b = Source::gpr_b;
  sum.t_write.source = Unit::adder;
  sum.gpr_write = {Unit::adder, 8, false, false, {}};
  Line product;
  product.vlen = 1;
  product.gpr_a = {4, Width::long_word, false, false};
  product.multiplier.op = Op::FMUL;
  product.multiplier.width = Width::long_word;
  product.multiplier.a = Source::gpr_a;
  product.multiplier.b = Source::t_short;
  product.gpr_write = {Unit::multiplier, 16, false, false, {}};
  isa::Program program;
  program.sections[static_cast<std::size_t>(isa::Section::loop_termination)] = code_of({sum, product});
  const auto chip = emulator::make_native_chip();
  chip->load(program);
  chip->write_pe(2, 7, {isa::Memory::gpr, 0, Width::long_word, 3}, operands);
  chip->run_loop({2, 1}, {});
  EXPECT_EQ(chip->read_pe(2, 7, {isa::Memory::gpr, 16, Width::long_word, 1}).front(),
            long_word_of((1.0 / 3 + 0.7) * 0.3));
}

TEST(NativeChip, ShowsThe36BitsOfShortWords) {
  const LongWord sum =
      result_of(Op::FADD, long_word_of(1), long_word_of(0x1.8p-25), Width::long_word, Width::short_word);
  EXPECT_EQ(sum, isa::widen(long_word_of(1 + 0x1.8p-25).upper()));
}

TEST(NativeChip, WritesZeroAsTheChipDoes) {
  EXPECT_EQ(result_of(Op::FMUL, long_word_of(-1), LongWord{}, Width::short_word, Width::long_word), LongWord{});
  EXPECT_EQ(result_of(Op::FADD, long_word_of(0x1p-1000), long_word_of(-0x1p-1000), Width::long_word, Width::long_word),
            LongWord{});
}

TEST(NativeChip, KeepsAllBitsOfIntegers) {
  const LongWord odd{0x0123456789abcdef, 0xfe};
  EXPECT_EQ(result_of(Op::UADD, odd, LongWord::from_bits(1), Width::long_word, Width::long_word),
            LongWord::from_bits(odd.bits() + 1));
}

/// $lr16 = $lr0 + constant, or with the difference's sign alone.
isa::Program adding(double constant, bool stored = true) {
  Line line;
  line.vlen = 1;
  line.gpr_a = {0, Width::long_word, false, false};
  line.adder.op = Op::FADD;
  line.adder.width = Width::long_word;
  line.adder.a = Source::gpr_a;
  line.adder.b = Source::immediate;
  line.immediate = {Width::long_word, long_word_of(constant)};
  if (stored) {
    line.gpr_write = {Unit::adder, 16, false, false, {}};
  } else {
    line.adder.flag.flag = 1;
  }
  isa::Program program;
  program.sections[static_cast<std::size_t>(isa::Section::loop_termination)] = code_of({line});
  return program;
}

TEST(NativeChip, RefusesLinesThatRoundByAddingAConstant) {
  for (const double constant : {0x1.8p23, 0x1.8p24, -0x1.8p24, 0x1.8p59, 0x1.8p60, 0x1p40, 0x1p60}) {
    try {
      emulator::make_native_chip()->load(adding(constant));
      ADD_FAILURE() << constant;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("loop termination, line 0: this line takes a number apart"),
                std::string::npos)
          << error.what();
    }
    EXPECT_NO_THROW(emulator::make_simd_chip()->load(adding(constant)));
  }
}

TEST(NativeChip, RunsLinesWithConstantsOfFormulas) {
  for (const double constant : {1.5, -96.0, 0x1.8p22, 0x1p24, 0x1.4p40, 6.02214076e23, 1.98847e30}) {
    EXPECT_NO_THROW(emulator::make_native_chip()->load(adding(constant))) << constant;
  }
  EXPECT_NO_THROW(emulator::make_native_chip()->load(adding(0x1p60, false)));
}

}  // namespace
}  // namespace gdr::tests
