// Kernels and the numbers that their loop bodies are tried on: from such that need no second look to such that no form
// in doubles takes.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>

#include "gdr/isa/program.h"

namespace gdr::tests {

/// A kernel of the project. Throws gdr::Error if it does not assemble.
[[nodiscard]] isa::Program kernel(const std::string& file, const std::map<std::string, std::string>& definitions = {});
/// The program of a source, without warnings. Throws gdr::Error with the diagnostics if it does not assemble.
[[nodiscard]] isa::Program program_of(std::string_view source);

enum class Data { random, pairs_of_one, planar, lattice, single_precision, integers, huge, tiny, mixed_scales };
[[nodiscard]] std::string name_of(Data data);
/// A coordinate or another value of a particle.
[[nodiscard]] double value_of(Data data, std::mt19937_64& random, bool third_coordinate);
/// As the variable's conversion makes it.
[[nodiscard]] isa::LongWord word_of(const isa::Variable& variable, double value);

}  // namespace gdr::tests
