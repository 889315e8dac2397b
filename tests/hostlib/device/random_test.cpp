// Random numbers of experiments: known answers of Philox4x32-10, other counters against an implementation here, and an
// integral of six dimensions against its exact value.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <filesystem>
#include <map>
#include <random>
#include <string>

#include "gdr/assembler/assembler.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/hostlib/experiments.h"

namespace gdr::hostlib {
namespace {

using Words = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

/// Salmon et al. 2011.
Words philox(Words counter, Key key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t q = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(q >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(q),
               static_cast<std::uint32_t>(p >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(p)};
    key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
  }
  return counter;
}

constexpr std::string_view kWords = R"(kernel words experiment
include "random.vsm"
const key0 = 0
const key1 = 0
var vector long a[4] hlt fix64to72
var vector long o[4] rrn fix72to64
reg c0 $lr0v
reg c1 $lr8v
reg c2 $lr16v
reg c3 $lr24v
experiment initialization
  philox_constants
experiment begin
  repeat k = 0..3
    upassa a[k] o[k]
  end
experiment step
  uor a[0] philox_magic c0
  upassa a[1] c1
  uor a[2] philox_magic c2
  upassa a[3] c3
  nop
  philox c0 c1 c2 c3 key0 key1
  uand c0 philox_low o[0]
  upassa c1 o[1]
  uand c2 philox_low o[2]
  upassa c3 o[3]
)";

Device device_for(std::string_view source, const std::map<std::string, std::string, std::less<>>& definitions) {
  assembler::AssembleOptions options;
  for (const auto& [name, value] : definitions) options.definitions[name] = value;
  const assembler::AssembleResult result = assembler::assemble(source, "random.vsm", options);
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  DeviceOptions machine;
  machine.machine = "model450";
  Device device(machine);
  device.load(*result.program);
  return device;
}

std::vector<Words> words_of_kernel(const std::vector<Words>& counters, Key key) {
  Device device = device_for(kWords, {{"key0", std::to_string(key[0])}, {"key1", std::to_string(key[1])}});
  std::vector<std::uint64_t> starts;
  for (const Words& counter : counters) starts.insert(starts.end(), counter.begin(), counter.end());
  const ExperimentResults results = run_experiments(device, starts, {1, 1, true});
  std::vector<Words> words(counters.size());
  for (std::size_t n = 0; n < 4 * counters.size(); ++n) {
    words[n / 4][n % 4] = static_cast<std::uint32_t>(results.fields[n]);
    EXPECT_EQ(results.fields[n] >> 32, 0u);
  }
  return words;
}

/// The vectors of the authors' library Random123, kat_vectors, philox4x32 with 10 rounds.
TEST(Philox, GivesThePublishedAnswers) {
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(words_of_kernel({{0, 0, 0, 0}}, {0, 0}).front(), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(words_of_kernel({{kOnes, kOnes, kOnes, kOnes}}, {kOnes, kOnes}).front(),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(words_of_kernel({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, {0xa4093822, 0x299f31d0}).front(),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, GivesTheWordsOfOtherCounters) {
  std::mt19937 generator(11);
  std::vector<Words> counters(2048);
  for (Words& counter : counters) {
    for (std::uint32_t& word : counter) word = static_cast<std::uint32_t>(generator());
  }
  const Key key{12345, 0xfedcba98};
  const std::vector<Words> words = words_of_kernel(counters, key);
  for (std::size_t n = 0; n < counters.size(); ++n) EXPECT_EQ(words[n], philox(counters[n], key)) << n;
}

struct Estimate {
  double mean = 0;
  double error = 0;  // standard error of the mean
};

/// The integral from so many points of each of 1,024 experiments.
Estimate integral(std::uint64_t points) {
  Device device = device_for(base::read_file(std::filesystem::path(GDR_KERNELS_DIR) / "../docs/examples/genz.vsm"), {});
  std::vector<std::uint64_t> starts(1024);
  for (std::size_t n = 0; n < starts.size(); ++n) starts[n] = n;
  const ExperimentResults results = run_experiments(device, starts, {points, 0, true});
  EXPECT_EQ(results.unfinished(), 0u);
  double sum = 0;
  double squares = 0;
  for (std::size_t n = 0; n < starts.size(); ++n) {
    sum += std::bit_cast<double>(results.fields[2 * n]);
    squares += std::bit_cast<double>(results.fields[2 * n + 1]);
  }
  const double all = static_cast<double>(points) * static_cast<double>(starts.size());
  const double mean = sum / all;
  return {mean, std::sqrt((squares / all - mean * mean) / all)};
}

/// The integral of 1 / (1/4 + (x - 0.3)^2) from 0 to 1 is 2 (atan 1.4 + atan 0.6).
TEST(MonteCarlo, GivesTheProductPeakInItsErrorsWhichFallAsTheRootOfPoints) {
  const double exact = std::pow(2 * (std::atan(1.4) + std::atan(0.6)), 6);
  const Estimate few = integral(8);
  const Estimate many = integral(128);
  EXPECT_LT(std::abs(few.mean - exact), 4 * few.error);
  EXPECT_LT(std::abs(many.mean - exact), 4 * many.error);
  EXPECT_LT(many.error, 0.003 * exact);
  EXPECT_NEAR(few.error / many.error, 4, 0.4);  // 16 times the points
}

}  // namespace
}  // namespace gdr::hostlib
