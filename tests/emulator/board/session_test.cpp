// Sessions and boards on them: engines by name, work in the background, external memory, order of sums, places of
// events.
#include "gdr/emulator/session.h"
#include "gdr/emulator/opencl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <future>

#include "engines.h"
#include "forwarding_chip.h"
#include "gdr/emulator/board.h"
#include "gdr/emulator/host_isa.h"
#include "gdr/emulator/lockstep.h"
#include "gdr/emulator/thread_pool.h"
#include "gdr/selftest/random_program.h"

namespace gdr::tests {
namespace {

using emulator::Boards;
using emulator::Engine;
using emulator::FpEvent;
using emulator::kBlocks;
using emulator::Piece;
using emulator::Session;
using isa::Line;
using isa::LongWord;
using isa::Section;
using isa::Width;
using selftest::code_of;
using selftest::RandomPrograms;

std::uint64_t field(double value) { return std::bit_cast<std::uint64_t>(value); }
double number(std::uint64_t field) { return std::bit_cast<double>(field); }

/// $lr(to)v = op($lr(a)v, y), in four elements; y is word 0 of the record.
Line unit_line(isa::Op op, unsigned a, unsigned to) {
  Line line;
  line.vlen = isa::kVectorElements;
  line.gpr_a = {static_cast<std::uint16_t>(a), Width::long_word, true, false};
  line.adder.op = op;
  line.adder.width = Width::long_word;
  line.adder.a = isa::Source::gpr_a;
  line.adder.b = isa::Source::bm;
  line.bm.mode = isa::BmMode::read;
  line.bm.width = Width::long_word;
  line.bm.record = true;
  line.gpr_write = {isa::Unit::adder, static_cast<std::uint16_t>(to), true, false, {}};
  return line;
}

void declare(isa::Program& program, std::string name, isa::Transfer transfer, unsigned address) {
  isa::Variable variable;
  variable.name = std::move(name);
  variable.memory = transfer == isa::Transfer::elt ? isa::Memory::bm : isa::Memory::gpr;
  variable.address = static_cast<std::uint16_t>(address);
  variable.vector = transfer != isa::Transfer::elt;
  variable.transfer = transfer;
  variable.conversion = transfer == isa::Transfer::rrn ? isa::Conversion::FLT72TO64 : isa::Conversion::FLT64TO72;
  if (transfer == isa::Transfer::rrn) variable.reduction = isa::Op::FADD;
  program.variables.push_back(variable);
}

/// sum = x + all y.
isa::Program summing_program() {
  isa::Program program;
  program.kernel = "summing";
  program.files = {"summing.vsm"};
  program.record_words = 1;
  declare(program, "x", isa::Transfer::hlt, 0);
  declare(program, "y", isa::Transfer::elt, 0);
  declare(program, "sum", isa::Transfer::rrn, 0);
  auto& body = program.sections[static_cast<std::size_t>(Section::loop_body)];
  body = code_of({unit_line(isa::Op::FADD, 0, 0), Line{}});
  for (std::uint32_t n = 0; n < body.size(); ++n) std::get<isa::ProgramLine>(body[n]).position = {0, 20 + n, 3};
  return program;
}

/// An engine that passes all on to another one and counts what it is given.
struct Calls {
  unsigned lowered = 0;
  std::uint64_t memory_words = 0;
  unsigned pieces = 0;
};

class CountingSession final : public Session {
 public:
  CountingSession(std::unique_ptr<Session> inner, Calls& calls) : inner_(std::move(inner)), calls_(calls) {}

  const isa::Program& program() const override { return inner_->program(); }
  unsigned chips() const override { return inner_->chips(); }
  void write_memory(unsigned chip, std::uint64_t address, std::span<const LongWord> words) override {
    calls_.memory_words += words.size();
    inner_->write_memory(chip, address, words);
  }
  std::vector<LongWord> read_memory(unsigned chip, std::uint64_t address, std::uint64_t count) const override {
    return inner_->read_memory(chip, address, count);
  }
  void broadcast(unsigned address, std::span<const LongWord> words) override { inner_->broadcast(address, words); }
  void initialize() override { inner_->initialize(); }
  void write_particles(emulator::ChipRange chips, emulator::BlockRange blocks, unsigned particles,
                       std::span<const LongWord> words) override {
    inner_->write_particles(chips, blocks, particles, words);
  }
  emulator::Ticket run(std::span<const Piece> pieces) override {
    calls_.pieces += static_cast<unsigned>(pieces.size());
    return inner_->run(pieces);
  }
  emulator::Ticket collect(unsigned chip, unsigned particles, std::span<LongWord> into) override {
    return inner_->collect(chip, particles, into);
  }
  void wait(emulator::Ticket ticket) override { inner_->wait(ticket); }
  emulator::FpEvents events(unsigned chip) const override { return inner_->events(chip); }
  std::vector<emulator::PlacedEvent> first_events() const override { return inner_->first_events(); }
  emulator::FpLanes fp_lanes(unsigned chip) const override { return inner_->fp_lanes(chip); }
  emulator::BlockState state(unsigned chip, unsigned block) const override { return inner_->state(chip, block); }
  void set_state(unsigned chip, unsigned block, const emulator::BlockState& state) override {
    inner_->set_state(chip, block, state);
  }
  std::vector<LongWord> read_pe(unsigned chip, unsigned block, unsigned pe,
                                const emulator::PeWords& where) const override {
    return inner_->read_pe(chip, block, pe, where);
  }
  emulator::PeRegisters registers(unsigned chip, unsigned block, unsigned pe) const override {
    return inner_->registers(chip, block, pe);
  }
  std::vector<LongWord> read_bm(unsigned chip, unsigned block, unsigned address, unsigned count) const override {
    return inner_->read_bm(chip, block, address, count);
  }
  void set_breakpoints(std::vector<emulator::Breakpoint> lines,
                       std::function<void(const emulator::Stop&)> stopped) override {
    inner_->set_breakpoints(std::move(lines), std::move(stopped));
  }

 private:
  std::unique_ptr<Session> inner_;
  Calls& calls_;
};

class CountingEngine final : public Engine {
 public:
  explicit CountingEngine(Calls& calls) : inner_(emulator::make_engine(Engine::simd)), calls_(calls) {}
  std::shared_ptr<const emulator::Lowered> lower(const isa::Program& program) const override {
    ++calls_.lowered;
    return inner_->lower(program);
  }
  std::unique_ptr<Session> open(std::shared_ptr<const emulator::Lowered> program,
                                const emulator::SessionOptions& options) const override {
    return std::make_unique<CountingSession>(inner_->open(std::move(program), options), calls_);
  }

 private:
  std::unique_ptr<Engine> inner_;
  Calls& calls_;
};

Boards boards_with(std::string_view engine, unsigned boards = 1, unsigned threads = 1) {
  Boards made(emulator::load_machine("model1800"), boards, engine, threads);
  made.load(summing_program());
  return made;
}

TEST(Engines, OneRegisteredFromOutsideServesByItsName) {
  static Calls calls;
  emulator::register_engine("counting", [] { return std::make_unique<CountingEngine>(calls); });
  EXPECT_THAT(emulator::engine_names(), testing::Contains("counting"));
  EXPECT_THROW(emulator::register_engine("counting", nullptr), Error);
  EXPECT_THROW(emulator::register_engine("simd", nullptr), Error);
  EXPECT_THROW(emulator::register_engine("", nullptr), Error);

  Boards ours = boards_with("counting", 2);
  Boards simd = boards_with("simd", 2);
  for (std::uint64_t k = 0; k < 40; ++k) {
    for (Boards* boards : {&ours, &simd}) boards->write_record(k, std::array{field(0.1 * static_cast<double>(k))});
  }
  const std::array x{field(1.5), field(2.5)};
  for (int repeat = 0; repeat < 3; ++repeat) EXPECT_EQ(ours.run(x, 2, 0, 40), simd.run(x, 2, 0, 40));
  EXPECT_EQ(calls.lowered, 1u) << "once for all chips";
  EXPECT_EQ(calls.memory_words, 40u) << "no word of external memory is passed again in a run";
  EXPECT_EQ(calls.pieces, 3u * 8u);
}

TEST(Engines, UnknownNamesAreRefusedWithThoseThatThereAre) {
  try {
    (void)emulator::make_engine("fast");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("engine 'fast' is unknown: it must be one of reference, simd"));
  }
  EXPECT_FALSE(emulator::is_engine("fast"));
  EXPECT_TRUE(emulator::is_engine("lockstep"));
  EXPECT_FALSE(emulator::make_engine("native")->traits().exact);
  EXPECT_FALSE(emulator::make_engine("timing")->traits().computes);
}

TEST(Engines, AProgramLoweredByAnotherIsRefused) {
  const auto lowered = emulator::make_engine("reference")->lower(summing_program());
  EXPECT_THROW((void)emulator::make_engine("simd")->open(lowered, {1, 100, nullptr}), Error);
}

class Sessions : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    if (!emulator::make_engine(GetParam())->traits().on_device) return;
    try {
      (void)emulator::choose_opencl_device({});
    } catch (const Error& why) {
      GTEST_SKIP() << why.what();
    }
  }
  static std::unique_ptr<Session> opened(unsigned chips, unsigned threads = 1) {
    const auto engine = emulator::make_engine(GetParam());
    return engine->open(engine->lower(summing_program()),
                        {chips, 1000, std::make_shared<emulator::ThreadPool>(threads)});
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, Sessions,
                         testing::Values("reference", "simd", "lockstep", "lockstep:simd,reference", "opencl"),
                         [](const auto& engine) {
                           std::string name(engine.param);
                           for (char& c : name) c = c == ':' || c == ',' ? '_' : c;
                           return name;
                         });

TEST_P(Sessions, PiecesInOrderGiveWhatOneRunGives) {
  for (const unsigned threads : {1u, 2u, 3u}) {
    const auto session = opened(2, threads);
    std::vector<LongWord> memory;
    for (unsigned n = 0; n < 80; ++n) memory.push_back(long_word_of(1.0 / (n + 1)));
    std::vector<LongWord> x(4, long_word_of(0.5));
    std::vector<LongWord> whole(4);
    std::vector<LongWord> in_pieces(4);
    session->write_memory(0, 100, memory);
    session->write_memory(1, 200, memory);
    session->write_particles({0, 2}, {0, kBlocks}, 4, x);
    Piece piece;
    piece.address = 100;
    piece.records = 80;
    session->run({&piece, 1});
    session->collect(0, 4, whole);
    std::array<Piece, 2> pieces;
    pieces[0].chip = pieces[1].chip = 1;
    pieces[0].address = 200;
    pieces[0].records = 32;
    pieces[0].ends = false;
    pieces[1].address = 232;
    pieces[1].records = 48;
    pieces[1].first_iteration = 2;
    pieces[1].begins = false;
    session->run(pieces);
    session->wait(session->collect(1, 4, in_pieces));
    EXPECT_EQ(in_pieces, whole) << threads;
    EXPECT_EQ(session->read_memory(0, 100, 80), memory);
    EXPECT_EQ(session->read_memory(0, 999, 1).front(), LongWord{});
  }
}

TEST_P(Sessions, StateCanBeReadAndPutBack) {
  const auto session = opened(1);
  const std::vector<LongWord> memory(16, long_word_of(2.0));
  session->write_memory(0, 0, memory);
  std::vector<LongWord> x(128, long_word_of(0.25));
  session->write_particles({0, 1}, {3, 1}, 128, x);
  Piece piece;
  piece.records = 16;
  session->wait(session->run({&piece, 1}));
  emulator::BlockState state = session->state(0, 3);
  EXPECT_EQ(state.gpr[0], long_word_of(2.25));
  state.registers[5].t[2] = long_word_of(7.0);
  state.registers[5].flags[1] = 9;
  state.lm[256 * 31 + 255] = long_word_of(-3.0);
  session->set_state(0, 4, state);
  const emulator::BlockState copy = session->state(0, 4);
  EXPECT_EQ(copy.gpr, state.gpr);
  EXPECT_EQ(copy.lm, state.lm);
  EXPECT_EQ(copy.registers, state.registers);
  EXPECT_EQ(copy.bm, state.bm);
}

TEST_P(Sessions, ArgumentsOutsideAreRefusedByName) {
  const auto session = opened(2);
  std::vector<LongWord> words(8);
  const auto refused = [&](const std::function<void()>& call, const std::string& text) {
    try {
      call();
      ADD_FAILURE() << "accepted, but expected: " << text;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(text));
    }
  };
  const auto run = [&](Piece piece) { session->wait(session->run({&piece, 1})); };
  const std::string chip = "chip = 2 is refused: it must be 0 to 1";
  refused([&] { session->write_memory(2, 0, words); }, chip);
  refused([&] { session->write_memory(0, 993, words); }, "8 words from word 993 on do not fit");
  refused([&] { session->write_memory(0, ~std::uint64_t{0}, words); }, "do not fit");
  refused([&] { (void)session->read_memory(1, 1000, 1); }, "do not fit");
  refused([&] { session->broadcast(1020, words); }, "count = 8 is refused: it must be 0 to 4");
  refused([&] { session->write_particles({1, 2}, {0, kBlocks}, 8, words); }, "chips.count = 2");
  refused([&] { session->write_particles({0, 2}, {0, kBlocks}, 7, words); }, "must be a multiple of 4");
  refused([&] { session->write_particles({0, 2}, {0, kBlocks}, 4, words); }, "words = 8 is refused: it must be 4 to 4");
  refused([&] { run({2}); }, chip);
  refused([&] { run({0, {9, 8}}); }, "blocks.count = 8 is refused: it must be 1 to 7");
  refused([&] { run({0, {0, 1}, 990, 11}); }, "11 words from word 990 on do not fit");
  refused([&] { run({0, {0, 1}, 0, ~std::uint64_t{0}}); }, "records = ");
  refused([&] { run({0, {0, 1}, 0, 1, 33}); }, "live_pes = 33");
  refused([&] { session->wait(session->collect(2, 4, words)); }, chip);
  refused([&] { session->wait(session->collect(0, 129, words)); }, "particles = 129");
  refused([&] { session->wait(session->collect(0, 4, words)); }, "into = 8 is refused: it must be 4 to 4");
  refused([&] { session->wait({77}); }, "ticket = 77 is refused");
  refused([&] { (void)session->events(2); }, chip);
  refused([&] { (void)session->read_pe(0, 16, 0, {}); }, "block = 16");
  refused([&] { (void)session->state(2, 0); }, chip);
  refused([&] { session->set_state(0, 0, {}); }, "state.gpr = 0 is refused");
  refused([&] { session->set_breakpoints({{Section::loop_body, 2, {}}}, {}); }, "loop body has no line 2: it has 2");
}

TEST(Session, WorkGoesOnWhileNobodyWaits) {
  const auto engine = emulator::make_engine(Engine::reference);
  const auto session =
      engine->open(engine->lower(summing_program()), {1, 100, std::make_shared<emulator::ThreadPool>(2)});
  std::promise<void> at_the_line;
  std::promise<void> may_go_on;
  bool stopped = false;
  session->set_breakpoints({{Section::loop_body, 1, std::uint64_t{1}}}, [&](const emulator::Stop& stop) {
    if (stop.block != 0) return;
    stopped = stop.section == Section::loop_body && stop.line == 1 && stop.iteration == 1 && stop.jvalid;
    at_the_line.set_value();
    may_go_on.get_future().wait();
  });
  Piece piece;
  piece.records = 32;
  const emulator::Ticket ticket = session->run({&piece, 1});
  at_the_line.get_future().wait();  // reached without wait()
  may_go_on.set_value();
  session->wait(ticket);
  EXPECT_TRUE(stopped);
}

/// Notes of how many interactions it was asked whether they end soon.
class AskedHowSoon final : public ForwardingChip {
 public:
  explicit AskedHowSoon(std::uint64_t& interactions)
      : ForwardingChip(emulator::make_reference_chip()), interactions_(interactions) {}

 private:
  bool do_ends_soon(std::uint64_t interactions) const override {
    interactions_ = interactions;
    return false;
  }
  std::uint64_t& interactions_;
};

TEST(Session, AsksItsChipsHowSoonTheInteractionsOfAllPiecesEnd) {
  std::uint64_t asked = 0;
  const auto engine = emulator::make_chip_engine([&] { return std::make_unique<AskedHowSoon>(asked); });
  const auto session = engine->open(engine->lower(summing_program()), {1, 100, nullptr});
  Piece first;
  first.records = 20;
  first.live_pes = 3;
  Piece second = first;
  second.records = 7;
  session->wait(session->run(std::array{first, second}));
  EXPECT_EQ(asked, 20U * 3 * isa::kVectorElements + 7U * 3 * isa::kVectorElements);
}

TEST(Session, EnginesThatDoNotStopAtLinesSaySo) {
  const auto engine = emulator::make_engine(Engine::simd);
  const auto session = engine->open(engine->lower(summing_program()), {});
  EXPECT_THROW(session->set_breakpoints({{Section::loop_body, 0, {}}}, {}), Error);
}

// ---- sums -----------------------------------------------------------------------------------------------------------

TEST(Sums, ChipsOfABoardAreAddedFirstAndThenBoards) {
  // One record on each chip. From left to right each 1 would be lost beside 2^53; together they are not.
  const std::array<double, 8> y{0x1p53, 0, 0, 0, 1, 1, 0, 0};
  for (const auto combination : {emulator::Combination::host, emulator::Combination::ring}) {
    Boards boards = boards_with("simd", 2);
    for (std::uint64_t k = 0; k < y.size(); ++k) boards.write_record(k, std::array{field(y[k])});
    const std::array x{field(0.0)};
    EXPECT_EQ(number(boards.run(x, 1, 0, y.size(), combination).front()), 0x1p53 + 2);
  }
}

TEST(Sums, BoardsOfTheirOwnGiveTheBitsOfOneDevice) {
  constexpr std::uint64_t kRecords = 100;
  const auto y = [](std::uint64_t k) { return std::ldexp(1.0 / static_cast<double>(k + 3), static_cast<int>(k % 60)); };
  const std::array x{field(0.1), field(-1e10)};
  Boards both = boards_with("simd", 2);
  for (std::uint64_t k = 0; k < kRecords; ++k) both.write_record(k, std::array{field(y(k))});
  const auto expected = both.run(x, 2, 0, kRecords);
  // What two processes with a board each would do: j-particle k belongs to chip k mod 8.
  std::vector<double> sums;
  for (unsigned rank = 0; rank < 2; ++rank) {
    Boards own = boards_with("simd");
    std::uint64_t records = 0;
    for (std::uint64_t k = 0; k < kRecords; ++k) {
      if (k % 8 / 4 != rank) continue;
      own.write_chip_record(static_cast<unsigned>(k % 4), k / 8, std::array{field(y(k))}, k);
      ++records;
    }
    const auto of_rank = own.run(x, 2, 0, records);
    for (std::size_t n = 0; n < of_rank.size(); ++n) {
      if (rank == 0)
        sums.push_back(number(of_rank[n]));
      else
        sums[n] += number(of_rank[n]);
    }
  }
  for (std::size_t n = 0; n < sums.size(); ++n) EXPECT_EQ(field(sums[n]), expected[n]);
}

TEST(Sums, RingAddsLikeTheHostWhenNothingIsRounded) {
  Boards boards = boards_with("reference");
  for (std::uint64_t k = 0; k < 100; ++k) boards.write_record(k, std::array{field(static_cast<double>(k + 1))});
  const std::array x{field(0.0)};
  const auto on_host = boards.run(x, 1, 0, 100, emulator::Combination::host);
  const auto in_ring = boards.run(x, 1, 0, 100, emulator::Combination::ring);
  EXPECT_EQ(number(on_host.front()), 5050.0);
  EXPECT_EQ(in_ring, on_host);
  EXPECT_EQ(boards.counters().ring_words, 3u) << "a field leaves three chips towards the next";
}

// ---- events and faults ----------------------------------------------------------------------------------------------

/// An infinite y meets the negative infinity of particles 6 and 9 on chip 2, block 1, in iteration 1.
std::vector<emulator::PlacedEvent> events_of_run(std::string_view engine, unsigned threads,
                                                 emulator::FpEvents& counts) {
  Boards boards = boards_with(engine, 1, threads);
  constexpr std::uint64_t kChips = 4;
  for (std::uint64_t k = 0; k < kChips * 40; ++k) boards.write_record(k, std::array{field(1.0)});
  boards.write_chip_record(2, 17, std::array{field(HUGE_VAL)}, 0);
  std::vector<std::uint64_t> x(11, field(0.0));
  x[6] = x[9] = field(-HUGE_VAL);
  (void)boards.run(x, 11, 0, kChips * 40);
  (void)boards.run(x, 11, 0, kChips * 40);
  counts = boards.counters().fp;
  return boards.first_events();
}

TEST(Events, HaveTheirPlaces) {
  emulator::FpEvents counts;
  const auto events = events_of_run("reference", 1, counts);
  ASSERT_EQ(events.size(), 4u);
  for (unsigned run = 1; run <= 2; ++run) {
    for (unsigned n = 0; n < 2; ++n) {
      const emulator::PlacedEvent& event = events[2 * (run - 1) + n];
      const unsigned particle = n == 0 ? 6 : 9;
      EXPECT_EQ(event.event, FpEvent::invalid);
      EXPECT_EQ(event.unit, isa::Unit::adder);
      const emulator::PePlace place{run, Section::loop_body, 1, 0, 2, 1, particle / 4, particle % 4};
      EXPECT_EQ(event.place, place) << emulator::text_of(event);
    }
  }
  EXPECT_EQ(emulator::text_of(events[0]),
            "invalid of the adder at chip 2, block 1, PE 1, element 2, loop body, iteration 1");
  for (const std::string_view engine : {"reference", "simd", "lockstep"}) {
    for (const unsigned threads : {1u, 2u, 3u}) {
      emulator::FpEvents others;
      EXPECT_EQ(events_of_run(engine, threads, others), events) << engine << ", threads " << threads;
      EXPECT_EQ(others, counts);
    }
  }
}

TEST(Events, TheFirstOnesOfManyAreKeptInTheMachinesOrder) {
  for (const std::string_view engine : {"reference", "simd"}) {
    Boards boards = boards_with(engine);
    for (std::uint64_t k = 0; k < 64; ++k) boards.write_record(k, std::array{field(HUGE_VAL)});
    const std::vector<std::uint64_t> x(6, field(-HUGE_VAL));
    (void)boards.run(x, 6, 0, 64);
    const auto events = boards.first_events();
    ASSERT_EQ(events.size(), emulator::kKeptEvents) << engine;
    for (unsigned n = 0; n < events.size(); ++n) {
      const emulator::PePlace place{1, Section::loop_body, 0, 0, 0, 0, n / 4, n % 4};
      EXPECT_EQ(events[n].place, place) << engine << ": " << emulator::text_of(events[n]);
    }
    EXPECT_GE(boards.counters().fp.invalid, 4u * 16u * 8u) << "all are counted";
  }
}

/// Two runs of a random program on random words; block 3's first events and their number.
std::pair<std::vector<emulator::PlacedEvent>, emulator::FpEvents> events_on(emulator::Chip& chip, std::uint64_t seed) {
  RandomPrograms random(seed);
  const isa::Program program = random.next({4, false, 24}, 12);
  chip.load(program);
  std::vector<LongWord> words(40 * program.record_words);
  for (LongWord& each : words) each = random.word();
  const emulator::PeWords some{isa::Memory::gpr, 0, Width::long_word, 16};
  for (unsigned pe = 0; pe < emulator::kPesPerBlock; ++pe) {
    std::vector<LongWord> own(some.count);
    for (LongWord& each : own) each = random.word();
    chip.write_pe(3, pe, some, own);
  }
  for (const std::uint64_t number : {1, 2}) {
    emulator::LoopRun run{{words, program.record_words, 40}, 21};
    run.run = number;
    chip.run_loop({3, 1}, run);
  }
  const emulator::FirstEvents first = chip.first_events(3);
  return {{first.events().begin(), first.events().end()}, chip.events(3)};
}

TEST(Events, OfRandomProgramsHaveTheSamePlacesOnAllEnginesAndTheTestsOwnInterpreter) {
  std::size_t met = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::vector<ExactEngine> engines = exact_engines();
    const auto expected = events_on(*engines.front().make(), seed);
    met += expected.first.size();
    for (const ExactEngine& engine : engines) {
      const auto found = events_on(*engine.make(), seed);
      EXPECT_EQ(found.second, expected.second) << engine.name << ", seed " << seed;
      ASSERT_EQ(found.first.size(), expected.first.size()) << engine.name << ", seed " << seed;
      for (std::size_t n = 0; n < found.first.size(); ++n) {
        EXPECT_EQ(emulator::text_of(found.first[n]), emulator::text_of(expected.first[n])) << engine.name;
      }
    }
  }
  EXPECT_GT(met, 100u) << "programs that meet no events prove nothing";
}

/// T takes the record's word; an indirect read of local memory then goes where it points.
isa::Program pointing_program() {
  isa::Program program = summing_program();
  Line load = unit_line(isa::Op::FADD, 0, 0);
  load.adder = {};
  load.gpr_a = {};
  load.gpr_write = {};
  load.t_write = {isa::Unit::bm, 0, true, false, {}};
  Line read;
  read.vlen = isa::kVectorElements;
  read.lm_read = {0, Width::short_word, true, true};
  read.alu.op = isa::Op::UPASSA;
  read.alu.width = Width::short_word;
  read.alu.a = isa::Source::lm;
  read.gpr_write = {isa::Unit::alu, 40, true, false, {}};
  auto& body = program.sections[static_cast<std::size_t>(Section::loop_body)];
  body = code_of({load, Line{}, read, Line{}});
  for (std::uint32_t n = 0; n < body.size(); ++n) std::get<isa::ProgramLine>(body[n]).position = {0, 30 + n, 5};
  return program;
}

TEST(Faults, NameChipBlockPeElementIterationAndSourceLine) {
  for (const std::string_view engine : {"reference", "simd", "lockstep"}) {
    for (const unsigned threads : {1u, 2u, 3u}) {
      Boards boards(emulator::load_machine("model1800"), 1, engine, threads);
      boards.load(pointing_program());
      for (std::uint64_t k = 0; k < 4 * 40; ++k) boards.write_record(k, std::array{field(0.0)});
      // The upper half of 2.0 as an integer is far outside local memory: record 21 of chip 1, 37 of chip 2.
      boards.write_chip_record(1, 21, std::array{field(2.0)}, 0);
      boards.write_chip_record(2, 3, std::array{field(2.0)}, 0);
      const std::array x{field(0.0)};
      try {
        (void)boards.run(x, 1, 0, 4 * 40);
        FAIL() << "no fault";
      } catch (const emulator::Fault& fault) {
        ASSERT_TRUE(fault.place().has_value());
        const emulator::PePlace place{1, Section::loop_body, 1, 2, 1, 5, 0, 0};
        EXPECT_EQ(*fault.place(), place) << engine << ": " << fault.what();
        EXPECT_THAT(fault.what(), testing::StartsWith("summing.vsm:32:5: fault: "));
        EXPECT_THAT(fault.what(), testing::EndsWith("(chip 1, block 5, PE 0, element 0, loop body, iteration 1)"));
      }
    }
  }
}

TEST(Counters, OfResultsThatTheEngineFormedAreThoseOfEveryBlockThatRan) {
  const auto engine = emulator::make_engine("simd");
  for (const unsigned block : {0u, 7u, kBlocks - 1}) {
    const auto session = engine->open(engine->lower(summing_program()), {1, 100, nullptr});
    Piece piece;
    piece.blocks = {block, 1};
    piece.records = 32;
    piece.live_pes = 3;
    session->wait(session->run({&piece, 1}));
    EXPECT_EQ(session->fp_lanes(0).all, 2u * 3 * isa::kVectorElements) << "iterations, PEs, elements";
  }
}

TEST(Counters, OfTwoRunsAreTheSumAndTakenOffAgainThoseOfOne) {
  Boards boards = boards_with("simd");
  for (std::uint64_t k = 0; k < 20; ++k) boards.write_record(k, std::array{field(1e308)});
  const std::array x{field(1e308)};
  (void)boards.run(x, 1, 0, 20);
  const emulator::Counters first = boards.counters();
  (void)boards.run(x, 1, 0, 20);
  emulator::Counters both = boards.counters();
  EXPECT_EQ(both.runs, 2 * first.runs);
  EXPECT_GT(first.fp.overflow, 0u);
  both -= first;
  EXPECT_EQ(both.lines, first.lines);
  EXPECT_EQ(both.fp, first.fp);
  EXPECT_EQ(both.adder_lines, first.adder_lines);
  EXPECT_EQ(both.em_words_written, 0u) << "records are there from before";
  both += first;
  EXPECT_EQ(both.lines, boards.counters().lines);
  EXPECT_EQ(both.fp, boards.counters().fp);
}

TEST(Boards, MoveWithWhatTheyHold) {
  Boards boards = boards_with("simd");
  for (std::uint64_t k = 0; k < 20; ++k) boards.write_record(k, std::array{field(0.5)});
  Boards moved = std::move(boards);
  Boards other = boards_with("reference");
  other = std::move(moved);
  const std::array x{field(1.0)};
  EXPECT_EQ(number(other.run(x, 1, 0, 20).front()), 64 * 1.0 + 20 * 0.5) << "x once in each block";
}

TEST(Boards, NeedAnEngineABoardAndAThread) {
  const auto made = [](unsigned boards, unsigned threads) {
    return Boards(emulator::load_machine("model1800"), boards, "simd", threads);
  };
  EXPECT_THROW(made(0, 1), Error);
  EXPECT_THROW(made(1, 0), Error);
  EXPECT_THROW(Boards(emulator::load_machine("model1800"), 1, std::unique_ptr<Engine>(), 1), Error);
}

TEST(Events, AreEqualWithAllTheirCountsOnly) {
  using emulator::FpEvents;
  const FpEvents counted{1, 2, 3};
  EXPECT_EQ(counted, (FpEvents{1, 2, 3}));
  EXPECT_FALSE(counted == (FpEvents{0, 2, 3}));
  EXPECT_FALSE(counted == (FpEvents{1, 0, 3}));
  EXPECT_FALSE(counted == (FpEvents{1, 2, 0}));
}

}  // namespace
}  // namespace gdr::tests
