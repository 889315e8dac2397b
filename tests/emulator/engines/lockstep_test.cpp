// Two engines in lockstep: equal ones pass unnoticed, a wrong one is caught at the line that it gets wrong.
#include "gdr/emulator/lockstep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "forwarding_chip.h"
#include "gdr/selftest/random_program.h"

namespace gdr::tests {
namespace {

using emulator::Chip;
using emulator::Divergence;
using isa::Line;
using isa::LongWord;
using isa::Op;
using isa::Section;
using isa::Source;
using isa::Unit;
using isa::Width;
using selftest::code_of;

/// What an engine gets wrong.
struct Mistakes {
  /// It takes one operation for another wherever a line writes to this GPR address.
  std::optional<unsigned> gpr_address{};
  /// The one with this number of the words that a block collects is wrong.
  std::optional<std::size_t> collected_word{};
  /// What it does to PE 3 and the broadcast memory of a block at the end of a run.
  std::function<void(Chip&, unsigned block)> at_end{};
  bool ignores_faults = false;
  bool counts_events_twice = false;
  bool loses_places_of_events = false;
};

class Mistaken final : public ForwardingChip {
 public:
  explicit Mistaken(Mistakes mistakes) : ForwardingChip(emulator::make_simd_chip()), mistakes_(std::move(mistakes)) {}

 private:
  std::shared_ptr<const emulator::Lowered> do_lower(const isa::Program& program) const override {
    return chip_->lower(changed(program));
  }
  std::unique_ptr<Chip> do_clone() const override {
    auto copy = std::make_unique<Mistaken>(mistakes_);
    copy->chip_ = chip_->clone();
    return copy;
  }
  void do_run_initialization(unsigned block) override {
    chip_->run_initialization(block);
    if (mistakes_.at_end) mistakes_.at_end(*chip_, block);
  }
  void do_run_loop(emulator::BlockRange blocks, const emulator::LoopRun& run) override {
    try {
      chip_->run_loop(blocks, run);
    } catch (const emulator::Fault&) {
      if (!mistakes_.ignores_faults) throw;
    }
    if (mistakes_.collected_word && *mistakes_.collected_word < run.collected.size()) {
      run.collected[*mistakes_.collected_word].low ^= 1;
    }
    if (!mistakes_.at_end) return;
    for (unsigned n = 0; n < blocks.count; ++n) mistakes_.at_end(*chip_, blocks.first + n);
  }
  emulator::FirstEvents do_first_events(unsigned block) const override {
    return mistakes_.loses_places_of_events ? emulator::FirstEvents() : chip_->first_events(block);
  }
  emulator::FpEvents do_events(unsigned block) const override {
    emulator::FpEvents events = chip_->events(block);
    if (mistakes_.counts_events_twice) events += chip_->events(block);
    return events;
  }

  [[nodiscard]] isa::Program changed(isa::Program program) const {
    for (auto& section : program.sections) {
      for (isa::Step& step : section) {
        auto* const coded = std::get_if<isa::ProgramLine>(&step);
        if (coded == nullptr) continue;
        Line line = isa::decoded(coded->word);
        if (line.gpr_write.source != Unit::adder || line.gpr_write.address != mistakes_.gpr_address) continue;
        line.adder.op = Op::FSUB;
        coded->word = isa::encode(line);
      }
    }
    return program;
  }

  Mistakes mistakes_;
};

/// One that takes one operation for another.
std::unique_ptr<Chip> mistaken_at(unsigned gpr_address) {
  return std::make_unique<Mistaken>(Mistakes{.gpr_address = gpr_address});
}

/// $lr(to) = $lr(a) + word 0 of the record, or the immediate where there is no record.
Line add_line(unsigned a, unsigned to, bool record) {
  Line line;
  line.vlen = 1;
  line.gpr_a = {static_cast<std::uint16_t>(a), Width::long_word, false, false};
  line.adder.op = Op::FADD;
  line.adder.width = Width::long_word;
  line.adder.a = Source::gpr_a;
  if (record) {
    line.adder.b = Source::bm;
    line.bm.mode = isa::BmMode::read;
    line.bm.width = Width::long_word;
    line.bm.record = true;
  } else {
    line.adder.b = Source::immediate;
    line.immediate.value = LongWord{0x3ff0000000000000, 0};
  }
  line.gpr_write = {Unit::adder, static_cast<std::uint16_t>(to), false, false, {}};
  return line;
}

/// Loop initialization sets $lr0; the body adds records to $lr4 by way of $lr2; termination makes $lr8 from $lr4. Empty
/// lines stand between what is written and what reads it.
isa::Program summing_program() {
  isa::Program program;
  program.kernel = "summing";
  program.files = {"summing.vsm"};
  program.record_words = 1;
  const auto set = [&](Section section, const std::vector<Line>& lines, std::uint32_t first_source_line) {
    auto& code = program.sections[static_cast<std::size_t>(section)];
    code = code_of(lines);
    for (isa::Step& step : code) std::get<isa::ProgramLine>(step).position = {0, first_source_line++, 1};
  };
  set(Section::loop_initialization, {add_line(20, 0, false), Line{}}, 10);
  set(Section::loop_body, {add_line(4, 2, true), Line{}, add_line(2, 4, false), Line{}}, 20);
  set(Section::loop_termination, {add_line(4, 8, false), Line{}}, 30);
  return program;
}

std::vector<LongWord> records(std::size_t count) {
  std::vector<LongWord> words;
  for (std::size_t n = 0; n < count; ++n) words.push_back({0x4000000000000000 + (n << 44), 0});
  return words;
}

Divergence::Place place_of_mistake_at(unsigned address, std::uint64_t records_used, std::string* text = nullptr) {
  const auto chip = emulator::make_lockstep_chip(emulator::make_reference_chip(), mistaken_at(address));
  chip->load(summing_program());
  const std::vector<LongWord> words = records(records_used);
  try {
    chip->run_loop({5, 1}, {{words, 1, words.size()}, 4});
  } catch (const Divergence& divergence) {
    if (text != nullptr) *text = divergence.what();
    return divergence.place();
  }
  ADD_FAILURE() << "not noticed";
  return {};
}

TEST(Lockstep, EqualEnginesAreNotNoticed) {
  const auto chip = emulator::make_lockstep_chip(emulator::make_reference_chip(), emulator::make_simd_chip());
  chip->load(summing_program());
  const std::vector<LongWord> words = records(70);
  chip->run_loop({0, emulator::kBlocks}, {{words, 1, words.size()}, 32});
  const emulator::PeWords sum{isa::Memory::gpr, 4, Width::long_word, 1};
  const auto alone = emulator::make_reference_chip();
  alone->load(summing_program());
  alone->run_loop({0, emulator::kBlocks}, {{words, 1, words.size()}, 32});
  for (unsigned block = 0; block < emulator::kBlocks; ++block) {
    EXPECT_EQ(chip->read_pe(block, 31, sum), alone->read_pe(block, 31, sum)) << block;
  }
}

TEST(Lockstep, NamesTheLineOfTheBodyAndItsIteration) {
  std::string text;
  // $lr2 = 0 + word in the first iteration; the mistake, 0 - word, shows at once.
  const Divergence::Place place = place_of_mistake_at(2, 100, &text);
  EXPECT_EQ(place.block, 5u);
  EXPECT_EQ(place.pe, 0u);
  EXPECT_EQ(place.section, Section::loop_body);
  EXPECT_EQ(place.iteration, 0u);
  EXPECT_EQ(place.line, 0u);
  EXPECT_EQ(place.destination, "$lr2");
  EXPECT_EQ(place.expected, isa::to_hex(records(6)[5]));
  EXPECT_THAT(text, testing::HasSubstr("summing.vsm:20: "));
  EXPECT_THAT(text, testing::HasSubstr("fadd"));
}

TEST(Lockstep, NamesTheIterationAloneWhereTheRecordIsTooLongToLookForTheLine) {
  constexpr std::uint16_t kRecordWords = isa::kTransferWindowWords + 1;
  isa::Program program = summing_program();
  program.record_words = kRecordWords;
  Line last_word = add_line(4, 2, true);
  last_word.bm.address = 2 * (kRecordWords - 1);
  program.steps(Section::loop_body).front() = code_of({last_word}).front();
  const auto chip = emulator::make_lockstep_chip(emulator::make_reference_chip(), mistaken_at(2));
  chip->load(program);
  const std::vector<LongWord> words = records(std::size_t{kRecordWords} * emulator::kBlocks);
  try {
    chip->run_loop({5, 1}, {{words, kRecordWords, emulator::kBlocks}, 4});
    FAIL() << "not noticed";
  } catch (const Divergence& divergence) {
    EXPECT_EQ(divergence.place().section, Section::loop_body);
    EXPECT_EQ(divergence.place().iteration, 0u);
    EXPECT_FALSE(divergence.place().line.has_value());
  }
}

TEST(Lockstep, NamesLinesOutsideTheBody) {
  const Divergence::Place first = place_of_mistake_at(0, 40);
  EXPECT_EQ(first.section, Section::loop_initialization);
  EXPECT_EQ(first.line, 0u);
  const Divergence::Place last = place_of_mistake_at(8, 40);
  EXPECT_EQ(last.section, Section::loop_termination);
  EXPECT_EQ(last.line, 0u);
  EXPECT_EQ(last.destination, "$lr8");
}

TEST(Lockstep, NamesALaterLineOfTheBody) {
  const Divergence::Place place = place_of_mistake_at(4, 100);
  EXPECT_EQ(place.section, Section::loop_body);
  EXPECT_EQ(place.line, 2u);
  EXPECT_EQ(place.destination, "$lr4");
}

/// The body of summing_program() with room in BM: PE 0 stores its sum, which leaves for the tree, and so once more
/// after the loop.
isa::Program collecting_program() {
  isa::Program program = summing_program();
  Line store;
  store.vlen = 1;
  store.gpr_a = {4, Width::long_word, false, false};
  store.bm.mode = isa::BmMode::write;
  store.bm.width = Width::long_word;
  store.bm.address = 40;
  store.bm.one_pe = true;
  store.bm.store_source = Source::gpr_a;
  std::vector<isa::Step>& body = program.steps(Section::loop_body);
  for (const isa::Step& line : code_of({store, Line{}})) body.push_back(line);
  isa::Variable sum;
  sum.name = "sum";
  sum.memory = isa::Memory::bm;
  sum.address = 40;
  sum.transfer = isa::Transfer::rrn;
  sum.conversion = isa::Conversion::FLT72TO64;
  program.variables = {sum};
  const isa::CollectStep collect{0, 0, 1, false, {}};
  body.push_back(collect);
  std::vector<isa::Step>& termination = program.steps(Section::loop_termination);
  termination.insert(termination.begin(), collect);
  return program;
}

/// What blocks 2 to 5 collect in three turns.
std::vector<LongWord> collected_on(Chip& chip) {
  constexpr unsigned kCollecting = 4;
  const isa::Program program = collecting_program();
  chip.load(program);
  const std::vector<LongWord> words = records(48);
  std::vector<LongWord> collected(kCollecting * emulator::collected_words(program, 3, true, true));
  emulator::LoopRun run;
  run.stream = {words, 1, words.size()};
  run.collected = collected;
  chip.run_loop({2, kCollecting}, run);
  return collected;
}

TEST(Lockstep, CollectedWordsAreThoseOfTheReferenceEngineInEveryBlock) {
  const auto both = emulator::make_lockstep_chip(emulator::make_reference_chip(), emulator::make_simd_chip());
  const auto alone = emulator::make_reference_chip();
  const std::vector<LongWord> expected = collected_on(*alone);
  ASSERT_EQ(expected.size(), 4 * 4 * isa::kVectorElements) << "blocks, collects, words";
  for (std::size_t word = 0; word < expected.size(); word += isa::kVectorElements) {
    EXPECT_NE(expected[word], LongWord{}) << "every block brings its sum in every turn: " << word;
  }
  EXPECT_EQ(collected_on(*both), expected);
}

TEST(Lockstep, AWrongWordForTheTreeIsTracedToItsTurn) {
  const auto chip =
      emulator::make_lockstep_chip(emulator::make_reference_chip(),
                                   std::make_unique<Mistaken>(Mistakes{.collected_word = isa::kVectorElements + 1}));
  try {
    (void)collected_on(*chip);
    FAIL() << "not noticed";
  } catch (const Divergence& divergence) {
    EXPECT_EQ(divergence.on_chip(3).place().chip, 3u);
    EXPECT_THAT(divergence.on_chip(3).what(), testing::HasSubstr("the engines differ: chip 3, block 2"));
    EXPECT_EQ(divergence.place().block, 2u);
    EXPECT_EQ(divergence.place().section, Section::loop_body);
    EXPECT_EQ(divergence.place().iteration, 1u);
    EXPECT_EQ(divergence.place().destination, "collected word 5");
    EXPECT_FALSE(divergence.place().line.has_value());
  }
}

/// T = 600, then in one line the adder's result goes to $lm4 + T while the ALU reads $lm20 + T.
isa::Program program_of_two_faults() {
  Line point;
  point.immediate = {Width::long_word, LongWord::from_bits(600)};
  point.alu = {Op::UPASSA, Source::immediate, Source::none, false, false, Width::long_word, {}};
  point.t_write.source = Unit::alu;
  Line both;
  both.lm_read = {20, Width::long_word, false, true};
  both.adder = {Op::FPASSA, Source::gpr_a, Source::none, false, false, Width::long_word, {}};
  both.lm_write = {Unit::adder, 4, false, true, {}};
  both.alu = {Op::UPASSA, Source::lm, Source::none, false, false, Width::long_word, {}};
  both.gpr_write = {Unit::alu, 8, false, false, {}};
  isa::Program program;
  program.steps(Section::loop_initialization) = code_of({point, both, Line{}});
  return program;
}

TEST(Lockstep, EnginesAgreeOnTheFaultOfALineThatReadsAndWritesOutsideLocalMemory) {
  const auto chip = emulator::make_lockstep_chip(emulator::make_reference_chip(), emulator::make_simd_chip());
  chip->load(program_of_two_faults());
  try {
    chip->run_loop({0, 1}, {});
    FAIL() << "no fault";
  } catch (const emulator::Fault& fault) {
    EXPECT_THAT(fault.what(), testing::HasSubstr("local memory address 20 + T"));
  }
}

/// A session on which a piece of 70 records has run in blocks 4 to 6 of its second chip.
std::unique_ptr<emulator::Session> session_after_a_piece(const emulator::Engine& engine) {
  const std::vector<LongWord> words = records(70);
  auto session = engine.open(engine.lower(summing_program()), {2, words.size(), {}});
  session->initialize();
  session->write_memory(1, 0, words);
  emulator::Piece piece;
  piece.chip = 1;
  piece.blocks = {4, 3};
  piece.records = words.size();
  piece.live_pes = 4;
  session->wait(session->run({&piece, 1}));
  return session;
}

std::unique_ptr<emulator::Engine> mistaken_engine(const Mistakes& mistakes) {
  return emulator::make_chip_engine([mistakes] { return std::make_unique<Mistaken>(mistakes); });
}

TEST(LockstepOfSessions, ShowsTheFirstEngineWhereTheyAreEqual) {
  const auto engine = emulator::make_engine("lockstep:simd,reference");
  EXPECT_TRUE(engine->traits().exact);
  const auto both = session_after_a_piece(*engine);
  const auto alone = session_after_a_piece(*emulator::make_engine("reference"));
  const emulator::PeWords sum{isa::Memory::gpr, 4, Width::long_word, 1};
  for (unsigned block = 4; block < 7; ++block) {
    EXPECT_EQ(both->read_pe(1, block, 3, sum), alone->read_pe(1, block, 3, sum)) << block;
  }
  EXPECT_FALSE(emulator::make_engine("lockstep:native,simd")->traits().exact);
}

TEST(LockstepOfSessions, TracesAMistakeToChipBlockIterationAndLine) {
  const auto engine = emulator::make_lockstep_engine(emulator::make_engine(emulator::Engine::reference),
                                                     mistaken_engine({.gpr_address = 2}));
  try {
    (void)session_after_a_piece(*engine);
    FAIL() << "not noticed";
  } catch (const Divergence& divergence) {
    EXPECT_EQ(divergence.place().chip, 1u);
    EXPECT_EQ(divergence.place().block, 4u);
    EXPECT_EQ(divergence.place().section, Section::loop_body);
    EXPECT_EQ(divergence.place().iteration, 0u);
    ASSERT_TRUE(divergence.place().line.has_value());
    EXPECT_EQ(*divergence.place().line, 0u);
    EXPECT_THAT(divergence.what(), testing::HasSubstr("chip 1, block 4, PE 0, loop body, iteration 0, summing.vsm:20"));
  }
}

/// The divergence of the reference engine from one with these mistakes.
template <class Run>
Divergence divergence_in(const Mistakes& mistakes, Run run) {
  const auto engine =
      emulator::make_lockstep_engine(emulator::make_engine(emulator::Engine::reference), mistaken_engine(mistakes));
  try {
    run(*engine);
  } catch (const Divergence& divergence) {
    return divergence;
  }
  ADD_FAILURE() << "not noticed";
  return {isa::Program(), {}};
}

/// The same with chips in lockstep, which run in blocks 2 to 4.
Divergence divergence_of_chips(const Mistakes& mistakes, const isa::Program& program, std::size_t record_count) {
  const auto chip = emulator::make_lockstep_chip(emulator::make_reference_chip(), std::make_unique<Mistaken>(mistakes));
  chip->load(program);
  const std::vector<LongWord> words = records(record_count);
  try {
    chip->run_loop({2, 3}, {{words, 1, words.size()}, 4});
  } catch (const Divergence& divergence) {
    return divergence;
  }
  ADD_FAILURE() << "not noticed";
  return {isa::Program(), {}};
}

TEST(Lockstep, ComparesAllThatABlockHolds) {
  struct Case {
    std::string destination;
    std::function<void(Chip&, unsigned)> change;
  };
  const auto in_memory = [](isa::Memory memory, std::uint16_t address) {
    return [=](Chip& chip, unsigned block) {
      chip.write_pe(block, 3, {memory, address, Width::long_word, 1}, std::vector{LongWord{1, 1}});
    };
  };
  const auto in_registers = [](auto change) {
    return [=](Chip& chip, unsigned block) {
      emulator::PeRegisters registers = chip.registers(block, 3);
      change(registers);
      chip.write_registers(block, 3, registers);
    };
  };
  const std::vector<Case> cases{
      {"$lr40", in_memory(isa::Memory::gpr, 40)},
      {"$lm400", in_memory(isa::Memory::lm, 400)},
      {"$t[2]", in_registers([](emulator::PeRegisters& registers) { registers.t[2].low = 1; })},
      {"flags 4..1 of element 1", in_registers([](emulator::PeRegisters& registers) { registers.flags[1] = 5; })},
      {"bm 700", [](Chip& chip, unsigned block) { chip.write_bm(block, 700, std::vector{LongWord{0, 1}}); }},
  };
  for (const auto& [destination, change] : cases) {
    const Mistakes mistakes{.at_end = change};
    const Divergence of_chips = divergence_of_chips(mistakes, summing_program(), 70);
    const Divergence of_sessions =
        divergence_in(mistakes, [](const emulator::Engine& engine) { (void)session_after_a_piece(engine); });
    EXPECT_EQ(of_chips.place().destination, destination);
    EXPECT_EQ(of_sessions.place().destination, destination);
    EXPECT_EQ(of_chips.place().pe, destination.starts_with("bm") ? 0u : 3u);
    EXPECT_EQ(of_chips.place().block, 2u);
  }
}

TEST(Lockstep, OfFlagsShowsThemAsBits) {
  const Mistakes mistakes{.at_end = [](Chip& chip, unsigned block) {
    emulator::PeRegisters registers = chip.registers(block, 0);
    registers.flags[3] = 0b1001;
    chip.write_registers(block, 0, registers);
  }};
  const Divergence divergence = divergence_of_chips(mistakes, summing_program(), 16);
  EXPECT_EQ(divergence.place().expected, "0000");
  EXPECT_EQ(divergence.place().found, "1001");
}

/// The body of summing_program() overflows in its first line: the sum and the record are the largest number.
isa::Program overflowing_program() {
  isa::Program program = summing_program();
  Line line = add_line(4, 2, false);
  line.adder.a = line.adder.b = Source::immediate;
  line.gpr_a = {};
  line.immediate = {Width::long_word, LongWord{0x7fefffffffffffff, 0xff}};
  program.steps(Section::loop_body).front() = code_of({line}).front();
  return program;
}

TEST(Lockstep, ComparesEventsAndTheirPlaces) {
  const auto counted = divergence_of_chips({.counts_events_twice = true}, overflowing_program(), 16).place();
  EXPECT_EQ(counted.destination, "events");
  EXPECT_EQ(counted.expected, "invalid 0, overflow 4, underflow 0");
  EXPECT_EQ(counted.found, "invalid 0, overflow 8, underflow 0");
  const auto placed = divergence_of_chips({.loses_places_of_events = true}, overflowing_program(), 16).place();
  EXPECT_EQ(placed.destination, "event 0");
  EXPECT_THAT(placed.expected, testing::HasSubstr("overflow of the adder"));
  EXPECT_EQ(placed.found, "none");
}

TEST(LockstepOfSessions, ComparesEventsAndTheirPlaces) {
  const auto run = [](const emulator::Engine& engine) {
    const auto session = engine.open(engine.lower(overflowing_program()), {1, 16, {}});
    emulator::Piece piece;
    piece.records = 16;
    session->wait(session->run({&piece, 1}));
  };
  EXPECT_EQ(divergence_in({.counts_events_twice = true}, run).place().destination, "events");
  EXPECT_EQ(divergence_in({.loses_places_of_events = true}, run).place().destination, "event 0");
}

TEST(LockstepOfSessions, ComparesWhatInitializationLeaves) {
  const Mistakes mistakes{.at_end = [](Chip& chip, unsigned block) {
    if (block == 6) chip.write_bm(block, 12, std::vector{LongWord{0, 1}});
  }};
  const Divergence divergence = divergence_in(mistakes, [](const emulator::Engine& engine) {
    engine.open(engine.lower(summing_program()), {2, 0, {}})->initialize();
  });
  EXPECT_EQ(divergence.place().chip, 0u);
  EXPECT_EQ(divergence.place().block, 6u);
  EXPECT_EQ(divergence.place().destination, "bm 12");
}

TEST(LockstepOfSessions, ComparesFaults) {
  const auto run = [](const emulator::Engine& engine) {
    const auto session = engine.open(engine.lower(program_of_two_faults()), {1, 0, {}});
    const emulator::Piece piece;
    session->wait(session->run({&piece, 1}));
  };
  const Divergence divergence = divergence_in({.ignores_faults = true}, run);
  EXPECT_EQ(divergence.place().destination, "the run's end");
  EXPECT_THAT(divergence.place().expected, testing::HasSubstr("local memory address 20 + T"));
  EXPECT_EQ(divergence.place().found, "no fault");
}

/// What two blocks of a session collect in three turns.
std::vector<LongWord> collected_by(const emulator::Engine& engine) {
  const isa::Program program = collecting_program();
  const std::vector<LongWord> words = records(48);
  const auto session = engine.open(engine.lower(program), {1, words.size(), {}});
  session->write_memory(0, 0, words);
  emulator::Piece piece;
  piece.blocks = {0, emulator::kBlocks};
  piece.records = words.size();
  session->run({&piece, 1});
  std::vector<LongWord> collected(emulator::collected_words(program, 3, true, true));
  session->wait(session->collect(0, 0, collected));
  return collected;
}

TEST(LockstepOfSessions, ComparesWhatTheTreeBrings) {
  EXPECT_EQ(collected_by(*emulator::make_engine("lockstep:simd,reference")),
            collected_by(*emulator::make_engine("reference")));
  const auto run = [](const emulator::Engine& engine) { (void)collected_by(engine); };
  const Divergence divergence = divergence_in({.collected_word = 5}, run);
  EXPECT_EQ(divergence.place().destination, "the tree, collected word 5");
  EXPECT_EQ(divergence.place().chip, 0u);
  // A mistake in the loop of such a program is traced as in any other.
  const Divergence in_loop = divergence_in({.gpr_address = 4}, run);
  EXPECT_EQ(in_loop.place().section, Section::loop_body);
  EXPECT_EQ(in_loop.place().line, 2u);
  EXPECT_EQ(in_loop.place().destination, "$lr4");
}

TEST(Lockstep, NamesALineInAnIterationWithoutARecord) {
  // $jvalid is false there, so $lr2 is not written; the mistake is two lines below.
  isa::Program program = summing_program();
  Line gated = add_line(4, 2, true);
  gated.gpr_write.predicate.jvalid = true;
  gated.alu = {Op::UPASSA, Source::gpr_a, Source::none, false, false, Width::long_word, {}};
  gated.alu.flag = {1, isa::Condition::zero, {}};
  gated.alu.flag.predicate.jvalid = true;
  Line both = add_line(4, 10, false);
  both.gpr_write.predicate.jvalid = true;
  both.t_write.source = Unit::adder;
  program.steps(Section::loop_body) = code_of({gated, both, add_line(8, 6, false), Line{}});
  const auto chip = emulator::make_lockstep_chip(emulator::make_reference_chip(), mistaken_at(6));
  chip->load(program);
  const std::vector<LongWord> words = records(3);
  try {
    chip->run_loop({5, 1}, {{words, 1, words.size()}, 4});
    FAIL() << "not noticed";
  } catch (const Divergence& divergence) {
    EXPECT_EQ(divergence.place().section, Section::loop_body);
    EXPECT_EQ(divergence.place().iteration, 0u);
    EXPECT_EQ(divergence.place().line, 2u);
    EXPECT_EQ(divergence.place().destination, "$lr6");
  }
}

TEST(Lockstep, LooksForTheLineWithoutTouchingTheProgramsBroadcastMemory) {
  // $lr2 = $lr4 + BM word 554 of a program that has records.
  isa::Program program = summing_program();
  Line line = add_line(4, 2, true);
  line.bm.record = false;
  line.bm.address = 2 * 554;
  program.steps(Section::loop_body).front() = code_of({line}).front();
  const auto chip = emulator::make_lockstep_chip(emulator::make_reference_chip(), mistaken_at(2));
  chip->load(program);
  const LongWord three{0x4008000000000000, 0};
  for (unsigned word = 8; word < 896; ++word) chip->write_bm(5, word, std::vector{three});
  const std::vector<LongWord> words = records(16);
  try {
    chip->run_loop({5, 1}, {{words, 1, words.size()}, 4});
    FAIL() << "not noticed";
  } catch (const Divergence& divergence) {
    EXPECT_EQ(divergence.place().line, 0u);
    EXPECT_EQ(divergence.place().expected, isa::to_hex(three));
  }
}

TEST(Lockstep, OfAProgramWithoutSourceNamesTheLineByItsNumber) {
  isa::Program program = summing_program();
  program.files.clear();
  EXPECT_THAT(divergence_of_chips({.gpr_address = 4}, program, 16).what(),
              testing::HasSubstr("loop body, iteration 0, line 2: "));
}

TEST(LockstepOfSessions, AgreesOnFaults) {
  const auto engine = emulator::make_engine("lockstep:simd,reference");
  const auto session = engine->open(engine->lower(program_of_two_faults()), {1, 0, {}});
  const emulator::Piece piece;
  EXPECT_THROW(session->wait(session->run({&piece, 1})), emulator::Fault);
}

TEST(LockstepOfSessions, RefusesNamesThatAreNoTwoEnginesThatCompute) {
  for (const std::string_view name : {"lockstep:", "lockstep:simd", "lockstep:simd,", "lockstep:simd,none"}) {
    EXPECT_FALSE(emulator::is_engine(name)) << name;
    EXPECT_THROW((void)emulator::make_engine(name), Error) << name;
  }
  EXPECT_THROW((void)emulator::make_engine("lockstep:simd,timing"), Error);
}

TEST(Lockstep, CopiesOfAnEngineAndPatchedCodeKeepTheState) {
  for (const auto& make : {std::function<std::unique_ptr<Chip>()>(emulator::make_reference_chip),
                           std::function<std::unique_ptr<Chip>()>([] { return emulator::make_simd_chip(); })}) {
    const auto chip = make();
    chip->load(summing_program());
    const std::vector<LongWord> words = records(48);
    chip->run_loop({0, emulator::kBlocks}, {{words, 1, words.size()}, 32});
    const auto copy = chip->clone();
    isa::Program other = summing_program();
    for (auto& section : other.sections) section.clear();
    copy->patch(other);
    const emulator::PeWords all{isa::Memory::gpr, 0, Width::long_word, 16};
    EXPECT_EQ(copy->read_pe(7, 9, all), chip->read_pe(7, 9, all));
    EXPECT_EQ(copy->read_bm(7, 0, 8), chip->read_bm(7, 0, 8));
    EXPECT_EQ(copy->registers(7, 9), chip->registers(7, 9));
  }
}

}  // namespace
}  // namespace gdr::tests
