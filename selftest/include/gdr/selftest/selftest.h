// Compares the engines of this process, known by name, with the reference engine on random programs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/selftest/comparison.h"

namespace gdr::selftest {

struct SelfTestOptions {
  /// Names of engines; none: all exact ones. `simd` stands for each of its instruction sets that this host has.
  std::vector<std::string> engines;
  unsigned chips = 1;    // largest number; programs run on 1 to so many chips
  unsigned threads = 1;  // threads of each session, including the calling one
};

class SelfTest {
 public:
  static constexpr std::string_view kSums = "sums beyond the chip";

  /// Throws gdr::Error for an unknown engine, for `reference` (the others are compared with it), and for an engine that
  /// computes nothing.
  explicit SelfTest(const SelfTestOptions& options);

  /// The engines that are compared with the reference engine: "simd (avx2)", "lockstep".
  [[nodiscard]] const std::vector<std::string>& engines() const { return engines_; }

  /// Runs the program of this seed on all engines and returns those that differ. An engine that differs is excluded
  /// from then on, so a run of thousands of programs reports each engine once. The same holds for the sums beyond the
  /// chip of this seed (gdr/selftest/sums.h), which are reported as engine kSums.
  [[nodiscard]] std::vector<Finding> run(std::uint64_t seed);
  /// False after all engines have differed.
  [[nodiscard]] bool has_engines() const { return comparison_.has_candidates(); }

 private:
  void add_sums(std::uint64_t seed, std::vector<Finding>& findings);

  unsigned chips_;
  bool sums_differ_ = false;
  std::vector<std::string> engines_;
  Comparison comparison_;
};

}  // namespace gdr::selftest
