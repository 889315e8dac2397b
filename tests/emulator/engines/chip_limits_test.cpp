// What chips and boards refuse: the same arguments on every engine, with an exception that names argument, value and
// range, and never with an abort.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <functional>

#include "gdr/emulator/board.h"
#include "gdr/emulator/host_isa.h"
#include "gdr/emulator/lockstep.h"
#include "gdr/emulator/session.h"
#include "gdr/selftest/random_program.h"

namespace gdr::tests {
namespace {

using emulator::Boards;
using emulator::Chip;
using emulator::PeWords;
using isa::LongWord;
using isa::Memory;
using isa::Width;
using selftest::code_of;

/// A kernel of Type II on i-records of one field, which each block collects from PE 2 after the loop.
isa::Program echo_program() {
  isa::Line store;
  store.vlen = isa::kVectorElements;
  store.gpr_a = {0, Width::long_word, true, false};
  store.bm.mode = isa::BmMode::write;
  store.bm.width = Width::long_word;
  store.bm.vector = true;
  store.bm.address = 40;
  store.bm.one_pe = true;
  store.bm.pe = 2;
  store.bm.store_source = isa::Source::gpr_a;
  isa::Program program;
  program.kernel = "echo";
  program.record_words = 2;
  program.sections[static_cast<std::size_t>(isa::Section::loop_body)] = code_of({store, isa::Line{}});
  isa::Variable x;
  x.name = "x";
  x.memory = Memory::gpr;
  x.vector = true;
  x.transfer = isa::Transfer::hlt;
  x.conversion = isa::Conversion::FLT64TO72;
  isa::Variable y = x;
  y.name = "y";
  y.memory = Memory::bm;
  y.vector = false;
  y.elements = 2;
  y.transfer = isa::Transfer::elt;
  isa::Variable out = x;
  out.name = "out";
  out.memory = Memory::bm;
  out.address = 40;
  out.transfer = isa::Transfer::rrn;
  out.conversion = isa::Conversion::FLT72TO64;
  program.variables = {x, y, out};
  program.steps(isa::Section::loop_termination) = {isa::CollectStep{2, 0, 1, false, {}}};
  program.steps(isa::Section::loop_termination).push_back(code_of({isa::Line{}}).front());
  return program;
}

struct NamedEngine {
  std::string name;
  std::function<std::unique_ptr<Chip>()> make;
};

std::vector<NamedEngine> engines() {
  std::vector<NamedEngine> all{
      {"reference", [] { return emulator::make_reference_chip(); }},
      {"native", [] { return emulator::make_native_chip(); }},
      {"lockstep",
       [] { return emulator::make_lockstep_chip(emulator::make_reference_chip(), emulator::make_simd_chip()); }}};
  for (const emulator::HostIsa isa : emulator::available_host_isas()) {
    all.push_back({std::string(emulator::name_of(isa)), [isa] { return emulator::make_simd_chip(isa); }});
  }
  return all;
}

class ChipLimits : public testing::TestWithParam<NamedEngine> {
 protected:
  void SetUp() override {
    chip_ = GetParam().make();
    chip_->load(echo_program());
  }

  void expect_refused(const std::function<void(Chip&)>& call, const std::string& text) {
    try {
      call(*chip_);
      ADD_FAILURE() << "accepted, but expected: " << text;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(text));
    }
  }

  std::unique_ptr<Chip> chip_;
};
INSTANTIATE_TEST_SUITE_P(Engines, ChipLimits, testing::ValuesIn(engines()),
                         [](const auto& engine) { return engine.param.name; });

const PeWords kSome{Memory::gpr, 0, Width::long_word, 2};
const std::vector<LongWord> kTwo(2);

TEST_P(ChipLimits, BlocksThatAChipHasNot) {
  const std::string text = "block = 16 is refused: it must be 0 to 15";
  expect_refused([](Chip& chip) { chip.run_initialization(16); }, text);
  expect_refused([](Chip& chip) { chip.run_loop({16, 1}, {}); }, text);
  expect_refused([](Chip& chip) { chip.write_bm(16, 0, kTwo); }, text);
  expect_refused([](Chip& chip) { chip.write_pe(16, 0, kSome, kTwo); }, text);
  expect_refused([](Chip& chip) { (void)chip.read_pe(16, 0, kSome); }, text);
  expect_refused([](Chip& chip) { (void)chip.registers(16, 0); }, text);
  expect_refused([](Chip& chip) { (void)chip.read_bm(16, 0, 1); }, text);
  expect_refused([](Chip& chip) { chip.write_pes({16, 1}, 0, kSome, kTwo); }, text);
  expect_refused([](Chip& chip) { chip.write_registers(16, 0, {}); }, text);
  expect_refused([](Chip& chip) { (void)chip.events(16); }, text);
  expect_refused([](Chip& chip) { (void)chip.first_events(16); }, text);
  expect_refused([](Chip& chip) { (void)chip.fp_lanes(16); }, text);
  expect_refused([](Chip& chip) { chip.run_loop({3, 0}, {}); }, "blocks.count = 0 is refused: it must be 1 to 13");
  expect_refused([](Chip& chip) { chip.run_loop({3, 14}, {}); }, "blocks.count = 14 is refused: it must be 1 to 13");
}

TEST_P(ChipLimits, PesThatABlockHasNot) {
  const std::string text = "pe = 32 is refused: it must be 0 to 31";
  expect_refused([](Chip& chip) { chip.write_pe(0, 32, kSome, kTwo); }, text);
  expect_refused([](Chip& chip) { chip.write_pes({0, 16}, 32, kSome, kTwo); }, text);
  expect_refused([](Chip& chip) { (void)chip.read_pe(0, 32, kSome); }, text);
  expect_refused([](Chip& chip) { (void)chip.registers(0, 32); }, text);
  expect_refused([](Chip& chip) { chip.write_registers(0, 32, {}); }, text);
  expect_refused([](Chip& chip) { chip.write_pes({0, 16}, 31, kSome, std::vector<LongWord>(4)); },
                 "words = 4 is refused: it must be 0 to 2");
  emulator::LoopRun run;
  run.live_pes = 33;
  expect_refused([&](Chip& chip) { chip.run_loop({0, 1}, run); }, "live_pes = 33 is refused: it must be 0 to 32");
}

TEST_P(ChipLimits, WordsOutsideTheMemoryOfAPe) {
  const auto refused = [&](const PeWords& where, const std::string& text) {
    const std::vector<LongWord> words(where.count);
    expect_refused([&](Chip& chip) { (void)chip.read_pe(0, 0, where); }, text);
    expect_refused([&](Chip& chip) { chip.write_pe(0, 0, where, words); }, text);
    expect_refused([&](Chip& chip) { chip.write_pes({0, 16}, 0, where, words); }, text);
    emulator::FpEvents events;
    expect_refused([&](Chip& chip) { (void)chip.collect({where, 1, isa::Op::FADD, Width::long_word}, events); }, text);
  };
  refused({Memory::gpr, 64, Width::long_word, 1}, "where.address = 64 is refused: it must be 0 to 62");
  refused({Memory::gpr, 64, Width::short_word, 1}, "where.address = 64 is refused: it must be 0 to 63");
  refused({Memory::lm, 511, Width::long_word, 1}, "where.address = 511 is refused: it must be 0 to 510");
  refused({Memory::lm, 3, Width::long_word, 1}, "where.address = 3 is refused: a long word has an even one");
  refused({Memory::lm, 508, Width::long_word, 3}, "where.count = 3 is refused: it must be 1 to 2");
  refused({Memory::lm, 0, Width::long_word, 0}, "where.count = 0 is refused: it must be 1 to 256");
  refused({Memory::bm, 0, Width::long_word, 1}, "where.memory = bm is refused: it must be gpr or lm");
}

TEST_P(ChipLimits, CountsOfWordsThatDoNotFit) {
  expect_refused([](Chip& chip) { chip.write_pe(0, 0, kSome, std::vector<LongWord>(3)); },
                 "words = 3 is refused: it must be 2 to 2");
  expect_refused([](Chip& chip) { chip.write_pes({0, 16}, 0, kSome, std::vector<LongWord>(3)); },
                 "words = 3 is refused: it must be a multiple of 2");
  expect_refused([](Chip& chip) { chip.write_bm(0, 1024, kTwo); }, "address = 1024 is refused: it must be 0 to 1023");
  expect_refused([](Chip& chip) { chip.write_bm(0, 1023, kTwo); }, "count = 2 is refused: it must be 0 to 1");
  expect_refused([](Chip& chip) { (void)chip.read_bm(0, 5000, 1); }, "address = 5000 is refused");
  expect_refused([](Chip& chip) { (void)chip.read_bm(0, 1, ~0u); }, "is refused: it must be 0 to 1023");
}

TEST_P(ChipLimits, RecordsThatAreNotTheProgramsOrNotThere) {
  const std::vector<LongWord> words(64);
  std::vector<LongWord> room(4);
  const auto run_of = [&](unsigned record_words, std::uint64_t records, std::size_t collected) {
    emulator::LoopRun run;
    run.stream = {words, record_words, records};
    run.collected = std::span(room).first(collected);
    return run;
  };
  expect_refused([&](Chip& chip) { chip.run_loop({0, 1}, run_of(600, 16, 4)); },
                 "stream.record_words = 600 is refused: it must be 2 to 2");
  expect_refused([&](Chip& chip) { chip.run_loop({0, 1}, run_of(2, 33, 4)); },
                 "stream.records = 33 is refused: it must be 0 to 32");
  expect_refused([&](Chip& chip) { chip.run_loop({0, 1}, run_of(2, 32, 3)); },
                 "collected has room for 3 words: this run collects 4");
  expect_refused([&](Chip& chip) { chip.run_loop({0, 2}, run_of(2, 32, 4)); },
                 "collected has room for 4 words: this run collects 8");
}

TEST_P(ChipLimits, ReductionsThatTheTreeHasNot) {
  emulator::FpEvents events;
  std::vector<LongWord> sums(2);
  std::vector<std::span<const LongWord>> blocks(emulator::kBlocks, kTwo);
  const auto tree = [&](isa::Op op) {
    return [&, op](Chip& chip) { chip.reduce_blocks(op, Width::long_word, blocks, sums, events); };
  };
  expect_refused(tree(isa::Op::FMUL), "reduction = fmul is refused");
  expect_refused([&](Chip& chip) { (void)chip.collect({kSome, 1, isa::Op::FMUL, Width::long_word}, events); },
                 "reduction = fmul is refused");
  expect_refused([&](Chip& chip) { (void)chip.collect({kSome, 65, isa::Op::FADD, Width::long_word}, events); },
                 "results = 65 is refused: it must be 0 to 64");
  blocks.back() = std::span(kTwo).first(1);
  expect_refused(tree(isa::Op::FADD), "words of a block = 1 is refused: it must be 2 to 2");
  blocks.pop_back();
  expect_refused(tree(isa::Op::FADD), "blocks = 15 is refused: it must be 16 to 16");
}

TEST_P(ChipLimits, EverythingBeforeAProgramIsLoaded) {
  chip_ = GetParam().make();
  const std::string text = "no program is loaded";
  expect_refused([](Chip& chip) { chip.run_loop({0, 1}, {}); }, text);
  expect_refused([](Chip& chip) { chip.write_pes({0, 16}, 0, kSome, kTwo); }, text);
  expect_refused([](Chip& chip) { (void)chip.read_bm(0, 0, 1); }, text);
  expect_refused([](Chip& chip) { (void)chip.clone(); }, text);
  expect_refused([](Chip& chip) { chip.patch(echo_program()); }, text);
}

TEST_P(ChipLimits, WordsForSomePesAndBlocksReachThoseAlone) {
  std::vector<LongWord> words;
  for (unsigned n = 1; n <= 6; ++n) words.push_back(LongWord::from_bits(isa::uint128{n} << 40));
  for (const PeWords& where : {kSome, PeWords{Memory::lm, 6, Width::short_word, 2}}) {
    chip_->load(echo_program());
    chip_->write_pes({4, 2}, 7, where, words);
    for (unsigned block = 0; block < emulator::kBlocks; ++block) {
      for (unsigned pe = 0; pe < isa::kPesPerBlock; ++pe) {
        std::vector<LongWord> expected(2);
        const bool reached = block >= 4 && block < 6 && pe >= 7 && pe < 10;
        if (reached) expected = {words[2 * (pe - 7)], words[2 * (pe - 7) + 1]};
        ASSERT_EQ(chip_->read_pe(block, pe, where), expected) << block << ", " << pe;
      }
    }
  }
}

class BoardLimits : public testing::Test {
 protected:
  BoardLimits() { boards_.load(echo_program()); }

  void expect_refused(const std::function<void(Boards&)>& call, const std::string& text) {
    try {
      call(boards_);
      ADD_FAILURE() << "accepted, but expected: " << text;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(text));
    }
  }

  Boards boards_{emulator::load_machine("model1800"), 1, emulator::Engine::simd, 1};
};

TEST(SessionLimits, WordsOfCollectsBelongToNoParticles) {
  for (const std::string_view name : {emulator::Engine::reference, emulator::Engine::simd}) {
    const auto engine = emulator::make_engine(name);
    const auto session = engine->open(engine->lower(echo_program()), {1, 100, nullptr});
    const emulator::Piece piece;
    session->wait(session->run({&piece, 1}));
    std::vector<LongWord> words(4);
    session->wait(session->collect(0, 0, words));
    try {
      session->wait(session->collect(0, 1, words));
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("particles = 1 is refused: it must be 0 to 0"));
    }
  }
}

TEST_F(BoardLimits, ChipsRingsAndCounts) {
  const std::vector<std::uint64_t> fields(4);
  const auto turns = [](emulator::Ring ring, emulator::TurnRun run) {
    return [=](Boards& boards) { (void)boards.run_turns({&ring, 1}, run); };
  };
  expect_refused([&](Boards& boards) { boards.write_block_particles(4, fields); },
                 "chip = 4 is refused: it must be 0 to 3");
  expect_refused([&](Boards& boards) { boards.write_block_particles(0, std::vector<std::uint64_t>(16 * 128 + 1)); },
                 "particles = 2049 is refused: it must be 0 to 2048");
  expect_refused([&](Boards& boards) { boards.write_record(0, fields); },
                 "j-record 0: 4 fields are refused: there must be 2");
  expect_refused([&](Boards& boards) { (void)boards.run(fields, 129, 0, 1); },
                 "count = 129 is refused: it must be 1 to 128");
  expect_refused([&](Boards& boards) { (void)boards.run(fields, 3, 0, 1); },
                 "particles: 4 fields are refused: there must be 3");
  expect_refused([&](Boards& boards) { (void)boards.run(fields, 4, 0, ~std::uint64_t{0}); }, "records of a chip");
  expect_refused(turns({4, 1}, {0, 1}), "ring.first_chip = 4 is refused: it must be 0 to 3");
  expect_refused(turns({1, 4}, {0, 1}), "ring.chips = 4 is refused: it must be 1 to 3");
  expect_refused(turns({0, 0}, {0, 1}), "ring.chips = 0 is refused: it must be 1 to 4");
  expect_refused(turns({0, 4}, {0, 1, 17}), "live_blocks = 17 is refused: it must be 1 to 16");
  expect_refused(turns({0, 4}, {0, 1, 16, 33}), "live_pes = 33 is refused: it must be 0 to 32");
  expect_refused(turns({0, 4}, {0, ~std::uint64_t{0}}), "turns = ");
  expect_refused(turns({0, 4}, {~std::uint64_t{0}, 1}), "first record = ");
  Boards empty(emulator::load_machine("model1800"), 1, emulator::Engine::simd, 1);
  EXPECT_THROW((void)empty.run(fields, 4, 0, 1), Error);
  EXPECT_THROW((void)empty.counters(), Error);
}

/// Fields whose last one stands before a page that nobody may read.
class GuardedFields {
 public:
  explicit GuardedFields(std::span<const std::uint64_t> fields) : size_(fields.size()) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    bytes_ = 2 * page;
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    auto* const guard = static_cast<std::byte*>(memory_) + page;
    mprotect(guard, page, PROT_NONE);
    first_ = reinterpret_cast<std::uint64_t*>(guard) - size_;
    std::copy(fields.begin(), fields.end(), first_);
  }
  ~GuardedFields() { munmap(memory_, bytes_); }
  GuardedFields(const GuardedFields&) = delete;
  GuardedFields& operator=(const GuardedFields&) = delete;
  [[nodiscard]] std::span<const std::uint64_t> span() const { return {first_, size_}; }

 private:
  std::size_t size_;
  std::size_t bytes_ = 0;
  void* memory_ = nullptr;
  std::uint64_t* first_ = nullptr;
};

TEST_F(BoardLimits, FewIRecordsOfATypeTwoKernelAreReadAndNoMore) {
  const auto field = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  boards_.write_block_particles(0, std::vector<std::uint64_t>(128, field(7.0)));
  const emulator::Ring ring{0, 1};
  const auto pe_two = [&](std::size_t given) {
    std::vector<std::uint64_t> fields;
    for (std::size_t n = 0; n < given; ++n) fields.push_back(field(static_cast<double>(n)));
    boards_.write_block_particles(0, GuardedFields(fields).span());
    std::vector<double> words;
    const auto results = boards_.run_turns({&ring, 1}, {0, 1});
    for (const std::uint64_t word : results.front()) words.push_back(std::bit_cast<double>(word));
    return words;
  };
  EXPECT_THAT(pe_two(5), testing::ElementsAre(7.0, 7.0, 7.0, 7.0)) << "records 8 to 11 keep what they had";
  EXPECT_THAT(pe_two(10), testing::ElementsAre(8.0, 9.0, 9.0, 9.0)) << "the last record given is repeated";
}

}  // namespace
}  // namespace gdr::tests
