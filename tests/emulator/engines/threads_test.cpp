// Results never depend on the number of host threads, on what else the process does, or on the caller's floating-point
// mode. This program is also built with the thread sanitizer.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cfenv>
#include <cstdlib>
#include <future>
#include <string>

#include "gdr/base/error.h"
#include "gdr/emulator/board.h"
#include "gdr/selftest/random_program.h"

namespace gdr::tests {
namespace {

using emulator::Boards;
using emulator::Engine;
using isa::LongWord;
using selftest::code_of;
using selftest::RandomPrograms;

/// sum = 0, then sum += y[0] in each PE.
isa::Program adding_program() {
  isa::Line line;
  line.vlen = isa::kVectorElements;
  line.gpr_a = {8, isa::Width::long_word, true, false};
  line.adder.op = isa::Op::FADD;
  line.adder.width = isa::Width::long_word;
  line.adder.a = isa::Source::gpr_a;
  line.adder.b = isa::Source::bm;
  line.bm.mode = isa::BmMode::read;
  line.bm.width = isa::Width::long_word;
  line.bm.record = true;
  line.gpr_write = {isa::Unit::adder, 8, true, false, {}};
  isa::Line zero;
  zero.vlen = isa::kVectorElements;
  zero.alu.op = isa::Op::UXOR;
  zero.alu.width = isa::Width::long_word;
  zero.alu.a = zero.alu.b = isa::Source::pe_id;
  zero.gpr_write = {isa::Unit::alu, 8, true, false, {}};
  isa::Program program;
  program.record_words = 4;
  program.sections[static_cast<std::size_t>(isa::Section::loop_initialization)] = code_of({zero, isa::Line{}});
  program.sections[static_cast<std::size_t>(isa::Section::loop_body)] = code_of({line, isa::Line{}});
  return program;
}

isa::Program random_program(std::uint64_t seed) {
  RandomPrograms random(seed);
  return random.next({4, false, 24}, 12);
}

/// The program between loads of i-data and the collection of results.
isa::Program with_variables(isa::Program program) {
  program.kernel = "tested";
  isa::Variable x;
  x.name = "x";
  x.memory = isa::Memory::gpr;
  x.address = 0;
  x.vector = true;
  x.transfer = isa::Transfer::hlt;
  x.conversion = isa::Conversion::FLT64TO72;
  isa::Variable y = x;
  y.name = "y";
  y.transfer = isa::Transfer::elt;
  y.memory = isa::Memory::bm;
  y.vector = false;
  y.elements = 4;
  isa::Variable sum = x;
  sum.name = "sum";
  sum.address = 8;
  sum.transfer = isa::Transfer::rrn;
  sum.conversion = isa::Conversion::FLT72TO64;
  sum.reduction = isa::Op::FADD;
  program.variables = {x, y, sum};
  return program;
}

/// Computed once: the tests change the mode of rounding.
std::uint64_t field(std::uint64_t n) {
  static const auto fields = [] {
    std::array<std::uint64_t, 97> all{};
    for (std::size_t k = 0; k < all.size(); ++k)
      all[k] = std::bit_cast<std::uint64_t>(0.1 * static_cast<double>(k) + 1e-3);
    return all;
  }();
  return fields[n % fields.size()];
}

/// What a host sees of some runs.
struct Seen {
  std::vector<std::uint64_t> results;
  emulator::FpEvents events;
  std::vector<emulator::PlacedEvent> first_events;
  friend bool operator==(const Seen&, const Seen&) = default;
};

Seen results(unsigned threads, const isa::Program& program) {
  Boards boards(emulator::load_machine("model1800"), 1, Engine::simd, threads);
  boards.load(with_variables(program));
  for (std::uint64_t record = 0; record < 150; ++record) {
    const std::vector<std::uint64_t> fields{field(record), field(record + 1), field(record + 2), field(record + 3)};
    boards.write_record(record, fields);
  }
  std::vector<std::uint64_t> all;
  for (const unsigned count : {1u, 9u, 70u, 128u}) {
    std::vector<std::uint64_t> particles;
    for (unsigned n = 0; n < count; ++n) particles.push_back(field(7 * n));
    const auto some = boards.run(particles, count, 0, 150);
    all.insert(all.end(), some.begin(), some.end());
  }
  return {all, boards.counters().fp, boards.first_events()};
}

TEST(Threads, NumberNeverChangesAResult) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const isa::Program program = random_program(seed);
    const auto alone = results(1, program);
    for (const unsigned threads : {2u, 3u, 7u})
      EXPECT_TRUE(results(threads, program) == alone) << threads << ", " << seed;
  }
}

// Few live PEs of several blocks share vectors there, and what they leave is brought to the blocks when somebody looks.
TEST(Threads, NumberNeverChangesAResultOfCompiledLoops) {
  const isa::Program program = adding_program();
  const auto interpreted = results(1, program);
  setenv("GDR_JIT", "on", 1);
  std::string refusal;
  try {
    for (const unsigned threads : {1u, 2u, 3u, 7u}) EXPECT_TRUE(results(threads, program) == interpreted) << threads;
  } catch (const Error& error) {
    refusal = error.what();
  }
  unsetenv("GDR_JIT");
  if (!refusal.empty()) GTEST_SKIP() << refusal;
}

TEST(Threads, SeveralDevicesOfAProcessDoNotDisturbEachOther) {
  const isa::Program program = random_program(11);
  const auto alone = results(1, program);
  std::vector<std::future<Seen>> others;
  for (unsigned n = 0; n < 4; ++n)
    others.push_back(std::async(std::launch::async, [&] { return results(2, program); }));
  for (auto& other : others) EXPECT_TRUE(other.get() == alone);
}

TEST(Threads, CallersFloatingPointModeNeitherMattersNorChanges) {
  const auto usual = results(2, adding_program());
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  const auto upward = results(2, adding_program());
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  EXPECT_TRUE(upward == usual);
}

}  // namespace
}  // namespace gdr::tests
