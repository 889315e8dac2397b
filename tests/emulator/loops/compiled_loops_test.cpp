// Compiled loop bodies against the interpreter and the reference engine: the kernels on all sorts of data, what stays
// with the interpreter, and names for perf and debuggers.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "compiled_loops_testing.h"
#include "gdr/emulator/conversion.h"
#include "gdr/emulator/host_isa.h"
#include "jit/loop_jit.h"
#include "jit/source_lines.h"
#include "kernel_data.h"
#include "line/decoded_program.h"
#include "slowed_down.h"

namespace gdr::tests {
namespace {

using emulator::Chip;
using emulator::HostIsa;
using emulator::JitUse;
using emulator::kBlocks;
using emulator::kPesPerBlock;
using emulator::PeWords;
using isa::LongWord;
using isa::Section;
using isa::Width;

// ---- kernels on data -----------------------------------------------------------------------------------------------

struct Kernel {
  std::string name;
  std::string file;
  std::map<std::string, std::string> definitions;
};

std::vector<Kernel> compiled_kernels() {
  return {{"gravity", "gravity.vsm", {}},
          {"gravity_jerk", "gravity_jerk.vsm", {}},
          {"nearest", "gravity_jerk.vsm", {{"nearest", "1"}}},
          {"list", "gravity_jerk.vsm", {{"nearest", "1"}, {"list", "4"}}},
          {"vdw", "vdw.vsm", {}}};
}

/// Long words from the start of a record to the particle's place.
std::size_t place_of_xj(const isa::Program& program) {
  for (const isa::Variable* variable : program.variables_by(isa::Transfer::elt)) {
    if (variable->name == "xj") return variable->address / 2;
  }
  throw Error("the kernel has no xj");
}

class CompiledKernels : public CompiledLoops, public testing::WithParamInterface<std::tuple<std::size_t, Data>> {
 public:
  static std::string name(const testing::TestParamInfo<ParamType>& of) {
    return compiled_kernels()[std::get<0>(of.param)].name + "_" + name_of(std::get<1>(of.param));
  }
};

TEST_P(CompiledKernels, LeaveEveryWordAsTheInterpreterDoes) {
  const Kernel of = compiled_kernels()[std::get<0>(GetParam())];
  const Data data = std::get<1>(GetParam());
  const isa::Program program = kernel(of.file, of.definitions);
  // More than of a call of compiled code; the engine native's calls are longer.
  constexpr unsigned kTurns = 37;
  constexpr unsigned kNativeTurns = 133;
  static_assert(kTurns > emulator::jit::kTurns && kNativeTurns > emulator::jit::kTurnsOfDoubles);
  const unsigned most_turns = data == Data::random ? kNativeTurns : kTurns;
  std::mt19937_64 random(7);
  std::vector<LongWord> records(std::size_t{most_turns} * kBlocks * program.record_words);
  for (unsigned record = 0; record < most_turns * kBlocks; ++record) {
    for (const isa::Variable* variable : program.variables_by(isa::Transfer::elt)) {
      for (unsigned n = 0; n < variable->elements; ++n) {
        const bool counts = variable->name.starts_with("index") || variable->name == "slot";
        const double value = counts ? record : value_of(data, random, n == 2);
        records[std::size_t{record} * program.record_words + variable->address / 2 + n] = word_of(*variable, value);
      }
    }
  }
  unsigned blocks = 2;
  std::optional<unsigned> filled_up;  // this PE has one i-particle and copies of it
  const auto prepare = [&](Chip& chip) {
    std::mt19937_64 of_particles(8);
    for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
      for (const isa::Variable* variable : program.variables_by(isa::Transfer::hlt)) {
        std::vector<LongWord> words;
        for (unsigned n = 0; n < variable->elements * isa::kVectorElements; ++n) {
          const unsigned component = n / isa::kVectorElements;
          const unsigned particle = pe * isa::kVectorElements + n % isa::kVectorElements;
          double value = value_of(data, of_particles, component == 2);
          if (variable->name == "eps2")
            value = data == Data::pairs_of_one ? 0 : value * value + (data == Data::random ? 0.1 : 0);
          if (variable->name.starts_with("index")) value = particle;
          words.push_back(word_of(*variable, value));
          // The particle at the place of one of the records.
          if (data == Data::pairs_of_one && variable->name == "xi") {
            words.back() = records[std::size_t{particle} * program.record_words + place_of_xj(program) + component];
          }
        }
        if (pe == filled_up) words = with_equal_elements(words);
        const PeWords where{variable->memory, variable->address, variable->width,
                            static_cast<std::uint16_t>(words.size())};
        for (unsigned block = 0; block < blocks; ++block) chip.write_pe(block, pe, where, words);
      }
    }
  };
  const bool may_fault = of.name == "list";
  for (const unsigned live_pes : {kPesPerBlock, 3U, 1U, 12U}) {
    emulator::LoopRun run{{records, program.record_words, std::size_t{kTurns} * kBlocks - 15}, live_pes};
    const Outcome outcome = compare(program, run, blocks, prepare);
    EXPECT_TRUE(outcome.equal) << live_pes << " live PEs";
    const Outcome in_doubles = compare_native(program, run, blocks, prepare);
    EXPECT_TRUE(in_doubles.equal) << live_pes << " live PEs, native";
    if (data == Data::random) {
      EXPECT_GT(outcome.compiled, 0U) << live_pes << " live PEs";
      // The engine native does not compile lists: short words and words at computed addresses share local memory.
      EXPECT_EQ(in_doubles.compiled > 0, !may_fault) << live_pes << " live PEs, native";
    }
  }
  // Blocks whose live PEs share vectors; in the last turn some blocks, or all, have a record. None do where an address
  // may be a fault.
  blocks = kBlocks;
  for (const auto& [turns, without, live_pes] :
       {std::tuple{kTurns, 0U, 6U}, {kTurns, 7U, 1U}, {1U, 0U, 1U}, {2U, 15U, 3U}, {3U, 0U, 21U}}) {
    emulator::LoopRun run{{records, program.record_words, std::size_t{turns} * kBlocks - without}, live_pes};
    const Outcome outcome = compare(program, run, blocks, prepare);
    EXPECT_TRUE(outcome.equal) << turns << " turns, " << live_pes << " live PEs";
    EXPECT_TRUE(compare_native(program, run, blocks, prepare).equal)
        << turns << " turns, " << live_pes << " live PEs, native";
    if (data == Data::random && !may_fault) {
      EXPECT_GT(outcome.packed, 0U) << turns << " turns, " << live_pes << " live PEs";
    }
  }
  for (const unsigned live_pes : {kPesPerBlock, 6U}) {
    emulator::LoopRun run{{records, program.record_words, std::size_t{most_turns} * kBlocks - 15}, live_pes};
    EXPECT_TRUE(compare_native(program, run, blocks, prepare).equal) << live_pes << " live PEs, all records, native";
  }
  // The last PE has copies of its first element.
  for (const unsigned live_pes : {1U, 6U}) {
    filled_up = live_pes - 1;
    emulator::LoopRun run{{records, program.record_words, std::size_t{kTurns} * kBlocks}, live_pes};
    const std::uint64_t before = emulator::jit::alike_turns();
    EXPECT_TRUE(compare(program, run, blocks, prepare).equal) << live_pes << " live PEs, the last filled up";
    const std::uint64_t before_native = emulator::jit::alike_turns();
    EXPECT_TRUE(compare_native(program, run, blocks, prepare).equal)
        << live_pes << " live PEs, the last filled up, native";
    if (data == Data::random && !may_fault) {
      EXPECT_GT(before_native, before) << live_pes << " live PEs, the last filled up";
      EXPECT_GT(emulator::jit::alike_turns(), before_native) << live_pes << " live PEs, the last filled up, native";
    }
  }
}

/// The host predicts in doubles, the board in long words, which are longer: a particle's difference from itself is
/// noise, and the forces have products of three such differences.
TEST_F(CompiledLoops, TakeParticlesThatDifferFromThemselvesByNoise) {
  const isa::Program program = kernel("gravity_jerk.vsm");
  constexpr unsigned kTurns = 3;
  constexpr unsigned kParticles = kTurns * kBlocks;
  const auto word = [](const isa::Variable& variable, unsigned particle, unsigned component) {
    constexpr double kStep = 0x1.6p-10;  // to the time 0 of i-particles
    std::mt19937_64 random(3 * particle + component);
    const double position = std::uniform_real_distribution<>(0x1p-9, 0x1p-8)(random);  // near the origin
    const double velocity = std::uniform_real_distribution<>(0.5, 1)(random);
    const double half_acceleration = std::uniform_real_distribution<>(0.5, 1)(random);
    const std::map<std::string, double> values = {{"indexi", particle},
                                                  {"indexj", particle},
                                                  {"slot", particle},
                                                  {"eps2", 0x1.6p-20},
                                                  {"mj", position},
                                                  {"tj", -kStep},
                                                  {"xj", position},
                                                  {"vj", velocity},
                                                  {"aby2", half_acceleration},
                                                  {"xi", position + kStep * (velocity + kStep * half_acceleration)},
                                                  {"vi", velocity + 2 * kStep * half_acceleration}};
    const auto found = values.find(variable.name);
    return word_of(variable, found == values.end() ? 0 : found->second);
  };
  std::vector<LongWord> records(std::size_t{kParticles} * program.record_words);
  for (unsigned particle = 0; particle < kParticles; ++particle) {
    for (const isa::Variable* variable : program.variables_by(isa::Transfer::elt)) {
      for (unsigned n = 0; n < variable->elements; ++n) {
        records[std::size_t{particle} * program.record_words + variable->address / 2 + n] =
            word(*variable, particle, n);
      }
    }
  }
  const auto prepare = [&](Chip& chip) {
    for (const isa::Variable* variable : program.variables_by(isa::Transfer::hlt)) {
      for (unsigned pe = 0; pe < kParticles / isa::kVectorElements; ++pe) {
        std::vector<LongWord> words;
        for (unsigned n = 0; n < variable->elements * isa::kVectorElements; ++n) {
          const unsigned particle = pe * isa::kVectorElements + n % isa::kVectorElements;
          words.push_back(word(*variable, particle, n / isa::kVectorElements));
        }
        const PeWords where{variable->memory, variable->address, variable->width,
                            static_cast<std::uint16_t>(words.size())};
        for (unsigned block = 0; block < kBlocks; ++block) chip.write_pe(block, pe, where, words);
      }
    }
  };
  const emulator::LoopRun run{{records, program.record_words, kParticles}, kParticles / isa::kVectorElements};
  const Outcome outcome = compare(program, run, kBlocks, prepare);
  EXPECT_TRUE(outcome.equal);
  EXPECT_EQ(outcome.compiled, 2 * std::uint64_t{kTurns} * kBlocks) << "no turn is interpreted";
}

/// Under a sanitizer the first is enough.
auto kinds_of_data(std::vector<Data> kinds) {
  if (kSlowedDown) kinds.resize(1);
  return testing::ValuesIn(kinds);
}

INSTANTIATE_TEST_SUITE_P(Kernels, CompiledKernels,
                         testing::Combine(testing::Range(std::size_t{0}, compiled_kernels().size()),
                                          kinds_of_data({Data::random, Data::pairs_of_one, Data::integers, Data::huge,
                                                         Data::mixed_scales})),
                         CompiledKernels::name);
INSTANTIATE_TEST_SUITE_P(Nightly, CompiledKernels,
                         testing::Combine(testing::Range(std::size_t{0}, compiled_kernels().size()),
                                          kinds_of_data({Data::planar, Data::lattice, Data::single_precision,
                                                         Data::tiny})),
                         CompiledKernels::name);

// ---- products of matrices ------------------------------------------------------------------------------------------

class CompiledProducts : public CompiledLoops, public testing::WithParamInterface<std::tuple<std::string, Data>> {
 public:
  static std::string name(const testing::TestParamInfo<ParamType>& of) {
    return std::get<0>(of.param) + "_" + name_of(std::get<1>(of.param));
  }
};

TEST_P(CompiledProducts, LeaveAndCollectEveryWordAsTheInterpreterDoes) {
  const isa::Program program = kernel(std::get<0>(GetParam()) + ".vsm");
  const Data data = std::get<1>(GetParam());
  constexpr unsigned kMostTurns = 11;
  constexpr unsigned kBlocksUsed = 2;
  std::mt19937_64 random(9);
  const auto next = [&](const isa::Variable& variable) {
    const double value = value_of(data, random, false);
    // Short words beside long ones are what those do not hold.
    return word_of(variable, variable.width == Width::short_word ? std::ldexp(value, -50) : value);
  };
  std::vector<LongWord> records(std::size_t{kMostTurns} * kBlocks * program.record_words);
  for (std::size_t record = 0; record < kMostTurns * kBlocks; ++record) {
    for (const isa::Variable* variable : program.variables_by(isa::Transfer::elt)) {
      for (unsigned n = 0; n < variable->elements; ++n) {
        const unsigned address = variable->address + n * (variable->packed ? 1 : 2);
        LongWord& place = records[record * program.record_words + address / 2];
        const LongWord word = next(*variable);
        place = address % 2 == 0 ? word : isa::join(place.upper(), word.upper());
      }
    }
  }
  const auto prepare = [&](Chip& chip) {
    random.seed(10);
    for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
      for (const isa::Variable* variable : program.variables_by(isa::Transfer::hlt)) {
        std::vector<LongWord> words;
        for (unsigned n = 0; n < variable->elements * isa::kVectorElements; ++n) words.push_back(next(*variable));
        const PeWords where{variable->memory, variable->address, variable->width,
                            static_cast<std::uint16_t>(words.size())};
        for (unsigned block = 0; block < kBlocksUsed; ++block) chip.write_pe(block, pe, where, words);
      }
    }
  };
  struct Part {
    unsigned turns;
    bool begins;
    bool ends;
    unsigned live_pes;
  };
  for (const Part& part :
       {Part{kMostTurns, true, true, kPesPerBlock}, Part{8, true, false, kPesPerBlock},
        Part{1, true, true, kPesPerBlock}, Part{2, false, true, kPesPerBlock}, Part{5, true, true, 11}}) {
    emulator::LoopRun run{{records, program.record_words, std::size_t{part.turns} * kBlocks}, part.live_pes};
    run.begins = part.begins;
    run.ends = part.ends;
    const Outcome outcome = compare(program, run, kBlocksUsed, prepare);
    EXPECT_TRUE(outcome.equal) << part.turns << " turns, " << part.live_pes << " live PEs";
    EXPECT_TRUE(compare_native(program, run, kBlocksUsed, prepare).equal) << part.turns << " turns, native";
    if (data == Data::random) {
      EXPECT_GT(outcome.compiled, 0U) << part.turns << " turns";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, CompiledProducts,
                         testing::Combine(testing::Values("dgemm", "dgemm_double"),
                                          kinds_of_data({Data::random, Data::huge, Data::mixed_scales})),
                         CompiledProducts::name);
INSTANTIATE_TEST_SUITE_P(Nightly, CompiledProducts,
                         testing::Combine(testing::Values("dgemm", "dgemm_double"),
                                          kinds_of_data({Data::lattice, Data::single_precision})),
                         CompiledProducts::name);

// ---- what stays with the interpreter -------------------------------------------------------------------------------

emulator::jit::BodyCode code_of(const isa::Program& program, const emulator::jit::CodeTarget& target =
                                                                 *emulator::jit::code_target(HostIsa::avx512)) {
  const emulator::DecodedProgram decoded = emulator::decode_program(program);
  const emulator::simd::Schedule schedule = emulator::simd::make_schedule(
      decoded,
      {HostIsa::portable, target.host_doubles ? emulator::simd::Arithmetic::host : emulator::simd::Arithmetic::chip});
  return emulator::jit::make_body_code(emulator::jit::make_body_graph(decoded, schedule, target),
                                       emulator::jit::Rounding::quick, target);
}

std::string refusal_of(const isa::Program& program) { return code_of(program).refusal; }

TEST(CompiledLoopBodies, TakeTheKernelsOfPairForces) {
  for (const Kernel& of : compiled_kernels()) EXPECT_EQ(refusal_of(kernel(of.file, of.definitions)), "") << of.name;
}

// A host's write to a row that the body reads from one word would cost the chip that form of the body.
TEST(EqualRows, AreNoIDataOfAKernel) {
  std::vector<isa::Program> programs;
  for (const Kernel& of : compiled_kernels()) programs.push_back(kernel(of.file, of.definitions));
  for (const char* file : {"dgemm.vsm", "dgemm_double.vsm"}) programs.push_back(kernel(file));
  bool has_some = false;
  for (const isa::Program& program : programs) {
    const emulator::simd::Schedule schedule = emulator::simd::make_schedule(
        emulator::decode_program(program), {HostIsa::portable, emulator::simd::Arithmetic::chip});
    has_some = has_some || schedule.invariant.any();
    for (const isa::Variable* variable : program.variables_by(isa::Transfer::hlt)) {
      const unsigned first = variable->address + (variable->memory == isa::Memory::gpr ? 0 : emulator::simd::kLmRow);
      const unsigned words = variable->elements * isa::kVectorElements * isa::short_words(variable->width);
      for (unsigned row = first & ~1U; row < first + words; ++row) {
        EXPECT_FALSE(schedule.invariant.has(row)) << program.kernel << ' ' << variable->name;
      }
    }
  }
  EXPECT_TRUE(has_some);
}

TEST(CompiledLoopBodies, TakeTheKernelsOfMatrices) {
  for (const char* file : {"dgemm.vsm", "dgemm_double.vsm"}) EXPECT_EQ(refusal_of(kernel(file)), "") << file;
}

/// A loop body of these lines, of one element each.
isa::Program body_of(std::string_view lines) {
  const std::string source = "kernel halves\nbvar long x elt\nloop body\n  vlen 1\n";
  return program_of(source + std::string(lines));
}

TEST(CompiledLoopBodies, LeaveTheRestToTheInterpreterAndSayWhy) {
  EXPECT_EQ(refusal_of(body_of("  ulzc x $lr8\n  nop\n")), "it has 'ulzc'");
  EXPECT_EQ(refusal_of(body_of("  upassa $peid $lr8\n  nop\n")), "it asks for the number of a PE or block");
}

TEST(CompiledLoopBodies, InDoublesHaveNoInfiniteConstant) {
  emulator::jit::CodeTarget target = *emulator::jit::code_target(HostIsa::avx512);
  target.host_doubles = true;
  const auto refusal_with = [&](const std::string& constant) {
    return code_of(body_of("  fadd x hl\"" + constant + "\" $lr8\n  nop\n"), target).refusal;
  };
  EXPECT_EQ(refusal_with("7fe000000000000000"), "");
  EXPECT_EQ(refusal_with("7ff000000000000000"), "it has an infinite constant");
  EXPECT_EQ(refusal_with("fff000000000000000"), "it has an infinite constant");
}

// What the last line stores lands behind the next turn's first line: a collect before that takes what was there before.
TEST(CompiledLoopBodies, LeaveACollectBeforeItsWordHasLandedToTheInterpreter) {
  constexpr std::string_view kSource = R"(kernel type2
bvar long x elt
bvar vector long sum[2] rrn flt72to64 fadd
var vector long weight hlt
loop initialization
  transfer
  nop
loop body
  transfer
  fadd weight x $lr0v
  nop
  bm $lr0v sum[0] @0
  nop
  collect sum[0]
  bm $lr0v sum[1] @1
  nop
  collect sum[1]
)";
  isa::Program program = program_of(kSource);
  EXPECT_EQ(refusal_of(program), "");
  std::vector<isa::Step>& steps = program.steps(Section::loop_body);
  ASSERT_EQ(steps.size(), 9U);
  steps.erase(steps.end() - 2);                                  // the nop
  std::rotate(steps.begin() + 1, steps.end() - 1, steps.end());  // the last collect behind the transfer
  EXPECT_EQ(refusal_of(program), "it collects what its last line stores");
  std::swap(steps[0], steps[1]);
  EXPECT_EQ(refusal_of(program), "it collects what its last line stores");
}

// A long word and, in its place, short ones: what its halves hold behind the last turn is known if both were written.
TEST(CompiledLoopBodies, LeaveAWordToTheLastTurnOnlyIfBothHalvesAreWritten) {
  constexpr std::string_view kBoth = "  fadd x x $lr8\n  nop\n  fadd x x $r8\n  fadd x x $r9\n";
  constexpr std::string_view kUpper = "  fadd x x $lr8\n  nop\n  fadd x x $r8\n  nop\n";
  constexpr std::string_view kLower = "  fadd x x $lr8\n  nop\n  nop\n  fadd x x $r9\n";
  for (const std::string_view lines : {kBoth, kUpper, kLower}) EXPECT_EQ(refusal_of(body_of(lines)), "") << lines;
  EXPECT_TRUE(code_of(body_of(kBoth)).leaves_all);
  EXPECT_FALSE(code_of(body_of(kUpper)).leaves_all);
  EXPECT_FALSE(code_of(body_of(kLower)).leaves_all);
}

// The ends of the exponents, and those beyond which a step of the code would be no normal double.
TEST_F(CompiledLoops, TakeConstantsOfEveryExponent) {
  constexpr unsigned kFields[] = {0,    1,    2,    8,    9,    54,   55,   61,   62,   63,   64,
                                  1023, 1982, 1983, 1984, 1990, 2017, 2018, 2019, 2045, 2046, 2047};
  const std::vector<LongWord> records(std::size_t{9} * kBlocks, emulator::flt64to72(1.5).value);
  unsigned compiled = 0;
  for (const char* const line :
       {"fpassa {} $lr8", "fpassa -{} $r8", "fmax {} x $lr8", "fadd {} x $lr8", "fmulh {0} x\n  fmull {0} x $lr8"}) {
    for (const unsigned field : kFields) {
      const std::string constant = fmt::format("hl\"{:03x}258a3dcd7e26f41\"", field);
      const isa::Program program = body_of(fmt::format(fmt::runtime(line), constant) + "\n  nop\n");
      const Outcome outcome =
          compare(program, {{records, 1, 9 * kBlocks}, kPesPerBlock}, 1, [](Chip&) {}, emulator::make_reference_chip());
      EXPECT_TRUE(outcome.equal) << fmt::format(fmt::runtime(line), constant);
      compiled += outcome.compiled > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(compiled, 0U);
}

// In doubles a turn's first part is done beside the turn before: here there is none that it pays to keep.
TEST_F(CompiledLoops, TakeASumOfProductsInDoubles) {
  constexpr std::string_view kSource = R"(kernel sum
bvar long x elt
var vector short weight hlt
var vector long sum rrn flt72to64 fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fmul x weight $lt
  fadd sum $lti sum
  nop
)";
  const isa::Program program = program_of(kSource);
  const std::vector<LongWord> records(std::size_t{9} * kBlocks, emulator::flt64to72(1.5).value);
  const auto prepare = [&](Chip& chip) {
    const std::vector<LongWord> weights(isa::kVectorElements, emulator::flt64to72(0.1).value);
    const auto address = static_cast<std::uint16_t>(program.variables_by(isa::Transfer::hlt).front()->address);
    for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
      chip.write_pe(0, pe, {isa::Memory::lm, address, Width::short_word, isa::kVectorElements}, weights);
    }
  };
  const Outcome outcome = compare_native(program, {{records, 1, 9 * kBlocks}, kPesPerBlock}, 1, prepare);
  EXPECT_TRUE(outcome.equal);
  EXPECT_GT(outcome.compiled, 0U);
}

TEST(CompiledLoopBodies, AreRefusedWhereTheHostHasNone) {
  EXPECT_THROW((void)emulator::make_simd_chip(HostIsa::portable, JitUse::always), Error);
}

#if defined(__x86_64__)
TEST_F(CompiledLoops, LeaveTheCallersArithmeticAlone) {
  const isa::Program program = kernel("gravity.vsm");
  const std::vector<LongWord> records(std::size_t{16} * kBlocks * program.record_words);
  const unsigned before = _mm_getcsr();
  const unsigned of_caller = 0x5fbf;  // upwards, every trap masked, every flag set
  _mm_setcsr(of_caller);
  const Outcome outcome =
      compare(program, {{records, program.record_words, 16 * kBlocks}, kPesPerBlock}, 1, [](Chip&) {});
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(after, of_caller);
  EXPECT_TRUE(outcome.equal);
  EXPECT_GT(outcome.compiled, 0U);
}
#endif

TEST_F(CompiledLoops, CareNothingForWhatDeadPesHold) {
  const isa::Program program = kernel("gravity.vsm");
  const std::vector<LongWord> records(std::size_t{20} * kBlocks * program.record_words);
  constexpr unsigned kLive = 5;
  const auto prepare = [&](Chip& chip) {
    for (unsigned pe = kLive; pe < kPesPerBlock; ++pe) {
      for (const isa::Variable* variable : program.variables_by(isa::Transfer::hlt)) {
        const std::vector<LongWord> infinite(std::size_t{variable->elements} * isa::kVectorElements,
                                             LongWord{std::uint64_t{2047} << 52, 0});
        const PeWords where{variable->memory, variable->address, variable->width,
                            static_cast<std::uint16_t>(infinite.size())};
        chip.write_pe(0, pe, where, infinite);
      }
    }
  };
  const emulator::LoopRun run{{records, program.record_words, std::size_t{20} * kBlocks}, kLive};
  const Outcome clean = compare(program, run, 1, [](Chip&) {});
  const Outcome outcome = compare(program, run, 1, prepare);
  EXPECT_TRUE(outcome.equal);
  EXPECT_GT(clean.compiled, 0U);
  EXPECT_EQ(outcome.compiled, clean.compiled);
}

// ---- names ---------------------------------------------------------------------------------------------------------

class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Environment() { unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

TEST_F(CompiledLoops, HaveNamesForPerf) {
  const std::filesystem::path map = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::error_code kept;
  std::filesystem::remove(map, kept);
  if (kept) GTEST_SKIP() << map << " is an old file of somebody else: " << kept.message();
  const isa::Program program = kernel("gravity.vsm");
  const std::vector<LongWord> records(std::size_t{16} * kBlocks * program.record_words);
  const emulator::LoopRun run{{records, program.record_words, 16 * kBlocks}, kPesPerBlock};
  ASSERT_TRUE(compare(program, run, 1, [](Chip&) {}).equal);
  EXPECT_FALSE(std::filesystem::exists(map)) << "nobody asked for it";
  {
    const Environment wanted("GDR_PERF_MAP", "on");
    ASSERT_TRUE(compare(program, run, 1, [](Chip&) {}).equal);
  }
  std::ifstream file(map);
  unsigned lines = 0;
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  std::string name;
  while (file >> std::hex >> begin >> size && std::getline(file, name)) {
    ++lines;
    EXPECT_NE(begin, 0U);
    EXPECT_TRUE(size > 0 && size < 1U << 20) << size;
    EXPECT_TRUE(name == " gdr gravity loop body, quick: turns" ||
                name == " gdr gravity loop body, quick: values equal in all PEs" ||
                name.starts_with(" gdr gravity loop body, robust: "))
        << name;
  }
  EXPECT_GE(lines, 2 * compiled_isas().size());
  std::filesystem::remove(map);
}

TEST_F(CompiledLoops, RefuseAnotherWishForNames) {
  for (const char* variable : {"GDR_PERF_MAP", "GDR_GDB"}) {
    const Environment wrong(variable, "yes");
    const auto chip = emulator::make_simd_chip(compiled_isas().back(), JitUse::always);
    EXPECT_THROW(chip->load(kernel("gravity.vsm")), Error) << variable;
  }
}

TEST_F(CompiledLoops, AreTheSameWithLinesForDebuggers) {
  const Environment wanted("GDR_GDB", "on");
  for (const char* file : {"gravity.vsm", "dgemm.vsm"}) {
    const isa::Program program = kernel(file);
    const std::vector<LongWord> records(std::size_t{16} * kBlocks * program.record_words);
    const emulator::LoopRun run{{records, program.record_words, 16 * kBlocks}, kPesPerBlock};
    const Outcome outcome = compare(program, run, 1, [](Chip&) {});
    EXPECT_TRUE(outcome.equal) << file;
    EXPECT_GT(outcome.compiled, 0U) << file;
  }
}

TEST_F(CompiledLoops, HaveObjectFilesWithTheSourcesName) {
  const isa::Program program = kernel("gravity.vsm");
  for (const HostIsa isa : compiled_isas()) {
    emulator::jit::CodeTarget target = *emulator::jit::code_target(isa);
    EXPECT_EQ(emulator::jit::compile(code_of(program, target).text, target.cpu).object, "") << "nobody asked for it";
    target.names_lines = true;
    const std::string text =
        code_of(program, target).text + emulator::jit::source_lines(program, "gdr gravity loop body, quick");
    const std::string object = emulator::jit::compile(text, target.cpu, true).object;
    for (const char* part : {".debug_line", "gravity.vsm", "gdr gravity loop body, quick: turns"})
      EXPECT_NE(object.find(part), std::string::npos) << part;
  }
}

TEST_F(CompiledLoops, HaveObjectFilesWithTheNamesOfAllSources) {
  isa::Program program = kernel("gravity.vsm");
  program.files = {"first.vsm", "second.vsm", "third.vsm"};
  std::uint32_t file = 0;
  for (isa::Step& step : program.sections[static_cast<std::size_t>(Section::loop_body)])
    std::get<isa::ProgramLine>(step).position.file = file++ % 3;
  emulator::jit::CodeTarget target = *emulator::jit::code_target(compiled_isas().back());
  target.names_lines = true;
  const std::string text = code_of(program, target).text + emulator::jit::source_lines(program, "body");
  const std::string object = emulator::jit::compile(text, target.cpu, true).object;
  for (const std::string& name : program.files) EXPECT_NE(object.find(name), std::string::npos) << name;
}

#if defined(__x86_64__)
TEST_F(CompiledLoops, StopAtALineInGdb) {
  if (std::system("gdb --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no gdb";
  if (kSlowedDown) GTEST_SKIP() << "too slow under a sanitizer";
  const unsigned line = kernel("gravity.vsm").lines(Section::loop_body).front().position.line;
  const std::string place = "gravity.vsm:" + std::to_string(line);
  const std::string command =
      "GDR_GDB=on gdb -nx -batch -ex 'set debuginfod enabled off' -ex 'set breakpoint pending on' -ex 'break " + place +
      "' -ex run -ex 'bt 1' --args " + std::filesystem::read_symlink("/proc/self/exe").string() +
      " --gtest_filter=CompiledLoops.LeaveTheCallersArithmeticAlone 2>&1";
  const std::unique_ptr<FILE, int (*)(FILE*)> gdb(popen(command.c_str(), "r"), pclose);
  std::string said;
  for (int each = std::fgetc(gdb.get()); each != EOF; each = std::fgetc(gdb.get())) said += static_cast<char>(each);
  if (said.find("ptrace") != std::string::npos) GTEST_SKIP() << "gdb may not run programs here: " << said;
  const std::size_t stack = said.find("#0");
  ASSERT_NE(stack, std::string::npos) << said;
  EXPECT_NE(said.find("gdr gravity loop body, ", stack), std::string::npos) << said;
  EXPECT_NE(said.find(place, stack), std::string::npos) << said;
}
#endif

}  // namespace
}  // namespace gdr::tests
