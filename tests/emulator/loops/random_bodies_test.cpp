// Random loop bodies of operations that are compiled, and of words of local memory at computed addresses, against the
// reference engine.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <span>
#include <tuple>
#include <vector>

#include "compiled_loops_testing.h"
#include "gdr/emulator/conversion.h"
#include "gdr/isa/effects.h"
#include "gdr/selftest/random_program.h"
#include "slowed_down.h"

namespace gdr::tests {
namespace {

using emulator::Chip;
using emulator::kBlocks;
using emulator::kPesPerBlock;
using isa::Line;
using isa::LongWord;
using isa::Section;
using isa::Unit;
using isa::Width;

// ---- random bodies -------------------------------------------------------------------------------------------------

/// Lines of operations that are compiled, on registers of which each has one layout.
class RandomBody {
 public:
  /// With `under_mask`, most lines are under the same mask of flag 1.
  explicit RandomBody(std::uint64_t seed, bool under_mask = false)
      : random_(seed), under_mask_(under_mask), inverted_(under_mask && below(2) == 0) {}

  std::vector<Line> lines() {
    std::vector<Line> lines;
    const unsigned count = 4 + below(20);
    for (unsigned n = 0; n < count; ++n) lines.push_back(line());
    lines.emplace_back();  // so that nothing is pending when the next turn begins
    return lines;
  }

  /// Sums and products alone, whose numbers stay within what is compiled, however many lines there are.
  std::vector<Line> tame_lines(unsigned count) {
    std::vector<Line> lines;
    for (unsigned n = 0; n < count; ++n) lines.push_back(tame_line());
    lines.emplace_back();  // as above
    return lines;
  }

  /// Writes the constants: equal in all PEs, and of each element its own.
  std::vector<Line> constants() {
    std::vector<Line> lines;
    for (unsigned element = 0; element < isa::kVectorElements; ++element) {
      Line& line = lines.emplace_back();
      line.vlen = 1;
      line.immediate = {Width::long_word, emulator::flt64to72(1 + element / 4.0).value};
      line.alu = {isa::Op::UPASSA, isa::Source::immediate, isa::Source::none, false, false, Width::long_word, {}};
      line.lm_write.source = Unit::alu;
      line.lm_write.address = static_cast<std::uint16_t>(kConstants + 2 * element);
    }
    lines.emplace_back();
    return lines;
  }

  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }

  /// Zero, few bits, or many; never far from one.
  double value() {
    const double uniform = std::uniform_real_distribution<>(-2, 2)(random_);
    switch (below(6)) {
      case 0:
        return 0;
      case 1:
        return std::round(uniform * 8) / 8;
      case 2:
        return static_cast<float>(uniform);
      default:
        return std::ldexp(uniform, static_cast<int>(below(12)) - 6);
    }
  }

  /// Values, each of which is also two short words.
  std::vector<LongWord> words(std::size_t count) {
    std::vector<LongWord> words;
    for (std::size_t n = 0; n < count; ++n) words.push_back(emulator::flt64to72(value()).value);
    return words;
  }

 private:
  static constexpr unsigned kConstants = 96;  // of local memory, behind what a body writes

  // GPR: long words below 32, short ones from there on; LM likewise, below 64.
  isa::ReadPort port(Width width, unsigned shorts_from) {
    isa::ReadPort port;
    port.width = width;
    port.vector = below(8) != 0;
    const unsigned words = 4;
    port.address = static_cast<std::uint16_t>(width == Width::long_word ? 2 * words * below(shorts_from / (2 * words))
                                                                        : shorts_from + words * below(4));
    return port;
  }
  Width width() { return below(2) == 0 ? Width::long_word : Width::short_word; }

  isa::Source source(Line& line, bool must_be_short) {
    return source(line, must_be_short ? Width::short_word : width(), must_be_short || below(2) == 0);
  }
  isa::Source source(Line& line, Width width_of, bool short_t) {
    switch (below(6)) {
      case 0:
        if (line.gpr_a == isa::ReadPort{}) {
          line.gpr_a = port(width_of, 32);
          return isa::Source::gpr_a;
        }
        break;
      case 1:
        if (line.lm_read == isa::ReadPort{}) {
          line.lm_read = port(width_of, 64);
          return isa::Source::lm;
        }
        break;
      case 2:
        if (line.bm.mode == isa::BmMode::none) {
          line.bm.mode = isa::BmMode::read;
          line.bm.record = true;
          line.bm.width = width_of;
          line.bm.address = static_cast<std::uint16_t>(2 * below(4));
          return isa::Source::bm;
        }
        break;
      case 3:
        if (line.immediate == isa::Immediate{}) {
          line.immediate.width = width_of;
          const LongWord word = emulator::flt64to72(value()).value;
          line.immediate.value = width_of == Width::long_word ? word : isa::widen(word.upper());
          if (line.immediate.value.high != 0) return isa::Source::immediate;
          line.immediate = {};
        }
        break;
      default:
        break;
    }
    return short_t ? isa::Source::t_short : isa::Source::t_long;
  }

  /// Changes registers in place, or takes them to T; the other operand is small, or T in a sum.
  Line tame_line() {
    Line line;
    line.vlen = isa::kVectorElements;
    const bool multiplies = below(2) == 0;
    const bool in_lm = below(2) == 0;
    const bool is_long = below(2) == 0;
    const bool is_constant = in_lm && is_long && below(4) == 0;
    const Unit unit = multiplies ? Unit::multiplier : Unit::adder;
    isa::Slot& slot = multiplies ? line.multiplier : line.adder;
    slot.op = multiplies ? isa::Op::FMUL : isa::Op::FADD;
    slot.width = is_long ? Width::long_word : Width::short_word;
    slot.a = in_lm ? isa::Source::lm : isa::Source::gpr_a;
    slot.negate_b = below(2) == 0;
    isa::ReadPort& from = in_lm ? line.lm_read : line.gpr_a;
    from.width = slot.width;
    from.vector = true;
    const unsigned shorts_from = in_lm ? 64 : 32;
    const unsigned place = is_constant ? kConstants : is_long ? 8 * below(shorts_from / 8) : shorts_from + 4 * below(4);
    from.address = static_cast<std::uint16_t>(place);
    if (!multiplies && below(2) == 0) {
      slot.b = is_long ? isa::Source::t_long : isa::Source::t_short;
    } else {
      slot.b = isa::Source::bm;
      line.bm.mode = isa::BmMode::read;
      line.bm.record = true;
      line.bm.width = Width::short_word;
      line.bm.address = static_cast<std::uint16_t>(2 * below(4));
    }
    if (is_constant || below(3) == 0) {
      line.t_write.source = unit;
    } else {
      (in_lm ? line.lm_write : line.gpr_write) = {unit, from.address, true, false, {}};
    }
    return line;
  }

  /// Integers of numbers and of each other, which go to local memory behind the numbers.
  void integers(Line& line) {
    using isa::Op;
    const Op all[] = {Op::UADD, Op::USUB, Op::UAND, Op::UOR,  Op::UXOR,   Op::UNOT, Op::ULSL,
                      Op::ULSR, Op::UASR, Op::UMAX, Op::UMIN, Op::UPASSA, Op::UADD, Op::USUB};
    isa::Slot& slot = line.alu;
    slot.op = all[below(14)];
    slot.width = width();
    const bool is_long = slot.width == Width::long_word;
    if (below(2) == 0) {
      line.lm_read = {static_cast<std::uint16_t>(is_long ? 128 + 8 * below(4) : 192 + 4 * below(4)), slot.width, true,
                      false};
      slot.a = isa::Source::lm;
    } else {
      slot.a = source(line, slot.width, !is_long);
    }
    if (slot.op == Op::ULSL || slot.op == Op::ULSR || slot.op == Op::UASR) {
      line.immediate = {};
      if (slot.a == isa::Source::immediate) slot.a = is_long ? isa::Source::t_long : isa::Source::t_short;
      line.immediate.width = slot.width;
      const unsigned count = below(isa::short_words(slot.width) * isa::kShortBits);
      line.immediate.value = is_long ? LongWord::from_bits(count) : isa::widen(isa::ShortWord{count});
      slot.b = isa::Source::immediate;
    } else if (slot.op != Op::UNOT && slot.op != Op::UPASSA) {
      slot.b = source(line, slot.width, !is_long);
    }
    line.lm_write.source = Unit::alu;
    line.lm_write.vector = true;
    line.lm_write.address = static_cast<std::uint16_t>(is_long ? 128 + 8 * below(4) : 192 + 4 * below(4));
    line.lm_write.predicate = predicate();
    if (below(8) == 0) {
      line.t_write.source = Unit::alu;
      line.t_write.predicate = predicate();
    }
    if (below(3) == 0) {
      const isa::Condition conditions[] = {isa::Condition::zero, isa::Condition::negative, isa::Condition::carry};
      const bool carries = slot.op == Op::UADD || slot.op == Op::USUB;
      slot.flag = {static_cast<std::uint8_t>(1 + below(2)), conditions[below(carries ? 3 : 2)], {}};
    }
  }

  isa::Predicate predicate() {
    isa::Predicate predicate;
    if (below(4) == 0) {
      predicate.flag = static_cast<std::uint8_t>(1 + below(2));
      predicate.inverted = below(2) == 0;
    }
    return predicate;
  }

  Line line() {
    Line line;
    line.vlen = below(6) == 0 ? static_cast<std::uint8_t>(1 + below(4)) : isa::kVectorElements;
    if (under_mask_) {
      if (below(8) != 0) line.mask = {1, inverted_};
    } else if (below(12) == 0) {
      line.mask = {static_cast<std::uint8_t>(1 + below(2)), below(2) == 0};
    }
    if (below(6) == 0) {
      integers(line);
      return line;
    }
    const bool multiplies = below(2) == 0;
    isa::Slot& slot = multiplies ? line.multiplier : line.adder;
    const isa::Op sums[] = {isa::Op::FADD, isa::Op::FSUB, isa::Op::FSUB, isa::Op::FADD, isa::Op::FPASSA};
    slot.op = multiplies ? isa::Op::FMUL : sums[below(5)];
    slot.width = width();
    slot.a = source(line, false);
    if (slot.op != isa::Op::FPASSA) slot.b = source(line, multiplies);
    slot.negate_a = below(4) == 0;
    slot.negate_b = slot.op != isa::Op::FPASSA && below(4) == 0;
    const Unit unit = multiplies ? Unit::multiplier : Unit::adder;
    const bool is_long = slot.width == Width::long_word;
    const auto write = [&](isa::WritePort& to, unsigned shorts_from) {
      to.source = unit;
      to.vector = true;
      to.address = static_cast<std::uint16_t>(is_long ? 8 * below(shorts_from / 8) : shorts_from + 4 * below(4));
      to.predicate = predicate();
    };
    switch (below(3)) {
      case 0:
        write(line.gpr_write, 32);
        break;
      case 1:
        write(line.lm_write, 64);
        break;
      default:
        break;
    }
    const bool nowhere = line.gpr_write.source == Unit::none && line.lm_write.source == Unit::none;
    if (nowhere || below(2) == 0) {
      line.t_write.source = unit;
      line.t_write.predicate = predicate();
    }
    if (below(4) == 0) {
      slot.flag.flag = static_cast<std::uint8_t>(1 + below(2));
      slot.flag.condition = below(2) == 0 ? isa::Condition::zero : isa::Condition::negative;
    }
    return line;
  }

  std::mt19937_64 random_;
  bool under_mask_;
  bool inverted_;  // the mask
};

constexpr unsigned kWordsOfPe = 64;

/// What a random body reads of a PE's registers, but T.
void write_words(Chip& chip, unsigned block, unsigned pe, std::span<const LongWord> words) {
  chip.write_pe(block, pe, {isa::Memory::gpr, 0, Width::long_word, 16}, words.first(16));
  chip.write_pe(block, pe, {isa::Memory::gpr, 32, Width::short_word, 16}, words.subspan(16, 16));
  chip.write_pe(block, pe, {isa::Memory::lm, 0, Width::long_word, 16}, words.subspan(32, 16));
  chip.write_pe(block, pe, {isa::Memory::lm, 64, Width::short_word, 16}, words.subspan(48, 16));
}

// Sets of random bodies. Every change runs some, the nights the others.
constexpr unsigned kSets = kSlowedDown ? 3 : 8;
constexpr unsigned kAllSets = 30;

/// A set of bodies, and whether most of their lines are under the same mask.
class CompiledBodies : public CompiledLoops, public testing::WithParamInterface<std::tuple<unsigned, bool>> {
 protected:
  static void SetUpTestSuite() { sets_ = compiled_ = 0; }
  // The interpreter runs some bodies, and iterations of others that are refused, such as those with long words in
  // records. All together must not be like that.
  static void TearDownTestSuite() {
    if (sets_ < 2 * kSets) return;  // a part of the sets says little
    EXPECT_GE(compiled_, sets_);
  }
  static unsigned sets_;      // that have run
  static unsigned compiled_;  // bodies of them that ran compiled
};
unsigned CompiledBodies::sets_ = 0;
unsigned CompiledBodies::compiled_ = 0;

TEST_P(CompiledBodies, RunAsOnTheReference) {
  constexpr unsigned kBodies = kSlowedDown ? 1 : 4;
  for (unsigned n = 0; n < kBodies; ++n) {
    const auto [set, under_mask] = GetParam();
    const std::uint64_t seed = std::uint64_t{set} * 1000 + n;
    RandomBody body(seed, under_mask);
    isa::Program program;
    program.record_words = 4;
    // Flags are set before they are read.
    std::vector<Line> lines(1);
    lines[0].vlen = isa::kVectorElements;
    lines[0].adder.op = isa::Op::FPASSA;
    lines[0].adder.a = isa::Source::t_long;
    lines[0].adder.flag = {1, isa::Condition::negative, {}};
    lines.push_back(lines[0]);
    lines.back().adder.flag.flag = 2;
    lines.emplace_back();
    for (const Line& line : body.lines()) lines.push_back(line);
    program.sections[static_cast<std::size_t>(Section::loop_body)] = selftest::code_of(lines);
    constexpr unsigned kTurns = 7;
    const std::vector<LongWord> records = body.words(kTurns * kBlocks * program.record_words);
    const std::vector<LongWord> words = body.words(kPesPerBlock * kWordsOfPe);
    unsigned blocks = 1;
    std::optional<unsigned> filled_up;  // this PE's elements begin alike
    const auto prepare = [&](Chip& chip) {
      for (unsigned each = 0; each < blocks * kPesPerBlock; ++each) {
        const unsigned block = each / kPesPerBlock;
        const unsigned pe = each % kPesPerBlock;
        const auto own = std::span(words).subspan(pe * kWordsOfPe, kWordsOfPe);
        write_words(chip, block, pe,
                    pe == filled_up ? with_equal_elements(own) : std::vector<LongWord>(own.begin(), own.end()));
        emulator::PeRegisters registers{};
        for (unsigned element = 0; element < isa::kVectorElements; ++element)
          registers.t[element] = words[pe + (pe == filled_up ? 0 : element)];
        chip.write_registers(block, pe, registers);
      }
    };
    emulator::LoopRun run{{records, program.record_words, std::uint64_t{kTurns} * kBlocks}, kPesPerBlock};
    const Outcome outcome = compare(program, run, blocks, prepare, emulator::make_reference_chip());
    ASSERT_TRUE(outcome.equal) << "seed " << seed << "\n" << selftest::text_of(program);
    const Outcome in_doubles = compare_native(program, run, blocks, prepare);
    ASSERT_TRUE(in_doubles.equal) << "native, seed " << seed << "\n" << selftest::text_of(program);
    // Blocks side by side, the last one without a record in the last turn.
    blocks = kBlocks;
    run.live_pes = 3;
    run.stream.records -= 1;
    const Outcome of_few = compare(program, run, blocks, prepare, emulator::make_reference_chip());
    ASSERT_TRUE(of_few.equal) << "few live PEs, seed " << seed << "\n" << selftest::text_of(program);
    filled_up = run.live_pes - 1;
    const Outcome of_alike = compare(program, run, blocks, prepare, emulator::make_reference_chip());
    ASSERT_TRUE(of_alike.equal) << "elements alike, seed " << seed << "\n" << selftest::text_of(program);
    compiled_ += outcome.compiled > 0 ? 1 : 0;
  }
  if (kBodies > 1) ++sets_;
}

INSTANTIATE_TEST_SUITE_P(Sets, CompiledBodies, testing::Combine(testing::Range(0U, kSets), testing::Bool()));
INSTANTIATE_TEST_SUITE_P(NightlySets, CompiledBodies,
                         testing::Combine(testing::Range(kSets, kAllSets), testing::Bool()));

/// Whether the lines are under a mask.
class CompiledLongBodies : public CompiledLoops, public testing::WithParamInterface<bool> {};

// Longer than the bodies of the kernels of pair forces, so that the function computes half of the elements. Under a
// mask each half has flags of its own.
TEST_P(CompiledLongBodies, RunAsOnTheReference) {
  constexpr unsigned kLines = 170;
  constexpr unsigned kTurns = 7;
  RandomBody body(0);
  isa::Program program;
  program.record_words = 4;
  program.sections[static_cast<std::size_t>(Section::loop_initialization)] = selftest::code_of(body.constants());
  std::vector<Line> lines = body.tame_lines(kLines);
  if (GetParam()) {
    for (Line& line : lines) line.mask = {1, false};
    std::vector<Line> flags(2);  // the second one waits for the flag
    flags[0].vlen = isa::kVectorElements;
    flags[0].adder.op = isa::Op::FPASSA;
    flags[0].adder.a = isa::Source::t_long;
    flags[0].adder.flag = {1, isa::Condition::negative, {}};
    lines.insert(lines.begin(), flags.begin(), flags.end());
  }
  program.sections[static_cast<std::size_t>(Section::loop_body)] = selftest::code_of(lines);
  const std::vector<LongWord> records = body.words(kTurns * kBlocks * program.record_words);
  const std::vector<LongWord> words = body.words(kPesPerBlock * kWordsOfPe);
  unsigned blocks = 1;
  const auto prepare = [&](Chip& chip) {
    for (unsigned each = 0; each < blocks * kPesPerBlock; ++each) {
      const unsigned pe = each % kPesPerBlock;
      write_words(chip, each / kPesPerBlock, pe, std::span(words).subspan(pe * kWordsOfPe, kWordsOfPe));
      emulator::PeRegisters registers{};
      for (unsigned element = 0; element < isa::kVectorElements; ++element) registers.t[element] = words[pe + element];
      chip.write_registers(each / kPesPerBlock, pe, registers);
    }
  };
  emulator::LoopRun run{{records, program.record_words, std::uint64_t{kTurns} * kBlocks}, kPesPerBlock};
  const Outcome outcome = compare(program, run, blocks, prepare, emulator::make_reference_chip());
  EXPECT_TRUE(outcome.equal) << selftest::text_of(program);
  EXPECT_GT(outcome.compiled, 0U);
  const Outcome in_doubles = compare_native(program, run, blocks, prepare);
  EXPECT_TRUE(in_doubles.equal) << "native\n" << selftest::text_of(program);
  EXPECT_GT(in_doubles.compiled, 0U);
  blocks = kBlocks;
  run.live_pes = 3;
  const Outcome of_few = compare(program, run, blocks, prepare, emulator::make_reference_chip());
  EXPECT_TRUE(of_few.equal) << "few live PEs\n" << selftest::text_of(program);
  EXPECT_GT(of_few.packed, 0U);
}

INSTANTIATE_TEST_SUITE_P(UnderAMask, CompiledLongBodies, testing::Bool());

// ---- local memory at computed addresses -----------------------------------------------------------------------------

/// Pairs of lines: an index goes to T, then a word of local memory that it points to is read, or one is written, or
/// both. Words at computed addresses begin at kTable, what lines use at addresses of their own ends before.
class RandomTables {
 public:
  explicit RandomTables(std::uint64_t seed)
      : random_(seed), of_longs_(below(3) != 0), of_numbers_(below(3) == 0), strays_(below(4) == 0) {}

  static constexpr unsigned kTable = 128;       // of local memory
  static constexpr unsigned kShortIndices = 8;  // of GPR; long ones stand before

  std::vector<Line> lines() {
    std::vector<Line> lines = flags();
    const unsigned count = 2 + below(6);
    for (unsigned n = 0; n < count; ++n) {
      // Half of a long number is none.
      const Width width = of_longs_ && (of_numbers_ || below(2) == 0) ? Width::long_word : Width::short_word;
      lines.push_back(index(width));
      lines.push_back(access(width));
      if (below(3) == 0) lines.push_back(sum());
    }
    lines.emplace_back();  // so that nothing is pending when the next turn begins
    return lines;
  }

  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }

  /// Of local memory: a long number, or two short ones.
  [[nodiscard]] LongWord word(RandomBody& numbers) const {
    const LongWord number = emulator::flt64to72(numbers.value()).value;
    return of_longs_ ? number : isa::join(number.upper(), emulator::flt64to72(numbers.value()).value.upper());
  }

 private:
  /// Of the indices: flag 1 the same in every turn, flag 2 not.
  static std::vector<Line> flags() {
    std::vector<Line> lines(3);
    for (Line& line : std::span(lines).first(2)) {
      line.vlen = isa::kVectorElements;
      line.gpr_a = {0, Width::long_word, true, false};
      line.alu = {isa::Op::UAND, isa::Source::gpr_a, isa::Source::immediate, false, false, Width::long_word, {}};
      line.immediate = {Width::long_word, LongWord::from_bits(2)};
      line.alu.flag = {1, isa::Condition::zero, {}};
    }
    lines[1].immediate = {};
    lines[1].alu.b = isa::Source::bm;
    lines[1].bm.mode = isa::BmMode::read;
    lines[1].bm.record = true;
    lines[1].bm.width = Width::long_word;
    lines[1].alu.flag.flag = 2;
    return lines;
  }

  /// Of the PE's or the record's; even ones for long words, unless it strays.
  Line index(Width width) {
    Line line;
    line.vlen = isa::kVectorElements;
    const bool is_long = width == Width::long_word;
    const unsigned bits = strays_ && below(4) == 0 ? 1023 : is_long ? 126 : 127;
    line.alu.op = isa::Op::UAND;
    line.alu.width = width;
    line.alu.b = isa::Source::immediate;
    line.immediate = {width, is_long ? LongWord::from_bits(bits) : isa::widen(isa::ShortWord{bits})};
    if (below(2) == 0) {
      line.alu.a = isa::Source::gpr_a;
      line.gpr_a = {static_cast<std::uint16_t>(is_long ? 0 : kShortIndices), width, true, false};
    } else {
      line.alu.a = isa::Source::bm;
      line.bm.mode = isa::BmMode::read;
      line.bm.record = true;
      line.bm.width = width;
      line.bm.address = static_cast<std::uint16_t>(is_long ? 0 : 2);
    }
    line.t_write.source = Unit::alu;
    return line;
  }

  /// Such that the index stays inside, unless it strays.
  std::uint16_t base(Width width) {
    const unsigned first = strays_ && below(4) == 0 ? 0 : kTable;
    const unsigned some = first + below(200);
    return static_cast<std::uint16_t>(width == Width::long_word ? some & ~1U : some);
  }

  Line access(Width width) {
    Line line;
    line.vlen = below(6) == 0 ? static_cast<std::uint8_t>(1 + below(4)) : isa::kVectorElements;
    if (below(5) == 0) line.mask = {static_cast<std::uint8_t>(1 + below(2)), below(2) == 0};
    const bool is_long = width == Width::long_word;
    // A number of more bits than a double has is none that a compiled body takes from memory.
    const bool writes = below(2) == 0 && !(of_numbers_ && is_long);
    const bool reads = !writes || below(2) == 0;
    isa::Slot& slot = of_numbers_ ? line.adder : line.alu;
    const Unit unit = of_numbers_ ? Unit::adder : Unit::alu;
    slot.width = width;
    // Numbers stand behind the indices, long ones before short ones.
    line.gpr_a = {static_cast<std::uint16_t>(is_long ? 16 : 48), width, true, false};
    slot.b = isa::Source::gpr_a;
    if (reads) {
      line.lm_read = {base(width), width, below(4) != 0, true};
      slot.a = isa::Source::lm;
    } else {
      slot.a = isa::Source::gpr_a;
    }
    const isa::Op of_words[] = {isa::Op::UADD, isa::Op::UXOR, isa::Op::UMAX, isa::Op::ULSL, isa::Op::UASR};
    slot.op = of_numbers_ ? isa::Op::FADD : of_words[below(5)];
    if (slot.op == isa::Op::ULSL || slot.op == isa::Op::UASR) {  // by the index
      slot.b = is_long ? isa::Source::t_long : isa::Source::t_short;
      if (reads) line.gpr_a = {};
    }
    if (writes) {
      line.lm_write = {unit, base(width), below(4) != 0, true, predicate()};
    } else {
      line.gpr_write = {unit, static_cast<std::uint16_t>(is_long ? 24 : 52), true, false, predicate()};
    }
    if (below(3) == 0) line.t_write = {unit, 0, false, false, predicate()};
    return line;
  }

  /// At an address of its own.
  Line sum() {
    Line line;
    line.vlen = isa::kVectorElements;
    const Width width = of_longs_ ? Width::long_word : Width::short_word;
    line.lm_read = {static_cast<std::uint16_t>(8 * below(2)), width, true, false};
    line.gpr_a = {static_cast<std::uint16_t>(of_longs_ ? 24 : 52), width, true, false};
    isa::Slot& slot = of_numbers_ ? line.adder : line.alu;
    slot = {isa::Op::UXOR, isa::Source::lm, isa::Source::gpr_a, false, false, width, {}};
    if (of_numbers_) slot.op = isa::Op::FADD;
    line.lm_write = {of_numbers_ ? Unit::adder : Unit::alu, line.lm_read.address, true, false, predicate()};
    return line;
  }

  isa::Predicate predicate() {
    if (below(4) != 0) return {};
    return {static_cast<std::uint8_t>(1 + below(2)), below(2) == 0, false};
  }

  std::mt19937_64 random_;
  bool of_longs_;    // some words at computed addresses are
  bool of_numbers_;  // or of integers
  bool strays_;      // to words that lines use otherwise, and out of local memory
};

class CompiledTables : public CompiledLoops, public testing::WithParamInterface<unsigned> {};

TEST_P(CompiledTables, RunAsOnTheReference) {
  constexpr unsigned kBodies = kSlowedDown ? 1 : 4;
  constexpr unsigned kTurns = 35;
  unsigned compiled = 0;
  for (unsigned n = 0; n < kBodies; ++n) {
    const std::uint64_t seed = std::uint64_t{GetParam()} * 1000 + n;
    RandomTables body(seed);
    isa::Program program;
    program.record_words = 2;
    program.sections[static_cast<std::size_t>(Section::loop_body)] = selftest::code_of(body.lines());
    const auto index = [&] { return body.below(1024); };
    std::vector<LongWord> records;
    for (unsigned record = 0; record < kTurns * kBlocks; ++record) {
      records.push_back(LongWord::from_bits(index()));
      records.push_back(isa::join(isa::ShortWord{index()}, isa::ShortWord{index()}));
    }
    const auto prepare = [&](Chip& chip) {
      RandomBody of_pes(seed + 1);
      for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
        std::vector<LongWord> gpr;
        for (unsigned word = 0; word < isa::kGprShortWords / 2; ++word) {
          const LongWord number = emulator::flt64to72(of_pes.value()).value;
          const isa::ShortWord index_of_pe{of_pes.below(1024)};
          gpr.push_back(word < 4    ? LongWord::from_bits(index_of_pe.bits)
                        : word < 8  ? isa::join(index_of_pe, index_of_pe)
                        : word < 24 ? number
                                    : isa::join(number.upper(), number.upper()));
        }
        std::vector<LongWord> lm;
        for (unsigned word = 0; word < isa::kLmShortWords / 2; ++word) lm.push_back(body.word(of_pes));
        chip.write_pe(0, pe, {isa::Memory::gpr, 0, Width::long_word, isa::kGprShortWords / 2}, gpr);
        chip.write_pe(0, pe, {isa::Memory::lm, 0, Width::long_word, isa::kLmShortWords / 2}, lm);
      }
    };
    for (const unsigned live_pes : {kPesPerBlock, 5U}) {
      const emulator::LoopRun run{{records, program.record_words, std::uint64_t{kTurns} * kBlocks}, live_pes};
      const Outcome outcome = compare(program, run, 1, prepare, emulator::make_reference_chip());
      ASSERT_TRUE(outcome.equal) << "seed " << seed << "\n" << selftest::text_of(program);
      const Outcome in_doubles = compare_native(program, run, 1, prepare);
      ASSERT_TRUE(in_doubles.equal) << "native, seed " << seed << "\n" << selftest::text_of(program);
      compiled += outcome.compiled > 0 ? 1 : 0;
    }
  }
  if (kBodies > 1) {
    EXPECT_GT(compiled, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, CompiledTables, testing::Range(0U, kSets));
INSTANTIATE_TEST_SUITE_P(NightlySets, CompiledTables, testing::Range(kSets, kAllSets));

}  // namespace
}  // namespace gdr::tests
