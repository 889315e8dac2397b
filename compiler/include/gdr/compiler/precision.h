// What short words cost: a kernel's results on data, as it is written and with operations in long words instead,
// against the same function in the host's doubles.
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

/// i- and j-records of 8-byte fields, and parameters by name, as gdr::Device takes them.
struct PrecisionData {
  std::vector<std::uint64_t> i_fields;
  std::vector<std::uint64_t> j_fields;
  std::vector<std::pair<std::string, double>> parameters;
};

/// Runs a kernel on those data: the result records of the i-particles, an 8-byte field for each word.
using KernelRun = std::function<std::vector<std::uint64_t>(const CompileResult& kernel)>;

/// Called after each kernel that was compiled and run.
using PrecisionProgress = std::function<void(std::size_t done, std::size_t all)>;

/// How far a result is off, relative to the host's: of an array the Euclidean norm of the difference to that of the
/// host's elements. Root mean square and maximum over the i-particles.
struct ResultError {
  std::string result;
  double rms = 0;
  double max = 0;
  std::size_t left_out = 0;  // i-particles whose result on the host is 0 or not finite
};

/// An operation of the source, or a member of a record that is read or accumulated. Operations of one place, which a
/// loop repeats or a function is made of, are one.
struct OperationPrecision {
  std::string operation;  // add, sub, mul, div, sqrt, ...; input, sum
  std::string name;       // the variables that hold it; may be empty
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  bool is_short = false;
  // Of a short one: how results change when it alone is long, and how many lines the loop then has more.
  std::vector<ResultError> errors;
  std::optional<int> lines_saved;  // nothing if it cannot be long alone
  bool estimated = false;          // it cannot: errors are the host's with the operation's value rounded
};

struct PrecisionReport {
  std::vector<Diagnostic> diagnostics;  // of a function that does not compile; the rest is then empty
  std::string clang;
  std::size_t i_particles = 0;
  std::size_t j_particles = 0;
  unsigned lines = 0;
  std::vector<ResultError> as_written;
  std::optional<unsigned> long_lines;   // with every operation long that can be; nothing if those values do not fit
  std::vector<ResultError> every_long;  // of that
  std::vector<OperationPrecision> operations;  // short ones by their largest rms error, then long ones by their place
};

/// Compiles `path` as compile_file(), and again with each short operation long, runs all of that and compares. Throws
/// as compile_file() and `run`, and gdr::Error if results or data are no whole records.
[[nodiscard]] PrecisionReport measure_precision(const std::filesystem::path& path, const CompileOptions& options,
                                                const PrecisionData& data, const KernelRun& run,
                                                const PrecisionProgress& told = {});

}  // namespace gdr::compiler
