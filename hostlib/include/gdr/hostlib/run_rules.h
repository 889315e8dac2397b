// What every face of gdr refuses of a kernel's run, and what it tells of one: the program `gdr run`, the Python module,
// the runtime of stubs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/hostlib/device.h"
#include "gdr/isa/program.h"

namespace gdr::hostlib {

enum class RunKind : std::uint8_t {
  pairs,        // i-records against j-records
  turns,        // a kernel of Type II, which moves its data itself
  experiments,  // one run for each start
};
[[nodiscard]] RunKind run_kind(const isa::Program& program);

/// A variable's data as a caller has them, before any number is taken.
struct GivenArray {
  std::string name;
  char kind = 'f';                 // as NumPy calls it: f real, i and u whole, b truth; any other is refused
  std::string type;                // for messages: "complex128"
  std::vector<std::size_t> shape;  // (n, dimensions...); without an extent it is a single number
  std::string unit = {};           // of a quantity, such as "km"; empty: a plain number
  std::string masked_at = {};      // place of the first number that a mask hides: "(2, 0)"; empty: none
};

/// The variables that travel so; of a kernel of experiments its starts and results.
[[nodiscard]] std::vector<const isa::Variable*> run_variables(const isa::Program& program, isa::Transfer transfer);

/// Throws gdr::Error, with `what` (such as "i") and the variable at the begin of the message, if the arrays are not
/// those of the kernel's variables: one is unknown, is missing, has another shape or length, holds no numbers or real
/// ones for a variable of whole numbers, has a unit, or numbers that a mask hides.
void require_arrays(const isa::Program& program, isa::Transfer transfer, std::string_view what,
                    std::span<const GivenArray> arrays);

/// Throws gdr::Error with place if a real number among these records is NaN, which the machine does not have, or a
/// number is none of those that its conversion takes or that its variable declares.
void require_numbers(const isa::Program& program, isa::Transfer transfer, std::string_view what,
                     std::span<const std::uint64_t> fields);

/// The same for records of these variables.
void require_numbers(std::span<const isa::Variable* const> variables, std::string_view what,
                     std::span<const std::uint64_t> fields);

/// The names of the kernel's parameters that are not among `given`. Kernels that are compiled from functions have no
/// defaults for those that they declare without a value.
[[nodiscard]] std::vector<std::string> missing_parameters(const isa::Program& program,
                                                          std::span<const std::string> given);

/// The iterations of a kernel of Type II on so many j-records. `j` and `turns` are what a caller calls them. Throws
/// gdr::Error if the records are not whole iterations of 16 for each chip, or fewer than `asked` needs, or if nothing
/// says how many there are.
[[nodiscard]] std::size_t turns_of(const isa::Program& program, unsigned chips, std::size_t j_records,
                                   std::optional<std::size_t> asked, std::string_view j, std::string_view turns);

/// Iterations of the loop on the slowest chip, summed over runs. j-records are distributed to chips, then to blocks.
[[nodiscard]] std::uint64_t iterations_of_slowest_chip(const Device& device, std::size_t ni, std::size_t nj);
/// Lines on a run that computes no results: its emulated time.
[[nodiscard]] std::string timing_text(const Device& device);

}  // namespace gdr::hostlib
