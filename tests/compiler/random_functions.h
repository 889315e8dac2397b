// Random pair functions as C++ source, with bounds on how far two machines that round differently may be apart.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace gdr::compiler_testing {

/// Records of every random function, as in the source: i has double a[3], float b, int n; j has double x[3], float m,
/// float w, int k; results are double sum, double other, float brief, double least, double most; a parameter double s.
inline constexpr std::size_t kIFields = 5;
inline constexpr std::size_t kJFields = 6;
inline constexpr std::size_t kResults = 5;

struct RandomFunction {
  std::string name;
  std::string source;  // the function alone
  /// Of each result: how far apart host and machine may be, relative to the host's sum over `pairs` pairs.
  std::vector<double> bounds;
};

/// Data are positive numbers from 0.5 to 2, integers from 0 to 7; conditions compare data alone, so that both sides
/// choose alike.
[[nodiscard]] RandomFunction random_function(std::uint64_t seed, std::size_t pairs);

/// Structures and includes that go before the functions.
[[nodiscard]] std::string random_prologue();

}  // namespace gdr::compiler_testing
