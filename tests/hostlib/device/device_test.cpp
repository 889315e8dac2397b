// The device as a library user drives it, with small kernels assembled from text.
#include "gdr/hostlib/device.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>

#include "gdr/assembler/assembler.h"

namespace gdr {
namespace {

isa::Program assembled(std::string_view source) {
  assembler::AssembleResult result = assembler::assemble(source, "test.vsm");
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  return *result.program;
}

/// sum over j of m_j (x_j - x_i) and the number of j-particles.
constexpr std::string_view kSpring = R"(kernel spring
flops 3
var  vector long xi hlt flt64to72
bvar scalar long xj elt flt64to72
bvar scalar short mj elt flt64to36
param scale : short flt64to36 = 1
var  vector long f rrn flt72to64 fadd
var  vector long n rrn fix72to64 uadd
var  vector short s
loop initialization
  vlen 4
  uxor $lt $lt $lt
  upassa $lt f
  upassa $lt n
  bm scale s
loop body
  vlen 4
  fsub xj xi $lt
  fmul $lt s $lt
  fmul $lt mj $lt
  fadd f $lt f
  uadd n il"1" n
)";

std::vector<std::uint64_t> bits(const std::vector<double>& values) {
  std::vector<std::uint64_t> fields;
  for (const double value : values) fields.push_back(std::bit_cast<std::uint64_t>(value));
  return fields;
}

DeviceOptions options(std::string_view engine = emulator::Engine::reference, unsigned threads = 1) {
  DeviceOptions chosen;
  chosen.engine = engine;
  chosen.threads = threads;
  return chosen;
}

/// j-particles at 1, 2, 3, ... of mass 1.
std::vector<std::uint64_t> row_of_particles(std::size_t n) {
  std::vector<double> values;
  for (std::size_t k = 0; k < n; ++k) values.insert(values.end(), {static_cast<double>(k + 1), 1.0});
  return bits(values);
}

class DeviceTest : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Engines, DeviceTest, ::testing::Values(emulator::Engine::reference, emulator::Engine::simd),
                         [](const auto& engine) { return std::string(engine.param); });

TEST_P(DeviceTest, SumsOverAnyNumberOfJParticles) {
  Device device(options(GetParam()));
  device.load(assembled(kSpring));
  device.write_j(0, row_of_particles(300));
  for (const std::size_t nj : {0u, 1u, 15u, 16u, 17u, 63u, 64u, 65u, 300u}) {
    const std::vector<std::uint64_t> results = device.run(bits({0.0, 2.0}), nj);
    ASSERT_EQ(results.size(), 4u);
    const double sum = static_cast<double>(nj * (nj + 1)) / 2;
    EXPECT_EQ(std::bit_cast<double>(results[0]), sum) << nj;
    EXPECT_EQ(results[1], nj);
    EXPECT_EQ(std::bit_cast<double>(results[2]), sum - 2.0 * static_cast<double>(nj)) << nj;
    EXPECT_EQ(results[3], nj);
  }
}

TEST_P(DeviceTest, SplitsManyIParticlesIntoRuns) {
  Device device(options(GetParam()));
  device.load(assembled(kSpring));
  device.write_j(0, row_of_particles(10));
  std::vector<double> x(300);
  std::iota(x.begin(), x.end(), 0.0);
  const std::vector<std::uint64_t> results = device.run(bits(x), 10);
  ASSERT_EQ(results.size(), 600u);
  for (std::size_t k = 0; k < x.size(); ++k) EXPECT_EQ(std::bit_cast<double>(results[2 * k]), 55 - 10 * x[k]);
  EXPECT_EQ(device.counters().runs, 4u * 3u) << "three runs on each of four chips";
}

// As docs/kernels/assembly.md says of sections.
TEST_P(DeviceTest, WordsThatInitializationSetsStayFromRunToRunUntilTheKernelIsLoaded) {
  const isa::Program counts = assembled(
      "kernel counts\nvar vector long x hlt\nvar vector long runs\nvar vector long sum rrn flt72to64\ninitialization\n"
      "  upassa f\"0\" runs\n  nop\nloop initialization\n  fadd runs f\"1\" runs\n  nop\n  upassa runs sum\n  nop\n"
      "loop body\n  nop\n");
  Device device(options(GetParam()));
  const auto runs_of = [&](std::size_t particle) {
    return std::bit_cast<double>(device.run(bits(std::vector<double>(300)), 0)[particle]);
  };
  for (int loads = 0; loads < 2; ++loads) {
    device.load(counts);
    EXPECT_EQ(runs_of(0), 1);
    EXPECT_EQ(runs_of(43), 4);  // three runs a call, the third with i-particles 256 to 299
    EXPECT_EQ(runs_of(128), 8);
    EXPECT_EQ(runs_of(299), 12);
  }
}

TEST_P(DeviceTest, ParameterReachesEveryBlock) {
  Device device(options(GetParam()));
  device.load(assembled(kSpring));
  device.write_j(0, row_of_particles(100));
  device.set_parameter("scale", 3.0);
  EXPECT_EQ(std::bit_cast<double>(device.run(bits({0.0}), 100)[0]), 3 * 5050.0);
}

TEST_P(DeviceTest, ResultsDoNotDependOnThreads) {
  std::vector<double> x(130);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = 1.0 / static_cast<double>(k + 3);
  std::vector<double> j;
  for (std::size_t k = 0; k < 77; ++k) j.insert(j.end(), {1.0 / static_cast<double>(k + 1), 0.1});
  std::vector<std::vector<std::uint64_t>> results;
  for (const unsigned threads : {1u, 2u, 3u, 7u}) {
    Device device(options(GetParam(), threads));
    device.load(assembled(kSpring));
    device.write_j(0, bits(j));
    results.push_back(device.run(bits(x), 77));
  }
  for (const auto& result : results) EXPECT_EQ(result, results.front());
}

TEST_P(DeviceTest, ShowsItsChipsToADebugger) {
  Device device(options(GetParam()));
  device.load(assembled(kSpring));
  device.write_j(0, row_of_particles(5));
  (void)device.run(bits({7.0}), 5);
  EXPECT_EQ(device.chips(), 4u);
  const isa::Variable xi = *device.program().variables_by(isa::Transfer::hlt).front();
  for (const unsigned chip : {0u, 3u}) {
    const auto words = device.inspect().read_pe(chip, 15, 0, {xi.memory, xi.address, xi.width, 1});
    EXPECT_EQ(words.front(), emulator::flt64to72(7.0).value) << chip;
  }
  EXPECT_THROW((void)device.inspect().read_bm(4, 0, 0, 1), Error);
}

TEST(Device, SeveralLiveInOneProcess) {
  Device one(options());
  DeviceOptions small = options();
  small.machine = "model450";
  small.boards = 2;
  Device two(small);
  one.load(assembled(kSpring));
  two.load(assembled(kSpring));
  one.write_j(0, row_of_particles(5));
  two.write_j(0, row_of_particles(7));
  EXPECT_EQ(std::bit_cast<double>(one.run(bits({0.0}), 5)[0]), 15);
  EXPECT_EQ(std::bit_cast<double>(two.run(bits({0.0}), 7)[0]), 28);
}

TEST(Device, RunsInTheBackground) {
  Device device(options());
  device.load(assembled(kSpring));
  device.write_j(0, row_of_particles(5));
  device.start(bits({0.0}), 5);
  EXPECT_THROW(device.set_parameter("scale", 2), Error);
  EXPECT_EQ(std::bit_cast<double>(device.wait()[0]), 15);
  EXPECT_THROW(static_cast<void>(device.wait()), Error);
  device.on_progress([](std::size_t, std::size_t) { throw Error("no further"); });
  device.start(bits({0.0}), 5);
  EXPECT_THROW(static_cast<void>(device.wait()), Error);
  device.on_progress({});
  for (int n = 0; n < 20; ++n) {
    device.start(bits({1.0 * n}), 5);
    EXPECT_EQ(std::bit_cast<double>(device.wait()[0]), 15 - 5.0 * n);
  }
  device.start(bits({0.0}), 5);  // which nobody waits for
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Device, RefusalsNameTheValueAndWhatIsAllowed) {
  Device device(options());
  EXPECT_EQ(refusal([&] { device.write_j(0, {}); }), "no program is loaded");
  device.load(assembled(kSpring));
  EXPECT_EQ(refusal([&] { device.set_parameter("skale", 1); }),
            "kernel spring has no parameter 'skale' (known: scale); did you mean 'scale'?");
  EXPECT_EQ(refusal([&] { device.write_j(0, bits({1.0})); }), "1 j-fields are no whole number of records of 2");
  const std::string nan = refusal([&] { device.write_j(4, bits({std::nan(""), 1.0})); });
  EXPECT_NE(nan.find("xj[4] is NaN"), std::string::npos) << nan;
  const std::string full = refusal([&] { device.write_j(device.j_capacity(), row_of_particles(3)); });
  EXPECT_NE(full.find("external memory holds 67108864, 3 too few"), std::string::npos) << full;
  const std::string nj = refusal([&] { static_cast<void>(device.run(bits({0.0}), device.j_capacity() + 1)); });
  EXPECT_NE(nj.find("67108864 j-records, 1 too few"), std::string::npos) << nj;
  DeviceOptions none = options();
  none.boards = 0;
  EXPECT_EQ(refusal([&] { Device d(none); }), "boards = 0 is refused: it must be 1 to 64");
}

TEST(Device, ARefusedProgramLeavesTheDeviceWithoutOne) {
  Device device(options());
  device.load(assembled(kSpring));
  device.write_j(0, row_of_particles(3));
  isa::Program broken = assembled(kSpring);
  std::get<isa::ProgramLine>(broken.sections[2][0]).word.parts[4] = ~std::uint64_t{0};
  EXPECT_THROW(device.load(broken), emulator::Fault);
  EXPECT_EQ(refusal([&] { static_cast<void>(device.run(bits({0.0}), 3)); }), "no program is loaded");
}

TEST(Device, ALongProductWhoseOperandChangesBetweenItsLinesIsAFault) {
  // The assembler refuses this, so the words are put together by hand: what uadd writes lands after fmulh has read.
  isa::Program program = assembled(kSpring);
  isa::Line before;
  before.alu = {isa::Op::UADD, isa::Source::t_long, isa::Source::t_long, false, false, isa::Width::long_word, {}};
  before.gpr_write = {isa::Unit::alu, 8, false, false, {}};
  isa::Line high;
  high.multiplier = {isa::Op::FMULH, isa::Source::gpr_a, isa::Source::gpr_a, false, false, isa::Width::short_word, {}};
  high.gpr_a = {8, isa::Width::long_word, false, false};
  isa::Line low = high;
  low.multiplier.op = isa::Op::FMULL;
  low.multiplier.width = isa::Width::long_word;
  low.t_write = {isa::Unit::multiplier, 0, false, false, {}};
  const auto load = [&](const std::vector<isa::Line>& lines) {
    program.sections[2].clear();
    for (const isa::Line& line : lines) program.sections[2].emplace_back(isa::ProgramLine{isa::encode(line), {}});
    Device(options()).load(program);
  };
  EXPECT_THROW(load({before, high, low}), emulator::Fault);
  EXPECT_NO_THROW(load({before, isa::Line{}, high, low}));
}

TEST(Device, LoadingClearsMemoryAndCounters) {
  Device device(options());
  device.load(assembled(kSpring));
  const emulator::Counters fresh = device.counters();
  device.write_j(0, row_of_particles(3));
  static_cast<void>(device.run(bits({0.0}), 3));
  device.load(assembled(kSpring));
  EXPECT_EQ(device.counters().host_bytes_in, fresh.host_bytes_in);
  EXPECT_EQ(device.counters().iterations, 0u);
  EXPECT_EQ(std::bit_cast<double>(device.run(bits({0.0}), 3)[0]), 0.0) << "records never written are zero";
}

/// One chip or four: the reductions over chips mean what those over blocks mean.
TEST(Device, EveryReductionGivesTheSameOnOneChipAndOnFour) {
  for (const std::string_view result :
       {"flt72to64 fadd", "flt72to64 fmax", "flt72to64 fmin", "fix72to64 uadd", "fix72to64 umax", "fix72to64 umin",
        "fix72to64 uand", "fix72to64 uor", "fix72to64 uxor", "none uand", "none uor", "none uxor"}) {
    const bool floating = result.starts_with("flt");
    const bool largest = result.ends_with("max");
    const std::string identity = largest                   ? (floating ? "f\"-1e300\"" : "il\"-1000000\"")
                                 : result.ends_with("min") ? (floating ? "f\"1e300\"" : "il\"1000000\"")
                                                           : (result.ends_with("and") ? "il\"-1\"" : "il\"0\"");
    const std::string op(result.substr(result.find(' ') + 1));
    const std::string source = "kernel k\nvar vector long xi hlt " + std::string(floating ? "flt" : "fix") +
                               "64to72\nbvar long xj elt " + std::string(floating ? "flt" : "fix") +
                               "64to72\nvar vector long r rrn " + std::string(result) +
                               "\nloop initialization\n  upassa " + identity + " r\nloop body\n  " +
                               (floating ? "fsub" : "usub") + " xj xi $lt\n  " + op + " r $lt r\n";
    std::vector<std::uint64_t> j;
    for (const int value : {5, -3, 12, 7, -9, 4, 1}) {
      j.push_back(floating ? std::bit_cast<std::uint64_t>(static_cast<double>(value))
                           : static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
    }
    const std::vector<std::uint64_t> i{floating ? std::bit_cast<std::uint64_t>(2.0) : 2u};
    std::vector<std::vector<std::uint64_t>> results;
    for (const std::string_view machine : {"model450", "model1800"}) {
      DeviceOptions chosen = options();
      chosen.machine = machine;
      Device device(chosen);
      device.load(assembled(source));
      device.write_j(0, j);
      results.push_back(device.run(i, j.size()));
    }
    EXPECT_EQ(results[0], results[1]) << result;
  }
}

TEST(Device, CountsWhatPassesThrough) {
  Device device(options());
  device.load(assembled(kSpring));
  device.write_j(0, row_of_particles(128));
  static_cast<void>(device.run(bits({0.0, 1.0, 2.0}), 128));
  const emulator::Counters counters = device.counters();
  EXPECT_EQ(counters.iterations, 4u * 2u) << "32 records on each chip, 16 per iteration";
  EXPECT_EQ(counters.em_words_written, 128u * 2u);
  EXPECT_EQ(counters.em_words_read, 128u * 2u);
  EXPECT_EQ(counters.lines, 4u * (4u + 2u * 5u)) << "loop initialization once, the body twice";
}

/// Runs `body` in a forked child; true if it returned true there. A child that hangs is ended.
bool in_child(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

bool told_of_the_fork(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return std::string_view(error.what()).find("forked while a run was under way") != std::string_view::npos;
  }
  return false;
}

TEST_P(DeviceTest, AChildForkedDuringARunIsToldAndDoesNotWaitForIt) {
  for (const unsigned threads : {1u, 3u}) {
    auto device = std::make_unique<Device>(options(GetParam(), threads));
    device->load(assembled(kSpring));
    device->write_j(0, row_of_particles(100));
    device->start(bits({0.0}), 100);
    EXPECT_TRUE(in_child([&] {
      const bool told = told_of_the_fork([&] { static_cast<void>(device->wait()); }) &&
                        told_of_the_fork([&] { static_cast<void>(device->run(bits({0.0}), 1)); }) &&
                        told_of_the_fork([&] { device->start(bits({0.0}), 1); }) &&
                        told_of_the_fork([&] { device->load(assembled(kSpring)); }) &&
                        told_of_the_fork([&] { static_cast<void>(device->counters()); });
      *device = Device(options(GetParam(), threads));  // which forgets the one before
      device->load(assembled(kSpring));
      device->write_j(0, row_of_particles(10));
      const bool works = std::bit_cast<double>(device->run(bits({0.0}), 10)[0]) == 55.0;
      device.reset();
      return told && works;
    }));
    EXPECT_EQ(std::bit_cast<double>(device->wait()[0]), 5050.0) << "the parent's run goes on";
    EXPECT_TRUE(in_child([&] {
      const bool runs = std::bit_cast<double>(device->run(bits({0.0}), 100)[0]) == 5050.0;
      device->start(bits({0.0}), 100);
      return runs && std::bit_cast<double>(device->wait()[0]) == 5050.0;
    })) << "between runs a child inherits the device";
  }
}

TEST(Device, AForkBesideARunOnAnotherThreadNeverHangs) {
  Device device(options(emulator::Engine::simd, 2));
  device.load(assembled(kSpring));
  device.write_j(0, row_of_particles(500));
  std::atomic<bool> ends = false;
  std::thread other([&] {
    while (!ends) static_cast<void>(device.run(bits({0.0, 1.0}), 500));
  });
  for (int n = 0; n < 20; ++n) {
    EXPECT_TRUE(in_child([&] {
      auto gone = std::make_unique<Device>(std::move(device));
      try {
        static_cast<void>(gone->run(bits({0.0}), 10));
      } catch (const Error&) {  // forked during a run
      }
      gone.reset();
      return true;
    }));
  }
  ends = true;
  other.join();
}

/// What device_options_from_environment() makes of GDR_ENGINE: the engine, or the refusal.
std::string engine_of(const char* value) {
  setenv("GDR_ENGINE", value, 1);
  std::string outcome;
  try {
    outcome = device_options_from_environment().engine;
  } catch (const Error& error) {
    outcome = error.what();
  }
  unsetenv("GDR_ENGINE");
  return outcome;
}

TEST(DeviceOptions, EnvironmentNamesAnyEngineAndAnyTwoInLockstep) {
  for (const char* engine :
       {"reference", "simd", "native", "lockstep", "lockstep:reference,simd", "lockstep:simd,native"}) {
    EXPECT_EQ(engine_of(engine), engine);
  }
  EXPECT_EQ(engine_of(""), DeviceOptions().engine);
  for (const char* wrong :
       {"none", "lockstep:", "lockstep:simd", "lockstep:simd,none", "lockstep:simd,reference,simd", "timing"}) {
    EXPECT_NE(engine_of(wrong).find(std::string("GDR_ENGINE = '") + wrong + "' is refused: it must be one of"),
              std::string::npos)
        << engine_of(wrong);
  }
}

/// What device_options_from_environment() makes of a variable.
DeviceOptions options_with(const char* variable, const char* value) {
  setenv(variable, value, 1);
  try {
    DeviceOptions options = device_options_from_environment();
    unsetenv(variable);
    return options;
  } catch (const Error&) {
    unsetenv(variable);
    throw;
  }
}

TEST(DeviceOptions, EnvironmentTakesNumbersAsTheCommandLineDoes) {
  for (const char* clock : {"333", "333MHz", "0.333GHz", "3.33e2"}) {
    EXPECT_EQ(options_with("GDR_CLOCK", clock).clock_mhz, 333.0) << clock;
  }
  EXPECT_EQ(options_with("GDR_BOARDS", "1e1").boards, 10U);
  EXPECT_EQ(options_with("GDR_THREADS", "0").threads, 0U);  // all
  for (const char* boards : {"0", "65", "-1", "1.5", "two", "010"}) {
    EXPECT_THROW(options_with("GDR_BOARDS", boards), Error) << boards;
  }
  for (const char* threads : {"-1", "1025", "1.5", "all"}) {
    EXPECT_THROW(options_with("GDR_THREADS", threads), Error) << threads;
  }
}

TEST(DeviceOptions, EnvironmentSuggestsTheEngineThatIsMeant) {
  EXPECT_NE(engine_of("smid").find("did you mean 'simd'?"), std::string::npos) << engine_of("smid");
}

TEST(DeviceOptions, TwoEnginesOfTheEnvironmentComputeInLockstep) {
  setenv("GDR_ENGINE", "lockstep:reference,simd", 1);
  Device device(device_options_from_environment());
  unsetenv("GDR_ENGINE");
  device.load(assembled(kSpring));
  device.write_j(0, row_of_particles(100));
  EXPECT_EQ(std::bit_cast<double>(device.run(bits({0.0}), 100)[0]), 5050.0);
}

}  // namespace
}  // namespace gdr
