// Pair functions with the control flow of molecular dynamics codes, written from their formulas: the compiler takes
// them as they are, and the board gives what the host gives.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "gdr/assembler/assembler.h"
#include "gdr/compiler/compiler.h"
#include "gdr/hostlib/device.h"
#include "host_functions.h"

namespace gdr::compiler_testing::ported {
namespace {

struct I {
  double x[3];
  double q;
  int id;
};
struct J {
  double y[3];
  double p;
  int jd;
};
struct F {
  double f[3] = {};
  double e = 0, v = 0;
};
using Pair = void (*)(const I&, const J&, F&);

constexpr const char* kRecords =
    "#include <gdr/kernel.h>\n#include <cmath>\nstruct I { double x[3]; double q; int id; };\n"
    "struct J { double y[3]; double p; int jd; };\nstruct F { double f[3]; double e, v; };\n";

// Buckingham's potential with the real part of Ewald's sum, each with a cutoff, and weights of bonded pairs: the
// branches of LAMMPS's pair style buck/coul/long.
constexpr const char* kBuckingham = R"(
void k(const I& i, const J& j, F& f) {
  const double cut_coulsq = 1.44, cut_ljsq = 1.0, g = 2.5, special = 0.5;
  double del[3], rsq = 0;
  for (int c = 0; c < 3; ++c) { del[c] = i.x[c] - j.y[c]; rsq += del[c] * del[c]; }
  const double factor_coul = i.id / 4 == j.jd / 4 ? special : 1.0;
  const double factor_lj = factor_coul;
  if (i.id == j.jd) return;
  if (rsq < 1.44) {
    const double r2inv = 1.0 / rsq;
    const double r = std::sqrt(rsq);
    double forcecoul, forcebuck, prefactor = 0, erfc = 0, rexp = 0, r6inv = 0;
    if (rsq < cut_coulsq) {
      const double grij = g * r;
      const double expm2 = std::exp(-grij * grij);
      const double t = 1.0 / (1.0 + 0.3275911 * grij);
      erfc = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) * expm2;
      prefactor = i.q * j.p / r;
      forcecoul = prefactor * (erfc + 1.12837917 * grij * expm2);
      if (factor_coul < 1.0) forcecoul -= (1.0 - factor_coul) * prefactor;
    } else {
      forcecoul = 0.0;
    }
    if (rsq < cut_ljsq) {
      r6inv = r2inv * r2inv * r2inv;
      rexp = std::exp(-r * 3.0);
      forcebuck = 30.0 * r * rexp - 0.06 * r6inv;
    } else {
      forcebuck = 0.0;
    }
    const double fpair = (forcecoul + factor_lj * forcebuck) * r2inv;
    f.f[0] += del[0] * fpair;
    f.f[1] += del[1] * fpair;
    f.f[2] += del[2] * fpair;
    if (rsq < cut_coulsq) {
      double ecoul = prefactor * erfc;
      if (factor_coul < 1.0) ecoul -= (1.0 - factor_coul) * prefactor;
      f.e += 0.5 * ecoul;
    }
    if (rsq < cut_ljsq) {
      const double evdwl = 10.0 * rexp - 0.01 * r6inv + 0.02;
      f.v += 0.5 * factor_lj * evdwl;
    }
  }
}
)";

// Lennard-Jones with a switching function and a reaction field: the branches of OpenMM's function of this name.
constexpr const char* kSwitched = R"(
void k(const I& i, const J& j, F& f) {
  const float cutoff = 1.2f, begin = 0.9f;
  float delta[3], r2 = 0;
  for (int c = 0; c < 3; ++c) { delta[c] = j.y[c] - i.x[c]; r2 += delta[c] * delta[c]; }
  const bool excluded = i.id == j.jd;
  const float inv_r = gdr::rsqrt(r2);
  const float r = r2 * inv_r;
  float force = 0, energy = 0;
  const bool include = !excluded && r < cutoff;
  const float sig = 0.3f;
  float sig2 = inv_r * sig;
  sig2 *= sig2;
  const float sig6 = sig2 * sig2 * sig2;
  const float epssig6 = sig6 * 0.5f;
  float temp_force = epssig6 * (12.0f * sig6 - 6.0f);
  float temp_energy = include ? epssig6 * (sig6 - 1) : 0;
  if (r > begin) {
    const float x = r - begin;
    const float value = 1 + x * x * x * (-370.37f + x * (1851.85f - x * 2469.1f));
    const float derivative = x * x * (-1111.1f + x * (7407.4f - x * 12345.7f));
    temp_force = temp_force * value - temp_energy * derivative * r;
    temp_energy *= value;
  }
  const float prefactor = 138.935f * static_cast<float>(i.q * j.p);
  temp_force += prefactor * (inv_r - 2.0f * 0.28f * r2);
  temp_energy += include ? prefactor * (inv_r + 0.28f * r2 - 1.25f) : 0;
  energy += temp_energy;
  force += include ? temp_force * inv_r * inv_r : 0;
  for (int c = 0; c < 3; ++c) f.f[c] -= force * delta[c];
  f.e += 0.5 * energy;
  const float du = r - begin;
  f.v += excluded ? 0.0f : std::fmin(du, 0.0f);
}
)";

void compare(const char* body, double bound) {
  const HostFunctions host(std::string(kRecords) + body +
                           "extern \"C\" decltype(&k) host_k;\ndecltype(&k) host_k = k;\n");
  const compiler::CompileResult compiled = compiler::compile_ir(host.bitcode(), "port.bc");
  ASSERT_TRUE(compiled.diagnostics.empty()) << compiler::format_diagnostics(compiled);
  const assembler::AssembleResult assembled = assembler::assemble(compiled.source, "port.vsm");
  ASSERT_TRUE(assembled.program) << assembler::format_diagnostics(assembled);
  ::testing::Test::RecordProperty("lines", static_cast<int>(compiled.lines));
  // Values that are needed late leave the registers to others, so that few operations wait for one.
  EXPECT_LE(compiled.lines, compiled.least_lines * 13 / 10);
  constexpr int kPoints = 40;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> place(0, 1.5);
  std::vector<I> i;
  std::vector<std::uint64_t> words;
  for (int n = 0; n < kPoints; ++n) {
    i.push_back({{place(random), place(random), place(random)}, n % 2 == 0 ? 1.0 : -1.0, n});
    for (const double x : i.back().x) words.push_back(bits(x));
    words.insert(words.end(), {bits(i.back().q), static_cast<std::uint64_t>(n)});
  }
  Device device;
  device.load(*assembled.program);
  device.write_j(0, words);
  const std::vector<std::uint64_t> got = device.run(words, kPoints);
  const auto pair = *static_cast<Pair*>(host.symbol("host_k"));
  double largest = 0;
  std::vector<double> expected;
  for (const I& one : i) {
    F f;
    for (const I& other : i) pair(one, std::bit_cast<J>(other), f);
    for (const double value : {f.f[0], f.f[1], f.f[2], f.e, f.v}) expected.push_back(value);
  }
  for (const double value : expected) largest = std::max(largest, std::fabs(value));
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t n = 0; n < got.size(); ++n)
    EXPECT_NEAR(std::bit_cast<double>(got[n]), expected[n], bound * largest) << n;
}

TEST(PortedFunctions, BuckinghamWithEwaldIsTakenAsItIs) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  compare(kBuckingham, 1e-12);  // some 2^-47 for each of 40 pairs
}

TEST(PortedFunctions, SwitchedLennardJonesIsTakenAsItIs) {
  if (!compiler::available()) GTEST_SKIP() << "built without LLVM";
  compare(kSwitched, 1e-5);  // floats, of sums with steep summands
}

}  // namespace
}  // namespace gdr::compiler_testing::ported
