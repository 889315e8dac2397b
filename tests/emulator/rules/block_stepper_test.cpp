// A block that executes line by line: what a debugger sees after each line, and what it may not ask for.
#include "gdr/emulator/block_stepper.h"

#include <gmock/gmock.h>

#include <functional>

#include "gdr/base/error.h"
#include "gdr/selftest/random_program.h"
#include "rules_testing.h"

namespace gdr::tests {
namespace {

using emulator::BlockState;
using emulator::BlockStepper;
using emulator::kPesPerBlock;
using emulator::NextLine;
using emulator::PeWords;
using emulator::WordWrite;
using isa::LongWord;
using isa::Memory;
using isa::Width;
using ::testing::HasSubstr;

constexpr PeWords kFirstOfGpr{Memory::gpr, 0, Width::long_word, 1};

/// Adds the record's word to GPR 0 of each PE; GPR 4 has twice the sum once the loop ends.
isa::Program adding_up() {
  isa::Program program;
  program.kernel = "adding_up";
  program.record_words = 1;
  program.sections[static_cast<std::size_t>(isa::Section::loop_body)] =
      selftest::code_of(lines_of("upassa $lr0 $lr2 ; bm $lj0 $lt\nuadd $lt $lr0 $lr0\nnop"));
  program.sections[static_cast<std::size_t>(isa::Section::loop_termination)] =
      selftest::code_of(lines_of("uadd $lr0 $lr0 $lr4"));
  return program;
}

class Stepping : public testing::Test {
 protected:
  static constexpr unsigned kBlock = 3;

  /// As many iterations as there are words, each of them a record of this block.
  void begin(const std::vector<std::uint64_t>& values) {
    words_.clear();
    for (const std::uint64_t value : values) words_.insert(words_.end(), emulator::kBlocks, integer(value));
    emulator::LoopRun run;
    run.stream = {words_, 1, words_.size()};
    block_.begin(run);
  }
  [[nodiscard]] LongWord gpr(unsigned address, unsigned pe = 0) const {
    return block_.read_pe(pe, {Memory::gpr, static_cast<std::uint16_t>(address), Width::long_word, 1}).front();
  }
  template <class Call>
  static std::string refusal(const Call& call) {
    try {
      call();
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }

  BlockStepper block_{adding_up(), kBlock};
  std::vector<LongWord> words_;
};

TEST_F(Stepping, GoesThroughTheSectionsLineByLine) {
  begin({5, 7});
  std::vector<NextLine> lines;
  for (; !block_.done(); block_.step()) lines.push_back(block_.next());
  const auto body = [](std::size_t line, std::uint64_t iteration) {
    return NextLine{isa::Section::loop_body, line, iteration, true};
  };
  const std::vector<NextLine> expected{body(0, 0),
                                       body(1, 0),
                                       body(2, 0),
                                       body(0, 1),
                                       body(1, 1),
                                       body(2, 1),
                                       {isa::Section::loop_termination, 0, 0, true}};
  EXPECT_EQ(lines, expected);
  for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
    EXPECT_EQ(gpr(0, pe), integer(12)) << pe;
    EXPECT_EQ(gpr(4, pe), integer(24)) << pe;
  }
}

TEST_F(Stepping, ShowsWhatALineWrote) {
  begin({5});
  block_.step();  // T takes the record's word, GPR 2 what GPR 0 held
  block_.step();
  const std::vector<WordWrite> written = block_.written();
  ASSERT_EQ(written.size(), 2u * isa::kVectorElements * kPesPerBlock);  // two halves of each
  for (const WordWrite& write : written) {
    EXPECT_EQ(write.storage, isa::Storage::gpr);
    EXPECT_LT(write.address, 2);
    EXPECT_EQ(write.word.upper(), isa::ShortWord{write.address == 0 ? 0u : 5u});
  }
  EXPECT_EQ(gpr(0), integer(5)) << "on its way, and shown at once";
  EXPECT_EQ(block_.registers(kPesPerBlock - 1).t[0], integer(5));
}

TEST_F(Stepping, ComesBackToACopy) {
  begin({5, 7});
  for (int line = 0; line < 3; ++line) block_.step();
  const BlockStepper place = block_;
  while (!block_.done()) block_.step();
  EXPECT_EQ(gpr(4), integer(24));
  block_ = place;
  EXPECT_EQ(block_.next(), (NextLine{isa::Section::loop_body, 0, 1, true}));
  EXPECT_EQ(gpr(0), integer(5));
  while (!block_.done()) block_.step();
  EXPECT_EQ(gpr(4), integer(24));
}

TEST_F(Stepping, GivesAndTakesTheWholeBlock) {
  block_.write_bm(511, std::vector{integer(9)});
  block_.write_pes(30, {Memory::lm, 510, Width::long_word, 1}, integers({3, 4}));
  begin({5});
  block_.step();
  BlockState state = block_.state();
  EXPECT_EQ(state.bm[511], integer(9));
  EXPECT_EQ(state.lm[31 * 256 + 255], integer(4));
  EXPECT_EQ(state.registers[7].t[0], integer(5));
  state.gpr[32] = integer(77);
  state.bm.resize(2);
  BlockStepper other(adding_up(), 0);
  other.set_state(state);
  EXPECT_TRUE(other.done());
  EXPECT_EQ(other.read_pe(1, kFirstOfGpr).front(), integer(77));
  EXPECT_EQ(other.read_pe(31, {Memory::lm, 510, Width::long_word, 1}).front(), integer(4));
  EXPECT_EQ(other.read_bm(511, 1).front(), LongWord{}) << "fewer words of BM leave the rest";
  EXPECT_EQ(other.registers(7).t[0], integer(5));
}

TEST_F(Stepping, RefusesWhatIsOutsideTheBlockAndSaysTheRange) {
  const auto read = [&](unsigned pe, const PeWords& where) {
    return refusal([&] { static_cast<void>(block_.read_pe(pe, where)); });
  };
  EXPECT_EQ(read(32, kFirstOfGpr), "pe = 32 is refused: it must be 0 to 31");
  EXPECT_THAT(read(0, {Memory::bm, 0, Width::long_word, 1}), HasSubstr("must be gpr or lm"));
  EXPECT_EQ(read(0, {Memory::gpr, 62, Width::long_word, 1}), "");
  EXPECT_EQ(read(0, {Memory::gpr, 63, Width::short_word, 1}), "");
  EXPECT_EQ(read(0, {Memory::gpr, 1, Width::long_word, 1}), "where.address = 1 is refused: it must be 0 to 62");
  EXPECT_EQ(read(0, {Memory::gpr, 64, Width::short_word, 1}), "where.address = 64 is refused: it must be 0 to 63");
  EXPECT_EQ(read(0, {Memory::gpr, 60, Width::long_word, 3}), "where.count = 3 is refused: it must be 0 to 2");
  EXPECT_EQ(read(0, {Memory::lm, 512, Width::long_word, 1}), "where.address = 512 is refused: it must be 0 to 510");

  const auto read_bm = [&](unsigned address, unsigned count) {
    return refusal([&] { static_cast<void>(block_.read_bm(address, count)); });
  };
  EXPECT_EQ(read_bm(1023, 1), "");
  EXPECT_EQ(read_bm(1024, 0), "");
  EXPECT_EQ(read_bm(1023, 2), "count = 2 is refused: it must be 0 to 1");
  EXPECT_EQ(read_bm(1025, 0), "address = 1025 is refused: it must be 0 to 1024");

  const auto write = [&](unsigned pe, const PeWords& where, std::size_t words) {
    return refusal([&] { block_.write_pes(pe, where, std::vector<LongWord>(words)); });
  };
  EXPECT_EQ(write(31, {Memory::gpr, 0, Width::long_word, 2}, 2), "");
  EXPECT_EQ(write(31, {Memory::gpr, 0, Width::long_word, 2}, 4), "words = 4 is refused: it must be 0 to 2");
  EXPECT_EQ(write(30, {Memory::gpr, 0, Width::long_word, 2}, 3), "words = 3 is refused: it must be 0 to 4");
  EXPECT_EQ(write(0, {Memory::gpr, 0, Width::long_word, 0}, 0), "where.count = 0 is refused: it must be 1 to 512");

  EXPECT_EQ(refusal([] { BlockStepper(adding_up(), 16); }), "block = 16 is refused: it must be 0 to 15");
}

TEST_F(Stepping, RefusesRunsThatDoNotFitTheKernel) {
  const std::vector<LongWord> words(4);
  const auto begin = [&](unsigned record_words, std::uint64_t records, unsigned live_pes) {
    emulator::LoopRun run;
    run.stream = {words, record_words, records};
    run.live_pes = live_pes;
    return refusal([&] { block_.begin(run); });
  };
  EXPECT_EQ(begin(1, 4, 32), "");
  EXPECT_EQ(begin(1, 5, 32), "stream.records = 5 is refused: it must be 0 to 4");
  EXPECT_EQ(begin(2, 2, 32), "stream.record_words = 2 is refused: it must be 1 to 1");
  EXPECT_EQ(begin(1, 4, 33), "live_pes = 33 is refused: it must be 0 to 32");
}

TEST_F(Stepping, RefusesALineWhereNoneComesNext) {
  EXPECT_TRUE(block_.done());
  EXPECT_EQ(refusal([&] { block_.step(); }), "no line comes next");
  EXPECT_EQ(refusal([&] { static_cast<void>(block_.next()); }), "no line comes next");
}

TEST_F(Stepping, RefusesAStateOfAnotherShape) {
  const BlockState whole = block_.state();
  const auto set = [&](const std::function<void(BlockState&)>& change) {
    BlockState state = whole;
    change(state);
    return refusal([&] { block_.set_state(state); });
  };
  EXPECT_EQ(set([](BlockState&) {}), "");
  EXPECT_THAT(set([](BlockState& state) { state.gpr.pop_back(); }), HasSubstr("state.gpr"));
  EXPECT_THAT(set([](BlockState& state) { state.lm.emplace_back(); }), HasSubstr("state.lm"));
  EXPECT_THAT(set([](BlockState& state) { state.registers.clear(); }), HasSubstr("state.registers = 0"));
  EXPECT_THAT(set([](BlockState& state) { state.bm.emplace_back(); }), HasSubstr("count = 1025"));
}

}  // namespace
}  // namespace gdr::tests
