// Random programs on the engines of this process, known by name, against the reference engine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gdr/selftest/comparison.h"

namespace gdr::selftest {

struct SelfTestOptions {
  /// Names of engines; none: all that are exact. `simd` stands for each of its instruction sets that this host has.
  std::vector<std::string> engines;
  unsigned chips = 1;    // at most; programs run on 1 to so many
  unsigned threads = 1;  // of each session, the caller among them
};

class SelfTest {
 public:
  /// Throws gdr::Error for an unknown engine, for `reference`, which the others are compared with, and for one that
  /// computes nothing.
  explicit SelfTest(const SelfTestOptions& options);

  /// What is compared with the reference engine: "simd (avx2)", "lockstep".
  [[nodiscard]] const std::vector<std::string>& engines() const { return engines_; }

  /// The program of this seed on all engines. An engine that differs is left out from then on, so that a run of
  /// thousands of programs tells of each once. Returns the engines that differ.
  [[nodiscard]] std::vector<Finding> run(std::uint64_t seed);
  /// False once all engines have differed.
  [[nodiscard]] bool has_engines() const { return comparison_.has_candidates(); }

 private:
  unsigned chips_;
  std::vector<std::string> engines_;
  Comparison comparison_;
};

}  // namespace gdr::selftest
