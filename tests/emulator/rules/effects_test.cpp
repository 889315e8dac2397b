// isa::effects() against what the reference engine touches: random lines run on a block whose every word is known. What
// changes is what a line writes; a word that changes the outcome when it alone is another is one that the line reads.
#include "gdr/isa/effects.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <memory>
#include <optional>

#include "gdr/emulator/chip.h"
#include "gdr/selftest/random_program.h"
#include "slowed_down.h"

namespace gdr::tests {
namespace {

using emulator::Chip;
using emulator::Fault;
using isa::Access;
using isa::Line;
using isa::LongWord;
using isa::Op;
using isa::Section;
using isa::ShortWord;
using isa::Source;
using isa::Storage;
using isa::Unit;
using isa::Width;
using selftest::code_of;
using selftest::ProgramShape;
using selftest::RandomPrograms;

// Words of a block as one PE sees it, short ones and flags numbered through.
constexpr unsigned kGpr = 0;
constexpr unsigned kLm = kGpr + isa::kGprShortWords;
constexpr unsigned kT = kLm + isa::kLmShortWords;
constexpr unsigned kFlag = kT + isa::kTShortWords;
constexpr unsigned kBm = kFlag + isa::kFlags * isa::kVectorElements;
constexpr unsigned kWords = kBm + isa::kBmShortWords;
using WordSet = std::bitset<kWords>;

// T and flags come from words of local memory that no tested line reaches: long words, then a short word for each flag
// and element, whose sign it takes.
constexpr unsigned kTSource = 448;
constexpr unsigned kFlagSource = kTSource + isa::kTShortWords;
constexpr unsigned kUsedLm = 96;  // short words that lines reach, indirect ones included
constexpr unsigned kUsedBm = 64;
constexpr unsigned kPes = 4;

constexpr ProgramShape kShapes[] = {{4, false, 24}, {2, false, 64}, {4, true, 24}};

unsigned word_of(Storage storage, unsigned address, unsigned element) {
  switch (storage) {
    case Storage::gpr:
      return kGpr + address;
    case Storage::lm:
      return kLm + address;
    case Storage::t:
      return kT + address;
    case Storage::flag:
      return kFlag + (address - 1) * isa::kVectorElements + element;
    case Storage::bm:
    case Storage::record:  // of the first iteration, at the start of BM
      break;
  }
  return kBm + address;
}

void add(WordSet& set, const Access& access, unsigned elements) {
  for (unsigned element = 0; element < elements; ++element) {
    const isa::WordRange words = isa::words_of(access, element);
    for (unsigned word = words.first; word < words.last; ++word) set.set(word_of(access.storage, word, element));
  }
}

/// What may be touched, and what must be seen to be touched sooner or later.
struct Expected {
  WordSet may_read;
  WordSet must_read;
  WordSet may_write;
  WordSet must_write;
};

/// False for a write that mask and predicate never let through together.
bool can_happen(const Line& line, const Access& write) {
  const isa::Predicate& predicate = write.predicate;
  return line.mask.flag == 0 || predicate.flag != line.mask.flag || predicate.inverted == line.mask.inverted;
}

/// True if every element's value of a unit's result can be seen, not the last one's or a bit of it alone.
bool shows_all(const Line& line, const isa::Effects& effects, Unit unit) {
  return std::ranges::any_of(effects.writes(), [&](const Access& write) {
    const bool every_element = write.storage == Storage::t || write.step != 0 || effects.elements() == 1;
    return write.unit == unit && write.storage != Storage::flag && every_element && can_happen(line, write);
  });
}

/// Of PE `pe`, which is `Line::bm.pe` or not.
Expected expected_of(const std::vector<Line>& lines, unsigned pe) {
  Expected expected;
  for (const Line& line : lines) {
    const bool last = &line == &lines.back();  // what others do the last one may hide
    const isa::Effects effects = isa::effects(line);
    const auto takes_part = [&](const Access& access) { return !access.one_pe || line.bm.pe == pe; };
    for (const Access& read : effects.reads()) {
      if (!takes_part(read) || read.defines) continue;
      add(expected.may_read, read, effects.elements());
      const bool is_operand = read.purpose == isa::Purpose::value && !read.indirect;
      if (last && is_operand && shows_all(line, effects, read.unit)) {
        add(expected.must_read, read, effects.elements());
      }
    }
    for (const Access& write : effects.writes()) {
      if (!takes_part(write)) continue;
      add(expected.may_write, write, effects.elements());
      if (last && !write.indirect && can_happen(line, write)) add(expected.must_write, write, effects.elements());
    }
  }
  // A word that is copied onto itself looks untouched.
  expected.must_read &= ~expected.may_write;
  expected.must_write &= ~expected.may_read;
  return expected;
}

/// Lines that set T and the flags from local memory, and let them land.
std::vector<Line> setting_lines() {
  std::vector<Line> lines;
  Line line;
  line.vlen = isa::kVectorElements;
  line.lm_read = {kTSource, Width::long_word, true, false};
  line.alu = {Op::UPASSA, Source::lm, Source::none, false, false, Width::long_word, {}};
  line.t_write.source = Unit::alu;
  lines.push_back(line);
  for (unsigned flag = 1; flag <= isa::kFlags; ++flag) {
    const unsigned address = kFlagSource + (flag - 1) * isa::kVectorElements;
    line.lm_read = {static_cast<std::uint16_t>(address), Width::short_word, true, false};
    line.alu.width = Width::short_word;
    line.alu.flag = {static_cast<std::uint8_t>(flag), isa::Condition::negative, {}};
    line.t_write = {};
    lines.push_back(line);
  }
  lines.resize(lines.size() + 2);
  return lines;
}

/// The words of one block, of which PEs have the same.
using State = std::array<std::uint64_t, kWords>;

class Bench {
 public:
  Bench(const std::vector<Line>& lines, const ProgramShape& shape) {
    program_.record_words = static_cast<std::uint16_t>(shape.record_words);
    program_.steps(Section::loop_initialization) = code_of(setting_lines());
    program_.steps(Section::loop_body) = code_of(lines);
    chip_->load(program_);
  }

  /// Runs block `block`, in which PE `pe` and the broadcast memory hold `state` and the other PEs `others`; nothing for
  /// a fault.
  std::optional<std::array<State, kPes>> run(const State& state, unsigned pe, const State& others, unsigned block) {
    for (unsigned n = 0; n < kPes; ++n) write_pe(block, n, n == pe ? state : others);
    std::vector<LongWord> bm;
    for (unsigned word = kBm; word < kWords; word += 2) bm.push_back(isa::join({state[word]}, {state[word + 1]}));
    chip_->write_bm(block, 0, bm);
    std::vector<LongWord> records(std::size_t{emulator::kBlocks} * program_.record_words);
    std::copy_n(bm.begin(), program_.record_words, records.begin() + block * program_.record_words);
    emulator::LoopRun run;
    run.stream = {records, program_.record_words, emulator::kBlocks};
    run.live_pes = kPes;
    try {
      chip_->run_loop({block, 1}, run);
    } catch (const Fault&) {
      return std::nullopt;
    }
    std::array<State, kPes> outcome{};
    for (unsigned n = 0; n < kPes; ++n) outcome[n] = read(block, n);
    return outcome;
  }

 private:
  void write_pe(unsigned block, unsigned pe, const State& state) {
    const auto shorts = [&](unsigned first, unsigned count) {
      std::vector<LongWord> words;
      for (unsigned n = 0; n < count; ++n) words.push_back(isa::widen(ShortWord{state[first + n]}));
      return words;
    };
    chip_->write_pe(block, pe, {isa::Memory::gpr, 0, Width::short_word, isa::kGprShortWords},
                    shorts(kGpr, isa::kGprShortWords));
    chip_->write_pe(block, pe, {isa::Memory::lm, 0, Width::short_word, kTSource}, shorts(kLm, kTSource));
    chip_->write_pe(block, pe, {isa::Memory::lm, kTSource, Width::short_word, isa::kTShortWords},
                    shorts(kT, isa::kTShortWords));
    std::vector<LongWord> signs;
    for (unsigned flag = kFlag; flag < kBm; ++flag) {
      signs.push_back(isa::widen(ShortWord{state[flag] << (isa::kShortBits - 1)}));
    }
    chip_->write_pe(block, pe,
                    {isa::Memory::lm, kFlagSource, Width::short_word, static_cast<std::uint16_t>(signs.size())}, signs);
  }

  [[nodiscard]] State read(unsigned block, unsigned pe) const {
    State state{};
    const auto put = [&](unsigned first, const std::vector<LongWord>& words) {
      for (const LongWord word : words) {
        state[first++] = word.upper().bits;
        state[first++] = word.lower().bits;
      }
    };
    put(kGpr, chip_->read_pe(block, pe, {isa::Memory::gpr, 0, Width::long_word, isa::kGprShortWords / 2}));
    put(kLm, chip_->read_pe(block, pe, {isa::Memory::lm, 0, Width::long_word, kTSource / 2}));
    const emulator::PeRegisters registers = chip_->registers(block, pe);
    put(kT, {registers.t.begin(), registers.t.end()});
    for (unsigned flag = 0; flag < isa::kFlags; ++flag) {
      for (unsigned element = 0; element < isa::kVectorElements; ++element) {
        state[kFlag + flag * isa::kVectorElements + element] = (registers.flags[element] >> flag) & 1;
      }
    }
    put(kBm, chip_->read_bm(block, 0, isa::kBmShortWords / 2));
    return state;
  }

  isa::Program program_;
  std::unique_ptr<Chip> chip_ = emulator::make_reference_chip();
};

/// `indirect`: T holds indices.
State random_state(RandomPrograms& random, bool indirect) {
  State state{};
  for (unsigned word = 0; word < kWords; word += 2) {
    const LongWord drawn = random.word();
    state[word] = drawn.upper().bits;
    state[word + 1] = drawn.lower().bits;
  }
  for (unsigned word = kLm + kTSource; word < kT; ++word) state[word] = 0;  // read() leaves it out, too
  const bool long_index = random.one_in(2);                                 // in T as a long word, or in its upper half
  for (unsigned element = 0; indirect && element < isa::kVectorElements; ++element) {
    const std::uint64_t index = 2 * random.below(16);
    if (long_index) state[kT + 2 * element] = 0;
    state[kT + 2 * element + (long_index ? 1 : 0)] = index;
  }
  for (unsigned flag = kFlag; flag < kBm; ++flag) state[flag] = random.below(2);
  return state;
}

/// Words other than `but` in which the two differ.
WordSet differences(const State& a, const State& b) {
  WordSet set;
  for (unsigned word = 0; word < kWords; ++word) set.set(word, a[word] != b[word]);
  return set;
}

std::string names_of(const WordSet& set) {
  std::string text;
  for (unsigned word = 0; word < kWords; ++word) {
    if (!set.test(word)) continue;
    const auto [name, first] = word < kLm     ? std::pair("gpr ", kGpr)
                               : word < kT    ? std::pair("lm ", kLm)
                               : word < kFlag ? std::pair("t ", kT)
                               : word < kBm   ? std::pair("flag ", kFlag)
                                              : std::pair("bm ", kBm);
    text += name + std::to_string(word - first) + "; ";
  }
  return text.empty() ? "none" : text;
}

std::string text_of(const std::vector<Line>& lines) {
  std::string text;
  for (const Line& line : lines) text += isa::print(line) + "\n";
  return text;
}

/// False for lines of which some operand cannot be seen whatever it is: x - x, x shifted by x, or with an immediate
/// that decides alone.
bool can_be_seen(const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    if (isa::reads(line, Source::immediate)) return false;
    const isa::Slot& sum = line.adder;
    const bool cancels = sum.a == sum.b && (sum.negate_a != sum.negate_b) != (sum.op == Op::FSUB);
    if (sum.op != Op::NOP && cancels) return false;
    const bool shifts = line.alu.op == Op::ULSL || line.alu.op == Op::ULSR || line.alu.op == Op::UASR;
    if (shifts && line.alu.a == line.alu.b) return false;
    // An index is no number of any size to be seen.
    const bool reads_t = isa::reads(line, Source::t_short) || isa::reads(line, Source::t_long);
    if (reads_t && isa::effects(line).indirect()) return false;
  }
  // What the first line of a product leaves in T is what the second one reads there.
  return lines.size() == 1 || lines.front().t_write.source == Unit::none;
}

void check(const std::vector<Line>& lines, const ProgramShape& shape, RandomPrograms& random) {
  constexpr unsigned kTrials = 60;
  const unsigned pe = lines.back().bm.one_pe ? lines.back().bm.pe : static_cast<unsigned>(random.below(kPes));
  if (pe >= kPes || lines.front().bm.pe >= kPes) return;
  Bench bench(lines, shape);
  const Expected expected = expected_of(lines, pe);
  const bool indirect = std::ranges::any_of(lines, [](const Line& line) { return isa::effects(line).indirect(); });
  std::vector<unsigned> candidates;
  for (unsigned word = 0; word < kWords; ++word) {
    const bool out_of_reach = (word >= kLm + kUsedLm && word < kT) || word >= kBm + kUsedBm;
    if (!out_of_reach) candidates.push_back(word);
  }
  WordSet seen_read;
  WordSet seen_written;
  for (unsigned trial = 0; trial < kTrials; ++trial) {
    const State state = random_state(random, indirect);
    const unsigned block = static_cast<unsigned>(random.below(emulator::kBlocks));
    const auto before = bench.run(state, pe, state, block);
    if (!before) continue;  // an index outside local memory
    for (unsigned n = 0; n < kPes; ++n) {
      const WordSet changed = differences((*before)[n], state);
      const WordSet foreign = changed & ~expected_of(lines, n).may_write;
      // What one PE stores is in everybody's broadcast memory.
      WordSet stored = foreign;
      for (unsigned word = 0; word < kBm; ++word) stored.reset(word);
      ASSERT_TRUE((foreign & ~(stored & expected.may_write)).none()) << "PE " << n << " writes " << names_of(foreign);
    }
    seen_written |= differences((*before)[pe], state);
    const WordSet open = expected.must_read & ~seen_read;
    for (const unsigned word : candidates) {
      // Once what must be read was seen, one look at the others is enough.
      if (trial > 0 && !open.test(word)) continue;
      State other = state;
      const bool flag = word >= kFlag && word < kBm;
      do {
        const LongWord drawn = random.word();
        other[word] = flag ? 1 - state[word] : word % 2 == 0 ? drawn.upper().bits : drawn.lower().bits;
      } while (other[word] == state[word]);
      const auto after = bench.run(other, pe, state, block);
      bool reads = !after;
      if (after) {
        const State& found = (*after)[pe];
        WordSet changed = differences(found, (*before)[pe]);
        if (found[word] == other[word] && (*before)[pe][word] == state[word]) changed.reset(word);  // left as it was
        reads = changed.any();
      }
      if (!reads) continue;
      seen_read.set(word);
      ASSERT_TRUE(expected.may_read.test(word)) << "reads " << names_of(WordSet().set(word));
    }
    if ((expected.must_read & ~seen_read).none() && (expected.must_write & ~seen_written).none()) return;
  }
  EXPECT_TRUE((expected.must_read & ~seen_read).none()) << "never read " << names_of(expected.must_read & ~seen_read);
  EXPECT_TRUE((expected.must_write & ~seen_written).none())
      << "never written " << names_of(expected.must_write & ~seen_written);
}

class Effects : public testing::TestWithParam<Op> {};

TEST_P(Effects, AreWhatTheReferenceEngineTouches) {
  constexpr unsigned kLines = kSlowedDown ? 2 : 12;
  const Op op = GetParam();
  for (unsigned n = 0; n < kLines; ++n) {
    RandomPrograms random(1000 * static_cast<std::uint64_t>(op) + n);
    const ProgramShape& shape = kShapes[n % std::size(kShapes)];
    std::vector<Line> lines;
    do {
      lines = random.lines_with(op, Section::loop_body, shape);
    } while (!can_be_seen(lines));
    check(lines, shape, random);
    if (HasFailure()) FAIL() << text_of(lines);
  }
}

std::vector<Op> operations_of_slots() {
  std::vector<Op> operations;
  for (const isa::OperationInfo& info : isa::operations()) {
    if (info.unit != Unit::bm) operations.push_back(info.op);
  }
  return operations;
}

INSTANTIATE_TEST_SUITE_P(Operations, Effects, testing::ValuesIn(operations_of_slots()),
                         [](const auto& operation) { return std::string(isa::info_of(operation.param).mnemonic); });

// ---- products of long words ---------------------------------------------------------------------------------------

/// $lr0v times local memory at T, as fmulh or fmull.
Line product(Op op) {
  Line line;
  line.vlen = isa::kVectorElements;
  line.gpr_a = {0, Width::long_word, true, false};
  line.lm_read = {0, Width::long_word, true, true};
  line.multiplier.op = op;
  line.multiplier.a = Source::gpr_a;
  line.multiplier.b = Source::lm;
  if (op == Op::FMULL) {
    line.multiplier.width = Width::long_word;
    line.gpr_write = {Unit::multiplier, 16, true, false, {}};
  }
  return line;
}

Line store_to_lm(bool indirect) {
  Line line;
  line.vlen = isa::kVectorElements;
  line.gpr_a = {8, Width::long_word, true, false};
  line.alu = {Op::UPASSA, Source::gpr_a, Source::none, false, false, Width::long_word, {}};
  line.lm_write = {Unit::alu, 40, true, indirect, {}};
  return line;
}

/// The line at which the program is refused; nothing if it is taken.
std::optional<std::size_t> refused_line(const isa::Program& program) {
  try {
    emulator::make_reference_chip()->load(program);
    return std::nullopt;
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.kind(), emulator::FaultKind::unproven_product);
    return fault.line();
  }
}

TEST(Product, WhoseIndirectOperandMayLandBetweenItsLinesIsRefused) {
  const auto body = [](const std::vector<Line>& lines) {
    isa::Program program;
    program.steps(Section::loop_body) = code_of(lines);
    return refused_line(program);
  };
  for (const bool indirect : {false, true}) {
    EXPECT_EQ(body({Line{}, store_to_lm(indirect), product(Op::FMULH), product(Op::FMULL), Line{}}), 2u) << indirect;
    EXPECT_EQ(body({Line{}, store_to_lm(indirect), Line{}, product(Op::FMULH), product(Op::FMULL), Line{}}),
              std::nullopt)
        << indirect;
  }
  // The word lies below all that an index leads to.
  Line above = store_to_lm(false);
  Line high = product(Op::FMULH);
  Line low = product(Op::FMULL);
  high.lm_read.address = low.lm_read.address = 48;
  EXPECT_EQ(body({Line{}, above, high, low, Line{}}), std::nullopt);
}

TEST(Product, WhoseOperandLandsFromTheSectionBeforeIsRefused) {
  const auto behind = [](Section section, Section before, const std::vector<Line>& ending) {
    isa::Program program;
    program.steps(before) = code_of(ending);
    program.steps(section) = code_of({product(Op::FMULH), product(Op::FMULL), Line{}});
    return refused_line(program);
  };
  for (const Section section : {Section::loop_body, Section::loop_termination}) {
    EXPECT_EQ(behind(section, Section::loop_initialization, {store_to_lm(true)}), 0u) << isa::name_of(section);
    EXPECT_EQ(behind(section, Section::loop_initialization, {store_to_lm(true), Line{}}), std::nullopt);
  }
  EXPECT_EQ(behind(Section::loop_termination, Section::loop_body, {store_to_lm(true)}), 0u);
}

}  // namespace
}  // namespace gdr::tests
