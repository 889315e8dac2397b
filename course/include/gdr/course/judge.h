// Judges a kernel: runs it on the data of an exercise, compares with the reference, counts lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/json.h"
#include "gdr/base/report.h"
#include "gdr/course/exercise.h"
#include "gdr/isa/program.h"

namespace gdr::course {

enum class Outcome : std::uint8_t {
  accepted,
  wrong_answer,   // a result is further from the reference than the exercise allows
  compile_error,  // the source has errors
  run_error,      // the kernel cannot run on the exercise's data
  limit           // all results are right, but the kernel has more lines than the exercise allows
};
/// The name as it is printed: `WRONG ANSWER`.
[[nodiscard]] std::string_view name_of(Outcome outcome);

/// A kernel that is handed in.
struct Submission {
  std::string source;                   // the bytes of its file; only their digest is used
  std::optional<isa::Program> program;  // nothing if the source has errors
  std::string messages;                 // of the assembler or the compiler
};
/// Assembles the source as it stands, without packing lines. `name` is the file's name in messages.
[[nodiscard]] Submission assembled(std::string source, std::string_view name);

/// The result that is furthest from the reference, relative to what is allowed.
struct Worst {
  std::size_t test_case = 0;  // 0: the shown one
  std::string column;         // "acc[1]"
  std::size_t row = 0;        // number of the i-particle
  double got = 0;
  double wanted = 0;
  double error = 0;  // |got - wanted| / scale of the terms; infinite where nothing but `wanted` is right
};

/// Sizes of the kernel. All are lines except `clocks`.
struct Lines {
  unsigned lines = 0;        // those that the exercise counts
  unsigned bound = 0;        // no order of the kernel's operations has fewer (assembler::analyse())
  std::uint64_t clocks = 0;  // per iteration of the loop body
  std::string clocks_bound;  // what takes these clocks: "lines", "idp"
};

struct Verdict {
  Outcome outcome = Outcome::accepted;
  std::string exercise;
  std::uint64_t seed = 0;
  std::string message;         // the reason in one line, empty if accepted
  std::optional<Lines> lines;  // for a kernel without errors
  std::optional<Worst> worst;  // if the kernel ran on all cases
  std::size_t cases = 0;       // cases that the kernel ran on
  std::size_t results = 0;     // numbers that were compared
  std::uint64_t events = 0;    // invalid operations, overflows and underflows of all runs
  std::string messages;        // of the assembler or the compiler
  std::string submission_sha256;
  std::string results_sha256;  // of the result words of all cases
  /// SHA-256 of exercise, seed, submission, outcome, lines and result words: the same on every host and in a browser.
  std::string hash;

  [[nodiscard]] bool accepted() const { return outcome == Outcome::accepted; }
};

struct JudgeOptions {
  std::uint64_t seed = 1;  // of the hidden data
  unsigned threads = 0;    // as in DeviceOptions; verdicts do not depend on it
};

/// Runs the kernel on every case, each time on a fresh board (Model 1800, vector engine). Mistakes of the submission do
/// not throw. Throws gdr::Error if gdr's own files are not found.
[[nodiscard]] Verdict judge(const Exercise& exercise, const Submission& submission, const JudgeOptions& options = {});

/// Some lines for a terminal, the first of which begins with the outcome's name.
[[nodiscard]] std::string text_of(const Verdict& verdict, const Exercise& exercise);
/// Sets the fields of a verdict in `json`, as docs/reference/cli.md describes them.
void add_fields(base::Json& json, const Verdict& verdict, const Exercise& exercise);
/// The shape of that report.
[[nodiscard]] std::span<const base::ReportShape> report_shapes();

}  // namespace gdr::course
