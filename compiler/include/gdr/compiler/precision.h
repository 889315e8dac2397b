// Measures the error that short words cause: runs a kernel on data as it is written, and with operations in long words,
// and compares the results with the same function in the host's doubles.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gdr/compiler/compiler.h"

namespace gdr::compiler {

/// i- and j-records of 8-byte fields, and parameters by name, in the form that gdr::Device takes.
struct PrecisionData {
  std::vector<std::uint64_t> i_fields;
  std::vector<std::uint64_t> j_fields;
  std::vector<std::pair<std::string, double>> parameters;
};

/// Runs a kernel on the data. Returns the result records of the i-particles, with an 8-byte field for each word.
using KernelRun = std::function<std::vector<std::uint64_t>(const CompileResult& kernel)>;

/// Called after each kernel has been compiled and run.
using PrecisionProgress = std::function<void(std::size_t done, std::size_t all)>;

/// Relative error of a result, against the host's value. For an array it is the Euclidean norm of the difference,
/// divided by the norm of the host's elements. Root mean square and maximum are over the i-particles.
struct ResultError {
  std::string result;
  double rms = 0;
  double max = 0;
  std::size_t left_out = 0;  // i-particles whose result on the host is 0 or not finite
};

/// An operation of the source, or a member of a record that is read or accumulated. Operations at the same source
/// position count as one: repetitions by a loop, or the operations that make up a function.
struct OperationPrecision {
  std::string operation;  // add, sub, mul, div, sqrt, ...; input, sum
  std::string name;       // variables that hold the result; may be empty
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  bool is_short = false;
  // For a short operation: errors of the results if only this operation is long, and how many lines the loop then has
  // more.
  std::vector<ResultError> errors;
  std::optional<int> lines_saved;  // nothing if this operation alone cannot be long
  bool estimated = false;          // it cannot be long: errors are the host's with the operation's value rounded
};

struct PrecisionReport {
  std::vector<Diagnostic> diagnostics;  // set if the function does not compile; all else is then empty
  std::string clang;
  std::size_t i_particles = 0;
  std::size_t j_particles = 0;
  unsigned lines = 0;
  std::vector<ResultError> as_written;
  std::optional<unsigned> long_lines;   // with every operation long that can be; nothing if those values do not fit
  std::vector<ResultError> every_long;  // errors of that kernel
  std::vector<OperationPrecision> operations;  // short ones by descending rms error, then long ones by source position
};

/// Compiles `path` as compile_file() does, compiles it again with each short operation made long, runs all these
/// kernels and compares their results. Throws as compile_file() and `run` do, and gdr::Error if results or data are not
/// whole records.
[[nodiscard]] PrecisionReport measure_precision(const std::filesystem::path& path, const CompileOptions& options,
                                                const PrecisionData& data, const KernelRun& run,
                                                const PrecisionProgress& told = {});

}  // namespace gdr::compiler
